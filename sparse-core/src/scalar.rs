//! Scalar types, typed literals, operators and reduction monoids.
//!
//! Everything the compiler knows about arithmetic is here: which element types exist, what an operator computes,
//! and its algebra (identity, annihilator, commutativity, idempotence). The optimiser folds constants, the LLIR
//! interpreter executes, and the dense oracle checks with the same [`BinaryOp::apply`] and [`UnaryOp::apply`].
//!
//! Integer arithmetic wraps; an integer division by zero gives zero. `min` and `max` follow IEEE 754 minNum and
//! maxNum: a NaN operand loses. On `bool`, `+` in a sum of duplicates is `|`.

use std::fmt;

/// Element type of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// Two's-complement 32-bit integer.
    I32,
    /// Two's-complement 64-bit integer.
    I64,
    /// Unsigned byte.
    U8,
    /// Truth value.
    Bool,
}

impl DType {
    /// Every element type.
    pub const ALL: [DType; 6] = [DType::F32, DType::F64, DType::I32, DType::I64, DType::U8, DType::Bool];

    /// The type's name in Rust.
    pub fn rust_name(self) -> &'static str {
        match self {
            DType::F32 => "f32",
            DType::F64 => "f64",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::U8 => "u8",
            DType::Bool => "bool",
        }
    }

    /// The element type with this Rust name.
    pub fn from_rust_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|d| d.rust_name() == name)
    }

    /// Is it a floating-point type?
    pub fn is_float(self) -> bool {
        matches!(self, DType::F32 | DType::F64)
    }

    /// Is it an integer type?
    pub fn is_integer(self) -> bool {
        matches!(self, DType::I32 | DType::I64 | DType::U8)
    }

    /// Additive identity (`false` for bool).
    pub fn zero(self) -> Value {
        self.from_i64(0)
    }

    /// Multiplicative identity (`true` for bool).
    pub fn one(self) -> Value {
        self.from_i64(1)
    }

    /// Largest value: +∞ for floats, `MAX` for integers, `true` for bool. The identity of `min`.
    pub fn pos_inf(self) -> Value {
        match self {
            DType::F32 => Value::F32(f32::INFINITY),
            DType::F64 => Value::F64(f64::INFINITY),
            DType::I32 => Value::I32(i32::MAX),
            DType::I64 => Value::I64(i64::MAX),
            DType::U8 => Value::U8(u8::MAX),
            DType::Bool => Value::Bool(true),
        }
    }

    /// Smallest value: −∞ for floats, `MIN` for integers, `false` for bool. The identity of `max`.
    pub fn neg_inf(self) -> Value {
        match self {
            DType::F32 => Value::F32(f32::NEG_INFINITY),
            DType::F64 => Value::F64(f64::NEG_INFINITY),
            DType::I32 => Value::I32(i32::MIN),
            DType::I64 => Value::I64(i64::MIN),
            DType::U8 => Value::U8(u8::MIN),
            DType::Bool => Value::Bool(false),
        }
    }

    /// All bits set: the identity of `&`. `None` for floats.
    pub fn all_ones(self) -> Option<Value> {
        Some(match self {
            DType::F32 | DType::F64 => return None,
            DType::I32 => Value::I32(-1),
            DType::I64 => Value::I64(-1),
            DType::U8 => Value::U8(u8::MAX),
            DType::Bool => Value::Bool(true),
        })
    }

    /// A small integer in this type (wrapping; non-zero is `true`).
    pub fn from_i64(self, v: i64) -> Value {
        match self {
            DType::F32 => Value::F32(v as f32),
            DType::F64 => Value::F64(v as f64),
            DType::I32 => Value::I32(v as i32),
            DType::I64 => Value::I64(v),
            DType::U8 => Value::U8(v as u8),
            DType::Bool => Value::Bool(v != 0),
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rust_name())
    }
}

/// A typed scalar. `Eq` and `Hash` go by bits, except that −0 equals +0, so that literals can be deduplicated.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// An `f32`.
    F32(f32),
    /// An `f64`.
    F64(f64),
    /// An `i32`.
    I32(i32),
    /// An `i64`.
    I64(i64),
    /// A `u8`.
    U8(u8),
    /// A `bool`.
    Bool(bool),
}

impl Value {
    /// The type of this value.
    pub fn dtype(self) -> DType {
        match self {
            Value::F32(_) => DType::F32,
            Value::F64(_) => DType::F64,
            Value::I32(_) => DType::I32,
            Value::I64(_) => DType::I64,
            Value::U8(_) => DType::U8,
            Value::Bool(_) => DType::Bool,
        }
    }

    fn key(self) -> (DType, u64) {
        let bits = match self {
            Value::F32(v) => (if v == 0.0 { 0.0 } else { v }).to_bits() as u64,
            Value::F64(v) => (if v == 0.0 { 0.0 } else { v }).to_bits(),
            Value::I32(v) => v as u32 as u64,
            Value::I64(v) => v as u64,
            Value::U8(v) => v as u64,
            Value::Bool(v) => v as u64,
        };
        (self.dtype(), bits)
    }

    /// The nearest `f64`, for tolerances and printing.
    pub fn to_f64(self) -> f64 {
        match self {
            Value::F32(v) => v as f64,
            Value::F64(v) => v,
            Value::I32(v) => v as f64,
            Value::I64(v) => v as f64,
            Value::U8(v) => v as f64,
            Value::Bool(v) => v as u8 as f64,
        }
    }

    /// Is it the additive identity of its type?
    pub fn is_zero(self) -> bool {
        self == self.dtype().zero()
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for Value {}
impl std::hash::Hash for Value {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::F32(v) => write!(f, "{v:?}"),
            Value::F64(v) => write!(f, "{v:?}"),
            Value::I32(v) => write!(f, "{v}"),
            Value::I64(v) => write!(f, "{v}"),
            Value::U8(v) => write!(f, "{v}"),
            Value::Bool(v) => write!(f, "{v}"),
        }
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that a tensor can hold. Sealed: the compiler has to know every one of them.
pub trait Element: sealed::Sealed + Copy + Default + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The type's tag in the compiler.
    const DTYPE: DType;
    /// As a tagged value.
    fn to_value(self) -> Value;
    /// From a tagged value of the same type; `None` for another type.
    fn from_value(v: Value) -> Option<Self>;
    /// Sum of duplicates: wrapping on integers, `|` on bool.
    fn sum(self, other: Self) -> Self;
    /// Conversion from `f64`, for readers and random data: saturating on integers, `v != 0` on bool.
    fn from_f64(v: f64) -> Self;
}

macro_rules! element {
    ($t:ident, $tag:ident, |$a:ident, $b:ident| $sum:expr, |$v:ident| $from:expr) => {
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const DTYPE: DType = DType::$tag;
            fn to_value(self) -> Value {
                Value::$tag(self)
            }
            fn from_value(v: Value) -> Option<Self> {
                if let Value::$tag(v) = v { Some(v) } else { None }
            }
            fn sum(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $sum
            }
            fn from_f64($v: f64) -> Self {
                $from
            }
        }
    };
}
element!(f32, F32, |a, b| a + b, |v| v as f32);
element!(f64, F64, |a, b| a + b, |v| v);
element!(i32, I32, |a, b| a.wrapping_add(b), |v| v as i32);
element!(i64, I64, |a, b| a.wrapping_add(b), |v| v as i64);
element!(u8, U8, |a, b| a.wrapping_add(b), |v| v as u8);
element!(bool, Bool, |a, b| a | b, |v| v != 0.0);

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

    /// Values `z` with `z ∘ b = z` for every b: a structural zero annihilates even infinities and NaN, and an
    /// infinite fill annihilates a sum.
    pub fn left_annihilators(self, t: DType) -> Vec<Value> {
        use BinaryOp::*;
        match self {
            Add | Sub if t.is_float() => vec![t.pos_inf(), t.neg_inf()],
            Mul | Div => vec![t.zero()],
            Min => vec![t.neg_inf()],
            Max => vec![t.pos_inf()],
            And => vec![t.zero()],
            Or => t.all_ones().into_iter().collect(),
            _ => vec![],
        }
    }

    /// Values `z` with `a ∘ z = z` for every a. (`a - ∞` is −∞, not the operand, so `Sub` has none.)
    pub fn right_annihilators(self, t: DType) -> Vec<Value> {
        if self.is_commutative() { self.left_annihilators(t) } else { vec![] }
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

/// A commutative monoid that a statement reduces with: `+= *= min= max= &= |=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Monoid {
    /// Sum.
    Add,
    /// Product.
    Mul,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Bitwise or logical and.
    And,
    /// Bitwise or logical or.
    Or,
}

impl Monoid {
    /// Every monoid.
    pub const ALL: [Monoid; 6] =
        [Monoid::Add, Monoid::Mul, Monoid::Min, Monoid::Max, Monoid::And, Monoid::Or];

    /// The operator that combines two values.
    pub fn op(self) -> BinaryOp {
        match self {
            Monoid::Add => BinaryOp::Add,
            Monoid::Mul => BinaryOp::Mul,
            Monoid::Min => BinaryOp::Min,
            Monoid::Max => BinaryOp::Max,
            Monoid::And => BinaryOp::And,
            Monoid::Or => BinaryOp::Or,
        }
    }

    /// Is it defined on this element type?
    pub fn accepts(self, t: DType) -> bool {
        self.op().accepts(t)
    }

    /// The neutral element; `None` where the monoid does not exist on the type.
    pub fn identity(self, t: DType) -> Option<Value> {
        if self.accepts(t) { self.op().left_identity(t) } else { None }
    }

    /// As written in an assignment, without the `=`.
    pub fn symbol(self) -> &'static str {
        self.op().symbol()
    }
}
