//! Rows that a block searches for once: where it does, and what its threads then find, past empty rows, in the last block
//! that is there in part, and in tensors with rows of rows.

use sparse_core::driver::{Options, compile_cuda};
use sparse_core::front::parse_str;
use sparse_core::llir::walk::visit_stmts;
use sparse_core::llir::{Scope, Space, Step, Stmt};
use tests::named::Data::Tensor;
use tests::named::agrees_on_gpu;

/// Dimensions and entries.
type Entries = (Vec<usize>, Vec<(Vec<usize>, f64)>);

/// Entries with small values at the coordinates that a test picks.
fn tensor(dims: &[usize], stored: impl Fn(&[usize]) -> bool) -> Entries {
    let mut entries = Vec::new();
    tests::oracle::for_each_point(dims, &mut |c| {
        if stored(c) {
            entries.push((c.to_vec(), (entries.len() % 7) as f64 - 2.0));
        }
    });
    (dims.to_vec(), entries)
}

fn full(dims: &[usize]) -> Entries {
    tensor(dims, |_| true)
}

fn agrees(text: &str, operands: &[(&str, &Entries)]) {
    let refs: Vec<Vec<(&[usize], f64)>> =
        operands.iter().map(|(_, t)| t.1.iter().map(|(c, v)| (&c[..], *v)).collect()).collect();
    let data: Vec<_> =
        operands.iter().zip(&refs).map(|((name, t), entries)| Tensor(name, &t.0, entries)).collect();
    agrees_on_gpu(text, &data);
}

/// The lengths of the arrays that blocks share, and how often they wait.
fn shares(text: &str) -> (Vec<u32>, usize) {
    let kernel = parse_str(text).map_err(|f| f.diagnostics.to_string()).unwrap();
    let program = compile_cuda(kernel, &Options::default()).map_err(|d| d.to_string()).unwrap().program;
    let program = program.program();
    let (mut lengths, mut barriers) = (vec![], 0);
    for step in &program.steps {
        let Step::Launch(launch) = step else { continue };
        lengths.extend(launch.shared.iter().map(|b| match program.buffer(*b).space {
            Space::Shared { len } => len,
            _ => panic!("a launch shares what is not shared"),
        }));
        visit_stmts(&launch.body, &mut |s| barriers += usize::from(*s == Stmt::Barrier(Scope::Block)));
    }
    (lengths, barriers)
}

/// Of entries that no block, one, or several have: rows of one entry, a row of many blocks, empty ones at the ends and
/// between, as many as a block has threads; a last block of one entry.
fn matrices() -> Vec<Entries> {
    vec![
        tensor(&[300, 3], |c| c[1] == c[0] % 3),
        tensor(&[7, 150], |c| c[0] == 2 || c[0] == 5),
        tensor(&[900, 2], |c| c[0] % 300 == 299),
        tensor(&[600, 4], |c| c[0] < 20 || c[0] >= 590),
        tensor(&[3, 129], |c| c[0] == 1),
        tensor(&[40, 16], |c| (c[0] * 5 + c[1] * 3) % 4 != 1 && c[0] % 7 != 2),
        tensor(&[5, 4], |c| c == [3, 2]),
        tensor(&[4, 4], |_| false),
        tensor(&[0, 4], |_| true),
    ]
}

/// `<1 nnz, c col>, r` with a block of so many threads.
fn point(r: u32, c: u32, threads: u32, option: &str) -> String {
    format!("schedule cuda = atomic(<1 nnz, {c} col>, {r}, threads = {threads}{option});")
}

#[test]
fn rows_are_found_between_those_of_the_block() {
    for (r, threads, option) in [(8, 128, ""), (32, 256, ""), (2, 160, ""), (32, 128, ", deterministic")] {
        let schedule = point(r, 1, threads, option);
        for format in ["Csr", "Dcsr"] {
            let text = format!(
                "fn kernel(A: {format}<f64>, x: DenseVec<f64>) -> DenseVec<f64> {{ y[i] = A[i, j] * x[j]; }} {schedule}"
            );
            assert_eq!(shares(&text), (vec![17], 1), "{schedule}");
            for a in matrices() {
                agrees(&text, &[("A", &a), ("x", &full(&[a.0[1]]))]);
            }
        }
    }
}

/// Both versions of the nest, of which one runs, have the same array.
#[test]
fn rows_of_blocks_in_tiles_of_columns() {
    let kernel = "fn kernel(A: Csr<f32>, B: DenseMat<f32>) -> DenseMat<f32> { C[i, k] = A[i, j] * B[j, k]; }";
    for (option, barriers) in [("", 1), (", vector", 2)] {
        let text = format!("{kernel} {}", point(8, 4, 128, option));
        assert_eq!(shares(&text), (vec![17], barriers));
        for a in matrices() {
            for columns in [3, 4, 8] {
                agrees(&text, &[("A", &a), ("B", &full(&[a.0[1], columns]))]);
            }
        }
    }
}

/// Each level's rows are between those of the level below.
#[test]
fn rows_of_rows() {
    let tensors = [
        tensor(&[6, 9, 30], |c| c[0] != 3 && (c[1] + c[2]) % 4 != 1),
        tensor(&[200, 2, 3], |c| c[0] % 3 == 1 && c[2] == c[0] % 2),
        tensor(&[2, 3, 70], |c| c[0] == 1),
        tensor(&[3, 3, 3], |_| false),
    ];
    let mttkrp = format!(
        "fn kernel(B: Csf3<f64>, C: DenseMat<f64>, D: DenseMat<f64>) -> DenseMat<f64> \
         {{ A[i, j] = B[i, k, l] * C[k, j] * D[l, j]; }} {}",
        point(32, 2, 128, "")
    );
    let ttv = format!(
        "fn kernel(B: Csf3<f64>, c: DenseVec<f64>) -> DenseMat<f64> {{ A[i, j] = B[i, j, k] * c[k]; }} {}",
        point(4, 1, 128, "")
    );
    // A dense level's rows are quotients: nothing is searched above them.
    let below_dense = format!(
        "fn kernel(B: Tensor<f64, (Dense, Dense, Compressed)>, c: DenseVec<f64>) -> DenseMat<f64> \
         {{ A[i, j] = B[i, j, k] * c[k]; }} {}",
        point(8, 1, 128, "")
    );
    assert_eq!(shares(&mttkrp), (vec![17, 17], 1));
    assert_eq!(shares(&ttv), (vec![17, 17], 1));
    assert_eq!(shares(&below_dense), (vec![17], 1));
    for b in &tensors {
        let [_, k, l] = b.0[..] else { panic!("of order 3") };
        agrees(&mttkrp, &[("B", b), ("C", &full(&[k, 3])), ("D", &full(&[l, 3]))]);
        for text in [&ttv, &below_dense] {
            agrees(text, &[("B", b), ("c", &full(&[l]))]);
        }
    }
}

/// Each thread searches alone where a block has few, where its threads come by several times or with columns of their own,
/// where one has several entries, and where there is nothing to search.
#[test]
fn threads_search_alone() {
    let kernel = |format: &str| {
        format!(
            "fn kernel(A: {format}<f64>, B: DenseMat<f64>) -> DenseMat<f64> {{ C[i, k] = A[i, j] * B[j, k]; }}"
        )
    };
    let fused = "fuse(i, j, f); pos(f, p, A[i, j]); split(p, block, lane, 128);";
    let on = "parallelize(block, GPUBlock, IgnoreRaces); parallelize(lane, GPUGroup(8), Segment);";
    for (format, schedule) in [
        ("Csr", point(8, 4, 64, "")),
        ("Csr", "schedule cuda = atomic(<2 nnz, 4 col>, 8);".into()),
        ("Coo", point(8, 4, 128, "")),
        ("Csr", format!("schedule cuda {{ {fused} reorder(block, k, lane); {on} }}")),
        (
            "Csr",
            format!(
                "schedule cuda {{ {fused} bound(k, warp, 4, MaxExact); reorder(block, warp, lane); {on} \
                 parallelize(warp, GPUWarp, NoRaces); }}"
            ),
        ),
    ] {
        let text = format!("{} {schedule}", kernel(format));
        assert_eq!(shares(&text), (vec![], 0), "{schedule}");
        let a = tensor(&[40, 16], |c| (c[0] * 5 + c[1] * 3) % 4 != 1 && c[0] % 7 != 2);
        agrees(&text, &[("A", &a), ("B", &full(&[16, 4]))]);
    }
}
