//! Export of game records as the games of other programs: action lists of `OpenSpiel` and episodes
//! of Kaggle's environments. The import [`OPEN_SPIEL`](crate::OPEN_SPIEL) reads both back.
//!
//! ```
//! use kalah::record::Record;
//! use kalah_open_spiel::{ExportFormat, ExportLoss, export};
//!
//! let text = "[Rules \"standard\"]\n\n1. CF b { a bonus turn is left } *";
//! let record: Record = text.parse()?;
//! let exported = export(&record, ExportFormat::OpenSpiel)?;
//! assert_eq!(exported.text, "[3, 6, 9]");
//! assert_eq!(exported.losses, [ExportLoss::Comments]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod episode;

use std::fmt;
use std::str::FromStr;

use kalah::record::{Record, RecordEntry, Tags};
use kalah::{Game, Rules, Side, Termination};
use thiserror::Error;

use self::episode::player_name;
use crate::action::{self, Action, actions};

/// A format to which games are exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportFormat {
    /// The actions of `OpenSpiel`, as a JSON list.
    OpenSpiel,
    /// An episode of Kaggle's environments, as a JSON object.
    Kaggle,
}

/// A word that names no [`ExportFormat`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown format `{0}`: expected openspiel or kaggle")]
pub struct ParseExportFormatError(pub String);

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::OpenSpiel, Self::Kaggle];

    /// Returns the name of the format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenSpiel => "openspiel",
            Self::Kaggle => "kaggle",
        }
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ExportFormat {
    type Err = ParseExportFormatError;

    fn from_str(word: &str) -> Result<Self, ParseExportFormatError> {
        let format = Self::ALL.into_iter().find(|format| format.name() == word);
        format.ok_or_else(|| ParseExportFormatError(word.to_owned()))
    }
}

/// A game in another format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedGame {
    /// The game: one JSON value in one line, without its end.
    pub text: String,
    /// The parts of the record that the text lacks.
    pub losses: Vec<ExportLoss>,
}

/// A part of a record for which a format has no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExportLoss {
    /// The names of the players.
    Names,
    /// Tags that are not about the players, the start or the end of the game.
    Tags,
    /// Comments.
    Comments,
    /// Variations.
    Variations,
    /// The rules. Under the rules `standard` the game has the same moves and the same end.
    Rules,
    /// The way in which the game ended before its end by the rules.
    Termination,
    /// The way in which the game ended before its end by the rules, for which the format has
    /// another one.
    ReplacedTermination {
        /// The termination of the record.
        from: Termination,
        /// That of the other format.
        to: Termination,
    },
    /// The final stores that an adjudication has given.
    Result,
}

impl fmt::Display for ExportLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Names => "the names of the players",
            Self::Tags => "tags such as Event and Date",
            Self::Comments => "comments",
            Self::Variations => "variations",
            Self::Rules => "the rules, which are written as standard",
            Self::Termination => "the termination",
            Self::ReplacedTermination { from, to } => {
                return write!(f, "the termination {from}, which becomes {to}");
            }
            Self::Result => "the stores of an adjudication",
        })
    }
}

/// The reason why a game has no form in another format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExportError {
    /// The game would differ under the rules of `OpenSpiel`.
    #[error(
        "its rules are {0}, and under the rules standard of OpenSpiel's mancala it is another game"
    )]
    Rules(Rules),
    /// The game starts from another position than every game of `OpenSpiel`. The text is that of
    /// the position.
    #[error("it starts from `{0}`, but OpenSpiel's mancala starts from 6x4")]
    Start(String),
}

/// Exports the main line of a record.
///
/// # Errors
/// If the format cannot express the rules or the start of the game.
pub fn export(record: &Record, format: ExportFormat) -> Result<ExportedGame, ExportError> {
    let start = record.start();
    let rules = start.rules();
    if action::start().position(rules).as_ref() != Ok(&start) {
        return Err(ExportError::Start(start.to_string()));
    }
    let game = standard_game(&record.game()).ok_or(ExportError::Rules(rules))?;
    let mut losses = common_losses(record);
    if rules != Rules::STANDARD {
        losses.push(ExportLoss::Rules);
    }
    let text = match format {
        ExportFormat::OpenSpiel => {
            if Side::ALL
                .into_iter()
                .any(|side| player_name(record, side).is_some())
            {
                losses.push(ExportLoss::Names);
            }
            // Without an ending, an imported game is normal or unfinished.
            let termination = record.ending().termination;
            if ![Termination::Normal, Termination::Unfinished].contains(&termination) {
                losses.push(ExportLoss::Termination);
            }
            let actions: Vec<u8> = actions(&game).map(Action::field).collect();
            format!("{actions:?}")
        }
        ExportFormat::Kaggle => {
            let (episode, imported) = episode::build(record, &game);
            let ending = record.ending();
            let (from, to) = (ending.termination, imported.termination);
            if from != to {
                losses.push(ExportLoss::ReplacedTermination { from, to });
            }
            if imported.outcome != ending.outcome {
                losses.push(ExportLoss::Result);
            }
            episode.to_string()
        }
    };
    losses.sort_unstable();
    Ok(ExportedGame { text, losses })
}

/// Returns the game with the same moves under the rules of `OpenSpiel`. Returns `None` if a move is
/// illegal or that of the other side under these rules, or if the last position differs.
fn standard_game(game: &Game) -> Option<Game> {
    let mut standard = Game::new(action::start().position(Rules::STANDARD).ok()?);
    for ply in game.plies() {
        if standard.position().to_move() != ply.side {
            return None;
        }
        standard.play(ply.mv).ok()?;
    }
    let (one, other) = (game.position(), standard.position());
    let is_same = one.board() == other.board()
        && one.is_over() == other.is_over()
        && (one.is_over() || one.to_move() == other.to_move());
    is_same.then_some(standard)
}

/// The tags that a text in either format implies, or that its losses name separately.
const EXPRESSED_TAGS: [&str; 7] = [
    Tags::SOUTH,
    Tags::NORTH,
    Tags::RULES,
    Tags::POSITION,
    Tags::RESULT,
    Tags::TERMINATION,
    Tags::WINNER,
];

/// Returns the losses in both formats.
fn common_losses(record: &Record) -> Vec<ExportLoss> {
    let mut losses = Vec::new();
    let mut tags = record.tags().iter();
    if tags.any(|(name, _)| !EXPRESSED_TAGS.contains(&name)) {
        losses.push(ExportLoss::Tags);
    }
    let has_entry = |is_kind: fn(&RecordEntry) -> bool| record.entries().iter().any(is_kind);
    if has_entry(|entry| matches!(entry, RecordEntry::Comment(_))) {
        losses.push(ExportLoss::Comments);
    }
    if has_entry(|entry| matches!(entry, RecordEntry::BeginVariation(_))) {
        losses.push(ExportLoss::Variations);
    }
    losses
}
