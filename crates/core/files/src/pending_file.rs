//! Files under a temporary name, until they are complete.

use std::fs::{self, DirEntry, File, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, PersistError};

use crate::lock::{has_path, try_lock};
use crate::sync::{parent_folder, sync_parent_folder};
use crate::unsupported::is_unsupported;

/// The ends of the random names of temporary files.
const TEMPORARY_PREFIX: &str = ".kalah-";
const TEMPORARY_SUFFIX: &str = ".tmp";

/// The mode of an ordinary file, to which the system applies the user's mask.
#[cfg(unix)]
const ORDINARY_MODE: u32 = 0o666;

/// A file beside its target, with a temporary name. Dropping it without a rename removes it.
#[derive(Debug)]
pub struct PendingFile {
    temporary: NamedTempFile,
    target: PathBuf,
}

impl PendingFile {
    /// Creates an empty file in the folder of `target`, with the permissions of an ordinary file.
    ///
    /// # Errors
    /// The folder does not exist, or no file can be created in it. The error does not contain the
    /// temporary name.
    pub fn beside(target: &Path) -> io::Result<Self> {
        let mut builder = builder();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            builder.permissions(Permissions::from_mode(ORDINARY_MODE));
        }
        Self::new(&builder, target)
    }

    /// Creates a file as [`Self::beside`] does, and locks it, so that [`remove_abandoned`] does not
    /// remove it. Only this handle may write it: on Windows, a lock keeps all others away.
    pub(crate) fn locked_beside(target: &Path) -> io::Result<Self> {
        loop {
            let pending = Self::beside(target)?;
            // Without a lock the file cannot be taken for an abandoned one either.
            let is_locked = try_lock(pending.file()).is_ok();
            if !is_locked || has_path(pending.file(), pending.path())? {
                return Ok(pending);
            }
            // It was removed before it was locked.
        }
    }

    /// Creates an empty file in the folder of `target`. On Unix, other users of the machine cannot
    /// read it. On other systems it has the permissions of an ordinary file.
    ///
    /// # Errors
    /// As [`Self::beside`].
    pub fn private_beside(target: &Path) -> io::Result<Self> {
        Self::new(&builder(), target)
    }

    fn new(builder: &tempfile::Builder<'_, '_>, target: &Path) -> io::Result<Self> {
        let folder = parent_folder(target);
        // An error of the folder itself is reported without the name of a temporary file.
        fs::read_dir(folder)?;
        let temporary = builder.tempfile_in(folder).map_err(|error| {
            let kind = error.kind();
            io::Error::new(kind, format!("cannot create a file in its folder: {kind}"))
        })?;
        Ok(Self {
            temporary,
            target: target.to_owned(),
        })
    }

    /// Returns the temporary path.
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Returns the open file.
    pub fn file(&self) -> &File {
        self.temporary.as_file()
    }

    /// Writes what `write` writes.
    ///
    /// # Errors
    /// The error of `write`, or that of the system.
    pub fn write(
        &self,
        write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut output = BufWriter::new(self.file());
        write(&mut output)?;
        output.flush()
    }

    /// Sets the permissions of the file. A file system without permissions, such as FAT, gives all
    /// files the same ones; there this does nothing.
    pub(crate) fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        ignore_missing_permissions(self.file().set_permissions(permissions))
    }

    /// Gives the file the name of its target, whose old content it replaces.
    ///
    /// # Errors
    /// The file cannot be synced or renamed, and the target is as it was. If only the folder cannot
    /// be synced, the target has the new content.
    pub fn replace_target(self) -> io::Result<()> {
        self.file().sync_all()?;
        unlock(&self.temporary.persist(&self.target)?);
        sync_parent_folder(&self.target)
    }

    /// Gives the file the name of its target, which does not exist.
    ///
    /// # Errors
    /// As [`Self::replace_target`], and [`AlreadyExists`](io::ErrorKind::AlreadyExists) if the
    /// target exists.
    pub fn create_target(self) -> io::Result<()> {
        self.file().sync_all()?;
        let persisted = self.temporary.persist_noclobber(&self.target);
        unlock(&or_persist_in_new_file(persisted, &self.target)?);
        sync_parent_folder(&self.target)
    }
}

/// Ends the lock of a file at once. A process that another thread is starting can have the file
/// open a moment longer than this one.
fn unlock(file: &File) {
    // The lock ends with the file at the latest.
    let _ = file.unlock();
}

/// Removes the temporary files of [`create`], [`replace`](crate::replace) and
/// [`replace_with`](crate::replace_with) from a folder whose processes have ended without renaming
/// them, as after a kill. A file that a process has locked remains, and so does every file on a
/// file system without locks.
///
/// # Errors
/// The folder cannot be read, or a file cannot be removed.
pub fn remove_abandoned(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !is_temporary(&entry)? {
            continue;
        }
        let removed = match File::open(entry.path()) {
            Ok(file) if try_lock(&file).is_ok() => fs::remove_file(entry.path()),
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        };
        match removed {
            // Its process has renamed or removed it meanwhile.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            result => result?,
        }
    }
    Ok(())
}

/// Returns whether an entry of a folder is a regular file with the name of a temporary one.
fn is_temporary(entry: &DirEntry) -> io::Result<bool> {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    Ok(name.starts_with(TEMPORARY_PREFIX)
        && name.ends_with(TEMPORARY_SUFFIX)
        && entry.file_type()?.is_file())
}

/// Ignores the errors of file systems without permissions.
fn ignore_missing_permissions(set: io::Result<()>) -> io::Result<()> {
    match set {
        // The owner of a file may change its permissions where there are any.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        Err(error) if is_unsupported(&error) => Ok(()),
        result => result,
    }
}

/// Renames a file in another way if its file system has neither hard links nor a rename that
/// replaces no file.
fn or_persist_in_new_file(
    persisted: Result<File, PersistError>,
    target: &Path,
) -> io::Result<File> {
    match persisted {
        Ok(file) => Ok(file),
        Err(error) if is_without_links(&error.error) => persist_in_new_file(error.file, target),
        Err(error) => Err(error.error),
    }
}

/// Returns whether an error is one of those with which file systems refuse a second name of a file.
fn is_without_links(error: &io::Error) -> bool {
    let is_refused = [ErrorKind::PermissionDenied, ErrorKind::InvalidInput].contains(&error.kind());
    is_refused || is_unsupported(error)
}

/// Creates an empty file with the name `target`, and renames `temporary` to it. After an error of
/// the rename there is no such file.
fn persist_in_new_file(temporary: NamedTempFile, target: &Path) -> io::Result<File> {
    File::create_new(target)?;
    temporary.persist(target).or_else(|error| {
        fs::remove_file(target)?;
        Err(error.error)
    })
}

/// Returns a builder of files that, on Unix, only their owner can read.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX).suffix(TEMPORARY_SUFFIX);
    builder
}

/// Creates a file with the content that `write` writes. The file appears when it is complete, and a
/// file that exists is not replaced.
///
/// # Errors
/// The error of `write`, or that of the system.
pub fn create(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> io::Result<()> {
    let pending = PendingFile::locked_beside(path)?;
    pending.write(write)?;
    pending.create_target()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn create_replaces_no_file_and_leaves_no_temporary_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        create(&path, |file| file.write_all(b"first")).unwrap();
        let error = create(&path, |file| file.write_all(b"second")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        let error = create(&folder.path().join("other"), |_| {
            Err(ErrorKind::Other.into())
        });
        assert!(error.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn file_is_persisted_without_links_only_under_a_new_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        for (text, is_new) in [("first", true), ("second", false)] {
            let pending = PendingFile::beside(&path).unwrap();
            pending.file().write_all(text.as_bytes()).unwrap();
            let persisted = persist_in_new_file(pending.temporary, &path);
            assert_eq!(persisted.is_ok(), is_new);
            assert_eq!(fs::read(&path).unwrap(), b"first");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn only_an_error_of_missing_links_leads_to_another_rename() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        for (kind, is_persisted) in [
            (ErrorKind::PermissionDenied, true),
            (ErrorKind::InvalidInput, true),
            (ErrorKind::Unsupported, true),
            (ErrorKind::AlreadyExists, false),
            (ErrorKind::StorageFull, false),
        ] {
            let failed = PersistError {
                error: kind.into(),
                file: PendingFile::beside(&path).unwrap().temporary,
            };
            let persisted = or_persist_in_new_file(Err(failed), &path);
            assert_eq!(persisted.is_ok(), is_persisted, "{kind}");
            assert_eq!(fs::remove_file(&path).is_ok(), is_persisted, "{kind}");
        }
    }

    #[test]
    fn only_abandoned_files_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in [".kalah-killed.tmp", ".kalah-x", "a.tmp", "game.kgn"] {
            fs::write(path(name), name).unwrap();
        }
        fs::create_dir(path(".kalah-folder.tmp")).unwrap();
        let pending = PendingFile::locked_beside(&path("new")).unwrap();
        remove_abandoned(folder.path()).unwrap();
        assert!(!path(".kalah-killed.tmp").exists());
        for name in [".kalah-x", "a.tmp", "game.kgn", ".kalah-folder.tmp"] {
            assert!(path(name).exists(), "{name}");
        }
        pending.replace_target().unwrap();
        // The file under its own name has no lock.
        try_lock(&File::open(path("new")).unwrap()).unwrap();
        remove_abandoned(&path("no folder")).unwrap_err();
    }

    #[test]
    fn only_errors_of_missing_permissions_are_ignored() {
        for (kind, is_ignored) in [
            (ErrorKind::PermissionDenied, true),
            (ErrorKind::Unsupported, true),
            (ErrorKind::ReadOnlyFilesystem, false),
            (ErrorKind::Other, false),
        ] {
            let set = ignore_missing_permissions(Err(kind.into()));
            assert_eq!(set.is_ok(), is_ignored, "{kind}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn failed_rename_leaves_no_empty_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        let without_temporary = || {
            let pending = PendingFile::beside(&path).unwrap();
            fs::remove_file(pending.path()).unwrap();
            pending
        };
        assert!(without_temporary().create_target().is_err());
        assert!(persist_in_new_file(without_temporary().temporary, &path).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn private_file_is_readable_for_its_owner_only() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("private");
        let pending = PendingFile::private_beside(&path).unwrap();
        pending.replace_target().unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
}
