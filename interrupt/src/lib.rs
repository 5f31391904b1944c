//! Ctrl-C in programs that search or measure for long: the first asks to stop, and what was found until then is kept; the
//! second ends the program at once. Libraries hear of it through their callbacks alone.
//!
//! ```no_run
//! interrupt::listen()?;
//! for case in 0..1000 {
//!     if interrupt::requested() {
//!         break;
//!     }
//!     println!("case {case}");
//! }
//! # Ok::<(), interrupt::Error>(())
//! ```

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

pub use ctrlc::Error;

/// What shells say of a program that an interrupt has ended: 128 and the signal's number.
pub const EXIT_CODE: i32 = 130;

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C is a request.
///
/// # Errors
/// If the system refuses, or the program listens already.
pub fn listen() -> Result<(), Error> {
    ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(EXIT_CODE);
        }
        eprintln!("\nstopping after what has begun; Ctrl-C again ends at once");
    })
}

/// Has the user asked to stop?
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// The same for callbacks: [`Break`](ControlFlow::Break) once the user has asked.
pub fn flow() -> ControlFlow<()> {
    if requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}
