//! Appending games to the games of a file, of any size.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use kalah::record::Record;
use kalah_files::{PendingFile, resolve_links};

use crate::read::{RecordFileError, RecordSource};
use crate::text_file::{LockedFile, TextFileError};

/// The text between two games.
const BLANK_LINE: &[u8; 2] = b"\n\n";

/// Appends records to the games of a file, and creates the file if it does not exist. No records
/// change nothing. Other processes that append at the same time wait.
///
/// # Errors
/// Fails if the file cannot be read or written. A file with anything but games is not changed.
pub fn append(path: &Path, records: &[Record]) -> Result<(), RecordFileError> {
    let texts: Vec<String> = records.iter().map(Record::to_string).collect();
    let games = texts.join("\n");
    loop {
        let file = LockedFile::lock(path)?;
        let mut separator = "";
        if file.exists() {
            for record in RecordSource::open(path)? {
                record?;
            }
            separator =
                missing_line_ends(path).map_err(|reason| TextFileError::read(path, reason))?;
        }
        if records.is_empty() || file.append(&format!("{separator}{games}"))? {
            return Ok(());
        }
    }
}

/// Checks that [`append`] can append to a file: that the file has only games, or that a file can be
/// created in its folder. The file is not changed.
///
/// # Errors
/// As [`append`].
pub fn check_append(path: &Path) -> Result<(), RecordFileError> {
    append(path, &[])?;
    let target = resolve_links(path);
    let created = PendingFile::beside(&target).map_err(|reason| TextFileError::Write {
        path: path.to_owned(),
        reason,
    });
    created.map(drop).map_err(RecordFileError::from)
}

/// Returns the line ends that a file lacks before another game can follow.
fn missing_line_ends(path: &Path) -> io::Result<&'static str> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok("");
    }
    let mut end = Vec::new();
    file.seek(SeekFrom::Start(
        length.saturating_sub(BLANK_LINE.len() as u64),
    ))?;
    file.read_to_end(&mut end)?;
    Ok(match &*end {
        end if end == BLANK_LINE => "",
        end if end.ends_with(b"\n") => "\n",
        _ => "\n\n",
    })
}
