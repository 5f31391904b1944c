//! Programs and expressions as text.

use super::*;
use crate::llir::build::{add, load, mul, sub};
use crate::llir::samples::{sparse_add, spmv};
use crate::llir::{BufferId, Cmp, VarId};
use crate::scalar::{BinaryOp, UnaryOp};
use expect_test::expect;

#[test]
fn programs() {
    expect![[r#"
        // spmv: y[i] = A[i, j] * x[j]
        tensor A: f64 (Dense, Compressed), input;
        tensor x: f64 (Dense), input;
        tensor y: f64 (Dense), result of size A.0;
        extent i: A.0;
        extent j: A.1, x.0;
        param A1_dim: index;
        buffer A2_pos: index, input;
        buffer A2_crd: index, input;
        buffer A_vals: f64, input;
        buffer x_vals: f64, input;
        buffer y_vals: f64, output;
        allocate y_vals[A1_dim];
        run {
            // rows of A
            for i in 0..A1_dim {
                let mut t = 0.0;
                for reduce(t, +) p in A2_pos[i]..A2_pos[i + 1] {
                    let j = A2_crd[p];
                    t += A_vals[p] * x_vals[j];
                }
                y_vals[i] = t;
            }
        }
    "#]]
    .assert_eq(&print(&spmv()));
    expect![[r#"
        // sparse_add: a[i] = b[i] + c[i]
        tensor b: f64 (Compressed), input;
        tensor c: f64 (Compressed), input;
        tensor a: f64 (Compressed), result of size b.0;
        extent i: b.0, c.0;
        buffer b1_pos: index, input;
        buffer b1_crd: index, input;
        buffer b_vals: f64, input;
        buffer c1_pos: index, input;
        buffer c1_crd: index, input;
        buffer c_vals: f64, input;
        buffer a1_pos: index, output;
        buffer a1_crd: index, growable;
        buffer a_vals: f64, growable;
        allocate a1_pos[2] = 0;
        reserve a1_crd[b1_pos[1] + c1_pos[1]];
        reserve a_vals[b1_pos[1] + c1_pos[1]];
        run {
            let mut pb = b1_pos[0];
            let pb_end = b1_pos[1];
            let mut pc = c1_pos[0];
            let pc_end = c1_pos[1];
            while pb < pb_end && pc < pc_end {
                let ib = b1_crd[pb];
                let ic = c1_crd[pc];
                let i = min(ib, ic);
                if ib == i && ic == i {
                    a1_crd.push(i);
                    a_vals.push(b_vals[pb] + c_vals[pc]);
                } else if ib == i {
                    a1_crd.push(i);
                    a_vals.push(b_vals[pb]);
                } else {
                    a1_crd.push(i);
                    a_vals.push(c_vals[pc]);
                }
                if ib == i {
                    pb += 1;
                }
                if ic == i {
                    pc += 1;
                }
            }
            while pb < pb_end {
                a1_crd.push(b1_crd[pb]);
                a_vals.push(b_vals[pb]);
                pb += 1;
            }
            while pc < pc_end {
                a1_crd.push(c1_crd[pc]);
                a_vals.push(c_vals[pc]);
                pc += 1;
            }
            a1_pos[1] = a1_crd.len();
        }
    "#]]
    .assert_eq(&print(&sparse_add()));
}

#[test]
fn parentheses_where_grouping_asks_for_them() {
    let p = spmv();
    let v = |n| Expr::Var(VarId(n));
    let op = |op, a, b| Expr::Binary(op, Box::new(a), Box::new(b));
    let one = || Expr::Index(1);
    let (a, b, c) = (v(0), v(1), v(2));
    let cases = [
        (add(a.clone(), add(b.clone(), c.clone())), "A1_dim + i + p"),
        (sub(a.clone(), sub(b.clone(), c.clone())), "A1_dim - (i - p)"),
        (mul(add(a.clone(), one()), b.clone()), "(A1_dim + 1) * i"),
        (add(mul(a.clone(), b.clone()), c.clone()), "A1_dim * i + p"),
        (load(BufferId(0), add(a.clone(), one())), "A2_pos[A1_dim + 1]"),
        (op(BinaryOp::Add, a.clone(), op(BinaryOp::Add, b.clone(), c.clone())), "A1_dim + (i + p)"),
        (op(BinaryOp::Min, a.clone(), b.clone()), "min(A1_dim, i)"),
        (Expr::Unary(UnaryOp::Neg, Box::new(Expr::Unary(UnaryOp::Neg, Box::new(v(4))))), "-(-t)"),
        (Expr::Not(Box::new(Expr::Cmp(Cmp::Lt, Box::new(a.clone()), Box::new(b.clone())))), "!(A1_dim < i)"),
        (
            add(Expr::Select(Box::new(Expr::Cond(true)), Box::new(a), Box::new(b)), c),
            "(if true { A1_dim } else { i }) + p",
        ),
    ];
    for (e, text) in cases {
        assert_eq!(print_expr(&p, &e), text);
    }
}
