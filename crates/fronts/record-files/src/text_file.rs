//! Text files: bounded reads, and writes that replace the whole file at once.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use kalah_files::{NotTextError, ReplaceFileError, ReplaceLock, decode_text, is_utf_16};
use kalah_players::quoted_path;
use thiserror::Error;

/// The reason why a text file cannot be read or written.
#[derive(Debug, Error)]
pub enum TextFileError {
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
    #[error("{source_name} {reason}")]
    NotText {
        /// The quoted path of the file, or `standard input`.
        source_name: String,
        /// The place, or the other encoding.
        reason: NotTextError,
    },
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

impl TextFileError {
    /// Returns the error of a file that cannot be read.
    pub(crate) fn read(path: &Path, reason: io::Error) -> Self {
        Self::Read {
            source_name: quoted_path(path),
            reason,
        }
    }
}

/// The name of standard input in messages.
pub const STDIN_NAME: &str = "standard input";

/// The maximum size of a text that is held in memory. Larger ones are rejected before they fill it.
const MAX_BYTES: u64 = 64 << 20;

/// The length of a byte order mark of UTF-16.
const UTF_16_BYTE_ORDER_MARK_BYTES: u64 = 2;

/// Reads a text file.
///
/// # Errors
/// Fails if the file cannot be read, has more than 64 MiB, or is not UTF-8.
pub fn read(path: &Path) -> Result<String, TextFileError> {
    read_up_to(&quoted_path(path), open_file(path)?, MAX_BYTES)
}

/// Reads a text file, which may have any size unless it is a device or a pipe.
///
/// # Errors
/// As [`read`].
pub fn read_any_size(path: &Path) -> Result<String, TextFileError> {
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let max_bytes = if is_file { u64::MAX - 1 } else { MAX_BYTES };
    read_up_to(&quoted_path(path), open_file(path)?, max_bytes)
}

/// Opens a text file of any size.
///
/// # Errors
/// Fails if the file cannot be read or is UTF-16.
pub fn open(path: &Path) -> Result<impl io::Read + use<>, TextFileError> {
    begin(&quoted_path(path), open_file(path)?)
}

fn open_file(path: &Path) -> Result<File, TextFileError> {
    File::open(path).map_err(|reason| TextFileError::read(path, reason))
}

/// Checks that the text of `source` does not begin as UTF-16, and returns the whole text.
///
/// # Errors
/// Fails if it does, or cannot be read.
pub fn begin<R: io::Read>(
    source_name: &str,
    mut source: R,
) -> Result<impl io::Read + use<R>, TextFileError> {
    let mut start = Vec::new();
    let read = (source.by_ref())
        .take(UTF_16_BYTE_ORDER_MARK_BYTES)
        .read_to_end(&mut start);
    read.map_err(|reason| TextFileError::Read {
        source_name: source_name.to_owned(),
        reason,
    })?;
    if is_utf_16(&start) {
        return Err(TextFileError::NotText {
            source_name: source_name.to_owned(),
            reason: NotTextError::Utf16,
        });
    }
    Ok(io::Cursor::new(start).chain(source))
}

/// Reads a text from `source` to its end. Errors contain `source_name`.
///
/// # Errors
/// Fails if it cannot be read, has more than 64 MiB, or is not UTF-8.
pub fn read_from(source_name: &str, source: impl io::Read) -> Result<String, TextFileError> {
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
    decode_text(bytes).map_err(|reason| TextFileError::NotText {
        source_name: source_name.to_owned(),
        reason,
    })
}

/// Returns whether the file exists.
///
/// # Errors
/// Fails if the path is not that of a regular file, or cannot be examined.
pub fn exists(path: &Path) -> Result<bool, TextFileError> {
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
///
/// # Errors
/// Fails if the file cannot be written, or is not a regular file.
pub fn replace(path: &Path, text: &str) -> Result<(), TextFileError> {
    kalah_files::replace(path, text.as_bytes()).map_err(|error| write_error(path, error))
}

/// Exclusive use of a file whose new contents depend on the old ones, as [`ReplaceLock`].
#[derive(Debug)]
pub struct LockedFile<'a> {
    path: &'a Path,
    lock: ReplaceLock,
}

impl<'a> LockedFile<'a> {
    /// Locks a file. Waits up to 30 seconds for another process.
    ///
    /// # Errors
    /// Fails if the path is not that of a regular file, or if the file cannot be written or locked.
    pub fn lock(path: &'a Path) -> Result<Self, TextFileError> {
        exists(path)?;
        let lock = ReplaceLock::acquire(path).map_err(|reason| TextFileError::Write {
            path: path.to_owned(),
            reason,
        })?;
        Ok(Self { path, lock })
    }

    /// Returns whether the file exists.
    pub fn exists(&self) -> bool {
        self.lock.exists()
    }

    /// Replaces the contents of the file by `text` or creates the file. Returns `false` if another
    /// process has created it in the meantime; it is unchanged then.
    ///
    /// # Errors
    /// As [`replace`].
    pub fn replace(self, text: &str) -> Result<bool, TextFileError> {
        self.replace_with(|file| file.write_all(text.as_bytes()))
    }

    /// Appends `text` to the file, whose contents are replaced at once by the longer ones, or
    /// creates the file. Returns `false` if another process has created it in the meantime; it is
    /// unchanged then.
    ///
    /// # Errors
    /// As [`replace`].
    pub fn append(self, text: &str) -> Result<bool, TextFileError> {
        if !self.exists() {
            return self.replace(text);
        }
        let mut previous = open_file(self.path)?;
        self.replace_with(|file| {
            io::copy(&mut previous, file)?;
            file.write_all(text.as_bytes())
        })
    }

    fn replace_with(
        self,
        write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    ) -> Result<bool, TextFileError> {
        match self.lock.replace_with(write) {
            Ok(()) => Ok(true),
            Err(ReplaceFileError::Io(error)) if error.kind() == ErrorKind::AlreadyExists => {
                Ok(false)
            }
            Err(error) => Err(write_error(self.path, error)),
        }
    }
}

fn write_error(path: &Path, error: ReplaceFileError) -> TextFileError {
    match error {
        ReplaceFileError::NotRegular => TextFileError::NotRegular(kalah_files::resolve_links(path)),
        ReplaceFileError::Io(reason) => TextFileError::Write {
            path: path.to_owned(),
            reason,
        },
    }
}

/// Creates a file with the content that `write` writes, of any format, as [`kalah_files::create`]
/// does.
///
/// # Errors
/// Fails if the file exists or cannot be written, or with the error of `write`.
pub fn create(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<(), TextFileError> {
    kalah_files::create(path, write).map_err(|reason| TextFileError::Write {
        path: path.to_owned(),
        reason,
    })
}

/// Returns whether two paths lead to the same file.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
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
    fn device_is_not_read_without_limit() {
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert!(matches!(error, TextFileError::TooLarge(_)), "{error}");
    }

    #[test]
    fn folder_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let error = replace(folder.path(), "text").unwrap_err();
        assert!(matches!(error, TextFileError::NotRegular(_)), "{error}");
    }

    #[test]
    fn invalid_text_is_reported_with_its_place() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("game.kgn");
        fs::write(&path, b"1. A\nb \xff").unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(
            error.ends_with("is not UTF-8 text: line 2, byte 8 of the file; save it as UTF-8"),
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
