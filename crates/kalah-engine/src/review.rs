//! Review of a game: what each ply cost.

use kalah::{BySide, Game, Margin, Move, Position, Side};

use crate::report::{Bounds, Report};

/// What the plies of a game cost, as far as that is proven.
///
/// ```
/// use std::time::Duration;
/// use kalah::{Move, Game, House, Position, Rules};
/// use kalah_engine::{Engine, Goal, Limits, Review};
///
/// // South sows a house that banks nothing, though another one gives a bonus turn. All is proven here.
/// let house = |number| Move::Sow(House::new(number).expect("from 1 to 26"));
/// let start = Position::start(3, 2, Rules::CS32)?;
/// let game = Game::replay(start, [house(1)])?;
/// let mut engine = Engine::new();
/// let limits = Limits { goal: Goal::AllMargins, ..Limits::default() };
/// let review = Review::new(&game, |position| engine.analyse(position, limits, &|| Duration::ZERO));
/// let ply = &review.plies[0];
/// assert_eq!(ply.cost.lower.seeds(), ply.before.bounds.lower.seeds() - ply.after.bounds.lower.seeds());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// What the start is worth to the player who began as South.
    pub start: MarginEstimate,
    /// Its plies, in order.
    pub plies: Vec<ReviewedPly>,
    /// How well each played, by the side on which a player began.
    pub accuracy: BySide<Accuracy>,
}

/// A ply of a game, and what it cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewedPly {
    /// Where the player sat who made it.
    pub side: Side,
    /// Who made it, by the side on which that player began.
    pub player: Side,
    /// What was chosen.
    pub mv: Move,
    /// What the position before it was worth to its player.
    pub before: MarginEstimate,
    /// What is left to its player.
    pub after: MarginEstimate,
    /// The seeds of margin that it gave away: nothing or more.
    pub cost: Bounds,
    /// What the best choice was worth more than the worst, in seeds, if the margin of every choice is proven.
    pub stake: Option<u32>,
    /// Where it is proven that it cost something: the choices of which most is proven.
    pub better_moves: Vec<Move>,
}

/// What a position is worth to a player: a margin that is expected, within what is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarginEstimate {
    /// What is expected.
    pub expected: Margin,
    /// What is proven.
    pub bounds: Bounds,
}

/// How a game ends for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GameValue {
    /// With fewer seeds than the other.
    Loss,
    /// With as many.
    Tie,
    /// With more.
    Win,
}

/// How much of what was at stake a player kept: 100 × (1 − seeds lost ÷ seeds at stake), over the plies of which the
/// margin of every choice is proven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// The plies that count.
    pub plies: u32,
    /// The seeds that they gave away.
    pub cost: u32,
    /// The seeds that they could have given away.
    pub stake: u32,
}

impl Review {
    /// Looks back on a game, from its end to its start; `analyse` tells what is known of a position, of each choice if
    /// it can.
    pub fn from_game(game: &Game, mut analyse: impl FnMut(&Position) -> Report) -> Self {
        let plies = game.plies();
        // By the seats that the players have once the game is over.
        let mut swapped = game.is_swapped();
        let last = game.position();
        let report = analyse(last);
        let mut behind = MarginEstimate::from_report(&report)
            .from_south_perspective(player_on_side(last.to_move(), swapped));
        let mut reviewed = Vec::with_capacity(plies.len());
        for (index, ply) in plies.iter().enumerate().rev() {
            swapped ^= ply.mv == Move::Swap;
            let before = index
                .checked_sub(1)
                .map_or(game.start(), |at| &plies[at].after);
            let player = player_on_side(ply.side, swapped);
            let report = analyse(before);
            let looked = ReviewedPly::new(
                &report,
                ply.side,
                player,
                ply.mv,
                behind.from_south_perspective(player),
            );
            behind = looked.before.from_south_perspective(player);
            reviewed.push(looked);
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

    /// The plies that are proven to have cost something, in order, with their numbers, from 1.
    pub fn mistakes(&self) -> impl Iterator<Item = (usize, &ReviewedPly)> {
        (1..).zip(&self.plies).filter(|(_, ply)| ply.is_mistake())
    }

    /// Of how many plies it is not proven what they cost.
    pub fn unproven_count(&self) -> usize {
        self.plies.iter().filter(|ply| !ply.cost.is_exact()).count()
    }
}

/// Who sits on `side`, by the side on which that player began.
fn player_on_side(side: Side, swapped: bool) -> Side {
    if swapped { side.opponent() } else { side }
}

impl ReviewedPly {
    /// `behind` is what is known of the position after the choice, for its player.
    fn new(report: &Report, side: Side, player: Side, mv: Move, behind: MarginEstimate) -> Self {
        let listed = report.bounds_of(mv);
        // What is known of the position behind a choice is known of the choice, and the other way round.
        let after = listed.map_or(behind, |listed| behind.intersect(listed));
        let moves: Vec<(Move, Bounds)> = (report.moves.iter())
            .map(|&(other, bounds)| (other, if other == mv { after.bounds } else { bounds }))
            .collect();
        let best = Bounds {
            lower: moves
                .iter()
                .map(|(_, of)| of.lower)
                .max()
                .unwrap_or(after.bounds.lower),
            upper: moves
                .iter()
                .map(|(_, of)| of.upper)
                .max()
                .unwrap_or(after.bounds.upper),
        };
        // The best choice is never worse than the one that was made, even if neither is proven.
        let more = |other: Margin, own: Margin| Margin::new((other.seeds() - own.seeds()).max(0));
        let others = || moves.iter().filter(|&&(other, _)| other != mv);
        let cost = Bounds {
            lower: (others()
                .map(|(_, of)| more(of.lower, after.bounds.upper))
                .max())
            .unwrap_or(Margin::ZERO),
            upper: (others()
                .map(|(_, of)| more(of.upper, after.bounds.lower))
                .max())
            .unwrap_or(Margin::ZERO),
        };
        let better_moves = if cost.lower > Margin::ZERO {
            moves
                .iter()
                .filter(|(_, of)| of.lower == best.lower)
                .map(|&(other, _)| other)
                .collect()
        } else {
            Vec::new()
        };
        let worst = moves.iter().map(|(_, of)| of.lower).min();
        let stake = worst
            .filter(|_| moves.iter().all(|(_, of)| of.is_exact()))
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

    /// Whether it is proven that it cost something.
    pub fn is_mistake(&self) -> bool {
        self.cost.lower > Margin::ZERO
    }

    /// How the game would have ended for its player and how it ends after it, both with best play, if both are proven
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
    /// What is known of the position of a report, for the side to move.
    fn from_report(report: &Report) -> Self {
        Self {
            expected: report.expected_margin(),
            bounds: report.bounds,
        }
    }

    /// The same for the player who began as South, if this is told of `player`, and the other way round.
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

    /// What this and a proof tell together; if they contradicted each other, this would hold.
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

    /// How the game ends with best play, if that is proven.
    pub fn value(self) -> Option<GameValue> {
        GameValue::from_bounds(self.bounds)
    }
}

impl GameValue {
    /// How a game ends for the player whose margin lies within `bounds`, if they tell.
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

    /// In percent, from 0 to 100; `None` if nothing was at stake.
    pub fn percent(self) -> Option<f64> {
        (self.stake > 0).then(|| 100.0 * (1.0 - f64::from(self.cost) / f64::from(self.stake)))
    }
}
