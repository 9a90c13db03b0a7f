//! The participants that a worker keeps from game to game.

use kalah::{ByPlayer, BySide};
use kalah_players::{Participant, Shutdown};

use crate::run::config::ArenaConfig;
use crate::stats::Contestant;

/// The participants of one worker. Those of the next game keep running, and the others are shut
/// down.
pub(super) struct ParticipantPool<'a> {
    config: &'a ArenaConfig,
    shutdown: &'a Shutdown,
    participants: Vec<(Contestant, Participant)>,
}

impl<'a> ParticipantPool<'a> {
    pub(super) fn new(config: &'a ArenaConfig, shutdown: &'a Shutdown) -> Self {
        Self {
            config,
            shutdown,
            participants: Vec::new(),
        }
    }

    /// Returns the participants of two different contestants; `None` if the tournament does not
    /// have them.
    pub(super) fn pair(
        &mut self,
        contestants: BySide<Contestant>,
    ) -> Option<ByPlayer<&mut Participant>> {
        let BySide { south, north } = contestants;
        self.participants.retain_mut(|(contestant, participant)| {
            let plays = [south, north].contains(contestant);
            if !plays {
                participant.shut_down();
            }
            plays
        });
        for contestant in [south, north] {
            if self.participants.iter().all(|(it, _)| *it != contestant) {
                let config = self.config.contestants.get(contestant.0)?;
                let participant = Participant::new(&config.spec, self.config.memory, self.shutdown);
                self.participants.push((contestant, participant));
            }
        }
        self.participants
            .sort_by_key(|(contestant, _)| *contestant != south);
        match self.participants.as_mut_slice() {
            [(_, south), (_, north)] => Some(ByPlayer::new(south, north)),
            _ => None,
        }
    }

    /// Shuts all participants down.
    pub(super) fn shut_down(self) {
        for (_, mut participant) in self.participants {
            participant.shut_down();
        }
    }
}
