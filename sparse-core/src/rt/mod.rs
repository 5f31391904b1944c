//! What generated code calls: unchecked array access, scalar operations with the language's rules, and the choice
//! of an instruction set. Not a public interface: `sparse_gpu::__private` re-exports it for the macro's expansion.

mod array;
mod isa;
mod scalar;
mod sum;

pub use array::{IndexArray, Load, Store, lower_bound, upper_bound};
pub use isa::{Avx2, Avx512, Baseline, Isa, Level, isa};
pub use scalar::{Float, Integer};
pub use sum::LaneSum;
