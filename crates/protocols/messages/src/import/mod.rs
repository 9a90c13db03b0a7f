//! Import of games that other programs have logged: transcripts of KGP, traces of `ManKalah`, and
//! actions of `OpenSpiel`.
//!
//! A text can hold many games, finished or not. An error names its line and does not affect the
//! other games of the text.
//!
//! ```
//! use kalah_protocols::import::{ImportFormat, import};
//! let imported = import("3 6 9 12 1\n1, 8, 7\n[2, 10]\n", ImportFormat::OpenSpiel, None);
//! let games: Vec<_> = imported.records.iter().map(|record| record.game().plies().len()).collect();
//! assert_eq!(games, [5, 2]);
//! assert_eq!(
//!     imported.errors[0].to_string(),
//!     "line 2: `7` is not an action: expected 1 to 6 for South's houses or 8 to 13 for North's",
//! );
//! ```

mod episode;
mod games;
mod kgp;
mod mankalah;
mod open_spiel;

use std::fmt;
use std::str::FromStr;

use kalah::Rules;
use thiserror::Error;

pub use games::{ImportError, ImportReason, ImportedGames};

/// A format in which other programs log games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImportFormat {
    /// The log of a client or a server of KGP.
    Kgp,
    /// The log of an engine or an agent of `ManKalah`.
    Mankalah,
    /// Actions of `OpenSpiel`, as numbers or as JSON, and the episodes of Kaggle.
    OpenSpiel,
}

/// A word that names no [`ImportFormat`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown format `{0}`: expected kgp, mankalah or openspiel")]
pub struct ParseImportFormatError(pub String);

impl ImportFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Kgp, Self::Mankalah, Self::OpenSpiel];

    /// Returns the name of the format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kgp => "kgp",
            Self::Mankalah => "mankalah",
            Self::OpenSpiel => "openspiel",
        }
    }

    /// Returns the rules of the programs that write the format.
    pub const fn default_rules(self) -> Rules {
        match self {
            Self::Kgp | Self::OpenSpiel => Rules::STANDARD,
            Self::Mankalah => Rules::MANKALAH,
        }
    }

    /// Returns the only format that a text can have, or `None` if it can have several or none.
    ///
    /// ```
    /// use kalah_protocols::import::ImportFormat;
    /// let state = "< 8 state <2,0,0,1,1,1,1>";
    /// assert_eq!(ImportFormat::detect(state), Some(ImportFormat::Kgp));
    /// assert_eq!(ImportFormat::detect("MOVE;3"), Some(ImportFormat::Mankalah));
    /// assert_eq!(ImportFormat::detect("[1, 8]"), Some(ImportFormat::OpenSpiel));
    /// assert_eq!(ImportFormat::detect("1. CF a *"), None);
    /// ```
    pub fn detect(text: &str) -> Option<Self> {
        let text = strip_bom(text);
        let mut formats = Self::ALL.into_iter().filter(|format| match format {
            Self::Kgp => kgp::is_transcript(text),
            Self::Mankalah => mankalah::is_trace(text),
            Self::OpenSpiel => open_spiel::is_action_list(text),
        });
        let format = formats.next()?;
        formats.next().is_none().then_some(format)
    }
}

impl fmt::Display for ImportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ImportFormat {
    type Err = ParseImportFormatError;

    fn from_str(word: &str) -> Result<Self, ParseImportFormatError> {
        let format = Self::ALL.into_iter().find(|format| format.name() == word);
        format.ok_or_else(|| ParseImportFormatError(word.to_owned()))
    }
}

/// Imports the games of a text. Without `rules`, the default rules of the format apply.
pub fn import(text: &str, format: ImportFormat, rules: Option<Rules>) -> ImportedGames {
    let rules = rules.unwrap_or(format.default_rules());
    let text = strip_bom(text);
    let mut imported = match format {
        ImportFormat::Kgp => kgp::import(text, rules),
        ImportFormat::Mankalah => mankalah::import(text, rules),
        ImportFormat::OpenSpiel => open_spiel::import(text, rules),
    };
    imported.errors.sort_by_key(|error| error.line);
    imported
}

/// Strips the byte order mark that some programs write before a text.
fn strip_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
