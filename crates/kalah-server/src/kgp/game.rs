//! One game between two players of a server.

use std::fmt;
use std::sync::Arc;

use kalah::{BySide, Ending, Game, Move, Position, Side, Termination};
use kalah_players::{PlayerSpec, escape_truncated};
use tokio_util::sync::CancellationToken;

use crate::kgp::client::{ClientHandle, ClientReply, Disconnect};
use crate::kgp::config::{GameConfig, server_ending};

/// A player of a game.
#[derive(Clone, Debug)]
pub(crate) enum GamePlayer {
    Client(ClientHandle),
    Builtin(PlayerSpec),
}

/// A game that is over, also because a player lost it early or the server shut down.
#[derive(Debug)]
pub(crate) struct CompletedGame {
    pub(crate) number: u64,
    pub(crate) players: BySide<GamePlayer>,
    pub(crate) game: Game,
    pub(crate) ending: Ending,
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
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Client(client) => client.name(),
            Self::Builtin(spec) => spec.to_string(),
        }
    }

    async fn choose_move(
        &self,
        config: &GameConfig,
        position: &Position,
        seed: u64,
    ) -> Result<Move, Forfeit> {
        match self {
            Self::Client(client) => match client.request_move(position).await {
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
            Self::InvalidHouse => f.write_str("its last `move` names no house"),
            Self::Timeout => f.write_str("it sent no move in time"),
            Self::Disconnected(reason) => reason.fmt(f),
            Self::Failed => f.write_str("it failed"),
        }
    }
}

/// Plays a game to its end, or until `shutdown` is cancelled.
pub(crate) async fn play_game(
    config: Arc<GameConfig>,
    number: u64,
    players: BySide<GamePlayer>,
    seed: u64,
    shutdown: CancellationToken,
) -> CompletedGame {
    let mut game = Game::new(config.start.clone());
    let (ending, forfeit) = loop {
        let position = game.position();
        if let Some(ending) = server_ending(position) {
            break (ending, None);
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
            tokio::select! {
                chosen = players[side].choose_move(&config, position, seed) => chosen,
                () = shutdown.cancelled() => Err(Forfeit::Disconnected(Disconnect::ServerShutdown)),
            }
        };
        let forfeit = match chosen {
            Ok(mv) => match game.play(mv) {
                Ok(_) => continue,
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
        break (ending, (!is_unfinished).then_some((side, forfeit)));
    };
    CompletedGame {
        number,
        players,
        game,
        ending,
        forfeit,
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
