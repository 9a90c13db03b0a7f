use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use kalah::{Move, Position};
use kalah_engine::LevelNumber;
use kalah_players::{EngineFactory, PlayerKind, PlayerSpec};
use kalah_protocols::kgp::Mode;
use tokio::sync::Semaphore;

use super::problem::is_decided;
use crate::{CliError, KgpServeArguments};

/// What all games of a server have in common.
pub(super) struct GameConfig {
    pub(super) start: Position,
    pub(super) move_time: Duration,
    pub(super) pairing_timeout: Duration,
    /// The only thing that clients can come for, unless they can for both.
    pub(super) only_mode: Option<Mode>,
    /// Who of ours plays.
    pub(super) opponents: Vec<PlayerSpec>,
    /// With a part of the memory for each of those who think at the same time.
    engines: EngineFactory,
    search_permits: Arc<Semaphore>,
}

/// The level of ours that plays unless somebody is named.
const DEFAULT_LEVEL: u8 = 5;

impl GameConfig {
    pub(super) fn new(arguments: &KgpServeArguments) -> Result<Self, CliError> {
        if arguments.rules.swap {
            let words = "the protocol knows no swap: choose other rules";
            return Err(CliError::Usage(words.to_owned()));
        }
        if arguments.time.get().is_zero() {
            let words = "--time 0s leaves no time for an answer";
            return Err(CliError::Usage(words.to_owned()));
        }
        let only = arguments.play.single_mode();
        if only == Some(Mode::Verify)
            && let Some(option) = game_only_option(arguments)
        {
            let words = format!("{option} is for games, and with --play verify there are none");
            return Err(CliError::Usage(words));
        }
        let start = arguments.board.playable(arguments.rules)?;
        if start.is_over() {
            let words = "with this start every game is over before it begins";
            return Err(CliError::Usage(words.to_owned()));
        }
        if !reaches_choice(&start) {
            let words = "with this start nobody ever has a choice";
            return Err(CliError::Usage(words.to_owned()));
        }
        let at_once = arguments
            .engine
            .threads
            .unwrap_or_else(kalah_players::available_threads);
        Ok(Self {
            move_time: arguments.time.get(),
            pairing_timeout: arguments.wait.get(),
            only_mode: only,
            opponents: if arguments.clients_only {
                Vec::new()
            } else if arguments.opponents.is_empty() {
                let usual = LevelNumber::new(DEFAULT_LEVEL).map(|number| PlayerSpec {
                    kind: PlayerKind::Level { number },
                    time_limit: None,
                });
                usual.into_iter().collect()
            } else {
                arguments.opponents.clone()
            },
            engines: arguments
                .engine
                .factory(&start)?
                .with_threads(NonZeroUsize::MIN)
                .split_memory(at_once),
            search_permits: Arc::new(Semaphore::new(at_once.get())),
            start,
        })
    }

    /// What one of ours does.
    pub(super) async fn choose_move(
        &self,
        player: PlayerSpec,
        position: &Position,
        seed: u64,
    ) -> Option<Move> {
        let permit = Arc::clone(&self.search_permits)
            .acquire_owned()
            .await
            .ok()?;
        let (engines, position) = (self.engines.clone(), position.clone());
        let limit = player
            .time_limit
            .map_or(self.move_time, |own| own.get().min(self.move_time));
        let think = move || {
            let mut computer = player.build_player(&player.default_name(), seed, &engines)?;
            let mv = computer.choose_move(&position, limit);
            drop(permit);
            mv
        };
        tokio::task::spawn_blocking(think).await.ok().flatten()
    }
}

/// An option that is given and does nothing where nobody plays.
fn game_only_option(arguments: &KgpServeArguments) -> Option<&'static str> {
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
fn reaches_choice(start: &Position) -> bool {
    let mut position = start.clone();
    while !is_decided(&position) {
        let mut moves = position.legal_moves();
        let only = match (moves.next(), moves.next()) {
            (Some(only), None) => only,
            (first, _) => return first.is_some(),
        };
        drop(moves);
        if position.play(only).is_err() {
            return false;
        }
    }
    false
}
