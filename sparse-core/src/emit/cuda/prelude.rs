//! The functions that generated text calls, in parts: a source begins with those that it needs.

use std::cell::RefCell;
use std::collections::BTreeSet;

/// A part of the prelude; those before it in this order may be needed by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Arithmetic of integers.
    Scalars,
    /// Sums of counts.
    Counts,
    /// Binary searches.
    Search,
    /// Several elements as one access.
    Vectors,
    /// How values combine, in memory too.
    Monoids,
    /// What the lanes of a group do together.
    Groups,
    /// The same for several values a lane at once.
    Scatter,
    /// The same for runs of equal keys.
    Segments,
    /// What of these goes on in other groups.
    Carries,
}

impl Part {
    fn text(self) -> &'static str {
        match self {
            Part::Scalars => include_str!("prelude/scalars.cuh"),
            Part::Counts => include_str!("prelude/counts.cuh"),
            Part::Search => include_str!("prelude/search.cuh"),
            Part::Vectors => include_str!("prelude/vectors.cuh"),
            Part::Monoids => include_str!("prelude/monoids.cuh"),
            Part::Groups => include_str!("prelude/groups.cuh"),
            Part::Scatter => include_str!("prelude/scatter.cuh"),
            Part::Segments => include_str!("prelude/segments.cuh"),
            Part::Carries => include_str!("prelude/carries.cuh"),
        }
    }

    /// The part that it builds on.
    fn base(self) -> Option<Part> {
        match self {
            Part::Scalars | Part::Counts | Part::Search | Part::Vectors => None,
            Part::Monoids => Some(Part::Scalars),
            Part::Groups => Some(Part::Monoids),
            Part::Scatter | Part::Segments => Some(Part::Groups),
            Part::Carries => Some(Part::Segments),
        }
    }
}

/// Every name that the prelude declares.
pub(super) const NAMES: &str = "\
    Unsigned wrappingAdd wrappingSub wrappingMul wrappingNeg wrappingAbs divideOrZero addCounts lowerBound \
    upperBound Vector loadVector storeVector Word retry retryByte Add Mul Min Max And Or WholeWarp OwnGroup Store Combine Atomic \
    previousInGroup nextInGroup reduceGroup writeGroup atomicAddGroup atomicMulGroup atomicMinGroup \
    atomicMaxGroup atomicAndGroup atomicOrGroup scatterGroup Segment segmentsOf Complete writeSegment segReduceGroup carrySegments";

/// The parts that a source needs, gathered as it is written.
#[derive(Default)]
pub(super) struct Needs(RefCell<BTreeSet<Part>>);

impl Needs {
    pub(super) fn part(&self, part: Part) {
        let mut next = Some(part);
        while let Some(part) = next {
            self.0.borrow_mut().insert(part);
            next = part.base();
        }
    }

    /// Their text, in order.
    pub(super) fn text(&self) -> String {
        self.0.borrow().iter().map(|part| part.text().to_owned() + "\n").collect()
    }
}
