//! The games of a server: playing a game between two players, its record, and the stored games.

use std::fmt;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use kalah::{BySide, Ending, Game, Move, Position, Side, Termination};
use kalah_players::{PlayerSpec, escape_truncated};
use kalah_store::{DataFolder, FinishedGameStore, OpenStoreError};
use tokio_util::sync::CancellationToken;

use crate::server::client::{ClientHandle, ClientReply, Disconnect, GameInfo};
use crate::server::config::{GameConfig, server_ending};
use crate::server::scoreboard::{AgentKey, PlayerEntry, build_record};

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
            Self::Client(client) => client.name(),
            Self::Builtin(spec) => spec.to_string(),
        }
    }

    fn player_entry(&self) -> PlayerEntry {
        let key = match self {
            Self::Client(client) => client.key(),
            Self::Builtin(spec) => AgentKey::Builtin(spec.to_string()),
        };
        let name = self.name();
        PlayerEntry { key, name }
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
            if let Some(scoreboard) = &config.scoreboard {
                scoreboard.end_game(number, ending);
            }
            return CompletedGame {
                number,
                players,
                game,
                ending,
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
        let players = BySide::from_fn(|side| players[side].player_entry());
        scoreboard.start_game(number, players);
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

/// Stores completed games: a record file for each, and finished games for the page.
pub(crate) struct GameArchive {
    record_folder: Option<PathBuf>,
    store: Option<FinishedGameStore>,
    /// The highest number of the games that the folder had at the start.
    highest_number: u64,
    /// Games are written one after another, so that few of the reserved file descriptors are used.
    write_lock: Mutex<()>,
}

/// The error of opening a [`GameArchive`].
pub(crate) enum OpenArchiveError {
    RecordFolder { folder: PathBuf, reason: io::Error },
    Store(OpenStoreError),
}

impl GameArchive {
    /// Opens the folders, and creates them if necessary.
    ///
    /// # Errors
    /// Returns an error if a folder cannot be used.
    pub(crate) fn open(
        record_folder: Option<&Path>,
        data_folder: Option<&DataFolder>,
    ) -> Result<Self, OpenArchiveError> {
        let highest_number = record_folder.map_or(Ok(0), |folder| {
            prepare_folder(folder).map_err(|reason| OpenArchiveError::RecordFolder {
                folder: folder.to_owned(),
                reason,
            })
        })?;
        let store = data_folder
            .map(|folder| FinishedGameStore::open(folder, SystemTime::now().into()))
            .transpose()
            .map_err(OpenArchiveError::Store)?;
        Ok(Self {
            record_folder: record_folder.map(Path::to_owned),
            store,
            highest_number,
            write_lock: Mutex::new(()),
        })
    }

    /// Returns the number of the first game.
    pub(crate) fn first_number(&self) -> u64 {
        self.highest_number + 1
    }

    /// Stores a game, and logs errors. The game is on disk when this returns. Blocks.
    pub(crate) fn store_game(&self, completed: &CompletedGame) {
        let _lock = self
            .write_lock
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let number = completed.number;
        if let Some(folder) = &self.record_folder
            && let Err(error) = write_record(folder, completed)
        {
            tracing::warn!("game {number} is not recorded: {error}");
        }
        if let Some(store) = &self.store
            && completed.ending.termination != Termination::Unfinished
        {
            match store.save(&completed.game, completed.ending, SystemTime::now().into()) {
                Ok(id) => tracing::info!("game {number} is stored as #watch={id}"),
                Err(error) => tracing::warn!("game {number} is not stored: {error}"),
            }
        }
    }
}

/// Creates a folder if necessary, and returns the highest number of the games in it.
fn prepare_folder(folder: &Path) -> io::Result<u64> {
    fs::create_dir_all(folder)?;
    let mut highest = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_record = path
            .extension()
            .is_some_and(|extension| extension == RECORD_EXTENSION);
        if is_record
            && let Some(stem) = path.file_stem().and_then(|stem| stem.to_str())
            && let Ok(number) = stem.parse()
        {
            highest = highest.max(number);
        }
    }
    Ok(highest)
}

/// Writes the record of a game to a file of its own, which is on disk afterwards.
fn write_record(folder: &Path, completed: &CompletedGame) -> io::Result<()> {
    let names = BySide::from_fn(|side| completed.players[side].name());
    let record = build_record(&completed.game, &names, Some(completed.ending));
    let record = record.map_err(io::Error::other)?;
    let path = folder.join(format!("{:06}.{RECORD_EXTENSION}", completed.number));
    kalah_files::create(&path, |file| file.write_all(record.to_string().as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn numbers_continue_after_the_records_in_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let first_number = || {
            let archive = GameArchive::open(Some(folder.path()), None);
            archive.map(|archive| archive.first_number()).ok()
        };
        assert_eq!(first_number(), Some(1));
        for name in ["000007.kgn", "000012.tmp", "notes.kgn", "99"] {
            File::create(folder.path().join(name)).expect("a file");
        }
        assert_eq!(first_number(), Some(8));
    }
}
