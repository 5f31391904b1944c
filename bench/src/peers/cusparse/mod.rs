//! NVIDIA's cuSPARSE, loaded at run time where it is found: products of a matrix by rows with row-major dense ones, every
//! algorithm that it has for them, preprocessed, with its buffers kept from call to call.
//!
//! The bindings panic where the library or one of its functions is missing: nothing of them is called before [`Cusparse`]
//! has found everything.

mod library;

use cudarc::cusparse::sys::{self, cusparseStatus_t as Status};
use sparse_gpu::Cuda;
use sparse_gpu::cuda::DeviceArray;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::null_mut;

/// Shorthand for this module's results.
type Result<T> = std::result::Result<T, Error>;

/// Why cuSPARSE does not take part, or a call failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// No library.
    #[error(
        "libcusparse is not found ({0}): it comes with the CUDA toolkit, and as the Python wheel nvidia-cusparse-cu12"
    )]
    Missing(String),
    /// A library of before CUDA 12.4.
    #[error("{path} has no function {function}: CUDA 12.4 or later is needed")]
    TooOld {
        /// The library.
        path: String,
        /// What is missing.
        function: &'static str,
    },
    /// cuSPARSE refuses.
    #[error("cuSPARSE: {action}: {status:?}")]
    Status {
        /// What it was asked for.
        action: &'static str,
        /// Its answer.
        status: Status,
    },
    /// Arrays that are no operands of a product.
    #[error("operands of cuSPARSE do not fit together")]
    Shape,
    /// The GPU has no room, or is lost.
    #[error(transparent)]
    Device(#[from] sparse_core::error::Error),
}

fn check(action: &'static str, status: Status) -> Result<()> {
    if status == Status::CUSPARSE_STATUS_SUCCESS { Ok(()) } else { Err(Error::Status { action, status }) }
}

/// The library on a GPU; its work is in the GPU's stream.
pub(crate) struct Cusparse {
    handle: sys::cusparseHandle_t,
    gpu: Cuda,
    /// Where it was found, and its version.
    pub(crate) description: String,
}

impl Cusparse {
    /// Looks for the library and starts it.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn new(gpu: &Cuda) -> Result<Cusparse> {
        let path = library::find()?;
        // Makes the GPU's context the thread's, which the library uses.
        gpu.synchronize()?;
        let mut handle = null_mut();
        // SAFETY: it writes one handle.
        check("starting", unsafe { sys::cusparseCreate(&raw mut handle) })?;
        let mut cusparse = Cusparse { handle, gpu: gpu.clone(), description: String::new() };
        // SAFETY: the handle is valid, and the stream lives as long as `gpu`.
        check("choosing a stream", unsafe { sys::cusparseSetStream(handle, gpu.raw_stream().cast()) })?;
        let mut version = 0;
        // SAFETY: it writes one integer.
        check("asking for the version", unsafe { sys::cusparseGetVersion(handle, &raw mut version) })?;
        let (major, minor, patch) = (version / 1000, version % 1000 / 100, version % 100);
        cusparse.description = format!("cuSPARSE {major}.{minor}.{patch}: {path}");
        Ok(cusparse)
    }
}

impl Drop for Cusparse {
    fn drop(&mut self) {
        // SAFETY: nobody has a call of it any more.
        unsafe { sys::cusparseDestroy(self.handle) };
    }
}

/// A sparse matrix by rows.
#[derive(Clone, Copy)]
pub(crate) struct Csr<'a> {
    pub(crate) dims: [usize; 2],
    pub(crate) pos: &'a DeviceArray<i32>,
    pub(crate) crd: &'a DeviceArray<i32>,
    pub(crate) vals: &'a DeviceArray<f32>,
}

/// A dense matrix by rows; a vector has one column.
#[derive(Clone, Copy)]
pub(crate) struct Dense<'a> {
    pub(crate) dims: [usize; 2],
    pub(crate) vals: &'a DeviceArray<f32>,
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
}

const NO: sys::cusparseOperation_t = sys::cusparseOperation_t::CUSPARSE_OPERATION_NON_TRANSPOSE;
const TRANSPOSED: sys::cusparseOperation_t = sys::cusparseOperation_t::CUSPARSE_OPERATION_TRANSPOSE;
const F32: sys::cudaDataType = sys::cudaDataType::CUDA_R_32F;

/// What products are multiplied with, and what the old result is: 1 and 0, on the host.
fn scalars() -> (*const c_void, *const c_void) {
    static ONE: f32 = 1.0;
    static ZERO: f32 = 0.0;
    ((&raw const ONE).cast(), (&raw const ZERO).cast())
}

/// A product that is ready to run: descriptions of its operands, and its buffer. The arrays outlive it.
pub(crate) struct Call<'a> {
    library: &'a Cusparse,
    product: Product,
    sparse: Sparse,
    dense: [DenseDescription; 2],
    buffer: Option<DeviceArray<u8>>,
    arrays: PhantomData<&'a DeviceArray<f32>>,
}

struct Sparse(sys::cusparseSpMatDescr_t);
enum DenseDescription {
    Vector(sys::cusparseDnVecDescr_t),
    Matrix(sys::cusparseDnMatDescr_t),
}

impl<'a> Call<'a> {
    /// Describes the operands and lets cuSPARSE prepare. Of a product with a dense result, `dense` is a factor and the
    /// result; of SDDMM the two factors, the result being the values of `sparse`.
    ///
    /// # Errors
    /// [`Error::Status`] where the algorithm does not take such operands.
    pub(crate) fn new(
        library: &'a Cusparse,
        product: Product,
        sparse: Csr<'a>,
        dense: [Dense<'a>; 2],
    ) -> Result<Call<'a>> {
        let ([rows, cols], [first, second]) = (sparse.dims, dense.map(|d| d.dims));
        let fits = match product {
            Product::Sddmm(_) => [first[0], second[0]] == [rows, cols] && first[1] == second[1],
            Product::Spmm(_) => [second[0], first[0]] == [rows, cols] && first[1] == second[1],
            Product::Spmv(_) => first == [cols, 1] && second == [rows, 1],
        };
        let full = dense.iter().all(|d| d.vals.len() == d.dims[0] * d.dims[1]);
        if !fits || !full || sparse.pos.len() != rows + 1 || sparse.crd.len() != sparse.vals.len() {
            return Err(Error::Shape);
        }
        let vectors = matches!(product, Product::Spmv(_));
        let [first, second] = dense.map(|d| DenseDescription::new(d, vectors));
        let dense = [first?, second?];
        let sparse = Sparse::new(sparse)?;
        let mut call = Call { library, product, sparse, dense, buffer: None, arrays: PhantomData };
        let size = call.buffer_size()?;
        // SAFETY: the library alone reads it, after it has written it.
        call.buffer = Some(unsafe { DeviceArray::uninitialised(&library.gpu, size.max(1)) }?);
        call.preprocess()?;
        Ok(call)
    }

    fn buffer_size(&self) -> Result<usize> {
        let (handle, a, [x, y], mut size) = (self.library.handle, self.sparse.0, &self.dense, 0usize);
        let (one, zero) = scalars();
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
                    F32,
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
                    F32,
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
                    F32,
                    alg,
                    size_to,
                ),
            }
        };
        check("asking for the size of a buffer", status)?;
        Ok(size)
    }

    fn buffer(&self) -> *mut c_void {
        self.buffer.as_ref().map_or(null_mut(), |b| b.address() as *mut c_void)
    }

    fn preprocess(&self) -> Result<()> {
        let (handle, a, [x, y], buffer) = (self.library.handle, self.sparse.0, &self.dense, self.buffer());
        let (one, zero) = scalars();
        // SAFETY: handle and descriptions are valid, their arrays live, and the buffer has the size that was asked for.
        let status = unsafe {
            match self.product {
                Product::Spmm(alg) => sys::cusparseSpMM_preprocess(
                    handle,
                    NO,
                    NO,
                    one,
                    a,
                    x.matrix(),
                    zero,
                    y.matrix().cast_mut(),
                    F32,
                    alg,
                    buffer,
                ),
                Product::Spmv(alg) => sys::cusparseSpMV_preprocess(
                    handle,
                    NO,
                    one,
                    a,
                    x.vector(),
                    zero,
                    y.vector().cast_mut(),
                    F32,
                    alg,
                    buffer,
                ),
                Product::Sddmm(alg) => sys::cusparseSDDMM_preprocess(
                    handle,
                    NO,
                    TRANSPOSED,
                    one,
                    x.matrix(),
                    y.matrix(),
                    zero,
                    a,
                    F32,
                    alg,
                    buffer,
                ),
            }
        };
        check("preprocessing", status)
    }

    /// Puts the product into the GPU's stream.
    ///
    /// # Errors
    /// [`Error::Status`]
    pub(crate) fn run(&self) -> Result<()> {
        let (handle, a, [x, y], buffer) = (self.library.handle, self.sparse.0, &self.dense, self.buffer());
        let (one, zero) = scalars();
        // SAFETY: as in `preprocess`.
        let status = unsafe {
            match self.product {
                Product::Spmm(alg) => sys::cusparseSpMM(
                    handle,
                    NO,
                    NO,
                    one,
                    a,
                    x.matrix(),
                    zero,
                    y.matrix().cast_mut(),
                    F32,
                    alg,
                    buffer,
                ),
                Product::Spmv(alg) => sys::cusparseSpMV(
                    handle,
                    NO,
                    one,
                    a,
                    x.vector(),
                    zero,
                    y.vector().cast_mut(),
                    F32,
                    alg,
                    buffer,
                ),
                Product::Sddmm(alg) => sys::cusparseSDDMM(
                    handle,
                    NO,
                    TRANSPOSED,
                    one,
                    x.matrix(),
                    y.matrix(),
                    zero,
                    a,
                    F32,
                    alg,
                    buffer,
                ),
            }
        };
        check("a product", status)
    }
}

/// An array's address; the library takes none of nothing for an array without elements too.
fn address<T: sparse_core::scalar::Element>(array: &DeviceArray<T>) -> *mut c_void {
    array.address() as *mut c_void
}

impl Sparse {
    fn new(a: Csr<'_>) -> Result<Sparse> {
        const I32: sys::cusparseIndexType_t = sys::cusparseIndexType_t::CUSPARSE_INDEX_32I;
        const FROM_0: sys::cusparseIndexBase_t = sys::cusparseIndexBase_t::CUSPARSE_INDEX_BASE_ZERO;
        let ([rows, cols], entries) = (a.dims.map(|d| d as i64), a.vals.len() as i64);
        let (pos, crd, vals) = (address(a.pos), address(a.crd), address(a.vals));
        let mut made = null_mut();
        // SAFETY: it writes one description, of arrays that have these lengths.
        let status = unsafe {
            sys::cusparseCreateCsr(&raw mut made, rows, cols, entries, pos, crd, vals, I32, I32, FROM_0, F32)
        };
        check("describing a sparse matrix", status)?;
        Ok(Sparse(made))
    }
}

impl DenseDescription {
    fn new(d: Dense<'_>, is_vector: bool) -> Result<DenseDescription> {
        let ([rows, cols], vals) = (d.dims.map(|d| d as i64), address(d.vals));
        if is_vector {
            let mut made = null_mut();
            // SAFETY: it writes one description, of an array that has this length.
            let status = unsafe { sys::cusparseCreateDnVec(&raw mut made, rows, vals, F32) };
            check("describing a vector", status)?;
            return Ok(DenseDescription::Vector(made));
        }
        let mut made = null_mut();
        let order = sys::cusparseOrder_t::CUSPARSE_ORDER_ROW;
        // SAFETY: as above; between rows are as many elements as a row has.
        let status = unsafe { sys::cusparseCreateDnMat(&raw mut made, rows, cols, cols, vals, F32, order) };
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

impl Drop for Sparse {
    fn drop(&mut self) {
        // SAFETY: nobody else has the description.
        unsafe { sys::cusparseDestroySpMat(self.0) };
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
