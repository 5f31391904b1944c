//! Kernels on the simulator, through the macro: what a user calls with tensors of another device.

use sparse_gpu::prelude::*;

tensor_kernel! {
    /// y = A·x
    pub fn spmv(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        y[i] = A[i, j] * x[j];
    }
}

tensor_kernel! {
    fn spmm(A: Csr<f32>, B: DenseMat<f32>, alpha: f32) -> DenseMat<f32> {
        C[i, k] = alpha * A[i, j] * B[j, k];
    }
    schedule cuda {
        split(i, block, row, 4);
        split(j, chunk, lane, 8);
        reorder(block, row, k, chunk, lane);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(row, GPUWarp, NoRaces);
        parallelize(lane, GPUGroup(8), ParallelReduction);
    }
}

tensor_kernel! {
    fn sddmm(A: Csr<f64>, B: DenseMat<f64>, C: DenseMat<f64>) -> Csr<f64> {
        D[i, j] = A[i, j] * B[i, k] * C[j, k];
    }
}

tensor_kernel! {
    fn accumulate(C: &mut DenseMat<i64>, beta: i64, A: Csr<i64>) {
        C[i, j] += beta * A[i, j];
    }
}

tensor_kernel! {
    fn outer(a: DenseVec<f32>, b: DenseVec<f32>, c: DenseVec<f32>) -> Dense3<f32> {
        C[i, j, k] = a[i] * b[j] * c[k];
    }
}

tensor_kernel! {
    fn square(A: Coo<f64>) -> Scalar<f64> {
        s = A[i, j] * A[i, j];
    }
}

tensor_kernel! {
    fn sum(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, j] = A[i, j] + B[i, j];
    }
}

tensor_kernel! {
    fn product(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    /// As Sgap writes points.
    fn as_in_the_paper(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> {
        C[i, k] = A[i, j] * B[j, k];
    }
    schedule cuda = atomic(<1nnz, 4col>, 32);
}

tensor_kernel! {
    fn alone(A: Csr<f64>) -> DenseVec<f64> {
        y[i] = A[i, j];
    }
    schedule cuda = none;
}

/// A kernel whose parts come through a macro.
macro_rules! through_a_macro {
    ($name:ident, $format:ty, $term:expr) => {
        tensor_kernel! {
            fn $name(A: $format, x: DenseVec<f64>) -> DenseVec<f64> {
                y[i] = A[i, j] * $term;
            }
        }
    };
}
through_a_macro!(spliced, Csr<f64>, x[i] + 1.0);

#[test]
fn points_are_read_as_the_paper_has_them() {
    let (a, b) = (Csr::random_sparse([30, 20], 0.2, 1), DenseMat::random([20, 5], 2));
    let sim = Sim::new();
    let c = as_in_the_paper(&a.to(&sim).unwrap(), &b.to(&sim).unwrap()).unwrap();
    assert!(c.to_host().unwrap().approx_eq(&as_in_the_paper(&a, &b).unwrap(), 1e-5));
}

#[test]
fn the_simulator_computes_what_the_processor_does() {
    let sim = Sim::new();
    let (a, x) = (Csr::<f64>::random_sparse([70, 50], 0.1, 1), DenseVec::<f64>::random([50], 2));
    let (there, x_there) = (a.to(&sim).unwrap(), x.to(&sim).unwrap());
    let y = spmv(&there, &x_there).unwrap();
    assert!(y.to_host().unwrap().approx_eq(&spmv(&a, &x).unwrap(), 1e-12));
    let launches = sim.report().launches;
    assert!(launches.len() == 1 && spmv::KERNELS.iter().any(|k| k.name == launches[0].name));

    let b = DenseMat::<f64>::random([70, 3], 3);
    let c = DenseMat::<f64>::random([50, 3], 4);
    let d = sddmm(&there, &b.to(&sim).unwrap(), &c.to(&sim).unwrap()).unwrap();
    assert!(d.to_host().unwrap().approx_eq(&sddmm(&a, &b, &c).unwrap(), 1e-12));

    let coo: Coo<f64> = a.convert().unwrap();
    let s = square(&coo.to(&sim).unwrap()).unwrap().value().unwrap();
    assert!((s - square(&coo).unwrap().value().unwrap()).abs() < 1e-12 * s);

    let x = DenseVec::<f64>::random([70], 2);
    let y = spliced(&there, &x.to(&sim).unwrap()).unwrap().to_host().unwrap();
    assert!(y.approx_eq(&spliced(&a, &x).unwrap(), 1e-12));
}

/// A result that is made on a device stays there, and is an operand like any other.
#[test]
fn sparse_results_are_assembled_on_the_device() {
    let sim = Sim::new();
    let (a, b) = (Csr::<f64>::random_sparse([60, 60], 0.1, 1), Csr::<f64>::random_sparse([60, 60], 0.05, 2));
    let (a_there, b_there) = (a.to(&sim).unwrap(), b.to(&sim).unwrap());
    let c = sum(&a_there, &b_there).unwrap();
    let names: Vec<String> = sim.report().launches.iter().map(|l| l.name.clone()).collect();
    // No row is long enough for more than a thread.
    let of_threads = sum::KERNELS.iter().map(|k| k.name).filter(|name| !name.ends_with("_warp"));
    assert_eq!(names, of_threads.filter(|name| !name.ends_with("_block")).collect::<Vec<_>>());
    let d = product(&c, &b_there).unwrap().to_host().unwrap();
    let c_here = sum(&a, &b).unwrap();
    let same = |x: &Csr<f64>, y: &Csr<f64>| x.iter().map(|e| e.0).eq(y.iter().map(|e| e.0));
    assert!(same(&c.to_host().unwrap(), &c_here));
    let d_here = product(&c_here, &b).unwrap();
    assert!(same(&d, &d_here) && d.approx_eq(&d_here, 1e-12));
}

#[test]
fn a_written_schedule_runs() {
    let sim = Sim::new();
    for (rows, columns) in [(37, 5), (1, 1), (4, 16), (0, 3), (9, 0)] {
        let a = Csr::<f32>::random_sparse([rows, 29], 0.3, 1);
        let b = DenseMat::<f32>::random([29, columns], 2);
        let c = spmm(&a.to(&sim).unwrap(), &b.to(&sim).unwrap(), 1.5).unwrap().to_host().unwrap();
        assert!(c.approx_eq(&spmm(&a, &b, 1.5).unwrap(), 1e-5), "{rows} x {columns}");
    }
    let launch = &sim.report().launches[0];
    assert!(launch.counts.shuffles > 0, "{launch}");
    assert!(sim.report().to_string().contains("lanes active"));
}

#[test]
fn kernels_write_in_place() {
    let sim = Sim::new();
    let a = Csr::<i64>::from_triplets([20, 20], (0..20).map(|i| ([i, 19 - i], i as i64))).unwrap();
    let mut c = DenseMat::<i64>::full([20, 20], 7);
    let shared = c.to(&sim).unwrap();
    let mut there = shared.clone();
    accumulate(&mut there, -3, &a.to(&sim).unwrap()).unwrap();
    accumulate(&mut c, -3, &a).unwrap();
    assert!(there.to_host().unwrap().approx_eq(&c, 0.0));
    assert_eq!(shared.to_host().unwrap().get([1, 18]), 7, "a clone keeps what it had");
}

#[test]
fn sizes_are_checked_there_too() {
    let sim = Sim::new();
    let a = Csr::<f64>::random_sparse([7, 5], 0.1, 1).to(&sim).unwrap();
    let x = DenseVec::<f64>::zeros([6]).to(&sim).unwrap();
    let e = spmv(&a, &x).map(drop).unwrap_err();
    assert!(matches!(e, Error::DimensionMismatch { first_size: 5, second_size: 6, .. }), "{e:?}");
}

/// The result has no element, but above its last level as many positions as 32 bits do not count.
#[test]
fn a_result_without_elements_may_be_too_large() {
    let sim = Sim::new();
    let vector = |n| DenseVec::<f32>::zeros([n]);
    let on = |n| vector(n).to(&sim).unwrap();
    let host = outer(&vector(65536), &vector(32768), &vector(0)).map(drop);
    assert!(matches!(host, Err(Error::TooManyEntries { count: 0x8000_0000 })), "{host:?}");
    let there = outer(&on(65536), &on(32768), &on(0)).map(drop);
    assert!(matches!(there, Err(Error::TooManyEntries { count: 0x8000_0000 })), "{there:?}");
    assert_eq!(sim.report().launches.len(), 0);
    assert_eq!(outer(&vector(0), &vector(65536), &vector(65536)).unwrap().dims(), [0, 65536, 65536]);
    assert_eq!(outer(&on(3), &on(2), &on(0)).unwrap().to_host().unwrap().stored(), 0);
}

#[test]
fn the_module_tells_of_the_gpu() {
    let [kernel] = spmm::KERNELS else { panic!("one kernel") };
    assert_eq!((kernel.name, kernel.block), ("spmm", 32));
    let expected = "const int* A2_pos, const int* A2_crd, const float* A_vals, const float* B_vals, int A1_dim, \
                    int B2_dim, int A2_dim, float alpha, float* C_vals";
    assert_eq!(kernel.signature, expected);
    assert_eq!(kernel.grid.len(), 1);
    assert!(spmm::CUDA_SOURCE.contains("extern \"C\" __global__"));
    assert!(spmm::CUDA_CIN.contains("GPUGroup(8), ParallelReduction"), "{}", spmm::CUDA_CIN);
    assert!(!spmm::CIN.contains("GPU"));
    spmm::prepare(&Sim::new()).unwrap();
    spmm::prepare(&Host).unwrap();
    assert_eq!((alone::CUDA_SOURCE, alone::CUDA_CIN, alone::KERNELS.len()), ("", "", 0));
    alone::prepare(&Host).unwrap();
}

#[test]
fn every_source_compiles() {
    let sources = [
        spmv::CUDA_SOURCE,
        spmm::CUDA_SOURCE,
        sddmm::CUDA_SOURCE,
        accumulate::CUDA_SOURCE,
        square::CUDA_SOURCE,
        spliced::CUDA_SOURCE,
        sum::CUDA_SOURCE,
        product::CUDA_SOURCE,
    ];
    #[cfg(feature = "cuda")]
    match sparse_gpu::nvrtc::Compiler::load(None) {
        Ok(nvrtc) => {
            for source in sources {
                let compiled = nvrtc.compile(source, "kernel.cu", 90, &[]).unwrap();
                assert_eq!(compiled.warnings(), [""; 0], "{source}");
                assert!(compiled.usage().iter().all(|u| u.spill_stores == 0), "{}", compiled.log);
            }
        }
        // With `SPARSE_NVRTC` set, as by `cargo xtask test`, there has to be one.
        Err(e) => assert!(std::env::var_os("SPARSE_NVRTC").is_none(), "{e}"),
    }
    assert!(sources.iter().all(|s| s.contains("__global__")));
}
