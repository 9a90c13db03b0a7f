//! The files of opening books.

use std::path::Path;

use kalah_book::Book;
use kalah_players::{escape_control, quoted_path};

/// Reads a book.
///
/// # Errors
/// A text that quotes the path, if the file cannot be read or is no book.
pub(crate) fn read_book(path: &Path) -> Result<Book, String> {
    Book::read(path).map_err(|reason| {
        let reason = escape_control(&reason.to_string());
        format!("cannot read {}: {reason}", quoted_path(path))
    })
}
