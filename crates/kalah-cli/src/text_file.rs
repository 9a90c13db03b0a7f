use kalah_players::display_path;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a file of text cannot be read or written.
#[derive(Debug, Error)]
pub enum TextFileError {
    /// It cannot be opened or read.
    #[error("cannot read '{}': {reason}", escaped_path(.path))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// It is larger than anything that this program reads.
    #[error("cannot read '{}': it is larger than {} MiB", escaped_path(.0), MAX_BYTES >> 20)]
    TooLarge(PathBuf),
    /// It is not UTF-8.
    #[error("'{}' is not UTF-8 text: line {line}, byte {byte} of the file", escaped_path(.path))]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The first line that is no text, from 1.
        line: usize,
        /// The first byte that is no text, from 1.
        byte: usize,
    },
    /// It is text in another encoding.
    #[error("'{}' is UTF-16 text: save it as UTF-8", escaped_path(.0))]
    Utf16(PathBuf),
    /// It cannot be written; what was there before is still there.
    #[error("cannot write '{}': {reason}", escaped_path(.path))]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// It is a directory, a device, or a pipe, in whose place no file may be put.
    #[error("cannot write '{}': it is not a regular file", escaped_path(.0))]
    NotRegular(PathBuf),
}

/// Far more than the games of a lifetime.
const MAX_BYTES: u64 = 64 << 20;

/// What text in UTF-16 begins with, by either order of bytes. No text in UTF-8 does.
const UTF_16_BYTE_ORDER_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// What a file that anybody may use is created with, before the user's mask.
#[cfg(unix)]
const NEW_FILE_MODE: u32 = 0o666;

fn escaped_path(path: &Path) -> String {
    display_path(path)
}

/// Reads a text.
pub(crate) fn read(path: &Path) -> Result<String, TextFileError> {
    let cannot_read = |reason| TextFileError::Read {
        path: path.to_owned(),
        reason,
    };
    read_from(path, File::open(path).map_err(cannot_read)?)
}

/// Reads a text to its end from what is called `path`.
pub(crate) fn read_from(path: &Path, source: impl io::Read) -> Result<String, TextFileError> {
    let cannot_read = |reason| TextFileError::Read {
        path: path.to_owned(),
        reason,
    };
    let mut bytes = Vec::new();
    // A device may have no end: no more is read than is needed to see that it is too much.
    (source.take(MAX_BYTES + 1))
        .read_to_end(&mut bytes)
        .map_err(cannot_read)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(TextFileError::TooLarge(path.to_owned()));
    }
    if UTF_16_BYTE_ORDER_MARKS
        .iter()
        .any(|mark| bytes.starts_with(mark))
    {
        return Err(TextFileError::Utf16(path.to_owned()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..good];
        TextFileError::NotUtf8 {
            path: path.to_owned(),
            line: before.split(|&byte| byte == b'\n').count(),
            byte: good + 1,
        }
    })
}

/// Whether there is a file, which must be one that can be replaced.
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

/// Lets a file hold exactly `text`, at once: whoever reads it, also after a crash at any moment,
/// finds either all of the old text or all of the new one. A link stays a link, and the
/// permissions of the file stay.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), TextFileError> {
    let cannot_write = |reason| TextFileError::Write {
        path: path.to_owned(),
        reason,
    };
    let target = resolve_links(path);
    let mut permissions = None;
    if exists(&target)? {
        // A rename would not ask whether the file itself may be written.
        let file = OpenOptions::new().append(true).open(&target);
        let metadata = file.and_then(|file| file.metadata());
        permissions = Some(metadata.map_err(cannot_write)?.permissions());
    }
    write_and_rename(&target, text, permissions).map_err(cannot_write)
}

/// Whether two paths lead to one file.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

/// The file that a path leads to, which need not exist.
fn resolve_links(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| match fs::read_link(path) {
        // A link to a file that is still to be made.
        Ok(link) => path.parent().unwrap_or(Path::new("")).join(link),
        Err(_) => path.to_owned(),
    })
}

/// Writes a new file beside `target` and puts it into its place.
fn write_and_rename(target: &Path, text: &str, permissions: Option<Permissions>) -> io::Result<()> {
    let directory = match target.parent() {
        Some(directory) if directory != Path::new("") => directory,
        _ => Path::new("."),
    };
    // What is wrong with the directory is told of it, and not of a file that nobody knows.
    fs::read_dir(directory)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kalah-").suffix(".aside");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(Permissions::from_mode(NEW_FILE_MODE));
    }
    let aside = builder.tempfile_in(directory).map_err(|error| {
        let kind = error.kind();
        io::Error::new(kind, format!("its directory takes no new file: {kind}"))
    })?;
    // Through the file itself: its errors name no file.
    aside.as_file().write_all(text.as_bytes())?;
    if let Some(permissions) = permissions {
        aside.as_file().set_permissions(permissions)?;
    }
    aside.as_file().sync_all()?;
    aside.persist(target)?;
    sync_directory(directory)
}

/// Sees to it that a rename in `directory` outlives a crash of the machine.
#[cfg(unix)]
fn sync_directory(directory: &Path) -> io::Result<()> {
    match File::open(directory)?.sync_all() {
        // Some file systems know no such thing.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        result => result,
    }
}

/// Sees to it that a rename in `directory` outlives a crash, as far as the system lets it.
#[cfg(not(unix))]
fn sync_directory(_directory: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_text_is_replaced_and_nothing_is_left_beside_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("game.kgn");
        for text in ["one", "", "three"] {
            replace(&path, text).unwrap();
            assert_eq!(read(&path).unwrap(), text);
        }
        assert_eq!(names(directory.path()), ["game.kgn"]);
    }

    #[test]
    fn a_refused_replacement_leaves_everything_as_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let inner = directory.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let error = replace(&inner, "text").unwrap_err();
        assert!(matches!(error, TextFileError::NotRegular(_)), "{error}");
        let error = replace(&directory.path().join("no/such"), "text").unwrap_err();
        assert!(matches!(error, TextFileError::Write { .. }), "{error}");
        assert_eq!(names(directory.path()), ["inner"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_directory_that_takes_no_file_is_told_without_a_file_that_nobody_knows() {
        let error = replace(Path::new("/proc/game.kgn"), "text").unwrap_err();
        let message = error.to_string();
        let expected = "cannot write '/proc/game.kgn': its directory takes no new file: ";
        assert!(message.starts_with(expected), "{message}");
        assert!(!message.contains("aside"), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("game.kgn");
        let link = directory.path().join("link");
        symlink("game.kgn", &link).unwrap();
        replace(&link, "made through the link").unwrap();
        assert_eq!(read(&path).unwrap(), "made through the link");

        let mode = 0o640;
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        replace(&link, "again").unwrap();
        assert_eq!(read(&path).unwrap(), "again");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let after = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(after & 0o777, mode);
        assert_eq!(names(directory.path()), ["game.kgn", "link"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_neither_replaced_nor_read_without_end() {
        let error = replace(Path::new("/dev/null"), "text").unwrap_err();
        assert!(matches!(error, TextFileError::NotRegular(_)), "{error}");
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert!(matches!(error, TextFileError::TooLarge(_)), "{error}");
    }

    #[test]
    fn what_is_no_text_is_told_with_its_place() {
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
