//! Legal points of kernels that they are not for.
use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn not_hybrid(A: Csr<f32>, B: Csr<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1/8 row, 4 col>, 8);
}

tensor_kernel! {
    pub fn sums_apart(A: Csr<f32>, B: DenseMat<f32>, b: DenseVec<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k] + b[k];
    }
    schedule cuda = atomic(<1/8 row, 1 col>, 8);
}

tensor_kernel! {
    pub fn number_of_entries(A: Csr<f32>, x: DenseVec<f32>, b: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j] + b[i];
    }
    schedule cuda = atomic(<1 nnz, 1 col>, 32);
}

tensor_kernel! {
    pub fn number_of_columns(A: Csr<f32>, x: DenseVec<f32>, b: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j] + b[i];
    }
    schedule cuda = atomic(<1/8 row, 4 col>, 8);
}

tensor_kernel! {
    pub fn number_of_a_part(A: Csr<f32>, x: DenseVec<f32>, b: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j] + b[i];
    }
    schedule cuda = atomic(<1/8 row, 1 col>, 4);
}

tensor_kernel! {
    pub fn assembled(A: Csr<f32>, x: DenseVec<f32>) -> Tensor<f32, (Compressed,)> {
        y[i] = A[i, j] * x[j];
    }
    schedule cuda = atomic(<1/8 row, 1 col>, 8);
}

tensor_kernel! {
    pub fn no_rows(A: Csc<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cuda = atomic(<1/8 row, 1 col>, 8);
}

tensor_kernel! {
    pub fn pattern_rows(S: Csr<f32>, Q: DenseMat<f32>, K: DenseMat<f32>) -> Csr<f32> {
        R[i, j] = S[i, j] * Q[i, c] * K[j, c];
    }
    schedule cuda = atomic(<1/8 row, 4 col>, 8);
}

tensor_kernel! {
    pub fn unsorted_entries(A: Csc<f32>, x: DenseVec<f32>) -> DenseVec<f32> {
        y[i] = A[i, j] * x[j];
    }
    schedule cuda = atomic(<1 nnz, 1 col>, 8);
}

tensor_kernel! {
    pub fn nothing_reduced(A: Csr<f32>) -> DenseMat<f32> {
        C[i, j] = A[i, j];
    }
    schedule cuda = atomic(<1 nnz, 1 col>, 8);
}

tensor_kernel! {
    pub fn wide_vector(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1 row, 4 col>, 1, vector);
}

fn main() {}
