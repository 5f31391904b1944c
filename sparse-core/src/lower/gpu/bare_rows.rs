//! Rows of a result without entries, where the others have a writer each ([`super::carry`]).
//!
//! Those of an operand like `Csr` are all there, and its positions tell which have none. A launch writes these then, and nobody
//! has to fill the whole result before:
//!
//! ```text
//! bare = row < rows && pos[row] == pos[row + 1]             a thread a row
//! if bare { y[row] = 0 }
//! ```
//!
//! Where a row has columns, a warp whose threads have found such rows writes them together, eight threads a row.

use super::super::Lowerer;
use super::super::place::Leader;
use super::THREADS;
use super::carry::parts;
use crate::cin::result::ResultKind;
use crate::format::Level;
use crate::front::ast::IndexVar;
use crate::llir::build::op;
use crate::llir::kernel::WARP;
use crate::llir::{
    Block, BufferId, Collective, Expr, Group, IndexOp, LoopKind, Over, Scanned, Stmt, Ty, build,
};

/// Threads that write a row's columns: neighbours, so that a store has all of the 32 bytes that memory takes at a time.
const ABREAST: u64 = 8;

impl Lowerer<'_> {
    /// The positions of an operand whose rows are all there, and are the result's outermost coordinates.
    pub(super) fn rows_alike(&self, leader: &Leader, keys: &[IndexVar]) -> Option<BufferId> {
        let a = leader.access.index();
        let [rows, entries, ..] = &self.levels[a][..] else { return None };
        let of_matrix = leader.roots.len() == 2 && self.level_vars[a].starts_with(&leader.roots);
        let is_outermost = *keys == [leader.roots[0]] && self.out.vars.first() == keys.first();
        let fits = rows.level == Level::Dense && matches!(entries.level, Level::Compressed { .. });
        entries.pos.filter(|_| of_matrix && is_outermost && fits)
    }

    /// Where rows show that a launch writes: the host need not fill the result.
    pub(in super::super) fn bare_rows(&self) -> Option<BufferId> {
        let rows = self.gpu.as_ref()?.carries.as_ref()?.rows;
        let written = self.out.kind == ResultKind::Dense && !self.out.accumulates();
        rows.filter(|_| written && self.out.needs_init)
    }

    /// How many blocks have a thread for each row of the result.
    pub(super) fn blocks_of_rows(&self) -> Option<Expr> {
        self.host_size(&parts(self.extent(self.out.vars[0]), THREADS.into()))
    }

    /// Writes what nothing is reduced into. `before` gets what arguments alone tell, whether the lane's row is such a one.
    pub(super) fn write_bare_rows(
        &mut self,
        pos: BufferId,
        output: BufferId,
        columns: &Expr,
        (warp, lane): (&Expr, &Expr),
        before: &mut Block,
    ) -> Block {
        let rows = self.extent(self.out.vars[0]);
        let is_bare = |row: &Expr| {
            let end = build::load(pos, build::add(row.clone(), Expr::Index(1)));
            let inside = build::lt(row.clone(), rows.clone());
            build::and(inside, build::eq(build::load(pos, row.clone()), end))
        };
        let lanes = u64::from(WARP);
        let first = build::mul(warp.clone(), Expr::Index(lanes));
        let row = self.named("row", build::add(first.clone(), lane.clone()), before);
        let bare = self.fresh("bare", Ty::Cond);
        before.push(Stmt::Let { var: bare, value: is_bare(&row) });
        let value = Expr::Lit(self.out.background);
        let store = |index| Stmt::Store { buffer: output, index, value };
        if *columns == Expr::Index(1) {
            return vec![Stmt::If { cond: bare.into(), then: vec![store(row)], otherwise: vec![] }];
        }
        let (step, at) = (self.fresh("step", Ty::Index), self.fresh("at", Ty::Index));
        let abreast = |of| op(of, lane.clone(), Expr::Index(ABREAST));
        let row = build::add(build::mul(step, Expr::Index(lanes / ABREAST)), abreast(IndexOp::Div));
        let mut body = Block::new();
        let row = self.named("row", build::add(first, row), &mut body);
        let write = Stmt::For {
            var: at,
            lo: abreast(IndexOp::Rem),
            hi: columns.clone(),
            step: ABREAST as u32,
            kind: LoopKind::Serial,
            body: vec![store(build::add(build::mul(row.clone(), columns.clone()), at))],
        };
        body.push(Stmt::If { cond: is_bare(&row), then: vec![write], otherwise: vec![] });
        let write = Stmt::For {
            var: step,
            lo: Expr::Index(0),
            hi: Expr::Index(ABREAST),
            step: 1,
            kind: LoopKind::Serial,
            body,
        };
        let many = self.fresh("bare_rows", Ty::Index);
        let over = Over::Group(Group::WARP);
        let of = Scanned::Lanes(bare.into());
        let some = build::ne(many, Expr::Index(0));
        vec![
            Stmt::Collective(Collective::Scan { of, before: None, all: Some(many), over }),
            Stmt::If { cond: some, then: vec![write], otherwise: vec![] },
        ]
    }
}
