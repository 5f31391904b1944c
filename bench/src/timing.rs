//! Warm, interleaved timing.
//!
//! Every round gives every implementation a turn of some samples, in an order shuffled anew, so that what else the
//! machine does hits all of them alike. A short call is repeated within a sample. Its turn begins with untimed calls,
//! which bring its data back into the caches that the others have used, and teach the branch predictors: those learn an
//! irregular matrix over hundreds of calls, so that of two equal implementations the one that followed its twin more
//! often used to seem a third faster. What counts is the time that the thread has run, where the system tells it: on a
//! shared machine a clock on the wall counts the turns of other programs too.

use std::time::{Duration, Instant};

/// A sample lasts at least this long, by repetition.
const SAMPLE: Duration = Duration::from_millis(2);
/// Samples a turn.
const TURN: usize = 5;
/// How long untimed calls come before.
const WARM_UP: Duration = Duration::from_millis(20);
/// Calls shorter than this are preceded by untimed ones: what takes longer lives neither in caches nor in predictors.
const CACHED: Duration = Duration::from_millis(5);

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Samples an implementation; the result is their median.
    pub(crate) samples: usize,
    /// No more samples once a case has taken this long.
    pub(crate) budget: Option<Duration>,
}

/// Has the allocator keep what is freed, for whoever allocates next. Results larger than a limit would otherwise come
/// fresh from the system and go back there call by call, and cost more in page faults than to compute: or not,
/// depending on what else happens to be free at the time.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn keep_memory() {
    // SAFETY: no other thread runs yet. The two settings are of the C library's own allocator, which takes any value.
    unsafe {
        libc::mallopt(libc::M_MMAP_MAX, 0);
        libc::mallopt(libc::M_TRIM_THRESHOLD, libc::c_int::MAX);
    }
}

/// Nothing to be done: other allocators have their own ways.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn keep_memory() {}

/// How long this thread has run, from some beginning.
#[cfg(target_os = "linux")]
fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for a write. Every Linux has this clock, so that the call can't fail.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// How long the program has run.
#[cfg(not(target_os = "linux"))]
fn now() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

/// The median time of a call, an implementation each, in seconds.
pub(crate) fn measure(plan: Plan, calls: &mut [&mut dyn FnMut()]) -> Vec<f64> {
    let single: Vec<Duration> = calls
        .iter_mut()
        .map(|call| {
            call();
            let start = now();
            call();
            now().saturating_sub(start)
        })
        .collect();
    let repeats: Vec<u32> =
        single.iter().map(|t| (SAMPLE.as_nanos() / t.as_nanos().max(1)).clamp(1, 100_000) as u32).collect();
    let mut samples = vec![Vec::with_capacity(plan.samples); calls.len()];
    let mut order: Vec<usize> = (0..calls.len()).collect();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let start = Instant::now();
    // However short the time, an implementation has one turn.
    for round in 0..plan.samples.div_ceil(TURN) {
        if round > 0 && plan.budget.is_some_and(|b| start.elapsed() > b) {
            break;
        }
        dice.shuffle(&mut order);
        for &n in &order {
            if single[n] < CACHED {
                let warm = now() + WARM_UP;
                while now() < warm {
                    (0..repeats[n]).for_each(|_| calls[n]());
                }
            }
            for _ in 0..TURN.min(plan.samples - samples[n].len()) {
                let start = now();
                (0..repeats[n]).for_each(|_| calls[n]());
                samples[n].push(now().saturating_sub(start).as_secs_f64() / f64::from(repeats[n]));
            }
        }
    }
    samples.into_iter().map(median).collect()
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    let middle = samples.len() / 2;
    match samples.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => samples[middle],
        _ => (samples[middle - 1] + samples[middle]) / 2.0,
    }
}

/// A small generator of the same numbers every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    fn shuffle(&mut self, order: &mut [usize]) {
        for n in (1..order.len()).rev() {
            order.swap(n, self.below(n + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(vec![]).is_nan());
    }

    #[test]
    fn every_call_is_sampled() {
        let (mut a, mut b) = (0u32, 0u32);
        let plan = Plan { samples: 3, budget: None };
        let times = measure(plan, &mut [&mut || a += 1, &mut || b += 1]);
        assert_eq!(times.len(), 2);
        assert!(a > 3 && b > 3 && times.iter().all(|t| *t >= 0.0));
    }
}
