//! Fibers that are stored though nothing is in them: no tensor has them but one whose arrays were put together by hand.

use crate::case::Operand;
use sparse_core::error::Result;
use sparse_core::format::{FormatSpec, Level, LevelArrays};
use sparse_core::scalar::DType;
use sparse_core::tensor::DynTensor;

/// Can a coordinate of this level stand alone? What is below is a list, which may be empty, or dense levels of such.
pub(crate) fn may_be_bare(spec: &FormatSpec, level: usize) -> bool {
    let below = spec.levels[level + 1..].iter().find(|l| !l.is_full());
    spec.levels[level] == (Level::Compressed { unique: true })
        && matches!(below, Some(Level::Compressed { .. }))
}

impl Operand {
    /// Its storage.
    ///
    /// # Errors
    /// As [`DynTensor::from_entries`].
    pub fn tensor(&self, dtype: DType) -> Result<DynTensor> {
        let mut t =
            DynTensor::from_entries(self.spec.clone(), dtype, self.dims.clone(), &self.entries, true)?;
        self.bare_fibers().for_each(|at| insert(&mut t, at));
        Ok(t)
    }

    /// Those of its bare fibers that its format can have beside its entries: coordinates by level.
    pub(crate) fn bare_fibers(&self) -> impl Iterator<Item = &[usize]> {
        let order = self.spec.order();
        let stands = move |(n, at): &(usize, &Vec<usize>)| {
            let starts = |c: &[usize], length: usize| (0..length).all(|l| c[order[l]] == at[l]);
            let stored = |length: usize| self.entries.iter().any(|e| starts(&e.0, length));
            let Some(last) = at.len().checked_sub(1).filter(|l| l + 1 < self.spec.rank()) else {
                return false;
            };
            // Dense levels have all that is below what is stored.
            let listed = (0..last).rfind(|&l| !self.spec.levels[l].is_full()).map_or(0, |l| l + 1);
            may_be_bare(&self.spec, last)
                && self.spec.levels[..last].iter().all(|l| l.is_unique())
                && at.iter().enumerate().all(|(l, c)| *c < self.dims[order[l]])
                && (listed == 0 || stored(listed))
                && !stored(at.len())
                && !self.bare[..*n].contains(at)
        };
        self.bare.iter().enumerate().filter(stands).map(|(_, at)| &at[..])
    }
}

/// Adds a coordinate of a compressed level, and what its empty fibers take in the levels below.
fn insert(t: &mut DynTensor, at: &[usize]) {
    let mut parent = 0;
    for (level, &c) in at.iter().enumerate() {
        let size = t.dims[t.spec.map.dim_of_level(level)];
        match &mut t.levels[level] {
            LevelArrays::Dense => parent = parent * size + c,
            LevelArrays::Compressed { pos, crd } => {
                let row = pos[parent] as usize..pos[parent + 1] as usize;
                let before = crd[row.clone()].partition_point(|&own| (own as usize) < c);
                if level + 1 == at.len() {
                    crd.insert(row.start + before, c as i32);
                    pos[parent + 1..].iter_mut().for_each(|end| *end += 1);
                }
                parent = row.start + before;
            }
            // Its parent has one position in it.
            LevelArrays::Singleton { .. } => {}
        }
    }
    let mut fibers = 1;
    for (level, arrays) in t.levels.iter_mut().enumerate().skip(at.len()) {
        match arrays {
            LevelArrays::Compressed { pos, .. } => {
                let first = parent * fibers;
                let end = pos[first];
                pos.splice(first..first, std::iter::repeat_n(end, fibers));
                return;
            }
            _ => fibers *= t.dims[t.spec.map.dim_of_level(level)],
        }
    }
}
