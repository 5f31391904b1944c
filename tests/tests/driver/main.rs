//! `run-gpu-tests --device cuda` from one end to the other, on a driver whose GPU is this machine's processor: the
//! launcher's order of arguments, their types, grids, and what happens when the GPU is lost.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder with the libraries; it goes when the test ends.
struct Driver(PathBuf);

impl Driver {
    fn new(name: &str) -> Driver {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        // Each kernel is a program that includes it. It is compiled once, with the options of `nvrtc.cpp`: with others the compiler
        // would not take it.
        let header = folder.join("gpu.h");
        std::fs::copy(here.join("suite/src/text/gpu.h"), &header).unwrap();
        let options = "-std=c++17 -O0 -ffp-contract=off -Wno-unknown-pragmas -fPIC";
        let mut command = Command::new("c++");
        command.args(options.split(' ')).args(["-x", "c++-header"]).arg(&header);
        assert!(command.status().expect("a C++ compiler").success(), "{command:?}");
        let defined = format!("-DGPU_H=\"{}\"", header.display());
        for (compiler, source, library) in
            [("cc", "driver.c", "libcuda.so"), ("c++", "nvrtc.cpp", "libnvrtc.so.12")]
        {
            let mut command = Command::new(compiler);
            command.args(["-shared", "-fPIC", "-O1", "-o"]).arg(folder.join(library));
            command.arg(&defined).arg(here.join("tests/driver").join(source));
            if compiler == "c++" {
                command.arg("-std=c++17");
            }
            assert!(command.status().expect("a C and a C++ compiler").success(), "{command:?}");
        }
        Driver(folder)
    }

    /// Runs the program with this driver: did it succeed, and what it printed.
    fn run(&self, settings: &str, arguments: &[&str]) -> (bool, String) {
        printed(self.command(settings, arguments))
    }

    fn command(&self, settings: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_run-gpu-tests"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own = [self.0.join("bin")].into_iter().chain(std::env::split_paths(&path));
        command
            .args(arguments)
            .env("PATH", std::env::join_paths(own).unwrap())
            .env("LD_LIBRARY_PATH", &self.0)
            .env("SPARSE_NVRTC", self.0.join("libnvrtc.so.12"))
            .env("FAKE_FOLDER", &self.0)
            .env("FAKE_CUDA_TRACE", self.0.join("trace"))
            .env("FAKE_CUDA", format!("memory=100000000,{settings}"));
        command
    }
}

fn printed(mut command: Command) -> (bool, String) {
    let output = command.output().expect("it starts");
    let text = [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).concat();
    (output.status.success(), text)
}

impl Drop for Driver {
    fn drop(&mut self) {
        // What stays behind is in nobody's way.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn kernels_run_through_the_driver() {
    let driver = Driver::new("runs");
    let kernels = driver.0.join("kernels");
    std::fs::create_dir(&kernels).unwrap();
    // Those with schedules for GPUs: each is compiled anew.
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/in")).unwrap() {
        let (from, name) = entry.map(|e| (e.path(), e.file_name())).unwrap();
        if name.to_string_lossy().contains("_gpu_") {
            std::fs::copy(from, kernels.join(name)).unwrap();
        }
    }
    let kernels = kernels.to_string_lossy();
    let (passed, text) = driver.run("", &["--cases", "12", "--kernels", &kernels, "--inputs", "uniform"]);
    assert!(text.starts_with("device: Fake 0, compute capability 9.0, driver for CUDA 12.8\n"), "{text}");
    assert!(!text.contains("kernels on inputs: 0 passed"), "{text}");
    assert!(
        passed
            && text.contains("\nrandom kernels: 12 passed, 0 failed")
            && text.ends_with(" passed, 0 failed\n"),
        "{text}"
    );
    // `Deterministic` is two launches, one after another.
    let calls = std::fs::read_to_string(driver.0.join("trace")).unwrap();
    assert!(calls.lines().any(|call| call == "early"));
}

#[test]
fn what_the_sanitizer_finds_fails() {
    let driver = Driver::new("checked");
    let tool = driver.0.join("bin/compute-sanitizer");
    std::fs::create_dir(driver.0.join("bin")).unwrap();
    // Called with: --tool memcheck --error-exitcode 86 --log-file FILE PROGRAM ARGUMENT…
    let script = "#!/bin/sh\nshift 3; code=$1; log=$3; shift 3\n\"$@\" || exit\n\
                  echo '========= Invalid write in case_0' > \"$log\"; exit $code\n";
    std::fs::write(&tool, script).unwrap();
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    let logs = driver.0.join("logs");
    let logs = logs.to_string_lossy();
    let options =
        ["--sanitizer", "memcheck", "--cases", "2", "--workers", "1", "--inputs", "none", "--out", &logs];
    let (passed, text) = driver.run("", &options);
    assert!(!passed && text.contains("\n2 passed, 1 failed\n"), "{text}");
    assert!(text.contains("memcheck-0.log\n// ========= Invalid write in case_0\n"), "{text}");
}

#[test]
fn a_lost_gpu_is_reported_with_what_it_ran() {
    let (passed, text) = Driver::new("lost").run("fault=719", &["--cases", "2", "--inputs", "none"]);
    assert!(!passed && text.contains("\n0 passed, 2 failed\n"), "{text}");
    let broken = text.split_once("// broken: seed 1, case ").and_then(|(_, rest)| rest.split_once('\n'));
    assert!(broken.is_some_and(|(_, kernel)| kernel.starts_with("tensor_kernel! {")), "{text}");
    assert!(text.contains("CUDA_ERROR_LAUNCH_FAILED"), "{text}");
}

#[test]
fn what_is_compiled_ahead_is_kept() {
    let driver = Driver::new("ahead");
    let compile = |cache: &Path| {
        let options = ["--device", "sim", "--compile", "90", "--cases", "3", "--inputs", "none"];
        let mut command = driver.command("", &options);
        command.env("SPARSE_CACHE", cache);
        printed(command)
    };
    let (kept, text) = compile(&driver.0.join("cache"));
    assert!(kept && text.ends_with("\n3 passed, 0 failed\n"), "{text}");
    assert!(std::fs::read_dir(driver.0.join("cache")).unwrap().count() > 3);
    // A file is no folder.
    let (kept, text) = compile(&driver.0.join("gpu.h"));
    assert!(!kept && text.ends_with(": set SPARSE_CACHE to a folder that can be written\n"), "{text}");
    assert!(!text.contains("passed"), "{text}");
}
