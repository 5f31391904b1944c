//! The launcher, with programs that are written by hand and a GPU that is none: what is checked, evaluated, allocated,
//! passed and made.

use crate::fake::{self, Fake, with};
use sparse_core::format::{FormatSpec, Level};
use sparse_core::llir::build::{add, load, mul};
use sparse_core::llir::kernel::{Axis, Launch};
use sparse_core::llir::verify::verify;
use sparse_core::llir::{
    Array, Buffer, BufferId, Elem, Expr, Extent, LoopKind, Param, Program, Promise, Role, Space, Step, Stmt,
    Tensor as Declared, TensorId, Ty, Var, VarId,
};
use sparse_core::scalar::{BinaryOp, DType, Value};
use sparse_core::sim::Arg;
use sparse_core::tensor::DynTensor;
use sparse_gpu::launch::{Argument, Backend, Call, Kernel, run_dynamic};
use sparse_gpu::prelude::*;
use std::sync::Arc;

const SPARSE: Level = Level::Compressed { unique: true };
const F64: Elem = Elem::Scalar(DType::F64);

/// A program without steps.
#[derive(Clone)]
struct Made(Program);

impl Made {
    fn new(name: &str) -> Made {
        let (name, source) = (name.into(), String::new());
        let (tensors, extents, params, vars, buffers, steps) =
            (vec![], vec![], vec![], vec![], vec![], vec![]);
        Made(Program {
            name,
            source,
            tensors,
            extents,
            fused: vec![],
            params,
            vars,
            buffers,
            steps,
            workspaces: vec![],
            ignored_races: vec![],
        })
    }

    fn tensor(
        &mut self,
        name: &str,
        levels: &[Level],
        role: Role,
        dims_from: &[(TensorId, usize)],
    ) -> TensorId {
        let spec = FormatSpec::new(levels.to_vec());
        let (name, dims_from) = (name.into(), dims_from.to_vec());
        self.0.tensors.push(Declared { name, spec, dtype: DType::F64, role, dims_from, packed: None });
        TensorId(self.0.tensors.len() as u32 - 1)
    }

    fn var(&mut self, name: &str, ty: Ty) -> VarId {
        self.0.vars.push(Var { name: name.into(), ty });
        VarId(self.0.vars.len() as u32 - 1)
    }

    fn dim(&mut self, name: &str, tensor: TensorId, level: usize) -> VarId {
        let var = self.var(name, Ty::Index);
        self.0.params.push(Param::Dim { var, tensor, level });
        var
    }

    fn buffer(&mut self, name: &str, elem: Elem, space: Space, array: Array) -> BufferId {
        self.0.buffers.push(Buffer { name: name.into(), elem, space, array });
        BufferId(self.0.buffers.len() as u32 - 1)
    }

    fn kernel(self) -> Kernel {
        Kernel::new(verify(self.0).unwrap())
    }
}

fn times(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinaryOp::Mul, Box::new(a), Box::new(b))
}

/// `y[i] = alpha * A[i, j] * x[j]`, a thread a row, blocks of 32. The body mentions what the fake's kernel takes.
fn spmv() -> Made {
    let mut m = Made::new("spmv");
    let a = m.tensor("A", &[Level::Dense, SPARSE], Role::Input, &[]);
    let x = m.tensor("x", &[Level::Dense], Role::Input, &[]);
    let y = m.tensor("y", &[Level::Dense], Role::Result, &[(a, 0)]);
    let rows = m.dim("A1_dim", a, 0);
    let alpha = m.var("alpha", Ty::Scalar(DType::F64));
    m.0.params.push(Param::Scalar { var: alpha, index: 0 });
    let pos = m.buffer("A2_pos", Elem::Index, Space::Input, Array::Pos(a, 1));
    let crd = m.buffer("A2_crd", Elem::Index, Space::Input, Array::Crd(a, 1));
    let vals = m.buffer("A_vals", F64, Space::Input, Array::Vals(a));
    let x_vals = m.buffer("x_vals", F64, Space::Input, Array::Vals(x));
    let y_vals = m.buffer("y_vals", F64, Space::Output, Array::Vals(y));
    m.0.extents.push(Extent { index: "j".into(), sources: vec![(a, 1), (x, 0)], promises: vec![] });
    let (block, thread) = (m.var("block", Ty::Index), m.var("thread", Ty::Index));
    let product = times(load_f64(vals, load(pos, rows)), load_f64(x_vals, load(crd, block)));
    let body =
        vec![Stmt::Store { buffer: y_vals, index: thread.into(), value: times(product, alpha.into()) }];
    let blocks = Expr::IndexOp(
        sparse_core::llir::IndexOp::Div,
        Box::new(add(rows, Expr::Index(31))),
        Box::new(Expr::Index(32)),
    );
    let launch = Launch {
        name: "spmv".into(),
        grid: vec![Axis { var: block, blocks }],
        thread,
        threads: 32,
        resident: 0,
        follows: false,
        shared: vec![],
        body,
    };
    m.0.steps = vec![Step::Allocate { buffer: y_vals, len: rows.into(), init: None }, Step::Launch(launch)];
    m
}

fn load_f64(buffer: BufferId, index: impl Into<Expr>) -> Expr {
    Expr::Load { buffer, index: Box::new(index.into()) }
}

fn launch_of(m: &mut Made) -> &mut Launch {
    let launch = m.0.steps.iter_mut().find_map(|s| if let Step::Launch(l) = s { Some(l) } else { None });
    launch.unwrap()
}

fn run(
    kernel: &Kernel,
    a: &Tensor<f64, (Dense, Compressed), Cuda>,
    x: &Tensor<f64, (Dense,), Cuda>,
) -> Result<DenseVec<f64>, Error> {
    let call = Call::new(kernel, vec![Argument::read(a), Argument::read(x)], vec![Value::F64(2.0)])?;
    call.result::<f64, (Dense,)>()?.to_host()
}

#[test]
fn a_call_makes_its_result() {
    with(Fake::new("launch::a_call_makes_its_result"), || {
        let (gpu, kernel) = (Cuda::new(0).unwrap(), spmv().kernel());
        let (_, entry) = kernel.launches().next().unwrap();
        let signature: Vec<_> = entry.parameters.iter().map(|p| p.name.clone()).collect();
        assert_eq!(signature, ["A2_pos", "A2_crd", "A_vals", "x_vals", "A1_dim", "alpha", "y_vals"]);
        kernel_is_loaded_once(&gpu, &kernel);
        for rows in [100, 32, 1, 0] {
            let (a, x) = (Csr::<f64>::random_sparse([rows, 50], 0.1, 3), DenseVec::<f64>::random([50], 4));
            let y = run(&kernel, &a.to(&gpu).unwrap(), &x.to(&gpu).unwrap()).unwrap();
            let mut expected = vec![0.0; rows];
            a.iter().for_each(|([i, j], v)| expected[i] += 2.0 * v * x.get([j]));
            assert!(y.approx_eq(&DenseVec::from_dense([rows], expected).unwrap(), 1e-12));
        }
        assert_eq!(fake::trace().iter().filter(|l| *l == "launch").count(), 3, "none over no rows");
        assert_eq!(fake::trace().iter().filter(|l| *l == "load").count(), 1);
    });
}

fn kernel_is_loaded_once(gpu: &Cuda, kernel: &Kernel) {
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| gpu.prepare(kernel).unwrap());
        }
    });
}

#[test]
fn a_failure_is_not_kept() {
    with(Fake::new("launch::a_failure_is_not_kept").nvrtc("fail=1"), || {
        let (gpu, kernel) = (Cuda::new(0).unwrap(), spmv().kernel());
        let (a, x) = (Csr::<f64>::random_sparse([9, 9], 0.5, 3), DenseVec::<f64>::random([9], 4));
        let (a, x) = (a.to(&gpu).unwrap(), x.to(&gpu).unwrap());
        let e = run(&kernel, &a, &x).unwrap_err();
        assert!(matches!(&e, Error::Jit { kernel, .. } if kernel == "spmv.cu"), "{e:?}");
        assert!(e.to_string().contains("a log"), "{e}");
        fake::set_nvrtc("");
        run(&kernel, &a, &x).unwrap();
    });
}

#[test]
fn arguments_are_checked() {
    with(Fake::new("launch::arguments_are_checked"), || {
        let (gpu, other) = (Cuda::new(0).unwrap(), Cuda::new(1).unwrap());
        let mut program = spmv();
        program.0.extents[0].promises = vec![Promise::Multiple(4)];
        let kernel = program.kernel();
        let a = |columns| Csr::<f64>::random_sparse([9, columns], 0.5, 3).to(&gpu).unwrap();
        let x = |n: usize, gpu: &Cuda| DenseVec::<f64>::random([n], 4).to(gpu).unwrap();
        run(&kernel, &a(8), &x(8, &gpu)).unwrap();
        run(&kernel, &a(8), &x(8, &gpu.new_stream().unwrap())).unwrap();
        let e = run(&kernel, &a(8), &x(7, &gpu)).unwrap_err();
        assert!(e.to_string().contains("`j` has size 8 in `A` but 7 in `x`"), "{e}");
        let e = run(&kernel, &a(9), &x(9, &gpu)).unwrap_err();
        assert!(matches!(e, Error::BrokenBound { size: 9, .. }), "{e:?}");
        let e = run(&kernel, &a(8), &x(8, &other)).unwrap_err();
        assert!(matches!(e, Error::DifferentDevices { first_device: 0, second_device: 1, .. }), "{e:?}");
        assert!(e.to_string().contains("`A` is on device 0, but `x` on device 1"), "{e}");
        let missing = Call::new(&kernel, vec![Argument::read(&a(8))], vec![]).map(drop).unwrap_err();
        assert!(matches!(missing, Error::CallMismatch { .. }), "{missing}");
    });
}

#[test]
fn sizes_beyond_the_device_are_refused() {
    with(Fake::new("launch::sizes_beyond_the_device_are_refused"), || {
        let gpu = Cuda::new(0).unwrap();
        let a = Csr::<f64>::random_sparse([9, 9], 0.5, 3).to(&gpu).unwrap();
        let x = DenseVec::<f64>::random([9], 4).to(&gpu).unwrap();
        let mut rows = spmv();
        launch_of(&mut rows).grid[0].blocks = mul(VarId(0), Expr::Index(1 << 30));
        let e = run(&rows.kernel(), &a, &x).unwrap_err();
        assert!(matches!(e, Error::TooLargeForDevice { most: 2_147_483_647, .. }), "{e:?}");
        let mut columns = spmv();
        let y = columns.var("column", Ty::Index);
        launch_of(&mut columns).grid.push(Axis { var: y, blocks: Expr::Index(65_536) });
        let e = run(&columns.kernel(), &a, &x).unwrap_err();
        assert!(e.to_string().contains("blocks of kernel `spmv` is 65536"), "{e}");
        let mut strided = spmv();
        let (var, kind) = (strided.var("at", Ty::Index), LoopKind::Serial);
        let (lo, hi) = (Expr::Index(0), VarId(0).into());
        let step = i32::MAX as u32 - 8;
        launch_of(&mut strided).body.push(Stmt::For { var, lo, hi, step, kind, body: vec![] });
        let e = run(&strided.kernel(), &a, &x).unwrap_err();
        assert!(matches!(e, Error::TooLargeForDevice { value: 10.., most: 8 | 9, .. }), "{e:?}");
        let mut huge = spmv();
        let len = mul(Expr::Index(u64::MAX), VarId(0));
        huge.0.steps[0] = Step::Allocate { buffer: BufferId(4), len, init: Some(Value::F64(0.0)) };
        let e = run(&huge.kernel(), &a, &x).unwrap_err();
        assert!(matches!(e, Error::TooManyEntries { .. }), "{e:?}");
    });
}

/// `B[i, j] = A[i, j]`, with A's pattern, one block a stored entry; or `B += A` in place.
fn copy(in_place: bool) -> Made {
    let mut m = Made::new("bump");
    let levels = [Level::Dense, SPARSE];
    let a = m.tensor("A", &levels, Role::Input, &[]);
    let (role, space) =
        if in_place { (Role::InOut, Space::InOut) } else { (Role::ResultLike(a, 2), Space::Output) };
    let dims = [(a, 0), (a, 1)];
    let b = m.tensor("B", &levels, role, if in_place { &[] } else { &dims });
    let vals = m.buffer("A_vals", F64, Space::Input, Array::Vals(a));
    let out = m.buffer("B_vals", F64, space, Array::Vals(b));
    let (block, thread) = (m.var("block", Ty::Index), m.var("thread", Ty::Index));
    let body = vec![Stmt::Store { buffer: out, index: block.into(), value: load_f64(vals, block) }];
    let grid = vec![Axis { var: block, blocks: Expr::Len(vals) }];
    let launch = Launch {
        name: "bump".into(),
        grid,
        thread,
        threads: 32,
        resident: 0,
        follows: false,
        shared: vec![],
        body,
    };
    if !in_place {
        let init = Some(Value::F64(0.5));
        m.0.steps.push(Step::Allocate { buffer: out, len: Expr::Len(vals), init });
    }
    m.0.steps.push(Step::Launch(launch));
    m
}

#[test]
fn a_result_shares_its_operands_levels() {
    with(Fake::new("launch::a_result_shares_its_operands_levels"), || {
        let (gpu, kernel) = (Cuda::new(0).unwrap(), copy(false).kernel());
        let a = Csr::<f64>::random_sparse([20, 20], 0.2, 3);
        let there = a.to(&gpu).unwrap();
        let call = Call::new(&kernel, vec![Argument::read(&there)], vec![]).unwrap();
        let b = call.result::<f64, (Dense, Compressed)>().unwrap();
        let (LevelArrays::Compressed { crd: first, .. }, LevelArrays::Compressed { crd: second, .. }) =
            (&there.levels()[1], &b.levels()[1])
        else {
            panic!("both are compressed")
        };
        assert!(Arc::ptr_eq(first, second));
        let expected: Vec<_> = a.iter().map(|(at, v)| (at, v + 0.5)).collect();
        assert_eq!(b.to_host().unwrap().iter().collect::<Vec<_>>(), expected);
        let wrong = Call::new(&kernel, vec![Argument::read(&there)], vec![]).unwrap();
        assert!(matches!(wrong.result::<f32, (Dense, Compressed)>(), Err(Error::CallMismatch { .. })));
    });
}

#[test]
fn what_is_written_in_place_is_not_shared() {
    with(Fake::new("launch::what_is_written_in_place_is_not_shared"), || {
        let (gpu, kernel) = (Cuda::new(0).unwrap(), copy(true).kernel());
        let a = Csr::<f64>::random_sparse([20, 20], 0.2, 3).to(&gpu).unwrap();
        let mut b = a.clone();
        for round in 2..4 {
            let arguments = vec![Argument::read(&a), Argument::write(&mut b).unwrap()];
            Call::new(&kernel, arguments, vec![]).unwrap().in_place().unwrap();
            let (a, b) = (a.to_host().unwrap(), b.to_host().unwrap());
            assert!(a.iter().zip(b.iter()).all(|((_, x), (_, y))| y == f64::from(round) * x));
        }
    });
}

#[test]
fn tensors_of_formats_known_at_run_time() {
    with(Fake::new("launch::tensors_of_formats_known_at_run_time"), || {
        let gpu = Cuda::new(0).unwrap();
        let entries = [(vec![0, 1], Value::F64(1.5)), (vec![3, 0], Value::F64(-2.0))];
        let spec = FormatSpec::new(vec![Level::Dense, SPARSE]);
        let a = DynTensor::from_entries(spec, DType::F64, vec![4, 2], &entries, false).unwrap();
        let arguments = [Arg::Tensor(a.clone()), Arg::Tensor(a.clone())];
        let b = run_dynamic(&gpu, &copy(true).kernel(), &arguments).unwrap();
        assert_eq!(b.vals, [Value::F64(3.0), Value::F64(-4.0)]);
        assert_eq!((&b.levels, &b.dims), (&a.levels, &a.dims));
        let c = run_dynamic(&gpu, &copy(false).kernel(), &arguments[..1]).unwrap();
        assert_eq!(c.vals, [Value::F64(2.0), Value::F64(-1.5)]);
        assert!(run_dynamic(&gpu, &copy(true).kernel(), &arguments[..1]).is_err());
    });
}

/// `B[i, j] = 2 * A[i, j] + 0.5` by two launches that add A each, of which the second follows the first.
fn bump_twice() -> Made {
    let mut m = copy(false);
    let mut again = launch_of(&mut m).clone();
    (again.name, again.follows) = ("bump_again".into(), true);
    let (block, thread) = (m.var("next_block", Ty::Index), m.var("next_thread", Ty::Index));
    (again.grid[0].var, again.thread) = (block, thread);
    again.body =
        vec![Stmt::Store { buffer: BufferId(1), index: block.into(), value: load_f64(BufferId(0), block) }];
    m.0.steps.push(Step::Launch(again));
    m
}

/// What the driver is called for when a program adds A so many times, in a stream that need not be that of A's arrays.
fn calls(stream: &Cuda, program: Made, times: f64) -> Vec<String> {
    let (kernel, a) = (program.kernel(), Csr::<f64>::random_sparse([20, 20], 0.2, 3));
    let there = a.to(&Cuda::new(0).unwrap()).unwrap().to(stream).unwrap();
    stream.prepare(&kernel).unwrap();
    let before = fake::trace().len();
    let call = Call::new(&kernel, vec![Argument::read(&there)], vec![]).unwrap();
    let b = call.result::<f64, (Dense, Compressed)>().unwrap();
    let calls = fake::trace()[before..].to_vec();
    let expected: Vec<_> = a.iter().map(|(at, v)| (at, times * v + 0.5)).collect();
    assert_eq!(b.to_host().unwrap().iter().collect::<Vec<_>>(), expected);
    calls
}

const EARLY: [&str; 4] = ["allocate in order", "launch", "early", "launch"];
const PLAIN: [&str; 3] = ["allocate in order", "launch", "launch"];

#[test]
fn a_launch_that_follows_another_may_start_early() {
    with(Fake::new("launch::a_launch_that_follows_another_may_start_early"), || {
        let gpu = Cuda::new(0).unwrap();
        assert_eq!(calls(&gpu, bump_twice(), 2.0), EARLY);
        // Where arrays are another stream's, streams wait for each other.
        let waits = calls(&gpu.new_stream().unwrap(), bump_twice(), 2.0);
        assert_eq!(waits, ["allocate in order", "wait", "launch", "wait", "wait", "launch", "wait"]);
        // A launch without blocks is none.
        let mut second_alone = bump_twice();
        launch_of(&mut second_alone).grid[0].blocks = Expr::Index(0);
        assert_eq!(calls(&gpu, second_alone, 1.0), ["allocate in order", "launch"]);
        // One that does not wait is not early.
        let mut waits_for_nothing = bump_twice();
        let Some(Step::Launch(second)) = waits_for_nothing.0.steps.last_mut() else {
            panic!("its last step")
        };
        second.follows = false;
        assert_eq!(calls(&gpu, waits_for_nothing, 2.0), PLAIN);
    });
}

#[test]
fn older_gpus_start_one_launch_after_the_other() {
    let fake = Fake::new("launch::older_gpus_start_one_launch_after_the_other").cuda("major=8");
    with(fake, || assert_eq!(calls(&Cuda::new(0).unwrap(), bump_twice(), 2.0), PLAIN));
}

#[test]
fn older_drivers_start_one_launch_after_the_other() {
    let fake = Fake::new("launch::older_drivers_start_one_launch_after_the_other").cuda("version=12020");
    with(fake, || assert_eq!(calls(&Cuda::new(0).unwrap(), bump_twice(), 2.0), PLAIN));
}

#[test]
fn a_driver_without_early_launches_starts_one_after_the_other() {
    let fake = Fake::new("launch::a_driver_without_early_launches_starts_one_after_the_other")
        .define("WITHOUT_EARLY_LAUNCHES");
    with(fake, || assert_eq!(calls(&Cuda::new(0).unwrap(), bump_twice(), 2.0), PLAIN));
}

#[test]
fn an_early_launch_that_is_refused() {
    with(Fake::new("launch::an_early_launch_that_is_refused"), || {
        let (gpu, kernel) = (Cuda::new(0).unwrap(), bump_twice().kernel());
        let a = Csr::<f64>::random_sparse([20, 20], 0.2, 3).to(&gpu).unwrap();
        gpu.prepare(&kernel).unwrap();
        fake::set_cuda("early=701");
        let call = Call::new(&kernel, vec![Argument::read(&a)], vec![]).unwrap();
        let e = call.result::<f64, (Dense, Compressed)>().map(drop).unwrap_err();
        assert!(matches!(&e, Error::Launch { kernel, code: 701, .. } if kernel == "bump_again"), "{e:?}");
    });
}
