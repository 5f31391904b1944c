//! GPU programs on the simulator.

use super::{Backend, Kernel, Passed};
use crate::sim::{Sim, SimArray};
use sparse_core::emit::signature::Passes;
use sparse_core::error::{Error, Result};
use sparse_core::llir::Program;
use sparse_core::scalar::Element;
use sparse_core::sim::grid::{self, Binding, Param};
use sparse_core::sim::{Fault, InterpError};
use sparse_core::typed_each;

impl Backend for Sim {
    fn number(&self) -> usize {
        self.ordinal()
    }

    fn prepare(&self, _: &Kernel) -> Result<()> {
        Ok(())
    }

    unsafe fn allocate<T: Element>(&self, len: usize, init: Option<T>) -> Result<SimArray<T>> {
        match init {
            Some(value) => {
                self.add_fill((len * size_of::<T>()) as u64);
                SimArray::filled(len, value)
            }
            None => SimArray::uninitialised(len),
        }
    }

    fn fill<T: Element>(&self, array: &mut SimArray<T>, value: T) -> Result<()> {
        self.add_fill((array.words.len() * size_of::<T>()) as u64);
        array.words.fill(value.to_value());
        Ok(())
    }

    fn read(&self, array: &SimArray<i32>, at: usize) -> Result<i32> {
        let value = array.words.get(at).and_then(i32::from_value);
        value.ok_or_else(|| array.unwritten(at))
    }

    unsafe fn launch(
        &self,
        kernel: &Kernel,
        launch: usize,
        blocks: [u32; 3],
        passed: Vec<Passed<'_, Self>>,
        _: bool,
    ) -> Result<()> {
        let program = kernel.program();
        let Some((launch, entry)) = kernel.launches().nth(launch) else {
            return Err(internal(program, "it has no such launch".into()));
        };
        let mut params = vec![];
        let mut arrays: Vec<_> = program.buffers.iter().map(|_| Binding::None).collect();
        for (parameter, passed) in entry.parameters.iter().zip(passed) {
            match (parameter.passes, passed) {
                (Passes::Buffer(id), Passed::Read(array)) => {
                    arrays[id.index()] = typed_each!(array, T: a => Binding::Read(&a.words));
                }
                (Passes::Buffer(id), Passed::Write(array)) => {
                    arrays[id.index()] = typed_each!(array, T: a => {
                        a.writer = Some(program.name.clone());
                        Binding::Write(&mut a.words)
                    });
                }
                (Passes::Value(var), Passed::Index(n)) => params.push((var, Param::Index(n.max(0) as u64))),
                (Passes::Value(var), Passed::Scalar(v)) => params.push((var, Param::Scalar(v))),
                _ => {
                    return Err(internal(
                        program,
                        "it is called with other arguments than its signature".into(),
                    ));
                }
            }
        }
        let mut steps = self.steps();
        let report =
            grid::launch(program, launch, blocks.map(u64::from), &params, arrays, self.order(), &mut steps);
        self.add(report.map_err(|e| failed(program, &e))?);
        Ok(())
    }
}

/// A conflict that the schedule allows is its mistake; whatever else goes wrong is the compiler's.
fn failed(program: &Program, e: &InterpError) -> Error {
    if let Fault::StepLimit { limit } = e.fault {
        let what = "the number of steps of warps, which `Sim::limited` bounds,".into();
        return Error::TooLargeForDevice { what, value: u128::from(limit) + 1, most: limit };
    }
    let ignored: Vec<String> = match &e.fault {
        Fault::Conflict { buffer, .. } => {
            program.ignored_races_of(buffer).map(|race| race.warning.clone()).collect()
        }
        _ => vec![],
    };
    match &ignored[..] {
        [] => internal(program, e.to_string()),
        _ => Error::IgnoredRace { kernel: program.name.clone(), conflict: e.to_string(), ignored },
    }
}

fn internal(program: &Program, what: String) -> Error {
    Error::Internal { kernel: program.name.clone(), what }
}
