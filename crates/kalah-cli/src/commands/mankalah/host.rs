use std::fmt::Write as _;
use std::io::Write;
use std::time::{Duration, Instant};

use kalah::record::{Record, Tags};
use kalah::{BySide, Ending, Rules, Side, Termination};
use kalah_protocols::mankalah::{AgentMessage, EngineMessage, Host};

use super::super::child_process::{ChildProcess, Gone, NoLine};
use super::super::tell_stderr;
use crate::interrupt::Interrupt;
use crate::shown::{shown, tame};
use crate::{Failure, MankalahHostArguments, Recorder, TimeLimit};

/// The time that an agent has to go after `END`, and after it has closed its output.
const PATIENCE: Duration = Duration::from_secs(1);

pub(super) fn run(
    arguments: &MankalahHostArguments,
    output: &mut dyn Write,
) -> Result<(), Failure> {
    let host = Host::new(arguments.board.playable(Rules::MANKALAH)?);
    let interrupt = Interrupt::listen();
    let mut recorder = recorder(arguments, &host)?;
    let mut agents = BySide::new(
        HostedAgent::start(&arguments.south)?,
        HostedAgent::start(&arguments.north)?,
    );
    let mut played = PlayedGame {
        host,
        agents: &mut agents,
        limit: arguments.time,
        interrupt: &interrupt,
        recorder: recorder.as_mut(),
    };
    let why = played.play()?;
    let (winner, ending) = (played.host.winner(), played.host.ending());
    for side in Side::ALL {
        agents[side].process.tell(&EngineMessage::End.to_string());
    }
    for side in Side::ALL {
        agents[side].process.end(PATIENCE);
    }
    let why = why.unwrap_or_else(|| told_end(winner, ending));
    tell_stderr(&why);
    for side in Side::ALL {
        let has_won = u8::from(winner == Some(side));
        let average = agents[side].average().as_millis();
        writeln!(output, "{has_won} {average}")?;
    }
    Ok(())
}

/// What records the game, which is on disk then.
fn recorder(arguments: &MankalahHostArguments, host: &Host) -> Result<Option<Recorder>, Failure> {
    let Some(path) = &arguments.record else {
        return Ok(None);
    };
    let mut record = Record::from_game(host.game());
    for (tag, command) in [
        (Tags::SOUTH, &arguments.south),
        (Tags::NORTH, &arguments.north),
    ] {
        record
            .set_tag(tag, tame(command))
            .map_err(|reason| Failure::Work(reason.to_string()))?;
    }
    Ok(Some(Recorder::append(path, record)?))
}

/// An agent, and the time that it has taken.
struct HostedAgent {
    process: ChildProcess,
    used: Duration,
    answers: u32,
}

impl HostedAgent {
    fn start(command: &str) -> Result<Self, Failure> {
        let process = ChildProcess::start(command).map_err(|error| {
            let words = format!("cannot start '{}': {error}", shown(command));
            Failure::Work(words)
        })?;
        Ok(Self {
            process,
            used: Duration::ZERO,
            answers: 0,
        })
    }

    /// Its answer, or why there is none.
    fn answer(&mut self, limit: Duration, interrupt: &Interrupt) -> Result<String, NoLine> {
        let began = Instant::now();
        let line = self
            .process
            .line(limit.saturating_sub(self.used), interrupt);
        self.used += began.elapsed();
        self.answers += 1;
        line
    }

    /// The time of an answer.
    fn average(&self) -> Duration {
        self.used.checked_div(self.answers).unwrap_or_default()
    }
}

/// A game that is being played.
struct PlayedGame<'a> {
    host: Host,
    agents: &'a mut BySide<HostedAgent>,
    limit: TimeLimit,
    interrupt: &'a Interrupt,
    recorder: Option<&'a mut Recorder>,
}

impl PlayedGame<'_> {
    /// Plays it to its end, and says why if that is not the one of the rules.
    fn play(&mut self) -> Result<Option<String>, Failure> {
        let starts = self.host.starts();
        for side in Side::ALL {
            self.agents[side].process.tell(&starts[side].to_string());
        }
        let mut why = None;
        while let Some(agent) = self.host.to_answer() {
            why = match self.agents[agent].answer(self.limit.get(), self.interrupt) {
                Ok(line) => self.hear(agent, &line),
                Err(NoLine::Interrupted) => {
                    return Err(Failure::Interrupted("the game was broken off".to_owned()));
                }
                Err(reason) => Some(self.lose(agent, reason)),
            };
            if let Some(recorder) = &mut self.recorder {
                recorder.write(self.host.game(), self.host.ending())?;
            }
        }
        Ok(why)
    }

    /// Takes what an agent says, and tells both what comes of it.
    fn hear(&mut self, agent: Side, line: &str) -> Option<String> {
        let message: AgentMessage = match line.parse() {
            Ok(message) => message,
            Err(reason) => {
                self.host.forfeit(agent, Termination::Protocol);
                return Some(lost(agent, &format!("bad message, {reason}")));
            }
        };
        match self.host.hear(message) {
            Ok(told) => {
                for side in Side::ALL {
                    if let Some(message) = &told[side] {
                        self.agents[side].process.tell(&message.to_string());
                    }
                }
                None
            }
            Err(reason) => Some(lost(agent, &format!("illegal move, {message}: {reason}"))),
        }
    }

    /// An agent says nothing, or nothing that can be read.
    fn lose(&mut self, agent: Side, reason: NoLine) -> String {
        let (termination, words) = match reason {
            NoLine::Late | NoLine::Interrupted => {
                let limit = self.limit;
                (Termination::Time, format!("out of time, after {limit}"))
            }
            NoLine::TooLong => (
                Termination::Protocol,
                "bad message, a line that is too long".to_owned(),
            ),
            NoLine::NotText => (
                Termination::Protocol,
                "bad message, a line that is no text".to_owned(),
            ),
            NoLine::Gone => (Termination::Crash, self.told_crash(agent)),
        };
        self.host.forfeit(agent, termination);
        lost(agent, &words)
    }

    /// How an agent went, with its last words.
    fn told_crash(&mut self, agent: Side) -> String {
        let process = &mut self.agents[agent].process;
        let mut told = match process.end(PATIENCE) {
            Gone::Ended(status) => format!("disconnected, {status}"),
            Gone::Killed => "disconnected, it closed its output".to_owned(),
        };
        for (index, line) in process.last_words().lines().enumerate() {
            let intro = if index == 0 { "; its last words:" } else { "" };
            // A text has room for more.
            let _ = write!(told, "{intro}\n  {}", tame(line));
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

fn lost(agent: Side, why: &str) -> String {
    format!("{} has lost: {why}", agent_name(agent))
}

/// How a game ended that was played to its end.
fn told_end(winner: Option<Side>, ending: Option<Ending>) -> String {
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
