//! What every implementation reads: plain slices of one and the same storage.

/// A matrix in compressed sparse rows.
///
/// Made only of arrays that hold the invariants of the format: `pos` rises from 0 to the number of entries and has
/// one element more than there are rows; `crd` is below `cols`, and rises in each row; `vals` is as long as `crd`.
/// The hand-written loops rely on them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CsrView<'a, T> {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) pos: &'a [i32],
    pub(crate) crd: &'a [i32],
    pub(crate) vals: &'a [T],
}

/// An order-3 tensor whose three levels are compressed.
///
/// Invariants as for [`CsrView`], level by level: `pos1` has two elements, `pos2` one more than `crd1`, `pos3` one
/// more than `crd2`, and coordinates are below their dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Csf3View<'a, T> {
    pub(crate) dims: [usize; 3],
    pub(crate) crd1: &'a [i32],
    pub(crate) pos2: &'a [i32],
    pub(crate) crd2: &'a [i32],
    pub(crate) pos3: &'a [i32],
    pub(crate) crd3: &'a [i32],
    pub(crate) vals: &'a [T],
}
