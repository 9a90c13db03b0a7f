//! `kalah play`: a game on the screen, or line by line.

mod game_source;
mod line_by_line;
mod local_player;
mod on_screen;
mod session;

use kalah_tui::Palette;

use self::game_source::GameSource;
use self::session::PlaySession;
use crate::args::play::PlayArgs;
use crate::error::CliError;

pub(super) fn run(arguments: &PlayArgs) -> Result<(), CliError> {
    let mut source = GameSource::load(arguments)?;
    let specs = source.resolve_players(arguments)?;
    let names = source.resolve_names(arguments, specs)?;
    let session = PlaySession {
        arguments,
        palette: Palette::for_stdout(),
        source,
        specs,
        names,
    };
    let has_screen = !arguments.plain && kalah_tui::is_screen_supported();
    if arguments.resume.is_some()
        && session.has_ended()
        && !(has_screen && session.can_show_ending())
    {
        session.print_ending()
    } else if has_screen {
        on_screen::run(&session)
    } else {
        line_by_line::run(&session)
    }
}
