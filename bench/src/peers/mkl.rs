//! Intel MKL's inspector-executor sparse BLAS, loaded at run time where it is found, with 32-bit indices: the sequential
//! layer, or where several threads are measured its own threads.
//!
//! It has no product by elements, no SDDMM and no tensors.

use crate::real::Real;
use crate::view::CsrView;
use libloading::{Library, Symbol};
use std::ffi::{c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null_mut, slice_from_raw_parts};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

type Handle = *mut c_void;

const NON_TRANSPOSE: c_int = 10;
const TRANSPOSE: c_int = 11;
const ROW_MAJOR: c_int = 101;
const INTEL_THREADS: c_int = 0;
const SEQUENTIAL: c_int = 1;
/// How long MKL's threads wait for their next loop before they sleep, in milliseconds. By default it is longer than a
/// turn, and they would take the processor from whoever comes next.
const SPINNING: c_int = 1;
const LP64: c_int = 0;
/// Calls that MKL may expect, for what it spends on inspection.
const MANY_CALLS: c_int = 1000;

/// `struct matrix_descr`: type, fill mode, diagonal.
#[repr(C)]
#[derive(Clone, Copy)]
struct Description(c_int, c_int, c_int);

/// SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL, SPARSE_DIAG_NON_UNIT
const GENERAL: Description = Description(20, 42, 50);

/// The entry points for one element type.
pub(crate) struct Functions<T> {
    create_csr: unsafe extern "C" fn(
        *mut Handle,
        c_int,
        c_int,
        c_int,
        *const i32,
        *const i32,
        *const i32,
        *const T,
    ) -> c_int,
    mv: unsafe extern "C" fn(c_int, T, Handle, Description, *const T, T, *mut T) -> c_int,
    #[allow(clippy::type_complexity)]
    mm: unsafe extern "C" fn(
        c_int,
        T,
        Handle,
        Description,
        c_int,
        *const T,
        c_int,
        c_int,
        T,
        *mut T,
        c_int,
    ) -> c_int,
    /// Elements, vectors, and how far their elements are apart.
    dot: unsafe extern "C" fn(c_int, *const T, c_int, *const T, c_int) -> T,
    add: unsafe extern "C" fn(c_int, Handle, T, Handle, *mut Handle) -> c_int,
    #[allow(clippy::type_complexity)]
    export_csr: unsafe extern "C" fn(
        Handle,
        *mut c_int,
        *mut c_int,
        *mut c_int,
        *mut *const i32,
        *mut *const i32,
        *mut *const i32,
        *mut *const T,
    ) -> c_int,
    set_mv_hint: unsafe extern "C" fn(Handle, c_int, Description, c_int) -> c_int,
    set_mm_hint: unsafe extern "C" fn(Handle, c_int, Description, c_int, c_int, c_int) -> c_int,
    optimize: unsafe extern "C" fn(Handle) -> c_int,
    spmm: unsafe extern "C" fn(c_int, Handle, Handle, *mut Handle) -> c_int,
    order: unsafe extern "C" fn(Handle) -> c_int,
    destroy: unsafe extern "C" fn(Handle) -> c_int,
}

/// The library, once it is loaded; it stays for the rest of the program.
pub(crate) struct Mkl {
    single: Functions<f32>,
    double: Functions<f64>,
    set_num_threads: unsafe extern "C" fn(c_int),
    set_blocktime: Option<unsafe extern "C" fn(c_int)>,
    /// Where it was found.
    pub(crate) path: PathBuf,
}

/// An element type that MKL has functions for.
pub(crate) trait Element: Real {
    /// Those functions.
    fn functions(mkl: &Mkl) -> &Functions<Self>;
}

impl Element for f32 {
    fn functions(mkl: &Mkl) -> &Functions<f32> {
        &mkl.single
    }
}
impl Element for f64 {
    fn functions(mkl: &Mkl) -> &Functions<f64> {
        &mkl.double
    }
}

/// The library, if it is there; the error says what was tried.
pub(crate) fn get() -> Result<&'static Mkl, &'static str> {
    static MKL: OnceLock<Result<Mkl, String>> = OnceLock::new();
    MKL.get_or_init(load).as_ref().map_err(String::as_str)
}

/// Will several threads be measured? To be said before the library is loaded.
static THREADED: AtomicBool = AtomicBool::new(false);

/// Several threads will be measured; to be called before [`get`].
pub(crate) fn expect_threads() {
    THREADED.store(true, Ordering::Relaxed);
}

impl Mkl {
    /// The threads of calls from this thread on.
    pub(crate) fn set_threads(&self, count: usize) {
        // SAFETY: the functions are those of the library, and take any number.
        unsafe {
            (self.set_num_threads)(c_int::try_from(count).unwrap_or(c_int::MAX));
            if let Some(set_blocktime) = self.set_blocktime {
                set_blocktime(SPINNING);
            }
        }
    }
}

fn load() -> Result<Mkl, String> {
    let mut last = String::new();
    for path in candidates() {
        // SAFETY: the file is the MKL that the user installed or named; its initialisers are what loading it means.
        match unsafe { Library::new(&path) } {
            Ok(library) => return bind(library, path),
            Err(e) => last = e.to_string(),
        }
    }
    Err(format!("set SPARSE_MKL to libmkl_rt or its folder, or `pip install mkl` ({last})"))
}

/// `SPARSE_MKL`, then the active environment, MKL's own folder, every Python on the path, and the system's search.
fn candidates() -> Vec<PathBuf> {
    const NAMES: [&str; 4] = ["libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"];
    let mut folders = vec![];
    let mut paths = vec![];
    if let Some(named) = std::env::var_os("SPARSE_MKL").map(PathBuf::from) {
        if named.is_file() { paths.push(named) } else { folders.extend([named.join("lib"), named]) }
    }
    for variable in ["VIRTUAL_ENV", "CONDA_PREFIX", "MKLROOT"] {
        folders.extend(std::env::var_os(variable).map(|v| PathBuf::from(v).join("lib")));
    }
    folders.extend(std::env::var_os("HOME").map(|v| PathBuf::from(v).join(".local/lib")));
    for bin in std::env::var_os("PATH").iter().flat_map(std::env::split_paths) {
        if bin.join("python3").exists() {
            folders.extend(bin.parent().map(|prefix| prefix.join("lib")));
        }
    }
    folders.push("/opt/intel/oneapi/mkl/latest/lib".into());
    paths.extend(folders.iter().flat_map(|f| NAMES.iter().map(|n| f.join(n))).filter(|p| p.is_file()));
    paths.extend(NAMES.iter().map(PathBuf::from));
    paths
}

/// Intel's threads, from the library's own folder or wherever the system finds them. MKL's threading layer names no
/// library that has its symbols: they have to be everybody's.
#[cfg(unix)]
fn intel_threads(beside: &Path) -> Result<&'static Library, String> {
    use libloading::os::unix;
    const NAME: &str = "libiomp5.so";
    let own = beside.parent().map(|folder| folder.join(NAME)).filter(|p| p.is_file());
    let path = own.unwrap_or_else(|| NAME.into());
    // SAFETY: the file belongs to the MKL that the user installed or named.
    let library = unsafe { unix::Library::open(Some(path), unix::RTLD_NOW | unix::RTLD_GLOBAL) };
    Ok(Box::leak(Box::new(library.map_err(|e| e.to_string())?.into())))
}

/// Its threads are not looked for.
#[cfg(not(unix))]
fn intel_threads(_: &Path) -> Result<&'static Library, String> {
    Err("several threads of MKL are measured on Unix alone".to_string())
}

fn bind(library: Library, path: PathBuf) -> Result<Mkl, String> {
    // The library is never unloaded: its functions are called until the program ends.
    let library: &'static Library = Box::leak(Box::new(library));
    let threaded = THREADED.load(Ordering::Relaxed);
    let openmp = if threaded { Some(intel_threads(&path)?) } else { None };
    // SAFETY: the signatures are those of `mkl_service.h`, LP64, and of Intel's OpenMP.
    let (set_num_threads, set_blocktime) = unsafe {
        let layer: Symbol<'_, unsafe extern "C" fn(c_int) -> c_int> =
            symbol(library, "MKL_Set_Threading_Layer")?;
        layer(if threaded { INTEL_THREADS } else { SEQUENTIAL });
        let interface: Symbol<'_, unsafe extern "C" fn(c_int) -> c_int> =
            symbol(library, "MKL_Set_Interface_Layer")?;
        interface(LP64);
        let threads: Symbol<'_, unsafe extern "C" fn(c_int)> = symbol(library, "MKL_Set_Num_Threads")?;
        threads(1);
        let blocktime = openmp.and_then(|openmp| symbol(openmp, "kmp_set_blocktime").ok());
        (*threads, blocktime.map(|f: Symbol<'_, unsafe extern "C" fn(c_int)>| *f))
    };
    let (single, double) = (functions(library, "s")?, functions(library, "d")?);
    Ok(Mkl { single, double, set_num_threads, set_blocktime, path })
}

/// # Safety
/// `F` must be the type of the function of that name.
unsafe fn symbol<F>(library: &'static Library, name: &str) -> Result<Symbol<'static, F>, String> {
    // SAFETY: the caller vouches for the type.
    unsafe { library.get(name.as_bytes()) }.map_err(|e| e.to_string())
}

fn functions<T: Element>(library: &'static Library, letter: &str) -> Result<Functions<T>, String> {
    // SAFETY: the signatures are those of `mkl_spblas.h` and `mkl_cblas.h`, LP64, and the letter is the one for `T`.
    unsafe {
        Ok(Functions {
            create_csr: *symbol(library, &format!("mkl_sparse_{letter}_create_csr"))?,
            mv: *symbol(library, &format!("mkl_sparse_{letter}_mv"))?,
            mm: *symbol(library, &format!("mkl_sparse_{letter}_mm"))?,
            dot: *symbol(library, &format!("cblas_{letter}dot"))?,
            add: *symbol(library, &format!("mkl_sparse_{letter}_add"))?,
            export_csr: *symbol(library, &format!("mkl_sparse_{letter}_export_csr"))?,
            set_mv_hint: *symbol(library, "mkl_sparse_set_mv_hint")?,
            set_mm_hint: *symbol(library, "mkl_sparse_set_mm_hint")?,
            optimize: *symbol(library, "mkl_sparse_optimize")?,
            spmm: *symbol(library, "mkl_sparse_spmm")?,
            order: *symbol(library, "mkl_sparse_order")?,
            destroy: *symbol(library, "mkl_sparse_destroy")?,
        })
    }
}

/// `Σ x[i]·y[i]`
pub(crate) fn dot<T: Element>(mkl: &Mkl, x: &[T], y: &[T]) -> T {
    assert!(x.len() == y.len() && i32::try_from(x.len()).is_ok());
    // SAFETY: both have this many elements, one after another.
    unsafe { (T::functions(mkl).dot)(x.len() as c_int, x.as_ptr(), 1, y.as_ptr(), 1) }
}

/// A matrix in MKL's hands: over the shared arrays, or made by MKL.
pub(crate) struct Matrix<'a, T: Element> {
    functions: &'static Functions<T>,
    handle: Handle,
    rows: usize,
    cols: usize,
    of: std::marker::PhantomData<&'a [T]>,
}

impl<'a, T: Element> Matrix<'a, T> {
    /// Over the shared arrays; `None` if MKL refuses.
    pub(crate) fn new(mkl: &'static Mkl, a: CsrView<'a, T>) -> Option<Self> {
        let functions = T::functions(mkl);
        let mut handle = null_mut();
        let (rows, cols) = (i32::try_from(a.rows).ok()?, i32::try_from(a.cols).ok()?);
        // SAFETY: the arrays have the lengths that CSR says, and outlive the matrix. MKL does not write to them.
        let status = unsafe {
            let (pos, crd, vals) = (a.pos.as_ptr(), a.crd.as_ptr(), a.vals.as_ptr());
            (functions.create_csr)(&mut handle, 0, rows, cols, pos, pos.add(1), crd, vals)
        };
        (status == 0).then_some(Matrix {
            functions,
            handle,
            rows: a.rows,
            cols: a.cols,
            of: std::marker::PhantomData,
        })
    }

    /// Lets MKL inspect the matrix for many products with `columns` columns (a vector: `None`).
    pub(crate) fn optimize(self, columns: Option<usize>) -> Self {
        let f = self.functions;
        // SAFETY: the handle is valid. A hint that MKL does not take leaves the matrix as it is.
        unsafe {
            match columns {
                None => (f.set_mv_hint)(self.handle, NON_TRANSPOSE, GENERAL, MANY_CALLS),
                Some(n) => {
                    (f.set_mm_hint)(self.handle, NON_TRANSPOSE, GENERAL, ROW_MAJOR, n as c_int, MANY_CALLS)
                }
            };
            (f.optimize)(self.handle);
        }
        self
    }

    /// `y = A·x`
    pub(crate) fn mv(&self, x: &[T], y: &mut [T]) {
        assert!(x.len() == self.cols && y.len() == self.rows);
        let one = T::from_f64(1.0);
        // SAFETY: the vectors have the matrix's dimensions.
        unsafe {
            (self.functions.mv)(NON_TRANSPOSE, one, self.handle, GENERAL, x.as_ptr(), T::ZERO, y.as_mut_ptr())
        };
    }

    /// `C = A·B`, dense matrices of `n` columns by rows
    pub(crate) fn mm(&self, b: &[T], n: usize, c: &mut [T]) {
        assert!(b.len() == self.cols * n && c.len() == self.rows * n);
        let (one, width) = (T::from_f64(1.0), n as c_int);
        let (b, c) = (b.as_ptr(), c.as_mut_ptr());
        // SAFETY: the matrices have these dimensions, and rows follow each other without a gap.
        unsafe {
            (self.functions.mm)(
                NON_TRANSPOSE,
                one,
                self.handle,
                GENERAL,
                ROW_MAJOR,
                b,
                width,
                width,
                T::ZERO,
                c,
                width,
            )
        };
    }

    /// `A + B`; `None` if MKL refuses.
    pub(crate) fn add(&self, other: &Self) -> Option<Matrix<'static, T>> {
        let mut handle = null_mut();
        // SAFETY: both handles are valid.
        let status = unsafe {
            (self.functions.add)(NON_TRANSPOSE, self.handle, T::from_f64(1.0), other.handle, &mut handle)
        };
        let Matrix { functions, rows, cols, .. } = *self;
        (status == 0).then_some(Matrix { functions, handle, rows, cols, of: std::marker::PhantomData })
    }

    /// `A·B`, its rows in order; `None` if MKL refuses.
    pub(crate) fn product(&self, other: &Self) -> Option<Matrix<'static, T>> {
        self.multiplied(NON_TRANSPOSE, self.rows, other)
    }

    /// `Aᵀ·B`, likewise.
    pub(crate) fn product_of_transpose(&self, other: &Self) -> Option<Matrix<'static, T>> {
        self.multiplied(TRANSPOSE, self.cols, other)
    }

    fn multiplied(&self, operation: c_int, rows: usize, other: &Self) -> Option<Matrix<'static, T>> {
        let mut handle = null_mut();
        // SAFETY: both handles are valid; what is ordered is what the product made.
        let status = unsafe {
            match (self.functions.spmm)(operation, self.handle, other.handle, &mut handle) {
                0 => (self.functions.order)(handle),
                refused => refused,
            }
        };
        let (functions, cols) = (self.functions, other.cols);
        (status == 0).then_some(Matrix { functions, handle, rows, cols, of: std::marker::PhantomData })
    }

    /// The arrays `pos`, `crd`, `vals`, sorted by rows; `None` if MKL refuses.
    pub(crate) fn parts(&self) -> Option<(Vec<i32>, &[i32], &[T])> {
        let (mut base, mut rows, mut cols) = (0, 0, 0);
        let (mut start, mut end, mut crd, mut vals) =
            (std::ptr::null(), std::ptr::null(), std::ptr::null(), std::ptr::null());
        // SAFETY: the handle is valid; MKL gives the lengths that CSR says for the arrays it returns, which live as
        // long as the handle. Rows follow each other without a gap in what it makes itself.
        unsafe {
            (self.functions.order)(self.handle);
            let status = (self.functions.export_csr)(
                self.handle,
                &mut base,
                &mut rows,
                &mut cols,
                &mut start,
                &mut end,
                &mut crd,
                &mut vals,
            );
            if status != 0 || base != 0 || start.is_null() || rows as usize != self.rows {
                return None;
            }
            let mut pos = vec![0];
            pos.extend_from_slice(&*slice_from_raw_parts(end, self.rows));
            let stored = *pos.last()? as usize;
            if stored == 0 {
                return Some((pos, &[], &[]));
            }
            Some((pos, &*slice_from_raw_parts(crd, stored), &*slice_from_raw_parts(vals, stored)))
        }
    }
}

impl<T: Element> Drop for Matrix<'_, T> {
    fn drop(&mut self) {
        // SAFETY: the handle is valid, and is not used again.
        unsafe { (self.functions.destroy)(self.handle) };
    }
}
