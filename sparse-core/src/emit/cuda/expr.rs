//! Expressions.
//!
//! An index is an `int`, or a `long long` if [`Widths`] says so; a scalar has exactly its element type in C++, so that
//! the prelude's templates find it. Truth values may be 0 and 1 of type `int`, as C++'s own operators give them.

use super::names::Names;
use super::prelude::{Needs, Part};
use super::width::Widths;
use crate::emit::signature::scalar;
use crate::emit::subtracted;
use crate::llir::{Bound, Cmp, Expr, IndexOp, Program, Ty, VarId};
use crate::scalar::{BinaryOp, DType, UnaryOp, Value};

/// How tightly an operator binds, as in C++.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Prec {
    Lowest,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    Compare,
    Sum,
    Product,
    Unary,
    Atom,
}

impl Prec {
    fn tighter(self) -> Prec {
        use Prec::*;
        match self {
            Lowest => Or,
            Or => And,
            And => BitOr,
            BitOr => BitXor,
            BitXor => BitAnd,
            BitAnd => Equal,
            Equal => Compare,
            Compare => Sum,
            Sum => Product,
            Product => Unary,
            Unary | Atom => Atom,
        }
    }
}

/// Text and how tightly it binds.
struct Code(String, Prec);

impl Code {
    fn at_least(self, prec: Prec) -> String {
        let Code(text, own) = self;
        if own >= prec { text } else { format!("({text})") }
    }
}

fn atom(text: impl Into<String>) -> Code {
    Code(text.into(), Prec::Atom)
}

fn infix(prec: Prec, op: &str, a: Code, b: Code) -> Code {
    Code(format!("{} {op} {}", a.at_least(prec), b.at_least(prec.tighter())), prec)
}

/// Comparisons do not chain: both sides bind tighter.
fn comparison(prec: Prec, op: &str, a: Code, b: Code) -> Code {
    Code(format!("{} {op} {}", a.at_least(Prec::Sum), b.at_least(Prec::Sum)), prec)
}

/// `a & (b + c)`: sums and comparisons bind otherwise than readers expect, and get parentheses.
fn bitwise(prec: Prec, op: &str, a: Code, b: Code) -> Code {
    let side = |Code(text, own): Code, also: bool| {
        let clear = own == prec && also || own >= Prec::Product;
        if clear { text } else { format!("({text})") }
    };
    Code(format!("{} {op} {}", side(a, true), side(b, false)), prec)
}

/// `a && b || c` with the parentheses that readers want.
fn logical(prec: Prec, op: &str, a: Code, b: Code) -> Code {
    let side = |Code(text, own): Code| {
        let clear = own == prec || own > Prec::And;
        if clear { text } else { format!("({text})") }
    };
    Code(format!("{} {op} {}", side(a), side(b)), prec)
}

fn call(name: &str, args: impl IntoIterator<Item = Code>) -> Code {
    let args: Vec<_> = args.into_iter().map(|Code(text, _)| text).collect();
    atom(format!("{name}({})", args.join(", ")))
}

fn cast(ty: &str, a: Code) -> Code {
    Code(format!("({ty}){}", a.at_least(Prec::Unary)), Prec::Unary)
}

/// Emits expressions of a launch.
#[derive(Clone, Copy)]
pub(super) struct Exprs<'a> {
    pub(super) program: &'a Program,
    pub(super) names: &'a Names<'a>,
    pub(super) widths: &'a Widths,
    pub(super) needs: &'a Needs,
}

impl Exprs<'_> {
    /// An expression where nothing binds tighter.
    pub(super) fn expr(self, e: &Expr) -> String {
        self.code(e).0
    }

    /// As an operand of what binds like this.
    pub(super) fn operand(self, e: &Expr, prec: Prec) -> String {
        self.code(e).at_least(prec)
    }

    /// An index as an `int`.
    pub(super) fn narrow(self, e: &Expr) -> String {
        self.narrowed(e).0
    }

    /// `left op value` where the left operand is text that nothing takes apart.
    pub(super) fn combined(self, op: BinaryOp, left: &str, value: &Expr) -> String {
        let (op, value) = subtracted(op, value);
        self.binary(op, self.dtype(value), atom(left), self.code(value)).0
    }

    fn code(self, e: &Expr) -> Code {
        match e {
            Expr::Index(n) if self.widths.is_wide(e) => long(*n),
            Expr::Index(n) => atom(n.to_string()),
            Expr::Lit(v) => literal(*v),
            Expr::Cond(c) => atom(c.to_string()),
            Expr::Var(v) => atom(self.names.var(*v)),
            Expr::Load { buffer, index } => {
                atom(format!("{}[{}]", self.names.buffer(*buffer), self.expr(index)))
            }
            Expr::Len(_) => unreachable!("a verified launch asks for no length"),
            Expr::Fits(_) | Expr::Workers(_) => unreachable!("a verified launch asks nothing of the host"),
            Expr::IndexOp(op, a, b) => self.index_op(*op, a, b, self.widths.is_wide(e)),
            Expr::Cmp(op, a, b) => {
                let (prec, op) = match op {
                    Cmp::Eq => (Prec::Equal, "=="),
                    Cmp::Ne => (Prec::Equal, "!="),
                    Cmp::Lt => (Prec::Compare, "<"),
                    Cmp::Le => (Prec::Compare, "<="),
                };
                comparison(prec, op, self.code(a), self.code(b))
            }
            Expr::And(a, b) => logical(Prec::And, "&&", self.code(a), self.code(b)),
            Expr::Or(a, b) => logical(Prec::Or, "||", self.code(a), self.code(b)),
            Expr::Not(a) => Code(format!("!{}", self.operand(a, Prec::Unary)), Prec::Unary),
            Expr::Binary(op, a, b) => {
                let (op, b) = subtracted(*op, b);
                self.binary(op, self.dtype(a), self.code(a), self.code(b))
            }
            Expr::Unary(op, a) => self.unary(*op, self.dtype(a), self.code(a)),
            Expr::FromIndex(DType::Bool, a) => infix(Prec::Equal, "!=", self.code(a), atom("0")),
            Expr::FromIndex(t, a) => cast(scalar(*t), self.code(a)),
            Expr::Select(c, a, b) => {
                let (c, a, b) =
                    (self.operand(c, Prec::Or), self.operand(a, Prec::Or), self.operand(b, Prec::Lowest));
                Code(format!("{c} ? {a} : {b}"), Prec::Lowest)
            }
            Expr::Search { bound, buffer, lo, hi, key } => {
                let (name, part) = match bound {
                    Bound::Lower => ("lowerBound", Part::LowerBound),
                    Bound::Upper => ("upperBound", Part::UpperBound),
                    Bound::Gallop => ("gallop", Part::Gallop),
                };
                self.needs.part(part);
                let buffer = atom(self.names.buffer(*buffer));
                call(name, [buffer, self.narrowed(lo), self.narrowed(hi), self.code(key)])
            }
        }
    }

    fn index_op(self, op: IndexOp, a: &Expr, b: &Expr, is_wide: bool) -> Code {
        let any_wide = self.widths.is_wide(a) || self.widths.is_wide(b);
        let result = match op {
            IndexOp::Add => self.sum(a, b),
            IndexOp::Sub => infix(Prec::Sum, "-", self.code(a), self.code(b)),
            IndexOp::Mul if is_wide && !any_wide => infix(Prec::Product, "*", self.widened(a), self.code(b)),
            IndexOp::Mul => infix(Prec::Product, "*", self.code(a), self.code(b)),
            IndexOp::Div => infix(Prec::Product, "/", self.code(a), self.code(b)),
            IndexOp::Rem => infix(Prec::Product, "%", self.code(a), self.code(b)),
            IndexOp::Min | IndexOp::Max => {
                let name = if op == IndexOp::Min { "min" } else { "max" };
                let side = |e| if any_wide { self.widened(e) } else { self.code(e) };
                call(name, [side(a), side(b)])
            }
            IndexOp::Xor => bitwise(Prec::BitXor, "^", self.code(a), self.code(b)),
            IndexOp::And => bitwise(Prec::BitAnd, "&", self.code(a), self.code(b)),
            IndexOp::Place => {
                self.needs.part(Part::Places);
                return call("placeOf", [self.code(a), self.counted(b)]);
            }
            IndexOp::Below => {
                self.needs.part(Part::Marks);
                return match b {
                    Expr::Index(31) => call("__popc", [self.code(a)]),
                    b => call("marksBelow", [self.code(a), self.code(b)]),
                };
            }
            IndexOp::Count => {
                self.needs.part(Part::Counts);
                return call("addCounts", [self.counted(a), self.counted(b)]);
            }
        };
        if any_wide && !is_wide { cast("int", result) } else { result }
    }

    /// Sums of indices are exact: no parentheses on either side.
    fn sum(self, a: &Expr, b: &Expr) -> Code {
        match b {
            Expr::IndexOp(IndexOp::Add, b, c) => infix(Prec::Sum, "+", self.sum(a, b), self.code(c)),
            b => infix(Prec::Sum, "+", self.code(a), self.code(b)),
        }
    }

    fn widened(self, e: &Expr) -> Code {
        match e {
            e if self.widths.is_wide(e) => self.code(e),
            Expr::Index(n) => long(*n),
            e => cast("long long", self.code(e)),
        }
    }

    fn narrowed(self, e: &Expr) -> Code {
        if self.widths.is_wide(e) { cast("int", self.code(e)) } else { self.code(e) }
    }

    /// A number of entries, or what else is no more than the largest int.
    pub(super) fn count(self, e: &Expr) -> String {
        self.counted(e).0
    }

    /// A number of entries, which stops at the largest int.
    fn counted(self, e: &Expr) -> Code {
        match self.widths.is_wide(e) {
            true => cast("int", call("min", [self.code(e), atom("2147483647LL")])),
            false => self.code(e),
        }
    }

    fn binary(self, op: BinaryOp, t: DType, a: Code, b: Code) -> Code {
        use BinaryOp::{Add, Div, Mul, Sub};
        if t.is_integer() && matches!(op, Add | Sub | Mul | Div) {
            self.needs.part(Part::Scalars);
        }
        binary(op, t, a, b)
    }

    fn unary(self, op: UnaryOp, t: DType, a: Code) -> Code {
        if t.is_integer() && matches!(op, UnaryOp::Neg | UnaryOp::Abs) {
            self.needs.part(Part::Scalars);
        }
        unary(op, t, a)
    }

    /// A scalar of exactly its element's type.
    pub(super) fn exact(self, e: &Expr) -> String {
        let computed = matches!(e, Expr::Binary(..) | Expr::Select(..));
        match self.code(e) {
            code if computed && self.dtype(e) == DType::Bool => cast("bool", code).0,
            Code(text, _) => text,
        }
    }

    /// Element type of a scalar expression.
    pub(super) fn dtype(self, e: &Expr) -> DType {
        let ty = match e {
            Expr::Lit(v) => return v.dtype(),
            Expr::Binary(_, a, _) | Expr::Unary(_, a) | Expr::Select(_, a, _) => return self.dtype(a),
            Expr::FromIndex(t, _) => return *t,
            Expr::Var(v) => self.program.var(*v).ty,
            Expr::Load { buffer, .. } => self.program.buffer(*buffer).elem.ty(),
            _ => Ty::Index,
        };
        match ty {
            Ty::Scalar(t) => t,
            Ty::Index | Ty::Cond | Ty::Segments => unreachable!("operators on scalars have scalar operands"),
        }
    }

    /// A variable's type, spelled out.
    pub(super) fn type_of(self, var: VarId) -> &'static str {
        match self.program.var(var).ty {
            Ty::Index if self.widths.is_wide_var(var) => "long long",
            Ty::Index => "int",
            Ty::Scalar(t) => scalar(t),
            Ty::Cond => "bool",
            Ty::Segments => "Segment",
        }
    }
}

fn long(n: u64) -> Code {
    atom(format!("{}LL", n.min(i64::MAX as u64)))
}

/// A scalar constant where nothing binds tighter.
pub(super) fn value(v: Value) -> String {
    literal(v).0
}

fn literal(v: Value) -> Code {
    let signed = |magnitude: String, negative: bool| match negative {
        true => Code(format!("-{magnitude}"), Prec::Unary),
        false => atom(magnitude),
    };
    match v {
        Value::F32(x) if x.is_finite() => signed(format!("{:?}f", x.abs()), x.is_sign_negative()),
        Value::F64(x) if x.is_finite() => signed(format!("{:?}", x.abs()), x.is_sign_negative()),
        // No header names the others.
        Value::F32(x) => signed(format!("__int_as_float({:#x})", x.abs().to_bits()), x.is_sign_negative()),
        Value::F64(x) => {
            signed(format!("__longlong_as_double({:#x})", x.abs().to_bits()), x.is_sign_negative())
        }
        // The magnitude of the smallest is no literal.
        Value::I32(i32::MIN) => Code("-2147483647 - 1".into(), Prec::Sum),
        Value::I64(i64::MIN) => Code("-9223372036854775807LL - 1".into(), Prec::Sum),
        Value::I32(x) => signed(x.unsigned_abs().to_string(), x < 0),
        Value::I64(x) => signed(format!("{}LL", x.unsigned_abs()), x < 0),
        Value::U8(x) => Code(format!("(unsigned char){x}"), Prec::Unary),
        Value::Bool(x) => atom(x.to_string()),
    }
}

/// A binary operator by the language's rules: integers wrap, comparisons are 0 or 1 of the operands' type.
fn binary(op: BinaryOp, t: DType, a: Code, b: Code) -> Code {
    let byte = t == DType::U8;
    // What C++ computes as an `int`.
    let back = |code| if byte { cast("unsigned char", code) } else { code };
    let compare = |prec, op, a: Code, b: Code| {
        let test = comparison(prec, op, a, b);
        if t == DType::Bool { test } else { cast(scalar(t), test) }
    };
    let of_float = |f32_name, f64_name, other, a, b| match t {
        DType::F32 => call(f32_name, [a, b]),
        DType::F64 => call(f64_name, [a, b]),
        _ => back(call(other, [a, b])),
    };
    match op {
        BinaryOp::Add if t.is_integer() => call("wrappingAdd", [a, b]),
        BinaryOp::Sub if t.is_integer() => call("wrappingSub", [a, b]),
        BinaryOp::Mul if t.is_integer() => call("wrappingMul", [a, b]),
        BinaryOp::Div if t.is_integer() => call("divideOrZero", [a, b]),
        BinaryOp::Add => infix(Prec::Sum, "+", a, b),
        BinaryOp::Sub => infix(Prec::Sum, "-", a, b),
        BinaryOp::Mul => infix(Prec::Product, "*", a, b),
        BinaryOp::Div => infix(Prec::Product, "/", a, b),
        BinaryOp::Min if t == DType::Bool => bitwise(Prec::BitAnd, "&", a, b),
        BinaryOp::Max if t == DType::Bool => bitwise(Prec::BitOr, "|", a, b),
        BinaryOp::Min => of_float("fminf", "fmin", "min", a, b),
        BinaryOp::Max => of_float("fmaxf", "fmax", "max", a, b),
        BinaryOp::And => back(bitwise(Prec::BitAnd, "&", a, b)),
        BinaryOp::Or => back(bitwise(Prec::BitOr, "|", a, b)),
        BinaryOp::Xor => back(bitwise(Prec::BitXor, "^", a, b)),
        BinaryOp::Eq => compare(Prec::Equal, "==", a, b),
        BinaryOp::Ne => compare(Prec::Equal, "!=", a, b),
        BinaryOp::Lt => compare(Prec::Compare, "<", a, b),
        BinaryOp::Le => compare(Prec::Compare, "<=", a, b),
        BinaryOp::Gt => compare(Prec::Compare, ">", a, b),
        BinaryOp::Ge => compare(Prec::Compare, ">=", a, b),
    }
}

fn unary(op: UnaryOp, t: DType, a: Code) -> Code {
    let function = |f32_name, f64_name, a| match t {
        DType::F32 => call(f32_name, [a]),
        _ => call(f64_name, [a]),
    };
    match op {
        UnaryOp::Neg if t.is_integer() => call("wrappingNeg", [a]),
        UnaryOp::Neg => Code(format!("-{}", a.at_least(Prec::Atom)), Prec::Unary),
        UnaryOp::Not if t == DType::Bool => Code(format!("!{}", a.at_least(Prec::Unary)), Prec::Unary),
        UnaryOp::Not if t == DType::U8 => {
            cast("unsigned char", Code(format!("~{}", a.at_least(Prec::Unary)), Prec::Unary))
        }
        UnaryOp::Not => Code(format!("~{}", a.at_least(Prec::Unary)), Prec::Unary),
        UnaryOp::Abs if t == DType::U8 => a,
        UnaryOp::Abs if t.is_integer() => call("wrappingAbs", [a]),
        UnaryOp::Abs => function("fabsf", "fabs", a),
        UnaryOp::Sqrt => function("sqrtf", "sqrt", a),
        UnaryOp::Exp => function("expf", "exp", a),
        UnaryOp::Ln => function("logf", "log", a),
        UnaryOp::Sin => function("sinf", "sin", a),
        UnaryOp::Cos => function("cosf", "cos", a),
        UnaryOp::Tanh => function("tanhf", "tanh", a),
        UnaryOp::Floor => function("floorf", "floor", a),
        UnaryOp::Ceil => function("ceilf", "ceil", a),
    }
}
