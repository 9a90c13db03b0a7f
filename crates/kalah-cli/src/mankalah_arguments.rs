use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use kalah_players::TimeLimit;

use crate::arguments::parse_board;
use crate::{ProgramArguments, TypedSetup};

/// `kalah mankalah`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah mankalah agent --player level:3
  kalah mankalah host 'java -jar MyBot.jar' 'kalah mankalah agent --time 1s'")]
pub struct MankalahArguments {
    /// What to do.
    #[command(subcommand)]
    pub command: MankalahCommand,
}

/// What `kalah mankalah` can do.
#[derive(Clone, Debug, Subcommand)]
pub enum MankalahCommand {
    /// Play a game on standard input and output, as an agent of an engine
    Agent(Box<MankalahAgentArguments>),
    /// Let two agents play a game, as an engine
    Host(MankalahHostArguments),
}

/// `kalah mankalah agent`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Whether it swaps it decides as it does every move: smart by the margin, proven or estimated.

Examples:
  kalah mankalah agent
  kalah mankalah agent --player level:3 --seed 7
  kalah mankalah agent --time 10s --game-time 30m")]
pub struct MankalahAgentArguments {
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub program: ProgramArguments,
    /// The time that smart and level:10 have for each answer
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    pub time: TimeLimit,
    /// The time that it has for a whole game: no answer takes more than a small part of what is left
    #[arg(long, value_name = "DURATION", default_value = "1h")]
    pub game_time: TimeLimit,
    /// The start that games begin with, if it is not the usual one
    #[arg(long, value_name = "MxN", default_value = "7x7", value_parser = parse_board)]
    pub board: TypedSetup,
}

/// `kalah mankalah host`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
An agent is a command line for the shell. What it writes to standard error is shown if it fails.
Whoever is out of time, does what is illegal, writes what is no message, or ends before the game
does, loses.

Standard output has a line for each agent, the first one first: 1 if it has won or else 0, and how
many milliseconds it took for an answer on average. After a tie both have a 0. Standard error says
how the game ended.

Examples:
  kalah mankalah host 'java -jar MyBot.jar' 'kalah mankalah agent'
  kalah mankalah host './mybot --fast' 'kalah mankalah agent --player level:3' --time 10m
  kalah mankalah host ./old ./new --record games.kgn")]
pub struct MankalahHostArguments {
    /// The agent that begins as South
    #[arg(value_name = "CMD", value_hint = ValueHint::CommandString, value_parser = parse_agent_command)]
    pub south: String,
    /// The agent that begins as North
    #[arg(value_name = "CMD", value_hint = ValueHint::CommandString, value_parser = parse_agent_command)]
    pub north: String,
    /// The time that each agent has for the whole game
    #[arg(long, value_name = "DURATION", default_value = "1h")]
    pub time: TimeLimit,
    /// The start; most agents know no other
    #[arg(long, value_name = "MxN", default_value = "7x7", value_parser = parse_board)]
    pub board: TypedSetup,
    /// Keep a record of the game in this file, ply by ply; games that are in it already stay there
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub record: Option<PathBuf>,
}

/// A command that is not empty.
fn parse_agent_command(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        Err("a command is needed, such as './mybot --fast'".to_owned())
    } else {
        Ok(text.to_owned())
    }
}
