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
        (&["--data", "/no/such/folder"], "/no/such/folder: "),
        (&["--kernels", "/no/such/folder"], "/no/such/folder: "),
    ] {
        let output = run(&[arguments, &["--cases", "0"]].concat());
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && text.contains(reason), "{text}");
    }
}
