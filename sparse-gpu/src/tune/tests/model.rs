//! The model's orderings, against what a cycle-level model of SpMM with four columns said of the same points.

use crate::hardware::{Hardware, Told};
use crate::launch::{Kernel, run_dynamic};
use crate::sim::{Report, Sim};
use crate::tune::{Figure, Limit, Model};
use sparse_core::driver::{Options, compile_cuda};
use sparse_core::front::parse_str;
use sparse_core::sim::Arg;
use sparse_core::sim::grid::{Counts, LaunchReport, Path};
use sparse_core::tensor::{Coordinates, Csr, DenseMat, DynTensor, generate};
use std::collections::BTreeMap;
use std::time::Duration;

const COLUMNS: usize = 4;

/// Two of the H200's multiprocessors with their share of the rest, which small matrices fill.
fn slice() -> Model {
    let all = Model::h200();
    let share = 2.0 / f64::from(all.multiprocessors);
    Model {
        multiprocessors: 2,
        second_level: all.second_level * share,
        second_level_bytes: all.second_level_bytes * share,
        memory: all.memory * share,
        atomics: all.atomics * share,
        launch: Duration::ZERO,
        next: Duration::ZERO,
        ..all
    }
}

/// One small matrix a class.
fn classes() -> Vec<(&'static str, Csr<f32>)> {
    let few_long = (0..8).flat_map(|i| (0..600).map(move |j| ([i, (j * 7 + i) % 4200], 1.0f32)));
    let csr = |c: Coordinates<f32>| Csr::from_coordinates(c).unwrap();
    vec![
        ("mostly empty rows", csr(generate::uniform(6000, 3000, 0.5, 1).unwrap())),
        ("short rows", csr(generate::uniform(1500, 1500, 4.0, 2).unwrap())),
        ("a mesh", csr(generate::stencil_2d(36, 36).unwrap())),
        ("middling rows", csr(generate::uniform(500, 1500, 12.0, 3).unwrap())),
        ("long rows", csr(generate::uniform(80, 1500, 80.0, 4).unwrap())),
        ("a power law", csr(generate::rmat(10, 6, 5).unwrap())),
        ("few very long rows", Csr::from_triplets([8, 4200], few_long).unwrap()),
    ]
}

const ROWS: [&str; 6] = [
    "<1 row, 4 col>, 1",
    "<1/2 row, 4 col>, 2",
    "<1/4 row, 4 col>, 4",
    "<1/8 row, 4 col>, 8",
    "<1/16 row, 4 col>, 16",
    "<1/32 row, 4 col>, 32",
];
const PART: [&str; 2] = ["<1/32 row, 4 col>, 8", "<1/32 row, 4 col>, 4"];
const SEGMENTS: [&str; 4] =
    ["<1 nnz, 4 col>, 4", "<1 nnz, 4 col>, 8", "<1 nnz, 4 col>, 16", "<1 nnz, 4 col>, 32"];
const ROBUST: &str = "<8 nnz, 4 col>, 8";
const BALANCED: &str = "<32 nnz, 4 col>, 1";

fn reports(point: &str, args: &[Arg]) -> Report {
    let text = format!(
        "fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {{ C[i, k] = A[i, j] * B[j, k]; }} \
         schedule cuda = atomic({point});"
    );
    let kernel = parse_str(&text).unwrap_or_else(|_| panic!("{text}"));
    let compiled = compile_cuda(kernel, &Options::default()).unwrap();
    let (sim, kernel) = (Sim::new(), Kernel::new(compiled.program));
    run_dynamic(&sim, &kernel, args).unwrap();
    sim.report()
}

/// Seconds by point.
type Row = BTreeMap<&'static str, f64>;

fn predicted(a: &Csr<f32>) -> Row {
    let b = DenseMat::<f32>::random([a.dim(1), COLUMNS], 1);
    let args = [Arg::Tensor(DynTensor::from(a)), Arg::Tensor(DynTensor::from(&b))];
    let model = slice();
    let time = |point: &str| {
        let report = reports(point, &args);
        model.predict_all(&report).time().as_secs_f64()
    };
    let all = ROWS.into_iter().chain(PART).chain(SEGMENTS).chain([ROBUST, BALANCED]);
    all.map(|point| (point, time(point))).collect()
}

fn mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = ratios.fold((0.0, 0), |(sum, n), r| (sum + r.ln(), n + 1));
    (sum / f64::from(count)).exp()
}

fn best(row: &Row, points: &[&str]) -> f64 {
    points.iter().map(|p| row[p]).fold(f64::INFINITY, f64::min)
}

#[test]
fn orderings_are_those_of_the_cycle_model() {
    let classes = classes();
    let rows: Vec<(&str, Row)> = std::thread::scope(|s| {
        let runs: Vec<_> = classes.iter().map(|(name, a)| (*name, s.spawn(|| predicted(a)))).collect();
        runs.into_iter().map(|(name, run)| (name, run.join().unwrap())).collect()
    });
    let ratio = |over: &dyn Fn(&Row) -> f64, under: &dyn Fn(&Row) -> f64| {
        mean(rows.iter().map(|(_, row)| over(row) / under(row)))
    };
    let at = |point: &'static str| move |row: &Row| row[point];
    let full = at("<1/32 row, 4 col>, 32");
    let table = [
        ("r = 8 under g = 32", ratio(&full, &at(PART[0])), 0.8..1.4),
        ("r = 4 under g = 32", ratio(&full, &at(PART[1])), 0.8..1.4),
        ("r = g = 8", ratio(&full, &at("<1/8 row, 4 col>, 8")), 1.3..4.5),
        ("r = g = 4", ratio(&full, &at("<1/4 row, 4 col>, 4")), 1.3..5.0),
        ("segments over rows at 32", ratio(&full, &at("<1 nnz, 4 col>, 32")), 1.05..3.0),
        (
            "segments over the best row point",
            ratio(&|row| best(row, &ROWS), &at("<1 nnz, 4 col>, 32")),
            0.2..1.1,
        ),
        ("segments of 8 over 32", ratio(&at("<1 nnz, 4 col>, 32"), &at("<1 nnz, 4 col>, 8")), 0.85..2.0),
        (
            "the best new over the best old",
            ratio(&|row| best(row, &["<1 row, 4 col>, 1", BALANCED]), &|row| {
                best(row, &ROWS[1..])
                    .min(best(row, &SEGMENTS))
                    .min(best(row, &["<1 row, 4 col>, 1", BALANCED]))
            }),
            1.02..3.0,
        ),
    ];
    let mut text = String::new();
    for (name, row) in &rows {
        let least = row.values().copied().fold(f64::INFINITY, f64::min);
        text += &format!("{name}\n");
        row.iter().for_each(|(p, t)| text += &format!("  {p:24} {:8.2} µs {:6.2}\n", t * 1e6, t / least));
    }
    let all: Vec<&str> = rows[0].1.keys().copied().collect();
    let robust = |point: &str| {
        let regret = |row: &Row| row[point] / best(row, &all);
        let worst = rows.iter().map(|(_, row)| regret(row)).fold(0.0, f64::max);
        (mean(rows.iter().map(|(_, row)| regret(row))), worst)
    };
    for point in [ROBUST, "<1/4 row, 4 col>, 4", "<1 row, 4 col>, 1"] {
        text += &format!("regret of {point}: {:?}\n", robust(point));
    }
    table.iter().for_each(|(name, ratio, _)| text += &format!("{name}: {ratio:.2}\n"));
    println!("{text}");
    for (name, ratio, expected) in table {
        assert!(expected.contains(&ratio), "{name}: {ratio:.2} is not in {expected:?}\n{text}");
    }
    // The most robust point, of these three, on average and at its worst.
    let (robust, others) = (robust(ROBUST), [robust("<1/4 row, 4 col>, 4"), robust("<1 row, 4 col>, 1")]);
    for (average, worst) in others {
        assert!(robust.0 < average && robust.1 < worst, "{robust:?}\n{text}");
    }
}

#[test]
fn a_gpu_is_what_its_driver_says() {
    let hardware = Hardware {
        name: "NVIDIA A100-SXM4-80GB".into(),
        multiprocessors: Some(108),
        threads: Some(2048),
        registers: Some(65536),
        shared: Some(167_936),
        second_level: Some(41_943_040),
        memory_clock: Some(1_593_000),
        memory_bus: Some(5120),
    };
    let model = Model::of(&hardware);
    assert_eq!((model.multiprocessors, model.warps, model.told), (108, 64, Told::Driver));
    assert_eq!((model.memory, model.second_level_bytes), (2.03904e12, 41_943_040.0));
    assert!((model.second_level / Model::h200().second_level - 108.0 / 132.0).abs() < 1e-12);
    let by_name = Model::of(&Hardware { memory_bus: None, ..hardware.clone() });
    assert_eq!((by_name.memory, by_name.told), (2.039e12, Told::DataSheet("A100 80GB")));
    let unknown = Hardware { name: "a new one".into(), multiprocessors: Some(66), ..Hardware::default() };
    let unknown = Model::of(&unknown);
    assert_eq!((unknown.memory, unknown.told), (2.4e12, Told::Nobody));
    // Half the bandwidth, twice the time where memory limits.
    let sectors = 1 << 25;
    let read = LaunchReport { sectors_read: sectors, block_read: sectors, least_read: sectors, ..idle() };
    let of = |model: &Model| model.times(&read).of(Limit::Memory).as_secs_f64();
    assert!((of(&unknown) / of(&Model::h200()) - 2.0).abs() < 1e-3);
}

/// A launch that does nothing but run on enough warps.
fn idle() -> LaunchReport {
    LaunchReport { grid: [1 << 14, 1, 1], threads: 256, warps: 1 << 17, ..LaunchReport::default() }
}

#[test]
fn each_resource_limits_a_launch_that_has_much_of_it() {
    let model = Model::h200();
    let alone = |limit, report: LaunchReport, seconds: f64| {
        let times = model.times(&report);
        assert_eq!(times.limit(), limit, "{report}");
        let found = times.of(limit).as_secs_f64();
        assert!((found / seconds - 1.0).abs() < 1e-3, "{limit}: {found} instead of {seconds}");
        assert!(times.predicted().time() >= times.of(limit) + model.launch);
    };
    let counts = Counts { instructions: 1 << 30, ..Counts::default() };
    let cycles = (1u64 << 30) as f64 / (4.0 * 132.0);
    alone(Limit::Issue, LaunchReport { counts, ..idle() }, cycles / 1.755e9);
    // A gigabyte, read once: it does not fit in the second level.
    let sectors = 1 << 25;
    let read = LaunchReport { sectors_read: sectors, block_read: sectors, least_read: sectors, ..idle() };
    alone(Limit::Memory, read, (sectors * 32) as f64 / 4.8e12);
    // Of a few megabytes everybody reads everything.
    let read = LaunchReport { sectors_read: sectors, block_read: sectors, least_read: 1 << 17, ..idle() };
    alone(Limit::SecondLevel, read, (sectors * 32) as f64 / 5.5e12);
    let read = LaunchReport { sectors_read: sectors, block_read: 1, least_read: 1, ..idle() };
    alone(Limit::FirstLevel, read, sectors as f64 / (4.0 * 132.0) / 1.755e9);
    let counts = Counts { atomics: 1 << 26, atomic_conflicts: 1 << 26, ..Counts::default() };
    alone(Limit::Atomics, LaunchReport { counts, ..idle() }, (1u64 << 26) as f64 / 96.0 / 1.755e9);
    // One warp has everything to do.
    let counts = Counts { instructions: 1_000_000, ..Counts::default() };
    let longest_warp = Path { instructions: 1_000_000, loads: 0 };
    alone(Limit::Latency, LaunchReport { counts, longest_warp, ..idle() }, 4e6 / 1.755e9);
}

#[test]
fn a_launch_costs_something_and_so_does_a_fill() {
    let model = Model::h200();
    assert_eq!(model.predict(&LaunchReport::default()).time(), model.launch);
    assert_eq!(model.fill(0).time(), model.launch);
    let fill = model.fill(4_800_000_000).time() - model.launch;
    assert!((fill.as_secs_f64() * 1e3 - 1.0).abs() < 1e-6, "{fill:?}");
    // The second of two costs less to start.
    let two = Report { launches: vec![LaunchReport::default()], fills: vec![0] };
    assert_eq!(model.predict_all(&two).time(), model.launch + model.next);
    assert_eq!(model.predict_all(&Report::default()).time(), Duration::ZERO);
}
