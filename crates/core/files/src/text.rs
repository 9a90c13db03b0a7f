//! Text of files: UTF-8, or the place where it is none.

use thiserror::Error;

/// The byte order marks of UTF-16. No text in UTF-8 begins with them.
const UTF_16_BYTE_ORDER_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// The bytes of a file are not UTF-8. The message follows the name of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotTextError {
    /// The file is not UTF-8.
    #[error("is not UTF-8 text: line {line}, byte {byte} of the file; save it as UTF-8")]
    NotUtf8 {
        /// The first line that is not text, from 1.
        line: usize,
        /// The first byte that is not text, from 1.
        byte: usize,
    },
    /// The file is text in UTF-16.
    #[error("is UTF-16 text: save it as UTF-8")]
    Utf16,
}

/// Returns whether a file that begins with these bytes is text in UTF-16.
pub fn is_utf_16(start: &[u8]) -> bool {
    let mut marks = UTF_16_BYTE_ORDER_MARKS.iter();
    marks.any(|mark| start.starts_with(mark))
}

/// Returns the text of a file with these bytes.
///
/// ```
/// use kalah_files::{NotTextError, decode_text};
/// assert_eq!(decode_text(b"G\xc3\xb6del".to_vec()), Ok("Gödel".to_owned()));
/// let latin_1 = decode_text(b"# bots\nG\xf6del".to_vec());
/// assert_eq!(latin_1, Err(NotTextError::NotUtf8 { line: 2, byte: 9 }));
/// ```
///
/// # Errors
/// If the bytes are not UTF-8.
pub fn decode_text(bytes: Vec<u8>) -> Result<String, NotTextError> {
    if is_utf_16(&bytes) {
        return Err(NotTextError::Utf16);
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid_bytes = error.utf8_error().valid_up_to();
        let valid = &error.as_bytes()[..valid_bytes];
        NotTextError::NotUtf8 {
            line: valid.split(|&byte| byte == b'\n').count(),
            byte: valid_bytes + 1,
        }
    })
}
