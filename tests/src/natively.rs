//! Kernels that a test writes once, compiled by the macro and interpreted from their text, both against the oracle.

use crate::oracle::for_each_point;
use sparse_core::format::Format;
use sparse_core::scalar::{DType, Value};
use sparse_core::tensor::{DynTensor, Tensor};

/// A kernel, and its text as a constant.
#[macro_export]
macro_rules! kernel {
    ($text:ident: $($kernel:tt)*) => {
        const $text: &str = stringify!($($kernel)*);
        sparse_gpu::tensor_kernel! { $($kernel)* }
    };
}

/// Calls a kernel with tensors and scalars that have its parameters' names, compares, and gives the result.
#[macro_export]
macro_rules! check {
    ($text:ident, $kernel:ident($($t:ident),* $(; $($s:ident),*)?)) => {{
        let result = $kernel($(&$t),* $(, $($s),*)?).unwrap();
        $crate::named::agrees_natively(
            $text,
            &[$((stringify!($t), sparse_core::tensor::DynTensor::from(&$t))),*],
            &[$($((stringify!($s), $s)),*)?],
            &sparse_core::tensor::DynTensor::from(&result),
        );
        result
    }};
}

/// One element in so many, with small whole values, so that sums come to nothing now and then.
pub fn random<F: Format>(dims: &[usize], one_in: u64, seed: u64) -> Tensor<f64, F> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 20
    };
    let mut entries = Vec::new();
    for_each_point(dims, &mut |c| {
        let value = (next() % 5) as f64 - 2.0;
        if next().is_multiple_of(one_in) {
            entries.push((c.to_vec(), Value::F64(value)));
        }
    });
    build(dims, &entries)
}

/// Every element stored: 0, 1, 2, …
pub fn counted<F: Format>(dims: &[usize]) -> Tensor<f64, F> {
    let mut entries = Vec::new();
    for_each_point(dims, &mut |c| entries.push((c.to_vec(), Value::F64(entries.len() as f64))));
    build(dims, &entries)
}

/// A tensor of these entries.
///
/// # Panics
/// If the format cannot hold them.
pub fn build<F: Format>(dims: &[usize], entries: &[(Vec<usize>, Value)]) -> Tensor<f64, F> {
    let t = DynTensor::from_entries(F::spec(), DType::F64, dims.to_vec(), entries, false);
    t.unwrap().try_into().unwrap()
}
