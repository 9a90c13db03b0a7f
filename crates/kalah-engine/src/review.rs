//! Review of a game: what each ply cost.

use kalah::{BySide, Game, Margin, Move, Position, Side};

use crate::analysis::{Bounds, Report};

/// The cost of each ply of a game, as far as it is proven.
///
/// ```
/// use std::time::Duration;
/// use kalah::{Move, Game, House, Position, Rules};
/// use kalah_engine::{Engine, Goal, Limits, Review};
///
/// // House 1 banks nothing, though another house gives a bonus turn.
/// let house = |number| Move::Sow(House::new(number).expect("from 1 to 26"));
/// let start = Position::start(3, 2, Rules::CS32)?;
/// let game = Game::replay(start, [house(1)])?;
/// let mut engine = Engine::new();
/// let limits = Limits { goal: Goal::AllMargins, ..Limits::default() };
/// let review =
///     Review::from_game(&game, |position| engine.analyze(position, limits, &|| Duration::ZERO));
/// let ply = &review.plies[0];
/// let [before, after] = [ply.before, ply.after].map(|value| value.bounds.lower.seeds());
/// assert_eq!(ply.cost.lower.seeds(), before - after);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// The value of the start for the player who began as South.
    pub start: MarginEstimate,
    /// The plies in order.
    pub plies: Vec<ReviewedPly>,
    /// The accuracy of each player, by the side on which that player began.
    pub accuracy: BySide<Accuracy>,
}

/// A ply of a game and its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewedPly {
    /// The side that moved.
    pub side: Side,
    /// The player who moved, by the side on which that player began.
    pub player: Side,
    /// The move.
    pub mv: Move,
    /// The value of the position before the ply for its player.
    pub before: MarginEstimate,
    /// The value of the position after the ply for the same player.
    pub after: MarginEstimate,
    /// The margin of the best move minus that of the move made, at least 0.
    pub cost: Bounds,
    /// The margin of the best move minus that of the worst, in seeds, if the margins of all moves
    /// are proven.
    pub stake: Option<u32>,
    /// The moves with the best proven margin, if it is proven that the ply cost something.
    pub better_moves: Vec<Move>,
}

/// The value of a position for a player: an expected margin within proven bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarginEstimate {
    /// The expected margin.
    pub expected: Margin,
    /// The proven bounds.
    pub bounds: Bounds,
}

/// The result of a game for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GameValue {
    /// Fewer seeds than the opponent.
    Loss,
    /// As many seeds as the opponent.
    Tie,
    /// More seeds than the opponent.
    Win,
}

/// The accuracy of a player: 100 × (1 − cost ÷ stake), over the plies for which the margins of all
/// moves are proven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// The number of plies that count.
    pub plies: u32,
    /// The cost of these plies, in seeds.
    pub cost: u32,
    /// The stake of these plies, in seeds.
    pub stake: u32,
}

impl Review {
    /// Reviews a game from its end to its start. `analyze` returns the bounds of a position, and
    /// those of each move if possible.
    pub fn from_game(game: &Game, mut analyze: impl FnMut(&Position) -> Report) -> Self {
        let plies = game.plies();
        // Whether the players have swapped sides by the end of the game.
        let mut swapped = game.is_swapped();
        let last = game.position();
        let report = analyze(last);
        let mut behind = MarginEstimate::from_report(&report)
            .from_south_perspective(player_on_side(last.to_move(), swapped));
        let mut reviewed = Vec::with_capacity(plies.len());
        for (index, ply) in plies.iter().enumerate().rev() {
            swapped ^= ply.mv == Move::Swap;
            let before = index
                .checked_sub(1)
                .map_or(game.start(), |at| &plies[at].after);
            let player = player_on_side(ply.side, swapped);
            let report = analyze(before);
            let reviewed_ply = ReviewedPly::new(
                &report,
                ply.side,
                player,
                ply.mv,
                behind.from_south_perspective(player),
            );
            behind = reviewed_ply.before.from_south_perspective(player);
            reviewed.push(reviewed_ply);
        }
        reviewed.reverse();
        let accuracy = BySide::from_fn(|player| {
            Accuracy::from_plies(reviewed.iter().filter(|ply| ply.player == player))
        });
        Self {
            start: behind,
            plies: reviewed,
            accuracy,
        }
    }

    /// Iterates over the plies that are proven to have cost something, with their numbers from 1.
    pub fn mistakes(&self) -> impl Iterator<Item = (usize, &ReviewedPly)> {
        (1..).zip(&self.plies).filter(|(_, ply)| ply.is_mistake())
    }

    /// Returns the number of plies whose cost is not proven.
    pub fn unproven_count(&self) -> usize {
        self.plies.iter().filter(|ply| !ply.cost.is_exact()).count()
    }
}

/// Returns the player on `side`, by the side on which that player began.
fn player_on_side(side: Side, swapped: bool) -> Side {
    if swapped { side.opponent() } else { side }
}

impl ReviewedPly {
    /// Reviews a ply, given the `behind` estimate of the position after it for the same player.
    fn new(report: &Report, side: Side, player: Side, mv: Move, behind: MarginEstimate) -> Self {
        let known_bounds = report.bounds_of(mv);
        // Bounds of the position after a move are bounds of the move, and vice versa.
        let after = known_bounds.map_or(behind, |known_bounds| behind.intersect(known_bounds));
        let moves: Vec<(Move, Bounds)> = (report.moves.iter())
            .map(|&(other, bounds)| (other, if other == mv { after.bounds } else { bounds }))
            .collect();
        let best = Bounds {
            lower: moves
                .iter()
                .map(|(_, bounds)| bounds.lower)
                .max()
                .unwrap_or(after.bounds.lower),
            upper: moves
                .iter()
                .map(|(_, bounds)| bounds.upper)
                .max()
                .unwrap_or(after.bounds.upper),
        };
        // The best move is never worse than the move made, even if neither margin is proven.
        let excess = |other: Margin, own: Margin| Margin::new((other.seeds() - own.seeds()).max(0));
        let others = || moves.iter().filter(|&&(other, _)| other != mv);
        let cost = Bounds {
            lower: (others()
                .map(|(_, bounds)| excess(bounds.lower, after.bounds.upper))
                .max())
            .unwrap_or(Margin::ZERO),
            upper: (others()
                .map(|(_, bounds)| excess(bounds.upper, after.bounds.lower))
                .max())
            .unwrap_or(Margin::ZERO),
        };
        let better_moves = if cost.lower > Margin::ZERO {
            moves
                .iter()
                .filter(|(_, bounds)| bounds.lower == best.lower)
                .map(|&(other, _)| other)
                .collect()
        } else {
            Vec::new()
        };
        let worst = moves.iter().map(|(_, bounds)| bounds.lower).min();
        let stake = worst
            .filter(|_| moves.iter().all(|(_, bounds)| bounds.is_exact()))
            .map(|worst| seeds_between(best.upper, worst));
        Self {
            side,
            player,
            mv,
            before: MarginEstimate::from_report(report).intersect(best),
            after,
            cost,
            stake,
            better_moves,
        }
    }

    /// Returns whether it is proven that the ply cost something.
    pub fn is_mistake(&self) -> bool {
        self.cost.lower > Margin::ZERO
    }

    /// Returns the result of the game with best play before and after the ply, if both are proven
    /// and differ.
    pub fn value_change(&self) -> Option<(GameValue, GameValue)> {
        let (from, to) = (self.before.value()?, self.after.value()?);
        (from != to).then_some((from, to))
    }
}

fn seeds_between(one: Margin, other: Margin) -> u32 {
    one.seeds().abs_diff(other.seeds())
}

impl MarginEstimate {
    /// Returns the estimate of a report's position for its side to move.
    fn from_report(report: &Report) -> Self {
        Self {
            expected: report.margin(),
            bounds: report.bounds,
        }
    }

    /// Converts an estimate between `player` and the player who began as South, in either
    /// direction.
    #[must_use]
    pub fn from_south_perspective(self, player: Side) -> Self {
        match player {
            Side::South => self,
            Side::North => Self {
                expected: -self.expected,
                bounds: Bounds {
                    lower: -self.bounds.upper,
                    upper: -self.bounds.lower,
                },
            },
        }
    }

    /// Narrows the bounds by proven ones; keeps them if the two contradict each other.
    fn intersect(self, other: Bounds) -> Self {
        let lower = self.bounds.lower.max(other.lower);
        let upper = self.bounds.upper.min(other.upper);
        if lower > upper {
            return self;
        }
        Self {
            expected: self.expected.clamp(lower, upper),
            bounds: Bounds { lower, upper },
        }
    }

    /// Returns the result of the game with best play, if it is proven.
    pub fn value(self) -> Option<GameValue> {
        GameValue::from_bounds(self.bounds)
    }
}

impl GameValue {
    /// Returns the result that all margins within `bounds` have in common.
    pub fn from_bounds(Bounds { lower, upper }: Bounds) -> Option<Self> {
        if lower > Margin::ZERO {
            Some(Self::Win)
        } else if upper < Margin::ZERO {
            Some(Self::Loss)
        } else {
            (lower == upper).then_some(Self::Tie)
        }
    }
}

impl Accuracy {
    fn from_plies<'a>(plies: impl Iterator<Item = &'a ReviewedPly>) -> Self {
        let mut all = Self::default();
        for ply in plies {
            if let (Some(stake), true) = (ply.stake, ply.cost.is_exact()) {
                all.plies += 1;
                all.cost = all
                    .cost
                    .saturating_add(ply.cost.lower.seeds().unsigned_abs());
                all.stake = all.stake.saturating_add(stake);
            }
        }
        all
    }

    /// Returns the accuracy in percent, from 0 to 100; `None` if nothing was at stake.
    pub fn percent(self) -> Option<f64> {
        (self.stake > 0).then(|| 100.0 * (1.0 - f64::from(self.cost) / f64::from(self.stake)))
    }
}
