//! Rows that an operand with one entry a row picks: natively and on the simulator, in order, without a workspace.

use sparse_core::driver::{Options, compile_cuda, compile_kernel};
use sparse_core::front::parse_str;
use sparse_gpu::prelude::*;

type Permutation = Tensor<f64, (Dense, Singleton)>;

tensor_kernel! {
    fn rows(P: Tensor<f64, (Dense, Singleton)>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = P[i, j] * B[j, k];
    }
}

tensor_kernel! {
    fn some_rows(P: Tensor<f64, (Compressed, Singleton)>, B: Dcsr<f64>) -> Dcsr<f64> {
        C[i, k] = P[i, j] * B[j, k];
    }
}

tensor_kernel! {
    fn in_parts(P: Tensor<f64, (Dense, Singleton)>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = P[i, j] * B[j, k];
    }
    schedule cpu {
        split(i, i0, i1, 4);
        reorder(i0, i1, j, k);
    }
    schedule cuda {
        split(i, block, thread, 32);
        parallelize(block, GPUBlock, NoRaces);
        parallelize(thread, GPUThread, NoRaces);
    }
}

#[test]
fn picked_rows() -> Result<(), Error> {
    for (n, density) in [(1, 1.0), (7, 0.0), (40, 0.1), (40, 0.9)] {
        let sim = Sim::new();
        let b = Csr::<f64>::random_sparse([n, n], density, 3);
        let to = |i: usize| (i * 3 + 1) % n;
        let p = Permutation::from_triplets([n, n], (0..n).map(|i| ([i, to(i)], i as f64 + 0.5)))?;
        let few = (0..n).filter(|i| i % 3 == 0).map(|i| ([i, to(i)], i as f64 - 2.0));
        let few = Tensor::<f64, (Compressed, Singleton)>::from_triplets([n, n], few)?;
        let each = [rows(&p, &b)?, in_parts(&p, &b)?];
        let there =
            [rows(&p.to(&sim)?, &b.to(&sim)?)?.to_host()?, in_parts(&p.to(&sim)?, &b.to(&sim)?)?.to_host()?];
        for c in each.iter().chain(&there) {
            assert_eq!(c.stored(), b.stored());
            for (at, value) in c.iter() {
                assert_eq!(value, (at[0] as f64 + 0.5) * b.get([to(at[0]), at[1]]));
            }
        }
        let sparse: Dcsr<f64> = b.convert()?;
        let here = some_rows(&few, &sparse)?;
        assert_eq!(here, some_rows(&few.to(&sim)?, &sparse.to(&sim)?)?.to_host()?);
        let stored = |i: usize| b.iter().filter(|(at, _)| at[0] == to(i)).count();
        assert_eq!(here.stored(), (0..n).filter(|i| i % 3 == 0).map(stored).sum::<usize>());
        for (at, value) in here.iter() {
            assert_eq!(value, (at[0] as f64 - 2.0) * b.get([to(at[0]), at[1]]));
        }
    }
    Ok(())
}

#[test]
fn no_workspace_is_made() {
    let text =
        "fn f(P: Tensor<f64, (Dense, Singleton)>, B: Csr<f64>) -> Csr<f64> { C[i, k] = P[i, j] * B[j, k]; }";
    let kernel = || parse_str(text).unwrap();
    let host = compile_kernel(kernel(), &Options::default()).unwrap().program;
    let there = compile_cuda(kernel(), &Options::default()).unwrap().program;
    for program in [host, there] {
        assert!(program.program().workspaces.is_empty());
    }
}

/// What a schedule splits off the sum would come to a row several times.
#[test]
fn parts_of_the_sum_stay_inside() {
    let text =
        "fn f(P: Tensor<f64, (Dense, Singleton)>, B: Csr<f64>) -> Csr<f64> { C[i, k] = P[i, j] * B[j, k]; }";
    let of = |schedule: &str| {
        let kernel = parse_str(&format!("{text} schedule cpu {{ {schedule} }}")).unwrap();
        compile_kernel(kernel, &Options::default()).map(|_| ()).map_err(|d| d.to_string())
    };
    assert_eq!(of("split(j, j0, j1, 4);"), Ok(()));
    assert!(of("split(j, j0, j1, 4); reorder(j0, i, j1, k);").unwrap_err().contains("would break it"));
    assert!(of("fuse(i, j, f);").is_err());
}
