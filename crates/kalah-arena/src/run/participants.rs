//! The participants of the games: the check before the first game, and those that a worker keeps.

use kalah::{ByPlayer, BySide};
use kalah_players::{Participant, ParticipantFailure, Shutdown};

use super::config::ArenaConfig;
use super::error::RunError;
use crate::stats::Contestant;

/// Starts each program once and ends it again.
///
/// # Errors
/// The first program that cannot be started or exits at once, or [`RunError::Aborted`] after a
/// request on `shutdown`.
pub fn check_contestants(config: &ArenaConfig, shutdown: &Shutdown) -> Result<(), RunError> {
    for contestant in &config.contestants {
        let mut participant = Participant::new(&contestant.spec, config.memory, shutdown);
        let result = participant.check_starts(config.start_position());
        participant.shut_down();
        result.map_err(|failure| match failure {
            ParticipantFailure::Aborted => RunError::Aborted,
            failure => RunError::Contestant {
                name: contestant.name.clone(),
                failure,
            },
        })?;
    }
    Ok(())
}

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
