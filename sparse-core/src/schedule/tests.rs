//! What each command does to the loops, and what it refuses.

use super::{Scheduled, apply};
use crate::cin::concretize::concretize;
use crate::cin::print::{print, provenance};
use crate::front::command::Platform;
use crate::front::{parse_schedule, parse_str};

mod commands;
mod precompute;
mod rules;
mod soup;

const SPMV: &str = "fn f(A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; }";
const SPMM: &str = "fn f(A: Csr<f64>, B: DenseMat<f64>) -> DenseMat<f64> { C[i, k] = A[i, j] * B[j, k]; }";
const RESIDUAL: &str = "fn f(b: DenseVec<f64>, A: Csr<f64>, x: DenseVec<f64>) -> DenseVec<f64> { r[i] = b[i] - A[i, j] * x[j]; }";
const SDDMM: &str = "fn f(A: Csr<f64>, B: DenseMat<f64>, D: DenseMat<f64>) -> Csr<f64> { C[i, j] = A[i, j] * B[i, k] * D[j, k]; }";
const SUM: &str = "fn f(A: Csr<f64>, B: Csr<f64>) -> Csr<f64> { C[i, j] = A[i, j] + B[i, j]; }";
const PRODUCT: &str = "fn f(a: SparseVec<f64>, b: SparseVec<f64>) -> DenseVec<f64> { y[i] = a[i] * b[i]; }";
const COO: &str = "fn f(A: Coo<f64>, x: DenseVec<f64>) -> DenseVec<f64> { y[i] = A[i, j] * x[j]; }";
const MTTKRP: &str = "fn f(B: Csf3<f64>, C: DenseMat<f64>, D: DenseMat<f64>) -> DenseMat<f64> { A[i, j] = B[i, k, l] * C[k, j] * D[l, j]; }";
const MIN_PLUS: &str =
    "fn f(A: DenseMat<f64>, d: DenseVec<f64>) -> DenseVec<f64> { e[i] min= A[i, j] + d[j]; }";

fn scheduled(kernel: &str, commands: &str) -> Result<(Scheduled, String), String> {
    let kernel = parse_str(kernel).unwrap_or_else(|f| panic!("{}", f.diagnostics));
    let commands = parse_schedule(&kernel, commands).map_err(|d| d.to_string())?;
    let cin = concretize(&kernel).unwrap();
    let scheduled = apply(&kernel, cin, &commands, Platform::Cpu).map_err(|d| d.to_string())?;
    let graph = provenance(&scheduled.cin, &kernel);
    assert_eq!(scheduled.steps.len(), commands.len());
    if let Some(last) = scheduled.steps.last() {
        assert_eq!(last.cin, print(&scheduled.cin, &kernel));
    }
    Ok((scheduled, graph))
}

/// The program after the last command, and the provenance graph.
fn after(kernel: &str, commands: &str) -> (String, String) {
    let (scheduled, graph) = scheduled(kernel, commands).unwrap_or_else(|e| panic!("{commands}\n{e}"));
    (scheduled.steps.last().map(|s| s.cin.clone()).unwrap_or_default(), graph)
}

/// The program after the last command.
fn cin(kernel: &str, commands: &str) -> String {
    after(kernel, commands).0
}

/// The one mistake's code, and its text.
fn mistake(kernel: &str, commands: &str) -> (String, String) {
    let text = match scheduled(kernel, commands) {
        Ok((scheduled, _)) => panic!("{commands}\nis legal: {:?}", scheduled.steps.last()),
        Err(text) => text,
    };
    let codes: Vec<_> = text.split("error[").skip(1).filter_map(|e| Some(e.split_once(']')?.0)).collect();
    assert_eq!(codes.len(), 1, "{commands}\n{text}");
    (codes[0].to_owned(), text.clone())
}

fn refused(kernel: &str, commands: &str, code: &str) {
    let (found, text) = mistake(kernel, commands);
    assert_eq!(found, code, "{commands}\n{text}");
    assert!(text.contains("help:"), "{text}");
}
