//! `bench gpu --device cuda` on a driver whose GPU is this machine's processor, with a cuSPARSE that computes there: what
//! is passed to it, and that what is wrong or missing is said.

use super::{fields, scratch};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder with the libraries; it goes when the test ends.
struct Libraries(PathBuf);

impl Libraries {
    /// With a cuSPARSE that is compiled with these options, or with none.
    fn new(name: &str, cusparse: Option<&[&str]>) -> Libraries {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let tests = here.join("../tests");
        let header = format!("-DGPU_H=\"{}\"", tests.join("suite/src/text/gpu.h").display());
        let compile = |compiler: &str, source: &Path, library: &str, options: &[&str]| {
            let mut command = Command::new(compiler);
            command.args(["-shared", "-fPIC", "-O1", &header]).args(options);
            command.arg("-o").arg(folder.join(library)).arg(source);
            assert!(command.status().expect("a C and a C++ compiler").success(), "{command:?}");
        };
        compile("cc", &tests.join("tests/driver/driver.c"), "libcuda.so", &[]);
        compile("c++", &tests.join("tests/driver/nvrtc.cpp"), "libnvrtc.so.12", &["-std=c++17"]);
        match cusparse {
            Some(options) => {
                compile("cc", &here.join("tests/gpu/fake/cusparse.c"), "libcusparse.so.12", options);
            }
            // The loader stops at a file that is no library: it does not go on to the machine's own.
            None => std::fs::write(folder.join("libcusparse.so.12"), "no library").unwrap(),
        }
        Libraries(folder)
    }

    /// `bench compile` by this NVRTC, on one thread, with that cache.
    fn compile(&self, cache: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
        command
            .arg("compile")
            .env("SPARSE_NVRTC", self.0.join("libnvrtc.so.12"))
            .env("SPARSE_CACHE", cache)
            .env("FAKE_FOLDER", &self.0)
            .env("RAYON_NUM_THREADS", "1");
        command
    }

    fn bench(&self, settings: &[(&str, &str)], arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
        command
            .args(["gpu", "--samples", "1", "--ceilings", "datasheet", "--points", "default"])
            .args(arguments)
            .env("LD_LIBRARY_PATH", &self.0)
            .env("SPARSE_NVRTC", self.0.join("libnvrtc.so.12"))
            .env("SPARSE_CACHE", "")
            .env("FAKE_FOLDER", &self.0)
            // Events are not ready yet when they are asked for: the host is ahead.
            .env("FAKE_CUDA", "memory=400000000,query=600")
            .env("FAKE_CUSPARSE_TRACE", self.0.join("trace"))
            .envs(settings.iter().copied());
        command.output().unwrap()
    }
}

impl Drop for Libraries {
    fn drop(&mut self) {
        // What stays behind is in nobody's way.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn cusparse_is_called_as_it_wants_to_be() {
    let (libraries, folder) = (Libraries::new("cusparse", Some(&[])), scratch("gpu-cusparse"));
    let csv = folder.join("times.csv");
    let (data, file) = (folder.to_str().unwrap(), csv.to_str().unwrap());
    let run =
        ["--data", data, "--csv", file, "--inputs", "tiny", "--kernels", "spmm,spmv,sddmm", "--columns", "3"];
    let out = libraries.bench(&[], &run);
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    assert!(
        text.starts_with("device: Fake 0, ") && text.contains("\ncuSPARSE 12.5.9: libcusparse.so.12\n"),
        "{text}"
    );
    // What it refuses is left out, with its reason.
    assert!(
        text.contains(
            "spmm N=3 tiny, cusparse-csr-alg3: asking for the size of a buffer: CUSPARSE_STATUS_NOT_SUPPORTED"
        ),
        "{text}"
    );
    assert!(
        text.contains("speed relative to others, measured") && text.contains("default/cusparse"),
        "{text}"
    );

    let rows: Vec<Vec<String>> = std::fs::read_to_string(&csv).unwrap().lines().skip(1).map(fields).collect();
    assert!(rows.iter().all(|r| r[8] == "true"), "{rows:?}");
    let of = |kernel: &str| -> Vec<&str> { rows.iter().filter(|r| r[0] == kernel).map(|r| &*r[5]).collect() };
    let algorithms = ["ours", "cusparse-default", "cusparse-csr-alg1", "cusparse-csr-alg2", "cusparse"];
    assert_eq!((of("spmm"), of("spmv")), (algorithms.to_vec(), algorithms.to_vec()));
    assert_eq!(of("sddmm"), ["ours", "cusparse-default", "cusparse"]);

    let trace = std::fs::read_to_string(libraries.0.join("trace")).unwrap();
    for (kernel, algorithms) in [("spmm", &[0, 4, 6][..]), ("spmv", &[0, 2, 3]), ("sddmm", &[0])] {
        for algorithm in algorithms {
            let calls: Vec<&str> = trace
                .lines()
                .filter(|l| l.starts_with(kernel) && l.contains(&format!(" {algorithm} ")))
                .collect();
            // Its size and its preparation are asked for once, then it runs.
            let size = if kernel == "spmv" { 1 } else { 3 };
            assert_eq!(calls[0], format!("{kernel} size {algorithm} 0"));
            assert_eq!(calls[1], format!("{kernel} prepare {algorithm} 0"));
            assert!(
                calls.len() > 4 && calls[2..].iter().all(|c| *c == format!("{kernel} {algorithm} {size}")),
                "{calls:?}"
            );
        }
    }
}

#[test]
fn a_wrong_result_does_not_count() {
    let (libraries, folder) = (Libraries::new("wrong", Some(&[])), scratch("gpu-wrong"));
    let run =
        ["--data", folder.to_str().unwrap(), "--inputs", "tiny", "--kernels", "sddmm", "--columns", "3"];
    let out = libraries.bench(&[("FAKE_CUSPARSE_WRONG", "1")], &run);
    let (text, error) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(
        !out.status.success() && error.contains("sddmm K=3 tiny, cusparse-default: value 0 is "),
        "{error}"
    );
    assert!(!text.contains("default/cusparse"), "{text}");
}

/// Products and sums of sparse matrices, of both element types.
const ASSEMBLED: [&str; 6] = ["--kernels", "spgemm,add", "--dtypes", "f32,f64", "--inputs", "tiny"];

#[test]
fn sparse_results_are_compared_with_cusparse() {
    let (libraries, folder) = (Libraries::new("sparse", Some(&[])), scratch("gpu-sparse"));
    // A·A of this one, A·Aᵀ of the other, which is not square.
    let square = "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1\n1 3 1\n2 1 1\n3 2 1\n3 3 1\n";
    std::fs::write(folder.join("tiny-square.mtx"), square).unwrap();
    let csv = folder.join("times.csv");
    let files = ["--data", folder.to_str().unwrap(), "--csv", csv.to_str().unwrap()];
    let out = libraries.bench(&[], &[&files[..], &ASSEMBLED].concat());
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    assert!(text.contains("\nadd and spgemm: a time is a whole call, "), "{text}");
    for (kernel, dtype) in [("spgemm", "f32"), ("spgemm", "f64"), ("add", "f32"), ("add", "f64")] {
        let line = text.lines().find(|l| l.starts_with(&format!("{kernel:<7} {:<6} {dtype} ", "")));
        assert!(line.is_some_and(|l| l.contains(" 2 ")), "{text}");
    }
    // Rows in another order are right, and it is said.
    for line in [
        "spgemm  cusparse-alg1              0 of 4",
        "spgemm  cusparse-alg2              4 of 4",
        "add     cusparse-csrgeam2          4 of 4",
    ] {
        assert!(text.contains(&format!("\n{line}\n")), "{line}: {text}");
    }

    let rows: Vec<Vec<String>> = std::fs::read_to_string(&csv).unwrap().lines().skip(1).map(fields).collect();
    assert!(rows.iter().all(|r| r[8] == "true"), "{rows:?}");
    let products = [
        "ours",
        "cusparse-default",
        "cusparse-alg1",
        "cusparse-alg2",
        "cusparse-alg3",
        "cusparse-alg3-fifths",
        "cusparse",
    ];
    let sums = ["ours", "cusparse-csrgeam2", "cusparse"];
    for (kernel, expected) in [("spgemm", &products[..]), ("add", &sums)] {
        for (input, dtype) in
            [("tiny", "f32"), ("tiny", "f64"), ("tiny-square", "f32"), ("tiny-square", "f64")]
        {
            let of = |r: &&Vec<String>| [&r[0], &r[1], &r[3]] == [kernel, input, dtype];
            let found: Vec<&str> = rows.iter().filter(of).map(|r| &*r[5]).collect();
            assert_eq!(found, expected, "{kernel} {input} {dtype}");
        }
    }

    let trace = std::fs::read_to_string(libraries.0.join("trace")).unwrap();
    let count = |line: &str| trace.lines().filter(|l| *l == line).count();
    for algorithm in [0, 3, 4, 5] {
        // Each call is a whole product.
        let products = count(&format!("spgemm {algorithm} 3"));
        let estimated = count(&format!("spgemm work size {algorithm} 0"));
        assert!(products > 8 && products == estimated, "{algorithm}: {products} {estimated}");
    }
    assert!(count("spgemm memory size 5 20") > 4 && count("spgemm memory size 5 100") > 4, "{trace}");
    assert_eq!(count("spgemm memory size 3 100"), 0);
    // A buffer is asked for once an input, its size being known; entries are counted in each call.
    assert_eq!([count("geam size 0 3"), count("geam size 1 3")], [2, 2]);
    assert!(count("geam 0 3") > 4 && count("geam 0 3") + count("geam 1 3") == count("geam count 0 3"));
}

#[test]
fn a_wrong_sparse_result_does_not_count() {
    let (libraries, folder) = (Libraries::new("sparse-wrong", Some(&[])), scratch("gpu-sparse-wrong"));
    let csv = folder.join("times.csv");
    let files = ["--data", folder.to_str().unwrap(), "--csv", csv.to_str().unwrap()];
    let out = libraries.bench(&[("FAKE_CUSPARSE_WRONG", "1")], &[&files[..], &ASSEMBLED].concat());
    let (text, error) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(!out.status.success() && !text.contains("default/cusparse"), "{text}");
    for wrong in [
        "add tiny, cusparse-csrgeam2: entry 0 of row 0 is ",
        "spgemm f64 tiny, cusparse-alg1: entry 0 of row ",
    ] {
        assert!(error.contains(wrong), "{error}");
    }
    let rows: Vec<Vec<String>> = std::fs::read_to_string(&csv).unwrap().lines().skip(1).map(fields).collect();
    assert!(rows.iter().all(|r| (r[8] == "true") == (r[5] == "ours") && r[5] != "cusparse"), "{rows:?}");
}

#[test]
fn products_without_room_are_left_out() {
    let (libraries, folder) = (Libraries::new("sparse-full", Some(&[])), scratch("gpu-sparse-full"));
    let csv = folder.join("times.csv");
    let files = ["--data", folder.to_str().unwrap(), "--csv", csv.to_str().unwrap()];
    let out = libraries.bench(&[("FAKE_CUSPARSE_FULL", "1")], &[&files[..], &ASSEMBLED].concat());
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    for line in [
        "left out: spgemm tiny, cusparse-alg1: computing a product: CUSPARSE_STATUS_INSUFFICIENT_RESOURCES\n",
        "left out: spgemm f64 tiny, cusparse-default: computing a product: CUSPARSE_STATUS_INSUFFICIENT_RESOURCES\n",
        "left out: spgemm tiny, cusparse-alg2: out of memory on Fake 0: an array of 1099511627776 bytes ",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let rows: Vec<Vec<String>> = std::fs::read_to_string(&csv).unwrap().lines().skip(1).map(fields).collect();
    let of = |kernel: &str| -> Vec<&str> { rows.iter().filter(|r| r[0] == kernel).map(|r| &*r[5]).collect() };
    assert_eq!(of("spgemm"), ["ours", "ours"]);
    assert_eq!(of("add"), ["ours", "cusparse-csrgeam2", "cusparse", "ours", "cusparse-csrgeam2", "cusparse"]);
}

#[test]
fn without_cusparse_its_columns_are_missing() {
    let folder = scratch("gpu-without");
    let libraries = Libraries::new("without", None);
    let run = ["--data", folder.to_str().unwrap(), "--inputs", "tiny", "--kernels", "spmv"];
    let out = libraries.bench(&[], &run);
    let text = String::from_utf8_lossy(&out.stdout);
    let said = "cuSPARSE does not take part: libcusparse is not found (";
    assert!(out.status.success() && text.contains(said), "{text}");
    assert!(text.contains("spmv ") && !text.contains("default/cusparse"), "{text}");
}

#[test]
fn what_a_cusparse_lacks_is_missing_alone() {
    let folder = scratch("gpu-lacks");
    let libraries = Libraries::new("lacks", Some(&["-DOLD"]));
    let csv = folder.join("times.csv");
    let run =
        ["--data", folder.to_str().unwrap(), "--inputs", "tiny", "--kernels", "spmv,sddmm", "--columns", "4"];
    let out = libraries.bench(&[], &[&run[..], &["--csv", csv.to_str().unwrap()]].concat());
    let text = String::from_utf8_lossy(&out.stdout);
    let said = "left out: sddmm K=4 tiny, cusparse-default: libcusparse.so.12 has no function cusparseSDDMM_bufferSize";
    assert!(out.status.success() && text.contains(said), "{text}{}", String::from_utf8_lossy(&out.stderr));
    let times = std::fs::read_to_string(&csv).unwrap();
    let of = |kernel: &str| {
        let lines = times.lines().map(fields).filter(|f| f[0] == kernel && f[5] == "cusparse");
        lines.filter(|f| f[8] == "true").count()
    };
    assert_eq!((of("spmv"), of("sddmm")), (1, 0), "{times}");
}

/// Kernels in the cache of [`Libraries::compile`].
fn kept(cache: &Path) -> usize {
    std::fs::read_dir(cache).map_or(0, |files| files.count())
}

#[test]
fn compiling_ahead_stops_at_ctrl_c() {
    let libraries = Libraries::new("ahead-stopped", None);
    let cache = libraries.0.join("cache");
    let child = libraries.compile(&cache).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while kept(&cache) == 0 {
        assert!(began.elapsed() < Duration::from_secs(300), "nothing is compiled");
        std::thread::sleep(Duration::from_millis(20));
    }
    // SAFETY: it is a signal to a process of ours that nobody has waited for yet.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) }, 0);
    let out = child.wait_with_output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert_eq!(out.status.code(), Some(1), "{text}{errors}");
    assert!(errors.contains("error: stopped by Ctrl-C: ") && text.is_empty(), "{text}{errors}");
    assert!((1..20).contains(&kept(&cache)), "{}", kept(&cache));
}

#[test]
fn compiling_ahead_for_nothing_is_an_error() {
    let libraries = Libraries::new("ahead-kept-nowhere", None);
    for (cache, said) in [
        ("", "error: compiled kernels are kept nowhere: SPARSE_CACHE is set to nothing, "),
        ("/dev/null/x", "error: /dev/null/x: Not a directory"),
    ] {
        let out = libraries.compile(Path::new(cache)).output().unwrap();
        let (text, errors) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        assert!(out.status.code() == Some(1) && text.is_empty(), "{text}{errors}");
        assert!(errors.starts_with(said) && errors.contains("set SPARSE_CACHE to a folder"), "{errors}");
    }
}
