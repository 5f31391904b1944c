//! Shrunk counterexamples of the suite of sparse results, each by the mistake that it found.
#![allow(non_snake_case)]

use sparse_core::driver::{Options, compile_kernel};
use sparse_core::front::parse_str;
use sparse_core::scalar::Value;
use sparse_core::tensor::DynTensor;
use sparse_gpu::prelude::*;
use tests::named::{Data, agrees};
use tests::natively::{build, random};
use tests::{check, kernel};

/// Before, at and after the only entry of a singleton level the same workspace is filled and read, in one block.
mod a_workspace_is_filled_again_beside_a_singleton {
    use super::*;

    kernel! {
        SUM: fn sum(A: Csc<f64>, B: Tensor<f64, Reordered<(Dense, Singleton, Compressed), 2, 1, 0>>)
            -> Tensor<f64, (Dense, Dense, Compressed)>
        {
            R[j, l, k] = A[j, m] + B[j, l, k];
        }
    }

    #[test]
    fn everywhere() {
        for (one_in, seed) in [(1, 1), (2, 2), (9, 3)] {
            let A = random(&[4, 3], one_in, seed);
            let entries = [(0, 1), (1, 0), (2, 4)].map(|(k, l)| (vec![seed as usize, l, k], Value::F64(2.0)));
            let B = build(&[4, 5, 3], &entries);
            check!(SUM, sum(A, B));
        }
    }
}

/// A copy of an operand that has one entry a row is read at every coordinate of a row.
mod a_copy_has_no_single_entries {
    use super::*;

    const ROWS: &str =
        "fn f(A: Tensor<f64, (Dense, Singleton)>, B: Csr<f64>) -> Csr<f64> { R[i, k] = A[i, j] * B[j, k]; }";

    fn refused(command: &str) -> String {
        let text = format!("{ROWS} schedule cpu {{ {command} }}");
        let compiled =
            compile_kernel(parse_str(&text).unwrap_or_else(|_| panic!("{text}")), &Options::default());
        compiled.err().map_or(String::new(), |d| d.to_string())
    }

    #[test]
    fn rows_are_not_appended_in_its_order() {
        for copy in ["precompute(A[i, j], [i, j], [i, j], w);", "precompute(A[i, j], [j], [j], w);"] {
            assert!(refused(copy).contains("the loop over `j` would break it"), "{}", refused(copy));
        }
        let part = "split(j, j0, j1, 2); precompute(A[i, j], [j1], [j1], w);";
        assert!(refused(part).contains("result-order"), "{}", refused(part));
    }

    /// One entry of it is a number.
    #[test]
    fn an_entry_by_itself_is_one() {
        let text = format!("{ROWS} schedule cpu {{ precompute(A[i, j], [], [], w); }}");
        let a: [(&[usize], f64); 3] = [(&[0, 3], 2.0), (&[1, 0], 5.0), (&[2, 3], -1.0)];
        let b: [(&[usize], f64); 4] = [(&[0, 1], 3.0), (&[2, 0], 4.0), (&[3, 0], 1.0), (&[3, 2], 7.0)];
        agrees(&text, &[Data::Tensor("A", &[3, 4], &a), Data::Tensor("B", &[4, 3], &b)]);
    }
}

/// The list that is packed into the result looks like the operand, but shares nothing with it.
mod a_list_is_packed_into_another_format {
    use super::*;

    kernel! {
        COPY: fn copy(A: Tensor<f64, Reordered<(Compressed<NonUnique>, Singleton<NonUnique>, Singleton), 0, 2, 1>>)
            -> Tensor<f64, Reordered<(Compressed, Dense, Compressed), 0, 2, 1>>
        {
            R[j, l, m] = A[j, l, m];
        }
    }

    #[test]
    fn everywhere() {
        for (dims, one_in) in [([0, 0, 0], 1), ([4, 3, 5], 1), ([4, 3, 5], 4)] {
            let A = random(&dims, one_in, 1);
            check!(COPY, copy(A));
        }
    }
}

/// The last iterations, those that a split leaves, scatter outside of the loop on threads.
mod a_workspace_inside_and_after_a_loop_on_threads {
    use super::*;

    kernel! {
        SUM: fn sum(A: Tensor<f64, Reordered<(Dense, Dense, Compressed), 1, 2, 0>>) -> Csc<f64> {
            R[i, j] = A[i, j, k];
        }
        schedule cpu {
            split(j, j0, j1, 2);
            unroll(j1, 1);
            parallelize(j0, CPUThread, NoRaces);
        }
    }

    #[test]
    fn everywhere() {
        for (dims, one_in) in [([0, 0, 0], 1), ([5, 1, 4], 2), ([5, 9, 4], 2), ([40, 101, 30], 5)] {
            let A = random(&dims, one_in, 1);
            check!(SUM, sum(A));
        }
    }
}

/// A term that is computed first has elements everywhere: what stands for an absent one must not be the result's infinite
/// fill, which would annihilate the other term.
mod a_term_without_absent_elements_beside_an_infinite_fill {
    use super::*;

    kernel! {
        SUM: fn sum(A: Tensor<f64, Filled<(Dense, Dense, Compressed), PosInf>>, B: Csr<f64>, alpha: f64)
            -> Tensor<f64, Filled<(Dense, Dense, Compressed), PosInf>>
        {
            R[i, j, l] = A[j, l, i] - sin(alpha - B[i, j]);
        }
    }

    #[test]
    fn everywhere() {
        for (one_in, seed) in [(1, 1), (3, 2), (9, 3), (1000, 4)] {
            let A = random(&[4, 3, 5], one_in, seed);
            let B = random(&[5, 4], one_in, seed + 7);
            let alpha = 1.0;
            let result = sum(&A, &B, alpha).unwrap();
            tests::named::agrees_natively(
                SUM,
                &[("A", DynTensor::from(&A)), ("B", DynTensor::from(&B))],
                &[("alpha", alpha)],
                &DynTensor::from(&result),
            );
            assert_eq!(result.stored(), A.stored());
        }
    }
}

/// Inside of the loop over rows a table is of two coordinates, of which teams would claim its places by one: a thread has the row.
mod teams_claim_places_by_one_coordinate {
    use super::*;

    kernel! {
        PRODUCT: fn product(A: Csc<f64>, B: Csr<f64>, C: Csr<f64>, D: Csr<f64>) -> Csr<f64> {
            R[i, k] = (A[j, i] + B[j, i]) * (C[k, j] + D[j, k]);
        }
    }

    #[test]
    fn everywhere() {
        for (one_in, seed) in [(1, 1), (2, 2), (9, 3)] {
            let A = random(&[6, 5], one_in, seed);
            let B = random(&[6, 5], one_in, seed + 1);
            let C = random(&[5, 6], one_in, seed + 2);
            let D = random(&[6, 5], one_in, seed + 3);
            check!(PRODUCT, product(A, B, C, D));
        }
    }
}

/// Both accesses are copied in another order, which loops came to the result's entries in.
mod what_is_copied_twice_leads_to_no_pattern {
    use super::*;

    kernel! {
        SQUARES: fn squares(A: Csf3<f64>, B: Tensor<f64, (Dense, Dense, Dense, Dense)>) -> Csf3<f64> {
            R[k, i, j] = A[k, i, j] * A[k, i, j] * B[i, j, k, l];
        }
    }

    #[test]
    fn everywhere() {
        for (dims, one_in) in [([1, 1, 2], 1), ([3, 4, 5], 2), ([0, 2, 3], 1)] {
            let A = random(&dims, one_in, 1);
            let B = random(&[dims[1], dims[2], dims[0], 3], 1, 2);
            check!(SQUARES, squares(A, B));
        }
    }
}

/// Who reads the rows of a copy comes to those without entries, too, and stores a sum of nothing: the oracle expected none.
mod a_copy_has_rows_without_entries {
    use super::*;

    kernel! {
        LESS: fn less(A: Csc<f64>, B: Csc<f64>, C: Csr<f64>, D: Csr<f64>) -> Csc<f64> {
            R[i, k] = A[i, k] - B[i, k] * C[i, j] * D[j, k];
        }
    }

    #[test]
    fn everywhere() {
        for (n, one_in) in [(0, 1), (2, 9), (3, 2)] {
            let (A, B) = (random(&[4, 5], 4, 1), random(&[4, 5], 2, 2));
            let (C, D) = (random(&[4, n], 3, 3), random(&[n, 5], one_in, 4));
            check!(LESS, less(A, B, C, D));
        }
    }
}

/// A term that is summed has another background for each size of what it is summed over: with coordinates far apart the oracle
/// expected that of size 1.
mod what_is_not_stored_is_summed_as_often_as_there_are_elements {
    use super::*;

    kernel! {
        LESS: fn less(A: Tensor<f64, (Compressed, Dense)>, B: SparseVec<f64>) -> SparseVec<f64> {
            R[i] = exp(A[i, j]) - cos(B[i]);
        }
    }

    #[test]
    fn everywhere() {
        for n in 0..3 {
            let (A, B) = (random(&[5, n], 2, 1), random(&[5], 2, 2));
            check!(LESS, less(A, B));
        }
    }
}

/// Signs before a sum leave its terms what they are: under two of them the oracle took it for reduced as a whole, and expected no
/// entry for a term without elements.
mod a_sum_of_nothing_is_a_number_under_any_signs {
    use super::*;

    kernel! {
        ONE: fn one(A: SparseVec<f64>, D: DenseVec<f64>) -> SparseVec<f64> {
            R[i] = -(A[i] + D[j]);
        }
    }
    kernel! {
        TWO: fn two(A: SparseVec<f64>, D: DenseVec<f64>) -> SparseVec<f64> {
            R[i] = --(A[i] + D[j]);
        }
    }

    #[test]
    fn everywhere() {
        for n in 0..3 {
            let (A, D) = (random(&[5], 2, 1), random(&[n], 1, 2));
            check!(ONE, one(A, D));
            check!(TWO, two(A, D));
        }
    }
}

/// A matrix that is filled by counting lists all of its rows, of which a result with blocks stores those that operands have: it had
/// a block for each row, in memory for C's.
mod a_block_is_stored_where_operands_have_its_row {
    use super::*;

    kernel! {
        PRODUCT: fn product(A: DenseMat<f64>, C: Tensor<f64, (Compressed, Dense)>, D: Csr<f64>)
            -> Tensor<f64, (Compressed, Dense)>
        {
            R[j, i] = A[j, i] * (C[j, i] * D[i, j]);
        }
    }

    #[test]
    fn everywhere() {
        for (rows, columns, one_in) in [(1, 0, 1), (9, 3, 1), (9, 3, 2), (9, 4, 8)] {
            let (A, D) = (random(&[rows, columns], 1, 1), random(&[columns, rows], one_in, 2));
            let stored = [1, 4].into_iter().filter(|row| *row < rows && columns > 0);
            let entries: Vec<_> = stored.map(|row| (vec![row, 1], Value::F64(3.0))).collect();
            let C = build(&[rows, columns], &entries);
            check!(PRODUCT, product(A, C, D));
        }
    }
}

/// A sum has one term where an operand has one entry a row, not where a copy in another order is read; and the least of a NaN alone
/// is not NaN. Both were appended as if each coordinate came once, and as it is.
mod one_entry_a_row_of_a_copy_or_of_nan {
    use super::*;

    kernel! {
        COPIED: fn copied(
            A: Tensor<f64, Filled<(Dense, Compressed), One>>,
            B: Tensor<f64, Reordered<(Compressed, Singleton), 1, 0>>,
        ) -> Csr<f64> {
            R[i, l] = A[i, j] * B[j, l];
        }
    }
    kernel! {
        LEAST: fn least(A: Tensor<f64, Filled<(Compressed, Singleton), PosInf>>, B: Csr<f64>)
            -> Tensor<f64, Filled<(Dense, Compressed), PosInf>>
        {
            R[i, k] min= A[i, j] + B[j, k];
        }
    }

    #[test]
    fn everywhere() {
        let entries = [(1, 22, 1.0), (2, 9, 1.0), (0, 12, 3.0)];
        let A = build(&[1, 3], &[(vec![0, 1], Value::F64(3.0))]);
        let B = build(&[3, 23], &entries.map(|(j, l, value)| (vec![j, l], Value::F64(value))));
        check!(COPIED, copied(A, B));
        let A = build(&[4, 3], &[(vec![3, 2], Value::F64(f64::NAN)), (vec![1, 0], Value::F64(2.0))]);
        let B = random(&[3, 2], 2, 5);
        check!(LEAST, least(A, B));
    }
}

/// `A[k]` is read inside of the product's loops, and once more where it is summed by itself: the oracle expected no number at the
/// coordinates that only the other loop has, as if that were inside of these, too.
mod an_access_is_in_the_loops_of_its_term {
    use super::*;

    kernel! {
        LESS: fn less(A: SparseVec<f64>, B: Csr<f64>) -> SparseVec<f64> {
            R[l] = A[k] * B[k, l] - A[k];
        }
    }

    #[test]
    fn everywhere() {
        for (n, one_in) in [(0, 1), (1, 1), (4, 2), (4, 9)] {
            let (A, B) = (random(&[n], one_in, 1), random(&[n, 3], one_in, 2));
            check!(LESS, less(A, B));
        }
    }
}

/// Blocks are stored at what is come to before C's rows are: a row that C does not store was a row without entries in the loop
/// that merges all three, and blocks that nothing was visited for were stored in it.
mod blocks_before_a_row_that_is_not_stored {
    use super::*;

    kernel! {
        COMPARED: fn compared(A: Dcsr<f64>, C: Dcsr<f64>, D: Dcsr<f64>) -> Tensor<f64, (Dense, Compressed, Dense)> {
            R[i, m, j] = (A[i, m] < C[i, j]) < D[i, m];
        }
    }

    #[test]
    fn everywhere() {
        for (a, c, d) in [(9, 9, 1), (1, 9, 2), (2, 2, 2), (9, 1, 9)] {
            let (A, C, D) = (random(&[5, 4], a, 1), random(&[5, 3], c, 2), random(&[5, 4], d, 3));
            check!(COMPARED, compared(A, C, D));
        }
        let one = [(vec![0, 0], Value::F64(1.0))];
        let (A, C, D) = (build(&[1, 2], &[]), build(&[1, 1], &[]), build(&[1, 2], &one));
        check!(COMPARED, compared(A, C, D));
    }
}
