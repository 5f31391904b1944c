//! Instruction sets that generated code is compiled for, and the choice among them.
//!
//! A kernel's body is one `#[inline(always)]` function generic over [`Isa`]; a wrapper an instruction set enables
//! the target features and passes the marker. The choice is made once a call, outside all loops. What a thread runs
//! comes back to such a wrapper by the marker ([`Isa::run`]).

use super::loops::{aligned, cold, unforeseen};
use super::vector::{Quad, Vector};
use super::{Chunk, Float, IndexArray, Load, MulAdd, Task};
use std::sync::atomic::{AtomicU8, Ordering};

/// Rows of so many entries on average are summed by fours.
const ENTRIES: usize = 3;

/// What differs between instruction sets in the source of a kernel: is there a fused multiply-add?
///
/// # Safety
/// A value of the type exists only where the processor has the instruction set of [`LEVEL`](Isa::LEVEL), of its vectors
/// and of its quads: the methods execute them. So no safe function makes a marker of more than the build's own target
/// has.
///
/// ```compile_fail,E0200
/// use sparse_core::rt::{Float, Isa, Level};
/// #[derive(Clone, Copy)]
/// struct Mine;
/// impl Isa for Mine {
///     const LEVEL: Level = Level::Avx512;
///     const FMA: bool = true;
///     const TILE: u64 = 1024;
///     type Vector<T: Float> = T::Avx512;
///     type Quad<T: Float> = T::Quad;
/// }
/// ```
pub unsafe trait Isa: Copy + Send + Sync {
    /// Which it is.
    const LEVEL: Level;

    /// Is `mul_add` one instruction? Where it is not, it would be a library call.
    const FMA: bool;

    /// Bytes of a register tile, of which loops keep up to two: half of the vector registers at most, as factors need
    /// some, too.
    const TILE: u64;

    /// Does it keep a tile of so many bytes in registers?
    #[inline(always)]
    fn fits(self, bytes: u64) -> bool {
        bytes <= Self::TILE
    }

    /// `a * b + c`, fused where the hardware can.
    #[inline(always)]
    fn mul_add<T: MulAdd>(self, a: T, b: T, c: T) -> T {
        if Self::FMA { a.fused(b, c) } else { a * b + c }
    }

    /// Its vectors.
    type Vector<T: Float>: Vector<T>;

    /// Its vectors of four.
    type Quad<T: Float>: Quad<T>;

    /// How many elements a vector has.
    #[inline(always)]
    fn width<T: Float>(self) -> usize {
        Self::Vector::<T>::LANES
    }

    /// The same value in every element.
    #[inline(always)]
    fn splat<T: Float>(self, value: T) -> Self::Vector<T> {
        // SAFETY: whoever made the marker promised that the processor has the instruction set.
        unsafe { Self::Vector::<T>::splat(value) }
    }

    /// Adjacent elements of an array.
    ///
    /// # Safety
    /// `i..i + width` is in bounds and initialised.
    #[inline(always)]
    unsafe fn load<T: Float>(self, array: &(impl Load<T> + ?Sized), i: usize) -> Self::Vector<T> {
        // SAFETY: the caller's promise, and the marker's as in `splat`.
        unsafe { Self::Vector::<T>::load(array.address(i)) }
    }

    /// The same value in four elements.
    #[inline(always)]
    fn four<T: Float>(self, value: T) -> Self::Quad<T> {
        // SAFETY: as in `splat`.
        unsafe { Self::Quad::<T>::splat(value) }
    }

    /// Four adjacent elements of an array.
    ///
    /// # Safety
    /// `i..i + 4` is in bounds and initialised.
    #[inline(always)]
    unsafe fn load_four<T: Float>(self, array: &(impl Load<T> + ?Sized), i: usize) -> Self::Quad<T> {
        // SAFETY: the caller's promise, and the marker's as in `splat`.
        unsafe { Self::Quad::<T>::load(array.address(i)) }
    }

    /// Four adjacent indices.
    ///
    /// # Safety
    /// `i..i + 4` is in bounds and initialised.
    #[inline(always)]
    unsafe fn four_indices(self, array: &(impl IndexArray + ?Sized), i: usize) -> [usize; 4] {
        // SAFETY: the caller's promise. Two loads of two indices each take less than four of one.
        let [a, b] = unsafe { array.address(i).cast::<[u64; 2]>().read_unaligned() };
        let halves = |pair: u64| {
            let (first, second) = (pair as u32 as usize, (pair >> 32) as usize);
            if cfg!(target_endian = "little") { (first, second) } else { (second, first) }
        };
        let ((a, b), (c, d)) = (halves(a), halves(b));
        [a, b, c, d]
    }

    /// The same by fewer instructions and more loads, for the end of a row: if it is short, instructions count.
    ///
    /// # Safety
    /// As for [`four_indices`](Isa::four_indices).
    #[inline(always)]
    unsafe fn last_four_indices(self, array: &(impl IndexArray + ?Sized), i: usize) -> [usize; 4] {
        // SAFETY: the caller's promise.
        std::array::from_fn(|l| unsafe { array.index(i + l) })
    }

    /// Four elements from anywhere.
    #[inline(always)]
    fn pick<T: Float>(self, element: impl Fn(usize) -> T) -> Self::Quad<T> {
        // SAFETY: as in `splat`.
        unsafe { Self::Quad::<T>::of([element(0), element(1), element(2), element(3)]) }
    }

    /// Are a level's entries summed by fours, its rows being long enough on average?
    #[inline(always)]
    fn in_fours(self, pos: &[i32], crd: &[i32]) -> bool {
        ENTRIES * pos.len() <= crd.len()
    }

    /// Are a row's last entries read with what lies behind them?
    #[inline(always)]
    fn over_the_end(self) -> bool {
        true
    }

    /// Is said where a row's last entries are summed one by one: at the end of all, if the others are read over the end.
    #[inline(always)]
    fn to_the_end(self) {
        cold();
    }

    /// The first position of a short row that has some.
    #[inline(always)]
    fn first_entry(self, position: usize) -> usize {
        aligned(position)
    }

    /// The position after this one of a short row.
    #[inline(always)]
    fn next_entry(self, position: usize) -> usize {
        unforeseen(position + 1)
    }

    /// Runs a part of a loop, compiled for it.
    ///
    /// # Safety
    /// As for [`Task::run`], but for the instruction set: whoever made the marker promised that the processor has it.
    #[inline]
    unsafe fn run<T: Task>(self, task: &T, chunk: Chunk<'_>) -> T::Appended {
        // SAFETY: the caller's promise.
        unsafe { task.run(Self::LEVEL, chunk) }
    }
}

/// What the build's own target has: SSE2 on plain x86-64.
#[derive(Clone, Copy, Debug)]
pub struct Baseline;

// SAFETY: it is what the build assumes of every processor; its vectors are of that.
unsafe impl Isa for Baseline {
    const LEVEL: Level = Level::Baseline;
    const FMA: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));
    // 32 registers of 16 bytes, or 16.
    const TILE: u64 = if cfg!(target_arch = "aarch64") { 256 } else { 128 };
    type Vector<T: Float> = T::Baseline;
    type Quad<T: Float> = T::Baseline;
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

// SAFETY: whoever made it by `assume` promised that the processor has it.
unsafe impl Isa for Avx2 {
    const LEVEL: Level = Level::Avx2;
    const FMA: bool = true;
    const TILE: u64 = 256;
    type Vector<T: Float> = T::Avx2;
    type Quad<T: Float> = T::Quad;
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

// SAFETY: whoever made it by `assume` promised that the processor has it.
unsafe impl Isa for Avx512 {
    const LEVEL: Level = Level::Avx512;
    const FMA: bool = true;
    const TILE: u64 = 1024;
    type Vector<T: Float> = T::Avx512;
    type Quad<T: Float> = T::Quad;
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
