//! Launches that directly follow others ([`Launch::follows`]): a device need not wait until one has ended to start the next.

#[cfg(doc)]
use crate::llir::Launch;
use crate::llir::Step;

/// Says so of each of a program's launches.
pub(in super::super) fn mark_following(steps: &mut [Step]) {
    let mut after_launch = false;
    for step in steps {
        match step {
            Step::Launch(launch) => launch.follows = std::mem::replace(&mut after_launch, true),
            other => after_launch &= other.between(),
        }
    }
}
