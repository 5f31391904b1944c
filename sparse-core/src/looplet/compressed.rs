//! Traversal of Compressed levels: an exhaustible stepper over `pos[parent]..pos[parent + 1]`.
//!
//! One without coordinates has a bucket for each, `pos[coordinate]..pos[coordinate + 1]`, and stores it unless that is
//! empty. It is found by its coordinate alone.

use super::{Bind, Body, LevelRef, Looplet, Position, Stepper, search};
use crate::llir::{BufferId, Expr, build};

fn segment(level: &LevelRef, parent: &Position, bind: &mut dyn Bind) -> (BufferId, Expr, Expr) {
    // What was gathered of a workspace is one fiber.
    if let (None, Some(crd), Position::Range(begin, end)) = (level.pos, level.crd, parent) {
        return (crd, begin.clone(), end.clone());
    }
    if let (None, Some(crd)) = (level.pos, level.crd) {
        return (crd, Expr::Index(0), bind.bind("end", Expr::Len(crd)));
    }
    let (Some(pos), Some(crd)) = (level.pos, level.crd) else {
        unreachable!(
            "a compressed level has positions or coordinates, and what has no coordinates is not swept"
        )
    };
    let (first, after) = match parent {
        Position::One(p) => (p.clone(), build::add(p.clone(), Expr::Index(1))),
        // A parent that may not be there: concretization refuses a level below a non-unique one.
        Position::Range(begin, end) => (begin.clone(), end.clone()),
    };
    let begin = bind.bind("begin", build::load(pos, first));
    let end = bind.bind("end", build::load(pos, after));
    (crd, begin, end)
}

pub(super) fn unfurl(level: &LevelRef, unique: bool, parent: &Position, bind: &mut dyn Bind) -> Looplet {
    let (crd, begin, end) = segment(level, parent, bind);
    Looplet::Stepper(Stepper { crd, begin, end, unique })
}

pub(super) fn locate(
    level: &LevelRef,
    unique: bool,
    parent: &Position,
    coordinate: &Expr,
    bind: &mut dyn Bind,
) -> Looplet {
    if let (Some(pos), None) = (level.pos, level.crd) {
        return bucket(pos, unique, coordinate, bind);
    }
    let (crd, begin, end) = segment(level, parent, bind);
    search(crd, begin, end, unique, coordinate, bind)
}

fn bucket(pos: BufferId, unique: bool, coordinate: &Expr, bind: &mut dyn Bind) -> Looplet {
    let begin = bind.bind("begin", build::load(pos, coordinate.clone()));
    let end = bind.bind("end", build::load(pos, build::add(coordinate.clone(), Expr::Index(1))));
    let cond = build::lt(begin.clone(), end.clone());
    let child = if unique { Position::One(begin) } else { Position::Range(begin, end) };
    Looplet::Switch { cond, then: Body::Child(child), otherwise: Body::Fill }
}
