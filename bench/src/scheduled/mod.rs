//! Our kernels by name: `ours` under the default schedule, `ours-<schedule>` under others.

mod kernels;
mod table;

pub(crate) use table::table;

use crate::kernels::ours::Ours;
use kernels::{double, single};
use sparse_gpu::prelude::*;

/// What a call says.
type Outcome = std::result::Result<(), Error>;
/// Implementations of one kernel by name.
pub(crate) type Named<F> = Vec<(&'static str, F)>;
/// A sparse matrix times a dense vector.
pub(crate) type Spmv<T> = fn(&Csr<T>, &DenseVec<T>, &mut DenseVec<T>) -> Outcome;
/// A sparse matrix times a dense one.
pub(crate) type Spmm<T> = fn(&Csr<T>, &DenseMat<T>, &mut DenseMat<T>) -> Outcome;
/// The elements of a product of dense matrices that a sparse one has.
pub(crate) type Sddmm<T> = fn(&Csr<T>, &DenseMat<T>, &DenseMat<T>) -> std::result::Result<Csr<T>, Error>;
/// A tensor times a vector.
pub(crate) type Ttv<T> = fn(&Csf3<T>, &DenseVec<T>, &mut DenseMat<T>) -> Outcome;
/// A tensor times two factor matrices.
pub(crate) type Mttkrp<T> = fn(&Csf3<T>, &DenseMat<T>, &DenseMat<T>, &mut DenseMat<T>) -> Outcome;

/// The kernels in one precision under each of their schedules, the default one first.
pub(crate) trait Scheduled: Element {
    /// `y = A·x`
    fn spmv() -> Named<Spmv<Self>>;
    /// `C = A·B`, with as many columns
    fn spmm(columns: usize) -> Named<Spmm<Self>>;
    /// `A ∘ (X·Yᵀ)`
    fn sddmm() -> Named<Sddmm<Self>>;
    /// `Y[i, j] = A[i, j, k]·x[k]`
    fn ttv() -> Named<Ttv<Self>>;
    /// `M[i, r] = A[i, k, l]·C[k, r]·D[l, r]`
    fn mttkrp() -> Named<Mttkrp<Self>>;
}

macro_rules! scheduled {
    ($t:ident, $kernels:ident) => {
        impl Scheduled for $t {
            fn spmv() -> Named<Spmv<$t>> {
                vec![
                    ("ours", |a, x, y| <$t as Ours>::spmv(a, x, y)),
                    ("ours-serial", |a, x, y| $kernels::spmv_serial(a, x, y)),
                    ("ours-rows", |a, x, y| $kernels::spmv_rows(a, x, y)),
                    ("ours-positions", |a, x, y| $kernels::spmv_positions(a, x, y)),
                ]
            }

            fn spmm(columns: usize) -> Named<Spmm<$t>> {
                let tile: Spmm<$t> = if columns < 32 {
                    |a, b, c| $kernels::spmm_tile4(a, b, c)
                } else {
                    |a, b, c| $kernels::spmm_tile32(a, b, c)
                };
                vec![
                    ("ours", |a, b, c| <$t as Ours>::spmm(a, b, c)),
                    ("ours-serial", |a, b, c| $kernels::spmm_serial(a, b, c)),
                    ("ours-rows", |a, b, c| $kernels::spmm_rows(a, b, c)),
                    ("ours-tile", tile),
                    ("ours-published", |a, b, c| $kernels::spmm_published(a, b, c)),
                ]
            }

            fn sddmm() -> Named<Sddmm<$t>> {
                vec![
                    ("ours", |a, x, y| <$t as Ours>::sddmm(a, x, y)),
                    ("ours-serial", |a, x, y| $kernels::sddmm_serial(a, x, y)),
                    ("ours-published", |a, x, y| $kernels::sddmm_published(a, x, y)),
                ]
            }

            fn ttv() -> Named<Ttv<$t>> {
                vec![
                    ("ours", |a, x, y| <$t as Ours>::ttv(a, x, y)),
                    ("ours-serial", |a, x, y| $kernels::ttv_serial(a, x, y)),
                    ("ours-published", |a, x, y| $kernels::ttv_published(a, x, y)),
                ]
            }

            fn mttkrp() -> Named<Mttkrp<$t>> {
                vec![
                    ("ours", |a, c, d, m| <$t as Ours>::mttkrp(a, c, d, m)),
                    ("ours-serial", |a, c, d, m| $kernels::mttkrp_serial(a, c, d, m)),
                    ("ours-rows", |a, c, d, m| $kernels::mttkrp_rows(a, c, d, m)),
                    ("ours-published", |a, c, d, m| $kernels::mttkrp_published(a, c, d, m)),
                ]
            }
        }
    };
}
scheduled!(f32, single);
scheduled!(f64, double);
