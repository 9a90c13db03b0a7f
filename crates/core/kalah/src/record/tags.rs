//! The tags of a record, what they say of the game, and their errors.

use std::fmt;
use std::time::{Duration, SystemTime};

use thiserror::Error;

use crate::game::referee::{Ending, ParseTerminationError, Termination};
use crate::message_text::Quoted;
use crate::position::Position;
use crate::position::setup::{ParseSetupError, Setup, SetupError};
use crate::rules::{ParseRulesError, Rules};
use crate::side::{BySide, Side};
use crate::types::{Outcome, SeedCount};

/// The tag pairs of a record, names and values, each name once, in the order of the text.
///
/// A name consists of ASCII letters, digits and underscores; a value is any text.
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

/// The length of a date such as `2026-11-29`, with which a time of RFC 3339 begins.
const DATE_LENGTH: usize = 10;

/// The days from the Unix epoch to the end of the year 9999.
const DAYS_WITH_DATES: u64 = 2_932_897;

impl Tags {
    /// The tags with a meaning or a conventional use, in the order in which they are written.
    pub const KNOWN: [&str; 14] = [
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
        Self::TIME_CONTROL,
        Self::OPENING_PLIES,
        Self::ANNOTATOR,
    ];
    /// The match or tournament; free text.
    pub const EVENT: &str = "Event";
    /// The place of the game; free text.
    pub const SITE: &str = "Site";
    /// The date of the game; free text, by convention as [`Tags::date_text`] writes it.
    pub const DATE: &str = "Date";
    /// The round of the event; free text.
    pub const ROUND: &str = "Round";
    /// The name of the player that began as South; free text.
    pub const SOUTH: &str = "South";
    /// The name of the player that began as North; free text.
    pub const NORTH: &str = "North";
    /// The [`Rules`](crate::Rules).
    pub const RULES: &str = "Rules";
    /// The [`Setup`](crate::Setup) from which the game started.
    pub const POSITION: &str = "Position";
    /// The seeds at the end, those of an adjudication included, or `*`.
    pub const RESULT: &str = "Result";
    /// The [`Termination`](crate::Termination).
    pub const TERMINATION: &str = "Termination";
    /// `South`, `North` or `none`.
    pub const WINNER: &str = "Winner";
    /// The time of the players: free text, such as the [`ClockSetting`](crate::ClockSetting)
    /// `5m+3s` or `1s a move`.
    pub const TIME_CONTROL: &str = "TimeControl";
    /// The number of plies at the begin of the game that a tournament made, and no player:
    /// [`Record::opening_plies`](super::Record::opening_plies).
    pub const OPENING_PLIES: &str = "OpeningPlies";
    /// The person or the program with its version that has written the comments, grades and
    /// variations; free text.
    pub const ANNOTATOR: &str = "Annotator";

    /// The time from the Unix epoch to the end of the year 9999, after which there are no dates: a
    /// year has four digits in records and in RFC 3339.
    pub const END_OF_DATES: Duration = Duration::from_hours(24 * DAYS_WITH_DATES);

    /// Returns the value of `Date` for a time: its day in UTC. Times before 1970 and after the year
    /// 9999 have none.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    /// use kalah::record::Tags;
    /// let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_772_323_200);
    /// assert_eq!(Tags::date_text(time).as_deref(), Some("2026.03.01"));
    /// assert_eq!(Tags::date_text(SystemTime::UNIX_EPOCH - Duration::from_secs(1)), None);
    /// let end = SystemTime::UNIX_EPOCH + Tags::END_OF_DATES;
    /// let last = Tags::date_text(end - Duration::from_millis(1));
    /// assert_eq!(last.as_deref(), Some("9999.12.31"));
    /// assert_eq!(Tags::date_text(end), None);
    /// ```
    pub fn date_text(time: SystemTime) -> Option<String> {
        let since_epoch = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        if since_epoch >= Self::END_OF_DATES {
            return None;
        }
        let text = humantime::format_rfc3339_seconds(time).to_string();
        Some(text[..DATE_LENGTH].replace('-', "."))
    }

    /// Creates an empty list of tags.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Creates tags from pairs with valid and distinct names.
    pub(super) fn from_checked(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }

    /// Returns whether there are no tags.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of a tag.
    pub fn get(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(known, _)| known == name)?;
        Some(value)
    }

    /// Returns names and values in the order of the text.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &str)> + Clone {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Sets the value of a tag. An existing tag keeps its place. A new tag of [`Tags::KNOWN`] is
    /// inserted before those that follow it in that list and before unknown ones; a new unknown tag
    /// is appended.
    ///
    /// # Errors
    /// [`TagError::InvalidName`].
    pub fn set(&mut self, name: &str, value: impl Into<String>) -> Result<(), TagError> {
        if !is_tag_name(name) {
            return Err(TagError::InvalidName(name.to_owned()));
        }
        self.set_unchecked(name, value.into());
        Ok(())
    }

    /// Does the work of [`Tags::set`] for a valid name.
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
        let index = later.unwrap_or(self.0.len());
        self.0.insert(index, (name.to_owned(), value));
    }

    /// Removes a tag and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<String> {
        let index = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(index).1)
    }
}

/// Returns whether `name` is a valid name of a tag.
pub(super) fn is_tag_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_tag_name_byte)
}

pub(super) fn is_tag_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The tag section of a record, one line a tag. In values `\"` stands for a quote, `\\` for a
/// backslash, and `\n` and `\r` for the two characters that end lines.
impl fmt::Display for Tags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.iter() {
            write!(f, "[{name} \"")?;
            let mut rest = value;
            while let Some(special_at) = rest.find(['"', '\\', '\n', '\r']) {
                let (plain, special) = rest.split_at(special_at);
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

/// The value of `Result` for a game without final stores.
const UNFINISHED_RESULT: &str = "*";
/// The value of `Winner` for a game without a winner.
const NO_WINNER: &str = "none";
/// Houses a side and seeds a house of the start where the tag `Position` is missing.
const DEFAULT_START: (u8, u64) = (6, 4);

impl Tags {
    /// Returns the position from which the game starts: the tags `Rules` and `Position`, or `cs32`
    /// and 6x4 with South to move where they are missing.
    ///
    /// # Errors
    /// The error of either of them.
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

    /// Creates the tags `Rules` and `Position` of a game that starts at `start`.
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
        // The start of a whole game is written `MxN`.
        let seeds = Setup::from(start).rows.south[0];
        let text = match Setup::start(start.houses(), seeds).position(start.rules()) {
            Ok(position) if position == *start => format!("{}x{seeds}", start.houses()),
            _ => start.to_string(),
        };
        tags.set_unchecked(Self::POSITION, text);
        tags
    }

    /// Returns the value of `OpeningPlies`; 0 if it is missing or no number.
    pub(super) fn opening_plies(&self) -> usize {
        let digits = self.get(Self::OPENING_PLIES).unwrap_or_default();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return 0;
        }
        // No game has as many plies as a number that is too large for the type.
        digits.parse().unwrap_or(usize::MAX)
    }

    /// Sets `OpeningPlies`, or removes it if there are none.
    pub fn set_opening_plies(&mut self, count: usize) {
        if count == 0 {
            self.remove(Self::OPENING_PLIES);
        } else {
            self.set_unchecked(Self::OPENING_PLIES, count.to_string());
        }
    }

    /// Sets `Result`, `Termination` and `Winner` for a game that ended so.
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

    /// Returns the ending of a game with this final board, if `Result`, `Termination` and `Winner`
    /// agree with it. Replaces a `Result` of `*` by the result of the board.
    pub(super) fn resolve_ending(&mut self, board: FinalBoard) -> Result<Ending, TagError> {
        let outcome = match self.get(Self::RESULT) {
            Some(text) => board.parse_result(text, self.is_adjudicated())?,
            None => board.outcome,
        };
        let termination = match self.get(Self::TERMINATION) {
            Some(word) => word.parse().map_err(TagError::Termination)?,
            None => ending_from_outcome(board.outcome).termination,
        };
        if (termination == Termination::Normal) != board.outcome.is_some() {
            return Err(TagError::TerminationContradicts(termination));
        }
        let tagged_winner = self.get(Self::WINNER).map(parse_winner).transpose()?;
        let winner = match (outcome, tagged_winner) {
            (Some(outcome), Some(winner)) if winner != outcome.winner() => {
                return Err(TagError::WinnerContradicts { winner, outcome });
            }
            (Some(outcome), _) => outcome.winner(),
            (None, Some(Some(side))) if termination == Termination::Unfinished => {
                return Err(TagError::WinnerOfUnfinished(side));
            }
            (None, tagged_winner) => tagged_winner.flatten(),
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

impl Tags {
    /// Checks the token that closes the moves. In an adjudicated game without a `Result`, the token
    /// becomes it.
    pub(super) fn close(&mut self, token: &str, board: FinalBoard) -> Result<(), TagError> {
        let outcome = board.parse_result(token, self.is_adjudicated())?;
        if outcome == board.outcome {
            return Ok(());
        }
        match self.get(Self::RESULT) {
            None | Some(UNFINISHED_RESULT) => {
                self.set_unchecked(Self::RESULT, result_text(outcome));
                Ok(())
            }
            Some(tag) if board.parse_result(tag, true) == Ok(outcome) => Ok(()),
            Some(tag) => Err(TagError::ResultsDiffer {
                token: token.to_owned(),
                tag: tag.to_owned(),
            }),
        }
    }

    fn is_adjudicated(&self) -> bool {
        self.get(Self::TERMINATION) == Some(Termination::Adjudicated.as_str())
    }
}

/// The board after the last ply, with which the results of a record must agree.
#[derive(Clone, Copy)]
pub(super) struct FinalBoard {
    /// All seeds, stores included.
    pub(super) seeds: SeedCount,
    /// The final stores, if the game was played to its end.
    pub(super) outcome: Option<Outcome>,
}

impl FinalBoard {
    /// Returns the final stores that a result names: those of the board, or those of an
    /// adjudication, which have all seeds.
    fn parse_result(self, text: &str, is_adjudicated: bool) -> Result<Option<Outcome>, TagError> {
        if text == UNFINISHED_RESULT {
            return Ok(self.outcome);
        }
        let is_number =
            |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let Some((south, north)) = text
            .split_once('-')
            .filter(|&(south, north)| is_number(south) && is_number(north))
        else {
            return Err(TagError::InvalidResult(text.to_owned()));
        };
        let count = |digits: &str| digits.parse::<u16>().ok().map(SeedCount::from);
        let named = count(south)
            .zip(count(north))
            .map(|(south, north)| Outcome {
                stores: BySide::new(south, north),
            });
        let total = |Outcome { stores }: Outcome| u32::from(stores.south) + u32::from(stores.north);
        let has_all_seeds = named.is_some_and(|named| total(named) == u32::from(self.seeds));
        match self.outcome {
            None if is_adjudicated && has_all_seeds => Ok(named),
            None if is_adjudicated => Err(TagError::ResultOfOtherSeeds {
                text: text.to_owned(),
                seeds: self.seeds,
            }),
            Some(_) if named == self.outcome => Ok(named),
            outcome => Err(TagError::ResultContradicts {
                text: text.to_owned(),
                outcome,
            }),
        }
    }
}

/// Returns the ending of a game, as far as its final board determines it.
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

/// Returns the value of `Result` for `outcome`.
pub(super) fn result_text(outcome: Option<Outcome>) -> String {
    outcome.map_or_else(
        || UNFINISHED_RESULT.to_owned(),
        |outcome| outcome.to_string(),
    )
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

/// The maximum number of characters of a quotation: a position of any size is quoted in full.
const MAX_QUOTED_CHARS: usize = 400;

/// Quotes text of a record in an error message.
pub(super) fn quote(text: &str) -> Quoted {
    Quoted::with_max_chars(text, MAX_QUOTED_CHARS)
}

/// The kinds of errors in tags, including contradictions to the board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TagError {
    /// A name with other characters than letters, digits and underscores, or none.
    #[error("invalid tag name {}: expected letters, digits and underscores", quote(.0))]
    InvalidName(String),
    /// A repeated name.
    #[error("the tag {} is repeated", quote(.0))]
    Repeated(String),
    /// The value of `Rules` is invalid.
    #[error("the tag Rules: {0}")]
    Rules(ParseRulesError),
    /// The value of `Position` cannot be parsed.
    #[error("the tag Position {}, character {}: {}", quote(&.0.text), .0.character, .0.reason)]
    Position(ParseSetupError),
    /// The value of `Position` is not a valid position.
    #[error("the tag Position: {0}")]
    Setup(SetupError),
    /// The value of `Result`, or the token that closes the game, is neither `*` nor two numbers.
    #[error("invalid result {}: expected `*`, or the seeds of South and North such as `25-23`", quote(.0))]
    InvalidResult(String),
    /// The value of `Result`, or the token that closes the game, contradicts the board.
    #[error("the result {} contradicts the board: {}", quote(text), describe_outcome(*outcome))]
    ResultContradicts {
        /// The result in the text.
        text: String,
        /// The outcome of the board, `None` if the game is unfinished.
        outcome: Option<Outcome>,
    },
    /// The result of an adjudicated game has more or fewer seeds than the game.
    #[error(
        "the result {} contradicts the board: the game has {seeds} seeds",
        quote(text)
    )]
    ResultOfOtherSeeds {
        /// The result in the text.
        text: String,
        /// All seeds of the game, stores included.
        seeds: SeedCount,
    },
    /// The token that closes an adjudicated game contradicts its `Result`.
    #[error(
        "the result {} contradicts the tag Result {}",
        quote(token),
        quote(tag)
    )]
    ResultsDiffer {
        /// The token that closes the moves.
        token: String,
        /// The value of `Result`.
        tag: String,
    },
    /// The value of `Termination` is invalid.
    #[error("the tag Termination: {0}")]
    Termination(ParseTerminationError),
    /// `Termination` is `normal` and the game was not played to its end, or the reverse.
    #[error("the tag Termination says `{}`, but the game was {}", .0, describe_actual_end(*.0))]
    TerminationContradicts(Termination),
    /// The value of `Winner` is invalid.
    #[error("the tag Winner: expected South, North or none, found {}", quote(.0))]
    InvalidWinner(String),
    /// The value of `Winner` contradicts the seeds.
    #[error("the tag Winner says `{}`, but the seeds are {outcome}", winner_text(*winner))]
    WinnerContradicts {
        /// The winner in the tag.
        winner: Option<Side>,
        /// The final stores of the board or of the adjudication.
        outcome: Outcome,
    },
    /// `Winner` names a side, and the game is unfinished.
    #[error(
        "the tag Winner says `{0}`, but the game is unfinished: a Termination must say how it was decided"
    )]
    WinnerOfUnfinished(Side),
    /// `Rules` and `Position` differ from the start of the game.
    #[error("the tags Rules and Position say another start than that of the game")]
    StartMismatch,
}

impl TagError {
    /// Returns the name of the invalid tag, if the error is about one tag.
    pub(super) fn tag_name(&self) -> Option<&str> {
        Some(match self {
            Self::InvalidName(name) | Self::Repeated(name) => name,
            Self::Rules(_) => Tags::RULES,
            Self::Position(_) | Self::Setup(_) => Tags::POSITION,
            Self::InvalidResult(_)
            | Self::ResultContradicts { .. }
            | Self::ResultOfOtherSeeds { .. }
            | Self::ResultsDiffer { .. } => Tags::RESULT,
            Self::Termination(_) | Self::TerminationContradicts(_) => Tags::TERMINATION,
            Self::InvalidWinner(_)
            | Self::WinnerContradicts { .. }
            | Self::WinnerOfUnfinished(_) => Tags::WINNER,
            Self::StartMismatch => return None,
        })
    }
}

/// Describes the outcome of a board after a contradicting result.
fn describe_outcome(outcome: Option<Outcome>) -> String {
    match outcome {
        Some(outcome) => format!("it is `{outcome}`"),
        None => "the game was neither played to its end nor adjudicated".to_owned(),
    }
}

/// Describes the end of a game after a contradicting termination.
fn describe_actual_end(termination: Termination) -> &'static str {
    match termination {
        Termination::Normal => "not played to its end",
        _ => "played to its end, which is `normal`",
    }
}
