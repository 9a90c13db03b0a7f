//! The games of a server: playing a game between two players, its record, and the stored games.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use kalah::record::{Record, Tags};
use kalah::{BySide, Ending, Game, Move, Position, Side, Termination};
use kalah_players::{PlayerSpec, TimeControl, escape_truncated, quoted_path};
use kalah_store::{DataFolder, FinishedGameStore, OpenStoreError};
use tokio_util::sync::CancellationToken;

use crate::server::agent::{AgentKey, AgentProfile, TokenSalt};
use crate::server::client::{ClientHandle, ClientReply, Disconnect, GameInfo};
use crate::server::config::{GameConfig, server_ending};
use crate::server::first_warnings::FirstWarnings;
use crate::server::result_log::{ResultEntry, ResultLog};
use crate::server::scoreboard::{MAX_FINISHED_GAMES, Scoreboard, build_record};

/// A player of a game.
#[derive(Clone, Debug)]
pub(crate) enum GamePlayer {
    Client(ClientHandle),
    Builtin(PlayerSpec),
}

/// A game that ended on the board, by a forfeit, or at the shutdown of the server.
#[derive(Debug)]
pub(crate) struct CompletedGame {
    number: u64,
    pub(crate) players: BySide<GamePlayer>,
    game: Game,
    ending: Ending,
    time_control: TimeControl,
    /// The loser and the reason, if the game did not end by the position on the board.
    pub(crate) forfeit: Option<(Side, Forfeit)>,
}

/// The reason why a player lost a game early.
#[derive(Clone, Debug)]
pub(crate) enum Forfeit {
    /// The move is illegal.
    IllegalMove(String),
    /// The last `move` names no house of any board.
    InvalidHouse,
    /// No move came in time.
    Timeout,
    /// The client has disconnected.
    Disconnected(Disconnect),
    /// The built-in player has failed.
    Failed,
}

impl GamePlayer {
    fn name(&self) -> String {
        match self {
            Self::Client(client) => client.name().to_owned(),
            Self::Builtin(spec) => spec.to_string(),
        }
    }

    fn profile(&self) -> AgentProfile {
        match self {
            Self::Client(client) => client.profile().clone(),
            Self::Builtin(spec) => {
                let name = spec.to_string();
                AgentProfile::new(AgentKey::Builtin(name.clone()), &name, None, None)
            }
        }
    }

    async fn choose_move(
        &self,
        config: &GameConfig,
        game: impl FnOnce() -> GameInfo,
        position: &Position,
        seed: u64,
    ) -> Result<Move, Forfeit> {
        match self {
            Self::Client(client) => match client.request_move(game(), position).await {
                ClientReply::House(house) => Ok(Move::Sow(house)),
                ClientReply::InvalidHouse => Err(Forfeit::InvalidHouse),
                ClientReply::Timeout => Err(Forfeit::Timeout),
                ClientReply::Disconnected(reason) => Err(Forfeit::Disconnected(reason)),
            },
            Self::Builtin(spec) => {
                let mv = config.choose_move(*spec, position, seed).await;
                mv.ok_or(Forfeit::Failed)
            }
        }
    }
}

impl Forfeit {
    fn termination(&self) -> Termination {
        match self {
            Self::IllegalMove(_) | Self::InvalidHouse => Termination::Illegal,
            Self::Timeout => Termination::Time,
            Self::Disconnected(reason) => reason.termination(),
            Self::Failed => Termination::Crash,
        }
    }
}

impl fmt::Display for Forfeit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IllegalMove(reason) => f.write_str(reason),
            Self::InvalidHouse => f.write_str("the last `move` names no house"),
            Self::Timeout => f.write_str("no move came in time"),
            Self::Disconnected(reason) => reason.fmt(f),
            Self::Failed => f.write_str("the player failed"),
        }
    }
}

/// Plays a game to its end, or until `shutdown` is cancelled. The game begins again if the process
/// pauses meanwhile.
pub(crate) async fn play_game(
    config: Arc<GameConfig>,
    number: u64,
    players: BySide<GamePlayer>,
    seed: u64,
    shutdown: CancellationToken,
) -> CompletedGame {
    loop {
        let completed = play_once(&config, number, &players, seed, &shutdown).await;
        if let Some((game, ending, forfeit)) = completed {
            return CompletedGame {
                number,
                players,
                game,
                ending,
                time_control: TimeControl::PerMove(config.move_time),
                forfeit,
            };
        }
        tracing::warn!("game {number} begins again, because the server has paused");
    }
}

/// Plays a game, and returns it with its ending and the loser of a forfeit; `None` if the process
/// has paused meanwhile.
async fn play_once(
    config: &GameConfig,
    number: u64,
    players: &BySide<GamePlayer>,
    seed: u64,
    shutdown: &CancellationToken,
) -> Option<(Game, Ending, Option<(Side, Forfeit)>)> {
    let paused_before = config.pauses.observe().paused;
    let mut game = Game::new(config.start.clone());
    if let Some(scoreboard) = &config.scoreboard {
        let names = BySide::from_fn(|side| players[side].name());
        scoreboard.start_game(number, names);
    }
    loop {
        let position = game.position();
        if let Some(ending) = server_ending(position) {
            return Some((game, ending, None));
        }
        let side = position.to_move();
        let forced_move = {
            let mut moves = position.legal_moves();
            moves.next().filter(|_| moves.next().is_none())
        };
        let seed = seed.wrapping_add(u64::try_from(game.plies().len()).unwrap_or(0));
        // Servers send no state for a forced move.
        let chosen = if let Some(mv) = forced_move {
            Ok(mv)
        } else {
            let info = || GameInfo {
                number,
                opponent: players[side.opponent()].name(),
            };
            tokio::select! {
                chosen = players[side].choose_move(config, info, position, seed) => chosen,
                () = shutdown.cancelled() => Err(Forfeit::Disconnected(Disconnect::ServerShutdown)),
            }
        };
        if config.pauses.observe().paused > paused_before && !shutdown.is_cancelled() {
            return None;
        }
        let forfeit = match chosen {
            Ok(mv) => match game.play(mv) {
                Ok(ply) => {
                    if let Some(scoreboard) = &config.scoreboard {
                        scoreboard.add_move(number, mv, &ply.after);
                    }
                    continue;
                }
                Err(reason) => {
                    let ply = game.plies().len() + 1;
                    Forfeit::IllegalMove(format!("ply {ply}, `{}`: {reason}", mv.text(side)))
                }
            },
            Err(forfeit) => forfeit,
        };
        let termination = forfeit.termination();
        let is_unfinished = termination == Termination::Unfinished;
        let ending = Ending {
            termination,
            winner: (!is_unfinished).then_some(side.opponent()),
            outcome: None,
        };
        let forfeit = (!is_unfinished).then_some((side, forfeit));
        return Some((game, ending, forfeit));
    }
}

impl CompletedGame {
    /// Ends the game on the scoreboard. A game counts there only once it is on disk, so that the
    /// scoreboard of the next process has it, too.
    pub(crate) fn end_on(&self, scoreboard: &Scoreboard) {
        let players = BySide::from_fn(|side| self.players[side].profile());
        scoreboard.end_game(self.number, &players, self.ending);
    }

    fn result(&self) -> ResultEntry {
        ResultEntry {
            number: self.number,
            players: BySide::from_fn(|side| self.players[side].profile()),
            winner: self.ending.winner,
        }
    }
}

/// The players, the stores, the termination, and the reason of a forfeit.
impl fmt::Display for CompletedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [south, north] = Side::ALL.map(|side| escape_truncated(&self.players[side].name()));
        let stores = Side::ALL.map(|side| self.game.position().store(side));
        let termination = self.ending.termination;
        write!(
            f,
            "game {}: {south} {}-{} {north}, {termination}",
            self.number, stores[0], stores[1]
        )?;
        if let Some((loser, forfeit)) = &self.forfeit {
            let loser = if *loser == Side::South { south } else { north };
            write!(f, ": {loser} loses: {forfeit}")?;
        }
        Ok(())
    }
}

/// The extension of record files.
pub(crate) const RECORD_EXTENSION: &str = "kgn";

/// Stores completed games: a record file and a result for each, and finished games for the page.
pub(crate) struct GameArchive {
    record_folder: Option<PathBuf>,
    store: Option<FinishedGameStore>,
    /// The highest number of the games that the folder had at the start.
    highest_number: u64,
    /// The highest number of a client in the results that the folder had at the start.
    highest_client_number: u64,
    token_salt: Option<TokenSalt>,
    /// The results, if there is a folder. Games are written one after another, while this is
    /// locked, so that few of the reserved file descriptors are used.
    results: Mutex<Option<ResultLog>>,
}

/// The error of opening a [`GameArchive`].
pub(crate) enum OpenArchiveError {
    RecordFolder { folder: PathBuf, reason: io::Error },
    Store(OpenStoreError),
}

impl GameArchive {
    /// Opens the folders, creates them if necessary, and adds the games and results of the folder
    /// of records to the scoreboard.
    ///
    /// # Errors
    /// Returns an error if a folder cannot be used.
    pub(crate) fn open(
        record_folder: Option<&Path>,
        data_folder: Option<&DataFolder>,
        scoreboard: Option<&Scoreboard>,
    ) -> Result<Self, OpenArchiveError> {
        let mut archive = Self {
            record_folder: record_folder.map(Path::to_owned),
            store: None,
            highest_number: 0,
            highest_client_number: 0,
            token_salt: None,
            results: Mutex::default(),
        };
        if let Some(folder) = record_folder {
            let opened = archive.open_record_folder(folder, scoreboard);
            opened.map_err(|reason| OpenArchiveError::RecordFolder {
                folder: folder.to_owned(),
                reason,
            })?;
        }
        archive.store = data_folder
            .map(|folder| FinishedGameStore::open(folder, SystemTime::now().into()))
            .transpose()
            .map_err(OpenArchiveError::Store)?;
        Ok(archive)
    }

    fn open_record_folder(
        &mut self,
        folder: &Path,
        scoreboard: Option<&Scoreboard>,
    ) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let (results, salt) = ResultLog::open(folder, |result| {
            self.highest_number = self.highest_number.max(result.number);
            for side in Side::ALL {
                if let AgentKey::Client(number) = result.players[side].key {
                    self.highest_client_number = self.highest_client_number.max(number);
                }
            }
            if let Some(scoreboard) = scoreboard {
                scoreboard.restore_result(&result);
            }
        })?;
        self.results = Mutex::new(Some(results));
        self.token_salt = Some(salt);
        let records = last_records(folder)?;
        let last_number = records.last_key_value().map_or(0, |(number, _)| *number);
        self.highest_number = self.highest_number.max(last_number);
        if let Some(scoreboard) = scoreboard {
            restore_games(scoreboard, &records).log(|| {
                let folder = quoted_path(folder);
                format!("other records of {folder} that are not shown")
            });
        }
        Ok(())
    }

    /// Returns the number of the first game.
    pub(crate) fn first_number(&self) -> u64 {
        self.highest_number.saturating_add(1)
    }

    /// Returns the number of the first client. A client without name and token is known by its
    /// number.
    pub(crate) fn first_client_number(&self) -> u64 {
        self.highest_client_number.saturating_add(1)
    }

    /// Returns the salt of the tokens in the folder of records, if there is one.
    pub(crate) fn token_salt(&self) -> Option<TokenSalt> {
        self.token_salt
    }

    /// Stores a game, and logs errors. The game is on disk when this returns. Blocks.
    pub(crate) fn store_game(&self, completed: &CompletedGame) {
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let number = completed.number;
        let is_finished = completed.ending.termination != Termination::Unfinished;
        if let Some(folder) = &self.record_folder
            && let Err(error) = write_record(folder, completed)
        {
            tracing::warn!("game {number} is not recorded: {error}");
        }
        if let Some(results) = &mut *results
            && is_finished
            && let Err(error) = results.append(completed.result())
        {
            tracing::warn!("the result of game {number} is not recorded: {error}");
        }
        if let Some(store) = &self.store
            && is_finished
        {
            match store.save(&completed.game, completed.ending, SystemTime::now().into()) {
                Ok(id) => tracing::info!("game {number} is stored as #watch={id}"),
                Err(error) => tracing::warn!("game {number} is not stored: {error}"),
            }
        }
    }
}

/// Returns the paths of the records with the highest numbers in a folder.
fn last_records(folder: &Path) -> io::Result<BTreeMap<u64, PathBuf>> {
    let mut records = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_record = path
            .extension()
            .is_some_and(|extension| extension == RECORD_EXTENSION);
        if is_record
            && let Some(stem) = path.file_stem().and_then(|stem| stem.to_str())
            && let Ok(number) = stem.parse()
        {
            records.insert(number, path);
            if records.len() > MAX_FINISHED_GAMES {
                records.pop_first();
            }
        }
    }
    Ok(records)
}

/// Adds the games of records to the scoreboard. Returns warnings about those that it cannot read.
fn restore_games(scoreboard: &Scoreboard, records: &BTreeMap<u64, PathBuf>) -> FirstWarnings {
    let mut warnings = FirstWarnings::default();
    for (&number, path) in records {
        match read_record(path) {
            Ok(record) => scoreboard.restore_game(number, &record),
            Err(error) => warnings.add(|| {
                let path = quoted_path(path);
                format!("the record {path} is not shown: {error}")
            }),
        }
    }
    warnings
}

/// The maximum length of a record in the folder in bytes, more than the longest game needs.
const MAX_RECORD_BYTES: u64 = 1 << 20;

/// Reads the record of a game.
fn read_record(path: &Path) -> io::Result<Record> {
    let mut text = String::new();
    let mut file = File::open(path)?.take(MAX_RECORD_BYTES);
    file.read_to_string(&mut text)?;
    text.parse().map_err(io::Error::other)
}

/// Writes the record of a game to a file of its own, which is on disk afterwards.
fn write_record(folder: &Path, completed: &CompletedGame) -> io::Result<()> {
    let names = BySide::from_fn(|side| completed.players[side].name());
    let record = build_record(&completed.game, &names, Some(completed.ending));
    let mut record = record.map_err(io::Error::other)?;
    let tags = [
        (Tags::DATE, Tags::date_text(SystemTime::now())),
        (Tags::TIME_CONTROL, Some(completed.time_control.describe())),
    ];
    for (tag, value) in tags {
        if let Some(value) = value {
            record.set_tag(tag, value).map_err(io::Error::other)?;
        }
    }
    let path = folder.join(format!("{:06}.{RECORD_EXTENSION}", completed.number));
    kalah_files::create(&path, |file| file.write_all(record.to_string().as_bytes()))
}

#[cfg(test)]
mod tests {
    use kalah::Rules;

    use super::*;

    #[test]
    fn numbers_continue_after_the_records_in_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let first_number = || {
            let archive = GameArchive::open(Some(folder.path()), None, None);
            archive.map(|archive| archive.first_number()).ok()
        };
        assert_eq!(first_number(), Some(1));
        for name in ["000007.kgn", "000012.tmp", "notes.kgn", "99"] {
            File::create(folder.path().join(name)).expect("a file");
        }
        assert_eq!(first_number(), Some(8));
    }

    #[test]
    fn warnings_name_three_records_that_cannot_be_read_and_count_the_others() {
        let folder = tempfile::tempdir().expect("a folder");
        for number in 1..=10 {
            fs::write(folder.path().join(format!("{number:06}.kgn")), "x").expect("a write");
        }
        let records = last_records(folder.path()).expect("a folder");
        let start = Position::start(6, 4, Rules::CS32).expect("a start");
        let warnings = restore_games(&Scoreboard::new(start), &records);
        let messages = warnings.into_messages(|| "others".to_owned());
        let [first, second, third, others] = &messages[..] else {
            panic!("{messages:?}");
        };
        for (number, message) in [(1, first), (2, second), (3, third)] {
            let path = folder.path().join(format!("{number:06}.kgn"));
            let start = format!("the record {} is not shown: ", quoted_path(&path));
            assert!(message.starts_with(&start), "{message}");
        }
        assert_eq!(others, "others: 7");
    }
}
