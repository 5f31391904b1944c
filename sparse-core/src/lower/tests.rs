//! Looplets that no level has yet: a matrix whose rows are runs of adjacent coordinates, read as fill, the run, fill.

use super::region::{Env, Sweep, Window};
use super::state::Cursor;
use super::tidy::tidy;
use super::*;
use crate::cin::concretize::concretize;
use crate::front::parse_str;
use crate::llir::verify::verify;
use crate::llir::{LoopKind, Step, Ty, build};
use crate::looplet::{Bind, Position};
use crate::scalar::Value;
use crate::sim::{Arg, run};
use crate::tensor::DynTensor;

/// A tensor's entries.
type Entries = [(&'static [usize], f64)];

/// Of a row of a compressed level: its coordinates follow each other.
fn band(level: &LevelRef, parent: &Position, bind: &mut dyn Bind) -> Looplet {
    let (Some(pos), Some(crd), Position::One(p)) = (level.pos, level.crd, parent.clone()) else {
        panic!("a row has one position, and the level both arrays")
    };
    let begin = bind.bind("begin", build::load(pos, p.clone()));
    let end = bind.bind("end", build::load(pos, build::add(p, Expr::Index(1))));
    let some = build::lt(begin.clone(), end.clone());
    let start = bind.bind("at", build::select(some, build::load(crd, begin.clone()), Expr::Index(0)));
    let stop = build::add(start.clone(), build::sub(end, begin.clone()));
    Looplet::Sequence(vec![
        (Some(start.clone()), Looplet::Run(Body::Fill)),
        (Some(stop), Looplet::Lookup { start, begin }),
        (None, Looplet::Run(Body::Fill)),
    ])
}

/// Lowers a loop over `i`, and one over `j` inside, along which `A` reads as `reads` says and other operands as ever.
fn lower_rows(
    kernel: &str,
    reads: fn(&LevelRef, &Position, &mut dyn Bind) -> Looplet,
) -> Result<Program, Box<Diagnostic>> {
    let kernel = parse_str(kernel).unwrap_or_else(|_| panic!("the kernel is correct"));
    let cin = concretize(&kernel).expect("the kernel has loops");
    let (options, kind) = (Options::default(), result_kind(&kernel, &cin));
    let nested = Nested::from_cin(&cin).expect("there are no workspaces");
    let mut l = Lowerer::new(&kernel, &options, &nested, (kind.clone(), &cin), None);
    let [i, j] = nested.nest.loops[..] else { panic!("there are two loops") };
    let row = l.fresh("i", Ty::Index);
    let mut st = l.enter(i, root_state(&nested, &cin, &kernel, l.out.fiber()));
    st.coords[i.index()] = Some(row.into());
    let (mut body, mut env) = (Block::new(), Env::new());
    for a in (0..nested.accesses.len() as u32).map(AccessId) {
        if l.level_vars[a.index()][0] == i {
            st = st.step(a, Position::One(row.into()));
        }
        let Cursor { level, position } = st.cursors[a.index()].clone();
        let read = l.levels[a.index()][level].clone();
        let unfurl = if l.tensor_name(a) == "A" { reads } else { looplet::unfurl };
        env.push((a, unfurl(&read, &position, &mut Binder::new(&mut l, &mut body, a, level, j))));
    }
    l.out.needs_init = true;
    let window = Window { lo: Expr::Index(0), hi: l.extent(j) };
    body.extend(l.region(Sweep { var: j, leaf: j, rest: &[] }, window, env, st)?);
    let (lo, hi) = (Expr::Index(0), l.extent(i));
    let rows = vec![Stmt::For { var: row, lo, hi, step: 1, kind: LoopKind::Serial, body }];
    let mut steps = l.output_steps();
    steps.push(Step::Run(tidy(l.close_output(rows), &l.buffers)));
    l.rename(&steps);
    Ok(l.finish(steps, &nested, &kind))
}

fn tensor(kernel: &str, name: &str, dims: &[usize], entries: &Entries) -> Arg {
    let kernel = parse_str(kernel).unwrap_or_else(|_| panic!("the kernel is correct"));
    let named = kernel.tensors.iter().find(|t| t.name == name).expect("the kernel has it");
    let entries: Vec<_> = entries.iter().map(|(at, v)| (at.to_vec(), Value::F64(*v))).collect();
    let made = DynTensor::from_entries(named.spec.clone(), DType::F64, dims.to_vec(), &entries, false);
    Arg::Tensor(made.expect("a tensor"))
}

/// A row that begins late, an empty one, a whole one, and one that ends early.
const RUNS: [(&[usize], f64); 8] = [
    (&[0, 2], 2.0),
    (&[0, 3], 3.0),
    (&[2, 0], 4.0),
    (&[2, 1], 5.0),
    (&[2, 2], 6.0),
    (&[2, 3], 7.0),
    (&[3, 0], 8.0),
    (&[3, 1], 9.0),
];

fn run_rows(kernel: &str, other: (&str, &[usize], &Entries)) -> Vec<f64> {
    let program = verify(lower_rows(kernel, band).expect("it is lowered")).expect("it is well-formed");
    let args = [tensor(kernel, "A", &[4, 4], &RUNS), tensor(kernel, other.0, other.1, other.2)];
    let made = run(&program, &args).expect("it runs");
    made.vals.iter().map(|v| v.to_f64()).collect()
}

#[test]
fn a_band_is_looked_up() {
    let kernel = "fn mul(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; }";
    let x: [(&[usize], f64); 4] = [(&[0], 1.0), (&[1], 10.0), (&[2], 100.0), (&[3], 1000.0)];
    assert_eq!(run_rows(kernel, ("x", &[4], &x)), [3200.0, 0.0, 7654.0, 98.0]);
}

#[test]
fn a_band_is_merged() {
    let b: [(&[usize], f64); 5] =
        [(&[0, 0], 10.0), (&[0, 3], 20.0), (&[1, 1], 30.0), (&[3, 1], 40.0), (&[3, 2], 50.0)];
    let kernel = "fn add(A: Csr<f64>, B: Csr<f64>) -> DenseMat<f64> { C[i, j] = A[i, j] + B[i, j]; }";
    let sum = [[10., 0., 2., 23.], [0., 30., 0., 0.], [4., 5., 6., 7.], [8., 49., 50., 0.]];
    assert_eq!(run_rows(kernel, ("B", &[4, 4], &b)), sum.as_flattened());
    let kernel = "fn mul(A: Csr<f64>, B: Csr<f64>) -> DenseMat<f64> { C[i, j] = A[i, j] * B[i, j]; }";
    let product = [[0., 0., 0., 60.], [0.; 4], [0.; 4], [0., 360., 0., 0.]];
    assert_eq!(run_rows(kernel, ("B", &[4, 4], &b)), product.as_flattened());
}

#[test]
fn what_unfurls_to_a_case_is_an_internal_error() {
    let kernel = "fn mul(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; }";
    let case = |_: &LevelRef, parent: &Position, _: &mut dyn Bind| Looplet::Switch {
        cond: Expr::Cond(true),
        then: Body::Child(parent.clone()),
        otherwise: Body::Fill,
    };
    let refused = lower_rows(kernel, case).map(|_| ()).expect_err("it is refused");
    assert!(refused.message.contains("a level of `A` reads as a `Switch`"), "{}", refused.message);
}
