use std::fmt::{self, Write as _};

use kalah::{BySide, Ending, IllegalMove, Margin, Outcome, SeedCount, Side, Termination};
use serde::{Deserialize, Serialize};

use crate::stats::GameScore;

/// How a game between programs ended. A player whose fault it was has lost.
///
/// Players are named by the side on which they began, as everywhere where games are counted; a swap exchanges the
/// rows and not the names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "how", deny_unknown_fields)]
pub enum GameEnd {
    /// Played to the end by the rules.
    Normal {
        /// Seeds in the stores at the end, everything swept.
        stores: Stores,
    },
    /// Its margin is proven, and it was counted as that.
    Adjudicated {
        /// South's row, in seeds: what both would come to by playing on without mistakes.
        margin: i32,
    },
    /// A player answered what the rules forbid.
    IllegalMove {
        /// Whose fault.
        by: Side,
        /// What it answered, as it wrote it.
        answer: String,
        /// Why the rules forbid it.
        reason: String,
        /// In which position, as text.
        position: String,
    },
    /// A player's program ended by itself.
    Crash {
        /// Whose fault.
        by: Side,
        /// How it ended, as the system says it: an exit status or a signal.
        status: String,
        /// The last that it wrote on standard error.
        #[serde(rename = "last_words")]
        stderr_tail: String,
    },
    /// A player's program stopped answering, far beyond its time.
    Stall {
        /// Whose fault.
        by: Side,
        /// For how long it was waited, in milliseconds.
        waited_ms: u64,
    },
    /// A player answered after its time.
    TimeLoss {
        /// Whose fault.
        by: Side,
        /// By how much too late, in milliseconds.
        late_ms: u64,
    },
    /// A player broke the protocol.
    ProtocolError {
        /// Whose fault.
        by: Side,
        /// What was wrong, with what it wrote.
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
    /// Of a game that was played to its end.
    pub fn normal(outcome: Outcome) -> Self {
        let BySide { south, north } = outcome.stores;
        Self::Normal {
            stores: Stores {
                south: south.get(),
                north: north.get(),
            },
        }
    }

    /// Of a game whose margin is proven, told of South's row.
    pub fn adjudicated(margin: Margin) -> Self {
        Self::Adjudicated {
            margin: margin.seeds(),
        }
    }

    /// Of a game in which `by` answered something illegal.
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

    /// What a record calls it.
    pub fn termination(&self) -> Termination {
        match self {
            Self::Normal { .. } => Termination::Normal,
            Self::Adjudicated { .. } => Termination::Adjudicated,
            Self::IllegalMove { .. } => Termination::Illegal,
            Self::Crash { .. } => Termination::Crash,
            Self::Stall { .. } => Termination::Stall,
            Self::TimeLoss { .. } => Termination::Time,
            Self::ProtocolError { .. } => Termination::Protocol,
        }
    }

    /// The player whose fault it was, by the side on which it began; `None` if it was nobody's.
    pub fn side_at_fault(&self) -> Option<Side> {
        match self {
            Self::Normal { .. } | Self::Adjudicated { .. } => None,
            Self::IllegalMove { by, .. }
            | Self::Crash { by, .. }
            | Self::Stall { by, .. }
            | Self::TimeLoss { by, .. }
            | Self::ProtocolError { by, .. } => Some(*by),
        }
    }

    /// What South's row made more than North's, where the seeds decided.
    pub fn margin(&self) -> Option<Margin> {
        match self {
            Self::Normal { stores } => Some(stores.margin()),
            Self::Adjudicated { margin } => Some(Margin::new(*margin)),
            _ => None,
        }
    }

    /// What the game brought the player that began on `side`. `is_swapped` says whether the two have exchanged rows.
    pub fn score(&self, side: Side, is_swapped: bool) -> GameScore {
        let Some(margin) = self.margin() else {
            return if self.side_at_fault() == Some(side) {
                GameScore::Loss
            } else {
                GameScore::Win
            };
        };
        let is_south = (side == Side::South) != is_swapped;
        let own = if is_south { margin } else { -margin };
        match own.cmp(&Margin::ZERO) {
            std::cmp::Ordering::Less => GameScore::Loss,
            std::cmp::Ordering::Equal => GameScore::Draw,
            std::cmp::Ordering::Greater => GameScore::Win,
        }
    }

    /// What a record says, with the winner by its row at the end. `is_swapped` says whether the two have exchanged
    /// rows.
    pub fn ending(&self, is_swapped: bool) -> Ending {
        let winner = Side::ALL.into_iter().find(|&row| {
            let began = if is_swapped { row.opponent() } else { row };
            self.score(began, is_swapped) == GameScore::Win
        });
        Ending {
            termination: self.termination(),
            winner,
            outcome: match self {
                Self::Normal { stores } => Some(stores.outcome()),
                _ => None,
            },
        }
    }
}

impl Stores {
    fn margin(self) -> Margin {
        Margin::new(i32::from(self.south) - i32::from(self.north))
    }

    /// As the game has it.
    pub fn outcome(self) -> Outcome {
        let count = |seeds| SeedCount::new(u64::from(seeds)).unwrap_or(SeedCount::MAX);
        Outcome {
            stores: BySide::new(count(self.south), count(self.north)),
        }
    }
}

/// For people: `25-23`, `adjudicated +4`, `illegal move by South: ...`.
impl fmt::Display for GameEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Normal { stores } => stores.outcome().fmt(f),
            Self::Adjudicated { margin } => write!(f, "adjudicated {}", Margin::new(*margin)),
            Self::IllegalMove {
                by,
                answer,
                reason,
                position,
            } => {
                let answer = EscapeControl(answer);
                write!(
                    f,
                    "illegal move by {by}: `{answer}` in {position}: {reason}"
                )
            }
            Self::Crash {
                by,
                status,
                stderr_tail: last_words,
            } => {
                write!(f, "crash of {by}: {status}")?;
                match last_words.lines().next_back() {
                    Some(line) => write!(f, ", last words `{}`", EscapeControl(line)),
                    None => Ok(()),
                }
            }
            Self::Stall { by, waited_ms } => {
                write!(f, "stall of {by}: no answer for {waited_ms} ms")
            }
            Self::TimeLoss { by, late_ms } => write!(f, "time loss of {by}: {late_ms} ms too late"),
            Self::ProtocolError { by, message } => {
                write!(f, "protocol error of {by}: {}", EscapeControl(message))
            }
        }
    }
}

/// What others wrote, without characters that would do something to a terminal; what is escaped already stays as it is.
struct EscapeControl<'a>(&'a str);

impl fmt::Display for EscapeControl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| {
            if matches!(character, '\\' | '\'' | '"') {
                f.write_char(character)
            } else {
                character.escape_debug().fmt(f)
            }
        })
    }
}
