//! Golden files: what each kernel of `golden/in` becomes, stage by stage, in `golden/out`, for a CPU and for a GPU; and
//! the programs written by hand, in `golden/programs`, where the tests of threads compile their code, and in
//! `golden/launches`, of which the text for GPUs is compiled by `cargo xtask cuda`.
//!
//! `cargo xtask bless` rewrites the outputs. The loops are meant to be read: a change here is a change of what the
//! compiler writes.

use sparse_core::cin::print::provenance;
use sparse_core::driver::{Compiled, Options, Variants, compile_gpu, compile_kernel};
use sparse_core::front::command::Schedule;
use sparse_core::llir::Program;
use sparse_core::llir::print::print;
use sparse_core::{emit, front};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

/// The stages of a kernel: a file's extension and its text. What cannot run on a GPU, or says `schedule cuda = none` because
/// another kernel has the same CUDA, has none; what is there for its schedule on a GPU is left to other kernels on a CPU.
fn stages(text: &str) -> Result<Vec<(&'static str, String)>, String> {
    let kernel = front::parse_str(text).map_err(|f| f.diagnostics.to_string())?;
    let scheduled_for_gpu = matches!(kernel.cuda, Schedule::Commands(_) | Schedule::Point(..));
    let of_gpu_alone = scheduled_for_gpu && matches!(kernel.cpu, Schedule::Default);
    let cuda = compile_gpu(kernel.clone(), &Options::default());
    let compiled = compile_kernel(kernel, &Options::default()).map_err(|d| d.to_string())?;
    let native = native(compiled.program.program())?;
    let mut stages = vec![("cin", cin(&compiled)), ("llir", compiled.program_text()), ("rs", native)];
    if of_gpu_alone {
        stages.clear();
    }
    match cuda {
        Ok(variants) => stages.extend(on_gpu(&variants)),
        Err(refused) if scheduled_for_gpu => return Err(refused.to_string()),
        Err(_) => {}
    }
    Ok(stages)
}

/// What becomes of a kernel on a GPU; where a rule chooses among points, the programs are those of the points' own files.
fn on_gpu(variants: &Variants) -> Vec<(&'static str, String)> {
    let (source, _) = emit::cuda::emit_all(&variants.all.iter().map(|c| &c.program).collect::<Vec<_>>());
    match (&variants.choice, &variants.all[..]) {
        (None, [compiled]) => {
            vec![("gpu.cin", cin(compiled)), ("gpu.llir", compiled.program_text()), ("cu", source)]
        }
        _ => vec![("gpu.cin", variants.cin_text()), ("cu", source)],
    }
}

/// The loops; of a scheduled kernel before and after each command, and where its index variables come from.
fn cin(compiled: &Compiled) -> String {
    let mut text = compiled.concretized.clone() + "\n";
    for step in &compiled.steps {
        let _ = write!(text, "\n{}\n    {}\n", step.command, step.cin);
    }
    let graph = provenance(&compiled.cin, &compiled.kernel);
    if graph.is_empty() { text } else { text + "\n" + &graph }
}

/// The native code as it reads.
fn native(program: &Program) -> Result<String, String> {
    let file: syn::File = syn::parse_str(&emit::rust::native(program))
        .map_err(|e| format!("emitted text is not items: {e}"))?;
    Ok(prettyplease::unparse(&file))
}

#[test]
fn kernels_become_what_the_golden_files_say() {
    let mut names: Vec<_> = fs::read_dir(folder("in"))
        .expect("tests/golden/in")
        .map(|e| e.expect("a readable folder").path())
        .filter(|p| p.extension().is_some_and(|e| e == "kernel"))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "no kernels in tests/golden/in");
    let mut golden = Golden::new("out");
    for path in &names {
        let name = path.file_stem().expect("a file name").to_string_lossy().into_owned();
        let text = fs::read_to_string(path).expect("a readable kernel");
        match stages(&text) {
            Ok(stages) => stages.into_iter().for_each(|(stage, got)| golden.check(&name, stage, &got)),
            Err(message) => golden.wrong(&format!("{name} does not compile:\n{message}\n")),
        }
    }
    golden.finish();
}

#[test]
fn programs_become_what_the_golden_files_say() {
    let mut golden = Golden::new("programs");
    for (name, program) in tests::programs::programs() {
        golden.check(name, "llir", &print(program.program()));
        golden.check(name, "rs", &native(program.program()).expect("emitted text is items"));
    }
    golden.finish();
}

#[test]
fn launches_become_what_the_golden_files_say() {
    let mut golden = Golden::new("launches");
    for (name, program) in tests::launches::launches() {
        golden.check(&name, "llir", &print(program.program()));
        golden.check(&name, "cu", &emit::cuda::emit(&program));
    }
    golden.finish();
}

/// A folder of expected files.
struct Golden {
    folder: PathBuf,
    bless: bool,
    expected: Vec<PathBuf>,
    wrong: String,
}

impl Golden {
    fn new(name: &str) -> Golden {
        let bless = std::env::var_os("BLESS").is_some_and(|v| v != "0");
        Golden { folder: folder(name), bless, expected: vec![], wrong: String::new() }
    }

    fn wrong(&mut self, message: &str) {
        let _ = writeln!(self.wrong, "{message}");
    }

    fn check(&mut self, name: &str, stage: &str, got: &str) {
        let out = self.folder.join(format!("{name}.{stage}"));
        let old = fs::read_to_string(&out).unwrap_or_default();
        if self.bless && old != got {
            fs::write(&out, got).expect("a writable golden folder");
        } else if old != got {
            self.wrong(&format!("{}:\n{}", out.display(), difference(&old, got)));
        }
        self.expected.push(out);
    }

    /// No file is left over, and all are as they should be.
    fn finish(mut self) {
        for stale in fs::read_dir(&self.folder).expect("a golden folder").filter_map(|e| Some(e.ok()?.path()))
        {
            if self.expected.contains(&stale) {
                continue;
            }
            if self.bless {
                fs::remove_file(&stale).expect("a writable golden folder");
            } else {
                self.wrong(&format!("{} belongs to no kernel", stale.display()));
            }
        }
        assert!(
            self.wrong.is_empty(),
            "{}\nread the differences; `cargo xtask bless` accepts them",
            self.wrong
        );
    }
}

/// The first lines that differ, with some of their surroundings.
fn difference(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(2);
    let mut text = format!("  from line {}:\n", from + 1);
    for line in old.iter().skip(from).take(8) {
        let _ = writeln!(text, "  - {line}");
    }
    for line in new.iter().skip(from).take(8) {
        let _ = writeln!(text, "  + {line}");
    }
    text
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    for path in fs::read_dir(folder("in")).expect("tests/golden/in").filter_map(|e| Some(e.ok()?.path())) {
        let text = fs::read_to_string(path).expect("a readable kernel");
        assert_eq!(stages(&text), stages(&text));
    }
}
