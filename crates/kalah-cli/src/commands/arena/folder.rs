use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use kalah_arena::{FinishedGame, Journal, Tail};

use super::plan::Plan;
use super::settings::Settings;
use crate::Failure;
use crate::shown::whole_path;
use crate::text_file;

/// Where a tournament is kept: what was settled, the journal that it goes on from, and the same games as records.
pub(super) struct Folder {
    path: PathBuf,
    journal: File,
    records: File,
    /// Locked as long as the tournament is played.
    _settings: File,
}

const SETTINGS: &str = "tournament.json";
const JOURNAL: &str = "games.jsonl";
const RECORDS: &str = "games.kgn";
const REPORT: &str = "report.html";

/// Letters of `2026-01-31`, with which a time in RFC 3339 begins.
const DATE_LETTERS: usize = 10;

impl Folder {
    /// A new one, with nothing played yet.
    pub(super) fn create(path: Option<&Path>, plan: &Plan) -> Result<Self, Failure> {
        let path = match path {
            Some(path) => {
                make(path)?;
                path.to_owned()
            }
            None => make_dated()?,
        };
        let wrong = |reason: io::Error| cannot("write", &path.join(JOURNAL), &reason);
        for name in [JOURNAL, RECORDS] {
            File::create(path.join(name)).map_err(wrong)?;
        }
        let mut text = serde_json::to_string_pretty(&Settings::of(plan))?;
        text.push('\n');
        // It is the last to be there: with it the folder is one of a tournament.
        text_file::replace(&path.join(SETTINGS), &text)?;
        Self::open(path)
    }

    /// One that is there, what was settled, and what has been played.
    pub(super) fn resume(path: &Path) -> Result<(Self, Plan, Vec<FinishedGame>), Failure> {
        let settings = path.join(SETTINGS);
        if !settings.exists() {
            return Err(Failure::Work(format!(
                "'{}' holds no tournament: there is no {SETTINGS}",
                whole_path(path)
            )));
        }
        let wrong =
            |reason: String| Failure::Work(format!("'{}': {reason}", whole_path(&settings)));
        let folder = Self::open(path.to_owned())?;
        let text = text_file::read(&settings)?;
        let read: Settings =
            serde_json::from_str(&text).map_err(|reason| wrong(reason.to_string()))?;
        let plan = read.plan().map_err(wrong)?;
        let games = folder.repaired(&plan)?;
        Ok((folder, plan, games))
    }

    fn open(path: PathBuf) -> Result<Self, Failure> {
        let appending = |name: &str| {
            let path = path.join(name);
            let file = OpenOptions::new().append(true).create(true).open(&path);
            file.map_err(|reason| cannot("write", &path, &reason))
        };
        let at = path.join(SETTINGS);
        let settings = File::open(&at).map_err(|reason| cannot("read", &at, &reason))?;
        match settings.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::Work(format!(
                    "'{}' is being played by another program",
                    whole_path(&path)
                )));
            }
            Err(TryLockError::Error(reason)) => return Err(cannot("lock", &at, &reason)),
        }
        Ok(Self {
            journal: appending(JOURNAL)?,
            records: appending(RECORDS)?,
            _settings: settings,
            path,
        })
    }

    /// Reads the journal, cuts off what is torn, and lets the records be those of its games.
    fn repaired(&self, plan: &Plan) -> Result<Vec<FinishedGame>, Failure> {
        let at = self.path.join(JOURNAL);
        let wrong = |reason: io::Error| cannot("write", &at, &reason);
        let bytes = fs::read(&at).map_err(|reason| cannot("read", &at, &reason))?;
        let named = |reason: &dyn std::fmt::Display| {
            Failure::Work(format!("'{}': {reason}", whole_path(&at)))
        };
        let journal = Journal::read(&bytes).map_err(|reason| named(&reason))?;
        (plan.tournament.check(journal.results())).map_err(|reason| named(&reason))?;
        match journal.tail() {
            Tail::Whole => {}
            Tail::NoLineFeed => {
                (&self.journal).write_all(b"\n").map_err(wrong)?;
            }
            Tail::Torn { whole } => self.journal.set_len(whole).map_err(wrong)?,
        }
        self.journal.sync_all().map_err(wrong)?;

        let mut text = String::new();
        for game in journal.games() {
            text += &record(game)?;
        }
        let at = self.path.join(RECORDS);
        let held = fs::read(&at).map_err(|reason| cannot("read", &at, &reason))?;
        if held != text.as_bytes() {
            let file = OpenOptions::new().write(true).truncate(true).open(&at);
            let written = file.and_then(|mut file| {
                file.write_all(text.as_bytes())?;
                file.sync_all()
            });
            written.map_err(|reason| cannot("write", &at, &reason))?;
        }
        Ok(journal.games().to_vec())
    }

    /// Keeps a game; it is on the disk when this returns.
    pub(super) fn keep(&self, game: &FinishedGame) -> Result<(), Failure> {
        let line = Journal::line(game).map_err(|reason| Failure::Work(reason.to_string()))?;
        let files = [
            (&self.journal, JOURNAL, line),
            (&self.records, RECORDS, record(game)?),
        ];
        for (mut file, name, text) in files {
            let written = file
                .write_all(text.as_bytes())
                .and_then(|()| file.sync_data());
            written.map_err(|reason| cannot("write", &self.path.join(name), &reason))?;
        }
        Ok(())
    }

    /// Keeps the report of what has been played, and returns where.
    pub(super) fn report(&self, html: &str) -> Result<PathBuf, Failure> {
        let path = self.path.join(REPORT);
        text_file::replace(&path, html)?;
        Ok(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// A game as a record, with an empty line behind it.
fn record(game: &FinishedGame) -> Result<String, Failure> {
    let record = game
        .record()
        .map_err(|reason| Failure::Work(reason.to_string()))?;
    Ok(format!("{record}\n"))
}

fn cannot(what: &str, path: &Path, reason: &io::Error) -> Failure {
    Failure::Work(format!("cannot {what} '{}': {reason}", whole_path(path)))
}

/// Makes a folder, or takes one that is empty.
fn make(path: &Path) -> Result<(), Failure> {
    if path.join(SETTINGS).exists() {
        return Err(Failure::Work(format!(
            "'{}' holds a tournament already: go on with it by `kalah arena {}`",
            whole_path(path),
            crate::shell_word::resume_option(path)
        )));
    }
    let cannot_make = |reason: io::Error| cannot("make", path, &reason);
    fs::create_dir_all(path).map_err(cannot_make)?;
    // What was broken off before anything was settled may be there.
    let mut entries = fs::read_dir(path).map_err(cannot_make)?;
    let ours = [JOURNAL, RECORDS].map(OsStr::new);
    if entries.any(|entry| entry.is_ok_and(|entry| !ours.contains(&entry.file_name().as_os_str())))
    {
        return Err(Failure::Work(format!(
            "'{}' is not empty: a tournament needs a folder of its own",
            whole_path(path)
        )));
    }
    Ok(())
}

/// Makes a folder of today that is not there yet.
fn make_dated() -> Result<PathBuf, Failure> {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let date = now.get(..DATE_LETTERS).unwrap_or(&now);
    for number in 1_u64.. {
        let path = PathBuf::from(format!("arena-{date}-{number}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(reason) => return Err(cannot("make", &path, &reason)),
        }
    }
    Err(Failure::Work(
        "there is no name left for a folder".to_owned(),
    ))
}
