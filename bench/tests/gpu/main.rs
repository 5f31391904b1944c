//! `bench gpu` from outside, on the simulator: what it writes, and how it refuses.

#[cfg(target_os = "linux")]
mod fake;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let matrix =
        "%%MatrixMarket matrix coordinate real general\n3 4 4\n1 1 1.5\n3 4 -2.0\n3 1 0.5\n1 4 1.0\n";
    std::fs::write(folder.join("tiny.mtx"), matrix).unwrap();
    std::fs::write(folder.join("tiny3.tns"), "1 1 1 1.0\n2 3 4 -2.5\n2 3 1 0.5\n").unwrap();
    std::fs::write(folder.join("tiny4.tns"), "1 1 1 1 1.0\n").unwrap();
    folder
}

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.args(arguments).args(["--device", "sim"]).output().unwrap()
}

/// The fields of a line; those in quotes have commas.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

/// Nobody reads what is printed, as after `| head`: what was asked for is done, and in its file.
#[test]
#[cfg(unix)]
fn a_closed_pipe_loses_nothing() {
    let folder = scratch("pipe");
    let csv = folder.join("times.csv");
    let (data, file) = (folder.to_str().unwrap(), csv.to_str().unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.args(["gpu", "--device", "sim", "--quick", "--kernels", "spmv", "--inputs", "tiny"]);
    command.args(["--data", data, "--csv", file]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let out = command.stdout(writer).stderr(std::process::Stdio::piped()).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(std::fs::read_to_string(csv).unwrap().lines().count() > 5);
    if let Ok(full) = std::fs::File::create("/dev/full") {
        let out = command.stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(1) && said.contains("error: standard output: "), "{said}");
    }
}

#[test]
fn every_kernel_is_right_by_every_schedule() {
    let folder = scratch("gpu");
    let csv = folder.join("times.csv");
    let (data, file) = (folder.to_str().unwrap(), csv.to_str().unwrap());
    let out = bench(&[
        "gpu",
        "--data",
        data,
        "--csv",
        file,
        "--tune",
        "--plots",
        data,
        "--inputs",
        "tiny",
        "--columns",
        "3,4",
    ]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    // Nothing here was measured on a GPU, and it says so.
    assert!(text.starts_with("device: the simulator: times are predictions"), "{text}");
    assert!(text.contains("speed relative to others, predicted") && !text.contains("measured:"), "{text}");
    assert!(!text.contains(" pass\n"), "{text}");
    assert!(text.contains("left out: tiny4: a tensor of another order than 3\n"), "{text}");

    for name in ["spmm-density.svg", "ttv-variation.svg"] {
        let picture = std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(picture.starts_with("<svg") && picture.contains("predicted"), "{picture}");
    }

    let text = std::fs::read_to_string(&csv).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("kernel,input,params,dtype,point,implementation,median_us,bytes,verified"));
    let (mut kernels, mut points) = (BTreeSet::new(), BTreeSet::new());
    for line in lines {
        let fields = fields(line);
        let [kernel, input, params, dtype, point, implementation, us, bytes, verified] = &fields[..] else {
            panic!("{line}");
        };
        assert!(us.parse::<f64>().is_ok_and(|us| us > 0.0 && us < 100.0), "{line}");
        assert!(bytes.parse::<u64>().is_ok_and(|bytes| bytes > 50), "{line}");
        assert!(dtype == "f32" && implementation == "simulated" && verified == "true", "{line}");
        assert!(["tiny", "tiny3"].contains(&&**input), "{line}");
        kernels.insert(format!("{kernel} {params}"));
        points.insert(point.clone());
    }
    let expected = [
        "add ",
        "mttkrp R=3",
        "mttkrp R=4",
        "sddmm K=3",
        "sddmm K=4",
        "spgemm ",
        "spmm N=3",
        "spmm N=4",
        "spmv ",
        "ttm N=3",
        "ttm N=4",
        "ttv ",
    ];
    assert!(kernels.iter().eq(&expected), "{kernels:?}");
    for name in ["default", "tuned", "<1/32 row, 4 col>, 8", "<8 nnz, 4 col>, 8", "TACO <1 row, 1 col>, 1"] {
        assert!(points.contains(name), "{points:?}");
    }
}

#[test]
fn every_kernel_is_right_in_double_precision() {
    let folder = scratch("gpu-f64");
    let csv = folder.join("times.csv");
    let (data, file) = (folder.to_str().unwrap(), csv.to_str().unwrap());
    let run = ["gpu", "--data", data, "--csv", file, "--plots", data, "--inputs", "tiny", "--columns", "3,4"];
    let out = bench(&[&run[..], &["--dtypes", "f64"]].concat());
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    // Goals are of single precision.
    assert!(
        text.contains("\nspmm    N=3    f64   launch ") && !text.contains("predicted: does not count"),
        "{text}"
    );
    assert!(folder.join("spmm-f64-density.svg").is_file() && !folder.join("spmm-density.svg").exists());
    let rows: Vec<Vec<String>> = std::fs::read_to_string(&csv).unwrap().lines().skip(1).map(fields).collect();
    assert!(rows.iter().all(|r| r[3] == "f64" && r[8] == "true"), "{rows:?}");
    let kernels: BTreeSet<&str> = rows.iter().map(|r| &*r[0]).collect();
    assert!(
        kernels.iter().eq(&["add", "mttkrp", "sddmm", "spgemm", "spmm", "spmv", "ttm", "ttv"]),
        "{kernels:?}"
    );
    // Twice the bytes of values.
    let bytes = |kernel: &str| rows.iter().find(|r| r[0] == kernel).unwrap()[7].parse::<u64>().unwrap();
    assert_eq!(bytes("spmv"), 4 * (4 + 4) + 8 * (4 + 4 + 3));
}

#[test]
fn tables_of_papers_stand_beside_theirs() {
    let folder = scratch("gpu-papers");
    let csv = folder.join("times.csv");
    let (data, file) = (folder.to_str().unwrap(), csv.to_str().unwrap());
    let run = ["--data", data, "--csv", file, "--inputs", "tiny", "--quick", "--max-entries", "1000"];
    for (command, expected) in [
        (
            &["sgap"][..],
            [
                "Table 1: flexible group size, speed over g = r = 32, N = 4, predicted\n",
                "Table 2: <1 nnz, c col>, r by segments over the best <1/g row, c col>, r, N = 4, predicted\n",
                "Table 3: the best of the two new algorithms over the best of TACO's two, N = 4, predicted\n",
                "its fixed <32, 256, 32, 1>, predicted\n(both are ours: us against us)\n",
                "Table 5: choosing for each input over the best static configuration, predicted\n",
            ],
        ),
        (
            // The matrix of section 7.5 has a million entries.
            &["oopsla", "--parts", "ratios,skew"],
            [
                "spmm    N=128       1                 -            0.59",
                "mttkrp  R=32        1                 -            0.88",
                "Section 7.4: SpMV on rows of lengths k·cⁱ, shuffled, predicted\n",
                "  1.000000 ",
                "Section 7.2: the published schedules on a GPU, predicted",
            ],
        ),
    ] {
        let out = bench(&[command, &run[..]].concat());
        let text = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
        for expected in expected {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        assert!(!text.contains("measured") || text.contains("nothing measured"), "{text}");
        let text = std::fs::read_to_string(&csv).unwrap();
        assert!(text.lines().count() > 6 && text.lines().skip(1).all(|l| fields(l)[8] == "true"), "{text}");
    }
}

#[test]
fn what_is_left_out_is_said() {
    let folder = scratch("gpu-limits");
    let data = folder.to_str().unwrap();
    let run = ["gpu", "--data", data, "--kernels", "spmv"];
    for (arguments, said) in [
        (&["--inputs", "tiny", "--max-entries", "3"][..], "left out: tiny: more than 3 entries\n"),
        (&["--inputs", "tiny", "--time-limit", "0"], "left out: tiny: no time left\n"),
        (
            &["--inputs", "uniform-large", "--max-entries", "9"],
            "left out: uniform-large: more than 9 entries\n",
        ),
        (&["--inputs", "-large", "--max-entries", "9"], "left out: uniform-large: more than 9 entries\n"),
        (
            &["--inputs", "tiny", "--kernels", "spgemm", "--max-products", "7"],
            "left out: spgemm tiny: 8 products, more than 7\n",
        ),
    ] {
        let out = bench(&[&run, arguments].concat());
        let text = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success() && text.contains(said), "{text}");
    }
}

/// A kernel takes no time where there is nothing to do: nothing can be compared then.
#[test]
fn inputs_without_entries_are_left_out() {
    let folder = scratch("gpu-empty");
    let banner = "%%MatrixMarket matrix coordinate real general\n";
    std::fs::write(folder.join("tiny-none.mtx"), format!("{banner}3 4 0\n")).unwrap();
    std::fs::write(folder.join("tiny-flat.mtx"), format!("{banner}0 4 0\n")).unwrap();
    let data = ["--data", folder.to_str().unwrap(), "--inputs", "tiny-"];
    for command in [
        &["gpu", "--kernels", "spmv,spmm", "--columns", "4"][..],
        &["sgap", "--tables", "1,4"],
        &["oopsla", "--parts", "ratios"],
    ] {
        let out = bench(&[command, &data].concat());
        let text = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
        for said in ["tiny-none: it has no entries\n", "tiny-flat: one of its dimensions has size 0\n"] {
            assert!(text.contains(&format!("left out: {said}")), "{text}");
        }
        assert!(!text.contains("NaN") && !text.contains("inf") && !text.contains("0.00"), "{text}");
    }
}

/// What is asked for twice is measured and shown once.
#[test]
fn nothing_counts_twice() {
    let folder = scratch("gpu-twice");
    let csv = folder.join("times.csv");
    let files = ["--data", folder.to_str().unwrap(), "--inputs", "tiny", "--csv", csv.to_str().unwrap()];
    let point = ["--point", "<1 row, 4 col>, 1", "--point", "<1row, 4col>, 1"];
    let out = bench(&[&["gpu", "--kernels", "spmm,spmm", "--columns", "4,3,4"], &files[..], &point].concat());
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let rows: Vec<Vec<String>> = std::fs::read_to_string(&csv).unwrap().lines().skip(1).map(fields).collect();
    let params: Vec<&str> = rows.iter().map(|r| &*r[2]).collect();
    assert_eq!(params, ["N=4", "N=3"], "{rows:?}");
    let out = bench(&["oopsla", "--parts", "skew,skew", "--max-entries", "1000"]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && text.matches("Section 7.4").count() == 1, "{text}");
}

/// Ctrl-C: what has begun is finished, what was found is kept and shown, and nobody takes it for all.
#[cfg(unix)]
#[test]
fn what_was_found_before_an_interrupt_is_kept() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let folder = scratch("gpu-interrupt");
    let csv = folder.join("times.csv");
    let _ = std::fs::remove_file(&csv);
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.args([
        "gpu",
        "--device",
        "sim",
        "--kernels",
        "spmm",
        "--points",
        "all",
        "--inputs",
        "uniform-small",
    ]);
    command.arg("--csv").arg(&csv).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let lines = || std::fs::read_to_string(&csv).map_or(0, |text| text.lines().count());
    let began = Instant::now();
    while lines() < 4 {
        assert!(began.elapsed() < Duration::from_secs(300), "nothing is measured");
        std::thread::sleep(Duration::from_millis(20));
    }
    // SAFETY: it is a signal to a process of ours that nobody has waited for yet.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) }, 0);
    let out = child.wait_with_output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert_eq!(out.status.code(), Some(1), "{text}{errors}");
    assert!(errors.contains("error: stopped by Ctrl-C: "), "{errors}");
    assert!(
        text.contains("left out: spmm N=4 uniform-small, from ") && text.contains(": stopped\n"),
        "{text}"
    );
    assert!(text.contains("left out: spmm N=16 uniform-small: stopped\n"), "{text}");
    assert!(text.contains("speed relative to others, predicted"), "{text}");
    let rows: Vec<Vec<String>> = std::fs::read_to_string(&csv).unwrap().lines().map(fields).collect();
    assert!(rows.len() < 300 && rows.iter().all(|row| row.len() == 9), "{rows:?}");
}

/// One command takes times, fits a rule on generated inputs, judges it on files, and writes it.
#[test]
fn a_rule_is_fitted_in_one_command() {
    let folder = scratch("gpu-fit");
    let rule = folder.join("rule.txt");
    let (data, file) = (folder.to_str().unwrap(), rule.to_str().unwrap());
    let inputs = ["--inputs", "tiny,mostly-empty-small", "--kernels", "spmv"];
    let out = bench(&[&["fit", "--data", data, "--out", file], &inputs[..]].concat());
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    for said in [
        "plain: fitted on 1 cases, ",
        "plain: judged on 1 cases, ",
        "plain: the rule before it on ",
        "columns: no times",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    // Without `--csv` the times are kept where it says.
    let times = text.lines().find_map(|line| line.strip_prefix("times: ")).unwrap();
    assert!(std::fs::read_to_string(times).unwrap().starts_with("kernel,"));
    std::fs::remove_file(times).unwrap();
    let rule = std::fs::read_to_string(&rule).unwrap();
    assert!(rule.contains("nothing was measured:\n") && rule.contains("\ncolumns: "), "{rule}");
}

#[test]
#[cfg(unix)]
fn a_folder_for_pictures_is_made_before_anything_is_measured() {
    let out = bench(&["gpu", "--quick", "--plots", "/dev/null/plots"]);
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.code() == Some(1) && errors.starts_with("error: /dev/null/plots: "), "{errors}");
    assert!(out.stdout.is_empty(), "{}", String::from_utf8_lossy(&out.stdout));
}

#[test]
#[cfg(unix)]
fn a_rule_goes_where_files_can_be_written() {
    let out = bench(&["fit", "--quick", "--out", "/dev/null/rule.txt"]);
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.code() == Some(1) && errors.starts_with("error: /dev/null/rule.txt: "), "{errors}");
    assert!(out.stdout.is_empty(), "{}", String::from_utf8_lossy(&out.stdout));
}

/// A rule of nothing is none.
#[test]
fn a_rule_needs_times() {
    let folder = scratch("gpu-fit-none");
    let (times, rule) = (folder.join("times.csv"), folder.join("rule.txt"));
    let header = "kernel,input,params,dtype,point,implementation,median_us,bytes,verified\n";
    let row = |us: &str, verified: &str| {
        format!("spmv,uniform-small,,f32,\"<1 row, 1 col>, 1\",simulated,{us},1,{verified}\n")
    };
    let nothing = "error: there is nothing to fit on: ";
    for (rows, said) in [
        (String::new(), nothing),
        (row("1.0", "false"), nothing),
        // One point leaves no choice.
        (row("1.0", "true"), nothing),
        (row("nan", "true"), "times.csv:2: `nan` is no time: "),
        (row("1.0", "true") + &row("0.000", "true"), "times.csv:3: `0.000` is no time: "),
    ] {
        std::fs::write(&times, format!("{header}{rows}")).unwrap();
        let out = bench(&["fit", "--from", times.to_str().unwrap(), "--out", rule.to_str().unwrap()]);
        let (text, errors) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        assert!(out.status.code() == Some(1) && errors.contains(said), "{rows}: {text}{errors}");
        assert!(text.is_empty() && !rule.exists(), "{rows}: {text}");
    }
}

/// Times of an input say nothing without it.
#[test]
fn a_rule_says_whose_times_it_leaves_out() {
    let folder = scratch("gpu-fit-left-out");
    let (times, rule) = (folder.join("times.csv"), folder.join("rule.txt"));
    let row = |input: &str, point: &str| format!("spmv,{input},,f32,\"{point}\",simulated,1.0,1,true\n");
    let of = |input: &str| row(input, "<1 row, 1 col>, 1") + &row(input, "<8 nnz, 1 col>, 32");
    let header = "kernel,input,params,dtype,point,implementation,median_us,bytes,verified\n";
    std::fs::write(&times, format!("{header}{}{}", of("uniform-small"), of("elsewhere"))).unwrap();
    let fit = ["fit", "--from", times.to_str().unwrap(), "--out", rule.to_str().unwrap()];
    let out = bench(&fit);
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
    let said = "left out: 1 inputs that are not here, such as elsewhere: `--data` names their folder\n";
    assert!(text.contains(said) && std::fs::read_to_string(&rule).unwrap().contains(said), "{text}");
    // They are taken already.
    let out = bench(&[&fit[..], &["--kernels", "spmv"]].concat());
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.code() == Some(2) && errors.contains("cannot be used with"), "{errors}");
}

#[test]
fn bad_input_is_named() {
    let same = scratch("gpu-same-name");
    std::fs::write(same.join("tiny.mtx.gz"), "").unwrap();
    let folder = scratch("gpu-bad");
    let matrix = "%%MatrixMarket matrix coordinate real general\n3 3 1\n4 1 1.0\n";
    std::fs::write(folder.join("bad.mtx"), matrix).unwrap();
    let cases = [
        (vec!["--data", folder.to_str().unwrap(), "--inputs", "bad"], "bad.mtx:3: "),
        (vec!["--data", "/no/such/folder"], "error: /no/such/folder: "),
        (vec!["--inputs", "no-such-input"], "error: no input has `no-such-input` in its name"),
        (vec!["--ordinal", "1"], "error: --ordinal is the number of a GPU"),
        (vec!["--time-limit", "NaN", "--quick"], "NaN is not a number of seconds"),
        (vec!["--columns", "0"], "0 is not in 1.."),
        (
            vec!["--data", same.to_str().unwrap()],
            "error: tiny.mtx and tiny.mtx.gz are both the input `tiny`: rename a file",
        ),
    ];
    for (arguments, message) in cases {
        let out = bench(&[&["gpu"], &arguments[..]].concat());
        let stderr = String::from_utf8_lossy(&out.stderr);
        assert!(stderr.contains(message), "{stderr}");
        assert!(!out.status.success());
    }
}
