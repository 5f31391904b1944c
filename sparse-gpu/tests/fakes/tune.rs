//! Tuning on a GPU that is none: times are measured, wrong results and failures are seen, results are kept.

use crate::fake::{self, Fake, with};
use sparse_gpu::Told;
use sparse_gpu::prelude::*;
use sparse_gpu::tune::{Arguments, Measured, Meter, Model, Source, Space, Tunable, TuneError, Tuned, tune};
use std::time::Duration;

/// The fake's driver has this kernel, for whatever schedule has these parameters.
const SPMV: &str =
    "fn spmv(A: Csr<f64>, x: DenseVec<f64>, alpha: f64) -> DenseVec<f64> { y[i] = alpha * A[i, j] * x[j]; }";

/// Points whose kernels take what the fake's takes. The array that keeps a GPU busy needs memory.
fn space() -> Space {
    Space::all().points(["<1 row, 1 col>, 1", "<1/4 row, 1 col>, 4"].map(|p| p.parse().unwrap()))
}

fn run(text: &str) -> Result<Tuned<Measured>, TuneError> {
    let gpu = Cuda::new(0).unwrap();
    let (a, x) = (Csr::<f64>::random_sparse([100, 50], 0.1, 3), DenseVec::<f64>::random([50], 4));
    let (a, x) = (a.to(&gpu).unwrap(), x.to(&gpu).unwrap());
    let arguments = Arguments::new().tensor(&a).tensor(&x).scalar(2.0);
    tune(&Tunable::parse(text).unwrap(), &arguments, &space())
}

fn launches() -> usize {
    fake::trace().iter().filter(|l| *l == "launch").count()
}

#[test]
fn times_are_measured_and_remembered() {
    let fake = Fake::new("tune::times_are_measured_and_remembered").cuda("memory=100000000,query=600");
    with(fake, || {
        let tuned = run(SPMV).unwrap();
        // Between any two events of the fake are five milliseconds.
        assert_eq!(tuned.figure(), Measured(Duration::from_millis(5)));
        assert!(
            tuned.to_string().contains("measured") && !tuned.to_string().contains("predicted"),
            "{tuned}"
        );
        // For each point one run whose result is checked, two to warm up, one that tells how long it takes, fifteen that
        // count, and one before every five of them.
        let runs = 2 * (1 + 3 + 3 * (1 + 5));
        assert_eq!((tuned.candidates().len(), launches()), (2, runs));
        let again = run(SPMV).unwrap();
        assert_eq!((again.source(), again.choice(), launches()), (Source::Remembered, tuned.choice(), runs));
        let folder = std::path::PathBuf::from(std::env::var_os("SPARSE_CACHE").unwrap()).join("tuned");
        let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains("\"measured\"") && text.contains("Fake 0, sm_90, driver 12.8"), "{text}");
        fake::set_cache(None);
        assert!(matches!(run(SPMV).unwrap().source(), Source::Search { .. }));
    });
}

#[test]
fn times_count_when_the_host_is_ahead() {
    let fake = Fake::new("tune::times_count_when_the_host_is_ahead").cuda("memory=100000000");
    with(fake, || {
        let gpu = Cuda::new(0).unwrap();
        let calls = std::cell::Cell::new(0);
        let times = |samples| {
            calls.set(0);
            let times = gpu.times(samples, &mut || {
                calls.set(calls.get() + 1);
                Ok(())
            });
            (times.unwrap(), calls.get())
        };
        let all = vec![Duration::from_millis(5); 7];
        // The GPU has always done everything: four batches are given up, and then it is as it is.
        assert_eq!(times(7), (all.clone(), 3 + 4 * 6 + 6 + 3));
        fake::set_cuda("memory=100000000,query=600");
        assert_eq!(times(7), (all.clone(), 3 + 6 + 3));
        let with_host = gpu.times_with_host(7, &mut || Ok(())).unwrap();
        assert_eq!(with_host, all);
    });
}

#[test]
fn the_model_has_the_cache_of_the_device() {
    let fake = Fake::new("tune::the_model_has_the_cache_of_the_device").cuda("cache=12582912");
    with(fake, || {
        let gpu = Cuda::new(0).unwrap();
        assert_eq!(gpu.second_level_cache(), Some(12 << 20));
        assert_eq!(gpu.model().second_level_bytes, 12.0 * 1024.0 * 1024.0);
    });
}

#[test]
fn a_cache_that_the_driver_does_not_know_is_an_h200s() {
    with(Fake::new("tune::a_cache_that_the_driver_does_not_know_is_an_h200s"), || {
        let gpu = Cuda::new(0).unwrap();
        assert_eq!(gpu.second_level_cache(), None);
        assert_eq!(gpu.model().second_level_bytes, Model::h200().second_level_bytes);
    });
}

#[test]
fn the_model_has_the_memory_of_the_device() {
    let settings = "memory-clock=2619000,bus=5120";
    with(Fake::new("tune::the_model_has_the_memory_of_the_device").cuda(settings), || {
        let model = Cuda::new(0).unwrap().model();
        assert_eq!((model.memory, model.told), (3.35232e12, Told::Driver));
    });
}

#[test]
fn a_memory_that_nobody_knows_is_said_to_be_unknown() {
    with(Fake::new("tune::a_memory_that_nobody_knows_is_said_to_be_unknown"), || {
        let model = Cuda::new(0).unwrap().model();
        assert_eq!((model.memory, model.told), (Model::h200().memory, Told::Nobody));
    });
}

#[test]
fn a_wrong_result_has_no_time() {
    let fake = Fake::new("tune::a_wrong_result_has_no_time").cuda("memory=100000000");
    with(fake, || {
        // The fake computes something else than this.
        let error = run(&SPMV.replace("* x[j]", "* x[j] * x[j]")).unwrap_err();
        assert!(
            matches!(&error, TuneError::NothingLeft(t) if t.contains("its result is wrong: value 0")),
            "{error}"
        );
        assert_eq!(launches(), 2);
    });
}

#[test]
fn a_gpu_that_fails_says_so() {
    let fake = Fake::new("tune::a_gpu_that_fails_says_so").cuda("launch=700,memory=100000000");
    with(fake, || {
        let error = run(SPMV).unwrap_err();
        assert!(matches!(&error, TuneError::NothingLeft(t) if t.contains("it failed: ")), "{error}");
    });
}
