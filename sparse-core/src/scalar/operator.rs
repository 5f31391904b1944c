//! Operators: what they compute, and the algebra that sparsity is derived from.

use super::{DType, Value};

/// A binary operator of the language. Comparisons give 0 or 1 in the operands' type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// `a == b`
    Eq,
    /// `a != b`
    Ne,
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
}

impl BinaryOp {
    /// Every binary operator.
    pub const ALL: [BinaryOp; 15] = {
        use BinaryOp::*;
        [Add, Sub, Mul, Div, Min, Max, And, Or, Xor, Eq, Ne, Lt, Le, Gt, Ge]
    };

    /// Is the operator defined on this element type? Arithmetic is for numbers, bit operators for integers and
    /// bool, `min`, `max` and comparisons for all.
    pub fn accepts(self, t: DType) -> bool {
        use BinaryOp::*;
        match self {
            Add | Sub | Mul | Div => t != DType::Bool,
            And | Or | Xor => !t.is_float(),
            Min | Max | Eq | Ne | Lt | Le | Gt | Ge => true,
        }
    }

    /// Is it one of the six comparisons?
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }

    /// `a ∘ b = b ∘ a`
    pub fn is_commutative(self) -> bool {
        use BinaryOp::*;
        !matches!(self, Sub | Div | Lt | Le | Gt | Ge)
    }

    /// `(a ∘ b) ∘ c = a ∘ (b ∘ c)`, up to rounding.
    pub fn is_associative(self) -> bool {
        use BinaryOp::*;
        matches!(self, Add | Mul | Min | Max | And | Or | Xor)
    }

    /// The operator whose arguments may change places, if it is one: a difference is a sum with a term that is subtracted.
    pub fn joining(self) -> Option<BinaryOp> {
        match self {
            BinaryOp::Sub => Some(BinaryOp::Add),
            op => (op.is_associative() && op.is_commutative()).then_some(op),
        }
    }

    /// The arguments that a [joining](BinaryOp::joining) operator has in an expression, left to right, and whether each is subtracted.
    /// `binary` says which operator an expression is of, and its operands.
    pub fn arguments<'e, E>(
        self,
        e: &'e E,
        binary: &impl Fn(&'e E) -> Option<(BinaryOp, &'e E, &'e E)>,
    ) -> Vec<(bool, &'e E)> {
        let (a, b, subtracts) = match binary(e) {
            Some((op, a, b)) if op == self => (a, b, false),
            Some((BinaryOp::Sub, a, b)) if self == BinaryOp::Add => (a, b, true),
            _ => return vec![(false, e)],
        };
        let mut arguments = self.arguments(a, binary);
        let others = self.arguments(b, binary).into_iter();
        arguments.extend(others.map(|(negative, e)| (negative != subtracts, e)));
        arguments
    }

    /// `a ∘ a = a`
    pub fn is_idempotent(self) -> bool {
        use BinaryOp::*;
        matches!(self, Min | Max | And | Or)
    }

    /// `e` with `e ∘ b = b` for every b.
    pub fn left_identity(self, t: DType) -> Option<Value> {
        use BinaryOp::*;
        match self {
            Add => Some(t.zero()),
            Mul => Some(t.one()),
            Min => Some(t.pos_inf()),
            Max => Some(t.neg_inf()),
            And => t.all_ones(),
            Or | Xor => (!t.is_float()).then(|| t.zero()),
            _ => None,
        }
    }

    /// `e` with `a ∘ e = a` for every a.
    pub fn right_identity(self, t: DType) -> Option<Value> {
        match self {
            BinaryOp::Sub => Some(t.zero()),
            BinaryOp::Div => Some(t.one()),
            _ => self.left_identity(t),
        }
    }

    /// Values `z` with `z ∘ b = z` for every b: a structural zero annihilates even infinities and NaN. (Sums have
    /// none that goes by its value alone: see [`BinaryOp::of_infinite_left`].)
    pub fn left_annihilators(self, t: DType) -> Vec<Value> {
        use BinaryOp::*;
        match self {
            Mul | Div => vec![t.zero()],
            Min => vec![t.neg_inf()],
            Max => vec![t.pos_inf()],
            And => vec![t.zero()],
            Or => t.all_ones().into_iter().collect(),
            _ => vec![],
        }
    }

    /// Values `z` with `a ∘ z = z` for every a.
    pub fn right_annihilators(self, t: DType) -> Vec<Value> {
        if self.is_commutative() { self.left_annihilators(t) } else { vec![] }
    }

    /// `∞ ∘ b`, whatever b is, for a fill or literal ∞ of either sign: `+` and `-` keep it. Integers have infinities
    /// too, their largest and smallest values ([`DType::is_infinity`]), but only as fills: what arithmetic makes of
    /// them wraps.
    pub fn of_infinite_left(self, infinity: Value) -> Option<Value> {
        matches!(self, BinaryOp::Add | BinaryOp::Sub).then_some(infinity)
    }

    /// `a ∘ ∞`, whatever a is, for a fill or literal ∞ of either sign: `a + ∞` is ∞, `a - ∞` is −∞.
    pub fn of_infinite_right(self, infinity: Value) -> Option<Value> {
        match self {
            BinaryOp::Add => Some(infinity),
            BinaryOp::Sub => Some(infinity.dtype().opposite_infinity(infinity)),
            _ => None,
        }
    }

    /// The result; both operands must have the same type, one that [`BinaryOp::accepts`].
    pub fn apply(self, a: Value, b: Value) -> Option<Value> {
        macro_rules! int {
            ($tag:ident, $a:ident, $b:ident) => {{
                let (a, b) = ($a, $b);
                let truth = |c: bool| Value::$tag(c as _);
                match self {
                    BinaryOp::Add => Value::$tag(a.wrapping_add(b)),
                    BinaryOp::Sub => Value::$tag(a.wrapping_sub(b)),
                    BinaryOp::Mul => Value::$tag(a.wrapping_mul(b)),
                    BinaryOp::Div => Value::$tag(if b == 0 { 0 } else { a.wrapping_div(b) }),
                    BinaryOp::Min => Value::$tag(a.min(b)),
                    BinaryOp::Max => Value::$tag(a.max(b)),
                    BinaryOp::And => Value::$tag(a & b),
                    BinaryOp::Or => Value::$tag(a | b),
                    BinaryOp::Xor => Value::$tag(a ^ b),
                    BinaryOp::Eq => truth(a == b),
                    BinaryOp::Ne => truth(a != b),
                    BinaryOp::Lt => truth(a < b),
                    BinaryOp::Le => truth(a <= b),
                    BinaryOp::Gt => truth(a > b),
                    BinaryOp::Ge => truth(a >= b),
                }
            }};
        }
        macro_rules! float {
            ($tag:ident, $a:ident, $b:ident) => {{
                let (a, b) = ($a, $b);
                let truth = |c: bool| Value::$tag(if c { 1.0 } else { 0.0 });
                match self {
                    BinaryOp::Add => Value::$tag(a + b),
                    BinaryOp::Sub => Value::$tag(a - b),
                    BinaryOp::Mul => Value::$tag(a * b),
                    BinaryOp::Div => Value::$tag(a / b),
                    BinaryOp::Min => Value::$tag(a.min(b)),
                    BinaryOp::Max => Value::$tag(a.max(b)),
                    BinaryOp::Eq => truth(a == b),
                    BinaryOp::Ne => truth(a != b),
                    BinaryOp::Lt => truth(a < b),
                    BinaryOp::Le => truth(a <= b),
                    BinaryOp::Gt => truth(a > b),
                    BinaryOp::Ge => truth(a >= b),
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => return None,
                }
            }};
        }
        Some(match (a, b) {
            (Value::F32(a), Value::F32(b)) => float!(F32, a, b),
            (Value::F64(a), Value::F64(b)) => float!(F64, a, b),
            (Value::I32(a), Value::I32(b)) => int!(I32, a, b),
            (Value::I64(a), Value::I64(b)) => int!(I64, a, b),
            (Value::U8(a), Value::U8(b)) => int!(U8, a, b),
            (Value::Bool(a), Value::Bool(b)) => Value::Bool(match self {
                BinaryOp::And | BinaryOp::Min => a & b,
                BinaryOp::Or | BinaryOp::Max => a | b,
                BinaryOp::Xor | BinaryOp::Ne => a ^ b,
                BinaryOp::Eq => a == b,
                BinaryOp::Lt => !a & b,
                BinaryOp::Le => !a | b,
                BinaryOp::Gt => a & !b,
                BinaryOp::Ge => a | !b,
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => return None,
            }),
            _ => return None,
        })
    }

    /// As written in index notation: an infix token, or the name of a function of two arguments.
    pub fn symbol(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Add => "+",
            Sub => "-",
            Mul => "*",
            Div => "/",
            Min => "min",
            Max => "max",
            And => "&",
            Or => "|",
            Xor => "^",
            Eq => "==",
            Ne => "!=",
            Lt => "<",
            Le => "<=",
            Gt => ">",
            Ge => ">=",
        }
    }
}

/// A unary operator or function of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnaryOp {
    /// `-a`
    Neg,
    /// `!a`: bitwise on integers, logical on bool.
    Not,
    /// Absolute value.
    Abs,
    /// Square root (floats).
    Sqrt,
    /// eᵃ (floats).
    Exp,
    /// Natural logarithm (floats).
    Ln,
    /// Sine (floats).
    Sin,
    /// Cosine (floats).
    Cos,
    /// Hyperbolic tangent (floats).
    Tanh,
    /// Largest integer not above (floats).
    Floor,
    /// Smallest integer not below (floats).
    Ceil,
}

impl UnaryOp {
    /// Every unary operator.
    pub const ALL: [UnaryOp; 11] = {
        use UnaryOp::*;
        [Neg, Not, Abs, Sqrt, Exp, Ln, Sin, Cos, Tanh, Floor, Ceil]
    };

    /// Is the operator defined on this element type?
    pub fn accepts(self, t: DType) -> bool {
        match self {
            UnaryOp::Neg => matches!(t, DType::F32 | DType::F64 | DType::I32 | DType::I64),
            UnaryOp::Not => !t.is_float(),
            UnaryOp::Abs => t != DType::Bool,
            _ => t.is_float(),
        }
    }

    /// As written in index notation: a prefix token or a function's name (also the name of Rust's method).
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::Not => "!",
            UnaryOp::Abs => "abs",
            UnaryOp::Sqrt => "sqrt",
            UnaryOp::Exp => "exp",
            UnaryOp::Ln => "ln",
            UnaryOp::Sin => "sin",
            UnaryOp::Cos => "cos",
            UnaryOp::Tanh => "tanh",
            UnaryOp::Floor => "floor",
            UnaryOp::Ceil => "ceil",
        }
    }

    /// The result, for a type that [`UnaryOp::accepts`].
    pub fn apply(self, a: Value) -> Option<Value> {
        macro_rules! float {
            ($tag:ident, $a:ident) => {
                Value::$tag(match self {
                    UnaryOp::Neg => -$a,
                    UnaryOp::Not => return None,
                    UnaryOp::Abs => $a.abs(),
                    UnaryOp::Sqrt => $a.sqrt(),
                    UnaryOp::Exp => $a.exp(),
                    UnaryOp::Ln => $a.ln(),
                    UnaryOp::Sin => $a.sin(),
                    UnaryOp::Cos => $a.cos(),
                    UnaryOp::Tanh => $a.tanh(),
                    UnaryOp::Floor => $a.floor(),
                    UnaryOp::Ceil => $a.ceil(),
                })
            };
        }
        Some(match (self, a) {
            (_, Value::F32(a)) => float!(F32, a),
            (_, Value::F64(a)) => float!(F64, a),
            (UnaryOp::Neg, Value::I32(a)) => Value::I32(a.wrapping_neg()),
            (UnaryOp::Neg, Value::I64(a)) => Value::I64(a.wrapping_neg()),
            (UnaryOp::Abs, Value::I32(a)) => Value::I32(a.wrapping_abs()),
            (UnaryOp::Abs, Value::I64(a)) => Value::I64(a.wrapping_abs()),
            (UnaryOp::Abs, Value::U8(a)) => Value::U8(a),
            (UnaryOp::Not, Value::I32(a)) => Value::I32(!a),
            (UnaryOp::Not, Value::I64(a)) => Value::I64(!a),
            (UnaryOp::Not, Value::U8(a)) => Value::U8(!a),
            (UnaryOp::Not, Value::Bool(a)) => Value::Bool(!a),
            _ => return None,
        })
    }
}
