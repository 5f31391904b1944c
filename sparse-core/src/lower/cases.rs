//! The cases at one coordinate of a merge: which operands store it.
//!
//! A pattern is a set of operands (bits) that have the coordinate; `value[pattern]` numbers what is to be done for
//! it. The chain tests "all of these have it", larger sets first. It starts with a case for every pattern, and a
//! case is dropped as long as the chain still gives every pattern its own value, which is checked over all of them:
//! dropping greedily by support alone is wrong for `b ∧ ¬c`, where the empty case {b, c} must survive.

/// A chain of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    /// Sets of operands, in the order tested.
    pub(super) cases: Vec<usize>,
    /// The last case needs no test.
    pub(super) exhaustive: bool,
}

/// A case for every pattern of `n` operands: the last needs no test.
pub(super) fn every(n: usize) -> Chain {
    let mut cases: Vec<usize> = (1..1 << n).collect();
    cases.sort_by_key(|q| std::cmp::Reverse(q.count_ones()));
    Chain { cases, exhaustive: true }
}

/// The shortest such chain found, for `2ⁿ` values, of which `value[0]` is for a coordinate that nobody has.
pub(super) fn chain(value: &[usize], nothing: usize) -> Chain {
    let mut cases = every(value.len().trailing_zeros() as usize).cases;
    let right =
        |cases: &[usize]| (1..value.len()).all(|p| taken(cases, p).map_or(nothing, |q| value[q]) == value[p]);
    // Smaller sets first: what is left of them is what larger ones fall back to.
    for at in (0..cases.len()).rev() {
        let dropped = cases.remove(at);
        if !right(&cases) {
            cases.insert(at, dropped);
        }
    }
    let exhaustive = match cases.split_last() {
        Some((&last, earlier)) => {
            (1..value.len()).filter(|&p| taken(earlier, p).is_none()).all(|p| value[p] == value[last])
        }
        None => false,
    };
    Chain { cases, exhaustive }
}

/// The first case that a pattern satisfies.
fn taken(cases: &[usize], pattern: usize) -> Option<usize> {
    cases.iter().copied().find(|q| q & pattern == *q)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_plus_operand_needs_three_cases() {
        // b = 1, c = 2, d = 4; b*c + d: values are "nothing" 0, "b*c" 1, "d" 2, "b*c + d" 3.
        let value = [0, 0, 0, 1, 2, 2, 2, 3];
        assert_eq!(chain(&value, 0), Chain { cases: vec![7, 3, 4], exhaustive: false });
    }

    #[test]
    fn union_ends_with_an_else() {
        assert_eq!(chain(&[0, 1, 2, 3], 0), Chain { cases: vec![3, 1, 2], exhaustive: true });
    }

    #[test]
    fn difference_keeps_its_empty_case() {
        // b ∧ ¬c with b = 1, c = 2: {b, c} does nothing, and must be tested before {b}.
        assert_eq!(chain(&[0, 1, 0, 0], 0), Chain { cases: vec![3, 1], exhaustive: false });
    }

    #[test]
    fn every_chain_of_three_operands_is_right() {
        for code in 0..3usize.pow(7) {
            let mut value = vec![0; 8];
            let mut rest = code;
            for v in &mut value[1..] {
                *v = rest % 3;
                rest /= 3;
            }
            let chain = chain(&value, 0);
            for p in 1..8 {
                let earlier = &chain.cases[..chain.cases.len() - usize::from(chain.exhaustive)];
                let last = chain.exhaustive.then(|| *chain.cases.last().unwrap());
                let got = taken(earlier, p).or(last).map_or(0, |q| value[q]);
                assert_eq!(got, value[p], "{value:?} {chain:?} at {p}");
            }
        }
    }
}
