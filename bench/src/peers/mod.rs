//! The libraries that are measured beside our kernels, each behind the same plain slices.

pub(crate) mod cusparse;
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
    + ::faer::traits::ComplexField
    + ::faer::traits::Conjugate<Canonical = Self>
    + mkl::Element
    + gcc::Element
{
}

impl Scalar for f32 {}
impl Scalar for f64 {}
