//! What lanes do together, against sums over the lanes.

use super::kernels::by_scans;
use super::{fault, run};
use crate::llir::build::{eq, lt};
use crate::llir::verify::{Rule, verify};
use crate::llir::{
    Arrive, Expr, Group, IndexOp, MOST, Neighbour, Program, Scanned, Scope, Sole, Step, Stmt, Write,
};
use crate::scalar::{DType, Monoid, Value};
use crate::sim::Fault;
use crate::sim::grid::array::to_word;
use crate::sim::grid::code::{Combine, Place};
use crate::sim::grid::collective::{absent, count, exchanges, reduce, scatter, shuffle, sums, total};
use crate::sim::grid::lanes::{ALL, Lanes};
use proptest::prelude::*;

fn combine(size: u32, write: Write) -> Combine {
    let group = Group { size, arrive: Arrive::Warp };
    let (op, t) = (Monoid::Add, DType::I64);
    Combine {
        group,
        segments: None,
        op,
        t,
        value: 0,
        place: Place::Global(0),
        index: 0,
        when: 0,
        write,
        carry: None,
    }
}

fn group(size: u32, lane: usize) -> std::ops::Range<usize> {
    let size = size as usize;
    let first = lane / size * size;
    first..first + size
}

fn sum(values: &[u64]) -> u64 {
    values.iter().fold(0, |a, b| a.wrapping_add(*b))
}

/// Keys that increase here and there.
fn keys() -> impl Strategy<Value = Lanes> {
    prop::array::uniform32(0..3_u64).prop_map(|steps| {
        let mut key = 0;
        steps.map(|step| {
            key += step / 2;
            key
        })
    })
}

/// Lanes that have an element: none, all and some, whole groups and not.
fn whole_or_any() -> impl Strategy<Value = u32> {
    prop_oneof![any::<u32>(), (0..33_u32).prop_map(|n| (((1_u64 << n) - 1) & 0xffff_ffff) as u32)]
}

fn size() -> impl Strategy<Value = u32> {
    prop::sample::select(vec![2, 4, 8, 16, 32])
}

proptest! {
    #[test]
    fn totals(size in size(), value in prop::array::uniform32(any::<u64>())) {
        let all = total(Monoid::Add, DType::I64, size, &value);
        for (lane, found) in all.iter().enumerate() {
            prop_assert_eq!(*found, sum(&value[group(size, lane)]));
        }
    }

    #[test]
    fn scans(size in size(), value in prop::array::uniform32(0..MOST / 3), votes in any::<u32>()) {
        let all: Lanes = std::array::from_fn(|l| value[group(size, l)].iter().sum::<u64>().min(MOST));
        let before = std::array::from_fn(|l| value[group(size, l).start..l].iter().sum::<u64>().min(MOST));
        prop_assert_eq!(sums(size, &value), (before, all));
        let voted = |of: std::ops::Range<usize>| of.filter(|l| votes >> l & 1 == 1).count() as u64;
        let counts = (
            std::array::from_fn(|l| voted(group(size, l).start..l)),
            std::array::from_fn(|l| voted(group(size, l))),
        );
        prop_assert_eq!(count(size, votes), counts);
    }

    #[test]
    fn scatters(size in size(), log in 1..6_u32, values in prop::collection::vec(prop::array::uniform32(any::<u64>()), 32)) {
        let columns = &values[..1 << log];
        let mut found = columns.to_vec();
        scatter(Monoid::Add, DType::I64, size as usize, &mut found);
        let width = columns.len().min(size as usize);
        for (n, left) in found.iter().take(columns.len() / width).enumerate() {
            for (lane, total) in left.iter().enumerate() {
                let column = &columns[n * width + lane % width];
                prop_assert_eq!(*total, sum(&column[group(size, lane)]));
            }
        }
    }

    #[test]
    fn groups(size in size(), value in prop::array::uniform32(any::<u64>()), when in whole_or_any()) {
        let c = combine(size, Write::Sole(Sole::Store));
        let found = reduce(&c, "y", None, &value, &[7; 32], (ALL, when), None);
        let heads: Vec<usize> = (0..32).step_by(size as usize).collect();
        let exists = |lane: usize| when >> lane & 1 == 1;
        // A group whose first lane does not write has nothing to write.
        let lost = heads.iter().any(|&head| !exists(head) && group(size, head).any(exists));
        prop_assert_eq!(found.is_err(), lost);
        let Ok(r) = found else { return Ok(()) };
        prop_assert_eq!((r.atomic, r.how), (0, Sole::Store));
        for lane in 0..32 {
            let writes = heads.contains(&lane) && exists(lane);
            prop_assert_eq!(r.sole >> lane & 1 == 1, writes);
            if writes {
                prop_assert_eq!(r.value[lane], sum(&value[group(size, lane)]));
            }
        }
    }

    #[test]
    fn segments(size in size(), keys in keys(), value in prop::array::uniform32(any::<u64>()), tail in 0..40_u32) {
        // Lanes past the end have no element.
        let when = if tail < 32 { (1 << tail) - 1 } else { ALL };
        let c = combine(size, Write::Complete(Sole::Combine));
        let r = reduce(&c, "y", Some(&keys), &value, &keys, (ALL, when), None).unwrap();
        for lane in 0..32 {
            let group = group(size, lane);
            let same: Vec<usize> = group.clone().filter(|&l| keys[l] == keys[lane]).collect();
            let head = same[0] == lane && when >> lane & 1 == 1;
            let complete = same[0] != group.start && same[same.len() - 1] != group.end - 1;
            prop_assert_eq!(r.sole >> lane & 1 == 1, head && complete);
            prop_assert_eq!(r.atomic >> lane & 1 == 1, head && !complete);
            if head {
                let values: Vec<u64> = same.iter().map(|&l| value[l]).collect();
                prop_assert_eq!(r.value[lane], sum(&values));
            }
        }
    }

    /// A group's first segment, unless it began in the lane, and its last one are carried out; the others are written.
    #[test]
    fn carried_segments(size in size(), keys in keys(), value in prop::array::uniform32(any::<u64>()), began in any::<u32>()) {
        let c = combine(size, Write::Sole(Sole::Combine));
        let r = reduce(&c, "y", Some(&keys), &value, &keys, (ALL, ALL), Some(began)).unwrap();
        prop_assert_eq!(r.atomic, 0);
        for lane in 0..32 {
            let group = group(size, lane);
            let same: Vec<usize> = group.clone().filter(|&l| keys[l] == keys[lane]).collect();
            let head = same[0] == lane;
            let first = head && lane == group.start && began >> lane & 1 == 0;
            let last = head && same[same.len() - 1] == group.end - 1;
            prop_assert_eq!(r.first >> lane & 1 == 1, first);
            prop_assert_eq!(r.last >> lane & 1 == 1, last);
            prop_assert_eq!(r.sole >> lane & 1 == 1, head && !first && !last);
        }
    }

    #[test]
    fn lanes_that_are_absent(size in size(), mask in any::<u32>()) {
        let missing = |arrive| absent(Group { size, arrive }, mask);
        prop_assert_eq!(missing(Arrive::Warp), (mask != ALL).then(|| (!mask).trailing_zeros()));
        let lane = (0..32).find(|&l| {
            mask >> l & 1 == 0 && group(size, l as usize).any(|other| mask >> other & 1 == 1)
        });
        prop_assert_eq!(missing(Arrive::Group), lane);
    }
}

/// Of 32 lanes with four columns each, six exchanges in place of four trees of five.
#[test]
fn exchanges_of_columns() {
    let of = |len, size| {
        let (halving, tree) = exchanges(len, Group { size, arrive: Arrive::Warp });
        halving + tree
    };
    assert_eq!([of(4, 32), of(4, 8), of(8, 8), of(32, 2), of(2, 2)], [6, 4, 7, 16, 1]);
}

#[test]
fn neighbours() {
    let value: Lanes = std::array::from_fn(|l| l as u64);
    let previous = shuffle(Neighbour::Previous, 4, &value);
    assert_eq!(previous[..6], [0, 0, 1, 2, 4, 4]);
    let next = shuffle(Neighbour::Next, 4, &value);
    assert_eq!(next[..6], [1, 2, 3, 3, 5, 6]);
}

/// Floats are rounded as a device rounds them: a butterfly from far lanes to near ones, a scan from near to far.
#[test]
fn the_order_of_sums() {
    let big = 1e16_f64;
    let word = |v: f64| to_word(Value::F64(v));
    let mut value = [word(0.0); 32];
    [big, 1.0, 1.0, -big].into_iter().enumerate().for_each(|(l, v)| value[l] = word(v));
    // (big + 1) + (1 - big), where big + 1 is big.
    assert_eq!(f64::from_bits(total(Monoid::Add, DType::F64, 4, &value)[0]), (big + 1.0) + (1.0 - big));
    let c = Combine { t: DType::F64, ..combine(4, Write::Atomic) };
    let by_groups = reduce(&c, "y", None, &value, &[0; 32], (ALL, ALL), None).unwrap();
    assert_eq!(f64::from_bits(by_groups.value[0]), (big + 1.0) + (1.0 - big));
    [big, 1.0, -big, 1.0].into_iter().enumerate().for_each(|(l, v)| value[l] = word(v));
    let keys = [0; 32];
    let by_segments = reduce(&c, "y", Some(&keys), &value, &keys, (ALL, ALL), None).unwrap();
    assert_eq!(f64::from_bits(by_segments.value[0]), (big + 1.0) + (-big + 1.0));
    assert_ne!((big + 1.0) + (-big + 1.0), (big - big) + (1.0 + 1.0));
}

#[test]
fn keys_and_elements_count_where_there_is_an_element() {
    let c = combine(4, Write::Atomic);
    let mut keys = [5; 32];
    keys[3] = 4;
    let all = reduce(&c, "y", Some(&keys), &[0; 32], &keys, (ALL, ALL), None).map(|_| ()).unwrap_err();
    assert_eq!((all.fault, all.lane), (Fault::DecreasingKeys { before: 5, after: 4 }, 3));
    assert!(reduce(&c, "y", Some(&keys), &[0; 32], &keys, (ALL, ALL & !8), None).is_ok());
    // In another group they begin anew.
    assert!(
        reduce(
            &combine(2, Write::Atomic),
            "y",
            Some(&[[9; 2], [1; 2]].concat().repeat(8).try_into().unwrap()),
            &[0; 32],
            &[0; 32],
            (ALL, ALL),
            None
        )
        .is_ok()
    );
    let index = std::array::from_fn(|l| u64::from(l == 6));
    let differ = reduce(&c, "y", None, &[0; 32], &index, (ALL, ALL), None).map(|_| ()).unwrap_err();
    assert_eq!(differ.fault, Fault::ElementsDiffer { buffer: "y".into(), first: 0, second: 1 });
    assert!(reduce(&c, "y", None, &[0; 32], &index, (ALL, ALL & !(1 << 6)), None).is_ok());
}

fn stored(program: Program) -> Vec<f64> {
    run(&verify(program).unwrap()).unwrap_or_else(|e| panic!("{e}")).0
}

/// Both warps of a block, of which the second one has others before it.
#[test]
fn blocks_scan() {
    let odd =
        |t: Expr| eq(Expr::IndexOp(IndexOp::Rem, Box::new(t), Box::new(Expr::Index(2))), Expr::Index(1));
    let of = |n: usize, all: usize| (1000 * n + all) as f64;
    let votes = stored(by_scans(Scanned::Lanes, odd, true));
    assert_eq!(votes, (0..21).map(|t| of(t / 2, 32)).collect::<Vec<_>>());
    let sums = stored(by_scans(Scanned::Sum, |t| t, true));
    assert_eq!(sums, (0..21_usize).map(|t| of(t * t.saturating_sub(1) / 2, 63 * 32)).collect::<Vec<_>>());
}

/// What warps have stored is read before the next scan's is.
#[test]
fn scans_without_a_barrier_between_them() {
    let e = fault(by_scans(Scanned::Sum, |t| t, false));
    assert!(matches!(&e.fault, Fault::Conflict { buffer, .. } if buffer == "partial"), "{e}");
    assert!(e.place.starts_with("`block let "), "{e}");
}

/// A block scans where all of its threads come by.
#[test]
fn scans_from_which_threads_are_absent() {
    let behind = |threads: u64, divides: u64| {
        let mut p = by_scans(Scanned::Sum, |t| t, true);
        let Some(Step::Launch(l)) = p.steps.last_mut() else { panic!("the kernel ends with its launch") };
        let number = Expr::IndexOp(IndexOp::Div, Box::new(l.thread.into()), Box::new(Expr::Index(divides)));
        let then = std::mem::take(&mut l.body);
        l.body = vec![Stmt::If { cond: lt(number, Expr::Index(threads)), then, otherwise: vec![] }];
        p
    };
    // Lanes of a warp, and a warp.
    let e = fault(behind(20, 1));
    assert_eq!(e.fault, Fault::AbsentLane { thread: 20, left: false });
    let e = fault(behind(1, 32));
    assert_eq!(e.fault, Fault::DivergentBarrier { scope: Scope::Block, thread: 32 });
    for p in [behind(20, 1), behind(1, 32)] {
        assert_eq!(verify(p).unwrap_err().rule, Rule::Convergence);
    }
}
