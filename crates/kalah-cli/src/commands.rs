//! The commands, each a function from its arguments to what it writes.

mod analyze;
mod answerer;
mod arena;
mod bench;
mod completions;
mod engine;
mod frame;
mod import;
mod kgp;
mod mankalah;
mod perft;
mod play;
mod progress;
mod puzzle;
mod replay;
pub(crate) mod review;
mod rules;
mod serve;
mod show;
mod solve;
mod tables;
mod tree;

use std::io::{BufWriter, Write};

use clap::Parser as _;
use kalah_engine::GameValue;

use crate::arguments::{Arguments, Command};
use crate::{CliError, Palette};

/// Does what the command line asks for, on standard input and output.
///
/// # Errors
/// Why it could not be done; what could be done is written.
pub fn run(arguments: Arguments) -> Result<(), CliError> {
    let Some(command) = arguments.command else {
        return run(Arguments::parse_from(["kalah", "play"]));
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
        Command::Completions(arguments) => completions::run(arguments, output)?,
    }
    output.flush()?;
    Ok(())
}

/// A verdict as JSON names it.
pub(crate) fn game_value_name(verdict: GameValue) -> &'static str {
    match verdict {
        GameValue::Win => "win",
        GameValue::Tie => "tie",
        GameValue::Loss => "loss",
    }
}

/// Tells whoever watches standard error a line. There is nobody left to tell that it cannot be written.
fn print_stderr(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// Tells of something that is passed over.
fn print_warning(what: &str) {
    print_stderr(&format!("warning: {what}"));
}

/// A value as one line of JSON.
fn write_json(output: &mut dyn Write, value: &impl serde::Serialize) -> Result<(), CliError> {
    serde_json::to_writer(&mut *output, value)?;
    writeln!(output)?;
    Ok(())
}
