//! The games that `kalah play` keeps without being asked for, in the folder of the program's data.

use std::path::PathBuf;
use std::time::SystemTime;

use directories::ProjectDirs;
use kalah::record::{Record, Tags};
use kalah::{ByPlayer, ClockSetting, Move, PlayerId, Termination, TimeLimit};
use kalah_players::quoted_path;
use kalah_record_files::{History, HistoryError, HistoryGame, HistoryId, KeptGame};
use kalah_tui::ClockTimes;
use thiserror::Error;

use crate::args::values::seed_or_random;
use crate::config::is_history_on;
use crate::error::CliError;

/// The folder of the history, in the folder of the program's data.
const FOLDER_NAME: &str = "history";

/// The tags with the time that the players who began as South and as North have left.
const TIME_LEFT_TAGS: ByPlayer<&str> = ByPlayer::new("SouthTimeLeft", "NorthTimeLeft");

/// Returns the folder of the history, if the system has one for the data of programs.
fn folder() -> Option<PathBuf> {
    let project = ProjectDirs::from("", "", "kalah")?;
    Some(project.data_dir().join(FOLDER_NAME))
}

/// Returns the file with the games that are not being played.
pub(crate) fn history_file() -> Option<PathBuf> {
    folder().map(|folder| History::file_in(&folder))
}

/// A game that stays in a file of its own, because it could not move to the other games.
#[derive(Debug, Error)]
#[error("the history takes no games, and this one is kept in {}: {reason}", quoted_path(.path))]
pub(super) struct UnmovedGame {
    path: PathBuf,
    reason: HistoryError,
}

/// Keeps the games of a process, one after another.
#[derive(Debug)]
pub(super) struct GameKeeper {
    history: History,
    /// The current game, from its first ply on.
    kept: Option<KeptGame>,
    /// The date of the current game, if it continues a kept one.
    date: Option<String>,
}

impl GameKeeper {
    /// Opens the history, unless it is switched off, and collects the games of processes that have
    /// ended. A failure to move a game is returned beside the history.
    ///
    /// # Errors
    /// The folder cannot be used.
    pub(super) fn open(
        is_switched_off: bool,
    ) -> Result<Option<(Self, Option<HistoryError>)>, HistoryError> {
        let Some(folder) = folder().filter(|_| is_history_on() && !is_switched_off) else {
            return Ok(None);
        };
        let history = History::open(&folder)?;
        let failure = history.collect().err().or_else(|| history.file_error());
        let keeper = Self {
            history,
            kept: None,
            date: None,
        };
        Ok(Some((keeper, failure)))
    }

    /// Writes the current state of the current game. A game without plies is kept only if it had
    /// some before.
    ///
    /// # Errors
    /// The game cannot be written.
    pub(super) fn write(
        &mut self,
        record: &Record,
        clock: Option<ClockTimes>,
    ) -> Result<(), HistoryError> {
        if self.kept.is_none() && record.main_line().next().is_none() {
            return Ok(());
        }
        let mut record = record.clone();
        if self.date.is_none() {
            self.date = today();
        }
        if let Some(date) = &self.date {
            record.set_tag(Tags::DATE, date.clone())?;
        }
        if let Some(ClockTimes { setting, remaining }) = clock {
            record.set_tag(Tags::TIME_CONTROL, setting.to_string())?;
            for player in PlayerId::ALL {
                let left = format!("{}ms", remaining[player].as_millis());
                record.set_tag(TIME_LEFT_TAGS[player], left)?;
            }
        }
        let kept = match self.kept.take() {
            Some(kept) => kept,
            None => self.history.begin(random_id())?,
        };
        self.kept.insert(kept).write(&record)
    }

    /// Returns whether the current game is kept.
    pub(super) fn has_game(&self) -> bool {
        self.kept.is_some()
    }

    /// Moves the current game to the others. The next [`Self::write`] begins another game.
    ///
    /// # Errors
    /// The games cannot be written; the current one stays where it is.
    pub(super) fn close(&mut self) -> Result<(), UnmovedGame> {
        self.date = None;
        let Some(kept) = self.kept.take() else {
            return Ok(());
        };
        let path = kept.path();
        kept.close().map_err(|reason| UnmovedGame { path, reason })
    }

    /// Continues a kept game as the current one, after the current one was closed.
    ///
    /// # Errors
    /// Another process plays the game, or the history cannot be used.
    pub(super) fn continue_game(&mut self, id: HistoryId) -> Result<(), HistoryError> {
        self.kept = Some(self.history.begin(id)?);
        let games = self.history.games()?;
        let game = games.iter().find(|game| game.id == Some(id));
        let date = game.and_then(|game| game.record.tags().get(Tags::DATE));
        self.date = date.map(str::to_owned);
        Ok(())
    }

    /// Moves the current game to the others and goes on to keep it, so that [`Self::games`] has it
    /// if it is finished.
    ///
    /// # Errors
    /// The history cannot be used.
    pub(super) fn settle(&mut self) -> Result<(), HistoryError> {
        let Some(kept) = self.kept.take() else {
            return Ok(());
        };
        let id = kept.id();
        // A game that cannot move is listed from its own file.
        let _ = kept.close();
        self.kept = Some(self.history.begin(id)?);
        Ok(())
    }

    /// Returns the games, the newest first, without the current one unless it is finished.
    ///
    /// # Errors
    /// The games cannot be read.
    pub(super) fn games(&self) -> Result<Vec<HistoryGame>, HistoryError> {
        let current = self.kept.as_ref().map(KeptGame::id);
        let mut games = self.history.games()?;
        games.retain_mut(|game| {
            let is_current = game.id.is_some() && game.id == current;
            // This process itself has the lock.
            game.is_in_use &= !is_current;
            !is_current || !is_unfinished(&game.record)
        });
        Ok(games)
    }

    /// Returns the first error in the file of the games that are not being played.
    pub(super) fn file_error(&self) -> Option<HistoryError> {
        self.history.file_error()
    }

    /// Deletes a game.
    ///
    /// # Errors
    /// Another process plays the game, or the history cannot be written.
    pub(super) fn delete(&mut self, id: HistoryId) -> Result<(), HistoryError> {
        // The current game is not locked against itself.
        self.kept.take_if(|kept| kept.id() == id);
        self.history.delete(id)
    }

    /// Returns the newest game that is not finished and not being played.
    ///
    /// # Errors
    /// The games cannot be read, or none is unfinished.
    pub(super) fn last_unfinished(&self) -> Result<(HistoryId, Record), CliError> {
        let games = self.games().map_err(CliError::from)?.into_iter();
        let unfinished = games.filter(|game| !game.is_in_use && is_unfinished(&game.record));
        let mut unfinished = unfinished.filter_map(|game| Some((game.id?, game.record)));
        unfinished
            .next()
            .ok_or_else(|| CliError::Usage("the history has no unfinished game".to_owned()))
    }

    /// Returns whether the newest game is unfinished and not being played.
    pub(super) fn is_last_unfinished(&self) -> bool {
        let games = self.games().unwrap_or_default();
        let last = games.iter().find(|game| !game.is_in_use);
        last.is_some_and(|game| is_unfinished(&game.record))
    }
}

fn is_unfinished(record: &Record) -> bool {
    record.ending().termination == Termination::Unfinished
}

fn random_id() -> HistoryId {
    HistoryId::new(seed_or_random(None))
}

/// Returns the value of `Date` for a game that begins now; `None` if the clock of the system is
/// wrong by decades.
pub(super) fn today() -> Option<String> {
    Tags::date_text(SystemTime::now())
}

/// Returns the clocks of a recorded game after its last ply, if it has any that can be read. A
/// player without a recorded time has that of the setting.
pub(super) fn recorded_clock(record: &Record) -> Option<ClockTimes> {
    let tag = |name| record.tags().get(name);
    let setting: ClockSetting = tag(Tags::TIME_CONTROL)?.parse().ok()?;
    let game = record.game();
    let times = record.ply_times();
    let after_last_ply = |player| {
        let mut plies = game.plies().iter().zip(&times).rev();
        plies.find_map(|(ply, times)| {
            let is_own = ply.mv != Move::Swap && game.player_on(ply.side) == player;
            times.clock.filter(|_| is_own)
        })
    };
    let left = |player| {
        let tag = tag(TIME_LEFT_TAGS[player]).and_then(|text| text.parse::<TimeLimit>().ok());
        tag.map(TimeLimit::get)
            .or_else(|| after_last_ply(player))
            .unwrap_or(setting.initial())
    };
    let [south, north] = PlayerId::ALL.map(left);
    Some(ClockTimes {
        setting,
        remaining: ByPlayer::new(south, north),
    })
}
