//! `cargo xtask cuda`: compiles the CUDA that the tests know with the real compiler, which needs no GPU.
//!
//! Warnings fail. So does what a kernel keeps in memory for want of registers, if nobody scheduled it: a schedule may
//! ask for more than there is.

use crate::nvrtc;
use crate::shell::{Done, root};
use sparse_gpu::nvrtc::{Compiler, Usage};
use std::path::{Path, PathBuf};

/// Options of `cargo xtask cuda`.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// With NVRTC 12 and 13 for all architectures, not with what is installed for one.
    #[arg(long)]
    full: bool,
    /// Prints what each kernel uses.
    #[arg(long)]
    usage: bool,
    /// Sources, other than those of the golden files.
    sources: Vec<PathBuf>,
}

impl Args {
    /// The golden files, with every compiler and architecture or with one.
    pub(crate) fn new(full: bool) -> Args {
        Args { full, ..Args::default() }
    }
}

/// What is compiled for, if not for all.
const USUAL: &[u32] = &[90];
const ALL: &[u32] = &[75, 80, 90, 100];

/// Compiles everything.
pub(crate) fn run(args: &Args) -> Done {
    let (compilers, architectures) = match args.full {
        true => (nvrtc::every_version()?, ALL),
        false => (vec![nvrtc::any_version()?], USUAL),
    };
    let sources = if args.sources.is_empty() { golden()? } else { args.sources.clone() };
    let mut wrong = Vec::new();
    for path in &sources {
        let source = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        for (compiler, architecture) in
            compilers.iter().flat_map(|c| architectures.iter().map(move |a| (c, *a)))
        {
            let mistakes = compile(compiler, architecture, path, &source, args.usage);
            let (major, minor) = compiler.version();
            let place = format!("{} (NVRTC {major}.{minor}, sm_{architecture})", path.display());
            wrong.extend(mistakes.into_iter().map(|m| format!("{place}: {m}")));
        }
    }
    wrong.iter().for_each(|w| println!("{w}"));
    println!(
        "{} sources, {} compilers, {} architectures; {} mistakes",
        sources.len(),
        compilers.len(),
        architectures.len(),
        wrong.len()
    );
    if wrong.is_empty() { Ok(()) } else { Err("the CUDA of the tests does not compile as it should".into()) }
}

/// What is wrong with a source.
fn compile(
    compiler: &Compiler,
    architecture: u32,
    path: &Path,
    source: &str,
    print_usage: bool,
) -> Vec<String> {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let compiled = match compiler.compile(source, &name, architecture, &[]) {
        Ok(compiled) => compiled,
        Err(e) => return vec![e.log],
    };
    // What a schedule asks for may be more than there are registers; the others are looked at below.
    let spilled = "ptxas warning : Registers are spilled";
    let warnings = compiled.warnings().into_iter().filter(|w| !w.starts_with(spilled));
    let mut wrong: Vec<String> = warnings.map(str::to_owned).collect();
    for usage in compiled.usage() {
        let Usage { kernel, registers, spill_stores, spill_loads, stack, shared } = &usage;
        if print_usage {
            println!(
                "{name:>32} sm_{architecture} {kernel}: {registers} registers, {stack} bytes of stack, {shared} shared"
            );
        }
        if !is_scheduled(path) && (*stack, *spill_stores, *spill_loads) != (0, 0, 0) {
            wrong.push(format!(
                "`{kernel}` keeps {stack} bytes in memory, spills {spill_stores} and reloads {spill_loads}"
            ));
        }
    }
    wrong
}

/// The golden files' CUDA.
fn golden() -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for folder in ["tests/golden/out", "tests/golden/launches"] {
        let folder = root().join(folder);
        let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        found.extend(entries.filter_map(|e| Some(e.ok()?.path())));
    }
    found.retain(|path| path.extension().is_some_and(|e| e == "cu"));
    found.sort();
    Ok(found)
}

/// Does the kernel of a golden file come with a schedule for GPUs?
fn is_scheduled(source: &Path) -> bool {
    let name = source.with_extension("kernel");
    let kernel = source.parent().zip(name.file_name()).map(|(out, name)| out.with_file_name("in").join(name));
    let text = kernel.and_then(|k| std::fs::read_to_string(k).ok());
    text.is_none_or(|text| text.contains("schedule cuda"))
}
