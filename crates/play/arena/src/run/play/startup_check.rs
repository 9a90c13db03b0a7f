//! The check of the contestants before the first game: whether each program starts, and how long
//! that takes.

use std::fmt;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use kalah_players::{Participant, ParticipantFailure, Shutdown};

use crate::run::config::{ArenaConfig, ContestantConfig};
use crate::run::error::{RunError, StartFault};
use crate::stats::Contestant;

/// The shortest start that causes a warning. Programs that are started for the
/// first move lose as much of a short time limit.
const MIN_SLOW_START: Duration = Duration::from_millis(100);

/// The time after which a program without an answer is reported.
const SILENCE_DELAY: Duration = Duration::from_secs(2);

/// The time between two looks for programs without an answer.
const SILENCE_INTERVAL: Duration = Duration::from_millis(100);

/// An observer of contestants whose programs have not answered for [`SILENCE_DELAY`], each of which
/// is reported once.
type SilenceObserver<'a> = dyn Fn(&ContestantConfig, Duration) + 'a;

/// A program that takes long to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowStart {
    /// The name of the contestant.
    pub name: String,
    /// The time from the start of the process to the end of its handshake.
    pub time: Duration,
}

/// The programs that start slowly, and those that do not start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartupCheck {
    /// The programs with a handshake that need a tenth of a second or longer for it.
    pub slow_starts: Vec<SlowStart>,
    /// The programs that cannot be started or exit at once.
    pub faults: Vec<StartFault>,
}

impl StartupCheck {
    /// The time that a program has for itself. The check of the next one begins afterwards, so that
    /// several programs that do not respond take no longer than one of them.
    const MAX_TIME_ALONE: Duration = Duration::from_secs(1);

    /// Starts each program once and ends it again, except those that lose their games because they
    /// do not start. `clock` returns the time since any fixed moment. `silent` is called with each
    /// contestant whose program has not answered for two seconds, and with this time.
    ///
    /// # Errors
    /// [`RunError::Aborted`] after a request on `shutdown`, or [`RunError::Thread`].
    pub fn run(
        config: &ArenaConfig,
        shutdown: &Shutdown,
        clock: &(dyn Fn() -> Duration + Sync),
        silent: &SilenceObserver,
    ) -> Result<Self, RunError> {
        Self::run_for(config, |_| true, shutdown, clock, silent)
    }

    /// Starts the programs that did not start once more. The result has the slow starts of both
    /// checks, and the faults that remain.
    ///
    /// # Errors
    /// As [`StartupCheck::run`].
    pub fn retry(
        mut self,
        config: &ArenaConfig,
        shutdown: &Shutdown,
        clock: &(dyn Fn() -> Duration + Sync),
    ) -> Result<Self, RunError> {
        let is_faulty = |name: &str| self.faults.iter().any(|fault| fault.name == name);
        // Its silence was reported by the first check.
        let again = Self::run_for(config, is_faulty, shutdown, clock, &|_, _| ())?;
        self.slow_starts.extend(again.slow_starts);
        self.faults = again.faults;
        Ok(self)
    }

    /// Returns the slow starts.
    ///
    /// # Errors
    /// [`RunError::Contestants`] with all faults, if there are any.
    pub fn into_slow_starts(self) -> Result<Vec<SlowStart>, RunError> {
        if self.faults.is_empty() {
            Ok(self.slow_starts)
        } else {
            Err(RunError::Contestants(self.faults))
        }
    }

    /// Checks the programs of the contestants whose names `is_checked` selects.
    fn run_for(
        config: &ArenaConfig,
        is_checked: impl Fn(&str) -> bool,
        shutdown: &Shutdown,
        clock: &(dyn Fn() -> Duration + Sync),
        silent: &SilenceObserver,
    ) -> Result<Self, RunError> {
        let mut starts = thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            let mut starts: Vec<(usize, ProgramStart)> = Vec::new();
            // The programs whose silence is not reported yet, and the times of their starts.
            let mut unreported: Vec<(usize, Duration)> = Vec::new();
            let contestants = config.contestants.iter().enumerate();
            let programs = contestants.filter(|&(index, contestant)| {
                contestant.spec.protocol().is_some()
                    && contestant.start_fault.is_none()
                    && is_checked(&contestant.name)
                    && !config.tournament.is_withdrawn(Contestant(index))
            });
            for (index, contestant) in programs {
                let sender = sender.clone();
                let check = move || {
                    let start = ProgramStart::check(contestant, config, shutdown, clock);
                    // The receiver lives until all checks have ended.
                    let _ = sender.send((index, start));
                };
                unreported.push((index, clock()));
                let thread = thread::Builder::new().spawn_scoped(scope, check);
                thread.map_err(RunError::Thread)?;
                starts.extend(receiver.recv_timeout(Self::MAX_TIME_ALONE));
            }
            drop(sender);
            loop {
                let start = receiver.recv_timeout(SILENCE_INTERVAL);
                if matches!(start, Err(RecvTimeoutError::Disconnected)) {
                    return Ok::<_, RunError>(starts);
                }
                starts.extend(start);
                unreported.retain(|&(index, start)| {
                    let is_waiting = starts.iter().all(|&(started, _)| started != index);
                    let is_silent = clock().saturating_sub(start) >= SILENCE_DELAY;
                    if is_waiting
                        && is_silent
                        && let Some(contestant) = config.contestants.get(index)
                    {
                        silent(contestant, SILENCE_DELAY);
                    }
                    is_waiting && !is_silent
                });
            }
        })?;
        starts.sort_by_key(|&(index, _)| index);
        let mut check = Self::default();
        for (index, start) in starts {
            if let Some(contestant) = config.contestants.get(index) {
                check.add(contestant, start)?;
            }
        }
        Ok(check)
    }

    fn add(&mut self, contestant: &ContestantConfig, start: ProgramStart) -> Result<(), RunError> {
        let name = contestant.name.clone();
        match start.result {
            Ok(()) => {}
            Err(ParticipantFailure::Aborted) => return Err(RunError::Aborted),
            Err(failure) => {
                let Some(protocol) = contestant.spec.protocol() else {
                    unreachable!("built-in players start no program");
                };
                self.faults.push(StartFault {
                    name,
                    protocol,
                    failure,
                    ignored_line: start.ignored_line,
                });
                return Ok(());
            }
        }
        let protocol = contestant.spec.protocol();
        let has_handshake = protocol.is_some_and(|protocol| protocol.has_handshake);
        if has_handshake && start.time >= MIN_SLOW_START {
            let time = start.time;
            self.slow_starts.push(SlowStart { name, time });
        }
        Ok(())
    }
}

/// The result of the start of one program.
struct ProgramStart {
    result: Result<(), ParticipantFailure>,
    time: Duration,
    ignored_line: Option<String>,
}

impl ProgramStart {
    fn check(
        contestant: &ContestantConfig,
        config: &ArenaConfig,
        shutdown: &Shutdown,
        clock: &dyn Fn() -> Duration,
    ) -> Self {
        let mut participant = Participant::new(&contestant.spec, config.memory, shutdown);
        let start = clock();
        let result = participant.check_starts(config.start_position());
        let time = clock().saturating_sub(start);
        let ignored_line = participant.take_ignored_line();
        participant.shut_down();
        Self {
            result,
            time,
            ignored_line,
        }
    }
}

/// Starts each program once and ends it again. Returns the programs with a handshake that need a
/// tenth of a second or longer for it. `clock` returns the time since any fixed moment.
///
/// # Errors
/// Returns all programs that cannot be started or exit at once, or the errors of
/// [`StartupCheck::run`].
pub fn check_contestants(
    config: &ArenaConfig,
    shutdown: &Shutdown,
    clock: &(dyn Fn() -> Duration + Sync),
) -> Result<Vec<SlowStart>, RunError> {
    StartupCheck::run(config, shutdown, clock, &|_, _| ())?.into_slow_starts()
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
