//! Compiled kernels on the simulated device, through the launcher that GPUs have.

use sparse_core::driver::{self, Options};
use sparse_core::front;
use sparse_core::llir::{self, Verified};
use sparse_core::sim::{self, Arg};
use sparse_core::tensor::DynTensor;
use sparse_gpu::Sim;
use sparse_gpu::launch::{Argument, Backend, Call, Kernel, run_dynamic};
use sparse_gpu::prelude::*;

const SPMM: &str = "fn spmm(A: Csr<f32>, B: DenseMat<f32>, alpha: f32) -> DenseMat<f32> {
    C[i, k] = alpha * A[i, j] * B[j, k];
}";

const SEGMENTS: &str = "schedule cuda {
    fuse(i, j, f); pos(f, p, A[i, j]); split(p, block, p1, 64); reorder(block, p1, k);
    parallelize(block, GPUBlock, IgnoreRaces); parallelize(p1, GPUGroup(8), Segment);
}";

/// Each thread has a row.
const ROWS: &str = "schedule cuda = atomic(<1 row, 4 col>, 1);";

fn compile(text: &str) -> Verified {
    let kernel = front::parse_str(text).unwrap_or_else(|f| panic!("{}", f.diagnostics));
    driver::compile_cuda(kernel, &Options::default()).unwrap_or_else(|d| panic!("{d}")).program
}

fn kernel(text: &str) -> Kernel {
    Kernel::new(compile(text))
}

/// An empty row, a long one, and neighbours in pairs.
fn matrix() -> Csr<f32> {
    let long = (0..40).map(|j| ([1, j], 1.0));
    let pairs = (3..37).flat_map(|i| [([i, i], 2.0), ([i, i + 1], i as f32)]);
    Csr::from_triplets([37, 40], long.chain(pairs)).unwrap()
}

fn columns() -> DenseMat<f32> {
    DenseMat::from_dense([40, 3], (0..120).map(|n| (n % 11) as f32).collect()).unwrap()
}

fn product() -> Vec<f32> {
    let (a, b) = (matrix(), columns());
    let mut c = vec![0.0; 37 * 3];
    for ([i, j], v) in a.iter() {
        (0..3).for_each(|k| c[i * 3 + k] += 2.0 * v * b.get([j, k]));
    }
    c
}

#[test]
fn a_typed_call() {
    for schedule in [ROWS, SEGMENTS] {
        let sim = Sim::new();
        let kernel = kernel(&format!("{SPMM} {schedule}"));
        sim.prepare(&kernel).unwrap();
        let (a, b) = (matrix().to(&sim).unwrap(), columns().to(&sim).unwrap());
        let call = Call::new(&kernel, vec![Argument::read(&a), Argument::read(&b)], vec![2.0f32.to_value()]);
        let c = call.unwrap().result::<f32, (Dense, Dense)>().unwrap();
        assert_eq!(c.to_host().unwrap().vals(), product());
        let report = sim.report();
        assert_eq!(report.launches.len(), kernel.launches().count());
        assert!(report.launches.iter().all(|l| l.counts.instructions > 0 && l.utilisation() <= 1.0));
        assert_eq!(report.launches.iter().any(|l| l.counts.atomics > 0), schedule == SEGMENTS);
        assert!(report.to_string().starts_with("spmm"), "{report}");
        sim.clear_report();
        assert!(sim.report().launches.is_empty());
    }
}

#[test]
fn the_interpreter_and_the_device_agree() {
    let args = [
        Arg::Tensor(DynTensor::from(&matrix())),
        Arg::Tensor(DynTensor::from(&columns())),
        Arg::Scalar(2.0f32.to_value()),
    ];
    for schedule in ["", ROWS, SEGMENTS] {
        let text = format!("{SPMM} {schedule}");
        let (c, reports) = sim::run_reporting(&compile(&text), &args, sim::Limits::default()).unwrap();
        let device = Sim::new();
        assert_eq!(run_dynamic(&device, &kernel(&text), &args).unwrap(), c);
        assert_eq!(device.report().launches, reports);
        assert_eq!(c.vals, product().iter().map(|v| v.to_value()).collect::<Vec<_>>());
    }
}

#[test]
fn in_place() {
    let kernel =
        kernel("fn add(y: &mut DenseVec<f64>, A: Csr<f64>, x: DenseVec<f64>) { y[i] += A[i, j] * x[j]; }");
    let sim = Sim::new();
    let a = Csr::from_triplets([2, 2], [([0, 0], 2.0), ([0, 1], 3.0)]).unwrap().to(&sim).unwrap();
    let x = DenseVec::from_dense([2], vec![10.0, 100.0]).unwrap().to(&sim).unwrap();
    let mut y = DenseVec::from_dense([2], vec![1.0, 2.0]).unwrap().to(&sim).unwrap();
    let before = y.clone();
    let arguments = vec![Argument::write(&mut y).unwrap(), Argument::read(&a), Argument::read(&x)];
    Call::new(&kernel, arguments, vec![]).unwrap().in_place().unwrap();
    assert_eq!(y.to_host().unwrap().vals(), [321.0, 2.0]);
    assert_eq!(before.to_host().unwrap().vals(), [1.0, 2.0]);
}

/// What a kernel relies on is checked, whatever types the caller writes.
#[test]
fn types_that_the_kernel_does_not_declare() {
    let refused = |error: Error, words: &str| {
        assert!(matches!(error, Error::CallMismatch { .. }), "{error}");
        assert_eq!(error.to_string(), words);
    };
    let sim = Sim::new();
    let x = DenseVec::from_dense([2], vec![1.0, 2.0]).unwrap().to(&sim).unwrap();
    // Two dense levels: as a matrix by rows they would have no positions.
    let outer = kernel("fn outer(x: DenseVec<f64>) -> DenseMat<f64> { C[i, j] = x[i] * x[j]; }");
    let call = || Call::new(&outer, vec![Argument::read(&x)], vec![]).unwrap();
    refused(
        call().result::<f64, (Dense, Compressed)>().map(drop).unwrap_err(),
        "kernel `outer`: the result is asked for as Tensor<f64, (Dense, Compressed)>, but the kernel declares \
         Tensor<f64, (Dense, Dense)>",
    );
    assert_eq!(sim.report().launches.len(), 0, "it does not run");
    let filled = call().result::<f64, Filled<(Dense, Dense), PosInf>>();
    assert!(matches!(filled.map(drop), Err(Error::CallMismatch { .. })));
    let other = call().result::<f32, (Dense, Dense)>();
    assert!(matches!(other.map(drop), Err(Error::CallMismatch { .. })));
    assert!(call().result::<f64, (Dense, Dense)>().is_ok());

    let spmm = kernel(SPMM);
    let (a, b) = (matrix().to(&sim).unwrap(), columns().to(&sim).unwrap());
    let with = |a, scalars| Call::new(&spmm, vec![a, Argument::read(&b)], scalars).map(drop);
    let alpha = || vec![2.0f32.to_value()];
    with(Argument::read(&a), alpha()).unwrap();
    let by_columns = matrix().convert::<Reordered<(Dense, Compressed), 1, 0>>().unwrap().to(&sim).unwrap();
    refused(
        with(Argument::read(&by_columns), alpha()).unwrap_err(),
        "kernel `spmm`: argument `A` is Tensor<f32, Reordered<(Dense, Compressed), 1, 0>>, but the kernel declares \
         Tensor<f32, (Dense, Compressed)>",
    );
    let wide = Csr::from_triplets([37, 40], [([1, 2], 1.0f64)]).unwrap().to(&sim).unwrap();
    assert!(matches!(with(Argument::read(&wide), alpha()), Err(Error::CallMismatch { .. })));
    refused(
        with(Argument::read(&a), vec![2.0f64.to_value()]).unwrap_err(),
        "kernel `spmm`: scalar `alpha`, number 0, is f64, but the kernel declares f32",
    );
    refused(
        with(Argument::read(&a), vec![]).unwrap_err(),
        "kernel `spmm`: scalar `alpha`, number 0, is not given, but the kernel declares f32",
    );
    refused(
        with(Argument::read(&a), vec![2.0f32.to_value(); 2]).unwrap_err(),
        "kernel `spmm`: the number of its scalars is 2, but the kernel declares 1",
    );
    let three = vec![Argument::read(&a), Argument::read(&b), Argument::read(&b)];
    refused(
        Call::new(&spmm, three, alpha()).map(drop).unwrap_err(),
        "kernel `spmm`: the number of its tensors is 3, but the kernel declares 2",
    );

    let add = kernel("fn add(y: &mut DenseVec<f64>, x: DenseVec<f64>) { y[i] += x[i]; }");
    let read = Call::new(&add, vec![Argument::read(&x), Argument::read(&x)], vec![]).map(drop);
    assert!(read.unwrap_err().to_string().contains("argument `y` is passed to be read"));
    let mut y = x.clone();
    let call = Call::new(&add, vec![Argument::write(&mut y).unwrap(), Argument::read(&x)], vec![]).unwrap();
    assert!(matches!(call.result::<f64, (Dense,)>().map(drop), Err(Error::CallMismatch { .. })));
}

#[test]
fn a_kernel_that_leaves_its_arrays() {
    // Arguments that the launcher would refuse: x is shorter than A is wide.
    let kernel = kernel(&format!(
        "fn spmv(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {{ y[i] = A[i, j] * x[j]; }} {ROWS}"
    ));
    let mut program = kernel.program().clone();
    program.extents.clear();
    let program = sparse_core::llir::verify::verify(program).unwrap();
    let kernel = Kernel::new(program);
    let sim = Sim::new();
    let a = Csr::from_triplets([2, 2], [([1, 1], 2.0)]).unwrap().to(&sim).unwrap();
    let x = DenseVec::from_dense([1], vec![10.0]).unwrap().to(&sim).unwrap();
    let call = Call::new(&kernel, vec![Argument::read(&a), Argument::read(&x)], vec![]).unwrap();
    let error = call.result::<f64, (Dense,)>().map(|_| ()).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::Internal { .. }), "{text}");
    assert!(text.contains("`x_vals[1]` is out of bounds: its length is 1 (at `"), "{text}");
    assert!(text.contains("block 0, thread 1"), "{text}");
}

/// Rows that say they have 2³⁰ entries each: two are as many as positions can count, and one more.
#[test]
fn more_entries_than_positions_can_count() {
    let kernel = kernel("fn sum(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, j] = A[i, j] + B[i, j]; }");
    let mut program = kernel.program().clone();
    let count = program.steps.iter_mut().find_map(|step| match step {
        llir::Step::Launch(launch) => Some(&mut launch.body),
        _ => None,
    });
    fn claim(block: &mut llir::Block) {
        for stmt in block {
            if let llir::Stmt::Store { value, .. } = stmt {
                *value = llir::Expr::Index(1 << 30);
            }
            stmt.for_each_block_mut(&mut claim);
        }
    }
    claim(count.unwrap());
    let kernel = Kernel::new(llir::verify::verify(program).unwrap());
    let sum = |rows: usize| {
        let sim = Sim::new();
        let a = Csr::<f64>::random_sparse([rows, 3], 0.5, 1).to(&sim).unwrap();
        let call = Call::new(&kernel, vec![Argument::read(&a), Argument::read(&a)], vec![]).unwrap();
        let made = call.result::<f64, (Dense, Compressed)>().map(drop);
        (made, sim.report().launches.len())
    };
    for rows in [2, 3, 5000] {
        let (error, launches) = sum(rows);
        // Counted and scanned, not filled.
        assert!(matches!(error, Err(Error::TooManyEntries { .. })), "{error:?}");
        assert_eq!(launches, 4);
    }
}

/// Rows that scatter 2.5 billion elements between them: an error before there is memory for one.
#[test]
fn more_scattered_elements_than_positions_can_count() {
    let kernel = kernel(
        "fn ata(A: Csr<f64>, d: SparseVec<f64>) -> Tensor<f64, (Dense, Compressed, Dense)> {
            C[i, k, l] = A[j, i] * A[j, k] * d[l];
        }",
    );
    let row = (0..50_000).map(|i| ([0, i], 1.0));
    let sim = Sim::new();
    let a = Csr::<f64>::from_triplets([1, 50_000], row).unwrap().to(&sim).unwrap();
    let d = SparseVec::from_triplets([1], [([0], 1.0)]).unwrap().to(&sim).unwrap();
    let call = Call::new(&kernel, vec![Argument::read(&a), Argument::read(&d)], vec![]).unwrap();
    let error = call.result::<f64, (Dense, Compressed, Dense)>().map(drop);
    assert!(matches!(error, Err(Error::TooManyEntries { .. })), "{error:?}");
    // Counted and scanned, by rows and by buckets.
    assert_eq!(sim.report().launches.len(), 7);
}

/// Room for a list is made by the lengths of fibers, which are known of tensors that come from the host; of those that a kernel
/// has made nobody has counted them.
#[test]
fn lists_of_tensors_whose_fibers_are_counted_and_of_others() {
    let square = kernel("fn square(A: Csr<f32>) -> Csr<f32> { C[i, k] = A[i, j] * A[j, k]; }");
    let text = "fn add(A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, k] = B[i, k] + A[j, i] * A[j, k]; }";
    let few = driver::Options::default();
    let lower = sparse_core::lower::Options { list_elements: 1 << 12, ..few.lower.clone() };
    let compiled = driver::compile_cuda(front::parse_str(text).unwrap(), &Options { lower, ..few });
    let add = Kernel::new(compiled.unwrap().program);
    let sim = Sim::new();
    let entries = matrix().iter().map(|([i, j], v)| ([i, j], v % 5.0)).collect::<Vec<_>>();
    let a = Csr::<f32>::from_triplets([40, 40], entries).unwrap().to(&sim).unwrap();
    let call = Call::new(&square, vec![Argument::read(&a)], vec![]).unwrap();
    let made = call.result::<f32, (Dense, Compressed)>().unwrap();
    assert!(a.known_lengths().get().is_some() && made.known_lengths().get().is_none());
    let counted = made.to_host().unwrap().to(&sim).unwrap();
    let sum = |a: &Tensor<f32, (Dense, Compressed), Sim>| {
        let call = Call::new(&add, vec![Argument::read(a), Argument::read(a)], vec![]).unwrap();
        let sum = call.result::<f32, (Dense, Compressed)>().unwrap().to_host().unwrap();
        sum.iter().collect::<Vec<_>>()
    };
    assert_eq!(sum(&made), sum(&counted));
    let dense = |at: [usize; 2]| {
        let a = counted.to_host().unwrap();
        a.get(at) + (0..40).map(|j| a.get([j, at[0]]) * a.get([j, at[1]])).sum::<f32>()
    };
    assert!(sum(&made).iter().all(|(at, v)| *v == dense(*at)));
}

/// The list of the entries has room for more than there are: the error names one of these.
#[test]
fn entries_that_a_format_has_no_place_for() {
    let kernel = kernel(
        "fn product(A: Csr<f32>, B: Csr<f32>) -> Tensor<f32, (Dense, Singleton)> { C[i, j] = A[i, j] * B[i, j]; }",
    );
    let sim = Sim::new();
    let one =
        |entries: Vec<([usize; 2], f32)>| Csr::from_triplets([3, 4], entries).unwrap().to(&sim).unwrap();
    let a = one(vec![([0, 1], 1.0), ([0, 3], 2.0), ([1, 0], 3.0), ([2, 2], 4.0)]);
    let b = one(vec![([0, 1], 1.0), ([1, 0], 2.0), ([1, 3], 2.0), ([2, 2], 3.0)]);
    let product = |a, b| {
        let call = Call::new(&kernel, vec![Argument::read(a), Argument::read(b)], vec![]).unwrap();
        call.result::<f32, (Dense, Singleton)>()
    };
    let made = product(&a, &b).unwrap().to_host().unwrap();
    assert_eq!(made.iter().collect::<Vec<_>>(), [([0, 1], 1.0), ([1, 0], 6.0), ([2, 2], 12.0)]);
    assert!(matches!(product(&a, &a), Err(Error::NotOneEntry { .. })));
    let none = one(vec![]);
    assert!(matches!(product(&a, &none), Err(Error::NotOneEntry { .. })));
}

#[test]
fn elements_that_nobody_wrote() {
    let sim = Sim::new();
    // SAFETY: the download is refused.
    let array = unsafe { sim.allocate::<f32>(3, None) }.unwrap();
    let error = sparse_core::tensor::Memory::download::<f32>(&sim, &array.into()).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("element 0"), "{error}");
}

/// A race that the schedule ignores is no mistake of the compiler: the error says which command ignores it.
#[test]
fn a_race_that_the_schedule_ignores() {
    let sums = |schedule: &str| {
        let kernel = kernel(&format!(
            "fn sums(A: Csr<f32>) -> DenseVec<f32> {{ y[i] = A[i, j]; }} schedule cuda {{ {schedule} }}"
        ));
        let sim = Sim::new();
        let a = matrix().to(&sim).unwrap();
        Call::new(&kernel, vec![Argument::read(&a)], vec![]).unwrap().result::<f32, (Dense,)>().map(drop)
    };
    let entries = "fuse(i, j, f); pos(f, p, A[i, j]); split(p, block, lane, 32);";
    let racing = format!(
        "{entries} parallelize(block, GPUBlock, IgnoreRaces); parallelize(lane, GPUThread, IgnoreRaces);"
    );
    let error = sums(&racing).unwrap_err();
    let Error::IgnoredRace { kernel, conflict, ignored } = &error else { panic!("{error}") };
    assert_eq!(kernel, "sums");
    assert!(conflict.starts_with("a conflict at `y_vals["), "{conflict}");
    assert_eq!(
        ignored[..],
        ["block, GPUBlock", "lane, GPUThread"].map(|loop_| {
            let index = loop_.split(',').next().unwrap();
            format!(
                "`parallelize({loop_}, IgnoreRaces)` ignores a race: iterations of `{index}` write the same element of `y`"
            )
        })
    );
    assert!(!error.to_string().contains("report"), "{error}");
    // What the lanes resolve is resolved for the blocks that ignore it too.
    let resolved = format!(
        "{entries} parallelize(block, GPUBlock, IgnoreRaces); parallelize(lane, GPUThread, Atomics);"
    );
    sums(&resolved).unwrap();
}

#[test]
fn tensors_on_a_device_have_a_debug_form() {
    let x = DenseVec::<f32>::random([3], 1).to(&Sim::new()).unwrap();
    let text = format!("{x:?}");
    assert!(text.ends_with("(Dense,)> [3] on Sim"), "{text}");
}
