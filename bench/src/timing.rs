//! Warm, interleaved timing.
//!
//! Every round gives every implementation a turn of some samples, in an order shuffled anew, so that what else the
//! machine does hits all of them alike. A short call is repeated within a sample. Its turn begins with untimed calls,
//! which bring its data back into the caches that the others have used, and teach the branch predictors: those learn an
//! irregular matrix over hundreds of calls, so that of two equal implementations the one that followed its twin more
//! often used to seem a third faster. What counts is the time that the thread has run, where the system tells it: on a
//! shared machine a clock on the wall counts the turns of other programs too. Calls that run on several threads have no
//! other clock: of their samples only those count in which no thread has waited long for a processor.

use crate::delay;
use std::time::{Duration, Instant};

/// A sample lasts at least this long, by repetition.
const SAMPLE: Duration = Duration::from_millis(2);
/// Samples a turn.
const TURN: usize = 5;
/// How long untimed calls come before.
const WARM_UP: Duration = Duration::from_millis(20);
/// Calls shorter than this are preceded by untimed ones: what takes longer lives neither in caches nor in predictors.
const CACHED: Duration = Duration::from_millis(5);
/// So many untimed calls come before a sample of several threads.
const AWAKE: u32 = 3;
/// A sample is disturbed if the threads have waited for a processor for more than this part of it.
const DISTURBED: f64 = 0.05;
/// So many rounds for each that would do, until enough samples were not disturbed.
const PATIENCE: usize = 6;
/// A case whose medians differ from turn to turn gets so many times the samples and the budget, until their standard error
/// is below this part of them. (What a branch predictor has learned, or where the system has put an array, stays for a turn:
/// of two equal programs one can be a third faster for five samples in a row.)
const MORE: usize = 4;
const PRECISION: f64 = 0.02;
/// If there are fewer such samples, so many count that come next to them.
const FEWEST: usize = 5;

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Samples an implementation; the result is their median.
    pub(crate) samples: usize,
    /// No more samples once a case has taken this long.
    pub(crate) budget: Option<Duration>,
    /// What time is.
    pub(crate) clock: Clock,
}

/// How a call's time is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// The calling thread runs: what it does, no other does.
    Thread,
    /// The wall, while nobody else is in the way.
    Wall,
}

impl Clock {
    fn now(self) -> Duration {
        match self {
            Clock::Thread => thread_time(),
            Clock::Wall => wall_time(),
        }
    }

    fn waited(self) -> Option<Duration> {
        if self == Clock::Wall { delay::waited() } else { None }
    }
}

/// A call's time in seconds, and which part of it threads have waited.
#[derive(Clone, Copy, Debug)]
struct Sample {
    time: f64,
    waited: f64,
}

impl Sample {
    /// Of so many calls.
    fn take(clock: Clock, calls: u32, call: &mut dyn FnMut()) -> Sample {
        let before = clock.waited();
        // Threads that fell asleep while that was asked are to be awake.
        if clock == Clock::Wall {
            (0..AWAKE).for_each(|_| call());
        }
        let start = clock.now();
        (0..calls).for_each(|_| call());
        let time = clock.now().saturating_sub(start).as_secs_f64();
        let waited = match (before, clock.waited()) {
            (Some(before), Some(after)) => after.saturating_sub(before).as_secs_f64() / time.max(1e-9),
            _ => 0.0,
        };
        Sample { time: time / f64::from(calls), waited }
    }
}

/// Has the allocator keep what is freed, for whoever allocates next. Results larger than a limit would otherwise come
/// fresh from the system and go back there call by call, and cost more in page faults than to compute: or not,
/// depending on what else happens to be free at the time.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn keep_memory() {
    // SAFETY: no other thread runs yet. The settings are of the C library's own allocator, which takes any value.
    unsafe {
        libc::mallopt(libc::M_MMAP_MAX, 0);
        // Never: the largest number would still give back what is larger than 2 GiB.
        libc::mallopt(libc::M_TRIM_THRESHOLD, -1);
        // Those of other threads than the first map what is larger than 64 MiB whatever is said here, and give it back.
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Nothing to be done: other allocators have their own ways.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn keep_memory() {}

/// How long this thread has run, from some beginning.
#[cfg(target_os = "linux")]
fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for a write. Every Linux has this clock, so that the call can't fail.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Nothing better is known.
#[cfg(not(target_os = "linux"))]
fn thread_time() -> Duration {
    wall_time()
}

/// How long the program has run.
fn wall_time() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

/// The median time of a call, an implementation each, in seconds.
pub(crate) fn measure(plan: Plan, calls: &mut [&mut dyn FnMut()]) -> Vec<f64> {
    let clock = plan.clock;
    let single: Vec<Duration> = calls
        .iter_mut()
        .map(|call| {
            call();
            let start = clock.now();
            call();
            clock.now().saturating_sub(start)
        })
        .collect();
    let repeats: Vec<u32> =
        single.iter().map(|t| (SAMPLE.as_nanos() / t.as_nanos().max(1)).clamp(1, 100_000) as u32).collect();
    let mut samples = vec![Vec::with_capacity(plan.samples); calls.len()];
    let mut order: Vec<usize> = (0..calls.len()).collect();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let start = Instant::now();
    let turns: Vec<usize> = single.iter().map(|call| turn(*call, plan.budget)).collect();
    let is_uncertain = |samples: &[Vec<Sample>], n: usize| uncertain(&samples[n], turns[n]);
    // However short the time, an implementation has one turn.
    for round in 0..plan.samples.div_ceil(TURN) * PATIENCE {
        let wanted: Vec<usize> = samples
            .iter()
            .enumerate()
            .map(|(n, s)| {
                let wanted = if is_uncertain(&samples, n) { MORE * plan.samples } else { plan.samples };
                wanted.saturating_sub(quiet(s))
            })
            .collect();
        let patience = if (0..calls.len()).any(|n| is_uncertain(&samples, n)) { MORE as u32 } else { 1 };
        if round > 0 && plan.budget.is_some_and(|b| start.elapsed() > b * patience) {
            break;
        }
        if wanted.iter().all(|left| *left == 0) {
            break;
        }
        dice.shuffle(&mut order);
        for &n in &order {
            if wanted[n] == 0 {
                continue;
            }
            if single[n] < CACHED {
                let warm = clock.now() + WARM_UP;
                while clock.now() < warm {
                    (0..repeats[n]).for_each(|_| calls[n]());
                }
            }
            for _ in 0..turns[n].min(wanted[n]) {
                samples[n].push(Sample::take(clock, repeats[n], calls[n]));
            }
        }
    }
    samples.into_iter().map(typical).collect()
}

/// How many samples a turn has of a call that takes this long: fewer if so many would use up the budget alone. What takes
/// seconds has its noise averaged in each.
fn turn(call: Duration, budget: Option<Duration>) -> usize {
    let fit = |budget: Duration| budget.as_nanos() / call.as_nanos().max(1);
    budget.map_or(TURN, |budget| fit(budget).clamp(1, TURN as u128) as usize)
}

/// Do the medians of the turns, of so many samples each, say too little of the median of all?
fn uncertain(samples: &[Sample], turn: usize) -> bool {
    let turns: Vec<f64> =
        samples.chunks(turn).map(|turn| median(turn.iter().map(|s| s.time).collect())).collect();
    let count = turns.len() as f64;
    let mean = turns.iter().sum::<f64>() / count;
    let variance = turns.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / (count - 1.0);
    // Of one turn nothing is known.
    turns.len() > 1 && (variance / count).sqrt() > PRECISION * mean
}

/// How many samples nobody has disturbed.
fn quiet(samples: &[Sample]) -> usize {
    samples.iter().filter(|s| s.waited <= DISTURBED).count()
}

/// The median of the undisturbed samples; of the few least disturbed ones if there are not enough of those.
fn typical(mut samples: Vec<Sample>) -> f64 {
    samples.sort_by(|a, b| a.waited.total_cmp(&b.waited));
    samples.truncate(quiet(&samples).max(FEWEST));
    median(samples.into_iter().map(|s| s.time).collect())
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
        // So long that one call is a sample, and none comes to warm up.
        let long = |calls: &mut usize| {
            *calls += 1;
            let start = Instant::now();
            while start.elapsed() < SAMPLE.max(CACHED) + Duration::from_millis(1) {}
        };
        for (clock, awake) in [(Clock::Thread, 0), (Clock::Wall, AWAKE)] {
            let (mut a, mut b) = (0, 0);
            let plan = Plan { samples: 3, budget: None, clock };
            let times = measure(plan, &mut [&mut || long(&mut a), &mut || long(&mut b)]);
            for (time, calls) in times.into_iter().zip([a, b]) {
                assert!(time >= 1e-3 && calls >= 2 + 3 * (1 + awake as usize), "{time} s, {calls} calls");
            }
        }
    }

    #[test]
    fn turns_fit_the_budget() {
        let (call, second) = (Duration::from_millis(300), Duration::from_secs(1));
        assert_eq!(turn(call, None), TURN);
        assert_eq!(turn(call, Some(10 * second)), TURN);
        assert_eq!(turn(call, Some(second)), 3);
        assert_eq!(turn(5 * second, Some(second)), 1);
    }

    #[test]
    fn turns_that_differ_are_not_enough() {
        let of = |times: &[f64]| {
            let turn = |time: &f64| [Sample { time: *time, waited: 0.0 }; TURN];
            uncertain(&times.iter().flat_map(turn).collect::<Vec<_>>(), TURN)
        };
        assert!(!of(&[]) && !of(&[1.0]) && !of(&[1.0, 1.0, 1.01]));
        assert!(of(&[1.0, 1.5, 1.0]));
        assert!(!of(&[1.0, 1.05].repeat(10)), "many turns tell what few do not");
    }

    #[test]
    fn disturbed_samples_do_not_count() {
        let sample = |time, waited| Sample { time, waited };
        let mut samples = vec![sample(1.0, 0.0); 6];
        samples.extend(vec![sample(9.0, 0.5); 7]);
        assert_eq!(typical(samples), 1.0);
        // Of less than five, the least disturbed ones.
        let samples = (0..7).map(|n| sample(f64::from(n), f64::from(n) * 0.1)).collect();
        assert_eq!(typical(samples), 2.0);
    }
}
