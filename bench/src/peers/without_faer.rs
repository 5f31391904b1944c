//! Without the feature `faer` nothing is asked of an element type.

/// Any is one.
pub(crate) trait Element {}

impl Element for f32 {}
impl Element for f64 {}
