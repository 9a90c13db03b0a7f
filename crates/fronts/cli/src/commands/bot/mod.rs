//! `kalah bot`: the check of a program that plays.

mod check;

use std::io::Write;

use clap::{Args, Subcommand};

use self::check::BotCheckArgs;
use crate::error::CliError;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah bot check cmd=./mybot
  kalah bot check cmd=./mybot,proto=kgp-child --positions 100")]
pub(crate) struct BotArgs {
    #[command(subcommand)]
    command: BotCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum BotCommand {
    /// Check that a program speaks its protocol and makes legal moves
    Check(BotCheckArgs),
}

pub(super) fn run(arguments: &BotArgs, output: &mut dyn Write) -> Result<(), CliError> {
    match &arguments.command {
        BotCommand::Check(arguments) => check::run(arguments, output),
    }
}
