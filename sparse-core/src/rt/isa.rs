//! Instruction sets that generated code is compiled for, and the choice among them.
//!
//! A kernel's body is one `#[inline(always)]` function generic over [`Isa`]; a wrapper an instruction set enables
//! the target features and passes the marker. The choice is made once a call, outside all loops.

use super::{Float, LaneSum};
use std::sync::atomic::{AtomicU8, Ordering};

/// What differs between instruction sets in the source of a kernel: is there a fused multiply-add?
pub trait Isa: Copy {
    /// Is `mul_add` one instruction? Where it is not, it would be a library call.
    const FMA: bool;

    /// `a * b + c`, fused where the hardware can.
    #[inline(always)]
    fn mul_add<T: Float>(self, a: T, b: T, c: T) -> T {
        if Self::FMA { a.fused(b, c) } else { a * b + c }
    }

    /// The sum of all lanes.
    fn sum<T: LaneSum, const N: usize>(self, lanes: [T; N]) -> T;
}

/// What the build's own target has: SSE2 on plain x86-64.
#[derive(Clone, Copy, Debug)]
pub struct Baseline;

impl Isa for Baseline {
    const FMA: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

    #[inline(always)]
    fn sum<T: LaneSum, const N: usize>(self, lanes: [T; N]) -> T {
        T::sum_baseline(lanes)
    }
}

/// AVX2 with fused multiply-add.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// The processor has it.
    ///
    /// # Safety
    /// It does, with all that its wrapper enables.
    #[inline(always)]
    pub unsafe fn assume() -> Self {
        Avx2(())
    }
}

impl Isa for Avx2 {
    const FMA: bool = true;

    #[inline(always)]
    fn sum<T: LaneSum, const N: usize>(self, lanes: [T; N]) -> T {
        // SAFETY: whoever made the marker promised that the processor has the instructions.
        unsafe { T::sum_avx2(lanes) }
    }
}

/// AVX-512 F, VL, DQ and BW.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

impl Avx512 {
    /// The processor has it.
    ///
    /// # Safety
    /// It does, with all that its wrapper enables.
    #[inline(always)]
    pub unsafe fn assume() -> Self {
        Avx512(())
    }
}

impl Isa for Avx512 {
    const FMA: bool = true;

    #[inline(always)]
    fn sum<T: LaneSum, const N: usize>(self, lanes: [T; N]) -> T {
        // SAFETY: whoever made the marker promised that the processor has the instructions.
        unsafe { T::sum_avx512(lanes) }
    }
}

/// The best instruction set of the running processor, among those that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// [`Baseline`]
    Baseline = 1,
    /// [`Avx2`]
    Avx2 = 2,
    /// [`Avx512`]
    Avx512 = 3,
}

/// The instruction set to use, detected on the first call. `SPARSE_GPU_ISA=baseline` or `avx2` in the environment
/// keeps to less than the processor has, to test and compare.
#[inline]
pub fn isa() -> Level {
    static LEVEL: AtomicU8 = AtomicU8::new(0);
    match LEVEL.load(Ordering::Relaxed) {
        1 => Level::Baseline,
        2 => Level::Avx2,
        3 => Level::Avx512,
        _ => {
            let level = detect();
            LEVEL.store(level as u8, Ordering::Relaxed);
            level
        }
    }
}

#[cold]
fn detect() -> Level {
    let most = match std::env::var("SPARSE_GPU_ISA").as_deref() {
        Ok("baseline") => Level::Baseline,
        Ok("avx2") => Level::Avx2,
        _ => Level::Avx512,
    };
    hardware().min(most)
}

#[cfg(target_arch = "x86_64")]
fn hardware() -> Level {
    let avx2 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi2");
    let avx512 = avx2
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw");
    match (avx512, avx2) {
        (true, _) => Level::Avx512,
        (_, true) => Level::Avx2,
        _ => Level::Baseline,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn hardware() -> Level {
    Level::Baseline
}
