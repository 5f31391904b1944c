//! The libraries that are measured beside our kernels, each behind the same plain slices.

pub(crate) mod cusparse;
#[cfg_attr(not(feature = "faer"), path = "without_faer.rs")]
pub(crate) mod faer;
pub(crate) mod gcc;
pub(crate) mod mkl;
pub(crate) mod sprs;

use crate::real::Real;

/// What the libraries ask of an element type.
pub(crate) trait Scalar:
    Real
    + crate::kernels::ours::Ours
    + crate::scheduled::Scheduled
    + num_traits::Zero
    + ::sprs::MulAcc
    + faer::Element
    + mkl::Element
    + gcc::Element
{
}

impl Scalar for f32 {}
impl Scalar for f64 {}
