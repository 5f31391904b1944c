//! Tuning on the simulator: what is chosen runs right, where it is clear the right thing is chosen, and what is remembered.

use sparse_core::front::AtomicParallelism;
use sparse_core::front::point::{Amount, Data};
use sparse_gpu::prelude::*;
use sparse_gpu::tune::{
    Arguments, Choice, Dropped, Figure, Limits, Memory, Model, Outcome, Predicted, Progress, Reviewer,
    Source, Space, Tunable, TuneError, Tuned, tune, tune_with,
};
use std::ops::ControlFlow;
use std::path::PathBuf;

tensor_kernel! {
    fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    fn spmv(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * x[j];
    }
}

tensor_kernel! {
    fn sddmm(A: Csr<f32>, B: DenseMat<f32>, C: DenseMat<f32>) -> Csr<f32> {
        D[i, j] = A[i, j] * B[i, k] * C[j, k];
    }
}

tensor_kernel! {
    fn mttkrp(A: Csf3<f32>, C: DenseMat<f32>, D: DenseMat<f32>) -> DenseMat<f32> {
        M[i, l] = A[i, j, k] * C[j, l] * D[k, l];
    }
}

tensor_kernel! {
    fn ttm(A: Csf3<f32>, B: DenseMat<f32>) -> Tensor<f32, (Dense, Dense, Dense)> {
        C[i, j, l] = A[i, j, k] * B[k, l];
    }
}

tensor_kernel! {
    fn ttv(A: Csf3<f32>, x: DenseVec<f32>) -> DenseMat<f32> {
        y[i, j] = A[i, j, k] * x[k];
    }
}

tensor_kernel! {
    fn accumulate(C: &mut DenseMat<f32>, A: Csr<f32>, B: DenseMat<f32>, beta: f32) {
        C[i, k] += beta * A[i, j] * B[j, k];
    }
    schedule cuda {
        split(i, block, thread, 64);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(thread, GPUThread, NoRaces);
    }
}

tensor_kernel! {
    fn add(A: Csr<f32>, B: Csr<f32>) -> DenseMat<f32> {
        C[i, j] = A[i, j] + B[i, j];
    }
}

/// Few candidates, nothing on disk.
fn quick() -> Space {
    Space::all().threads([128]).finalists(3).memory(Memory::None)
}

fn csr(rows: usize, cols: usize, mean: f64) -> Csr<f32> {
    Csr::from_coordinates(generate::uniform(rows, cols, mean, 7).unwrap()).unwrap()
}

fn best<F: Figure>(tuned: &Tuned<F>) -> String {
    tuned.choice().to_string()
}

#[test]
fn the_tuned_kernel_does_what_the_cpu_does() {
    let sim = Sim::new();
    let one_dense = (0..300).map(|j| ([3, j], 1.0 + j as f32)).chain((0..200).map(|i| ([i, i], 0.5)));
    for (name, a) in [
        ("short rows", csr(300, 200, 3.0)),
        ("one dense row", Csr::from_triplets([200, 300], one_dense).unwrap()),
        ("a power law", Csr::from_coordinates(generate::rmat(7, 6, 5).unwrap()).unwrap()),
        ("no rows", Csr::from_triplets([0, 20], []).unwrap()),
        ("no columns", Csr::from_triplets([20, 0], []).unwrap()),
        ("one row", csr(1, 500, 120.0)),
        ("no entries", Csr::from_triplets([50, 40], []).unwrap()),
    ] {
        for columns in [1, 4, 7, 0] {
            let b = DenseMat::<f32>::random([a.dim(1), columns], 1);
            let (on_a, on_b) = (a.to(&sim).unwrap(), b.to(&sim).unwrap());
            let arguments = Arguments::new().tensor(&on_a).tensor(&on_b);
            let tuned = tune(&Tunable::parse(spmm::TEXT).unwrap(), &arguments, &quick());
            let tuned = tuned.unwrap_or_else(|e| panic!("{name}, {columns} columns: {e}"));
            assert_eq!(tuned.source(), Source::Search { checked_by: Reviewer::Cpu });
            let c = tuned.run::<DenseMat<f32>, _>(&arguments).unwrap();
            let expected = spmm(&a, &b).unwrap();
            assert!(c.to_host().unwrap().approx_eq(&expected, 1e-4), "{name}, {columns} columns: {tuned}");
        }
    }
    assert!(sim.report().launches.len() <= 28, "what tuning tries is not in the user's report");
}

#[test]
fn other_kernels_are_tuned_too() {
    let sim = Sim::new();
    let a = csr(60, 50, 6.0);
    let wide = a.cast::<f64>();
    let (on_wide, x) = (wide.to(&sim).unwrap(), DenseVec::<f64>::random([50], 1));
    let on_x = x.to(&sim).unwrap();
    let arguments = Arguments::new().tensor(&on_wide).tensor(&on_x);
    let tuned = tune(&Tunable::parse(spmv::TEXT).unwrap(), &arguments, &quick()).unwrap();
    let y = tuned.run::<DenseVec<f64>, _>(&arguments).unwrap();
    assert!(y.to_host().unwrap().approx_eq(&spmv(&wide, &x).unwrap(), 1e-10));

    let [b, c] = [60, 50].map(|n| DenseMat::<f32>::random([n, 9], 1));
    let (on_a, on_b, on_c) = (a.to(&sim).unwrap(), b.to(&sim).unwrap(), c.to(&sim).unwrap());
    let arguments = Arguments::new().tensor(&on_a).tensor(&on_b).tensor(&on_c);
    let tuned = tune(&Tunable::parse(sddmm::TEXT).unwrap(), &arguments, &quick()).unwrap();
    let d = tuned.run::<Csr<f32>, _>(&arguments).unwrap();
    assert!(d.to_host().unwrap().approx_eq(&sddmm(&a, &b, &c).unwrap(), 1e-4));

    let entries = a.iter().map(|([i, j], v)| ([i, j / 7, j % 7], v));
    let t = Csf3::<f32>::from_triplets([60, 8, 7], entries).unwrap();
    let [b, c] = [8, 7].map(|n| DenseMat::<f32>::random([n, 6], 1));
    let (on_t, on_b, on_c) = (t.to(&sim).unwrap(), b.to(&sim).unwrap(), c.to(&sim).unwrap());
    let arguments = Arguments::new().tensor(&on_t).tensor(&on_b).tensor(&on_c);
    let tuned = tune(&Tunable::parse(mttkrp::TEXT).unwrap(), &arguments, &quick()).unwrap();
    let m = tuned.run::<DenseMat<f32>, _>(&arguments).unwrap();
    assert!(m.to_host().unwrap().approx_eq(&mttkrp(&t, &b, &c).unwrap(), 1e-4));

    let arguments = Arguments::new().tensor(&on_t).tensor(&on_c);
    let tuned = tune(&Tunable::parse(ttm::TEXT).unwrap(), &arguments, &quick()).unwrap();
    let r = tuned.run::<Tensor<f32, (Dense, Dense, Dense)>, _>(&arguments).unwrap();
    assert!(r.to_host().unwrap().approx_eq(&ttm(&t, &c).unwrap(), 1e-4));

    let x = DenseVec::<f32>::random([7], 1);
    let on_x = x.to(&sim).unwrap();
    let arguments = Arguments::new().tensor(&on_t).tensor(&on_x);
    let tuned = tune(&Tunable::parse(ttv::TEXT).unwrap(), &arguments, &quick()).unwrap();
    let y = tuned.run::<DenseMat<f32>, _>(&arguments).unwrap();
    assert!(y.to_host().unwrap().approx_eq(&ttv(&t, &x).unwrap(), 1e-4));
}

tensor_kernel! {
    fn difference(A: Csr<f32>, B: DenseMat<f32>, D: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * (B[j, k] - D[j, k]);
    }
}

/// Terms that cancel leave the rounding of their sum, which its own magnitude says nothing of.
#[test]
fn sums_that_cancel_are_not_wrong_in_another_order() {
    let n = 64;
    let sign = |j: usize| if j.is_multiple_of(2) { 1.0 } else { -1.0 };
    let entries = (0..12).flat_map(|i| (0..n).map(move |j| ([i, j], sign(j))));
    let a = Csr::<f32>::from_triplets([12, n], entries).unwrap();
    // Equal to its neighbour but for the last bits: B − D is 2·B, and the sum over a row nearly 0.
    let value = |j: usize, k: usize| (j / 2 + 1) as f32 / 3.0 * (1.0 + (j * 4 + k) as f32 * 1e-7);
    let b = DenseMat::from_dense([n, 4], (0..n * 4).map(|at| value(at / 4, at % 4)).collect()).unwrap();
    let d = DenseMat::from_dense([n, 4], (0..n * 4).map(|at| -value(at / 4, at % 4)).collect()).unwrap();
    let sim = Sim::new();
    let (a, b, d) = (a.to(&sim).unwrap(), b.to(&sim).unwrap(), d.to(&sim).unwrap());
    let arguments = Arguments::new().tensor(&a).tensor(&b).tensor(&d);
    let points = ["<1 row, 4 col>, 1", "<1/8 row, 4 col>, 8", "<1/32 row, 4 col>, 32", "<1 nnz, 4 col>, 8"];
    let space =
        Space::all().points(points.map(|p| p.parse().unwrap())).limits(Limits::none()).memory(Memory::None);
    let tuned = tune(&Tunable::parse(difference::TEXT).unwrap(), &arguments, &space.finalists(9)).unwrap();
    for candidate in tuned.candidates() {
        assert!(matches!(candidate.outcome, Outcome::Timed(_)), "{tuned}");
    }
}

/// What several threads tune on one device is apart from each other's costs, and from what others run there.
#[test]
fn searches_beside_each_other_see_their_own_costs() {
    let sim = Sim::new();
    let a = csr(60, 50, 6.0).to(&sim).unwrap();
    let b = DenseMat::<f32>::random([50, 4], 1).to(&sim).unwrap();
    let search = || {
        let tuned =
            tune(&Tunable::parse(spmm::TEXT).unwrap(), &Arguments::new().tensor(&a).tensor(&b), &quick());
        tuned.unwrap().figure().time()
    };
    let alone = search();
    sim.clear_report();
    std::thread::scope(|threads| {
        let searches = [threads.spawn(search), threads.spawn(search)];
        for _ in 0..20 {
            spmm(&a, &b).unwrap();
        }
        for search in searches {
            assert_eq!(search.join().unwrap(), alone);
        }
    });
    assert_eq!(sim.report().launches.len(), 20);
}

tensor_kernel! {
    fn spmv_coo(A: Coo<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * x[j];
    }
}

tensor_kernel! {
    fn spmm_dcsr(A: Dcsr<i64>, B: DenseMat<i64>) -> DenseMat<i64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    /// The columns of A are the result's rows.
    fn transposed(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[j, k] = A[i, j] * B[i, k];
    }
}

#[test]
fn other_formats_are_tuned_too() {
    let sim = Sim::new();
    let a = csr(80, 60, 3.0);
    let coo = Coo::from_triplets([80, 60], a.iter().map(|(at, v)| (at, f64::from(v)))).unwrap();
    let x = DenseVec::<f64>::random([60], 1);
    let (on_a, on_x) = (coo.to(&sim).unwrap(), x.to(&sim).unwrap());
    let arguments = Arguments::new().tensor(&on_a).tensor(&on_x);
    let tuned = tune(&Tunable::parse(spmv_coo::TEXT).unwrap(), &arguments, &quick()).unwrap();
    let y = tuned.run::<DenseVec<f64>, _>(&arguments).unwrap();
    assert!(y.to_host().unwrap().approx_eq(&spmv_coo(&coo, &x).unwrap(), 1e-10), "{tuned}");

    let entries = a.iter().map(|([i, j], v)| ([i * 9, j], (v * 9.0) as i64));
    let dcsr = Dcsr::from_triplets([800, 60], entries).unwrap();
    let b = DenseMat::from_dense([60, 5], (0..300).map(|n| n % 17 - 8).collect()).unwrap();
    let (on_a, on_b) = (dcsr.to(&sim).unwrap(), b.to(&sim).unwrap());
    let arguments = Arguments::new().tensor(&on_a).tensor(&on_b);
    let tuned = tune(&Tunable::parse(spmm_dcsr::TEXT).unwrap(), &arguments, &quick()).unwrap();
    let c = tuned.run::<DenseMat<i64>, _>(&arguments).unwrap();
    assert_eq!(c.to_host().unwrap().vals(), spmm_dcsr(&dcsr, &b).unwrap().vals(), "{tuned}");

    let b = DenseMat::<f32>::random([80, 8], 1);
    let (on_a, on_b) = (a.to(&sim).unwrap(), b.to(&sim).unwrap());
    let arguments = Arguments::new().tensor(&on_a).tensor(&on_b);
    let tuned = tune(&Tunable::parse(transposed::TEXT).unwrap(), &arguments, &quick()).unwrap();
    let c = tuned.run::<DenseMat<f32>, _>(&arguments).unwrap();
    assert!(c.to_host().unwrap().approx_eq(&transposed(&a, &b).unwrap(), 1e-4), "{tuned}");
    // A result of another type is refused before anything runs.
    let wrong = tuned.run::<DenseMat<f64>, _>(&arguments).map(drop).unwrap_err();
    assert_eq!(wrong.to_string(), "`C` is of type f64, but the kernel has it as f32: convert it first");
    let wrong = tuned.run::<Csr<f32>, _>(&arguments).map(drop).unwrap_err();
    assert!(matches!(wrong, TuneError::Format { .. }), "{wrong}");
}

#[test]
fn in_place_kernels_are_tuned_on_copies() {
    let sim = Sim::new();
    let (a, b) = (csr(40, 30, 5.0), DenseMat::<f32>::random([30, 4], 1));
    let (on_a, on_b) = (a.to(&sim).unwrap(), b.to(&sim).unwrap());
    let c = DenseMat::<f32>::random([40, 4], 2);
    let on_c = c.to(&sim).unwrap();
    let arguments = Arguments::new().tensor(&on_c).tensor(&on_a).tensor(&on_b).scalar(0.5f32);
    let tuned = tune(&Tunable::parse(accumulate::TEXT).unwrap(), &arguments, &quick()).unwrap();
    // The schedule that it is written with is one of the candidates, and has a time.
    let own = tuned.candidates().iter().find(|c| matches!(c.choice, Choice::Commands(_))).unwrap();
    assert!(matches!(own.outcome, Outcome::Timed(_)) && own.expected.is_none(), "{tuned}");
    assert_eq!(on_c.to_host().unwrap().vals(), c.vals());
}

#[test]
fn what_is_clear_is_chosen() {
    let sim = Sim::new();
    let kernel = Tunable::parse(spmm::TEXT).unwrap();
    let choose = |a: &Csr<f32>, columns: usize| {
        let on_a = a.to(&sim).unwrap();
        let b = DenseMat::<f32>::random([a.dim(1), columns], 1).to(&sim).unwrap();
        tune(&kernel, &Arguments::new().tensor(&on_a).tensor(&b), &quick()).unwrap()
    };
    // A dozen rows of thousands of entries: a thread a row would take for ever.
    let few = choose(&csr(12, 9000, 1500.0), 4);
    assert!(!best(&few).contains("1 row,") && !best(&few).contains("2 row,"), "{few}");
    let whole = few.candidates().iter().find(|c| c.choice.to_string().starts_with("<1 row, 4 col>")).unwrap();
    assert!(matches!(whole.outcome, Outcome::Dropped(_)), "{few}");
    // Rows of two entries: no warp a row.
    let short = choose(&csr(4000, 4000, 2.0), 4);
    assert!(!best(&short).starts_with("<1/32") && !best(&short).starts_with("<1/16"), "{short}");
    // The table says why: a thread would have three columns that do not exist, or all lanes but one no column.
    let narrow = choose(&csr(200, 100, 4.0), 1);
    let wide = narrow.candidates().iter().filter(|c| c.choice.to_string().contains("4 col"));
    let wide: Vec<_> = wide.collect();
    assert!(!wide.is_empty(), "{narrow}");
    let wasted =
        |o: &Outcome<Predicted>| matches!(o, Outcome::Dropped(Dropped::ColumnWaste(w)) if *w >= 0.75);
    assert!(wide.iter().all(|c| wasted(&c.outcome)), "{narrow}");
    assert!(narrow.to_string().contains("75 % of the columns are padding"), "{narrow}");
}

#[test]
fn tiles_are_tried_where_they_load_less() {
    let sim = Sim::new();
    let kernel = Tunable::parse(spmm::TEXT).unwrap();
    let points = ["<4 row, 1 col>, 1, shared = 32", "<1/4 row, 4 col>, 4"].map(|p| p.parse().unwrap());
    let choose = |a: &Csr<f32>| {
        let on_a = a.to(&sim).unwrap();
        let b = DenseMat::<f32>::random([a.dim(1), 32], 1);
        let on_b = b.to(&sim).unwrap();
        let limits = Limits { blocks: 0.0, ..Limits::default() };
        let space = Space::all().points(points).limits(limits).memory(Memory::None);
        let arguments = Arguments::new().tensor(&on_a).tensor(&on_b);
        let tuned = tune(&kernel, &arguments, &space).unwrap();
        let c = tuned.run::<DenseMat<f32>, _>(&arguments).unwrap();
        assert!(c.to_host().unwrap().approx_eq(&spmm(a, &b).unwrap(), 1e-4), "{tuned}");
        tuned
    };
    let outcome = |tuned: &Tuned<Predicted>| {
        let tiles = tuned.candidates().iter().find(|c| c.choice.to_string().contains("shared"));
        tiles.unwrap().outcome.clone()
    };
    // 32 rows of a block have 640 entries in 60 columns.
    let dense = choose(&csr(300, 60, 20.0));
    assert!(matches!(outcome(&dense), Outcome::Timed(_)), "{dense}");
    let sparse = choose(&csr(300, 2000, 20.0));
    assert!(matches!(outcome(&sparse), Outcome::Dropped(Dropped::TileWaste(n)) if n > 3.0), "{sparse}");
}

/// A folder for a test, empty.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("tune-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    path
}

/// The only file of what was remembered.
fn file(folder: &std::path::Path) -> PathBuf {
    let mut files = std::fs::read_dir(folder.join("tuned")).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(files.next().is_none(), "there is more than one file");
    file
}

#[test]
fn results_are_remembered() {
    let folder = folder("remembered");
    let (sim, kernel) = (Sim::new(), Tunable::parse(spmm::TEXT).unwrap());
    let space = quick().memory(Memory::Folder(folder.clone()));
    let b = DenseMat::<f32>::random([300, 4], 1).to(&sim).unwrap();
    let run = |a: &Csr<f32>, space: &Space| {
        let on_a = a.to(&sim).unwrap();
        let mut heard = vec![];
        let arguments = Arguments::new().tensor(&on_a).tensor(&b);
        let tuned = tune_with(&kernel, &arguments, space, |p| {
            heard.push(p);
            ControlFlow::Continue(())
        });
        let tuned = tuned.unwrap();
        let c = tuned.run::<DenseMat<f32>, _>(&arguments).unwrap();
        assert!(c.to_host().unwrap().approx_eq(&spmm(a, &b.to_host().unwrap()).unwrap(), 1e-4));
        (tuned, heard)
    };
    let searched = |t: &Tuned<Predicted>| t.source() == Source::Search { checked_by: Reviewer::Cpu };
    let a = csr(400, 300, 5.0);
    let (first, heard) = run(&a, &space);
    assert!(searched(&first) && matches!(heard[0], Progress::Ranked { .. }));
    let path = file(&folder);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"predicted\"") && !text.contains("measured"), "{text}");
    let (again, heard) = run(&a, &space);
    assert_eq!(
        (again.source(), again.choice(), again.figure()),
        (Source::Remembered, first.choice(), first.figure())
    );
    assert_eq!(heard, [Progress::Remembered { file: path.clone() }]);
    // About the same statistics are the same; others are not, nor is another space.
    assert_eq!(run(&csr(404, 300, 5.0), &space).0.source(), Source::Remembered);
    assert!(searched(&run(&csr(400, 300, 40.0), &space).0));
    assert!(searched(&run(&a, &space.clone().finalists(2)).0));
    assert!(searched(&run(&a, &space.clone().afresh()).0));

    let _ = std::fs::remove_dir_all(&folder);
    run(&a, &space);
    let path = file(&folder);
    let foreign = text.replace(" col>", " cow>");
    let other = text.replace("\"layout\": 1", "\"layout\": 2");
    for damaged in ["", "no JSON", "{}", &text[..text.len() / 2], &foreign, &other, "\u{0}\u{ff}"] {
        std::fs::write(&path, damaged).unwrap();
        let (tuned, heard) = run(&a, &space);
        assert!(searched(&tuned), "{damaged}");
        assert!(matches!(&heard[0], Progress::Ignored { file, why } if *file == path && !why.is_empty()));
        assert_eq!(run(&a, &space).0.source(), Source::Remembered, "it was written anew");
    }
    // A folder that can't be made costs nothing but the memory, which is said once.
    let blocked = quick().memory(Memory::Folder(path));
    let (tuned, heard) = run(&a, &blocked);
    assert!(searched(&tuned));
    let about_files = |p: &&Progress| matches!(p, Progress::Ignored { .. } | Progress::NotRemembered { .. });
    let notes: Vec<&Progress> = heard.iter().filter(about_files).collect();
    assert!(matches!(notes[..], [Progress::NotRemembered { .. }]), "{heard:?}");
}

#[test]
fn a_search_that_is_stopped_keeps_what_it_found() {
    let folder = folder("stopped");
    let (sim, kernel) = (Sim::new(), Tunable::parse(spmm::TEXT).unwrap());
    let a = csr(300, 200, 5.0).to(&sim).unwrap();
    let b = DenseMat::<f32>::random([200, 4], 1).to(&sim).unwrap();
    let arguments = Arguments::new().tensor(&a).tensor(&b);
    let space = quick().memory(Memory::Folder(folder.clone()));
    let stop_after = |times: usize| {
        let mut count = 0;
        tune_with(&kernel, &arguments, &space, |p| {
            count += usize::from(matches!(p, Progress::Timed { .. }));
            if count >= times { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    };
    assert!(matches!(stop_after(0), Err(TuneError::Stopped)));
    assert!(!folder.join("tuned").exists());
    let stopped = stop_after(2).unwrap();
    assert_eq!(stopped.source(), Source::Stopped { checked_by: Reviewer::Cpu });
    let timed = |t: &Tuned<Predicted>| {
        t.candidates().iter().filter(|c| matches!(c.outcome, Outcome::Timed(_))).count()
    };
    assert_eq!(timed(&stopped), 2);
    assert!(stopped.candidates().iter().any(|c| matches!(c.outcome, Outcome::Dropped(Dropped::Stopped))));
    assert!(std::fs::read_to_string(file(&folder)).unwrap().contains("\"complete\": false"));
    // The next search goes on from there: its first candidate is the best so far.
    let mut tried = vec![];
    let whole = tune_with(&kernel, &arguments, &space, |p| {
        if let Progress::Trying { choice, .. } = p {
            tried.push(choice);
        }
        ControlFlow::Continue(())
    });
    let whole = whole.unwrap();
    assert_eq!((whole.source(), &tried[0]), (Source::Search { checked_by: Reviewer::Cpu }, stopped.choice()));
    assert!(timed(&whole) >= 3 && whole.figure() <= stopped.figure());
    assert_eq!(tune(&kernel, &arguments, &space).unwrap().source(), Source::Remembered);
}

/// What is right for similar inputs may race on these, or promise a size that they have not.
#[test]
fn remembered_commands_are_compared_with_what_they_are_for() {
    let (sim, kernel) = (Sim::new(), Tunable::parse(spmv::TEXT).unwrap());
    let row: AtomicParallelism = "<32 row, 1 col>, 1".parse().unwrap();
    let space = |name: &str, commands: &str| {
        Space::all().finalists(1).memory(Memory::Folder(folder(name))).points([row]).schedule(commands)
    };
    // Eight entries a row, which chunks of eight are the rows of; and here and there seven and nine.
    let matrix = |rows: usize, uneven: bool| {
        let length = move |i: usize| match i % 100 {
            0 if uneven => 7,
            1 if uneven => 9,
            _ => 8,
        };
        let entries = (0..rows).flat_map(|i| (0..length(i)).map(move |k| ([i, k * 5], 1.0)));
        Csr::<f64>::from_triplets([rows, 80], entries).unwrap()
    };
    let x = DenseVec::<f64>::full([80], 2.0);
    let run = |space: &Space, a: &Csr<f64>| {
        let (on_a, on_x) = (a.to(&sim).unwrap(), x.to(&sim).unwrap());
        let arguments = Arguments::new().tensor(&on_a).tensor(&on_x);
        let mut ignored = vec![];
        let tuned = tune_with(&kernel, &arguments, space, |p| {
            ignored.extend(match p {
                Progress::Ignored { why, .. } => Some(why),
                _ => None,
            });
            ControlFlow::Continue(())
        });
        let tuned = tuned.unwrap();
        let y = tuned.run::<DenseVec<f64>, _>(&arguments).unwrap().to_host().unwrap();
        assert!(y.approx_eq(&spmv(a, &x).unwrap(), 1e-9));
        (tuned.source(), matches!(tuned.choice(), Choice::Commands(_)), ignored.join("\n"))
    };
    let racing = "fuse(i, j, f); pos(f, p, A[i, j]); split(p, q, e, 8); split(q, b, t, 64); \
                  parallelize(b, GPUBlock, IgnoreRaces); parallelize(t, GPUThread, IgnoreRaces);";
    let bound = "bound(i, ib, 2000, MaxExact); split(ib, b, t, 64); parallelize(b, GPUBlock, NoRaces); \
                 parallelize(t, GPUThread, NoRaces);";
    let [races, bounds] = [space("racing", racing), space("bound", bound)];
    let of_search = Source::Search { checked_by: Reviewer::Cpu };
    let cases = [
        (races, matrix(4000, false), matrix(4000, true)),
        (bounds, matrix(2000, false), matrix(2001, false)),
    ];
    for (space, one, other) in cases {
        let (source, commands, ignored) = run(&space, &one);
        assert_eq!((source, ignored), (of_search, String::new()));
        assert_eq!(run(&space, &one), (Source::Remembered, commands, String::new()));
        // Commands are the ones that were remembered, and are none for the other.
        assert!(commands, "the point is no slower");
        let (source, commands, ignored) = run(&space, &other);
        assert!(source == of_search && !commands, "{source:?}");
        assert!(ignored.contains("its schedule is not for these inputs"), "{ignored}");
    }
}

/// Whoever stops at a file that holds no result is not asked again.
#[test]
fn a_search_is_stopped_by_an_ignored_file() {
    let folder = folder("ignored");
    let (sim, kernel) = (Sim::new(), Tunable::parse(spmm::TEXT).unwrap());
    let a = csr(300, 200, 5.0).to(&sim).unwrap();
    let b = DenseMat::<f32>::random([200, 4], 1).to(&sim).unwrap();
    let arguments = Arguments::new().tensor(&a).tensor(&b);
    let space = quick().memory(Memory::Folder(folder.clone()));
    tune(&kernel, &arguments, &space).unwrap();
    std::fs::write(file(&folder), "{").unwrap();
    let mut heard = vec![];
    let stopped = tune_with(&kernel, &arguments, &space, |p| {
        let ends = matches!(p, Progress::Ignored { .. });
        heard.push(p);
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(matches!(stopped, Err(TuneError::Stopped)), "{heard:?}");
    assert_eq!(heard.len(), 1, "{heard:?}");
}

#[test]
fn spaces_are_restricted_and_extended() {
    let (sim, kernel) = (Sim::new(), Tunable::parse(spmm::TEXT).unwrap());
    let a = csr(300, 200, 5.0).to(&sim).unwrap();
    let b = DenseMat::<f32>::random([200, 4], 1).to(&sim).unwrap();
    let arguments = Arguments::new().tensor(&a).tensor(&b);
    let points = ["<1/4 row, 4 col>, 4", "<8 nnz, 4 col>, 8, threads = 64"].map(|p| p.parse().unwrap());
    let commands = "split(i, block, thread, 32); parallelize(block, GPUBlock, NoRaces); \
                    parallelize(thread, GPUThread, NoRaces);";
    let space = quick().points(points).schedule(commands).schedule("split(i, a, b);").limits(Limits::none());
    let tuned = tune(&kernel, &arguments, &space).unwrap();
    assert_eq!(tuned.candidates().len(), 4, "{tuned}");
    let of = |text: &str| tuned.candidates().iter().find(|c| c.choice.to_string().contains(text)).unwrap();
    for timed in ["<1/4 row", "<8 nnz", "thread, 32"] {
        assert!(matches!(of(timed).outcome, Outcome::Timed(_)), "{tuned}");
    }
    assert!(matches!(of("split(i, a, b)").outcome, Outcome::Dropped(Dropped::Illegal { .. })), "{tuned}");
    // What is printed can be pasted.
    for candidate in tuned.candidates().iter().filter(|c| matches!(c.outcome, Outcome::Timed(_))) {
        let pasted = format!("{} {}", spmm::TEXT, candidate.choice.schedule());
        assert!(Tunable::parse(&pasted).is_ok(), "{pasted}");
    }
}

#[test]
fn threads_may_share_what_is_tuned() {
    fn shared<T: Send + Sync>() {}
    shared::<(Tunable, Space, Tuned<Predicted>, TuneError, Model)>();
}

#[test]
fn mistakes_are_errors() {
    let sim = Sim::new();
    let a = csr(30, 20, 3.0);
    let b = DenseMat::<f32>::random([20, 4], 1).to(&sim).unwrap();
    let kernel = Tunable::parse(spmm::TEXT).unwrap();
    let on_a = a.to(&sim).unwrap();
    let fails = |kernel: &Tunable, arguments: &Arguments<'_, Sim>, space: &Space| {
        tune(kernel, arguments, space).unwrap_err()
    };
    let one = Arguments::new().tensor(&on_a);
    let error = fails(&kernel, &one, &quick());
    assert!(matches!(error, TuneError::ArgumentCount { expected_tensors: 2, tensors: 1, .. }), "{error}");
    assert!(matches!(fails(&kernel, &Arguments::new(), &quick()), TuneError::ArgumentCount { .. }));
    let doubles = a.cast::<f64>().to(&sim).unwrap();
    let error = fails(&kernel, &Arguments::new().tensor(&doubles).tensor(&b), &quick());
    assert_eq!(error.to_string(), "`A` is of type f64, but the kernel has it as f32: convert it first");
    let in_place = Tunable::parse(accumulate::TEXT).unwrap();
    let c = DenseMat::<f32>::random([30, 4], 1).to(&sim).unwrap();
    let arguments = Arguments::new().tensor(&c).tensor(&on_a).tensor(&b).scalar(0.5f64);
    let error = fails(&in_place, &arguments, &quick());
    assert_eq!(error.to_string(), "`beta` is of type f64, but the kernel has it as f32: convert it first");
    let csc = a.convert::<Reordered<(Dense, Compressed), 1, 0>>().unwrap().to(&sim).unwrap();
    let error = fails(&kernel, &Arguments::new().tensor(&csc).tensor(&b), &quick());
    assert!(matches!(&error, TuneError::Format { tensor, .. } if tensor == "A"), "{error}");
    assert!(error.to_string().contains("(Dense, Compressed) in the order (1, 0), but"), "{error}");
    let elsewhere = DenseMat::<f32>::random([20, 4], 1).to(&Sim::new()).unwrap();
    let error = fails(&kernel, &Arguments::new().tensor(&on_a).tensor(&elsewhere), &quick());
    assert!(
        matches!(&error, TuneError::Device(Error::DifferentDevices { second, .. }) if second == "B"),
        "{error}"
    );
    let small = DenseMat::<f32>::random([19, 4], 1).to(&sim).unwrap();
    let error = fails(&kernel, &Arguments::new().tensor(&on_a).tensor(&small), &quick());
    assert!(matches!(error, TuneError::Device(Error::DimensionMismatch { .. })), "{error}");

    let sum = Tunable::parse(add::TEXT).unwrap();
    let error = fails(&sum, &Arguments::new().tensor(&on_a).tensor(&on_a), &quick());
    assert!(matches!(&error, TuneError::NothingToTune(why) if why.contains("2 sparse operands")), "{error}");
    let arguments = Arguments::new().tensor(&on_a).tensor(&b);
    // Points that are no points cost nothing: nobody computes with their zeros.
    let point = AtomicParallelism::new(Data::Row(Amount::Part(8)), Amount::Whole(4), 8);
    for wrong in [
        AtomicParallelism { threads: 0, ..point },
        AtomicParallelism { rows: 0, ..point },
        AtomicParallelism { group: 0, ..point },
        AtomicParallelism { columns: Amount::Whole(0), ..point },
        AtomicParallelism { columns: Amount::Part(0), ..point },
        AtomicParallelism { data: Data::Row(Amount::Part(0)), ..point },
        AtomicParallelism { data: Data::Nnz(Amount::Whole(0)), ..point },
    ] {
        let error = fails(&kernel, &arguments, &quick().points([wrong]));
        assert!(matches!(error, TuneError::NothingLeft(_)), "{wrong:?}: {error}");
    }
    for (space, names) in [(quick().points([]), "`Space::points`"), (quick().threads([]), "`Space::threads`")]
    {
        let text = fails(&kernel, &arguments, &space).to_string();
        assert!(text.contains("the space is empty, because ") && text.contains(names), "{text}");
    }
    // The rule that most points break stands first, and once.
    for threads in [&[0][..], &[33, 100, 2048]] {
        let text = fails(&kernel, &arguments, &quick().threads(threads.iter().copied())).to_string();
        let lines: Vec<&str> = text.lines().collect();
        let whole_warps =
            format!(": a block of {} threads is not whole warps, at most 32 of them (<", threads[0]);
        assert!(lines[1].contains(&whole_warps) && lines[1].matches('<').count() == 1, "{text}");
        assert_eq!(lines.len(), 2, "{text}");
    }
    let error = fails(&kernel, &arguments, &quick().points([]).schedule("nonsense"));
    assert!(matches!(&error, TuneError::NothingLeft(table) if table.contains("nonsense")), "{error}");
    assert!(matches!(Tunable::parse("fn f("), Err(TuneError::Kernel(_))));
}

tensor_kernel! {
    fn pooled(A: Csr<f32>, X: DenseMat<f32>) -> Tensor<f32, Filled<(Dense, Dense), NegInf>> {
        H[i, f] max= A[i, j] * X[j, f];
    }
}

/// A kernel without entries has nothing to do, however many elements its other loops would have.
#[test]
fn products_of_sizes_may_pass_64_bits() {
    let sim = Sim::new();
    let a = Csr::<u8>::from_triplets([3, 3], []).unwrap().to(&sim).unwrap();
    let v = DenseVec::<u8>::full([1 << 20], 1).to(&sim).unwrap();
    let arguments = Arguments::new().tensor(&a).tensor(&v).tensor(&v).tensor(&v).tensor(&v);
    let vectors = "s: DenseVec<u8>, t: DenseVec<u8>, u: DenseVec<u8>, v: DenseVec<u8>";
    let product = "A[i, j] * s[k] * t[l] * u[m] * v[n]";
    for (result, left) in [("Csr<u8>", "B[i, j]"), ("DenseVec<u8>", "y[i]")] {
        let text = format!("fn k(A: Csr<u8>, {vectors}) -> {result} {{ {left} = {product}; }}");
        tune(&Tunable::parse(&text).unwrap(), &arguments, &quick()).unwrap();
    }
    // A result that nobody has room for.
    let text = format!(
        "fn k(A: Csr<u8>, {vectors}) -> Tensor<u8, (Dense, Dense, Dense, Dense, Dense)> {{ Y[i, k, l, m, n] = {product}; }}"
    );
    let found = tune(&Tunable::parse(&text).unwrap(), &arguments, &quick());
    assert!(matches!(found, Err(TuneError::Device(Error::TooManyEntries { .. }))), "{found:?}");
}

/// Where nothing is left each reason stands once, not once a candidate.
#[test]
fn reasons_why_nothing_is_left_are_few() {
    let sim = Sim::new();
    let a = csr(60, 50, 6.0).to(&sim).unwrap();
    let x = DenseMat::<f32>::random([50, 4], 1).to(&sim).unwrap();
    let arguments = Arguments::new().tensor(&a).tensor(&x);
    let points =
        ["<1/8 row, 4 col>, 8", "<8 nnz, 4 col>, 8", "<1 nnz, 4 col>, 8"].map(|p| p.parse().unwrap());
    let space = Space::all().points(points).memory(Memory::None);
    let error =
        tune(&Tunable::parse(pooled::TEXT).unwrap(), &arguments, &space).map(|t| t.to_string()).unwrap_err();
    let text = error.to_string();
    assert!(text.lines().count() <= 4 && text.contains(" of them: "), "{text}");
    println!("{text}");
}
