//! What only a GPU's code has: launches, and what the lanes of a group do together.
//!
//! A [`Launch`] is a host step that starts a grid of blocks of threads, all of which run its body. Threads of a block
//! with consecutive numbers form warps of [`WARP`] lanes. A [`Collective`] is executed by lanes together: every lane
//! that its [`Group`] names has to arrive at it, whether it has anything to contribute or not.

use super::{Block, BufferId, Expr, VarId};
use crate::scalar::Monoid;

/// Threads of a warp.
pub const WARP: u32 = 32;

/// The most threads that a block can have.
pub const MAX_THREADS: u32 = 1024;

/// The most threads that every multiprocessor runs at a time.
pub const MAX_RESIDENT: u64 = 1024;

/// The most bytes that a block's arrays share: what every GPU has without asking.
pub const SHARED_BYTES: u64 = 48 * 1024;

/// One dimension of a launch's grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The block's number in this dimension, an index, declared here.
    pub var: VarId,
    /// How many blocks: an expression of parameters, and of lengths of and loads from input arrays, evaluated on the
    /// host. With none in any dimension nothing is launched.
    pub blocks: Expr,
}

/// Starts a kernel on a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The entry point, unique in the program: an identifier in every target.
    pub name: String,
    /// Blocks in x, y and z; one to three dimensions.
    pub grid: Vec<Axis>,
    /// The thread's number in its block, an index, declared here.
    pub thread: VarId,
    /// Threads of a block: a multiple of [`WARP`], at most [`MAX_THREADS`].
    pub threads: u32,
    /// How many blocks a multiprocessor is to have room for at least, which bounds the registers of a thread, of
    /// [`MAX_RESIDENT`] threads at most; 0: the target's compiler decides.
    pub resident: u32,
    /// Does it follow another launch, with nothing but room for arrays between them ([`Step::between`])? Then a device may start
    /// it before that one has ended: each of its threads waits until it has before it writes, or reads what launches write. The
    /// simulator runs one after the other.
    ///
    /// [`Step::between`]: super::Step::between
    pub follows: bool,
    /// Arrays that the threads of a block share ([`Space::Shared`](super::Space::Shared)), not initialised.
    pub shared: Vec<BufferId>,
    /// What every thread runs.
    pub body: Block,
}

impl Launch {
    /// A launch whose threads share no arrays, that follows no other one, and has as many registers as the compiler likes.
    pub fn new(name: String, grid: Vec<Axis>, (thread, threads): (VarId, u32), body: Block) -> Launch {
        Launch { name, grid, thread, threads, resident: 0, follows: false, shared: vec![], body }
    }
}

/// Lanes that do something together: aligned consecutive threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    /// How many: 2, 4, 8, 16 or 32.
    pub size: u32,
    /// Which lanes of the warp provably arrive with them.
    pub arrive: Arrive,
}

impl Group {
    /// All lanes of a warp.
    pub const WARP: Group = Group { size: WARP, arrive: Arrive::Warp };

    /// Over how many lanes [`Collective::Scatter`] scatters an array of so many elements.
    pub fn width(self, len: u32) -> u32 {
        self.size.min(len)
    }
}

/// The lanes that a collective names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arrive {
    /// All lanes of the warp: a constant mask, far cheaper.
    Warp,
    /// The group's own.
    Group,
}

/// Where a lane takes another's value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Neighbour {
    /// The lane before it in its group; the first lane keeps its own value.
    Previous,
    /// The lane after it in its group; the last lane keeps its own value.
    Next,
}

/// What each thread gives to a scan ([`Collective::Scan`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scanned {
    /// One, where it has the condition.
    Lanes(Expr),
    /// A count; sums stop at [`MOST`](super::MOST).
    Sum(Expr),
}

impl Scanned {
    /// What each thread evaluates.
    pub fn value(&self) -> &Expr {
        let (Scanned::Lanes(e) | Scanned::Sum(e)) = self;
        e
    }

    /// [`Scanned::value`], to be changed.
    pub fn value_mut(&mut self) -> &mut Expr {
        let (Scanned::Lanes(e) | Scanned::Sum(e)) = self;
        e
    }
}

/// Which threads scan together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Over {
    /// Lanes of a warp.
    Group(Group),
    /// All threads of the block. The first lane of each warp stores what the warp has, then all wait for each other as at a
    /// barrier, and each thread reads what all warps have stored.
    Block {
        /// An array that the block shares, of an index a warp. Others may use it after the block's next barrier.
        partial: BufferId,
    },
}

/// How a reduced value reaches a buffer's element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Write {
    /// Nobody else writes the element.
    Sole(Sole),
    /// Others may: an atomic update.
    Atomic,
    /// Of segments: nobody else writes the elements of those that are complete, which neither begin with the group's
    /// first lane nor end with its last one; the others are updated atomically.
    Complete(Sole),
}

/// How the only writer of an element writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sole {
    /// `buffer[index] = value`
    Store,
    /// `buffer[index] op= value`, by a load and a store
    Combine,
}

/// Variables that a statement declares.
pub struct Declared([Option<VarId>; 2]);

impl Iterator for Declared {
    type Item = VarId;

    // By hand: passes ask every statement, and adapters are slow in a debug build.
    fn next(&mut self) -> Option<VarId> {
        let [first, second] = &mut self.0;
        first.take().or_else(|| second.take())
    }
}

pub(super) fn declared(vars: [Option<VarId>; 2]) -> Declared {
    Declared(vars)
}

/// What lanes do together. Each lane evaluates its own operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Collective {
    /// `var` becomes the reduction of the group's, in every lane.
    Total {
        /// A mutable scalar variable.
        var: VarId,
        /// How it is reduced.
        op: Monoid,
        /// Who.
        group: Group,
    },
    /// Reduces the elements of the lanes' register arrays over the group, and scatters the totals (reduce-scatter). With
    /// W the smaller of the array's length and the group's size, element n of a lane becomes the group's total of
    /// element n·W + lane mod W; those from length / W on are of no more use.
    Scatter {
        /// The array, of 2, 4, 8, … elements.
        buffer: BufferId,
        /// How it is reduced.
        op: Monoid,
        /// Who.
        group: Group,
    },
    /// `let var = ` a neighbour's `value`.
    Shuffle {
        /// Declared variable, of the value's type.
        var: VarId,
        /// What each lane gives: an index or a scalar.
        value: Expr,
        /// Whose value it takes.
        from: Neighbour,
        /// Who.
        group: Group,
    },
    /// What threads give is summed, or the largest of it found: an exclusive scan, a reduction, or both at once.
    Scan {
        /// What each gives.
        of: Scanned,
        /// Declared variable, an index, if it is asked for: the sum of what the threads before this one give.
        before: Option<VarId>,
        /// Declared variable, an index, if it is asked for: the sum of what all give, or the largest.
        all: Option<VarId>,
        /// Who.
        over: Over,
    },
    /// `let var = ` the segments of equal keys among the group's lanes.
    Segments {
        /// Declared variable, of type [`Ty::Segments`](super::Ty::Segments).
        var: VarId,
        /// An index that does not decrease along the lanes.
        key: Expr,
        /// Who.
        group: Group,
    },
    /// The group's values are reduced, and the total is written once: by lane 0, or, given segments, by the first lane
    /// of each segment. A writer whose `when` is false does not write.
    Reduce {
        /// Who.
        group: Group,
        /// Declared by [`Collective::Segments`] with the same group; `None`: all lanes write the same element.
        segments: Option<VarId>,
        /// How values are reduced, and combined with what the element holds.
        op: Monoid,
        /// Each lane's value; the identity in lanes that have nothing to contribute.
        value: Expr,
        /// Written buffer.
        buffer: BufferId,
        /// Index of the element, the same in all lanes of a group or segment where `when` is true; free of loads.
        index: Expr,
        /// Does the lane's element exist? If another lane's of the group or segment does, the writer's does.
        when: Expr,
        /// How the writer writes.
        write: Write,
    },
    /// [`Collective::Reduce`] by segments, in an order that is the same in every run. Segments that nobody else has a part
    /// of are written; the group's first and last ones, which may go on in its neighbours, are *carried out*: each into
    /// two arrays, its sum and its element, for a launch after this one. With slot s of the group, s holds the first
    /// segment, or what the first lane has put there itself, and s + 1 the last one: the identity, of the same element, if
    /// it is the first one too.
    Carry(Box<Carry>),
}

/// Segments that are written, or carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carry {
    /// Who.
    pub group: Group,
    /// Declared by [`Collective::Segments`] with the same group.
    pub segments: VarId,
    /// How values are reduced.
    pub op: Monoid,
    /// Each lane's value; the identity in lanes that have nothing to contribute.
    pub value: Expr,
    /// Written buffer.
    pub buffer: BufferId,
    /// Index of the element, the same in all lanes of a segment where `when` is true; free of loads.
    pub index: Expr,
    /// Does the lane's element exist?
    pub when: Expr,
    /// How complete segments are written.
    pub sole: Sole,
    /// Does the lane's segment begin in it? That of the group's first lane is complete then, unless it is the last one.
    pub began: Expr,
    /// Sums that are carried out.
    pub sums: BufferId,
    /// Indices of their elements.
    pub elements: BufferId,
    /// The group's slot, the same in all of its lanes; free of loads.
    pub slot: Expr,
}

impl Carry {
    fn exprs(&self) -> Vec<&Expr> {
        vec![&self.value, &self.index, &self.when, &self.began, &self.slot]
    }

    fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        vec![&mut self.value, &mut self.index, &mut self.when, &mut self.began, &mut self.slot]
    }
}

/// The expressions that each lane evaluates, read or changed.
macro_rules! expressions {
    ($collective:expr, $f:ident, $of_carry:ident, $of_scan:ident) => {
        match $collective {
            Collective::Total { .. } | Collective::Scatter { .. } => {}
            Collective::Shuffle { value: e, .. } | Collective::Segments { key: e, .. } => $f(e),
            Collective::Scan { of, .. } => $f(of.$of_scan()),
            Collective::Reduce { value, index, when, .. } => [value, index, when].into_iter().for_each($f),
            Collective::Carry(carry) => carry.$of_carry().into_iter().for_each($f),
        }
    };
}

impl Collective {
    /// The lanes of a warp that take part: of what a block does, all of them.
    pub fn group(&self) -> Group {
        match self {
            Collective::Scan { over: Over::Group(group), .. } => *group,
            Collective::Scan { over: Over::Block { .. }, .. } => Group::WARP,
            Collective::Total { group, .. }
            | Collective::Scatter { group, .. }
            | Collective::Shuffle { group, .. }
            | Collective::Segments { group, .. }
            | Collective::Reduce { group, .. } => *group,
            Collective::Carry(carry) => carry.group,
        }
    }

    /// Says which lanes of the warp arrive at what a group does.
    pub fn set_arrive(&mut self, arrive: Arrive) {
        match self {
            Collective::Scan { over: Over::Block { .. }, .. } => {}
            Collective::Scan { over: Over::Group(group), .. } => group.arrive = arrive,
            Collective::Total { group, .. }
            | Collective::Scatter { group, .. }
            | Collective::Shuffle { group, .. }
            | Collective::Segments { group, .. }
            | Collective::Reduce { group, .. } => group.arrive = arrive,
            Collective::Carry(carry) => carry.group.arrive = arrive,
        }
    }

    /// The run of threads that decides alike whether it comes to it.
    pub fn threads(&self) -> u32 {
        match self {
            Collective::Scan { over: Over::Block { .. }, .. } => MAX_THREADS,
            c => match c.group() {
                Group { arrive: Arrive::Warp, .. } => WARP,
                Group { arrive: Arrive::Group, size } => size,
            },
        }
    }

    /// Do the threads of a block wait for each other in it?
    pub fn is_barrier(&self) -> bool {
        matches!(self, Collective::Scan { over: Over::Block { .. }, .. })
    }

    /// The variables that it declares.
    pub fn declared(&self) -> Declared {
        match self {
            Collective::Shuffle { var, .. } | Collective::Segments { var, .. } => {
                declared([Some(*var), None])
            }
            Collective::Scan { before, all, .. } => declared([*before, *all]),
            Collective::Total { .. }
            | Collective::Scatter { .. }
            | Collective::Reduce { .. }
            | Collective::Carry(_) => declared([None; 2]),
        }
    }

    /// Calls `f` on the expressions that each lane evaluates.
    pub fn for_each_expr<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        expressions!(self, f, exprs, value)
    }

    /// [`Collective::for_each_expr`], to change them.
    pub fn for_each_expr_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        expressions!(self, f, exprs_mut, value_mut)
    }

    /// The buffers that it writes.
    pub fn written(&self) -> Vec<BufferId> {
        match self {
            Collective::Total { .. } | Collective::Shuffle { .. } | Collective::Segments { .. } => vec![],
            Collective::Scan { over, .. } => match over {
                Over::Group(_) => vec![],
                Over::Block { partial } => vec![*partial],
            },
            Collective::Scatter { buffer, .. } | Collective::Reduce { buffer, .. } => vec![*buffer],
            Collective::Carry(carry) => vec![carry.buffer, carry.sums, carry.elements],
        }
    }

    /// The segments by which it reduces.
    pub fn segments(&self) -> Option<VarId> {
        match self {
            Collective::Reduce { segments, .. } => *segments,
            Collective::Carry(carry) => Some(carry.segments),
            _ => None,
        }
    }
}

/// Whose memory accesses and steps a barrier orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The threads of a block, all of which arrive.
    Block,
    /// The lanes of a group, aligned consecutive threads, all of which arrive: 2, 4, 8, 16, or a warp's 32. In a launch
    /// all groups that wait for each other have one size.
    Group(u32),
}

impl Scope {
    /// All lanes of a warp.
    pub const WARP: Scope = Scope::Group(WARP);

    /// The run of threads that decides alike whether it comes to such a barrier.
    pub fn threads(self) -> u32 {
        match self {
            Scope::Block => MAX_THREADS,
            Scope::Group(size) => size,
        }
    }
}
