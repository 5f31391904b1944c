//! Kernels with sparse results: contractions that scatter into them, transpositions, unions and intersections, under
//! several semirings, in every format that a result can have.

use super::data::Pattern;
use super::expression::Shape;
use super::shapes::of_products;
use super::theme::{Taste, Theme};
use super::{Values, any_fill, complete, expression, output_fill, schedule};
use crate::case::Case;
use crate::command::Command;
use crate::rng::Rng;
use sparse_core::cin::copies::{copied, warnings};
use sparse_core::cin::grid::RowClass;
use sparse_core::cin::{Cin, Stmt};
use sparse_core::driver::{concretize_kernel, packed};
use sparse_core::format::{Fill, FormatSpec, Level, WorkspaceFormat};
use sparse_core::front::ast::{AssignOp, Expr, IndexVar, Mode, print};
use sparse_core::front::command::Platform;
use sparse_core::front::parse_str;
use sparse_core::scalar::{BinaryOp, DType, Monoid};

/// Name, left-hand side, right-hand side. Operands in capitals are sparse, small letters after them are dense levels below;
/// `'` marks one that is the first tensor again; dimensions of variables that share one are of one size.
const SHAPES: &[(u32, (&str, &str, &str))] = &[
    (24, ("a product", "ik", "IJ*JK")),
    (5, ("a product", "ik", "IJ*KJ")),
    (7, ("a product", "ik", "JI*JK")),
    (4, ("a product", "ki", "IJ*JK")),
    (4, ("a product", "ik", "JI*KJ")),
    (7, ("AᵀA", "ik", "JI*'JK")),
    (5, ("AAᵀ", "ik", "IJ*'KJ")),
    (5, ("A²", "ik", "IJ*'JK")),
    (9, ("a triple product", "il", "IJ*JK*KL")),
    (3, ("a triple product", "il", "JI*JK*KL")),
    (8, ("a masked product", "ik", "IK*IJ*JK")),
    (4, ("a masked product", "ik", "IK*IJ*KJ")),
    (3, ("a masked product", "ij", "IJ*'JK*'IK")),
    (6, ("AᵀDA", "ik", "JI*j*'JK")),
    (3, ("AᵀDA", "ik", "JI*J*JK")),
    (4, ("a scaled product", "ik", "#*IJ*JK")),
    (4, ("a product with a dense matrix", "ik", "IJ*jk")),
    (2, ("a product with a dense matrix", "ik", "ij*JK")),
    (6, ("a sum of three", "ij", "IJ+IJ+IJ")),
    (5, ("a sum of three", "ij", "IJ+JI+IJ")),
    (4, ("a sum of two", "ij", "IJ+IJ")),
    (4, ("a sum of two", "ij", "IJ+JI")),
    (6, ("a product and a sum", "ik", "IJ*JK+IK")),
    (4, ("a product and a sum", "ik", "IK+IJ*JK+IK")),
    (5, ("a sum of products", "ik", "IJ*JK+IL*LK")),
    (5, ("a product of sums", "ik", "(IJ+IJ)*(JK+JK+JK)")),
    (3, ("a product of sums", "ik", "(#*JI+JI)*(#*KJ+JK)")),
    (3, ("a product by elements", "ij", "IJ*IJ")),
    (3, ("a product by elements", "ij", "IJ*JI")),
    (3, ("a product by elements", "ij", "IJ*IJ+JI")),
    (3, ("a product by elements", "ij", "IJ*'JI")),
    (3, ("a masked product", "ij", "IJ*JK*KI")),
    (2, ("a product of tensors by elements", "ik", "IJK*IKJ")),
    (1, ("a product of tensors by elements", "ijk", "IJK*KJI*JIK")),
    (8, ("a transposition", "ji", "IJ")),
    (4, ("a transposition", "kij", "IJK")),
    (3, ("a transposition", "jik", "IJK")),
    (3, ("a transposition", "kji", "IJK")),
    (6, ("a conversion", "ij", "IJ")),
    (4, ("a conversion", "ijk", "IJK")),
    (1, ("a conversion", "ijkl", "IJKL")),
    (4, ("TTV", "ij", "IJK*K")),
    (3, ("TTV", "ik", "IJK*J")),
    (3, ("TTV", "jk", "IJK*I")),
    (2, ("TTV", "ij", "IJK*k")),
    (6, ("TTM", "ijl", "IJK*KL")),
    (4, ("TTM", "ijl", "IJK*LK")),
    (3, ("TTM", "ilk", "IJK*JL")),
    (3, ("TTM", "ljk", "IJK*IL")),
    (2, ("TTM", "ijl", "IJK*kl")),
    (3, ("a contraction", "jklm", "IJK*ILM")),
    (2, ("a contraction", "ijkl", "MJKN*IMNL")),
    (2, ("MTTKRP", "il", "IJK*JL*KL")),
    (4, ("an outer product", "ij", "I*J")),
    (2, ("an outer product", "ji", "I*J")),
    (2, ("an outer product", "ijkl", "IJ*KL")),
    (2, ("an outer product", "ijk", "IK*J")),
    (3, ("sums of rows", "i", "IJ")),
    (3, ("sums of columns", "j", "IJ")),
    (2, ("sums of rows", "ij", "IJK")),
    (2, ("sums of columns", "ik", "IJK")),
    (2, ("sums of columns", "jk", "IJK")),
    (3, ("a product with a vector", "j", "I*IJ")),
    (2, ("a product with a vector", "i", "IJ*J")),
    (2, ("vectors", "i", "I+I+I")),
    (1, ("vectors", "i", "I*I")),
    (2, ("a diagonal", "i", "II*I")),
    (2, ("a diagonal", "ij", "IIJ")),
    (2, ("a diagonal", "ik", "IIJ*JK")),
    (2, ("a diagonal", "ji", "IJI+IJ")),
    (4, ("an operand scaled by a diagonal", "ij", "IJ*jj")),
    (1, ("an operand scaled by a diagonal", "ijk", "IJK*ik*jj")),
    (4, ("a sampled product", "ij", "IJ*ik*jk")),
    (3, ("a scaled operand", "ij", "IJ*i*j")),
    (2, ("a scaled operand", "ijk", "#*IJK*ik")),
    (2, ("a scaled operand", "i", "I*i")),
    (3, ("a product of blocks", "ikln", "IJlm*JKmn")),
    (3, ("a product of blocks", "ikl", "IJl*JK")),
    (2, ("a product of blocks", "ikl", "IJ*JKl")),
    (3, ("a sum of blocks", "ijkl", "IJkl+IJkl")),
    (2, ("a sum of blocks", "ijk", "IJk+IJk+JIk")),
    (3, ("a transposition of blocks", "jilk", "IJkl")),
    (2, ("a transposition of blocks", "jik", "IJk")),
    (2, ("blocks without blocks", "ij", "IJk*k")),
    (2, ("blocks without blocks", "ijk", "IJ*k")),
    (2, ("a sampled product of blocks", "ijkl", "IJkl*ikm*jlm")),
    (3, ("a product of four", "im", "IJ*JK*KL*LM")),
    (2, ("a product of four", "il", "IJ*'JK*'KL")),
    (3, ("a sum of four", "ij", "IJ+IJ+IJ+IJ")),
    (2, ("a sum of four", "ij", "IJ+JI+'IJ+'JI")),
    (3, ("a sum of many", "ij", "IJ+IJ+IJ+IJ+JI+IJ")),
    (2, ("a sum of many", "ij", "IJ*IJ+IJ+IJ+IJ")),
    (2, ("a sum of many", "ij", "(IJ+IJ+IJ+IJ+IJ)*i")),
    (2, ("a sum of many", "ik", "IK+IJ*JK+IK+IK+IK")),
    (2, ("a sum of many", "ik", "(IJ+IJ+IJ+IJ)*JK")),
    (2, ("a sum of many", "ijk", "IJK+IJK+IJK+IJK")),
    (1, ("a sum of many", "ijk", "IJK*IJK+IJK+IJK+IJK")),
    (2, ("a sum of many", "i", "I+I+I+I+I+I+I")),
    (2, ("a sum of many", "ij", "IJJ+IJ+IJ+IJ")),
    (2, ("a sum of many", "ij", "IJ*'JI+IJ+IJ+IJ")),
    (1, ("a sum of many", "ij", "IJ+IJ+IJ+IJ+#")),
    (1, ("a sum of many", "ijk", "IJk+IJk+IJk+IJk")),
    (2, ("a masked sum of many", "ij", "IJ*(IJ+IJ+IJ+IJ)")),
    (1, ("a masked sum of many", "ij", "(IJ+JI+IJ+'JI)*IJ*i")),
    (2, ("a masked sum of many", "ijk", "IJK*(IJK+IJK+IJK)")),
    (1, ("a masked sum of many", "ijk", "IJK*IK*(IJK+IJK+IJK*IJ)")),
    (1, ("a masked sum of many", "ij", "J*(IJ+IJ+IJ+IJ)")),
    (1, ("a masked sum of many", "ij", "IJ*IJ*(IJ+IJ+IJ*IJ+IJ)")),
    (1, ("a masked sum of many", "ij", "IJ*(IJ+IJ+IJ+#)")),
    (1, ("a masked sum of many", "ij", "IJ+'IJ*(IJ+IJ+IJ)")),
    (1, ("a masked sum of many", "i", "I*(I+I+I+I+I+I)")),
    (1, ("a masked sum of many", "i", "IJ*(J+J+J+J)")),
    (3, ("A + Aᵀ", "ij", "IJ+'JI")),
    (2, ("a product by elements of four", "ij", "IJ*IJ*IJ*JI")),
    (2, ("a masked product of sums", "ik", "IK*(IJ+IJ)*JK")),
    (2, ("a Kronecker product of rows", "ijk", "IJ*IK")),
    (2, ("TTM of two modes", "ilm", "IJK*JL*KM")),
];

/// Those of them whose result can share the pattern of their first operand.
const OF_ONE_PATTERN: &[(&str, &str, &str)] = &[
    ("a scaled operand", "ij", "IJ*i*j"),
    ("a scaled operand", "ijk", "#*IJK*ik"),
    ("a sampled product", "ij", "IJ*ik*jk"),
];

/// Case `number` of the run with this seed.
pub fn generate_sparse(seed: u64, number: u64) -> Case {
    draw(&mut Rng::new(seed ^ 0x5A12_5E00, number))
}

/// A kernel with a sparse result, most of the time.
pub(super) fn draw(rng: &mut Rng) -> Case {
    use DType::*;
    let mut tries = 0;
    loop {
        tries += 1;
        let dtype = rng.weighted(&[(40, F64), (15, F32), (14, I32), (7, I64), (8, U8), (16, Bool)]);
        let values = rng.weighted(&[
            (52, Values::Small),
            (30, Values::Cancelling),
            (10, Values::General),
            (8, Values::Special),
        ]);
        let mut taste = Taste::plain(dtype, values, Pattern::Rows).with_themes(rng, 45);
        // Singletons below unique levels hardly meet a result of an operand's pattern by chance.
        let lone = taste.has(Theme::Singletons) && rng.percent(25);
        let (name, mut shape) = if lone || rng.percent(80) {
            let (name, lhs, rhs) = if lone { rng.pick(OF_ONE_PATTERN) } else { rng.weighted(SHAPES) };
            (name, of_products(rng, taste.dtype, (lhs, rhs)))
        } else {
            ("a random statement", expression::random(rng, &taste))
        };
        rare(rng, &mut taste, &mut shape);
        if rng.percent(6) {
            expression::wrap(rng, taste.dtype, &mut shape.rhs);
        }
        if taste.has(Theme::Background) {
            expression::move_fills(rng, taste.dtype, &mut shape.rhs);
        }
        let sizes = sizes(rng, shape.vars, &taste);
        let mut case = complete(rng, &taste, shape.clone(), &sizes);
        for _ in 0..12 {
            if lone && !of_an_operand(&case).is_some_and(|spec| is_lone(&spec)) {
                case = complete(rng, &taste, shape.clone(), &sizes);
            }
        }
        let at = case.assignment.lhs.tensor.index();
        // What cannot be sparse is for other suites.
        let fill =
            if taste.has(Theme::Background) { any_fill(rng, &case, at) } else { output_fill(&case, at) };
        let fill = fill.filter(|_| case.tensors[at].mode == Mode::Result);
        let Some(fill) = fill else {
            if tries == 50 {
                return case;
            }
            continue;
        };
        let beside = output_fill(&case, at) != Some(fill);
        turn_operands(rng, &mut case);
        let rank = case.tensors[at].dims.len();
        let theme = if taste.has(Theme::Packed) { packed_format(rng, rank) } else { None };
        let drawn = theme.unwrap_or_else(|| format(rng, rank));
        let often = if taste.has(Theme::Packed) { 5 } else { 40 };
        let shared = of_an_operand(&case).filter(|_| lone || rng.percent(often));
        case.tensors[at].spec = shared.unwrap_or(drawn).filled(fill);
        case.about = vec![name.into(), format!("{name} into {}", format_name(&case.output().spec))];
        if beside {
            case.about.push("a background that is not the fill".into());
        }
        match rng.below(100) {
            // The same statements by the default schedule of GPUs, on the simulator.
            0..10 => {
                case.platform = Platform::Cuda;
                case.about.push(format!("on a GPU: {name}"));
                if beside {
                    case.about.push("on a GPU: a background that is not the fill".into());
                }
                if rng.percent(40) {
                    rows_on_teams(rng, &mut case);
                }
                note_whole(&mut case);
                note_copies(&mut case);
                choose_classes(rng, &mut case);
            }
            10..28 => choose_workspace(rng, &mut case),
            28..40 => {
                schedule::draw(rng, &mut case);
            }
            _ => {
                note_workspaces(&mut case);
                note_copies(&mut case);
            }
        }
        return case;
    }
}

/// What statements that have a name never have, where it is a theme.
fn rare(rng: &mut Rng, taste: &mut Taste, shape: &mut Shape) {
    use BinaryOp::{Gt, Lt, Ne};
    if taste.has(Theme::Comparisons) && rng.percent(70) {
        let zero = Box::new(Expr::Literal(taste.dtype.zero()));
        let left = std::mem::replace(&mut shape.rhs, Expr::Scalar(0));
        shape.rhs = Expr::Binary(rng.pick(&[Ne, Gt, Lt]), Box::new(left), zero);
    }
    if taste.has(Theme::Reductions) && taste.dtype != DType::Bool && rng.percent(40) {
        shape.op = AssignOp::Reduce(Monoid::Mul);
        taste.fill = Some(Fill::One);
    }
}

/// The format of a sparse operand that is indexed as the result is.
fn of_an_operand(case: &Case) -> Option<FormatSpec> {
    let mut found = None;
    case.assignment.rhs.for_each_access(&mut |a| {
        let spec = &case.tensors[a.tensor.index()].spec;
        if a.indices == case.assignment.lhs.indices && !spec.is_dense() {
            found = Some(spec.clone());
        }
    });
    found
}

/// Has it a singleton below a unique level?
fn is_lone(spec: &FormatSpec) -> bool {
    spec.levels.windows(2).any(|w| w[0].is_unique() && matches!(w[1], Level::Singleton { .. }))
}

/// The same, mostly with rows that go through a workspace each, as those of a product do.
pub(super) fn draw_rows(rng: &mut Rng) -> Case {
    let mut case = draw(rng);
    for _ in 0..20 {
        let in_rows = case.output().spec.levels == [D, C];
        if in_rows
            && case.schedule.is_empty()
            && matches!(&workspaces(&case)[..], [(_, vars)] if vars.len() == 1)
        {
            break;
        }
        case = draw(rng);
    }
    case
}

/// Operands were drawn to suit one order of the loops. As users have them they mostly do not: rows first.
fn turn_operands(rng: &mut Rng, case: &mut Case) {
    for t in case.tensors.iter_mut().filter(|t| t.mode == Mode::Input && t.spec.holds_every_tensor()) {
        let mut order: Vec<usize> = (0..t.dims.len()).collect();
        match rng.below(100) {
            0..60 => {}
            60..80 => rng.shuffle(&mut order),
            _ => continue,
        }
        t.spec = FormatSpec::new(t.spec.levels.clone()).reordered(order).filled(t.spec.fill);
    }
}

/// The sparse workspaces that the compiler gives a kernel: their formats, and the variables that they are over.
fn workspaces(case: &Case) -> Vec<(WorkspaceFormat, Vec<String>)> {
    let kernel = parse_str(&case.kernel_text()).ok().map(packed);
    let Some(cin) = kernel.and_then(|kernel| concretize_kernel(&kernel).ok()) else { return vec![] };
    let sparse = cin.workspaces.iter().filter(|w| w.format.is_sparse());
    let names = |vars: &[IndexVar]| vars.iter().map(|v| cin.provenance.name(*v).to_owned()).collect();
    sparse.map(|w| (w.format, names(&w.vars))).collect()
}

fn note_workspaces(case: &mut Case) {
    for (format, vars) in workspaces(case) {
        case.about.push(format!("workspace {format:?} over {}", vars.len()));
    }
}

/// Are operands or terms copied in another order, before rows are summed, or because there is none that all are stored in?
fn note_copies(case: &mut Case) {
    let on = if case.platform == Platform::Cuda { "GPU" } else { "CPU" };
    let copied = parse_str(&case.kernel_text()).ok().and_then(|kernel| copied(&kernel, case.platform));
    if case.schedule.is_empty() && copied.is_some() {
        case.about.push(format!("another order first, on a {on}"));
    }
    let kernel = parse_str(&case.kernel_text()).ok().map(packed);
    let warnings = |kernel| concretize_kernel(&kernel).map(|cin| warnings(&kernel, &cin)).unwrap_or_default();
    if case.schedule.is_empty() && kernel.is_some_and(|kernel| !warnings(kernel).is_empty()) {
        case.about.push(format!("a copied operand, on a {on}"));
    }
}

/// Do all threads of a GPU scatter into one workspace, that no loop stands outside of?
pub(super) fn note_whole(case: &mut Case) {
    let cin = parse_str(&case.kernel_text()).ok().and_then(|kernel| concretize_kernel(&kernel).ok());
    let whole = |cin: Cin| matches!(cin.root, Stmt::Where { .. }) && !workspaces(case).is_empty();
    if case.schedule.is_empty() && cin.is_some_and(whole) {
        case.about.push("scattered whole on a GPU".into());
    }
}

/// Rows of a scattered result that groups, warps and blocks of a GPU assemble: some classes, of so few places that small
/// tensors have rows of each.
pub(super) fn choose_classes(rng: &mut Rng, case: &mut Case) {
    let mut from = rng.pick(&[1, 1, 4, 8, 8, 16, 32]);
    let mut classes = Vec::new();
    for threads in [2, 4, 8, 16, 32, rng.pick(&[64, 128, 256])] {
        if rng.percent(45) {
            classes.push(RowClass { from, threads });
            from += 1 + rng.pick(&[0, 3, 7, 15, 63]);
        }
    }
    // Long rows have teams by the usual classes.
    if !case.vars.iter().any(|v| v.1 > 128) || rng.percent(50) {
        case.row_classes = classes;
    }
}

/// A schedule that makes the first workspace itself, of any format; one for a part of the statement if it has none.
fn choose_workspace(rng: &mut Rng, case: &mut Case) {
    let own = own_workspace(rng, case);
    if let Some((format, vars, command)) = own.or_else(|| workspace_of_a_part(rng, case)) {
        case.schedule = vec![command];
        case.about.push(format!("scheduled workspace {format:?} over {vars}"));
    }
}

/// A command that makes the first workspace, its format, and of how many variables it is.
fn own_workspace(rng: &mut Rng, case: &Case) -> Option<(WorkspaceFormat, usize, Command)> {
    let all = workspaces(case);
    let (Some((_, vars)), Ok(kernel)) = (all.first(), parse_str(&case.kernel_text())) else { return None };
    use WorkspaceFormat::{Dense, Hash, List, Sort};
    let format = rng.weighted(&[(35, Hash), (35, Sort), (20, List), (10, Dense)]);
    let mut renamed = vars.clone();
    if rng.percent(40) {
        renamed.iter_mut().for_each(|v| v.push_str("_w"));
    }
    let list = |names: &[String]| format!("[{}]", names.join(", "));
    let rhs = print(&kernel, &kernel.assignment.rhs);
    let args = [rhs, list(vars), list(&renamed), "acc".into(), format!("{format:?}")];
    Some((format, vars.len(), Command::new("precompute", args)))
}

/// A command that precomputes what the operand with the result's indices is combined with, over the innermost of them.
fn workspace_of_a_part(rng: &mut Rng, case: &Case) -> Option<(WorkspaceFormat, usize, Command)> {
    let kernel = parse_str(&case.kernel_text()).ok()?;
    let lhs = &kernel.assignment.lhs.indices;
    let shared = |e: &Expr| matches!(e, Expr::Access(a) if a.indices == *lhs);
    let mut parts = schedule::parts(&kernel.assignment.rhs);
    let has =
        |e: &Expr, v: IndexVar| e.any(|e: &Expr| matches!(e, Expr::Access(a) if a.indices.contains(&v)));
    let last = lhs.iter().rev().find(|v| parts.iter().any(|e| has(e, **v)))?;
    parts.retain(|e| has(e, *last) && !e.any(shared));
    if parts.is_empty() {
        return None;
    }
    let part = print(&kernel, &parts.swap_remove(rng.below(parts.len())));
    use WorkspaceFormat::{Hash, List, Sort};
    let format = rng.pick(&[Hash, List, Sort]);
    let over = format!("[{}]", kernel.vars[last.index()].name);
    let args = [part, over.clone(), over, "part".into(), format!("{format:?}")];
    Some((format, 1, Command::new("precompute", args)))
}

/// Stores all rows of rows: in the result, and in operands of unique levels.
fn number_rows(case: &mut Case) {
    for t in case.tensors.iter_mut().filter(|t| t.mode != Mode::InOut && t.spec.rank() > 2) {
        if t.spec.levels.iter().all(|l| [C, D].contains(l)) && !t.spec.is_dense() {
            let mut levels = vec![C; t.spec.rank()];
            levels[..2].fill(D);
            t.spec = FormatSpec::new(levels).filled(t.spec.fill);
        }
    }
}

/// Runs the outermost loop of a kernel for a GPU on warps or blocks, whose lanes assemble a row together.
pub(super) fn rows_on_teams(rng: &mut Rng, case: &mut Case) {
    if case.output().spec.rank() > 2 && rng.percent(40) {
        number_rows(case);
    }
    let Ok(kernel) = parse_str(&case.kernel_text()) else { return };
    let Some(cin) = concretize_kernel(&kernel).ok() else { return };
    let Stmt::Forall { var, body } = &cin.root else { return };
    let mut rows = cin.provenance.name(*var).to_owned();
    let inside = match &**body {
        Stmt::Forall { var, .. } => Some(cin.provenance.name(*var).to_owned()),
        _ => None,
    };
    let var = *var;
    let own = if rng.percent(30) { own_workspace(rng, case) } else { None };
    let mut commands: Vec<Command> = own.into_iter().map(|(_, _, command)| command).collect();
    let mut operands = vec![];
    kernel.assignment.rhs.for_each_access(&mut |a| {
        let spec = &kernel.tensors[a.tensor.index()].spec;
        if a.indices.first() == Some(&var) && !spec.levels[0].is_full() && spec.map.is_identity() {
            operands.push(print(&kernel, &Expr::Access(a.clone())));
        }
    });
    // Rows that are all stored have numbers, fused too, where operands have all of them.
    let mut numbered = case.output().spec.levels.iter().take_while(|l| l.is_full()).count() > 1;
    kernel.assignment.rhs.for_each_access(&mut |a| {
        let spec = &kernel.tensors[a.tensor.index()].spec;
        let name = |d: usize| cin.provenance.name(a.indices[d]).to_owned();
        let fused = |d: &usize| a.indices[*d] == var || Some(name(*d)) == inside;
        numbered &= (0..spec.rank()).filter(fused).all(|d| spec.levels[spec.map.level_of_dim(d)].is_full());
    });
    if !operands.is_empty() && rng.percent(if numbered { 15 } else { 60 }) {
        let operand = operands.swap_remove(rng.below(operands.len()));
        commands.push(Command::new("pos", [rows, "position".into(), operand]));
        rows = "position".into();
    }
    if rows != "position"
        && let Some((command, made)) = other_rows(rng, case, &rows, inside, numbered)
    {
        commands.push(command);
        rows = made.into();
    }
    // Lanes have parts of a loop inside.
    let inner = case.assignment.lhs.indices.iter().find(|v| **v != var).filter(|_| rng.percent(25));
    if let Some(inner) = inner {
        let size = rng.pick(&["2", "3", "4"]);
        commands.push(Command::new("split", [case.vars[inner.index()].0.as_str(), "in0", "in1", size]));
        case.about.push("rows on teams, parts of a loop inside".into());
    }
    let on = |var: &str, unit: &str| Command::new("parallelize", [var, unit, "NoRaces"]);
    if rng.percent(60) {
        let warps = rng.pick(&["1", "2", "3", "4", "8"]);
        commands.push(Command::new("split", [rows.as_str(), "block", "warp", warps]));
        commands.extend([on("block", "GPUBlock"), on("warp", "GPUWarp")]);
        case.about.push("rows on warps".into());
    } else {
        commands.push(on(&rows, "GPUBlock"));
        case.about.push("rows on blocks".into());
    }
    case.schedule = commands;
}

/// Seldom, a command that makes other rows of a result's, and their variable: by fusing the loop inside, or by a promise.
fn other_rows(
    rng: &mut Rng,
    case: &mut Case,
    rows: &str,
    inside: Option<String>,
    numbered: bool,
) -> Option<(Command, &'static str)> {
    let size = case.vars.iter().find(|v| v.0 == *rows)?.1.to_string();
    match (rng.below(if numbered { 50 } else { 100 }), inside) {
        (0..40, Some(inside)) if rng.percent(if numbered { 90 } else { 8 }) => {
            case.about.push("rows on teams, fused".into());
            Some((Command::new("fuse", [rows, &inside, "fused"]), "fused"))
        }
        (40..52, _) => {
            case.about.push("rows on teams, by a promise".into());
            Some((Command::new("bound", [rows, "bounded", &size, "MaxExact"]), "bounded"))
        }
        _ => None,
    }
}

/// Sizes that keep the oracle's loops short. Few are powers of two, and some are 0 or 1.
fn sizes(rng: &mut Rng, vars: usize, taste: &Taste) -> Vec<usize> {
    let most = if rng.percent(8) { 12_000 } else { 1500 };
    let mut sizes: Vec<usize> = (0..vars)
        .map(|_| match rng.below(100) {
            _ if taste.tiny(rng) => rng.below(2),
            0..3 => 0,
            3..11 => 1,
            11..60 => 2 + rng.below(7),
            60..90 => 5 + rng.below(14),
            _ => rng.pick(&[17, 24, 31, 33, 64, 65, 70]),
        })
        .collect();
    if rng.percent(25)
        && let Some(&size) = sizes.first()
    {
        sizes.fill(size);
    }
    while sizes.iter().map(|&s| s.max(1)).product::<usize>() > most {
        if let Some(largest) = sizes.iter_mut().max() {
            *largest = *largest * 3 / 4;
        }
    }
    sizes
}

const C: Level = Level::Compressed { unique: true };
const D: Level = Level::Dense;
const N: Level = Level::Compressed { unique: false };
const S: Level = Level::Singleton { unique: true };
const SN: Level = Level::Singleton { unique: false };

/// A format that a result may have, not all dense.
fn format(rng: &mut Rng, rank: usize) -> FormatSpec {
    let levels: &[(u32, &[Level])] = match rank {
        1 => &[(85, &[C]), (15, &[N])],
        2 => &[(48, &[D, C]), (25, &[C, C]), (16, &[N, S]), (7, &[C, D]), (3, &[D, S]), (1, &[C, S])],
        3 => &[
            (36, &[C, C, C]),
            (18, &[D, C, C]),
            (18, &[D, D, C]),
            (12, &[N, SN, S]),
            (6, &[C, N, S]),
            (5, &[D, C, D]),
            (5, &[C, C, D]),
            (8, &[C, D, C]),
            (2, &[D, N, S]),
        ],
        4 => &[
            (34, &[D, C, D, D]),
            (30, &[C, C, C, C]),
            (18, &[N, SN, SN, S]),
            (8, &[D, D, C, C]),
            (8, &[C, D, C, D]),
            (2, &[C, C, D, C]),
            (2, &[C, D, N, S]),
            (1, &[C, C, D, S]),
            (5, &[D, C, C, C]),
        ],
        _ => return FormatSpec::new(vec![C; rank]),
    };
    in_some_order(rng, levels)
}

/// A format of a result that is packed: dense levels between sparse ones, or one entry a parent.
fn packed_format(rng: &mut Rng, rank: usize) -> Option<FormatSpec> {
    let levels: &[(u32, &[Level])] = match rank {
        2 => &[(3, &[D, S]), (1, &[C, S])],
        3 => &[
            (6, &[C, D, C]),
            (1, &[D, S, D]),
            (1, &[D, D, S]),
            (1, &[C, D, S]),
            (1, &[C, S, D]),
            (1, &[C, S, C]),
            (1, &[D, S, C]),
        ],
        4 => &[
            (4, &[C, D, C, D]),
            (3, &[C, C, D, C]),
            (2, &[C, D, N, S]),
            (2, &[D, C, D, C]),
            (1, &[C, C, D, S]),
        ],
        _ => return None,
    };
    Some(in_some_order(rng, levels))
}

/// One of these lists of levels, in some order of the dimensions.
fn in_some_order(rng: &mut Rng, levels: &[(u32, &[Level])]) -> FormatSpec {
    let levels = rng.weighted(levels).to_vec();
    let mut order: Vec<usize> = (0..levels.len()).collect();
    if rng.percent(35) {
        rng.shuffle(&mut order);
    }
    FormatSpec::new(levels).reordered(order)
}

/// The name of a result's format, whatever the order of its dimensions.
fn format_name(spec: &FormatSpec) -> String {
    let turned = if spec.map.is_identity() { "" } else { ", reordered" };
    let levels: Vec<&str> = spec
        .levels
        .iter()
        .map(|l| match l {
            Level::Dense => "D",
            Level::Compressed { unique: true } => "C",
            Level::Compressed { unique: false } => "N",
            Level::Singleton { unique: true } => "S",
            Level::Singleton { unique: false } => "SN",
        })
        .collect();
    format!("({}){turned}", levels.join(", "))
}
