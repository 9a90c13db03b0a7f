use std::io::Write as _;
use std::path::{Path, PathBuf};

use kalah_engine::TableCache;
use kalah_players::escape_control;
use kalah_tables::Variant;

use crate::{CliError, TableFolder};

/// Where endgame tables may be read from: a folder, or nowhere.
///
/// ```
/// use std::path::PathBuf;
/// use kalah_cli::TableSource;
/// assert_eq!(TableSource::from(PathBuf::from("none")), TableSource::Disabled);
/// let folder = PathBuf::from("./none");
/// assert_eq!(TableSource::from(folder.clone()), TableSource::Folder(folder));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableSource {
    /// This folder.
    Folder(PathBuf),
    /// No file is read.
    Disabled,
}

impl From<PathBuf> for TableSource {
    fn from(path: PathBuf) -> Self {
        if path == Path::new("none") {
            Self::Disabled
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
    /// [`CliError::Runtime`] if a folder that was asked for cannot be read.
    pub(crate) fn open_cache(
        source: Option<&Self>,
        variant: Variant,
    ) -> Result<TableCache, CliError> {
        let shelf = TableCache::new();
        let asked = match source {
            Some(Self::Disabled) => return Ok(shelf),
            Some(Self::Folder(folder)) => Some(folder.as_path()),
            None => None,
        };
        let found =
            TableFolder::new_existing(asked).and_then(|folder| folder.open_largest(variant));
        match found {
            Ok((table, unusable)) => {
                for reason in unusable {
                    print_warning(&format!("this file is passed over: {reason}"));
                }
                if let Some(table) = table {
                    shelf.insert(table);
                }
            }
            Err(failure) if asked.is_some() => return Err(failure),
            // Nobody has asked for tables, and everything works without them.
            Err(CliError::Runtime(reason)) => {
                print_warning(&format!("no tables are read: {reason}"));
            }
            Err(_) => {}
        }
        Ok(shelf)
    }
}

/// Says on standard error what is passed over.
fn print_warning(reason: &str) {
    // There is nobody left to tell that standard error cannot be written.
    let _ = writeln!(anstream::stderr(), "warning: {}", escape_control(reason));
}
