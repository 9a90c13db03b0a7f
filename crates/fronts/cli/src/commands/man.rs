//! `kalah man`: manual pages.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, CommandFactory as _, ValueHint};
use kalah_players::quoted_path;

use crate::args::Cli;
use crate::args::help::with_whole_paragraphs;
use crate::error::CliError;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A page has the help of a command: kalah.1, kalah-play.1 and so on.

Examples:
  kalah man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The folder, which is created if it does not exist
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    dir: PathBuf,
}

pub(super) fn run(arguments: &ManArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let dir = &arguments.dir;
    let cannot = |reason| CliError::Runtime(format!("cannot write {}: {reason}", quoted_path(dir)));
    fs::create_dir_all(dir).map_err(cannot)?;
    clap_mangen::generate_to(with_whole_paragraphs(Cli::command()), dir).map_err(cannot)?;
    writeln!(output, "manual pages are in {}", quoted_path(dir))?;
    Ok(())
}
