//! The check of the contestants before the first game: whether each program starts, and how long
//! that takes.

use std::fmt;
use std::time::Duration;

use kalah_players::{Participant, ParticipantFailure, Shutdown};

use crate::run::config::ArenaConfig;
use crate::run::error::{RunError, StartFault};

/// The shortest start that causes a warning. Programs that are started for the
/// first move lose as much of a short time limit.
const MIN_SLOW_START: Duration = Duration::from_millis(100);

/// A program that takes long to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowStart {
    /// The name of the contestant.
    pub name: String,
    /// The time from the start of the process to the end of its handshake.
    pub time: Duration,
}

/// Starts each program once and ends it again. Returns the programs with a handshake that need a
/// tenth of a second or longer for it. `clock` returns the time since any fixed moment.
///
/// # Errors
/// Returns all programs that cannot be started or exit at once, or [`RunError::Aborted`] after a
/// request on `shutdown`.
pub fn check_contestants(
    config: &ArenaConfig,
    shutdown: &Shutdown,
    clock: &dyn Fn() -> Duration,
) -> Result<Vec<SlowStart>, RunError> {
    let (mut slow_starts, mut faults) = (Vec::new(), Vec::new());
    for contestant in &config.contestants {
        let mut participant = Participant::new(&contestant.spec, config.memory, shutdown);
        let start = clock();
        let result = participant.check_starts(config.start_position());
        let time = clock().saturating_sub(start);
        let ignored_line = participant.take_ignored_line();
        participant.shut_down();
        match result {
            Ok(()) => {}
            Err(ParticipantFailure::Aborted) => return Err(RunError::Aborted),
            Err(failure) => {
                faults.push(StartFault {
                    name: contestant.name.clone(),
                    failure,
                    ignored_line,
                });
                continue;
            }
        }
        let protocol = contestant.spec.protocol();
        let has_handshake = protocol.is_some_and(|protocol| protocol.has_handshake);
        if has_handshake && time >= MIN_SLOW_START {
            slow_starts.push(SlowStart {
                name: contestant.name.clone(),
                time,
            });
        }
    }
    if faults.is_empty() {
        Ok(slow_starts)
    } else {
        Err(RunError::Contestants(faults))
    }
}

/// The warning, as a sentence without a full stop.
impl fmt::Display for SlowStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, time } = self;
        write!(
            f,
            "{name} needs {} ms to start, which its time for moves does not include",
            time.as_millis()
        )
    }
}
