//! The compiler's own work on two threads.
//!
//! A user waits for the macro, in a build whose compiler of kernels is not optimised, and a kernel without a schedule has
//! eight programs. Kernels hold spans, which belong to the thread that the Rust compiler runs a macro on; programs do not.
//! So that thread schedules and lowers, and another one goes on with what is lowered.
//!
//! One thread is started and joined each time: between expansions a macro's library may be unloaded.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

/// What the other thread has of a stack, as a program's first thread does: passes follow the depth of what they pass over.
const STACK_BYTES: usize = 8 << 20;

/// What was handed over and is not begun yet.
struct Queue<T> {
    items: VecDeque<(usize, T)>,
    /// Nothing more comes.
    ended: bool,
}

struct Shared<T> {
    queue: Mutex<Queue<T>>,
    changed: Condvar,
}

impl<T> Shared<T> {
    fn queue(&self) -> MutexGuard<'_, Queue<T>> {
        // Nothing that can panic runs while it is locked.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, item: (usize, T)) {
        self.queue().items.push_back(item);
        self.changed.notify_one();
    }

    /// The next item, once there is one; none at the end.
    fn next(&self) -> Option<(usize, T)> {
        let more = |queue: &mut Queue<T>| queue.items.is_empty() && !queue.ended;
        let queue = self.changed.wait_while(self.queue(), more);
        queue.unwrap_or_else(PoisonError::into_inner).items.pop_front()
    }
}

/// Ends the queue however its owner leaves: the other thread would wait for ever.
struct Ending<'a, T>(&'a Shared<T>);

impl<T> Drop for Ending<'_, T> {
    fn drop(&mut self) {
        self.0.queue().ended = true;
        self.0.changed.notify_all();
    }
}

/// What `make` returns, and what `finish` makes of each item that `make` hands over, in their order. Another thread finishes
/// while this one makes; at the end both do. If none can be had, this one does all.
///
/// # Panics
/// As `make` and `finish`.
pub fn finished<T: Send, R: Send, M>(
    make: impl FnOnce(&mut dyn FnMut(T)) -> M,
    finish: impl Fn(T) -> R + Sync,
) -> (M, Vec<R>) {
    let queue = Mutex::new(Queue { items: VecDeque::new(), ended: false });
    let shared = Shared { queue, changed: Condvar::new() };
    let finish_all = || {
        let items = std::iter::from_fn(|| shared.next());
        items.map(|(at, item)| (at, finish(item))).collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let other = Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, finish_all);
        let ending = Ending(&shared);
        let mut made = 0;
        let value = make(&mut |item| {
            shared.push((made, item));
            made += 1;
        });
        drop(ending);
        let mut all = finish_all();
        if let Ok(other) = other {
            all.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        all.sort_unstable_by_key(|(at, _)| *at);
        (value, all.into_iter().map(|(_, finished)| finished).collect())
    })
}

/// What `f` makes of each, in their order; by two threads, if there are several.
///
/// # Panics
/// As `f`.
pub fn map<T: Sync, R: Send>(all: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    match all {
        [] | [_] => all.iter().map(f).collect(),
        _ => finished(|hand_over| all.iter().for_each(hand_over), f).1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn what_is_finished_is_in_order() {
        for len in [0, 1, 2, 100] {
            let make = |hand_over: &mut dyn FnMut(usize)| {
                (0..len).for_each(hand_over);
                "made"
            };
            let (value, all) = finished(make, |n| n * n);
            assert_eq!((value, &all), ("made", &(0..len).map(|n| n * n).collect()));
            let numbers: Vec<_> = (0..len).collect();
            assert_eq!(map(&numbers, |n| n * n), all);
        }
    }

    #[test]
    fn items_are_finished_while_others_are_made() {
        let (done, seen) = std::sync::mpsc::channel();
        let (_, all) = finished(
            |hand_over| {
                hand_over(1);
                // Returns only if the other thread finishes meanwhile.
                assert_eq!(seen.recv(), Ok(1));
                hand_over(2);
            },
            |n| {
                done.send(n).expect("both ends are here");
                n
            },
        );
        assert_eq!(all, [1, 2]);
    }

    #[test]
    fn panics_arrive_and_nothing_hangs() {
        let says = |panic: Box<dyn std::any::Any + Send>| *panic.downcast_ref::<&str>().expect("a message");
        let made = catch_unwind(|| finished(|_: &mut dyn FnMut(u8)| panic!("in make"), |n| n));
        assert_eq!(made.map(|_: ((), _)| ()).map_err(says), Err("in make"));
        let finish = |n: &usize| if *n == 3 { panic!("in finish") } else { *n };
        let finished = catch_unwind(AssertUnwindSafe(|| map(&[1, 2, 3, 4], finish)));
        assert_eq!(finished.map_err(says), Err("in finish"));
    }
}
