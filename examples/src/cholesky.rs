//! Solving small symmetric systems.

/// The factor L of a symmetric positive matrix, `L·Lᵀ`.
pub struct Cholesky {
    n: usize,
    /// Row-major; what is above the diagonal is not read.
    lower: Vec<f64>,
}

impl Cholesky {
    /// Factors a row-major matrix of size `n`, with a little added to the diagonal, so that a matrix that is singular
    /// but for rounding does not fail. `None` if it is not positive, or not finite.
    pub fn new(n: usize, matrix: &[f64]) -> Option<Self> {
        let trace: f64 = (0..n).map(|i| matrix[i * n + i]).sum();
        let ridge = 1e-12 * trace + f64::MIN_POSITIVE;
        let mut lower = matrix.to_vec();
        for i in 0..n {
            for j in 0..=i {
                let known: f64 = (0..j).map(|k| lower[i * n + k] * lower[j * n + k]).sum();
                let rest = lower[i * n + j] - known;
                lower[i * n + j] = if i > j {
                    rest / lower[j * n + j]
                } else {
                    let pivot = rest + ridge;
                    (pivot > 0.0 && pivot.is_finite()).then(|| pivot.sqrt())?
                };
            }
        }
        Some(Cholesky { n, lower })
    }

    /// Replaces the right-hand side by the solution.
    pub fn solve(&self, x: &mut [f64]) {
        let (n, lower) = (self.n, &self.lower);
        for i in 0..n {
            let known: f64 = (0..i).map(|k| lower[i * n + k] * x[k]).sum();
            x[i] = (x[i] - known) / lower[i * n + i];
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|k| lower[k * n + i] * x[k]).sum();
            x[i] = (x[i] - known) / lower[i * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cholesky;

    #[test]
    fn solves() {
        let system = Cholesky::new(2, &[4.0, 2.0, 2.0, 3.0]).unwrap();
        let mut x = [8.0, 7.0];
        system.solve(&mut x);
        assert!((x[0] - 1.25).abs() < 1e-9 && (x[1] - 1.5).abs() < 1e-9, "{x:?}");
    }

    #[test]
    fn refuses_what_is_not_positive() {
        assert!(Cholesky::new(2, &[1.0, 2.0, 2.0, 1.0]).is_none());
        assert!(Cholesky::new(1, &[f64::NAN]).is_none());
        assert!(Cholesky::new(2, &[1.0; 4]).is_some());
    }
}
