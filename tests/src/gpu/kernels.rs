//! Named kernels on matrices and tensors: compiled for the device, and compared with the CPU's program in the
//! interpreter.

use super::device::Gpu;
use super::inputs::{self, Entries, Input};
use super::options::Options;
use crate::differential::Outcome;
use crate::rng::Rng;
use sparse_core::diag::Diagnostics;
use sparse_core::driver::{Options as Choices, compile_cuda, compile_kernel};
use sparse_core::error::Error;
use sparse_core::format::{Level, LevelArrays};
use sparse_core::front;
use sparse_core::front::ast::{self, Access, Expr, Mode};
use sparse_core::front::command::Schedule;
use sparse_core::scalar::{BinaryOp, UnaryOp, Value};
use sparse_core::sim::{self, Arg};
use sparse_core::tensor::DynTensor;
use sparse_gpu::launch::{Kernel, run_dynamic};
use std::cell::RefCell;
use std::path::Path;

/// A kernel's text.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) text: String,
    /// Of the tensor that an input gives the pattern of.
    rank: usize,
}

/// Kernels and inputs.
pub(super) struct Kernels {
    /// A kernel and an input that fits, by number; those of one input follow each other.
    items: Vec<(usize, usize)>,
    kernels: Vec<Named>,
    inputs: Vec<Input>,
    most_entries: usize,
    seed: u64,
    /// The input that was loaded last, by number.
    loaded: RefCell<Option<(String, Entries)>>,
}

impl Kernels {
    /// Those of the folders; without a folder of kernels, none.
    pub(super) fn new(options: &Options) -> Result<Kernels, String> {
        let kernels = match Options::folder(options.kernels.as_ref(), "kernels") {
            Some(folder) => named(&folder)?,
            None => vec![],
        };
        let inputs = inputs::list(options)?;
        let fits = |k: usize, i: usize| kernels[k].rank == inputs[i].rank;
        let items = (0..inputs.len())
            .flat_map(|i| (0..kernels.len()).map(move |k| (k, i)))
            .filter(|&(k, i)| fits(k, i))
            .collect();
        let (most_entries, seed) = (options.most_entries(), options.seed);
        Ok(Kernels { items, kernels, inputs, most_entries, seed, loaded: RefCell::new(None) })
    }

    /// How many pairs of a kernel and an input there are.
    pub(super) fn len(&self) -> u64 {
        self.items.len() as u64
    }

    /// A kernel and an input.
    pub(super) fn item(&self, number: u64) -> Option<(&Named, &Input)> {
        let (kernel, input) = *self.items.get(usize::try_from(number).ok()?)?;
        Some((&self.kernels[kernel], &self.inputs[input]))
    }

    /// Runs a kernel on an input. Refused is what the compiler refuses, and an input that is too large.
    pub(super) fn run<D: Gpu>(&self, device: &D, named: &Named, input: &Input, number: u64) -> Outcome {
        let too_large = |message| Outcome::Refused { code: "too-large".into(), message };
        if input.is_larger_than(self.most_entries) {
            return too_large(format!("more than {} entries", self.most_entries));
        }
        let mut loaded = self.loaded.borrow_mut();
        if loaded.as_ref().is_none_or(|(name, _)| *name != input.name) {
            match input.load() {
                Ok(entries) => *loaded = Some((input.name.clone(), entries)),
                Err(message) => return failed("input", message),
            }
        }
        let Some((_, entries)) = &*loaded else { return failed("input", "it is not there".into()) };
        if entries.coords.len() > self.most_entries {
            return too_large(format!(
                "{} entries are more than {}",
                entries.coords.len(),
                self.most_entries
            ));
        }
        run(device, named, entries, &mut Rng::new(self.seed, number)).unwrap_or_else(|outcome| outcome)
    }
}

/// The kernels of a folder that take a sparse matrix or tensor, by name.
fn named(folder: &Path) -> Result<Vec<Named>, String> {
    let at = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut kernels = vec![];
    for entry in std::fs::read_dir(folder).map_err(at)? {
        let path = entry.map_err(at)?.path();
        if path.extension().is_none_or(|e| e != "kernel") {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let kernel = front::parse_str(&text).map_err(|f| format!("{}: {}", path.display(), f.diagnostics))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(given) = given(&kernel) {
            kernels.push(Named { name, text, rank: given.indices.len() });
        }
    }
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(kernels)
}

/// The access of the tensor that gets an input's pattern: the first one that is sparse and no vector.
fn given(kernel: &ast::Kernel) -> Option<Access> {
    let mut found: Option<Access> = None;
    kernel.assignment.rhs.for_each_access(&mut |a| {
        let tensor = &kernel.tensors[a.tensor.index()];
        let fits = tensor.mode == Mode::Input && !tensor.spec.is_dense() && a.indices.len() >= 2;
        if fits && found.as_ref().is_none_or(|f| a.tensor.index() < f.tensor.index()) {
            found = Some(a.clone());
        }
    });
    found
}

fn failed(part: &'static str, message: String) -> Outcome {
    Outcome::Failed { part, message }
}

fn refused(d: &Diagnostics) -> Outcome {
    match d.iter().next().map_or("internal", |d| d.code) {
        "internal" => failed("compiler", d.to_string()),
        code => Outcome::Refused { code: code.into(), message: d.to_string() },
    }
}

fn run<D: Gpu>(device: &D, named: &Named, entries: &Entries, rng: &mut Rng) -> Result<Outcome, Outcome> {
    let mut kernel = front::parse_str(&named.text).map_err(|f| refused(&f.diagnostics))?;
    let args = arguments(&kernel, entries, rng)?;
    let exact = is_exact(&kernel.assignment.rhs);
    let program = compile_cuda(kernel.clone(), &Choices::default()).map_err(|d| refused(&d))?.program;
    kernel.cpu = Schedule::None;
    let reference = compile_kernel(kernel, &Choices::default()).map_err(|d| refused(&d))?.program;
    let got = match run_dynamic(device, &Kernel::new(program), &args) {
        Ok(got) => got,
        Err(e @ Error::BrokenBound { .. }) => {
            return Err(Outcome::Refused { code: "broken-bound".into(), message: e.to_string() });
        }
        Err(e) => return Err(failed("run", e.to_string())),
    };
    let expected = sim::run(&reference, &args).map_err(|e| failed("reference", e.to_string()))?;
    Ok(match difference(&expected, &got, exact) {
        None => Outcome::Passed,
        Some(message) => failed("values", message),
    })
}

/// Are sums of small integers all that is rounded, which is to say nothing?
fn is_exact(e: &Expr) -> bool {
    match e {
        Expr::Access(_) | Expr::Literal(_) | Expr::Scalar(_) => true,
        Expr::Unary(op, a) => matches!(op, UnaryOp::Neg | UnaryOp::Not | UnaryOp::Abs) && is_exact(a),
        Expr::Binary(op, a, b) => *op != BinaryOp::Div && is_exact(a) && is_exact(b),
    }
}

/// How two results differ, if they do.
fn difference(expected: &DynTensor, got: &DynTensor, exact: bool) -> Option<String> {
    if expected.dims != got.dims || expected.levels != got.levels {
        return Some(format!("dimensions {:?} or the pattern differ from {:?}'s", got.dims, expected.dims));
    }
    let agree = |e: Value, g: Value| {
        let (e, g) = (e.to_f64(), g.to_f64());
        let close = || !exact && (e - g).abs() <= 1e-4 * e.abs().max(1.0);
        e == g || (e.is_nan() && g.is_nan()) || close()
    };
    let wrong: Vec<usize> =
        (0..expected.vals.len()).filter(|&at| !agree(expected.vals[at], got.vals[at])).collect();
    let shown = wrong
        .iter()
        .take(8)
        .map(|&at| format!("value {at}: expected {}, got {}", expected.vals[at], got.vals[at]));
    let shown = shown.collect::<Vec<_>>().join("\n");
    (!wrong.is_empty()).then(|| format!("{} of {} values\n{shown}", wrong.len(), expected.vals.len()))
}

/// Tensors of an input's pattern and of others that fit, and scalars.
fn arguments(kernel: &ast::Kernel, entries: &Entries, rng: &mut Rng) -> Result<Vec<Arg>, Outcome> {
    let given = given(kernel).ok_or_else(|| failed("kernel", "it has no sparse matrix".into()))?;
    let sizes = sizes(kernel, &given, &entries.dims, rng)?;
    let mut dims: Vec<Option<Vec<usize>>> = vec![None; kernel.tensors.len()];
    let mut see = |a: &Access| {
        let of = a.indices.iter().map(|v| sizes[v.0 as usize]).collect();
        dims[a.tensor.index()].get_or_insert(of);
    };
    see(&kernel.assignment.lhs);
    kernel.assignment.rhs.for_each_access(&mut see);
    let mut args = vec![];
    for (tensor, dims) in kernel.tensors.iter().zip(dims).filter(|(t, _)| t.mode != Mode::Result) {
        let dims = dims.ok_or_else(|| failed("kernel", format!("`{}` is not used", tensor.name)))?;
        let mut value = || kernel.dtype.from_i64([1, 2, 3, -1, -2][rng.below(5)]);
        let made = if tensor.spec.is_dense() {
            let vals = (0..dims.iter().product()).map(|_| value()).collect();
            let levels = tensor.spec.levels.iter().map(|_: &Level| LevelArrays::Dense).collect();
            Ok(DynTensor { spec: tensor.spec.clone(), dtype: kernel.dtype, dims, levels, vals })
        } else {
            let coords = if dims == entries.dims { entries.coords.clone() } else { scattered(&dims) };
            let stored: Vec<_> = coords.into_iter().map(|c| (c, value())).collect();
            DynTensor::from_entries(tensor.spec.clone(), kernel.dtype, dims, &stored, false)
        };
        args.push(Arg::Tensor(made.map_err(|e| failed("tensor", format!("{}: {e}", tensor.name)))?));
    }
    args.extend(kernel.scalars.iter().map(|_| Arg::Scalar(kernel.dtype.from_i64(2))));
    Ok(args)
}

/// Sizes of the index variables: the input's, and for others one that tiles of 4 divide, or not.
fn sizes(kernel: &ast::Kernel, given: &Access, dims: &[usize], rng: &mut Rng) -> Result<Vec<usize>, Outcome> {
    let other = rng.pick(&[4, 10, 16]);
    let mut sizes = vec![None; kernel.vars.len()];
    for (v, &size) in given.indices.iter().zip(dims) {
        let known = sizes[v.0 as usize].get_or_insert(size);
        if *known != size {
            let message = format!("the input is not square: {dims:?}");
            return Err(Outcome::Refused { code: "not-square".into(), message });
        }
    }
    Ok(sizes.into_iter().map(|s| s.unwrap_or(other)).collect())
}

/// Coordinates with gaps: a tenth of the elements, but not many.
fn scattered(dims: &[usize]) -> Vec<Vec<usize>> {
    let all: usize = dims.iter().product();
    let step = (all / 50_000).max(10);
    let at = |mut linear: usize| {
        let mut coords: Vec<usize> = dims
            .iter()
            .rev()
            .map(|&size| {
                let c = linear % size;
                linear /= size;
                c
            })
            .collect();
        coords.reverse();
        coords
    };
    (0..all).step_by(step).map(at).collect()
}
