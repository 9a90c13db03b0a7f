//! `kalah mankalah`: an agent on standard input and output, and the host of a game of two agents.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand, ValueHint};
use kalah::record::{Record, Tags};
use kalah::{BySide, Ending, Game, Labels, Rules, Side, Termination, TimeLimit, format_count};
use kalah_players::{
    ChildProcess, InputLine, ProcessExit, ReadLineError, Shutdown, escape_control, escape_truncated,
};
use kalah_protocols::mankalah::{Agent, AgentAction, AgentMessage, Host, MankalahEngineMessage};
use kalah_text::BoardDrawing;

use crate::args::search::{PlayerCache, ProgramOptions};
use crate::args::values::{TypedSetup, parse_board};
use crate::error::CliError;
use crate::files::record_file::Recorder;
use crate::interrupt;
use crate::output::messages::{print_stderr, print_warning};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah mankalah agent --player level:3
  kalah mankalah host 'java -jar MyBot.jar' 'kalah mankalah agent --time 1s'")]
pub(crate) struct MankalahArgs {
    #[command(subcommand)]
    command: MankalahCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum MankalahCommand {
    /// Play a game on standard input and output, as an agent
    Agent(Box<MankalahAgentArgs>),
    /// Run a game of two agents (Manchester calls this program the engine)
    Host(MankalahHostArgs),
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The player decides about the swap as about any other move: smart swaps if its proven or estimated
margin says so.

Examples:
  kalah mankalah agent
  kalah mankalah agent --player level:3 --seed 7
  kalah mankalah agent --time 10s --game-time 30m")]
struct MankalahAgentArgs {
    #[command(flatten)]
    program: ProgramOptions,
    /// The time of smart and level:10 for each move
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    time: TimeLimit,
    /// The time for a whole game: a move takes at most a small part of the time that is left
    #[arg(long, value_name = "DURATION", default_value = "1h")]
    game_time: TimeLimit,
    /// The start of the games
    #[arg(long, value_name = "MxN", default_value = "7x7", value_parser = parse_board)]
    board: TypedSetup,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
An agent is a command line for the shell. Its standard error is shown if it fails. An agent loses
if it runs out of time, makes an illegal move, sends an invalid message, or ends before the game
does, also because its program does not exist.

Standard output has one line for each agent, the first agent first: 1 for a win or 0 otherwise, and
the average time of its moves in milliseconds. After a tie both have a 0. Standard error has each
move with the board after it, then the result, and the moves of each agent. The exit code is 0 if
the game has a result.

Examples:
  kalah mankalah host 'java -jar MyBot.jar' 'kalah mankalah agent'
  kalah mankalah host ./bot 'kalah mankalah agent --player level:3' --time 10m
  kalah mankalah host ./old ./new --record games.kgn")]
struct MankalahHostArgs {
    /// The agent that begins as South
    #[arg(value_name = "CMD", value_hint = ValueHint::CommandString, value_parser = parse_agent_command)]
    south: String,
    /// The agent that begins as North
    #[arg(value_name = "CMD", value_hint = ValueHint::CommandString, value_parser = parse_agent_command)]
    north: String,
    /// The time of each agent for the whole game
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = parse_host_time)]
    time: TimeLimit,
    /// The start; most agents support only the default
    #[arg(long, value_name = "MxN", default_value = "7x7", value_parser = parse_board)]
    board: TypedSetup,
    /// Append a record of the game to this file and update it after every ply
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    record: Option<PathBuf>,
}

/// The part of the time left for the game that one move of an agent may take, as a divisor: a
/// player makes some thirty moves in a game on 7x7.
const GAME_TIME_DIVISOR: u32 = 20;

/// The time in which an agent has to exit after `END` or after it has closed its output.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) fn run(arguments: &MankalahArgs, output: &mut dyn Write) -> Result<(), CliError> {
    match &arguments.command {
        MankalahCommand::Agent(arguments) => run_agent(arguments, output),
        MankalahCommand::Host(arguments) => run_host(arguments, output),
    }
}

fn run_agent(arguments: &MankalahAgentArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let mut agent = Agent::new(arguments.board.playable(Rules::MANKALAH)?);
    let mut player = PlayerCache::new(&arguments.program)?;
    let mut time_used = Duration::ZERO;
    let mut input = io::stdin().lock();
    loop {
        let line = match InputLine::read(&mut input).map_err(CliError::Input)? {
            InputLine::Text(line) => line,
            InputLine::TooLong => {
                print_warning("a line was ignored: it is too long");
                continue;
            }
            InputLine::NotUtf8 => {
                print_warning("a line was ignored: it is not valid UTF-8");
                continue;
            }
            InputLine::End => return Ok(()),
        };
        let received_at = Instant::now();
        let message = match line.parse::<MankalahEngineMessage>() {
            Ok(message) => message,
            Err(reason) => {
                print_warning(&reason.to_string());
                continue;
            }
        };
        if matches!(message, MankalahEngineMessage::Start(_)) {
            time_used = Duration::ZERO;
        }
        match agent.handle_message(&message) {
            Ok(AgentAction::ChooseMove(position)) => {
                let left = arguments.game_time.get().saturating_sub(time_used);
                let limit = arguments.time.get().min(left / GAME_TIME_DIVISOR);
                if let Some(mv) = player.choose_move(&position, limit)? {
                    writeln!(output, "{}", agent.play(mv))?;
                    output.flush()?;
                }
                time_used += received_at.elapsed();
            }
            Ok(AgentAction::Wait) => {}
            Ok(AgentAction::Exit) => return Ok(()),
            Err(reason) => print_warning(&format!("`{}`: {reason}", escape_truncated(&line))),
        }
    }
}

fn run_host(arguments: &MankalahHostArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let host = Host::new(arguments.board.playable(Rules::MANKALAH)?);
    let interrupt = interrupt::listen();
    let mut recorder = recorder(arguments, &host)?;
    let mut agents = BySide::new(
        HostedAgent::start(&arguments.south, &interrupt)?,
        HostedAgent::start(&arguments.north, &interrupt)?,
    );
    let mut game = HostedGame {
        host,
        agents: &mut agents,
        limit: arguments.time,
        recorder: recorder.as_mut(),
    };
    let loss = game.play()?;
    let (winner, ending) = (game.host.winner(), game.host.ending());
    for side in Side::ALL {
        agents[side]
            .process
            .send_line(&MankalahEngineMessage::End.to_string());
    }
    for side in Side::ALL {
        agents[side].process.wait_or_kill(EXIT_TIMEOUT);
    }
    print_stderr(&loss.unwrap_or_else(|| describe_result(winner, ending)));
    for side in Side::ALL {
        print_stderr(&agents[side].describe_moves(side));
    }
    for side in Side::ALL {
        let has_won = u8::from(winner == Some(side));
        let average = agents[side].average_time().as_millis();
        writeln!(output, "{has_won} {average}")?;
    }
    Ok(())
}

/// Parses the time of `--time` of the host. clap quotes the input itself.
fn parse_host_time(text: &str) -> Result<TimeLimit, String> {
    match text.parse::<TimeLimit>() {
        Ok(limit) if limit.get().is_zero() => {
            Err("expected a duration of more than zero, such as 10s or 30m".to_owned())
        }
        result => result.map_err(|error| error.to_string()),
    }
}

/// Returns the recorder of `--record`, which has written the start of the game.
fn recorder(arguments: &MankalahHostArgs, host: &Host) -> Result<Option<Recorder>, CliError> {
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

/// The process of an agent, and the time that it has used.
struct HostedAgent {
    process: ChildProcess,
    time_used: Duration,
    answers: u32,
    /// Its moves as letters, such as `C`, `c` or `swap`.
    moves: Vec<String>,
}

impl HostedAgent {
    fn start(command: &str, shutdown: &Shutdown) -> Result<Self, CliError> {
        let process = ChildProcess::start(command, shutdown).map_err(|error| {
            let command = escape_truncated(command);
            CliError::Runtime(format!("cannot start '{command}': {error}"))
        })?;
        Ok(Self {
            process,
            time_used: Duration::ZERO,
            answers: 0,
            moves: Vec::new(),
        })
    }

    /// Waits for a line of the agent. `limit` is its time for the whole game.
    fn receive_answer(&mut self, limit: Duration) -> Result<String, ReadLineError> {
        let start = Instant::now();
        let left = limit.saturating_sub(self.time_used);
        let line = self.process.receive_raw_line(left);
        self.time_used += start.elapsed();
        self.answers += 1;
        line
    }

    /// Returns a line with all moves of `agent`, which is this one.
    fn describe_moves(&self, agent: Side) -> String {
        let count = format_count(self.moves.len() as u64, "move");
        let moves = self.moves.join(" ");
        format!("{}, {count}: {moves}", agent_name(agent))
    }

    /// Returns the average time of an answer.
    fn average_time(&self) -> Duration {
        self.time_used.checked_div(self.answers).unwrap_or_default()
    }
}

/// A game of two agents.
struct HostedGame<'a> {
    host: Host,
    agents: &'a mut BySide<HostedAgent>,
    limit: TimeLimit,
    recorder: Option<&'a mut Recorder>,
}

impl HostedGame<'_> {
    /// Runs the game to its end. Returns a message if an agent has lost for another reason than the
    /// seeds.
    fn play(&mut self) -> Result<Option<String>, CliError> {
        let starts = self.host.start_messages();
        for side in Side::ALL {
            self.agents[side]
                .process
                .send_line(&starts[side].to_string());
        }
        let mut loss = None;
        while let Some(agent) = self.host.agent_to_move() {
            loss = match self.agents[agent].receive_answer(self.limit.get()) {
                Ok(line) => self.handle_line(agent, &line),
                Err(ReadLineError::Interrupted) => {
                    return Err(CliError::Interrupted("the game was interrupted".to_owned()));
                }
                Err(reason) => Some(self.forfeit(agent, reason)),
            };
            if let Some(recorder) = &mut self.recorder {
                recorder.write(self.host.game(), self.host.ending())?;
            }
        }
        Ok(loss)
    }

    /// Handles a line of an agent and sends the resulting messages to both agents. Returns a
    /// message if the agent has lost.
    fn handle_line(&mut self, agent: Side, line: &str) -> Option<String> {
        let message: AgentMessage = match line.parse() {
            Ok(message) => message,
            Err(reason) => {
                self.host.forfeit(agent, Termination::Protocol);
                return Some(loss_message(agent, &format!("invalid message, {reason}")));
            }
        };
        match self.host.handle_message(message) {
            Ok(messages) => {
                let game = self.host.game();
                if let Some(ply) = game.plies().last() {
                    let mv = ply.mv.text(ply.side);
                    print_stderr(&describe_last_ply(game, agent, &mv));
                    self.agents[agent].moves.push(mv);
                }
                for side in Side::ALL {
                    if let Some(message) = &messages[side] {
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

    /// Ends the game because an agent has sent no valid line. Returns the message.
    fn forfeit(&mut self, agent: Side, reason: ReadLineError) -> String {
        let (termination, description) = match reason {
            ReadLineError::Timeout | ReadLineError::Interrupted => {
                let limit = self.limit;
                (Termination::Time, format!("out of time, after {limit}"))
            }
            ReadLineError::TooLong => (
                Termination::Protocol,
                "invalid message, the line is too long".to_owned(),
            ),
            ReadLineError::NotUtf8 => (
                Termination::Protocol,
                "invalid message, the line is not valid UTF-8".to_owned(),
            ),
            ReadLineError::Closed => (Termination::Crash, self.describe_crash(agent)),
        };
        self.host.forfeit(agent, termination);
        loss_message(agent, &description)
    }

    /// Returns the exit status of an agent and the end of its standard error.
    fn describe_crash(&mut self, agent: Side) -> String {
        let process = &mut self.agents[agent].process;
        let mut text = match process.wait_or_kill(EXIT_TIMEOUT) {
            ProcessExit::Exited(status) => format!("disconnected, {status}"),
            ProcessExit::Killed => "disconnected, it closed its output".to_owned(),
        };
        for (index, line) in process.stderr_tail().lines().enumerate() {
            let heading = if index == 0 {
                "; end of its standard error:"
            } else {
                ""
            };
            // Writing to a string cannot fail.
            let _ = write!(text, "{heading}\n  {}", escape_control(line));
        }
        text
    }
}

/// Returns the name of an agent by its place on the command line, as the agents can exchange sides.
fn agent_name(agent: Side) -> &'static str {
    match agent {
        Side::South => "the first agent",
        Side::North => "the second agent",
    }
}

/// Returns the last ply of a game, which `agent` has made, and the board after it.
fn describe_last_ply(game: &Game, agent: Side, mv: &str) -> String {
    let (number, agent) = (game.plies().len(), agent_name(agent));
    let names = BySide::from_fn(|side| agent_name(game.player_on(side).started_as));
    let board = BoardDrawing::new(game.position())
        .labels(Labels::Letters)
        .names(names);
    format!("ply {number}: {agent} plays {mv}\n\n{board}\n")
}

fn loss_message(agent: Side, reason: &str) -> String {
    format!("{} has lost: {reason}", agent_name(agent))
}

/// Returns the result of a game that ended by the rules.
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

/// Parses a command line that is not blank.
fn parse_agent_command(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        Err("expected a command such as './mybot --fast'".to_owned())
    } else {
        Ok(text.to_owned())
    }
}
