//! Traversal of Dense levels: random access.

use super::{Body, LevelRef, Looplet, Position};
use crate::llir::{Expr, build};

/// The position of coordinate 0.
fn begin(level: &LevelRef, parent: &Position) -> Expr {
    let parent = match parent {
        Position::One(p) => p.clone(),
        Position::Range(..) => unreachable!("concretization refuses a dense level below a non-unique one"),
    };
    build::mul(parent, level.size.clone())
}

pub(super) fn unfurl(level: &LevelRef, parent: &Position) -> Looplet {
    Looplet::Lookup { start: Expr::Index(0), begin: begin(level, parent) }
}

pub(super) fn locate(level: &LevelRef, parent: &Position, coordinate: &Expr) -> Looplet {
    Looplet::Run(Body::Child(Position::One(build::add(begin(level, parent), coordinate.clone()))))
}
