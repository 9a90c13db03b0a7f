//! What others write down of their games, read as records: transcripts of KGP, traces of `ManKalah`, and lists of the
//! actions of `OpenSpiel`.
//!
//! A text can hold many games, finished or not. What is wrong is told with its line, and takes nothing from the games
//! around it.
//!
//! ```
//! use kalah_protocols::import::{Form, import};
//! let imported = import("3 6 9 12 1\n1, 8, 7\n[2, 10]\n", Form::OpenSpiel, None);
//! let games: Vec<_> = imported.records.iter().map(|record| record.game().plies().len()).collect();
//! assert_eq!(games, [5, 2]);
//! assert_eq!(
//!     imported.errors[0].to_string(),
//!     "line 2: `7` is no action: expected 1 to 6 for South's houses or 8 to 13 for North's",
//! );
//! ```

mod games;
mod kgp;
mod mankalah;
mod open_spiel;

use std::fmt;
use std::str::FromStr;

use kalah::Rules;
use thiserror::Error;

pub use games::{ImportError, ImportReason, ImportedGames};

/// A way in which others write games down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImportFormat {
    /// What a client or a server of KGP logs.
    Kgp,
    /// What an engine or an agent of `ManKalah` logs.
    Mankalah,
    /// Actions of `OpenSpiel`, as numbers or as JSON, and Kaggle's episodes.
    OpenSpiel,
}

/// A word that names no [`Form`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is none of kgp, mankalah, openspiel")]
pub struct ParseImportFormatError(pub String);

impl ImportFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Kgp, Self::Mankalah, Self::OpenSpiel];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kgp => "kgp",
            Self::Mankalah => "mankalah",
            Self::OpenSpiel => "openspiel",
        }
    }

    /// The rules by which its games are played where nobody says otherwise.
    pub const fn default_rules(self) -> Rules {
        match self {
            Self::Kgp | Self::OpenSpiel => Rules::STANDARD,
            Self::Mankalah => Rules::MANKALAH,
        }
    }

    /// The only form that a text can have; `None` if it could have several, or has none.
    ///
    /// ```
    /// use kalah_protocols::import::Form;
    /// assert_eq!(Form::guess("< 8 state <2,0,0,1,1,1,1>"), Some(Form::Kgp));
    /// assert_eq!(Form::guess("MOVE;3"), Some(Form::Mankalah));
    /// assert_eq!(Form::guess("[1, 8]"), Some(Form::OpenSpiel));
    /// assert_eq!(Form::guess("1. CF a *"), None);
    /// ```
    pub fn detect(text: &str) -> Option<Self> {
        let text = strip_bom(text);
        let mut forms = Self::ALL.into_iter().filter(|form| match form {
            Self::Kgp => kgp::is_transcript(text),
            Self::Mankalah => mankalah::is_trace(text),
            Self::OpenSpiel => open_spiel::is_action_list(text),
        });
        let form = forms.next()?;
        forms.next().is_none().then_some(form)
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
        let form = Self::ALL.into_iter().find(|form| form.name() == word);
        form.ok_or_else(|| ParseImportFormatError(word.to_owned()))
    }
}

/// The games of a text that was written down in this form, by these rules or else by those that the form assumes.
pub fn import(text: &str, form: ImportFormat, rules: Option<Rules>) -> ImportedGames {
    let rules = rules.unwrap_or(form.default_rules());
    let text = strip_bom(text);
    let mut imported = match form {
        ImportFormat::Kgp => kgp::import(text, rules),
        ImportFormat::Mankalah => mankalah::import(text, rules),
        ImportFormat::OpenSpiel => open_spiel::import(text, rules),
    };
    imported.errors.sort_by_key(|error| error.line);
    imported
}

/// A text without the mark of its encoding that some programs put before it.
fn strip_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
