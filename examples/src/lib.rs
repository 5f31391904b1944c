//! What the programs share: how they end, how they read files and time kernels, and the inputs they make.

pub mod cholesky;
pub mod device;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sparse_gpu::prelude::*;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What a program comes to: nothing, or the reason why it failed, in words for its user.
pub type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Says why on stderr and exits with code 1 if the program failed.
pub fn finish(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// A line on standard output, as the standard library's macro of this name writes one; but where that panics because nobody
/// can read the line, this ends the program.
#[macro_export]
macro_rules! println {
    ($($line:tt)*) => { $crate::write_line(format_args!($($line)*)) };
}

/// What `println!` calls. A reader that has closed the pipe, as `head` does, has what it wanted: the program ends with code 0.
/// Where the line cannot be written otherwise, on a full disk, it says so and ends with code 1.
pub fn write_line(line: std::fmt::Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    if let Err(e) = out.write_fmt(line).and_then(|()| out.write_all(b"\n")) {
        if e.kind() == ErrorKind::BrokenPipe {
            std::process::exit(0);
        }
        eprintln!("error: standard output: {e}");
        std::process::exit(1);
    }
}

/// A progress bar for a reader, on stderr, if that is a terminal and reading takes long. It goes when reading ends.
pub fn progress(path: &Path) -> impl FnMut(u64, Option<u64>) + use<> {
    const LONG: Duration = Duration::from_millis(400);
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    let started = Instant::now();
    move |read, total| {
        if bar.is_hidden() && started.elapsed() > LONG {
            let template = match total {
                Some(_) => "{msg} {wide_bar} {bytes}/{total_bytes} {eta}",
                None => "{msg} {spinner} {bytes}",
            };
            let style = ProgressStyle::with_template(template);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_message(name.clone());
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        if let Some(total) = total {
            bar.set_length(total);
        }
        bar.set_position(read);
    }
}

/// The median time of a call, in seconds: of 25 calls after one to warm up, or of as many as fit into a second.
///
/// # Errors
/// That of the first call which fails.
pub fn median_seconds(mut call: impl FnMut() -> Result<(), Error>) -> Result<f64, Error> {
    call()?;
    let (started, mut seconds) = (Instant::now(), vec![]);
    while seconds.is_empty() || seconds.len() < 25 && started.elapsed() < Duration::from_secs(1) {
        let start = Instant::now();
        call()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[seconds.len() / 2])
}

/// The size of a square matrix, such as a graph's.
///
/// # Errors
/// If the matrix of the file `name` is not square, or is empty.
pub fn square(name: &str, [rows, cols]: [usize; 2]) -> Outcome<usize> {
    match rows == cols {
        true if rows > 0 => Ok(rows),
        true => Err(format!("{name}: the matrix is empty").into()),
        false => Err(format!("{name}: expected a square matrix, this one is {rows} x {cols}").into()),
    }
}
