//! `kalah mankalah`: an agent on standard input and output, and the host of a game of two agents.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use clap::{Args, Subcommand, ValueHint};
use kalah::record::{PlyTimes, Record, Tags};
use kalah::{BySide, Ending, Game, Labels, Move, Position, Rules, Side, TimeLimit, format_count};
use kalah_mankalah::{
    AgentPlayer, AgentTime, Host, HostedGame, HostedGameError, HostedGameObserver, RunAgentError,
    run_agent,
};
use kalah_players::{PauseMonitor, escape_control};
use kalah_record_files::Recorder;
use kalah_text::BoardDrawing;
use serde::Serialize;

use crate::args::position::{TypedSetup, parse_board};
use crate::args::search::{PlayerCache, ProgramOptions};
use crate::args::values::parse_positive_time;
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::{print_stderr, print_warning, write_json};

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
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = parse_positive_time)]
    time: TimeLimit,
    /// The time for a whole game: a move takes at most a small part of the time that is left
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = parse_positive_time)]
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
  kalah mankalah host ./old ./new --record games.kgn --json")]
struct MankalahHostArgs {
    /// The agent that begins as South
    #[arg(value_name = "CMD", value_hint = ValueHint::CommandString, value_parser = parse_agent_command)]
    south: String,
    /// The agent that begins as North
    #[arg(value_name = "CMD", value_hint = ValueHint::CommandString, value_parser = parse_agent_command)]
    north: String,
    /// The time of each agent for the whole game
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = parse_positive_time)]
    time: TimeLimit,
    /// The start; most agents support only the default
    #[arg(long, value_name = "MxN", default_value = "7x7", value_parser = parse_board)]
    board: TypedSetup,
    /// Append a record of the game to this file and update it after every ply
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    record: Option<PathBuf>,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// The value of `--json` of the host.
#[derive(Serialize)]
struct HostedGameJson {
    /// The agent that has won, 1 or 2; `null` after a tie.
    winner: Option<u8>,
    /// The seeds of South and North at the end, such as `52-46`; `null` if the game was lost for
    /// another reason.
    result: Option<String>,
    termination: &'static str,
    /// The reason if an agent has lost for another reason than the seeds.
    reason: Option<String>,
    /// The first agent and the second one.
    agents: [AgentJson; 2],
}

#[derive(Serialize)]
struct AgentJson {
    command: String,
    /// The moves, named as on the lines of standard error.
    moves: Vec<String>,
    /// The average time of a move in milliseconds.
    average_ms: u128,
}

pub(super) fn run(arguments: &MankalahArgs, output: &mut dyn Write) -> Result<(), CliError> {
    match &arguments.command {
        MankalahCommand::Agent(arguments) => play_as_agent(arguments, output),
        MankalahCommand::Host(arguments) => host_game(arguments, output),
    }
}

fn play_as_agent(arguments: &MankalahAgentArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let start = arguments.board.playable(Rules::MANKALAH)?;
    let time = AgentTime {
        per_move: arguments.time.get(),
        per_game: arguments.game_time.get(),
    };
    let mut player = CommandPlayer(PlayerCache::new(&arguments.program)?);
    let origin = Instant::now();
    let clock = || origin.elapsed();
    let mut input = io::stdin().lock();
    run_agent(start, time, &mut player, &clock, &mut input, output).map_err(|error| match error {
        RunAgentError::Input(error) => CliError::Input(error),
        RunAgentError::Output(error) => CliError::Output(error),
        RunAgentError::Player(error) => error,
    })
}

/// The player of the command line, whose warnings are printed.
struct CommandPlayer(PlayerCache);

impl AgentPlayer for CommandPlayer {
    type Error = CliError;

    fn choose_move(
        &mut self,
        position: &Position,
        limit: Duration,
    ) -> Result<Option<Move>, CliError> {
        self.0.choose_move(position, limit)
    }

    fn line_ignored(&mut self, reason: &str) {
        print_warning(reason);
    }
}

fn host_game(arguments: &MankalahHostArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let host = Host::new(arguments.board.playable(Rules::MANKALAH)?);
    let interrupt = interrupt::listen();
    let mut observer = CommandObserver {
        recorder: recorder(arguments, &host)?,
    };
    let commands = BySide::new(arguments.south.as_str(), arguments.north.as_str());
    let origin = Instant::now();
    let clock = || origin.elapsed();
    let pauses = PauseMonitor::new(&clock);
    let played = pauses.watch(|| {
        loop {
            let game = HostedGame::start(host.clone(), commands, arguments.time, &interrupt);
            let mut game = game.map_err(|error| CliError::Runtime(error.to_string()))?;
            match game.play(&pauses, &mut observer) {
                Ok(loss) => return Ok((game, loss)),
                Err(HostedGameError::Interrupted) => {
                    return Err(CliError::Interrupted("the game was interrupted".to_owned()));
                }
                Err(HostedGameError::Paused) => {
                    print_stderr("note: this program has paused, so the game begins again");
                }
                Err(HostedGameError::Observer(error)) => return Err(error),
            }
        }
    });
    let (mut game, loss) =
        played.map_err(|error| CliError::Runtime(format!("cannot start a thread: {error}")))??;
    let (winner, ending) = (game.host().winner(), game.host().ending());
    game.end();
    print_stderr(&match &loss {
        Some(loss) => format!("{} has lost: {}", agent_name(loss.agent), loss.reason),
        None => describe_result(winner, ending),
    });
    for side in Side::ALL {
        print_stderr(&describe_moves(side, game.moves(side)));
    }
    if arguments.json {
        let agent = |side: Side| AgentJson {
            command: commands[side].to_owned(),
            moves: game.moves(side).to_vec(),
            average_ms: game.average_time(side).as_millis(),
        };
        let ending = ending.unwrap_or_else(|| unreachable!("the game has ended"));
        let json = HostedGameJson {
            winner: winner.map(|agent| match agent {
                Side::South => 1,
                Side::North => 2,
            }),
            result: ending.outcome.map(|outcome| outcome.to_string()),
            termination: ending.termination.as_str(),
            reason: loss.map(|loss| loss.reason.to_string()),
            agents: Side::ALL.map(agent),
        };
        return Ok(write_json(output, &json)?);
    }
    for side in Side::ALL {
        let has_won = u8::from(winner == Some(side));
        let average = game.average_time(side).as_millis();
        writeln!(output, "{has_won} {average}")?;
    }
    Ok(())
}

/// The printed plies of a game, and its record.
struct CommandObserver {
    recorder: Option<Recorder>,
}

impl HostedGameObserver for CommandObserver {
    type Error = CliError;

    fn ply_played(&mut self, game: &Game, agent: Side) {
        if let Some(ply) = game.plies().last() {
            print_stderr(&describe_last_ply(game, agent, &ply.mv.text(ply.side)));
        }
    }

    fn game_changed(
        &mut self,
        game: &Game,
        times: &[PlyTimes],
        ending: Option<Ending>,
    ) -> Result<(), CliError> {
        if let Some(recorder) = &mut self.recorder {
            recorder.write(game, ending, times)?;
        }
        Ok(())
    }
}

/// Returns the recorder of `--record`, which has written the start of the game.
fn recorder(arguments: &MankalahHostArgs, host: &Host) -> Result<Option<Recorder>, CliError> {
    let Some(path) = &arguments.record else {
        return Ok(None);
    };
    let mut record = Record::from_game(host.game());
    let tags = [
        (Tags::DATE, Tags::date_text(SystemTime::now())),
        (Tags::SOUTH, Some(escape_control(&arguments.south))),
        (Tags::NORTH, Some(escape_control(&arguments.north))),
        (Tags::TIME_CONTROL, Some(arguments.time.to_string())),
    ];
    for (tag, value) in tags {
        if let Some(value) = value {
            record
                .set_tag(tag, value)
                .map_err(|reason| CliError::Runtime(reason.to_string()))?;
        }
    }
    Ok(Some(Recorder::append(path, record)?))
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

/// Returns a line with all moves of `agent`.
fn describe_moves(agent: Side, moves: &[String]) -> String {
    let count = format_count(moves.len() as u64, "move");
    format!("{}, {count}: {}", agent_name(agent), moves.join(" "))
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
