//! Import of games that other programs have logged: transcripts of KGP, traces of `ManKalah`, and
//! actions of `OpenSpiel`.
//!
//! ```
//! use kalah_protocols::import::OPEN_SPIEL;
//! let imported = OPEN_SPIEL.import("3 6 9 12 1\n1, 8, 7\n[2, 10]\n", None);
//! let games: Vec<_> = imported.records.iter().map(|record| record.game().plies().len()).collect();
//! assert_eq!(games, [5, 2]);
//! assert_eq!(
//!     imported.errors[0].to_string(),
//!     "line 2: `7` is not an action: expected 1 to 6 for South's houses or 8 to 13 for North's",
//! );
//! ```

mod episode;
mod kgp;
mod mankalah;
mod open_spiel;
mod open_spiel_error;

use kalah_import::ImportFormat;
use thiserror::Error;

pub use kgp::KGP;
pub use mankalah::MANKALAH;
pub use open_spiel::OPEN_SPIEL;

/// All formats.
pub const IMPORT_FORMATS: [&ImportFormat; 3] = [&KGP, &MANKALAH, &OPEN_SPIEL];

/// A word that names no [`ImportFormat`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown format `{word}`: expected {expected}", word = .0, expected = format_names())]
pub struct ParseImportFormatError(pub String);

/// Returns the only format that a text can have, or `None` if it can have several or none.
///
/// ```
/// use kalah_protocols::import::{KGP, MANKALAH, OPEN_SPIEL, detect};
/// assert_eq!(detect("< 8 state <2,0,0,1,1,1,1>"), Some(&KGP));
/// assert_eq!(detect("MOVE;3"), Some(&MANKALAH));
/// assert_eq!(detect("[1, 8]"), Some(&OPEN_SPIEL));
/// assert_eq!(detect("1. CF a *"), None);
/// ```
pub fn detect(text: &str) -> Option<&'static ImportFormat> {
    ImportFormat::detect(&IMPORT_FORMATS, text)
}

/// Returns the format with a name.
///
/// # Errors
/// If no format has the name.
///
/// ```
/// use kalah_protocols::import::{KGP, find_format};
/// assert_eq!(find_format("kgp"), Ok(&KGP));
/// assert_eq!(
///     find_format("pgn").unwrap_err().to_string(),
///     "unknown format `pgn`: expected kgp, mankalah or openspiel",
/// );
/// ```
pub fn find_format(name: &str) -> Result<&'static ImportFormat, ParseImportFormatError> {
    let mut formats = IMPORT_FORMATS.into_iter();
    let format = formats.find(|format| format.name == name);
    format.ok_or_else(|| ParseImportFormatError(name.to_owned()))
}

/// Returns the names of all formats for a message.
fn format_names() -> String {
    let [others @ .., last] = IMPORT_FORMATS.map(|format| format.name);
    format!("{} or {last}", others.join(", "))
}
