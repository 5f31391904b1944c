//! A small random generator whose sequence is the same on every machine and for ever, so that a seed in a bug report
//! stays good.

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator for case `number` of a run with this seed.
    pub fn new(seed: u64, number: u64) -> Rng {
        let mut rng = Rng(seed ^ number.wrapping_mul(0xA076_1D64_78BD_642F));
        rng.bits();
        rng
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// A number in `lo..=hi`.
    pub fn between(&mut self, lo: i64, hi: i64) -> i64 {
        lo + (self.bits() % (hi - lo + 1) as u64) as i64
    }

    /// True with this probability in percent.
    pub fn percent(&mut self, p: u32) -> bool {
        self.bits() % 100 < u64::from(p)
    }

    /// A number in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of a non-empty slice.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// One of a non-empty slice of (weight, value), with probability by weight.
    pub fn weighted<T: Copy>(&mut self, from: &[(u32, T)]) -> T {
        let total: u32 = from.iter().map(|(w, _)| w).sum();
        let mut at = self.bits() % u64::from(total);
        for &(w, value) in from {
            if at < u64::from(w) {
                return value;
            }
            at -= u64::from(w);
        }
        from[0].1
    }

    /// A random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for k in (1..items.len()).rev() {
            items.swap(k, self.below(k + 1));
        }
    }
}
