//! A game of two agents whose programs the host starts.

use std::fmt::{self, Display};
use std::io;
use std::time::{Duration, Instant};

use kalah::record::PlyTimes;
use kalah::{BySide, Ending, Game, Side, Termination, TimeLimit};
use kalah_players::{
    ChildProcess, PauseMonitor, ProcessExit, ReadLineError, Shutdown, escape_control,
    escape_truncated,
};
use thiserror::Error;

use crate::host::{Host, HostError};
use crate::message::{AgentMessage, MankalahEngineMessage};

/// A game of two agents, which are identified by the sides on which they begin.
pub struct HostedGame {
    host: Host,
    agents: BySide<HostedAgent>,
    /// The time of each agent for the whole game.
    limit: TimeLimit,
    ply_times: Vec<PlyTimes>,
}

/// The receiver of the plies of a [`HostedGame`].
pub trait HostedGameObserver {
    /// The reason why the game cannot go on.
    type Error;

    /// Receives a game after a ply of `agent`, before the other agent is asked for a move.
    fn ply_played(&mut self, game: &Game, agent: Side);

    /// Receives a game after each answer of an agent, with the times of its plies, and with its
    /// ending once it has ended.
    ///
    /// # Errors
    /// Returns the reason why the game cannot go on.
    fn game_changed(
        &mut self,
        game: &Game,
        times: &[PlyTimes],
        ending: Option<Ending>,
    ) -> Result<(), Self::Error>;
}

/// The program of an agent cannot be started.
#[derive(Debug, Error)]
#[error("cannot start '{}': {reason}", escape_truncated(command))]
pub struct StartAgentError {
    /// The command line.
    pub command: String,
    /// The error of the operating system.
    pub reason: io::Error,
}

/// The reason why a game was not played to its end.
#[derive(Debug, Error)]
pub enum HostedGameError<E> {
    /// A [`Shutdown`] was requested.
    #[error("the game was interrupted")]
    Interrupted,
    /// The process has paused. The answers have come late without a fault of an agent.
    #[error("the program has paused")]
    Paused,
    /// The observer has stopped the game.
    #[error("{0}")]
    Observer(E),
}

/// The loss of an agent for another reason than the seeds.
#[derive(Clone, Debug)]
pub struct AgentLoss {
    /// The agent.
    pub agent: Side,
    /// The reason.
    pub reason: LossReason,
}

/// The reason why an agent has lost a game that is not over by the rules.
#[derive(Clone, Debug)]
pub enum LossReason {
    /// A line is no message. The text is the reason.
    InvalidMessage(String),
    /// A move breaks the rules.
    IllegalMove {
        /// The move.
        message: AgentMessage,
        /// The rule that it breaks.
        reason: HostError,
    },
    /// The time for the game has passed.
    OutOfTime(TimeLimit),
    /// The program has exited or has closed its output.
    Disconnected {
        /// The way in which it ended.
        exit: ProcessExit,
        /// The end of its standard error.
        stderr_tail: String,
    },
}

impl Display for LossReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidMessage(reason) => write!(f, "invalid message, {reason}"),
            Self::IllegalMove { message, reason } => write!(f, "illegal move, {message}: {reason}"),
            Self::OutOfTime(limit) => write!(f, "out of time, after {limit}"),
            Self::Disconnected { exit, stderr_tail } => {
                match exit {
                    ProcessExit::Exited(status) => write!(f, "disconnected, {status}")?,
                    ProcessExit::Killed => f.write_str("disconnected, it closed its output")?,
                }
                for (index, line) in stderr_tail.lines().enumerate() {
                    let heading = if index == 0 {
                        "; end of its standard error:"
                    } else {
                        ""
                    };
                    write!(f, "{heading}\n  {}", escape_control(line))?;
                }
                Ok(())
            }
        }
    }
}

/// The time in which an agent has to exit after `END` or after it has closed its output.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

impl HostedGame {
    /// Starts the programs of both agents. A request on `shutdown` interrupts the game.
    ///
    /// # Errors
    /// If a program cannot be started.
    pub fn start(
        host: Host,
        commands: BySide<&str>,
        limit: TimeLimit,
        shutdown: &Shutdown,
    ) -> Result<Self, StartAgentError> {
        let agents = BySide::new(
            HostedAgent::start(commands.south, shutdown)?,
            HostedAgent::start(commands.north, shutdown)?,
        );
        Ok(Self {
            host,
            agents,
            limit,
            ply_times: Vec::new(),
        })
    }

    /// Runs the game to its end. Returns the loss of an agent for another reason than the seeds.
    /// `pauses` has to be observed on another thread meanwhile.
    ///
    /// # Errors
    /// If the game is interrupted, the process pauses, or the observer stops the game.
    pub fn play<O: HostedGameObserver>(
        &mut self,
        pauses: &PauseMonitor,
        observer: &mut O,
    ) -> Result<Option<AgentLoss>, HostedGameError<O::Error>> {
        let before = pauses.observe();
        let starts = self.host.start_messages();
        for side in Side::ALL {
            self.agents[side].send(&starts[side]);
        }
        let mut loss = None;
        while let Some(agent) = self.host.agent_to_move() {
            let answer = self.agents[agent].receive_answer(self.limit.get());
            if pauses.observe() > before {
                return Err(HostedGameError::Paused);
            }
            let reason = match answer {
                Ok(line) => self.handle_line(agent, &line, observer),
                Err(ReadLineError::Interrupted) => return Err(HostedGameError::Interrupted),
                Err(reason) => Some(self.forfeit(agent, reason)),
            };
            loss = reason.map(|reason| AgentLoss { agent, reason });
            observer
                .game_changed(self.host.game(), &self.ply_times, self.host.ending())
                .map_err(HostedGameError::Observer)?;
        }
        Ok(loss)
    }

    /// Handles a line of an agent and sends the resulting messages to both agents. Returns the
    /// reason if the agent has lost.
    fn handle_line(
        &mut self,
        agent: Side,
        line: &str,
        observer: &mut impl HostedGameObserver,
    ) -> Option<LossReason> {
        let message: AgentMessage = match line.parse() {
            Ok(message) => message,
            Err(reason) => {
                self.host.forfeit(agent, Termination::Protocol);
                return Some(LossReason::InvalidMessage(format!("{reason}")));
            }
        };
        match self.host.handle_message(message) {
            Ok(messages) => {
                let game = self.host.game();
                if let Some(ply) = game.plies().last() {
                    observer.ply_played(game, agent);
                    self.ply_times
                        .push(self.agents[agent].ply_times(self.limit));
                    self.agents[agent].moves.push(ply.mv.text(ply.side));
                }
                for side in Side::ALL {
                    if let Some(message) = &messages[side] {
                        self.agents[side].send(message);
                    }
                }
                None
            }
            Err(reason) => Some(LossReason::IllegalMove { message, reason }),
        }
    }

    /// Ends the game because an agent has sent no valid line. Returns the reason.
    fn forfeit(&mut self, agent: Side, error: ReadLineError) -> LossReason {
        let (termination, reason) = match error {
            ReadLineError::Timeout | ReadLineError::Interrupted => {
                (Termination::Time, LossReason::OutOfTime(self.limit))
            }
            ReadLineError::TooLong => (
                Termination::Protocol,
                LossReason::InvalidMessage("the line is too long".to_owned()),
            ),
            ReadLineError::Closed => {
                let process = &mut self.agents[agent].process;
                let reason = LossReason::Disconnected {
                    exit: process.wait_or_kill(EXIT_TIMEOUT),
                    stderr_tail: process.stderr_tail(),
                };
                (Termination::Crash, reason)
            }
        };
        self.host.forfeit(agent, termination);
        reason
    }

    /// Tells both agents that the game is over, and ends their programs.
    pub fn end(&mut self) {
        for side in Side::ALL {
            self.agents[side].send(&MankalahEngineMessage::End);
        }
        for side in Side::ALL {
            self.agents[side].process.wait_or_kill(EXIT_TIMEOUT);
        }
    }

    /// Returns the host, with the game up to now.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Returns the moves of an agent as letters, such as `C`, `c` or `swap`.
    pub fn moves(&self, agent: Side) -> &[String] {
        &self.agents[agent].moves
    }

    /// Returns the average time of the answers of an agent.
    pub fn average_time(&self, agent: Side) -> Duration {
        let HostedAgent {
            time_used, answers, ..
        } = &self.agents[agent];
        time_used.checked_div(*answers).unwrap_or_default()
    }
}

/// The process of an agent, and the time that it has used.
struct HostedAgent {
    process: ChildProcess,
    time_used: Duration,
    last_time: Duration,
    answers: u32,
    moves: Vec<String>,
}

impl HostedAgent {
    fn start(command: &str, shutdown: &Shutdown) -> Result<Self, StartAgentError> {
        let process = ChildProcess::start(command, shutdown).map_err(|reason| StartAgentError {
            command: command.to_owned(),
            reason,
        })?;
        Ok(Self {
            process,
            time_used: Duration::ZERO,
            last_time: Duration::ZERO,
            answers: 0,
            moves: Vec::new(),
        })
    }

    fn send(&self, message: &MankalahEngineMessage) {
        self.process.send_line(&message.to_string());
    }

    /// Waits for a line of the agent. `limit` is its time for the whole game.
    fn receive_answer(&mut self, limit: Duration) -> Result<String, ReadLineError> {
        let start = Instant::now();
        let left = limit.saturating_sub(self.time_used);
        let line = self.process.receive_raw_line(left);
        self.last_time = start.elapsed();
        self.time_used += self.last_time;
        self.answers += 1;
        line
    }

    /// Returns the times of the ply of the last answer, in whole milliseconds.
    fn ply_times(&self, limit: TimeLimit) -> PlyTimes {
        let whole = |time: Duration| {
            let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            Some(Duration::from_millis(milliseconds))
        };
        PlyTimes {
            elapsed: whole(self.last_time),
            clock: whole(limit.get().saturating_sub(self.time_used)),
        }
    }
}
