//! Coordinates of another rank than the tensor's.

use sparse_gpu::prelude::*;

fn main() {
    let a = Csr::from_triplets([2, 2], [([0, 1], 1.0)]).unwrap();
    let _ = a.get([0, 1, 0]);
    let _ = Csf3::<f64>::from_triplets([2, 2], [([0, 1], 1.0)]);
}
