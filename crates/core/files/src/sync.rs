//! The folder of a file, and its sync.

#[cfg(unix)]
use std::fs::File;
use std::io;
#[cfg(unix)]
use std::io::ErrorKind;
use std::path::Path;

#[cfg(unix)]
use crate::unsupported::is_unsupported;

/// Returns the folder of `path`: `.` for the name of a file.
pub fn parent_folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Syncs the folder of `path`, so that a rename in it survives a crash of the machine.
///
/// Does nothing on file systems and systems that cannot sync a folder.
///
/// # Errors
/// The folder cannot be opened or synced.
#[cfg(unix)]
pub fn sync_parent_folder(path: &Path) -> io::Result<()> {
    ignore_missing_sync(File::open(parent_folder(path))?.sync_all())
}

/// Ignores the errors of file systems that cannot sync a folder.
#[cfg(unix)]
fn ignore_missing_sync(synced: io::Result<()>) -> io::Result<()> {
    match synced {
        Err(error) if error.kind() == ErrorKind::InvalidInput || is_unsupported(&error) => Ok(()),
        result => result,
    }
}

/// Does nothing: this system cannot sync a folder.
#[cfg(not(unix))]
#[expect(clippy::missing_errors_doc, reason = "fails on Unix only")]
pub fn sync_parent_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_a_missing_sync_is_ignored() {
        for (code, is_ignored) in [
            (libc::EINVAL, true),
            (libc::ENOSYS, true),
            (libc::EOPNOTSUPP, true),
            (libc::EIO, false),
            (libc::ENOSPC, false),
        ] {
            let synced = ignore_missing_sync(Err(io::Error::from_raw_os_error(code)));
            assert_eq!(synced.is_ok(), is_ignored, "{code}");
        }
        let folder = tempfile::tempdir().unwrap();
        sync_parent_folder(&folder.path().join("file")).unwrap();
        let error = sync_parent_folder(&folder.path().join("no/file")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
}
