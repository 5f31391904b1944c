//! Statements that have names, or the shapes that schedules and points are written for: sums of products, as text.

use super::expression::{Shape, constant, finish};
use crate::case::access;
use crate::rng::Rng;
use sparse_core::front::ast::{AssignOp, Expr};
use sparse_core::scalar::{BinaryOp, DType, Monoid};

/// Kernels with names: the left-hand side, and a sum of products. `#` is a scalar or a literal.
const NAMED: &[(&str, &str)] = &[
    ("i", "ij*j"),
    ("i", "ij*j"),
    ("j", "ij*i"),
    ("ik", "ij*jk"),
    ("ik", "ij*jk"),
    ("ij", "ij*ik*kj"),
    ("ij", "ij*ik*jk"),
    ("ij", "ijk*k"),
    ("ijl", "ijk*kl"),
    ("il", "ijk*jl*kl"),
    ("ijkl", "ij*kl"),
    ("i", "i*i"),
    ("i", "i+i"),
    ("i", "i+i+i"),
    ("ij", "ij+ij"),
    ("ij", "ij+ij+ij"),
    ("ij", "ij*ij"),
    ("ij", "ij*ij+ij"),
    ("ijk", "ijk+ijk"),
    ("ijk", "ijk*ijk"),
    ("i", "i+ij*j"),
    ("i", "#*i+#*ij*j"),
    ("", "ij*ij"),
    ("", "i*i"),
    ("", "i*ij*j"),
    ("i", "ii*i"),
    ("i", "ii"),
    ("ij", "ij+ji"),
    ("ij", "i*j"),
    ("ij", "i*ij*j"),
    ("ij", "#*ij"),
    ("ji", "ij"),
    ("i", "ij"),
    ("", "ijk*i*j*k"),
    ("ij", "ijkl*k*l"),
    ("ij", "ik*kj+ij"),
    ("ij", "ij+i+j"),
    ("ijklm", "ijklm*jk"),
    ("i", "ijklmn*j"),
    ("ijklmn", "ijk*lmn"),
    ("ijklmn", "ijklmn*jm"),
    ("ijklmn", "ijklmn+ijklmn"),
    ("jimlkn", "ijklmn"),
    ("ij", "i"),
    ("ij", "j"),
    ("ik", "ij*j"),
    ("ijk", "ik*j"),
    ("ij", "#*j+#"),
    ("ik", "ij*jl*lk"),
    ("ik", "IJ*jl*lk"),
    ("ik", "IJ*JL*lk"),
    ("il", "IJ*jkm*kml"),
    ("il", "IJ*mkl*jkm"),
    ("il", "mkl*IJ*jkm"),
    ("im", "ij*jk*kl*lm"),
    ("im", "IJ*jk*kl*lm"),
    ("k", "ik*ij*j"),
    ("k", "IK*'IJ*j"),
    ("i", "IJ*'KJ*k"),
    ("i", "ij*ik"),
    ("i", "IJ*JK*KL*l"),
    ("i", "IJ*JK*KL*l"),
    ("i", "IJ*JK*KL*l"),
    ("i", "IJ*JK*KL*l"),
    ("i", "IJ*JK*KL*LM*m"),
    ("im", "IJ*JK*KL*lm"),
    ("im", "IJ*JK*KL*lm"),
    ("", "i*IJ*JK*k"),
    ("il", "ij*ik*jk*jl"),
    ("il", "IJ*ik*jk*jl"),
    ("ik", "ik+ij*jl*lk"),
    ("ik", "ik+IJ*jl*lk"),
    ("ik", "IJkl*jl"),
    ("ik", "IJkl*jl"),
    ("ik", "IJlk*jl"),
    ("ik", "ik+IJkl*jl"),
    ("ikm", "IJkl*jlm"),
];

/// Kernels that schedules are written for; operands in capitals are sparse, and those that begin so have dense blocks.
const SCHEDULED: &[(u32, (&str, &str))] = &[
    (14, ("i", "IJ*j")),
    (14, ("ik", "IJ*jk")),
    (12, ("ij", "IJ*ik*jk")),
    (10, ("il", "IJK*jl*kl")),
    (9, ("ij", "IJK*k")),
    (9, ("ijl", "IJK*kl")),
    (3, ("i", "ij*j")),
    (3, ("ik", "ij*jk")),
    (5, ("ij", "IJ+IJ")),
    (5, ("ij", "IJ*IJ")),
    (2, ("ij", "IJ*IJ+IJ")),
    (3, ("i", "IJ*J")),
    (3, ("i", "I*I")),
    (3, ("i", "I+I")),
    (4, ("i", "i+IJ*j")),
    (3, ("i", "#*i+#*IJ*j")),
    (2, ("ij", "IJ+ij")),
    (2, ("", "IJ*ij")),
    (3, ("", "IJ")),
    (2, ("", "IJK*i*j*k")),
    (2, ("i", "IJK")),
    (2, ("ij", "IJ*i*j")),
    (2, ("ijkl", "IJ*kl")),
    (2, ("ij", "IJKL*k*l")),
    (3, ("ij", "#*IJ*ik*jk")),
    (3, ("im", "IJKL*jm*km*lm")),
    (2, ("ij", "IJ+IJ+ij+IJ")),
    (3, ("ik", "IJ*j")),
    (2, ("ki", "IJ*j")),
    (2, ("ij", "I+I")),
    (2, ("ijk", "IJ*i")),
    (3, ("ik", "IJkl*jl")),
    (3, ("ikm", "IJkl*jlm")),
    (2, ("ik", "IJk*j")),
    (2, ("ijkl", "IJkl*ikm*jlm")),
    (2, ("ijkl", "IJkl+IJkl")),
    (2, ("il", "IJk*jl*kl")),
    (2, ("ikl", "IJ*jkl")),
    (2, ("ilm", "IJK*jl*km")),
    (2, ("ik", "#*IJ*jk+#*ik")),
    (2, ("i", "IJ*j+JI*j")),
    (2, ("il", "IJ*JK*kl")),
    (2, ("", "IJ*'JK*'IK")),
    (2, ("", "i*IJ*j")),
    (1, ("ij", "IJ+IJ+IJ+IJ")),
    (2, ("im", "IJ*jk*kl*lm")),
    (2, ("ij", "IJ*ik*kl*lj")),
    (2, ("il", "IJ*JK*kl*l")),
    (1, ("in", "IJ*jk*kl*lm*mn")),
    (1, ("im", "IJK*jl*kl*lm")),
];

/// A kernel that schedules are written for.
pub(super) fn scheduled(rng: &mut Rng, dtype: DType) -> Shape {
    let shape = rng.weighted(SCHEDULED);
    of_products(rng, dtype, shape)
}

/// One sparse operand and dense ones, seldom several sparse ones: the kernels that points of atomic parallelism are for.
/// Small letters after capitals are dense levels below sparse ones.
const SPARSE_DENSE: &[(u32, (&str, &str, &str))] = &[
    (20, ("SpMV", "i", "IJ*j")),
    (34, ("SpMM", "ik", "IJ*jk")),
    (20, ("SDDMM", "ij", "IJ*ik*jk")),
    (18, ("MTTKRP of order 3", "il", "IJK*jl*kl")),
    (10, ("MTTKRP of order 4", "im", "IJKL*jm*km*lm")),
    (14, ("TTV", "ij", "IJK*k")),
    (14, ("TTM", "ijl", "IJK*kl")),
    (6, ("a scalar", "", "IJ*ij")),
    (4, ("a scalar", "", "IJK*i*j*k")),
    (3, ("a scalar", "", "IJ")),
    (8, ("sums of rows", "i", "IJ")),
    (4, ("sums of rows", "i", "IJK")),
    (5, ("scaled SpMM", "ik", "#*IJ*jk")),
    (5, ("columns of A", "j", "IJ*i")),
    (3, ("columns of A", "jk", "IJ*ik")),
    (3, ("a vector", "", "I*i")),
    (3, ("a vector", "i", "I*i")),
    (6, ("rows of equal elements", "ik", "IJ*j")),
    (3, ("rows of equal elements", "ikl", "IJ*jl")),
    (3, ("rows of equal elements", "ijk", "IJ*i*j")),
    (2, ("columns of equal elements", "kj", "IJ*i")),
    (2, ("equal elements", "k", "IJ*ij")),
    (5, ("several sparse operands", "i", "IJ*J")),
    (4, ("several sparse operands", "i", "I*IJ*j")),
    (4, ("several sparse operands", "i", "IJ*IJ")),
    (4, ("several sparse operands", "ij", "IJ*IJ")),
    (4, ("several sparse operands", "ik", "IJ*J*jk")),
    (3, ("several sparse operands", "ik", "IJ*JK")),
    (3, ("several sparse operands", "ij", "IJ*I*ik*jk")),
    (3, ("several sparse operands", "il", "IJK*JK*kl")),
    (6, ("SpMV of blocks", "ik", "IJkl*jl")),
    (5, ("SpMV of blocks", "ik", "IJk*j")),
    (3, ("SpMV of blocks", "i", "IJk*jk")),
    (6, ("SpMM of blocks", "ikm", "IJkl*jlm")),
    (4, ("SpMM of blocks", "ikl", "IJk*jl")),
    (2, ("SpMM of blocks", "ikmn", "IJkl*jlmn")),
    (4, ("SDDMM of blocks", "ijkl", "IJkl*ikm*jlm")),
    (4, ("MTTKRP of blocks", "il", "IJk*jl*kl")),
    (2, ("columns of blocks", "jl", "IJkl*ik")),
    (2, ("a scalar of blocks", "", "IJkl*i*j")),
    (5, ("several columns", "ikl", "IJ*jkl")),
    (4, ("several columns", "ikl", "IJ*jk*jl")),
    (3, ("several columns", "ikl", "IJ*jk*il")),
    (4, ("several columns", "ilm", "IJK*jl*km")),
    (2, ("several columns", "iklm", "IJ*jklm")),
    (4, ("SpMM in a batch", "ijl", "IJK*ikl")),
    (3, ("SpMM in a batch", "kil", "IJ*kjl")),
    (3, ("SDDMM in a batch", "kij", "IJ*kil*kjl")),
    (4, ("SpMM and a sum", "ik", "#*IJ*jk+#*ik")),
    (3, ("SpMV with both triangles", "i", "IJ*j+'JI*j")),
    (7, ("SpMM and a sum", "i", "IJ*j+IK*k")),
    (4, ("SpMM and a sum", "il", "IJ*jl+IK*kl")),
    (4, ("sums over the same entries", "i", "IJ*j+'IJ")),
    (2, ("sums over the same entries", "i", "IJ*'IJ*j+'IJ+i")),
    (2, ("sums over the same entries", "i", "IJK*jk+'IJK*k")),
    (3, ("a quadratic form", "", "i*IJ*j")),
    (2, ("triangles", "", "IJ*'JK*'IK")),
    (2, ("triangles", "i", "IJ*'JK*'IK")),
    (2, ("a chain", "il", "IJ*JK*kl")),
];

/// A kernel with one sparse operand, and its name.
pub(super) fn sparse_dense(rng: &mut Rng, dtype: DType) -> (&'static str, Shape) {
    let (name, lhs, rhs) = rng.weighted(SPARSE_DENSE);
    let mut shape = of_products(rng, dtype, (lhs, rhs));
    // What is not stored leaves a product of entries alone, not one with dense factors.
    if !rhs.contains('*') && rng.percent(40) {
        shape.op = AssignOp::Reduce(if dtype == DType::Bool { Monoid::And } else { Monoid::Mul });
    }
    (name, shape)
}

/// Rows of sparse operands that are merged, all of which is reduced.
pub(super) fn rows_of_several(rng: &mut Rng, dtype: DType) -> Shape {
    let (lhs, rhs) = rng.weighted(ROWS_OF_SEVERAL);
    let mut shape = of_products(rng, dtype, (lhs, rhs));
    if rhs.contains('+') {
        // A sum of sums would be two loops.
        let logical = [Monoid::And, Monoid::Or];
        let monoids =
            if dtype == DType::Bool { &logical[..] } else { &[Monoid::Max, Monoid::Min, Monoid::Mul] };
        shape.op = AssignOp::Reduce(rng.pick(monoids));
    }
    shape
}

const ROWS_OF_SEVERAL: &[(u32, (&str, &str))] = &[
    (20, ("i", "IJ*IJ*j")),
    (30, ("i", "IJ+IJ")),
    (15, ("i", "IJ*j+IJ")),
    (10, ("i", "IJ+IJ+IJ")),
    (15, ("ik", "IJ*IJ*jk")),
    (10, ("i", "IJ*J*j")),
];

/// Rows that are merged with each of another operand's.
pub(super) fn rows_again(rng: &mut Rng, dtype: DType) -> Shape {
    let shape = rng.weighted(ROWS_AGAIN);
    of_products(rng, dtype, shape)
}

const ROWS_AGAIN: &[(u32, (&str, &str))] = &[
    (4, ("", "IJ*'JK*'IK")),
    (4, ("i", "IK*IJ*JK")),
    (4, ("ik", "IK*IJ*JK")),
    (4, ("ij", "IK*JK")),
    (3, ("i", "IK*JK*j")),
    (3, ("ik", "IL*IJ*JL*lk")),
    (2, ("i", "IJK*IJL*KL")),
    (2, ("il", "IK*IJ*JKL")),
    (2, ("i", "IKl*IJ*JKl")),
    (2, ("i", "IK*IL*IJ*JKL")),
    (2, ("i", "IK*IJ*(JK+JK)")),
    (2, ("i", "IK*IJ*JK+IJ*j")),
];

/// Products of a matrix one after another.
pub(super) fn two_hops(rng: &mut Rng, dtype: DType) -> Shape {
    let shape = rng.weighted(TWO_HOPS);
    of_products(rng, dtype, shape)
}

const TWO_HOPS: &[(u32, (&str, &str))] = &[
    (6, ("i", "IJ*JK*k")),
    (12, ("il", "IJ*JK*kl")),
    (2, ("i", "i+IJ*JK*k")),
    (2, ("il", "il+IJ*JK*kl")),
    (2, ("", "i*IJ*JK*k")),
    (2, ("il", "ij*JK*kl")),
    (4, ("i", "IJ*JK*KL*l")),
    (2, ("im", "IJ*JK*KL*lm")),
];

/// A kernel with a name, under a semiring that the type has.
pub(super) fn named(rng: &mut Rng, dtype: DType) -> Shape {
    let shape = rng.pick(NAMED);
    of_products(rng, dtype, shape)
}

pub(super) fn of_products(rng: &mut Rng, dtype: DType, (lhs, rhs): (&str, &str)) -> Shape {
    let hinted = rhs.bytes().any(|c| c.is_ascii_uppercase());
    let lhs: Vec<usize> = lhs.bytes().map(variable).collect();
    let (reduce, mut plus, times) = semiring(rng, dtype);
    if dtype == DType::Bool && plus == BinaryOp::Add {
        plus = BinaryOp::Or;
    }
    let mut shape = Shape {
        accesses: vec![],
        rhs: Expr::Scalar(0),
        op: reduce,
        lhs,
        vars: 0,
        scalars: 0,
        sparse: vec![],
        blocks: vec![],
        again: vec![],
        tied: vec![],
    };
    let minus = plus == BinaryOp::Add && rng.percent(25);
    let plus = if minus { BinaryOp::Sub } else { plus };
    let mut text = Text { rng, dtype, hinted, plus, times, shape: &mut shape };
    let rhs = text.sum(rhs);
    shape.rhs = rhs;
    finish(rng, dtype, shape)
}

fn variable(c: u8) -> usize {
    (c.to_ascii_lowercase() - b'i') as usize
}

/// A sum of products of accesses and sums, being read.
struct Text<'a> {
    rng: &'a mut Rng,
    dtype: DType,
    /// Capitals say what is sparse.
    hinted: bool,
    plus: BinaryOp,
    times: BinaryOp,
    shape: &'a mut Shape,
}

impl Text<'_> {
    fn sum(&mut self, text: &str) -> Expr {
        let terms = outside(text, '+').into_iter().map(|t| self.product(t)).collect();
        fold(terms, self.plus)
    }

    fn product(&mut self, text: &str) -> Expr {
        let factors = outside(text, '*').into_iter().map(|f| self.factor(f)).collect();
        fold(factors, self.times)
    }

    fn factor(&mut self, text: &str) -> Expr {
        if let Some(inside) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
            return self.sum(inside);
        }
        if text == "#" {
            return constant(self.rng, self.dtype, &mut self.shape.scalars);
        }
        let again = text.starts_with('\'');
        let text = text.trim_start_matches('\'');
        let number = self.shape.accesses.len();
        let vars: Vec<usize> = text.bytes().map(variable).collect();
        if again && let Some(first) = self.shape.accesses.first() {
            self.shape.tied.extend(first.iter().copied().zip(vars.iter().copied()));
            self.shape.again.push(number);
        }
        self.shape.accesses.push(vars);
        let sparse = text.bytes().any(|c| c.is_ascii_uppercase());
        self.shape.sparse.push(self.hinted.then_some(sparse));
        let dense = text.bytes().rev().take_while(|c| c.is_ascii_lowercase()).count();
        self.shape.blocks.push(if sparse { dense } else { 0 });
        Expr::Access(access(number, &[]))
    }
}

/// The parts of a text between these characters, but for those in parentheses.
fn outside(text: &str, between: char) -> Vec<&str> {
    let mut depth = 0;
    text.split(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == between && depth == 0
    })
    .collect()
}

fn fold(items: Vec<Expr>, op: BinaryOp) -> Expr {
    let mut items = items.into_iter();
    let first = items.next().unwrap_or(Expr::Scalar(0));
    items.fold(first, |a, b| Expr::Binary(op, Box::new(a), Box::new(b)))
}

/// How a statement reduces, what joins terms, what joins factors.
fn semiring(rng: &mut Rng, dtype: DType) -> (AssignOp, BinaryOp, BinaryOp) {
    use AssignOp::{Assign, Reduce};
    use BinaryOp::*;
    let choices: &[(u32, (AssignOp, BinaryOp, BinaryOp))] = match dtype {
        DType::Bool => &[
            (50, (Reduce(Monoid::Or), Or, And)),
            (25, (Reduce(Monoid::And), And, Or)),
            (10, (Reduce(Monoid::Or), Xor, And)),
            (10, (Reduce(Monoid::Max), Max, Min)),
            (15, (Assign, Xor, And)),
        ],
        DType::F32 | DType::F64 => &[
            (60, (Assign, Add, Mul)),
            (12, (Reduce(Monoid::Add), Add, Mul)),
            (12, (Reduce(Monoid::Min), Min, Add)),
            (8, (Reduce(Monoid::Max), Max, Mul)),
            (5, (Assign, Add, Div)),
            (3, (Reduce(Monoid::Max), Max, Min)),
        ],
        _ => &[
            (45, (Assign, Add, Mul)),
            (12, (Reduce(Monoid::Add), Add, Mul)),
            (10, (Reduce(Monoid::Min), Min, Add)),
            (8, (Reduce(Monoid::Or), Or, And)),
            (8, (Assign, Add, And)),
            (7, (Assign, Xor, Mul)),
            (9, (Reduce(Monoid::And), And, Or)),
            (5, (Assign, Add, Div)),
        ],
    };
    rng.weighted(choices)
}
