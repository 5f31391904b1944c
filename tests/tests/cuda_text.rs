//! Random kernels run from their CUDA text, compiled for the CPU ([`tests::text`]), against the oracle.

use sparse_core::driver::{Options, compile_cuda};
use sparse_core::error::Error;
use sparse_core::format::{FormatSpec, Level};
use sparse_core::front::command::Platform;
use sparse_core::front::{self, ast};
use sparse_core::llir::Verified;
use sparse_core::scalar::{DType, Value};
use sparse_core::sim::{Arg, Limits, run_with};
use sparse_core::tensor::DynTensor;
use sparse_gpu::launch::{Kernel, run_dynamic};
use std::path::Path;
use tests::case::Case;
use tests::collectives::programs;
use tests::differential::{Outcome, Run, Stop, Suite, check};
use tests::interpret::{far_apart, gpu_lowering, scatters_whole};
use tests::reach::{launched, teams};
use tests::rng::Rng;
use tests::spread::Spread;
use tests::text::Text;

/// Kernels of each suite that are run, of those that can be.
const KERNELS: usize = 80;
/// Of so many cases.
const MOST: u64 = 100_000;

/// A case whose program the simulator has run without a fault.
struct Checked {
    case: Case,
    kernel: Kernel,
    args: Vec<Arg>,
    /// How far apart the arguments' coordinates are, if they are not the case's own.
    spread: Option<Spread>,
}

fn checked(case: Case) -> Option<Checked> {
    let program = program(&case)?;
    let args = ran(&program, &case, 1_000_000)?;
    Some(Checked { case, kernel: Kernel::new(program), args, spread: None })
}

/// The same with coordinates far apart: products of sizes and of coordinates pass 32 bits.
fn checked_far_apart(case: Case) -> Option<Checked> {
    let program = program(&case)?;
    let (spread, far) = far_apart(&case, &program)?;
    let args = ran(&program, &far, 60_000)?;
    Some(Checked { case, kernel: Kernel::new(program), args, spread: Some(spread) })
}

fn program(case: &Case) -> Option<Verified> {
    let kernel = front::parse_str(&case.kernel_text()).ok()?;
    let options = Options { lower: gpu_lowering(case), ..Options::default() };
    Some(compile_cuda(kernel, &options).ok()?.program)
}

/// The arguments, if the simulator has run the program on them in so many steps.
fn ran(program: &Verified, case: &Case, steps: u64) -> Option<Vec<Arg>> {
    let inputs = case.tensors.iter().filter(|t| t.mode != ast::Mode::Result);
    let tensors = inputs.map(|t| t.tensor(case.dtype).ok());
    let mut args: Vec<Arg> = tensors.map(|t| Some(Arg::Tensor(t?))).collect::<Option<_>>()?;
    args.extend(case.scalars.iter().map(|s| Arg::Scalar(s.1)));
    run_with(program, &args, Limits { steps }).ok()?;
    Some(args)
}

fn compile<'a>(name: &str, kernels: impl Iterator<Item = &'a Kernel>) -> Text {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cuda_text").join(name);
    Text::compile(&kernels.collect::<Vec<_>>(), &folder).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs the text of so many kernels, and compares with the oracle.
fn compare(name: &str, count: usize, checked: impl Iterator<Item = Checked>) {
    let checked: Vec<_> = checked.take(count).collect();
    assert_eq!(checked.len(), count, "the suite has not so many cases that do what is asked for");
    let text = compile(name, checked.iter().map(|c| &c.kernel));
    let mut wrong = String::new();
    for Checked { case, kernel, args, spread } in checked {
        let text = text.clone();
        let execute = move |of: &Case| {
            let broken = |e: Error| Stop::Broken { part: "text", message: e.to_string() };
            let mut result = run_dynamic(&text, &kernel, &args).map_err(broken)?;
            if let Some(spread) = &spread {
                result = spread.gather(of, &result)?;
            }
            let values = result.to_dense_values().map_err(broken)?;
            Ok(vec![Run { choices: "", values, stored: None, did: vec![] }])
        };
        if let Outcome::Failed { part, message } = check(&case, &execute) {
            wrong += &format!("{part}: {message}\n{}\n", case.kernel_text());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn cases(suite: Suite, seed: u64) -> impl Iterator<Item = Case> {
    (0..MOST).map(move |n| suite.generate(seed, n))
}

#[test]
fn default_schedules_compute_what_the_oracle_says() {
    compare("defaults", KERNELS, cases(Suite::Notation, 1).filter_map(checked));
}

#[test]
fn schedules_compute_what_the_oracle_says() {
    compare("schedules", KERNELS, cases(Suite::Gpu, 1).filter_map(checked));
}

/// An access of several elements has to be aligned, too. The simulator sees that of every case of the suite; this is for what the
/// text makes of it, and few cases have one.
#[test]
fn accesses_of_several_elements_are_aligned() {
    let in_vectors = |case: &Case| case.schedule.iter().any(|c| c.args.iter().any(|a| a == "GPUVector"));
    compare("vectors", KERNELS / 4, cases(Suite::Gpu, 2).filter(in_vectors).filter_map(checked));
}

/// Sums of integers that atomic updates make pass the range of their type.
#[test]
fn integers_that_threads_add_up_wrap() {
    let text = "fn kernel(A: SparseVec<i32>) -> Scalar<i32> { s = A[i]; }
        schedule cuda {
            pos(i, p, A[i]);
            split(p, block, lane, 32);
            parallelize(block, GPUBlock, Atomics);
            parallelize(lane, GPUThread, Atomics);
        }";
    let kernel = front::parse_str(text).expect("a kernel");
    let program = compile_cuda(kernel, &Options::default()).expect("a legal schedule").program;
    let kernel = Kernel::new(program);
    let spec = FormatSpec::new(vec![Level::Compressed { unique: true }]);
    let entries: Vec<_> = (0..3).map(|i| (vec![i], Value::I32(i32::MAX))).collect();
    let a = DynTensor::from_entries(spec, DType::I32, vec![3], &entries, true).expect("coordinates in range");
    let text = compile("wraps", [&kernel].into_iter());
    let sum = run_dynamic(&text, &kernel, &[Arg::Tensor(a)]).expect("a result").vals;
    assert_eq!(sum, [Value::I32(i32::MAX.wrapping_mul(3))]);
}

/// Places that threads take are in no order that is known.
#[test]
fn elements_that_threads_place_are_ordered() {
    let scattered = |c: &Checked| scatters_whole(c.kernel.program());
    compare("scattered", KERNELS / 4, cases(Suite::Gpu, 3).filter_map(checked).filter(scattered));
}

/// Groups of a warp that have rows of different lengths wait for their own lanes.
#[test]
fn groups_of_a_warp_wait_for_their_own_lanes() {
    let by_groups = |c: &Checked| {
        teams(&c.case, c.kernel.program()).iter().any(|what| what.starts_with("rows of groups"))
    };
    let sparse = |case: &Case| !case.output().spec.is_dense();
    compare("groups", KERNELS / 8, cases(Suite::Gpu, 4).filter(sparse).filter_map(checked).filter(by_groups));
}

/// Lanes of a team merge parts of a row, and learn from each other where these are.
#[test]
fn parts_of_rows_are_merged() {
    let merges = |c: &Checked| {
        launched(&c.case, c.kernel.program()).iter().any(|what| what.starts_with("long rows merged"))
    };
    let sparse = |case: &Case| !case.output().spec.is_dense();
    compare("merged", KERNELS / 8, cases(Suite::Gpu, 5).filter(sparse).filter_map(checked).filter(merges));
}

/// Products of coordinates and sizes pass 32 bits.
#[test]
fn indices_are_as_wide_as_they_have_to_be() {
    let far = |suite, seed| {
        cases(suite, seed).filter(|c| c.platform == Platform::Cuda).filter_map(checked_far_apart)
    };
    compare("far", KERNELS / 4, far(Suite::Gpu, 6));
    compare("far_assembled", KERNELS / 8, far(Suite::Sparse, 6));
}

/// A compressed vector of which lanes have neighbours with the same quarter of a coordinate, and with the same value.
fn vector(dtype: DType, dim: usize) -> DynTensor {
    let mut random = Rng::new(7, dim as u64);
    let mut entries = vec![];
    for i in 0..dim {
        if random.percent(if i / 64 % 2 == 0 { 85 } else { 15 }) {
            // Sums and products of these are exact in any order.
            let value = if random.percent(3) { 0 } else { random.pick(&[-2, -1, 1, 2]) };
            entries.push((vec![i], dtype.from_i64(value)));
        }
    }
    let spec = FormatSpec::new(vec![Level::Compressed { unique: true }]);
    DynTensor::from_entries(spec, dtype, vec![dim], &entries, true).expect("coordinates in range")
}

#[test]
fn lanes_do_together_what_the_simulator_says() {
    let programs: Vec<_> =
        DType::ALL.into_iter().flat_map(|t| programs(t).into_iter().map(move |p| (t, p))).collect();
    let kernels: Vec<_> = programs.iter().map(|(_, (_, program))| Kernel::new(program.clone())).collect();
    let text = compile("collectives", kernels.iter());
    for ((dtype, (name, program)), kernel) in programs.iter().zip(&kernels) {
        for dim in [1, 31, 400] {
            let args = [Arg::Tensor(vector(*dtype, dim))];
            let expected = run_with(program, &args, Limits { steps: 10_000_000 });
            let expected = expected.unwrap_or_else(|e| panic!("{name}: {e}")).vals;
            let got = run_dynamic(&text, kernel, &args).unwrap_or_else(|e| panic!("{name}: {e}")).vals;
            assert_eq!(got, expected, "{name} of {dim}");
        }
    }
}
