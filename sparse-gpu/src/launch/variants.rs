//! A kernel that nobody scheduled: programs of several points, of which each call runs one, chosen by a rule on the
//! statistics of the sparse operand (in the spirit of DA-SpMM; Sgap, section 7).

use super::{Argument, Backend, Kernel};
use sparse_core::driver::{self, Choice};
use sparse_core::error::{Error, Result};
use sparse_core::format::TensorId;
use sparse_core::llir::Role;
use sparse_core::schedule::rule::Statistics;

/// The programs of a kernel, with one source.
pub struct Variants {
    kernels: Vec<Kernel>,
    choice: Option<Choice>,
}

impl Variants {
    /// Of what the compiler made: at least one program.
    pub fn new(compiled: driver::Variants) -> Self {
        let programs = compiled.all.into_iter().map(|c| c.program).collect();
        Variants { kernels: Kernel::of_all(programs), choice: compiled.choice }
    }

    /// Each program.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The CUDA of all of them.
    pub fn source(&self) -> &str {
        self.kernels.first().map_or("", Kernel::source)
    }

    /// By what a call chooses, where there are several.
    pub fn choice(&self) -> Option<&Choice> {
        self.choice.as_ref()
    }

    /// The program for a call with these arguments. The number of entries of an operand's rows is known since it was
    /// brought to the device; that of one that was made there is found out at its first call, which waits for the device.
    ///
    /// # Errors
    /// What the device's driver reports.
    pub fn choose<D: Backend>(&self, arguments: &[Argument<'_, D>]) -> Result<&Kernel> {
        let number = match &self.choice {
            Some(choice) if self.kernels.len() > 1 => choice.program(&self.statistics(choice, arguments)?),
            _ => 0,
        };
        self.kernels.get(number).ok_or_else(|| self.internal("it has no program to choose"))
    }

    fn statistics<D: Backend>(&self, choice: &Choice, arguments: &[Argument<'_, D>]) -> Result<Statistics> {
        let missing = || self.internal("it is called with other tensors than it has");
        let argument = |t: TensorId| self.argument(t).and_then(|at| arguments.get(at)).ok_or_else(missing);
        let sparse = argument(choice.shape.tensor)?;
        let lengths = sparse.lengths()?.get(choice.shape.rows).ok_or_else(missing)?;
        let lengths = lengths.in_blocks(sparse.block());
        let columns = match choice.columns {
            None => 1,
            Some((tensor, dim)) => *argument(tensor)?.dims.get(dim).ok_or_else(missing)?,
        };
        Ok(driver::statistics(&lengths, columns))
    }

    /// Which of the arguments a tensor of the programs is.
    fn argument(&self, tensor: TensorId) -> Option<usize> {
        let tensors = &self.kernels.first()?.program().tensors;
        let passed = |role| matches!(role, Role::Input | Role::InOut);
        let before = tensors.get(..tensor.index())?.iter().filter(|t| passed(t.role)).count();
        passed(tensors.get(tensor.index())?.role).then_some(before)
    }

    fn internal(&self, what: &str) -> Error {
        let kernel = self.kernels.first().map_or(String::new(), |k| k.program().name.clone());
        Error::Internal { kernel, what: what.into() }
    }
}
