use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use tempfile::NamedTempFile;

use super::start::Start;
use super::value::ValueRow;

/// The file with the table of values, as far as it is computed.
pub(crate) struct ValuesFile {
    path: PathBuf,
}

impl ValuesFile {
    /// The file of this name, which need not exist.
    pub(crate) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The values in it, in their order.
    ///
    /// # Errors
    /// It cannot be read, or is not a table of values.
    pub(crate) fn read(&self) -> anyhow::Result<Vec<ValueRow>> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", self.path.display()));
            }
        };
        parse_rows(&text).with_context(|| format!("{} is no table of values", self.path.display()))
    }

    /// Puts a value into its place. Whoever reads the file finds it with or without the value, whatever
    /// happens.
    ///
    /// # Errors
    /// It cannot be read or written, or holds a value of this start already.
    pub(crate) fn add(&self, value: ValueRow) -> anyhow::Result<()> {
        // What somebody else has added since is kept.
        let mut values = self.read()?;
        let Err(at) = values.binary_search_by_key(&value.start, |value| value.start) else {
            bail!("{} has {} already", self.path.display(), value.start);
        };
        values.insert(at, value);
        self.replace(&values)
            .with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn replace(&self, values: &[ValueRow]) -> anyhow::Result<()> {
        let folder = match self.path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        fs::create_dir_all(folder)?;
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            /// A file of the repository, before the user's mask.
            const MODE: u32 = 0o666;
            builder.permissions(fs::Permissions::from_mode(MODE));
        }
        let mut aside: NamedTempFile = builder.tempfile_in(folder)?;
        writeln!(aside, "{}", ValueRow::HEADER)?;
        for value in values {
            writeln!(aside, "{value}")?;
        }
        aside.as_file().sync_all()?;
        aside.persist(&self.path)?;
        Ok(())
    }
}

/// The values of a table, each start at most once and in order.
pub(crate) fn parse_rows(text: &str) -> anyhow::Result<Vec<ValueRow>> {
    let mut lines = (1..).zip(text.lines());
    ensure!(
        lines
            .next()
            .is_some_and(|(_, line)| line == ValueRow::HEADER),
        "its first line is not `{}`",
        ValueRow::HEADER
    );
    let mut values: Vec<ValueRow> = Vec::new();
    let mut last: Option<Start> = None;
    for (number, line) in lines {
        let value: ValueRow = line.parse().with_context(|| format!("line {number}"))?;
        ensure!(
            last < Some(value.start),
            "line {number}: {} comes too late",
            value.start
        );
        last = Some(value.start);
        values.push(value);
    }
    Ok(values)
}
