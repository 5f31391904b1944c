//! Sums that stand as numbers in the value of an element, `H[i, k] = Z[i, k] + A[i, j] * X[j, k]`: elements next to each other
//! share the loops of each, in registers.

use sparse_core::driver::{Options, compile_kernel};
use sparse_core::front::parse_str;
use tests::named::Data::Tensor;
use tests::named::{agrees, agrees_on_gpu};

const KERNELS: [(&str, &str); 7] = [
    ("A: Csr<f64>, X: DenseMat<f64>, Z: DenseMat<f64>", "Z[i, k] + A[i, j] * X[j, k]"),
    ("A: Csr<f64>, X: DenseMat<f64>, Z: DenseMat<f64>", "2.0 * A[i, j] * X[j, k] - max(Z[i, k], 0.5)"),
    ("A: Csr<f64>, X: DenseMat<f64>, b: DenseVec<f64>", "A[i, j] * X[j, k] + b[k]"),
    ("A: Dcsr<f64>, X: DenseMat<f64>, b: DenseVec<f64>", "A[i, j] * X[j, k] + b[k]"),
    ("A: DenseMat<f64>, X: DenseMat<f64>, b: DenseVec<f64>", "A[i, j] * X[j, k] + b[k]"),
    ("A: Csr<f64>, X: DenseMat<f64>, B: Csr<f64>, Y: DenseMat<f64>", "A[i, j] * X[j, k] - B[i, j] * Y[j, k]"),
    ("A: Csr<f64>, X: DenseMat<f64>, Z: DenseMat<f64>", "A[i, j] * X[j, k] * (A[i, l] * Z[l, k])"),
];

fn kernel(operands: &str, value: &str) -> String {
    format!("fn kernel({operands}) -> DenseMat<f64> {{ H[i, k] = {value}; }}")
}

/// Each sum is one loop for a tile of elements, and none is there again for each of them.
#[test]
fn elements_share_the_loops_of_sums() {
    for (operands, value) in KERNELS {
        let text = kernel(operands, value);
        let program = compile_kernel(parse_str(&text).unwrap(), &Options::default()).unwrap().program_text();
        assert!(program.contains("for lanes lane in 0..32 {\n"), "{program}");
        assert!(program.contains("acc_2[lane] += "), "{program}");
    }
}

#[test]
fn results_are_those_of_the_statement() {
    for columns in [0, 1, 4, 7, 45] {
        for (operands, value) in KERNELS {
            let text = kernel(operands, value);
            let dims = |name: &str| -> Vec<usize> {
                match name {
                    "A" | "B" => vec![9, 6],
                    "b" => vec![columns],
                    "Z" if value.contains("Z[l") => vec![6, columns],
                    "Z" => vec![9, columns],
                    _ => vec![6, columns],
                }
            };
            let names: Vec<&str> = operands.split(", ").filter_map(|o| Some(o.split_once(':')?.0)).collect();
            let mut data = vec![];
            for (n, name) in names.iter().enumerate() {
                let (dims, mut entries) = (dims(name), vec![]);
                tests::oracle::for_each_point(&dims, &mut |c| {
                    let mixed: usize = c.iter().enumerate().map(|(d, x)| (d + 3) * x + n).sum();
                    if c.len() == 1 || c[0] % 4 != 1 && mixed % 3 != 2 {
                        entries.push((c.to_vec(), (mixed % 7) as f64 - 2.0));
                    }
                });
                data.push((*name, dims, entries));
            }
            let refs: Vec<Vec<(&[usize], f64)>> = data
                .iter()
                .map(|(_, _, entries)| entries.iter().map(|(c, v)| (&c[..], *v)).collect())
                .collect();
            let tensors: Vec<_> = data
                .iter()
                .zip(&refs)
                .map(|((name, dims, _), entries)| Tensor(name, dims, entries))
                .collect();
            agrees(&text, &tensors);
            agrees_on_gpu(&text, &tensors);
        }
    }
}

/// What `precompute` puts first is filled once for all loops that it does not depend on.
#[test]
fn workspaces_stand_outside_of_loops_that_do_not_change_them() {
    let operands = "A: Csr<f64>, B: Csr<f64>, x: DenseVec<f64>";
    for (statement, command, first) in [
        ("y[i] = A[i, j] * B[j, k] * x[k]", "precompute(B[j, k] * x[k], [j], [jw], t)", "(∀i ∀j y[i]"),
        ("y[j] = A[i, j] * B[i, k] * x[k]", "precompute(B[i, k] * x[k], [], [], t)", "∀i (∀j y[j]"),
    ] {
        let text = format!(
            "fn kernel({operands}) -> DenseVec<f64> {{ {statement}; }} schedule cpu {{ {command}; }} schedule cuda = none;"
        );
        let compiled = compile_kernel(parse_str(&text).unwrap(), &Options::default()).unwrap();
        let cin = &compiled.steps.last().unwrap().cin;
        assert!(cin.contains(first), "{cin}");
        let a: [(&[usize], f64); 4] = [(&[0, 1], 2.0), (&[0, 3], 1.0), (&[2, 0], -1.0), (&[2, 3], 4.0)];
        let b: [(&[usize], f64); 3] = [(&[0, 2], 3.0), (&[1, 1], 1.0), (&[3, 0], 5.0)];
        let x: [(&[usize], f64); 4] = [(&[0], 1.0), (&[1], 2.0), (&[2], 3.0), (&[3], 4.0)];
        agrees(&text, &[Tensor("A", &[4, 4], &a), Tensor("B", &[4, 4], &b), Tensor("x", &[4], &x)]);
    }
}
