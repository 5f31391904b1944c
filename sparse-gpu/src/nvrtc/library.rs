//! The library's functions, and a program that it compiles. All `unsafe` of NVRTC is here.

use super::{Compiled, JitError, Version};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

type Code = c_int;
type Handle = *mut c_void;

const SUCCESS: Code = 0;

/// The loaded library's functions.
pub(super) struct Library {
    pub(super) path: PathBuf,
    pub(super) version: Version,
    pub(super) architectures: Vec<u32>,
    functions: Functions,
    /// After the functions: they are gone when it is unloaded. Beside it the builtins' library, if we loaded that.
    _loaded: Vec<libloading::Library>,
}

/// The parameters are the C header's, of which all versions agree.
struct Functions {
    error_string: unsafe extern "C" fn(Code) -> *const c_char,
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Code,
    num_archs: unsafe extern "C" fn(*mut c_int) -> Code,
    archs: unsafe extern "C" fn(*mut c_int) -> Code,
    create: unsafe extern "C" fn(
        *mut Handle,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Code,
    destroy: unsafe extern "C" fn(*mut Handle) -> Code,
    compile: unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> Code,
    cubin_size: unsafe extern "C" fn(Handle, *mut usize) -> Code,
    cubin: unsafe extern "C" fn(Handle, *mut c_char) -> Code,
    log_size: unsafe extern "C" fn(Handle, *mut usize) -> Code,
    log: unsafe extern "C" fn(Handle, *mut c_char) -> Code,
}

impl Functions {
    fn find(library: &libloading::Library) -> Result<Self, libloading::Error> {
        /// The function of this name, of the type that the caller expects.
        fn get<F: Copy>(library: &libloading::Library, name: &str) -> Result<F, libloading::Error> {
            // SAFETY: the types are the C header's; a pointer is used only while the library is loaded.
            unsafe { library.get::<F>(name) }.map(|f| *f)
        }
        Ok(Functions {
            error_string: get(library, "nvrtcGetErrorString")?,
            version: get(library, "nvrtcVersion")?,
            num_archs: get(library, "nvrtcGetNumSupportedArchs")?,
            archs: get(library, "nvrtcGetSupportedArchs")?,
            create: get(library, "nvrtcCreateProgram")?,
            destroy: get(library, "nvrtcDestroyProgram")?,
            compile: get(library, "nvrtcCompileProgram")?,
            cubin_size: get(library, "nvrtcGetCUBINSize")?,
            cubin: get(library, "nvrtcGetCUBIN")?,
            log_size: get(library, "nvrtcGetProgramLogSize")?,
            log: get(library, "nvrtcGetProgramLog")?,
        })
    }
}

impl Library {
    /// Loads it, or says why not.
    pub(super) fn open(path: &Path) -> Result<Library, String> {
        // SAFETY: NVRTC's initialisers are those that any program of CUDA runs.
        let library = unsafe { libloading::Library::new(path) }.map_err(|e| e.to_string())?;
        let functions = Functions::find(&library).map_err(|e| e.to_string())?;
        let mut loaded = vec![library];
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: each writes one integer, or two.
        let codes = unsafe {
            [(functions.version)(&raw mut major, &raw mut minor), (functions.num_archs)(&raw mut count)]
        };
        if codes != [SUCCESS; 2] || major < 0 || minor < 0 || count < 0 {
            return Err("it does not tell its version".into());
        }
        let mut architectures = vec![0; count as usize];
        // SAFETY: there is room for so many.
        if unsafe { (functions.archs)(architectures.as_mut_ptr()) } != SUCCESS {
            return Err("it does not tell what it compiles for".into());
        }
        let mut architectures: Vec<u32> =
            architectures.into_iter().filter_map(|a| u32::try_from(a).ok()).collect();
        architectures.sort_unstable();
        let version = (major as u32, minor as u32);
        loaded.extend(builtins(path, version));
        Ok(Library { path: path.to_path_buf(), version, architectures, functions, _loaded: loaded })
    }

    fn error(&self, code: Code) -> String {
        // SAFETY: it gives a constant string for every code.
        let text = unsafe { (self.functions.error_string)(code) };
        if text.is_null() {
            return format!("error {code}");
        }
        // SAFETY: a constant C string.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}

/// The library that NVRTC opens by name when it compiles. It lies beside NVRTC, where the loader need not look: version
/// 13 has no path of its own in it. Once it is loaded, NVRTC finds it. A folder may have those of several versions.
fn builtins(nvrtc: &Path, (major, minor): Version) -> Option<libloading::Library> {
    let folder = nvrtc.parent().filter(|p| !p.as_os_str().is_empty())?;
    let entries = std::fs::read_dir(folder).ok()?;
    let own = format!("libnvrtc-builtins.so.{major}.{minor}");
    let name = |p: &Path| p.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let all = entries.filter_map(|e| Some(e.ok()?.path()));
    let all = all.filter(|p| name(p).starts_with("libnvrtc-builtins.so"));
    // One without a version is whichever is installed.
    let path = all.min_by_key(|p| match name(p) {
        n if n == own || n.starts_with(&format!("{own}.")) => (0, n),
        n if n == "libnvrtc-builtins.so" => (1, n),
        n => (2, n),
    })?;
    // SAFETY: it holds data, and NVRTC would load it itself.
    unsafe { libloading::Library::new(path) }.ok()
}

/// A source that is being compiled.
pub(super) struct Program<'a> {
    library: &'a Library,
    handle: Handle,
}

impl<'a> Program<'a> {
    pub(super) fn new(library: &'a Library, source: &str, name: &str) -> Result<Self, JitError> {
        let text =
            |s: &str| CString::new(s).map_err(|_| JitError { log: "a zero byte in the source".into() });
        let (source, name) = (text(source)?, text(name)?);
        let mut handle: Handle = std::ptr::null_mut();
        let none = std::ptr::null();
        // SAFETY: it copies two C strings and writes one handle.
        let code = unsafe {
            (library.functions.create)(&raw mut handle, source.as_ptr(), name.as_ptr(), 0, none, none)
        };
        if code == SUCCESS {
            Ok(Program { library, handle })
        } else {
            Err(JitError { log: library.error(code) })
        }
    }

    pub(super) fn compile(&mut self, options: &[&str]) -> Result<Compiled, JitError> {
        let f = &self.library.functions;
        let options: Result<Vec<CString>, _> = options.iter().map(|o| CString::new(*o)).collect();
        let options = options.map_err(|_| JitError { log: "a zero byte in an option".into() })?;
        let pointers: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        // SAFETY: the program lives, and the pointers are to C strings.
        let code = unsafe { (f.compile)(self.handle, pointers.len() as c_int, pointers.as_ptr()) };
        let log = self.read(f.log_size, f.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log).trim_matches(['\0', '\n', ' ']).to_owned();
        let failed =
            |code| JitError { log: if log.is_empty() { self.library.error(code) } else { log.clone() } };
        if code != SUCCESS {
            return Err(failed(code));
        }
        let cubin = self.read(f.cubin_size, f.cubin).map_err(failed)?;
        Ok(Compiled { cubin, log })
    }

    /// Bytes that NVRTC hands out by two functions.
    fn read(
        &self,
        size: unsafe extern "C" fn(Handle, *mut usize) -> Code,
        bytes: unsafe extern "C" fn(Handle, *mut c_char) -> Code,
    ) -> Result<Vec<u8>, Code> {
        let mut len = 0usize;
        // SAFETY: the program lives; it writes one integer.
        let code = unsafe { size(self.handle, &raw mut len) };
        if code != SUCCESS {
            return Err(code);
        }
        let mut read = vec![0u8; len];
        // SAFETY: there is room for as many bytes as it said.
        let code = unsafe { bytes(self.handle, read.as_mut_ptr().cast()) };
        if code == SUCCESS { Ok(read) } else { Err(code) }
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: the program lives, and nobody uses it after. It can fail only for an invalid handle.
        let _ = unsafe { (self.library.functions.destroy)(&raw mut self.handle) };
    }
}
