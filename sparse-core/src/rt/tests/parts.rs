//! What loops on threads append, with a bound and without, against the same loop on one thread.

use crate::format::Buffer;
use crate::rt::{
    Appender, Baseline, Chunk, Even, Grower, Grown, Lens, Level, Own, Positions, Shared, Store, Task, append,
    grow, room,
};
use rayon::ThreadPoolBuilder;

const MUCH: usize = 1 << 24;

/// Iteration `i` appends so many numbers, and half as many values; every so often very many.
fn length(i: usize) -> usize {
    match i % 50 {
        7 => 400 + i,
        n => n * 5 % 13,
    }
}

fn number(i: usize, k: usize) -> i32 {
    (i * 1000 + k) as i32
}

/// What the iterations append.
fn expected(n: usize) -> (Vec<i32>, Vec<f64>) {
    let numbers = (0..n).flat_map(|i| (0..length(i)).map(move |k| number(i, k)));
    let values = (0..n).flat_map(|i| (0..length(i) / 2).map(move |k| f64::from(number(i, k))));
    (numbers.collect(), values.collect())
}

/// Where iterations begin that may append so many numbers more than they do.
fn bounds(n: usize, more: usize) -> Vec<usize> {
    let mut begins = vec![0];
    (0..n).for_each(|i| begins.push(begins[i] + length(i) + more));
    begins
}

macro_rules! task {
    ($t:ty, $appended:ty, |$self:ident, $chunk:ident| $run:expr) => {
        impl Task for $t {
            type Appended = $appended;

            unsafe fn run(&self, _: Level, chunk: Chunk<'_>) -> $appended {
                let ($self, $chunk) = (self, chunk);
                $run
            }
        }
    };
}

struct Bounded {
    numbers: Shared<i32>,
    values: Shared<f64>,
}

task!(Bounded, Lens<1>, |task, chunk| {
    let (mut numbers, mut values) = (0, 0);
    for i in chunk.lo..chunk.hi {
        for k in 0..length(i) {
            // SAFETY: there is room for what an iteration appends.
            unsafe {
                task.numbers.set(numbers, number(i, k));
                if k < length(i) / 2 {
                    task.values.set(values, f64::from(number(i, k)));
                }
            }
            numbers += 1;
            values += usize::from(k < length(i) / 2);
        }
    }
    Lens { indices: [numbers], values }
});

impl Appender<f64, 1> for Bounded {
    fn arrays(&self) -> ([Shared<i32>; 1], Shared<f64>) {
        ([self.numbers], self.values)
    }

    fn with(&self, [numbers]: [Shared<i32>; 1], values: Shared<f64>) -> Self {
        Bounded { numbers, values }
    }
}

struct Growing {
    numbers: Own<Grown<i32>>,
    values: Own<Grown<f64>>,
}

task!(Growing, (), |task, chunk| {
    // A list that a thread keeps is there once.
    let mut seen = chunk.home.keep(0, Vec::new);
    assert!(seen.last().is_none_or(|last| *last <= chunk.lo));
    seen.push(chunk.hi);
    // SAFETY: a part's arrays are its own.
    let (numbers, values) = unsafe { (task.numbers.get(), task.values.get()) };
    for i in chunk.lo..chunk.hi {
        for k in 0..length(i) {
            numbers.push(number(i, k));
            if k < length(i) / 2 {
                values.push(f64::from(number(i, k)));
            }
        }
    }
});

impl Grower<f64, 1> for Growing {
    fn arrays(&self) -> ([Own<Grown<i32>>; 1], Own<Grown<f64>>) {
        ([self.numbers], self.values)
    }

    fn with(&self, [numbers]: [Own<Grown<i32>>; 1], values: Own<Grown<f64>>) -> Self {
        Growing { numbers, values }
    }
}

/// On pools of several sizes, several times.
fn runs(f: impl Fn() + Sync) {
    for threads in [1, 2, 3, 8] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        (0..10).for_each(|_| pool.install(&f));
    }
}

#[test]
fn with_a_bound_the_result_is_as_on_one_thread() {
    for n in [0, 1, 2, 60, 1500] {
        let (numbers, values) = expected(n);
        for (more, before) in [(0, 0), (0, 5), (3, 0), (3, 7)] {
            let begins = bounds(n, more);
            runs(|| {
                let mut got = (Buffer::full(before, -1), Buffer::full(before, -1.0));
                got.0.reserve(begins[n]);
                got.1.reserve(begins[n]);
                // SAFETY: the task writes elements.
                let task = unsafe {
                    Bounded { numbers: room(&mut got.0).shared(), values: room(&mut got.1).shared() }
                };
                let lens = Lens { indices: [before], values: before };
                // SAFETY: there is room for the bound.
                unsafe {
                    let end = append(Baseline, &task, lens, |i| begins[i], 0..n, MUCH, Even);
                    got.0.set_len(end.indices[0]);
                    got.1.set_len(end.values);
                }
                assert!(
                    got.0[..before].iter().all(|v| *v == -1) && got.1[..before].iter().all(|v| *v == -1.0)
                );
                assert_eq!((&got.0[before..], &got.1[before..]), (&numbers[..], &values[..]));
            });
        }
    }
}

#[test]
fn without_a_bound_the_result_is_as_on_one_thread_or_counted() {
    let n = 1500;
    let (numbers, values) = expected(n);
    let pos: Vec<i32> = bounds(n, 0).into_iter().map(|b| b as i32).collect();
    for most in [1 << 20, numbers.len() + 1, numbers.len(), values.len() + 1, values.len() - 1, 100, 0] {
        runs(|| {
            let mut got = (Grown::up_to(most), Grown::up_to(most));
            for again in [false, true] {
                let task = Growing { numbers: Own::of(&mut got.0), values: Own::of(&mut got.1) };
                // SAFETY: iterations append to arrays of their own.
                unsafe { grow(Baseline, &task, 0..n, MUCH, Positions(&pos[..])) };
                assert_eq!((got.0.len(), got.1.len()), (numbers.len(), values.len()));
                if !got.0.is_short() && !got.1.is_short() {
                    break;
                }
                assert!(!again, "a length that was counted is enough");
                got = (got.0.again().expect("memory"), got.1.again().expect("memory"));
            }
            let (positions, found) =
                (got.0.into_buffer().expect("memory"), got.1.into_buffer().expect("memory"));
            assert_eq!((&*positions, &*found), (&numbers[..], &values[..]));
        });
    }
}

#[test]
fn what_was_there_before_stays() {
    runs(|| {
        let mut got = (Grown::new(), Grown::new());
        got.0.push_n(3, -1);
        got.1.push(-1.0);
        for round in 0..2 {
            let task = Growing { numbers: Own::of(&mut got.0), values: Own::of(&mut got.1) };
            // SAFETY: iterations append to arrays of their own.
            unsafe { grow(Baseline, &task, 0..300, MUCH, Even) };
            let (numbers, values) = expected(300);
            assert_eq!(got.0.len(), 3 + (round + 1) * numbers.len());
            assert_eq!(got.0[got.0.len() - numbers.len()..], numbers);
            assert_eq!(got.1[got.1.len() - values.len()..], values);
        }
        assert_eq!((&got.0[..3], got.1[0]), (&[-1; 3][..], -1.0));
    });
}
