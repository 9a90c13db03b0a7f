//! Fractions of the points, and the Elo scale.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Neg;

use serde::{Serialize, Serializer};

/// A fraction of the points, from 0 to 1, made or expected.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct ScoreFraction(f64);

/// A difference in strength on the logistic scale, on which 400 points are odds of ten to one.
///
/// A player that is d points stronger expects the fraction 1 / (1 + 10^(-d/400)) of the points
/// (<https://www.chessprogramming.org/Match_Statistics>). The value may be infinite, when a player
/// made all points, and is never NaN; [`Elo::points`] returns finite values only.
///
/// ```
/// use kalah_arena::Elo;
/// let elo = Elo::new(190.848).expect("a number");
/// assert!((elo.expected_score().get() - 0.75).abs() < 1e-5);
/// assert_eq!(elo.to_string(), "+190.8");
/// assert_eq!((-Elo::INFINITE).to_string(), "-infinite");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Elo(f64);

/// Elo points for odds of ten to one.
const ELO_PER_DECADE: f64 = 400.0;

/// Elo points for odds of e to one, 400 / ln 10.
pub(super) const ELO_PER_NEPER: f64 = ELO_PER_DECADE / std::f64::consts::LN_10;

impl ScoreFraction {
    /// Half of the points.
    pub const EVEN: Self = Self(0.5);

    /// Wraps a fraction; `None` unless it is a number from 0 to 1.
    pub fn new(fraction: f64) -> Option<Self> {
        (0.0..=1.0).contains(&fraction).then_some(Self(fraction))
    }

    /// Wraps the result of a calculation, rounded to the range. It must not be NaN.
    pub(super) fn clamped(fraction: f64) -> Self {
        Self(fraction.clamp(0.0, 1.0))
    }

    /// Returns the fraction, from 0 to 1.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Returns the fraction of the other player.
    #[must_use]
    pub fn mirrored(self) -> Self {
        Self(1.0 - self.0)
    }

    /// Returns the Elo difference with this expected score s: 400 log10(s / (1 - s)).
    pub fn elo(self) -> Elo {
        if self.0 <= 0.0 {
            -Elo::INFINITE
        } else if self.0 >= 1.0 {
            Elo::INFINITE
        } else {
            Elo::from_points(ELO_PER_DECADE * (self.0 / (1.0 - self.0)).log10())
        }
    }
}

impl Elo {
    /// Equal strength.
    pub const ZERO: Self = Self(0.0);

    /// The difference after winning all points.
    pub const INFINITE: Self = Self(f64::INFINITY);

    /// Wraps a number of points; `None` unless it is finite.
    pub fn new(points: f64) -> Option<Self> {
        points.is_finite().then(|| Self::from_points(points))
    }

    /// Wraps the result of a calculation, which must not be NaN. Adding 0 turns -0 into +0.
    pub(super) fn from_points(points: f64) -> Self {
        Self(points + 0.0)
    }

    /// Returns the points, `None` if the difference is infinite.
    pub fn points(self) -> Option<f64> {
        self.0.is_finite().then_some(self.0)
    }

    /// Returns the fraction of the points that the first player expects.
    pub fn expected_score(self) -> ScoreFraction {
        // A power that overflows to infinity gives the correct limit 0.
        ScoreFraction(1.0 / (1.0 + 10_f64.powf(-self.0 / ELO_PER_DECADE)))
    }
}

impl Eq for Elo {}

impl PartialOrd for Elo {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Elo {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The difference from the perspective of the other player.
impl Neg for Elo {
    type Output = Self;

    fn neg(self) -> Self {
        Self::from_points(-self.0)
    }
}

/// `75.0 %`; the precision sets the number of decimals.
impl fmt::Display for ScoreFraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(1);
        write!(f, "{:.decimals$} %", self.0 * 100.0)
    }
}

/// Signed: `+12.3`, `-4.0`, `0.0`, `+infinite`; the precision sets the number of decimals.
impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(1);
        match self.points() {
            None if self.0 > 0.0 => f.write_str("+infinite"),
            None => f.write_str("-infinite"),
            Some(points) => {
                let text = format!("{points:+.decimals$}");
                // A value that rounds to zero has no sign.
                let is_zero = text.bytes().all(|byte| b"+-0.".contains(&byte));
                f.write_str(if is_zero { &text[1..] } else { &text })
            }
        }
    }
}

/// A number, or one of the strings `"+infinite"` and `"-infinite"`, as JSON has no infinite
/// numbers.
impl Serialize for Elo {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.points() {
            Some(points) => serializer.serialize_f64(points),
            None => serializer.collect_str(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elo_and_score_convert_into_each_other() {
        // +60 =30 -10 is three to one; three quarters and nine tenths of the points are 191 and
        // 382 Elo: https://www.talkchess.com, 24 June 2012, "EloStat, Bayeselo and Ordo".
        for (fraction, points) in [
            (0.5, 0.0),
            (0.75, 190.8485),
            (0.9, 381.6970),
            (0.25, -190.8485),
        ] {
            let score = ScoreFraction::new(fraction).expect("a fraction");
            let elo = score.elo().points().expect("finite");
            assert!((elo - points).abs() < 1e-4, "{fraction}: {elo}");
            let expected = score.elo().expected_score().get();
            assert!(
                (expected - fraction).abs() < 1e-12,
                "{fraction}: {expected}"
            );
        }
    }

    #[test]
    fn all_and_no_points_are_infinite_elo() {
        let all = ScoreFraction::new(1.0).expect("a fraction");
        assert_eq!(all.elo(), Elo::INFINITE);
        assert_eq!(all.mirrored().elo(), -Elo::INFINITE);
        assert_eq!(Elo::INFINITE.expected_score(), all);
        assert_eq!((-Elo::INFINITE).expected_score(), all.mirrored());
        assert_eq!(Elo::INFINITE.points(), None);
        assert!(-Elo::INFINITE < Elo::ZERO && Elo::ZERO < Elo::INFINITE);
    }

    #[test]
    fn numbers_that_are_not_finite_are_rejected() {
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Elo::new(number), None);
            assert_eq!(ScoreFraction::new(number), None);
        }
        assert_eq!(ScoreFraction::new(1.001), None);
    }

    #[test]
    fn text_has_a_sign_unless_it_is_zero() {
        let text = |points| Elo::new(points).expect("finite").to_string();
        assert_eq!(text(12.34), "+12.3");
        assert_eq!(text(-4.0), "-4.0");
        assert_eq!(text(-0.04), "0.0");
        assert_eq!(text(0.0), "0.0");
        assert_eq!(format!("{:.0}", Elo::INFINITE), "+infinite");
        assert_eq!(
            serde_json::to_string(&-Elo::INFINITE).expect("JSON"),
            "\"-infinite\""
        );
        assert_eq!(serde_json::to_string(&Elo::ZERO).expect("JSON"), "0.0");
        assert_eq!(
            ScoreFraction::new(0.755).expect("a fraction").to_string(),
            "75.5 %"
        );
    }
}
