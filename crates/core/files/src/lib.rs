//! Files that are written completely or not at all: a reader finds the old content or the new one,
//! also after a crash of the machine at any moment.
//!
//! [`replace`] and [`replace_with`] replace the content of a file of a user, and [`create`] writes
//! a new file. [`PendingFile`] is for content that is not written as a stream, such as a database.
//! All of them write a file beside the target, sync it, rename it and sync the folder.
//! [`remove_abandoned`] removes the files of the first three that a kill has left. [`try_lock`] and
//! [`try_lock_shared`] keep other processes away from a file, and [`ReplaceLock`] from one that is
//! read and then replaced. [`add_checksum`] and [`remove_checksum`] are for lines that are appended
//! to a file one by one. [`decode_text`] returns the text of a file, or the place where it is none.
//!
//! Some file systems (of networks, of other systems, of user programs) cannot sync a folder, keep
//! no permissions, or have no locks. The first two are no errors: there a crash of the machine may
//! lose the last files. A missing lock is [`LockFileError::Unsupported`], because only the caller
//! knows what two writers would destroy.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let path = folder.path().join("game.kgn");
//! kalah_files::replace(&path, b"1. CF a *\n")?;
//! kalah_files::replace(&path, b"1. CF b *\n")?;
//! assert_eq!(std::fs::read_to_string(&path)?, "1. CF b *\n");
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod checked_line;
mod lock;
#[cfg(not(target_family = "wasm"))]
mod pending_file;
#[cfg(not(target_family = "wasm"))]
mod replace;
#[cfg(not(target_family = "wasm"))]
mod replace_lock;
mod sync;
mod text;
mod unsupported;

pub use checked_line::{ChangedLineError, add_checksum, remove_checksum};
pub use lock::{LockFileError, has_path, try_lock, try_lock_shared};
#[cfg(not(target_family = "wasm"))]
pub use pending_file::{PendingFile, create, remove_abandoned};
#[cfg(not(target_family = "wasm"))]
pub use replace::{ReplaceFileError, replace, replace_with, resolve_links};
#[cfg(not(target_family = "wasm"))]
pub use replace_lock::ReplaceLock;
pub use sync::{parent_folder, sync_parent_folder};
pub use text::{NotTextError, decode_text, is_utf_16};
