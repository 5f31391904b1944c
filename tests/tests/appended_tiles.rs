//! Elements that are appended next to each other, each the sum of a fiber, are summed in register tiles: the fiber is read
//! once a tile, not once an element, and whether it has entries is asked once.

use sparse_core::driver::{Options, compile_kernel};
use sparse_core::front::parse_str;
use sparse_gpu::prelude::*;

tensor_kernel! {
    fn fibers(A: Csf3<f64>, X: DenseMat<f64>) -> Csf3<f64> { Y[i, j, r] = A[i, j, k] * X[k, r]; }
}
tensor_kernel! {
    fn rows(A: Csr<f32>, X: DenseMat<f32>) -> Csr<f32> { Y[i, r] = A[i, j] * X[j, r]; }
}
tensor_kernel! {
    fn entries(A: Dcsr<f64>, X: DenseMat<f64>, d: DenseVec<f64>) -> Coo<f64> { Y[i, r] = d[i] * A[i, j] * X[j, r]; }
}
tensor_kernel! {
    /// Two loops inside of each element.
    fn slices(A: Csf3<f64>, X: DenseMat<f64>, v: DenseVec<f64>) -> Csr<f64> {
        Y[i, r] = A[i, j, k] * v[j] * X[k, r];
    }
}
tensor_kernel! {
    fn largest(A: Tensor<f64, Filled<(Dense, Compressed), NegInf>>, X: DenseMat<f64>)
        -> Tensor<f64, Filled<(Dense, Compressed), NegInf>>
    {
        Y[i, r] max= A[i, j] + X[j, r];
    }
}

/// The loops of a kernel's program.
fn program(text: &str) -> String {
    compile_kernel(parse_str(text).unwrap(), &Options::default()).unwrap().program_text()
}

#[test]
fn a_fiber_is_read_once_a_tile() {
    let code =
        program("fn f(A: Csf3<f64>, X: DenseMat<f64>) -> Csf3<f64> { Y[i, j, r] = A[i, j, k] * X[k, r]; }");
    let begin = code.find("step_by(8)").unwrap();
    let tile = &code[begin..begin + code[begin..].find("step_by(4)").unwrap()];
    let order = [
        "for reduce(acc_3, +) pA_3",
        "let k = A3_crd[pA_3]",
        "for lanes lane in 0..8",
        "if A3_pos[pA_2] < A3_pos[pA_2 + 1]",
        "for lane in 0..8",
        "Y3_crd.push(r0 + lane)",
        "Y_vals.push(acc_3[lane])",
    ];
    let places = order.map(|of| tile.find(of).unwrap_or_else(|| panic!("{of}\n{tile}")));
    assert!(places.is_sorted(), "{tile}");
}

/// Columns that operands do not lie along, and what asks for the element's coordinate, are taken one by one.
#[test]
fn other_elements_are_summed_by_themselves() {
    for text in [
        "fn f(A: Csr<f64>, X: DenseMatColumnMajor<f64>) -> Csr<f64> { Y[i, r] = A[i, j] * X[j, r]; }",
        "fn f(A: Csr<f64>, B: Csc<f64>) -> Csr<f64> { Y[i, r] = A[i, j] * B[j, r]; }",
    ] {
        assert!(!program(text).contains("lanes lane"), "{text}");
    }
}

/// How much a fiber's sums are is known before the loop, if an operand says how many fibers there are: as many as it stores.
/// Rows of a `Csr` may be empty, and `B` stores some of its columns.
#[test]
fn there_is_room_for_what_each_fiber_has() {
    let code =
        program("fn f(A: Csf3<f64>, X: DenseMat<f64>) -> Csf3<f64> { Y[i, j, r] = A[i, j, k] * X[k, r]; }");
    for room in [
        "reserve Y2_crd[A2_pos[A1_pos[1]]] exactly;",
        "reserve Y3_pos[A2_pos[A1_pos[1]] + 1] exactly;",
        "reserve Y3_crd[A2_pos[A1_pos[1]] * X2_dim] exactly;",
        "reserve Y_vals[A2_pos[A1_pos[1]] * X2_dim] exactly;",
        "append Y1_crd Y2_pos Y2_crd Y3_pos Y3_crd Y_vals up to A2_pos[pA] * X2_dim",
    ] {
        assert!(code.contains(room), "{room}\n{code}");
    }
    let code = program(
        "fn f(A: Dcsr<f64>, X: Dense3<f64>) -> Tensor<f64, (Compressed, Compressed, Compressed)> {
            Y[i, r, s] = A[i, j] * X[j, r, s];
        }",
    );
    assert!(code.contains("reserve Y_vals[A1_pos[1] * X2_dim * X3_dim] exactly;"), "{code}");
    for grows in [
        "fn f(A: Csr<f64>, X: DenseMat<f64>) -> Csr<f64> { Y[i, r] = A[i, j] * X[j, r]; }",
        "fn f(A: Csf3<f64>, B: Csc<f64>) -> Csf3<f64> { Y[i, j, r] = A[i, j, k] * B[k, r]; }",
        "fn f(A: Csf3<f64>, X: DenseMat<f64>, v: SparseVec<f64>) -> Csf3<f64> {
            Y[i, j, r] = v[i] * A[i, j, k] * X[k, r];
        }",
    ] {
        assert!(program(grows).contains("reserve Y_vals;"), "{}", program(grows));
    }
}

/// Arrays of a user's may have fibers of which nothing is stored: there is room for them, and they are no fibers of the result.
#[test]
fn fibers_without_entries_have_room_alone() -> Result<(), Error> {
    for filled in [0, 1, 99, 200] {
        let ends =
            (0..=200).map(|f| if f < 100 { f.min(filled) } else { (f - 100).min(filled) + filled.min(100) });
        let ends: Vec<i32> = ends.collect();
        let n = ends[200];
        let levels = vec![
            LevelArrays::compressed(vec![0, 2], vec![3, 4]),
            LevelArrays::compressed(vec![0, 100, 200], (0..100).chain(0..100).collect::<Vec<_>>()),
            LevelArrays::compressed(ends, (0..n).map(|f| f % 7).collect::<Vec<_>>()),
        ];
        let vals = (0..n).map(|f| f64::from(f % 5) - 2.0).collect::<Vec<_>>().into();
        let a = Csf3::try_from_parts(Parts { dims: vec![6, 100, 7], levels, vals }).map_err(|e| e.error)?;
        for columns in [3, 45] {
            let x = DenseMat::from_dense([7, columns], (0..7 * columns).map(|e| e as f64).collect())?;
            let y = fibers(&a, &x)?;
            assert_eq!(y.vals().len(), n as usize * columns);
            let terms = a.iter().map(|([i, j, k], v)| ([i, j], k, v));
            let add = |sum: Option<f64>, a: f64, b: f64| sum.unwrap_or(0.0) + a * b;
            assert_eq!(stored(&y), summed(terms, &x, add), "{filled} {columns}");
        }
    }
    Ok(())
}

/// Some rows are empty, one is long, and some slices have fibers of one entry.
fn matrix(rows: usize, columns: usize) -> Vec<([usize; 2], f64)> {
    let here = |i: usize, j: usize| i % 4 != 1 && (i == 2 || (i * 5 + j * 3) % 7 < 2);
    let all = (0..rows * columns).map(|n| [n / columns, n % columns]).filter(|[i, j]| here(*i, *j));
    all.map(|[i, j]| ([i, j], ((i + 3 * j) % 9) as f64 - 4.0)).collect()
}

/// The entries of a sum over the last coordinate of these, which are in order: each row that has some is full.
fn summed<const N: usize>(
    terms: impl Iterator<Item = ([usize; N], usize, f64)>,
    x: &DenseMat<f64>,
    combine: impl Fn(Option<f64>, f64, f64) -> f64,
) -> Vec<(Vec<usize>, f64)> {
    let mut found = std::collections::BTreeMap::new();
    for (at, k, v) in terms {
        for r in 0..x.dim(1) {
            let sum = found.entry([&at[..], &[r]].concat()).or_insert(None);
            *sum = Some(combine(*sum, v, x.get([k, r])));
        }
    }
    found.into_iter().map(|(at, v)| (at, v.unwrap())).collect()
}

fn stored<F: Format>(t: &Tensor<f64, F>) -> Vec<(Vec<usize>, f64)> {
    t.iter().map(|(at, v)| (at.as_ref().to_vec(), v)).collect()
}

#[test]
fn of_all_sizes() -> Result<(), Error> {
    for columns in [0, 1, 3, 4, 7, 8, 12, 33, 70, 140] {
        let (m, n) = (13, 9);
        let x = (0..n * columns).map(|e| (e * 7 % 11) as f64 - 5.0).collect();
        let x = DenseMat::<f64>::from_dense([n, columns], x)?;
        let add = |sum: Option<f64>, a: f64, b: f64| sum.unwrap_or(0.0) + a * b;
        let entries_of = || matrix(m, n).into_iter();

        let single = Csr::from_triplets([m, n], entries_of().map(|(at, v)| (at, v as f32)))?;
        let by_rows = summed(entries_of().map(|([i, j], v)| ([i], j, v)), &x, add);
        assert_eq!(stored(&rows(&single, &x.cast())?.cast::<f64>()), by_rows, "{columns}");

        let dcsr = Dcsr::<f64>::from_triplets([m, n], entries_of())?;
        let d = DenseVec::<f64>::from_dense([m], (0..m).map(|i| i as f64 - 3.0).collect())?;
        let weighted = summed(entries_of().map(|([i, j], v)| ([i], j, v * (i as f64 - 3.0))), &x, add);
        assert_eq!(stored(&entries(&dcsr, &x, &d)?), weighted, "{columns}");

        let filled = Tensor::from_triplets([m, n], entries_of())?;
        let most = |sum: Option<f64>, a: f64, b: f64| sum.unwrap_or(f64::NEG_INFINITY).max(a + b);
        let most = summed(entries_of().map(|([i, j], v)| ([i], j, v)), &x, most);
        assert_eq!(stored(&largest(&filled, &x)?), most, "{columns}");

        let cube = || entries_of().map(|([i, j], v)| ([i / 3, i % 3, j], v));
        let a = Csf3::<f64>::from_triplets([m.div_ceil(3), 3, n], cube())?;
        let by_fibers = summed(cube().map(|([i, j, k], v)| ([i, j], k, v)), &x, add);
        assert_eq!(stored(&fibers(&a, &x)?), by_fibers, "{columns}");

        let v = DenseVec::<f64>::from_dense([3], vec![2.0, -1.0, 3.0])?;
        let by_slices = summed(cube().map(|([i, j, k], x)| ([i], k, x * v.get([j]))), &x, add);
        assert_eq!(stored(&slices(&a, &x, &v)?), by_slices, "{columns}");
    }
    Ok(())
}
