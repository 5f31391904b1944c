//! Hand-written launches: right results, and what they cost.

mod bugs;
mod collectives;
mod conflicts;
mod counters;
mod faults;
mod kernels;
mod random;

use crate::format::{FormatSpec, Level};
use crate::llir::verify::verify;
use crate::llir::{Program, Verified};
use crate::scalar::{DType, Value};
use crate::sim::{Arg, InterpError, LaunchReport, Limits, RunError, run_reporting};
use crate::tensor::DynTensor;
use kernels::{by_blocks, by_entries, by_rows};

const CSR: [Level; 2] = [Level::Dense, Level::Compressed { unique: true }];

/// A matrix with an empty row, a long one and short ones, and a vector.
fn args() -> [Arg; 2] {
    let mut entries = vec![(vec![0, 1], Value::F64(2.0)), (vec![0, 3], Value::F64(3.0))];
    entries.extend((0..70).map(|j| (vec![2, j], Value::F64(1.0))));
    entries.extend((3..21).map(|i| (vec![i, i], Value::F64(i as f64))));
    let a = DynTensor::from_entries(FormatSpec::new(CSR.to_vec()), DType::F64, vec![21, 70], &entries, false);
    let x = (0..70).map(|j| (vec![j], Value::F64(1.0 + j as f64)));
    let spec = FormatSpec::new(vec![Level::Dense]);
    let x = DynTensor::from_entries(spec, DType::F64, vec![70], &x.collect::<Vec<_>>(), false);
    [Arg::Tensor(a.unwrap()), Arg::Tensor(x.unwrap())]
}

fn product() -> Vec<f64> {
    let mut y = vec![16.0 - 4.0, 0.0, (71 * 35) as f64];
    y[0] = 2.0 * 2.0 + 3.0 * 4.0;
    y.extend((3..21).map(|i| f64::from(i * (i + 1))));
    y
}

fn run(program: &Verified) -> Result<(Vec<f64>, LaunchReport), RunError> {
    let (y, mut reports) = run_reporting(program, &args(), Limits { steps: 1_000_000 })?;
    assert_eq!(reports.len(), 1);
    Ok((y.vals.iter().map(|v| v.to_f64()).collect(), reports.remove(0)))
}

fn clean(program: Program) -> LaunchReport {
    runs_clean(&verify(program).unwrap())
}

/// It gives the product.
fn runs_clean(program: &Verified) -> LaunchReport {
    let (y, report) = run(program).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y, product());
    report
}

/// The fault of a program, which the verifier may refuse.
fn fault(program: Program) -> InterpError {
    match run(&Verified::unchecked(program)) {
        Err(RunError::Program(e)) => e,
        Ok((y, _)) => panic!("the program should fail, not give {y:?}"),
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn rows_multiply_in_groups() {
    for size in [2, 4, 8, 16, 32] {
        let report = clean(by_rows(size));
        assert_eq!(report.counts.shuffles, u64::from(size.ilog2()) * report.grid[0] * 2);
        assert_eq!(report.counts.atomics, 0);
    }
}

#[test]
fn entries_multiply_in_segments() {
    for size in [2, 8, 32] {
        let report = clean(by_entries(size));
        assert!(report.counts.atomics > 0);
    }
}

#[test]
fn blocks_multiply_in_shared_memory() {
    let report = clean(by_blocks(true, true));
    // Two barriers a turn, two turns, two warps.
    assert_eq!(report.counts.barriers, 8 * report.grid[0]);
}
