//! `kalah arena log`: what the programs of a game received and wrote.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use kalah_arena::read_game_log;
use kalah_players::escape_control;

use crate::error::CliError;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Each line has the time since the start of the game in milliseconds, the side on which the player
began, and < for a line that its program received, > for one that it wrote, ! for its standard
error, or * for the start and the end of its process. Control characters are escaped; zcat prints
the file as it is, such as mine/logs/1.10.2.log.gz.

Example:
  kalah arena log mine 1.10.2")]
pub(super) struct ArenaLogArgs {
    /// The folder of the tournament
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// The number of the game: its round, pair and game of the pair, as in reports
    #[arg(value_name = "GAME")]
    game: String,
}

pub(super) fn run(arguments: &ArenaLogArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let text = read_game_log(&arguments.folder, &arguments.game)?;
    for line in text.lines() {
        writeln!(output, "{}", escape_control(line))?;
    }
    Ok(())
}
