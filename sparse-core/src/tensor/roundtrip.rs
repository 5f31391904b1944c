//! Random entries in every format, read back and converted: against a map from coordinates to values.

use super::*;
use crate::format::types::{Filled, NonUnique, One, PosInf, Reordered};
use crate::format::{Compressed, Dense, Fill, Level, Singleton};
use crate::scalar::{DType, Value};
use proptest::prelude::*;
use std::collections::BTreeMap;

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

fn specs(rank: usize) -> impl Strategy<Value = FormatSpec> {
    let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
    let fill = prop::sample::select(vec![Fill::Zero, Fill::One, Fill::PosInf, Fill::NegInf]);
    (prop::sample::select(level_sequences(rank)), order, fill)
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

fn any_case() -> impl Strategy<Value = (FormatSpec, Vec<usize>, Entries)> {
    (0..=6usize).prop_flat_map(|rank| {
        (specs(rank), tensors(rank)).prop_map(|(spec, (dims, entries))| (spec, dims, entries))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_format_holds_every_tensor((spec, dims, entries) in any_case(), keep in any::<bool>()) {
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
    fn broken_storage_is_refused((spec, dims, entries) in any_case(), pick in any::<prop::sample::Index>()) {
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
    Reordered<(Compressed, Compressed), 1, 0>,
    (Compressed<NonUnique>, Singleton),
    Reordered<(Compressed<NonUnique>, Singleton<NonUnique>), 1, 0>,
    Filled<(Dense, Compressed), PosInf>
);
pairs!(
    rank_3_converts,
    3,
    (Compressed, Compressed, Compressed),
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
