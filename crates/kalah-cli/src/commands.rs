//! The commands, each a function from its arguments to what it writes.

mod analyze;
mod bench;
mod completions;
mod frame;
mod perft;
mod play;
mod progress;
mod replay;
mod rules;
mod serve;
mod show;
mod solve;
mod tables;
mod tree;

use std::io::{BufWriter, Write};

use clap::Parser as _;
use kalah::Side;

use crate::arguments::{Arguments, Command};
use crate::{Failure, Palette};

/// Does what the command line asks for, on standard input and output.
///
/// # Errors
/// Why it could not be done; what could be done is written.
pub fn run(arguments: Arguments) -> Result<(), Failure> {
    let Some(command) = arguments.command else {
        return run(Arguments::parse_from(["kalah", "play"]));
    };
    let palette = Palette::of_stdout();
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
        Command::Frame(arguments) => frame::run(arguments, output)?,
        Command::Rules(arguments) => rules::run(arguments, output)?,
        Command::Tables(arguments) => tables::run(&arguments.command, output)?,
        Command::Serve(arguments) => serve::run(&arguments, output)?,
        Command::Bench(arguments) => bench::run(&arguments, output)?,
        Command::Completions(arguments) => completions::run(arguments, output)?,
    }
    output.flush()?;
    Ok(())
}

/// A side as JSON names it.
pub(crate) fn side_word(side: Side) -> &'static str {
    match side {
        Side::South => "south",
        Side::North => "north",
    }
}

/// A value as one line of JSON.
fn write_json(output: &mut dyn Write, value: &impl serde::Serialize) -> Result<(), Failure> {
    serde_json::to_writer(&mut *output, value)?;
    writeln!(output)?;
    Ok(())
}
