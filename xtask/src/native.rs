//! `cargo xtask native`: random kernels through the macro and rustc.

use crate::shell::{Done, cargo, root};
use std::fs;
use tests::case::Case;
use tests::differential::{Outcome, Run, check};

/// Options of `cargo xtask native`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many kernels the crate holds.
    #[arg(long, default_value_t = 200)]
    cases: u64,
    /// Seed of the run.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Args {
    pub(crate) fn new(cases: u64, seed: u64) -> Args {
        Args { cases, seed }
    }
}

const MANIFEST: &str = r#"[package]
name = "native-batch"
version = "0.0.0"
edition = "2024"

[dependencies]
sparse-core = { path = "../../sparse-core" }
sparse-gpu = { path = "../../sparse-gpu" }

[profile.dev]
debug = 0
incremental = false

[workspace]
"#;

/// Writes, builds and runs the crate, and compares.
pub(crate) fn run(args: &Args) -> Done {
    let cases = accepted(args);
    let folder = root().join("target/native-batch");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
    };
    fs::create_dir_all(folder.join("src")).map_err(|e| format!("{}: {e}", folder.display()))?;
    write("Cargo.toml", MANIFEST)?;
    write("src/main.rs", &tests::native::source(&cases))?;
    // The workspace's own versions, so that nothing is resolved again.
    let lock = fs::read_to_string(root().join("Cargo.lock")).map_err(|e| format!("Cargo.lock: {e}"))?;
    write("Cargo.lock", &lock)?;
    let output = cargo(&["run", "--quiet"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", root().join("target/native"))
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|e| format!("cargo could not be started: {e}"))?;
    if !output.status.success() {
        return Err(format!("{}: {}", folder.display(), output.status));
    }
    compare(args, &cases, &String::from_utf8_lossy(&output.stdout))
}

/// The first cases that the compiler accepts.
fn accepted(args: &Args) -> Vec<(u64, Case)> {
    let mut cases = Vec::new();
    let mut number = 0;
    while (cases.len() as u64) < args.cases && number < 10 * args.cases {
        let case = tests::generate::generate(args.seed, number);
        if !matches!(check(&case, &tests::interpret::interpret), Outcome::Refused { .. }) {
            cases.push((number, case));
        }
        number += 1;
    }
    cases
}

fn compare(args: &Args, cases: &[(u64, Case)], text: &str) -> Done {
    let mut results = tests::native::results(text, cases);
    let (mut passed, mut failed) = (0, 0);
    for (number, case) in cases {
        let message = match results.remove(number) {
            None => "no result".to_string(),
            Some(Err(message)) => message,
            Some(Ok(values)) => {
                let run = move |_: &Case| Ok(vec![Run { choices: "", values: values.clone() }]);
                match check(case, &run) {
                    Outcome::Passed => {
                        passed += 1;
                        continue;
                    }
                    Outcome::Failed { message, .. } | Outcome::Refused { message, .. } => message,
                }
            }
        };
        failed += 1;
        println!(
            "// native: seed {}, case {number}\n{}// {}\n",
            args.seed,
            case.to_code(),
            message.replace('\n', "\n// ")
        );
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 { Ok(()) } else { Err(format!("{failed} native kernels failed")) }
}
