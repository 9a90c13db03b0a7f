//! The files of opening books, and those of their builds.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use kalah_book::Book;
use kalah_players::{escape_control, quoted_path};

/// The most bytes that are read of a book or of the store of a build: more than the largest has.
const MAX_FILE_BYTES: u64 = 1 << 27;

/// Reads a book.
///
/// # Errors
/// A text that quotes the path, if the file cannot be read or is no book.
pub(crate) fn read_book(path: &Path) -> Result<Book, String> {
    let error = |reason: String| {
        let path = quoted_path(path);
        format!("cannot read {path}: {}", escape_control(&reason))
    };
    let file = File::open(path).map_err(|reason| error(reason.to_string()))?;
    let bytes = read_all(&file).map_err(|reason| error(reason.to_string()))?;
    Book::parse(&bytes).map_err(|reason| error(reason.to_string()))
}

/// Reads a file.
///
/// # Errors
/// If it cannot be read, or is larger than any book and any store.
pub(crate) fn read_all(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if u64::try_from(read).is_ok_and(|read| read <= MAX_FILE_BYTES) {
        return Ok(bytes);
    }
    let message = format!("it has more than {MAX_FILE_BYTES} bytes");
    Err(io::Error::other(message))
}
