//! Algorithms on graphs as products over semirings: (min, +), (or, and), (max, ×), (+, ×) under masks.

use super::{at, check, entries, everywhere, sparse};
use sparse_gpu::prelude::*;
use std::collections::{BTreeSet, VecDeque};

/// Lengths of edges; what is not stored is infinitely far.
type Lengths = Tensor<f64, Filled<(Dense, Compressed), PosInf>>;

tensor_kernel! {
    /// One round of Bellman and Ford, in place.
    fn relax(A: Tensor<f64, Filled<(Dense, Compressed), PosInf>>, d: DenseVec<f64>, e: &mut DenseVec<f64>) {
        e[j] min= d[i] + A[i, j];
    }
}
tensor_kernel! {
    /// The same from edges into a vertex.
    fn pull(A: Tensor<f64, Filled<(Dense, Compressed), PosInf>>, d: DenseVec<f64>) -> DenseVec<f64> {
        e[i] min= A[i, j] + d[j];
    }
}
tensor_kernel! {
    /// Paths of two edges.
    fn two_edges(
        A: Tensor<f64, Filled<(Dense, Compressed), PosInf>>, B: Tensor<f64, Filled<(Dense, Compressed), PosInf>>
    ) -> Tensor<f64, Filled<(Dense, Compressed), PosInf>> {
        C[i, k] min= A[i, j] + B[j, k];
    }
}
tensor_kernel! {
    /// The shorter of two edges.
    fn shorter(
        A: Tensor<f64, Filled<(Dense, Compressed), PosInf>>, B: Tensor<f64, Filled<(Dense, Compressed), PosInf>>
    ) -> Tensor<f64, Filled<(Dense, Compressed), PosInf>> {
        C[i, j] = min(A[i, j], B[i, j]);
    }
}
tensor_kernel! {
    /// The next front of a search: neighbours of the front that have not been visited.
    fn advance(A: Csr<bool>, front: DenseVec<bool>, visited: DenseVec<bool>) -> DenseVec<bool> {
        next[j] |= A[i, j] & front[i] & !visited[j];
    }
}
tensor_kernel! {
    /// The same with a sparse front.
    fn advance_sparse(A: Csr<bool>, front: SparseVec<bool>, visited: DenseVec<bool>) -> SparseVec<bool> {
        next[j] |= front[i] & A[i, j] & !visited[j];
    }
}
tensor_kernel! {
    fn reach(A: Csr<bool>, B: Csr<bool>) -> Csr<bool> { C[i, k] |= A[i, j] & B[j, k]; }
}
tensor_kernel! {
    /// The most probable way there.
    fn likeliest(A: Csr<f64>, p: DenseVec<f64>) -> DenseVec<f64> { q[j] max= p[i] * A[i, j]; }
}
tensor_kernel! {
    /// The widest way: its narrowest edge.
    fn widest(A: Csr<f64>, w: DenseVec<f64>) -> DenseVec<f64> { v[i] max= min(A[i, j], w[j]); }
}
tensor_kernel! {
    /// Triangles, each counted once.
    fn triangles(L: Csr<i64>) -> Scalar<i64> { t = L[i, j] * L[j, k] * L[i, k]; }
}
tensor_kernel! {
    /// Labels spread: the least of the neighbours' and one's own.
    fn spread(A: Tensor<i32, (Dense, Compressed)>, l: DenseVec<i32>) -> DenseVec<i32> {
        m[i] min= A[i, j] * l[j] + (1 - A[i, j]) * l[i];
    }
}
tensor_kernel! {
    fn rank(A: Csr<f64>, r: DenseVec<f64>, d: DenseVec<f64>, damping: f64, rest: f64) -> DenseVec<f64> {
        s[j] = damping * A[i, j] * r[i] / d[i] + rest;
    }
}
tensor_kernel! {
    /// Edges in one of two graphs alone.
    fn changed(A: Csr<bool>, B: Csr<bool>) -> Csr<bool> { C[i, j] = A[i, j] ^ B[i, j]; }
}
tensor_kernel! {
    /// Does every stored edge hold?
    fn all(A: Tensor<bool, Filled<(Dense, Compressed), One>>) -> Scalar<bool> { a &= A[i, j]; }
}

const N: usize = 20;

fn graph() -> super::Entries<2> {
    entries([N, N], 9).into_iter().filter(|(c, _)| c[0] != c[1]).map(|(c, v)| (c, v.abs())).collect()
}

#[test]
fn shortest_paths() -> Result<(), Error> {
    let edges = graph();
    let a = Lengths::from_triplets([N, N], edges.iter().map(|(c, v)| (*c, *v)))?;
    let far = f64::INFINITY;
    let length = |i: usize, j: usize| edges.get(&[i, j]).copied().unwrap_or(far);
    let mut expected = vec![far; N];
    expected[0] = 0.0;
    let mut d = DenseVec::from_dense([N], expected.clone())?;
    for _ in 0..N {
        let old = expected.clone();
        for j in 0..N {
            expected[j] = (0..N).map(|i| old[i] + length(i, j)).fold(old[j], f64::min);
        }
        let mut e = d.clone();
        relax(&a, &d, &mut e)?;
        let sim = Sim::new();
        let mut there = d.to(&sim)?;
        relax(&a.to(&sim)?, &d.to(&sim)?, &mut there)?;
        assert_eq!(there.to_host()?.vals(), e.vals());
        d = e;
        assert_eq!(d.vals(), expected);
    }
    check(&everywhere!(pull, &a, &d), |[i]| (0..N).map(|j| length(i, j) + expected[j]).fold(far, f64::min));
    let two = everywhere!(two_edges, &a, &a);
    check(&two, |[i, k]| (0..N).map(|j| length(i, j) + length(j, k)).fold(far, f64::min));
    check(&everywhere!(shorter, &a, &two), |[i, k]| two.get([i, k]).min(length(i, k)));
    Ok(())
}

#[test]
fn searches() -> Result<(), Error> {
    let edges = graph();
    let a = Csr::<bool>::from_triplets([N, N], edges.keys().map(|c| (*c, true)))?;
    let mut front = DenseVec::from_dense([N], (0..N).map(|v| v == 3).collect())?;
    let mut visited = front.clone();
    let mut expected: BTreeSet<usize> = [3].into();
    let mut queue = VecDeque::from([3]);
    while let Some(v) = queue.pop_front() {
        for c in edges.keys().filter(|c| c[0] == v) {
            if expected.insert(c[1]) {
                queue.push_back(c[1]);
            }
        }
    }
    for _ in 0..N {
        let sparse = SparseVec::from_triplets([N], front.iter().filter(|e| e.1))?;
        let next = everywhere!(advance, &a, &front, &visited);
        let also = everywhere!(advance_sparse, &a, &sparse, &visited);
        assert_eq!(also.to_dense()?.vals(), next.vals());
        front = next;
        visited =
            DenseVec::from_dense([N], visited.vals().iter().zip(front.vals()).map(|(a, b)| a | b).collect())?;
    }
    let found: BTreeSet<usize> = visited.iter().filter(|e| e.1).map(|e| e.0[0]).collect();
    assert_eq!(found, expected);
    let two = everywhere!(reach, &a, &a);
    for [i, k] in super::coords([N, N]) {
        assert_eq!(two.get([i, k]), (0..N).any(|j| a.get([i, j]) && a.get([j, k])));
    }
    let changed = everywhere!(changed, &a, &two);
    assert!(super::coords([N, N]).all(|c| changed.get(c) == (a.get(c) != two.get(c))));
    let mut kept = Tensor::<bool, Filled<(Dense, Compressed), One>>::from_triplets([N, N], a.iter())?;
    assert!(everywhere!(all, &kept).value()?);
    kept = Tensor::from_triplets([N, N], a.iter().map(|(c, _)| (c, c != [0, 1])).chain([([5, 5], false)]))?;
    assert!(!everywhere!(all, &kept).value()?);
    Ok(())
}

#[test]
fn other_semirings() -> Result<(), Error> {
    let edges = graph();
    let a: Csr<f64> = sparse([N, N], &edges)?;
    let p = DenseVec::from_dense([N], (0..N).map(|v| v as f64 / 10.0).collect())?;
    check(&everywhere!(likeliest, &a, &p), |[j]| {
        (0..N).map(|i| p.get([i]) * at(&edges, [i, j])).fold(f64::NEG_INFINITY, f64::max)
    });
    check(&everywhere!(widest, &a, &p), |[i]| {
        (0..N).map(|j| at(&edges, [i, j]).min(p.get([j]))).fold(f64::NEG_INFINITY, f64::max)
    });
    let d = DenseVec::from_dense(
        [N],
        (0..N).map(|v| edges.keys().filter(|c| c[0] == v).count() as f64).collect(),
    )?;
    check(&everywhere!(rank, &a, &p, &d; 0.85, 0.15), |[j]| {
        edges
            .iter()
            .filter(|(c, _)| c[1] == j)
            .map(|(c, v)| 0.85 * v * p.get([c[0]]) / d.get([c[0]]))
            .sum::<f64>()
            + 0.15
    });
    let below: Vec<_> = edges.keys().filter(|c| c[0] > c[1]).map(|c| (*c, 1)).collect();
    let l = Csr::<i64>::from_triplets([N, N], below.iter().copied())?;
    let has = |i, j| below.contains(&([i, j], 1));
    let expected =
        super::coords([N, N, N]).filter(|[i, j, k]| has(*i, *j) && has(*j, *k) && has(*i, *k)).count();
    assert_eq!(everywhere!(triangles, &l).value()?, expected as i64);
    let ones = Csr::<i32>::from_triplets([N, N], edges.keys().map(|c| (*c, 1)))?;
    let labels = DenseVec::from_dense([N], (0..N as i32).rev().collect())?;
    let spread = everywhere!(spread, &ones, &labels);
    for i in 0..N {
        let least = edges.keys().filter(|c| c[0] == i).map(|c| labels.get([c[1]])).min();
        assert_eq!(spread.get([i]), least.map_or(labels.get([i]), |l| l.min(labels.get([i]))));
    }
    Ok(())
}
