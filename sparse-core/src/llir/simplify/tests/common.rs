//! What all cases do.

use super::*;

fn either(cond: Expr, then: Block, otherwise: Block) -> Stmt {
    Stmt::If { cond, then, otherwise }
}

/// `v += 1`
fn next(v: VarId) -> Stmt {
    set(v, add(v, n(1)))
}

/// Code that counts in `n`, moves on `p` and `q`, and reads all of them in the end.
fn counting(p: &mut Program, cases: impl Fn([VarId; 3]) -> Block) -> Block {
    let vars = ["n", "p", "q"].map(|name| index(p, name));
    let mut block: Block = vars.iter().map(|v| mut_(*v, load(A2_POS, n(u64::from(v.0))))).collect();
    block.extend(cases(vars));
    block.extend(vars.map(|v| store(v, f64_lit(9.0))));
    block
}

/// What becomes of the cases on the host, and in a launch.
fn becomes(cases: impl Fn([VarId; 3]) -> Block, host: Expect, launch: Expect) {
    for (in_launch, expected) in [(false, host), (true, launch)] {
        let mut p = spmv();
        p.steps.pop();
        let code = counting(&mut p, &cases);
        let (block, thread) = (index(&mut p, "block"), index(&mut p, "thread"));
        p.steps.push(match in_launch {
            false => Step::Run(code),
            true => Step::Launch(Launch {
                name: "f".into(),
                grid: vec![Axis { var: block, blocks: n(1) }],
                thread,
                threads: 32,
                resident: 0,
                follows: false,
                shared: vec![],
                body: vec![either(eq(thread, n(0)), code, vec![])],
            }),
        });
        verify(p.clone()).expect("the program is well-formed");
        let simple = simplify(p);
        let text = print(&simple);
        verify(simple.clone()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(simplify(simple.clone()), simple, "it simplifies further");
        let (_, code) = text.split_once("q = A2_pos[7];\n").expect("the variables");
        let (code, _) = code.split_once("y_vals[n] = 9.0;").expect("the end");
        let lines = code.trim_end().lines();
        let indented = if in_launch { 8 } else { 4 };
        expected.assert_eq(&lines.map(|line| line[indented..].to_owned() + "\n").collect::<String>());
    }
}

#[test]
fn what_cases_begin_with_comes_before_them() {
    let cases = |[many, p, q]: [VarId; 3]| {
        let second = either(lt(p, q), vec![next(many), next(p)], vec![next(many), next(q)]);
        vec![either(eq(p, q), vec![next(many), next(p), next(q)], vec![second])]
    };
    let expected = || {
        expect![[r#"
            n += 1;
            if p == q {
                p += 1;
                q += 1;
            } else if p < q {
                p += 1;
            } else {
                q += 1;
            }
        "#]]
    };
    becomes(cases, expected(), expected());
}

#[test]
fn what_cases_read_comes_after_them_in_launches() {
    let cases = |[at, p, q]: [VarId; 3]| {
        let case = |value, moves: &[VarId]| {
            let mut case = vec![store(at, f64_lit(value)), next(at)];
            case.extend(moves.iter().map(|v| next(*v)));
            case
        };
        let second = either(lt(p, q), case(2.0, &[p]), case(3.0, &[q]));
        vec![either(eq(p, q), case(1.0, &[p, q]), vec![second])]
    };
    becomes(
        cases,
        expect![[r#"
            if p == q {
                y_vals[n] = 1.0;
                n += 1;
                p += 1;
                q += 1;
            } else if p < q {
                y_vals[n] = 2.0;
                n += 1;
                p += 1;
            } else {
                y_vals[n] = 3.0;
                n += 1;
                q += 1;
            }
        "#]],
        expect![[r#"
            if p == q {
                y_vals[n] = 1.0;
                p += 1;
                q += 1;
            } else if p < q {
                y_vals[n] = 2.0;
                p += 1;
            } else {
                y_vals[n] = 3.0;
                q += 1;
            }
            n += 1;
        "#]],
    );
}

/// The order of two that all cases have is that of each of them.
#[test]
fn several_keep_their_order() {
    let cases = |[a, p, q]: [VarId; 3]| {
        let both = || vec![set(p, add(a, p)), set(a, add(p, n(2)))];
        vec![
            either(
                lt(q, n(5)),
                joined(both(), store(q, f64_lit(1.0))),
                joined(both(), store(q, f64_lit(2.0))),
            ),
            either(
                lt(p, n(5)),
                joined(vec![store(a, f64_lit(3.0))], next(p)),
                joined(vec![store(a, f64_lit(4.0))], next(p)),
            ),
        ]
    };
    becomes(
        cases,
        expect![[r#"
            p = n + p;
            n = p + 2;
            if q < 5 {
                y_vals[q] = 1.0;
            } else {
                y_vals[q] = 2.0;
            }
            if p < 5 {
                y_vals[n] = 3.0;
                p += 1;
            } else {
                y_vals[n] = 4.0;
                p += 1;
            }
        "#]],
        expect![[r#"
            p = n + p;
            n = p + 2;
            if q < 5 {
                y_vals[q] = 1.0;
            } else {
                y_vals[q] = 2.0;
            }
            if p < 5 {
                y_vals[n] = 3.0;
            } else {
                y_vals[n] = 4.0;
            }
            p += 1;
        "#]],
    );
}

fn joined(mut block: Block, last: Stmt) -> Block {
    block.push(last);
    block
}

/// Before the cases not what their conditions read, nor after them what another statement reads or changes; nor what one case
/// has not, nor what loads.
#[test]
fn what_makes_a_difference_stays() {
    let unchanged = |cases: &dyn Fn([VarId; 3]) -> Block, expected: fn() -> Expect| {
        becomes(cases, expected(), expected());
    };
    unchanged(
        &|[a, p, q]| {
            let second = either(
                lt(a, n(7)),
                vec![next(a), store(a, f64_lit(2.0))],
                vec![next(a), store(a, f64_lit(3.0))],
            );
            vec![either(eq(p, q), vec![next(a), store(a, f64_lit(1.0))], vec![second])]
        },
        || {
            expect![[r#"
                if p == q {
                    n += 1;
                    y_vals[n] = 1.0;
                } else if n < 7 {
                    n += 1;
                    y_vals[n] = 2.0;
                } else {
                    n += 1;
                    y_vals[n] = 3.0;
                }
            "#]]
        },
    );
    unchanged(
        &|[a, p, q]| {
            let by = |v: VarId| vec![set(p, add(p, v)), set(a, add(a, p)), set(p, add(v, n(3)))];
            vec![either(lt(p, q), by(q), by(a)), either(lt(p, q), vec![next(a)], vec![next(q)])]
        },
        || {
            expect![[r#"
                if p < q {
                    p += q;
                    n += p;
                    p = q + 3;
                } else {
                    p += n;
                    n += p;
                    p = n + 3;
                }
                if p < q {
                    n += 1;
                } else {
                    q += 1;
                }
            "#]]
        },
    );
    unchanged(
        &|[a, p, q]| {
            let loads = |value| vec![store(p, f64_lit(value)), set(a, load(A2_CRD, q))];
            vec![either(lt(p, q), loads(1.0), loads(2.0)), either(lt(p, q), vec![next(a)], vec![])]
        },
        || {
            expect![[r#"
                if p < q {
                    y_vals[p] = 1.0;
                    n = A2_crd[q];
                } else {
                    y_vals[p] = 2.0;
                    n = A2_crd[q];
                }
                if p < q {
                    n += 1;
                }
            "#]]
        },
    );
}
