//! Small programs, before and after.

mod common;

use super::fold::fold;
use super::simplify;
use crate::llir::build::{add, and, div, eq, le, load, lt, min, mul, rem, sub};
use crate::llir::print::{print, print_expr};
use crate::llir::samples::{column_sums, f64_lit, for_, let_, mut_, sparse_add, spmv, spmv_on_threads};
use crate::llir::verify::verify;
use crate::llir::*;
use crate::scalar::{BinaryOp, DType, Monoid, UnaryOp, Value};
use expect_test::{Expect, expect};

/// SpMV's tables with other code, simplified; its code as text.
fn check(block: impl FnOnce(&mut Program) -> Block, expected: Expect) {
    let mut p = spmv();
    let block = block(&mut p);
    p.steps.pop();
    p.steps.push(Step::Run(block));
    verify(p.clone()).expect("the program is well-formed");
    let simple = simplify(p);
    let text = print(&simple);
    verify(simple.clone()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(simplify(simple.clone()), simple, "it simplifies further");
    expected.assert_eq(text.split_once("run {\n").expect("code").1);
}

fn fresh(p: &mut Program, name: &str, ty: Ty) -> VarId {
    p.vars.push(Var { name: name.into(), ty });
    VarId(p.vars.len() as u32 - 1)
}

fn index(p: &mut Program, name: &str) -> VarId {
    fresh(p, name, Ty::Index)
}

const ROWS: VarId = VarId(0);
const A2_POS: BufferId = BufferId(0);
const A2_CRD: BufferId = BufferId(1);
const Y: BufferId = BufferId(4);

fn n(n: u64) -> Expr {
    Expr::Index(n)
}

fn store(at: impl Into<Expr>, value: Expr) -> Stmt {
    Stmt::Store { buffer: Y, index: at.into(), value }
}

fn as_f64(e: impl Into<Expr>) -> Expr {
    Expr::FromIndex(DType::F64, Box::new(e.into()))
}

fn set(var: VarId, value: impl Into<Expr>) -> Stmt {
    Stmt::Assign { var, value: value.into() }
}

#[test]
fn what_is_simple_stays() {
    let copies = column_sums(Some(Monoid::Add), |buffer, index, value| {
        vec![Stmt::Reduce { buffer, index, op: Monoid::Add, value }]
    });
    for p in [spmv(), sparse_add(), spmv_on_threads(), copies] {
        assert_eq!(simplify(p.clone()), p);
    }
}

#[test]
fn expressions_fold() {
    let p = spmv();
    let bx = Box::new;
    let rows = || Expr::Var(ROWS);
    let t = || Expr::Var(VarId(4));
    let bin = |op, a, b| Expr::Binary(op, bx(a), bx(b));
    let ix = |op, a, b| Expr::IndexOp(op, bx(a), bx(b));
    let cases = [
        (ix(IndexOp::Add, add(rows(), n(1)), n(2)), "A1_dim + 3"),
        (ix(IndexOp::Sub, add(rows(), n(3)), n(2)), "A1_dim + 1"),
        (ix(IndexOp::Sub, add(rows(), n(3)), n(3)), "A1_dim"),
        (ix(IndexOp::Sub, add(rows(), n(3)), n(4)), "A1_dim + 3 - 4"),
        (ix(IndexOp::Div, n(7), n(2)), "3"),
        (ix(IndexOp::Div, n(7), n(0)), "7 / 0"),
        (ix(IndexOp::Rem, rows(), n(1)), "0"),
        (ix(IndexOp::Min, rows(), n(0)), "0"),
        (Expr::Not(bx(lt(rows(), n(2)))), "2 <= A1_dim"),
        (le(add(rows(), n(1)), n(9)), "A1_dim < 9"),
        (le(add(rows(), n(2)), n(9)), "A1_dim + 2 <= 9"),
        (Expr::Or(bx(lt(n(1), n(2))), bx(lt(rows(), n(1)))), "true"),
        (and(lt(rows(), n(9)), Expr::Cond(true)), "A1_dim < 9"),
        (Expr::Select(bx(Expr::Cond(false)), bx(rows()), bx(n(4))), "4"),
        (Expr::Select(bx(eq(rows(), n(1))), bx(n(4)), bx(n(4))), "4"),
        (as_f64(n(3)), "3.0"),
        (bin(BinaryOp::Mul, f64_lit(2.0), f64_lit(4.0)), "8.0"),
        (bin(BinaryOp::Mul, t(), f64_lit(1.0)), "t"),
        (bin(BinaryOp::Div, f64_lit(1.0), t()), "1.0 / t"),
        // −0 + 0 is 0.
        (bin(BinaryOp::Add, t(), f64_lit(0.0)), "t + 0.0"),
        (Expr::Unary(UnaryOp::Neg, bx(f64_lit(2.0))), "-2.0"),
        (Expr::Unary(UnaryOp::Exp, bx(f64_lit(2.0))), "exp(2.0)"),
    ];
    for (mut e, text) in cases {
        fold(&mut e);
        assert_eq!(print_expr(&p, &e), text);
    }
}

#[test]
fn constants_and_copies_are_inlined() {
    check(
        |p| {
            let (one, row, copy, at) = (index(p, "one"), index(p, "row"), index(p, "copy"), index(p, "at"));
            vec![
                let_(one, n(1)),
                for_(
                    row,
                    n(0),
                    ROWS,
                    vec![
                        let_(copy, row),
                        let_(at, Expr::IndexOp(IndexOp::Mul, Box::new(copy.into()), Box::new(one.into()))),
                        store(at, f64_lit(0.0)),
                    ],
                ),
            ]
        },
        expect![[r#"
                for row in 0..A1_dim {
                    y_vals[row] = 0.0;
                }
            }
        "#]],
    );
}

#[test]
fn a_copy_of_a_variable_that_changes_stays() {
    check(
        |p| {
            let (q, before) = (index(p, "q"), index(p, "before"));
            vec![
                mut_(q, n(0)),
                Stmt::While {
                    cond: lt(q, ROWS),
                    body: vec![let_(before, q), set(q, add(q, n(1))), store(before, as_f64(q))],
                },
            ]
        },
        expect![[r#"
                let mut q = 0;
                while q < A1_dim {
                    let before = q;
                    q += 1;
                    y_vals[before] = q as f64;
                }
            }
        "#]],
    );
}

/// The last value of a variable stands in its place, if it is a constant, not those before it.
#[test]
fn last_values_that_are_constants_are_not_assigned() {
    check(
        |p| {
            let (all, row) = (index(p, "all"), index(p, "row"));
            let [q, r, s, t] = ["q", "r", "s", "t"].map(|name| index(p, name));
            let next = |v| set(v, add(v, n(1)));
            let mut block = vec![let_(all, load(A2_POS, ROWS))];
            block.extend([q, r, s, t].map(|v| mut_(v, load(A2_POS, n(u64::from(v.0))))));
            block.extend([
                set(q, n(3)),
                store(q, f64_lit(1.0)),
                next(q),
                store(q, f64_lit(2.0)),
                set(q, all),
                // It may be another variable's that changes, or only a branch's, or each iteration's.
                set(r, q),
                set(s, t),
                next(t),
                Stmt::If { cond: lt(q, n(4)), then: vec![set(t, n(3))], otherwise: vec![] },
                for_(row, n(0), ROWS, vec![store(r, f64_lit(6.0)), next(r), set(s, q)]),
            ]);
            block.extend([q, r, s, t].map(|v| store(v, f64_lit(7.0))));
            block
        },
        expect![[r#"
                let all = A2_pos[A1_dim];
                let mut q = A2_pos[7];
                let mut r = A2_pos[8];
                let mut s = A2_pos[9];
                let mut t = A2_pos[10];
                q = 3;
                y_vals[q] = 1.0;
                q += 1;
                y_vals[q] = 2.0;
                r = all;
                s = t;
                t += 1;
                if all < 4 {
                    t = 3;
                }
                for row in 0..A1_dim {
                    y_vals[r] = 6.0;
                    r += 1;
                    s = all;
                }
                y_vals[all] = 7.0;
                y_vals[r] = 7.0;
                y_vals[s] = 7.0;
                y_vals[t] = 7.0;
            }
        "#]],
    );
}

#[test]
fn what_nothing_reads_goes() {
    check(
        |p| {
            let (unused, feeds, counter, constant) =
                (index(p, "unused"), index(p, "feeds"), index(p, "counter"), index(p, "constant"));
            let row = index(p, "row");
            vec![
                let_(feeds, load(A2_POS, n(0))),
                let_(unused, add(feeds, n(1))),
                mut_(counter, n(0)),
                mut_(constant, load(A2_POS, n(1))),
                for_(row, n(0), ROWS, vec![set(counter, add(counter, n(1))), store(row, as_f64(constant))]),
            ]
        },
        expect![[r#"
                let constant = A2_pos[1];
                for row in 0..A1_dim {
                    y_vals[row] = constant as f64;
                }
            }
        "#]],
    );
}

#[test]
fn loads_are_not_repeated_while_they_hold() {
    check(
        |p| {
            let (q, a, b, c) = (index(p, "q"), index(p, "a"), index(p, "b"), index(p, "c"));
            let crd = |q: VarId| load(A2_CRD, q);
            vec![
                mut_(q, n(0)),
                let_(a, crd(q)),
                store(crd(q), f64_lit(1.0)),
                let_(b, crd(q)),
                store(min(a, b), as_f64(crd(q))),
                Stmt::While {
                    // After the first iteration it is another load.
                    cond: lt(crd(q), ROWS),
                    body: vec![
                        let_(c, crd(q)),
                        store(c, as_f64(add(crd(q), n(1)))),
                        set(q, add(q, n(1))),
                        store(crd(q), f64_lit(2.0)),
                    ],
                },
            ]
        },
        expect![[r#"
                let mut q = 0;
                let a = A2_crd[q];
                y_vals[a] = 1.0;
                y_vals[a] = a as f64;
                while A2_crd[q] < A1_dim {
                    let c = A2_crd[q];
                    y_vals[c] = (c + 1) as f64;
                    q += 1;
                    y_vals[A2_crd[q]] = 2.0;
                }
            }
        "#]],
    );
}

#[test]
fn a_quotient_and_a_remainder_are_the_whole() {
    let parts = |p: &mut Program, of: VarId, by: Expr, other: Expr| {
        let [k, l] = ["k", "l"].map(|name| index(p, name));
        let at = add(mul(k, by.clone()), l);
        vec![let_(k, div(of, by)), let_(l, rem(of, other)), store(at, as_f64(k))]
    };
    check(
        |p| {
            let at = index(p, "at");
            vec![for_(at, n(0), n(9), parts(p, at, ROWS.into(), ROWS.into()))]
        },
        expect![[r#"
                for at in 0..9 {
                    let k = at / A1_dim;
                    y_vals[at] = k as f64;
                }
            }
        "#]],
    );
    // By another number they are not, nor if the number has changed since.
    check(
        |p| {
            let [at, moved] = ["at", "moved"].map(|name| index(p, name));
            let mut changed = parts(p, moved, ROWS.into(), ROWS.into());
            changed.insert(2, set(moved, add(moved, n(1))));
            let other = for_(at, n(0), n(9), parts(p, at, ROWS.into(), n(3)));
            [vec![other, mut_(moved, n(4))], changed, vec![store(n(0), as_f64(moved))]].concat()
        },
        expect![[r#"
                for at in 0..9 {
                    let k = at / A1_dim;
                    let l = at % 3;
                    y_vals[k * A1_dim + l] = k as f64;
                }
                let mut moved = 4;
                let k = moved / A1_dim;
                let l = moved % A1_dim;
                moved += 1;
                y_vals[k * A1_dim + l] = k as f64;
                y_vals[0] = moved as f64;
            }
        "#]],
    );
}

#[test]
fn loads_of_what_is_written_are_repeated() {
    check(
        |p| {
            let first = fresh(p, "first", Ty::Scalar(DType::F64));
            vec![
                let_(first, load(Y, n(0))),
                store(n(0), f64_lit(1.0)),
                store(n(1), load(Y, n(0))),
                store(n(2), first.into()),
            ]
        },
        expect![[r#"
                let first = y_vals[0];
                y_vals[0] = 1.0;
                y_vals[1] = y_vals[0];
                y_vals[2] = first;
            }
        "#]],
    );
}

#[test]
fn idle_control_goes() {
    check(
        |p| {
            let (row, other) = (index(p, "row"), index(p, "other"));
            let q = index(p, "q");
            let either = |cond, then, otherwise| Stmt::If { cond, then, otherwise };
            vec![
                Stmt::Comment("kept".into()),
                for_(
                    row,
                    n(0),
                    ROWS,
                    vec![Stmt::Comment("gone".into()), either(lt(row, n(3)), vec![], vec![])],
                ),
                for_(other, n(4), n(4), vec![store(other, f64_lit(1.0))]),
                either(lt(ROWS, n(1)), vec![], vec![store(n(0), f64_lit(2.0))]),
                either(Expr::Cond(true), vec![let_(q, load(A2_CRD, n(0))), store(q, f64_lit(3.0))], vec![]),
                either(lt(n(2), sub(n(1), n(1))), vec![store(n(0), f64_lit(4.0))], vec![]),
                Stmt::While { cond: Expr::Cond(false), body: vec![store(n(0), f64_lit(5.0))] },
            ]
        },
        expect![[r#"
                // kept
                if 1 <= A1_dim {
                    y_vals[0] = 2.0;
                }
                let q = A2_crd[0];
                y_vals[q] = 3.0;
            }
        "#]],
    );
}

#[test]
fn a_branch_is_not_spliced_onto_its_own_names() {
    check(
        |p| {
            let (first, second) = (index(p, "q"), index(p, "q"));
            let read = |q: VarId, at| vec![let_(q, load(A2_CRD, n(at))), store(q, f64_lit(1.0))];
            let always = |then| Stmt::If { cond: Expr::Cond(true), then, otherwise: vec![] };
            vec![always(read(first, 0)), always(read(second, 1))]
        },
        expect![[r#"
                if true {
                    let q = A2_crd[0];
                    y_vals[q] = 1.0;
                }
                let q = A2_crd[1];
                y_vals[q] = 1.0;
            }
        "#]],
    );
}

#[test]
fn sizes_fold() {
    let mut p = spmv();
    if let Step::Allocate { len, .. } = &mut p.steps[0] {
        *len = Expr::IndexOp(IndexOp::Mul, Box::new(len.clone()), Box::new(n(1)));
    }
    assert_eq!(simplify(p), spmv());
}

#[test]
fn a_reduction_that_nothing_reads_keeps_its_promise() {
    let mut p = spmv();
    let Some(Step::Run(block)) = p.steps.last_mut() else { panic!("SpMV ends with its code") };
    let Some(Stmt::For { body, .. }) = block.last_mut() else { panic!("SpMV loops over rows") };
    body[2] = store(VarId(1), Expr::Lit(Value::F64(0.0)));
    assert!(verify(simplify(p)).is_ok());
}

fn on_threads(var: VarId, hi: impl Into<Expr>, work: impl Into<Expr>, body: Block) -> Stmt {
    let (hi, work) = (hi.into(), work.into());
    Stmt::Threads { var, lo: n(0), hi, work, balance: vec![], private: None, appends: None, body }
}

#[test]
fn what_is_known_before_threads_is_known_in_them() {
    check(
        |p| {
            let (zero, rows, first, again) =
                (index(p, "zero"), index(p, "rows"), index(p, "first"), index(p, "again"));
            let (i, j, q, unused) = (index(p, "i"), index(p, "j"), index(p, "q"), index(p, "unused"));
            vec![
                let_(zero, n(0)),
                let_(rows, ROWS),
                let_(unused, n(7)),
                mut_(q, load(A2_POS, n(1))),
                let_(first, load(A2_CRD, q)),
                on_threads(
                    i,
                    rows,
                    add(load(A2_POS, zero), n(2)),
                    vec![
                        let_(again, load(A2_CRD, q)),
                        store(i, as_f64(again)),
                        // What an iteration declares changes as it likes.
                        for_(j, zero, i, vec![store(j, as_f64(add(again, first)))]),
                    ],
                ),
                set(q, add(q, n(3))),
                store(n(0), as_f64(load(A2_CRD, q))),
            ]
        },
        expect![[r#"
                let mut q = A2_pos[1];
                let first = A2_crd[q];
                for threads(work A2_pos[0] + 2) i in 0..A1_dim {
                    y_vals[i] = first as f64;
                    for j in 0..i {
                        y_vals[j] = (first + first) as f64;
                    }
                }
                q += 3;
                y_vals[0] = A2_crd[q] as f64;
            }
        "#]],
    );
}

#[test]
fn threads_with_nothing_to_do_go() {
    check(
        |p| {
            let (i, j, k) = (index(p, "i"), index(p, "j"), index(p, "k"));
            vec![
                on_threads(i, ROWS, n(1), vec![Stmt::Comment("gone".into())]),
                on_threads(j, n(0), n(1), vec![store(j, f64_lit(1.0))]),
                on_threads(
                    k,
                    ROWS,
                    n(1),
                    vec![
                        store(k, f64_lit(1.0)),
                        Stmt::If { cond: lt(k, n(0)), then: vec![], otherwise: vec![] },
                    ],
                ),
            ]
        },
        expect![[r#"
                for threads(work 1) k in 0..A1_dim {
                    y_vals[k] = 1.0;
                }
            }
        "#]],
    );
}

#[test]
fn a_loop_on_threads_keeps_branches_off_its_name() {
    check(
        |p| {
            let (first, second) = (index(p, "q"), index(p, "q"));
            let then = vec![let_(first, load(A2_CRD, n(0))), store(first, f64_lit(1.0))];
            vec![
                Stmt::If { cond: Expr::Cond(true), then, otherwise: vec![] },
                on_threads(second, ROWS, n(1), vec![store(second, f64_lit(1.0))]),
            ]
        },
        expect![[r#"
                if true {
                    let q = A2_crd[0];
                    y_vals[q] = 1.0;
                }
                for threads(work 1) q in 0..A1_dim {
                    y_vals[q] = 1.0;
                }
            }
        "#]],
    );
}

#[test]
fn scratch_arrays_and_unrolled_loops() {
    check(
        |p| {
            p.buffers.push(Buffer {
                name: "w".into(),
                elem: Elem::Scalar(DType::F64),
                space: Space::Scratch,
                array: Array::Local,
            });
            let w = BufferId(5);
            let (size, at, one, i, j) =
                (index(p, "size"), index(p, "at"), index(p, "one"), index(p, "i"), index(p, "j"));
            let loop_of = |var, copies, body| Stmt::For {
                var,
                lo: n(0),
                hi: ROWS.into(),
                step: 1,
                kind: LoopKind::Unroll(copies),
                body,
            };
            vec![
                let_(one, n(1)),
                let_(size, add(ROWS, one)),
                Stmt::Alloc { buffer: w, len: add(size, one), init: Init::Value(Value::F64(0.0)) },
                loop_of(
                    i,
                    4,
                    vec![
                        let_(at, i),
                        Stmt::Reduce { buffer: w, index: at.into(), op: Monoid::Add, value: f64_lit(1.0) },
                    ],
                ),
                loop_of(j, 1, vec![store(j, load(w, j))]),
            ]
        },
        expect![[r#"
                let size = A1_dim + 1;
                let mut w = [0.0; size + 1];
                for unroll(4) i in 0..A1_dim {
                    w[i] += 1.0;
                }
                for j in 0..A1_dim {
                    y_vals[j] = w[j];
                }
            }
        "#]],
    );
}

#[test]
fn loops_start_where_they_are() {
    // The second needs how far it is, and the third changes where it begins.
    check(
        |p| {
            let (begin, end) = (index(p, "begin"), index(p, "end"));
            let (at, i, k, j) = (index(p, "at"), index(p, "i"), index(p, "k"), index(p, "j"));
            let (m, l) = (index(p, "m"), index(p, "l"));
            let bounds = |begin: VarId| sub(end, begin);
            vec![
                mut_(begin, load(A2_POS, n(0))),
                let_(end, load(A2_POS, n(1))),
                for_(at, n(0), bounds(begin), vec![let_(i, add(begin, at)), store(i, as_f64(i))]),
                for_(k, n(0), bounds(begin), vec![let_(j, add(k, begin)), store(j, as_f64(k))]),
                for_(
                    m,
                    n(0),
                    bounds(begin),
                    vec![let_(l, add(begin, m)), store(l, as_f64(l)), set(begin, add(begin, n(1)))],
                ),
            ]
        },
        expect![[r#"
                let mut begin = A2_pos[0];
                let end = A2_pos[1];
                for i in begin..end {
                    y_vals[i] = i as f64;
                }
                for k in 0..end - begin {
                    let j = k + begin;
                    y_vals[j] = k as f64;
                }
                for m in 0..end - begin {
                    let l = begin + m;
                    y_vals[l] = l as f64;
                    begin += 1;
                }
            }
        "#]],
    );
}
