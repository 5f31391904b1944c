//! A kernel whose schedule is chosen at run time: its text, compiled with one schedule after another.

use super::error::{Result, TuneError};
use super::limits::Dropped;
use crate::launch::Kernel;
use sparse_core::cin::Cin;
use sparse_core::diag::Diagnostics;
use sparse_core::driver::{Options, compile_cuda, concretize_kernel};
use sparse_core::front::ast::{self, Mode};
use sparse_core::front::command::Schedule;
use sparse_core::front::point::{Amount, BrokenRule, Data};
use sparse_core::front::{AtomicParallelism, parse_schedule, parse_str};
use sparse_core::schedule::{point_commands, points};
use std::fmt;

/// A kernel to tune: what `tensor_kernel!` leaves as `TEXT` beside the function, or a kernel's text as one would write it
/// in the macro.
///
/// ```
/// use sparse_gpu::tune::Tunable;
/// let spmv = "fn spmv(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] = A[i, j] * x[j]; }";
/// assert_eq!(Tunable::parse(spmv)?.name(), "spmv");
/// # Ok::<(), sparse_gpu::tune::TuneError>(())
/// ```
#[derive(Clone)]
pub struct Tunable {
    name: String,
    text: String,
}

/// A kernel that has been read: its tokens stay on the thread that reads it.
pub(super) struct Parsed {
    pub(super) kernel: ast::Kernel,
    cin: Cin,
    text: String,
}

/// A schedule that a kernel can have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// A point of atomic parallelism.
    Point(AtomicParallelism),
    /// Scheduling commands, as in the braces of `schedule cuda { … }`.
    Commands(String),
}

impl Tunable {
    /// Of a kernel's text.
    ///
    /// # Errors
    /// [`TuneError::Kernel`]
    pub fn parse(text: &str) -> Result<Tunable> {
        let parsed = Parsed::of(text)?;
        Ok(Tunable { name: parsed.kernel.name.to_string(), text: text.into() })
    }

    /// The kernel's name.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// The kernel's text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Parsed {
    /// # Errors
    /// [`TuneError::Kernel`]
    pub(super) fn of(text: &str) -> Result<Parsed> {
        let wrong = |d: &Diagnostics| TuneError::Kernel(d.to_string());
        let kernel = parse_str(text).map_err(|f| wrong(&f.diagnostics))?;
        let cin = concretize_kernel(&kernel).map_err(|d| wrong(&d))?;
        Ok(Parsed { kernel, cin, text: text.into() })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The schedule that is written in the text; `None` for the default.
    pub(super) fn own(&self) -> Option<Choice> {
        match &self.kernel.cuda {
            Schedule::Point(point, _) => Some(Choice::Point(*point)),
            Schedule::Commands(commands) => {
                let lines: Vec<_> = commands.iter().map(|c| format!("{};", c.source)).collect();
                Some(Choice::Commands(lines.join("\n")))
            }
            Schedule::Default | Schedule::None => None,
        }
    }

    /// The legal points.
    pub(super) fn points(&self) -> Vec<AtomicParallelism> {
        points(&self.kernel, &self.cin)
    }

    /// Why it has no points.
    pub(super) fn why_no_points(&self) -> String {
        let simplest = AtomicParallelism::new(Data::Nnz(Amount::Whole(1)), Amount::Whole(1), 1);
        self.refuses(&simplest).map_or_else(|| "no point is legal".into(), |why| why.to_string())
    }

    /// The rule that a point breaks.
    pub(super) fn refuses(&self, point: &AtomicParallelism) -> Option<Dropped> {
        if let Err(BrokenRule { rule, message, .. }) = point.check() {
            return Some(Dropped::Illegal { rule, why: message });
        }
        let refused = point_commands(&self.kernel, &self.cin, point, self.kernel.name.span());
        refused.err().map(|d| Dropped::Illegal { rule: d.code, why: d.message })
    }

    /// Compiled with a schedule, or why that is impossible.
    pub(super) fn compile(&self, choice: &Choice) -> std::result::Result<Kernel, Dropped> {
        let wrong = |d: Diagnostics| match d.iter().next() {
            Some(d) => Dropped::Illegal { rule: d.code, why: d.message.clone() },
            None => Dropped::Illegal { rule: "internal", why: String::new() },
        };
        let cuda = match choice {
            Choice::Point(point) => Schedule::Point(*point, self.kernel.name.span()),
            Choice::Commands(text) => Schedule::Commands(parse_schedule(&self.kernel, text).map_err(wrong)?),
        };
        let kernel = ast::Kernel { cuda, ..self.kernel.clone() };
        Ok(Kernel::new(compile_cuda(kernel, &Options::default()).map_err(wrong)?.program))
    }

    /// The tensor that it writes in place, counted among its parameters.
    pub(super) fn written(&self) -> Option<usize> {
        self.kernel.tensors.iter().position(|t| t.mode == Mode::InOut)
    }
}

impl fmt::Debug for Tunable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tunable({:?})", self.text)
    }
}

impl Choice {
    /// The schedule, to be written after the kernel's function in `tensor_kernel!`.
    pub fn schedule(&self) -> String {
        match self {
            Choice::Point(point) => format!("schedule cuda = atomic({point});"),
            Choice::Commands(text) => {
                let lines: Vec<_> = text.lines().map(|l| format!("    {}\n", l.trim())).collect();
                format!("schedule cuda {{\n{}}}", lines.concat())
            }
        }
    }
}

impl fmt::Display for Choice {
    /// A point, or all commands on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Point(point) => write!(f, "{point}"),
            Choice::Commands(text) => f.write_str(&text.lines().map(str::trim).collect::<Vec<_>>().join(" ")),
        }
    }
}
