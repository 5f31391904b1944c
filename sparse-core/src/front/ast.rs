//! The resolved index notation of one kernel: what parsing and checking leave, and what concretization reads.

use super::command::Schedule;
use crate::format::{FormatSpec, TensorId};
use crate::scalar::{BinaryOp, DType, Monoid, UnaryOp, Value};
use proc_macro2::{Ident, Span};

pub use super::print::{command, print, statement};

/// An index variable, by its number in [`Kernel::vars`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IndexVar(pub u32);

impl IndexVar {
    /// As an index into a table of variables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One `tensor_kernel!`.
#[derive(Clone)]
pub struct Kernel {
    /// Doc comments and attributes, kept on the emitted function.
    pub attrs: Vec<syn::Attribute>,
    /// Visibility of the function and its module.
    pub vis: syn::Visibility,
    /// The function's name.
    pub name: Ident,
    /// Parameters in the user's order.
    pub params: Vec<Param>,
    /// Tensors: the tensor parameters in order, then a returned result, if there is one.
    pub tensors: Vec<Tensor>,
    /// Scalar parameters in order.
    pub scalars: Vec<Scalar>,
    /// Index variables in order of first use, the left-hand side's first.
    pub vars: Vec<Var>,
    /// The statement.
    pub assignment: Assignment,
    /// The statement as the user wrote it, on one line.
    pub source: String,
    /// The one element type of every tensor and scalar of the kernel.
    pub dtype: DType,
    /// How it runs on the CPU.
    pub cpu: Schedule,
    /// How it runs on a GPU, and on the simulator.
    pub cuda: Schedule,
}

impl std::fmt::Debug for Kernel {
    /// Its name and statement.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.name, self.source)
    }
}

/// A parameter of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    /// A tensor, by number in [`Kernel::tensors`].
    Tensor(TensorId),
    /// A scalar, by number in [`Kernel::scalars`].
    Scalar(usize),
}

/// How a tensor enters the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A parameter that is read.
    Input,
    /// A `&mut` parameter, written in place.
    InOut,
    /// The returned tensor.
    Result,
}

/// A declared tensor.
#[derive(Clone)]
pub struct Tensor {
    /// The user's name.
    pub name: Ident,
    /// The user's type, without `&mut`: `Csr<f32>`.
    pub ty: syn::Type,
    /// The structure that the type stands for; of a result that is packed, the one in which it is assembled.
    pub spec: FormatSpec,
    /// Of a result that is assembled in another format than its type's: that of its type.
    pub packed: Option<FormatSpec>,
    /// Its element type.
    pub dtype: DType,
    /// How it enters.
    pub mode: Mode,
}

/// A declared scalar parameter.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// The user's name.
    pub name: Ident,
    /// Its type.
    pub dtype: DType,
}

/// An index variable.
#[derive(Clone, Debug)]
pub struct Var {
    /// The user's name.
    pub name: String,
    /// Its first use.
    pub span: Span,
}

/// `A[i, j]`; a rank-0 tensor has no indices.
#[derive(Clone, Debug)]
pub struct Access {
    /// The tensor.
    pub tensor: TensorId,
    /// One index variable a dimension.
    pub indices: Vec<IndexVar>,
    /// The tensor's name in the statement.
    pub span: Span,
}

/// How the right-hand side enters the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignOp {
    /// `=`: overwrite; summation by the einsum rule.
    Assign,
    /// `+= *= min= max= &= |=`; `+=` sums by the einsum rule, the others reduce the whole right-hand side.
    Reduce(Monoid),
}

/// The statement of a kernel.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// Written element.
    pub lhs: Access,
    /// How it is written.
    pub op: AssignOp,
    /// Value, without explicit sums: the einsum rule is applied by concretization.
    pub rhs: Expr,
}

/// An expression of index notation.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A tensor's element.
    Access(Access),
    /// A literal, in the kernel's element type.
    Literal(Value),
    /// A scalar parameter.
    Scalar(usize),
    /// A unary operator or function.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator or function.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// Its operator and operands, if it has two of these.
    pub fn binary(&self) -> Option<(BinaryOp, &Expr, &Expr)> {
        match self {
            Expr::Binary(op, a, b) => Some((*op, a, b)),
            _ => None,
        }
    }

    /// Is it a sum of terms, whose variables are summed over term by term?
    pub fn is_additive(&self) -> bool {
        match self {
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => true,
            Expr::Unary(UnaryOp::Neg, a) => a.is_additive(),
            _ => false,
        }
    }

    /// What it reads, left to right.
    pub fn accesses(&self) -> Vec<&Access> {
        let mut found = Vec::new();
        self.for_each_access(&mut |a| found.push(a));
        found
    }

    /// Calls `f` on every access, left to right.
    pub fn for_each_access<'a>(&'a self, f: &mut impl FnMut(&'a Access)) {
        self.visit(&mut |e| {
            if let Expr::Access(a) = e {
                f(a);
            }
        });
    }

    /// Calls `f` on the expression and on all that it consists of, left to right.
    pub fn visit<'a>(&'a self, f: &mut impl FnMut(&'a Expr)) {
        f(self);
        match self {
            Expr::Access(_) | Expr::Literal(_) | Expr::Scalar(_) => {}
            Expr::Unary(_, a) => a.visit(f),
            Expr::Binary(_, a, b) => {
                a.visit(f);
                b.visit(f);
            }
        }
    }

    /// Is it, or anything that it consists of, such an expression?
    pub fn any(&self, is: impl Fn(&Expr) -> bool) -> bool {
        let mut any = false;
        self.visit(&mut |e| any |= is(e));
        any
    }
}
