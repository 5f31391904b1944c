//! `cargo xtask bundle`: a folder that runs the GPU tests and benchmarks on a machine without Rust.

use crate::nvrtc::{every_version, target};
use crate::shell::{Done, cargo, root, run as sh};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of `cargo xtask bundle`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A folder of `.mtx`, `.mtx.gz`, `.tns` and `.tns.gz` files to take along, the smallest first.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Compiles the benchmarks' kernels ahead for the H100 and the H200 (sm_90), with NVRTC 12.9 and 13.0 from PyPI: on a
    /// machine with one of these none of its time goes to compiling them.
    #[arg(long)]
    ahead: bool,
    /// The folder that is made; what was in it goes.
    #[arg(long, value_name = "DIR", default_value = "bundle")]
    into: PathBuf,
}

/// The most bytes of all files.
const MOST: u64 = 60_000_000;
/// Of which the programs have so many at most.
const PROGRAMS: u64 = 25_000_000;
/// What is kept free for kernels that are compiled ahead.
const AHEAD: u64 = 18_000_000;

/// What is built: a package's binary.
const BINARIES: [(&str, &str); 2] = [("tests", "run-gpu-tests"), ("bench", "bench")];

/// A file of the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
struct File {
    /// Below the bundle's folder.
    name: String,
    from: PathBuf,
}

/// Builds, copies and looks at what came out.
pub(crate) fn run(args: &Args) -> Done {
    for (package, binary) in BINARIES {
        sh(&mut cargo(&["build", "--quiet", "--release", "-p", package, "--bin", binary]))?;
    }
    let into = root().join(&args.into);
    let (files, left_out) = files(args.data.as_deref(), args.ahead)?;
    replace(&into)?;
    let mut size = 0;
    for file in &files {
        let to = into.join(&file.name);
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        fs::copy(&file.from, &to).map_err(|e| format!("{}: {e}", file.from.display()))?;
        if BINARIES.iter().any(|(_, binary)| *binary == file.name) {
            strip(&to)?;
        }
        size += fs::metadata(&to).map_err(|e| format!("{}: {e}", to.display()))?.len();
    }
    for (_, binary) in BINARIES {
        needs(&into.join(binary))?;
    }
    if args.ahead {
        size += ahead(&into)?;
    }
    if !left_out.is_empty() {
        println!("left out, for size: {}", left_out.join(", "));
    }
    println!("{}: {} files, {:.1} MB", into.display(), files.len(), size as f64 / 1e6);
    if size > MOST {
        return Err(format!("the bundle has {size} bytes, more than {MOST}"));
    }
    // It runs, with nothing but what is in it.
    let mut tests = Command::new(into.join("run-gpu-tests"));
    tests.args(["--device", "sim", "--cases", "20", "--inputs", "rmat,uniform3"]).current_dir("/");
    sh(&mut tests)?;
    let mut bench = Command::new(into.join("bench"));
    bench.args(["gpu", "--device", "sim", "--quick", "--inputs", "banded-small", "--columns", "4"]);
    sh(bench.current_dir("/"))
}

/// Fills the folder `cache`, and says how many bytes it has.
fn ahead(into: &Path) -> Result<u64, String> {
    let cache = into.join("cache");
    for nvrtc in every_version()? {
        let mut compile = Command::new(into.join("bench"));
        compile.arg("compile").env("SPARSE_NVRTC", nvrtc.path()).env("SPARSE_CACHE", &cache);
        sh(&mut compile)?;
    }
    let at = |e: std::io::Error| format!("{}: {e}", cache.display());
    let entries = fs::read_dir(&cache).map_err(at)?;
    entries.map(|entry| entry.and_then(|entry| Ok(entry.metadata()?.len())).map_err(at)).sum()
}

/// Empties the folder, if it is a bundle.
fn replace(into: &Path) -> Done {
    let at = |e: std::io::Error| format!("{}: {e}", into.display());
    if into.exists() {
        let is_empty = fs::read_dir(into).map_err(at)?.next().is_none();
        if !is_empty && !into.join("run-gpu-tests").is_file() {
            return Err(format!("{} is there, and no bundle: name another folder", into.display()));
        }
        fs::remove_dir_all(into).map_err(at)?;
    }
    fs::create_dir_all(into).map_err(at)
}

/// Every file of the bundle, and the names of the inputs for which there is no room beside programs and kernels.
fn files(data: Option<&Path>, ahead: bool) -> Result<(Vec<File>, Vec<String>), String> {
    let release = target().join("release");
    let mut files: Vec<File> =
        BINARIES.iter().map(|(_, name)| File { name: (*name).into(), from: release.join(name) }).collect();
    for name in ["run-all", "README.md"] {
        files.push(File { name: name.into(), from: root().join("xtask/bundle").join(name) });
    }
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        files.push(File { name: name.into(), from: root().join(name) });
    }
    let kernels = list(&root().join("tests/golden/in"), &[".kernel"])?;
    files.extend(kernels.into_iter().map(|(_, file)| file.below("kernels")));
    let mut left_out = vec![];
    if let Some(folder) = data {
        let mut inputs = list(folder, &[".mtx", ".mtx.gz", ".tns", ".tns.gz"])?;
        inputs.sort();
        let mut room = MOST - PROGRAMS - if ahead { AHEAD } else { 0 };
        for (size, input) in inputs {
            if size <= room {
                room -= size;
                files.push(input.below("data"));
            } else {
                left_out.push(input.name);
            }
        }
    }
    Ok((files, left_out))
}

impl File {
    fn below(self, folder: &str) -> File {
        File { name: format!("{folder}/{}", self.name), ..self }
    }
}

impl Ord for File {
    fn cmp(&self, other: &File) -> std::cmp::Ordering {
        self.name.cmp(&other.name)
    }
}

impl PartialOrd for File {
    fn partial_cmp(&self, other: &File) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The files of a folder that end so, by name, with their sizes.
fn list(folder: &Path, ends: &[&str]) -> Result<Vec<(u64, File)>, String> {
    let at = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut found = vec![];
    for entry in fs::read_dir(folder).map_err(at)? {
        let entry = entry.map_err(at)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if ends.iter().any(|end| name.ends_with(end)) {
            let size = fs::metadata(entry.path()).map_err(at)?.len();
            found.push((size, File { name, from: entry.path() }));
        }
    }
    found.sort_by(|a, b| a.1.cmp(&b.1));
    Ok(found)
}

/// Takes symbols and debug information out of a program.
fn strip(program: &Path) -> Done {
    sh(Command::new("strip").arg(program)).map_err(|e| format!("{e} (it comes with the linker, in binutils)"))
}

/// Prints the C library that a program needs. A library of CUDA must be none of those that it needs to start.
fn needs(program: &Path) -> Done {
    let output = Command::new("objdump").arg("-p").arg(program).output();
    let output =
        output.map_err(|e| format!("objdump could not be started, which comes with the linker: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let needed: Vec<&str> =
        text.lines().filter_map(|l| l.trim().strip_prefix("NEEDED")).map(str::trim).collect();
    if needed.is_empty() {
        return Err(format!("{}: objdump does not say which libraries it needs", program.display()));
    }
    if let Some(library) = needed.iter().find(|l| l.contains("cuda") || l.contains("nvrtc")) {
        return Err(format!("{} does not start without {library}", program.display()));
    }
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    println!("{name}: glibc {} or later; {}", newest_glibc(&text).unwrap_or_default(), needed.join(", "));
    Ok(())
}

/// The newest version of glibc that is named, as `2.34`.
fn newest_glibc(text: &str) -> Option<String> {
    let versions = text.split_whitespace().filter_map(|word| word.strip_prefix("GLIBC_"));
    let numbers = |v: &&str| v.split('.').map(|n| n.parse::<u32>().unwrap_or(0)).collect::<Vec<_>>();
    versions.max_by_key(numbers).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_has_all_that_it_needs() {
        let folder = std::env::temp_dir().join(format!("bundle-data-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let large = fs::File::create(folder.join("a-large.mtx.gz")).unwrap();
        large.set_len(MOST - PROGRAMS).unwrap();
        for name in ["small.mtx", "tensor.tns.gz", "notes.txt"] {
            fs::write(folder.join(name), "some text").unwrap();
        }
        let listed = files(Some(&folder), false);
        fs::remove_dir_all(&folder).unwrap();
        let (files, left_out) = listed.unwrap();
        let has = |name: &str| files.iter().any(|f| f.name == name);
        for name in ["run-gpu-tests", "bench", "run-all", "README.md", "data/small.mtx", "data/tensor.tns.gz"]
        {
            assert!(has(name), "{name}");
        }
        assert!(has("kernels/spmm_gpu_segment.kernel") && !has("data/notes.txt"));
        assert_eq!(left_out, ["a-large.mtx.gz"]);
        // What is not built is there.
        for file in
            files.iter().filter(|f| !BINARIES.iter().any(|b| b.1 == f.name) && !f.name.starts_with("data"))
        {
            assert!(file.from.is_file(), "{}", file.from.display());
        }
    }

    #[test]
    fn the_newest_glibc() {
        let text = "Version References:\n  required from libc.so.6:\n    0x1 0x00 03 GLIBC_2.9\n    0x2 0x00 02 GLIBC_2.34";
        assert_eq!(newest_glibc(text).as_deref(), Some("2.34"));
        assert_eq!(newest_glibc("nothing"), None);
    }

    /// `run-all` beside programs that are shell scripts; it goes when the test ends.
    struct RunAll(PathBuf);

    impl RunAll {
        fn new(name: &str, tests: &str, bench: &str) -> RunAll {
            let folder = std::env::temp_dir().join(format!("run-all-{name}-{}", std::process::id()));
            fs::create_dir_all(folder.join("out")).unwrap();
            for (name, script) in [("run-gpu-tests", tests), ("bench", bench)] {
                let file = folder.join(name);
                fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
                let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
                fs::set_permissions(&file, executable).unwrap();
            }
            fs::copy(root().join("xtask/bundle/run-all"), folder.join("run-all")).unwrap();
            RunAll(folder)
        }

        fn command(&self, steps: &[&str]) -> Command {
            let mut command = Command::new(self.0.join("run-all"));
            command.arg(self.0.join("results")).args(steps).env("OUT", self.0.join("out"));
            command.env("DEVICE", "sim").env("GRACE", "1");
            command
        }

        /// A file of what came back.
        fn packed(&self, name: &str) -> String {
            let archive = self.0.join("out/results.tar.gz");
            let output =
                Command::new("tar").arg("-xzOf").arg(archive).arg(format!("./{name}")).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        }
    }

    impl Drop for RunAll {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_step_that_does_not_end_is_ended_and_kept() {
        let bench = "echo $*; echo begun; echo a,b >$OUT/../results/spmv.csv; sleep 60; echo ended";
        let all = RunAll::new("limit", "echo $*", bench);
        let output =
            all.command(&["correctness", "spmv", "memcheck"]).env("SECONDS_EACH", "1").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!output.status.success() && text.contains("spmv did not end in time"), "{text}");
        assert!(
            text.ends_with("memcheck: left out, there is no compute-sanitizer\nfailed: spmv\n"),
            "{text}"
        );
        assert!(all.packed("correctness.log").contains("--time-limit 1 --cases 5000"));
        let log = all.packed("spmv.log");
        assert!(log.contains("--time-limit 1 ") && log.contains("begun") && !log.contains("ended"), "{log}");
        assert_eq!(all.packed("spmv.csv"), "a,b\n");
    }

    #[test]
    fn what_is_there_when_all_is_ended_is_kept() {
        let all = RunAll::new("ended", "echo begun; sleep 60; echo ended", "");
        let mut running = all.command(&["correctness", "sgap"]).spawn().unwrap();
        let log = all.0.join("results/correctness.log");
        while fs::read_to_string(&log).unwrap_or_default().is_empty() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        sh(Command::new("kill").arg(running.id().to_string())).unwrap();
        assert_eq!(running.wait().unwrap().code(), Some(143));
        assert_eq!(all.packed("correctness.log"), "begun\n");
        assert!(!all.0.join("results/sgap.log").exists());
    }

    /// The seconds of the calls in the README, which a loan of a machine has to have room for.
    #[test]
    fn the_calls_fit() {
        let folder = root().join("xtask/bundle");
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let (script, readme) = (read("run-all"), read("README.md"));
        let seconds = |step: &str| -> u32 {
            let words: Vec<&str> = script.split_whitespace().collect();
            let calls = words.windows(3).filter(|w| ["keep", "check", "measure"].contains(&w[0]));
            let of = |w: &[&str]| w[1] == step || (w[1] == "\"$name\"" && step.ends_with("check"));
            let found = calls.filter(|w| of(w)).find_map(|w| w[2].parse().ok());
            found.unwrap_or_else(|| panic!("{step} has no seconds"))
        };
        let calls: Vec<u32> = readme
            .lines()
            .filter_map(|line| line.strip_prefix("./run-all results "))
            .map(|line| line.split('#').next().unwrap_or("").split_whitespace().map(seconds).sum())
            .collect();
        assert!(calls.len() > 1 && calls.iter().all(|s| *s <= 9 * 60), "{calls:?}");
        assert!(calls.iter().sum::<u32>() <= 25 * 60, "{calls:?}");
        for (line, seconds) in readme.lines().filter(|l| l.starts_with("./run-all results ")).zip(calls) {
            assert!(line.contains(&format!("# {seconds} s")), "{line}: {seconds}");
        }
    }

    #[test]
    fn only_a_bundle_is_replaced() {
        let folder = std::env::temp_dir().join(format!("no-bundle-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("thesis.tex"), "").unwrap();
        let refused = replace(&folder);
        let kept = folder.join("thesis.tex").is_file();
        fs::write(folder.join("run-gpu-tests"), "").unwrap();
        let replaced = replace(&folder);
        let emptied = fs::read_dir(&folder).unwrap().next().is_none();
        fs::remove_dir_all(&folder).unwrap();
        assert!(refused.is_err() && kept && replaced.is_ok() && emptied);
    }
}
