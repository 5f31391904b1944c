//! One mistake a rule.

use super::*;

#[test]
fn names() {
    refused(SPMV, "split(q, a, b, 4)", "unknown-variable");
    refused(SPMV, "split(i, a, b, 4); split(i, c, d, 4)", "consumed-variable");
    refused(SPMV, "split(i, j, b, 4)", "duplicate-name");
    refused(SPMV, "split(i, b, b, 4)", "duplicate-name");
    refused(SPMV, "split(i, A, b, 4)", "duplicate-name");
    refused(SPMV, "reorder(i, i)", "duplicate-name");
    refused(SPMV, "precompute(x[j], [j], [jw], jw)", "duplicate-name");
    refused(SPMV, "precompute(x[j], [j], [i], w)", "duplicate-name");
}

#[test]
fn factors() {
    refused(SPMV, "split(i, a, b, 0)", "zero-factor");
    refused(SPMV, "divide(i, a, b, 0)", "zero-factor");
    refused(SPMV, "unroll(i, 0)", "zero-factor");
    refused(SPMV, "bound(i, ib, 0, Divisible)", "zero-factor");
    refused(SPMV, "unroll(i, 5000)", "bad-factor");
}
