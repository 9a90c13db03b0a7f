//! The formats in which other programs log games.

use kalah_import::ImportFormat;
use kalah_kgp::KGP_LOG;
use kalah_mankalah::MANKALAH_LOG;
use kalah_open_spiel::OPEN_SPIEL;
use thiserror::Error;

/// All formats.
pub static IMPORT_FORMATS: &[&ImportFormat] = &[&KGP_LOG, &MANKALAH_LOG, &OPEN_SPIEL];

/// A word that names no [`ImportFormat`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown format `{word}`: expected {expected}", word = .0, expected = format_names())]
pub struct ParseImportFormatError(pub String);

/// Returns the only format that a text can have, or `None` if it can have several or none.
///
/// ```
/// use kalah_kgp::KGP_LOG;
/// use kalah_mankalah::MANKALAH_LOG;
/// use kalah_open_spiel::OPEN_SPIEL;
/// use kalah_protocols::detect_import_format;
/// assert_eq!(detect_import_format("< 8 state <2,0,0,1,1,1,1>"), Some(&KGP_LOG));
/// assert_eq!(detect_import_format("MOVE;3"), Some(&MANKALAH_LOG));
/// assert_eq!(detect_import_format("[1, 8]"), Some(&OPEN_SPIEL));
/// assert_eq!(detect_import_format("1. CF a *"), None);
/// ```
pub fn detect_import_format(text: &str) -> Option<&'static ImportFormat> {
    ImportFormat::detect(IMPORT_FORMATS, text)
}

/// Returns the format with a name.
///
/// # Errors
/// If no format has the name.
///
/// ```
/// use kalah_kgp::KGP_LOG;
/// use kalah_protocols::find_import_format;
/// assert_eq!(find_import_format("kgp"), Ok(&KGP_LOG));
/// assert_eq!(
///     find_import_format("pgn").unwrap_err().to_string(),
///     "unknown format `pgn`: expected kgp, mankalah or openspiel",
/// );
/// ```
pub fn find_import_format(name: &str) -> Result<&'static ImportFormat, ParseImportFormatError> {
    let mut formats = IMPORT_FORMATS.iter().copied();
    let format = formats.find(|format| format.name == name);
    format.ok_or_else(|| ParseImportFormatError(name.to_owned()))
}

/// Returns the names of all formats for a message.
fn format_names() -> String {
    let names: Vec<&str> = IMPORT_FORMATS.iter().map(|format| format.name).collect();
    match names.split_last() {
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
