use std::io;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use kalah_players::{display_path, escape_control};
use kalah_tables::{Header, HeaderError, OpenError, Table, Variant};

use crate::CliError;

/// A folder with endgame tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFolder(PathBuf);

impl TableFolder {
    /// The folder that was asked for, or else the one in the place where this system keeps the data of
    /// programs.
    ///
    /// # Errors
    /// [`CliError::Usage`] if none was asked for, and the system has no such place.
    pub fn new(asked: Option<&Path>) -> Result<Self, CliError> {
        if let Some(folder) = asked {
            return Ok(Self(folder.to_owned()));
        }
        let project = ProjectDirs::from("", "", "kalah");
        let folder = project.map(|project| Self(project.data_dir().join("tables")));
        folder.ok_or_else(|| {
            CliError::Usage(
                "this system names no folder for the data of programs: give one with --dir"
                    .to_owned(),
            )
        })
    }

    /// The same, where a folder that was asked for must be there.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if it is not, or is no folder; [`CliError::Usage`] as for [`Self::new`].
    pub fn new_existing(asked: Option<&Path>) -> Result<Self, CliError> {
        if let Some(folder) = asked.filter(|folder| !folder.is_dir()) {
            let told = display_path(folder);
            return Err(CliError::Runtime(if folder.exists() {
                format!("'{told}' is a file, and not a folder with tables")
            } else {
                format!("there is no folder '{told}'")
            }));
        }
        Self::new(asked)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Its table files in order of their names, finished or not. A folder that is not there has none.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if it cannot be read.
    pub fn files(&self) -> Result<Vec<PathBuf>, CliError> {
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

    /// The finished table about `variant` with the most seeds, and why other files cannot be used.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder cannot be read.
    pub(crate) fn open_largest(
        &self,
        variant: Variant,
    ) -> Result<(Option<Table>, Vec<OpenError>), CliError> {
        let mut fitting = Vec::new();
        let mut unusable = Vec::new();
        for path in self.files()?.into_iter().filter(|path| is_table_file(path)) {
            match Header::read(&path) {
                Ok(header) if header.variant() == variant => fitting.push((header.seeds(), path)),
                Ok(_) => {}
                Err(reason) => unusable.push(reason),
            }
        }
        fitting.sort();
        while let Some((_, path)) = fitting.pop() {
            match Table::open(&path) {
                Ok(table) => return Ok((Some(table), unusable)),
                Err(reason) => unusable.push(reason),
            }
        }
        Ok((None, unusable))
    }

    /// The smallest finished table about `variant` with positions of `seeds` in their houses.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder cannot be read. Files that are no good tables are passed over.
    pub fn find_smallest(&self, variant: Variant, seeds: u32) -> Result<Option<PathBuf>, CliError> {
        let files = self.files()?.into_iter().filter(|path| is_table_file(path));
        let fitting = files.filter_map(|path| {
            let header = Header::read(&path).ok()?;
            let fits = header.variant() == variant && u32::from(header.seeds()) >= seeds;
            fits.then_some((header.seeds(), path))
        });
        Ok(fitting.min().map(|(_, path)| path))
    }
}

/// Whether it is called like a finished table.
pub(crate) fn is_table_file(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == Variant::FILE_EXTENSION)
}

/// Whether it is called like a table that is being built.
fn is_partial_table_file(path: &Path) -> bool {
    let whole = path.with_extension("");
    is_table_file(&whole) && Table::part_path(&whole) == path
}

/// A table file that cannot be used, in words that explain themselves.
impl From<OpenError> for CliError {
    fn from(error: OpenError) -> Self {
        Self::Runtime(describe_open_error(&error))
    }
}

/// Why a table file cannot be used, and what to do about it if that is known.
pub(crate) fn describe_open_error(error: &OpenError) -> String {
    let advice = match error {
        OpenError::Header {
            reason: HeaderError::Unfinished,
            ..
        } => {
            "; unless it is being built just now, `kalah tables build` with its houses, seeds and rules goes on with it"
        }
        OpenError::Header {
            reason: HeaderError::Truncated { .. } | HeaderError::Damaged { .. },
            ..
        }
        | OpenError::WrongLength { .. } => {
            "; once it is deleted, `kalah tables build` makes a new one"
        }
        _ => "",
    };
    format!("{}{advice}", escape_control(&error.to_string()))
}
