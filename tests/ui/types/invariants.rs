//! A tensor's arrays change by no safe code.

use sparse_gpu::prelude::*;

fn main() {
    let a = Csr::from_triplets([2, 2], [([0, 1], 1.0)]).unwrap();
    a.level(1).crd()[0] = 7;
}
