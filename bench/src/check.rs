//! What a result has to be: sums in `f64`, and how far a sum in another order and precision may be from them.

use crate::real::Real;

/// Values in the order of the output, each with the error that it may have.
pub(crate) struct Reference {
    value: Vec<f64>,
    allowed: Vec<f64>,
}

impl Reference {
    /// Sums of products: `terms` of them at `value`, of which `magnitude` is the sum of absolute values.
    pub(crate) fn builder<T: Real>(len: usize) -> Builder {
        let zeros = || vec![0.0; len];
        Builder { value: zeros(), lost: zeros(), magnitude: zeros(), epsilon: T::EPSILON, least: T::LEAST }
    }

    /// Is every value near enough? `got(n)` is the result's value `n`. Near NaN is NaN alone, and near an infinity that one.
    pub(crate) fn accepts<T: Real>(&self, got: impl Fn(usize) -> T) -> Result<(), String> {
        for (n, (value, allowed)) in self.value.iter().zip(&self.allowed).enumerate() {
            let got = got(n).to_f64();
            let right = match (value.is_nan(), value.is_infinite()) {
                (true, _) => got.is_nan(),
                (_, true) => got == *value,
                _ => (got - value).abs() <= *allowed,
            };
            if !right {
                return Err(format!("value {n} is {got:e}, expected {value:e} ± {allowed:e}"));
            }
        }
        Ok(())
    }
}

/// A [`Reference`] in the making.
pub(crate) struct Builder {
    value: Vec<f64>,
    /// What the additions have rounded away: a sum of as many terms as a matrix has would be as wrong as what is checked.
    lost: Vec<f64>,
    magnitude: Vec<f64>,
    epsilon: f64,
    least: f64,
}

impl Builder {
    /// Adds a product to value `n`.
    #[inline(always)]
    pub(crate) fn add(&mut self, n: usize, product: f64) {
        accumulate(&mut self.value[n], &mut self.lost[n], product);
        self.magnitude[n] += product.abs();
    }

    /// Adds `scale` times a row to the values from `n` on.
    pub(crate) fn add_row<T: Real>(&mut self, n: usize, scale: f64, row: &[T]) {
        for (n, x) in (n..).zip(row) {
            self.add(n, scale * x.to_f64());
        }
    }

    /// `terms(n)`: how many products value `n` is made of. Rounding errors of a sum grow like the root of that, and
    /// hardly ever reach four times the root; each is relative to the magnitude, or the least number there is.
    pub(crate) fn finish(self, terms: impl Fn(usize) -> usize) -> Reference {
        let Builder { mut value, lost, magnitude: mut allowed, epsilon, least } = self;
        value.iter_mut().zip(lost).filter(|(v, _)| v.is_finite()).for_each(|(v, lost)| *v += lost);
        for (n, magnitude) in allowed.iter_mut().enumerate() {
            *magnitude = (*magnitude * epsilon + least) * (8.0 + 4.0 * (terms(n) as f64).sqrt());
        }
        Reference { value, allowed }
    }
}

/// Adds, and keeps what rounding loses (Neumaier 1974).
#[inline(always)]
fn accumulate(sum: &mut f64, lost: &mut f64, x: f64) {
    let (before, all) = (*sum, *sum + x);
    *lost += if before.abs() >= x.abs() { (before - all) + x } else { (x - all) + before };
    *sum = all;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_value_is_named() {
        let mut builder = Reference::builder::<f32>(2);
        builder.add(0, 2.0);
        builder.add_row(0, 0.5, &[2.0f32, 4.0]);
        let reference = builder.finish(|_| 2);
        assert_eq!(reference.accepts(|n| [3.0f32, 2.0][n]), Ok(()));
        assert!(reference.accepts(|n| [3.0f32, 2.1][n]).unwrap_err().contains("value 1"));
        assert!(reference.accepts(|_| f32::NAN).is_err());
    }

    #[test]
    fn many_terms_lose_nothing() {
        let mut builder = Reference::builder::<f64>(1);
        builder.add(0, 1e16);
        (0..1000).for_each(|_| builder.add(0, 1.0));
        builder.add(0, -1e16);
        assert_eq!(builder.finish(|_| 1).value, [1000.0]);
    }

    #[test]
    fn what_is_not_finite_is_right_alone() {
        let mut builder = Reference::builder::<f32>(3);
        builder.add_row(0, f64::INFINITY, &[0.0f32, -1.0, 1.0]);
        let reference = builder.finish(|_| 1);
        let right = [f32::NAN, f32::NEG_INFINITY, f32::INFINITY];
        assert_eq!(reference.accepts(|n| right[n]), Ok(()));
        for n in 0..3 {
            for wrong in [f32::NAN, f32::NEG_INFINITY, f32::INFINITY, f32::MAX, 0.0] {
                let got = |at: usize| if at == n { wrong } else { right[at] };
                let same = wrong == right[n] || wrong.is_nan() && right[n].is_nan();
                assert_eq!(reference.accepts(got).is_ok(), same, "{wrong} for {}", right[n]);
            }
        }
    }

    #[test]
    fn what_is_too_small_for_the_type_may_vanish() {
        let mut builder = Reference::builder::<f32>(1);
        builder.add(0, 1e-50);
        assert_eq!(builder.finish(|_| 1).accepts(|_| 0.0f32), Ok(()));
    }
}
