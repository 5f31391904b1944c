//! CIN as text: `∀i ∀j y[i] += A[i, j] * x[j]`.

use super::provenance::{Part, Relation, Tag};
use super::{Access, Cin, Expr, Stmt, Target, Workspace};
use crate::front::ast::{IndexVar, Kernel};
use crate::scalar::{BinaryOp, UnaryOp};

/// The whole program on one line.
pub fn print(cin: &Cin, kernel: &Kernel) -> String {
    stmt(&cin.root, Context { cin, kernel })
}

#[derive(Clone, Copy)]
struct Context<'a> {
    cin: &'a Cin,
    kernel: &'a Kernel,
}

impl Context<'_> {
    fn indices(self, vars: &[IndexVar]) -> String {
        if vars.is_empty() {
            return String::new();
        }
        let names: Vec<_> = vars.iter().map(|&v| self.cin.provenance.name(v)).collect();
        format!("[{}]", names.join(", "))
    }

    fn workspace(self, w: Workspace, indices: &[IndexVar]) -> String {
        format!("{}{}", self.cin.workspaces[w.index()].name, self.indices(indices))
    }
}

fn stmt(s: &Stmt, c: Context<'_>) -> String {
    match s {
        Stmt::Forall { var, body } => {
            format!("∀{}{} {}", c.cin.provenance.name(*var), tag(c.cin.provenance.tag(*var)), stmt(body, c))
        }
        Stmt::Where { consumer, producer } => {
            format!("({}) where ({})", stmt(consumer, c), stmt(producer, c))
        }
        Stmt::Assign { target, op, rhs } => {
            let target = match target {
                Target::Tensor(a) => access(a, c),
                Target::Workspace(w, indices) => c.workspace(*w, indices),
            };
            let op = op.map_or("", |m| m.symbol());
            format!("{target} {op}= {}", expr(rhs, c, 0))
        }
    }
}

/// `{CPUThread, NoRaces}`, `{unroll 4}`; nothing for a plain loop.
fn tag(Tag { unroll, merge, parallel, worth: _ }: Tag) -> String {
    let mut parts = Vec::new();
    if let Some((unit, strategy)) = parallel {
        parts.push(format!("{unit}, {strategy}"));
    }
    parts.extend(unroll.map(|n| format!("unroll {n}")));
    parts.extend(merge.map(|m| m.to_string()));
    if parts.is_empty() { String::new() } else { format!("{{{}}}", parts.join(", ")) }
}

/// The provenance graph, one relation a line: `i = i0·64 + i1`. Empty for a kernel without a schedule.
pub fn provenance(cin: &Cin, kernel: &Kernel) -> String {
    let c = Context { cin, kernel };
    let name = |v: IndexVar| cin.provenance.name(v);
    let line = |r: &Relation| match r {
        Relation::Split { parent, outer, inner, part } => {
            let (outer, inner, parent) = (name(*outer), name(*inner), name(*parent));
            match part {
                Part::Inner(n) => format!("{parent} = {outer}·{n} + {inner}, {inner} < {n}"),
                Part::Outer(n) => format!("{parent} = {outer}·|{inner}| + {inner}, {outer} < {n}"),
            }
        }
        Relation::Fuse { outer, inner, fused } => {
            let (outer, inner) = (name(*outer), name(*inner));
            format!("{} = {outer}·|{inner}| + {inner}", name(*fused))
        }
        Relation::Pos { coord, pos, access: a } => {
            format!("{} = the coordinate at position {} of {}", name(*coord), name(*pos), access(a, c))
        }
        Relation::Coord { pos, coord } => {
            format!("{} = the coordinates that the positions {} span", name(*coord), name(*pos))
        }
        Relation::Bound { parent, child, size, exact } => {
            let (parent, child) = (name(*parent), name(*child));
            let promise = if *exact { "=" } else { "a multiple of" };
            format!("{parent} = {child}, |{child}| {promise} {size}")
        }
    };
    cin.provenance.relations().iter().map(|r| line(r) + "\n").collect()
}

fn access(a: &Access, c: Context<'_>) -> String {
    format!("{}{}", c.kernel.tensors[a.tensor.index()].name, c.indices(&a.indices))
}

fn precedence(op: BinaryOp) -> u8 {
    use BinaryOp::*;
    match op {
        Eq | Ne | Lt | Le | Gt | Ge => 1,
        Or => 2,
        Xor => 3,
        And => 4,
        Add | Sub => 5,
        Mul | Div => 6,
        Min | Max => 8,
    }
}

fn expr(e: &Expr, c: Context<'_>, outer: u8) -> String {
    match e {
        Expr::Access(a) => access(a, c),
        Expr::Workspace(w, indices) => c.workspace(*w, indices),
        Expr::Literal(v) => v.to_string(),
        Expr::Scalar(n) => c.kernel.scalars[*n].name.to_string(),
        Expr::Unary(op @ (UnaryOp::Neg | UnaryOp::Not), a) => format!("{}{}", op.symbol(), expr(a, c, 7)),
        Expr::Unary(op, a) => format!("{}({})", op.symbol(), expr(a, c, 0)),
        Expr::Binary(op @ (BinaryOp::Min | BinaryOp::Max), a, b) => {
            format!("{}({}, {})", op.symbol(), expr(a, c, 0), expr(b, c, 0))
        }
        Expr::Binary(op, a, b) => {
            let p = precedence(*op);
            let text = format!("{} {} {}", expr(a, c, p), op.symbol(), expr(b, c, p + 1));
            if p < outer { format!("({text})") } else { text }
        }
    }
}
