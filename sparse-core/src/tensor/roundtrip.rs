//! Random entries in every format, read back and converted: against a map from coordinates to values. Formats that hold
//! only tensors with one entry a parent get such entries, and refuse others.

use super::random::SplitMix64;
use super::*;
use crate::error::Error;
use crate::format::types::{Filled, NonUnique, One, PosInf, Reordered};
use crate::format::{Compressed, Dense, Fill, Level, Singleton};
use crate::scalar::{DType, Value};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// All sequences of levels that make a format.
fn level_sequences(rank: usize) -> Vec<Vec<Level>> {
    let every = [
        Level::Dense,
        Level::Compressed { unique: true },
        Level::Compressed { unique: false },
        Level::Singleton { unique: true },
        Level::Singleton { unique: false },
    ];
    (0..rank).fold(vec![vec![]], |all, _| {
        let longer = |levels: Vec<Level>| {
            every.map(|l| [levels.clone(), vec![l]].concat()).into_iter().filter(|levels| {
                let below = levels.len() - 1;
                levels[below].check_below(below.checked_sub(1).map(|p| levels[p])).is_ok()
            })
        };
        all.into_iter().flat_map(|levels| longer(levels).collect::<Vec<_>>()).collect()
    })
}

/// Those of each rank that hold every tensor, and those that do not.
static SEQUENCES: LazyLock<Vec<[Vec<Vec<Level>>; 2]>> = LazyLock::new(|| {
    let holds = |levels: &Vec<Level>| FormatSpec::new(levels.clone()).holds_every_tensor();
    let split = |rank| <[_; 2]>::from(level_sequences(rank).into_iter().partition::<Vec<_>, _>(holds));
    (0..=6).map(split).collect()
});

fn specs(rank: usize, holds_every: bool) -> impl Strategy<Value = FormatSpec> {
    let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
    let fill = prop::sample::select(vec![Fill::Zero, Fill::One, Fill::PosInf, Fill::NegInf]);
    (prop::sample::select(&SEQUENCES[rank][!holds_every as usize][..]), order, fill)
        .prop_map(|(levels, order, fill)| FormatSpec::new(levels).reordered(order).filled(fill))
}

type Entries = Vec<(Vec<usize>, i32)>;

fn tensors(rank: usize) -> impl Strategy<Value = (Vec<usize>, Entries)> {
    prop::collection::vec(prop_oneof![1 => Just(0), 2 => Just(1), 9 => 2..5usize], rank).prop_flat_map(
        |dims| {
            let most = if dims.contains(&0) { 0 } else { 12 };
            let at: Vec<_> = dims.iter().map(|&d| 0..d.max(1)).collect();
            (Just(dims), prop::collection::vec((at, -2..3i32), 0..=most))
        },
    )
}

/// What the entries mean: an element for each coordinate that occurs.
fn meaning(entries: &Entries) -> BTreeMap<Vec<usize>, i32> {
    let mut map = BTreeMap::new();
    for (at, v) in entries {
        map.entry(at.clone()).and_modify(|sum| *sum += v).or_insert(*v);
    }
    map
}

type AnyCase = (FormatSpec, Vec<usize>, Entries);

/// Any entries, in a format that holds them whatever they are or, for `holds_every` false, need not.
fn any_case(ranks: RangeInclusive<usize>, holds_every: bool) -> impl Strategy<Value = AnyCase> {
    ranks.prop_flat_map(move |rank| {
        (specs(rank, holds_every), tensors(rank)).prop_map(|(spec, (dims, entries))| (spec, dims, entries))
    })
}

/// Entries with one below each parent, in a format that holds no others.
fn one_a_parent_case() -> impl Strategy<Value = AnyCase> {
    let sizes =
        (2..=5usize).prop_flat_map(|rank| (specs(rank, false), prop::collection::vec(1..4usize, rank)));
    (sizes, any::<u64>()).prop_map(|((spec, dims), seed)| {
        let mut entries = one_a_parent(&spec.levels, &spec.level_sizes(&dims), seed);
        for (at, _) in &mut entries {
            *at = (0..at.len()).map(|d| at[spec.map.level_of_dim(d)]).collect();
        }
        (spec, dims, entries)
    })
}

fn fitting_case() -> impl Strategy<Value = AnyCase> {
    prop_oneof![any_case(0..=6, true), one_a_parent_case()]
}

/// Distinct coordinates by level, in random order: one below each parent of a singleton that is not in a tuple; below
/// one of a compressed level some or none.
fn one_a_parent(levels: &[Level], sizes: &[usize], seed: u64) -> Entries {
    let mut rng = SplitMix64(seed);
    let mut parents: Vec<Vec<usize>> = vec![vec![]];
    // Below such a singleton every parent needs an entry, or the singleton's own parent had none.
    let mut needed = false;
    for (l, (level, &size)) in levels.iter().zip(sizes).enumerate() {
        let singleton = matches!(level, Level::Singleton { .. });
        let lone = FormatSpec::new(levels.to_vec()).has_one_child(l);
        needed |= lone;
        let mut children = vec![];
        for parent in parents {
            let one = rng.below(size);
            let percent = if level.is_full() {
                100
            } else if lone {
                0
            } else {
                40
            };
            for c in 0..size {
                if rng.below(100) < percent || (c == one && (needed || singleton)) {
                    children.push([&parent[..], &[c]].concat());
                }
            }
        }
        parents = children;
    }
    for last in (1..parents.len()).rev() {
        parents.swap(last, rng.below(last + 1));
    }
    parents.into_iter().map(|at| (at, rng.below(5) as i32 - 2)).collect()
}

/// Has every parent of a singleton that is not in a tuple exactly one coordinate? By the definition.
fn fits(spec: &FormatSpec, dims: &[usize], entries: &Entries) -> bool {
    let by_level = |at: &Vec<usize>| spec.order().iter().map(|&d| at[d]).collect::<Vec<_>>();
    let entries: Vec<Vec<usize>> = entries.iter().map(|(at, _)| by_level(at)).collect();
    let mut parents = BTreeSet::from([vec![]]);
    for (l, level) in spec.levels.iter().enumerate() {
        let all = 0..dims[spec.map.dim_of_level(l)];
        let children: BTreeSet<Vec<usize>> = match level {
            Level::Dense => {
                parents.iter().flat_map(|p| all.clone().map(|c| [&p[..], &[c]].concat())).collect()
            }
            _ => entries.iter().map(|at| at[..=l].to_vec()).collect(),
        };
        let one = |p: &Vec<usize>| children.iter().filter(|c| c.starts_with(p)).count() == 1;
        if spec.has_one_child(l) && !parents.iter().all(one) {
            return false;
        }
        parents = children;
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn formats_hold_what_fits((spec, dims, entries) in fitting_case(), keep in any::<bool>()) {
        let map = meaning(&entries);
        let values: Vec<_> = entries.iter().map(|(at, v)| (at.clone(), Value::I32(*v))).collect();
        let t = DynTensor::from_entries(spec.clone(), DType::I32, dims.clone(), &values, keep).unwrap();
        t.validate().unwrap();
        if keep && spec.levels.last().is_some_and(|l| !l.is_unique()) {
            prop_assert_eq!(t.vals.len(), entries.len());
        } else if spec.levels.last().is_some_and(|l| !l.is_full()) {
            prop_assert_eq!(t.vals.len(), map.len());
        }
        let volume: usize = dims.iter().product();
        let dense = t.to_dense_values().unwrap();
        prop_assert_eq!(dense.len(), volume);
        let mut at = vec![0; dims.len()];
        for v in dense {
            let expected = map.get(&at).map_or(t.fill(), |&v| Value::I32(v));
            prop_assert_eq!(v, expected);
            prop_assert_eq!(t.get(&at), Some(expected));
            super::build::advance(&mut at, &dims);
        }
        let order = spec.order();
        let read: Vec<Vec<usize>> = t.iter().map(|(at, _)| order.iter().map(|&d| at[d]).collect()).collect();
        prop_assert!(read.is_sorted());
    }

    #[test]
    fn what_does_not_fit_is_refused((spec, dims, entries) in any_case(2..=5, false)) {
        let values: Vec<_> = entries.iter().map(|(at, v)| (at.clone(), Value::I32(*v))).collect();
        match DynTensor::from_entries(spec.clone(), DType::I32, dims.clone(), &values, false) {
            Ok(t) => {
                t.validate().unwrap();
                prop_assert!(fits(&spec, &dims, &entries));
            }
            Err(Error::NotOneEntry { level, parent, found }) => {
                prop_assert!(!fits(&spec, &dims, &entries));
                prop_assert!(parent.iter().map(|p| p.0).eq(spec.order()[..level].iter().copied()));
                let dim = spec.map.dim_of_level(level);
                let below = entries.iter().filter(|(at, _)| parent.iter().all(|&(d, c)| at[d] == c));
                let below: BTreeSet<i32> = below.map(|(at, _)| at[dim] as i32).collect();
                prop_assert_eq!(below.len().min(2), found.len());
                prop_assert!(found.first() != found.get(1) || found.is_empty());
                prop_assert!(found.iter().all(|c| below.contains(c)));
            }
            Err(e) => prop_assert!(false, "{}", e),
        }
    }

    #[test]
    fn broken_storage_is_refused((spec, dims, entries) in fitting_case(), pick in any::<prop::sample::Index>()) {
        let values: Vec<_> = entries.iter().map(|(at, v)| (at.clone(), Value::I32(*v))).collect();
        let t = DynTensor::from_entries(spec, DType::I32, dims, &values, true).unwrap();
        let mut broken = t.clone();
        broken.vals.push(Value::I32(0));
        prop_assert!(broken.validate().is_err());
        if !t.levels.is_empty() {
            let l = pick.index(t.levels.len());
            for change in [-1000, 1000] {
                let mut broken = t.clone();
                let array = match &mut broken.levels[l] {
                    LevelArrays::Dense => continue,
                    LevelArrays::Compressed { pos, crd } if crd.is_empty() => pos,
                    LevelArrays::Compressed { crd, .. } | LevelArrays::Singleton { crd } => crd,
                };
                if !array.is_empty() {
                    let at = pick.index(array.len());
                    array[at] += change;
                    prop_assert!(broken.validate().is_err());
                }
            }
        }
    }
}

/// Builds a typed tensor in one format, and converts it to another and back.
fn convert_pair<F: Format, G: Format<Coord = F::Coord>>(dims: &[usize], entries: &Entries) {
    let coordinates = Coordinates {
        dims: dims.to_vec(),
        crd: entries.iter().flat_map(|(at, _)| at.iter().map(|&c| c as i32)).collect(),
        vals: entries.iter().map(|&(_, v)| v).collect(),
    };
    let a = Tensor::<i32, F>::from_coordinates(coordinates).unwrap();
    let b = a.convert::<G>().unwrap();
    crate::format::validate(&G::spec(), dims, b.levels(), b.stored()).unwrap();
    assert!(a.approx_eq(&b, 0.0) && b.approx_eq(&a, 0.0), "{a:?} {b:?}");
    assert_eq!(a.to_dense().unwrap(), b.to_dense().unwrap());
    let back = b.convert::<F>().unwrap();
    assert_eq!(a.to_dense().unwrap(), back.to_dense().unwrap());
    assert_eq!(a.to_dense().unwrap().convert::<F>().unwrap().to_dense().unwrap(), a.to_dense().unwrap());
    assert!(b.iter().all(|(at, _)| b.get(at) == a.get(at)));
    if fill::<i32, F>() == fill::<i32, G>() && F::spec() != G::spec() {
        // What is stored in it, put in order anew.
        let dropped = F::LEVELS.last().is_some_and(|l| l.is_full()).then(fill::<i32, F>);
        let kept = a.iter().filter(|(_, v)| Some(*v) != dropped);
        assert_eq!(
            b.clone().into_parts(),
            Tensor::<i32, G>::from_triplets(a.dims(), kept).unwrap().into_parts()
        );
    }
    let parts = b.clone().into_parts();
    assert_eq!(Tensor::try_from_parts(parts).unwrap(), b);
    assert_eq!(Tensor::<i32, G>::try_from(DynTensor::from(&b)).unwrap(), b);
}

macro_rules! pairs {
    ($name:ident, $rank:literal, $($format:ty),*) => {
        proptest! {
            #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]
            #[test]
            fn $name((dims, entries) in tensors($rank)) {
                pairs!(@from dims entries [$($format),*] $($format),*);
            }
        }
    };
    (@from $dims:ident $entries:ident $all:tt $($from:ty),*) => { $( pairs!(@to $dims $entries $from, $all); )* };
    (@to $dims:ident $entries:ident $from:ty, [$($to:ty),*]) => { $( convert_pair::<$from, $to>(&$dims, &$entries); )* };
}

pairs!(rank_0_converts, 0, (), Filled<(), One>);
pairs!(rank_1_converts, 1, (Dense,), (Compressed,), (Compressed<NonUnique>,), Filled<(Compressed,), PosInf>);
pairs!(
    rank_2_converts,
    2,
    (Dense, Dense),
    Reordered<(Dense, Dense), 1, 0>,
    (Dense, Compressed),
    Reordered<(Dense, Compressed), 1, 0>,
    (Compressed, Dense),
    (Compressed, Compressed),
    Reordered<(Compressed, Compressed), 1, 0>,
    (Compressed<NonUnique>, Compressed),
    (Compressed<NonUnique>, Singleton),
    Reordered<(Compressed<NonUnique>, Singleton<NonUnique>), 1, 0>,
    Filled<(Dense, Compressed), PosInf>
);
pairs!(
    rank_3_converts,
    3,
    (Compressed, Compressed, Compressed),
    (Dense, Compressed, Compressed),
    (Compressed, Dense, Compressed),
    (Dense, Dense, Dense),
    (Compressed<NonUnique>, Singleton<NonUnique>, Singleton),
    Reordered<(Dense, Compressed<NonUnique>, Singleton), 2, 0, 1>,
    Filled<Reordered<(Compressed, Dense, Compressed), 1, 2, 0>, One>,
    (Compressed<NonUnique>, Singleton, Dense)
);
pairs!(
    rank_6_converts,
    6,
    (Dense, Compressed, Dense, Compressed, Compressed<NonUnique>, Singleton),
    Reordered<(Compressed, Compressed, Compressed, Compressed, Compressed, Compressed), 5, 4, 3, 2, 1, 0>
);

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn one_entry_a_parent_converts(seed in any::<u64>(), dims in prop::collection::vec(1..5usize, 3)) {
        // Values above 1: a dense level below drops what equals the fill.
        let entries = |levels: &[Level]| -> Entries {
            let sizes = &dims[..levels.len()];
            one_a_parent(levels, sizes, seed).into_iter().map(|(at, v)| (at, v + 4)).collect()
        };
        type Rows = (Dense, Singleton);
        let rows = entries(Rows::LEVELS);
        convert_pair::<Rows, (Dense, Compressed)>(&dims[..2], &rows);
        convert_pair::<Rows, Reordered<(Dense, Compressed), 1, 0>>(&dims[..2], &rows);
        convert_pair::<Rows, (Compressed, Singleton<NonUnique>)>(&dims[..2], &rows);
        convert_pair::<Rows, (Dense, Dense)>(&dims[..2], &rows);
        type Stored = (Compressed, Singleton);
        let stored = entries(Stored::LEVELS);
        convert_pair::<Stored, (Compressed<NonUnique>, Singleton)>(&dims[..2], &stored);
        convert_pair::<Stored, Reordered<(Dense, Compressed), 1, 0>>(&dims[..2], &stored);
        type Deep = (Compressed, Dense, Singleton);
        convert_pair::<Deep, (Compressed, Compressed, Compressed)>(&dims, &entries(Deep::LEVELS));
        type Rest = (Compressed<NonUnique>, Singleton, Singleton);
        convert_pair::<Rest, Reordered<(Dense, Compressed, Dense), 2, 0, 1>>(&dims, &entries(Rest::LEVELS));
    }
}

#[test]
fn rows_without_entries_are_more_than_there_are_values() {
    type F = (Compressed, Compressed);
    let level = |pos: &[i32], crd: &[i32]| LevelArrays::Compressed { pos: pos.to_vec(), crd: crd.to_vec() };
    let levels = vec![level(&[0, 3], &[0, 1, 2]), level(&[0, 0, 0, 1], &[1])];
    let vals = vec![Value::I32(7)];
    let dynamic = DynTensor { spec: F::spec(), dtype: DType::I32, dims: vec![5, 4], levels, vals };
    let tensor = Tensor::<i32, F>::try_from(dynamic).unwrap();
    let elements = |i| (0..4).map(|j| tensor.get([i, j])).collect::<Vec<_>>();
    assert_eq!(elements(2), [0, 7, 0, 0]);
    for nothing in [0, 1, 3, 4] {
        assert_eq!(elements(nothing), [0; 4], "row {nothing}");
    }
}
