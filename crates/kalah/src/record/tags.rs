use std::fmt;

use thiserror::Error;

use super::quoted::EscapedText;
use crate::position::Position;
use crate::referee::{Ending, ParseTerminationError, Termination};
use crate::rules::{ParseRulesError, Rules};
use crate::setup::{ParseSetupError, Setup, SetupError};
use crate::side::Side;
use crate::types::{Outcome, SeedCount};

/// The tag pairs of a record: names and what they say, each name once, in the order of the text.
///
/// A name is letters, digits and underscores of ASCII, in either case; what it says is any text.
///
/// ```
/// use kalah::record::Tags;
/// let mut tags = Tags::new();
/// tags.set("South", "Marge")?;
/// tags.set("Event", "Saturday")?;
/// assert_eq!(tags.get("South"), Some("Marge"));
/// assert_eq!(tags.to_string(), "[Event \"Saturday\"]\n[South \"Marge\"]\n");
/// # Ok::<(), kalah::record::TagError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(Vec<(String, String)>);

impl Tags {
    /// The tags that this project knows, in the order in which it writes them.
    pub const KNOWN: [&str; 11] = [
        Self::EVENT,
        Self::SITE,
        Self::DATE,
        Self::ROUND,
        Self::SOUTH,
        Self::NORTH,
        Self::RULES,
        Self::POSITION,
        Self::RESULT,
        Self::TERMINATION,
        Self::WINNER,
    ];
    /// The match or tournament. Free text.
    pub const EVENT: &str = "Event";
    /// Where it was played. Free text.
    pub const SITE: &str = "Site";
    /// When it was played. Free text.
    pub const DATE: &str = "Date";
    /// Which game of the event it was. Free text.
    pub const ROUND: &str = "Round";
    /// Who began as South. Free text.
    pub const SOUTH: &str = "South";
    /// Who began as North. Free text.
    pub const NORTH: &str = "North";
    /// The [`Rules`](crate::Rules).
    pub const RULES: &str = "Rules";
    /// The [`Setup`](crate::Setup) from which the game started.
    pub const POSITION: &str = "Position";
    /// The seeds at the end, or `*`.
    pub const RESULT: &str = "Result";
    /// The [`Termination`](crate::Termination).
    pub const TERMINATION: &str = "Termination";
    /// `South`, `North` or `none`.
    pub const WINNER: &str = "Winner";

    /// No tags.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Tags whose names are known to be right, each there once.
    pub(super) fn from_checked(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What a tag says.
    pub fn get(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(known, _)| known == name)?;
        Some(value)
    }

    /// Names and what they say, in the order of the text.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &str)> + Clone {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Lets a tag say `value`. One that is there already stays at its place; a new one of
    /// [`Tags::KNOWN`] goes before those that come later in that list and before the unknown ones,
    /// and a new unknown one goes to the end.
    ///
    /// # Errors
    /// If `name` cannot be a name.
    pub fn set(&mut self, name: &str, value: impl Into<String>) -> Result<(), TagError> {
        if !is_tag_name(name) {
            return Err(TagError::InvalidName(name.to_owned()));
        }
        self.set_unchecked(name, value.into());
        Ok(())
    }

    /// [`Tags::set`] with a name that is known to be right.
    pub(super) fn set_unchecked(&mut self, name: &str, value: String) {
        if let Some((_, old)) = self.0.iter_mut().find(|(known, _)| known == name) {
            *old = value;
            return;
        }
        let rank = |name: &str| {
            let known = Self::KNOWN.iter().position(|&known| known == name);
            known.unwrap_or(Self::KNOWN.len())
        };
        let later = self
            .0
            .iter()
            .position(|(other, _)| rank(other) > rank(name));
        let place = later.unwrap_or(self.0.len());
        self.0.insert(place, (name.to_owned(), value));
    }

    /// Takes a tag away and returns what it said.
    pub fn remove(&mut self, name: &str) -> Option<String> {
        let place = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(place).1)
    }
}

/// Whether a tag can be called so.
pub(super) fn is_tag_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_tag_name_byte)
}

pub(super) fn is_tag_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The tag section of a record: a line for each tag. In what a tag says, `\"` stands for a quote,
/// `\\` for a backslash, and `\n` and `\r` for the two characters that end lines.
impl fmt::Display for Tags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.iter() {
            write!(f, "[{name} \"")?;
            let mut rest = value;
            while let Some(place) = rest.find(['"', '\\', '\n', '\r']) {
                let (plain, special) = rest.split_at(place);
                f.write_str(plain)?;
                f.write_str(match special.as_bytes()[0] {
                    b'"' => "\\\"",
                    b'\\' => "\\\\",
                    b'\n' => "\\n",
                    _ => "\\r",
                })?;
                rest = &special[1..];
            }
            writeln!(f, "{rest}\"]")?;
        }
        Ok(())
    }
}

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

/// Why tags are not those of a game, or contradict its board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TagError {
    /// A text that cannot be a tag's name.
    #[error("`{}` cannot be a tag: a name is letters, digits and underscores", EscapedText(.0))]
    InvalidName(String),
    /// The same name twice.
    #[error("the tag {} is there twice", EscapedText(.0))]
    Repeated(String),
    /// `Rules` names none.
    #[error("the tag Rules: {}", EscapedText(&.0.to_string()))]
    Rules(ParseRulesError),
    /// `Position` cannot be read.
    #[error(
        "the tag Position `{}`, character {}: {}",
        EscapedText(&.0.text),
        .0.character,
        EscapedText(&.0.reason.to_string())
    )]
    Position(ParseSetupError),
    /// `Position` cannot be played.
    #[error("the tag Position: {0}")]
    Setup(SetupError),
    /// `Result`, or the token that closes the game, is neither `*` nor two numbers.
    #[error("`{}` is no result: it is `*`, or South's and North's seeds, such as `25-23`", EscapedText(.0))]
    InvalidResult(String),
    /// `Result`, or the token that closes the game, says something else than the board.
    #[error("the result `{}` contradicts the board: {}", EscapedText(text), describe_outcome(*outcome))]
    ResultContradicts {
        /// What is written.
        text: String,
        /// The end of the game, unless it is unfinished.
        outcome: Option<Outcome>,
    },
    /// `Termination` is none of the words.
    #[error("the tag Termination: {}", EscapedText(&.0.to_string()))]
    Termination(ParseTerminationError),
    /// `Termination` says that the game was played to its end and it was not, or the reverse.
    #[error("the tag Termination says `{}`, but the game was {}", .0, describe_actual_end(*.0))]
    TerminationContradicts(Termination),
    /// `Winner` is none of the words.
    #[error("the tag Winner: `{}` is none of South, North, none", EscapedText(.0))]
    InvalidWinner(String),
    /// `Winner` says something else than the seeds.
    #[error("the tag Winner says `{}`, but the seeds are {outcome}", winner_text(*winner))]
    WinnerContradicts {
        /// Who is said to have won.
        winner: Option<Side>,
        /// The end of the game.
        outcome: Outcome,
    },
    /// `Winner` names a side, and the game is unfinished.
    #[error(
        "the tag Winner says `{0}`, but the game is unfinished: a Termination must say how it was decided"
    )]
    WinnerOfUnfinished(Side),
    /// `Rules` and `Position` are not those of the game.
    #[error("the tags Rules and Position say another start than that of the game")]
    StartMismatch,
}

impl TagError {
    /// The tag that is wrong, if it is one.
    pub(super) fn tag_name(&self) -> Option<&str> {
        Some(match self {
            Self::InvalidName(name) | Self::Repeated(name) => name,
            Self::Rules(_) => Tags::RULES,
            Self::Position(_) | Self::Setup(_) => Tags::POSITION,
            Self::InvalidResult(_) | Self::ResultContradicts { .. } => Tags::RESULT,
            Self::Termination(_) | Self::TerminationContradicts(_) => Tags::TERMINATION,
            Self::InvalidWinner(_)
            | Self::WinnerContradicts { .. }
            | Self::WinnerOfUnfinished(_) => Tags::WINNER,
            Self::StartMismatch => return None,
        })
    }
}

/// What a board says of the result.
fn describe_outcome(outcome: Option<Outcome>) -> String {
    match outcome {
        Some(outcome) => format!("it is `{outcome}`"),
        None => "the game was not played to its end".to_owned(),
    }
}

/// What a game was that cannot have ended so.
fn describe_actual_end(termination: Termination) -> &'static str {
    match termination {
        Termination::Normal => "not played to its end",
        _ => "played to its end, which is `normal`",
    }
}
