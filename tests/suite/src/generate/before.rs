//! Statements of which a part is filled before all loops: a sum that is scattered, beside terms that are not or that are scattered
//! by other loops.

use super::expression::{Shape, wrap};
use super::shapes::of_products;
use crate::case::Case;
use crate::rng::Rng;
use sparse_core::front::ast::{Expr, IndexVar};
use sparse_core::scalar::DType;

const SHAPES: &[(u32, (&str, &str))] = &[
    (14, ("i", "IJ*j+i")),
    (8, ("i", "#*i*IJ*j+#*i")),
    (14, ("ik", "#*IJ*jk+#*ik")),
    (6, ("ik", "IJ*jk*i+k")),
    (10, ("i", "IJ*j+IK*k")),
    (6, ("i", "i+IJ*j+IK*k")),
    (6, ("il", "IJ*jl+IK*kl+l")),
    (6, ("il", "IJK*jl*kl+il")),
    (6, ("ij", "IJK*k+ij")),
    (4, ("ij", "IJ+IK*kj")),
    (5, ("", "i*i+#")),
    (5, ("", "IJ*i*j+i*i")),
    (4, ("i", "i*IJ*j")),
    (4, ("ik", "i*IJ*jk")),
];

pub(super) fn shape(rng: &mut Rng, dtype: DType) -> Shape {
    let drawn = rng.weighted(SHAPES);
    let mut shape = of_products(rng, dtype, drawn);
    if rng.percent(15) {
        wrap(rng, dtype, &mut shape.rhs);
    }
    shape
}

/// Sparse operands are mostly stored in the order of what is summed, and then of the result.
pub(super) fn by_columns(rng: &mut Rng, case: &mut Case) {
    let mut read: Vec<(usize, Vec<IndexVar>)> = vec![];
    case.assignment.rhs.visit(&mut |e| {
        if let Expr::Access(a) = e {
            read.push((a.tensor.index(), a.indices.clone()));
        }
    });
    let lhs = case.assignment.lhs.indices.clone();
    for (tensor, indices) in read {
        let spec = &mut case.tensors[tensor].spec;
        if spec.is_dense() || !spec.holds_every_tensor() || rng.percent(15) {
            continue;
        }
        let blocks = spec.block_levels();
        let mut order = spec.order().to_vec();
        let outer = order.len() - blocks;
        order[..outer].sort_by_key(|d| lhs.contains(&indices[*d]));
        *spec = spec.clone().reordered(order);
    }
}
