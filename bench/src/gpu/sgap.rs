//! `bench sgap`: tables 1 to 5 of Sgap (section 7) in the paper's layout, ours above the paper's numbers.

use super::device::{Gpu, Kind, MEASURED};
use super::dgsparse::{self, Configuration};
use super::goals::{self, Goal, Worst};
use super::inputs::Input;
use super::kernel::Kernel;
use super::measure::Session;
use super::points::{Point, TACO, tacos};
use super::results::Case;
use super::stats::Stats;
use super::tables::{mean, ratios, speedup};
use super::{Options, finish, left_out, profile};
use crate::error::Result;
use clap::Args;
use sparse_gpu::{Cuda, Sim};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What to measure.
#[derive(Args)]
pub(crate) struct Sgap {
    #[command(flatten)]
    options: Options,
    /// Only these of the paper's tables.
    #[arg(long, value_delimiter = ',', default_value = "1,2,3,4,5", value_parser = clap::value_parser!(u8).range(1..=5))]
    tables: Vec<u8>,
}

/// Columns of the dense matrices of tables 1 to 3.
const N: usize = 4;
/// Of tables 4 and 5, in the paper's order.
pub(super) const WIDE: [usize; 4] = [128, 64, 16, 4];
/// Columns of a thread.
const C: [usize; 3] = [1, 2, 4];
/// Threads that reduce together.
const R: [usize; 4] = [4, 8, 16, 32];

/// Some of the matrices.
type Which = fn(&Stats) -> bool;

/// What rows of few entries may be: a few long ones among them leave the mean as it is, and are all that a small group has
/// to wait for.
const SHORT: [(&str, Which); 2] = [
    ("Table 1, 8 entries a row or fewer: g = r small over g = r = 32", |s| s.mean.round() <= 8.0),
    ("Table 1, no row of more than 8: g = r small over g = r = 32", |s| s.longest <= 8),
];

/// Measures, prints the tables.
pub(crate) fn run(sgap: &Sgap) -> Result<()> {
    match sgap.options.device {
        Kind::Cuda => run_on::<Cuda>(sgap),
        Kind::Sim => run_on::<Sim>(sgap),
    }
}

fn run_on<D: Gpu>(sgap: &Sgap) -> Result<()> {
    let mut inputs = sgap.options.inputs()?;
    inputs.retain(|i| i.order == 2);
    let mut session = sgap.options.session::<D>()?;
    let tables: BTreeSet<u8> = sgap.tables.iter().copied().collect();
    let measured = everything(sgap, &tables, &inputs, &mut session);
    left_out(&session);
    let cases = &session.results.cases;
    let mut goals = vec![];
    let first = |wanted: &[u8]| wanted.iter().any(|t| tables.contains(t));
    if first(&[1]) {
        print!("{}", table_1(cases, D::NUMBERS, &mut goals));
    }
    if first(&[2]) {
        print!("{}", table_2(cases, D::NUMBERS, &mut goals));
    }
    if first(&[3]) {
        print!("{}", table_3(cases, D::NUMBERS, &mut goals));
    }
    if first(&[4]) {
        print!("{}", table_4(cases, D::NUMBERS));
    }
    if first(&[5]) {
        print!("{}", table_5(cases, D::NUMBERS));
    }
    print!("{}", goals::table(&goals, D::NUMBERS));
    let data = sgap.options.data.as_deref();
    let (model, deadline) = (session.device.model(), session.limits.deadline);
    print!("{}", profile::missed(&goals, &inputs, data, &model, deadline)?);
    finish(&session.results, measured)
}

fn everything<D: Gpu>(
    sgap: &Sgap,
    tables: &BTreeSet<u8>,
    inputs: &[Input],
    session: &mut Session<D>,
) -> Result<()> {
    let narrow = (1..=3).any(|t| tables.contains(&t));
    let wide = (4..=5).any(|t| tables.contains(&t));
    session.bar.set_length(inputs.len() as u64);
    for input in inputs {
        session.bar.inc(1);
        let Some(sparse) = session.load(input)? else { continue };
        for n in WIDE {
            let mut points = if n == N && narrow { flexible(tables) } else { vec![] };
            if wide {
                let space = dgsparse::space(n, sgap.options.quick || D::NUMBERS != MEASURED);
                points.extend(space.iter().filter_map(|c| c.point(n)));
            }
            if !points.is_empty() {
                session.case(Kernel::Spmm, (input, &sparse), n, &points, |_, _, _| Ok(()))?;
            }
        }
    }
    Ok(())
}

fn row(g: usize, c: usize, r: usize) -> String {
    format!("<1/{g} row, {c} col>, {r}")
}

fn segment(g: usize, c: usize, r: usize) -> String {
    format!("<{g} nnz, {c} col>, {r}")
}

/// The points of tables 1, 2 and 3.
pub(super) fn flexible(tables: &BTreeSet<u8>) -> Vec<Point> {
    let mut points = vec![];
    for c in C {
        for r in R {
            points.extend(R.into_iter().filter(|g| *g >= r).map(|g| Point::atomic(row(g, c, r))));
            points.push(Point::atomic(segment(1, c, r)));
        }
        if tables.contains(&3) {
            points.push(Point::atomic(segment(8, c, 8)));
            points.extend([4, 8, 16, 32].map(|g| Point::atomic(segment(g, c, 1))));
            points.push(Point::atomic(format!("<1 row, {c} col>, 1")));
            points.push(Point::atomic(format!("<4 row, {c} col>, 1")));
            for (g, x) in [(4, 1), (8, 2), (16, 4), (32, 8)] {
                points.extend(tacos(N, c, g, x));
            }
        }
    }
    points
}

/// As the paper counts: a loss is 1, because the user would have taken the other.
fn normalised(ratios: &[f64]) -> Vec<f64> {
    ratios.iter().map(|r| r.max(1.0)).collect()
}

fn number(ratios: &[f64]) -> String {
    mean(ratios).map_or("-".into(), |m| format!("{m:.3}"))
}

fn narrow(cases: &[Case]) -> impl Iterator<Item = &Case> {
    cases.iter().filter(|c| c.n == N)
}

/// The speed of one point over another's on each input.
fn over(cases: &[Case], subject: &str, other: &str) -> Vec<f64> {
    ratios(narrow(cases), |c| speedup(c.ours(other), c.ours(subject)))
}

/// Flexible group sizes, in both readings: with g = 32 the group alone shrinks; with g = r a row's threads too.
fn table_1(cases: &[Case], numbers: &str, goals: &mut Vec<Goal>) -> String {
    let mut text = format!(
        "\nTable 1: flexible group size, speed over g = r = 32, N = {N}, {numbers}\n{:<28} {:>8} {:>8} {:>8} {:>8}\n",
        "", "r=8", "norm", "r=4", "norm"
    );
    let mut line = |name: &str, fields: [String; 4]| {
        let [a, b, c, d] = fields;
        let _ = writeln!(text, "{name:<28} {a:>8} {b:>8} {c:>8} {d:>8}");
    };
    for same in [false, true] {
        for c in C {
            let of = |r: usize| over(cases, &row(if same { r } else { 32 }, c, r), &row(32, c, 32));
            let (eight, four) = (of(8), of(4));
            let name = format!("{}, c = {c}", if same { "g = r" } else { "g = 32" });
            let norm = [&eight, &four].map(|x| number(&normalised(x)));
            let [eight_norm, four_norm] = norm;
            line(&name, [number(&eight), eight_norm, number(&four), four_norm]);
        }
    }
    for (name, paper) in [
        ("paper: RTX 2080", ["2.451", "2.478", "2.456", "2.483"]),
        ("paper: RTX 3090", ["2.236", "2.284", "2.259", "2.307"]),
        ("paper: Tesla V100", ["2.086", "2.143", "2.094", "2.150"]),
    ] {
        line(name, paper.map(str::to_owned));
    }
    goals.extend(SHORT.map(|(what, short)| {
        let short: Vec<Case> = narrow(cases).filter(|c| short(&c.stats)).cloned().collect();
        let speeds = [4, 8].map(|r| (mean(&over(&short, &row(r, 4, r), &row(32, 4, 32))), r));
        let [four, eight] = speeds;
        let (reached, r) = if four.0 >= eight.0 { four } else { eight };
        Goal {
            what,
            least: 2.0,
            reached,
            others: [None; 2],
            worst: Worst::of(&short, |case| {
                let speed = speedup(case.ours(&row(32, 4, 32)), case.ours(&row(r, 4, r)))?;
                Some((speed, Point::atomic(row(r, 4, r))))
            }),
        }
    }));
    text
}

/// Segment reduction over the best g of rows with the same c and r.
fn table_2(cases: &[Case], numbers: &str, goals: &mut Vec<Goal>) -> String {
    let mut text = format!(
        "\nTable 2: <1 nnz, c col>, r by segments over the best <1/g row, c col>, r, N = {N}, {numbers}\n{:<6}",
        "c"
    );
    for r in R {
        let _ = write!(text, " {:>8} {:>8}", format!("r={r}"), "norm");
    }
    text.push('\n');
    let mut least: Option<(f64, usize)> = None;
    let best_row = |case: &Case, c: usize, r: usize| {
        let rows: Vec<String> = R.into_iter().filter(|g| *g >= r).map(|g| row(g, c, r)).collect();
        case.best(|p| rows.iter().any(|row| row == p))
    };
    for c in C {
        let _ = write!(text, "{c:<6}");
        for r in R {
            let speed =
                ratios(narrow(cases), |case| speedup(best_row(case, c, r), case.ours(&segment(1, c, r))));
            let norm = normalised(&speed);
            let _ = write!(text, " {:>8} {:>8}", number(&speed), number(&norm));
            if let (32, Some(m)) = (r, mean(&norm)) {
                least = least.filter(|(l, _)| *l <= m).or(Some((m, c)));
            }
        }
        text.push('\n');
    }
    for (c, paper) in [
        (1, ["1.008", "1.025", "1.085", "1.272"]),
        (2, ["1.019", "1.045", "1.102", "1.291"]),
        (4, ["1.063", "1.095", "1.205", "1.381"]),
    ] {
        let _ = write!(text, "{:<6}", format!("{c}"));
        paper.iter().for_each(|p| {
            let _ = write!(text, " {:>8} {p:>8}", "");
        });
        text.push_str("   paper: RTX 3090\n");
    }
    goals.push(Goal {
        what: "Table 2, r = 32, normalised, the least of c = 1, 2, 4",
        least: 1.27,
        reached: least.map(|(mean, _)| mean),
        others: [None; 2],
        worst: least.and_then(|(_, c)| {
            Worst::of(narrow(cases), |case| {
                let speed = speedup(best_row(case, c, 32), case.ours(&segment(1, c, 32)))?;
                Some((speed, Point::atomic(segment(1, c, 32))))
            })
        }),
    });
    text
}

/// Sgap's two algorithms, the best of each input, over the best of TACO's two.
fn table_3(cases: &[Case], numbers: &str, goals: &mut Vec<Goal>) -> String {
    let is_old = |p: &str| p.starts_with(TACO) || (p.ends_with(", 1") && !p.contains("1/"));
    let is_robust = |p: &str| p.starts_with("<8 nnz") && p.ends_with(", 8");
    let is_new = |p: &str| (p.contains("<1/") || p.contains("<1 nnz")) && !is_old(p);
    let old = |case: &Case| case.best(|p| p.contains("col>") && is_old(p));
    let speed = |robust: bool| {
        let new = |case: &Case| case.best(|p| p.contains("col>") && (is_new(p) || (robust && is_robust(p))));
        ratios(narrow(cases), |case| speedup(old(case), new(case)))
    };
    let mut text = format!(
        "\nTable 3: the best of the two new algorithms over the best of TACO's two, N = {N}, {numbers}\n{:<40} {:>8} {:>8}\n",
        "", "speedup", "norm"
    );
    for (name, robust) in [("Sgap's two", false), ("with <8 nnz, c col>, 8", true)] {
        let speed = speed(robust);
        let _ = writeln!(text, "{name:<40} {:>8} {:>8}", number(&speed), number(&normalised(&speed)));
    }
    for (name, norm) in
        [("paper: RTX 3090", "1.191"), ("paper: RTX 2080", "1.098"), ("paper: Tesla V100", "1.223")]
    {
        let _ = writeln!(text, "{name:<40} {:>8} {norm:>8}", "");
    }
    goals.push(Goal {
        what: "Table 3, normalised: the best of the new over the best of the old",
        least: 1.2,
        reached: mean(&normalised(&speed(false))),
        others: [None; 2],
        worst: Worst::of(narrow(cases), |case| {
            let new = case.times.iter().filter(|t| t.point.contains("col>") && is_new(&t.point));
            let new = new.min_by(|a, b| a.us.total_cmp(&b.us))?;
            Some((speedup(old(case), Some(new.us))?, Point::atomic(&*new.point)))
        }),
    });
    text
}

/// Is it a configuration of dgSPARSE's schedule?
fn is_configuration(point: &str) -> bool {
    !point.contains("col>") && point.starts_with('<')
}

/// What is fixed against what is tuned for each input.
fn table_4(cases: &[Case], numbers: &str) -> String {
    let mut text = format!(
        "\nTable 4: dgSPARSE's RB+PR+RM as a schedule of ours, tuned for each input over its fixed {}, {numbers}\n\
         (both are ours: us against us)\n{:<20} {:>8} {:>8} {:>5}\n",
        dgsparse::FIXED.name(),
        "",
        "geomean",
        "max",
        "N"
    );
    for n in WIDE {
        let here = cases.iter().filter(|c| c.n == n);
        let speed = ratios(here, |c| speedup(c.ours(&dgsparse::FIXED.name()), c.best(is_configuration)));
        let most = speed.iter().copied().max_by(f64::total_cmp).map_or("-".into(), |m| format!("{m:.3}"));
        let _ = writeln!(text, "{:<20} {:>8} {most:>8} {n:>5}", "ours", number(&speed));
    }
    for (name, rows) in [
        ("paper: RTX 3090", [(2.295, 4.316), (2.181, 4.432), (1.997, 4.271), (2.046, 7.819)]),
        ("paper: RTX 2080", [(1.938, 4.379), (1.927, 4.430), (1.995, 5.019), (2.307, 8.582)]),
        ("paper: Tesla V100", [(1.874, 3.724), (1.824, 3.846), (1.693, 3.388), (1.852, 6.114)]),
    ] {
        for ((mean, most), n) in rows.into_iter().zip(WIDE) {
            let _ = writeln!(text, "{name:<20} {mean:>8.3} {most:>8.3} {n:>5}");
        }
    }
    text
}

/// The configuration that is best for all inputs together, against the best for each.
fn table_5(cases: &[Case], numbers: &str) -> String {
    let mut text = format!(
        "\nTable 5: choosing for each input over the best static configuration, {numbers}\n{:<20} {:>8} {:>5}  {}\n",
        "", "geomean", "N", "best static"
    );
    for n in WIDE {
        let here: Vec<&Case> = cases.iter().filter(|c| c.n == n).collect();
        let speed = |c: &Configuration| {
            ratios(here.iter().copied(), |case| speedup(case.ours(&c.name()), case.best(is_configuration)))
        };
        // A configuration that failed somewhere is no choice for all.
        let count = here.iter().filter(|c| c.best(is_configuration).is_some()).count();
        let all = dgsparse::space(n, false).into_iter().map(|c| (speed(&c), c));
        let best = all
            .filter(|(s, _)| count > 0 && s.len() == count)
            .filter_map(|(s, c)| Some((mean(&s)?, c)))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let (mean, name) = best.map_or(("-".into(), "-".into()), |(m, c)| (format!("{m:.3}"), c.name()));
        let _ = writeln!(text, "{:<20} {mean:>8} {n:>5}  {name}", "ours");
    }
    for (name, rows) in [
        (
            "paper: RTX 3090",
            [
                ("1.124", "<8, 256, 8, 1/2>"),
                ("1.114", "<4, 256, 8, 1/2>"),
                ("1.310", "<8, 256, 8, 1/2>"),
                ("1.406", "<8, 256, 8, 1>"),
            ],
        ),
        (
            "paper: RTX 2080",
            [
                ("1.095", "<4, 256, 8, 1/2>"),
                ("1.114", "<4, 256, 8, 1/2>"),
                ("1.276", "<4, 256, 8, 1/2>"),
                ("1.310", "<4, 256, 8, 1/2>"),
            ],
        ),
        (
            "paper: Tesla V100",
            [
                ("1.137", "<8, 256, 8, 1/2>"),
                ("1.177", "<8, 256, 8, 1/2>"),
                ("1.367", "<8, 256, 8, 1>"),
                ("1.326", "<8, 256, 8, 1>"),
            ],
        ),
    ] {
        for ((mean, best), n) in rows.into_iter().zip(WIDE) {
            let _ = writeln!(text, "{name:<20} {mean:>8} {n:>5}  {best}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::case;
    use super::*;

    /// Two inputs: on the second the small group loses.
    fn cases() -> Vec<Case> {
        let times = |small: f64, segment: f64, old: f64, tuned: f64| {
            vec![
                ("ours", "<1/32 row, 4 col>, 32", 8.0),
                ("ours", "<1/32 row, 4 col>, 8", 4.0),
                ("ours", "<1/8 row, 4 col>, 8", small),
                ("ours", "<1 nnz, 4 col>, 32", segment),
                ("ours", "<8 nnz, 4 col>, 8", 0.5),
                ("ours", "TACO <4 nnz, 1 col>, 1", old),
                ("ours", "<1 row, 4 col>, 1", 2.0 * old),
                ("ours", "<32, 256, 32, 1>", 6.0),
                ("ours", "<8, 256, 8, 1/2>", tuned),
            ]
        };
        vec![
            case(Kernel::Spmm, "a", 4, &times(2.0, 4.0, 6.0, 3.0)),
            case(Kernel::Spmm, "b", 4, &times(16.0, 16.0, 2.0, 12.0)),
        ]
    }

    #[test]
    fn table_1_has_both_readings() {
        let mut goals = vec![];
        let text = table_1(&cases(), "measured", &mut goals);
        assert!(text.contains("g = 32, c = 4                   2.000    2.000        -        -"), "{text}");
        // 4 and 1/2: the mean of 4 and 1 when a loss is 1.
        assert!(text.contains("g = r, c = 4                    1.414    2.000"), "{text}");
        assert!(text.contains("paper: Tesla V100               2.086    2.143    2.094    2.150"), "{text}");
        // Both have a row of 40.
        let reached = |goals: &[Goal]| goals.iter().map(|g| g.reached).collect::<Vec<_>>();
        assert_eq!(
            reached(&goals).iter().map(|r| r.map(|r| (r * 1e3) as u32)).collect::<Vec<_>>(),
            [Some(1414), None]
        );
        let mut short = cases();
        short[0].stats.longest = 8;
        let mut goals = vec![];
        table_1(&short, "measured", &mut goals);
        assert_eq!(reached(&goals)[1], Some(4.0));
    }

    #[test]
    fn table_2_is_against_the_best_rows() {
        let mut goals = vec![];
        let text = table_2(&cases(), "measured", &mut goals);
        // 8/4 and 8/16 at r = 32.
        assert!(text.lines().any(|l| l.starts_with("4 ") && l.ends_with("   1.000    1.414")), "{text}");
        assert_eq!(goals[0].reached.map(|r| format!("{r:.3}")).as_deref(), Some("1.414"));
    }

    #[test]
    fn table_3_is_new_over_old() {
        let text = table_3(&cases(), "measured", &mut vec![]);
        // 6/2 and 2/4.
        assert!(text.contains("Sgap's two                                  1.225    1.732"), "{text}");
        assert!(text.contains("with <8 nnz, c col>, 8                      6.928    6.928"), "{text}");
    }

    #[test]
    fn tables_4_and_5_are_of_configurations() {
        let (four, five) = (table_4(&cases(), "predicted"), table_5(&cases(), "predicted"));
        // Twice as fast, and as fast.
        assert!(four.contains("ours                    1.414    2.000     4"), "{four}");
        assert!(four.contains("ours                        -        -   128"), "{four}");
        assert!(four.contains("us against us") && four.contains("predicted"), "{four}");
        // Both configurations lose a factor of two on one input.
        assert!(five.contains("ours                    1.414     4  <32, 256, 32, 1>"), "{five}");
    }

    #[test]
    fn points_of_the_tables_are_legal() {
        let points = flexible(&BTreeSet::from([1, 2, 3]));
        assert!(points.len() > 60);
        for point in points {
            point.compile(Kernel::Spmm, sparse_core::scalar::DType::F32, &Sim::new()).map(drop).unwrap();
        }
    }
}
