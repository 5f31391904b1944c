//! The kernels of [`ours`](crate::kernels::ours) under other schedules than the default.
//!
//! - `serial`: none; what the default schedule must not be slower than.
//! - `rows`: rows on threads.
//! - `positions`: equal shares of the stored entries on threads, however long the rows are.
//! - `tile4`, `tile32`: as many columns of the result's row as a workspace in registers holds.
//! - `published`: the schedules of the OOPSLA 2020 paper's evaluation, with its chunk sizes. Where they ignore races or
//!   combine what does not race, the strategy here says what is the case; a compressed root is split by positions.

macro_rules! scheduled {
    ($t:ident, $kernels:ident) => {
        pub(super) mod $kernels {
            use sparse_gpu::prelude::*;

            tensor_kernel! {
                pub fn spmv_serial(A: Csr<$t>, x: DenseVec<$t>, y: &mut DenseVec<$t>) {
                    y[i] = A[i, j] * x[j];
                }
                schedule cpu = none;
            }
            tensor_kernel! {
                pub fn spmv_rows(A: Csr<$t>, x: DenseVec<$t>, y: &mut DenseVec<$t>) {
                    y[i] = A[i, j] * x[j];
                }
                schedule cpu {
                    split(i, i0, i1, 64);
                    parallelize(i0, CPUThread, NoRaces);
                }
            }
            tensor_kernel! {
                pub fn spmv_positions(A: Csr<$t>, x: DenseVec<$t>, y: &mut DenseVec<$t>) {
                    y[i] = A[i, j] * x[j];
                }
                schedule cpu {
                    fuse(i, j, f);
                    pos(f, p, A[i, j]);
                    split(p, p0, p1, 4096);
                    parallelize(p0, CPUThread, Atomics);
                }
            }
            tensor_kernel! {
                pub fn spmm_serial(A: Csr<$t>, B: DenseMat<$t>, C: &mut DenseMat<$t>) {
                    C[i, k] = A[i, j] * B[j, k];
                }
                schedule cpu = none;
            }
            tensor_kernel! {
                pub fn spmm_rows(A: Csr<$t>, B: DenseMat<$t>, C: &mut DenseMat<$t>) {
                    C[i, k] = A[i, j] * B[j, k];
                }
                schedule cpu {
                    split(i, i0, i1, 64);
                    parallelize(i0, CPUThread, NoRaces);
                }
            }
            tensor_kernel! {
                pub fn spmm_tile4(A: Csr<$t>, B: DenseMat<$t>, C: &mut DenseMat<$t>) {
                    C[i, k] = A[i, j] * B[j, k];
                }
                schedule cpu {
                    split(k, k0, k1, 4);
                    reorder(i, k0, j, k1);
                    precompute(A[i, j] * B[j, k], [k1], [kw], w);
                    parallelize(i, CPUThread, NoRaces);
                    parallelize(kw, CPUVector, NoRaces);
                    parallelize(k1, CPUVector, NoRaces);
                }
            }
            tensor_kernel! {
                pub fn spmm_tile32(A: Csr<$t>, B: DenseMat<$t>, C: &mut DenseMat<$t>) {
                    C[i, k] = A[i, j] * B[j, k];
                }
                schedule cpu {
                    split(k, k0, k1, 32);
                    reorder(i, k0, j, k1);
                    precompute(A[i, j] * B[j, k], [k1], [kw], w);
                    parallelize(i, CPUThread, NoRaces);
                    parallelize(kw, CPUVector, NoRaces);
                    parallelize(k1, CPUVector, NoRaces);
                }
            }
            tensor_kernel! {
                pub fn spmm_published(A: Csr<$t>, B: DenseMat<$t>, C: &mut DenseMat<$t>) {
                    C[i, k] = A[i, j] * B[j, k];
                }
                schedule cpu {
                    split(i, i0, i1, 16);
                    pos(j, p, A[i, j]);
                    split(p, p0, p1, 8);
                    reorder(i0, i1, p0, k, p1);
                    parallelize(i0, CPUThread, NoRaces);
                    parallelize(k, CPUVector, NoRaces);
                }
            }
            tensor_kernel! {
                pub fn sddmm_serial(A: Csr<$t>, X: DenseMat<$t>, Y: DenseMat<$t>) -> Csr<$t> {
                    S[i, j] = A[i, j] * X[i, k] * Y[j, k];
                }
                schedule cpu = none;
            }
            tensor_kernel! {
                pub fn sddmm_published(A: Csr<$t>, X: DenseMat<$t>, Y: DenseMat<$t>) -> Csr<$t> {
                    S[i, j] = A[i, j] * X[i, k] * Y[j, k];
                }
                schedule cpu {
                    split(i, i0, i1, 16);
                    pos(j, p, A[i, j]);
                    split(p, p0, p1, 8);
                    reorder(i0, i1, p0, k, p1);
                    parallelize(i0, CPUThread, NoRaces);
                    parallelize(p1, CPUVector, NoRaces);
                }
            }
            tensor_kernel! {
                pub fn ttv_serial(A: Csf3<$t>, x: DenseVec<$t>, Y: &mut DenseMat<$t>) {
                    Y[i, j] = A[i, j, k] * x[k];
                }
                schedule cpu = none;
            }
            tensor_kernel! {
                pub fn ttv_published(A: Csf3<$t>, x: DenseVec<$t>, Y: &mut DenseMat<$t>) {
                    Y[i, j] = A[i, j, k] * x[k];
                }
                schedule cpu {
                    fuse(i, j, f);
                    pos(f, p, A[i, j, k]);
                    split(p, chunk, q, 16);
                    reorder(chunk, q, k);
                    parallelize(chunk, CPUThread, NoRaces);
                }
            }
            tensor_kernel! {
                pub fn mttkrp_serial(A: Csf3<$t>, C: DenseMat<$t>, D: DenseMat<$t>, M: &mut DenseMat<$t>) {
                    M[i, r] = A[i, k, l] * C[k, r] * D[l, r];
                }
                schedule cpu = none;
            }
            tensor_kernel! {
                pub fn mttkrp_rows(A: Csf3<$t>, C: DenseMat<$t>, D: DenseMat<$t>, M: &mut DenseMat<$t>) {
                    M[i, r] = A[i, k, l] * C[k, r] * D[l, r];
                }
                schedule cpu {
                    pos(i, p, A[i, k, l]);
                    parallelize(p, CPUThread, NoRaces);
                }
            }
            tensor_kernel! {
                pub fn mttkrp_published(A: Csf3<$t>, C: DenseMat<$t>, D: DenseMat<$t>, M: &mut DenseMat<$t>) {
                    M[i, r] = A[i, k, l] * C[k, r] * D[l, r];
                }
                schedule cpu {
                    pos(i, p, A[i, k, l]);
                    split(p, i0, i1, 16);
                    reorder(i0, i1, k, l, r);
                    precompute(A[i, k, l] * D[l, r], [r], [r], w);
                    parallelize(i0, CPUThread, NoRaces);
                }
            }
        }
    };
}
scheduled!(f32, single);
scheduled!(f64, double);
