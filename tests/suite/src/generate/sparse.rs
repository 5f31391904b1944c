//! Kernels with sparse results: contractions that scatter into them, transpositions, unions and intersections, under
//! several semirings, in every format that a result can have.

use super::data::Pattern;
use super::expression::Shape;
use super::results::{C, D, format, format_name, of_first_levels, packed_format};
use super::shapes::of_products;
use super::teams::{choose_classes, rows_on_teams};
use super::theme::{Taste, Theme};
use super::workspaces::{
    choose_workspace, note_copies, note_singles, note_whole, note_workspaces, workspaces,
};
use super::{Values, any_fill, complete, expression, output_fill, schedule};
use crate::case::Case;
use crate::rng::Rng;
use sparse_core::format::{Fill, FormatSpec, Level};
use sparse_core::front::ast::{AssignOp, Expr, Mode};
use sparse_core::front::command::Platform;
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
    (2, ("a masked product", "ik", "IJ*IK*i*JK")),
    (2, ("a masked product", "il", "IJ*JK*IL*KL")),
    (2, ("a masked product", "ik", "IK*JI*JK")),
    (2, ("a masked product", "ijl", "IJL*IJK*KL")),
    (1, ("a masked product", "k", "K*J*JK")),
    (3, ("a masked product", "ik", "IK+IK*IJ*JK")),
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
    (2, ("a sampled chain", "ij", "IJ*ik*kl*lj")),
    (2, ("a chain with a dense matrix", "il", "IJ*jk*KL")),
    (1, ("normal equations", "k", "IK*'IJ*j")),
    (1, ("two rows", "i", "IJ*IK")),
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
    (1, ("a sum of many", "i", "I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I+I")),
    (1, ("a sum of many", "ij", "IJ+IJ+IJ*IJ+IJ+JI+IJ+IJ+IJ+IJ*IJ+IJ")),
    (1, ("a product of many", "i", "I*I*I*I*I*I*I*I*I*I")),
    (1, ("a masked sum of many", "ij", "IJ*(IJ+IJ+IJ+IJ+IJ+IJ+IJ+IJ+IJ+IJ)")),
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
    (1, ("a conversion", "ijklm", "IJKLM")),
    (1, ("a transposition", "mljik", "IJKLM")),
    (1, ("an outer product", "ijklm", "IJ*KLM")),
    (1, ("TTM", "ijkln", "IJKLM*MN")),
    (1, ("a sum of two", "ijklmn", "IJKLMN+IJKLMN")),
    (1, ("a sum of blocks", "ijklmn", "IJKlmn+IJKlmn")),
    (1, ("a product of blocks", "iklno", "IJlm*JKmno")),
];

/// What is merged along rows, in the same way.
const MERGED: &[(u32, (&str, &str))] = &[
    (20, ("ij", "IJ+IJ")),
    (12, ("ij", "IJ*IJ")),
    (10, ("ij", "IJ+IJ+IJ")),
    (6, ("ij", "IJ*IJ*IJ")),
    (8, ("ij", "IJ*IJ+IJ")),
    (8, ("ij", "IJ*(IJ+IJ)")),
    (6, ("ij", "IJ*(IJ+IJ+IJ)")),
    (6, ("ij", "IJ+IJ+IJ+IJ+IJ")),
    (6, ("ij", "IJ+J")),
    (6, ("ij", "IJ*i*j+#*IJ")),
    (4, ("ij", "IJ*ij+IJ")),
    (8, ("ijk", "IJK+IJK")),
    (4, ("ijk", "IJK*IJK+IK")),
];

/// Many operands, of which some are something where they store nothing.
const MANY_SOMETHING: &str = "a sum of many that are something where nothing is stored";
const OF_MANY: &[(&str, &str)] = &[
    ("ij", "IJ+IJ+IJ+IJ"),
    ("ij", "IJ+IJ+IJ+IJ+IJ"),
    ("ij", "IJ+JI+IJ+IJ+IJ+IJ"),
    ("ij", "IJ*IJ+IJ+IJ+IJ*IJ"),
    ("ik", "IK+IJ*JK+IK+IK+IK"),
    ("ij", "IJ*(IJ+IJ+IJ+IJ*IJ)"),
    ("ij", "ij+IJ+IJ+IJ+IJ"),
    ("ij", "(IJ*IJ+IJ*IJ+IJ*IJ+#)*j+#"),
    ("ijk", "IJK+IJK+IJK+IJK"),
    ("i", "I+I+I+I+I+I"),
    ("i", "I+I+I+I+I+I+I+I+I+I+I+I+I"),
    // One has a term of its own, and decides what another term is.
    ("i", "I+I+I+'I*I"),
    ("ij", "IJ+IJ+IJ+'IJ*IJ"),
    ("ij", "IJ+IJ*IJ+IJ+'IJ+IJ"),
];

/// Elements of the result that nothing is stored for have another value than its fill.
const BESIDE: &str = "a background that is not the fill";

/// Those whose result can have the pattern of their first operand's first levels.
const IN_FIRST_LEVELS: &str = "sums in the first levels of an operand";
const OF_FIRST_LEVELS: &[(&str, &str)] = &[
    ("ij", "IJK*k"),
    ("ijl", "IJK*kl"),
    ("i", "IJ*j"),
    ("ik", "IJ*jk"),
    ("ij", "IJK"),
    ("i", "IJK*jk"),
    ("ilm", "IJK*jl*km"),
    ("ij", "#*IJKl*k*i"),
    ("ijl", "IJK*kl+'IJK*jl"),
    ("ij", "IJK*k+ij*'IJK"),
    ("ijk", "IJ*jk"),
];

/// Those of them whose result can share the pattern of their first operand.
const OF_ONE_PATTERN: &[(&str, &str, &str)] = &[
    ("a scaled operand", "ij", "IJ*i*j"),
    ("a scaled operand", "ijk", "#*IJK*ik"),
    ("a sampled product", "ij", "IJ*ik*jk"),
];

/// Those of them whose first operand picks rows of another one, by one entry a row.
const PICKED: &[(&str, &str, &str)] = &[
    ("picked rows", "ik", "IJ*JK"),
    ("picked rows", "ik", "IJ*JK*j"),
    ("picked rows", "ik", "IJ*JK*IK"),
    ("picked rows", "ik", "IJ*(JK+JK)"),
    ("picked rows", "ikl", "IJ*JKL"),
    ("picked rows", "ikl", "IJ*JKl"),
    ("picked rows", "il", "IJ*JK*KL"),
    ("picked rows", "ik", "IJ*JK+IK"),
];

/// Case `number` of the run with this seed.
pub fn generate_sparse(seed: u64, number: u64) -> Case {
    draw(&mut Rng::new(seed ^ 0x5A12_5E00, number))
}

/// A kernel with a sparse result, most of the time, and how it is compiled.
fn draw(rng: &mut Rng) -> Case {
    let (mut case, sparse) = statement(rng, &[]);
    if !sparse {
        return case;
    }
    match rng.below(100) {
        // The same statements by the default schedule of GPUs, on the simulator.
        0..10 => {
            case.platform = Platform::Cuda;
            let what = case.about.iter().filter(|what| *what == BESIDE).chain(&case.about[..1]);
            let what: Vec<String> = what.map(|what| format!("on a GPU: {what}")).collect();
            case.about.extend(what);
            if rng.percent(40) {
                rows_on_teams(rng, &mut case);
            }
            note_whole(&mut case);
            note_copies(&mut case);
            note_singles(&mut case);
            choose_classes(rng, &mut case);
        }
        10..13 => {
            case = merged(rng);
            choose_classes(rng, &mut case);
        }
        13..28 => choose_workspace(rng, &mut case),
        28..40 => {
            schedule::draw(rng, &mut case);
        }
        _ => {
            note_workspaces(&mut case);
            note_copies(&mut case);
            note_singles(&mut case);
        }
    }
    case
}

/// What is computed, by the default schedule of CPUs, and whether its result is sparse, which now and then it cannot be. It has
/// these themes beside its own.
pub(super) fn statement(rng: &mut Rng, themes: &[Theme]) -> (Case, bool) {
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
        taste.themes.extend(themes);
        // Singletons below unique levels hardly meet a result of an operand's pattern by chance.
        let lone = taste.has(Theme::Singletons) && rng.percent(25);
        // Integers that are infinite are refused in most sums, and those that have a name are sums.
        // Nor do terms with variables of their own meet one that is packed: few that have a name have such.
        let named = rng.percent(taste.percent(Theme::Infinities, 80, 40)) && !taste.has(Theme::Terms);
        let firsts = !lone && rng.percent(5);
        let many = !lone && !firsts && rng.percent(5);
        if many {
            taste.themes.push(Theme::Background);
        }
        let picks = !lone && !many && rng.percent(4);
        if picks {
            taste.themes.push(Theme::Singletons);
        }
        let (name, mut shape) = if picks {
            let (name, lhs, rhs) = rng.pick(PICKED);
            (name, of_products(rng, taste.dtype, (lhs, rhs)))
        } else if many {
            let statement = rng.pick(OF_MANY);
            (MANY_SOMETHING, of_products(rng, taste.dtype, statement))
        } else if firsts {
            let statement = rng.pick(OF_FIRST_LEVELS);
            (IN_FIRST_LEVELS, of_products(rng, taste.dtype, statement))
        } else if lone || named {
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
        for _ in 0..20 {
            let shared = || of_an_operand(&case).is_some_and(|spec| is_lone(&spec));
            if lone && !shared() || picks && !is_lone(&case.tensors[0].spec) {
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
                return (case, false);
            }
            continue;
        };
        let beside = output_fill(&case, at) != Some(fill);
        turn_operands(rng, &mut case);
        let rank = case.tensors[at].dims.len();
        let theme = if taste.has(Theme::Packed) { packed_format(rng, rank) } else { None };
        let by_rows = picks && rank == 2 && rng.percent(60);
        let drawn = match by_rows {
            true => FormatSpec::new(vec![rng.pick(&[C, D]), C]),
            false => theme.unwrap_or_else(|| format(rng, rank)),
        };
        let often = if taste.has(Theme::Packed) { 5 } else { 40 };
        let shared = of_an_operand(&case).filter(|_| lone || rng.percent(often));
        let shared = shared.or_else(|| of_first_levels(&case).filter(|_| firsts || rng.percent(often / 2)));
        case.tensors[at].spec = shared.unwrap_or(drawn).filled(fill);
        case.about = vec![name.into(), format!("{name} into {}", format_name(&case.output().spec))];
        if beside {
            case.about.push(BESIDE.into());
        }
        return (case, true);
    }
}

/// Operands that are merged along rows, of up to some hundred entries, below dense levels: for a GPU, without a schedule.
pub(super) fn merged(rng: &mut Rng) -> Case {
    use DType::*;
    loop {
        let dtype = rng.weighted(&[(40, F64), (20, F32), (15, I32), (10, I64), (15, Bool)]);
        let values = rng.weighted(&[(60, Values::Small), (25, Values::Cancelling), (15, Values::General)]);
        let pattern = rng.pick(&[Pattern::Even, Pattern::Rows]);
        let statement = rng.weighted(MERGED);
        let shape = of_products(rng, dtype, statement);
        let mut sizes = vec![1 + rng.below(6); shape.vars];
        if let Some(columns) = sizes.last_mut() {
            *columns = rng.pick(&[17, 40, 70, 129, 260, 400]);
        }
        let mut case = complete(rng, &Taste::plain(dtype, values, pattern), shape, &sizes);
        let at = case.assignment.lhs.tensor.index();
        let fill = output_fill(&case, at).filter(|_| case.tensors[at].mode == Mode::Result);
        let Some(fill) = fill else { continue };
        let of_rows = |rank: usize, fill: Fill| {
            let mut levels = vec![D; rank];
            levels[rank - 1] = C;
            FormatSpec::new(levels).filled(fill)
        };
        for t in case.tensors.iter_mut().filter(|t| t.mode == Mode::Input && t.spec.rank() > 1) {
            let unique = t.spec.levels.iter().all(|l| [C, D].contains(l)) && !t.spec.is_dense();
            if unique && rng.percent(85) {
                t.spec = of_rows(t.spec.rank(), t.spec.fill);
            }
        }
        case.tensors[at].spec = of_rows(case.tensors[at].dims.len(), fill);
        case.platform = Platform::Cuda;
        case.about = vec!["rows of many entries".into()];
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

/// A statement, mostly with rows that go through a workspace each, as those of a product do.
pub(super) fn in_rows(rng: &mut Rng) -> Case {
    let mut case = statement(rng, &[]).0;
    for _ in 0..20 {
        if case.output().spec.levels == [D, C]
            && matches!(&workspaces(&case)[..], [(_, vars)] if vars.len() == 1)
        {
            break;
        }
        case = statement(rng, &[]).0;
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
