//! The book: every chapter is tested, its links lead somewhere, and what it shows of the compiler is what the compiler says.
//!
//! A comment above a `text` block names what stands in it:
//!
//! - `loops cpu KERNEL: COMMANDS`: the loops before, and after each command, and what index variables come from;
//! - `run cpu KERNEL: COMMANDS`: the program's loops; `run cuda`: the entry point in CUDA;
//! - `commands cuda KERNEL: = atomic(…)`: the commands that a point becomes;
//! - `error cpu KERNEL: COMMANDS`: what is wrong with them;
//! - `ui FOLDER/NAME`: what rustc prints for that kernel of `tests/ui`;
//! - `file PATH`: a file of the project.
//!
//! KERNEL is one of [`KERNELS`]. `cargo xtask bless` writes the blocks anew.

use sparse_core::cin::print::provenance;
use sparse_core::driver::{Compiled, Options, compile_cuda, compile_kernel};
use sparse_core::{emit, front};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use tests::book::{CHAPTERS, compare, path, shown};

const KERNELS: &[(&str, &str)] = &[
    ("spmv", "fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }"),
    ("spmspv", "fn spmspv(A: Csr<f32>, x: SparseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }"),
    ("spmm", "fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }"),
    ("dcsr", "fn dcsr(A: Dcsr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }"),
    (
        "two_hops",
        "fn two_hops(A: Csr<f32>, X: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, h] * A[h, j] * X[j, k]; }",
    ),
    (
        "shifted",
        "fn shifted(X: DenseMat<f32>, A: Csr<f32>, x: DenseVec<f32>) -> DenseMat<f32> { Y[i, k] = X[i, k] + A[i, j] * x[j]; }",
    ),
    (
        "sddmm",
        "fn sddmm(S: Csr<f32>, Q: DenseMat<f32>, K: DenseMat<f32>) -> Csr<f32> { R[i, j] = S[i, j] * Q[i, c] * K[j, c]; }",
    ),
    ("and", "fn and(a: SparseVec<f32>, b: SparseVec<f32>) -> SparseVec<f32> { c[i] = a[i] * b[i]; }"),
    ("or", "fn or(a: SparseVec<f32>, b: SparseVec<f32>) -> SparseVec<f32> { c[i] = a[i] + b[i]; }"),
    (
        "residual",
        "fn residual(A: Csr<f32>, x: DenseVec<f32>, b: DenseVec<f32>) -> DenseVec<f32> { y[i] = b[i] - A[i, j] * x[j]; }",
    ),
    ("exps", "fn exps(A: Csr<f32>, x: DenseVec<f32>) -> Scalar<f32> { s = exp(A[i, j] * x[j]); }"),
    ("largest", "fn largest(A: Csr<f32>) -> Tensor<f32, Filled<(Dense,), NegInf>> { y[i] max= A[i, j]; }"),
    (
        "mttkrp",
        "fn mttkrp(X: Csf3<f32>, B: DenseMat<f32>, C: DenseMat<f32>) -> DenseMat<f32> { A[i, r] = X[i, j, k] * B[j, r] * C[k, r]; }",
    ),
    ("spgemm", "fn spgemm(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, k] = A[i, j] * B[j, k]; }"),
    (
        "by_transpose",
        "fn by_transpose(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, k] = A[i, j] * B[k, j]; }",
    ),
    (
        "masked",
        "fn masked(M: Csr<f64>, A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, k] = M[i, k] * A[i, j] * B[j, k]; }",
    ),
    ("of_transpose", "fn of_transpose(A: Csr<f64>) -> Csr<f64> { C[i, k] = A[j, i] * A[j, k]; }"),
    ("reciprocal", "fn reciprocal(A: Csr<f64>) -> Csr<f64> { C[i, j] = A[i, j] * A[j, i]; }"),
    ("transpose", "fn transpose(B: Csr<f64>) -> Csr<f64> { A[j, i] = B[i, j]; }"),
    (
        "add_product",
        "fn add_product(E: Csr<f64>, A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, k] = E[i, k] + A[i, j] * B[j, k]; }",
    ),
];

/// What the block shows.
fn shows(source: &str) -> Result<String, String> {
    let (what, rest) = source.split_once(' ').ok_or("the comment names nothing")?;
    if what == "ui" {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui").join(rest).with_extension("stderr");
        return fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()));
    }
    if what == "file" {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(rest);
        return fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()));
    }
    let (kernel, commands) = rest.split_once(':').unwrap_or((rest, ""));
    let (target, name) = kernel.split_once(' ').ok_or("the comment names a target and a kernel")?;
    let (_, kernel) =
        KERNELS.iter().find(|(n, _)| *n == name.trim()).ok_or_else(|| format!("no kernel `{name}`"))?;
    let schedule = match commands.trim() {
        "" => String::new(),
        point if point.starts_with('=') => format!("schedule {target} {point};"),
        commands => format!("schedule {target} {{ {commands} }}"),
    };
    let compiled = compile(target, &format!("{kernel} {schedule}"));
    if what == "error" {
        return compiled.err().ok_or_else(|| "the schedule is legal".into());
    }
    let compiled = compiled?;
    Ok(match what {
        "loops" => loops(&compiled),
        "commands" => compiled.steps.iter().map(|s| s.command.clone() + ";\n").collect(),
        "run" if target == "cuda" => {
            let source = emit::cuda::emit(&compiled.program);
            source[source.find("extern \"C\"").ok_or("no entry point")?..].to_owned()
        }
        "run" => {
            let text = compiled.program_text();
            text[text.find("run {").ok_or("no loops")?..].to_owned()
        }
        _ => return Err(format!("no `{what}`")),
    })
}

fn compile(target: &str, text: &str) -> Result<Compiled, String> {
    let kernel = front::parse_str(text).map_err(|f| f.diagnostics.to_string())?;
    let options = Options::default();
    let compiled =
        if target == "cuda" { compile_cuda(kernel, &options) } else { compile_kernel(kernel, &options) };
    compiled.map_err(|d| d.to_string())
}

fn loops(compiled: &Compiled) -> String {
    let mut text = format!("{}\n", compiled.concretized);
    for step in &compiled.steps {
        let _ = writeln!(text, "{}\n    {}", step.command, step.cin);
    }
    let graph = provenance(&compiled.cin, &compiled.kernel);
    if graph.is_empty() { text } else { text + "\n" + &graph }
}

#[test]
fn what_is_shown_is_what_is_made() {
    for chapter in CHAPTERS {
        let file = path(chapter);
        let mut text = fs::read_to_string(&file).expect("a chapter");
        let count = shown(&text).unwrap_or_else(|e| panic!("{chapter}: {e}")).len();
        for n in 0..count {
            let block = &shown(&text).expect("as before")[n];
            if let Some(name) = block.source.strip_prefix("output ") {
                let call = format!("tests::book::output(\"{chapter}\", \"{name}\",");
                assert!(text.contains(&call), "{chapter}: no code makes `{name}`: `{call} …)`");
                continue;
            }
            let made = shows(&block.source).unwrap_or_else(|e| panic!("{chapter}: `{}`: {e}", block.source));
            text = compare(&text, block, &made).unwrap_or(text);
        }
        if fs::read_to_string(&file).expect("a chapter") != text {
            fs::write(&file, text).expect("the chapter can be written");
        }
    }
}

/// The text of a chapter without its blocks of code.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

#[test]
fn every_chapter_is_in_the_book_and_tested() {
    let summary = fs::read_to_string(path("SUMMARY")).expect("docs/src/SUMMARY.md");
    let listed: Vec<_> = targets(&summary).into_iter().filter_map(|t| t.strip_suffix(".md")).collect();
    assert_eq!(listed, CHAPTERS, "SUMMARY.md and the chapters of tests/src/book.rs");
    let folder = fs::read_dir(path("SUMMARY").parent().expect("a folder")).expect("docs/src");
    let files: BTreeSet<_> = folder.map(|f| f.expect("a file").file_name()).collect();
    let expected: BTreeSet<_> =
        CHAPTERS.iter().chain(&["SUMMARY"]).map(|c| format!("{c}.md").into()).collect();
    assert_eq!(files, expected, "files of docs/src");
}

/// What links lead to.
fn targets(text: &str) -> Vec<&str> {
    text.match_indices("](").filter_map(|(at, _)| text[at + 2..].split(')').next()).collect()
}

/// The anchor of a heading, as mdBook and GitHub make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().chars();
    kept.filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() })
        .collect()
}

#[test]
fn links_lead_somewhere() {
    let mut wrong = Vec::new();
    for chapter in CHAPTERS {
        let file = path(chapter);
        let text = prose(&fs::read_to_string(&file).expect("a chapter"));
        for target in targets(&text).into_iter().filter(|t| !t.starts_with("https://")) {
            let (name, place) = target.split_once('#').unwrap_or((target, ""));
            let to = if name.is_empty() { file.clone() } else { file.with_file_name(name) };
            let found = fs::read_to_string(&to).is_ok_and(|t| {
                place.is_empty() || prose(&t).lines().any(|l| l.starts_with('#') && anchor(l) == place)
            });
            if !found {
                wrong.push(format!("{chapter}: {target}"));
            }
        }
    }
    assert!(wrong.is_empty(), "links that lead nowhere: {wrong:#?}");
}

/// Files and folders of the project that the text names: words in code with a slash and a known first folder.
#[test]
fn files_that_are_named_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut wrong = Vec::new();
    let mut count = 0;
    for chapter in CHAPTERS {
        let text = prose(&fs::read_to_string(path(chapter)).expect("a chapter"));
        for word in text.split('`').skip(1).step_by(2) {
            let first = word.split('/').next().unwrap_or(word);
            let ours =
                ["sparse-core", "sparse-gpu", "sparse-macros", "tests", "bench", "xtask", "examples", "docs"];
            if !word.contains('/') || !ours.contains(&first) || word.contains([' ', '*']) {
                continue;
            }
            count += 1;
            if word.chars().all(|c| !c.is_ascii_uppercase()) && !root.join(word).exists() {
                wrong.push(format!("{chapter}: {word}"));
            }
        }
    }
    assert!(count > 30, "the book names {count} files");
    assert!(wrong.is_empty(), "no such files: {wrong:#?}");
}
