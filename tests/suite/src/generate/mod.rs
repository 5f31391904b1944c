//! Random cases: kernels that should compile, with tensors to run them on.
//!
//! A third of the cases have the shape of a kernel with a name (SpMV to MTTKRP, under several semirings), the rest a
//! random expression. Formats follow a random loop order, so that most cases can be iterated; the compiler may still
//! refuse some, and the caller counts those.

mod atomic;
mod before;
mod chunks;
mod data;
mod expression;
mod formats;
mod names;
mod nest;
mod nonsense;
mod parts;
mod point;
mod results;
mod schedule;
mod shapes;
mod sizes;
mod sparse;
mod teams;
mod theme;
mod tile;
mod units;
mod walk;
mod workspaces;

use crate::case::{Case, Operand, access};
use crate::oracle;
use crate::rng::Rng;
use data::Pattern;
use expression::Shape;
use names::Names;
pub use sparse::generate_sparse;
use sparse_core::format::{Fill, FormatSpec, Level};
use sparse_core::front::ast::{Access, AssignOp, Assignment, Expr, Mode};
use sparse_core::front::command::Platform;
use sparse_core::lower::Options;
use sparse_core::scalar::{DType, Monoid, Value};
use theme::{Taste, Theme};

/// How values are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// Small integers: exact in every type.
    Small,
    /// Anything finite; extremes of integers.
    General,
    /// −1, 0 and 1: sums come to nothing often.
    Cancelling,
    /// Small integers mixed with infinities, NaN and −0.
    Special,
    /// NaN and infinities, as many as small integers.
    NotNumbers,
    /// Powers of 2 near 1, seldom 0: products of many of them are neither infinite nor 0.
    Factors,
}

/// Case `number` of the run with this seed.
pub fn generate(seed: u64, number: u64) -> Case {
    draw(&mut Rng::new(seed, number), Pattern::Even)
}

/// A statement, drawn again until it has what is a theme, but not for ever.
fn themed(rng: &mut Rng, taste: &Taste, mut draw: impl FnMut(&mut Rng) -> Shape) -> Shape {
    let mut shape = draw(rng);
    for _ in 0..12 {
        let least = matches!(shape.op, AssignOp::Reduce(Monoid::Min | Monoid::Max));
        if least || !taste.has(Theme::NotNumbers) || !taste.dtype.is_float() {
            break;
        }
        shape = draw(rng);
    }
    shape
}

/// Any statement.
fn draw(rng: &mut Rng, pattern: Pattern) -> Case {
    use DType::*;
    let dtype = rng.weighted(&[(30, F64), (20, F32), (15, I32), (10, I64), (10, U8), (15, Bool)]);
    let values = rng.weighted(&[(80, Values::Small), (14, Values::General), (6, Values::Special)]);
    let taste = Taste::plain(dtype, values, pattern).with_themes(rng, 40);
    let shape = themed(rng, &taste, |rng| match rng.below(100) {
        0..35 => shapes::named(rng, taste.dtype),
        35..39 => shapes::rows_again(rng, taste.dtype),
        39..47 => shapes::two_hops(rng, taste.dtype),
        _ => expression::random(rng, &taste),
    });
    let sizes = sizes::any(rng, shape.vars, &taste);
    complete(rng, &taste, shape, &sizes)
}

/// Case `number` of the run with this seed: a kernel that the compiler takes without a schedule, and a schedule.
pub fn generate_scheduled(seed: u64, number: u64) -> Case {
    let rng = &mut Rng::new(seed ^ 0x5C4E_D01E, number);
    use DType::*;
    let mut tries = 0;
    loop {
        tries += 1;
        let dtype = rng.weighted(&[(40, F64), (20, F32), (15, I32), (7, I64), (6, U8), (12, Bool)]);
        let values = rng.weighted(&[(84, Values::Small), (12, Values::General), (4, Values::Special)]);
        let taste = Taste::plain(dtype, values, Pattern::Even).with_themes(rng, 35);
        let mut shape = themed(rng, &taste, |rng| match rng.below(100) {
            0..60 => shapes::scheduled(rng, taste.dtype),
            60..75 => shapes::named(rng, taste.dtype),
            _ => expression::random(rng, &taste),
        });
        if rng.percent(12) {
            expression::wrap(rng, taste.dtype, &mut shape.rhs);
        }
        let sizes = sizes::scheduled(rng, shape.vars, &taste);
        let mut case = complete(rng, &taste, shape, &sizes);
        if rng.percent(15) && share_first_levels(&mut case) {
            case.about.push("the first levels of an operand".into());
        }
        if schedule::draw(rng, &mut case) || tries == 20 {
            return case;
        }
    }
}

/// Case `number` of the run with this seed: a kernel for a GPU, and mostly a schedule.
pub fn generate_for_gpu(seed: u64, number: u64) -> Case {
    let rng = &mut Rng::new(seed ^ 0x6B0_D1FF, number);
    use DType::*;
    if rng.percent(32) {
        return assembled(rng);
    }
    if rng.percent(20) {
        return any(rng);
    }
    let mut tries = 0;
    loop {
        tries += 1;
        let dtype = rng.weighted(&[(30, F64), (25, F32), (15, I32), (10, I64), (6, U8), (14, Bool)]);
        let values = rng.weighted(&[(80, Values::Small), (12, Values::General), (8, Values::Special)]);
        let kind = rng.weighted(&[
            (46, Kind::Point),
            (14, Kind::Atomic),
            (10, Kind::Tile),
            (6, Kind::Walk),
            (6, Kind::Chunks),
            (15, Kind::Random),
            (15, Kind::Default),
        ]);
        let before = matches!(kind, Kind::Random | Kind::Default) && rng.percent(40);
        let taste = Taste::plain(dtype, values, Pattern::Rows).with_themes(rng, 25);
        let mut name = "";
        let mut shape = themed(rng, &taste, |rng| {
            let shape;
            (name, shape) = match (kind, rng.below(100)) {
                // What points are for, and others that have some.
                (Kind::Point | Kind::Atomic | Kind::Tile | Kind::Chunks, 0..OTHERS) => {
                    ("another statement", other(rng, &taste))
                }
                (Kind::Point | Kind::Atomic | Kind::Tile | Kind::Chunks, _) => {
                    shapes::sparse_dense(rng, taste.dtype)
                }
                (Kind::Walk, _) => ("several operands", shapes::rows_of_several(rng, taste.dtype)),
                _ if before => ("", before::shape(rng, taste.dtype)),
                (_, 0..40) => shapes::sparse_dense(rng, taste.dtype),
                (_, 40..70) => ("", shapes::scheduled(rng, taste.dtype)),
                (_, 70..85) => ("", shapes::named(rng, taste.dtype)),
                _ => ("", expression::random(rng, &taste)),
            };
            shape
        });
        let functions = rng.percent(20);
        if functions {
            expression::wrap(rng, taste.dtype, &mut shape.rhs);
        }
        let sizes = sizes::for_gpu(rng, shape.vars, &taste);
        let mut case = complete(rng, &taste, shape, &sizes);
        case.platform = Platform::Cuda;
        if before {
            before::by_columns(rng, &mut case);
        }
        let shares = rng.percent(25) && share_first_levels(&mut case);
        if shares {
            case.about.push(format!("{}: the first levels of an operand", kind.text()));
        } else if rng.percent(90) {
            make_dense(&mut case);
        }
        if !name.is_empty() {
            case.about.push(format!("{}: {name}", kind.text()));
        }
        if functions {
            case.about.push(format!("{}: functions of operands", kind.text()));
        }
        let drawn = match kind {
            Kind::Point => point::draw(rng, &mut case),
            Kind::Atomic => atomic::draw(rng, &mut case),
            Kind::Tile => tile::draw(rng, &mut case),
            Kind::Walk => walk::draw(rng, &mut case),
            Kind::Chunks => chunks::draw(rng, &mut case),
            Kind::Random => schedule::draw(rng, &mut case),
            Kind::Default => true,
        };
        if drawn || tries == 20 {
            return case;
        }
    }
}

/// Of a hundred kernels that points are drawn for, so many are not those that points are written for.
const OTHERS: usize = 15;

fn other(rng: &mut Rng, taste: &Taste) -> Shape {
    match rng.below(100) {
        0..30 => shapes::scheduled(rng, taste.dtype),
        30..50 => shapes::named(rng, taste.dtype),
        50..65 => shapes::rows_of_several(rng, taste.dtype),
        _ => expression::random(rng, taste),
    }
}

/// Any statement, with any result, by the default schedule.
fn any(rng: &mut Rng) -> Case {
    let pattern = rng.pick(&[Pattern::Even, Pattern::Rows]);
    let mut case = draw(rng, pattern);
    case.platform = Platform::Cuda;
    if !case.output().spec.is_dense() {
        workspaces::note_whole(&mut case);
        teams::choose_classes(rng, &mut case);
    }
    case
}

/// A kernel for a GPU with a sparse result, mostly without a schedule.
fn assembled(rng: &mut Rng) -> Case {
    if rng.percent(8) {
        let mut case = sparse::merged(rng);
        teams::choose_classes(rng, &mut case);
        return case;
    }
    let in_rows = rng.percent(30);
    // What is packed on a GPU is rare, and hardly has several sums.
    let themes: &[Theme] = if rng.percent(10) { &[Theme::Terms, Theme::Packed] } else { &[] };
    let mut case = if in_rows { sparse::in_rows(rng) } else { sparse::statement(rng, themes).0 };
    case.platform = Platform::Cuda;
    let by = if rng.percent(10) && workspaces::scheduled_for_gpu(rng, &mut case)
        || !in_rows && rng.percent(20) && schedule::draw(rng, &mut case)
    {
        Kind::Random
    } else {
        Kind::Default
    };
    if matches!(by, Kind::Default) && rng.percent(if in_rows { 15 } else { 40 }) {
        teams::rows_on_teams(rng, &mut case);
    }
    workspaces::note_whole(&mut case);
    teams::choose_classes(rng, &mut case);
    let about: Vec<String> = case.about.iter().take(1).map(|name| format!("{}: {name}", by.text())).collect();
    case.about.extend(about);
    case
}

/// What a case for a GPU is scheduled by.
#[derive(Clone, Copy)]
enum Kind {
    /// A point of atomic parallelism, in one of many shapes.
    Point,
    /// A point in the compiler's own shape.
    Atomic,
    /// Tiles in shared memory.
    Tile,
    /// Rows that threads walk tile by tile.
    Walk,
    /// Chunks of entries beside columns.
    Chunks,
    /// Random commands.
    Random,
    /// Nobody.
    Default,
}

impl Kind {
    fn text(self) -> &'static str {
        match self {
            Kind::Point => "point",
            Kind::Atomic => "atomic",
            Kind::Tile => "tile",
            Kind::Walk => "walk",
            Kind::Chunks => "chunks",
            Kind::Random => "random",
            Kind::Default => "default",
        }
    }
}

/// A result in the format of an operand's first levels; false if there is none.
fn share_first_levels(case: &mut Case) -> bool {
    let out = case.assignment.lhs.tensor.index();
    let fill = output_fill(case, out).filter(|_| case.tensors[out].mode == Mode::Result);
    let (Some(fill), Some(spec)) = (fill, results::of_first_levels(case)) else { return false };
    case.tensors[out].spec = spec.filled(fill);
    true
}

/// An assembled result, which threads cannot write, becomes dense; one with an operand's pattern stays.
fn make_dense(case: &mut Case) {
    let mut like = false;
    case.assignment.rhs.for_each_access(&mut |a| {
        let same = case.tensors[a.tensor.index()].spec == case.output().spec;
        like |= same && a.indices == case.assignment.lhs.indices;
    });
    let out = case.assignment.lhs.tensor.index();
    let t = &mut case.tensors[out];
    if !like && !t.spec.is_dense() && t.mode == Mode::Result {
        t.spec = FormatSpec::new(vec![Level::Dense; t.spec.rank()]);
    }
}

/// So many small integers have a product that every type of floating point holds.
const FEW: usize = 16;

/// Adds sizes, formats, an output and data to a statement.
fn complete(rng: &mut Rng, taste: &Taste, shape: Shape, sizes: &[usize]) -> Case {
    let Taste { dtype, values, .. } = *taste;
    let mut sizes = sizes.to_vec();
    sizes::lengthen(rng, taste, &shape, &mut sizes);
    sizes::tie(&shape.tied, &mut sizes);
    sizes::square(rng, &shape, &mut sizes);
    let broadcasts = shape.broadcasts();
    let Shape { accesses, rhs, op, lhs, vars, scalars, sparse, blocks, again, .. } = shape;
    let order = loop_order(rng, &lhs, vars, rhs.is_additive());
    let rank_of = |v: usize| order.iter().position(|&w| w == v).unwrap_or(0);
    let terms: usize = (0..vars).filter(|v| !lhs.contains(v)).map(|v| sizes[v]).product();
    let values = match (op, values) {
        (AssignOp::Reduce(Monoid::Mul), Values::Small | Values::General) if terms > FEW => Values::Factors,
        _ => values,
    };
    let taste = &Taste { values, ..taste.clone() };

    let usual_fill = match op {
        _ if taste.fill.is_some() => taste.fill.unwrap_or_default(),
        AssignOp::Reduce(Monoid::Min) if rng.percent(60) => Fill::PosInf,
        AssignOp::Reduce(Monoid::Max) if rng.percent(60) => Fill::NegInf,
        AssignOp::Reduce(Monoid::Mul | Monoid::And) if rng.percent(40) => Fill::One,
        _ => Fill::Zero,
    };
    let names = Names::new(rng, taste);
    let mut tensors: Vec<Operand> = Vec::new();
    // One tensor may serve several accesses.
    let mut served: Vec<usize> = Vec::new();
    for (k, (vars, sparse)) in accesses.iter().zip(sparse).enumerate() {
        let dims: Vec<usize> = vars.iter().map(|&v| sizes[v]).collect();
        if let Some(&first) = again.contains(&k).then(|| served.first()).flatten() {
            served.push(first);
            continue;
        }
        let same = tensors.iter().position(|t| t.dims == dims);
        if let Some(t) = same.filter(|_| rng.percent(taste.percent(Theme::Same, 12, 75))) {
            served.push(t);
            continue;
        }
        let spec = match sparse {
            Some(_) if blocks[k] > 0 && rng.percent(95) => {
                formats::blocked(rng, vars, blocks[k], &rank_of, usual_fill)
            }
            Some(sparse) if rng.percent(90) => formats::usual(rng, vars, sparse, &rank_of, usual_fill),
            _ => formats::operand(rng, taste, (vars, !dims.contains(&0)), &rank_of, usual_fill),
        };
        let entries = data::entries(rng, &spec, &dims, taste);
        served.push(tensors.len());
        let name = names.tensor(tensors.len());
        let mut operand = Operand { name, spec, mode: Mode::Input, dims, entries, bare: vec![] };
        operand.bare = data::bare(rng, &operand, taste);
        tensors.push(operand);
    }
    let rhs = expression::place(&rhs, &accesses, &served);

    let out_dims: Vec<usize> = lhs.iter().map(|&v| sizes[v]).collect();
    let in_place = rng.percent(22) || accesses.is_empty() || broadcasts;
    let at = if in_place && rng.percent(50) { 0 } else { tensors.len() };
    let shift = |t: usize| if t >= at { t + 1 } else { t };
    let rhs = if at == tensors.len() { rhs } else { expression::renumber(&rhs, &shift) };
    let mode = if in_place { Mode::InOut } else { Mode::Result };
    let dense = FormatSpec::new(vec![Level::Dense; lhs.len()]);
    let out =
        Operand { name: names.result, spec: dense, mode, dims: out_dims, entries: vec![], bare: vec![] };
    tensors.insert(at, out);

    let scalars = (0..scalars).map(|n| (names.scalars[n].clone(), data::value(rng, dtype, values))).collect();
    let assignment = Assignment { lhs: access(at, &lhs), op, rhs };
    let vars = sizes.iter().enumerate().map(|(v, &s)| (names.vars[v].clone(), s)).collect();
    let (platform, schedule, about) = (Platform::Cpu, vec![], vec![]);
    let row_classes = Options::default().row_classes;
    let mut case = Case { dtype, vars, tensors, scalars, assignment, platform, schedule, row_classes, about };
    choose_output(rng, &mut case, at, &rank_of);
    if in_place {
        let t = &case.tensors[at];
        let even = Taste { pattern: Pattern::Even, ..taste.clone() };
        case.tensors[at].entries = data::entries(rng, &t.spec, &t.dims, &even);
    }
    for t in 0..case.tensors.len() {
        if rng.percent(taste.percent(Theme::Turned, 4, 70)) {
            turn(rng, &mut case, t);
        }
    }
    case
}

/// Puts the dimensions of a tensor in another order, in which all accesses have them; its levels stay what they are.
fn turn(rng: &mut Rng, case: &mut Case, number: usize) {
    let tensor = &mut case.tensors[number];
    let mut from: Vec<usize> = (0..tensor.dims.len()).collect();
    rng.shuffle(&mut from);
    let turned = |old: &[usize]| -> Vec<usize> { from.iter().map(|&d| old[d]).collect() };
    tensor.dims = turned(&tensor.dims);
    tensor.entries.iter_mut().for_each(|(at, _)| *at = turned(at));
    let order = tensor.spec.order().iter().filter_map(|old| from.iter().position(|d| d == old)).collect();
    let fill = tensor.spec.fill;
    tensor.spec = FormatSpec::new(tensor.spec.levels.clone()).reordered(order).filled(fill);
    let assignment = &mut case.assignment;
    assignment.rhs = expression::map_accesses(&assignment.rhs, &|a| turned_access(a, number, &from));
    assignment.lhs = turned_access(&assignment.lhs, number, &from);
}

/// An access, of this tensor with its variables in another order.
fn turned_access(a: &Access, tensor: usize, from: &[usize]) -> Access {
    let same = a.tensor.index() == tensor;
    let index = |d: usize| a.indices[if same { from[d] } else { d }].index();
    access(a.tensor.index(), &(0..a.indices.len()).map(index).collect::<Vec<_>>())
}

/// An order of the variables, outermost first, that formats are drawn to suit.
fn loop_order(rng: &mut Rng, lhs: &[usize], vars: usize, additive: bool) -> Vec<usize> {
    let mut left = Vec::new();
    for &v in lhs {
        if !left.contains(&v) {
            left.push(v);
        }
    }
    let mut inner: Vec<usize> = (0..vars).filter(|v| !lhs.contains(v)).collect();
    if rng.percent(30) {
        rng.shuffle(&mut left);
    }
    rng.shuffle(&mut inner);
    left.append(&mut inner);
    // Sums inside a sum are taken below the loops of the left-hand side; other reductions go anywhere.
    if !additive && rng.percent(25) {
        rng.shuffle(&mut left);
    }
    left
}

/// The fill that a sparse output has, if the expression is one wherever nothing is stored.
fn output_fill(case: &Case, at: usize) -> Option<Fill> {
    let background = oracle::background(case)?;
    let needed = match case.assignment.op {
        // An empty sum is 0, whatever the terms are where nothing is stored.
        AssignOp::Assign if sums(case) && background != case.dtype.zero() => return None,
        AssignOp::Assign => background,
        AssignOp::Reduce(m) => m.identity(case.dtype)?,
    };
    let can_be_sparse = background == needed && !case.tensors[at].dims.is_empty();
    fill_of(needed, case.dtype).filter(|_| can_be_sparse)
}

/// A fill that a sparse output can have, whatever the expression is where nothing is stored: then entries are stored there.
fn any_fill(rng: &mut Rng, case: &Case, at: usize) -> Option<Fill> {
    if case.tensors[at].dims.is_empty() {
        return None;
    }
    match case.assignment.op {
        AssignOp::Assign if case.dtype == DType::Bool || sums(case) => Some(Fill::Zero),
        AssignOp::Assign => Some(rng.pick(&[Fill::Zero, Fill::Zero, Fill::One, Fill::PosInf])),
        AssignOp::Reduce(m) => m.identity(case.dtype).and_then(|v| fill_of(v, case.dtype)),
    }
}

/// A sparse output where the expression is the fill wherever nothing is stored.
fn choose_output(rng: &mut Rng, case: &mut Case, at: usize, rank_of: &dyn Fn(usize) -> usize) {
    let lhs: Vec<usize> = case.assignment.lhs.indices.iter().map(|v| v.index()).collect();
    let in_place = case.tensors[at].mode == Mode::InOut;
    let fill = if rng.percent(4) { any_fill(rng, case, at) } else { output_fill(case, at) };
    let Some(fill) = fill.filter(|_| rng.percent(if in_place { 8 } else { 60 })) else {
        let reorder = rng.percent(12);
        let spec = &mut case.tensors[at].spec;
        if reorder {
            *spec = spec.clone().reordered(formats::mode_order(rng, &lhs, rank_of, 70));
        }
        spec.fill = formats::of_dense(rng, lhs.len());
        return;
    };
    // Often an operand's own pattern: the same indices in the same format.
    let mut like = Vec::new();
    case.assignment.rhs.for_each_access(&mut |a| {
        let t = &case.tensors[a.tensor.index()];
        if a.indices == case.assignment.lhs.indices && !t.spec.is_dense() {
            like.push(t.spec.clone());
        }
    });
    let spec = if !like.is_empty() && rng.percent(45) {
        like[rng.below(like.len())].clone()
    } else {
        formats::output(rng, &lhs, rank_of)
    };
    case.tensors[at].spec = spec.filled(fill);
}

/// Does the right-hand side have variables that are not on the left?
fn sums(case: &Case) -> bool {
    let mut sums = false;
    case.assignment.rhs.for_each_access(&mut |a| {
        sums |= a.indices.iter().any(|v| !case.assignment.lhs.indices.contains(v));
    });
    sums
}

fn fill_of(v: Value, dtype: DType) -> Option<Fill> {
    [Fill::Zero, Fill::One, Fill::PosInf, Fill::NegInf].into_iter().find(|f| f.value(dtype) == v)
}

/// Statements refer to accesses by number until the tensors exist.
pub(crate) type Draft = Expr;
