//! Folders with endgame tables, the option `--tables` as a source of tables, and messages about
//! table files.

use std::io;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use kalah::Variant;
use kalah_engine::TableCache;
use kalah_players::{MemorySize, display_path, escape_control, quoted_path, system_memory};
use kalah_tables::{ChecksumPolicy, Header, HeaderError, OpenError, Table, TableDamage};

use crate::error::CliError;
use crate::files::mapped_tables::name_in_bus_error;
use crate::output::messages::print_warning;

/// A table may take the free memory of the machine divided by this number: the other half is for
/// the tables of other variants, of which a server has up to three, each of at most half of what is
/// free when it is read, and for the engines, whose memory is not allocated yet.
const FREE_MEMORY_TO_TABLE_RATIO: u64 = 2;

/// A folder with endgame tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableFolder(PathBuf);

impl TableFolder {
    /// Returns the folder `path`, or by default the folder `tables` where the system keeps the data
    /// of programs.
    ///
    /// # Errors
    /// [`CliError::Usage`] if there is neither a path nor a default folder.
    pub(crate) fn new(path: Option<&Path>) -> Result<Self, CliError> {
        if let Some(folder) = path {
            return Ok(Self(folder.to_owned()));
        }
        let project = ProjectDirs::from("", "", "kalah");
        let folder = project.map(|project| Self(project.data_dir().join("tables")));
        folder.ok_or_else(|| {
            CliError::Usage(
                "this system has no folder for the data of programs: give a folder with --dir"
                    .to_owned(),
            )
        })
    }

    /// Returns the same folder as [`Self::new`], but requires that `path` exists.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if `path` is not an existing folder; [`CliError::Usage`] as for
    /// [`Self::new`].
    pub(crate) fn new_existing(path: Option<&Path>) -> Result<Self, CliError> {
        if let Some(folder) = path.filter(|folder| !folder.is_dir()) {
            let name = display_path(folder);
            return Err(CliError::Runtime(if folder.exists() {
                format!("'{name}' is a file, not a folder with tables")
            } else {
                format!("there is no folder '{name}'")
            }));
        }
        Self::new(path)
    }

    /// Returns the path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the table files, finished or not, in the order of their names. A folder that does
    /// not exist has none.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder cannot be read.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>, CliError> {
        let cannot_read = |reason: io::Error| {
            let folder = display_path(&self.0);
            CliError::Runtime(format!("cannot read the folder '{folder}': {reason}"))
        };
        let entries = match self.0.read_dir() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(cannot_read)?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.map_err(cannot_read)?.path();
            if is_table_file(&path) || is_partial_table_file(&path) {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }

    /// Opens the finished table of `variant` with the most seeds. Files that cannot be used are
    /// skipped with a warning on standard error.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder cannot be read.
    fn open_largest(
        &self,
        variant: Variant,
        policy: ChecksumPolicy,
    ) -> Result<Option<Table>, CliError> {
        let tables = self.tables(variant)?;
        Ok(open_first(tables.into_iter().rev(), policy))
    }

    /// Reads the finished table of `variant` with the most seeds into memory, and inserts it into
    /// `cache`, or its damage. Files that cannot be used, or for which the machine has not enough
    /// free memory, are skipped with a warning on standard error.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder cannot be read.
    fn read_largest(
        &self,
        variant: Variant,
        policy: ChecksumPolicy,
        cache: &TableCache,
    ) -> Result<(), CliError> {
        for (seeds, path) in self.tables(variant)?.into_iter().rev() {
            let bytes = Table::positions(variant, seeds).unwrap_or(u64::MAX);
            if let Some(free) = system_memory().map(|memory| memory.available)
                && bytes > free / FREE_MEMORY_TO_TABLE_RATIO
            {
                let (file, size) = (quoted_path(&path), MemorySize::new(bytes));
                print_warning(&format!(
                    "skipping this file: {file} needs {size} of memory, too much of the {} that are \
                     free",
                    MemorySize::new(free)
                ));
                continue;
            }
            match Table::read(&path, policy) {
                Ok(table) => {
                    cache.insert(table);
                    return Ok(());
                }
                Err(OpenError::Damaged(damage)) => {
                    warn_of_damage(&damage);
                    cache.insert_damage(damage.without_folder());
                }
                Err(reason) => warn_of_unusable(&reason),
            }
        }
        Ok(())
    }

    /// Opens the smallest finished table of `variant` that has positions with `seeds` in the
    /// houses. Files that cannot be used are skipped with a warning on standard error.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder cannot be read.
    pub(crate) fn open_smallest(
        &self,
        variant: Variant,
        seeds: u32,
    ) -> Result<Option<Table>, CliError> {
        let tables = self.tables(variant)?.into_iter();
        Ok(open_first(
            tables.filter(|&(max_seeds, _)| u32::from(max_seeds) >= seeds),
            ChecksumPolicy::Verify,
        ))
    }

    /// Returns the finished tables of `variant`, each with its maximum number of seeds, in the
    /// order of these numbers. Files that cannot be used are skipped with a warning on standard
    /// error.
    fn tables(&self, variant: Variant) -> Result<Vec<(u8, PathBuf)>, CliError> {
        let mut tables = Vec::new();
        for path in self.files()?.into_iter().filter(|path| is_table_file(path)) {
            match Header::read(&path) {
                Ok(header) if header.variant() == variant => tables.push((header.seeds(), path)),
                Ok(_) => {}
                Err(reason) => warn_of_unusable(&reason),
            }
        }
        tables.sort();
        Ok(tables)
    }
}

/// Opens the first of `tables` that can be used, and prints a warning about each one before it.
fn open_first(
    tables: impl Iterator<Item = (u8, PathBuf)>,
    policy: ChecksumPolicy,
) -> Option<Table> {
    for (_, path) in tables {
        match open_table(&path, policy) {
            Ok(table) => return Some(table),
            Err(reason) => warn_of_unusable(&reason),
        }
    }
    None
}

/// Opens a table file by mapping it into memory. If the system cannot read it later, the last
/// message of this process names it.
pub(crate) fn open_table(path: &Path, policy: ChecksumPolicy) -> Result<Table, OpenError> {
    let table = Table::open(path, policy)?;
    name_in_bus_error(&table);
    Ok(table)
}

/// Prints a warning about a damaged table.
fn warn_of_damage(damage: &TableDamage) {
    print_warning(&escape_control(&damage.to_string()));
}

/// Prints a warning about a file that cannot be used.
fn warn_of_unusable(error: &OpenError) {
    print_warning(&escape_control(&format!("skipping this file: {error}")));
}

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
    /// Checks that the folder exists.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if it does not exist, or is a file.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        match self {
            Self::Folder(folder) => TableFolder::new_existing(Some(folder)).map(drop),
            Self::Disabled => Ok(()),
        }
    }

    /// Returns a cache with the largest table of `variant` in the source, mapped from its file.
    /// Without a source, the table is from the default folder of `kalah tables build`.
    ///
    /// Files that cannot be used are skipped with a warning on standard error, where a warning also
    /// reports damage that is found later.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder of `source` cannot be read.
    pub(crate) fn open_cache(
        source: Option<&Self>,
        policy: ChecksumPolicy,
        variant: Variant,
    ) -> Result<TableCache, CliError> {
        let cache = TableCache::new().with_damage_observer(warn_of_damage);
        Self::fill(source, |folder| {
            if let Some(table) = folder.open_largest(variant, policy)? {
                cache.insert(table);
            }
            Ok(())
        })?;
        Ok(cache)
    }

    /// Returns a cache as [`Self::open_cache`] does, with the table in memory, so that no change of
    /// the file and no error of its disk has an effect later.
    ///
    /// The cache names damaged files without their folder, because its users may be on other
    /// machines.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder of `source` cannot be read.
    pub(crate) fn read_cache(
        source: Option<&Self>,
        policy: ChecksumPolicy,
        variant: Variant,
    ) -> Result<TableCache, CliError> {
        let cache = TableCache::new();
        Self::fill(source, |folder| {
            folder.read_largest(variant, policy, &cache)
        })?;
        Ok(cache)
    }

    /// Calls `fill` with the folder of `source`, or with the default folder.
    fn fill(
        source: Option<&Self>,
        fill: impl FnOnce(&TableFolder) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let folder = match source {
            Some(Self::Disabled) => return Ok(()),
            Some(Self::Folder(folder)) => Some(folder.as_path()),
            None => None,
        };
        match TableFolder::new_existing(folder).and_then(|folder| fill(&folder)) {
            Err(error) if folder.is_some() => Err(error),
            // The default folder is optional.
            Err(CliError::Runtime(reason)) => {
                print_warning(&escape_control(&format!("no tables are read: {reason}")));
                Ok(())
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// Returns whether `path` has the extension of a finished table.
pub(crate) fn is_table_file(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == Table::FILE_EXTENSION)
}

/// Returns whether `path` has the extension of an unfinished table.
fn is_partial_table_file(path: &Path) -> bool {
    let finished = path.with_extension("");
    is_table_file(&finished) && Table::part_path(&finished) == path
}

/// Converts the error with its description and advice.
impl From<OpenError> for CliError {
    fn from(error: OpenError) -> Self {
        Self::Runtime(describe_open_error(&error))
    }
}

/// Converts the error with its message, which has the command that builds the table again.
impl From<TableDamage> for CliError {
    fn from(damage: TableDamage) -> Self {
        Self::Runtime(escape_control(&damage.to_string()))
    }
}

/// Describes why a table file cannot be used, with advice if there is any.
pub(crate) fn describe_open_error(error: &OpenError) -> String {
    let advice = match error {
        OpenError::Header {
            reason: HeaderError::Unfinished,
            ..
        } => {
            "; if no build is running, `kalah tables build` with its houses, seeds and rules continues it"
        }
        OpenError::Header {
            reason: HeaderError::Truncated { .. } | HeaderError::Damaged { .. },
            ..
        }
        | OpenError::WrongLength { .. } => {
            "; delete it and run `kalah tables build` to build it again"
        }
        _ => "",
    };
    format!("{}{advice}", escape_control(&error.to_string()))
}

/// Describes why a packed table cannot be opened, with advice if there is any.
pub(crate) fn describe_packed_error(error: &OpenError) -> String {
    let advice = match error {
        OpenError::Header {
            reason: HeaderError::Unfinished,
            ..
        } => "; if no packing is running, `kalah tables pack` with its table continues it",
        OpenError::Header {
            reason: HeaderError::Truncated { .. } | HeaderError::Damaged { .. },
            ..
        }
        | OpenError::WrongLength { .. } => "; get the file again",
        _ => "",
    };
    format!("{}{advice}", escape_control(&error.to_string()))
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
