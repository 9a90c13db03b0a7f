use std::cmp::Ordering;
use std::fmt;
use std::ops::Neg;

use serde::{Serialize, Serializer};

/// A share of the points, from 0 to 1, that a player made or can expect.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct ScoreFraction(f64);

/// How much stronger one player is than another, on the logistic scale: 400 points more are ten to one.
///
/// With d points more a player expects the share 1 / (1 + 10^(-d/400)) of the points
/// (<https://www.chessprogramming.org/Match_Statistics>). All of the points are infinitely many Elo: that is a
/// value here, and [`Elo::finite`] the only way to a number, which is never NaN.
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

/// Points for odds of ten to one.
const ELO_PER_DECADE: f64 = 400.0;

impl ScoreFraction {
    /// Half of the points.
    pub const EVEN: Self = Self(0.5);

    /// `None` if it is no number from 0 to 1.
    pub fn new(share: f64) -> Option<Self> {
        (0.0..=1.0).contains(&share).then_some(Self(share))
    }

    /// The nearest share to what a calculation gave, which is never NaN.
    pub(crate) fn clamped(share: f64) -> Self {
        Self(share.clamp(0.0, 1.0))
    }

    /// The share.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// The same, told of the other player.
    #[must_use]
    pub fn mirrored(self) -> Self {
        Self(1.0 - self.0)
    }

    /// The Elo for which this is the expected score: 400 log10(s / (1 - s)).
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
    /// As strong as the other.
    pub const ZERO: Self = Self(0.0);

    /// More than any number: one has won everything.
    pub const INFINITE: Self = Self(f64::INFINITY);

    /// `None` if it is no finite number.
    pub fn new(points: f64) -> Option<Self> {
        points.is_finite().then(|| Self::from_points(points))
    }

    /// Of what a calculation gave, which is never NaN. There is one zero.
    pub(crate) fn from_points(points: f64) -> Self {
        Self(points + 0.0)
    }

    /// The points, `None` if they are infinitely many.
    pub fn points(self) -> Option<f64> {
        self.0.is_finite().then_some(self.0)
    }

    /// The share of the points that the stronger one can expect.
    pub fn expected_score(self) -> ScoreFraction {
        // Where a power overflows to infinity the quotient is 0, as it should be.
        ScoreFraction(1.0 / (1.0 + 10_f64.powf(-self.0 / ELO_PER_DECADE)))
    }
}

/// Points for odds of e to one, 400 / ln 10.
pub(crate) const ELO_PER_NEPER: f64 = ELO_PER_DECADE / std::f64::consts::LN_10;

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

/// The same, told of the other player.
impl Neg for Elo {
    type Output = Self;

    fn neg(self) -> Self {
        Self::from_points(-self.0)
    }
}

/// `75.0 %`; with a precision, so many decimals.
impl fmt::Display for ScoreFraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(1);
        write!(f, "{:.decimals$} %", self.0 * 100.0)
    }
}

/// With its sign: `+12.3`, `-4.0`, `0.0`, `+infinite`; with a precision, so many decimals.
impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(1);
        match self.points() {
            None if self.0 > 0.0 => f.write_str("+infinite"),
            None => f.write_str("-infinite"),
            Some(points) => {
                let text = format!("{points:+.decimals$}");
                // What is rounded to nothing has no sign.
                let is_zero = text.bytes().all(|byte| b"+-0.".contains(&byte));
                f.write_str(if is_zero { &text[1..] } else { &text })
            }
        }
    }
}

/// A number, or `"+infinite"` and `"-infinite"`, which JSON has no number for.
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
    fn elo_and_score_are_two_scales_of_one_thing() {
        // +60 =30 -10 is three to one, and three quarters and nine tenths are 191 and 382 points, as
        // https://www.talkchess.com of 24 June 2012, "EloStat, Bayeselo and Ordo", has it.
        for (share, points) in [
            (0.5, 0.0),
            (0.75, 190.8485),
            (0.9, 381.6970),
            (0.25, -190.8485),
        ] {
            let score = ScoreFraction::new(share).expect("a share");
            let elo = score.elo().points().expect("finite");
            assert!((elo - points).abs() < 1e-4, "{share}: {elo}");
            let back = score.elo().expected_score().get();
            assert!((back - share).abs() < 1e-12, "{share}: {back}");
        }
    }

    #[test]
    fn everything_and_nothing_are_infinitely_many_points() {
        let all = ScoreFraction::new(1.0).expect("a share");
        assert_eq!(all.elo(), Elo::INFINITE);
        assert_eq!(all.mirrored().elo(), -Elo::INFINITE);
        assert_eq!(Elo::INFINITE.expected_score(), all);
        assert_eq!((-Elo::INFINITE).expected_score(), all.mirrored());
        assert_eq!(Elo::INFINITE.points(), None);
        assert!(-Elo::INFINITE < Elo::ZERO && Elo::ZERO < Elo::INFINITE);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Elo::new(number), None);
            assert_eq!(ScoreFraction::new(number), None);
        }
        assert_eq!(ScoreFraction::new(1.001), None);
    }

    #[test]
    fn text_has_a_sign_unless_it_is_nothing() {
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
            ScoreFraction::new(0.755).expect("a share").to_string(),
            "75.5 %"
        );
    }
}
