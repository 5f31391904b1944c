//! Libraries that are none, and processes that find them instead of the real ones.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// What a test's process finds.
pub struct Fake {
    test: &'static str,
    cuda: &'static str,
    nvrtc: &'static str,
    define: Option<&'static str>,
    has_driver: bool,
    has_nvrtc: bool,
}

impl Fake {
    /// A driver with two GPUs and an NVRTC, for the test of this name, module included.
    pub fn new(test: &'static str) -> Fake {
        Fake { test, cuda: "", nvrtc: "", define: None, has_driver: true, has_nvrtc: true }
    }

    /// What goes wrong in the driver.
    pub fn cuda(self, settings: &'static str) -> Fake {
        Fake { cuda: settings, ..self }
    }

    /// What goes wrong in NVRTC.
    pub fn nvrtc(self, settings: &'static str) -> Fake {
        Fake { nvrtc: settings, ..self }
    }

    /// How the driver is compiled.
    pub fn define(self, name: &'static str) -> Fake {
        Fake { define: Some(name), ..self }
    }

    /// No driver, even if the machine has one.
    pub fn without_driver(self) -> Fake {
        Fake { has_driver: false, ..self }
    }

    /// No NVRTC, even if the machine has one.
    pub fn without_nvrtc(self) -> Fake {
        Fake { has_nvrtc: false, ..self }
    }
}

/// Runs the rest of a test in a process that finds the fake libraries.
pub fn with(fake: Fake, test: impl FnOnce()) {
    const CHILD: &str = "SPARSE_FAKE_CHILD";
    if std::env::var_os(CHILD).is_some() {
        return test();
    }
    let folder = Folder::new();
    let at = |name: &str| folder.0.join(name);
    if fake.has_driver {
        compile("cuda.c", fake.define, &at("libcuda.so"));
    } else {
        // The loader stops at a file that is no library: it does not go on to the machine's own.
        for name in ["libcuda.so", "libcuda.so.1", "libcuda.so.12"] {
            std::fs::write(at(name), "no library").unwrap();
        }
    }
    if fake.has_nvrtc {
        compile("nvrtc.c", None, &at("libnvrtc.so.12"));
    } else {
        std::fs::write(at("libnvrtc.so.12"), "no library").unwrap();
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args([fake.test, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .env("LD_LIBRARY_PATH", &folder.0)
        .env("SPARSE_NVRTC", at("libnvrtc.so.12"))
        .env("SPARSE_CACHE", at("cache"))
        .env("FAKE_CUDA", fake.cuda)
        .env("FAKE_NVRTC", fake.nvrtc)
        .env("FAKE_CUDA_TRACE", at("trace"))
        .env("FAKE_NVRTC_TRACE", at("compiled"))
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).concat();
    assert!(output.status.success() && text.contains("1 passed"), "{}\n{text}", output.status);
}

/// The driver's calls so far, those that its source writes down.
pub fn trace() -> Vec<String> {
    lines("FAKE_CUDA_TRACE")
}

/// The options of each compilation so far.
pub fn compiled() -> Vec<String> {
    lines("FAKE_NVRTC_TRACE")
}

fn lines(variable: &str) -> Vec<String> {
    let text = std::fs::read_to_string(std::env::var_os(variable).unwrap()).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// What goes wrong in the driver from now on.
pub fn set_cuda(settings: &str) {
    // SAFETY: the process runs one test, in one thread.
    unsafe { std::env::set_var("FAKE_CUDA", settings) };
}

/// What goes wrong in NVRTC from now on.
pub fn set_nvrtc(settings: &str) {
    // SAFETY: as above.
    unsafe { std::env::set_var("FAKE_NVRTC", settings) };
}

/// The cache's folder from now on; none turns it off.
pub fn set_cache(folder: Option<&Path>) {
    // SAFETY: as above.
    unsafe { std::env::set_var("SPARSE_CACHE", folder.unwrap_or(Path::new(""))) };
}

/// A library from a C source beside this file.
fn compile(source: &str, define: Option<&str>, to: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fakes").join(source);
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-O1", "-o"]).arg(to).arg(source).args(define.map(|d| format!("-D{d}")));
    let status = cc.status().expect("a C compiler, `cc`, which Rust links with too");
    assert!(status.success(), "{cc:?}");
}

/// A folder that is gone when the test is.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fake-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What stays behind is in nobody's way.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
