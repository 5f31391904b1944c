//! Threads that do nothing together compute in lock step what each computes alone: random control flow, on a grid and
//! as loops that the interpreter runs one iteration after another.

use crate::format::Level;
use crate::llir::build::{add, le, load, lt, max, min, mul, sub};
use crate::llir::samples::{Tables, f64_lit, for_};
use crate::llir::verify::verify;
use crate::llir::*;
use crate::scalar::{BinaryOp, DType, Monoid, UnaryOp, Value};
use crate::sim::tests::vector;
use crate::sim::{Limits, run_reporting};

const BLOCKS: u64 = 2;
const THREADS: u32 = 64;
const INPUTS: u64 = 19;
const ARRAY: u64 = 3;
/// Of nested control flow.
const DEPTH: u32 = 3;

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize].clone()
    }
}

/// Variables that may be read, and of those that may be changed.
#[derive(Clone, Default)]
struct Known {
    indices: Vec<VarId>,
    scalars: Vec<VarId>,
    conds: Vec<VarId>,
    mutable: Vec<VarId>,
}

struct Generator {
    random: Random,
    t: Tables,
    x: BufferId,
    y: BufferId,
    array: BufferId,
    element: Expr,
}

fn boxed(op: impl Fn(Box<Expr>, Box<Expr>) -> Expr, a: Expr, b: Expr) -> Expr {
    op(Box::new(a), Box::new(b))
}

fn rem(a: Expr, n: u64) -> Expr {
    boxed(|a, b| Expr::IndexOp(IndexOp::Rem, a, b), a, Expr::Index(n))
}

fn select(cond: Expr, a: Expr, b: Expr) -> Expr {
    Expr::Select(Box::new(cond), Box::new(a), Box::new(b))
}

impl Generator {
    /// Small, so that nothing overflows.
    fn index(&mut self, k: &Known, depth: u32) -> Expr {
        let kind = if depth == 0 { self.random.below(2) } else { 1 + self.random.below(8) };
        let operand = |g: &mut Self| g.index(k, depth - 1);
        match kind {
            0 => Expr::Index(self.random.below(5)),
            1 => self.random.one(&k.indices).into(),
            2 => rem(add(operand(self), operand(self)), 29),
            3 => rem(mul(operand(self), operand(self)), 23),
            4 => min(operand(self), operand(self)),
            5 => max(operand(self), operand(self)),
            6 => {
                let (a, b) = (operand(self), operand(self));
                select(le(b.clone(), a.clone()), sub(a, b), Expr::Index(1))
            }
            7 => {
                let (a, b) = (operand(self), operand(self));
                let quotient = boxed(|a, b| Expr::IndexOp(IndexOp::Div, a, b), a, b.clone());
                select(lt(Expr::Index(0), b), quotient, Expr::Index(2))
            }
            _ => {
                let (cond, a, b) = (self.cond(k, depth - 1), operand(self), operand(self));
                select(cond, a, b)
            }
        }
    }

    fn cond(&mut self, k: &Known, depth: u32) -> Expr {
        let kind = if depth == 0 { self.random.below(2) } else { self.random.below(7) };
        match kind {
            0 => self.random.one(&k.conds).into(),
            1 => {
                let (a, b) = (self.index(k, depth.min(1)), self.index(k, 0));
                let op = self.random.one(&[Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Le]);
                Expr::Cmp(op, Box::new(a), Box::new(b))
            }
            2 => Expr::Not(Box::new(self.cond(k, depth - 1))),
            3 => boxed(Expr::And, self.cond(k, depth - 1), self.cond(k, depth - 1)),
            4 => boxed(Expr::Or, self.cond(k, depth - 1), self.cond(k, depth - 1)),
            // The second operand is for those alone in which the first one holds, or does not.
            5 => {
                let (a, b) = (self.index(k, depth - 1), self.index(k, depth - 1));
                let difference = lt(sub(b.clone(), a.clone()), Expr::Index(3));
                boxed(Expr::And, le(a, b), difference)
            }
            _ => {
                let a = self.index(k, depth - 1);
                let quotient = boxed(|a, b| Expr::IndexOp(IndexOp::Div, a, b), Expr::Index(7), a.clone());
                boxed(Expr::Or, le(a, Expr::Index(0)), lt(quotient, Expr::Index(3)))
            }
        }
    }

    fn scalar(&mut self, k: &Known, depth: u32) -> Expr {
        let kind = if depth == 0 { self.random.below(3) } else { self.random.below(9) };
        match kind {
            0 => f64_lit(self.random.below(9) as f64 - 4.0),
            1 => self.random.one(&k.scalars).into(),
            2 => Expr::FromIndex(DType::F64, Box::new(self.index(k, depth.min(1)))),
            3 => load(self.x, rem(self.index(k, depth - 1), INPUTS)),
            4 => load(self.array, rem(self.index(k, depth - 1), ARRAY)),
            5 => {
                let at = mul(self.index(k, depth - 1), Expr::Index(2));
                select(lt(at.clone(), Expr::Index(INPUTS)), load(self.x, at), self.scalar(k, depth - 1))
            }
            6 => {
                let op = self.random.one(&[UnaryOp::Neg, UnaryOp::Abs, UnaryOp::Floor]);
                Expr::Unary(op, Box::new(self.scalar(k, depth - 1)))
            }
            _ => {
                let ops = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Max, BinaryOp::Lt];
                let op = self.random.one(&ops);
                boxed(|a, b| Expr::Binary(op, a, b), self.scalar(k, depth - 1), self.scalar(k, depth - 1))
            }
        }
    }

    fn value(&mut self, ty: Ty, k: &Known) -> Expr {
        match ty {
            Ty::Index => self.index(k, 2),
            Ty::Cond => self.cond(k, 2),
            _ => self.scalar(k, 2),
        }
    }

    fn fresh(&mut self, ty: Ty) -> VarId {
        let name = format!("v{}", self.t.0.vars.len());
        self.t.var(&name, ty)
    }

    fn declare(&mut self, k: &mut Known, is_mutable: bool) -> Stmt {
        let ty = self.random.one(&[Ty::Index, Ty::Scalar(DType::F64), Ty::Cond]);
        let value = self.value(ty, k);
        let var = self.fresh(ty);
        match ty {
            Ty::Index => k.indices.push(var),
            Ty::Cond => k.conds.push(var),
            _ => k.scalars.push(var),
        }
        if is_mutable {
            k.mutable.push(var);
            Stmt::Mut { var, value }
        } else {
            Stmt::Let { var, value }
        }
    }

    fn block(&mut self, known: &Known, depth: u32) -> Block {
        let mut k = known.clone();
        let mut block = vec![];
        let least = if depth == DEPTH { 8 } else { 0 };
        for _ in 0..=least + self.random.below(4) {
            let kind = if depth == 0 { self.random.below(6) } else { self.random.below(10) };
            match kind {
                0 => block.push(self.declare(&mut k, false)),
                1 => block.push(self.declare(&mut k, true)),
                2 | 3 => {
                    let var = self.random.one(&k.mutable);
                    let ty = self.t.0.var(var).ty;
                    let value = self.value(ty, &k);
                    block.push(match ty {
                        Ty::Scalar(_) if kind == 2 => Stmt::Update { var, op: Monoid::Add, value },
                        _ => Stmt::Assign { var, value },
                    });
                }
                4 => {
                    let (buffer, index) = (self.array, rem(self.index(&k, 1), ARRAY));
                    let value = self.scalar(&k, 2);
                    block.push(Stmt::Reduce { buffer, index, op: Monoid::Min, value });
                }
                5 => {
                    let (buffer, index) = (self.y, self.element.clone());
                    let value = self.scalar(&k, 2);
                    block.push(Stmt::Reduce { buffer, index, op: Monoid::Add, value });
                }
                6 | 7 => {
                    let cond = self.cond(&k, 2);
                    let then = self.block(&k, depth - 1);
                    let otherwise = if kind == 6 { self.block(&k, depth - 1) } else { vec![] };
                    block.push(Stmt::If { cond, then, otherwise });
                }
                8 => {
                    let (lo, hi) = (self.index(&k, 0), rem(self.index(&k, 2), 6));
                    let var = self.fresh(Ty::Index);
                    let mut inner = k.clone();
                    inner.indices.push(var);
                    let (step, kind) = (1 + self.random.below(2) as u32, LoopKind::Serial);
                    let body = self.block(&inner, depth - 1);
                    block.push(Stmt::For { var, lo, hi, step, kind, body });
                }
                _ => {
                    let left = self.fresh(Ty::Index);
                    block.push(Stmt::Mut { var: left, value: rem(self.index(&k, 2), 4) });
                    let cond = boxed(Expr::And, lt(Expr::Index(0), left), self.cond(&k, 1));
                    let mut body = self.block(&k, depth - 1);
                    body.push(Stmt::Assign { var: left, value: sub(left, Expr::Index(1)) });
                    block.push(Stmt::While { cond, body });
                }
            }
        }
        block
    }
}

/// A program as loops and as a launch.
fn programs(seed: u64) -> [Program; 2] {
    let mut t = Tables::new("random", "y[i] = x[i]");
    let x = t.tensor("x", &[Level::Dense], Role::Input);
    let y = t.tensor("y", &[Level::Dense], Role::Result);
    t.0.tensors[y.index()].dims_from = vec![(x, 0)];
    let len = t.dim("x1_dim", x, 0);
    let x = t.buffer("x_vals", Space::Input, crate::llir::Array::Vals(x));
    let y = t.buffer("y_vals", Space::Output, crate::llir::Array::Vals(y));
    let array = t.buffer("r", Space::Register { len: ARRAY as u32 }, crate::llir::Array::Local);
    let (block, thread) = (t.index("b"), t.index("t"));
    let (sum, on) = (t.var("sum", Ty::Scalar(DType::F64)), t.var("on", Ty::Cond));
    let element = add(mul(block, Expr::Index(u64::from(THREADS))), thread);
    // So many that a seed of zero's xor does not stay zero.
    let random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut g = Generator { random, t, x, y, array, element: element.clone() };
    let known =
        Known { indices: vec![block, thread], scalars: vec![sum], conds: vec![on], mutable: vec![sum, on] };
    let mut body = vec![
        Stmt::Mut { var: sum, value: f64_lit(0.5) },
        Stmt::Mut { var: on, value: Expr::Cond(true) },
        Stmt::Local { buffer: array, init: Some(Value::F64(8.0)) },
    ];
    body.extend(g.block(&known, DEPTH));
    let total = boxed(|a, b| Expr::Binary(BinaryOp::Add, a, b), sum.into(), load(array, Expr::Index(1)));
    body.push(Stmt::Reduce { buffer: y, index: element, op: Monoid::Add, value: total });
    let launch = Launch {
        name: "random_kernel".into(),
        grid: vec![Axis { var: block, blocks: Expr::Index(BLOCKS) }],
        thread,
        threads: THREADS,
        resident: 0,
        follows: false,
        shared: vec![],
        body: body.clone(),
    };
    let threads = for_(thread, Expr::Index(0), Expr::Index(THREADS.into()), body);
    let loops = Step::Run(vec![for_(block, Expr::Index(0), Expr::Index(BLOCKS), vec![threads])]);
    [loops, Step::Launch(launch)].map(|step| {
        let init = Some(Value::F64(0.0));
        let allocate = Step::Allocate { buffer: y, len: len.into(), init };
        Program { steps: vec![allocate, step], ..g.t.0.clone() }
    })
}

#[test]
fn lock_step_is_one_after_another() {
    let x: Vec<f64> = (0..BLOCKS * u64::from(THREADS)).map(|n| (n * 7 % 13) as f64 - 5.0).collect();
    let args = [vector(&x)];
    let mut divergent = 0;
    for seed in 0..400 {
        let [loops, launch] = programs(seed).map(|p| {
            let text = crate::llir::print::print(&p);
            let program = verify(p).unwrap_or_else(|e| panic!("{e}\n{text}"));
            let (y, reports) = run_reporting(&program, &args, Limits { steps: 20_000_000 })
                .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
            divergent += reports.iter().map(|r| r.counts.divergent_branches).sum::<u64>();
            y.vals
        });
        let same = |(a, b): (&Value, &Value)| a == b || a.to_f64().is_nan() && b.to_f64().is_nan();
        assert!(loops.iter().zip(&launch).all(same), "seed {seed}: {loops:?} is not {launch:?}");
    }
    assert!(divergent > 10_000, "{divergent}");
}
