//! The commands: `kalah X` is `x.rs` or `x/mod.rs`.

mod analyze;
mod arena;
mod bench;
mod engine;
mod frame;
mod import;
mod kgp;
mod mankalah;
mod perft;
mod play;
mod puzzle;
mod replay;
mod review;
mod rules;
mod serve;
mod show;
mod solve;
mod tables;
mod tree;

use std::io::{BufWriter, Write};

use clap::{CommandFactory as _, Parser as _};
use kalah_tui::Palette;

use crate::args::{Cli, Command, CompletionsArgs};
use crate::error::CliError;

/// Runs the command of `cli` on standard input and output.
///
/// # Errors
/// The error of the command. Its output up to the error is written.
pub(crate) fn run(cli: Cli) -> Result<(), CliError> {
    let Some(command) = cli.command else {
        return run(Cli::parse_from(["kalah", "play"]));
    };
    let palette = Palette::for_stdout();
    let mut output = BufWriter::new(anstream::stdout().lock());
    let output: &mut dyn Write = &mut output;
    match command {
        Command::Play(arguments) => play::run(&arguments)?,
        Command::Show(arguments) => show::run(&arguments, output, palette)?,
        Command::Analyze(arguments) => analyze::run(&arguments, output, palette)?,
        Command::Solve(arguments) => solve::run(&arguments, output, palette)?,
        Command::Perft(arguments) => perft::run(&arguments, output)?,
        Command::Tree(arguments) => tree::run(&arguments, output, palette)?,
        Command::Replay(arguments) => replay::run(&arguments, output, palette)?,
        Command::Review(arguments) => review::run(&arguments, output, palette)?,
        Command::Puzzle(arguments) => puzzle::run(&arguments, output, palette)?,
        Command::Import(arguments) => import::run(&arguments, output)?,
        Command::Frame(arguments) => frame::run(arguments, output)?,
        Command::Rules(arguments) => rules::run(arguments, output)?,
        Command::Tables(arguments) => tables::run(&arguments.command, output)?,
        Command::Serve(arguments) => serve::run(&arguments, output)?,
        Command::Engine(arguments) => engine::run(&arguments, output)?,
        Command::Kgp(arguments) => kgp::run(&arguments.command, output)?,
        Command::Arena(arguments) => arena::run(&arguments, output)?,
        Command::Mankalah(arguments) => mankalah::run(&arguments.command, output)?,
        Command::Bench(arguments) => bench::run(&arguments, output)?,
        Command::Completions(arguments) => write_completions(arguments, output)?,
    }
    output.flush()?;
    Ok(())
}

/// Writes the completion script of a shell.
fn write_completions(arguments: CompletionsArgs, output: &mut dyn Write) -> Result<(), CliError> {
    // The generator panics on an error of writing, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "kalah", &mut script);
    output.write_all(&script)?;
    Ok(())
}
