//! How long this program's threads have waited for a processor: on a shared machine, what separates a call's own time
//! from other programs' turns, where a call runs on several threads.

use std::time::Duration;

/// The waits of all threads together, from some beginning; `None` where the system doesn't tell.
#[cfg(target_os = "linux")]
pub(crate) fn waited() -> Option<Duration> {
    let mut total = 0;
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        // A thread may end meanwhile.
        let Ok(text) = std::fs::read_to_string(thread.ok()?.path().join("schedstat")) else { continue };
        total += second(&text)?;
    }
    Some(Duration::from_nanos(total))
}

/// Nothing is known.
#[cfg(not(target_os = "linux"))]
pub(crate) fn waited() -> Option<Duration> {
    None
}

/// `schedstat` has the time on a processor, the time waited for one, and the number of turns.
#[cfg(any(target_os = "linux", test))]
fn second(text: &str) -> Option<u64> {
    text.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_field_counts() {
        assert_eq!(second("71 56934 1\n"), Some(56934));
        assert_eq!(second("71"), None);
    }
}
