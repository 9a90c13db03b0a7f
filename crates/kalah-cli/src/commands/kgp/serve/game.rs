use std::fmt;
use std::sync::Arc;

use kalah::{BySide, Ending, Game, Move, Position, Side, Termination};
use kalah_players::PlayerSpec;
use tokio_util::sync::CancellationToken;

use super::client::{ClientHandle, ClientReply};
use super::leaving::Disconnect;
use super::problem::majority_side;
use super::table::GameConfig;

/// Who plays on a side.
#[derive(Clone, Debug)]
pub(super) enum GamePlayer {
    Client(ClientHandle),
    Builtin(PlayerSpec),
}

/// A game that is played no more.
#[derive(Debug)]
pub(super) struct CompletedGame {
    pub(super) number: u64,
    pub(super) players: BySide<GamePlayer>,
    pub(super) game: Game,
    pub(super) ending: Ending,
    /// Who has lost it before its end, and why.
    pub(super) forfeit: Option<(Side, Forfeit)>,
}

/// Why a player has lost a game before its end.
#[derive(Clone, Debug)]
pub(super) enum Forfeit {
    /// It sows what cannot be sown.
    IllegalMove(String),
    /// It names no house.
    InvalidHouse,
    /// It has said nothing in time.
    Timeout,
    /// It is not there any more.
    Disconnected(Disconnect),
    /// It is one of ours and has failed.
    Failed,
}

impl GamePlayer {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Client(guest) => guest.name(),
            Self::Builtin(player) => player.to_string(),
        }
    }

    async fn choose_move(
        &self,
        table: &GameConfig,
        position: &Position,
        seed: u64,
    ) -> Result<Move, Forfeit> {
        match self {
            Self::Client(guest) => match guest.request_move(position).await {
                ClientReply::House(house) => Ok(Move::Sow(house)),
                ClientReply::InvalidHouse => Err(Forfeit::InvalidHouse),
                ClientReply::Timeout => Err(Forfeit::Timeout),
                ClientReply::Disconnected(leaving) => Err(Forfeit::Disconnected(leaving)),
            },
            Self::Builtin(player) => {
                let mv = table.choose_move(*player, position, seed).await;
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
            Self::Disconnected(leaving) => leaving.termination(),
            Self::Failed => Termination::Crash,
        }
    }
}

impl fmt::Display for Forfeit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IllegalMove(reason) => f.write_str(reason),
            Self::InvalidHouse => f.write_str("its last `move` names no house"),
            Self::Timeout => f.write_str("it has not answered in time"),
            Self::Disconnected(leaving) => leaving.fmt(f),
            Self::Failed => f.write_str("it has failed"),
        }
    }
}

/// Plays a game to its end, or until the server ends.
pub(super) async fn play_game(
    table: Arc<GameConfig>,
    number: u64,
    seats: BySide<GamePlayer>,
    seed: u64,
    closing: CancellationToken,
) -> CompletedGame {
    let mut game = Game::new(table.start.clone());
    let (ending, fault) = loop {
        let position = game.position();
        if let Some(ending) = server_ending(position) {
            break (ending, None);
        }
        let side = position.to_move();
        let forced = {
            let mut moves = position.legal_moves();
            moves.next().filter(|_| moves.next().is_none())
        };
        let seed = seed.wrapping_add(u64::try_from(game.plies().len()).unwrap_or(0));
        // Nobody is asked who has no choice.
        let chosen = if let Some(mv) = forced {
            Ok(mv)
        } else {
            tokio::select! {
                chosen = seats[side].choose_move(&table, position, seed) => chosen,
                () = closing.cancelled() => Err(Forfeit::Disconnected(Disconnect::ServerShutdown)),
            }
        };
        let fault = match chosen {
            Ok(mv) => match game.play(mv) {
                Ok(_) => continue,
                Err(reason) => {
                    let ply = game.plies().len() + 1;
                    Forfeit::IllegalMove(format!("ply {ply}, `{}`: {reason}", mv.text(side)))
                }
            },
            Err(fault) => fault,
        };
        let termination = fault.termination();
        let is_unfinished = termination == Termination::Unfinished;
        let ending = Ending {
            termination,
            winner: (!is_unfinished).then_some(side.opponent()),
            outcome: None,
        };
        break (ending, (!is_unfinished).then_some((side, fault)));
    };
    CompletedGame {
        number,
        players: seats,
        game,
        ending,
        forfeit: fault,
    }
}

/// How a game has ended, if it has: by the rules, or because a store has more than half of all seeds.
fn server_ending(position: &Position) -> Option<Ending> {
    if let Some(outcome) = position.outcome() {
        return Some(Ending {
            termination: Termination::Normal,
            winner: outcome.winner(),
            outcome: Some(outcome),
        });
    }
    majority_side(position).map(|winner| Ending {
        termination: Termination::Adjudicated,
        winner: Some(winner),
        outcome: None,
    })
}

/// What is told of a game: who, how many seeds, and why if that is not the end by the rules.
impl fmt::Display for CompletedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [south, north] =
            Side::ALL.map(|side| kalah_players::escape_truncated(&self.players[side].name()));
        let stores = Side::ALL.map(|side| self.game.position().store(side));
        let termination = self.ending.termination;
        write!(
            f,
            "game {}: {south} {}-{} {north}, {termination}",
            self.number, stores[0], stores[1]
        )?;
        if let Some((loser, fault)) = &self.forfeit {
            let loser = if *loser == Side::South { south } else { north };
            write!(f, ": {loser} has lost, {fault}")?;
        }
        Ok(())
    }
}
