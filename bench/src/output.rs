//! Standard output of programs that measure for long: where nobody reads it any more they go on, for their files.

use std::io::{self, ErrorKind, Write};
use std::sync::Mutex;

/// Why nothing can be written any more.
static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

/// As the standard library's macro of this name, which panics where nobody can read what is written.
macro_rules! print {
    ($($text:tt)*) => { $crate::output::write(format_args!($($text)*)) };
}

/// As [`print!`], with a line's end.
macro_rules! println {
    ($($line:tt)*) => {{
        $crate::output::write(format_args!($($line)*));
        $crate::output::write(format_args!("\n"));
    }};
}

/// What the macros call. After a failure nothing is written.
pub(crate) fn write(text: std::fmt::Arguments<'_>) {
    let mut failed = FAILED.lock().unwrap_or_else(|e| e.into_inner());
    if failed.is_none() {
        *failed = io::stdout().lock().write_fmt(text).err();
    }
}

/// Was all written that somebody wanted to read? A reader that has closed the pipe, as `head` does, has what it wanted.
///
/// # Errors
/// Why not: a disk that is full, for one.
pub(crate) fn finish() -> io::Result<()> {
    let failed = FAILED.lock().unwrap_or_else(|e| e.into_inner()).take();
    match failed.map_or_else(|| io::stdout().flush(), Err) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(e),
        _ => Ok(()),
    }
}
