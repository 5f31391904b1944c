//! How many children the positions of a level's parents have, which its `pos` or its dimension's size says.

use super::storage::Indices;
use super::{LevelArrays, check_positions, dense_positions};
use crate::error::Result;

/// Where the children of a level's parents are.
#[derive(Clone, Copy, Debug)]
pub enum Children<P> {
    /// So many a parent.
    Each(u64),
    /// Between neighbouring elements.
    Between(P),
}

impl<A> LevelArrays<A> {
    /// Where children are of a level that stores a dimension of this size.
    pub fn children(&self, size: usize) -> Children<&A> {
        match self {
            LevelArrays::Dense => Children::Each(size as u64),
            LevelArrays::Compressed { pos, .. } => Children::Between(pos),
            LevelArrays::Singleton { .. } => Children::Each(1),
        }
    }
}

impl<P> Children<P> {
    /// The same, in another holder.
    ///
    /// # Errors
    /// That of moving it there.
    pub fn try_map<Q, E>(self, f: impl FnOnce(P) -> Result<Q, E>) -> Result<Children<Q>, E> {
        Ok(match self {
            Children::Each(n) => Children::Each(n),
            Children::Between(pos) => Children::Between(f(pos)?),
        })
    }
}

impl<P: Indices> Children<P> {
    /// How many children so many parents have together, if they are where they can be: memory of a device holds what
    /// anybody wrote.
    ///
    /// # Errors
    /// What is wrong with the positions of this level.
    pub fn check(&self, level: usize, parents: usize) -> Result<usize> {
        match self {
            Children::Each(n) => dense_positions(parents, [*n as usize]),
            Children::Between(pos) => check_positions(level, parents, pos.indices()),
        }
    }

    /// The first child of a parent, or of one past the last.
    #[inline]
    pub fn first(&self, parent: u64) -> u64 {
        match self {
            Children::Each(n) => parent * n,
            // Storage that nobody has checked may have negative ones.
            Children::Between(pos) => pos.indices()[parent as usize].max(0) as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    fn checked(pos: &[i32], parents: usize) -> Result<usize> {
        Children::Between(pos.to_vec()).check(1, parents)
    }

    #[test]
    fn positions_of_a_device_are_not_believed() {
        assert_eq!(checked(&[0, 2, 2, 5], 3).ok(), Some(5));
        let short = checked(&[0, 2], 3).unwrap_err();
        assert!(matches!(short, Error::LengthMismatch { level: 1, expected: 4, found: 2, .. }), "{short}");
        for (pos, at) in [([1, 2, 3], 0), ([0, 3, 2], 2), ([0, -1, 2], 1), ([0, 2, -5], 2)] {
            let wrong = checked(&pos, 2).unwrap_err();
            assert!(
                matches!(wrong, Error::InvalidPosition { level: 1, index, .. } if index == at),
                "{wrong}"
            );
        }
        assert_eq!(Children::<Vec<i32>>::Each(4).check(0, 3).ok(), Some(12));
    }

    #[test]
    fn first_children_and_one_past_the_last() {
        let stored = LevelArrays::Compressed { pos: vec![0, 2, 2, 5], crd: vec![0, 1, 0, 1, 2] };
        let first =
            |level: &LevelArrays<Vec<i32>>| (0..4).map(|p| level.children(7).first(p)).collect::<Vec<_>>();
        assert_eq!(first(&stored), [0, 2, 2, 5]);
        assert_eq!(first(&LevelArrays::Dense), [0, 7, 14, 21]);
        assert_eq!(first(&LevelArrays::Singleton { crd: vec![0, 1, 0] }), [0, 1, 2, 3]);
    }
}
