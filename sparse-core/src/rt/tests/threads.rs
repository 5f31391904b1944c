//! Loops on threads: each iteration once, in chunks of the right size, on pools of 1, 2 and 4 threads.

use crate::format::Buffer;
use crate::rt::monoid::{Add, And, Max, Min, Monoid, Mul, Or};
use crate::rt::worth::{self, spreads};
use crate::rt::{
    Balance, Baseline, Chunk, Even, Isa, Level, Load, Positions, Reducer, Shared, Store, Task, in_lanes,
    threads, threads_with_copies,
};
use crate::scalar::Element;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// More work than any threshold.
const MUCH: usize = 1 << 24;

fn pools() -> Vec<ThreadPool> {
    let pool = |n| ThreadPoolBuilder::new().num_threads(n).build().expect("threads");
    [1, 2, 4].map(pool).into()
}

/// A chunk, as it is remembered.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    lo: usize,
    hi: usize,
    alone: bool,
}

/// A task that is the same for every instruction set.
trait Same: Sync {
    fn run(&self, chunk: Chunk<'_>);
}

/// [`Task`] for what is [`Same`].
macro_rules! same {
    ($t:ty $(, $($generics:tt)*)?) => {
        impl $(<$($generics)*>)? Task for $t {
            type Appended = ();

            unsafe fn run(&self, _: Level, chunk: Chunk<'_>) {
                Same::run(self, chunk);
            }
        }
    };
}
same!(Count);
same!(Meet<T, M>, T: Element, M: Monoid<T>);

/// Counts the visits of each iteration, and remembers the chunks.
struct Count {
    visits: Vec<AtomicUsize>,
    chunks: Mutex<Vec<Bounds>>,
}

impl Count {
    fn new(n: usize) -> Count {
        Count { visits: (0..n).map(|_| AtomicUsize::new(0)).collect(), chunks: Mutex::new(vec![]) }
    }

    /// The chunks in order, after a look at the visits.
    fn finish(self) -> Vec<Bounds> {
        assert!(self.visits.iter().all(|v| v.load(Ordering::Relaxed) == 1), "{:?}", self.visits);
        let mut chunks = self.chunks.into_inner().expect("no panic");
        chunks.sort_by_key(|c| c.lo);
        chunks
    }
}

impl Same for Count {
    fn run(&self, chunk: Chunk<'_>) {
        let Chunk { lo, hi, alone, .. } = chunk;
        self.chunks.lock().expect("no panic").push(Bounds { lo, hi, alone });
        for i in chunk.lo..chunk.hi {
            self.visits[i].fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The chunks of a loop.
fn chunks(pool: &ThreadPool, n: usize, work: usize, balance: impl Balance) -> Vec<Bounds> {
    let count = Count::new(n);
    // SAFETY: the iterations are independent.
    pool.install(|| unsafe { threads(Baseline, &count, 0..n, work, balance) });
    count.finish()
}

/// Positions of rows of these lengths.
fn positions(lengths: impl IntoIterator<Item = i32>) -> Vec<i32> {
    let mut pos = vec![0];
    pos.extend(lengths.into_iter().scan(0, |sum, n| {
        *sum += n;
        Some(*sum)
    }));
    pos
}

#[test]
fn every_iteration_runs_once() {
    for pool in pools() {
        for n in [0, 1, 2, 3, 7, 100, 1001] {
            let parallel = n > 1 && pool.current_num_threads() > 1;
            let even = chunks(&pool, n, MUCH, Even);
            assert_eq!(even.len() > 1, parallel);
            assert!(even.iter().all(|c| c.alone != parallel));
            let pos = positions((0..n as i32).map(|i| i % 7 * (i % 3)));
            assert_eq!(chunks(&pool, n, MUCH, Positions(&pos[..])).len() > 1, parallel);
        }
    }
}

#[test]
fn little_work_stays_where_it_is() {
    for pool in pools() {
        let all = chunks(&pool, 1000, (1 << 17) - 1, Even);
        assert!(matches!(all[..], [Bounds { lo: 0, hi: 1000, alone: true }]), "{all:?}");
    }
}

#[test]
fn threads_that_are_awake_share_small_loops() {
    let cases = [
        // Operations, iterations, on threads if the pool sleeps, and if it is awake.
        (0, 0, false, false),
        (usize::MAX, 1, false, false),
        ((1 << 13) - 1, 100, false, false),
        (1 << 13, 100, false, true),
        (1 << 13, 1, false, false),
        ((1 << 17) - 1, 2, false, true),
        (1 << 17, 2, true, true),
    ];
    for (work, iterations, asleep, awake) in cases {
        assert_eq!(spreads(work, iterations, || false), asleep, "{work} {iterations}");
        assert_eq!(spreads(work, iterations, || true), awake, "{work} {iterations}");
    }
}

#[test]
fn loops_that_follow_each_other_run_once_each() {
    // Some of them on threads, if the processors are free.
    for pool in pools() {
        let counts: Vec<Count> = (0..100).map(|_| Count::new(1000)).collect();
        // SAFETY: the iterations are independent.
        pool.install(|| counts.iter().for_each(|c| unsafe { threads(Baseline, c, 0..1000, 1 << 15, Even) }));
        for count in counts {
            let chunks = count.finish();
            assert!(chunks.len() <= 8 && chunks.iter().all(|c| c.alone == (chunks.len() == 1)), "{chunks:?}");
        }
    }
}

#[test]
fn operations_on_long_rows_count_less() {
    let counted = [0, 1, 4, 7, 8, 16, 31, 32, 128, usize::MAX].map(|row| in_lanes(800, row));
    assert_eq!(counted, [800, 800, 800, 800, 400, 200, 114, 100, 100, 100]);
}

#[test]
fn chunks_are_neither_large_nor_small() {
    for pool in pools() {
        let threads = pool.current_num_threads();
        if threads == 1 {
            continue;
        }
        let sizes = |work| chunks(&pool, 10_000, work, Even).iter().map(|c| c.hi - c.lo).collect::<Vec<_>>();
        let many = sizes(MUCH);
        assert!((threads * 8..=threads * 16).contains(&many.len()), "{many:?}");
        assert!(many.iter().all(|n| n * threads * 8 <= 10_000 + threads * 8), "{many:?}");
        // 2¹⁷ operations are 8 chunks of 2¹⁴.
        assert!((8..=16).contains(&sizes(1 << 17).len()));
    }
}

#[test]
fn small_loops_have_few_chunks() {
    let cases =
        [(1 << 13, 2), (1 << 14, 2), ((1 << 17) - 1, 2), ((1 << 17) - 1, 16), (1 << 17, 2), (1 << 30, 2)];
    let chunks = cases.map(|(work, threads)| worth::chunks(work, threads));
    assert_eq!(chunks, [2, 4, 4, 31, 8, 16]);
}

#[test]
fn heavy_rows_have_chunks_of_their_own() {
    let pos = positions((0..1000).map(|i| if i == 300 || i == 301 { 100_000 } else { i % 4 }));
    let weight = |c: &Bounds| pos[c.hi] - pos[c.lo];
    for pool in pools() {
        let chunks = chunks(&pool, 1000, MUCH, Positions(&pos[..]));
        if pool.current_num_threads() > 1 {
            assert!(chunks.iter().all(|c| weight(c) <= 100_000 + 3 * 1000), "{chunks:?}");
        }
    }
    // A first row that is heavier than all others is split from them.
    let pos = positions([1_000_000, 1, 1, 1]);
    for pool in pools().iter().skip(1) {
        let first = chunks(pool, 4, MUCH, Positions(&pos[..]))[0];
        assert_eq!((first.lo, first.hi), (0, 1));
    }
}

#[test]
fn rows_of_several_operands_are_as_heavy_as_all_of_theirs() {
    let (few, pos) = (positions([1; 1000]), positions((0..1000).map(|i| if i < 10 { 10_000 } else { 1 })));
    for pool in pools().iter().skip(1) {
        let both = (Positions(&few[..]), Positions(&pos[..]));
        for chunks in [chunks(pool, 1000, MUCH, both), chunks(pool, 1000, MUCH, (both.1, both.0))] {
            assert!(chunks.iter().all(|c| c.lo >= 10 || c.hi - c.lo <= 10), "{chunks:?}");
        }
    }
}

#[test]
fn a_panic_comes_back() {
    struct Panics;
    same!(Panics);
    impl Same for Panics {
        fn run(&self, chunk: Chunk<'_>) {
            assert!(!(chunk.lo..chunk.hi).contains(&77), "iteration 77");
        }
    }
    for pool in pools() {
        let run = || {
            // SAFETY: the iterations do nothing.
            pool.install(|| unsafe { threads(Baseline, &Panics, 0..1000, MUCH, Even) });
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
        // The pool is as it was.
        chunks(&pool, 100, MUCH, Even);
    }
}

#[test]
fn every_chunk_is_of_one_instruction_set() {
    #[derive(Default)]
    struct Sets([AtomicUsize; 3]);
    impl Task for Sets {
        type Appended = ();

        unsafe fn run(&self, isa: Level, chunk: Chunk<'_>) {
            self.0[isa as usize - 1].fetch_add(chunk.hi - chunk.lo, Ordering::Relaxed);
        }
    }
    fn check(isa: impl Isa, expected: [usize; 3]) {
        for pool in pools() {
            let task = Sets::default();
            // SAFETY: the iterations only count.
            pool.install(|| unsafe { threads(isa, &task, 3..500, MUCH, Even) });
            assert_eq!(task.0.map(AtomicUsize::into_inner), expected);
        }
    }
    check(Baseline, [497, 0, 0]);
    // SAFETY: the functions do without the instructions that the markers promise.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        check(crate::rt::Avx2::assume(), [0, 497, 0]);
        check(crate::rt::Avx512::assume(), [0, 0, 497]);
    }
}

/// All iterations update a few elements with the same values.
struct Meet<T, M> {
    target: Shared<T>,
    values: Vec<T>,
    monoid: M,
    atomic: bool,
}

impl<T: Element, M: Monoid<T>> Same for Meet<T, M> {
    fn run(&self, chunk: Chunk<'_>) {
        for i in chunk.lo..chunk.hi {
            let (at, value) = (i % self.target.len(), self.values[i % self.values.len()]);
            // SAFETY: in bounds; updates are atomic, or the target is the thread's own.
            unsafe {
                match self.atomic {
                    true => self.target.combine(chunk.alone, at, value, self.monoid),
                    false => self.target.set(at, self.monoid.combine(self.target.at(at), value)),
                }
            }
        }
    }
}

impl<T: Element, M: Monoid<T>> Reducer<T> for Meet<T, M> {
    fn target(&self) -> Shared<T> {
        self.target
    }

    fn with(&self, copy: Shared<T>) -> Self {
        let Meet { values, monoid, atomic, .. } = self;
        Meet { target: copy, values: values.clone(), monoid: *monoid, atomic: *atomic }
    }
}

fn meet<T: Element, M: Monoid<T>>(
    pool: &ThreadPool,
    elements: usize,
    values: &[T],
    m: M,
    atomic: bool,
) -> Vec<T> {
    let mut target = Buffer::full(elements, M::IDENTITY);
    let task = Meet { target: target[..].shared(), values: values.to_vec(), monoid: m, atomic };
    // SAFETY: iterations meet in the target alone, by one monoid.
    pool.install(|| unsafe {
        match atomic {
            true => threads(Baseline, &task, 0..20_000, MUCH, Even),
            false => threads_with_copies(Baseline, &task, m, 0..20_000, MUCH, Even),
        }
    });
    target.into_vec()
}

/// Exact in every type, so that any order gives the same.
fn check<T: Element, M: Monoid<T>>(m: M, values: &[f64]) {
    let values: Vec<T> = values.iter().map(|v| T::from_f64(*v)).collect();
    for elements in [1, 3, 20_000] {
        let mut expected = vec![M::IDENTITY; elements];
        for i in 0..20_000 {
            expected[i % elements] = m.combine(expected[i % elements], values[i % values.len()]);
        }
        for pool in pools() {
            for atomic in [true, false] {
                assert_eq!(meet(&pool, elements, &values, m, atomic), expected);
            }
        }
    }
}

#[test]
fn no_update_is_lost() {
    macro_rules! all {
        ($($t:ident: $($m:ident)*;)*) => {$($(check::<$t, _>($m, values(stringify!($m)));)*)*};
    }
    fn values(op: &str) -> &'static [f64] {
        match op {
            "Mul" => &[1.0, -1.0, 1.0],
            _ => &[3.0, 1.0, 2.0, 0.0, 7.0],
        }
    }
    all! {
        f32: Add Mul Min Max;
        f64: Add Mul Min Max;
        i32: Add Mul Min Max And Or;
        i64: Add Mul Min Max And Or;
        u8: Add Mul Min Max And Or;
        bool: Min Max And Or;
    }
}

#[test]
fn sums_in_copies_have_the_same_bits_each_time() {
    let values: Vec<f64> = (1..1000).map(|n| 1.0 / f64::from(n)).collect();
    // Of few elements on any number of threads.
    let few = meet(&pools()[0], 7, &values, Add, false);
    for pool in pools() {
        let many = meet(&pool, 19_000, &values, Add, false);
        for _ in 0..20 {
            assert_eq!(meet(&pool, 7, &values, Add, false), few);
            assert_eq!(meet(&pool, 19_000, &values, Add, false), many);
        }
    }
}

#[test]
fn a_copy_is_not_worth_more_than_its_chunk() {
    let pool = &pools()[2];
    let alone = |elements: usize, work: usize| {
        let seen = Mutex::new(vec![]);
        struct Seen<'a>(Shared<i32>, &'a Mutex<Vec<bool>>);
        same!(Seen<'_>);
        impl Same for Seen<'_> {
            fn run(&self, chunk: Chunk<'_>) {
                self.1.lock().expect("no panic").push(chunk.alone);
            }
        }
        impl Reducer<i32> for Seen<'_> {
            fn target(&self) -> Shared<i32> {
                self.0
            }
            fn with(&self, copy: Shared<i32>) -> Self {
                Seen(copy, self.1)
            }
        }
        let mut target = Buffer::full(elements, 0);
        let task = Seen(target[..].shared(), &seen);
        // SAFETY: the iterations only say that they ran.
        pool.install(|| unsafe { threads_with_copies(Baseline, &task, Add, 0..1000, work, Even) });
        seen.into_inner().expect("no panic")
    };
    assert_eq!(alone(10, 1 << 20), [false; 64]);
    assert_eq!(alone(1 << 10, 1 << 20), [false; 4]);
    assert_eq!(alone(1 << 18, 1 << 20), [false; 2]);
    assert_eq!(alone(1 << 19, 1 << 20), [true]);
    assert_eq!(alone(10, 1 << 16), [true]);
}
