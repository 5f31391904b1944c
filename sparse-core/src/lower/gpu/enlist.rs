//! Lists of what teams of threads work on, by how much work it is.
//!
//! A launch with a thread an item does what is little itself, and has the others *enlisted*, each in the list of its class of
//! teams; team n of the class's own launch has the n-th of its list.
//!
//! ```text
//! launch of threads: if m <= size { list[many++] = item } else { … }      for every item
//! launch of teams:   item = list[rank]; …                               for every rank below many
//! ```
//!
//! In which order they stand is not known, and does not matter: what a team does depends on its item alone.

use super::super::Lowerer;
use super::super::place::ceil;
use super::super::region::guard;
use super::TeamLanes;
use super::classes::who;
use super::team::{declare_lane, number, number_in_block};
use crate::cin::grid::{Grid, RowClass};
use crate::llir::{Axis, Block, BufferId, Expr, FetchOp, Launch, LoopKind, Step, Stmt, Ty, VarId, build};
use crate::scalar::Value;

/// A list that is wanted.
pub(super) struct Wanted {
    /// What the names of its arrays and launches say.
    pub(super) who: String,
    /// Threads of a team.
    pub(super) threads: u32,
    /// Of how many elements an item has at least.
    pub(super) from: u64,
    /// No more items are there, for the host.
    pub(super) most: Expr,
}

/// What the teams of a class work on.
#[derive(Clone)]
pub(in super::super) struct Enlisted {
    pub(super) who: String,
    pub(super) threads: u32,
    pub(super) from: u64,
    items: BufferId,
    /// How many there are: an element of an array.
    many: (BufferId, u64),
    pub(super) most: Expr,
}

/// What a team's code is made with.
pub(super) struct AtWork {
    pub(super) lanes: TeamLanes,
    /// The thread's number in its block.
    pub(super) thread: VarId,
    /// What the team works on.
    pub(super) item: VarId,
}

/// What a launch of teams is written in.
pub(super) struct Teams {
    pub(super) grid: Grid,
    /// The block's number.
    pub(super) block: VarId,
    /// The thread's number in its block.
    pub(super) thread: VarId,
    /// The thread's number in its team.
    pub(super) lane: VarId,
    /// Which of the list's items a team has.
    pub(super) rank: VarId,
    /// Arrays that a block shares.
    pub(super) shared: Vec<BufferId>,
}

impl Lowerer<'_> {
    /// Lists for classes of teams, for what has so many elements in all, in so many items.
    pub(super) fn lists_by_elements(
        &mut self,
        name: &str,
        classes: &[RowClass],
        (items, elements): (&Expr, &Expr),
    ) -> (Vec<Step>, Vec<Enlisted>) {
        let wanted = classes.iter().map(|rows| {
            let from = rows.elements();
            let most = build::min(items.clone(), build::div(elements.clone(), Expr::Index(from)));
            Wanted { who: who(rows), threads: rows.threads, from, most }
        });
        self.lists_of(name, wanted.collect())
    }

    /// Lists whose arrays are named after what is enlisted.
    pub(super) fn lists_of(&mut self, name: &str, wanted: Vec<Wanted>) -> (Vec<Step>, Vec<Enlisted>) {
        let (mut steps, mut lists) = (Vec::new(), Vec::new());
        let arrays: Vec<BufferId> =
            wanted.iter().map(|w| self.device_array(&format!("{name}_of_{}s", w.who))).collect();
        if wanted.is_empty() {
            return (steps, lists);
        }
        let many = self.device_array(&format!("{name}_many"));
        let (len, init) = (Expr::Index(wanted.len() as u64), Some(Value::I32(0)));
        for (n, (Wanted { who, threads, from, most }, items)) in wanted.into_iter().zip(arrays).enumerate() {
            let most = self.named_size(&format!("most_{name}_of_{who}s"), most);
            steps.push(Step::Allocate { buffer: items, len: most.clone(), init: None });
            lists.push(Enlisted { who, threads, from, items, many: (many, n as u64), most });
        }
        steps.push(Step::Allocate { buffer: many, len, init });
        (steps, lists)
    }

    /// An item of so many elements is enlisted, or if there are few, dealt with.
    pub(super) fn enlist(&mut self, lists: &[Enlisted], item: &Expr, elements: &Expr, few: Block) -> Block {
        let lists: Vec<_> = lists.iter().map(|list| (list.clone(), elements.clone())).collect();
        self.enlist_by(&lists, item, few)
    }

    /// An item is put on the last list that it is long enough for, by its size for that list, or if it is for none, dealt with.
    pub(super) fn enlist_by(&mut self, lists: &[(Enlisted, Expr)], item: &Expr, few: Block) -> Block {
        let mut block = few;
        for (list, size) in lists {
            let at = self.fresh("at", Ty::Index);
            let ((many, n), value) = (list.many, Expr::Index(1));
            let put = vec![
                Stmt::Fetch { op: FetchOp::Add, var: Some(at), buffer: many, index: Expr::Index(n), value },
                Stmt::Store { buffer: list.items, index: at.into(), value: item.clone() },
            ];
            let cond = build::le(Expr::Index(list.from), size.clone());
            block = vec![Stmt::If { cond, then: put, otherwise: block }];
        }
        block
    }

    /// A launch of a class's teams, which do this with what they have; its name ends in the suffix. If there are so many blocks
    /// at most, teams have items in turn, and wait after each.
    pub(super) fn by_teams(
        &mut self,
        suffix: &str,
        list: &Enlisted,
        item: &str,
        most: Option<u64>,
        work: impl FnOnce(&mut Self, &AtWork) -> (Block, Vec<BufferId>),
    ) -> Step {
        let grid = Grid::of_teams(list.threads);
        let [block, thread, lane, rank] =
            ["block_x", "thread_x", "lane", "rank"].map(|n| self.fresh(n, Ty::Index));
        let item = self.fresh(item, Ty::Index);
        let Some(lanes) = TeamLanes::of(&grid, thread, lane) else {
            unreachable!("a grid of teams has them")
        };
        let (work, shared) = work(self, &AtWork { lanes: lanes.clone(), thread, item });
        let mut body = vec![Stmt::Let { var: item, value: list.item(rank) }];
        body.extend(work);
        body.extend(most.map(|_| lanes.barrier()));
        self.launch_of_teams(suffix, list, Teams { grid, block, thread, lane, rank, shared }, most, body)
    }

    /// A launch of a class's teams, which run this for ranks in its list. If there are so many blocks at most, they have ranks in
    /// turn.
    pub(super) fn launch_of_teams(
        &mut self,
        suffix: &str,
        list: &Enlisted,
        teams: Teams,
        most: Option<u64>,
        body: Block,
    ) -> Step {
        let Teams { grid, block, thread, lane, rank, shared } = teams;
        let (_, of_block) = number_in_block(&grid, thread);
        let first = number(&grid, block, thread);
        let mut blocks = ceil(list.most.clone(), of_block);
        let mut whole = Block::new();
        match most {
            None => {
                whole.push(Stmt::Let { var: rank, value: first });
                whole.extend(guard(build::lt(rank, list.many()), body));
            }
            Some(most) => {
                let lo = self.bind("team", first, &mut whole);
                let step = u32::try_from(most * of_block).unwrap_or(u32::MAX);
                whole.push(Stmt::For { var: rank, lo, hi: list.many(), step, kind: LoopKind::Serial, body });
                blocks = build::min(blocks, Expr::Index(most));
            }
        }
        declare_lane(&grid, thread, lane, &mut whole);
        let name = format!("{}_{suffix}", self.kernel.name);
        let axes = vec![Axis { var: block, blocks }];
        let threads = (thread, grid.threads() as u32);
        Step::Launch(Launch { shared, ..Launch::new(name, axes, threads, whole) })
    }
}

impl Enlisted {
    /// The item of this rank.
    pub(super) fn item(&self, rank: impl Into<Expr>) -> Expr {
        build::load(self.items, rank)
    }

    /// How many there are.
    pub(super) fn many(&self) -> Expr {
        build::load(self.many.0, Expr::Index(self.many.1))
    }
}
