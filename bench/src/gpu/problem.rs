//! A kernel with its operands: on the host, with the result that it has to have, and on a device.

use super::assembled::{self, Assembled};
use super::generate;
use super::inputs::Sparse;
use super::kernel::Kernel;
use super::stats::Stats;
use crate::error::{Error, Result};
use crate::peers::cusparse::dense::Dense as DenseArray;
use crate::peers::cusparse::{self, Element};
use rayon::prelude::*;
use sparse_core::format::{Compressed, Dense, Format, LevelArrays};
use sparse_core::tensor::{Csf3, Csr, DenseMat, DenseVec, Tensor};
use sparse_gpu::Cuda;
use sparse_gpu::cuda::DeviceArray;
use sparse_gpu::launch::{Argument, Backend, Call, Variants};
use sparse_gpu::tune::Arguments;
use std::sync::Arc;

/// Operands on the host, and the result.
pub(crate) struct Problem<'a, T: Element = f32> {
    pub(crate) kernel: Kernel,
    /// Columns of the dense operands; 1 for vectors.
    pub(crate) n: usize,
    pub(crate) sparse: &'a Sparse<T>,
    pub(crate) stats: Stats,
    /// The dense operands, by rows.
    factors: Vec<Factor<T>>,
    /// Sizes of a dense result; none if the result has the operand's pattern.
    output: Vec<usize>,
    expected: Vec<T>,
    /// Of an assembled result.
    assembled: Option<Assembled<T>>,
}

struct Factor<T> {
    rows: usize,
    vals: Vec<T>,
}

/// What a kernel moves and computes at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    /// Every array once.
    pub(crate) bytes: u64,
    /// What entries gather of dense rows: the value's size times entries times columns.
    pub(crate) gathered: u64,
    /// A product and a sum for each entry and column.
    pub(crate) operations: u64,
}

/// Arrays of so many bytes are needed on the device, without computing anything.
pub(crate) fn footprint<T: Element>(kernel: Kernel, sparse: &Sparse<T>, n: usize) -> u64 {
    let stats = sparse.stats();
    let (dims, entries) = (&stats.dims, stats.entries);
    let at = |d: usize| dims.get(d).copied().unwrap_or(1);
    // Indices of 32 bits, and values, of the dense operands or the second sparse one and of the result.
    let (indices, values) = match kernel {
        Kernel::Spmm | Kernel::Spmv => (0, (at(0) + at(1)) * n),
        Kernel::Sddmm => (0, (at(0) + at(1)) * n + entries),
        Kernel::Mttkrp => (0, (at(0) + at(1) + at(2)) * n),
        Kernel::Ttm | Kernel::Ttv => (0, (at(0) * at(1) + at(2)) * n),
        Kernel::Add => (2 * (at(0) + 1) + 3 * entries, 3 * entries),
        // With the hash tables, and as many entries as products at most.
        Kernel::Spgemm => {
            let products = usize::try_from(assembled::products(kernel, sparse)).unwrap_or(usize::MAX / 64);
            (3 * at(0) + at(1) + 4 + entries + 2 * products, entries + 2 * products)
        }
    };
    // Of a tensor's fibers at most as many as entries.
    let levels = if dims.len() == 3 { 3 * entries } else { at(0) + 1 + entries };
    (4 * (levels + indices) + size_of::<T>() * (entries + values)) as u64
}

impl<'a, T: Element> Problem<'a, T> {
    /// Draws the dense operands and computes what has to come out.
    ///
    /// # Errors
    /// A second operand that there is no memory for.
    pub(crate) fn new(kernel: Kernel, sparse: &'a Sparse<T>, n: usize) -> Result<Problem<'a, T>> {
        let stats = sparse.stats();
        let dims = &stats.dims;
        let (rows, output) = match kernel {
            Kernel::Spmv => (vec![dims[1]], vec![dims[0]]),
            Kernel::Spmm => (vec![dims[1]], vec![dims[0], n]),
            Kernel::Sddmm => (vec![dims[0], dims[1]], vec![]),
            Kernel::Mttkrp => (vec![dims[1], dims[2]], vec![dims[0], n]),
            Kernel::Ttm => (vec![dims[2]], vec![dims[0], dims[1], n]),
            Kernel::Ttv => (vec![dims[2]], vec![dims[0], dims[1]]),
            Kernel::Add | Kernel::Spgemm => (vec![], vec![]),
        };
        let factor =
            |(at, rows): (usize, usize)| Factor { rows, vals: generate::values(7 + at as u64, rows * n) };
        let factors: Vec<Factor<T>> = rows.into_iter().enumerate().map(factor).collect();
        let mut problem =
            Problem { kernel, n, sparse, stats, factors, output, expected: vec![], assembled: None };
        match sparse {
            Sparse::Matrix(a) if kernel.assembles() => {
                let (assembled, vals) = Assembled::new(kernel, a)?;
                (problem.assembled, problem.expected) = (Some(assembled), vals);
            }
            Sparse::Matrix(a) => problem.expected = problem.of_matrix(a),
            Sparse::Tensor(a) => problem.expected = problem.of_tensor(a),
        }
        Ok(problem)
    }

    /// A row of a dense operand.
    fn factor(&self, which: usize, row: i32) -> &[T] {
        &self.factors[which].vals[row as usize * self.n..][..self.n]
    }

    fn of_matrix(&self, a: &Csr<T>) -> Vec<T> {
        let (level, vals) = (a.level(1), a.vals());
        let (pos, crd) = (level.pos(), level.crd());
        let row = |i: usize| (pos[i] as usize..pos[i + 1] as usize).map(|p| (crd[p], vals[p]));
        if self.kernel == Kernel::Sddmm {
            let dots = |i: usize| {
                let x = self.factor(0, i as i32);
                row(i).map(move |(j, v)| {
                    v * x.iter().zip(self.factor(1, j)).fold(T::ZERO, |sum, (x, y)| sum + *x * *y)
                })
            };
            return (0..a.dim(0)).into_par_iter().flat_map_iter(dots).collect();
        }
        let mut out = vec![T::ZERO; a.dim(0) * self.n];
        out.par_chunks_mut(self.n.max(1)).enumerate().for_each(|(i, out)| {
            row(i).for_each(|(j, v)| add(out, v, self.factor(0, j)));
        });
        out
    }

    fn of_tensor(&self, a: &Csf3<T>) -> Vec<T> {
        let (first, second, third, vals) = (a.level(0), a.level(1), a.level(2), a.vals());
        let mut slice_of = vec![None; a.dim(0)];
        first.crd().iter().enumerate().for_each(|(at, i)| slice_of[*i as usize] = Some(at));
        let size: usize = self.output.iter().skip(1).product();
        let mut out = vec![T::ZERO; a.dim(0) * size];
        let n = self.n;
        out.par_chunks_mut(size.max(1)).zip(slice_of).for_each(|(out, slice)| {
            let Some(slice) = slice else { return };
            for q in second.pos()[slice] as usize..second.pos()[slice + 1] as usize {
                let j = second.crd()[q];
                let fiber = third.pos()[q] as usize..third.pos()[q + 1] as usize;
                for (k, v) in third.crd()[fiber.clone()].iter().zip(&vals[fiber]) {
                    match self.kernel {
                        Kernel::Mttkrp => {
                            let products = self.factor(0, j).iter().zip(self.factor(1, *k));
                            out.iter_mut().zip(products).for_each(|(o, (c, d))| *o += *v * *c * *d);
                        }
                        _ => add(&mut out[j as usize * n..][..n], *v, self.factor(0, *k)),
                    }
                }
            }
        });
        out
    }

    /// The least that has to be done.
    pub(crate) fn work(&self) -> Work {
        let indices = match self.sparse {
            Sparse::Matrix(a) => a.level(1).pos().len() + a.stored(),
            Sparse::Tensor(a) => {
                (0..3).map(|l| a.level(l).pos().len() + a.level(l).crd().len()).sum::<usize>()
            }
        };
        let factors: usize = self.factors.iter().map(|f| f.vals.len()).sum();
        let (entries, n, value) = (self.stats.entries as u64, self.n as u64, size_of::<T>() as u64);
        let values = self.stats.entries + factors + self.expected.len();
        let bytes = 4 * indices as u64 + value * values as u64;
        if let Some(assembled) = &self.assembled {
            let products = assembled::products(self.kernel, self.sparse);
            return Work {
                bytes: bytes + assembled.bytes() as u64,
                gathered: if self.kernel == Kernel::Spgemm { (4 + value) * products } else { 0 },
                operations: 2 * products,
            };
        }
        Work { bytes, gathered: value * entries * n, operations: 2 * entries * n }
    }

    /// Is this the result but for the factor of the stored values? Of SDDMM.
    pub(crate) fn check_without_values(&self, got: &[T]) -> std::result::Result<(), String> {
        let vals = match self.sparse {
            Sparse::Matrix(a) => a.vals(),
            Sparse::Tensor(a) => a.vals(),
        };
        let scaled: Vec<T> = got.iter().zip(vals).map(|(got, v)| *got * *v).collect();
        self.check(&scaled)
    }

    /// Is the result of the last call right, its pattern too?
    ///
    /// # Errors
    /// What the device reports.
    pub(crate) fn check_made<D: Backend>(
        &self,
        operands: &Operands<D, T>,
    ) -> Result<std::result::Result<(), String>> {
        if let (Some(assembled), Output::Pattern(Some(made))) = (&self.assembled, &operands.output)
            && let Err(fault) = assembled.check(&made.to_host()?)
        {
            return Ok(Err(fault));
        }
        Ok(self.check(&operands.result()?))
    }

    /// Is this the result? It is equal: sums of small integers are exact.
    pub(crate) fn check(&self, got: &[T]) -> std::result::Result<(), String> {
        if got.len() != self.expected.len() {
            return Err(format!("{} values instead of {}", got.len(), self.expected.len()));
        }
        let wrong = got.par_iter().zip(&self.expected).enumerate().find_first(|(_, (got, e))| got != e);
        match wrong {
            None => Ok(()),
            Some((at, (got, expected))) => {
                Err(format!("value {at} is {}, expected {}", got.to_f64(), expected.to_f64()))
            }
        }
    }

    /// Is this assembled result right, whatever the order inside rows? Tells whether rows are in order.
    pub(crate) fn check_in_any_order(
        &self,
        got: (&[i32], &[i32], &[T]),
    ) -> std::result::Result<bool, String> {
        match &self.assembled {
            Some(assembled) => assembled.check_in_any_order(&self.expected, got),
            None => Err("no sparse result is expected".into()),
        }
    }

    /// A copy of the operands on a device.
    pub(crate) fn to<D: Backend>(&self, device: &D) -> Result<Operands<D, T>> {
        let sparse = match self.sparse {
            Sparse::Matrix(a) => OnDevice::Matrix(a.to(device)?),
            Sparse::Tensor(a) => OnDevice::Tensor(a.to(device)?),
        };
        let second = match &self.assembled {
            Some(assembled) => Some(assembled.second.to(device)?),
            None => None,
        };
        let mut factors = vec![];
        for Factor { rows, vals } in &self.factors {
            factors.push(if self.kernel.has_columns() {
                DenseOperand::Matrix(DenseMat::from_dense([*rows, self.n], vals.clone())?.to(device)?)
            } else {
                DenseOperand::Vector(DenseVec::from_dense([*rows], vals.clone())?.to(device)?)
            });
        }
        let output = match self.output[..] {
            [] => Output::Pattern(None),
            [a] => Output::Vector(full(device, [a])?),
            [a, b] => Output::Matrix(full(device, [a, b])?),
            [a, b, c] => Output::Cube(full(device, [a, b, c])?),
            _ => return Err(Error::Internal("a result of more than three dimensions".into())),
        };
        Ok(Operands { sparse, second, factors, output })
    }
}

fn add<T: Element>(out: &mut [T], v: T, row: &[T]) {
    out.iter_mut().zip(row).for_each(|(o, x)| *o += v * *x);
}

type Vector<D, T> = Tensor<T, (Dense,), D>;
type Matrix<D, T> = Tensor<T, (Dense, Dense), D>;
type Cube<D, T> = Tensor<T, (Dense, Dense, Dense), D>;
type ByRows<D, T> = Tensor<T, (Dense, Compressed), D>;
type ByFibers<D, T> = Tensor<T, (Compressed, Compressed, Compressed), D>;

/// A dense tensor full of NaN: what a kernel does not write shows.
fn full<D: Backend, T: Element, F: Format>(device: &D, dims: F::Coord) -> Result<Tensor<T, F, D>> {
    let len = dims.as_ref().iter().product();
    // SAFETY: it is filled.
    let array = unsafe { device.allocate(len, Some(T::NAN)) }?;
    let levels = dims.as_ref().iter().map(|_| LevelArrays::Dense).collect();
    // SAFETY: dense levels have no arrays, and there is a value for each element.
    Ok(unsafe { Tensor::from_raw_arrays(device.clone(), dims, levels, Arc::new(array)) })
}

enum OnDevice<D: Backend, T: Element> {
    Matrix(ByRows<D, T>),
    Tensor(ByFibers<D, T>),
}

enum DenseOperand<D: Backend, T: Element> {
    Vector(Vector<D, T>),
    Matrix(Matrix<D, T>),
}

enum Output<D: Backend, T: Element> {
    Vector(Vector<D, T>),
    Matrix(Matrix<D, T>),
    Cube(Cube<D, T>),
    /// With the operand's pattern: what the last call made.
    Pattern(Option<ByRows<D, T>>),
}

/// Operands on a device, and the result of the last call.
pub(crate) struct Operands<D: Backend, T: Element = f32> {
    sparse: OnDevice<D, T>,
    /// Of an assembled result.
    second: Option<ByRows<D, T>>,
    factors: Vec<DenseOperand<D, T>>,
    output: Output<D, T>,
}

impl<D: Backend, T: Element> Operands<D, T> {
    /// Runs a kernel; on a GPU it has then begun.
    pub(crate) fn call(&mut self, variants: &Variants) -> sparse_core::error::Result<()> {
        let mut arguments = vec![match &self.sparse {
            OnDevice::Matrix(a) => Argument::read(a),
            OnDevice::Tensor(a) => Argument::read(a),
        }];
        arguments.extend(self.second.as_ref().map(Argument::read));
        arguments.extend(self.factors.iter().map(|f| match f {
            DenseOperand::Vector(x) => Argument::read(x),
            DenseOperand::Matrix(x) => Argument::read(x),
        }));
        match &mut self.output {
            Output::Vector(y) => arguments.push(Argument::write(y)?),
            Output::Matrix(y) => arguments.push(Argument::write(y)?),
            Output::Cube(y) => arguments.push(Argument::write(y)?),
            Output::Pattern(made) => {
                let kernel = variants.choose(&arguments)?;
                *made = Some(Call::new(kernel, arguments, vec![])?.result()?);
                return Ok(());
            }
        }
        Call::new(variants.choose(&arguments)?, arguments, vec![])?.in_place()
    }

    /// The operands for the tuner, which writes copies of the result.
    pub(crate) fn arguments(&self) -> Arguments<'_, D> {
        let mut arguments = match &self.sparse {
            OnDevice::Matrix(a) => Arguments::new().tensor(a),
            OnDevice::Tensor(a) => Arguments::new().tensor(a),
        };
        for factor in &self.factors {
            arguments = match factor {
                DenseOperand::Vector(x) => arguments.tensor(x),
                DenseOperand::Matrix(x) => arguments.tensor(x),
            };
        }
        match &self.output {
            Output::Vector(y) => arguments.tensor(y),
            Output::Matrix(y) => arguments.tensor(y),
            Output::Cube(y) => arguments.tensor(y),
            Output::Pattern(_) => arguments,
        }
    }

    /// Forgets the result: what the next call does not write is NaN.
    pub(crate) fn forget(&mut self, device: &D) -> Result<()> {
        match &mut self.output {
            Output::Vector(y) => *y = full(device, y.dims())?,
            Output::Matrix(y) => *y = full(device, y.dims())?,
            Output::Cube(y) => *y = full(device, y.dims())?,
            Output::Pattern(made) => *made = None,
        }
        Ok(())
    }

    /// The result's values, in storage order.
    pub(crate) fn result(&self) -> sparse_core::error::Result<Vec<T>> {
        Ok(match &self.output {
            Output::Vector(y) => y.to_host()?.vals().to_vec(),
            Output::Matrix(y) => y.to_host()?.vals().to_vec(),
            Output::Cube(y) => y.to_host()?.vals().to_vec(),
            Output::Pattern(Some(s)) => s.to_host()?.vals().to_vec(),
            Output::Pattern(None) => vec![],
        })
    }
}

impl<T: Element> Operands<Cuda, T> {
    /// The operands as cuSPARSE takes them, and the array of a result with the operand's pattern; `None` if it is no
    /// product of a matrix.
    pub(crate) fn for_cusparse<'a>(
        &'a self,
        pattern: &'a DeviceArray<T>,
    ) -> Option<(cusparse::Csr<'a, T>, [DenseArray<'a, T>; 2])> {
        let OnDevice::Matrix(a) = &self.sparse else { return None };
        let dense = |operand: &'a DenseOperand<Cuda, T>| match operand {
            DenseOperand::Vector(x) => DenseArray { dims: [x.dim(0), 1], vals: x.vals_array() },
            DenseOperand::Matrix(x) => DenseArray { dims: x.dims(), vals: x.vals_array() },
        };
        let (vals, second) = match (&self.output, &self.factors[..]) {
            (Output::Pattern(_), [_, y]) => (pattern, dense(y)),
            (Output::Vector(y), [_]) => {
                (&**a.vals_array(), DenseArray { dims: [y.dim(0), 1], vals: y.vals_array() })
            }
            (Output::Matrix(c), [_]) => {
                (&**a.vals_array(), DenseArray { dims: c.dims(), vals: c.vals_array() })
            }
            _ => return None,
        };
        Some((cusparse::Csr { vals, ..by_rows(a)? }, [dense(&self.factors[0]), second]))
    }

    /// Both operands of an assembled result, as cuSPARSE takes them.
    pub(crate) fn both_for_cusparse(&self) -> Option<[cusparse::Csr<'_, T>; 2]> {
        let OnDevice::Matrix(a) = &self.sparse else { return None };
        Some([by_rows(a)?, by_rows(self.second.as_ref()?)?])
    }
}

/// A matrix as cuSPARSE takes it.
fn by_rows<T: Element>(a: &ByRows<Cuda, T>) -> Option<cusparse::Csr<'_, T>> {
    let LevelArrays::Compressed { pos, crd } = &a.levels()[1] else { return None };
    Some(cusparse::Csr { dims: a.dims(), pos, crd, vals: a.vals_array() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sparse_core::driver::{Options, compile_gpu};
    use sparse_gpu::Sim;

    /// Every kernel by its default schedule on the simulator, and a wrong result.
    #[test]
    fn references_agree_with_the_simulator() {
        references_agree::<f32>();
        references_agree::<f64>();
    }

    fn references_agree<T: Element>() {
        let matrix = Sparse::Matrix(super::super::inputs::uniform([50, 40], 3.0).unwrap());
        let tensor = Sparse::Tensor(
            generate::tensor([9, 8, 7], 1, |i, dice, out| dice.distinct(i % 4 * 5, 56, out)).unwrap(),
        );
        let (matrix, tensor) = (matrix.cast::<T>(), tensor.cast());
        for kernel in Kernel::ALL {
            let sparse = if kernel.order() == 2 { &matrix } else { &tensor };
            let problem = Problem::new(kernel, sparse, if kernel.has_columns() { 5 } else { 1 }).unwrap();
            let parsed = sparse_core::front::parse_str(&kernel.statement(T::DTYPE))
                .map_err(|f| f.diagnostics)
                .unwrap();
            let compiled = Variants::new(compile_gpu(parsed, &Options::default()).unwrap());
            let sim = Sim::new();
            let mut operands = problem.to(&sim).unwrap();
            operands.call(&compiled).unwrap();
            let mut result = operands.result().unwrap();
            assert_eq!(problem.check_made(&operands).unwrap(), Ok(()), "{}", kernel.name());
            let moved = footprint(kernel, sparse, problem.n);
            assert!(problem.work().bytes <= moved, "{}", kernel.name());
            assert!(result.iter().any(|v| *v != T::ZERO), "{}", kernel.name());
            result[3] += T::from_f64(1.0);
            assert!(problem.check(&result).unwrap_err().starts_with("value 3 is "), "{}", kernel.name());
            operands.forget(&sim).unwrap();
            assert!(operands.result().unwrap().iter().all(|v| v.to_f64().is_nan()));
        }
    }
}
