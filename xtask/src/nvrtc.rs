//! `cargo xtask nvrtc`: NVIDIA's compiler library from PyPI, in the target folder, where none is installed.
//!
//! Neither the system nor any Python environment is changed: pip installs into a folder of its own.

use crate::shell::{Done, root};
use sparse_gpu::nvrtc::Compiler;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A wheel, its version, and where its libraries are below the folder that it is installed in.
struct Wheel {
    package: &'static str,
    version: &'static str,
    libraries: &'static str,
}

const CUDA_12: Wheel =
    Wheel { package: "nvidia-cuda-nvrtc-cu12", version: "12.9.86", libraries: "nvidia/cuda_nvrtc/lib" };
const CUDA_13: Wheel =
    Wheel { package: "nvidia-cuda-nvrtc", version: "13.0.88", libraries: "nvidia/cu13/lib" };

/// Options of `cargo xtask nvrtc`.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Installs versions 12 and 13, whatever the machine has.
    #[arg(long)]
    full: bool,
}

/// Prints where NVRTC is, and installs it where it is not.
pub(crate) fn run(args: &Args) -> Done {
    let found = if args.full { every_version()? } else { vec![any_version()?] };
    for nvrtc in found {
        println!("{nvrtc:?}, for {:?}", nvrtc.architectures());
    }
    Ok(())
}

/// The machine's NVRTC, or the wheel of version 12.
pub(crate) fn any_version() -> Result<Compiler, String> {
    match Compiler::load(None) {
        Ok(nvrtc) => Ok(nvrtc),
        // What the user names has to work.
        Err(e) if std::env::var_os("SPARSE_NVRTC").is_some() => Err(e.to_string()),
        Err(_) => install(&CUDA_12),
    }
}

/// The wheels of versions 12 and 13.
pub(crate) fn every_version() -> Result<Vec<Compiler>, String> {
    [&CUDA_12, &CUDA_13].map(install).into_iter().collect()
}

fn install(wheel: &Wheel) -> Result<Compiler, String> {
    let Wheel { package, version, libraries } = *wheel;
    let folder = target().join("nvrtc").join(format!("{package}-{version}"));
    let open = || Compiler::open(&folder.join(libraries)).map_err(|e| e.to_string());
    if let Ok(nvrtc) = open() {
        return Ok(nvrtc);
    }
    println!("installing {package} {version} into {}", folder.display());
    let wanted = format!("{package}=={version}");
    pip(&folder, &wanted).map_err(|e| {
        format!("{wanted} can't be installed ({e}): install it yourself, or set SPARSE_NVRTC to the path of libnvrtc.so")
    })?;
    open()
}

/// Installs into a folder: by the Python at hand, or, where that has no pip, by an environment that has.
fn pip(folder: &Path, wanted: &str) -> Result<(), String> {
    let install = |python: &Path| {
        let mut command = Command::new(python);
        command.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--upgrade",
        ]);
        command.arg("--target").arg(folder).arg(wanted);
        succeed(&mut command)
    };
    let first = match install(Path::new("python3")) {
        Ok(()) => return Ok(()),
        Err(e) => e,
    };
    let environment = folder.with_extension("venv");
    succeed(Command::new("python3").args(["-m", "venv"]).arg(&environment))
        .map_err(|e| format!("{first}; {e}"))?;
    let installed = install(&environment.join("bin/python3"));
    // What stays of it is in nobody's way.
    let _ = std::fs::remove_dir_all(&environment);
    installed
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let name = format!("{command:?}");
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            Err(format!("{name}: {}: {}", output.status, text.trim().lines().last().unwrap_or_default()))
        }
        Err(e) => Err(format!("{name} could not be started: {e}")),
    }
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |t| root().join(t))
}
