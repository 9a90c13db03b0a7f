use std::fmt;
use std::sync::Arc;

use kalah::{BySide, Ending, Game, Move, Position, Side, Termination};
use tokio_util::sync::CancellationToken;

use super::client::{Answer, Guest};
use super::leaving::Leaving;
use super::problem::leader;
use super::table::Table;
use crate::PlayerSpec;

/// Who plays on a side.
#[derive(Clone, Debug)]
pub(super) enum Seat {
    Guest(Guest),
    Ours(PlayerSpec),
}

/// A game that is played no more.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) number: u64,
    pub(super) seats: BySide<Seat>,
    pub(super) game: Game,
    pub(super) ending: Ending,
    /// Who has lost it before its end, and why.
    pub(super) fault: Option<(Side, Fault)>,
}

/// Why a player has lost a game before its end.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// It sows what cannot be sown.
    Illegal(String),
    /// It names no house.
    NoHouse,
    /// It has said nothing in time.
    Late,
    /// It is not there any more.
    Gone(Leaving),
    /// It is one of ours and has failed.
    Failed,
}

impl Seat {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Guest(guest) => guest.name(),
            Self::Ours(player) => player.to_string(),
        }
    }

    async fn choose(&self, table: &Table, position: &Position, seed: u64) -> Result<Move, Fault> {
        match self {
            Self::Guest(guest) => match guest.ask(position).await {
                Answer::House(house) => Ok(Move::Sow(house)),
                Answer::NoHouse => Err(Fault::NoHouse),
                Answer::Late => Err(Fault::Late),
                Answer::Gone(leaving) => Err(Fault::Gone(leaving)),
            },
            Self::Ours(player) => {
                let choice = table.choose(*player, position, seed).await;
                choice.ok_or(Fault::Failed)
            }
        }
    }
}

impl Fault {
    fn termination(&self) -> Termination {
        match self {
            Self::Illegal(_) | Self::NoHouse => Termination::Illegal,
            Self::Late => Termination::Time,
            Self::Gone(leaving) => leaving.termination(),
            Self::Failed => Termination::Crash,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Illegal(reason) => f.write_str(reason),
            Self::NoHouse => f.write_str("its last `move` names no house"),
            Self::Late => f.write_str("it has not answered in time"),
            Self::Gone(leaving) => leaving.fmt(f),
            Self::Failed => f.write_str("it has failed"),
        }
    }
}

/// Plays a game to its end, or until the server ends.
pub(super) async fn play(
    table: Arc<Table>,
    number: u64,
    seats: BySide<Seat>,
    seed: u64,
    closing: CancellationToken,
) -> Played {
    let mut game = Game::new(table.start.clone());
    let (ending, fault) = loop {
        let position = game.position();
        if let Some(ending) = ended(position) {
            break (ending, None);
        }
        let side = position.to_move();
        let forced = {
            let mut choices = position.legal_moves();
            choices.next().filter(|_| choices.next().is_none())
        };
        let seed = seed.wrapping_add(u64::try_from(game.plies().len()).unwrap_or(0));
        // Nobody is asked who has no choice.
        let chosen = if let Some(choice) = forced {
            Ok(choice)
        } else {
            tokio::select! {
                chosen = seats[side].choose(&table, position, seed) => chosen,
                () = closing.cancelled() => Err(Fault::Gone(Leaving::Closing)),
            }
        };
        let fault = match chosen {
            Ok(choice) => match game.play(choice) {
                Ok(_) => continue,
                Err(reason) => {
                    let ply = game.plies().len() + 1;
                    Fault::Illegal(format!("ply {ply}, `{}`: {reason}", choice.text(side)))
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
    Played {
        number,
        seats,
        game,
        ending,
        fault,
    }
}

/// How a game has ended, if it has: by the rules, or because a store has more than half of all seeds.
fn ended(position: &Position) -> Option<Ending> {
    if let Some(outcome) = position.outcome() {
        return Some(Ending {
            termination: Termination::Normal,
            winner: outcome.winner(),
            outcome: Some(outcome),
        });
    }
    leader(position).map(|winner| Ending {
        termination: Termination::Adjudicated,
        winner: Some(winner),
        outcome: None,
    })
}

/// What is told of a game: who, how many seeds, and why if that is not the end by the rules.
impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [south, north] = Side::ALL.map(|side| crate::shown::shown(&self.seats[side].name()));
        let stores = Side::ALL.map(|side| self.game.position().store(side));
        let termination = self.ending.termination;
        write!(
            f,
            "game {}: {south} {}-{} {north}, {termination}",
            self.number, stores[0], stores[1]
        )?;
        if let Some((loser, fault)) = &self.fault {
            let loser = if *loser == Side::South { south } else { north };
            write!(f, ": {loser} has lost, {fault}")?;
        }
        Ok(())
    }
}
