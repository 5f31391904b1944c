//! Reductions that take the fill of what is not stored: where only the number of such coordinates matters, nobody looks for them.

use sparse_core::driver::{Options, compile_gpu, compile_kernel};
use sparse_core::format::{Compressed, Dense, Filled, One, PosInf};
use sparse_core::front::parse_str;
use sparse_core::sim::{Arg, run};
use sparse_core::tensor::{Coo, Csr, Dcsr, DynTensor, Tensor};

/// What runs of a kernel.
fn code(text: &str) -> String {
    let compiled = compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap();
    let program = compiled.program_text();
    program[program.find("run {").unwrap()..].to_owned()
}

fn counted(signature: &str, statement: &str) {
    let code = code(&format!("fn f({signature} {{ {statement} }}"));
    assert!(!code.contains("while") && !code.contains("crd"), "{statement}\n{code}");
    assert!(
        code.contains("A2_dim - ") || code.contains("if pA2_end - pA2_begin < A2_dim"),
        "{statement}\n{code}"
    );
}

#[test]
fn a_rows_fill_is_taken_once() {
    let rows = "A: Csr<f32>) -> DenseVec<f32>";
    for statement in
        ["y[i] max= A[i, j];", "y[i] min= 2 * A[i, j];", "y[i] *= A[i, j];", "y[i] = exp(A[i, j]);"]
    {
        counted(rows, statement);
    }
    counted("A: Csr<bool>) -> DenseVec<bool>", "y[i] &= A[i, j];");
    counted("A: Csr<bool>) -> DenseVec<bool>", "y[i] |= !A[i, j];");
    counted("A: Csr<f32>) -> Scalar<f32>", "s *= A[i, j];");
}

#[test]
fn gaps_that_differ_are_looked_for() {
    // Two in each gap are a power of 2.
    assert!(code("fn f(A: Csr<f32>) -> DenseVec<f32> { y[i] *= A[i, j] + 2; }").contains("j_start"));
    assert!(
        code("fn f(A: Csr<f32>, x: DenseVec<f32>) -> DenseVec<f32> { y[i] max= A[i, j] + x[j]; }")
            .contains("j_start")
    );
    // Of a part of a row nobody knows how many are stored, but for a search.
    let split =
        "fn f(A: Csr<f32>) -> DenseVec<f32> { y[i] max= A[i, j]; } schedule cpu { split(j, j0, j1, 4); }";
    assert!(code(split).contains("j_start"));
}

/// What every iteration combines into a row, loops inside and all, is combined once where an operand stores nothing: the edges
/// that are there already beside the paths of two, and not once for each vertex that is no neighbour.
#[test]
fn a_row_beside_a_product_is_taken_once() {
    let edges = |fill: &str| format!("Tensor<f32, Filled<(Dense, Compressed), {fill}>>");
    let near = edges("PosInf");
    for (signature, statement) in [
        ("A: Csr<bool>) -> Csr<bool>".to_owned(), "R[i, k] |= A[i, k] | (A[i, j] & A[j, k]);"),
        ("A: Csr<bool>) -> DenseMat<bool>".to_owned(), "R[i, k] |= A[i, k] | (A[i, j] & A[j, k]);"),
        (format!("A: {near}) -> {near}"), "R[i, k] min= min(A[i, k], A[i, j] + A[j, k]);"),
    ] {
        let code = code(&format!("fn f({signature} {{ {statement} }}"));
        assert!(!code.contains("j_start") && code.contains("if pA2_end - pA2_begin < A2_dim"), "{code}");
    }
}

const SIZE: [usize; 2] = [7, 3];

/// An empty row, whole ones, and others, of numbers of both signs and some that are none.
fn entries() -> Vec<([usize; 2], f32)> {
    let [nan, inf] = [f32::NAN, f32::INFINITY];
    let rows: [&[(usize, f32)]; 7] = [
        &[],
        &[(0, -1.0), (1, -2.0), (2, -3.0)],
        &[(1, -4.0)],
        &[(0, -inf), (2, 2.0)],
        &[(2, nan)],
        &[(0, inf), (1, -0.0), (2, nan)],
        &[(0, 3.0), (1, 5.0), (2, -2.0)],
    ];
    rows.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |(j, v)| ([i, *j], *v))).collect()
}

type Combine = fn(f32, f32) -> f32;

/// Each row's elements, combined from the left.
fn expected(fill: f32, combine: Combine) -> Vec<f32> {
    let at = |i, j| entries().iter().find(|(c, _)| *c == [i, j]).map_or(fill, |(_, v)| *v);
    (0..SIZE[0]).map(|i| (1..SIZE[1]).fold(at(i, 0), |t, j| combine(t, at(i, j)))).collect()
}

fn assert_rows(format: &str, a: DynTensor, fill: f32) {
    let ops: [(&str, Combine); 3] = [("*", |a, b| a * b), ("max", f32::max), ("min", f32::min)];
    for (symbol, combine) in ops {
        let kernel = format!("fn f(A: {format}) -> DenseVec<f32> {{ y[i] {symbol}= A[i, j]; }}");
        let cpu = |schedule: &str| {
            let kernel = parse_str(&format!("{kernel} {schedule}")).unwrap();
            compile_kernel(kernel, &Options::default()).unwrap().program
        };
        let gpu = compile_gpu(parse_str(&kernel).unwrap(), &Options::default()).unwrap();
        let mut programs: Vec<_> = gpu.all.into_iter().map(|c| c.program).collect();
        programs.extend(["", "schedule cpu = none;"].map(cpu));
        programs.push(cpu("schedule cpu { split(j, j0, j1, 2); }"));
        programs.push(cpu("schedule cpu { split(i, i0, i1, 2); bound(j, j2, 3, MaxExact); }"));
        for program in &programs {
            let made = run(program, &[Arg::Tensor(a.clone())]).unwrap();
            let made: Vec<f32> = made.vals.iter().map(|v| v.to_f64() as f32).collect();
            for (at, (made, expected)) in made.iter().zip(expected(fill, combine)).enumerate() {
                let same = *made == expected || made.is_nan() && expected.is_nan();
                assert!(same, "{kernel}: row {at} is {made}, not {expected}");
            }
        }
    }
}

#[test]
fn fills_combine_as_if_each_were_stored() {
    assert_rows("Csr<f32>", DynTensor::from(&Csr::from_triplets(SIZE, entries()).unwrap()), 0.0);
    assert_rows("Dcsr<f32>", DynTensor::from(&Dcsr::from_triplets(SIZE, entries()).unwrap()), 0.0);
    assert_rows("Coo<f32>", DynTensor::from(&Coo::from_triplets(SIZE, entries()).unwrap()), 0.0);
    type Of<F> = Tensor<f32, Filled<(Dense, Compressed), F>>;
    let ones = Of::<One>::from_triplets(SIZE, entries()).unwrap();
    assert_rows("Tensor<f32, Filled<(Dense, Compressed), One>>", DynTensor::from(&ones), 1.0);
    let infinite = Of::<PosInf>::from_triplets(SIZE, entries()).unwrap();
    assert_rows(
        "Tensor<f32, Filled<(Dense, Compressed), PosInf>>",
        DynTensor::from(&infinite),
        f32::INFINITY,
    );
}
