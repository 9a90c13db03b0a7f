//! Text files: bounded reads, and writes that replace the whole file at once.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use kalah_tables::sync_parent_dir;
use tempfile::NamedTempFile;
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

/// The maximum size of a file. Larger ones are rejected before they fill the memory.
const MAX_BYTES: u64 = 64 << 20;

/// The byte order marks of UTF-16. No text in UTF-8 begins with them.
const UTF_16_BYTE_ORDER_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// The mode of a new file, to which the system applies the user's mask.
#[cfg(unix)]
const NEW_FILE_MODE: u32 = 0o666;

/// The ends of the random names of temporary files.
const TEMPORARY_PREFIX: &str = ".kalah-";
const TEMPORARY_SUFFIX: &str = ".tmp";

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

/// Reads a text from `source` to its end. Errors contain `source_name`.
pub(crate) fn read_from(source_name: &str, source: impl io::Read) -> Result<String, TextFileError> {
    let cannot_read = |reason| TextFileError::Read {
        source_name: source_name.to_owned(),
        reason,
    };
    let mut bytes = Vec::new();
    // A device can be endless, so no more is read than shows that it is too large.
    (source.take(MAX_BYTES + 1))
        .read_to_end(&mut bytes)
        .map_err(cannot_read)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(TextFileError::TooLarge(source_name.to_owned()));
    }
    if UTF_16_BYTE_ORDER_MARKS
        .iter()
        .any(|mark| bytes.starts_with(mark))
    {
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

/// Replaces the contents of a file by `text` and creates the file if it does not exist.
///
/// A reader finds either the whole old text or the whole new one, also after a crash of the machine
/// at any moment. A symbolic link is followed and remains. The permissions of the file are kept.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), TextFileError> {
    let cannot_write = |reason| TextFileError::Write {
        path: path.to_owned(),
        reason,
    };
    let target = resolve_links(path);
    let mut permissions = None;
    if exists(&target)? {
        // Renaming needs no permission to write the file itself, so the permission is tested.
        let file = OpenOptions::new().append(true).open(&target);
        let metadata = file.and_then(|file| file.metadata());
        permissions = Some(metadata.map_err(cannot_write)?.permissions());
    }
    write_and_rename(&target, text, permissions).map_err(cannot_write)
}

/// Creates a file with the content that `write` writes, of any format.
///
/// The file appears when it is complete, and a file that exists is not replaced.
pub(crate) fn create(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<(), TextFileError> {
    let create = || {
        let temporary = temporary_file(path)?;
        let mut output = BufWriter::new(temporary.as_file());
        write(&mut output)?;
        output.flush()?;
        drop(output);
        temporary.as_file().sync_all()?;
        temporary.persist_noclobber(path)?;
        sync_parent_dir(path)
    };
    create().map_err(|reason| TextFileError::Write {
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

/// Returns the path of the file to which `path` leads. The file need not exist.
fn resolve_links(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| match fs::read_link(path) {
        // The target of the link does not exist yet.
        Ok(link) => path.parent().unwrap_or(Path::new("")).join(link),
        Err(_) => path.to_owned(),
    })
}

/// Creates a temporary file in the directory of `target`.
fn temporary_file(target: &Path) -> io::Result<NamedTempFile> {
    let directory = match target.parent() {
        Some(directory) if directory != Path::new("") => directory,
        _ => Path::new("."),
    };
    // An error of the directory itself is reported without the name of a temporary file.
    fs::read_dir(directory)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX).suffix(TEMPORARY_SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(Permissions::from_mode(NEW_FILE_MODE));
    }
    builder.tempfile_in(directory).map_err(|error| {
        let kind = error.kind();
        io::Error::new(kind, format!("cannot create a file in its folder: {kind}"))
    })
}

/// Writes a temporary file in the directory of `target` and renames it to `target`.
fn write_and_rename(target: &Path, text: &str, permissions: Option<Permissions>) -> io::Result<()> {
    let temporary = temporary_file(target)?;
    // The errors of `File`, unlike those of `NamedTempFile`, do not contain the temporary name.
    temporary.as_file().write_all(text.as_bytes())?;
    if let Some(permissions) = permissions {
        temporary.as_file().set_permissions(permissions)?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(target)?;
    sync_parent_dir(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn replace_leaves_no_temporary_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("game.kgn");
        for text in ["one", "", "three"] {
            replace(&path, text).unwrap();
            assert_eq!(read(&path).unwrap(), text);
        }
        assert_eq!(file_names(directory.path()), ["game.kgn"]);
    }

    #[test]
    fn failed_replace_changes_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let inner = directory.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let error = replace(&inner, "text").unwrap_err();
        assert!(matches!(error, TextFileError::NotRegular(_)), "{error}");
        let error = replace(&directory.path().join("no/such"), "text").unwrap_err();
        assert!(matches!(error, TextFileError::Write { .. }), "{error}");
        assert_eq!(file_names(directory.path()), ["inner"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn error_of_a_read_only_directory_does_not_name_the_temporary_file() {
        let error = replace(Path::new("/proc/game.kgn"), "text").unwrap_err();
        let message = error.to_string();
        let expected = "cannot write '/proc/game.kgn': cannot create a file in its folder: ";
        assert!(message.starts_with(expected), "{message}");
        assert!(!message.contains(TEMPORARY_SUFFIX), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn replace_keeps_links_and_permissions() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("game.kgn");
        let link = directory.path().join("link");
        symlink("game.kgn", &link).unwrap();
        replace(&link, "written through the link").unwrap();
        assert_eq!(read(&path).unwrap(), "written through the link");

        let mode = 0o640;
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        replace(&link, "again").unwrap();
        assert_eq!(read(&path).unwrap(), "again");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let after = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(after & 0o777, mode);
        assert_eq!(file_names(directory.path()), ["game.kgn", "link"]);
    }

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
