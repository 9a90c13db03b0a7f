use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use kalah::{Choice, Position};
use kalah_protocols::kgp::Mode;
use tokio::sync::Semaphore;

use crate::{Engines, Failure, KgpServeArguments, PlayerSpec, machine};

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

impl Table {
    pub(super) fn new(arguments: &KgpServeArguments) -> Result<Self, Failure> {
        if arguments.rules.swap {
            let words = "the protocol knows no swap: choose other rules";
            return Err(Failure::Usage(words.to_owned()));
        }
        let start = arguments.board.playable(arguments.rules)?;
        if start.is_over() {
            let words = "with this start every game is over before it begins";
            return Err(Failure::Usage(words.to_owned()));
        }
        let at_once = arguments.engine.threads.unwrap_or_else(machine::threads);
        Ok(Self {
            time: arguments.time.get(),
            wait: arguments.wait.get(),
            only: arguments.play.only(),
            opponents: if arguments.clients_only {
                Vec::new()
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
    ) -> Option<Choice> {
        let permit = Arc::clone(&self.thinking).acquire_owned().await.ok()?;
        let (engines, position) = (self.engines.clone(), position.clone());
        let limit = player
            .limit
            .map_or(self.time, |own| own.get().min(self.time));
        let think = move || {
            let mut computer = player.computer(&player.default_name(), seed, &engines)?;
            let choice = computer.choose(&position, limit);
            drop(permit);
            choice
        };
        tokio::task::spawn_blocking(think).await.ok().flatten()
    }
}
