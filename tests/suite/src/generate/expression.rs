//! Random statements: which operands, indexed how, combined how.
//!
//! Until the tensors are known an access's `TensorId` is its number in [`Shape::accesses`].

use super::theme::{Taste, Theme};
use super::{Draft, Values};
use crate::case::access;
use crate::rng::Rng;
use sparse_core::format::Fill;
use sparse_core::front::ast::{Access, AssignOp, Expr};
use sparse_core::scalar::{BinaryOp, DType, Monoid, UnaryOp, Value};

/// A statement without tensors.
#[derive(Clone)]
pub(super) struct Shape {
    /// Index variables of each access.
    pub(super) accesses: Vec<Vec<usize>>,
    /// Right-hand side.
    pub(super) rhs: Draft,
    /// Assignment operator.
    pub(super) op: AssignOp,
    /// Index variables of the output.
    pub(super) lhs: Vec<usize>,
    /// Number of index variables.
    pub(super) vars: usize,
    /// Number of scalar parameters.
    pub(super) scalars: usize,
    /// Whether each access is meant to be of a sparse or of a dense tensor; `None` for any.
    pub(super) sparse: Vec<Option<bool>>,
    /// How many dense levels each access of a sparse tensor has below all others: those of its last variables.
    pub(super) blocks: Vec<usize>,
    /// Accesses of the same tensor as the first.
    pub(super) again: Vec<usize>,
    /// Variables that have to be of one size.
    pub(super) tied: Vec<(usize, usize)>,
}

impl Shape {
    /// Has the result a variable that no operand has? Then it is written in place: its own size is that variable's.
    pub(super) fn broadcasts(&self) -> bool {
        self.lhs.iter().any(|v| !self.accesses.iter().any(|a| a.contains(v)))
    }
}

/// Replaces access numbers by tensor numbers.
pub(super) fn place(e: &Draft, accesses: &[Vec<usize>], served: &[usize]) -> Expr {
    map_accesses(e, &|a| access(served[a.tensor.index()], &accesses[a.tensor.index()]))
}

/// Renumbers the tensors of an expression.
pub(super) fn renumber(e: &Expr, f: &dyn Fn(usize) -> usize) -> Expr {
    map_accesses(e, &|a| {
        let vars: Vec<usize> = a.indices.iter().map(|v| v.index()).collect();
        access(f(a.tensor.index()), &vars)
    })
}

/// Replaces accesses.
pub(super) fn map_accesses(e: &Expr, f: &dyn Fn(&Access) -> Access) -> Expr {
    match e {
        Expr::Access(a) => Expr::Access(f(a)),
        Expr::Literal(_) | Expr::Scalar(_) => e.clone(),
        Expr::Unary(op, a) => Expr::Unary(*op, Box::new(map_accesses(a, f))),
        Expr::Binary(op, a, b) => {
            Expr::Binary(*op, Box::new(map_accesses(a, f)), Box::new(map_accesses(b, f)))
        }
    }
}

/// How many variables and operands a statement has.
struct Numbers {
    /// Variables on the left.
    left: usize,
    /// Variables that are reduced.
    inner: usize,
    operands: usize,
}

/// How a random statement assigns, and how many variables and operands it has.
fn numbers(rng: &mut Rng, taste: &Taste) -> (AssignOp, Numbers) {
    let dtype = taste.dtype;
    let mut left = rng.weighted(&[(14, 0usize), (35, 1), (33, 2), (11, 3), (4, 4), (2, 5), (1, 6)]);
    let mut inner = rng.weighted(&[(38, 0usize), (42, 1), (15, 2), (5, 3)]);
    if taste.has(Theme::Ranks) {
        left = rng.weighted(&[(60, 4), (25, 5), (15, 6)]);
    }
    let mut op = assignment(rng, dtype);
    for _ in 0..8 {
        let sums = matches!(op, AssignOp::Assign | AssignOp::Reduce(Monoid::Add));
        if taste.has(Theme::Reductions) && sums || taste.has(Theme::Terms) && !sums {
            op = assignment(rng, dtype);
        }
    }
    if taste.has(Theme::Terms) && dtype != DType::Bool {
        left = left.min(4);
        inner = inner.max(1 + rng.below(2));
    }
    if dtype == DType::Bool && op == AssignOp::Assign {
        inner = 0;
    }
    let mut operands = rng.weighted(&[(2, 0usize), (18, 1), (42, 2), (27, 3), (11, 4), (3, 5), (2, 6)]);
    if taste.has(Theme::Terms) {
        operands = operands.max(2);
    }
    if taste.has(Theme::Chains) {
        operands = operands.max(3);
        left = rng.below(3);
        inner = 1 + rng.below(4);
        if dtype == DType::Bool && op == AssignOp::Assign {
            op = AssignOp::Reduce(Monoid::Or);
        }
    }
    if operands == 0 {
        left = left.min(2);
        inner = 0;
    }
    inner = inner.min(6 - left);
    (op, Numbers { left, inner, operands })
}

/// The variables of each operand, by number; those on the left come first.
fn accesses(rng: &mut Rng, taste: &Taste, lhs: &[usize], vars: usize, operands: usize) -> Vec<Vec<usize>> {
    let again = taste.percent(Theme::Repeats, 4, 45);
    let mut accesses: Vec<Vec<usize>> = (0..operands).map(|_| indices(rng, vars, lhs, again)).collect();
    if taste.has(Theme::Chains) {
        accesses = chain(rng, vars, operands);
    }
    if taste.has(Theme::Terms) {
        // Each variable that is reduced is of one term.
        for v in lhs.len()..vars {
            let own = rng.below(operands);
            for (k, a) in accesses.iter_mut().enumerate() {
                if k != own && a.len() > 1 && rng.percent(70) {
                    a.retain(|w| *w != v);
                }
            }
        }
    }
    for v in 0..vars {
        if operands > 0 && !accesses.iter().any(|a| a.contains(&v)) {
            let room: Vec<usize> = (0..operands).filter(|&k| accesses[k].len() < 6).collect();
            if let Some(&at) = room.get(rng.below(room.len().max(1))) {
                accesses[at].push(v);
            }
        }
    }
    if !lhs.is_empty() && operands > 0 && rng.percent(7) {
        broadcast(rng, lhs, &mut accesses);
    }
    accesses
}

/// A random statement.
pub(super) fn random(rng: &mut Rng, taste: &Taste) -> Shape {
    let dtype = taste.dtype;
    let (op, Numbers { left, inner, operands }) = numbers(rng, taste);
    let vars = left + inner;
    let mut lhs: Vec<usize> = (0..left).collect();
    rng.shuffle(&mut lhs);
    let accesses = accesses(rng, taste, &lhs, vars, operands);
    let sparse = vec![None; operands];
    let mut shape = Shape {
        accesses,
        rhs: Expr::Scalar(0),
        op,
        lhs,
        vars,
        scalars: 0,
        sparse,
        blocks: vec![0; operands],
        again: vec![],
        tied: vec![],
    };
    let mut items: Vec<Expr> = (0..operands).map(|k| Expr::Access(access(k, &[]))).collect();
    if taste.has(Theme::Functions) {
        items.iter_mut().for_each(|e| *e = unary(rng, dtype, taste.values, e.clone(), 30));
    }
    let constants = match taste.has(Theme::Scalars) {
        true => 1 + rng.below(3),
        false => usize::from(operands == 0 || rng.percent(22)),
    };
    for _ in 0..constants {
        let c = constant(rng, dtype, &mut shape.scalars);
        items.insert(rng.below(items.len() + 1), c);
    }
    shape.rhs = tree(rng, taste, items);
    finish(rng, dtype, shape)
}

/// Takes some of the result's variables away from all operands: what they come to is written to each of its rows.
fn broadcast(rng: &mut Rng, lhs: &[usize], accesses: &mut [Vec<usize>]) {
    let mut own = lhs.to_vec();
    rng.shuffle(&mut own);
    own.truncate(1 + rng.below(lhs.len().min(2)));
    accesses.iter_mut().for_each(|a| a.retain(|v| !own.contains(v)));
}

fn assignment(rng: &mut Rng, dtype: DType) -> AssignOp {
    use AssignOp::{Assign, Reduce};
    use Monoid::*;
    let choices: &[(u32, AssignOp)] = match dtype {
        DType::Bool => {
            &[(35, Assign), (30, Reduce(Or)), (20, Reduce(And)), (8, Reduce(Min)), (7, Reduce(Max))]
        }
        DType::F32 | DType::F64 => {
            &[(50, Assign), (23, Reduce(Add)), (10, Reduce(Min)), (9, Reduce(Max)), (8, Reduce(Mul))]
        }
        _ => &[
            (45, Assign),
            (20, Reduce(Add)),
            (8, Reduce(Min)),
            (8, Reduce(Max)),
            (7, Reduce(Mul)),
            (6, Reduce(Or)),
            (6, Reduce(And)),
        ],
    };
    rng.weighted(choices)
}

/// Index variables of one access; all of the left-hand side's more often than chance.
fn indices(rng: &mut Rng, vars: usize, lhs: &[usize], again: u32) -> Vec<usize> {
    let mut chosen: Vec<usize> = if rng.percent(30) {
        lhs.to_vec()
    } else {
        let mut all: Vec<usize> = (0..vars).collect();
        if rng.percent(35) {
            rng.shuffle(&mut all);
        }
        let p = rng.pick(&[40, 65, 90]);
        all.into_iter().filter(|_| rng.percent(p)).collect()
    };
    let most = if rng.percent(10) { 6 } else { 4 };
    chosen.truncate(most);
    if !chosen.is_empty() && chosen.len() < most && rng.percent(again) {
        let again = rng.pick(&chosen);
        chosen.push(again);
    }
    chosen
}

/// Index variables of operands that each share one with the next, if there are enough; few have another one.
fn chain(rng: &mut Rng, vars: usize, operands: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..vars).collect();
    rng.shuffle(&mut order);
    let link = |rng: &mut Rng, at: usize| {
        let mut link: Vec<usize> = order.iter().copied().skip(at % vars.max(1)).take(2).collect();
        if rng.percent(20) {
            link.extend(order.get(rng.below(vars.max(1))).filter(|v| !link.contains(v)));
        }
        if rng.percent(40) {
            rng.shuffle(&mut link);
        }
        link
    };
    (0..operands).map(|at| link(rng, at)).collect()
}

/// Joins items in order by random operators.
fn tree(rng: &mut Rng, taste: &Taste, mut items: Vec<Expr>) -> Expr {
    let Taste { dtype, values, .. } = *taste;
    // One operator throughout gives the pure unions and intersections.
    let only = rng.percent(35).then(|| binary(rng, taste));
    // It takes a sign or a sum to tell an integer that is infinite from one that is as large.
    let signs = dtype.is_integer() && matches!(taste.fill, Some(Fill::PosInf | Fill::NegInf));
    while items.len() > 1 {
        let at = rng.below(items.len() - 1);
        let b = items.remove(at + 1);
        let a = std::mem::replace(&mut items[at], Expr::Scalar(0));
        let op = match (items.len(), only) {
            (1, _) if taste.has(Theme::Terms) && dtype != DType::Bool => {
                rng.pick(&[BinaryOp::Add, BinaryOp::Sub])
            }
            (_, Some(op)) => op,
            (_, None) => binary(rng, taste),
        };
        let joined = Expr::Binary(op, Box::new(a), Box::new(b));
        let often = if signs { 30 } else { taste.percent(Theme::Functions, 7, 50) };
        items[at] = unary(rng, dtype, values, joined, often);
    }
    let only = items.pop().unwrap_or(Expr::Scalar(0));
    unary(rng, dtype, values, only, if signs { 40 } else { 12 })
}

fn binary(rng: &mut Rng, taste: &Taste) -> BinaryOp {
    use BinaryOp::*;
    let Taste { dtype, values, .. } = *taste;
    // Comparisons of rounded values are decided by the rounding.
    let often = taste.percent(Theme::Comparisons, 2, 80);
    let compare = if values == Values::General && dtype.is_float() { 0 } else { often };
    let comparison = rng.pick(&[Eq, Ne, Lt, Le, Gt, Ge]);
    let quotients = taste.percent(Theme::Quotients, 6, 50);
    match dtype {
        DType::Bool => {
            rng.weighted(&[(30, And), (25, Or), (20, Xor), (8, Min), (8, Max), (often.max(6), comparison)])
        }
        DType::F32 | DType::F64 => rng.weighted(&[
            (24, Add),
            (12, Sub),
            (36, Mul),
            (quotients, Div),
            (7, Min),
            (7, Max),
            (compare, comparison),
        ]),
        _ => rng.weighted(&[
            (22, Add),
            (10, Sub),
            (30, Mul),
            (quotients, Div),
            (6, Min),
            (6, Max),
            (8, And),
            (7, Or),
            (7, Xor),
            (compare, comparison),
        ]),
    }
}

fn unary(rng: &mut Rng, dtype: DType, values: Values, e: Expr, percent: u32) -> Expr {
    if !rng.percent(percent) {
        return e;
    }
    use UnaryOp::*;
    let op = rng.weighted(&[
        (30, Neg),
        (15, Not),
        (20, Abs),
        (4, Sqrt),
        (6, Exp),
        (2, Ln),
        (5, Sin),
        (5, Cos),
        (5, Tanh),
        (3, Floor),
        (3, Ceil),
    ]);
    let steps = matches!(op, Floor | Ceil) && values == Values::General;
    if op.accepts(dtype) && !steps { Expr::Unary(op, Box::new(e)) } else { e }
}

/// Puts functions of operands in their places that are seldom what the operand is where it stores nothing.
pub(super) fn move_fills(rng: &mut Rng, dtype: DType, e: &mut Expr) {
    use BinaryOp::{Eq, Le, Max, Min};
    match e {
        Expr::Access(_) if rng.percent(45) => {
            let operand = Box::new(e.clone());
            let literal = |rng: &mut Rng| Box::new(Expr::Literal(literal(rng, dtype)));
            let unary = [UnaryOp::Exp, UnaryOp::Cos, UnaryOp::Not, UnaryOp::Not];
            let unary: Vec<_> = unary.into_iter().filter(|op| op.accepts(dtype)).collect();
            *e = match unary.is_empty() || rng.percent(50) {
                _ if dtype == DType::Bool => Expr::Unary(UnaryOp::Not, operand),
                true => Expr::Binary(rng.pick(&[Max, Min, Eq, Le]), operand, literal(rng)),
                false => Expr::Unary(rng.pick(&unary), operand),
            };
        }
        Expr::Access(_) | Expr::Literal(_) | Expr::Scalar(_) => {}
        Expr::Unary(_, a) => move_fills(rng, dtype, a),
        Expr::Binary(_, a, b) => {
            move_fills(rng, dtype, a);
            move_fills(rng, dtype, b);
        }
    }
}

/// Puts functions around operands and around all of them, most of which are 0 at 0.
pub(super) fn wrap(rng: &mut Rng, dtype: DType, e: &mut Expr) {
    wrap_operands(rng, dtype, e);
    if rng.percent(20) {
        *e = function(rng, dtype, e.clone());
    }
}

fn wrap_operands(rng: &mut Rng, dtype: DType, e: &mut Expr) {
    match e {
        Expr::Access(_) if rng.percent(45) => *e = function(rng, dtype, e.clone()),
        Expr::Access(_) | Expr::Literal(_) | Expr::Scalar(_) => {}
        Expr::Unary(_, a) => wrap_operands(rng, dtype, a),
        Expr::Binary(_, a, b) => {
            wrap_operands(rng, dtype, a);
            wrap_operands(rng, dtype, b);
        }
    }
}

fn function(rng: &mut Rng, dtype: DType, of: Expr) -> Expr {
    use UnaryOp::{Abs, Exp, Neg, Not, Sin, Sqrt, Tanh};
    let of = Box::new(of);
    let of_one: Vec<UnaryOp> = [Abs, Abs, Neg, Neg, Sqrt, Sin, Tanh, Exp, Not].into();
    let of_one: Vec<UnaryOp> = of_one.into_iter().filter(|op| op.accepts(dtype)).collect();
    if rng.percent(45) {
        return Expr::Unary(rng.pick(&of_one), of);
    }
    let of_two: Vec<BinaryOp> =
        [BinaryOp::Max, BinaryOp::Min, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Ne].into();
    let of_two: Vec<BinaryOp> = of_two.into_iter().filter(|op| op.accepts(dtype)).collect();
    let other = if rng.percent(55) { dtype.zero() } else { literal(rng, dtype) };
    Expr::Binary(rng.pick(&of_two), of, Box::new(Expr::Literal(other)))
}

pub(super) fn constant(rng: &mut Rng, dtype: DType, scalars: &mut usize) -> Expr {
    if *scalars < 3 && rng.percent(60) {
        *scalars += 1;
        return Expr::Scalar(*scalars - 1);
    }
    Expr::Literal(literal(rng, dtype))
}

/// Small numbers, mostly; infinities; numbers of either sign, fractions, and integers near the ends of their type.
fn literal(rng: &mut Rng, dtype: DType) -> Value {
    let (largest, least) = (dtype.pos_inf(), dtype.neg_inf());
    let real = |v: f64| if dtype == DType::F32 { Value::F32(v as f32) } else { Value::F64(v) };
    match (rng.below(100), dtype) {
        (0..45, _) | (_, DType::Bool) => dtype.from_i64(rng.pick(&[0, 1, 1, 2, 3])),
        (45..51, _) => largest,
        (51..55, _) => least,
        (55..72, DType::F32 | DType::F64) => real(rng.pick(&[0.5, 0.5, 0.25, 1.5, -0.5, -0.75, 0.1, -0.1])),
        // Two of a kind leave the range of the type, and each brings the other back.
        (72..78, DType::F32) => real(rng.pick(&[1e30, -1e30, 1e-30])),
        (72..78, DType::F64) => real(rng.pick(&[1e200, -1e200, 1e-200])),
        (55..68, DType::I32) => Value::I32(rng.pick(&[i32::MAX - 1, i32::MIN + 1, 1 << 16, -(1 << 30)])),
        (55..68, DType::I64) => {
            Value::I64(rng.pick(&[i64::MAX - 1, i64::MIN + 1, 1 << 32, -(1 << 62), (1 << 53) + 1]))
        }
        (_, DType::U8) => Value::U8(rng.pick(&[4, 16, 127, 128, 254])),
        _ => dtype.from_i64(rng.pick(&[-1, -1, -2, -3, 4, 7, 10])),
    }
}

/// Drops index variables that nothing uses, and mends what the language does not allow.
pub(super) fn finish(rng: &mut Rng, dtype: DType, mut shape: Shape) -> Shape {
    let used: Vec<usize> = {
        let mut all: Vec<usize> = shape.lhs.iter().chain(shape.accesses.iter().flatten()).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let renumber = |vars: &mut Vec<usize>| {
        for v in vars {
            *v = used.iter().position(|u| u == v).unwrap_or(0);
        }
    };
    renumber(&mut shape.lhs);
    shape.accesses.iter_mut().for_each(renumber);
    for (a, b) in &mut shape.tied {
        [a, b].into_iter().for_each(|v| *v = used.iter().position(|u| u == v).unwrap_or(0));
    }
    shape.vars = used.len();
    let sums = shape.accesses.iter().flatten().any(|v| !shape.lhs.contains(v));
    if dtype == DType::Bool && sums && shape.op == AssignOp::Assign {
        shape.op = AssignOp::Reduce(rng.pick(&[Monoid::Or, Monoid::And]));
    }
    shape
}
