//! Running cargo.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// What a task comes to: nothing, or what went wrong.
pub(crate) type Done = Result<(), String>;

/// The workspace's folder.
pub(crate) fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(PathBuf::from).unwrap_or(here)
}

/// A cargo command in the workspace.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root());
    command
}

/// The same of a command that compiles in the profile `checked`, but nothing optimised: where sparse-core is built anew in any
/// case, with other features or for lints, and what runs is short. Other crates are those that the tests have built.
pub(crate) fn plain(command: &str, args: &[&str]) -> Command {
    let profile = ["--profile", "checked", "--config", "profile.checked.package.sparse-core.opt-level=0"];
    let mut cargo = cargo(&[command]);
    cargo.args(profile).args(args);
    cargo
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Done {
    let status = command.status();
    ended(command, status)
}

/// What a command's end comes to.
pub(crate) fn ended(command: &Command, status: std::io::Result<ExitStatus>) -> Done {
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{}: {status}", describe(command))),
        Err(e) => Err(format!("{} could not be started: {e}", describe(command))),
    }
}

fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words: Vec<_> =
        [program].into_iter().chain(command.get_args()).map(|a| a.to_string_lossy()).collect();
    format!("`{}`", words.join(" "))
}
