//! `kalah mankalah`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use kalah_players::TimeLimit;

use super::search::ProgramOptions;
use super::values::{TypedSetup, parse_board};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah mankalah agent --player level:3
  kalah mankalah host 'java -jar MyBot.jar' 'kalah mankalah agent --time 1s'")]
pub(crate) struct MankalahArgs {
    #[command(subcommand)]
    pub(crate) command: MankalahCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum MankalahCommand {
    /// Play a game on standard input and output, as an agent of an engine
    Agent(Box<MankalahAgentArgs>),
    /// Run a game of two agents, as the engine
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
pub(crate) struct MankalahAgentArgs {
    #[command(flatten)]
    pub(crate) program: ProgramOptions,
    /// The time of smart and level:10 for each move
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    pub(crate) time: TimeLimit,
    /// The time for a whole game: a move takes at most a small part of the time that is left
    #[arg(long, value_name = "DURATION", default_value = "1h")]
    pub(crate) game_time: TimeLimit,
    /// The start of the games
    #[arg(long, value_name = "MxN", default_value = "7x7", value_parser = parse_board)]
    pub(crate) board: TypedSetup,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
An agent is a command line for the shell. Its standard error is shown if it fails. An agent loses
if it runs out of time, makes an illegal move, sends an invalid message, or ends before the game
does.

Standard output has one line for each agent, the first agent first: 1 for a win or 0 otherwise, and
the average time of its moves in milliseconds. After a tie both have a 0. Standard error has the
result of the game.

Examples:
  kalah mankalah host 'java -jar MyBot.jar' 'kalah mankalah agent'
  kalah mankalah host './mybot --fast' 'kalah mankalah agent --player level:3' --time 10m
  kalah mankalah host ./old ./new --record games.kgn")]
pub(crate) struct MankalahHostArgs {
    /// The agent that begins as South
    #[arg(value_name = "CMD", value_hint = ValueHint::CommandString, value_parser = parse_agent_command)]
    pub(crate) south: String,
    /// The agent that begins as North
    #[arg(value_name = "CMD", value_hint = ValueHint::CommandString, value_parser = parse_agent_command)]
    pub(crate) north: String,
    /// The time of each agent for the whole game
    #[arg(long, value_name = "DURATION", default_value = "1h")]
    pub(crate) time: TimeLimit,
    /// The start; most agents support only the default
    #[arg(long, value_name = "MxN", default_value = "7x7", value_parser = parse_board)]
    pub(crate) board: TypedSetup,
    /// Append a record of the game to this file and update it after every ply
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) record: Option<PathBuf>,
}

/// Parses a command line that is not blank.
fn parse_agent_command(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        Err("expected a command such as './mybot --fast'".to_owned())
    } else {
        Ok(text.to_owned())
    }
}
