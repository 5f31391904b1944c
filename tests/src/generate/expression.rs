//! Random statements: which operands, indexed how, combined how.
//!
//! Until the tensors are known an access's `TensorId` is its number in [`Shape::accesses`].

use super::theme::{Taste, Theme};
use super::{Draft, Values};
use crate::case::access;
use crate::rng::Rng;
use sparse_core::format::Fill;
use sparse_core::front::ast::{AssignOp, Expr};
use sparse_core::scalar::{BinaryOp, DType, Monoid, UnaryOp};

/// A statement without tensors.
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
    /// Accesses of the same tensor as the first.
    pub(super) again: Vec<usize>,
    /// Variables that have to be of one size.
    pub(super) tied: Vec<(usize, usize)>,
}

/// Does the einsum rule look for terms inside?
pub(super) fn is_additive(e: &Expr) -> bool {
    match e {
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub, ..) => true,
        Expr::Unary(UnaryOp::Neg, a) => is_additive(a),
        _ => false,
    }
}

/// Replaces access numbers by tensor numbers.
pub(super) fn place(e: &Draft, accesses: &mut [Vec<usize>], served: &[usize]) -> Expr {
    map_accesses(e, &|k| access(served[k], &accesses[k]))
}

/// Renumbers the tensors of an expression.
pub(super) fn renumber(e: &Expr, f: &dyn Fn(usize) -> usize) -> Expr {
    match e {
        Expr::Access(a) => {
            let vars: Vec<usize> = a.indices.iter().map(|v| v.0 as usize).collect();
            Expr::Access(access(f(a.tensor.index()), &vars))
        }
        Expr::Literal(_) | Expr::Scalar(_) => e.clone(),
        Expr::Unary(op, a) => Expr::Unary(*op, Box::new(renumber(a, f))),
        Expr::Binary(op, a, b) => Expr::Binary(*op, Box::new(renumber(a, f)), Box::new(renumber(b, f))),
    }
}

fn map_accesses(e: &Expr, f: &dyn Fn(usize) -> sparse_core::front::ast::Access) -> Expr {
    match e {
        Expr::Access(a) => Expr::Access(f(a.tensor.index())),
        Expr::Literal(_) | Expr::Scalar(_) => e.clone(),
        Expr::Unary(op, a) => Expr::Unary(*op, Box::new(map_accesses(a, f))),
        Expr::Binary(op, a, b) => {
            Expr::Binary(*op, Box::new(map_accesses(a, f)), Box::new(map_accesses(b, f)))
        }
    }
}

/// Kernels with names: the left-hand side, and a sum of products. `#` is a scalar or a literal.
const NAMED: &[(&str, &str)] = &[
    ("i", "ij*j"),
    ("i", "ij*j"),
    ("j", "ij*i"),
    ("ik", "ij*jk"),
    ("ik", "ij*jk"),
    ("ij", "ij*ik*kj"),
    ("ij", "ij*ik*jk"),
    ("ij", "ijk*k"),
    ("ijl", "ijk*kl"),
    ("il", "ijk*jl*kl"),
    ("ijkl", "ij*kl"),
    ("i", "i*i"),
    ("i", "i+i"),
    ("i", "i+i+i"),
    ("ij", "ij+ij"),
    ("ij", "ij+ij+ij"),
    ("ij", "ij*ij"),
    ("ij", "ij*ij+ij"),
    ("ijk", "ijk+ijk"),
    ("ijk", "ijk*ijk"),
    ("i", "i+ij*j"),
    ("i", "#*i+#*ij*j"),
    ("", "ij*ij"),
    ("", "i*i"),
    ("", "i*ij*j"),
    ("i", "ii*i"),
    ("i", "ii"),
    ("ij", "ij+ji"),
    ("ij", "i*j"),
    ("ij", "i*ij*j"),
    ("ij", "#*ij"),
    ("ji", "ij"),
    ("i", "ij"),
    ("", "ijk*i*j*k"),
    ("ij", "ijkl*k*l"),
    ("ij", "ik*kj+ij"),
    ("ij", "ij+i+j"),
    ("ijklm", "ijklm*jk"),
    ("i", "ijklmn*j"),
    ("ijklmn", "ijk*lmn"),
    ("ijklmn", "ijklmn*jm"),
    ("ijklmn", "ijklmn+ijklmn"),
    ("jimlkn", "ijklmn"),
];

/// Kernels that schedules are written for; operands in capitals are sparse.
const SCHEDULED: &[(u32, (&str, &str))] = &[
    (14, ("i", "IJ*j")),
    (14, ("ik", "IJ*jk")),
    (12, ("ij", "IJ*ik*jk")),
    (10, ("il", "IJK*jl*kl")),
    (9, ("ij", "IJK*k")),
    (9, ("ijl", "IJK*kl")),
    (3, ("i", "ij*j")),
    (3, ("ik", "ij*jk")),
    (5, ("ij", "IJ+IJ")),
    (5, ("ij", "IJ*IJ")),
    (2, ("ij", "IJ*IJ+IJ")),
    (3, ("i", "IJ*J")),
    (3, ("i", "I*I")),
    (3, ("i", "I+I")),
    (4, ("i", "i+IJ*j")),
    (3, ("i", "#*i+#*IJ*j")),
    (2, ("ij", "IJ+ij")),
    (2, ("", "IJ*ij")),
    (3, ("", "IJ")),
    (2, ("", "IJK*i*j*k")),
    (2, ("i", "IJK")),
    (2, ("ij", "IJ*i*j")),
    (2, ("ijkl", "IJ*kl")),
    (2, ("ij", "IJKL*k*l")),
];

/// A kernel that schedules are written for.
pub(super) fn scheduled(rng: &mut Rng, dtype: DType) -> Shape {
    let shape = rng.weighted(SCHEDULED);
    of_products(rng, dtype, shape)
}

/// One sparse operand and dense ones: the kernels that points of atomic parallelism are for.
const SPARSE_DENSE: &[(u32, (&str, &str, &str))] = &[
    (20, ("SpMV", "i", "IJ*j")),
    (34, ("SpMM", "ik", "IJ*jk")),
    (20, ("SDDMM", "ij", "IJ*ik*jk")),
    (18, ("MTTKRP of order 3", "il", "IJK*jl*kl")),
    (10, ("MTTKRP of order 4", "im", "IJKL*jm*km*lm")),
    (14, ("TTV", "ij", "IJK*k")),
    (14, ("TTM", "ijl", "IJK*kl")),
    (6, ("a scalar", "", "IJ*ij")),
    (4, ("a scalar", "", "IJK*i*j*k")),
    (3, ("a scalar", "", "IJ")),
    (8, ("sums of rows", "i", "IJ")),
    (4, ("sums of rows", "i", "IJK")),
    (5, ("scaled SpMM", "ik", "#*IJ*jk")),
    (5, ("columns of A", "j", "IJ*i")),
    (3, ("columns of A", "jk", "IJ*ik")),
    (3, ("a vector", "", "I*i")),
    (3, ("a vector", "i", "I*i")),
];

/// A kernel with one sparse operand, and its name.
pub(super) fn sparse_dense(rng: &mut Rng, dtype: DType) -> (&'static str, Shape) {
    let (name, lhs, rhs) = rng.weighted(SPARSE_DENSE);
    let mut shape = of_products(rng, dtype, (lhs, rhs));
    // What is not stored leaves a product of entries alone, not one with dense factors.
    if !rhs.contains('*') && rng.percent(40) {
        shape.op = AssignOp::Reduce(if dtype == DType::Bool { Monoid::And } else { Monoid::Mul });
    }
    (name, shape)
}

/// Rows of sparse operands that are merged, all of which is reduced.
pub(super) fn rows_of_several(rng: &mut Rng, dtype: DType) -> Shape {
    let (lhs, rhs) = rng.weighted(ROWS_OF_SEVERAL);
    let mut shape = of_products(rng, dtype, (lhs, rhs));
    if rhs.contains('+') {
        // A sum of sums would be two loops.
        let logical = [Monoid::And, Monoid::Or];
        let monoids =
            if dtype == DType::Bool { &logical[..] } else { &[Monoid::Max, Monoid::Min, Monoid::Mul] };
        shape.op = AssignOp::Reduce(rng.pick(monoids));
    }
    shape
}

const ROWS_OF_SEVERAL: &[(u32, (&str, &str))] = &[
    (20, ("i", "IJ*IJ*j")),
    (30, ("i", "IJ+IJ")),
    (15, ("i", "IJ*j+IJ")),
    (10, ("i", "IJ+IJ+IJ")),
    (15, ("ik", "IJ*IJ*jk")),
    (10, ("i", "IJ*J*j")),
];

/// A kernel with a name, under a semiring that the type has.
pub(super) fn named(rng: &mut Rng, dtype: DType) -> Shape {
    let shape = rng.pick(NAMED);
    of_products(rng, dtype, shape)
}

pub(super) fn of_products(rng: &mut Rng, dtype: DType, (lhs, rhs): (&str, &str)) -> Shape {
    let hinted = rhs.bytes().any(|c| c.is_ascii_uppercase());
    let lhs: Vec<usize> = lhs.bytes().map(variable).collect();
    let (reduce, mut plus, times) = semiring(rng, dtype);
    if dtype == DType::Bool && plus == BinaryOp::Add {
        plus = BinaryOp::Or;
    }
    let mut shape = Shape {
        accesses: vec![],
        rhs: Expr::Scalar(0),
        op: reduce,
        lhs,
        vars: 0,
        scalars: 0,
        sparse: vec![],
        again: vec![],
        tied: vec![],
    };
    let minus = plus == BinaryOp::Add && rng.percent(25);
    let plus = if minus { BinaryOp::Sub } else { plus };
    let mut text = Text { rng, dtype, hinted, plus, times, shape: &mut shape };
    let rhs = text.sum(rhs);
    shape.rhs = rhs;
    finish(rng, dtype, shape)
}

fn variable(c: u8) -> usize {
    (c.to_ascii_lowercase() - b'i') as usize
}

/// A sum of products of accesses and sums, being read.
struct Text<'a> {
    rng: &'a mut Rng,
    dtype: DType,
    /// Capitals say what is sparse.
    hinted: bool,
    plus: BinaryOp,
    times: BinaryOp,
    shape: &'a mut Shape,
}

impl Text<'_> {
    fn sum(&mut self, text: &str) -> Expr {
        let terms = outside(text, '+').into_iter().map(|t| self.product(t)).collect();
        fold(terms, self.plus)
    }

    fn product(&mut self, text: &str) -> Expr {
        let factors = outside(text, '*').into_iter().map(|f| self.factor(f)).collect();
        fold(factors, self.times)
    }

    fn factor(&mut self, text: &str) -> Expr {
        if let Some(inside) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
            return self.sum(inside);
        }
        if text == "#" {
            return constant(self.rng, self.dtype, &mut self.shape.scalars);
        }
        let again = text.starts_with('\'');
        let text = text.trim_start_matches('\'');
        let number = self.shape.accesses.len();
        let vars: Vec<usize> = text.bytes().map(variable).collect();
        if again && let Some(first) = self.shape.accesses.first() {
            self.shape.tied.extend(first.iter().copied().zip(vars.iter().copied()));
            self.shape.again.push(number);
        }
        self.shape.accesses.push(vars);
        let sparse = text.bytes().any(|c| c.is_ascii_uppercase());
        self.shape.sparse.push(self.hinted.then_some(sparse));
        Expr::Access(access(number, &[]))
    }
}

/// The parts of a text between these characters, but for those in parentheses.
fn outside(text: &str, between: char) -> Vec<&str> {
    let mut depth = 0;
    text.split(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == between && depth == 0
    })
    .collect()
}

fn fold(items: Vec<Expr>, op: BinaryOp) -> Expr {
    let mut items = items.into_iter();
    let first = items.next().unwrap_or(Expr::Scalar(0));
    items.fold(first, |a, b| Expr::Binary(op, Box::new(a), Box::new(b)))
}

/// How a statement reduces, what joins terms, what joins factors.
fn semiring(rng: &mut Rng, dtype: DType) -> (AssignOp, BinaryOp, BinaryOp) {
    use AssignOp::{Assign, Reduce};
    use BinaryOp::*;
    let choices: &[(u32, (AssignOp, BinaryOp, BinaryOp))] = match dtype {
        DType::Bool => &[
            (50, (Reduce(Monoid::Or), Or, And)),
            (15, (Reduce(Monoid::And), And, Or)),
            (10, (Reduce(Monoid::Or), Xor, And)),
            (10, (Reduce(Monoid::Max), Max, Min)),
            (15, (Assign, Xor, And)),
        ],
        DType::F32 | DType::F64 => &[
            (60, (Assign, Add, Mul)),
            (12, (Reduce(Monoid::Add), Add, Mul)),
            (12, (Reduce(Monoid::Min), Min, Add)),
            (8, (Reduce(Monoid::Max), Max, Mul)),
            (5, (Assign, Add, Div)),
            (3, (Reduce(Monoid::Max), Max, Min)),
        ],
        _ => &[
            (45, (Assign, Add, Mul)),
            (12, (Reduce(Monoid::Add), Add, Mul)),
            (10, (Reduce(Monoid::Min), Min, Add)),
            (8, (Reduce(Monoid::Or), Or, And)),
            (8, (Assign, Add, And)),
            (7, (Assign, Xor, Mul)),
            (5, (Reduce(Monoid::And), And, Or)),
            (5, (Assign, Add, Div)),
        ],
    };
    rng.weighted(choices)
}

/// A random statement.
pub(super) fn random(rng: &mut Rng, taste: &Taste) -> Shape {
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
    let mut operands = rng.weighted(&[(2, 0usize), (18, 1), (42, 2), (27, 3), (11, 4)]);
    if taste.has(Theme::Terms) {
        operands = operands.max(2);
    }
    if operands == 0 {
        left = left.min(2);
        inner = 0;
    }
    inner = inner.min(6 - left);
    let vars = left + inner;
    let mut lhs: Vec<usize> = (0..left).collect();
    rng.shuffle(&mut lhs);
    let again = taste.percent(Theme::Repeats, 4, 45);
    let mut accesses: Vec<Vec<usize>> = (0..operands).map(|_| indices(rng, vars, &lhs, again)).collect();
    if taste.has(Theme::Terms) {
        // Each variable that is reduced is of one term.
        for v in left..vars {
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
    let sparse = vec![None; operands];
    let mut shape = Shape {
        accesses,
        rhs: Expr::Scalar(0),
        op,
        lhs,
        vars,
        scalars: 0,
        sparse,
        again: vec![],
        tied: vec![],
    };
    let mut items: Vec<Expr> = (0..operands).map(|k| Expr::Access(access(k, &[]))).collect();
    if operands == 0 || rng.percent(taste.percent(Theme::Scalars, 22, 90)) {
        let c = constant(rng, dtype, &mut shape.scalars);
        items.insert(rng.below(items.len() + 1), c);
    }
    shape.rhs = tree(rng, taste, items);
    finish(rng, dtype, shape)
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
        items[at] = unary(rng, dtype, values, joined, if signs { 30 } else { 7 });
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
    match dtype {
        DType::Bool => {
            rng.weighted(&[(30, And), (25, Or), (20, Xor), (8, Min), (8, Max), (often.max(6), comparison)])
        }
        DType::F32 | DType::F64 => rng.weighted(&[
            (24, Add),
            (12, Sub),
            (36, Mul),
            (6, Div),
            (7, Min),
            (7, Max),
            (compare, comparison),
        ]),
        _ => rng.weighted(&[
            (22, Add),
            (10, Sub),
            (30, Mul),
            (6, Div),
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
            let literal = |rng: &mut Rng| Box::new(Expr::Literal(dtype.from_i64(rng.pick(&[0, 1, 1, 2]))));
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

fn constant(rng: &mut Rng, dtype: DType, scalars: &mut usize) -> Expr {
    if *scalars < 3 && rng.percent(60) {
        *scalars += 1;
        return Expr::Scalar(*scalars - 1);
    }
    if dtype != DType::Bool && rng.percent(6) {
        return Expr::Literal(dtype.pos_inf());
    }
    Expr::Literal(dtype.from_i64(rng.pick(&[0, 1, 1, 2, 3])))
}

/// Drops index variables that nothing uses, and mends what the language does not allow.
fn finish(rng: &mut Rng, dtype: DType, mut shape: Shape) -> Shape {
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
