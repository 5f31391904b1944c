use sparse_gpu::prelude::*;

tensor_kernel! {
    pub fn mttkrp(B: Csf3<f32>, C: DenseMat<f32>, D: DenseMat<f32>) -> DenseMat<f32> {
        A[i, j] = B[i, k, l] * C[k, j] * D[l, j];
    }
    schedule cuda {
        bound(j, jb, 32, MaxExact);
        pos(i, p, B[i, k, l]);
        split(p, block, warp, 4);
        reorder(block, warp, k, l, jb);
        precompute(B[i, k, l] * D[l, j], [jb], [jw], w);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(warp, GPUWarp, NoRaces);
        parallelize(jb, GPUThread, NoRaces);
        parallelize(jw, GPUThread, NoRaces);
    }
}

fn main() {}
