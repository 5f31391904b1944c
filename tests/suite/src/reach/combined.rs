//! What is rare in a case, and how the case was compiled: each of one with each of the other.

use crate::case::Case;
use crate::differential::Suite;
use sparse_core::cin::result::{ResultKind, result_kind};
use sparse_core::cin::{Cin, Stmt};
use sparse_core::driver::{concretize_kernel, packed};
use sparse_core::format::{Fill, Level};
use sparse_core::front::ast::{AssignOp, Expr, IndexVar, Kernel, Mode};
use sparse_core::front::command::Platform;
use sparse_core::front::parse_str;
use sparse_core::scalar::{BinaryOp, Monoid};

/// Every pair of what a case has, and how it was compiled.
pub(super) fn combined(case: &Case) -> Vec<String> {
    let loops = loops(case);
    let (ways, has) = (ways(case, loops.as_ref()), has(case, loops.as_ref()));
    has.iter().flat_map(|what| ways.iter().map(move |way| format!("{what}, {way}"))).collect()
}

/// The pairs that a suite has to have.
pub(super) fn wanted(suite: Suite) -> Vec<String> {
    let ways: &[&str] = match suite {
        Suite::Notation => &["by default on a CPU"],
        Suite::Schedules => &["scheduled for a CPU"],
        Suite::Gpu => ON_A_GPU,
        Suite::Sparse => ASSEMBLED,
    };
    let pairs = RARE.iter().flat_map(|what| ways.iter().map(move |way| (what, way)));
    let possible = pairs.filter(|(what, way)| match **way {
        // What only several sparse operands have, or one that has no pattern to share.
        "in an operand's pattern on a CPU" => !SEVERAL.contains(what),
        "in an operand's pattern on a GPU" => {
            !SEVERAL.contains(what)
                && ![SCHEDULED, "a chain of singletons", "*=", "a repeated variable"].contains(what)
        }
        // A schedule has rows of a GPU through workspaces, and no others.
        "in order on a GPU" | "whole on a GPU" | "packed on a GPU" => **what != SCHEDULED,
        way => **what != SCHEDULED || !way.starts_with("by default"),
    });
    possible.map(|(what, way)| format!("{what}, {way}")).collect()
}

/// How a sparse result comes about.
const ASSEMBLED: &[&str] = &[
    "in an operand's pattern on a CPU",
    "in order on a CPU",
    "by rows on a CPU",
    "whole on a CPU",
    "packed on a CPU",
];

const ON_A_GPU: &[&str] = &[
    "by default on a GPU",
    "scheduled for a GPU",
    "in an operand's pattern on a GPU",
    "in order on a GPU",
    "by rows on a GPU",
    "whole on a GPU",
    "packed on a GPU",
];

const SCHEDULED: &str = "a sparse workspace that is scheduled";

const SEVERAL: &[&str] = &[
    "infinite integers beside another order",
    "duplicates",
    "terms with variables of their own",
    "two statements inside one another",
];

const RARE: &[&str] = &[
    "operands filled with 1",
    "operands filled with an infinity",
    "infinite integers",
    "infinite integers beside another order",
    "duplicates",
    "singletons below unique levels",
    "a chain of singletons",
    "a result of rank 4 or more",
    SCHEDULED,
    "a scalar parameter",
    "a comparison",
    "min= or max=",
    "*=",
    "|= or &=",
    "a repeated variable",
    "terms with variables of their own",
    "integers that wrap",
    "a dimension of 0",
    "a dimension of 1",
    "a dimension of hundreds",
    "dense levels below sparse ones",
    "two statements inside one another",
];

/// What a case has that few have.
fn has(case: &Case, loops: Option<&(Kernel, Cin)>) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut say = |what: &'static str, is: bool| {
        if is {
            found.push(what);
        }
    };
    let nested = loops.map_or(0, |(_, cin)| nested(cin));
    let operands = || case.tensors.iter().filter(|t| t.mode == Mode::Input);
    let infinite = |fill: Fill| matches!(fill, Fill::PosInf | Fill::NegInf);
    let integers = !case.dtype.is_float() && case.dtype != sparse_core::scalar::DType::Bool;
    let sparse = || operands().filter(|t| !t.spec.is_dense());
    say("operands filled with 1", sparse().any(|t| t.spec.fill == Fill::One));
    let infinities = sparse().any(|t| infinite(t.spec.fill));
    say("operands filled with an infinity", infinities);
    say("infinite integers", integers && infinities);
    say("infinite integers beside another order", integers && infinities && nested > 0);
    let repeats = |t: &&crate::case::Operand| {
        let mut at: Vec<_> = t.entries.iter().map(|e| &e.0).collect();
        at.sort();
        at.windows(2).any(|w| w[0] == w[1])
    };
    say("duplicates", operands().any(|t| repeats(&t)));
    let below = |above: fn(&Level) -> bool| {
        let pair = move |w: &[Level]| above(&w[0]) && matches!(w[1], Level::Singleton { .. });
        operands().any(|t| t.spec.levels.windows(2).any(pair))
    };
    say("singletons below unique levels", below(|l| l.is_unique()));
    say("a chain of singletons", below(|l| matches!(l, Level::Singleton { .. })));
    say("a result of rank 4 or more", case.output().dims.len() > 3);
    let sparse = ["List", "Hash", "Sort"];
    let formatted = |c: &crate::command::Command| {
        c.name == "precompute" && c.args.get(4).is_some_and(|f| sparse.contains(&f.as_str()))
    };
    say(SCHEDULED, case.schedule.iter().any(formatted));
    let rhs = &case.assignment.rhs;
    say("a scalar parameter", rhs.any(|e| matches!(e, Expr::Scalar(_))));
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    say("a comparison", rhs.any(|e| matches!(e, Expr::Binary(Eq | Ne | Lt | Le | Gt | Ge, ..))));
    let op = case.assignment.op;
    say("min= or max=", matches!(op, AssignOp::Reduce(Monoid::Min | Monoid::Max)));
    say("*=", op == AssignOp::Reduce(Monoid::Mul));
    say("|= or &=", matches!(op, AssignOp::Reduce(Monoid::Or | Monoid::And)));
    let twice = |v: &[IndexVar]| (1..v.len()).any(|k| v[..k].contains(&v[k]));
    say("a repeated variable", rhs.any(|e| matches!(e, Expr::Access(a) if twice(&a.indices))));
    let sums = matches!(op, AssignOp::Assign | AssignOp::Reduce(Monoid::Add));
    say("terms with variables of their own", sums && own_variables(case));
    let extreme = |v: sparse_core::scalar::Value| v == case.dtype.pos_inf() || v == case.dtype.neg_inf();
    let extremes = integers && operands().any(|t| t.entries.iter().any(|e| extreme(e.1) && !e.1.is_zero()));
    let sums = rhs.any(|e| matches!(e, Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..)));
    say("integers that wrap", extremes && sums);
    say("a dimension of 0", case.vars.iter().any(|v| v.1 == 0));
    say("a dimension of 1", case.vars.iter().any(|v| v.1 == 1));
    say("a dimension of hundreds", case.vars.iter().any(|v| v.1 > 256));
    let block = |l: &[Level]| !l[0].is_full() && l[1].is_full();
    say("dense levels below sparse ones", operands().any(|t| t.spec.levels.windows(2).any(block)));
    say("two statements inside one another", nested > 1);
    found
}

/// Do two terms of a sum have reduction variables that the other has not?
fn own_variables(case: &Case) -> bool {
    let mut terms: Vec<Vec<IndexVar>> = Vec::new();
    each_term(&case.assignment.rhs, &mut |term| {
        let mut vars: Vec<IndexVar> = Vec::new();
        term.for_each_access(&mut |a| vars.extend(&a.indices));
        vars.retain(|v| !case.assignment.lhs.indices.contains(v));
        vars.sort_unstable();
        vars.dedup();
        terms.push(vars);
    });
    let own = |a: &[IndexVar], b: &[IndexVar]| a.iter().any(|v| !b.contains(v));
    terms.iter().enumerate().any(|(k, a)| terms[..k].iter().any(|b| own(a, b) && own(b, a)))
}

fn each_term(e: &Expr, f: &mut impl FnMut(&Expr)) {
    match e {
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
            each_term(a, f);
            each_term(b, f);
        }
        term => f(term),
    }
}

/// How many `where`s stand inside one another or in a row, before any schedule.
fn nested(cin: &Cin) -> usize {
    fn count(s: &Stmt) -> usize {
        match s {
            Stmt::Forall { body, .. } => count(body),
            Stmt::Where { consumer, producer } => 1 + count(consumer) + count(producer),
            _ => 0,
        }
    }
    count(&cin.root)
}

/// The loops of the statement alone.
fn loops(case: &Case) -> Option<(Kernel, Cin)> {
    let mut plain = case.clone();
    plain.schedule.clear();
    let kernel = packed(parse_str(&plain.kernel_text()).ok()?);
    let cin = concretize_kernel(&kernel).ok()?;
    Some((kernel, cin))
}

/// How a case is compiled.
fn ways(case: &Case, loops: Option<&(Kernel, Cin)>) -> Vec<String> {
    let on = if case.platform == Platform::Cpu { "on a CPU" } else { "on a GPU" };
    let mut ways = match case.schedule.is_empty() {
        true => vec![format!("by default {on}")],
        false => vec![format!("scheduled for {}", &on[3..])],
    };
    if case.output().spec.is_dense() {
        return ways;
    }
    let Some((kernel, cin)) = loops else { return ways };
    let sparse = cin.workspaces.iter().any(|w| w.format.is_sparse());
    let how = match result_kind(kernel, cin) {
        ResultKind::Dense => return ways,
        ResultKind::Like { of, levels } => match kernel.tensors[of.tensor.index()].spec.rank() == levels {
            true => "in an operand's pattern",
            false => "in the pattern of an operand's first levels",
        },
        ResultKind::Append if kernel.tensors.iter().any(|t| t.packed.is_some()) => "packed",
        ResultKind::Append if !sparse => "in order",
        ResultKind::Append if matches!(cin.root, Stmt::Where { .. }) => "whole",
        ResultKind::Append => "by rows",
    };
    ways.push(format!("{how} {on}"));
    ways
}
