//! The program for machines with a GPU, on the simulator.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_run-gpu-tests"));
    command.args(["--device", "sim"]).args(arguments).output().expect("it starts")
}

#[test]
fn one_case() {
    // Some are refused.
    let texts: Vec<_> = (0..20).map(|n| run(&["--only", &n.to_string()])).collect();
    let passed = |o: &Output| o.status.success() && o.stdout.ends_with(b"\n1 passed, 0 failed\n");
    let failed = |o: &&Output| !String::from_utf8_lossy(&o.stdout).contains(" passed, 0 failed, ");
    assert!(texts.iter().any(passed));
    let failed: Vec<_> = texts.iter().filter(failed).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn what_can_not_be_done_is_said() {
    for (arguments, reason) in [
        (&["--sanitizer", "memcheck"][..], "compute-sanitizer is for GPUs"),
        (&["--ordinal", "3"], "there is one simulator"),
        (&["--data", "/no/such/folder"], "/no/such/folder: "),
        (&["--kernels", "/no/such/folder"], "/no/such/folder: "),
    ] {
        let output = run(&[arguments, &["--cases", "0"]].concat());
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && text.contains(reason), "{text}");
    }
}

#[test]
fn what_makes_too_much_is_left_out_by_name() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("wide");
    std::fs::create_dir_all(&folder).unwrap();
    let header = "%%MatrixMarket matrix coordinate real general\n";
    // A column that meets itself; a dense result of 9·10⁶ elements.
    let rows = |row: u32| format!("1 {} 1.0\n", 10 * row);
    let entries: String = (1..=300).map(rows).collect();
    std::fs::write(folder.join("wide.mtx"), format!("{header}3000 3000 300\n{entries}")).unwrap();
    let data = folder.to_str().unwrap();
    let kernels = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/in");
    let output =
        run(&["--cases", "0", "--inputs", "wide", "--data", data, "--kernels", kernels, "--steps", "85000"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let left_out = |why: &str, kernel: &str| {
        let line = text.lines().find(|l| l.starts_with("left out on wide, ") && l.contains(why));
        assert!(line.is_some_and(|l| l.contains(kernel)), "{why}: {kernel}\n{text}");
    };
    left_out("more than 2097152 elements", "mixed_sum3");
    left_out("more than 85000 products", "ata");
    // What is small enough is run.
    let last = text.lines().last().unwrap_or_default();
    let passed: u32 = last.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
    assert!(passed > 10 && last.contains(" passed, 0 failed, ") && last.ends_with(" left out"), "{text}");
}

#[test]
fn nothing_is_begun_without_time() {
    let output = run(&["--cases", "5", "--inputs", "rmat", "--time-limit", "0"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("0 passed, 0 failed, 5 without time"), "{text}");
    let output = run(&["--cases", "0", "--time-limit=-1"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("-1 is no number of seconds"));
}
