//! Text files: bounded reads, and writes that replace the whole file at once.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use kalah_files::ReplaceFileError;
use thiserror::Error;

use crate::output::messages::quoted_path;

/// The reason why a text file cannot be read or written.
#[derive(Debug, Error)]
pub(crate) enum TextFileError {
    /// The source of the text cannot be opened or read.
    #[error("cannot read {source_name}: {reason}")]
    Read {
        /// The quoted path of the file, or `standard input`.
        source_name: String,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// The source is larger than the limit.
    #[error("cannot read {_0}: it is larger than {max} MiB", max = MAX_BYTES >> 20)]
    TooLarge(String),
    /// The source is not UTF-8.
    #[error("{source_name} is not UTF-8 text: line {line}, byte {byte} of the file")]
    NotUtf8 {
        /// The quoted path of the file, or `standard input`.
        source_name: String,
        /// The first line that is not text, from 1.
        line: usize,
        /// The first byte that is not text, from 1.
        byte: usize,
    },
    /// The source is text in UTF-16.
    #[error("{0} is UTF-16 text: save it as UTF-8")]
    Utf16(String),
    /// The file cannot be written; its previous contents are unchanged.
    #[error("cannot write {}: {reason}", quoted_path(.path))]
    Write {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// The path is that of a directory, a device or a pipe, which a file must not replace.
    #[error("cannot write {}: it is not a regular file", quoted_path(.0))]
    NotRegular(PathBuf),
}

/// The name of standard input in messages.
pub(crate) const STDIN_NAME: &str = "standard input";

/// The maximum size of a text that is held in memory. Larger ones are rejected before they fill it.
const MAX_BYTES: u64 = 64 << 20;

/// The byte order marks of UTF-16. No text in UTF-8 begins with them.
const UTF_16_BYTE_ORDER_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// Reads a text file.
pub(crate) fn read(path: &Path) -> Result<String, TextFileError> {
    let source_name = quoted_path(path);
    match File::open(path) {
        Ok(file) => read_from(&source_name, file),
        Err(reason) => Err(TextFileError::Read {
            source_name,
            reason,
        }),
    }
}

/// Reads a text file, which may have any size unless it is a device or a pipe.
pub(crate) fn read_any_size(path: &Path) -> Result<String, TextFileError> {
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    if !is_file {
        return read(path);
    }
    let source_name = quoted_path(path);
    match File::open(path) {
        Ok(file) => read_up_to(&source_name, file, u64::MAX - 1),
        Err(reason) => Err(TextFileError::Read {
            source_name,
            reason,
        }),
    }
}

/// Opens a text file of any size.
pub(crate) fn open(path: &Path) -> Result<impl io::Read + use<>, TextFileError> {
    let source_name = quoted_path(path);
    match File::open(path) {
        Ok(file) => begin(&source_name, file),
        Err(reason) => Err(TextFileError::Read {
            source_name,
            reason,
        }),
    }
}

/// Checks that the text of `source` does not begin as UTF-16, and returns the whole text.
pub(crate) fn begin<R: io::Read>(
    source_name: &str,
    mut source: R,
) -> Result<impl io::Read + use<R>, TextFileError> {
    let mut start = Vec::new();
    let length = UTF_16_BYTE_ORDER_MARKS[0].len() as u64;
    let read = source.by_ref().take(length).read_to_end(&mut start);
    read.map_err(|reason| TextFileError::Read {
        source_name: source_name.to_owned(),
        reason,
    })?;
    if is_utf_16(&start) {
        return Err(TextFileError::Utf16(source_name.to_owned()));
    }
    Ok(io::Cursor::new(start).chain(source))
}

fn is_utf_16(bytes: &[u8]) -> bool {
    let mut marks = UTF_16_BYTE_ORDER_MARKS.iter();
    marks.any(|mark| bytes.starts_with(mark))
}

/// Reads a text from `source` to its end. Errors contain `source_name`.
pub(crate) fn read_from(source_name: &str, source: impl io::Read) -> Result<String, TextFileError> {
    read_up_to(source_name, source, MAX_BYTES)
}

fn read_up_to(
    source_name: &str,
    source: impl io::Read,
    max_bytes: u64,
) -> Result<String, TextFileError> {
    let cannot_read = |reason| TextFileError::Read {
        source_name: source_name.to_owned(),
        reason,
    };
    let mut bytes = Vec::new();
    // A device can be endless, so no more is read than shows that it is too large.
    (source.take(max_bytes + 1))
        .read_to_end(&mut bytes)
        .map_err(cannot_read)?;
    if bytes.len() as u64 > max_bytes {
        return Err(TextFileError::TooLarge(source_name.to_owned()));
    }
    if is_utf_16(&bytes) {
        return Err(TextFileError::Utf16(source_name.to_owned()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid_bytes = error.utf8_error().valid_up_to();
        let valid = &error.as_bytes()[..valid_bytes];
        TextFileError::NotUtf8 {
            source_name: source_name.to_owned(),
            line: valid.split(|&byte| byte == b'\n').count(),
            byte: valid_bytes + 1,
        }
    })
}

/// Returns whether the file exists.
///
/// # Errors
/// Fails if the path is not that of a regular file, or cannot be examined.
pub(crate) fn exists(path: &Path) -> Result<bool, TextFileError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(true),
        Ok(_) => Err(TextFileError::NotRegular(path.to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(reason) => Err(TextFileError::Write {
            path: path.to_owned(),
            reason,
        }),
    }
}

/// Replaces the contents of a file by `text` and creates the file if it does not exist, as
/// [`kalah_files::replace`] does.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), TextFileError> {
    kalah_files::replace(path, text.as_bytes()).map_err(|error| match error {
        ReplaceFileError::NotRegular => TextFileError::NotRegular(kalah_files::resolve_links(path)),
        ReplaceFileError::Io(reason) => TextFileError::Write {
            path: path.to_owned(),
            reason,
        },
    })
}

/// Creates a file with the content that `write` writes, of any format, as [`kalah_files::create`]
/// does.
pub(crate) fn create(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<(), TextFileError> {
    kalah_files::create(path, write).map_err(|reason| TextFileError::Write {
        path: path.to_owned(),
        reason,
    })
}

/// Returns whether two paths lead to the same file.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn device_is_neither_replaced_nor_read_without_limit() {
        let error = replace(Path::new("/dev/null"), "text").unwrap_err();
        assert!(matches!(error, TextFileError::NotRegular(_)), "{error}");
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert!(matches!(error, TextFileError::TooLarge(_)), "{error}");
    }

    #[test]
    fn invalid_text_is_reported_with_its_place() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("game.kgn");
        fs::write(&path, b"1. A\nb \xff").unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(
            error.ends_with("is not UTF-8 text: line 2, byte 8 of the file"),
            "{error}"
        );
        for bytes in [b"\xff\xfe1\0", b"\xfe\xff\x001"] {
            fs::write(&path, bytes).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(
                error.ends_with("is UTF-16 text: save it as UTF-8"),
                "{error}"
            );
        }
    }
}
