//! The rows of a batch: JSON or CSV, on standard output or in a file that a later run continues.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use kalah_files::{LockFileError, try_lock};
use kalah_players::quoted_path;
use serde::Serialize;

use super::command::BatchCommand;
use super::source::{BatchItem, ItemKind};
use crate::error::CliError;
use crate::output::messages::write_json;

/// The heading of options that only batches have, in the help.
pub(crate) const BATCH_HEADING: &str = "Options for batches";

/// The options of the output of a batch.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct BatchOptions {
    /// Write CSV instead of lines of JSON
    #[arg(long, help_heading = BATCH_HEADING)]
    pub(crate) csv: bool,
    /// Write to this file, and skip the lines whose results it already has
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = BATCH_HEADING)]
    pub(crate) out: Option<PathBuf>,
}

impl BatchOptions {
    /// Checks that no option is given for a single item.
    ///
    /// # Errors
    /// [`CliError::Usage`] that names the option.
    pub(crate) fn refuse_for_one(&self, kind: ItemKind) -> Result<(), CliError> {
        let options = [("--csv", self.csv), ("--out", self.out.is_some())];
        match options.into_iter().find(|&(_, is_given)| is_given) {
            Some((option, _)) => Err(kind.only_for_batches(option)),
            None => Ok(()),
        }
    }
}

/// The result of an item: a value, or the reason why there is none.
pub(crate) type RowResult<T> = Result<T, String>;

/// A value with its rows of CSV, whose columns follow the number of the item, `input`, `command`
/// and `error`.
pub(crate) trait CsvRows: Serialize {
    /// The names of the columns.
    const COLUMNS: &[&str];
    /// The column with the number of rows of the value; `None` if each value has one row. By it, a
    /// later run finds values of which a crash has cut rows.
    const COUNT_COLUMN: Option<&str> = None;

    /// Returns the fields of the columns for each row. There is at least one row.
    fn rows(&self) -> Vec<Vec<String>>;
}

/// The column of the text of an item.
const INPUT_COLUMN: &str = "input";
/// The column of the command that has made a row.
const COMMAND_COLUMN: &str = "command";
/// The column of the reason why an item has no result.
const ERROR_COLUMN: &str = "error";

/// A row of JSON.
#[derive(Serialize)]
struct JsonRow<'a, T> {
    /// The number of the item in the input, from 1, with the name of its column.
    #[serde(flatten)]
    number: BTreeMap<&'static str, u64>,
    /// The text of the item.
    input: &'a str,
    /// The command with the options on which the row depends.
    command: &'a str,
    #[serde(flatten)]
    result: JsonResult<'a, T>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum JsonResult<'a, T> {
    Value(&'a T),
    Error { error: &'a str },
}

/// The form of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowFormat {
    Json,
    Csv,
}

/// The item of a row that an earlier run has written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RowItem {
    number: u64,
    input: String,
    command: String,
    /// Whether it has the reason why there is no result.
    pub(super) is_error: bool,
}

/// Writes rows.
pub(super) struct RowWriter<'a> {
    output: Box<dyn Write + 'a>,
    format: RowFormat,
    kind: ItemKind,
    /// The text of the command.
    command: String,
    /// The rows of an earlier run that were not compared with the input yet.
    earlier: Option<EarlierRows>,
}

impl<'a> RowWriter<'a> {
    /// Returns a writer to `output`, or to the file of the options. It writes the header of CSV.
    ///
    /// # Errors
    /// [`CliError`] if the file cannot be opened or belongs to another format, or if the output
    /// cannot be written.
    pub(super) fn open<T: CsvRows>(
        kind: ItemKind,
        command: &BatchCommand,
        options: &BatchOptions,
        output: &'a mut dyn Write,
    ) -> Result<Self, CliError> {
        let format = if options.csv {
            RowFormat::Csv
        } else {
            RowFormat::Json
        };
        let first_columns = [
            kind.number_column(),
            INPUT_COLUMN,
            COMMAND_COLUMN,
            ERROR_COLUMN,
        ];
        let header = || first_columns.iter().chain(T::COLUMNS).copied();
        let mut writer = Self {
            output: Box::new(output),
            format,
            kind,
            command: command.text().to_owned(),
            earlier: None,
        };
        if let Some(path) = &options.out {
            let header_line = (format == RowFormat::Csv).then(|| csv_line(header()));
            let count_column = T::COUNT_COLUMN.and_then(|name| header().position(|it| it == name));
            let earlier = EarlierRows::open(path, format, kind, header_line.transpose()?)?;
            writer.earlier = Some(EarlierRows {
                count_column,
                ..earlier
            });
        } else if format == RowFormat::Csv {
            let line = csv_line(header())?;
            writer.output.write_all(line.as_bytes())?;
        }
        Ok(writer)
    }

    /// Returns the row of `line` that an earlier run has written; `None` if there is none. Lines
    /// have to be passed in their order.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the next row of the file is that of another line or command, or if
    /// the file cannot be read.
    pub(super) fn earlier_row(&mut self, line: &BatchItem) -> Result<Option<RowItem>, CliError> {
        let Some(earlier) = &mut self.earlier else {
            return Ok(None);
        };
        let row = earlier.next_of(line, &self.command)?;
        if row.is_none() {
            self.finish_earlier()?;
        }
        Ok(row)
    }

    /// Checks that all rows of the earlier run were those of lines of the input.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the file has rows of further lines, or cannot be read.
    pub(super) fn finish_earlier(&mut self) -> Result<(), CliError> {
        if let Some(earlier) = self.earlier.take() {
            self.output = Box::new(BufWriter::new(earlier.finish()?));
        }
        Ok(())
    }

    /// Writes the rows of a line at once.
    ///
    /// # Errors
    /// The error of the output.
    pub(super) fn write<T: CsvRows>(
        &mut self,
        line: &BatchItem,
        result: &RowResult<T>,
    ) -> Result<(), CliError> {
        let (number, input) = (line.number, line.input.as_str());
        match self.format {
            RowFormat::Json => {
                let result = match result {
                    Ok(value) => JsonResult::Value(value),
                    Err(error) => JsonResult::Error { error },
                };
                let row = JsonRow {
                    number: BTreeMap::from([(self.kind.number_column(), number)]),
                    input,
                    command: &self.command,
                    result,
                };
                write_json(&mut self.output, &row)?;
            }
            RowFormat::Csv => {
                let (rows, error) = match result {
                    Ok(value) => (value.rows(), ""),
                    Err(error) => (vec![vec![String::new(); T::COLUMNS.len()]], error.as_str()),
                };
                let number = number.to_string();
                let mut text = String::new();
                for fields in rows {
                    let first = [&*number, input, &self.command, error].into_iter();
                    text += &csv_line(first.chain(fields.iter().map(String::as_str)))?;
                }
                self.output.write_all(text.as_bytes())?;
            }
        }
        self.output.flush()?;
        Ok(())
    }
}

/// Returns a line of CSV, with its end.
fn csv_line<'a>(fields: impl Iterator<Item = &'a str>) -> Result<String, CliError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = writer.write_record(fields.map(str::as_bytes));
    written.map_err(|error| CliError::Output(error.into()))?;
    let bytes = writer
        .into_inner()
        .map_err(|error| CliError::Output(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The rows that an earlier run has written to a file.
struct EarlierRows {
    path: PathBuf,
    file: BufReader<File>,
    format: RowFormat,
    kind: ItemKind,
    /// The index of the column with the number of rows of an item; `None` if each has one row.
    count_column: Option<usize>,
    /// The number of bytes of the rows that were read.
    read_bytes: u64,
    /// The bytes after the last complete line, once they are read.
    incomplete: Vec<u8>,
}

/// The reason to refuse a file of something else.
const NO_RESULTS: &str = "has lines that are no results of this command";

impl EarlierRows {
    /// Opens the file for this process alone, or creates it with `header`.
    fn open(
        path: &Path,
        format: RowFormat,
        kind: ItemKind,
        header: Option<String>,
    ) -> Result<Self, CliError> {
        let file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(path);
        let file = file.map_err(|reason| cannot("write", path, &reason))?;
        let metadata = file.metadata();
        let metadata = metadata.map_err(|reason| cannot("read", path, &reason))?;
        if !metadata.is_file() {
            let file = quoted_path(path);
            return Err(CliError::Usage(format!(
                "{file} is no regular file, which --out could continue: write to standard output"
            )));
        }
        match try_lock(&file) {
            Ok(()) | Err(LockFileError::Unsupported(_)) => {}
            Err(reason) => {
                let file = quoted_path(path);
                return Err(CliError::Runtime(format!("cannot write {file}: {reason}")));
            }
        }
        let mut rows = Self {
            path: path.to_owned(),
            file: BufReader::new(file),
            format,
            kind,
            count_column: None,
            read_bytes: 0,
            incomplete: Vec::new(),
        };
        if let Some(header) = header {
            match rows.next_complete_line()? {
                Some(line) if line == header => {}
                Some(_) => return Err(rows.refuse("does not begin with the header of this CSV")),
                None => {
                    rows.cut(&header)?;
                    let written = rows.file.get_mut().write_all(header.as_bytes());
                    written.map_err(|reason| cannot("write", path, &reason))?;
                    rows.read_bytes = header.len() as u64;
                }
            }
        }
        Ok(rows)
    }

    /// Returns the next item, which must be `line` with the result of `command`; `None` if there is
    /// no further item, or if it lacks rows.
    fn next_of(&mut self, line: &BatchItem, command: &str) -> Result<Option<RowItem>, CliError> {
        let start = self.read_bytes;
        let Some(text) = self.next_complete_line()? else {
            return Ok(None);
        };
        let (first, count) = self.item_of(&text, line, command)?;
        let mut rows = text.into_bytes();
        for _ in 1..count {
            let Some(text) = self.next_complete_line()? else {
                rows.append(&mut self.incomplete);
                (self.read_bytes, self.incomplete) = (start, rows);
                return Ok(None);
            };
            self.item_of(&text, line, command)?;
            rows.extend(text.into_bytes());
        }
        Ok(Some(first))
    }

    /// Returns the item of a row, which must be `line` with the result of `command`, and its number
    /// of rows.
    fn item_of(
        &self,
        text: &str,
        line: &BatchItem,
        command: &str,
    ) -> Result<(RowItem, usize), CliError> {
        let kind = self.kind.name();
        match self.parse_row(text) {
            Some((row, _)) if row.command != command => Err(self.refuse(&format!(
                "has results of `{}`, and this is `{command}`: give another file or the same options",
                row.command
            ))),
            Some((row, count)) if row.number == line.number && row.input == line.input => {
                Ok((row, count))
            }
            Some((row, _)) => Err(self.refuse(&format!(
                "has the result of {kind} {}, `{}`, where the input has {kind} {}, `{}`: it is that \
                 of another input",
                row.number, row.input, line.number, line.input
            ))),
            None => Err(self.refuse(NO_RESULTS)),
        }
    }

    /// Parses a row. Returns its item and the number of rows of that.
    fn parse_row(&self, text: &str) -> Option<(RowItem, usize)> {
        match self.format {
            RowFormat::Json => {
                let row: serde_json::Value = serde_json::from_str(text).ok()?;
                let item = RowItem {
                    number: row.get(self.kind.number_column())?.as_u64()?,
                    input: row.get(INPUT_COLUMN)?.as_str()?.to_owned(),
                    command: row.get(COMMAND_COLUMN)?.as_str()?.to_owned(),
                    is_error: row.get(ERROR_COLUMN).is_some(),
                };
                Some((item, 1))
            }
            RowFormat::Csv => {
                let mut reader = csv::ReaderBuilder::new();
                let mut reader = reader.has_headers(false).from_reader(text.as_bytes());
                let record = reader.records().next()?.ok()?;
                let item = RowItem {
                    number: record.get(0)?.parse().ok()?,
                    input: record.get(1)?.to_owned(),
                    command: record.get(2)?.to_owned(),
                    is_error: !record.get(3)?.is_empty(),
                };
                let count = match self.count_column {
                    Some(column) if !item.is_error => record.get(column)?.parse().ok()?,
                    _ => 1,
                };
                Some((item, count))
            }
        }
    }

    /// Returns the file, which the next row follows. A row that a crash has cut is removed.
    fn finish(mut self) -> Result<File, CliError> {
        if self.next_complete_line()?.is_some() {
            return Err(self.refuse(&format!(
                "has more results than the input has {}s",
                self.kind.name()
            )));
        }
        let start = match self.format {
            RowFormat::Json => format!("{{\"{}\":", self.kind.number_column()),
            // The file has the header of this command.
            RowFormat::Csv => String::new(),
        };
        self.cut(&start)?;
        Ok(self.file.into_inner())
    }

    /// Removes the incomplete line after those that were read, which must begin like `start`.
    fn cut(&mut self, start: &str) -> Result<(), CliError> {
        if !self
            .incomplete
            .iter()
            .zip(start.as_bytes())
            .all(|(one, other)| one == other)
        {
            return Err(self.refuse(NO_RESULTS));
        }
        let file = self.file.get_mut();
        let cut = file.set_len(self.read_bytes);
        let cut = cut.and_then(|()| file.seek(SeekFrom::End(0)));
        cut.map(drop)
            .map_err(|reason| cannot("write", &self.path, &reason))
    }

    /// Returns the next line of the file with its end; `None` if there is none that is complete.
    fn next_complete_line(&mut self) -> Result<Option<String>, CliError> {
        let mut bytes = Vec::new();
        let read = self.file.read_until(b'\n', &mut bytes);
        read.map_err(|reason| cannot("read", &self.path, &reason))?;
        if !bytes.ends_with(b"\n") {
            self.incomplete.extend(bytes);
            return Ok(None);
        }
        self.read_bytes += bytes.len() as u64;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn refuse(&self, reason: &str) -> CliError {
        CliError::Runtime(format!("{} {reason}", quoted_path(&self.path)))
    }
}

fn cannot(act: &str, path: &Path, reason: &io::Error) -> CliError {
    CliError::Runtime(format!("cannot {act} {}: {reason}", quoted_path(path)))
}
