//! Named kernels on matrices and tensors: compiled for the device, and compared with the CPU's program in the
//! interpreter.

use super::ahead::Ahead;
use super::device::Gpu;
use super::effort::{Effort, Most};
use super::inputs::{self, Entries, Input};
use super::options::Options;
use super::repeats;
use crate::differential::Outcome;
use crate::rng::Rng;
use sparse_core::diag::Diagnostics;
use sparse_core::driver::{Options as Choices, compile_cuda, compile_kernel};
use sparse_core::error::Error;
use sparse_core::format::{Level, LevelArrays};
use sparse_core::front;
use sparse_core::front::ast::{self, Access, Expr, Mode};
use sparse_core::front::command::Schedule;
use sparse_core::llir::{Program, Promise, Verified};
use sparse_core::scalar::{BinaryOp, DType, UnaryOp, Value};
use sparse_core::sim::{self, Arg, Fault, InterpError, RunError};
use sparse_core::tensor::DynTensor;
use sparse_gpu::launch::{Kernel, run_dynamic};
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::path::Path;

/// A kernel's text.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) text: String,
    /// Of the tensor that an input gives the pattern of.
    rank: usize,
    /// For all inputs: NVRTC takes longer than most of them.
    compiled: OnceCell<Compiled>,
}

/// A kernel and the program of the CPU that it is compared with.
struct Compiled {
    kernel: ast::Kernel,
    device: Kernel,
    reference: Verified,
}

/// How a kernel on an input came out.
pub(super) enum End {
    /// It was run, or refused.
    Ran(Outcome),
    /// It was not run: why.
    LeftOut(String),
}

/// Kernels and inputs.
pub(super) struct Kernels {
    /// A kernel and an input that fits, by number; those of one input follow each other.
    items: Vec<(usize, usize)>,
    kernels: Vec<Named>,
    inputs: Vec<Input>,
    most: Most,
    repeats: u32,
    seed: u64,
    ahead: Option<Ahead>,
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
        let (most, repeats, seed) = (options.most(), options.repeats(), options.seed);
        let ahead = Ahead::new(options)?;
        Ok(Kernels { items, kernels, inputs, most, repeats, seed, ahead, loaded: RefCell::new(None) })
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

    /// Runs a kernel on an input. Left out is what makes too much; refused is what the compiler refuses.
    pub(super) fn run<D: Gpu>(&self, device: &D, named: &Named, input: &Input, number: u64) -> End {
        let most = self.most.entries;
        let too_large = || End::LeftOut(format!("more than {most} entries"));
        if input.is_larger_than(most) {
            return too_large();
        }
        let mut loaded = self.loaded.borrow_mut();
        if loaded.as_ref().is_none_or(|(name, _)| *name != input.name) {
            match input.load() {
                Ok(entries) => *loaded = Some((input.name.clone(), entries)),
                Err(message) => return failed("input", message),
            }
        }
        let Some((_, entries)) = &*loaded else { return failed("input", "it is not there".into()) };
        if entries.coords.len() > most {
            return too_large();
        }
        let rng = Rng::new(self.seed, number);
        self.case(device, named, entries, rng).unwrap_or_else(|end| end)
    }

    fn case<D: Gpu>(&self, device: &D, named: &Named, entries: &Entries, mut rng: Rng) -> Result<End, End> {
        let Compiled { kernel, device: compiled, reference } = named.compiled()?;
        if let Some(ahead) = &self.ahead {
            ahead.compile(compiled).map_err(|message| failed("CUDA", message))?;
        }
        let given = given(kernel).ok_or_else(|| failed("kernel", "it has no sparse matrix".into()))?;
        let sizes = sizes(kernel, compiled.program(), &given, &entries.dims, &mut rng)?;
        let effort = Effort::of(kernel, &sizes, |dims| coords(entries, dims));
        if let Some(why) = effort.exceeds(&self.most) {
            return Err(End::LeftOut(why));
        }
        let mut small = |t: DType| t.from_i64([1, 2, 3, -1, -2][rng.below(5)]);
        let args = arguments(kernel, &sizes, entries, &mut small)?;
        let limits = sim::Limits { steps: self.most.steps };
        let expected = match sim::run_with(reference, &args, limits) {
            Ok(expected) => expected,
            Err(RunError::Program(InterpError { fault: Fault::StepLimit { limit }, .. })) => {
                return Err(End::LeftOut(format!("more than {limit} steps of the reference")));
            }
            // What the result's format cannot hold, the device has to refuse as well.
            Err(RunError::Tensor(e @ Error::NotOneEntry { .. })) => {
                return Err(same_refusal(&e, run_dynamic(device, compiled, &args)));
            }
            Err(e) => return Err(failed("reference", e.to_string())),
        };
        let got = run_dynamic(device, compiled, &args).map_err(not_run)?;
        let exact = is_exact(&kernel.assignment.rhs);
        if let Some(message) = difference(&expected, &got, exact) {
            return Err(failed("values", message));
        }
        if self.repeats > 1 && repeats::are_promised(kernel, compiled.program()) {
            drop((args, expected));
            // Sums of small integers have the same bytes in any order.
            let mut any = |t: DType| number(t, &mut rng);
            let args = arguments(kernel, &sizes, entries, &mut any)?;
            let times = repeats::times(self.repeats, effort.elements().max(got.vals.len() as u64));
            if let Some(message) = repeats::differ(device, compiled, &args, times).map_err(not_run)? {
                return Err(failed("repetition", message));
            }
        }
        Ok(End::Ran(Outcome::Passed))
    }
}

impl Named {
    fn compiled(&self) -> Result<&Compiled, End> {
        if let Some(compiled) = self.compiled.get() {
            return Ok(compiled);
        }
        let kernel = front::parse_str(&self.text).map_err(|f| refused(&f.diagnostics))?;
        let choices = Choices::default();
        let program = compile_cuda(kernel.clone(), &choices).map_err(|d| refused(&d))?.program;
        let serial = ast::Kernel { cpu: Schedule::None, ..kernel.clone() };
        let reference = compile_kernel(serial, &choices).map_err(|d| refused(&d))?.program;
        Ok(self.compiled.get_or_init(|| Compiled { kernel, device: Kernel::new(program), reference }))
    }
}

/// Why a device did not run a kernel.
fn not_run(e: Error) -> End {
    match e {
        Error::BrokenBound { .. } => {
            End::Ran(Outcome::Refused { code: "broken-bound".into(), message: e.to_string() })
        }
        Error::TooManyEntries { .. }
        | Error::FusedTooLong { .. }
        | Error::TooLargeForDevice { .. }
        | Error::OutOfDeviceMemory { .. } => End::LeftOut(e.to_string()),
        e => failed("run", e.to_string()),
    }
}

/// What comes of a run that has to end with this error.
fn same_refusal(expected: &Error, ran: Result<DynTensor, Error>) -> End {
    match ran.map_err(|e| e.to_string()) {
        Err(message) if message == expected.to_string() => End::Ran(Outcome::Passed),
        Err(message) => failed("refusal", format!("{message}, not {expected}")),
        Ok(_) => failed("refusal", format!("a result, not {expected}")),
    }
}

/// The kernels of a folder that take a sparse matrix or tensor, by name; without those that are for CPUs alone.
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
        if matches!(kernel.cuda, Schedule::None) {
            continue;
        }
        if let Some(given) = given(&kernel) {
            let rank = given.indices.len();
            kernels.push(Named { name, text, rank, compiled: OnceCell::new() });
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

fn failed(part: &'static str, message: String) -> End {
    End::Ran(Outcome::Failed { part, message })
}

fn refused(d: &Diagnostics) -> End {
    match d.iter().next().map_or("internal", |d| d.code) {
        "internal" => failed("compiler", d.to_string()),
        code => End::Ran(Outcome::Refused { code: code.into(), message: d.to_string() }),
    }
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

/// A number between −1 and 1, of types that have such.
fn number(t: DType, rng: &mut Rng) -> Value {
    match t {
        DType::F32 => Value::F32(2.0 * rng.unit() as f32 - 1.0),
        DType::F64 => Value::F64(2.0 * rng.unit() - 1.0),
        t => t.from_i64(rng.between(1, 3)),
    }
}

/// Tensors of an input's pattern and of others that fit, and scalars.
fn arguments(
    kernel: &ast::Kernel,
    sizes: &[usize],
    entries: &Entries,
    value: &mut impl FnMut(DType) -> Value,
) -> Result<Vec<Arg>, End> {
    let mut dims: Vec<Option<Vec<usize>>> = vec![None; kernel.tensors.len()];
    let mut see = |a: &Access| {
        let of = a.indices.iter().map(|v| sizes[v.index()]).collect();
        dims[a.tensor.index()].get_or_insert(of);
    };
    see(&kernel.assignment.lhs);
    kernel.assignment.rhs.for_each_access(&mut see);
    let mut args = vec![];
    for (tensor, dims) in kernel.tensors.iter().zip(dims).filter(|(t, _)| t.mode != Mode::Result) {
        let dims = dims.ok_or_else(|| failed("kernel", format!("`{}` is not used", tensor.name)))?;
        let mut value = || value(kernel.dtype);
        let made = if tensor.spec.is_dense() {
            let vals = (0..dims.iter().product()).map(|_| value()).collect();
            let levels = tensor.spec.levels.iter().map(|_: &Level| LevelArrays::Dense).collect();
            Ok(DynTensor { spec: tensor.spec.clone(), dtype: kernel.dtype, dims, levels, vals })
        } else {
            let stored: Vec<_> = coords(entries, &dims).iter().map(|c| (c.clone(), value())).collect();
            DynTensor::from_entries(tensor.spec.clone(), kernel.dtype, dims, &stored, false)
        };
        args.push(Arg::Tensor(made.map_err(|e| failed("tensor", format!("{}: {e}", tensor.name)))?));
    }
    args.extend(kernel.scalars.iter().map(|_| Arg::Scalar(kernel.dtype.from_i64(2))));
    Ok(args)
}

/// Sizes of the index variables: the input's, and for others one that tiles of 4 divide, or not, unless the schedule
/// promises one.
fn sizes(
    kernel: &ast::Kernel,
    program: &Program,
    given: &Access,
    dims: &[usize],
    rng: &mut Rng,
) -> Result<Vec<usize>, End> {
    let other = rng.pick(&[4, 10, 16]);
    let mut sizes = vec![None; kernel.vars.len()];
    let mut accesses = vec![];
    kernel.assignment.rhs.for_each_access(&mut |a| accesses.push(a));
    // All accesses of one tensor are of the same dimensions.
    let same = accesses.iter().filter(|a| a.tensor == given.tensor);
    for (v, &size) in same.flat_map(|a| a.indices.iter().zip(dims)) {
        let known = sizes[v.index()].get_or_insert(size);
        if *known != size {
            let message = format!("the input is not square: {dims:?}");
            return Err(End::Ran(Outcome::Refused { code: "not-square".into(), message }));
        }
    }
    let promised = |name: &str| {
        let mut promises = program.extents.iter().filter(|e| e.index == name).flat_map(|e| &e.promises);
        promises.next().map(|promise| match *promise {
            Promise::Exact(n) => n as usize,
            Promise::Multiple(n) => 2 * n as usize,
            Promise::Parts { size, count } => (size * count) as usize,
        })
    };
    let named = sizes.into_iter().zip(&kernel.vars);
    Ok(named.map(|(size, v)| size.unwrap_or_else(|| promised(&v.name).unwrap_or(other))).collect())
}

/// Where a sparse tensor of these dimensions has entries: where the input has, if it is as large.
fn coords<'a>(entries: &'a Entries, dims: &[usize]) -> Cow<'a, [Vec<usize>]> {
    if dims == entries.dims { Cow::Borrowed(&entries.coords) } else { Cow::Owned(scattered(dims)) }
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
