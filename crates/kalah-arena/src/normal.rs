//! The standard normal distribution.

use std::f64::consts::FRAC_1_SQRT_2;

/// Between plus and minus so many standard deviations lie 95 % of a normal distribution.
pub(crate) const Z_95: f64 = 1.959_963_984_540_054;

/// How much of the distribution lies below `deviations`, Φ: 1/2 erfc(-x/√2), NIST's Digital Library of Mathematical
/// Functions, section 7.20(iii).
pub(crate) fn cdf(deviations: f64) -> f64 {
    libm::erfc(-deviations * FRAC_1_SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values_of_the_distribution() {
        // Abramowitz and Stegun, Handbook of Mathematical Functions, table 26.1.
        for (deviations, share) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (2.0, 0.977_249_868_051_821),
            (-3.0, 0.001_349_898_031_630),
            (Z_95, 0.975),
        ] {
            let found = cdf(deviations);
            assert!((found - share).abs() < 1e-14, "{deviations}: {found}");
        }
    }
}
