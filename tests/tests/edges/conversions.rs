//! Between all pairs of formats of a rank: no element changes, stored zeros stay, and what comes out is well made.

use crate::coords;
use sparse_gpu::format::Level;
use sparse_gpu::format::types::Coord;
use sparse_gpu::prelude::*;
use std::collections::BTreeMap;

type C = Compressed;
type N = Compressed<NonUnique>;

/// Entries with a stored zero, a duplicate and an empty row wherever there is room for them.
fn entries<T: Element, const R: usize>(dims: [usize; R]) -> Vec<([usize; R], T)> {
    let all = coords(dims);
    let mut entries: Vec<_> = all
        .iter()
        .enumerate()
        .filter(|(k, at)| at.first() != Some(&1) && k % 3 != 1)
        .map(|(k, &at)| (at, T::from_f64((k % 5) as f64)))
        .collect();
    if let Some(&(at, _)) = entries.last() {
        entries.insert(0, (at, T::from_f64(2.0)));
    }
    entries.reverse();
    entries
}

fn summed<T: Element, const R: usize>(entries: &[([usize; R], T)]) -> BTreeMap<[usize; R], T> {
    let mut sums = BTreeMap::new();
    for &(at, v) in entries {
        sums.entry(at).and_modify(|s: &mut T| *s = s.sum(v)).or_insert(v);
    }
    sums
}

/// Every way to read a tensor agrees with the entries that it has been made of.
fn reads<T: Element, F: Format<Coord = [usize; R]>, const R: usize>(
    t: &Tensor<T, F>,
    expected: &BTreeMap<[usize; R], T>,
    fill: T,
) where
    [usize; R]: Coord,
{
    let at = |c: &[usize; R]| expected.get(c).copied().unwrap_or(fill);
    let all = coords(t.dims());
    assert!(all.iter().all(|c| t.get(*c) == at(c)), "get of {t:?}, expected {expected:?}");
    let mut beyond = t.dims();
    if R > 0 {
        beyond[R - 1] = t.dims()[R - 1];
        assert!(t.try_get(beyond).is_err());
    }
    let mut read = BTreeMap::new();
    for (c, v) in t.iter() {
        let was = read.insert(c, v);
        assert!(was.is_none(), "{c:?} twice in {t:?}");
        assert!(v == at(&c), "{c:?} of {t:?}");
    }
    assert_eq!(read.len(), t.stored());
    let dense = t.to_dense().expect("small");
    assert!(all.iter().zip(dense.iter()).all(|(c, (d, v))| d == *c && v == at(c)), "{t:?}");
    let sparse_last = F::LEVELS.last().is_some_and(|l| !l.is_full());
    if sparse_last && expected.keys().all(|c| read.contains_key(c)) {
        return;
    }
    assert!(!sparse_last || T::default() != fill, "a stored entry is gone: {t:?}, expected {expected:?}");
}

/// The elements that are not the new fill, if it is another than the old one.
fn refilled<T: Element, const R: usize>(
    dims: [usize; R],
    expected: &BTreeMap<[usize; R], T>,
    (old, new): (T, T),
) -> BTreeMap<[usize; R], T> {
    let mut elements = expected.clone();
    // What the first format has not stored is its fill, in the second one too.
    if old != new {
        for c in coords(dims) {
            elements.entry(c).or_insert(old);
        }
        elements.retain(|_, v| *v != new);
    }
    elements
}

/// A tensor has these elements, and stores no others if that is exact.
fn converted<T, G, const R: usize>(t: &Tensor<T, G>, elements: &BTreeMap<[usize; R], T>, exact: bool)
where
    T: Element,
    G: Format<Coord = [usize; R]>,
    [usize; R]: Coord,
{
    let fill = Tensor::<T, G>::fill();
    if exact {
        assert_eq!(t.stored(), elements.len(), "{elements:?} became {t:?}");
        reads(t, elements, fill);
    } else {
        let element = |c: &[usize; R]| elements.get(c).copied().unwrap_or(fill);
        assert!(coords(t.dims()).iter().all(|c| t.get(*c) == element(c)), "{elements:?} became {t:?}");
    }
    let again =
        Tensor::<T, G>::try_from_parts(t.clone().into_parts()).expect("what was converted is well made");
    assert!(again == *t);
}

fn same<T, F, const R: usize>(a: &Tensor<T, F>, b: &Tensor<T, F>) -> bool
where
    T: Element,
    F: Format<Coord = [usize; R]>,
    [usize; R]: Coord,
{
    a.dims() == b.dims() && coords(a.dims()).iter().all(|c| a.get(*c) == b.get(*c))
}

fn pair<T, F, G, const R: usize>(dims: [usize; R])
where
    T: Element,
    F: Format<Coord = [usize; R]>,
    G: Format<Coord = [usize; R]>,
    [usize; R]: Coord,
{
    let given = entries::<T, R>(dims);
    let expected = summed(&given);
    let from = Tensor::<T, F>::from_triplets(dims, given.iter().copied()).expect("a tensor");
    reads(&from, &expected, Tensor::<T, F>::fill());
    let to: Tensor<T, G> = from.convert().expect("every tensor fits");
    assert_eq!(to.dims(), dims, "{from:?} became {to:?}");
    let elements = refilled(dims, &expected, (Tensor::<T, F>::fill(), Tensor::<T, G>::fill()));
    // Which of the fill's values are stored the dense level decides.
    let dense = |l: &[Level]| l.last().is_some_and(|l| l.is_full());
    let exact = !(dense(F::LEVELS) || dense(G::LEVELS) || F::LEVELS.is_empty());
    converted(&to, &elements, exact);
    let back: Tensor<T, F> = to.convert().expect("every tensor fits");
    assert!(same(&back, &from), "{from:?} became {to:?} and {back:?}");
}

macro_rules! all_pairs {
    ($t:ty, $dims:expr, $($f:ty),+) => { all_pairs!(@ $t, $dims, [$($f),+], $($f;)+) };
    (@ $t:ty, $dims:expr, $all:tt, $($f:ty;)+) => { $(all_pairs!(@@ $t, $dims, $f, $all);)+ };
    (@@ $t:ty, $dims:expr, $f:ty, [$($g:ty),+]) => { $(pair::<$t, $f, $g, _>($dims);)+ };
}

fn sizes<const R: usize>() -> Vec<[usize; R]> {
    let mut all = vec![[0; R], [1; R], [2; R]];
    let mut mixed = [3; R];
    for (d, size) in mixed.iter_mut().enumerate() {
        *size = [3, 4, 1, 5][d % 4];
    }
    all.push(mixed);
    for d in 0..R {
        let mut empty = mixed;
        empty[d] = 0;
        all.push(empty);
    }
    all
}

#[test]
fn of_rank_1() {
    for dims in sizes::<1>() {
        all_pairs!(i64, dims, (Dense,), (C,), (N,), Filled<(C,), One>, Filled<(Dense,), NegInf>);
        all_pairs!(f32, dims, (Dense,), (C,), (N,), Filled<(C,), PosInf>);
        all_pairs!(bool, dims, (Dense,), (C,), Filled<(C,), One>);
        all_pairs!(u8, dims, (Dense,), (C,), (N,), Filled<(C,), PosInf>);
    }
}

#[test]
fn of_rank_2() {
    for dims in sizes::<2>() {
        all_pairs!(
            i64,
            dims,
            (Dense, Dense),
            Reordered<(Dense, Dense), 1, 0>,
            (Dense, C),
            Reordered<(Dense, C), 1, 0>,
            (C, C),
            Reordered<(C, C), 1, 0>,
            (N, Singleton),
            Reordered<(N, Singleton), 1, 0>,
            (N, Singleton<NonUnique>),
            (C, Dense),
            (N, C),
            Filled<(Dense, C), One>,
            Filled<(N, Singleton), PosInf>
        );
        all_pairs!(f64, dims, (Dense, C), (N, Singleton), Filled<(C, C), PosInf>);
        all_pairs!(f32, dims, (Dense, C), (Dense, Dense), (C, Dense));
        all_pairs!(i32, dims, (Dense, C), Reordered<(C, C), 1, 0>, Filled<(C, Dense), NegInf>);
        all_pairs!(u8, dims, (Dense, C), (N, Singleton), (Dense, Dense));
        all_pairs!(bool, dims, (Dense, C), (N, Singleton), (Dense, Dense));
    }
}

#[test]
fn of_rank_3() {
    for dims in sizes::<3>() {
        all_pairs!(
            i32,
            dims,
            (Dense, Dense, Dense),
            (C, C, C),
            (N, Singleton<NonUnique>, Singleton),
            (Dense, C, Dense),
            Reordered<(C, Dense, C), 1, 2, 0>,
            Reordered<(Dense, C, C), 2, 0, 1>,
            (Dense, N, Singleton)
        );
    }
}

#[test]
fn of_rank_4() {
    for dims in sizes::<4>() {
        all_pairs!(
            f64,
            dims,
            (Dense, Dense, Dense, Dense),
            (Dense, C, Dense, Dense),
            (C, C, C, C),
            (N, Singleton<NonUnique>, Singleton<NonUnique>, Singleton),
            Reordered<(C, Dense, C, Dense), 3, 1, 0, 2>
        );
    }
}

#[test]
fn of_rank_0_and_6() -> Result<(), Error> {
    let s = Scalar::from_triplets([], [([], 3), ([], 4)])?;
    assert_eq!((s.value()?, s.get([]), s.stored(), s.to_dense()?.vals()), (7, 7, 1, &[7][..]));
    assert_eq!(Scalar::<i32>::from_triplets([], [])?.value()?, 0);
    assert_eq!(Tensor::<f32, Filled<(), PosInf>>::from_triplets([], [])?.value()?, f32::INFINITY);
    type Six = (C, Dense, C, C, Dense, C);
    let dims = [2, 1, 3, 2, 2, 1];
    pair::<i64, Six, (Dense, Dense, Dense, Dense, Dense, Dense), 6>(dims);
    pair::<i64, (Dense, Dense, Dense, Dense, Dense, Dense), Reordered<Six, 5, 0, 4, 1, 3, 2>, 6>(dims);
    pair::<i64, (C, C, C, C, C, C), Reordered<Six, 5, 0, 4, 1, 3, 2>, 6>(dims);
    pair::<i64, (C, C, C, C, C, C), Six, 6>([2, 0, 3, 2, 2, 1]);
    Ok(())
}
