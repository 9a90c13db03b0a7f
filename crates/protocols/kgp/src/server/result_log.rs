//! The results of finished games in the folder of records, with which a server that starts again
//! continues the statistics of its agents.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::mem;
use std::path::Path;

use kalah::{BySide, Side};
use kalah_files::{LockFileError, PendingFile};
use kalah_players::{InputLine, LineReader, quoted_path};
use serde::{Deserialize, Serialize};

use crate::server::agent::{AgentProfile, TokenSalt};
use crate::server::first_warnings::FirstWarnings;

/// The name of the file in the folder of records.
const RESULT_FILE: &str = "results.jsonl";

/// The result of a finished game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ResultEntry {
    pub(crate) number: u64,
    #[serde(flatten)]
    pub(crate) players: BySide<AgentProfile>,
    /// The winner; `None` for a tie.
    pub(crate) winner: Option<Side>,
}

/// A line of the file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ResultLine {
    /// The salt of the tokens in the lines after it.
    Salt(TokenSalt),
    Game(Box<ResultEntry>),
}

/// The file of results, to which one line is appended for each game.
///
/// The file holds one JSON object per line, whose last field is the checksum of the bytes before
/// it. Only its owner can read it, because hashes of tokens that are easy to guess could be
/// reversed with the salt.
#[derive(Debug)]
pub(crate) struct ResultLog {
    /// Locked while open, if the file system has locks.
    file: File,
    /// Whether the file ends within a line, as after a write that failed.
    ends_in_line: bool,
}

impl ResultLog {
    /// Opens the file in a folder, creates it if necessary, and passes its results to `restore` in
    /// the order of the lines. Returns it with the salt of its tokens.
    ///
    /// Damaged lines are skipped. A warning names each of the first ones, and another has the
    /// number of the others.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or written, or is in use.
    pub(crate) fn open(
        folder: &Path,
        restore: impl FnMut(ResultEntry),
    ) -> io::Result<(Self, TokenSalt)> {
        let path = folder.join(RESULT_FILE);
        let mut file = open_private(&path)?;
        lock(&file, &path)?;
        let (salt, warnings) = read_lines(&file, &path, restore)?;
        warnings.log(|| describe_other_lines(&path));
        let ends_in_line = ends_in_line(&mut file)?;
        let mut log = Self { file, ends_in_line };
        let salt = salt.map_or_else(|| log.append_new_salt(), Ok)?;
        Ok((log, salt))
    }

    /// Appends the result of a game, which is on disk when this returns.
    ///
    /// # Errors
    /// Returns an error if the line cannot be written or synced.
    pub(crate) fn append(&mut self, result: ResultEntry) -> io::Result<()> {
        self.append_line(&ResultLine::Game(Box::new(result)))
    }

    fn append_new_salt(&mut self) -> io::Result<TokenSalt> {
        let salt = TokenSalt::random();
        self.append_line(&ResultLine::Salt(salt))?;
        Ok(salt)
    }

    fn append_line(&mut self, line: &ResultLine) -> io::Result<()> {
        let line = format_line(line);
        let start = if mem::replace(&mut self.ends_in_line, true) {
            "\n"
        } else {
            ""
        };
        self.file.write_all(format!("{start}{line}\n").as_bytes())?;
        self.file.sync_data()?;
        self.ends_in_line = false;
        Ok(())
    }
}

/// Opens a file that only its owner can read if it is created.
fn open_private(path: &Path) -> io::Result<File> {
    if !path.try_exists()? {
        match PendingFile::private_beside(path)?.create_target() {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    File::options().read(true).append(true).open(path)
}

/// Locks the file against other servers. On a file system without locks, this is a warning.
fn lock(file: &File, path: &Path) -> io::Result<()> {
    match kalah_files::try_lock(file) {
        Ok(()) => Ok(()),
        Err(LockFileError::InUse) => Err(io::Error::new(
            ErrorKind::ResourceBusy,
            "another server uses it",
        )),
        Err(LockFileError::Unsupported(reason)) => {
            tracing::warn!(
                "{} is on a file system without locks ({reason}): start no second server with this \
                 folder",
                quoted_path(path)
            );
            Ok(())
        }
        Err(LockFileError::Io(error)) => Err(error),
    }
}

/// Reads the salt, passes the results to `restore`, and returns the warnings about damaged lines.
fn read_lines(
    file: &File,
    path: &Path,
    mut restore: impl FnMut(ResultEntry),
) -> io::Result<(Option<TokenSalt>, FirstWarnings)> {
    let (mut salt, mut warnings) = (None, FirstWarnings::default());
    let mut lines = LineReader::new(BufReader::new(file));
    for number in 1_u64.. {
        let line = match lines.read()? {
            InputLine::End => break,
            // The line after a write that failed at its end.
            InputLine::Text(text) if text.is_empty() => continue,
            InputLine::Text(text) => parse_line(&text),
            InputLine::NotUtf8(_) | InputLine::TooLong(_) => None,
        };
        match line {
            Some(ResultLine::Salt(found)) => salt = Some(found),
            Some(ResultLine::Game(result)) => restore(*result),
            None => warnings.add(|| {
                let path = quoted_path(path);
                format!("line {number} of {path} is damaged and does not count")
            }),
        }
    }
    Ok((salt, warnings))
}

fn describe_other_lines(path: &Path) -> String {
    let path = quoted_path(path);
    format!("other lines of {path} that are damaged and do not count")
}

/// Returns whether a file ends without a line end.
fn ends_in_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

fn format_line(line: &ResultLine) -> String {
    let text = serde_json::to_string(line)
        .unwrap_or_else(|error| unreachable!("all fields have a JSON form: {error}"));
    kalah_files::add_checksum(&text)
}

fn parse_line(text: &str) -> Option<ResultLine> {
    let line = kalah_files::remove_checksum(text).ok()??;
    serde_json::from_str(&line).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::server::agent::AgentKey;

    fn result(number: u64) -> ResultEntry {
        let key = AgentKey::Name("Lisa".to_owned());
        let lisa = AgentProfile::new(key, "Lisa", Some("Bart\n\"El\""), None);
        let client = AgentProfile::new(AgentKey::Client(number), "Client", None, Some("new"));
        ResultEntry {
            number,
            players: BySide::new(lisa, client),
            winner: (number > 1).then_some(Side::North),
        }
    }

    /// Opens the file in a folder and returns it with its salt and its results.
    fn open(folder: &Path) -> (ResultLog, TokenSalt, Vec<ResultEntry>) {
        let mut results = Vec::new();
        let opened = ResultLog::open(folder, |result| results.push(result));
        let (log, salt) = opened.expect("a file");
        (log, salt, results)
    }

    #[test]
    fn results_and_salt_are_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut log, salt, results) = open(folder.path());
        assert_eq!(results, []);
        log.append(result(1)).expect("a write");
        log.append(result(2)).expect("a write");
        let second = ResultLog::open(folder.path(), |_| {}).expect_err("it is in use");
        assert_eq!(second.to_string(), "another server uses it");
        drop(log);
        let (_, salt_again, results) = open(folder.path());
        assert_eq!((salt_again, results), (salt, vec![result(1), result(2)]));
        assert_eq!(salt.hash("secret"), salt_again.hash("secret"));
        assert_ne!(salt.hash("secret"), TokenSalt::random().hash("secret"));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_the_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        open(folder.path());
        let metadata = fs::metadata(folder.path().join(RESULT_FILE)).expect("a file");
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn each_damage_costs_one_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut log, salt, _) = open(folder.path());
        for number in 1..=3 {
            log.append(result(number)).expect("a write");
        }
        drop(log);
        let path = folder.path().join(RESULT_FILE);
        let whole = fs::read(&path).expect("a file");
        let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
        let numbers = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("a write");
            let (mut log, found, results) = open(folder.path());
            log.append(result(9)).expect("a write");
            drop(log);
            let numbers: Vec<u64> = results.iter().map(|result| result.number).collect();
            let (_, salt_again, results) = open(folder.path());
            let again: Vec<u64> = results.iter().map(|result| result.number).collect();
            assert_eq!(again, [&numbers[..], &[9]].concat());
            assert_eq!(salt_again, found);
            (numbers, found == salt)
        };
        let last_line = whole.len() - lines[3].len();
        for length in last_line + 1..whole.len() {
            let is_whole = length == whole.len() - 1;
            let expected: &[u64] = if is_whole { &[1, 2, 3] } else { &[1, 2] };
            assert_eq!(numbers(&whole[..length]), (expected.to_vec(), true));
        }
        let second = lines[0].len() + lines[1].len();
        for place in second..last_line - 1 {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            assert_eq!(numbers(&damaged), (vec![1, 3], true), "byte {place}");
        }
        let garbage = [lines[0], lines[1], &vec![0xff; 200_000], b"\n\n", lines[3]].concat();
        assert_eq!(numbers(&garbage), (vec![1, 3], true));
        // Results without their salt count, too.
        assert_eq!(numbers(&lines[1..].concat()), (vec![1, 2, 3], false));
    }

    #[test]
    fn warnings_name_three_damaged_lines_and_count_the_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(RESULT_FILE);
        let warnings_of = |text: String| {
            fs::write(&path, text).expect("a write");
            let file = File::open(&path).expect("a file");
            let (_, warnings) = read_lines(&file, &path, |_| {}).expect("a file");
            warnings.into_messages(|| describe_other_lines(&path))
        };
        let quoted = quoted_path(&path);
        let named = |number| format!("line {number} of {quoted} is damaged and does not count");
        let salt = format_line(&ResultLine::Salt(TokenSalt::random()));
        assert_eq!(
            warnings_of(format!("{salt}\nx\nx\n\nx\n")),
            [named(2), named(3), named(5)]
        );
        let others = format!("other lines of {quoted} that are damaged and do not count: 997");
        assert_eq!(
            warnings_of("x\n".repeat(1000)),
            [named(1), named(2), named(3), others]
        );
    }
}
