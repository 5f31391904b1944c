//! Sums under a mask: what the mask does not list is not computed, natively and on the simulator.

use sparse_core::driver::{Options, compile_cuda, compile_kernel};
use sparse_core::front::parse_str;
use sparse_core::sim::{Arg, Limits, run_reporting, run_with};
use sparse_gpu::prelude::*;

tensor_kernel! {
    fn masked(M: Csr<f64>, A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = M[i, k] * A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    /// The mask has rows of its own, and each of its entries has a row's number.
    fn masked_by_entries(M: Coo<f64>, A: Dcsr<f64>, B: Csr<f64>) -> Dcsr<f64> {
        C[i, k] = A[i, j] * M[i, k] * B[j, k];
    }
}

tensor_kernel! {
    /// A vector lists the columns of all rows.
    fn masked_by_columns(m: SparseVec<f64>, A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * B[j, k] * m[k];
    }
}

tensor_kernel! {
    /// Three matrices, of which one is copied, and a factor of the rows.
    fn masked_chain(M: Csr<f64>, d: DenseVec<f64>, A: Csr<f64>, B: Csr<f64>, C: Csr<f64>) -> Csr<f64> {
        D[i, l] = 2 * A[j, i] * B[j, k] * M[i, l] * d[i] * C[k, l];
    }
}

tensor_kernel! {
    /// The mask is scheduled, and one entry is stored for each one that meets it.
    fn scheduled(M: Csr<f64>, A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = min(M[i, k], 1) * A[i, j] * B[j, k];
    }
    schedule cpu {
        precompute(A[i, j] * B[j, k], [k], [kw], acc, List);
        parallelize(i, CPUThread, NoRaces);
    }
    schedule cuda {
        precompute(A[i, j] * B[j, k], [k], [kw], acc, Hash);
        parallelize(i, GPUBlock, NoRaces);
    }
}

tensor_kernel! {
    fn spgemm(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> {
        C[i, k] = A[i, j] * B[j, k];
    }
}

tensor_kernel! {
    /// What the mask does not list has a value too.
    fn and_more(M: Csr<f64>, A: Csr<f64>, B: Csr<f64>, E: Csr<f64>) -> Csr<f64> {
        C[i, k] = M[i, k] * (A[i, j] * B[j, k]) + E[i, k];
    }
}

tensor_kernel! {
    /// The mask and what it masks are merged, by threads that have parts of the dimension.
    fn columns_of_a_list(a: SparseVec<f64>, C: Csr<f64>) -> SparseVec<f64> {
        r[j] = a[j] * C[i, j];
    }
}

/// What all of these give: any number of threads the same bytes, and a GPU as many entries.
macro_rules! all {
    ($kernel:ident($($argument:expr),*)) => {{
        let host = $kernel($($argument),*)?;
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            assert_eq!(pool.install(|| $kernel($($argument),*))?, host, stringify!($kernel));
        }
        let sim = Sim::new();
        let there = $kernel($(&$argument.to(&sim)?),*)?.to_host()?;
        assert!(host.approx_eq(&there, 1e-12), stringify!($kernel));
        assert_eq!(host.stored(), there.stored(), stringify!($kernel));
        host
    }};
}

fn has(m: &Csr<f64>, at: [usize; 2]) -> bool {
    m.iter().any(|(stored, _)| stored == at)
}

#[test]
fn what_the_mask_lists_is_computed() -> Result<(), Error> {
    for (n, density) in [(0, 0.0), (1, 1.0), (24, 0.0), (24, 0.02), (24, 0.2), (24, 0.9)] {
        let [m, a, b, c, e] = [(1, density), (2, 0.1), (3, 0.1), (4, 0.1), (5, 0.05)]
            .map(|(seed, density)| Csr::<f64>::random_sparse([n, n], density, seed));
        let d = DenseVec::<f64>::from_triplets([n], (0..n).map(|i| ([i], i as f64 - 3.0)))?;
        let list = SparseVec::<f64>::random_sparse([n], 0.3, 7);
        let at = || (0..n).flat_map(|i| (0..n).map(move |k| [i, k]));
        let sum = |x: &Csr<f64>, y: &Csr<f64>, [i, k]: [usize; 2]| -> (f64, bool) {
            let terms = (0..n).filter(|j| has(x, [i, *j]) && has(y, [*j, k]));
            terms.fold((0.0, false), |(sum, _), j| (sum + x.get([i, j]) * y.get([j, k]), true))
        };
        let check = |c: &Csr<f64>, what: &str, expected: &dyn Fn([usize; 2]) -> Option<f64>| {
            let mut stored = 0;
            for at in at() {
                let e = expected(at);
                stored += usize::from(e.is_some());
                assert!((c.get(at) - e.unwrap_or(0.0)).abs() < 1e-12, "{what} at {at:?} of {n}, {density}");
            }
            assert_eq!(c.stored(), stored, "{what} of {n}, {density}");
        };
        let product = |at| Some(sum(&a, &b, at)).filter(|s| s.1).map(|s| s.0);
        let listed = |at| product(at).filter(|_| has(&m, at));

        check(&all!(masked(&m, &a, &b)), "masked", &|at| Some(m.get(at) * listed(at)?));
        let (coo, few): (Coo<f64>, Dcsr<f64>) = (m.convert()?, a.convert()?);
        let by_entries: Csr<f64> = all!(masked_by_entries(&coo, &few, &b)).convert()?;
        check(&by_entries, "by entries", &|at| Some(m.get(at) * listed(at)?));
        let in_list = |k: usize| list.iter().any(|(at, _)| at == [k]);
        let columns = |at: [usize; 2]| Some(product(at).filter(|_| in_list(at[1]))? * list.get([at[1]]));
        check(&all!(masked_by_columns(&list, &a, &b)), "by columns", &columns);
        let low = all!(scheduled(&m, &a, &b));
        check(&low, "scheduled", &|at| Some(m.get(at).min(1.0) * listed(at)?));
        let more = all!(and_more(&m, &a, &b, &e));
        check(&more, "and more", &|at| match listed(at) {
            Some(s) => Some(m.get(at) * s + e.get(at)),
            None => has(&e, at).then(|| e.get(at)),
        });
        let sums = all!(columns_of_a_list(&list, &m));
        for k in 0..n {
            let sum: f64 = (0..n).map(|i| m.get([i, k])).sum();
            assert!((sums.get([k]) - list.get([k]) * sum).abs() < 1e-12);
        }
        let column = |k: usize| (0..n).any(|i| has(&m, [i, k]));
        assert_eq!(sums.stored(), (0..n).filter(|k| in_list(*k) && column(*k)).count());
        let turned = a.iter().map(|([i, j], value)| ([j, i], value));
        let (transposed, bc) = (Csr::from_triplets([n, n], turned)?, spgemm(&b, &c)?);
        let chain = |at: [usize; 2]| {
            let (s, there) = sum(&transposed, &bc, at);
            (there && has(&m, at)).then(|| 2.0 * m.get(at) * d.get([at[0]]) * s)
        };
        check(&all!(masked_chain(&m, &d, &a, &b, &c)), "a chain", &chain);
    }
    Ok(())
}

/// A row of a mask that is long is not gone through again for each row of an operand that it meets.
#[test]
fn a_long_row_of_a_mask_is_read_once() {
    let n = 2000;
    let full = (0..n).map(|k| ([0, k], 1.0));
    let (row, diagonal) = (Csr::<f64>::from_triplets([n, n], full), (0..n).map(|k| ([k, k], 2.0)));
    let row = DynTensor::from(&row.unwrap());
    let diagonal = DynTensor::from(&Csr::<f64>::from_triplets([n, n], diagonal).unwrap());
    let text =
        "fn f(M: Csr<f64>, A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, k] = M[i, k] * A[i, j] * B[j, k]; }";
    let steps = |schedule: &str| {
        let kernel = parse_str(&format!("{text} {schedule}")).unwrap();
        let program = compile_kernel(kernel, &Options::default()).unwrap().program;
        let args = [&row, &row, &diagonal].map(|t| Arg::Tensor(t.clone()));
        let enough = |steps: u64| run_with(&program, &args, Limits { steps }).is_ok();
        (10..30).map(|log2| 1 << log2).find(|steps| enough(*steps)).expect("it ends")
    };
    let (own, masked) = (steps("schedule cpu { mergeby(k, TwoFinger); }"), steps(""));
    assert!(masked <= 64 * n as u64, "{masked} steps");
    assert!(own >= 16 * masked, "{own} steps by merging, {masked} under the mask");
}

/// On a GPU teams have long rows, and lanes search the mask, which one thread would merge with each row of an operand.
#[test]
fn teams_search_masks() {
    let n = 600;
    // Four rows and columns are full, others have three entries.
    let stores = |i: usize, k: usize| i < 4 || k < 4 || (i + k).is_multiple_of(n / 3);
    let all = (0..n).flat_map(|i| (0..n).map(move |k| [i, k])).filter(|[i, k]| stores(*i, *k));
    let entries = all.map(|at| (at, (at[0] * 3 + at[1]) as f32 % 5.0 - 1.0));
    let graph = Arg::Tensor(DynTensor::from(&Csr::<f32>::from_triplets([n, n], entries).unwrap()));
    let args = [&graph, &graph, &graph].map(Arg::clone);
    let text =
        "fn f(M: Csr<f32>, A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, k] = M[i, k] * A[i, j] * B[j, k]; }";
    let host = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap().program;
    let expected = run_with(&host, &args, Limits::default()).unwrap();
    let longest = |schedule: &str| {
        let kernel = parse_str(&format!("{text} {schedule}")).unwrap();
        let program = compile_cuda(kernel, &Options::default()).unwrap().program;
        let (found, reports) = run_reporting(&program, &args, Limits::default()).unwrap();
        assert_eq!(found, expected, "{schedule}");
        reports.iter().map(|r| r.longest_warp.loads).sum::<u64>()
    };
    let merged = longest(
        "schedule cuda { mergeby(k, TwoFinger); split(i, block, thread, 256); parallelize(block, GPUBlock, NoRaces); \
         parallelize(thread, GPUThread, NoRaces); }",
    );
    let searched = longest("");
    assert!(40 * searched <= merged, "{searched} loads, {merged} by merging");
}

/// Rows in which the mask lists nothing are passed over, however much there would be to multiply.
#[test]
fn rows_without_a_mask_are_no_work() {
    let n = 512;
    let every = |step: usize| (0..n * n / step).map(move |e| [e * step / n, e * step % n]);
    let matrix = |entries: Vec<[usize; 2]>| {
        let entries = entries.into_iter().map(|at| (at, (at[0] + at[1]) as f32 % 3.0 + 1.0));
        Arg::Tensor(DynTensor::from(&Csr::<f32>::from_triplets([n, n], entries).unwrap()))
    };
    let a = matrix(every(37).collect());
    let text =
        "fn f(M: Csr<f32>, A: Csr<f32>, B: Csr<f32>) -> Csr<f32> { C[i, k] = M[i, k] * A[i, j] * B[j, k]; }";
    let program = compile_cuda(parse_str(text).unwrap(), &Options::default()).unwrap().program;
    let host = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap().program;
    let loads = |rows: usize| {
        let args = [matrix(every(37).filter(|at| at[0] % rows == 0).collect()), a.clone(), a.clone()];
        let (found, reports) = run_reporting(&program, &args, Limits::default()).unwrap();
        assert_eq!(found, run_with(&host, &args, Limits::default()).unwrap());
        let pass = |name: &str| {
            reports.iter().filter(|r| r.name.contains(name)).map(|r| r.counts.loads).sum::<u64>()
        };
        pass("_count") + pass("_fill")
    };
    let (all, few) = (loads(1), loads(64));
    assert!(10 * few <= all, "{few} loads for one row in 64, {all} for all");
}
