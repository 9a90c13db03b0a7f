//! The ways in which a game between programs can end.

use std::fmt;

use kalah::{
    BySide, Ending, Game, IllegalMove, Margin, Outcome, PlayerId, Quoted, SeedCount, Side,
    Termination,
};
use serde::{Deserialize, Serialize};

use crate::stats::GameScore;

/// How a game between programs ended. A player at fault has lost.
///
/// A player is identified by the side on which it began. A swap exchanges the rows, but not these
/// sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum GameEnd {
    /// The game was played to its end by the rules.
    Normal {
        /// Seeds in the stores at the end, after the sweep.
        stores: Stores,
    },
    /// The game was stopped because its margin is proven.
    Adjudicated {
        /// The margin of South's row under perfect play, in seeds.
        margin: i32,
    },
    /// Both players estimated that one of them loses by many seeds, which resigned.
    Resignation {
        /// The player that loses.
        by: Side,
        /// The lower one of both estimates, in seeds.
        seeds: u32,
    },
    /// A player answered with an illegal move.
    IllegalMove {
        /// The player at fault.
        by: Side,
        /// The answer as the player wrote it.
        answer: String,
        /// Why the rules forbid it.
        reason: String,
        /// The text of the position.
        position: String,
    },
    /// A player's program exited or closed its output.
    Crash {
        /// The player at fault.
        by: Side,
        /// The exit status or signal, as the operating system names it.
        status: String,
        /// The end of the program's standard error.
        stderr_tail: String,
    },
    /// A player's program did not answer long after its time was over.
    Stall {
        /// The player at fault.
        by: Side,
        /// The time since the request, in milliseconds.
        waited_ms: u64,
    },
    /// A player answered after its time was over.
    TimeLoss {
        /// The player at fault.
        by: Side,
        /// The delay, in milliseconds.
        late_ms: u64,
    },
    /// A player violated the protocol.
    ProtocolError {
        /// The player at fault.
        by: Side,
        /// The violation, with a quotation of the player's output.
        message: String,
    },
}

/// The stores at the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stores {
    /// Seeds in South's store.
    pub south: u16,
    /// Seeds in North's store.
    pub north: u16,
}

impl GameEnd {
    /// Creates the end of a game that was played to its end.
    pub fn normal(outcome: Outcome) -> Self {
        let BySide { south, north } = outcome.stores;
        Self::Normal {
            stores: Stores {
                south: south.get(),
                north: north.get(),
            },
        }
    }

    /// Creates the end of a game with a proven margin of South's row.
    pub fn adjudicated(margin: Margin) -> Self {
        Self::Adjudicated {
            margin: margin.seeds(),
        }
    }

    /// Creates the end of a game in which `by` answered with an illegal move.
    pub fn illegal_move(
        by: Side,
        answer: impl Into<String>,
        reason: IllegalMove,
        position: &kalah::Position,
    ) -> Self {
        Self::IllegalMove {
            by,
            answer: answer.into(),
            reason: reason.to_string(),
            position: position.to_string(),
        }
    }

    /// Returns the value of a record's tag `Termination`.
    pub fn termination(&self) -> Termination {
        match self {
            Self::Normal { .. } => Termination::Normal,
            Self::Adjudicated { .. } => Termination::Adjudicated,
            Self::Resignation { .. } => Termination::Resign,
            Self::IllegalMove { .. } => Termination::Illegal,
            Self::Crash { .. } => Termination::Crash,
            Self::Stall { .. } => Termination::Stall,
            Self::TimeLoss { .. } => Termination::Time,
            Self::ProtocolError { .. } => Termination::Protocol,
        }
    }

    /// Returns the player at fault, by the side on which it began, if there is one.
    pub fn side_at_fault(&self) -> Option<Side> {
        match self {
            Self::Normal { .. } | Self::Adjudicated { .. } | Self::Resignation { .. } => None,
            Self::IllegalMove { by, .. }
            | Self::Crash { by, .. }
            | Self::Stall { by, .. }
            | Self::TimeLoss { by, .. }
            | Self::ProtocolError { by, .. } => Some(*by),
        }
    }

    /// Returns the player that has lost without a margin, by the side on which it began.
    fn loser_without_margin(&self) -> Option<Side> {
        match self {
            Self::Resignation { by, .. } => Some(*by),
            _ => self.side_at_fault(),
        }
    }

    /// Returns the margin of South's row, if the seeds decided the game.
    pub fn margin(&self) -> Option<Margin> {
        match self {
            Self::Normal { stores } => Some(stores.margin()),
            Self::Adjudicated { margin } => Some(Margin::new(*margin)),
            _ => None,
        }
    }

    /// Returns the score of the player that began on `side`. `is_swapped` tells whether the players
    /// have exchanged rows.
    pub fn score(&self, side: Side, is_swapped: bool) -> GameScore {
        let Some(margin) = self.margin() else {
            return if self.loser_without_margin() == Some(side) {
                GameScore::Loss
            } else {
                GameScore::Win
            };
        };
        let own_margin = match PlayerId::new(side).side(is_swapped) {
            Side::South => margin,
            Side::North => -margin,
        };
        match own_margin.cmp(&Margin::ZERO) {
            std::cmp::Ordering::Less => GameScore::Loss,
            std::cmp::Ordering::Equal => GameScore::Tie,
            std::cmp::Ordering::Greater => GameScore::Win,
        }
    }

    /// Returns the ending for the record of `game`, with the winner by its row at the end.
    pub fn ending(&self, game: &Game) -> Ending {
        let winner = Side::ALL.into_iter().find(|&row| {
            let player = game.player_on(row);
            self.score(player.started_as, game.is_swapped()) == GameScore::Win
        });
        Ending {
            termination: self.termination(),
            winner,
            outcome: match self {
                Self::Normal { stores } => Some(stores.outcome()),
                Self::Adjudicated { margin } => {
                    Outcome::from_margin(Margin::new(*margin), game.start().total())
                }
                _ => None,
            },
        }
    }
}

impl Stores {
    fn margin(self) -> Margin {
        Margin::new(i32::from(self.south) - i32::from(self.north))
    }

    /// Converts the stores to the outcome of a game.
    pub fn outcome(self) -> Outcome {
        let count = |seeds| SeedCount::new(u64::from(seeds)).unwrap_or(SeedCount::MAX);
        Outcome {
            stores: BySide::new(count(self.south), count(self.north)),
        }
    }
}

/// Text for people: `25-23`, `adjudicated +4`, `illegal move by South: ...`.
impl fmt::Display for GameEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Normal { stores } => stores.outcome().fmt(f),
            Self::Adjudicated { margin } => write!(f, "adjudicated {}", Margin::new(*margin)),
            Self::Resignation { by, seeds } => write!(
                f,
                "resignation of {by}: both players estimate a loss by {seeds} seeds or more"
            ),
            Self::IllegalMove {
                by,
                answer,
                reason,
                position,
            } => {
                let answer = quote(answer);
                write!(f, "illegal move by {by}: {answer} in {position}: {reason}")
            }
            Self::Crash {
                by,
                status,
                stderr_tail,
            } => {
                write!(f, "crash of {by}: {status}")?;
                match stderr_tail.lines().next_back() {
                    Some(line) => write!(f, ", last line on stderr {}", quote(line)),
                    None => Ok(()),
                }
            }
            Self::Stall { by, waited_ms } => {
                write!(f, "stall of {by}: no answer for {waited_ms} ms")
            }
            Self::TimeLoss { by, late_ms } => write!(f, "time loss of {by}: {late_ms} ms too late"),
            Self::ProtocolError { by, message } => {
                write!(f, "protocol error of {by}: {}", quote(message).as_str())
            }
        }
    }
}

/// Quotes a program's output in full length. Backslashes and quotes are not escaped, so that text
/// that is escaped already remains unchanged.
fn quote(text: &str) -> Quoted {
    Quoted::with_max_chars(text, usize::MAX)
}
