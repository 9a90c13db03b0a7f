//! The files of the games on the screen.

use std::fs;
use std::path::{Path, PathBuf};

use kalah::record::{Record, TagError, Tags};
use kalah::{BySide, Game, Side, Termination, format_count};
use kalah_players::{GamePlayerSpec, PlayerSpec, escape_control, quoted_path};
use kalah_record_files::text_file::TextFileError;
use kalah_record_files::{
    EXTENSION, HistoryError, HistoryGame, HistoryId, Recorder, SaveFiles, set_undone, take_undone,
};
use kalah_text::SaveOutcome;
use kalah_tui::{
    ClockTimes, FileEntry, GameFiles, GameFilesError, GameSession, HistoryEntry, KeptGameId,
    OpenedFile, RatingChange, RatingOutcome,
};

use super::kept_games::{GameKeeper, recorded_clock, today};
use super::session::{RecordedPlayer, recorded_names, recorded_player, set_player_tags};
use crate::error::CliError;
use crate::output::messages::print_warning;

/// The tag of a game in which a person has used help.
const HELPED_TAG: &str = "Helped";

/// The tag with the rating of a person before and after the game.
const RATING_TAG: &str = "Rating";

/// The file that records the games of the screen, and the files to which the player saves them.
pub(super) struct SessionFiles {
    /// The file that records new games.
    record_file: Option<PathBuf>,
    /// The recorder of the current game, unless it was opened from a file.
    recorder: Option<Recorder>,
    save_files: SaveFiles,
    /// Keeps games without a recorder, unless the history is switched off.
    keeper: Option<GameKeeper>,
    /// The number of earlier games that were saved before saving the current game failed.
    saved_earlier_games: usize,
}

impl SessionFiles {
    pub(super) fn new(
        record: Record,
        recorder: Option<Recorder>,
        keeper: Option<GameKeeper>,
    ) -> Self {
        let record_file = recorder.as_ref().map(|recorder| recorder.path().to_owned());
        Self {
            record_file: record_file.clone(),
            recorder,
            save_files: SaveFiles::new(record, record_file),
            keeper,
            saved_earlier_games: 0,
        }
    }

    /// Returns whether the history keeps the current game.
    pub(super) fn is_game_kept(&self) -> bool {
        self.keeper.as_ref().is_some_and(GameKeeper::has_game)
    }

    /// Moves the current game to the others of the history, or warns that it stays in its own file.
    pub(super) fn close(&mut self) {
        if let Some(Err(unmoved)) = self.keeper.as_mut().map(GameKeeper::close) {
            print_warning(&unmoved.to_string());
        }
    }

    fn keeper(&mut self) -> Result<&mut GameKeeper, GameFilesError> {
        let off = "The history is switched off.";
        self.keeper.as_mut().ok_or_else(|| off.into())
    }

    /// Follows another game, which `recorder` records.
    fn start_game(&mut self, record: Record, recorder: Option<Recorder>) {
        let recording_path = recorder.as_ref().map(|recorder| recorder.path().to_owned());
        self.recorder = recorder;
        self.save_files = SaveFiles::new(record, recording_path);
    }
}

impl GameFiles for SessionFiles {
    fn recording_path(&self) -> Option<&Path> {
        self.recorder.as_ref().map(Recorder::path)
    }

    fn keeps_games(&self) -> bool {
        self.keeper.is_some()
    }

    fn record(
        &mut self,
        session: &GameSession,
        clock: Option<ClockTimes>,
    ) -> Result<(), GameFilesError> {
        if let Some(recorder) = &mut self.recorder {
            if let Some(ClockTimes { setting, .. }) = clock {
                recorder.set_tag(Tags::TIME_CONTROL, setting.to_string())?;
            }
            recorder.write(session.game(), session.ending(), session.ply_times())?;
        } else if let Some(keeper) = &mut self.keeper {
            let mut record = to_record(session)?;
            set_undone(&mut record, session.game())?;
            keeper.write(&record, clock)?;
        }
        Ok(())
    }

    fn save(
        &mut self,
        earlier_games: &[GameSession],
        session: &GameSession,
        path: &Path,
    ) -> Result<SaveOutcome, GameFilesError> {
        if let Some(unsaved) = earlier_games.get(self.saved_earlier_games..)
            && !unsaved.is_empty()
        {
            let records: Result<Vec<Record>, _> = unsaved.iter().map(to_record).collect();
            kalah_record_files::append(path, &records?)?;
            self.saved_earlier_games = earlier_games.len();
        }
        let is_needed = earlier_games.is_empty() || !session.game().plies().is_empty();
        let outcome = if is_needed {
            self.save_files
                .save(session.game(), session.ending(), session.ply_times(), path)?
        } else {
            SaveOutcome::Written
        };
        self.saved_earlier_games = 0;
        Ok(outcome)
    }

    fn folder(&self) -> PathBuf {
        let recording_folder = self.record_file.as_deref().and_then(Path::parent);
        let folder = recording_folder.filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        // A relative path has no folders above it.
        folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
    }

    fn list(&self, folder: &Path) -> Result<Vec<FileEntry>, GameFilesError> {
        Ok(list(folder)?)
    }

    fn open(&self, path: &Path) -> Result<OpenedFile, GameFilesError> {
        let (records, errors) = kalah_record_files::read_valid(path)?;
        let sessions = records.iter().map(|record| {
            let mut session = to_session(record, record.game())?;
            // The game may be of anyone.
            session.set_helped();
            Ok(session)
        });
        let games = sessions.collect::<Result<_, CliError>>();
        Ok(OpenedFile {
            games: games.map_err(|error| error.message().unwrap_or_default())?,
            error: errors.first().map(|first| match errors.len() - 1 {
                0 => first.to_string(),
                others => {
                    let others = format_count(others as u64, "further game");
                    format!("{first}; {others} with errors")
                }
            }),
        })
    }

    fn start_new_game(&mut self, session: &GameSession) -> Result<(), GameFilesError> {
        let mut record = to_record(session)?;
        if let Some(date) = today() {
            record.set_tag(Tags::DATE, date)?;
        }
        self.close();
        // If the file cannot be written, it must not receive this game as the previous one.
        self.start_game(record.clone(), None);
        if let Some(path) = self.record_file.clone() {
            let recorder = Recorder::append(&path, record.clone())?;
            self.start_game(record, Some(recorder));
        }
        Ok(())
    }

    fn start_opened_game(
        &mut self,
        session: &GameSession,
        kept: Option<KeptGameId>,
    ) -> Result<(), GameFilesError> {
        self.start_game(to_record(session)?, None);
        self.close();
        if let (Some(keeper), Some(KeptGameId(bits))) = (&mut self.keeper, kept) {
            keeper.continue_game(HistoryId::new(bits))?;
        }
        Ok(())
    }

    fn history(&mut self) -> Result<Vec<HistoryEntry>, GameFilesError> {
        let keeper = self.keeper()?;
        keeper.settle()?;
        let games = keeper.games()?;
        if games.is_empty()
            && let Some(damage) = keeper.file_error()
        {
            return Err(damage.into());
        }
        // A game whose players cannot be read can still be read with other commands.
        let entries = games.iter().filter_map(|game| to_entry(game).ok());
        Ok(entries.collect())
    }

    fn delete_kept(&mut self, id: KeptGameId) -> Result<(), GameFilesError> {
        Ok(self.keeper()?.delete(HistoryId::new(id.0))?)
    }
}

/// Returns the game of a record, which can have plies to redo, with its players. A player whose
/// spec is not recorded is a person, as is a program, which a record does not start.
fn to_session(record: &Record, game: Game) -> Result<GameSession, CliError> {
    let mut specs = BySide::from_fn(|_| GamePlayerSpec::Local(PlayerSpec::HUMAN));
    for side in Side::ALL {
        if let RecordedPlayer::Local(spec) = recorded_player(record, side)? {
            specs[side] = spec.into();
        }
    }
    let names = recorded_names(record, &specs);
    let mut session = GameSession::new(game, specs, names);
    session.set_ply_times(record.ply_times());
    session.set_opening_plies(record.opening_plies());
    end_as_recorded(&mut session, record);
    Ok(session)
}

/// Returns a game of the history for the screen.
fn to_entry(game: &HistoryGame) -> Result<HistoryEntry, CliError> {
    let mut record = game.record.clone();
    let redoable = take_undone(&mut record).map_err(HistoryError::from)?;
    let date = record.tags().get(Tags::DATE).unwrap_or_default();
    Ok(HistoryEntry {
        id: game.id.map(|id| KeptGameId(id.bits())),
        date: escape_control(date).replace('.', "-"),
        session: {
            let mut session = to_session(&record, redoable)?;
            restore_rating(&mut session, &record);
            session
        },
        clock: recorded_clock(&record),
        is_in_use: game.is_in_use,
    })
}

/// Returns the record of a game with the tags of its players.
fn to_record(session: &GameSession) -> Result<Record, GameFilesError> {
    let mut record = Record::from_game(session.game());
    record.set_ply_times(session.ply_times());
    let mut tags = record.tags().clone();
    tags.set_opening_plies(session.opening_plies());
    record.set_tags(tags)?;
    set_player_tags(&mut record, session.specs(), session.names())
        .map_err(|error| error.message().unwrap_or_default())?;
    if let Some(ending) = session.ending() {
        record.set_ending(ending)?;
    }
    set_rating_tags(&mut record, session)?;
    Ok(record)
}

/// Writes to a record what it says about the rating of the game.
pub(super) fn set_rating_tags(record: &mut Record, session: &GameSession) -> Result<(), TagError> {
    if session.is_helped() {
        record.set_tag(HELPED_TAG, "yes")?;
    }
    if let Some(RatingOutcome::Changed(RatingChange { before, after })) = session.rating() {
        record.set_tag(RATING_TAG, format!("{before} {after}"))?;
    }
    Ok(())
}

/// Restores what the record of a kept game says about its rating.
pub(super) fn restore_rating(session: &mut GameSession, record: &Record) {
    if record.tags().get(HELPED_TAG).is_some() {
        session.set_helped();
    }
    let numbers = record
        .tags()
        .get(RATING_TAG)
        .and_then(|text| text.split_once(' '));
    if let Some((before, after)) = numbers
        && let (Ok(before), Ok(after)) = (before.parse(), after.parse())
    {
        session.set_rating(RatingOutcome::Changed(RatingChange { before, after }));
    }
}

/// Ends a game as its record says.
pub(super) fn end_as_recorded(session: &mut GameSession, record: &Record) {
    let ending = record.ending();
    if ending.termination != Termination::Unfinished {
        session.end(ending);
    }
}

/// Lists the folder above a folder, its folders, and its record files. Hidden files are left out.
fn list(folder: &Path) -> Result<Vec<FileEntry>, TextFileError> {
    let cannot_read = |reason| TextFileError::Read {
        source_name: quoted_path(folder),
        reason,
    };
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot_read)? {
        let path = entry.map_err(cannot_read)?.path();
        // The target of a link decides. A file that has gone in the meantime is left out.
        let Ok(metadata) = fs::metadata(&path) else {
            continue;
        };
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let is_record = path
            .extension()
            .is_some_and(|extension| extension == EXTENSION);
        if !name.starts_with('.') && (metadata.is_dir() || metadata.is_file() && is_record) {
            entries.push(FileEntry {
                name,
                path,
                is_folder: metadata.is_dir(),
            });
        }
    }
    entries.sort_by_key(|entry| (!entry.is_folder, entry.name.to_lowercase()));
    if let Some(parent) = folder.parent() {
        let above = FileEntry {
            name: "..".to_owned(),
            path: parent.to_owned(),
            is_folder: true,
        };
        entries.insert(0, above);
    }
    Ok(entries)
}
