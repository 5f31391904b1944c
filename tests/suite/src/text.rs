//! A device that runs the CUDA text of kernels where there is no GPU: compiled by the machine's C++ compiler, with
//! `text/gpu.h` for what CUDA has and C++ has not. What the simulator says of a program, this says of its text.
//!
//! It checks nothing: kernels run on the simulator first, which sees to it that they stay inside their arrays.

use libloading::Library;
use sparse_core::emit::signature::{CType, Parameter};
use sparse_core::error::{Error, Result};
use sparse_core::format::Buffer;
use sparse_core::scalar::{Element, Value};
use sparse_core::tensor::{Device, Memory};
use sparse_core::typed_each;
use sparse_gpu::launch::{Backend, Kernel, Passed};
use std::collections::HashMap;
use std::ffi::c_void;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

/// Kernels compiled from their text.
#[derive(Clone)]
pub struct Text(Arc<Loaded>);

struct Loaded {
    /// Its fibers are those of one launch.
    library: Mutex<Library>,
    /// Which kernel has this source.
    sources: HashMap<String, usize>,
}

/// A launch in the library: the grid, threads of a block, arguments; 1 if threads wait for each other for ever, 2 if
/// an access is not aligned.
type Run = unsafe extern "C" fn(*const u32, u32, *const *mut c_void) -> i32;

impl Text {
    /// Compiles the launches of kernels, in a folder of one's own.
    ///
    /// # Errors
    /// What the compiler says.
    pub fn compile(kernels: &[&Kernel], folder: &Path) -> Result<Text, String> {
        let mut code = String::from("#include \"gpu.h\"\n");
        let mut sources = HashMap::new();
        for (number, kernel) in kernels.iter().enumerate() {
            let own = kernel.source().replace("extern \"C\" __global__", "static __global__");
            let _ = writeln!(code, "namespace kernel_{number} {{\n{own}}}");
            for (launch, (_, entry)) in kernel.launches().enumerate() {
                let arguments: Vec<_> = entry.parameters.iter().enumerate().map(argument).collect();
                let (name, arguments) = (&entry.name, arguments.join(", "));
                let _ = writeln!(
                    code,
                    "static void entry_{number}_{launch}(void** a) {{ (void)a; kernel_{number}::{name}({arguments}); }}\n\
                     extern \"C\" int run_{number}_{launch}(const unsigned* grid, unsigned threads, void** a) {{\n    \
                     return gpu::launch(entry_{number}_{launch}, grid, threads, a);\n}}"
                );
            }
            sources.insert(kernel.source().to_owned(), number);
        }
        fs::create_dir_all(folder).map_err(|e| e.to_string())?;
        let (from, to) = (folder.join("kernels.cpp"), folder.join("kernels.so"));
        fs::write(folder.join("gpu.h"), include_str!("text/gpu.h")).map_err(|e| e.to_string())?;
        fs::write(&from, code).map_err(|e| e.to_string())?;
        let mut compiler = Command::new("c++");
        compiler.args(["-std=c++17", "-O0", "-ffp-contract=off", "-Wno-unknown-pragmas", "-shared", "-fPIC"]);
        // An index that 32 bits do not hold ends the program.
        compiler.args(["-fsanitize=signed-integer-overflow", "-fsanitize-undefined-trap-on-error"]);
        let output = compiler.arg("-o").arg(&to).arg(&from).output().map_err(|e| format!("c++: {e}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        // SAFETY: the library has no initialisers.
        let library = unsafe { Library::new(&to) }.map_err(|e| e.to_string())?;
        Ok(Text(Arc::new(Loaded { library: Mutex::new(library), sources })))
    }
}

/// An argument of a kernel, from the array of pointers to them all.
fn argument((n, parameter): (usize, &Parameter)) -> String {
    match parameter.ty {
        CType::Const(_) | CType::Mut(_) => format!("({})a[{n}]", parameter.ty),
        CType::Index | CType::Scalar(_) => format!("*(const {}*)a[{n}]", parameter.ty),
    }
}

impl Device for Text {
    type Array<T: Element> = Vec<T>;
}

impl Memory for Text {
    fn upload<T: Element>(&self, host: &Arc<Buffer<T>>) -> Result<Arc<Vec<T>>> {
        Ok(Arc::new(host.to_vec()))
    }

    fn download<T: Element>(&self, array: &Arc<Vec<T>>) -> Result<Arc<Buffer<T>>> {
        Ok(Arc::new(array.iter().copied().collect()))
    }

    fn duplicate<T: Element>(&self, array: &Vec<T>) -> Result<Vec<T>> {
        Ok(array.clone())
    }

    fn len<T: Element>(array: &Vec<T>) -> usize {
        array.len()
    }

    fn shares_memory(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Backend for Text {
    fn number(&self) -> usize {
        0
    }

    fn prepare(&self, _: &Kernel) -> Result<()> {
        Ok(())
    }

    unsafe fn allocate<T: Element>(&self, len: usize, init: Option<T>) -> Result<Vec<T>> {
        // What nobody writes is noticed.
        let unwritten = T::from_value(T::DTYPE.pos_inf()).unwrap_or_default();
        Ok(vec![init.unwrap_or(unwritten); len])
    }

    fn fill<T: Element>(&self, array: &mut Vec<T>, value: T) -> Result<()> {
        array.fill(value);
        Ok(())
    }

    fn read(&self, array: &Vec<i32>, at: usize) -> Result<i32> {
        Ok(array.get(at).copied().unwrap_or_default())
    }

    unsafe fn launch(
        &self,
        kernel: &Kernel,
        launch: usize,
        grid: [u32; 3],
        arguments: Vec<Passed<'_, Self>>,
        _: bool,
    ) -> Result<()> {
        let fails = |what: &str| Error::Internal { kernel: kernel.program().name.clone(), what: what.into() };
        let number = self.0.sources.get(kernel.source()).ok_or_else(|| fails("its text was not compiled"))?;
        let threads = kernel.launches().nth(launch).map(|(_, entry)| entry.threads);
        let threads = threads.ok_or_else(|| fails("it has no such launch"))?;
        // Values of up to eight bytes, which pointers to them pass.
        let mut values: Vec<[u8; 8]> = arguments.iter().map(bytes).collect();
        let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|v| v.as_mut_ptr().cast()).collect();
        for (pointer, argument) in pointers.iter_mut().zip(arguments) {
            match argument {
                Passed::Read(array) => *pointer = typed_each!(array, T: a => a.as_ptr().cast_mut().cast()),
                Passed::Write(array) => *pointer = typed_each!(array, T: a => a.as_mut_ptr().cast()),
                Passed::Index(_) | Passed::Scalar(_) => {}
            }
        }
        let library = self.0.library.lock().unwrap_or_else(PoisonError::into_inner);
        let name = format!("run_{number}_{launch}");
        // SAFETY: `compile` declares it with this type.
        let run = unsafe { library.get::<Run>(name.as_bytes()) }.map_err(|e| fails(&e.to_string()))?;
        // SAFETY: the caller's promise; reads are through pointers to const.
        match unsafe { run(grid.as_ptr(), threads, pointers.as_ptr()) } {
            0 => Ok(()),
            2 => Err(fails("an access is not aligned")),
            _ => Err(fails("its threads wait for each other for ever")),
        }
    }
}

/// A value as it lies in memory.
fn bytes(argument: &Passed<'_, Text>) -> [u8; 8] {
    fn padded<const N: usize>(bytes: [u8; N]) -> [u8; 8] {
        std::array::from_fn(|n| bytes.get(n).copied().unwrap_or_default())
    }
    match *argument {
        Passed::Read(_) | Passed::Write(_) => [0; 8],
        Passed::Index(v) | Passed::Scalar(Value::I32(v)) => padded(v.to_ne_bytes()),
        Passed::Scalar(Value::F32(v)) => padded(v.to_ne_bytes()),
        Passed::Scalar(Value::F64(v)) => padded(v.to_ne_bytes()),
        Passed::Scalar(Value::I64(v)) => padded(v.to_ne_bytes()),
        Passed::Scalar(Value::U8(v)) => padded([v]),
        Passed::Scalar(Value::Bool(v)) => padded([u8::from(v)]),
    }
}
