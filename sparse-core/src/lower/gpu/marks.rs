//! Elements of a large table, put in order by marks.
//!
//! A team's table in memory of the device is sorted slowly: a bitonic network comes to each of n elements (log n)² / 2 times, and
//! waits for memory as often. But coordinates that are all different need no comparing: each sets a bit of its own, and as many are
//! before it as are set below:
//!
//! ```text
//! marks[key / 31] |= 1 << key % 31                                    of each element
//! before[word] = all that is set in the words before                  a scan
//! place = before[key / 31] + set(marks[key / 31] below key % 31)      of each element
//! ```
//!
//! That is a step for each element and one for 31 coordinates, as many as an index has bits. Where there are many more of these than elements a row is sorted
//! by comparing ([`super::gather`]).

use super::super::Lowerer;
use super::super::place::ceil;
use super::TeamLanes;
use super::table::Table;
use super::team::Prefix;
use super::tiers::Tier;
use crate::cin::grid::Team;
use crate::llir::{
    Block, BufferId, Elem, Expr, FetchOp, IndexOp, LoopKind, MOST, Scanned, Space, Step, Stmt, Ty, VarId,
    WorkspaceId, build,
};

/// The coordinates of which a word has the marks: an index, which is not negative.
const WORD: u64 = 31;

/// The arrays in which a workspace's elements are put in order: a part for each team, as of the table's.
#[derive(Clone)]
pub(super) struct Marks {
    words: BufferId,
    /// By word, how many marks there are in those before it.
    before: BufferId,
    /// The elements in order, until they are back in the table's place.
    crd: BufferId,
    vals: BufferId,
}

impl Marks {
    pub(super) fn arrays(&self) -> [BufferId; 4] {
        let Marks { words, before, crd, vals } = *self;
        [words, before, crd, vals]
    }
}

impl Lowerer<'_> {
    /// Are the tables of a tier's teams put in order by marks? Those of blocks in memory of the device, where there is a number for
    /// each coordinate.
    fn is_marked(&self, w: WorkspaceId, tier: &Tier) -> bool {
        self.grid_of(tier).team == Some(Team::Block)
            && self.shared_tables(tier).is_none()
            && self.spas[w.index()].dims.len() == 1
    }

    /// Memory for the marks of a workspace, as much as a tier's teams have for tables, of which none has more places than that.
    pub(super) fn allocate_marks(
        &mut self,
        w: WorkspaceId,
        tiers: &[Tier],
        most: &Expr,
        room_of: impl Fn(&Self, &Tier) -> Expr,
    ) -> Vec<Step> {
        let marked = tiers.iter().filter(|tier| self.is_marked(w, tier));
        let Some(room) = marked.map(|tier| room_of(self, tier)).reduce(build::max) else { return vec![] };
        // Where columns are too many for marks in the largest table, they are in every one.
        let fits = build::le(self.words(w), most.clone());
        let room = build::select(fits, room, Expr::Index(0));
        let name = self.spas[w.index()].name.clone();
        let room = self.named_size(&format!("{name}_marks_room"), room);
        let allocate = |buffer| Step::Allocate { buffer, len: room.clone(), init: None };
        self.marks(w).arrays().map(allocate).into()
    }

    /// How many words have a mark for each coordinate.
    fn words(&self, w: WorkspaceId) -> Expr {
        ceil(self.spas[w.index()].dims[0].clone(), WORD)
    }

    fn marks(&mut self, w: WorkspaceId) -> Marks {
        let at = w.index();
        if self.out.gpu.marks.len() <= at {
            self.out.gpu.marks.resize(at + 1, None);
        }
        if let Some(marks) = &self.out.gpu.marks[at] {
            return marks.clone();
        }
        let name = self.spas[at].name.clone();
        let of = |part: &str| format!("{name}_{part}");
        let marks = Marks {
            words: self.device_array(&of("marks")),
            before: self.device_array(&of("marks_before")),
            crd: self.device_array(&of("sorted_crd")),
            vals: self.local(&of("sorted_vals"), Elem::Scalar(self.dtype), Space::Output),
        };
        self.out.gpu.marks[at] = Some(marks.clone());
        marks
    }

    /// How a team puts a table in order by marks, if it may: the condition that it does, and the code, after which the first
    /// elements up to the variable are in order, which is the table's begin before.
    pub(super) fn in_order_by_marks(
        &mut self,
        arrays: &[BufferId],
        w: WorkspaceId,
        table: &Table,
        lanes: &TeamLanes,
        to: VarId,
    ) -> Option<(Block, Expr, Block)> {
        let tier = self.tiers.lowered.clone()?;
        if !self.is_marked(w, &tier) {
            return None;
        }
        let Marks { words: marks, before, crd, vals } = self.marks(w);
        let mut around = Block::new();
        let words = self.bind("words", self.words(w), &mut around);
        // A team has as many words as places.
        let cond = build::le(words.clone(), table.size());
        let place = |of: Expr| build::add(table.begin.clone(), of);
        let (mut block, word) = (Block::new(), self.fresh("word", Ty::Index));
        let cleared = vec![Stmt::Store { buffer: marks, index: place(word.into()), value: Expr::Index(0) }];
        block.extend([lanes.each(word, Expr::Index(0), words.clone(), cleared), lanes.barrier()]);
        block.extend(self.each_key(arrays[0], table, lanes, |_, _, key| {
            let index = place(build::div(key.clone(), Expr::Index(WORD)));
            vec![Stmt::Fetch {
                op: FetchOp::Mark,
                var: None,
                buffer: marks,
                index,
                value: build::rem(key, Expr::Index(WORD)),
            }]
        }));
        block.extend(self.count_marks(marks, before, &words, table, lanes, to));
        block.extend(self.each_key(arrays[0], table, lanes, |l, at, key| {
            let mut body = Block::new();
            let word = l.bind("word", place(build::div(key.clone(), Expr::Index(WORD))), &mut body);
            let mark = build::load(marks, word.clone());
            let below = build::op(IndexOp::Below, mark, build::rem(key.clone(), Expr::Index(WORD)));
            let to = l.bind("to", build::add(build::load(before, word), below), &mut body);
            body.push(Stmt::Store { buffer: crd, index: to.clone(), value: key });
            let moved =
                |&of: &BufferId| Stmt::Store { buffer: vals, index: to.clone(), value: build::load(of, at) };
            body.extend(arrays[1..].iter().map(moved));
            body
        }));
        let at = self.fresh("at", Ty::Index);
        let back = arrays.iter().zip([crd, vals]).map(|(&buffer, of)| Stmt::Store {
            buffer,
            index: at.into(),
            value: build::load(of, at),
        });
        block.extend([lanes.each(at, table.begin.clone(), to.into(), back.collect()), lanes.barrier()]);
        Some((around, cond, block))
    }

    /// What a team does for each key of a table at its place, after which the lanes wait.
    fn each_key(
        &mut self,
        keys: BufferId,
        table: &Table,
        lanes: &TeamLanes,
        body: impl Fn(&mut Self, VarId, Expr) -> Block,
    ) -> [Stmt; 2] {
        let (at, key) = (self.fresh("at", Ty::Index), self.fresh("key", Ty::Index));
        let then = body(self, at, key.into());
        let held = build::ne(key, Expr::Index(MOST));
        let body = vec![
            Stmt::Let { var: key, value: build::load(keys, at) },
            Stmt::If { cond: held, then, otherwise: vec![] },
        ];
        [lanes.each(at, table.begin.clone(), table.end.clone(), body), lanes.barrier()]
    }

    /// By word, where the first of its coordinates stands in order: the variable counts on.
    fn count_marks(
        &mut self,
        marks: BufferId,
        before: BufferId,
        words: &Expr,
        table: &Table,
        lanes: &TeamLanes,
        to: VarId,
    ) -> Block {
        let (tile, word) = (self.fresh("tile", Ty::Index), self.fresh("word", Ty::Index));
        let mut body = vec![Stmt::Let { var: word, value: build::add(tile, lanes.lane.clone()) }];
        let is_word = build::lt(word, words.clone());
        let at = build::add(table.begin.clone(), word);
        let set = Expr::IndexOp(
            IndexOp::Below,
            Box::new(build::load(marks, at.clone())),
            Box::new(Expr::Index(WORD)),
        );
        let set = build::select(is_word.clone(), set, Expr::Index(0));
        let (scan, Prefix { before: earlier, all }) = self.team_scan(lanes, Scanned::Sum(set));
        let store = Stmt::Store { buffer: before, index: at, value: build::add(to, earlier) };
        body.extend([scan, Stmt::If { cond: is_word, then: vec![store], otherwise: vec![] }]);
        // Before the next tile's, what warps have found is read; after the last one, where words' elements stand.
        body.extend([lanes.barrier(), Stmt::Assign { var: to, value: build::add(to, all) }]);
        let (lo, hi, kind) = (Expr::Index(0), words.clone(), LoopKind::Serial);
        vec![Stmt::For { var: tile, lo, hi, step: lanes.size, kind, body }]
    }
}
