//! Loops on threads, compiled and run: the golden code of the programs written by hand, on pools of several sizes,
//! against the interpreter.
#![allow(non_snake_case, non_camel_case_types, unused, clippy::all)]

use rayon::{ThreadPool, ThreadPoolBuilder};
use sparse_core::format::{Buffer, FormatSpec, Level};
use sparse_core::llir::verify::Verified;
use sparse_core::rt;
use sparse_core::scalar::{DType, Element, Value};
use sparse_core::sim::{Arg, run};
use sparse_core::tensor::{DynTensor, LevelArrays};

macro_rules! compiled {
    ($($name:ident)*) => {$(
        // Tokens carry no comments, and the macro's lints pass by.
        #[allow(clippy::undocumented_unsafe_blocks)]
        mod $name {
            use sparse_gpu::__private::native::*;
            include!(concat!("../golden/programs/", stringify!($name), ".rs"));
        }
    )*};
}
compiled!(rows tiles histogram column_sums column_maxima workspace captures two_loops appended_rows appended_tree);

fn program(name: &str) -> Verified {
    let found = tests::programs::programs().into_iter().find(|p| p.0 == name);
    found.expect("a program of this name").1
}

/// Every pool that a test runs on.
fn pools() -> Vec<ThreadPool> {
    let pool = |n| ThreadPoolBuilder::new().num_threads(n).build().expect("threads");
    [1, 2, 4].map(pool).into()
}

/// A sparse matrix of which some rows are empty and one is full.
fn matrix(dtype: DType, rows: usize, columns: usize) -> DynTensor {
    let mut entries = vec![];
    let mut random = 1_u64;
    for i in 0..rows {
        let full = i == rows / 3;
        for j in 0..columns {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            if full || i % 5 != 0 && random >> 60 < 2 {
                entries.push((vec![i, j], dtype.from_i64((random >> 40) as i64 % 50 - 25)));
            }
        }
    }
    let spec = FormatSpec::new(vec![Level::Dense, Level::Compressed { unique: true }]);
    DynTensor::from_entries(spec, dtype, vec![rows, columns], &entries, false).expect("coordinates in range")
}

fn dense(dtype: DType, dims: &[usize]) -> DynTensor {
    let len = dims.iter().product::<usize>();
    let vals = (0..len).map(|n| dtype.from_i64((n * 7 % 19) as i64 - 9)).collect();
    let spec = FormatSpec::new(vec![Level::Dense; dims.len()]);
    DynTensor { spec, dtype, dims: dims.to_vec(), levels: vec![LevelArrays::Dense; dims.len()], vals }
}

/// pos, crd and values.
fn arrays<T: Element>(t: &DynTensor) -> (Vec<i32>, Vec<i32>, Vec<T>) {
    let (pos, crd) = match t.levels.last() {
        Some(LevelArrays::Compressed { pos, crd }) => (pos.clone(), crd.clone()),
        _ => (vec![], vec![]),
    };
    (pos, crd, values(t))
}

fn values<T: Element>(t: &DynTensor) -> Vec<T> {
    t.vals.iter().map(|v| T::from_value(*v).expect("of one type")).collect()
}

/// Runs compiled code on every pool; all elements of its result are whole numbers, so that no order matters.
#[track_caller]
fn check<T: Element>(
    name: &str,
    args: &[DynTensor],
    init: Option<T>,
    native: impl Fn(&mut [rt::MaybeUninit<T>]) + Sync,
) {
    let args: Vec<Arg> = args.iter().cloned().map(Arg::Tensor).collect();
    let expected: Vec<T> = values(&run(&program(name), &args).expect("the program runs"));
    for pool in pools() {
        // Without a first value, every element is the program's to write.
        let mut y = Buffer::full(expected.len(), init.unwrap_or(T::from_f64(-1e6)));
        // SAFETY: native code writes elements.
        pool.install(|| native(unsafe { rt::room(&mut y) }));
        let threads = pool.current_num_threads();
        assert_eq!(*y, *expected, "{name} on {threads} threads");
    }
}

/// Rows, columns: fewer rows than threads, no rows, no columns, many.
const SIZES: [(usize, usize); 6] = [(0, 3), (4, 0), (1, 9), (3, 50), (97, 13), (1000, 70)];

#[test]
fn rows_that_are_balanced() {
    for (m, n) in SIZES {
        let (a, x) = (matrix(DType::F64, m, n), dense(DType::F64, &[n]));
        let ((pos, crd, vals), xs) = (arrays(&a), values(&x));
        check::<f64>("rows", &[a, x], None, |y| {
            // SAFETY: the arrays are those of the tensors, and the result has an element a row.
            unsafe { rows::run(m, &pos, &crd, &vals, &xs, y) }
        });
    }
}

#[test]
fn rows_in_tiles_of_every_size() {
    for (m, n) in SIZES {
        for width in [0, 1, 4, 8, 9, 16, 31, 32] {
            let (a, b) = (matrix(DType::F32, m, n), dense(DType::F32, &[n, width]));
            let ((pos, crd, vals), bs) = (arrays(&a), values(&b));
            check::<f32>("tiles", &[a, b], None, |c| {
                // SAFETY: as above, with an element a row and column of B.
                unsafe { tiles::run(m, width, &pos, &crd, &vals, &bs, c) }
            });
        }
    }
}

#[test]
fn columns_are_counted_atomically() {
    for (m, n) in SIZES {
        let a = matrix(DType::I32, m, n);
        let (pos, crd, vals) = arrays(&a);
        check::<i32>("histogram", &[a], Some(0), |y| {
            // SAFETY: the arrays are those of the tensor, and the result has an element a column.
            unsafe { histogram::run(m, n, &pos, &crd, &vals, y) }
        });
    }
}

#[test]
fn columns_are_summed_in_copies() {
    for (m, n) in SIZES {
        let a = matrix(DType::F64, m, n);
        let (pos, crd, vals) = arrays(&a);
        check::<f64>("column_sums", &[a], Some(0.0), |y| {
            // SAFETY: as above.
            unsafe { column_sums::run(m, n, &pos, &crd, &vals, y) }
        });
    }
}

#[test]
fn columns_are_compared_atomically() {
    for (m, n) in SIZES {
        let a = matrix(DType::F64, m, n);
        let (pos, crd, vals) = arrays(&a);
        check::<f64>("column_maxima", &[a], Some(f64::NEG_INFINITY), |y| {
            // SAFETY: as above.
            unsafe { column_maxima::run(m, n, &pos, &crd, &vals, y) }
        });
    }
}

#[test]
fn each_row_has_its_workspace() {
    for (m, n) in SIZES {
        let (a, x) = (matrix(DType::F64, m, n), dense(DType::F64, &[n]));
        let ((pos, crd, vals), xs) = (arrays(&a), values(&x));
        check::<f64>("workspace", &[a, x], None, |y| {
            // SAFETY: the arrays are those of the tensors, and the result has an element a row.
            unsafe { workspace::run(m, n, &pos, &crd, &vals, &xs, y) }
        });
    }
}

#[test]
fn a_body_captures_what_it_uses() {
    for (m, n) in SIZES {
        let (a, y) = (matrix(DType::F32, m, n), dense(DType::F32, &[m]));
        let ((pos, crd, vals), ys): (_, Vec<f32>) = (arrays(&a), values(&y));
        let args = [Arg::Tensor(a), Arg::Tensor(y), Arg::Scalar(Value::F32(3.0))];
        let expected = values::<f32>(&run(&program("captures"), &args).expect("the program runs"));
        for pool in pools() {
            let (mut y, mut list, mut again) =
                (ys.clone(), rt::Grown::new(), Buffer::<i32>::with_capacity(m));
            // SAFETY: the arrays are those of the tensors, and there is room for every row in the bounded list.
            pool.install(|| unsafe {
                captures::run(m, 3.0, &pos, &crd, &vals, &mut y, &mut list, rt::room(&mut again));
            });
            assert_eq!(y, expected);
        }
    }
}

#[test]
fn a_loop_reads_what_the_loop_before_it_wrote() {
    for (m, n) in SIZES {
        let a = matrix(DType::I64, m, n);
        let (pos, crd, vals) = arrays(&a);
        check::<i64>("two_loops", &[a], None, |y| {
            // SAFETY: as above.
            unsafe { two_loops::run(m, &pos, &crd, &vals, y) }
        });
    }
}

/// All index arrays of a tensor, from the root, then its values.
fn storage<T: Element>(t: &DynTensor) -> (Vec<Vec<i32>>, Vec<T>) {
    let arrays = t.levels.iter().flat_map(|l| match l {
        LevelArrays::Compressed { pos, crd } => vec![pos.clone(), crd.clone()],
        _ => vec![],
    });
    (arrays.collect(), values(t))
}

#[test]
fn rows_are_appended_to_regions() {
    for (m, n) in SIZES {
        let a = matrix(DType::F64, m, n);
        let (pos, crd, vals) = arrays::<f64>(&a);
        let expected = storage::<f64>(&run(&program("appended_rows"), &[Arg::Tensor(a)]).expect("it runs"));
        for pool in pools() {
            let mut c_pos = Buffer::full(m + 1, -1);
            let (mut c_crd, mut c_vals) = (Buffer::full(crd.len(), -1), Buffer::full(crd.len(), -1.0));
            // SAFETY: native code writes elements.
            let rooms = unsafe { (rt::room(&mut c_pos), rt::room(&mut c_crd), rt::room(&mut c_vals)) };
            // SAFETY: the arrays are those of the tensor, and there is room for its entries.
            let [len] = pool
                .install(|| unsafe { appended_rows::run(m, &pos, &crd, &vals, rooms.0, rooms.1, rooms.2) });
            let got = (vec![c_pos.to_vec(), c_crd[..len].to_vec()], c_vals[..len].to_vec());
            assert_eq!(got, expected, "{m}x{n} on {} threads", pool.current_num_threads());
        }
    }
}

#[test]
fn trees_are_appended_in_parts() {
    for (m, n) in SIZES {
        let a = matrix(DType::F32, m, n);
        let (pos, crd, vals) = arrays::<f32>(&a);
        let expected = storage::<f32>(&run(&program("appended_tree"), &[Arg::Tensor(a)]).expect("it runs"));
        for pool in pools() {
            let mut rows = Buffer::full(2, -1);
            let [mut row, mut c_pos, mut c_crd] = [(); 3].map(|()| rt::Grown::new());
            let mut c_vals = rt::Grown::new();
            // SAFETY: native code writes elements.
            let room = unsafe { rt::room(&mut rows) };
            // SAFETY: the arrays are those of the tensor.
            pool.install(|| unsafe {
                appended_tree::run(m, &pos, &crd, &vals, room, &mut row, &mut c_pos, &mut c_crd, &mut c_vals)
            });
            let got = ([&*rows, &*row, &*c_pos, &*c_crd].map(|a| a.to_vec()).to_vec(), c_vals.to_vec());
            assert_eq!(got, expected, "{m}x{n} on {} threads", pool.current_num_threads());
        }
    }
}
