//! The check of programs before the first game: whether each one starts, and how long that takes.

use std::fmt;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use kalah::Position;
use kalah_players::{ContestantKind, ParticipantFailure, ProgramSpec, Shutdown};

use crate::run::config::{ArenaConfig, ContestantConfig};
use crate::run::error::{RunError, StartFault};
use crate::stats::Contestant;

/// The shortest start that causes a warning. Programs that are started for the
/// first move lose as much of a short time limit.
pub const MIN_SLOW_START: Duration = Duration::from_millis(100);

/// The time after which a program without an answer is reported.
const SILENCE_DELAY: Duration = Duration::from_secs(2);

/// The time between two looks for programs without an answer.
const SILENCE_INTERVAL: Duration = Duration::from_millis(100);

/// An observer of programs that have not answered for [`SILENCE_DELAY`], each of which is reported
/// once.
type SilenceObserver<'a> = dyn Fn(&NamedProgram, Duration) + 'a;

/// A program with the name under which it plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedProgram {
    /// The name.
    pub name: String,
    /// The program.
    pub program: ProgramSpec,
}

impl NamedProgram {
    /// Returns the program of a contestant; `None` for a built-in player.
    fn of_contestant(contestant: &ContestantConfig) -> Option<Self> {
        match &contestant.spec.kind {
            ContestantKind::Builtin(_) => None,
            ContestantKind::Program(program) => Some(Self {
                name: contestant.name.clone(),
                program: program.clone(),
            }),
        }
    }
}

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

    /// Starts each program of a tournament once and ends it again, except those that lose their
    /// games because they do not start. The other arguments are those of
    /// [`StartupCheck::of_programs`].
    ///
    /// # Errors
    /// [`RunError::Aborted`] after a request on `shutdown`, or [`RunError::Thread`].
    pub fn run(
        config: &ArenaConfig,
        shutdown: &Shutdown,
        clock: &(dyn Fn() -> Duration + Sync),
        report_silence: &SilenceObserver,
    ) -> Result<Self, RunError> {
        Self::run_for(config, |_| true, shutdown, clock, report_silence)
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
        report_silence: &SilenceObserver,
    ) -> Result<Self, RunError> {
        let contestants = config.contestants.iter().enumerate();
        let checked = contestants.filter(|&(index, contestant)| {
            contestant.start_fault.is_none()
                && is_checked(&contestant.name)
                && !config.tournament.is_withdrawn(Contestant(index))
        });
        let programs =
            checked.filter_map(|(_, contestant)| NamedProgram::of_contestant(contestant));
        let programs: Vec<NamedProgram> = programs.collect();
        Self::of_programs(
            &programs,
            config.start_position(),
            shutdown,
            clock,
            report_silence,
        )
    }

    /// Starts each program once and ends it again. Programs whose protocol asks for a move at once
    /// get the position `start`. `clock` returns the time since any fixed moment. `report_silence`
    /// is called with each program that has not answered for two seconds, and with this time.
    ///
    /// # Errors
    /// [`RunError::Aborted`] after a request on `shutdown`, or [`RunError::Thread`].
    pub fn of_programs(
        programs: &[NamedProgram],
        start: &Position,
        shutdown: &Shutdown,
        clock: &(dyn Fn() -> Duration + Sync),
        report_silence: &SilenceObserver,
    ) -> Result<Self, RunError> {
        let mut starts = thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            let mut starts: Vec<(usize, ProgramStart)> = Vec::new();
            let mut silences = Silences {
                programs,
                report: report_silence,
                unreported: Vec::new(),
            };
            for (index, NamedProgram { program, .. }) in programs.iter().enumerate() {
                let sender = sender.clone();
                let check = move || {
                    let start = ProgramStart::check(program, start, shutdown, clock);
                    // The receiver lives until all checks have ended.
                    let _ = sender.send((index, start));
                };
                silences.unreported.push((index, clock()));
                let thread = thread::Builder::new().spawn_scoped(scope, check);
                thread.map_err(RunError::Thread)?;
                starts.extend(receiver.recv_timeout(Self::MAX_TIME_ALONE));
                silences.report(&starts, clock());
            }
            drop(sender);
            loop {
                let start = receiver.recv_timeout(SILENCE_INTERVAL);
                if matches!(start, Err(RecvTimeoutError::Disconnected)) {
                    return Ok::<_, RunError>(starts);
                }
                starts.extend(start);
                silences.report(&starts, clock());
            }
        })?;
        starts.sort_by_key(|&(index, _)| index);
        let mut check = Self::default();
        for (index, start) in starts {
            check.add(&programs[index], start)?;
        }
        Ok(check)
    }

    fn add(&mut self, program: &NamedProgram, start: ProgramStart) -> Result<(), RunError> {
        let name = program.name.clone();
        match start.result {
            Ok(()) => {}
            Err(ParticipantFailure::Aborted) => return Err(RunError::Aborted),
            Err(failure) => {
                self.faults.push(StartFault {
                    name,
                    protocol_hint: program.program.protocol_hint(),
                    failure,
                    ignored_line: start.ignored_line,
                });
                return Ok(());
            }
        }
        if program.program.protocol.has_handshake && start.time >= MIN_SLOW_START {
            let time = start.time;
            self.slow_starts.push(SlowStart { name, time });
        }
        Ok(())
    }
}

/// The programs that have not answered yet.
struct Silences<'a> {
    programs: &'a [NamedProgram],
    report: &'a SilenceObserver<'a>,
    /// The indices of the programs whose silence is not reported yet, and the times of their
    /// starts.
    unreported: Vec<(usize, Duration)>,
}

impl Silences<'_> {
    /// Reports the programs that have not answered for [`SILENCE_DELAY`]. `starts` are those of the
    /// programs that have.
    fn report(&mut self, starts: &[(usize, ProgramStart)], now: Duration) {
        self.unreported.retain(|&(index, start)| {
            let is_waiting = starts.iter().all(|&(started, _)| started != index);
            let is_silent = now.saturating_sub(start) >= SILENCE_DELAY;
            if is_waiting && is_silent {
                (self.report)(&self.programs[index], SILENCE_DELAY);
            }
            is_waiting && !is_silent
        });
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
        program: &ProgramSpec,
        position: &Position,
        shutdown: &Shutdown,
        clock: &dyn Fn() -> Duration,
    ) -> Self {
        let create = program.protocol.create;
        let mut program = create(program.clone(), shutdown.clone());
        let start = clock();
        let result = program.check_starts(position);
        let time = clock().saturating_sub(start);
        let ignored_line = program.take_ignored_line();
        program.shut_down();
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
