//! Reductions in an order that is the same in every run: `Deterministic`.
//!
//! Lanes reduce by segments of equal output coordinates, as ever. What a group has for itself it writes; of its first and
//! its last segment its neighbours may have parts: it carries these out, into two slots of arrays that live as long as
//! the call. A second launch ([`add`]) adds up the slots in the order of the positions, and has one writer an element:
//!
//! ```text
//! element = elements[p]; sum = sums[p]                      p = 32 · warp + lane
//! the last lane adds the slots after the warp's that have its element, unless they began before the warp
//! segReduceGroup(y, element, sum, segments(element)) if elements[32 · warp - 1] != element
//! ```
//!
//! Columns have slots of their own, one column after another.
//!
//! An element that has entries is so written once: by its group, or, if a group's border is in it, by the second launch, which
//! has all of its parts. Nothing is combined with what stands there, unless the statement does that. What is left are elements
//! without entries. Where each row of the operand is one of the result's ([`super::bare_rows`]), as in `Csr`, its positions tell
//! which have none, and the second launch writes these too; elsewhere the host fills the result before.
//!
//! Small matrices have these launches' time from waits for memory, one after another: what the second one may need it loads at
//! once, and what arguments tell before it waits for the first one ([`Launch::follows`]).

mod add;

use super::super::Lowerer;
use super::super::place::Leader;
use super::super::position::Parents;
use super::super::state::State;
use super::super::update::Update;
use crate::cin::provenance::{Part, Relation};
use crate::diag::Diagnostic;
use crate::format::Level;
use crate::front::ast::IndexVar;
use crate::front::command::{Strategy, Unit};
use crate::llir::build::op;
use crate::llir::walk::visit_stmts;
use crate::llir::{
    Block, BufferId, Collective, Elem, Expr, IndexOp, Launch, Space, Stmt, Ty, VarId, Write, build,
};
use crate::scalar::Monoid;

/// What a group carries out.
#[derive(Clone, Debug)]
pub(in super::super) struct Carried {
    /// The group's number, in the order of the positions, and how many there are.
    group: VarId,
    groups: VarId,
    /// The variables that the positions decide, and those of them that the result has.
    roots: Vec<IndexVar>,
    keys: Vec<IndexVar>,
    /// How many positions there are, as a thread and as the host know it, and how many a group has.
    positions: (Expr, Expr),
    each: u64,
    /// Where rows without entries show, if each is one of the result's.
    rows: Option<BufferId>,
}

/// What a launch carries out.
#[derive(Clone, PartialEq)]
pub(super) struct Carries {
    sums: BufferId,
    elements: BufferId,
    output: BufferId,
    op: Monoid,
    positions: (Expr, Expr),
    each: u64,
    columns: Expr,
    pub(super) rows: Option<BufferId>,
}

/// The number of parts of so many.
pub(super) fn parts(of: Expr, each: u64) -> Expr {
    op(IndexOp::Div, build::add(of, Expr::Index(each - 1)), Expr::Index(each))
}

impl Carries {
    fn slots(&self, positions: &Expr) -> Expr {
        build::mul(parts(positions.clone(), self.each), Expr::Index(2))
    }
}

/// What is known of a lane's positions.
pub(super) struct LanePositions<'a> {
    /// The first.
    pub(super) lo: Expr,
    /// Is there one?
    pub(super) some: &'a Expr,
    /// No loop outside visits their rows again.
    pub(super) contiguous: bool,
}

impl Lowerer<'_> {
    fn is_deterministic(&self, v: IndexVar) -> bool {
        matches!(self.provenance.tag(v).parallel, Some((_, Strategy::Deterministic)))
    }

    /// What the groups of a loop carry out, if its updates are to be in the same order in every run.
    pub(super) fn carried(
        &mut self,
        v: IndexVar,
        leader: &Leader,
        parents: &[Parents],
        lane: LanePositions<'_>,
        block: &mut Block,
    ) -> Result<Option<Carried>, Box<Diagnostic>> {
        let LanePositions { lo, some, contiguous } = lane;
        if !self.is_deterministic(v) {
            return Ok(None);
        }
        if !contiguous {
            return Err(self.not_deterministic(
                "equal coordinates are not neighbours over the whole launch: a loop outside visits them again",
                "`fuse` all levels of the operand, take their positions, and leave loops over dense variables for outputs of their own",
            ));
        }
        let keys: Vec<_> = leader.roots.iter().copied().filter(|r| self.out.vars.contains(r)).collect();
        let stored: Vec<_> = self.out.vars.iter().copied().filter(|o| keys.contains(o)).collect();
        if stored != keys {
            return Err(self.not_deterministic(
                "the result is stored in another order than the operand whose positions lanes take",
                "store the result in the operand's order, and convert it after",
            ));
        }
        let all = match parents.last() {
            Some((Expr::Index(0), end)) => Option::zip(self.device_size(end), self.host_size(end)),
            _ => None,
        };
        let (Some(positions), Expr::Cond(true)) = (all, some) else {
            return Err(self.not_deterministic(
                "lanes take positions of a part of the operand, or of a constant number of blocks",
                "`fuse` all levels of the operand, take their positions, and `split` these into blocks",
            ));
        };
        let each = self.positions_of_group(v, leader).ok_or_else(|| {
            self.not_deterministic(
                "groups do not have as many positions each: their numbers would not be in order",
                "`split` the positions by constants that are multiples of what is inside",
            )
        })?;
        let group = self.fresh("group", Ty::Index);
        block.push(Stmt::Let { var: group, value: op(IndexOp::Div, lo, Expr::Index(each)) });
        let groups = self.fresh("groups", Ty::Index);
        block.push(Stmt::Let { var: groups, value: parts(positions.0.clone(), each) });
        let rows = self.rows_alike(leader, &keys);
        let roots = leader.roots.clone();
        Ok(Some(Carried { group, groups, roots, keys, positions, each, rows }))
    }

    /// How many positions a group of the loop's threads has, if all have as many.
    fn positions_of_group(&self, v: IndexVar, leader: &Leader) -> Option<u64> {
        let Some((Unit::GpuGroup(r), _)) = self.provenance.tag(v).parallel else { return None };
        let (mut each, mut at) = (u64::from(r), v);
        while at != leader.pos {
            match *self.provenance.made_by(at)? {
                Relation::Split { parent, inner, part: Part::Inner(n), .. } => {
                    if at == inner {
                        n.is_multiple_of(each).then_some(())?;
                    } else {
                        each = each.checked_mul(n)?;
                    }
                    at = parent;
                }
                Relation::Bound { parent, .. } => at = parent,
                _ => return None,
            }
        }
        Some(each)
    }

    /// The arrays that take what is carried out, and the group's slot in them, for the element that is written.
    pub(super) fn carry_slot(
        &mut self,
        carried: &Carried,
        op: Monoid,
        output: BufferId,
        st: &State,
    ) -> Option<(BufferId, BufferId, Expr)> {
        // A slot is stored once.
        if self.sums_inside(&carried.roots, st) {
            self.refuse_sums();
            return None;
        }
        let (mut column, mut columns) = (Expr::Index(0), Expr::Index(1));
        for v in self.out.vars.clone() {
            if carried.keys.contains(&v) {
                continue;
            }
            if !self.visits_all(v) {
                self.refuse_columns();
                return None;
            }
            let Some(at) = st.coords[v.index()].clone() else {
                self.refuse_order();
                return None;
            };
            column = build::add(build::mul(column, self.extent(v)), at);
            columns = build::mul(columns, self.extent(v));
        }
        let known = self.gpu.as_ref().and_then(|gpu| gpu.carries.clone());
        let (sums, elements) = match &known {
            Some(carries) => (carries.sums, carries.elements),
            None => {
                let name = format!("{}_carry", self.out_name());
                let sums = self.carry_array(&name, Elem::Scalar(self.dtype));
                (sums, self.carry_array(&format!("{name}_at"), Elem::Index))
            }
        };
        let (positions, each, rows) = (carried.positions.clone(), carried.each, carried.rows);
        let carries = Carries { sums, elements, output, op, positions, each, columns, rows };
        if known.is_some_and(|known| known != carries) {
            self.refuse_order();
            return None;
        }
        if let Some(gpu) = &mut self.gpu {
            gpu.carries = Some(carries);
        }
        let slot = build::add(build::mul(column, carried.groups), carried.group);
        Some((sums, elements, build::mul(slot, Expr::Index(2))))
    }

    /// Does the loop over a variable run for all of its coordinates, whatever the operands store?
    fn visits_all(&self, v: IndexVar) -> bool {
        self.accesses.iter().zip(&self.level_vars).all(|(a, vars)| {
            let levels = &self.kernel.tensors[a.tensor.index()].spec.levels;
            vars.iter().zip(levels).all(|(u, level)| *u != v || *level == Level::Dense)
        })
    }

    fn carry_array(&mut self, name: &str, elem: Elem) -> BufferId {
        self.local(name, elem, Space::Output)
    }

    /// A plain store where nobody else writes the element; elsewhere it is the first that the group carries out.
    pub(super) fn store_or_carry(
        &mut self,
        sole: Expr,
        carried: &Carried,
        update: Update,
        st: &State,
    ) -> Block {
        let slot = self.carry_slot(carried, update.op, update.buffer, st);
        let Some((sums, elements, slot)) = slot else { return vec![] };
        let plain = self.store_sole(Expr::Cond(true), update.clone());
        let Update { index, value, .. } = update;
        let at = self.fresh("slot", Ty::Index);
        let carry = vec![
            Stmt::Let { var: at, value: slot },
            Stmt::Store { buffer: sums, index: at.into(), value },
            Stmt::Store { buffer: elements, index: at.into(), value: index },
        ];
        vec![Stmt::If { cond: sole, then: plain, otherwise: carry }]
    }

    pub(super) fn named(&mut self, name: &str, value: Expr, block: &mut Block) -> Expr {
        let var = self.fresh(name, Ty::Index);
        block.push(Stmt::Let { var, value });
        var.into()
    }

    /// Does one of the schedule's loops promise an order of updates?
    pub(super) fn promises_order(&self) -> bool {
        (0..self.provenance.len() as u32).map(IndexVar).any(|v| self.is_deterministic(v))
    }

    /// No update waits for its turn where an order is promised.
    pub(super) fn check_order(&self, launch: &Launch) -> Result<(), Box<Diagnostic>> {
        if !self.promises_order() {
            return Ok(());
        }
        let mut atomic = false;
        visit_stmts(&launch.body, &mut |s| {
            atomic |= matches!(s, Stmt::Atomic { .. } | Stmt::StoreVector { update: Some(_), .. });
            if let Stmt::Collective(Collective::Reduce { write, .. }) = s {
                atomic |= matches!(write, Write::Atomic | Write::Complete(_));
            }
        });
        if atomic { Err(self.no_order()) } else { Ok(()) }
    }

    fn refuse_order(&mut self) {
        if self.refused.is_none() {
            self.refused = Some(self.no_order());
        }
    }

    fn refuse_columns(&mut self) {
        if self.refused.is_none() {
            self.refused = Some(self.not_deterministic(
                "a loop around them visits only the coordinates that an operand stores, and the others have no sums",
                "convert that operand to a format whose outer levels are `Dense`",
            ));
        }
    }

    fn refuse_sums(&mut self) {
        if self.refused.is_none() {
            self.refused = Some(self.not_deterministic(
                "a loop inside them comes by the same element again, of which its group has one part to carry out",
                "`reorder` so that loops over variables that are summed stand inside those over the result's",
            ));
        }
    }

    fn no_order(&self) -> Box<Diagnostic> {
        self.not_deterministic(
            "several groups update the same element, in the order in which they come",
            "run a part of the positions on the group whose first levels are the result's: `fuse(i, j, f)`, `pos(f, p, A[i, j])`, `split(p, block, lane, 256)`; or write `Atomics`",
        )
    }

    fn not_deterministic(&self, why: &str, help: &str) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::new(
                "not-deterministic",
                self.kernel.assignment.lhs.span,
                format!("`Deterministic` is for sorted positions: {why}"),
            )
            .help(help),
        )
    }
}
