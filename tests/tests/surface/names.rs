//! Kernels under names that generated code might want for itself.

use super::*;
use sparse_gpu::prelude::*;

tensor_kernel! {
    fn run(t: Csr<f64>, i: DenseVec<f64>) -> DenseVec<f64> {
        body[p] = t[p, lane] * i[lane];
    }
}
tensor_kernel! {
    fn prepare(isa: SparseVec<f64>, body: SparseVec<f64>) -> SparseVec<f64> {
        acc[t] = isa[t] + body[t];
    }
}
tensor_kernel! {
    fn lane(acc: Csr<f64>, lane: f64, body: DenseVec<f64>) -> DenseVec<f64> {
        A1[p] = lane * acc[p, t] * body[t];
    }
}
tensor_kernel! {
    fn arrays(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> {
        A_vals[A2_pos] = A[A2_pos, A2_crd] * x[A2_crd];
    }
}
tensor_kernel! {
    fn dims(A1_dim: Csr<f64>, A: Csr<f64>) -> Csr<f64> {
        out[pos, crd] = A1_dim[pos, crd] + A[pos, crd];
    }
}
tensor_kernel! {
    #[allow(non_snake_case)]
    fn A(a: DenseVec<f64>, A1: DenseVec<f64>) -> DenseVec<f64> {
        A[i] = a[i] + A1[i];
    }
}
tensor_kernel! {
    fn words(Output: DenseVec<f64>, Args: DenseVec<f64>, Level: f64, rt: f64, Error: f64) -> DenseVec<f64> {
        D[T] = Level * Output[T] + rt * Args[T] + Error;
    }
}
tensor_kernel! {
    fn more(vals: Csr<f64>, lo: f64, hi: f64, n: f64, k: DenseVec<f64>) -> DenseVec<f64> {
        out[q] = lo * vals[q, end] * k[end] + hi * n;
    }
}
tensor_kernel! {
    fn args(args: SparseVec<f64>, out: SparseVec<f64>, state: f64, inputs: f64) -> DenseVec<f64> {
        result[it] = state * args[it] + inputs * out[it];
    }
}
tensor_kernel! {
    fn explain(x: DenseVec<f64>, cin: DenseVec<f64>) -> Scalar<f64> {
        program = x[k] * cin[k];
    }
}
tensor_kernel! {
    fn wrappers(x: DenseVec<f64>, body: f64, avx2: f64, avx512: f64) -> DenseVec<f64> {
        y[i] = body * x[i] + avx2 * avx512;
    }
}
tensor_kernel! {
    fn under(_a: DenseVec<f64>, __b: DenseVec<f64>) -> DenseVec<f64> {
        c_[_i] = _a[_i] * __b[_i];
    }
}
tensor_kernel! {
    fn größe(é: DenseVec<f64>, ü: DenseVec<f64>) -> DenseVec<f64> {
        ß[ï] = é[ï] * ü[ï];
    }
}
tensor_kernel! {
    fn v0(v0: Csr<f64>, v1: Csr<f64>, t0: f64, p0: DenseVec<f64>) -> DenseVec<f64> {
        y[i0] = t0 * v0[i0, p1] * v1[i0, p1] * p0[p1];
    }
}

/// Raw identifiers that are no words of Rust's are plain names.
mod raw {
    use sparse_gpu::prelude::*;
    tensor_kernel! {
        pub(super) fn r#spmv(r#A: r#Csr<f64>, r#x: DenseVec<f64>, alpha: f64) -> DenseVec<f64> {
            r#y[r#i] = r#alpha * A[i, r#j] * r#x[j];
        }
        schedule cpu {
            r#split(r#i, r#i0, i1, 2);
            parallelize(i0, r#CPUThread, NoRaces);
        }
    }
}

/// Element types that are spelled by path, where their names are other types.
mod renamed_elements {
    #[allow(non_camel_case_types, dead_code)]
    type f64 = f32;
    tensor_kernel! {
        pub(super) fn by_path(A: Csr<::std::primitive::f64>, x: DenseVec<::core::primitive::f64>)
            -> DenseVec<::std::primitive::f64> { y[i] = A[i, j] * x[j]; }
    }
    use sparse_gpu::prelude::*;
}

#[test]
fn other_spellings_of_names() -> Result<(), Error> {
    let a = Csr::from_triplets([2, 2], [([0, 1], 3.0), ([1, 0], -4.0)])?;
    let x = DenseVec::from_dense([2], vec![1.0, 2.0])?;
    assert_eq!(raw::spmv(&a, &x, 2.0)?.vals(), [12.0, -8.0]);
    assert_eq!(raw::r#spmv(&a, &x, 1.0)?.vals(), [6.0, -4.0]);
    assert_eq!(renamed_elements::by_path(&a, &x)?.vals(), [6.0, -4.0]);
    let sim = Sim::new();
    assert_eq!(raw::spmv(&a.to(&sim)?, &x.to(&sim)?, 1.0)?.to_host()?.vals(), [6.0, -4.0]);
    Ok(())
}

#[test]
fn names_do_not_clash() -> Result<(), Error> {
    let (e, f) = (floats([4, 5], 2, 1), floats([4, 5], 2, 2));
    let (m, w) = (Csr::from_triplets([4, 5], e.clone())?, Csr::from_triplets([4, 5], f.clone())?);
    let x = DenseVec::from_dense([5], vec![1.0, -2.0, 3.0, 4.0, 0.5])?;
    let mut expected = [0.0; 4];
    for (at, v) in &e {
        expected[at[0]] += v * x.get([at[1]]);
    }
    assert_eq!(run(&m, &x)?.vals(), expected);
    assert_eq!(lane(&m, 1.0, &x)?.vals(), expected);
    assert_eq!(arrays(&m, &x)?.vals(), expected);
    assert_eq!(more(&m, 1.0, 0.0, 7.0, &x)?.vals(), expected);
    let sum = dims(&m, &w)?;
    let product = v0(&m, &w, 2.0, &x)?;
    for i in 0..4 {
        let mut row = 0.0;
        for j in 0..5 {
            assert_eq!(sum.get([i, j]), num(&e, [i, j]) + num(&f, [i, j]));
            row += 2.0 * num(&e, [i, j]) * num(&f, [i, j]) * x.get([j]);
        }
        assert_eq!(product.get([i]), row);
    }
    let y = DenseVec::from_dense([5], vec![2.0; 5])?;
    let (s, t) = (
        SparseVec::from_triplets([5], [([1], 3.0)])?,
        SparseVec::from_triplets([5], [([1], 1.0), ([4], 2.0)])?,
    );
    assert_eq!(prepare(&s, &t)?.to_dense()?.vals(), [0.0, 4.0, 0.0, 0.0, 2.0]);
    assert_eq!(args(&s, &t, 2.0, 10.0)?.vals(), [0.0, 16.0, 0.0, 0.0, 20.0]);
    assert_eq!(A(&x, &y)?.vals(), [3.0, 0.0, 5.0, 6.0, 2.5]);
    assert_eq!(words(&x, &y, 2.0, 3.0, 1.0)?.vals(), [9.0, 3.0, 13.0, 15.0, 8.0]);
    assert_eq!(explain(&x, &y)?.value()?, 13.0);
    assert_eq!(wrappers(&x, 2.0, 3.0, 5.0)?.vals(), [17.0, 11.0, 21.0, 23.0, 16.0]);
    assert_eq!(under(&x, &y)?.vals(), [2.0, -4.0, 6.0, 8.0, 1.0]);
    assert_eq!(größe(&x, &y)?.vals(), [2.0, -4.0, 6.0, 8.0, 1.0]);
    Ok(())
}

#[test]
fn modules_tell_what_became_of_a_kernel() {
    for text in [run::CIN, run::PROGRAM, prepare::CIN, prepare::PROGRAM, explain::CIN] {
        assert!(!text.is_empty());
    }
    assert!(run::CIN.contains("body[p]"), "{}", run::CIN);
    for text in [run::explain(), prepare::explain(), explain::explain()] {
        let text: String = text;
        assert!(text.len() > 10);
    }
}
