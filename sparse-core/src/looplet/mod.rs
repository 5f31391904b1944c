//! Traversal of levels: the looplet nest that reading a level below a known parent exposes.
//!
//! Storage of a level is in `format/`; its namesake here says how the level is swept ([`unfurl`]) and how one known
//! coordinate is found ([`locate`]). Co-iteration (`lower/`) merges looplets without knowing the formats behind them.
//!
//! A compressed level reads as an *exhaustible* stepper: once its positions are used up the operand is fill, so that
//! exhaustion is a substitution and the merge lattice falls out of the algebra.

mod compressed;
mod dense;
mod singleton;

use crate::format::Level;
use crate::llir::{Bound, BufferId, Expr, build};

/// Where an access stands in its tensor's storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    /// One position of the level above.
    One(Expr),
    /// The positions of equal coordinates of a non-unique level, or one of a level that may not have the coordinate:
    /// `begin..end`.
    Range(Expr, Expr),
}

/// What a looplet exposes at a coordinate or over an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Nothing is stored.
    Fill,
    /// The child at this position.
    Child(Position),
}

/// Data-driven intervals: a spike at each stored coordinate, fill between and after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stepper {
    /// Coordinates, ascending over `begin..end`.
    pub crd: BufferId,
    /// First position.
    pub begin: Expr,
    /// End of the positions.
    pub end: Expr,
    /// Are the coordinates distinct? If not, a spike's child is the range of positions with its coordinate.
    pub unique: bool,
}

/// How a fiber reads along its dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Looplet {
    /// Random access: coordinate `i` is at position `begin + (i - start)`. No coordinate of its interval is below `start`, so
    /// that nothing is negative on the way, as the position of coordinate 0 would be.
    Lookup {
        /// The first coordinate.
        start: Expr,
        /// Its position.
        begin: Expr,
    },
    /// The same over the whole interval.
    Run(Body),
    /// Fill, then one stored coordinate at `at`: a phase of a sequence.
    Spike {
        /// The coordinate.
        at: Expr,
        /// What is there.
        body: Body,
    },
    /// Intervals one after another, each up to its end (exclusive); the last ends with the dimension.
    Sequence(Vec<(Option<Expr>, Looplet)>),
    /// Stored coordinates, merged two-finger.
    Stepper(Stepper),
    /// Stored coordinates that another leads: it gallops to the leader's coordinate.
    Jumper(Stepper),
    /// A run-time case, the first if the condition holds: what [`locate`] gives.
    Switch {
        /// The condition.
        cond: Expr,
        /// Where it holds.
        then: Body,
        /// Where it does not.
        otherwise: Body,
    },
}

/// The arrays and sizes of one level of one tensor.
#[derive(Clone, Debug)]
pub struct LevelRef {
    /// Its format.
    pub level: Level,
    /// Size of the dimension it stores.
    pub size: Expr,
    /// Its positions, if it has them: a compressed level without has one fiber, all of its coordinates, or those of the
    /// range that its parent is.
    pub pos: Option<BufferId>,
    /// Its coordinates, if it has them: a compressed level without has a part of `pos` for each.
    pub crd: Option<BufferId>,
}

impl LevelRef {
    /// Does it list coordinates, that can be stepped through and searched?
    pub fn lists_coordinates(&self) -> bool {
        self.level.lists_coordinates() && self.crd.is_some()
    }

    /// Does it store a part for each coordinate, and no coordinates? Then it can be located in, and not swept.
    pub fn is_in_parts(&self) -> bool {
        self.level.has_crd() && self.pos.is_some() && self.crd.is_none()
    }
}

/// Values that have to be bound to variables before a looplet can be used, so that nothing is loaded twice: a loop
/// bound such as `A2_pos[i + 1]` may not be read again after a store.
pub trait Bind {
    /// Binds `value` to a fresh constant with a name like `hint` and gives the constant.
    fn bind(&mut self, hint: &str, value: Expr) -> Expr;
}

/// How the level reads along its dimension below `parent`: anything but a [`Looplet::Switch`], whose condition could not
/// ask of a coordinate, and a [`Looplet::Spike`] in a [`Looplet::Sequence`] alone.
pub fn unfurl(level: &LevelRef, parent: &Position, bind: &mut dyn Bind) -> Looplet {
    match level.level {
        Level::Dense => dense::unfurl(level, parent),
        Level::Compressed { unique } => compressed::unfurl(level, unique, parent, bind),
        Level::Singleton { unique } => singleton::unfurl(level, unique, parent, bind),
    }
}

/// What the level holds at a known coordinate below `parent`: a [`Looplet::Run`] of a child where that needs no test, else a
/// [`Looplet::Switch`] between one and fill.
pub fn locate(level: &LevelRef, parent: &Position, coordinate: &Expr, bind: &mut dyn Bind) -> Looplet {
    match level.level {
        Level::Dense => dense::locate(level, parent, coordinate),
        Level::Compressed { unique } => compressed::locate(level, unique, parent, coordinate, bind),
        Level::Singleton { unique } => singleton::locate(level, unique, parent, coordinate, bind),
    }
}

/// The same of a level that lists coordinates and has been searched: the first coordinate that is not below is at `p`, if that is
/// not the end; `surely` if the coordinate is there.
pub fn found(
    level: &LevelRef,
    p: Expr,
    end: Expr,
    coordinate: &Expr,
    surely: bool,
    bind: &mut dyn Bind,
) -> Looplet {
    let Some(crd) = level.crd else { return Looplet::Run(Body::Fill) };
    let cond = is_at(crd, &p, &end, coordinate);
    let child = Body::Child(child_at(crd, p, end, level.level.is_unique(), coordinate, bind));
    match surely {
        true => Looplet::Run(child),
        false => Looplet::Switch { cond, then: child, otherwise: Body::Fill },
    }
}

/// Finds a coordinate in `crd[begin..end]`, for the levels that store coordinates.
fn search(
    crd: BufferId,
    begin: Expr,
    end: Expr,
    unique: bool,
    coordinate: &Expr,
    bind: &mut dyn Bind,
) -> Looplet {
    let lower = build::search(Bound::Lower, crd, begin, end.clone(), coordinate.clone());
    let p = bind.bind("p", lower);
    Looplet::Switch {
        cond: is_at(crd, &p, &end, coordinate),
        then: Body::Child(child_at(crd, p, end, unique, coordinate, bind)),
        otherwise: Body::Fill,
    }
}

fn is_at(crd: BufferId, p: &Expr, end: &Expr, coordinate: &Expr) -> Expr {
    build::and(build::lt(p.clone(), end.clone()), build::eq(build::load(crd, p.clone()), coordinate.clone()))
}

/// The child of a coordinate whose first position is known.
fn child_at(
    crd: BufferId,
    p: Expr,
    end: Expr,
    unique: bool,
    coordinate: &Expr,
    bind: &mut dyn Bind,
) -> Position {
    if unique {
        return Position::One(p);
    }
    let upper = build::search(Bound::Upper, crd, p.clone(), end, coordinate.clone());
    let q = bind.bind("q", upper);
    Position::Range(p, q)
}
