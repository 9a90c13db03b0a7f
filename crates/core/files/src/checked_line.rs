//! Checksums of lines of JSON, with which a reader finds lines that were changed.

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

/// The text between the fields of a line and its checksum.
const CHECKSUM_FIELD: &str = ",\"checksum\":\"";
/// The text behind the checksum.
const LINE_END: &str = "\"}";
/// The number of hexadecimal digits of a checksum.
const CHECKSUM_DIGITS: usize = 16;

/// A line is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the line differs from its checksum")]
pub struct ChangedLineError {
    /// The line without the checksum.
    pub text: String,
}

/// Adds a last field to a JSON object with other fields: the XXH3 checksum of the bytes before it.
///
/// ```
/// let line = kalah_files::add_checksum(r#"{"game":1}"#);
/// assert_eq!(line, r#"{"game":1,"checksum":"734d3235e273dd93"}"#);
/// assert_eq!(kalah_files::remove_checksum(&line), Ok(Some(r#"{"game":1}"#.to_owned())));
/// assert_eq!(kalah_files::remove_checksum(r#"{"game":1}"#), Ok(None));
/// assert!(kalah_files::remove_checksum(&line.replace('1', "2")).is_err());
/// ```
///
/// # Panics
/// If the text does not end with a brace.
pub fn add_checksum(object: &str) -> String {
    let fields = object.strip_suffix('}').expect("a JSON object");
    let checksum = checksum(fields);
    format!("{fields}{CHECKSUM_FIELD}{checksum}{LINE_END}")
}

/// Returns the object to which [`add_checksum`] has added a checksum, or `None` for a line without
/// one.
///
/// # Errors
/// If the line was changed.
pub fn remove_checksum(line: &str) -> Result<Option<String>, ChangedLineError> {
    let Some((fields, end)) = line.rsplit_once(CHECKSUM_FIELD) else {
        return Ok(None);
    };
    let Some(found) = end.strip_suffix(LINE_END) else {
        return Ok(None);
    };
    let text = format!("{fields}}}");
    if found == checksum(fields) {
        Ok(Some(text))
    } else {
        Err(ChangedLineError { text })
    }
}

fn checksum(fields: &str) -> String {
    format!("{:0CHECKSUM_DIGITS$x}", xxh3_64(fields.as_bytes()))
}
