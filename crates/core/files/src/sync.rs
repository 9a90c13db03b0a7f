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
    match File::open(parent_folder(path))?.sync_all() {
        // Some file systems cannot sync a folder.
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
