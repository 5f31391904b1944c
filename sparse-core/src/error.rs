//! What can go wrong with tensors and files at run time, as one enum with typed fields.
//!
//! Mistakes in index notation are compile-time [diagnostics](crate::diag); this is for data.

use crate::scalar::DType;

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One of the arrays that store a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Array {
    /// Where each parent's children begin.
    Pos,
    /// Coordinates.
    Crd,
    /// Values.
    Vals,
}

impl std::fmt::Display for Array {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Array::Pos => "pos",
            Array::Crd => "crd",
            Array::Vals => "vals",
        })
    }
}

/// Why levels in this order make no format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormatProblem {
    /// A singleton has one coordinate a parent position, and the root has one position only.
    SingletonAtRoot,
    /// Children of equal coordinates are read as one range, which dense fibers can't be.
    DenseBelowNonUnique,
    /// The mode order isn't a permutation of the dimensions.
    NotAPermutation,
    /// More than six dimensions.
    RankTooLarge,
}

impl std::fmt::Display for FormatProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            FormatProblem::SingletonAtRoot => "Singleton can't be the first level: use Compressed",
            FormatProblem::DenseBelowNonUnique => {
                "Dense can't stand below a level that is not unique: make the level above unique, or this one Compressed"
            }
            FormatProblem::NotAPermutation => "the mode order must name every dimension once",
            FormatProblem::RankTooLarge => "a tensor has at most 6 dimensions",
        })
    }
}

/// Which dimensions were found: of an array of values, how many those are.
fn shapes(expected: &[usize], found: &[usize]) -> String {
    match found {
        [values] if expected.len() != 1 => {
            let elements = expected.iter().map(|&n| n as u128).fold(1, u128::saturating_mul);
            format!("{values} values for dimensions {expected:?}, which have {elements} elements")
        }
        _ => format!("dimensions are {found:?}, expected {expected:?}"),
    }
}

/// Sizes as a product.
fn product(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ")
}

/// What went wrong with a tensor or a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two tensors disagree on the size of a dimension that one index variable names in both.
    #[error(
        "index variable `{variable}` has size {first_size} in `{first}` but {second_size} in `{second}`: \
         the two dimensions must be equal"
    )]
    DimensionMismatch {
        /// The index variable.
        variable: String,
        /// A tensor that it indexes.
        first: String,
        /// The dimension's size there.
        first_size: usize,
        /// Another tensor that it indexes.
        second: String,
        /// The dimension's size there.
        second_size: usize,
    },
    /// A dimension's size is not what the kernel's schedule promises with `bound`.
    #[error(
        "index variable `{variable}` has size {size} in `{tensor}`, but the kernel's schedule promises {promise}: call it with such tensors, or take the `bound` out of the schedule"
    )]
    BrokenBound {
        /// The index variable.
        variable: String,
        /// A tensor that it indexes.
        tensor: String,
        /// The dimension's size there.
        size: usize,
        /// The promise, in words.
        promise: String,
    },
    /// A loop over all coordinates of several dimensions, or with stored entries, would have more iterations than can be counted.
    #[error(
        "the loop `{variable}` has {} iterations, which are more than 2^62: fuse fewer variables in the kernel's schedule, or \
         the coordinates that are stored, with `pos`", product(.sizes)
    )]
    FusedTooLong {
        /// The loop.
        variable: String,
        /// How many entries and coordinates it goes through, which together are its iterations.
        sizes: Vec<usize>,
    },
    /// A tensor has other dimensions than it should.
    #[error("{}", shapes(.expected, .found))]
    ShapeMismatch {
        /// Dimensions that were asked for.
        expected: Vec<usize>,
        /// Dimensions that were found.
        found: Vec<usize>,
    },
    /// There is not one coordinate a dimension for each entry.
    #[error(
        "{found} coordinates for {entries} entries of {rank} dimensions: each entry has one a dimension, \
         {} in all", *.entries as u128 * *.rank as u128
    )]
    CoordinateCount {
        /// Number of entries: of their values.
        entries: usize,
        /// Number of dimensions.
        rank: usize,
        /// Number of coordinates.
        found: usize,
    },
    /// A tensor or an entry has another number of dimensions than its format.
    #[error("{found} dimensions, but the format has {expected}")]
    RankMismatch {
        /// The format's rank.
        expected: usize,
        /// The number of dimensions that was given.
        found: usize,
    },
    /// A tensor has another element type than it should.
    #[error("elements are {found}, expected {expected}")]
    TypeMismatch {
        /// The element type that was asked for.
        expected: DType,
        /// The element type that was found.
        found: DType,
    },
    /// Levels that make no format.
    #[error("level {level} makes no sense in this format: {problem}")]
    InvalidFormat {
        /// The offending level, counted from the root.
        level: usize,
        /// Why.
        problem: FormatProblem,
    },
    /// A singleton below a unique level stores exactly one coordinate for each parent, but a parent has none or several.
    #[error(
        "level {level} is a Singleton, one coordinate for each parent, but {} has {}: store one for every parent \
         (zeros count), or use Compressed there (as Csr) or Coo",
        parent_text(.parent),
        found_text(.found)
    )]
    NotOneEntry {
        /// The singleton, counted from the root.
        level: usize,
        /// The parent: the dimension that each level above stores, and its coordinate there.
        parent: Vec<(usize, usize)>,
        /// Coordinates below it: none, or two.
        found: Vec<i32>,
    },
    /// The arrays of a level are those of another level format.
    #[error("level {level} is stored as {expected:?}, but {found:?} were given")]
    LevelMismatch {
        /// The level, counted from the root.
        level: usize,
        /// The level format's arrays.
        expected: &'static [Array],
        /// The arrays that were given.
        found: &'static [Array],
    },
    /// An array has another length than the arrays above it imply.
    #[error("invalid storage: {array} of level {level} has {found} elements, expected {expected}")]
    LengthMismatch {
        /// The level, counted from the root; the number of levels for the values.
        level: usize,
        /// Which array.
        array: Array,
        /// The length that fits.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// `pos` must begin with 0 and never decrease.
    #[error(
        "invalid storage: pos[{index}] of level {level} is {found}: pos must start at 0 and never decrease"
    )]
    InvalidPosition {
        /// The level, counted from the root.
        level: usize,
        /// Index into `pos`.
        index: usize,
        /// The value there.
        found: i32,
    },
    /// A coordinate is negative, or not below its dimension's size.
    #[error("entry {entry}: coordinate {coordinate} of dimension {dim} is outside 0..{size}")]
    CoordinateOutOfRange {
        /// Number of the entry, or position in the level's arrays.
        entry: usize,
        /// The dimension.
        dim: usize,
        /// The coordinate.
        coordinate: i64,
        /// The dimension's size.
        size: usize,
    },
    /// Coordinates below one parent must increase.
    #[error(
        "invalid storage: crd[{position}] of level {level} is below the coordinate before it: sort the entries"
    )]
    UnsortedCoordinates {
        /// The level, counted from the root.
        level: usize,
        /// Index into `crd`.
        position: usize,
    },
    /// A coordinate occurs twice below one parent of a level that is unique.
    #[error(
        "invalid storage: crd[{position}] of level {level} repeats the coordinate before it, but the level is unique: \
         sum the duplicates, or use a NonUnique level"
    )]
    DuplicateCoordinate {
        /// The level, counted from the root.
        level: usize,
        /// Index into `crd`.
        position: usize,
    },
    /// Coordinates are 32-bit: a dimension has at most 2³¹ − 1.
    #[error("dimension {dim} has size {size}; coordinates are 32-bit, so it can have at most {}", i32::MAX)]
    DimensionTooLarge {
        /// The dimension.
        dim: usize,
        /// Its size.
        size: usize,
    },
    /// Positions are 32-bit: a level has at most 2³¹ − 1.
    #[error("{count} entries or more; positions are 32-bit, so a tensor can store at most {}", i32::MAX)]
    TooManyEntries {
        /// How many there would be; at least so many, where a GPU counted.
        count: u128,
    },
    /// A generator is asked for entries that can't be: their share, or their number, is not a number in its range.
    #[error("{what} is {found}: write a number {range}")]
    InvalidDensity {
        /// The argument.
        what: &'static str,
        /// Its value.
        found: f64,
        /// Its range, in words.
        range: &'static str,
    },
    /// A tensor is stored in another format than it should.
    #[error(
        "the tensor is stored as {found}, not as {expected}: take it as a tensor of its own format, and `convert` that"
    )]
    FormatMismatch {
        /// The format that was asked for.
        expected: Box<str>,
        /// The format that was found.
        found: Box<str>,
    },
    /// What a kernel is called with, or makes, is not what it declares.
    #[error("kernel `{kernel}`: {what} is {found}, but the kernel declares {expected}")]
    CallMismatch {
        /// The kernel's name.
        kernel: Box<str>,
        /// An argument, the result, or their number.
        what: Box<str>,
        /// What the kernel declares.
        expected: Box<str>,
        /// What the call has.
        found: Box<str>,
    },
    /// The allocator has no more memory.
    #[error("out of memory: an array of {bytes} bytes can't be allocated")]
    OutOfMemory {
        /// Size of the array.
        bytes: u128,
    },
    /// A single value was asked of a tensor with dimensions.
    #[error("a tensor of {rank} dimensions is not a scalar")]
    NotAScalar {
        /// Its number of dimensions.
        rank: usize,
    },
    /// The CUDA driver's library is missing or can't be used.
    #[error(
        "no CUDA driver ({reason}): install NVIDIA's driver, version 525 or later, which brings libcuda; without an \
         NVIDIA GPU run kernels on the CPU (`Host`) or on the simulator (`Sim`)"
    )]
    NoDriver {
        /// What was found instead.
        reason: String,
    },
    /// The CUDA driver lacks what the runtime needs.
    #[error(
        "the CUDA driver supports CUDA {}.{}, but {}.{} is needed: install NVIDIA's driver, version 525 or later \
         ({reason})",
        found.0, found.1, needed.0, needed.1
    )]
    DriverTooOld {
        /// The driver's CUDA version, major and minor.
        found: (u32, u32),
        /// The first version that would do.
        needed: (u32, u32),
        /// What it lacks.
        reason: String,
    },
    /// NVRTC, which compiles kernels for a GPU, is missing or can't be used.
    #[error(
        "no NVRTC, which compiles kernels for the GPU: `pip install nvidia-cuda-nvrtc-cu12`, install the CUDA toolkit, \
         or set SPARSE_NVRTC to the path of libnvrtc.so; tried {}",
        tried.join(", ")
    )]
    NoNvrtc {
        /// Libraries that were tried, each with what was wrong.
        tried: Vec<String>,
    },
    /// This NVRTC writes code that the driver is too old to load.
    #[error(
        "NVRTC {}.{} at {path} is newer than the CUDA driver, which supports CUDA {}.{}: update NVIDIA's driver, or \
         `pip install nvidia-cuda-nvrtc-cu{}`",
        nvrtc.0, nvrtc.1, driver.0, driver.1, driver.0
    )]
    NvrtcTooNew {
        /// The library that was found.
        path: String,
        /// Its version, major and minor.
        nvrtc: (u32, u32),
        /// The driver's CUDA version, major and minor.
        driver: (u32, u32),
    },
    /// NVRTC knows no such GPU.
    #[error(
        "NVRTC {}.{} can't compile for sm_{architecture}: install a {} NVRTC, or set SPARSE_NVRTC to the path of one",
        nvrtc.0, nvrtc.1, if *newer { "newer" } else { "older" }
    )]
    UnsupportedArchitecture {
        /// The GPU's compute capability, as in `sm_90`.
        architecture: u32,
        /// The version of NVRTC, major and minor.
        nvrtc: (u32, u32),
        /// Is the GPU newer than NVRTC, rather than too old for it?
        newer: bool,
    },
    /// There is no GPU of this number.
    #[error(
        "no CUDA device {ordinal}: {}",
        match count {
            0 => "the driver finds no GPU (is CUDA_VISIBLE_DEVICES set, and does `nvidia-smi` list one?)".to_string(),
            1 => "there is one, number 0".to_string(),
            n => format!("there are {n}, numbered from 0"),
        }
    )]
    NoSuchDevice {
        /// The number that was asked for.
        ordinal: usize,
        /// How many devices there are.
        count: usize,
    },
    /// A device has no more memory.
    #[error(
        "out of memory on {device}: an array of {bytes} bytes can't be allocated{}; drop tensors that are not needed, \
         or split the work",
        match free { Some(free) => format!(", {free} bytes are free"), None => String::new() }
    )]
    OutOfDeviceMemory {
        /// The device's name.
        device: String,
        /// Size of the array.
        bytes: u128,
        /// What is free, if the device tells.
        free: Option<u64>,
    },
    /// A kernel does not compile for the device.
    #[error(
        "kernel `{kernel}` does not compile for {architecture}; this is a mistake of the compiler, please report it \
         with the log:\n{log}"
    )]
    Jit {
        /// The kernel's name.
        kernel: String,
        /// The architecture that it was compiled for, as in `sm_90`.
        architecture: String,
        /// What NVRTC said.
        log: String,
    },
    /// The device refused to start a kernel.
    #[error(
        "kernel `{kernel}` can't be launched on a grid of {grid:?} blocks of {block:?} threads: {name} ({code})"
    )]
    Launch {
        /// The kernel's name.
        kernel: String,
        /// Blocks in x, y and z.
        grid: [u32; 3],
        /// Threads of a block in x, y and z.
        block: [u32; 3],
        /// The driver's error code.
        code: u32,
        /// The code's name.
        name: String,
    },
    /// A call of the device's driver failed: an earlier kernel's failure comes to light in a later call.
    #[error("{action} failed: {name} ({code}){}", device_help(*code))]
    Device {
        /// What was tried.
        action: &'static str,
        /// The driver's error code.
        code: u32,
        /// The code's name.
        name: String,
    },
    /// Two tensors of a call are on different devices.
    #[error(
        "`{first}` is on device {first_device}, but `{second}` on device {second_device}: bring both to one with `to(&device)`"
    )]
    DifferentDevices {
        /// A tensor.
        first: String,
        /// Number of its device.
        first_device: usize,
        /// Another tensor.
        second: String,
        /// Number of its device.
        second_device: usize,
    },
    /// A size is beyond what a device counts with.
    #[error("{what} is {value}, but a device can have at most {most}: split the tensors into smaller ones")]
    TooLargeForDevice {
        /// The size, in words.
        what: String,
        /// Its value.
        value: u128,
        /// The largest that is possible.
        most: u64,
    },
    /// The simulator found threads in conflict where the schedule says `IgnoreRaces`.
    #[error(
        "kernel `{kernel}` has a race that its schedule ignores: {conflict}; {}; write another strategy, such as `Atomics`",
        .ignored.join("; ")
    )]
    IgnoredRace {
        /// The kernel's name.
        kernel: String,
        /// Who is in conflict about which element.
        conflict: String,
        /// What may be the reason: each command, and its loop.
        ignored: Vec<String>,
    },
    /// A mistake of the compiler, found before it did harm.
    #[error("internal error in kernel `{kernel}`: {what}; please report it with the kernel")]
    Internal {
        /// The kernel's name.
        kernel: String,
        /// What does not hold.
        what: String,
    },
    /// A file can't be read or written; the message names the file and the line.
    #[cfg(feature = "io")]
    #[error("{0}")]
    File(Box<crate::io::FileError>),
}

/// What to do about some of a CUDA driver's error codes.
fn device_help(code: u32) -> &'static str {
    match code {
        700 | 702 | 710 | 714..=720 => {
            "; a kernel ran into an error, and this process can't use the device any more: please report it with the \
             kernel and run it on `Sim`, which says where"
        }
        802 | 803 => "; the driver was updated or is not ready: restart the machine",
        804 => "; this GPU needs a newer driver, or no forward-compatibility package",
        999 => "; the driver's state is broken: reload its modules or restart the machine",
        _ => "",
    }
}

fn parent_text(parent: &[(usize, usize)]) -> String {
    let at = parent.iter().map(|(dim, c)| format!("coordinate {c} of dimension {dim}"));
    at.collect::<Vec<_>>().join(", ")
}

fn found_text(found: &[i32]) -> String {
    match found {
        [] => "none".to_string(),
        found => format!("more: {}", found.iter().map(i32::to_string).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_cross_threads_and_stay_small() {
        fn check<E: std::error::Error + Send + Sync + 'static>() {}
        check::<Error>();
        assert!(size_of::<Error>() <= 96, "clippy warns of larger errors: {}", size_of::<Error>());
    }
}
