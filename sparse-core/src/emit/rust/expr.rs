//! Expressions.

use super::names::Names;
use super::quote::{Tokens, quote};
use crate::emit::subtracted;
use crate::llir::{Bound, Cmp, Expr, IndexOp, Ty, VarId};
use crate::scalar::{BinaryOp, DType, UnaryOp, Value};

/// How tightly an expression binds; an operand that binds less than its place asks is put in parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Prec {
    /// `if`, `as`: in parentheses wherever it is an operand.
    Lowest,
    Or,
    And,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Sum,
    Product,
    Unary,
    Atom,
}

/// Tokens and how tightly they bind.
pub(crate) struct Code(Tokens, Prec);

impl Code {
    /// Tokens that need no parentheses anywhere.
    pub(crate) fn atom(tokens: Tokens) -> Code {
        Code(tokens, Prec::Atom)
    }

    /// As an expression of its own.
    pub(crate) fn tokens(self) -> Tokens {
        self.0
    }

    fn at_least(self, prec: Prec) -> Tokens {
        let Code(tokens, own) = self;
        if own >= prec { tokens } else { quote!((#tokens)) }
    }
}

/// `a op b` for an operator that associates to the left.
fn infix(prec: Prec, op: Tokens, a: Code, b: Code) -> Code {
    let above = match prec {
        Prec::Or => Prec::And,
        Prec::And => Prec::Compare,
        Prec::Compare => Prec::BitOr,
        Prec::BitOr => Prec::BitXor,
        Prec::BitXor => Prec::BitAnd,
        Prec::BitAnd => Prec::Sum,
        Prec::Sum => Prec::Product,
        _ => Prec::Unary,
    };
    // Comparisons don't associate in Rust.
    let a = a.at_least(if prec == Prec::Compare { above } else { prec });
    let b = b.at_least(above);
    Code(quote!(#a #op #b), prec)
}

fn method(name: Tokens, receiver: Code, args: Tokens) -> Code {
    let receiver = receiver.at_least(Prec::Atom);
    Code(quote!(#receiver.#name(#args)), Prec::Atom)
}

/// How sizes are computed: exactly in kernels, saturating in the host's steps, where the result is asked of the
/// allocator, which then refuses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Exact,
    Saturating,
}

/// Emits expressions of one program.
#[derive(Clone, Copy)]
pub(crate) struct Exprs<'a> {
    pub(crate) names: &'a Names<'a>,
    pub(crate) arithmetic: Arithmetic,
    /// Variables that differ from lane to lane: a scalar that depends on one is a vector, and so is every operand
    /// beside it. Empty outside of vector code.
    pub(crate) varying: &'a [VarId],
    /// Of these the ones that are arrays of four coordinates.
    pub(crate) picking: &'a [VarId],
    /// Are vectors of four?
    pub(crate) fours: bool,
    /// Inside of the loops whose variables it names?
    pub(crate) inside: bool,
}

impl<'a> Exprs<'a> {
    /// Expressions of one value each.
    pub(crate) fn new(names: &'a Names<'a>, arithmetic: Arithmetic) -> Self {
        Exprs { names, arithmetic, varying: &[], picking: &[], fours: false, inside: true }
    }

    /// An expression where nothing binds tighter.
    pub(crate) fn expr(self, e: &Expr) -> Tokens {
        self.code(e).0
    }

    /// The first value of a variable: with a suffix where a bare literal would leave its type open.
    pub(crate) fn initial(self, e: &Expr) -> Tokens {
        match e {
            Expr::Index(n) => sized(*n),
            e => self.expr(e),
        }
    }

    /// `lo..hi`
    pub(crate) fn range(self, lo: &Expr, hi: &Expr) -> Tokens {
        let end = match (lo, hi) {
            (Expr::Index(_), Expr::Index(n)) => sized(*n),
            _ => self.code(hi).at_least(Prec::Or),
        };
        let lo = self.code(lo).at_least(Prec::Or);
        quote!(#lo..#end)
    }

    /// The positions of a fiber inside another loop over positions.
    pub(super) fn fiber(self, lo: &Expr, hi: &Expr) -> Tokens {
        let (lo, hi) = (self.expr(lo), self.expr(hi));
        quote!(rt::fiber(#lo, #hi))
    }

    /// The positions of a fiber from a cursor on.
    pub(super) fn rest(self, cursor: &Expr, hi: &Expr) -> Tokens {
        let (cursor, hi) = (self.expr(cursor), self.expr(hi));
        quote!(rt::rest(#cursor, #hi))
    }

    /// `a * b + c`, fused where the hardware can; `None` for types that have no such operation. `c` is written then alone: sums
    /// are as deep as they are long, and none of their operands may be written twice.
    pub(crate) fn mul_add(self, t: DType, product: &Expr, c: impl FnOnce() -> Tokens) -> Option<Tokens> {
        match product {
            Expr::Binary(BinaryOp::Mul, a, b) if t.is_float() => {
                let (isa, a, b, c) = (&self.names.isa, self.expr(a), self.expr(b), c());
                Some(quote!(#isa.mul_add(#a, #b, #c)))
            }
            _ => None,
        }
    }

    /// A binary operator of which the left operand is given as an atom.
    pub(crate) fn binary_with(self, op: BinaryOp, t: DType, left: Tokens, right: &Expr) -> Tokens {
        if op == BinaryOp::Add
            && let Some(fused) = self.mul_add(t, right, || left.clone())
        {
            return fused;
        }
        let (op, right) = subtracted(op, right);
        binary(op, t, Code(left, Prec::Atom), self.code(right)).0
    }

    fn code(self, e: &Expr) -> Code {
        if !self.varying.is_empty() && self.is_scalar(e) {
            return self.lanes(e);
        }
        self.one(e)
    }

    /// A scalar in vector code.
    fn lanes(self, e: &Expr) -> Code {
        let isa = &self.names.isa;
        let indices = Exprs { varying: &[], ..self };
        match e {
            e if !self.varying.iter().any(|v| e.mentions(*v)) => {
                let same = indices.expr(e);
                let splat = if self.fours { quote!(four) } else { quote!(splat) };
                Code(quote!(#isa.#splat(#same)), Prec::Atom)
            }
            Expr::Load { index, .. } if self.picking.iter().any(|v| index.mentions(*v)) => {
                let (lane, element) = (&self.names.offset, indices.expr(e));
                Code(quote!(#isa.pick(|#lane| #element)), Prec::Atom)
            }
            Expr::Load { buffer, index } => {
                let (name, index) = (self.names.buffer(*buffer), indices.expr(index));
                let array = if self.names.is_register(*buffer) { quote!(&#name[..]) } else { quote!(#name) };
                let load = if self.fours { quote!(load_four) } else { quote!(load) };
                Code(quote!(#isa.#load(#array, #index)), Prec::Atom)
            }
            e => self.one(e),
        }
    }

    fn is_scalar(self, e: &Expr) -> bool {
        let ty = match e {
            Expr::Lit(_) | Expr::Binary(..) | Expr::Unary(..) | Expr::FromIndex(..) => return true,
            Expr::Var(v) => self.names.program.var(*v).ty,
            Expr::Load { buffer, .. } => self.names.program.buffer(*buffer).elem.ty(),
            Expr::Select(_, a, _) => return self.is_scalar(a),
            _ => Ty::Index,
        };
        matches!(ty, Ty::Scalar(_))
    }

    fn one(self, e: &Expr) -> Code {
        match e {
            Expr::Index(n) => Code(bare(*n), Prec::Atom),
            Expr::Lit(v) => literal(*v),
            Expr::Cond(c) => Code(quote!(#c), Prec::Atom),
            Expr::Fits(bytes) => {
                let (isa, bytes) = (&self.names.isa, bare(*bytes));
                Code(quote!(#isa.fits(#bytes)), Prec::Atom)
            }
            Expr::Workers(work) => {
                let work = Exprs { arithmetic: Arithmetic::Saturating, ..self }.initial(work);
                Code(quote!(rt::workers(#work)), Prec::Atom)
            }
            Expr::Var(v) if self.picking.contains(v) => {
                let (v, lane) = (self.names.var(*v), &self.names.offset);
                Code(quote!(#v[#lane]), Prec::Atom)
            }
            Expr::Var(v) => {
                let v = self.names.var(*v);
                Code(quote!(#v), Prec::Atom)
            }
            Expr::Load { buffer, index }
                if self.inside
                    && let Some(bound) = self.names.bound(*buffer, index) =>
            {
                Code(quote!(#bound), Prec::Atom)
            }
            Expr::Load { buffer, index } => {
                let (name, index) = (self.names.buffer(*buffer), self.expr(index));
                let is_index = self.names.program.buffer(*buffer).elem.ty() == Ty::Index;
                if self.names.is_register(*buffer) {
                    return match is_index {
                        true => Code(quote!(#name[#index] as u32 as usize), Prec::Lowest),
                        false => Code(quote!(#name[#index]), Prec::Atom),
                    };
                }
                let method = if is_index { quote!(index) } else { quote!(at) };
                Code(quote!(#name.#method(#index)), Prec::Atom)
            }
            Expr::Len(buffer) if self.names.is_bounded(*buffer) => {
                let len = self.names.len(*buffer);
                Code(quote!(#len), Prec::Atom)
            }
            Expr::Len(buffer) => {
                let name = self.names.buffer(*buffer);
                Code(quote!(#name.len()), Prec::Atom)
            }
            Expr::IndexOp(op, a, b) => self.index_op(*op, a, b),
            Expr::Cmp(op, a, b) => {
                let op = match op {
                    Cmp::Eq => quote!(==),
                    Cmp::Ne => quote!(!=),
                    Cmp::Lt => quote!(<),
                    Cmp::Le => quote!(<=),
                };
                infix(Prec::Compare, op, self.code(a), self.code(b))
            }
            Expr::And(a, b) => infix(Prec::And, quote!(&&), self.code(a), self.code(b)),
            Expr::Or(a, b) => infix(Prec::Or, quote!(||), self.code(a), self.code(b)),
            Expr::Not(a) => {
                let a = self.code(a).at_least(Prec::Unary);
                Code(quote!(!#a), Prec::Unary)
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b),
            Expr::Unary(op, a) => unary(*op, self.dtype(a), self.code(a)),
            Expr::FromIndex(t, a) => self.from_index(*t, a),
            Expr::Select(cond, a, b) if matches!((&**a, &**b), (Expr::Index(1), Expr::Index(0))) => {
                let cond = self.expr(cond);
                Code(quote!(usize::from(#cond)), Prec::Atom)
            }
            Expr::Select(cond, a, b) => {
                let (cond, a, b) = (self.expr(cond), self.expr(a), self.expr(b));
                Code(quote!(if #cond { #a } else { #b }), Prec::Lowest)
            }
            Expr::Search { bound, buffer, lo, hi, key } => {
                let search = match bound {
                    Bound::Lower => quote!(lower_bound),
                    Bound::Upper => quote!(upper_bound),
                    Bound::Gallop => quote!(gallop),
                };
                let (array, lo, hi, key) =
                    (self.names.slice(*buffer), self.expr(lo), self.expr(hi), self.expr(key));
                Code(quote!(rt::#search(#array, #lo, #hi, #key)), Prec::Atom)
            }
        }
    }

    fn index_op(self, op: IndexOp, a: &Expr, b: &Expr) -> Code {
        let saturating = self.arithmetic == Arithmetic::Saturating;
        // Each operand is written once: sums are as deep as they are long.
        let call = |name| {
            let (receiver, arg) = match (a, b) {
                // A method can't be called on a literal without a type.
                (Expr::Index(_), Expr::Index(_)) => (Code(self.initial(a), Prec::Atom), b),
                (Expr::Index(_), b) if !matches!(op, IndexOp::Sub) => (self.code(b), a),
                (Expr::Index(_), _) => (Code(self.initial(a), Prec::Atom), b),
                (a, b) => (self.code(a), b),
            };
            method(name, receiver, self.expr(arg))
        };
        match op {
            IndexOp::Add if saturating => call(quote!(saturating_add)),
            IndexOp::Sub if saturating => call(quote!(saturating_sub)),
            IndexOp::Mul if saturating => call(quote!(saturating_mul)),
            IndexOp::Min => call(quote!(min)),
            IndexOp::Max => call(quote!(max)),
            IndexOp::Count => method(quote!(min), self.sum(a, b), quote!(i32::MAX as usize)),
            IndexOp::Add => self.sum(a, b),
            IndexOp::Sub => infix(Prec::Sum, quote!(-), self.code(a), self.code(b)),
            IndexOp::Mul => infix(Prec::Product, quote!(*), self.code(a), self.code(b)),
            IndexOp::Div => infix(Prec::Product, quote!(/), self.code(a), self.code(b)),
            IndexOp::Rem => infix(Prec::Product, quote!(%), self.code(a), self.code(b)),
            // In parentheses: the precedences of sums and products alone are known here.
            IndexOp::Xor => {
                let (a, b) = (self.expr(a), self.expr(b));
                Code(quote!((#a ^ #b)), Prec::Atom)
            }
            IndexOp::And => {
                let (a, b) = (self.expr(a), self.expr(b));
                Code(quote!((#a & #b)), Prec::Atom)
            }
            IndexOp::Place | IndexOp::Below => unreachable!("tables and marks of this kind are a GPU's"),
        }
    }

    /// Sums of indices associate: no parentheses on either side.
    fn sum(self, a: &Expr, b: &Expr) -> Code {
        match b {
            Expr::IndexOp(IndexOp::Add, b, c) => infix(Prec::Sum, quote!(+), self.sum(a, b), self.code(c)),
            b => infix(Prec::Sum, quote!(+), self.code(a), self.code(b)),
        }
    }

    fn binary(self, op: BinaryOp, a: &Expr, b: &Expr) -> Code {
        let t = self.dtype(a);
        if op == BinaryOp::Add {
            // One of the two products is fused with the addition.
            let fused = self.mul_add(t, b, || self.expr(a)).or_else(|| self.mul_add(t, a, || self.expr(b)));
            if let Some(fused) = fused {
                return Code(fused, Prec::Atom);
            }
        }
        let (op, b) = subtracted(op, b);
        binary(op, t, self.code(a), self.code(b))
    }

    fn from_index(self, t: DType, a: &Expr) -> Code {
        if t == DType::Bool {
            return infix(Prec::Compare, quote!(!=), self.code(a), Code(quote!(0), Prec::Atom));
        }
        // A bare literal would be an i32, which is narrower than an index.
        let a = match a {
            Expr::Index(_) => self.initial(a),
            a => self.code(a).at_least(Prec::Unary),
        };
        let t = rust_type(t);
        Code(quote!(#a as #t), Prec::Lowest)
    }

    /// Element type of a scalar expression.
    pub(crate) fn dtype(self, e: &Expr) -> DType {
        let ty = match e {
            Expr::Lit(v) => return v.dtype(),
            Expr::Binary(_, a, _) | Expr::Unary(_, a) | Expr::Select(_, a, _) => return self.dtype(a),
            Expr::FromIndex(t, _) => return *t,
            Expr::Var(v) => self.names.program.var(*v).ty,
            Expr::Load { buffer, .. } => self.names.program.buffer(*buffer).elem.ty(),
            _ => Ty::Index,
        };
        match ty {
            Ty::Scalar(t) => t,
            // Never in a verified program: operators on scalars have scalar operands.
            Ty::Index | Ty::Cond | Ty::Segments => DType::I64,
        }
    }
}

/// An element type's name.
pub(crate) fn rust_type(t: DType) -> Tokens {
    match t {
        DType::F32 => quote!(f32),
        DType::F64 => quote!(f64),
        DType::I32 => quote!(i32),
        DType::I64 => quote!(i64),
        DType::U8 => quote!(u8),
        DType::Bool => quote!(bool),
    }
}

/// An index literal without a suffix.
pub(crate) fn bare(n: u64) -> Tokens {
    Tokens::spelled(n.to_string())
}

/// One that says what it is.
pub(super) fn sized(n: u64) -> Tokens {
    Tokens::spelled(format!("{n}_usize"))
}

/// A scalar literal as an operand anywhere.
pub(crate) fn value(v: Value) -> Tokens {
    literal(v).0
}

fn literal(v: Value) -> Code {
    let t = rust_type(v.dtype());
    let special = |name: Tokens, negative: bool| match negative {
        true => Code(quote!(-#t::#name), Prec::Unary),
        false => Code(quote!(#t::#name), Prec::Atom),
    };
    let signed = |magnitude: String, negative: bool| {
        let magnitude = Tokens::spelled(magnitude);
        match negative {
            true => Code(quote!(-#magnitude), Prec::Unary),
            false => Code(magnitude, Prec::Atom),
        }
    };
    match v {
        Value::F32(x) if x.is_nan() => special(quote!(NAN), x.is_sign_negative()),
        Value::F64(x) if x.is_nan() => special(quote!(NAN), x.is_sign_negative()),
        Value::F32(x) if x.is_infinite() => special(quote!(INFINITY), x < 0.0),
        Value::F64(x) if x.is_infinite() => special(quote!(INFINITY), x < 0.0),
        Value::F32(x) => signed(format!("{:?}_f32", x.abs()), x.is_sign_negative()),
        Value::F64(x) => signed(format!("{:?}_f64", x.abs()), x.is_sign_negative()),
        Value::I32(i32::MIN) | Value::I64(i64::MIN) => special(quote!(MIN), false),
        Value::I32(i32::MAX) | Value::I64(i64::MAX) | Value::U8(u8::MAX) => special(quote!(MAX), false),
        Value::I32(x) => signed(format!("{}_i32", x.unsigned_abs()), x < 0),
        Value::I64(x) => signed(format!("{}_i64", x.unsigned_abs()), x < 0),
        Value::U8(x) => signed(format!("{x}_u8"), false),
        Value::Bool(x) => Code(quote!(#x), Prec::Atom),
    }
}

/// A binary operator by the language's rules: integers wrap, comparisons are 0 or 1.
pub(crate) fn binary(op: BinaryOp, t: DType, a: Code, b: Code) -> Code {
    let integer = t.is_integer();
    let boolean = t == DType::Bool;
    let compare = |op: Tokens, a, b| {
        let test = infix(Prec::Compare, op, a, b);
        if boolean {
            return test;
        }
        let (t, test) = (rust_type(t), test.0);
        Code(quote!(#t::from(#test)), Prec::Atom)
    };
    match op {
        BinaryOp::Add if integer => method(quote!(wrapping_add), a, b.0),
        BinaryOp::Sub if integer => method(quote!(wrapping_sub), a, b.0),
        BinaryOp::Mul if integer => method(quote!(wrapping_mul), a, b.0),
        BinaryOp::Div if integer => method(quote!(div_or_zero), a, b.0),
        BinaryOp::Add => infix(Prec::Sum, quote!(+), a, b),
        BinaryOp::Sub => infix(Prec::Sum, quote!(-), a, b),
        BinaryOp::Mul => infix(Prec::Product, quote!(*), a, b),
        BinaryOp::Div => infix(Prec::Product, quote!(/), a, b),
        BinaryOp::Min if boolean => infix(Prec::BitAnd, quote!(&), a, b),
        BinaryOp::Max if boolean => infix(Prec::BitOr, quote!(|), a, b),
        BinaryOp::Min => method(quote!(min), a, b.0),
        BinaryOp::Max => method(quote!(max), a, b.0),
        BinaryOp::And => infix(Prec::BitAnd, quote!(&), a, b),
        BinaryOp::Or => infix(Prec::BitOr, quote!(|), a, b),
        BinaryOp::Xor => infix(Prec::BitXor, quote!(^), a, b),
        BinaryOp::Eq => compare(quote!(==), a, b),
        BinaryOp::Ne => compare(quote!(!=), a, b),
        BinaryOp::Lt => compare(quote!(<), a, b),
        BinaryOp::Le => compare(quote!(<=), a, b),
        BinaryOp::Gt => compare(quote!(>), a, b),
        BinaryOp::Ge => compare(quote!(>=), a, b),
    }
}

fn unary(op: UnaryOp, t: DType, a: Code) -> Code {
    let none = Tokens::new;
    let prefix = |op: Tokens, a: Code| {
        let a = a.at_least(Prec::Unary);
        Code(quote!(#op #a), Prec::Unary)
    };
    match op {
        UnaryOp::Neg if t.is_integer() => method(quote!(wrapping_neg), a, none()),
        UnaryOp::Neg => prefix(quote!(-), a),
        UnaryOp::Not => prefix(quote!(!), a),
        UnaryOp::Abs if t == DType::U8 => a,
        UnaryOp::Abs if t.is_integer() => method(quote!(wrapping_abs), a, none()),
        UnaryOp::Abs => method(quote!(abs), a, none()),
        UnaryOp::Sqrt => method(quote!(sqrt), a, none()),
        UnaryOp::Exp => method(quote!(exp), a, none()),
        UnaryOp::Ln => method(quote!(ln), a, none()),
        UnaryOp::Sin => method(quote!(sin), a, none()),
        UnaryOp::Cos => method(quote!(cos), a, none()),
        UnaryOp::Tanh => method(quote!(tanh), a, none()),
        UnaryOp::Floor => method(quote!(floor), a, none()),
        UnaryOp::Ceil => method(quote!(ceil), a, none()),
    }
}
