use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn twice(B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = 2 * B[i, k];
    }
    schedule cuda {
        fuse(i, k, f);
        split(f, block, part, 128);
        split(part, thread, ki, 4);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(thread, GPUThread, NoRaces);
        parallelize(ki, GPUVector, NoRaces);
    }
}

fn main() {}
