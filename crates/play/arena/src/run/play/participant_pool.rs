//! The participants that a worker keeps from game to game.

use kalah::{ByPlayer, BySide};
use kalah_players::{Participant, ProgramLog, Shutdown};

use crate::run::config::ArenaConfig;
use crate::run::game_log::GameLogs;
use crate::stats::Contestant;

/// The participants of one worker. Those of the next game keep running, and the others are shut
/// down.
pub(super) struct ParticipantPool<'a> {
    config: &'a ArenaConfig,
    shutdown: &'a Shutdown,
    /// `None` if no logs are kept.
    logs: Option<&'a GameLogs>,
    participants: Vec<PooledParticipant>,
}

/// A participant that plays one game after another.
struct PooledParticipant {
    contestant: Contestant,
    participant: Participant,
    /// The log of its program, if one is kept.
    log: Option<ProgramLog>,
}

/// The participants of a game.
pub(super) struct PooledPair<'p> {
    pub(super) participants: ByPlayer<&'p mut Participant>,
    /// The logs of their programs, by the side on which they begin.
    pub(super) logs: BySide<Option<ProgramLog>>,
}

impl<'a> ParticipantPool<'a> {
    /// Creates an empty pool, whose programs are logged if there are `logs`.
    pub(super) fn new(
        config: &'a ArenaConfig,
        shutdown: &'a Shutdown,
        logs: Option<&'a GameLogs>,
    ) -> Self {
        Self {
            config,
            shutdown,
            logs,
            participants: Vec::new(),
        }
    }

    /// Returns the participants of two different contestants; `None` if the tournament does not
    /// have them.
    pub(super) fn pair(&mut self, contestants: BySide<Contestant>) -> Option<PooledPair<'_>> {
        let BySide { south, north } = contestants;
        self.participants.retain_mut(|pooled| {
            let plays = [south, north].contains(&pooled.contestant);
            if !plays {
                pooled.participant.shut_down();
            }
            plays
        });
        for contestant in [south, north] {
            if (self.participants.iter()).all(|pooled| pooled.contestant != contestant) {
                let pooled = self.start(contestant)?;
                self.participants.push(pooled);
            }
        }
        self.participants
            .sort_by_key(|pooled| pooled.contestant != south);
        match self.participants.as_mut_slice() {
            [south, north] => Some(PooledPair {
                logs: BySide::new(south.log.clone(), north.log.clone()),
                participants: ByPlayer::new(&mut south.participant, &mut north.participant),
            }),
            _ => None,
        }
    }

    /// Returns the participant of a contestant, which has started nothing yet; `None` if the
    /// tournament does not have the contestant.
    fn start(&self, contestant: Contestant) -> Option<PooledParticipant> {
        let config = self.config.contestants.get(contestant.0)?;
        let is_program = config.spec.protocol().is_some();
        let logs = self.logs.filter(|_| is_program);
        let log = logs.map(GameLogs::program_log);
        let shutdown = match &log {
            Some(log) => &self.shutdown.with_log(log),
            None => self.shutdown,
        };
        let participant = Participant::new(&config.spec, self.config.memory, shutdown);
        Some(PooledParticipant {
            contestant,
            participant,
            log,
        })
    }

    /// Shuts all participants down.
    pub(super) fn shut_down(self) {
        for mut pooled in self.participants {
            pooled.participant.shut_down();
        }
    }
}
