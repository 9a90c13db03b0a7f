//! The rows of a batch: JSON or CSV, on standard output or in a file that a later run continues.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use kalah_files::{LockFileError, try_lock};
use kalah_players::quoted_path;
use serde::{Deserialize, Serialize};

use super::lines::BatchLine;
use crate::error::CliError;
use crate::output::messages::write_json;

/// The options of the output of a batch.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Options for a file of positions")]
pub(crate) struct BatchOptions {
    /// Write CSV instead of lines of JSON
    #[arg(long)]
    pub(crate) csv: bool,
    /// Write to this file, and skip the lines whose results it already has
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
}

impl BatchOptions {
    /// Checks that no option is given for a single position.
    ///
    /// # Errors
    /// [`CliError::Usage`] that names the option.
    pub(crate) fn refuse_for_one(&self) -> Result<(), CliError> {
        let options = [("--csv", self.csv), ("--out", self.out.is_some())];
        match options.into_iter().find(|&(_, is_given)| is_given) {
            Some((option, _)) => Err(only_for_batches(option)),
            None => Ok(()),
        }
    }
}

/// Returns the error about an option of batches for a single position.
pub(super) fn only_for_batches(option: &str) -> CliError {
    CliError::Usage(format!(
        "{option} is for many positions: give a file with one in each line, or - for standard input"
    ))
}

/// The result of a line: a value, or the reason why there is none.
pub(crate) type RowResult<T> = Result<T, String>;

/// A value with its columns in CSV, which follow `input_line`, `input` and `error`.
pub(crate) trait CsvRow: Serialize {
    /// The names of the columns.
    const COLUMNS: &[&str];

    /// Returns the fields of the columns.
    fn fields(&self) -> Vec<String>;
}

/// The first columns of a row in CSV.
const FIRST_COLUMNS: [&str; 3] = ["input_line", "input", "error"];

/// A row of JSON.
#[derive(Serialize)]
struct JsonRow<'a, T> {
    /// The number of the line in the input, from 1.
    input_line: u64,
    /// The text of the line.
    input: &'a str,
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

/// The line of a row that an earlier run has written.
#[derive(Debug, PartialEq, Eq, Deserialize)]
struct RowLine {
    input_line: u64,
    input: String,
}

/// Writes rows.
pub(super) struct RowWriter<'a> {
    output: Box<dyn Write + 'a>,
    format: RowFormat,
    /// The rows of an earlier run that were not compared with the input yet.
    earlier: Option<EarlierRows>,
}

impl<'a> RowWriter<'a> {
    /// Returns a writer to `output`, or to the file of the options. It writes the header of CSV.
    ///
    /// # Errors
    /// [`CliError`] if the file cannot be opened or belongs to another format, or if the output
    /// cannot be written.
    pub(super) fn open<T: CsvRow>(
        options: &BatchOptions,
        output: &'a mut dyn Write,
    ) -> Result<Self, CliError> {
        let format = if options.csv {
            RowFormat::Csv
        } else {
            RowFormat::Json
        };
        let header = || FIRST_COLUMNS.iter().chain(T::COLUMNS).copied();
        let mut writer = Self {
            output: Box::new(output),
            format,
            earlier: None,
        };
        if let Some(path) = &options.out {
            let header = (format == RowFormat::Csv).then(|| csv_line(header()));
            writer.earlier = Some(EarlierRows::open(path, format, header.transpose()?)?);
        } else if format == RowFormat::Csv {
            let line = csv_line(header())?;
            writer.output.write_all(line.as_bytes())?;
        }
        Ok(writer)
    }

    /// Returns whether an earlier run has written the row of `line`. Lines have to be passed in
    /// their order.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the next row of the file is that of another line, or if the file
    /// cannot be read.
    pub(super) fn has(&mut self, line: &BatchLine) -> Result<bool, CliError> {
        let Some(earlier) = &mut self.earlier else {
            return Ok(false);
        };
        if earlier.next_is(line)? {
            return Ok(true);
        }
        self.finish_earlier()?;
        Ok(false)
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

    /// Writes the row of a line at once.
    ///
    /// # Errors
    /// The error of the output.
    pub(super) fn write<T: CsvRow>(
        &mut self,
        line: &BatchLine,
        result: &RowResult<T>,
    ) -> Result<(), CliError> {
        let (number, input) = (line.number, line.text.as_str());
        match self.format {
            RowFormat::Json => {
                let result = match result {
                    Ok(value) => JsonResult::Value(value),
                    Err(error) => JsonResult::Error { error },
                };
                let row = JsonRow {
                    input_line: number,
                    input,
                    result,
                };
                write_json(&mut self.output, &row)?;
            }
            RowFormat::Csv => {
                let (fields, error) = match result {
                    Ok(value) => (value.fields(), ""),
                    Err(error) => (vec![String::new(); T::COLUMNS.len()], error.as_str()),
                };
                let first = [&number.to_string(), input, error];
                let row = csv_line(first.into_iter().chain(fields.iter().map(String::as_str)))?;
                self.output.write_all(row.as_bytes())?;
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
    /// The number of bytes of the rows that were read.
    read_bytes: u64,
}

impl EarlierRows {
    /// Opens the file for this process alone, or creates it with `header`.
    fn open(path: &Path, format: RowFormat, header: Option<String>) -> Result<Self, CliError> {
        let file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(path);
        let file = file.map_err(|reason| cannot("write", path, &reason))?;
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
            read_bytes: 0,
        };
        if let Some(header) = header {
            match rows.next_complete_line()? {
                Some(line) if line == header => {}
                Some(_) => return Err(rows.refuse("does not begin with the header of this CSV")),
                None => {
                    rows.cut()?;
                    let written = rows.file.get_mut().write_all(header.as_bytes());
                    written.map_err(|reason| cannot("write", path, &reason))?;
                    rows.read_bytes = header.len() as u64;
                }
            }
        }
        Ok(rows)
    }

    /// Returns whether there is a further row, which must be that of `line`.
    fn next_is(&mut self, line: &BatchLine) -> Result<bool, CliError> {
        let Some(text) = self.next_complete_line()? else {
            return Ok(false);
        };
        match self.parse_row(&text) {
            Some(row) if row.input_line == line.number && row.input == line.text => Ok(true),
            Some(row) => Err(self.refuse(&format!(
                "has the result of line {}, `{}`, where the input has line {}, `{}`: it is that of \
                 another input",
                row.input_line, row.input, line.number, line.text
            ))),
            None => Err(self.refuse("has lines that are no results of this command")),
        }
    }

    fn parse_row(&self, text: &str) -> Option<RowLine> {
        match self.format {
            RowFormat::Json => serde_json::from_str(text).ok(),
            RowFormat::Csv => {
                let mut reader = csv::ReaderBuilder::new();
                let mut reader = reader.has_headers(false).from_reader(text.as_bytes());
                let record = reader.records().next()?.ok()?;
                Some(RowLine {
                    input_line: record.get(0)?.parse().ok()?,
                    input: record.get(1)?.to_owned(),
                })
            }
        }
    }

    /// Returns the file, which the next row follows. A row that a crash has cut is removed.
    fn finish(mut self) -> Result<File, CliError> {
        if self.next_complete_line()?.is_some() {
            return Err(self.refuse("has more results than the input has lines"));
        }
        self.cut()?;
        Ok(self.file.into_inner())
    }

    /// Removes the bytes after the rows that were read.
    fn cut(&mut self) -> Result<(), CliError> {
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
