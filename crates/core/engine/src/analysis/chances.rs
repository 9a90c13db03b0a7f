//! The chances of the results of a game, from an estimated margin.

use kalah::{Margin, Position, SeedCount};

use super::report::{Bounds, MoveReport, Report};
use crate::review::GameValue;

/// The probabilities that a player wins, ties and loses a game, in thousandths.
///
/// A result that the bounds of the margin prove has probability 1. The other chances follow from
/// the estimated margin and the seeds in play, by [`ResultModel::FITTED`], and none of them is more
/// than 999 thousandths.
///
/// ```
/// use kalah::{Margin, Position, Rules};
/// use kalah_engine::{Bounds, ResultChances};
///
/// let start = Position::start(6, 4, Rules::CS32)?;
/// let bounds = Bounds { lower: Margin::new(-48), upper: Margin::new(48) };
/// let chances = ResultChances::from_estimate(Margin::new(4), bounds, &start);
/// assert!(chances.win() > chances.loss());
/// assert_eq!(chances.win() + chances.tie() + chances.loss(), ResultChances::TOTAL);
///
/// let bounds = Bounds { lower: Margin::new(2), ..bounds };
/// assert_eq!(ResultChances::from_estimate(Margin::new(4), bounds, &start).win(), 1000);
/// # Ok::<(), kalah::SetupError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResultChances {
    win: u16,
    tie: u16,
    loss: u16,
}

impl ResultChances {
    /// The sum of the three probabilities.
    pub const TOTAL: u16 = 1000;

    /// Creates the chances from thousandths; `None` unless they add up to [`Self::TOTAL`].
    pub fn new(win: u16, tie: u16, loss: u16) -> Option<Self> {
        let sum = u32::from(win) + u32::from(tie) + u32::from(loss);
        (sum == u32::from(Self::TOTAL)).then_some(Self { win, tie, loss })
    }

    /// Returns the chances of a player in `position` whose estimated margin is `estimate`, within
    /// these proven bounds.
    pub fn from_estimate(estimate: Margin, bounds: Bounds, position: &Position) -> Self {
        let model = ResultModel::FITTED;
        let scale = model.error_scale(position.houses(), position.seeds_in_play());
        let [win, loss] = model.win_and_loss(bounds.nearest_margin(estimate), bounds, scale);
        let win = thousandths(win);
        let loss = thousandths(loss).min(Self::TOTAL - win);
        Self {
            win,
            tie: Self::TOTAL - win - loss,
            loss,
        }
    }

    /// The probability of a win.
    pub fn win(self) -> u16 {
        self.win
    }

    /// The probability of a tie.
    pub fn tie(self) -> u16 {
        self.tie
    }

    /// The probability of a loss.
    pub fn loss(self) -> u16 {
        self.loss
    }

    /// Returns the expected points in thousandths, where a win is worth a point and a tie half a
    /// point; half a thousandth is left out.
    pub fn points(self) -> u16 {
        self.win + self.tie / 2
    }

    /// Returns the probability of a win in percent, rounded down, but at least 1 unless a win is
    /// excluded.
    pub fn win_percent(self) -> u16 {
        const THOUSANDTHS_PER_PERCENT: u16 = 10;
        (self.win / THOUSANDTHS_PER_PERCENT).max(self.win.min(1))
    }

    /// Returns the chances of the opponent.
    #[must_use]
    pub fn opponent(self) -> Self {
        Self {
            win: self.loss,
            tie: self.tie,
            loss: self.win,
        }
    }
}

/// Rounds a probability.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number from 0 to 1000"
)]
fn thousandths(probability: f64) -> u16 {
    (probability * f64::from(ResultChances::TOTAL)).round() as u16
}

/// The probabilities of results as a function of an estimated margin and the seeds in play.
///
/// The final margin is the estimate plus an error with a logistic distribution, whose scale grows
/// with the seeds in play and the houses. All margins of a game are odd, or all are even; if they
/// are even, a final margin within `tie_width` of zero is a tie.
///
/// Every processor computes the same probabilities: only operations that IEEE 754 defines to the
/// last bit are used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResultModel {
    /// The scale of the error, in seeds, without the two terms below.
    pub scale: f64,
    /// The growth of the scale with each seed in play.
    pub scale_per_seed: f64,
    /// The growth of the scale with each house of a side.
    pub scale_per_house: f64,
    /// The greatest distance of a tie from zero, in seeds.
    pub tie_width: f64,
}

/// The least scale of the error in seeds.
const MIN_SCALE: f64 = 0.6;

/// The greatest probability of a result that is not proven.
const MAX_UNPROVEN: f64 = 0.999;

/// The mean distance in seeds by which [`Bounds::nearest_margin`] has moved an estimate towards a
/// tie: half of all estimates have the wrong parity, and are moved by one seed.
const PARITY_SHIFT: f64 = 0.5;

/// The least distance of an estimate from a tie, in seeds, for which the mean shift is undone. Such
/// an estimate was equal or one seed further from a tie before it was moved. An estimate of 0 was
/// −1, 0 or 1, and one of 1 was 0, 1 or 2, so that they are not moved on average. An estimate of −1
/// counts like 1, because both sides have the same chances.
const MIN_SHIFTED_MARGIN: u32 = 2;

impl ResultModel {
    /// The model that `cargo network chances --games 16000 --nodes 2000 --seed 1` has fitted to
    /// 8,000 games; `docs/analysis.md` compares it with the results of 8,000 others.
    pub const FITTED: Self = Self {
        scale: -1.173,
        scale_per_seed: 0.05451,
        scale_per_house: 0.105,
        tie_width: 1.156,
    };

    /// Returns the scale of the error of an estimate, in seeds.
    pub fn error_scale(self, houses: u8, seeds_in_play: SeedCount) -> f64 {
        let seeds = self.scale_per_seed * f64::from(seeds_in_play.get());
        let houses = self.scale_per_house * f64::from(houses);
        (self.scale + seeds + houses).max(MIN_SCALE)
    }

    /// Returns the probabilities of a win and of a loss, given an estimate of the parity of the
    /// bounds and the scale of its error. Results that the bounds exclude have probability 0.
    pub fn win_and_loss(self, estimate: Margin, bounds: Bounds, error_scale: f64) -> [f64; 2] {
        let estimate = estimate.seeds();
        let tie_width = if estimate % 2 == 0 {
            self.tie_width
        } else {
            0.0
        };
        let shift = if estimate.unsigned_abs() >= MIN_SHIFTED_MARGIN {
            PARITY_SHIFT * f64::from(estimate.signum())
        } else {
            0.0
        };
        let margin = f64::from(estimate) + shift;
        let win = logistic((margin - tie_width) / error_scale);
        let loss = logistic((-margin - tie_width) / error_scale);
        match GameValue::from_bounds(bounds) {
            Some(GameValue::Win) => [1.0, 0.0],
            Some(GameValue::Tie) => [0.0, 0.0],
            Some(GameValue::Loss) => [0.0, 1.0],
            None if bounds.lower == Margin::ZERO => [(win / (1.0 - loss)).min(MAX_UNPROVEN), 0.0],
            None if bounds.upper == Margin::ZERO => [0.0, (loss / (1.0 - win)).min(MAX_UNPROVEN)],
            None => [win, loss],
        }
    }
}

/// Returns 1 / (1 + e^−x), but at most the greatest probability of a result that is not proven, and
/// at least that of its contrary.
fn logistic(x: f64) -> f64 {
    /// The logarithm of [`MAX_UNPROVEN`] / (1 − [`MAX_UNPROVEN`]), rounded down.
    const MAX: f64 = 6.906;
    1.0 / (1.0 + exponential(-x.clamp(-MAX, MAX)))
}

/// Returns e^x for numbers of a few units, as (e^(x ÷ 1024))^1024.
fn exponential(x: f64) -> f64 {
    const SQUARINGS: u32 = 10;
    let small = x / f64::from(1 << SQUARINGS);
    let power = 1.0 + small * (1.0 + small * (0.5 + small / 6.0));
    (0..SQUARINGS).fold(power, |power, _| power * power)
}

impl Report {
    /// Returns the chances of the side to move in `position`, which the report is about; `None` if
    /// the result is not proven and no node has been searched.
    pub fn chances(&self, position: &Position) -> Option<ResultChances> {
        let is_known = self.nodes > 0 || GameValue::from_bounds(self.bounds).is_some();
        is_known.then(|| ResultChances::from_estimate(self.raw_margin, self.bounds, position))
    }
}

impl MoveReport {
    /// Returns the chances that the side to move in `position` has with this move.
    pub fn chances(&self, position: &Position) -> ResultChances {
        ResultChances::from_estimate(self.estimate, self.bounds, position)
    }
}
