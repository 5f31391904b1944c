//! What a loop asks in each iteration, and is the same in all of them, is asked before it.
//!
//! ```text
//! for p in … { let k = crd[p]; if 0 < n { … } }   →   if 0 < n { for p in … { let k = crd[p]; … } }
//! ```
//!
//! Only where nothing else is done in the loop: it would have to be written twice.

use crate::llir::walk::visit_stmts;
use crate::llir::{Block, Expr, Program, Stmt};

/// Takes such conditions out of loops, out of as many as it can.
pub(super) fn unswitch(program: &mut Program) {
    for step in &mut program.steps {
        if let Some(code) = step.code_mut() {
            block(code);
        }
    }
}

fn block(stmts: &mut Block) {
    for stmt in stmts {
        // Inside out: what comes out of one loop may come out of the one around it.
        stmt.for_each_block_mut(&mut |nested| block(nested));
        if let Some(cond) = asked_again(stmt) {
            let then = vec![std::mem::replace(stmt, Stmt::Exit)];
            *stmt = Stmt::If { cond, then, otherwise: vec![] };
        }
    }
}

/// The condition of all that a loop does, taken out of it.
fn asked_again(stmt: &mut Stmt) -> Option<Expr> {
    let Stmt::For { var, body, .. } = stmt else { return None };
    let (Stmt::If { cond, otherwise, .. }, before) = body.split_last()? else { return None };
    let names_things = |s: &Stmt| matches!(s, Stmt::Let { .. } | Stmt::Comment(_));
    if !otherwise.is_empty() || !before.iter().all(names_things) {
        return None;
    }
    let mut same = true;
    // Where the loop has no iteration, what is computed or loaded for one need not be there.
    cond.visit(&mut |e| {
        same &= match e {
            Expr::Var(v) => v != var,
            e => matches!(e, Expr::Index(_) | Expr::Cond(_) | Expr::Cmp(..) | Expr::And(..) | Expr::Or(..)),
        }
    });
    visit_stmts(body, &mut |s| same &= s.declared().chain(s.assigned()).all(|v| !cond.mentions(v)));
    if !same {
        return None;
    }
    let Some(Stmt::If { cond, then, .. }) = body.pop() else { return None };
    body.extend(then);
    Some(cond)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Level;
    use crate::llir::build::{load, lt};
    use crate::llir::print::print;
    use crate::llir::samples::{Tables, for_, let_};
    use crate::llir::{Array, Role, Space, Step, VarId};
    use expect_test::expect;

    #[test]
    fn what_is_the_same_in_all_iterations_is_asked_before_the_loops_that_do_nothing_else() {
        let mut t = Tables::new("f", "");
        let a = t.tensor("A", &[Level::Compressed { unique: true }], Role::Input);
        let y = t.tensor("y", &[Level::Dense], Role::Result);
        let crd = t.buffer("A1_crd", Space::Input, Array::Crd(a, 0));
        let out = t.buffer("y_vals", Space::Output, Array::Vals(y));
        let [n, p, q, k, l, m] = ["n", "p", "q", "k", "l", "m"].map(|name| t.index(name));
        let store = |at: VarId| Stmt::Store { buffer: out, index: at.into(), value: Expr::Index(0) };
        let guarded = |cond, at| Stmt::If { cond, then: vec![store(at)], otherwise: vec![] };
        let known = || lt(Expr::Index(0), n);
        let inner = for_(q, Expr::Index(0), Expr::Index(4), vec![let_(k, load(crd, q)), guarded(known(), k)]);
        let body = vec![
            for_(p, Expr::Index(0), Expr::Index(3), vec![inner]),
            // The coordinate is another one each time, and may not be there.
            for_(l, Expr::Index(0), Expr::Index(3), vec![guarded(lt(load(crd, n), n), l)]),
            // Something else is done.
            for_(m, Expr::Index(0), Expr::Index(3), vec![store(m), guarded(known(), m)]),
        ];
        t.0.steps = vec![Step::Run(body)];
        unswitch(&mut t.0);
        let text = print(&t.0);
        expect![[r#"
            run {
                if 0 < n {
                    for p in 0..3 {
                        for q in 0..4 {
                            let k = A1_crd[q];
                            y_vals[k] = 0;
                        }
                    }
                }
                for l in 0..3 {
                    if A1_crd[n] < n {
                        y_vals[l] = 0;
                    }
                }
                for m in 0..3 {
                    y_vals[m] = 0;
                    if 0 < n {
                        y_vals[m] = 0;
                    }
                }
            }
        "#]]
        .assert_eq(&text[text.find("run").unwrap_or(0)..]);
    }
}
