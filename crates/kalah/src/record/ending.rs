//! What the tags say of the game itself, and that it agrees with the board.

use super::{TagError, Tags};
use crate::{Ending, Outcome, Position, Rules, SeedCount, Setup, Side, Termination};

/// `Result` of a game that is not played to its end.
pub(super) const UNFINISHED_RESULT: &str = "*";
/// `Winner` where nobody won.
const NO_WINNER: &str = "none";
/// `Position` where the tag is missing.
const DEFAULT_START: (u8, u64) = (6, 4);

impl Tags {
    /// The position from which the game starts: what `Rules` and `Position` say, or `cs32` and 6x4
    /// with South to move where they are missing.
    ///
    /// # Errors
    /// What is wrong with either of them.
    pub fn start(&self) -> Result<Position, TagError> {
        let rules = match self.get(Self::RULES) {
            Some(text) => text.parse().map_err(TagError::Rules)?,
            None => Rules::default(),
        };
        let setup = match self.get(Self::POSITION) {
            Some(text) => text.parse().map_err(TagError::Position)?,
            None => Setup::start(DEFAULT_START.0, DEFAULT_START.1),
        };
        setup.position(rules).map_err(TagError::Setup)
    }

    /// `Rules` and `Position` of a game that starts so.
    ///
    /// ```
    /// use kalah::record::Tags;
    /// let start = "<3,1,0,2,2,0,2,2,3> n".parse::<kalah::Setup>()?.position(kalah::Rules::CS32)?;
    /// let tags = Tags::from_start(&start);
    /// assert_eq!(tags.get("Position"), Some("<3,1,0,2,2,0,2,2,3> n"));
    /// assert_eq!(tags.start()?, start);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_start(start: &Position) -> Self {
        let mut tags = Self::new();
        tags.set_unchecked(Self::RULES, start.rules().to_string());
        // The usual kind of start has a name that people know.
        let seeds = Setup::from(start).rows.south[0];
        let text = match Setup::start(start.houses(), seeds).position(start.rules()) {
            Ok(position) if position == *start => format!("{}x{seeds}", start.houses()),
            _ => start.to_string(),
        };
        tags.set_unchecked(Self::POSITION, text);
        tags
    }

    /// Lets `Result`, `Termination` and `Winner` say how a game ended.
    pub(super) fn set_ending(&mut self, ending: Ending) {
        self.set_unchecked(Self::RESULT, result_text(ending.outcome));
        self.set_unchecked(Self::TERMINATION, ending.termination.to_string());
        match ending.termination {
            Termination::Normal | Termination::Unfinished => {
                self.remove(Self::WINNER);
            }
            _ => self.set_unchecked(Self::WINNER, winner_text(ending.winner)),
        }
    }

    /// How a game ended whose board at the end has this outcome, if `Result`, `Termination` and
    /// `Winner` agree with it. A `Result` that leaves it open is made to tell it.
    pub(super) fn resolve_ending(&mut self, outcome: Option<Outcome>) -> Result<Ending, TagError> {
        if let Some(text) = self.get(Self::RESULT) {
            check_result(text, outcome)?;
        }
        let termination = match self.get(Self::TERMINATION) {
            Some(word) => word.parse().map_err(TagError::Termination)?,
            None => ending_from_outcome(outcome).termination,
        };
        if (termination == Termination::Normal) != outcome.is_some() {
            return Err(TagError::TerminationContradicts(termination));
        }
        let told = self.get(Self::WINNER).map(parse_winner).transpose()?;
        let winner = match (outcome, told) {
            (Some(outcome), Some(winner)) if winner != outcome.winner() => {
                return Err(TagError::WinnerContradicts { winner, outcome });
            }
            (Some(outcome), _) => outcome.winner(),
            (None, Some(Some(side))) if termination == Termination::Unfinished => {
                return Err(TagError::WinnerOfUnfinished(side));
            }
            (None, told) => told.flatten(),
        };
        if self.get(Self::RESULT).is_some() {
            self.set_unchecked(Self::RESULT, result_text(outcome));
        }
        Ok(Ending {
            termination,
            winner,
            outcome,
        })
    }
}

/// How a game ended, as far as the board at its end tells.
pub(super) fn ending_from_outcome(outcome: Option<Outcome>) -> Ending {
    Ending {
        termination: match outcome {
            Some(_) => Termination::Normal,
            None => Termination::Unfinished,
        },
        winner: outcome.and_then(Outcome::winner),
        outcome,
    }
}

/// What `Result` says of this outcome.
pub(super) fn result_text(outcome: Option<Outcome>) -> String {
    outcome.map_or_else(
        || UNFINISHED_RESULT.to_owned(),
        |outcome| outcome.to_string(),
    )
}

/// That a result that was written down agrees with the board.
pub(super) fn check_result(text: &str, outcome: Option<Outcome>) -> Result<(), TagError> {
    if text == UNFINISHED_RESULT {
        return Ok(());
    }
    let is_number =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let Some((south, north)) = text
        .split_once('-')
        .filter(|&(south, north)| is_number(south) && is_number(north))
    else {
        return Err(TagError::InvalidResult(text.to_owned()));
    };
    let agrees = |digits: &str, seeds: SeedCount| digits.parse() == Ok(seeds.get());
    match outcome {
        Some(Outcome { stores }) if agrees(south, stores.south) && agrees(north, stores.north) => {
            Ok(())
        }
        _ => Err(TagError::ResultContradicts {
            text: text.to_owned(),
            outcome,
        }),
    }
}

pub(super) fn winner_text(winner: Option<Side>) -> String {
    winner.map_or_else(|| NO_WINNER.to_owned(), |side| side.to_string())
}

fn parse_winner(word: &str) -> Result<Option<Side>, TagError> {
    let sides = Side::ALL.map(Some).into_iter();
    sides
        .chain([None])
        .find(|&winner| winner_text(winner) == word)
        .ok_or_else(|| TagError::InvalidWinner(word.to_owned()))
}
