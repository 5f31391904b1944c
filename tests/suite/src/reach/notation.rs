//! What statements without a schedule must have had: operators, reductions, levels, ranks, element types.

use crate::case::{Case, Operand};
use crate::number::is_extreme;
use sparse_core::cin::copies::with_arrays;
use sparse_core::cin::{WorkspaceDecl, WorkspaceFormat};
use sparse_core::driver::{default_loops, packed};
use sparse_core::format::{Fill, Level};
use sparse_core::front::ast::{AssignOp, Expr, Mode};
use sparse_core::front::command::Platform;
use sparse_core::front::parse_str;
use sparse_core::scalar::Value;

/// What of products is summed first without a schedule, and how it is stored.
fn parts(case: &Case) -> Vec<String> {
    let cin = parse_str(&case.kernel_text()).ok().and_then(|k| default_loops(&packed(k), case.platform).ok());
    let Some(cin) = cin.filter(|_| case.schedule.is_empty()) else { return vec![] };
    let arrays = match parse_str(&case.kernel_text()) {
        Ok(kernel) if case.platform == Platform::Cpu => with_arrays(&packed(kernel)),
        _ => vec![],
    };
    let outside = |w: &WorkspaceDecl| w.rows.as_ref().map(|_| w.vars.len());
    let outside = arrays.last().into_iter().flat_map(|cin| &cin.workspaces).filter_map(outside);
    let parts: Vec<_> = cin.workspaces.iter().filter(|w| w.part).collect();
    let stored = |w: &&WorkspaceDecl| match (w.format, w.vars.len()) {
        (WorkspaceFormat::Dense, 0) => "a part of a product: a number",
        (WorkspaceFormat::Dense, 1) => "a part of a product: an array",
        (WorkspaceFormat::Dense, _) => "a part of a product: an array of several dimensions",
        _ => "a part of a product: a list",
    };
    let mut did: Vec<String> = parts.iter().map(|w| stored(w).into()).collect();
    did.extend(outside.map(|dims| format!("a part of a product outside of all loops, of rank {dims}")));
    if arrays.first().is_some_and(|cin| cin.workspaces.iter().filter(|w| w.rows.is_some()).count() > 1) {
        did.push("a part of a product outside of all loops, made of another".into());
    }
    if parts.len() > 1 {
        did.push("several parts of products".into());
    }
    if !parts.is_empty() && cin.workspaces.iter().any(|w| !w.part && w.name != "w") {
        did.push("a part of a product beside other workspaces".into());
    }
    did
}

/// Of what a case's statement and formats consist.
pub(super) fn consists_of(case: &Case) -> Vec<String> {
    let mut did = vec![format!("of {}", case.dtype)];
    did.extend(parts(case));
    let mut say = |what: String| did.push(what);
    say(match case.assignment.op {
        AssignOp::Assign => "=".into(),
        AssignOp::Reduce(m) => format!("{}=", m.symbol()),
    });
    let mut accesses = Vec::new();
    case.assignment.rhs.visit(&mut |e| match e {
        Expr::Access(a) => {
            accesses.push(a.clone());
            if (1..a.indices.len()).any(|k| a.indices[..k].contains(&a.indices[k])) {
                say("a repeated variable".into());
            }
        }
        Expr::Literal(v) => {
            say("a literal".into());
            say(kind_of_literal(*v).into());
        }
        Expr::Scalar(_) => say("a scalar parameter".into()),
        Expr::Unary(op, _) => say(format!("unary {}", op.symbol())),
        Expr::Binary(op, ..) => say(format!("binary {}", op.symbol())),
    });
    say(format!("{} accesses", accesses.len()));
    if (1..accesses.len()).any(|k| accesses[..k].iter().any(|a| a.tensor == accesses[k].tensor)) {
        say("an operand read twice".into());
    }
    if (1..accesses.len())
        .any(|k| accesses[..k].iter().filter(|a| a.tensor == accesses[k].tensor).count() > 1)
    {
        say("an operand read three times".into());
    }
    for t in &case.tensors {
        let (role, spec) = (if t.mode == Mode::Input { "operand" } else { "result" }, &t.spec);
        say(format!("{role} of rank {}", spec.rank()));
        if t.mode == Mode::InOut {
            say("in place".into());
        }
        for level in &spec.levels {
            say(match level {
                Level::Dense => format!("{role}: Dense"),
                Level::Compressed { unique } => format!("{role}: Compressed, unique {unique}"),
                Level::Singleton { unique } => format!("{role}: Singleton, unique {unique}"),
            });
        }
        if !spec.map.is_identity() {
            say(format!("{role} in another mode order"));
        }
        if spec.fill != Fill::Zero {
            let dense = if spec.is_dense() { "dense " } else { "" };
            say(format!("{dense}{role} filled with {:?}", spec.fill));
        }
    }
    let fills = |t: &&Operand| t.mode == Mode::Input && !t.spec.is_dense();
    let mut fills: Vec<Fill> = case.tensors.iter().filter(fills).map(|t| t.spec.fill).collect();
    fills.dedup();
    if fills.len() > 1 {
        say("operands of several fills".into());
    }
    if case.vars.iter().any(|v| v.1 == 1) {
        say("a dimension of 1".into());
    }
    did
}

/// How a literal is unlike a small number.
fn kind_of_literal(v: Value) -> &'static str {
    let float = v.dtype().is_float();
    match v.to_f64() {
        f if float && f.is_infinite() => "an infinite literal",
        f if float && f.fract() != 0.0 => "a literal with a fraction",
        _ if is_extreme(v) => "a literal at an end of its type",
        f if f.abs() > 100.0 => "a large literal",
        f if f < 0.0 => "a negative literal",
        _ => "a small literal",
    }
}

/// What the suite is for: each in a case at least.
pub(super) const NOTATION: &[&str] = &[
    "of f32",
    "of f64",
    "of i32",
    "of i64",
    "of u8",
    "of bool",
    "=",
    "+=",
    "*=",
    "min=",
    "max=",
    "|=",
    "&=",
    "binary +",
    "binary -",
    "binary *",
    "binary /",
    "binary min",
    "binary max",
    "binary &",
    "binary |",
    "binary ^",
    "binary ==",
    "binary !=",
    "binary <",
    "binary <=",
    "binary >",
    "binary >=",
    "unary -",
    "unary !",
    "unary abs",
    "unary exp",
    "a literal",
    "an infinite literal",
    "a literal with a fraction",
    "a literal at an end of its type",
    "a large literal",
    "a negative literal",
    "a scalar parameter",
    "a repeated variable",
    "an operand read twice",
    "an operand read three times",
    "1 accesses",
    "2 accesses",
    "3 accesses",
    "4 accesses",
    "5 accesses",
    "6 accesses",
    "a fiber by its table",
    "rows combined once for all gaps",
    "operand of rank 0",
    "operand of rank 1",
    "operand of rank 2",
    "operand of rank 3",
    "operand of rank 4",
    "operand of rank 5",
    "operand of rank 6",
    "result of rank 0",
    "result of rank 1",
    "result of rank 2",
    "result of rank 3",
    "result of rank 4",
    "result of rank 5",
    "result of rank 6",
    "operand: Dense",
    "operand: Compressed, unique true",
    "operand: Compressed, unique false",
    "operand: Singleton, unique true",
    "operand: Singleton, unique false",
    "operand in another mode order",
    "operand filled with One",
    "operand filled with PosInf",
    "operand filled with NegInf",
    "operands of several fills",
    "dense operand filled with One",
    "dense operand filled with PosInf",
    "dense operand filled with NegInf",
    "dense result filled with One",
    "dense result filled with PosInf",
    "dense result filled with NegInf",
    "result: Dense",
    "result: Compressed, unique true",
    "result: Compressed, unique false",
    "result: Singleton, unique true",
    "result in another mode order",
    "result filled with One",
    "result filled with PosInf",
    "result filled with NegInf",
    "in place",
    "a variable of the result alone",
    "a dimension of 0",
    "a dimension of 1",
    "no entries",
    "one entry",
    "empty rows",
    "one huge row",
    "explicit zeros",
    "fibers without entries",
    "names of something else",
    "duplicates",
    "infinities or NaN",
    "a part of a product: a number",
    "a part of a product outside of all loops, made of another",
    "a part of a product: an array",
    "a part of a product: an array of several dimensions",
    "a part of a product: a list",
    "a part of a product outside of all loops, of rank 1",
    "a part of a product outside of all loops, of rank 2",
    "several parts of products",
    "a part of a product beside other workspaces",
];
