//! The functions that generated text calls, in parts: a source begins with those that it needs.

use super::monoids::{self, Used};
use crate::scalar::{DType, Monoid};
use std::cell::RefCell;
use std::collections::BTreeSet;

macro_rules! parts {
    ($($(#[$doc:meta])* $part:ident = $constant:ident in $file:literal,)*) => {
        /// A part of the prelude; those before it in this order may be needed by it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Part {
            $($(#[$doc])* $part,)*
        }

        /// The texts of the parts, to which sources in users' crates refer.
        pub mod parts {
            $($(#[$doc])* pub const $constant: &str = concat!(include_str!($file), "\n");)*
        }

        impl Part {
            fn text(self) -> &'static str {
                match self {
                    $(Part::$part => parts::$constant,)*
                }
            }

            /// What its text is called in [`parts`].
            pub(crate) fn constant(self) -> &'static str {
                match self {
                    $(Part::$part => stringify!($constant),)*
                }
            }
        }
    };
}

parts! {
    /// Arithmetic of integers.
    Scalars = SCALARS in "prelude/scalars.cuh",
    /// Sums of counts.
    Counts = COUNTS in "prelude/counts.cuh",
    /// The search for the first element that is not below.
    LowerBound = LOWER_BOUND in "prelude/lower_bound.cuh",
    /// The search for the first element that is above.
    UpperBound = UPPER_BOUND in "prelude/upper_bound.cuh",
    /// The search for the first element that is not below, which is not far.
    Gallop = GALLOP in "prelude/gallop.cuh",
    /// Several elements as one access.
    Vectors = VECTORS in "prelude/vectors.cuh",
    /// Loads of these.
    VectorLoads = VECTOR_LOADS in "prelude/vector_loads.cuh",
    /// Loads into a part of an array.
    VectorParts = VECTOR_PARTS in "prelude/vector_parts.cuh",
    /// Stores of several elements as one access.
    VectorStores = VECTOR_STORES in "prelude/vector_stores.cuh",
    /// Such elements combined with what is there.
    AtomicVectors = ATOMIC_VECTORS in "prelude/atomic_vectors.cuh",
    /// Marks that are counted.
    Marks = MARKS in "prelude/marks.cuh",
    /// Where tables are looked into first.
    Places = PLACES in "prelude/places.cuh",
    /// Places of tables that others want too.
    Claims = CLAIMS in "prelude/claims.cuh",
    /// Launches that follow others.
    Following = FOLLOWING in "prelude/following.cuh",
    /// Which lanes arrive. Monoids stand before this.
    Lanes = LANES in "prelude/lanes.cuh",
    /// Lanes that wait for each other.
    Barriers = BARRIERS in "prelude/barriers.cuh",
    /// Lanes that have a condition, counted.
    Votes = VOTES in "prelude/votes.cuh",
    /// Sums of counts of lanes.
    GroupSums = GROUP_SUMS in "prelude/group_sums.cuh",
    /// Sums of what warps have.
    Warps = WARPS in "prelude/warps.cuh",
    /// Threads of a block that have a condition, counted.
    BlockVotes = BLOCK_VOTES in "prelude/block_votes.cuh",
    /// Sums of counts of a block's threads.
    BlockSums = BLOCK_SUMS in "prelude/block_sums.cuh",
    /// How one lane writes.
    Writers = WRITERS in "prelude/writers.cuh",
    /// Values of the lanes beside.
    Neighbours = NEIGHBOURS in "prelude/neighbours.cuh",
    /// The reduction of a group's values.
    ReduceGroup = REDUCE_GROUP in "prelude/reduce_group.cuh",
    /// The same, and its first lane writes.
    WriteGroup = WRITE_GROUP in "prelude/write_group.cuh",
    /// Reductions of several values a lane at once.
    Scatter = SCATTER in "prelude/scatter.cuh",
    /// Runs of equal keys.
    Segments = SEGMENTS in "prelude/segments.cuh",
    /// Reductions of these, and their heads write.
    SegReduceGroup = SEG_REDUCE_GROUP in "prelude/seg_reduce_group.cuh",
    /// What of these goes on in other groups.
    Carries = CARRIES in "prelude/carries.cuh",
}

impl Part {
    /// Do its templates take a monoid?
    fn reduces(self) -> bool {
        self >= Part::Writers
    }

    /// The parts that it builds on.
    fn bases(self) -> &'static [Part] {
        match self {
            Part::Scalars
            | Part::Counts
            | Part::Marks
            | Part::Places
            | Part::Claims
            | Part::LowerBound
            | Part::UpperBound
            | Part::Vectors
            | Part::AtomicVectors
            | Part::Following
            | Part::Lanes
            | Part::Writers => &[],
            Part::Gallop => &[Part::LowerBound],
            Part::VectorLoads | Part::VectorStores => &[Part::Vectors],
            Part::VectorParts => &[Part::VectorLoads],
            Part::GroupSums => &[Part::Counts, Part::Lanes],
            Part::Warps => &[Part::Counts],
            Part::BlockVotes => &[Part::Votes, Part::Warps],
            Part::BlockSums => &[Part::GroupSums, Part::Warps],
            Part::Barriers
            | Part::Votes
            | Part::Neighbours
            | Part::ReduceGroup
            | Part::Scatter
            | Part::Segments => &[Part::Lanes],
            Part::WriteGroup => &[Part::ReduceGroup, Part::Writers],
            Part::SegReduceGroup | Part::Carries => &[Part::Segments, Part::Writers],
        }
    }
}

/// Every name that the prelude declares.
pub(super) const NAMES: &str = "\
    Add And Atomic Combine Complete Max Min Mul Or OwnGroup Segment Store Unsigned Vector WholeWarp Word \
    addCounts addVector allowNextLaunch atomicAddGroup atomicAndGroup atomicMaxGroup atomicMinGroup atomicMulGroup atomicOrGroup atomicVector \
    carrySegments claimPlace countBefore countBeforeInBlock countInBlock countInGroup divideOrZero gallop \
    loadVector lowerBound marksBelow nextInGroup placeOf previousInGroup \
    reduceGroup retry retryByte scatterGroup segReduceGroup segmentsOf storeVector sumBefore sumBeforeInBlock sumInBlock \
    sumInGroup sumOfWarps syncGroup upperBound \
    votesOfGroup waitForLaunch wrappingAbs wrappingAdd wrappingMul wrappingNeg wrappingSub writeGroup writeSegment";

/// What a source needs, gathered as it is written.
#[derive(Clone, Default)]
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

    /// What another program of the source needs too.
    pub(super) fn extend(&mut self, other: &Needs) {
        self.parts.get_mut().extend(other.parts.borrow().iter());
        for (key, atomic) in other.monoids.borrow().iter() {
            *self.monoids.get_mut().entry(*key).or_default() |= atomic;
        }
        self.group_updates.get_mut().extend(other.group_updates.borrow().iter());
    }

    /// What the source begins with, in order.
    pub(super) fn source(&self) -> Source {
        let mut source = Source::default();
        let (parts, monoids) = (self.parts.borrow(), self.monoids.borrow());
        source.0.extend(parts.range(..Part::Lanes).copied().map(Piece::Part));
        source.push(&monoids::text(&monoids));
        let reduces = parts.range(Part::Lanes..).any(|part| part.reduces());
        if reduces && !monoids.keys().any(|(op, _)| *op == Monoid::Add) {
            source.push("struct Add;  // the monoid that goes without saying\n\n");
        }
        for part in parts.range(Part::Lanes..) {
            source.0.push(Piece::Part(*part));
            if *part == Part::WriteGroup {
                self.group_updates.borrow().iter().for_each(|op| source.push(&group_update(*op)));
            }
        }
        source
    }
}

/// The text of a CUDA source, in pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source(pub(crate) Vec<Piece>);

/// A piece of a source.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// A part of the prelude.
    Part(Part),
    /// What is the source's own.
    Text(String),
}

impl Source {
    /// More text of its own.
    pub(super) fn push(&mut self, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.0.push(Piece::Text(text.to_owned())),
        }
    }

    /// The whole text.
    pub(super) fn text(&self) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Part(part) => part.text().to_owned(),
            Piece::Text(text) => text.clone(),
        };
        self.0.iter().map(text).collect()
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
