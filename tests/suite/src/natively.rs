//! Kernels that a test writes once, compiled by the macro and interpreted from their text, both against the oracle.

use crate::oracle::for_each_point;
use sparse_core::format::{Format, LevelArrays};
use sparse_core::scalar::{DType, Element, Value};
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

/// The arrays of a result that have more memory than elements, with both numbers.
pub fn excess<T: Element, F: Format>(t: &Tensor<T, F>) -> Vec<(String, usize, usize)> {
    let mut arrays = vec![("vals".into(), t.vals_array().capacity(), t.vals().len())];
    for (l, level) in t.levels().iter().enumerate() {
        let mut array = |name: &str, a: &sparse_core::format::Buffer<i32>| {
            arrays.push((format!("{name} of level {l}"), a.capacity(), a.len()));
        };
        match level {
            LevelArrays::Dense => {}
            LevelArrays::Compressed { pos, crd } => {
                array("pos", pos);
                array("crd", crd);
            }
            LevelArrays::Singleton { crd } => array("crd", crd),
        }
    }
    arrays.retain(|(_, capacity, len)| capacity != len);
    arrays
}
