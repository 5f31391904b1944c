use sparse_gpu::prelude::*;

tensor_kernel! {
    struct Kernel;
}

fn main() {}
