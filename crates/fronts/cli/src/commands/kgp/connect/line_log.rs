//! `--log`: the lines of a connection, which `kalah import` reads.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use humantime::format_rfc3339_millis;
use kalah_players::escape_control;

use crate::error::CliError;
use crate::output::messages::quoted_path;

/// The mark before a remark.
const REMARK_MARK: &str = "#";

/// The direction of a line.
#[derive(Clone, Copy, Debug)]
pub(super) enum LineDirection {
    Received,
    Sent,
}

impl LineDirection {
    /// Returns the mark before the line, as FAU's Python client writes it.
    fn mark(self) -> &'static str {
        match self {
            Self::Received => "<",
            Self::Sent => ">",
        }
    }
}

/// A file with the lines of all connections, each with its time and its direction.
///
/// The file has no buffer: a line is in the file when [`LineLog::write`] returns.
pub(super) struct LineLog {
    path: PathBuf,
    file: File,
}

impl LineLog {
    /// Opens a file to append to it, and creates it if it does not exist.
    pub(super) fn append(path: &Path) -> Result<Self, CliError> {
        let file = open_after_last_line(path).map_err(|reason| error(path, &reason))?;
        Ok(Self {
            path: path.to_owned(),
            file,
        })
    }

    pub(super) fn write(&mut self, direction: LineDirection, line: &str) -> Result<(), CliError> {
        self.write_marked(direction.mark(), line)
    }

    /// Writes a remark, which is not a line of the connection.
    pub(super) fn write_remark(&mut self, text: &str) -> Result<(), CliError> {
        self.write_marked(REMARK_MARK, text)
    }

    fn write_marked(&mut self, mark: &str, line: &str) -> Result<(), CliError> {
        let time = format_rfc3339_millis(SystemTime::now());
        let line = escape_control(line.trim_end());
        let text = format!("{time} {mark} {line}\n");
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|reason| error(&self.path, &reason))
    }
}

fn error(path: &Path, reason: &io::Error) -> CliError {
    CliError::Runtime(format!("cannot write {}: {reason}", quoted_path(path)))
}

/// Opens a file to append lines. A last line without an end, which a crash of the machine can
/// leave, is ended.
fn open_after_last_line(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .open(path)?;
    // A pipe or a terminal cannot seek, and has no earlier lines.
    if file.metadata()?.is_file() && file.seek(SeekFrom::End(-1)).is_ok() {
        let mut last = [0];
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok(file)
}
