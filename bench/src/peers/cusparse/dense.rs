//! Products of a sparse matrix with dense ones: preprocessed, into arrays that are there before.

use super::{Csr, Cusparse, Element, Error, NO, Result, Scratch, Sparse, address, check};
use cudarc::cusparse::sys;
use sparse_gpu::cuda::DeviceArray;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::null_mut;

/// A dense matrix by rows; a vector has one column.
pub(crate) struct Dense<'a, T: Element> {
    pub(crate) dims: [usize; 2],
    pub(crate) vals: &'a DeviceArray<T>,
}

/// What is computed, and by which algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Product {
    /// C = A·B
    Spmm(sys::cusparseSpMMAlg_t),
    /// y = A·x
    Spmv(sys::cusparseSpMVAlg_t),
    /// The entries of X·Yᵀ that A has. A's values do not take part: one product less an entry than ours.
    Sddmm(sys::cusparseSDDMMAlg_t),
}

impl Product {
    /// Every algorithm for a matrix by rows, with the name that it has in tables.
    pub(crate) const SPMM: [(&'static str, Product); 4] = [
        ("cusparse-default", Product::Spmm(sys::cusparseSpMMAlg_t::CUSPARSE_SPMM_ALG_DEFAULT)),
        ("cusparse-csr-alg1", Product::Spmm(sys::cusparseSpMMAlg_t::CUSPARSE_SPMM_CSR_ALG1)),
        ("cusparse-csr-alg2", Product::Spmm(sys::cusparseSpMMAlg_t::CUSPARSE_SPMM_CSR_ALG2)),
        ("cusparse-csr-alg3", Product::Spmm(sys::cusparseSpMMAlg_t::CUSPARSE_SPMM_CSR_ALG3)),
    ];
    /// Likewise.
    pub(crate) const SPMV: [(&'static str, Product); 3] = [
        ("cusparse-default", Product::Spmv(sys::cusparseSpMVAlg_t::CUSPARSE_SPMV_ALG_DEFAULT)),
        ("cusparse-csr-alg1", Product::Spmv(sys::cusparseSpMVAlg_t::CUSPARSE_SPMV_CSR_ALG1)),
        ("cusparse-csr-alg2", Product::Spmv(sys::cusparseSpMVAlg_t::CUSPARSE_SPMV_CSR_ALG2)),
    ];
    /// Likewise; there is one.
    pub(crate) const SDDMM: [(&'static str, Product); 1] =
        [("cusparse-default", Product::Sddmm(sys::cusparseSDDMMAlg_t::CUSPARSE_SDDMM_ALG_DEFAULT))];

    /// What is called for it.
    fn functions(self) -> [&'static str; 5] {
        const MATRIX: [&str; 2] = ["cusparseCreateDnMat", "cusparseDestroyDnMat"];
        const VECTOR: [&str; 2] = ["cusparseCreateDnVec", "cusparseDestroyDnVec"];
        let ([make, destroy], [size, preprocess, run]) = match self {
            Product::Spmm(_) => {
                (MATRIX, ["cusparseSpMM_bufferSize", "cusparseSpMM_preprocess", "cusparseSpMM"])
            }
            Product::Spmv(_) => {
                (VECTOR, ["cusparseSpMV_bufferSize", "cusparseSpMV_preprocess", "cusparseSpMV"])
            }
            Product::Sddmm(_) => {
                (MATRIX, ["cusparseSDDMM_bufferSize", "cusparseSDDMM_preprocess", "cusparseSDDMM"])
            }
        };
        [make, destroy, size, preprocess, run]
    }
}

const TRANSPOSED: sys::cusparseOperation_t = sys::cusparseOperation_t::CUSPARSE_OPERATION_TRANSPOSE;

/// A product that is ready to run: descriptions of its operands, and its buffer. The arrays outlive it.
pub(crate) struct Call<'a, T: Element> {
    library: &'a Cusparse,
    product: Product,
    sparse: Sparse,
    dense: [DenseDescription; 2],
    buffer: Scratch,
    arrays: PhantomData<&'a DeviceArray<T>>,
}

enum DenseDescription {
    Vector(sys::cusparseDnVecDescr_t),
    Matrix(sys::cusparseDnMatDescr_t),
}

impl<'a, T: Element> Call<'a, T> {
    /// Describes the operands and lets cuSPARSE prepare. Of a product with a dense result, `dense` is a factor and the
    /// result; of SDDMM the two factors, the result being the values of `sparse`.
    ///
    /// # Errors
    /// [`Error::Status`] where the algorithm does not take such operands.
    pub(crate) fn new(
        library: &'a Cusparse,
        product: Product,
        sparse: Csr<'a, T>,
        dense: [Dense<'a, T>; 2],
    ) -> Result<Call<'a, T>> {
        let ([rows, cols], [first, second]) = (sparse.dims, dense.each_ref().map(|d| d.dims));
        let fits = match product {
            Product::Sddmm(_) => [first[0], second[0]] == [rows, cols] && first[1] == second[1],
            Product::Spmm(_) => [second[0], first[0]] == [rows, cols] && first[1] == second[1],
            Product::Spmv(_) => first == [cols, 1] && second == [rows, 1],
        };
        let full = dense.iter().all(|d| d.vals.len() == d.dims[0] * d.dims[1]);
        if !fits || !full || !sparse.is_whole() {
            return Err(Error::Shape);
        }
        library.loaded.needs(&product.functions())?;
        let vectors = matches!(product, Product::Spmv(_));
        let [first, second] = dense.map(|d| DenseDescription::new(d, vectors));
        let dense = [first?, second?];
        let sparse = Sparse::new(sparse)?;
        let buffer = Scratch::default();
        let mut call = Call { library, product, sparse, dense, buffer, arrays: PhantomData };
        let size = call.buffer_size()?;
        call.buffer.of(&library.gpu, size)?;
        call.preprocess()?;
        Ok(call)
    }

    fn buffer_size(&self) -> Result<usize> {
        let (handle, a, [x, y], mut size) = (self.library.handle, self.sparse.0, &self.dense, 0usize);
        let [one, zero] = T::scalars().map(|s| s.cast::<c_void>());
        let size_to = &raw mut size;
        // SAFETY: handle and descriptions are valid; it reads two numbers and writes one.
        let status = unsafe {
            match self.product {
                Product::Spmm(alg) => sys::cusparseSpMM_bufferSize(
                    handle,
                    NO,
                    NO,
                    one,
                    a,
                    x.matrix(),
                    zero,
                    y.matrix().cast_mut(),
                    T::TYPE,
                    alg,
                    size_to,
                ),
                Product::Spmv(alg) => sys::cusparseSpMV_bufferSize(
                    handle,
                    NO,
                    one,
                    a,
                    x.vector(),
                    zero,
                    y.vector().cast_mut(),
                    T::TYPE,
                    alg,
                    size_to,
                ),
                Product::Sddmm(alg) => sys::cusparseSDDMM_bufferSize(
                    handle,
                    NO,
                    TRANSPOSED,
                    one,
                    x.matrix(),
                    y.matrix(),
                    zero,
                    a,
                    T::TYPE,
                    alg,
                    size_to,
                ),
            }
        };
        check("asking for the size of a buffer", status)?;
        Ok(size)
    }

    fn preprocess(&self) -> Result<()> {
        self.stage(Stage::Preprocess)
    }

    /// Puts the product into the GPU's stream.
    ///
    /// # Errors
    /// [`Error::Status`]
    pub(crate) fn run(&self) -> Result<()> {
        self.stage(Stage::Run)
    }

    fn stage(&self, stage: Stage) -> Result<()> {
        let (handle, a, [x, y], buffer) =
            (self.library.handle, self.sparse.0, &self.dense, self.buffer.address());
        let [one, zero] = T::scalars().map(|s| s.cast::<c_void>());
        // SAFETY: handle and descriptions are valid, their arrays live, and the buffer has the size that was asked for.
        let status = unsafe {
            match self.product {
                Product::Spmm(alg) => {
                    let call = match stage {
                        Stage::Preprocess => sys::cusparseSpMM_preprocess,
                        Stage::Run => sys::cusparseSpMM,
                    };
                    let (x, y) = (x.matrix(), y.matrix().cast_mut());
                    call(handle, NO, NO, one, a, x, zero, y, T::TYPE, alg, buffer)
                }
                Product::Spmv(alg) => {
                    let call = match stage {
                        Stage::Preprocess => sys::cusparseSpMV_preprocess,
                        Stage::Run => sys::cusparseSpMV,
                    };
                    let (x, y) = (x.vector(), y.vector().cast_mut());
                    call(handle, NO, one, a, x, zero, y, T::TYPE, alg, buffer)
                }
                Product::Sddmm(alg) => {
                    let call = match stage {
                        Stage::Preprocess => sys::cusparseSDDMM_preprocess,
                        Stage::Run => sys::cusparseSDDMM,
                    };
                    let (x, y) = (x.matrix(), y.matrix());
                    call(handle, NO, TRANSPOSED, one, x, y, zero, a, T::TYPE, alg, buffer)
                }
            }
        };
        let action = match stage {
            Stage::Preprocess => "preprocessing",
            Stage::Run => "a product",
        };
        check(action, status)
    }
}

/// What is done in the buffer: both take the same arguments.
#[derive(Clone, Copy)]
enum Stage {
    Preprocess,
    Run,
}

impl DenseDescription {
    fn new<T: Element>(d: Dense<'_, T>, is_vector: bool) -> Result<DenseDescription> {
        let ([rows, cols], vals) = (d.dims.map(|d| d as i64), address(d.vals));
        if is_vector {
            let mut made = null_mut();
            // SAFETY: it writes one description, of an array that has this length.
            let status = unsafe { sys::cusparseCreateDnVec(&raw mut made, rows, vals, T::TYPE) };
            check("describing a vector", status)?;
            return Ok(DenseDescription::Vector(made));
        }
        let mut made = null_mut();
        let order = sys::cusparseOrder_t::CUSPARSE_ORDER_ROW;
        // SAFETY: as above; between rows are as many elements as a row has.
        let status =
            unsafe { sys::cusparseCreateDnMat(&raw mut made, rows, cols, cols, vals, T::TYPE, order) };
        check("describing a matrix", status)?;
        Ok(DenseDescription::Matrix(made))
    }

    /// Null for a vector, which the library refuses.
    fn matrix(&self) -> sys::cusparseConstDnMatDescr_t {
        if let DenseDescription::Matrix(m) = self { m.cast_const() } else { null_mut::<_>() }
    }

    /// Null for a matrix.
    fn vector(&self) -> sys::cusparseConstDnVecDescr_t {
        if let DenseDescription::Vector(v) = self { v.cast_const() } else { null_mut::<_>() }
    }
}

impl Drop for DenseDescription {
    fn drop(&mut self) {
        // SAFETY: nobody else has the description.
        unsafe {
            match self {
                DenseDescription::Vector(v) => sys::cusparseDestroyDnVec(*v),
                DenseDescription::Matrix(m) => sys::cusparseDestroyDnMat(*m),
            }
        };
    }
}
