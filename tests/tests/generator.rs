//! The random cases reach what they are meant to reach, and mean what they say.

use sparse_core::format::{Fill, Level};
use sparse_core::front::ast::{AssignOp, Expr, Mode};
use sparse_core::front::parse_str;
use sparse_core::scalar::Monoid;
use std::collections::BTreeMap;
use tests::case::Case;
use tests::generate::{generate, generate_scheduled};
use tests::interpret::interpret;
use tests::oracle::evaluate;
use tests::shrink::shrink;

const CASES: u64 = 4000;

fn features(case: &Case) -> Vec<String> {
    let mut out = vec![format!("elements {}", case.dtype)];
    let op = match case.assignment.op {
        AssignOp::Assign => "=".to_string(),
        AssignOp::Reduce(m) => format!("{}=", m.symbol()),
    };
    out.push(format!("assignment {op}"));
    expression(&case.assignment.rhs, &mut out);
    let mut accesses = 0;
    case.assignment.rhs.for_each_access(&mut |a| {
        accesses += 1;
        if (1..a.indices.len()).any(|k| a.indices[..k].contains(&a.indices[k])) {
            out.push("repeated variable".into());
        }
    });
    out.push(format!("{accesses} operands"));
    for t in &case.tensors {
        let output = t.name == case.output().name;
        let role = if output { "output" } else { "operand" };
        out.push(format!("{role} of rank {}", t.spec.rank()));
        out.extend(t.spec.levels.iter().map(|l| format!("{role} level {l}")));
        if output && t.mode == Mode::InOut {
            out.push("in place".into());
        }
        if output && t.spec.levels.first() == Some(&Level::Dense) && !t.spec.is_dense() {
            out.push("assembled rows".into());
        }
        if !t.spec.map.is_identity() {
            out.push(format!("{role} reordered"));
        }
        if t.spec.fill != Fill::Zero {
            out.push(format!("{role} fill {:?}", t.spec.fill));
        }
        let mut coords: Vec<_> = t.entries.iter().map(|e| &e.0).collect();
        coords.sort();
        if coords.windows(2).any(|w| w[0] == w[1]) {
            out.push("duplicates".into());
        }
        if !t.spec.is_dense() && t.entries.iter().any(|e| e.1.is_zero()) {
            out.push("explicit zero".into());
        }
        if !output && t.entries.is_empty() && !t.dims.contains(&0) {
            out.push("empty operand".into());
        }
    }
    for (_, size) in &case.vars {
        match size {
            0 => out.push("size 0".into()),
            1 => out.push("size 1".into()),
            32.. => out.push("size above 32".into()),
            _ => {}
        }
    }
    out.sort();
    out.dedup();
    out
}

fn expression(e: &Expr, out: &mut Vec<String>) {
    match e {
        Expr::Access(_) => {}
        Expr::Literal(_) => out.push("literal".into()),
        Expr::Scalar(_) => out.push("scalar parameter".into()),
        Expr::Unary(op, a) => {
            out.push(format!("unary {}", op.symbol()));
            expression(a, out);
        }
        Expr::Binary(op, a, b) => {
            out.push(format!("binary {}", op.symbol()));
            expression(a, out);
            expression(b, out);
        }
    }
}

#[test]
fn random_cases_reach_everything() {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for number in 0..CASES {
        for f in features(&generate(1, number)) {
            *seen.entry(f).or_default() += 1;
        }
    }
    let mut wanted: Vec<String> = Vec::new();
    wanted.extend(["f32", "f64", "i32", "i64", "u8", "bool"].map(|t| format!("elements {t}")));
    wanted.extend(["=", "+=", "*=", "min=", "max=", "&=", "|="].map(|t| format!("assignment {t}")));
    wanted.extend(
        ["+", "-", "*", "/", "min", "max", "&", "|", "^", "==", "!=", "<", "<=", ">", ">="]
            .map(|t| format!("binary {t}")),
    );
    wanted.extend(
        ["-", "!", "abs", "sqrt", "exp", "ln", "sin", "cos", "tanh", "floor", "ceil"]
            .map(|t| format!("unary {t}")),
    );
    let levels = ["Dense", "Compressed", "Compressed<NonUnique>", "Singleton", "Singleton<NonUnique>"];
    wanted.extend(levels.map(|l| format!("operand level {l}")));
    wanted.extend(levels.map(|l| format!("output level {l}")));
    wanted.extend((0..=6).map(|r| format!("operand of rank {r}")));
    wanted.extend((0..=5).map(|r| format!("output of rank {r}")));
    wanted.extend((0..=4).map(|n| format!("{n} operands")));
    wanted.extend(["One", "PosInf", "NegInf"].map(|f| format!("operand fill {f}")));
    wanted.extend(
        [
            "in place",
            "assembled rows",
            "operand reordered",
            "output reordered",
            "duplicates",
            "explicit zero",
            "empty operand",
            "size 0",
            "size 1",
            "size above 32",
            "literal",
            "scalar parameter",
            "repeated variable",
        ]
        .map(String::from),
    );
    let rare: Vec<_> = wanted.iter().filter(|w| seen.get(*w).is_none_or(|&n| n < 3)).collect();
    assert!(rare.is_empty(), "not in {CASES} cases, or hardly: {rare:?}\n{seen:#?}");
}

#[test]
fn the_text_of_a_case_parses_to_its_expression() {
    for number in 0..600 {
        let case = generate(3, number);
        let text = case.kernel_text();
        let kernel = parse_str(&text).unwrap_or_else(|f| panic!("{}\n{text}", f.diagnostics));
        // Literals and operators keep their order; variables may be numbered otherwise.
        let (mut ours, mut parsed) = (Vec::new(), Vec::new());
        expression(&case.assignment.rhs, &mut ours);
        expression(&kernel.assignment.rhs, &mut parsed);
        assert_eq!(ours, parsed, "{text}");
    }
}

#[test]
fn a_case_shrinks_to_what_makes_it_fail() {
    let mut shrunk = 0;
    for number in 0..200 {
        let case = generate_scheduled(4, number);
        // As if every split of a compressed operand's positions went wrong.
        let fails = |c: &Case| {
            let splits = c.schedule.iter().any(|c| c.name == "split");
            let sparse = c.tensors.iter().any(|t| !t.spec.is_dense() && !t.entries.is_empty());
            splits && sparse && interpret(c).is_ok()
        };
        if !fails(&case) || shrunk == 5 {
            continue;
        }
        shrunk += 1;
        let small = shrink(&case, &fails);
        let text = small.to_code();
        assert!(fails(&small), "{text}");
        assert_eq!(small.schedule.len(), 1, "{text}");
        let entries: usize = small.tensors.iter().map(|t| t.entries.len()).sum();
        assert!(entries <= 2 && small.output().dims.iter().product::<usize>() <= 4, "{text}");
    }
    assert_eq!(shrunk, 5);
}

/// Products of many floats are compared: in no order do they overflow.
#[test]
fn long_products_are_compared() {
    let is_long = |case: &Case| {
        let product = case.assignment.op == AssignOp::Reduce(Monoid::Mul) && case.dtype.is_float();
        let left = &case.assignment.lhs.indices;
        let summed = (0..case.vars.len()).filter(|v| !left.iter().any(|l| l.index() == *v));
        product && summed.map(|v| case.vars[v].1).product::<usize>() > 40
    };
    let long = (0..).map(|number| generate(1, number)).filter(is_long).take(10);
    let compared = long.filter(|case| evaluate(case).iter().all(|n| !n.open)).count();
    assert!(compared > 5, "{compared} of 10");
}
