use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use kalah_arena::{FinishedGame, Journal, JournalTail};
use kalah_players::display_path;

use super::plan::ArenaConfig;
use super::settings::TournamentFile;
use crate::CliError;
use crate::text_file;

/// Where a tournament is kept: what was settled, the journal that it goes on from, and the same games as records.
pub(super) struct RunDir {
    path: PathBuf,
    journal: File,
    records: File,
    /// Locked as long as the tournament is played.
    _lock: File,
}

const CONFIG_FILE: &str = "tournament.json";
const JOURNAL_FILE: &str = "games.jsonl";
const RECORDS_FILE: &str = "games.kgn";
const REPORT_FILE: &str = "report.html";

/// Letters of `2026-01-31`, with which a time in RFC 3339 begins.
const DATE_LENGTH: usize = 10;

impl RunDir {
    /// A new one, with nothing played yet.
    pub(super) fn create(path: Option<&Path>, plan: &ArenaConfig) -> Result<Self, CliError> {
        let path = match path {
            Some(path) => {
                create_dir(path)?;
                path.to_owned()
            }
            None => create_dated_dir()?,
        };
        let wrong = |reason: io::Error| io_failure("write", &path.join(JOURNAL_FILE), &reason);
        for name in [JOURNAL_FILE, RECORDS_FILE] {
            File::create(path.join(name)).map_err(wrong)?;
        }
        let mut text = serde_json::to_string_pretty(&TournamentFile::from_config(plan))?;
        text.push('\n');
        // It is the last to be there: with it the folder is one of a tournament.
        text_file::replace(&path.join(CONFIG_FILE), &text)?;
        Self::open(path)
    }

    /// One that is there, what was settled, and what has been played.
    pub(super) fn resume(path: &Path) -> Result<(Self, ArenaConfig, Vec<FinishedGame>), CliError> {
        let settings = path.join(CONFIG_FILE);
        if !settings.exists() {
            return Err(CliError::Runtime(format!(
                "'{}' holds no tournament: there is no {CONFIG_FILE}",
                display_path(path)
            )));
        }
        let wrong =
            |reason: String| CliError::Runtime(format!("'{}': {reason}", display_path(&settings)));
        let folder = Self::open(path.to_owned())?;
        let text = text_file::read(&settings)?;
        let read: TournamentFile =
            serde_json::from_str(&text).map_err(|reason| wrong(reason.to_string()))?;
        let plan = read.into_config().map_err(wrong)?;
        let games = folder.repair(&plan)?;
        Ok((folder, plan, games))
    }

    fn open(path: PathBuf) -> Result<Self, CliError> {
        let appending = |name: &str| {
            let path = path.join(name);
            let file = OpenOptions::new().append(true).create(true).open(&path);
            file.map_err(|reason| io_failure("write", &path, &reason))
        };
        let at = path.join(CONFIG_FILE);
        let settings = File::open(&at).map_err(|reason| io_failure("read", &at, &reason))?;
        match settings.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(CliError::Runtime(format!(
                    "'{}' is being played by another program",
                    display_path(&path)
                )));
            }
            Err(TryLockError::Error(reason)) => return Err(io_failure("lock", &at, &reason)),
        }
        Ok(Self {
            journal: appending(JOURNAL_FILE)?,
            records: appending(RECORDS_FILE)?,
            _lock: settings,
            path,
        })
    }

    /// Reads the journal, cuts off what is torn, and lets the records be those of its games.
    fn repair(&self, plan: &ArenaConfig) -> Result<Vec<FinishedGame>, CliError> {
        let at = self.path.join(JOURNAL_FILE);
        let wrong = |reason: io::Error| io_failure("write", &at, &reason);
        let bytes = fs::read(&at).map_err(|reason| io_failure("read", &at, &reason))?;
        let named = |reason: &dyn std::fmt::Display| {
            CliError::Runtime(format!("'{}': {reason}", display_path(&at)))
        };
        let journal = Journal::parse(&bytes).map_err(|reason| named(&reason))?;
        (plan.tournament.check(journal.results())).map_err(|reason| named(&reason))?;
        match journal.tail() {
            JournalTail::Complete => {}
            JournalTail::MissingNewline => {
                (&self.journal).write_all(b"\n").map_err(wrong)?;
            }
            JournalTail::Truncated {
                complete_bytes: whole,
            } => self.journal.set_len(whole).map_err(wrong)?,
        }
        self.journal.sync_all().map_err(wrong)?;

        let mut text = String::new();
        for game in journal.games() {
            text += &record_text(game)?;
        }
        let at = self.path.join(RECORDS_FILE);
        let held = fs::read(&at).map_err(|reason| io_failure("read", &at, &reason))?;
        if held != text.as_bytes() {
            let file = OpenOptions::new().write(true).truncate(true).open(&at);
            let written = file.and_then(|mut file| {
                file.write_all(text.as_bytes())?;
                file.sync_all()
            });
            written.map_err(|reason| io_failure("write", &at, &reason))?;
        }
        Ok(journal.games().to_vec())
    }

    /// Keeps a game; it is on the disk when this returns.
    pub(super) fn append(&self, game: &FinishedGame) -> Result<(), CliError> {
        let line =
            Journal::format_line(game).map_err(|reason| CliError::Runtime(reason.to_string()))?;
        let files = [
            (&self.journal, JOURNAL_FILE, line),
            (&self.records, RECORDS_FILE, record_text(game)?),
        ];
        for (mut file, name, text) in files {
            let written = file
                .write_all(text.as_bytes())
                .and_then(|()| file.sync_data());
            written.map_err(|reason| io_failure("write", &self.path.join(name), &reason))?;
        }
        Ok(())
    }

    /// Keeps the report of what has been played, and returns where.
    pub(super) fn write_report(&self, html: &str) -> Result<PathBuf, CliError> {
        let path = self.path.join(REPORT_FILE);
        text_file::replace(&path, html)?;
        Ok(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// A game as a record, with an empty line behind it.
fn record_text(game: &FinishedGame) -> Result<String, CliError> {
    let record = game
        .to_record()
        .map_err(|reason| CliError::Runtime(reason.to_string()))?;
    Ok(format!("{record}\n"))
}

fn io_failure(what: &str, path: &Path, reason: &io::Error) -> CliError {
    CliError::Runtime(format!("cannot {what} '{}': {reason}", display_path(path)))
}

/// Makes a folder, or takes one that is empty.
fn create_dir(path: &Path) -> Result<(), CliError> {
    if path.join(CONFIG_FILE).exists() {
        return Err(CliError::Runtime(format!(
            "'{}' holds a tournament already: go on with it by `kalah arena {}`",
            display_path(path),
            crate::shell_word::resume_option(path)
        )));
    }
    let cannot_make = |reason: io::Error| io_failure("make", path, &reason);
    fs::create_dir_all(path).map_err(cannot_make)?;
    // What was broken off before anything was settled may be there.
    let mut entries = fs::read_dir(path).map_err(cannot_make)?;
    let ours = [JOURNAL_FILE, RECORDS_FILE].map(OsStr::new);
    if entries.any(|entry| entry.is_ok_and(|entry| !ours.contains(&entry.file_name().as_os_str())))
    {
        return Err(CliError::Runtime(format!(
            "'{}' is not empty: a tournament needs a folder of its own",
            display_path(path)
        )));
    }
    Ok(())
}

/// Makes a folder of today that is not there yet.
fn create_dated_dir() -> Result<PathBuf, CliError> {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let date = now.get(..DATE_LENGTH).unwrap_or(&now);
    for number in 1_u64.. {
        let path = PathBuf::from(format!("arena-{date}-{number}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(reason) => return Err(io_failure("make", &path, &reason)),
        }
    }
    Err(CliError::Runtime(
        "there is no name left for a folder".to_owned(),
    ))
}
