//! What the system's C compiler makes of the plain loops (`loops.c`) with `-O3 -march=native -ffast-math`: compiled
//! when the program starts, on the machine that it measures.

use crate::real::Real;
use crate::view::{Csf3View, CsrView};
use libloading::Library;
use std::ffi::{c_int, c_long};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const SOURCE: &str = include_str!("loops.c");
const OPTIONS: [&str; 5] = ["-O3", "-march=native", "-ffast-math", "-fPIC", "-shared"];

/// `norm_f32`, `norm_f64`
type NormFn<T> = unsafe extern "C" fn(c_long, *const T) -> T;
/// `bilinear_f32`, `bilinear_f64`
type BilinearFn<T> =
    unsafe extern "C" fn(c_long, *const c_int, *const c_int, *const T, *const T, *const T) -> T;
/// `sddmm_f32`, `sddmm_f64`
type SddmmFn<T> =
    unsafe extern "C" fn(c_long, c_long, *const c_int, *const c_int, *const T, *const T, *const T, *mut T);
/// `ttv_f32`, `ttv_f64`
type TtvFn<T> = unsafe extern "C" fn(
    c_long,
    c_long,
    c_long,
    *const c_int,
    *const c_int,
    *const c_int,
    *const c_int,
    *const c_int,
    *const T,
    *const T,
    *mut T,
);
/// `mttkrp_f32`, `mttkrp_f64`
type MttkrpFn<T> = unsafe extern "C" fn(
    c_long,
    c_long,
    c_long,
    *const c_int,
    *const c_int,
    *const c_int,
    *const c_int,
    *const c_int,
    *const T,
    *const T,
    *const T,
    *mut T,
);

/// The loops for one element type.
pub(crate) struct Loops<T> {
    norm: NormFn<T>,
    bilinear: BilinearFn<T>,
    sddmm: SddmmFn<T>,
    ttv: TtvFn<T>,
    mttkrp: MttkrpFn<T>,
}

/// The compiled loops; the library stays for the rest of the program.
pub(crate) struct Gcc {
    single: Loops<f32>,
    double: Loops<f64>,
    /// The compiler that made them.
    pub(crate) compiler: PathBuf,
}

/// An element type that there are loops for.
pub(crate) trait Element: Real {
    /// Those loops.
    fn loops(gcc: &Gcc) -> &Loops<Self>;
}

impl Element for f32 {
    fn loops(gcc: &Gcc) -> &Loops<f32> {
        &gcc.single
    }
}
impl Element for f64 {
    fn loops(gcc: &Gcc) -> &Loops<f64> {
        &gcc.double
    }
}

/// The loops, if there is a compiler; the error says what it says.
pub(crate) fn get() -> Result<&'static Gcc, &'static str> {
    static GCC: OnceLock<Result<Gcc, String>> = OnceLock::new();
    GCC.get_or_init(compile).as_ref().map_err(String::as_str)
}

/// `CC`, then the compilers that the standard options are of.
fn compile() -> Result<Gcc, String> {
    let named = std::env::var_os("CC").map(PathBuf::from);
    let compilers: Vec<PathBuf> = match named {
        Some(compiler) => vec![compiler],
        None => ["gcc", "cc"].map(PathBuf::from).to_vec(),
    };
    let folder = std::env::temp_dir().join(format!("sparse-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut last = String::new();
    let mut made = None;
    for compiler in compilers {
        match library(&compiler, &folder) {
            Ok(library) => {
                made = Some((compiler, library));
                break;
            }
            Err(e) => last = format!("{}: {e}", compiler.display()),
        }
    }
    // What is loaded stays mapped.
    let _ = std::fs::remove_dir_all(&folder);
    let (compiler, library) = made.ok_or(last)?;
    Ok(Gcc { single: loops(library, "f32")?, double: loops(library, "f64")?, compiler })
}

fn library(compiler: &Path, folder: &Path) -> Result<&'static Library, String> {
    let (source, object) = (folder.join("loops.c"), folder.join("loops.so"));
    std::fs::write(&source, SOURCE).map_err(|e| e.to_string())?;
    let out = Command::new(compiler).args(OPTIONS).arg("-o").arg(&object).arg(&source).output();
    let out = out.map_err(|e| e.to_string())?;
    if !out.status.success() {
        let text = String::from_utf8_lossy(&out.stderr);
        return Err(text.lines().next().unwrap_or("failed").to_string());
    }
    // SAFETY: the library has been made from `loops.c` just now, which has no initialisers.
    let library = unsafe { Library::new(&object) }.map_err(|e| e.to_string())?;
    // The library is never unloaded: its functions are called until the program ends.
    Ok(Box::leak(Box::new(library)))
}

fn loops<T>(library: &'static Library, name: &str) -> Result<Loops<T>, String> {
    // SAFETY: the types are those of `loops.c`, and the name is the one for `T`.
    unsafe {
        Ok(Loops {
            norm: symbol(library, &format!("norm_{name}"))?,
            bilinear: symbol(library, &format!("bilinear_{name}"))?,
            sddmm: symbol(library, &format!("sddmm_{name}"))?,
            ttv: symbol(library, &format!("ttv_{name}"))?,
            mttkrp: symbol(library, &format!("mttkrp_{name}"))?,
        })
    }
}

/// # Safety
/// `F` must be the type of the function of that name.
unsafe fn symbol<F: Copy>(library: &'static Library, name: &str) -> Result<F, String> {
    // SAFETY: the caller vouches for the type.
    unsafe { library.get::<F>(name.as_bytes()) }.map(|f| *f).map_err(|e| e.to_string())
}

impl<T: Element> Loops<T> {
    /// The sum of the squares of all entries.
    pub(crate) fn norm(&self, a: CsrView<'_, T>) -> T {
        // SAFETY: there are as many values as is said.
        unsafe { (self.norm)(a.vals.len() as c_long, a.vals.as_ptr()) }
    }

    /// `yᵀ·A·x`
    pub(crate) fn bilinear(&self, a: CsrView<'_, T>, x: &[T], y: &[T]) -> T {
        assert!(x.len() == a.cols && y.len() == a.rows);
        let (pos, crd, vals) = (a.pos.as_ptr(), a.crd.as_ptr(), a.vals.as_ptr());
        // SAFETY: the arrays are those of a matrix, and the vectors have its dimensions.
        unsafe { (self.bilinear)(a.rows as c_long, pos, crd, vals, x.as_ptr(), y.as_ptr()) }
    }

    /// The values of `A ∘ (X·Yᵀ)`.
    pub(crate) fn sddmm(&self, a: CsrView<'_, T>, x: &[T], y: &[T], k: usize) -> Vec<T> {
        assert!(x.len() == a.rows * k && y.len() == a.cols * k);
        let mut vals = Vec::with_capacity(a.crd.len());
        let (pos, crd, of) = (a.pos.as_ptr(), a.crd.as_ptr(), a.vals.as_ptr());
        // SAFETY: the arrays are those of a matrix, the factors have its dimensions; every entry's value is written.
        unsafe {
            let (x, y) = (x.as_ptr(), y.as_ptr());
            (self.sddmm)(a.rows as c_long, k as c_long, pos, crd, of, x, y, vals.as_mut_ptr());
            vals.set_len(a.crd.len());
        }
        vals
    }

    /// `Y[i, j] = A[i, j, k]·x[k]`
    pub(crate) fn ttv(&self, a: Csf3View<'_, T>, x: &[T], y: &mut [T]) {
        let [rows, cols, depth] = a.dims;
        assert!(x.len() == depth && y.len() == rows * cols);
        // SAFETY: the arrays are those of a tensor, and the vector and the result have its dimensions.
        unsafe {
            (self.ttv)(
                a.crd1.len() as c_long,
                rows as c_long,
                cols as c_long,
                a.crd1.as_ptr(),
                a.pos2.as_ptr(),
                a.crd2.as_ptr(),
                a.pos3.as_ptr(),
                a.crd3.as_ptr(),
                a.vals.as_ptr(),
                x.as_ptr(),
                y.as_mut_ptr(),
            );
        }
    }

    /// `M[i, s] = A[i, k, l]·C[k, s]·D[l, s]`
    pub(crate) fn mttkrp(&self, a: Csf3View<'_, T>, c: &[T], d: &[T], r: usize, m: &mut [T]) {
        assert!(c.len() == a.dims[1] * r && d.len() == a.dims[2] * r && m.len() == a.dims[0] * r);
        // SAFETY: the arrays are those of a tensor, and the factors and the result have its dimensions.
        unsafe {
            (self.mttkrp)(
                a.crd1.len() as c_long,
                a.dims[0] as c_long,
                r as c_long,
                a.crd1.as_ptr(),
                a.pos2.as_ptr(),
                a.crd2.as_ptr(),
                a.pos3.as_ptr(),
                a.crd3.as_ptr(),
                a.vals.as_ptr(),
                c.as_ptr(),
                d.as_ptr(),
                m.as_mut_ptr(),
            );
        }
    }
}
