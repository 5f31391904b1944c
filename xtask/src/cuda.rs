//! `cargo xtask cuda`: compiles the CUDA that the tests know with the real compiler, which needs no GPU.
//!
//! Warnings fail. So does what a kernel keeps in memory for want of registers, if nobody scheduled it: a schedule may
//! ask for more than there is.

use crate::nvrtc;
use crate::shell::{Done, root};
use rayon::prelude::*;
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
    let every = || compilers.iter().flat_map(|c| architectures.iter().map(move |a| (c, *a)));
    let of_one = |path: &PathBuf| -> Result<Found, String> {
        let source = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut found = Found::default();
        for (compiler, architecture) in every() {
            let own = compile(compiler, architecture, path, &source);
            let (major, minor) = compiler.version();
            let place = format!("{} (NVRTC {major}.{minor}, sm_{architecture})", path.display());
            found.wrong.extend(own.wrong.into_iter().map(|m| format!("{place}: {m}")));
            found.usage.extend(own.usage);
        }
        Ok(found)
    };
    // On all cores, and told in the order of the sources.
    let all = sources.par_iter().map(of_one).collect::<Result<Vec<_>, String>>()?;
    if args.usage {
        all.iter().flat_map(|found| &found.usage).for_each(|line| println!("{line}"));
    }
    let wrong: Vec<&String> = all.iter().flat_map(|found| &found.wrong).collect();
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

/// What the compiler says of a source: a line each.
#[derive(Default)]
struct Found {
    wrong: Vec<String>,
    usage: Vec<String>,
}

fn compile(compiler: &Compiler, architecture: u32, path: &Path, source: &str) -> Found {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let compiled = match compiler.compile(source, &name, architecture, &[]) {
        Ok(compiled) => compiled,
        Err(e) => return Found { wrong: vec![e.log], ..Found::default() },
    };
    // What a schedule asks for may be more than there are registers; the others are looked at below.
    let spilled = "ptxas warning : Registers are spilled";
    let warnings = compiled.warnings().into_iter().filter(|w| !w.starts_with(spilled));
    let mut found = Found { wrong: warnings.map(str::to_owned).collect(), ..Found::default() };
    for usage in compiled.usage() {
        let Usage { kernel, registers, spill_stores, spill_loads, stack, shared } = &usage;
        found.usage.push(format!(
            "{name:>32} sm_{architecture} {kernel}: {registers} registers, {stack} bytes of stack, {shared} shared"
        ));
        if !is_scheduled(path) && (*stack, *spill_stores, *spill_loads) != (0, 0, 0) {
            found.wrong.push(format!(
                "`{kernel}` keeps {stack} bytes in memory, spills {spill_stores} and reloads {spill_loads}"
            ));
        }
    }
    found
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
