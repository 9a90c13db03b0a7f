use std::io::Write as _;
use std::path::{Path, PathBuf};

use kalah_engine::TableCache;
use kalah_tables::Variant;

use crate::shown::tame;
use crate::{Failure, TableFolder};

/// Where endgame tables may be read from: a folder, or nowhere.
///
/// ```
/// use std::path::PathBuf;
/// use kalah_cli::TableSource;
/// assert_eq!(TableSource::from(PathBuf::from("none")), TableSource::Nowhere);
/// let folder = PathBuf::from("./none");
/// assert_eq!(TableSource::from(folder.clone()), TableSource::Folder(folder));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableSource {
    /// This folder.
    Folder(PathBuf),
    /// No file is read.
    Nowhere,
}

impl From<PathBuf> for TableSource {
    fn from(path: PathBuf) -> Self {
        if path == Path::new("none") {
            Self::Nowhere
        } else {
            Self::Folder(path)
        }
    }
}

impl TableSource {
    /// A shelf with the largest table about `variant` that there is. Without a source it is looked for
    /// where `kalah tables build` puts tables.
    ///
    /// What cannot be used is told on standard error and passed over.
    ///
    /// # Errors
    /// [`Failure::Work`] if a folder that was asked for cannot be read.
    pub(crate) fn shelf(source: Option<&Self>, variant: Variant) -> Result<TableCache, Failure> {
        let shelf = TableCache::new();
        let asked = match source {
            Some(Self::Nowhere) => return Ok(shelf),
            Some(Self::Folder(folder)) => Some(folder.as_path()),
            None => None,
        };
        let found = TableFolder::existing(asked).and_then(|folder| folder.largest(variant));
        match found {
            Ok((table, unusable)) => {
                for reason in unusable {
                    warn(&format!("this file is passed over: {reason}"));
                }
                if let Some(table) = table {
                    shelf.insert(table);
                }
            }
            Err(failure) if asked.is_some() => return Err(failure),
            // Nobody has asked for tables, and everything works without them.
            Err(Failure::Work(reason)) => warn(&format!("no tables are read: {reason}")),
            Err(_) => {}
        }
        Ok(shelf)
    }
}

/// Says on standard error what is passed over.
fn warn(reason: &str) {
    // There is nobody left to tell that standard error cannot be written.
    let _ = writeln!(anstream::stderr(), "warning: {}", tame(reason));
}
