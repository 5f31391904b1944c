//! Traversal of Singleton levels: one spike below one parent, a stepper below a range of equal parents.

use super::{Bind, Body, LevelRef, Looplet, Position, Stepper, search};
use crate::llir::{BufferId, build};

fn crd(level: &LevelRef) -> BufferId {
    level.crd.unwrap_or_else(|| unreachable!("a singleton level has crd"))
}

pub(super) fn unfurl(level: &LevelRef, unique: bool, parent: &Position, bind: &mut dyn Bind) -> Looplet {
    let crd = crd(level);
    match parent {
        Position::One(p) => {
            let at = bind.bind("at", build::load(crd, p.clone()));
            let end = build::add(at.clone(), crate::llir::Expr::Index(1));
            let spike = Looplet::Spike { at, body: Body::Child(Position::One(p.clone())) };
            Looplet::Sequence(vec![(Some(end), spike), (None, Looplet::Run(Body::Fill))])
        }
        Position::Range(begin, end) => {
            Looplet::Stepper(Stepper { crd, begin: begin.clone(), end: end.clone(), unique })
        }
    }
}

pub(super) fn locate(
    level: &LevelRef,
    unique: bool,
    parent: &Position,
    coordinate: &crate::llir::Expr,
    bind: &mut dyn Bind,
) -> Looplet {
    let crd = crd(level);
    match parent {
        Position::One(p) => Looplet::Switch {
            cond: build::eq(build::load(crd, p.clone()), coordinate.clone()),
            then: Body::Child(Position::One(p.clone())),
            otherwise: Body::Fill,
        },
        Position::Range(begin, end) => search(crd, begin.clone(), end.clone(), unique, coordinate, bind),
    }
}
