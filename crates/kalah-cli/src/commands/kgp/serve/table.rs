use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use kalah::{Move, Position};
use kalah_engine::LevelNumber;
use kalah_protocols::kgp::Mode;
use tokio::sync::Semaphore;

use super::problem::is_decided;
use crate::{Engines, Failure, KgpServeArguments, PlayerKind, PlayerSpec, machine};

/// What all games of a server have in common.
pub(super) struct Table {
    pub(super) start: Position,
    pub(super) time: Duration,
    pub(super) wait: Duration,
    /// The only thing that clients can come for, unless they can for both.
    pub(super) only: Option<Mode>,
    /// Who of ours plays.
    pub(super) opponents: Vec<PlayerSpec>,
    /// With a part of the memory for each of those who think at the same time.
    engines: Engines,
    thinking: Arc<Semaphore>,
}

/// The level of ours that plays unless somebody is named.
const USUAL_LEVEL: u8 = 5;

impl Table {
    pub(super) fn new(arguments: &KgpServeArguments) -> Result<Self, Failure> {
        if arguments.rules.swap {
            let words = "the protocol knows no swap: choose other rules";
            return Err(Failure::Usage(words.to_owned()));
        }
        if arguments.time.get().is_zero() {
            let words = "--time 0s leaves no time for an answer";
            return Err(Failure::Usage(words.to_owned()));
        }
        let only = arguments.play.only();
        if only == Some(Mode::Verify)
            && let Some(option) = option_of_games(arguments)
        {
            let words = format!("{option} is for games, and with --play verify there are none");
            return Err(Failure::Usage(words));
        }
        let start = arguments.board.playable(arguments.rules)?;
        if start.is_over() {
            let words = "with this start every game is over before it begins";
            return Err(Failure::Usage(words.to_owned()));
        }
        if !comes_to_a_choice(&start) {
            let words = "with this start nobody ever has a choice";
            return Err(Failure::Usage(words.to_owned()));
        }
        let at_once = arguments.engine.threads.unwrap_or_else(machine::threads);
        Ok(Self {
            time: arguments.time.get(),
            wait: arguments.wait.get(),
            only,
            opponents: if arguments.clients_only {
                Vec::new()
            } else if arguments.opponents.is_empty() {
                let usual = LevelNumber::new(USUAL_LEVEL).map(|number| PlayerSpec {
                    kind: PlayerKind::Level { number },
                    limit: None,
                });
                usual.into_iter().collect()
            } else {
                arguments.opponents.clone()
            },
            engines: Engines::new(&arguments.engine, &start)?
                .with_threads(NonZeroUsize::MIN)
                .in_parts(at_once),
            thinking: Arc::new(Semaphore::new(at_once.get())),
            start,
        })
    }

    /// What one of ours does.
    pub(super) async fn choose(
        &self,
        player: PlayerSpec,
        position: &Position,
        seed: u64,
    ) -> Option<Move> {
        let permit = Arc::clone(&self.thinking).acquire_owned().await.ok()?;
        let (engines, position) = (self.engines.clone(), position.clone());
        let limit = player
            .limit
            .map_or(self.time, |own| own.get().min(self.time));
        let think = move || {
            let mut computer = player.computer(&player.default_name(), seed, &engines)?;
            let choice = computer.choose_move(&position, limit);
            drop(permit);
            choice
        };
        tokio::task::spawn_blocking(think).await.ok().flatten()
    }
}

/// An option that is given and does nothing where nobody plays.
fn option_of_games(arguments: &KgpServeArguments) -> Option<&'static str> {
    let options = [
        (arguments.games.is_some(), "--games"),
        (arguments.out.is_some(), "--out"),
        (arguments.data.is_some(), "--data"),
        (!arguments.opponents.is_empty(), "--opponent"),
        (arguments.clients_only, "--clients-only"),
    ];
    let mut given = options.into_iter().filter(|(is_given, _)| *is_given);
    given.next().map(|(_, option)| option)
}

/// Whether somebody is asked in a game from here: else games would be over as soon as they have begun, without end.
fn comes_to_a_choice(start: &Position) -> bool {
    let mut position = start.clone();
    while !is_decided(&position) {
        let mut choices = position.legal_moves();
        let only = match (choices.next(), choices.next()) {
            (Some(only), None) => only,
            (first, _) => return first.is_some(),
        };
        drop(choices);
        if position.play(only).is_err() {
            return false;
        }
    }
    false
}
