//! The mark that some programs write before a text in UTF-8.

/// The byte order mark. Editors and the libraries of .NET write it before a text, and concatenated
/// files have it between texts.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Strips one byte order mark from the start of a text.
///
/// ```
/// assert_eq!(kalah::strip_byte_order_mark("\u{feff}6x4"), "6x4");
/// assert_eq!(kalah::strip_byte_order_mark("6x4"), "6x4");
/// ```
pub fn strip_byte_order_mark(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}
