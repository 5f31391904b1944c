//! Workspaces that stand outside of all loops, on the CPU, whose elements are scattered once each: rows by counting.
//!
//! ```text
//! next = [0; n]
//! for i { for p in B2_pos[i]..B2_pos[i + 1] { next[B2_crd[p]] += 1 } }
//! for j in 0..n { pos[j + 1] = pos[j] + next[j]; next[j] = pos[j] }
//! for i { for p in B2_pos[i]..B2_pos[i + 1] { at = next[B2_crd[p]]++; crd[at] = i; vals[at] = B_vals[p] } }
//! ```
//!
//! (Gustavson 1978: HALFPERM). Loops go over coordinates in order, so that those of a row are in order as they come; nothing
//! is sorted, and nothing is equal. The rows' positions take memory for the whole first dimension, which the result or an
//! operand has to have too, unless rows are read inside of other loops: from a list without positions, each would be sought. Then
//! it is the scattered operand that has memory for a dimension, its own first one.
//!
//! On threads both loops over i are cut into parts with about as many stored entries each. A part has a `next` of its own,
//! and its elements of a row stand behind those of the parts before it: the same bytes, however many parts there are.
//!
//! Where the result is what was scattered, and how long that is, at most, is known before, `pos`, `crd` and `vals` are the result's.

use super::place::Place;
use super::region::Window;
use super::state::{Cursor, Lhs, SparseTarget, State};
use super::{Lowered, Lowerer, Operand};
use crate::cin::Workspace;
use crate::cin::provenance::Tag;
use crate::cin::val::{AccessId, Constant, Nest, Val};
use crate::format::{Level, WorkspaceFormat};
use crate::front::ast::IndexVar;
use crate::llir::{
    Array, Block, Bound, BufferId, Elem, Expr, Init, LoopKind, MOST, Space, Stmt, Ty, VarId, build,
};
use crate::looplet::{LevelRef, Position};
use crate::scalar::Value;
use crate::work::{SHARED, WORTH_LOG2};

/// The arrays of a workspace, and whether its elements are counted or put there.
#[derive(Clone)]
pub(super) struct Buckets {
    /// By row: how many elements it has, then where its next one stands.
    next: BufferId,
    /// Where the part's own rows begin there.
    first: Expr,
    crd: BufferId,
    vals: BufferId,
    counts: bool,
}

impl Buckets {
    /// Where elements are counted, and find their places.
    pub(super) fn places(&self) -> BufferId {
        self.next
    }
}

/// The rows that are made.
#[derive(Clone, Copy)]
struct Rows {
    pos: BufferId,
    crd: BufferId,
    vals: BufferId,
}

/// The parts of a producer's outermost loop, each a thread's.
struct Parts {
    /// How many.
    n: Expr,
    /// About how many scalar operations they make in all.
    work: Expr,
}

impl Lowerer<'_> {
    /// Is each element scattered once, in the order of the second coordinate, into rows for which there is memory anyway, or
    /// that are read inside of other loops, each from where it begins?
    pub(super) fn has_buckets(
        &self,
        w: Workspace,
        nest: &Nest,
        written: &[IndexVar],
        loops: &[IndexVar],
        st: &State,
    ) -> bool {
        let decl = &self.workspaces[w.index()];
        let outermost = self.gpu.is_none() && st.around.is_empty();
        if !outermost || decl.format != WorkspaceFormat::Sort || written.len() != 2 {
            return false;
        }
        let plain = |v: &IndexVar| self.provenance.made_by(*v).is_none() && !self.runs_on_threads(*v);
        let own = nest.op.is_none() && nest.opens.is_empty() && nest.loops.len() == 2;
        if !own || !nest.loops.iter().all(|v| written.contains(v) && plain(v)) {
            return false;
        }
        let (mut unique, mut rows) = (true, true);
        nest.rhs.for_each_access(&mut |a| {
            let known = a.index() < self.accesses.len();
            unique &= known && self.levels[a.index()].last().is_none_or(|l| l.level.is_unique());
            rows &= self.levels[a.index()].first().is_none_or(|l| l.level.is_full());
        });
        unique && (self.has_memory_by(decl.vars[0]) || rows && self.reads_inside(w, loops, st))
    }

    /// Is a workspace read below other loops than its own first one?
    fn reads_inside(&self, w: Workspace, loops: &[IndexVar], st: &State) -> bool {
        let mut inside = false;
        st.rhs.for_each_production(&mut |p| {
            inside |= p.workspace == w && !self.is_read_first(&p.read, loops);
        });
        inside
    }

    /// Has the result memory for each coordinate of a variable, or an operand? All rows are read of a matrix that is filled by counting:
    /// a block of the result would be stored for each, where only the result itself has one for each.
    fn has_memory_by(&self, v: IndexVar) -> bool {
        let spec = &self.kernel.tensors[self.out.tensor.index()].spec;
        let rows = self.out.vars.iter().zip(&spec.levels).take_while(|(_, level)| level.is_full());
        let of_operand = |(vars, levels): (&Vec<IndexVar>, &Vec<LevelRef>)| {
            let first = vars.first().is_some_and(|first| self.provenance.original(*first) == v);
            first && levels.first().is_some_and(|l| l.level.is_full())
        };
        rows.into_iter().any(|(row, _)| *row == v)
            || self.out_groups().suffix.is_empty() && self.level_vars.iter().zip(&self.levels).any(of_operand)
    }

    /// Fills such a workspace, then goes on with its consumer.
    pub(super) fn open_buckets(
        &mut self,
        w: Workspace,
        nest: Nest,
        written: Vec<IndexVar>,
        loops: &[IndexVar],
        mut st: State,
    ) -> Lowered {
        let dims = self.dims(w)?;
        let init = self.before(&nest).unwrap_or_else(|| self.absent(w, &st));
        let name = self.unique(&self.workspaces[w.index()].name.clone());
        let lhs = Lhs::Scattered(SparseTarget {
            workspace: None,
            indices: written,
            init: init.value(),
            masks: vec![],
        });
        let (inner, producer) = st.producer(nest, lhs);
        let room =
            self.fills_result(w, init, loops, &st).then(|| self.most_in_all(&inner, &producer)).flatten();
        let (is_result, exact) = (room.is_some(), room.as_ref().is_some_and(|room| room.exact));
        if exact {
            self.fix_lengths();
        }
        self.out.filled = room;
        let rows = if is_result { self.rows_of_result() } else { self.own_rows(&name) };
        let next = self.scratch(&format!("{name}_next"), Elem::Index);

        let mut block = Block::new();
        let parts = self.parts(w, (&inner, &producer), &dims[0], is_result, &mut block);
        let n = parts.as_ref().map_or(Expr::Index(1), |parts| parts.n.clone());
        block.push(Stmt::Alloc {
            buffer: next,
            len: build::mul(n.clone(), dims[0].clone()),
            init: Init::Value(Value::I32(0)),
        });
        if !is_result {
            let len = build::add(dims[0].clone(), Expr::Index(1));
            block.push(Stmt::Alloc { buffer: rows.pos, len, init: Init::Unwritten });
        }
        block.extend(self.fill_rows(true, (next, rows), &inner, &producer, &parts)?);
        let (counted, all) = self.sum_counts(&name, (next, rows.pos), &dims[0], &n);
        block.extend(counted);
        if !is_result {
            // More than positions can count is more than there is memory for.
            let few = build::le(all, Expr::Index(MOST));
            let len = build::select(few, all, Expr::Index(u64::MAX >> 8));
            let len = self.bind(&format!("{name}_len"), len, &mut block);
            // Each element is put there.
            block.push(Stmt::Alloc { buffer: rows.crd, len: len.clone(), init: Init::Unwritten });
            block.push(Stmt::Alloc { buffer: rows.vals, len, init: Init::Unwritten });
        }
        let fill = self.fill_rows(false, (next, rows), &inner, &producer, &parts)?;
        if is_result {
            block.extend(if exact { fill } else { filled_at_last(rows, all, fill) });
            return Ok(block);
        }
        block.extend(fill);
        st.rhs = self.with_buckets(w, rows, &dims, init, &mut st);
        st.walks = self.walked(loops, &st)?;
        let consumer = self.lower(loops, st)?;
        if consumer.is_empty() {
            return Ok(consumer);
        }
        block.extend(consumer);
        Ok(block)
    }

    /// Is the result what is scattered, in rows, by loops of which the schedule says nothing?
    fn fills_result(&self, w: Workspace, init: Constant, loops: &[IndexVar], st: &State) -> bool {
        let plain = |v: &IndexVar| self.provenance.tag(*v) == Tag::default();
        self.is_listed(w, init, loops, st) && self.out_groups().prefix == (0..1) && loops.iter().all(plain)
    }

    fn rows_of_result(&mut self) -> Rows {
        let t = self.out.tensor;
        let [pos, crd, vals] =
            [Array::Pos(t, 1), Array::Crd(t, 1), Array::Vals(t)].map(|a| self.out_array(a));
        Rows { pos, crd, vals }
    }

    fn own_rows(&mut self, name: &str) -> Rows {
        let [pos, crd] = ["pos", "crd"].map(|array| self.scratch(&format!("{name}2_{array}"), Elem::Index));
        Rows { pos, crd, vals: self.scratch(&format!("{name}_vals"), Elem::Scalar(self.dtype)) }
    }

    /// The parts in which threads fill rows: one of each thread, if there are as many entries as the rows that all parts but
    /// the first count besides.
    fn parts(
        &mut self,
        w: Workspace,
        (inner, producer): (&[IndexVar], &State),
        rows: &Expr,
        is_result: bool,
        block: &mut Block,
    ) -> Option<Parts> {
        if !self.workspaces[w.index()].in_parts {
            return None;
        }
        let (name, entries) = (self.name(inner[0]), self.entries_walked(producer)?);
        let entries = self.bind("entries", entries, block);
        let work = build::div(entries.clone(), Expr::Index(SHARED as u64));
        let of_row = build::div(entries, build::max(rows.clone(), Expr::Index(1)));
        let n = build::min(Expr::Workers(Box::new(work.clone())), build::add(of_row, Expr::Index(1)));
        let n = self.bind(&format!("{name}_parts"), n, block);
        let filled = match is_result {
            true => format!("the rows of `{}`", self.kernel.tensors[self.out.tensor.index()].name),
            false => format!("`{}`", self.workspaces[w.index()].name),
        };
        self.note(format!(
            "threads fill {filled}, each from a part of the loop over `{name}`: one thread if there are fewer than 2^{} entries, and no more than there are entries a row on average, and one",
            WORTH_LOG2 + SHARED.ilog2(),
        ));
        Some(Parts { n, work })
    }

    /// How many stored entries a producer's loops come to, at most: none, if they are of dense operands.
    fn entries_walked(&self, producer: &State) -> Option<Expr> {
        let mut sparse: Vec<AccessId> = Vec::new();
        producer.rhs.for_each_access(&mut |a| {
            if !sparse.contains(&a) && self.is_sparse(a) {
                sparse.push(a);
            }
        });
        sparse.into_iter().map(|a| self.stored_entries(a)).reduce(build::add)
    }

    /// The producer's loops, in which elements are counted or put where they stand.
    fn fill_rows(
        &mut self,
        counts: bool,
        (next, Rows { crd, vals, .. }): (BufferId, Rows),
        inner: &[IndexVar],
        producer: &State,
        parts: &Option<Parts>,
    ) -> Lowered {
        let mut producer = producer.clone();
        let mut body = Block::new();
        let part = parts.as_ref().map(|parts| (self.fresh("part", Ty::Index), parts));
        let mut first = Expr::Index(0);
        if let Some((part, parts)) = &part {
            let Lhs::Scattered(target) = &producer.lhs else { unreachable!("a producer of rows scatters") };
            let rows = self.extent(target.indices[0]);
            first = self.bind("first", build::mul(*part, rows), &mut body);
            let window = self.entries_part(inner[0], &producer.rhs, (*part).into(), &parts.n, &mut body);
            producer.places.insert(inner[0], Place { window, whole: false });
        }
        self.buckets = Some(Buckets { next, first, crd, vals, counts });
        let lowered = self.lower(inner, producer);
        self.buckets = None;
        let loops = lowered?;
        body.extend(if counts { self.of_all_rows(loops) } else { loops });
        Ok(match part {
            None => body,
            Some((var, Parts { n, work })) => vec![Stmt::Threads {
                var,
                lo: Expr::Index(0),
                hi: n.clone(),
                work: work.clone(),
                balance: vec![],
                private: None,
                appends: None,
                body,
            }],
        })
    }

    /// Loops over rows and their entries, to which it is all the same whose they are: one loop over the entries. Where rows end
    /// is a branch that the processor does not foresee, which takes longer than to count a few entries.
    fn of_all_rows(&self, mut loops: Block) -> Block {
        if let [Stmt::For { var: row, lo: first, hi: last, step: 1, body: inner, .. }] = &mut loops[..]
            && let [
                Stmt::Let { var: begin, value: Expr::Load { buffer, index } },
                Stmt::Let { var: end, value },
                Stmt::For { lo, hi, step: 1, body, .. },
            ] = &mut inner[..]
            && self.buffers[buffer.index()].space == Space::Input
            && (index.is_var(*row) && lo.is_var(*begin))
            && (*value == build::load(*buffer, build::add(*row, Expr::Index(1))) && hi.is_var(*end))
            && !body.iter().any(|s| [*row, *begin, *end].iter().any(|v| s.mentions(*v)))
        {
            // Both are rows of the operand, or the end of all, in this order.
            (*lo, *hi) = (build::load(*buffer, first.clone()), build::load(*buffer, last.clone()));
            return inner.split_off(2);
        }
        loops
    }

    /// The coordinates of a part: with about as many entries as any other, of an operand that has its positions.
    fn entries_part(
        &mut self,
        v: IndexVar,
        rhs: &Val,
        part: Expr,
        parts: &Expr,
        block: &mut Block,
    ) -> Window {
        let n = self.extent(v);
        let pos = self.balance(v, &Expr::Index(0), &n, rhs).first().copied();
        let all = pos.map_or(n.clone(), |pos| build::load(pos, n.clone()));
        let share = |k: Expr| build::div(build::mul(all.clone(), k), parts.clone());
        let begin = |k: Expr| match pos {
            Some(pos) => build::search(Bound::Lower, pos, Expr::Index(0), n.clone(), share(k)),
            None => share(k),
        };
        let next = build::add(part.clone(), Expr::Index(1));
        let last = build::eq(next.clone(), parts.clone());
        // Rows without entries at the end are the last part's.
        let end = build::select(last, n.clone(), begin(next));
        let name = self.name(v);
        let lo = self.bind(&format!("{name}_begin"), begin(part), block);
        Window { lo, hi: self.bind(&format!("{name}_end"), end, block) }
    }

    /// Counts become where the elements of each row and part begin. Gives how many there are, too.
    fn sum_counts(
        &mut self,
        name: &str,
        (next, pos): (BufferId, BufferId),
        rows: &Expr,
        parts: &Expr,
    ) -> (Block, VarId) {
        let all = self.fresh(&format!("{name}_all"), Ty::Index);
        let [row, at, count] =
            ["row", "at", "count"].map(|of| self.fresh(&format!("{name}_{of}"), Ty::Index));
        let begins = |part: Expr| {
            vec![
                Stmt::Let { var: at, value: build::add(build::mul(part, rows.clone()), row) },
                Stmt::Let { var: count, value: build::load(next, at) },
                Stmt::Store { buffer: next, index: at.into(), value: all.into() },
                Stmt::Assign { var: all, value: build::add(all, count) },
            ]
        };
        let serial = |var, hi, body| {
            let (lo, step, kind) = (Expr::Index(0), 1, LoopKind::Serial);
            Stmt::For { var, lo, hi, step, kind, body }
        };
        let mut body = match parts {
            Expr::Index(1) => begins(Expr::Index(0)),
            parts => {
                let part = self.fresh("part", Ty::Index);
                vec![serial(part, parts.clone(), begins(part.into()))]
            }
        };
        let (before, after) = (Expr::Index(0), build::add(row, Expr::Index(1)));
        body.push(Stmt::Store { buffer: pos, index: after, value: all.into() });
        let block = vec![
            Stmt::Store { buffer: pos, index: before.clone(), value: before.clone() },
            Stmt::Mut { var: all, value: before },
            serial(row, rows.clone(), body),
        ];
        (block, all)
    }

    fn scratch(&mut self, name: &str, elem: Elem) -> BufferId {
        self.local(name, elem, Space::Scratch)
    }

    /// An element is counted, or goes where its row's next one stands.
    pub(super) fn put_in_bucket(
        &mut self,
        Buckets { next, first, crd, vals, counts }: Buckets,
        target: &SparseTarget,
        st: &State,
        value: Expr,
    ) -> Block {
        let mut keys = target.indices.iter().map(|v| {
            self.known(*v, st)
                .unwrap_or_else(|| unreachable!("a workspace's loops are open when it is written"))
        });
        let (Some(row), Some(key)) = (keys.next(), keys.next()) else {
            unreachable!("buckets are of two dimensions")
        };
        drop(keys);
        let mut block = Block::new();
        let row = self.bind("row", build::add(first, row), &mut block);
        let before = build::load(next, row.clone());
        if counts {
            block.push(Stmt::Store { buffer: next, index: row, value: build::add(before, Expr::Index(1)) });
            return block;
        }
        let at = self.fresh("at", Ty::Index);
        block.extend([
            Stmt::Let { var: at, value: before },
            Stmt::Store { buffer: next, index: row, value: build::add(at, Expr::Index(1)) },
            Stmt::Store { buffer: crd, index: at.into(), value: key },
            Stmt::Store { buffer: vals, index: at.into(), value },
        ]);
        block
    }

    /// The consumer's value, which reads rows as an operand.
    fn with_buckets(
        &mut self,
        w: Workspace,
        Rows { pos, crd, vals }: Rows,
        dims: &[Expr],
        init: Constant,
        st: &mut State,
    ) -> Val {
        let mut reads: Vec<Vec<IndexVar>> = Vec::new();
        st.rhs.for_each_production(&mut |p| {
            if p.workspace == w && !reads.contains(&p.read) {
                reads.push(p.read.clone());
            }
        });
        let mut rhs = st.rhs.clone();
        for read in reads {
            let rows = LevelRef { level: Level::Dense, size: dims[0].clone(), pos: None, crd: None };
            let level = Level::Compressed { unique: true };
            let below = LevelRef { level, size: dims[1].clone(), pos: Some(pos), crd: Some(crd) };
            self.levels.push(vec![rows, below]);
            self.level_vars.push(read.clone());
            self.tensors.push(Operand::Bucketed(vals, init));
            let root = Cursor { level: 0, position: Position::One(Expr::Index(0)) };
            st.cursors.resize(self.levels.len(), root);
            let access = AccessId(self.levels.len() as u32 - 1);
            rhs = rhs.map(&|v| match v {
                Val::Work(q) if q.workspace == w && q.read == read => Some(Val::Access(access)),
                _ => None,
            });
        }
        rhs
    }
}

/// Puts elements in the result's arrays once it is known how many they are. More than positions can count have no places: the
/// launcher refuses that many.
fn filled_at_last(rows: Rows, all: VarId, fill: Block) -> Block {
    let longer = |buffer| Stmt::AppendN { buffer, count: all.into(), value: None };
    let cond = build::le(all, Expr::Index(MOST));
    vec![longer(rows.crd), longer(rows.vals), Stmt::If { cond, then: fill, otherwise: vec![] }]
}
