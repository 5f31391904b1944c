//! NVIDIA's cuSPARSE, loaded at run time where it is found: products of a matrix by rows with row-major dense ones
//! ([`dense`]), and products and sums of two such matrices, whose result is one too ([`sparse`]). Every algorithm that it
//! has for them, with its buffers kept from call to call.
//!
//! The bindings panic where the library or one of its functions is missing: nothing of them is called before [`Cusparse`]
//! has found it. Functions come and go with versions: what an algorithm needs is looked for when it is prepared.

pub(crate) mod dense;
mod library;
pub(crate) mod sparse;

use crate::real::Real;
use cudarc::cusparse::sys::{self, cusparseStatus_t as Status};
use sparse_gpu::Cuda;
use sparse_gpu::cuda::DeviceArray;
use std::ffi::{c_int, c_void};
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
    /// A library of an older version: `cusparseSpMV_preprocess` came with CUDA 12.4, the others with 12.0 or before.
    #[error("{path} has no function {function}: the libraries of CUDA 12.4 and later have it")]
    Lacks {
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
    /// Arrays that are no operands of a product, or sizes that are no 32-bit integers.
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
    loaded: &'static library::Loaded,
    /// Where it was found, and its version.
    pub(crate) description: String,
}

impl Cusparse {
    /// Looks for the library and starts it.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn new(gpu: &Cuda) -> Result<Cusparse> {
        let loaded = library::find()?;
        // Makes the GPU's context the thread's, which the library uses.
        gpu.synchronize()?;
        let mut handle = null_mut();
        // SAFETY: it writes one handle.
        check("starting", unsafe { sys::cusparseCreate(&raw mut handle) })?;
        let mut cusparse = Cusparse { handle, gpu: gpu.clone(), loaded, description: String::new() };
        // SAFETY: the handle is valid, and the stream lives as long as `gpu`.
        check("choosing a stream", unsafe { sys::cusparseSetStream(handle, gpu.raw_stream().cast()) })?;
        let mut version = 0;
        // SAFETY: it writes one integer.
        check("asking for the version", unsafe { sys::cusparseGetVersion(handle, &raw mut version) })?;
        let (major, minor, patch) = (version / 1000, version % 1000 / 100, version % 100);
        cusparse.description = format!("cuSPARSE {major}.{minor}.{patch}: {}", loaded.path);
        Ok(cusparse)
    }
}

impl Drop for Cusparse {
    fn drop(&mut self) {
        // SAFETY: nobody has a call of it any more.
        unsafe { sys::cusparseDestroy(self.handle) };
    }
}

/// A sparse matrix by rows; the columns of a row are in order, and each is there once.
pub(crate) struct Csr<'a, T: Element> {
    pub(crate) dims: [usize; 2],
    pub(crate) pos: &'a DeviceArray<i32>,
    pub(crate) crd: &'a DeviceArray<i32>,
    pub(crate) vals: &'a DeviceArray<T>,
}

impl<T: Element> Clone for Csr<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element> Copy for Csr<'_, T> {}

impl<T: Element> Csr<'_, T> {
    /// Have its arrays the lengths that its sizes ask for?
    fn is_whole(&self) -> bool {
        self.pos.len() == self.dims[0] + 1 && self.crd.len() == self.vals.len()
    }
}

/// An element type of the matrices, `f32` or `f64`, in which is computed as well.
pub(crate) trait Element: Real {
    /// cuSPARSE's name for it.
    const TYPE: sys::cudaDataType;
    /// The size of the buffer for a sum.
    const GEAM_BUFFER: GeamBuffer<Self>;
    /// A sum, whose rows are known.
    const GEAM: Geam<Self>;
    /// The functions of a sum.
    const GEAM_FUNCTIONS: [&'static str; 2];
    /// 1 and 0, on the host, where they stay: what products are multiplied with, and what the old result is.
    fn scalars() -> [*const Self; 2];
}

/// `cusparse<t>csrgeam2_bufferSizeExt`: sizes; α, A; β, B; C; where the size goes.
type GeamBuffer<T> = unsafe fn(
    sys::cusparseHandle_t,
    c_int,
    c_int,
    *const T,
    sys::cusparseMatDescr_t,
    c_int,
    *const T,
    *const c_int,
    *const c_int,
    *const T,
    sys::cusparseMatDescr_t,
    c_int,
    *const T,
    *const c_int,
    *const c_int,
    sys::cusparseMatDescr_t,
    *const T,
    *const c_int,
    *const c_int,
    *mut usize,
) -> Status;

/// `cusparse<t>csrgeam2`: the same, and the buffer.
type Geam<T> = unsafe fn(
    sys::cusparseHandle_t,
    c_int,
    c_int,
    *const T,
    sys::cusparseMatDescr_t,
    c_int,
    *const T,
    *const c_int,
    *const c_int,
    *const T,
    sys::cusparseMatDescr_t,
    c_int,
    *const T,
    *const c_int,
    *const c_int,
    sys::cusparseMatDescr_t,
    *mut T,
    *mut c_int,
    *mut c_int,
    *mut c_void,
) -> Status;

macro_rules! element {
    ($t:ident, $name:ident, $buffer:ident, $geam:ident) => {
        impl Element for $t {
            const TYPE: sys::cudaDataType = sys::cudaDataType::$name;
            const GEAM_BUFFER: GeamBuffer<$t> = sys::$buffer;
            const GEAM: Geam<$t> = sys::$geam;
            const GEAM_FUNCTIONS: [&'static str; 2] = [stringify!($buffer), stringify!($geam)];
            fn scalars() -> [*const $t; 2] {
                static SCALARS: [$t; 2] = [1.0, 0.0];
                [&raw const SCALARS[0], &raw const SCALARS[1]]
            }
        }
    };
}
element!(f32, CUDA_R_32F, cusparseScsrgeam2_bufferSizeExt, cusparseScsrgeam2);
element!(f64, CUDA_R_64F, cusparseDcsrgeam2_bufferSizeExt, cusparseDcsrgeam2);

const NO: sys::cusparseOperation_t = sys::cusparseOperation_t::CUSPARSE_OPERATION_NON_TRANSPOSE;

/// An array's address; the library takes none of nothing for an array without elements too.
fn address<T: sparse_core::scalar::Element>(array: &DeviceArray<T>) -> *mut c_void {
    array.address() as *mut c_void
}

/// The description of a sparse matrix.
struct Sparse(sys::cusparseSpMatDescr_t);

impl Sparse {
    fn new<T: Element>(a: Csr<'_, T>) -> Result<Sparse> {
        const I32: sys::cusparseIndexType_t = sys::cusparseIndexType_t::CUSPARSE_INDEX_32I;
        const FROM_0: sys::cusparseIndexBase_t = sys::cusparseIndexBase_t::CUSPARSE_INDEX_BASE_ZERO;
        let ([rows, cols], entries) = (a.dims.map(|d| d as i64), a.vals.len() as i64);
        let (pos, crd, vals) = (address(a.pos), address(a.crd), address(a.vals));
        let mut made = null_mut();
        // SAFETY: it writes one description, of arrays that have these lengths.
        let status = unsafe {
            let to = &raw mut made;
            sys::cusparseCreateCsr(to, rows, cols, entries, pos, crd, vals, I32, I32, FROM_0, T::TYPE)
        };
        check("describing a sparse matrix", status)?;
        Ok(Sparse(made))
    }
}

impl Drop for Sparse {
    fn drop(&mut self) {
        // SAFETY: nobody else has the description.
        unsafe { sys::cusparseDestroySpMat(self.0) };
    }
}

/// Memory of the library's own. It is kept from call to call, and made anew where more is needed.
#[derive(Default)]
struct Scratch(Option<DeviceArray<u8>>);

impl Scratch {
    /// Its address, if it has at least so many bytes; never null, which would ask for the size.
    fn of(&mut self, gpu: &Cuda, size: usize) -> Result<*mut c_void> {
        if self.0.as_ref().is_none_or(|array| array.len() < size.max(1)) {
            // There may not be room for both.
            self.0 = None;
            // SAFETY: the library alone reads it, after it has written it.
            self.0 = Some(unsafe { DeviceArray::uninitialised(gpu, size.max(1)) }?);
        }
        Ok(self.address())
    }

    fn address(&self) -> *mut c_void {
        self.0.as_ref().map_or(null_mut(), address)
    }
}
