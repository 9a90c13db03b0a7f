//! `kalah bot`: a bot to begin with, and the check of a program that plays.

mod check;
mod new;

use std::io::Write;

use clap::{Args, Subcommand};

use self::check::BotCheckArgs;
use self::new::BotNewArgs;
use crate::error::CliError;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah bot new python mybot
  kalah bot check cmd=./mybot
  kalah bot check cmd=./mybot,proto=kgp-child --positions 100")]
pub(crate) struct BotArgs {
    #[command(subcommand)]
    command: BotCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum BotCommand {
    /// Write a small bot that plays, as a start for your own
    New(BotNewArgs),
    /// Check that a program speaks its protocol and makes legal moves
    Check(BotCheckArgs),
}

pub(super) fn run(arguments: &BotArgs, output: &mut dyn Write) -> Result<(), CliError> {
    match &arguments.command {
        BotCommand::New(arguments) => new::run(arguments, output),
        BotCommand::Check(arguments) => check::run(arguments, output),
    }
}
