//! The program from outside: what it writes, and how it refuses.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    // What is measured must not hang on which libraries this machine has.
    command.args(["cpu", "--samples", "1"]).args(arguments).env("SPARSE_MKL", "/nowhere").output().unwrap()
}

#[test]
fn every_implementation_is_right() {
    let folder = scratch("small");
    let matrix =
        "%%MatrixMarket matrix coordinate real general\n3 4 4\n1 1 1.5\n3 4 -2.0\n3 1 0.5\n1 4 1.0\n";
    std::fs::write(folder.join("tiny.mtx"), matrix).unwrap();
    std::fs::write(folder.join("tiny3.tns"), "1 1 1 1.0\n2 3 4 -2.5\n2 3 1 0.5\n").unwrap();
    std::fs::write(folder.join("order4.tns"), "1 1 1 1 1.0\n").unwrap();
    let csv = folder.join("times.csv");
    let (data, file) = (folder.to_str().unwrap(), csv.to_str().unwrap());
    let out = bench(&["--data", data, "--csv", file, "--inputs", "tiny,order4"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(String::from_utf8_lossy(&out.stdout).contains("spmm      N=32   f64"));

    let text = std::fs::read_to_string(&csv).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("kernel,input,params,dtype,threads,implementation,median_ms,verified"));
    let mut kernels = BTreeSet::new();
    let mut implementations = BTreeSet::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let [kernel, input, params, dtype, threads, implementation, median, verified] = fields[..] else {
            panic!("{line}");
        };
        assert!(median.parse::<f64>().is_ok() && threads == "1" && verified == "true", "{line}");
        assert!(input.starts_with("tiny") && ["f32", "f64"].contains(&dtype), "{line}");
        kernels.insert(format!("{kernel} {params}"));
        implementations.insert(implementation);
    }
    let expected = [
        "add ",
        "ata ",
        "bilinear ",
        "mttkrp R=32",
        "mul ",
        "norm ",
        "sddmm K=128",
        "sddmm K=32",
        "spgemm ",
        "spmm N=128",
        "spmm N=32",
        "spmm N=4",
        "spmv ",
        "transpose ",
        "ttv ",
    ];
    assert!(kernels.iter().eq(&expected), "{kernels:?}");
    let schedules = ["ours-serial", "ours-rows", "ours-positions", "ours-tile", "ours-published"];
    let faer: &[&str] = if cfg!(feature = "faer") { &["faer"] } else { &[] };
    for name in ["ours", "hand", "probe", "sprs"].iter().chain(faer).chain(&schedules) {
        assert!(implementations.contains(name), "{implementations:?}");
    }
}

#[test]
fn threads_are_measured_beside_one() {
    let folder = scratch("threads");
    let matrix = "%%MatrixMarket matrix coordinate real general\n3 4 2\n1 1 1.5\n3 4 -2.0\n";
    std::fs::write(folder.join("nw04.mtx"), matrix).unwrap();
    let csv = folder.join("times.csv");
    let (data, file) = (folder.to_str().unwrap(), csv.to_str().unwrap());
    let out = bench(&[
        "--data",
        data,
        "--csv",
        file,
        "--inputs",
        "nw04",
        "--kernels",
        "spmv",
        "--threads",
        "2,1,2",
    ]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = std::fs::read_to_string(&csv).unwrap();
    let of = |threads: &str| -> Vec<&str> {
        let fields = text.lines().skip(1).map(|l| l.split(',').collect::<Vec<_>>());
        fields.filter(|f| f[4] == threads && f[3] == "f64" && f[7] == "true").map(|f| f[5]).collect()
    };
    let scheduled = ["ours", "ours-serial", "ours-rows", "ours-positions"];
    assert_eq!(of("2"), scheduled);
    assert!(of("1").starts_with(&scheduled) && of("1").contains(&"hand"));
    let table = String::from_utf8_lossy(&out.stdout);
    assert!(
        table.contains("scaling, 1 to 2 threads") && table.contains("spmv      ours-positions  nw04"),
        "{table}"
    );
}

#[test]
fn bad_input_is_named() {
    let folder = scratch("bad");
    let matrix = "%%MatrixMarket matrix coordinate real general\n3 3 1\n4 1 1.0\n";
    std::fs::write(folder.join("bad.mtx"), matrix).unwrap();
    let cases = [
        (vec!["--data", folder.to_str().unwrap(), "--inputs", "bad"], "bad.mtx:3: "),
        (vec!["--data", "/no/such/folder"], "error: /no/such/folder: "),
        (vec!["--inputs", "no-such-input"], "error: no input has `no-such-input` in its name"),
        (vec!["--time-budget", "-1"], "error: "),
        (vec!["--threads", "0"], "write `all`, or a number from 1 to 1024"),
    ];
    for (arguments, message) in cases {
        let out = bench(&arguments);
        let stderr = String::from_utf8_lossy(&out.stderr);
        assert!(stderr.contains(message), "{stderr}");
        assert!(!out.status.success() && out.stdout.is_empty());
    }
}
