//! A launch's body as straight code for warps: registers of 32 lanes, and jumps that follow the active mask.
//!
//! A warp's state is then a program counter, a stack of masks and its registers, so that it can wait at a barrier in
//! the middle of any loop.

use crate::llir::{Bound, Cmp, FetchOp, Group, IndexOp, Neighbour, Scope, Stmt, Write};
use crate::scalar::{BinaryOp, DType, Monoid, UnaryOp};

/// A register of words, one a lane.
pub(super) type Reg = u32;
/// A register of conditions, one a lane.
pub(super) type Flag = u32;
/// An instruction's number.
pub(super) type Pc = u32;

/// Which memory a buffer is in, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Global(u32),
    Shared(u32),
    Register(u32),
}

/// One step of a warp. What jumps names the instruction to go on with where no lane is left.
///
/// [`Op::Move`] and [`Op::MoveFlag`] write the active lanes, loads too; other results are written in every lane, which
/// is of no use to the inactive ones.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Move {
        to: Reg,
        from: Reg,
    },
    MoveFlag {
        to: Flag,
        from: Flag,
    },
    Index {
        op: IndexOp,
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Binary {
        op: BinaryOp,
        t: DType,
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Unary {
        op: UnaryOp,
        t: DType,
        to: Reg,
        a: Reg,
    },
    FromIndex {
        t: DType,
        to: Reg,
        a: Reg,
    },
    Select {
        to: Reg,
        cond: Flag,
        a: Reg,
        b: Reg,
    },
    Cmp {
        op: Cmp,
        to: Flag,
        a: Reg,
        b: Reg,
    },
    And {
        to: Flag,
        a: Flag,
        b: Flag,
    },
    Or {
        to: Flag,
        a: Flag,
        b: Flag,
    },
    Not {
        to: Flag,
        a: Flag,
    },
    Load {
        to: Reg,
        place: Place,
        index: Reg,
    },
    Store {
        place: Place,
        index: Reg,
        value: Reg,
    },
    Reduce {
        place: Place,
        index: Reg,
        op: Monoid,
        value: Reg,
    },
    Atomic {
        place: Place,
        index: Reg,
        op: Monoid,
        value: Reg,
    },
    /// What is there; the value where that is nothing.
    Claim {
        to: Reg,
        place: Place,
        index: Reg,
        value: Reg,
    },
    /// What is there, before it is combined with the value.
    Fetch {
        op: FetchOp,
        to: Option<Reg>,
        place: Place,
        index: Reg,
        value: Reg,
    },
    Search {
        bound: Bound,
        to: Reg,
        place: Place,
        lo: Reg,
        hi: Reg,
        key: Reg,
    },
    /// Fills a register array, or so many elements of it from one on, with as many consecutive elements.
    LoadVector {
        array: u32,
        part: Option<(Reg, u32)>,
        place: Place,
        index: Reg,
    },
    StoreVector {
        place: Place,
        index: Reg,
        array: u32,
        update: Option<Monoid>,
        /// Updates that the hardware makes of it.
        atomics: u32,
    },
    /// Sets a register array, or forgets what it held.
    Local {
        array: u32,
        word: Option<u64>,
    },
    /// Keeps the mask, and goes on with the lanes in which it holds.
    If {
        cond: Flag,
        otherwise: Pc,
    },
    /// The lanes in which it did not.
    Else {
        end: Pc,
    },
    /// The mask of before.
    EndIf {
        out: Pc,
    },
    /// Keeps the mask; [`Op::EndLoop`] follows the end.
    Loop,
    /// Lanes in which it does not hold leave the loop.
    While {
        cond: Flag,
        end: Pc,
    },
    /// Lanes in which `var < hi` does not hold leave the loop.
    For {
        var: Reg,
        hi: Reg,
        end: Pc,
    },
    /// `var += by`, and back to [`Op::For`].
    Next {
        var: Reg,
        by: u64,
        head: Pc,
    },
    Jump {
        to: Pc,
    },
    EndLoop {
        out: Pc,
    },
    Total {
        var: Reg,
        op: Monoid,
        t: DType,
        group: Group,
    },
    Scatter {
        array: u32,
        len: u32,
        op: Monoid,
        group: Group,
    },
    Shuffle {
        to: Reg,
        value: Reg,
        from: Neighbour,
        group: Group,
    },
    /// The sum of what the lanes before give, and that of all of the group.
    Scan {
        of: Given,
        before: Option<Reg>,
        all: Option<Reg>,
        group: Group,
    },
    /// The first lane stores what its warp has, for the block.
    StoreOfWarp {
        place: Place,
        value: Reg,
    },
    /// What so many warps have stored: in front of `before` the sum of those before this one.
    LoadWarps {
        place: Place,
        warps: u32,
        before: Option<Reg>,
        all: Option<Reg>,
    },
    Segments {
        to: Reg,
        key: Reg,
        group: Group,
    },
    /// By its number.
    Combine(u32),
    Barrier(Scope),
    Exit {
        out: Pc,
    },
    End,
}

/// What lanes give to a scan.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given {
    Votes(Flag),
    Sum(Reg),
}

/// A [`Collective::Reduce`](crate::llir::Collective::Reduce).
#[derive(Clone, Copy, Debug)]
pub(super) struct Combine {
    pub(super) group: Group,
    /// The keys.
    pub(super) segments: Option<Reg>,
    pub(super) op: Monoid,
    pub(super) t: DType,
    pub(super) value: Reg,
    pub(super) place: Place,
    pub(super) index: Reg,
    pub(super) when: Flag,
    pub(super) write: Write,
    pub(super) carry: Option<CarryOut>,
}

/// Where a [`Carry`](crate::llir::Carry) puts what is not complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct CarryOut {
    pub(super) began: Flag,
    pub(super) slot: Reg,
    pub(super) sums: Place,
    pub(super) elements: Place,
    /// The identity.
    pub(super) nothing: u64,
}

/// An operation with what it counts for.
pub(super) struct Instr<'a> {
    pub(super) op: Op,
    /// Instructions that a device issues for it, loads and searches apart.
    pub(super) cost: u32,
    /// The statement that it belongs to.
    pub(super) stmt: Option<&'a Stmt>,
}

/// A compiled body.
pub(super) struct Code<'a> {
    pub(super) instrs: Vec<Instr<'a>>,
    /// Lanes of the groups that wait for each other: a warp's, or fewer.
    pub(super) together: u32,
    pub(super) registers: usize,
    pub(super) flags: usize,
    /// Registers that hold a constant.
    pub(super) constants: Vec<(Reg, u64)>,
    pub(super) true_flags: Vec<Flag>,
    /// By variable: its register or flag, if the body uses it.
    pub(super) vars: Vec<Option<u32>>,
    pub(super) combines: Vec<Combine>,
    /// Lengths of the register arrays, by number.
    pub(super) arrays: Vec<u32>,
    /// By buffer: the length of a shared array.
    pub(super) lengths: Vec<u32>,
    /// By buffer: does the body write it?
    pub(super) writes: Vec<bool>,
    /// By buffer: where it is, if the body uses it.
    pub(super) places: Vec<Option<Place>>,
}
