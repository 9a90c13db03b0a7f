//! The option `--tables`: the source of endgame tables.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use kalah_engine::TableCache;
use kalah_players::escape_control;
use kalah_tables::Variant;

use super::table_folder::TableFolder;
use crate::error::CliError;

/// The source of endgame tables: a folder, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TableSource {
    /// Tables are read from this folder.
    Folder(PathBuf),
    /// No tables are read.
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
    /// Returns a cache with the largest table of `variant` in the source. Without a source, the
    /// table is from the default folder of `kalah tables build`.
    ///
    /// Files that cannot be used are skipped with a warning on standard error.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder of `source` cannot be read.
    pub(crate) fn open_cache(
        source: Option<&Self>,
        variant: Variant,
    ) -> Result<TableCache, CliError> {
        let cache = TableCache::new();
        let folder = match source {
            Some(Self::Disabled) => return Ok(cache),
            Some(Self::Folder(folder)) => Some(folder.as_path()),
            None => None,
        };
        let opened =
            TableFolder::new_existing(folder).and_then(|folder| folder.open_largest(variant));
        match opened {
            Ok((table, unusable)) => {
                for error in unusable {
                    print_warning(&format!("file skipped: {error}"));
                }
                if let Some(table) = table {
                    cache.insert(table);
                }
            }
            Err(error) if folder.is_some() => return Err(error),
            // The default folder is optional.
            Err(CliError::Runtime(reason)) => {
                print_warning(&format!("no tables are read: {reason}"));
            }
            Err(_) => {}
        }
        Ok(cache)
    }
}

/// Prints a warning on standard error.
fn print_warning(text: &str) {
    // An error of standard error cannot be reported anywhere.
    let _ = writeln!(anstream::stderr(), "warning: {}", escape_control(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_disables_tables_and_any_other_path_is_a_folder() {
        let source = |path: &str| TableSource::from(PathBuf::from(path));
        assert_eq!(source("none"), TableSource::Disabled);
        assert_eq!(source("./none"), TableSource::Folder("./none".into()));
    }
}
