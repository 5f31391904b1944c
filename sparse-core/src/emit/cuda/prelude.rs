//! The functions that generated text calls, in parts: a source begins with those that it needs.

use super::monoids::{self, Used};
use crate::scalar::{DType, Monoid};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A part of the prelude; those before it in this order may be needed by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Arithmetic of integers.
    Scalars,
    /// Sums of counts.
    Counts,
    /// The binary search for the first element that is not below.
    LowerBound,
    /// The binary search for the first element that is above.
    UpperBound,
    /// Several elements as one access.
    Vectors,
    /// Which lanes arrive. Monoids stand before this.
    Lanes,
    /// How one lane writes.
    Writers,
    /// Values of the lanes beside.
    Neighbours,
    /// The reduction of a group's values.
    ReduceGroup,
    /// The same, and its first lane writes.
    WriteGroup,
    /// Reductions of several values a lane at once.
    Scatter,
    /// Runs of equal keys.
    Segments,
    /// Reductions of these, and their heads write.
    SegReduceGroup,
    /// What of these goes on in other groups.
    Carries,
}

impl Part {
    fn text(self) -> &'static str {
        match self {
            Part::Scalars => include_str!("prelude/scalars.cuh"),
            Part::Counts => include_str!("prelude/counts.cuh"),
            Part::LowerBound => include_str!("prelude/lower_bound.cuh"),
            Part::UpperBound => include_str!("prelude/upper_bound.cuh"),
            Part::Vectors => include_str!("prelude/vectors.cuh"),
            Part::Lanes => include_str!("prelude/lanes.cuh"),
            Part::Writers => include_str!("prelude/writers.cuh"),
            Part::Neighbours => include_str!("prelude/neighbours.cuh"),
            Part::ReduceGroup => include_str!("prelude/reduce_group.cuh"),
            Part::WriteGroup => include_str!("prelude/write_group.cuh"),
            Part::Scatter => include_str!("prelude/scatter.cuh"),
            Part::Segments => include_str!("prelude/segments.cuh"),
            Part::SegReduceGroup => include_str!("prelude/seg_reduce_group.cuh"),
            Part::Carries => include_str!("prelude/carries.cuh"),
        }
    }

    /// The parts that it builds on.
    fn bases(self) -> &'static [Part] {
        match self {
            Part::Scalars
            | Part::Counts
            | Part::LowerBound
            | Part::UpperBound
            | Part::Vectors
            | Part::Lanes
            | Part::Writers => &[],
            Part::Neighbours | Part::ReduceGroup | Part::Scatter | Part::Segments => &[Part::Lanes],
            Part::WriteGroup => &[Part::ReduceGroup, Part::Writers],
            Part::SegReduceGroup | Part::Carries => &[Part::Segments, Part::Writers],
        }
    }
}

/// Every name that the prelude declares.
pub(super) const NAMES: &str = "\
    Unsigned wrappingAdd wrappingSub wrappingMul wrappingNeg wrappingAbs divideOrZero addCounts lowerBound \
    upperBound Vector loadVector storeVector Word retry retryByte Add Mul Min Max And Or WholeWarp OwnGroup Store Combine Atomic \
    previousInGroup nextInGroup reduceGroup writeGroup atomicAddGroup atomicMulGroup atomicMinGroup \
    atomicMaxGroup atomicAndGroup atomicOrGroup scatterGroup Segment segmentsOf Complete writeSegment segReduceGroup carrySegments";

/// What a source needs, gathered as it is written.
#[derive(Default)]
pub(super) struct Needs {
    parts: RefCell<BTreeSet<Part>>,
    monoids: RefCell<Used>,
    /// Those by which groups update memory that others update too.
    group_updates: RefCell<BTreeSet<Monoid>>,
}

impl Needs {
    pub(super) fn part(&self, part: Part) {
        if self.parts.borrow_mut().insert(part) {
            part.bases().iter().for_each(|base| self.part(*base));
        }
    }

    /// A monoid on an element type; `atomic` where others update the same memory.
    pub(super) fn monoid(&self, op: Monoid, t: DType, atomic: bool) {
        *self.monoids.borrow_mut().entry((op, t)).or_default() |= atomic;
        if monoids::wraps(op, t) {
            self.part(Part::Scalars);
        }
    }

    /// The update of memory that several groups update.
    pub(super) fn group_update(&self, op: Monoid) {
        self.group_updates.borrow_mut().insert(op);
    }

    /// The text, in order.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let add = |text: &mut String, part: &Part| *text += &(part.text().to_owned() + "\n");
        let (parts, monoids) = (self.parts.borrow(), self.monoids.borrow());
        parts.range(..Part::Lanes).for_each(|part| add(&mut text, part));
        text += &monoids::text(&monoids);
        if parts.contains(&Part::Lanes) && !monoids.keys().any(|(op, _)| *op == Monoid::Add) {
            text += "struct Add;  // the monoid that goes without saying\n\n";
        }
        for part in parts.range(Part::Lanes..) {
            add(&mut text, part);
            if *part == Part::WriteGroup {
                self.group_updates.borrow().iter().for_each(|op| text += &group_update(*op));
            }
        }
        text
    }
}

/// A group's values are reduced, and combined into memory that others update too: Sgap's `atomicAddGroup` and its kin.
fn group_update(op: Monoid) -> String {
    let op = monoids::name(op);
    format!(
        "template <typename T, int G, typename Lanes = WholeWarp>\n\
         __device__ __forceinline__ void atomic{op}Group(T* array, long long index, T value, bool exists = true) {{\n    \
             writeGroup<T, G, {op}, Atomic, Lanes>(array, index, value, exists);\n\
         }}\n\n"
    )
}
