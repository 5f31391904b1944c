//! Tasks that run beside everything else, one after another, at the lowest priority: on what others leave of the cores. Compiling
//! ends with one crate, and many tests keep one core busy.

use crate::shell::{Done, ended};
use std::io::Read;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// How a task ended.
struct Ended {
    /// What it printed.
    text: String,
    /// How long it kept cores busy, in seconds.
    busy: f64,
    done: Done,
}

/// Tasks of this program, in order.
pub(crate) struct Aside {
    results: Receiver<Ended>,
    busy: Arc<Mutex<f64>>,
}

impl Aside {
    /// Begins.
    pub(crate) fn new(tasks: Vec<Vec<String>>) -> Result<Aside, String> {
        let this = std::env::current_exe().map_err(|e| format!("this program: {e}"))?;
        let (ended, results) = channel();
        let busy = Arc::new(Mutex::new(0.0));
        let all = busy.clone();
        thread::spawn(move || {
            for task in tasks {
                let mut command = Command::new("nice");
                command.args(["-n", "19"]).arg(&this).args(task);
                let result = run(&mut command);
                *all.lock().unwrap_or_else(PoisonError::into_inner) += result.busy;
                // Where nobody waits any more, nothing is begun.
                if ended.send(result).is_err() {
                    break;
                }
            }
        });
        Ok(Aside { results, busy })
    }

    /// Waits for the next task, and prints what it has printed.
    pub(crate) fn next(&self) -> Done {
        let Ended { text, busy, done } = self.results.recv().map_err(|_| "it was not run".to_string())?;
        println!("{text}{busy:.1} s of cores, beside what came before");
        done
    }

    /// How many seconds those that have ended kept cores busy.
    pub(crate) fn busy(&self) -> f64 {
        *self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn run(command: &mut Command) -> Ended {
    let (mut text, mut busy) = (String::new(), 0.0);
    let status = wait(command, &mut text, &mut busy);
    Ended { text, busy, done: ended(command, status) }
}

/// Runs a command to its end: what it printed, and how long it kept cores busy.
fn wait(command: &mut Command, text: &mut String, busy: &mut f64) -> std::io::Result<ExitStatus> {
    use std::os::unix::process::ExitStatusExt;
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    if let Some(out) = &mut child.stdout {
        out.read_to_string(text)?;
    }
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: the pointers are to a number and to a `rusage`, of which zeros are a value if the call should fail. The process is a
    // child that nobody has waited for.
    let (waited, usage) = unsafe {
        let waited = libc::wait4(child.id() as libc::pid_t, &mut status, 0, usage.as_mut_ptr());
        (waited, usage.assume_init())
    };
    if waited < 0 {
        return Err(std::io::Error::last_os_error());
    }
    *busy = seconds(&usage);
    Ok(ExitStatus::from_raw(status))
}

/// How long cores were busy.
pub(crate) fn seconds(usage: &libc::rusage) -> f64 {
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
