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

mod action;
mod error;
mod form;
mod kgp;
mod mankalah;
mod open_spiel;
mod unseen;

use kalah::Rules;
use kalah::record::Record;

pub use error::{ImportError, ImportReason};
pub use form::{ImportFormat, ParseImportFormatError};

/// The games of a text, and what in it is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedGames {
    /// The games, in the order in which they begin.
    pub records: Vec<Record>,
    /// What is wrong, in the order of the lines.
    pub errors: Vec<ImportError>,
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
