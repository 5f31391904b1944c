//! Registers, estimated and counted.

use crate::launch::Kernel;
use crate::tune::registers::{check, estimate};
use crate::tune::tunable::Parsed;
use crate::tune::{Choice, Dropped, Limits, Model, Target};

const SPMM: &str = "fn spmm(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }";

fn target(architecture: u32) -> Target {
    Target { architecture, driver: None }
}

fn kernel(point: &str) -> Kernel {
    let point = point.parse().unwrap();
    Parsed::of(SPMM).unwrap().compile(&Choice::Point(point)).unwrap()
}

fn estimated(point: &str) -> u32 {
    let kernel = kernel(point);
    let (launch, _) = kernel.launches().next().unwrap();
    estimate(kernel.program(), launch)
}

#[test]
fn variables_are_counted() {
    let [one, four, many] = ["<1 row, 1 col>, 1", "<1 row, 4 col>, 1", "<1 row, 32 col>, 1"].map(estimated);
    assert!(one < four && four < many, "{one} {four} {many}");
    assert!(many >= one + 31, "a sum for each column: {one} {many}");
    assert!((12..64).contains(&one), "{one}");
}

#[test]
fn kernels_that_need_too_many_are_dropped() {
    let (kernel, model) = (kernel("<1 row, 32 col>, 1, threads = 1024"), Model::h200());
    let few = Limits { registers: 24, ..Limits::default() };
    let dropped = check(&kernel, &few, &model, target(90));
    assert!(
        matches!(dropped, Some(Dropped::Registers { needed, most: 24, counted: false }) if needed > 24),
        "{dropped:?}"
    );
    // A block's registers are a multiprocessor's at most.
    let small = Model { registers: 1 << 14, ..model.clone() };
    let dropped = check(&kernel, &Limits::none(), &small, target(90));
    assert!(matches!(dropped, Some(Dropped::Registers { most: 16, .. })), "{dropped:?}");
    assert_eq!(check(&kernel, &Limits::none(), &model, target(0)), None, "no NVRTC knows this architecture");
}

/// What is estimated passes here, and the compiler's count does not. Only where there is an NVRTC.
#[cfg(feature = "cuda")]
#[test]
fn what_nvrtc_counts_decides() {
    let Ok(nvrtc) = crate::nvrtc::Compiler::load(None) else { return };
    if nvrtc.check_architecture(90).is_err() {
        return;
    }
    for point in ["<1 row, 4 col>, 1", "<1/8 row, 4 col>, 8", "<8 nnz, 4 col>, 8"] {
        let (kernel, model) = (kernel(point), Model::h200());
        assert_eq!(check(&kernel, &Limits::default(), &model, target(90)), None);
        let compiled = nvrtc.compile(kernel.source(), "spmm.cu", 90, &[]).unwrap();
        let counted = compiled.usage()[0].registers;
        println!("{point}: {} estimated, {counted} counted", estimated(point));
        let (low, high) = (counted / 3, counted * 3);
        assert!(
            (low..high).contains(&estimated(point)),
            "{point}: {counted}, {} estimated",
            estimated(point)
        );
    }
}
