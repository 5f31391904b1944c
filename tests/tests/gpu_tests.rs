//! The program for machines with a GPU, on the simulator.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_run-gpu-tests"));
    command.args(["--device", "sim"]).args(arguments).output().expect("it starts")
}

#[test]
fn one_case() {
    let output = run(&["--only", "0"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.ends_with("1 passed, 0 failed\n"), "{text}");
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
