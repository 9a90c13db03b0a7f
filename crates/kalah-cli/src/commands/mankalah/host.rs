use std::fmt::Write as _;
use std::io::Write;
use std::time::{Duration, Instant};

use kalah::record::{Record, Tags};
use kalah::{BySide, Ending, Rules, Side, Termination};
use kalah_players::{
    ChildProcess, ProcessExit, ReadLineError, Shutdown, TimeLimit, escape_control, escape_truncated,
};
use kalah_protocols::mankalah::{AgentMessage, Host, MankalahEngineMessage};

use super::super::print_stderr;
use crate::interrupt;
use crate::{CliError, MankalahHostArguments, Recorder};

/// The time that an agent has to go after `END`, and after it has closed its output.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) fn run(
    arguments: &MankalahHostArguments,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let host = Host::new(arguments.board.playable(Rules::MANKALAH)?);
    let interrupt = interrupt::listen();
    let mut recorder = recorder(arguments, &host)?;
    let mut agents = BySide::new(
        HostedAgent::start(&arguments.south, &interrupt)?,
        HostedAgent::start(&arguments.north, &interrupt)?,
    );
    let mut played = HostedGame {
        host,
        agents: &mut agents,
        limit: arguments.time,
        recorder: recorder.as_mut(),
    };
    let why = played.play()?;
    let (winner, ending) = (played.host.winner(), played.host.ending());
    for side in Side::ALL {
        agents[side]
            .process
            .send_line(&MankalahEngineMessage::End.to_string());
    }
    for side in Side::ALL {
        agents[side].process.wait_or_kill(EXIT_TIMEOUT);
    }
    let why = why.unwrap_or_else(|| describe_result(winner, ending));
    print_stderr(&why);
    for side in Side::ALL {
        let has_won = u8::from(winner == Some(side));
        let average = agents[side].average_time().as_millis();
        writeln!(output, "{has_won} {average}")?;
    }
    Ok(())
}

/// What records the game, which is on disk then.
fn recorder(arguments: &MankalahHostArguments, host: &Host) -> Result<Option<Recorder>, CliError> {
    let Some(path) = &arguments.record else {
        return Ok(None);
    };
    let mut record = Record::from_game(host.game());
    for (tag, command) in [
        (Tags::SOUTH, &arguments.south),
        (Tags::NORTH, &arguments.north),
    ] {
        record
            .set_tag(tag, escape_control(command))
            .map_err(|reason| CliError::Runtime(reason.to_string()))?;
    }
    Ok(Some(Recorder::append(path, record)?))
}

/// An agent, and the time that it has taken.
struct HostedAgent {
    process: ChildProcess,
    time_used: Duration,
    answers: u32,
}

impl HostedAgent {
    fn start(command: &str, shutdown: &Shutdown) -> Result<Self, CliError> {
        let process = ChildProcess::start(command, shutdown).map_err(|error| {
            let words = format!("cannot start '{}': {error}", escape_truncated(command));
            CliError::Runtime(words)
        })?;
        Ok(Self {
            process,
            time_used: Duration::ZERO,
            answers: 0,
        })
    }

    /// Its answer, or why there is none.
    fn receive_answer(&mut self, limit: Duration) -> Result<String, ReadLineError> {
        let began = Instant::now();
        let line = self
            .process
            .receive_line(limit.saturating_sub(self.time_used));
        self.time_used += began.elapsed();
        self.answers += 1;
        line
    }

    /// The time of an answer.
    fn average_time(&self) -> Duration {
        self.time_used.checked_div(self.answers).unwrap_or_default()
    }
}

/// A game that is being played.
struct HostedGame<'a> {
    host: Host,
    agents: &'a mut BySide<HostedAgent>,
    limit: TimeLimit,
    recorder: Option<&'a mut Recorder>,
}

impl HostedGame<'_> {
    /// Plays it to its end, and says why if that is not the one of the rules.
    fn play(&mut self) -> Result<Option<String>, CliError> {
        let starts = self.host.start_messages();
        for side in Side::ALL {
            self.agents[side]
                .process
                .send_line(&starts[side].to_string());
        }
        let mut why = None;
        while let Some(agent) = self.host.agent_to_move() {
            why = match self.agents[agent].receive_answer(self.limit.get()) {
                Ok(line) => self.handle_line(agent, &line),
                Err(ReadLineError::Interrupted) => {
                    return Err(CliError::Interrupted("the game was broken off".to_owned()));
                }
                Err(reason) => Some(self.forfeit(agent, reason)),
            };
            if let Some(recorder) = &mut self.recorder {
                recorder.write(self.host.game(), self.host.ending())?;
            }
        }
        Ok(why)
    }

    /// Takes what an agent says, and tells both what comes of it.
    fn handle_line(&mut self, agent: Side, line: &str) -> Option<String> {
        let message: AgentMessage = match line.parse() {
            Ok(message) => message,
            Err(reason) => {
                self.host.forfeit(agent, Termination::Protocol);
                return Some(loss_message(agent, &format!("bad message, {reason}")));
            }
        };
        match self.host.handle_message(message) {
            Ok(told) => {
                for side in Side::ALL {
                    if let Some(message) = &told[side] {
                        self.agents[side].process.send_line(&message.to_string());
                    }
                }
                None
            }
            Err(reason) => Some(loss_message(
                agent,
                &format!("illegal move, {message}: {reason}"),
            )),
        }
    }

    /// An agent says nothing, or nothing that can be read.
    fn forfeit(&mut self, agent: Side, reason: ReadLineError) -> String {
        let (termination, words) = match reason {
            ReadLineError::Timeout | ReadLineError::Interrupted => {
                let limit = self.limit;
                (Termination::Time, format!("out of time, after {limit}"))
            }
            ReadLineError::TooLong => (
                Termination::Protocol,
                "bad message, a line that is too long".to_owned(),
            ),
            ReadLineError::NotUtf8 => (
                Termination::Protocol,
                "bad message, a line that is no text".to_owned(),
            ),
            ReadLineError::Closed => (Termination::Crash, self.describe_crash(agent)),
        };
        self.host.forfeit(agent, termination);
        loss_message(agent, &words)
    }

    /// How an agent went, with its last words.
    fn describe_crash(&mut self, agent: Side) -> String {
        let process = &mut self.agents[agent].process;
        let mut told = match process.wait_or_kill(EXIT_TIMEOUT) {
            ProcessExit::Exited(status) => format!("disconnected, {status}"),
            ProcessExit::Killed => "disconnected, it closed its output".to_owned(),
        };
        for (index, line) in process.stderr_tail().lines().enumerate() {
            let intro = if index == 0 { "; its last words:" } else { "" };
            // A text has room for more.
            let _ = write!(told, "{intro}\n  {}", escape_control(line));
        }
        told
    }
}

/// An agent by the order of the command line: sides are exchanged.
fn agent_name(agent: Side) -> &'static str {
    match agent {
        Side::South => "the first agent",
        Side::North => "the second agent",
    }
}

fn loss_message(agent: Side, why: &str) -> String {
    format!("{} has lost: {why}", agent_name(agent))
}

/// How a game ended that was played to its end.
fn describe_result(winner: Option<Side>, ending: Option<Ending>) -> String {
    let stores = ending
        .and_then(|ending| ending.outcome)
        .map_or_else(String::new, |outcome| {
            let (south, north) = (outcome.stores.south, outcome.stores.north);
            format!("{}-{}", south.max(north), south.min(north))
        });
    match winner {
        Some(agent) => format!("{} has won {stores}", agent_name(agent)),
        None => format!("a tie {stores}"),
    }
}
