//! The program for machines with a GPU, on the simulator.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_run-gpu-tests"));
    command.args(["--device", "sim"]).args(arguments).output().expect("it starts")
}

#[test]
fn times_are_written_with_what_they_are_of() {
    let folder = std::env::temp_dir().join(format!("gpu-tests-{}", std::process::id()));
    let out = folder.to_string_lossy().into_owned();
    let output = run(&["--time", "--inputs", "no-entries,few-long", "--columns", "1,4", "--out", &out]);
    let csv = std::fs::read_to_string(folder.join("spmm.csv")).unwrap_or_default();
    let _ = std::fs::remove_dir_all(&folder);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    let points = tests::gpu::points();
    let count = 2 * 2 * points.len();
    assert!(text.ends_with(&format!("\n{count} passed, 0 failed\n")), "{text}");
    let mut lines = csv.lines();
    let header = "kernel,input,params,dtype,point,implementation,median_us,bytes,verified";
    assert_eq!(lines.next(), Some(header));
    assert_eq!(lines.clone().count(), count);
    for point in points {
        let start = format!("spmm,few-long-rows,N=4,f32,\"{}\",simulated,", point.name);
        let line =
            lines.clone().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("{start}\n{csv}"));
        let rest: Vec<&str> = line[start.len()..].split(',').collect();
        let [us, bytes, verified] = rest[..] else { panic!("{line}") };
        assert!(us.parse::<f64>().is_ok_and(|us| us > 0.0) && verified == "true", "{line}");
        assert!(bytes.parse::<usize>().is_ok_and(|bytes| bytes > 4 * 1500 * 4), "{line}");
    }
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
