//! Replacement of the content of a file that belongs to a user.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::pending_file::PendingFile;

/// The maximum number of links to follow: that of Windows, which is the largest of all systems. The
/// system reports a longer chain, or links in a circle, as an error.
const MAX_LINKS: u32 = 63;

/// The reason why a file was not replaced. The file is as it was; if only its folder cannot be
/// synced, it has the new content.
#[derive(Debug, Error)]
pub enum ReplaceFileError {
    /// The path is that of a directory, a device or a pipe, which a file must not replace.
    #[error("it is not a regular file")]
    NotRegular,
    /// The file cannot be examined or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Replaces the content of a file, and creates the file if it does not exist.
///
/// Symbolic links are followed and remain. The permissions of the file are kept.
///
/// # Errors
/// [`ReplaceFileError`], also for a file that the user may not write.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), ReplaceFileError> {
    replace_with(path, |file| file.write_all(content))
}

/// Replaces the content of a file by the one that `write` writes, as [`replace`] does. While
/// `write` runs, the file has its old content.
///
/// # Errors
/// As [`replace`], and the error of `write`.
pub fn replace_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<(), ReplaceFileError> {
    let target = resolve_links(path);
    let permissions = match fs::metadata(&target) {
        Ok(metadata) if !metadata.is_file() => return Err(ReplaceFileError::NotRegular),
        Ok(_) => {
            // A rename needs no permission to write the file itself, so the permission is tested.
            let file = OpenOptions::new().append(true).open(&target)?;
            Some(file.metadata()?.permissions())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    let pending = PendingFile::locked_beside(&target)?;
    pending.write(write)?;
    if let Some(permissions) = permissions {
        pending.set_permissions(permissions)?;
    }
    Ok(pending.replace_target()?)
}

/// Returns the path of the file to which `path` leads. The file need not exist.
///
/// A path whose links the system cannot follow, such as links in a circle, is returned as it is,
/// and every use of it fails.
pub fn resolve_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::canonicalize(&path) {
            Ok(file) => return file,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(_) => return path,
        }
        // The last link of a chain may lead to a file that does not exist yet.
        let Ok(link) = fs::read_link(&path) else {
            return path;
        };
        path = path.parent().unwrap_or(Path::new("")).join(link);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn replace_leaves_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.kgn");
        for text in ["one", "", "three"] {
            replace(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(file_names(folder.path()), ["game.kgn"]);
    }

    #[test]
    fn failed_replace_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let error = replace(&inner, b"text").unwrap_err();
        assert!(matches!(error, ReplaceFileError::NotRegular), "{error}");
        let error = replace(&folder.path().join("no/such"), b"text").unwrap_err();
        assert!(matches!(error, ReplaceFileError::Io(_)), "{error}");
        assert_eq!(file_names(folder.path()), ["inner"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn error_of_a_read_only_folder_does_not_name_the_temporary_file() {
        let error = replace(Path::new("/proc/game.kgn"), b"text").unwrap_err();
        let message = error.to_string();
        let expected = "cannot create a file in its folder: ";
        assert!(message.starts_with(expected), "{message}");
        assert!(!message.contains(".tmp"), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn replace_keeps_links_and_permissions() {
        use std::fs::Permissions;
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.kgn");
        let link = folder.path().join("link");
        symlink("game.kgn", &link).unwrap();
        replace(&link, b"written through the link").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"written through the link");

        let mode = 0o640;
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        replace(&link, b"again").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"again");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let after = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(after & 0o777, mode);
        assert_eq!(file_names(folder.path()), ["game.kgn", "link"]);
    }

    #[cfg(unix)]
    #[test]
    fn replace_creates_the_file_at_the_end_of_a_chain_of_links() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let path = |name| folder.path().join(name);
        symlink("b", path("a")).unwrap();
        symlink("game.kgn", path("b")).unwrap();
        replace(&path("a"), b"text").unwrap();
        assert!(fs::symlink_metadata(path("a")).unwrap().is_symlink());
        assert!(fs::symlink_metadata(path("b")).unwrap().is_symlink());
        assert_eq!(fs::read(path("game.kgn")).unwrap(), b"text");
        assert_eq!(file_names(folder.path()), ["a", "b", "game.kgn"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_circle_are_not_replaced() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let path = |name| folder.path().join(name);
        symlink("b", path("a")).unwrap();
        symlink("a", path("b")).unwrap();
        let error = replace(&path("a"), b"text").unwrap_err();
        assert!(matches!(error, ReplaceFileError::Io(_)), "{error}");
        assert!(fs::symlink_metadata(path("a")).unwrap().is_symlink());
        assert_eq!(file_names(folder.path()), ["a", "b"]);
    }

    /// A socket stands for all files that are not regular ones. If this test fails, it must not
    /// have replaced a device of the system.
    #[cfg(unix)]
    #[test]
    fn socket_is_not_replaced() {
        use std::os::unix::net::UnixListener;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _listener = UnixListener::bind(&path).unwrap();
        let error = replace(&path, b"text").unwrap_err();
        assert!(matches!(error, ReplaceFileError::NotRegular), "{error}");
        assert_eq!(file_names(folder.path()), ["socket"]);
    }
}
