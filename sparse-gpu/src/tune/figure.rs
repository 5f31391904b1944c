//! Times, and where they are from: a prediction and a measurement are two types.

use std::fmt;
use std::time::Duration;

/// A kernel's time with its origin.
pub trait Figure: Copy + fmt::Debug + fmt::Display + sealed::Sealed {
    /// `measured` or `predicted`.
    const ORIGIN: &'static str;

    /// The time.
    fn time(&self) -> Duration;

    /// Of a time that was written down as being of this origin.
    #[doc(hidden)]
    fn remembered(time: Duration) -> Self;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Measured {}
    impl Sealed for super::Predicted {}
}

/// A time that a GPU took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Measured(pub Duration);

/// A time that a model expects; no GPU has run anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Predicted(pub Duration);

macro_rules! figure {
    ($name:ident, $origin:literal) => {
        impl Figure for $name {
            const ORIGIN: &'static str = $origin;

            fn time(&self) -> Duration {
                self.0
            }

            fn remembered(time: Duration) -> Self {
                $name(time)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:.2} µs {}", self.0.as_secs_f64() * 1e6, Self::ORIGIN)
            }
        }
    };
}

figure!(Measured, "measured");
figure!(Predicted, "predicted");
