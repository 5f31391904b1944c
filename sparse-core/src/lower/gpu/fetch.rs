//! What a loop's iterations count one by one into one element is counted at once.
//!
//! ```text
//! for p in lo..hi { let at = fetch_add n[i], 1; … }      let first = fetch_add n[i], hi - lo;
//!                                                        for p in lo..hi { let at = first + (p - lo); … }
//! ```

use super::super::Lowerer;
use super::super::place::length;
use super::super::region::Window;
use crate::llir::walk::visit_stmts;
use crate::llir::{Block, Expr, FetchOp, Space, Stmt, Ty, VarId, build};

impl Lowerer<'_> {
    pub(super) fn fetch_at_once(&mut self, block: Block) -> Block {
        let mut out = Block::new();
        for mut stmt in block {
            stmt.for_each_block_mut(&mut |nested| *nested = self.fetch_at_once(std::mem::take(nested)));
            if let Stmt::For { var, lo, hi, step: 1, body, .. } = &mut stmt
                && let Some(at) = self.counted_alike(*var, body)
                && let Stmt::Fetch { var: held, buffer, index, .. } = body.remove(at)
            {
                let name = self.vars[var.index()].name.clone();
                *lo = self.bind(&format!("{name}_begin"), lo.clone(), &mut out);
                *hi = self.bind(&format!("{name}_end"), hi.clone(), &mut out);
                let first = held.map(|_| self.fresh("first", Ty::Index));
                let value = length(&Window { lo: lo.clone(), hi: hi.clone() });
                out.push(Stmt::Fetch { op: FetchOp::Add, var: first, buffer, index, value });
                if let (Some(held), Some(first)) = (held, first) {
                    let value = build::add(first, build::sub(*var, lo.clone()));
                    body.insert(at, Stmt::Let { var: held, value });
                }
            }
            out.push(stmt);
        }
        out
    }

    /// The place in a loop's body of its only count, which is the same element's in each iteration.
    fn counted_alike(&self, var: VarId, body: &[Stmt]) -> Option<usize> {
        let (mut counts, mut inside) = (0, vec![var]);
        visit_stmts(body, &mut |s| {
            counts += usize::from(matches!(s, Stmt::Fetch { .. }));
            inside.extend(s.assigned());
            if let Stmt::Let { var, .. } | Stmt::Mut { var, .. } | Stmt::For { var, .. } = s {
                inside.push(*var);
            }
        });
        let at = body
            .iter()
            .position(|s| matches!(s, Stmt::Fetch { op: FetchOp::Add, value: Expr::Index(1), .. }))?;
        let Stmt::Fetch { index, .. } = &body[at] else { return None };
        let mut alike = counts == 1 && !inside.iter().any(|v| index.mentions(*v));
        index.visit(&mut |e| {
            if let Expr::Load { buffer, .. } | Expr::Search { buffer, .. } = e {
                alike &= self.buffers[buffer.index()].space == Space::Input;
            }
        });
        alike.then_some(at)
    }
}
