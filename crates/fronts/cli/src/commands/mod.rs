//! The commands: `kalah X` is `x.rs` or `x/mod.rs`, with its arguments, in the folder of its topic.

pub(crate) mod arena;
pub(crate) mod book;
pub(crate) mod bot;
pub(crate) mod config;
pub(crate) mod engine;
pub(crate) mod engine_client;
pub(crate) mod frame;
pub(crate) mod games;
pub(crate) mod help;
pub(crate) mod kgp;
pub(crate) mod man;
pub(crate) mod mankalah;
pub(crate) mod play;
pub(crate) mod positions;
mod program_start;
pub(crate) mod prove;
pub(crate) mod records;
pub(crate) mod rules;
pub(crate) mod serve;
pub(crate) mod tables;

use std::io::{BufWriter, Write, stdout};

use anstream::AutoStream;
use clap::Parser as _;
use kalah::Side;
use kalah_text::Palette;
use kalah_tui::FirstGame;

use self::play::PlayArgs;
use self::positions::puzzle::PuzzleArgs;
use self::positions::{analyze, bench, perft, puzzle, show, solve, tree};
use self::records::{export, import, replay, review};
use crate::args::completions::completion_script;
use crate::args::{Cli, Command, CompletionsArgs};
use crate::config::config;
use crate::error::CliError;
use crate::profile::ProfileFile;

/// Runs the command of `cli` on standard input and output.
///
/// # Errors
/// The error of the command. Its output up to the error is written.
pub(crate) fn run(cli: Cli) -> Result<(), CliError> {
    let Some(command) = cli.command else {
        return play_gentle_opponent();
    };
    let palette = Palette::for_stdout();
    // Every byte is written as it is, so that rows and records on standard output are those of a
    // file. The palette decides about styles, and texts from files are escaped where people read
    // them.
    let mut output = BufWriter::new(AutoStream::always_ansi(stdout()).lock());
    let output: &mut dyn Write = &mut output;
    match command {
        Command::Play(arguments) => play::run(&arguments, FirstGame::AtOnce)?,
        Command::Show(arguments) => show::run(&arguments, output, palette)?,
        Command::Analyze(arguments) => analyze::run(&arguments, output, palette)?,
        Command::Solve(arguments) => solve::run(&arguments, output, palette)?,
        Command::Prove(arguments) => prove::run(&arguments, output, palette)?,
        Command::Perft(arguments) => perft::run(&arguments, output)?,
        Command::Tree(arguments) => tree::run(&arguments, output, palette)?,
        Command::Replay(arguments) => replay::run(&arguments, output, palette)?,
        Command::Review(arguments) => review::run(&arguments, output, palette)?,
        Command::Puzzle(arguments) if arguments.is_for_screen() => {
            let (arguments, opening) = puzzles_on_screen(&arguments);
            play::run(&arguments, opening)?;
        }
        Command::Puzzle(arguments) => puzzle::run(&arguments, output, palette)?,
        Command::Import(arguments) => import::run(&arguments, output)?,
        Command::Export(arguments) => export::run(&arguments, output)?,
        Command::Frame(arguments) => frame::run(arguments, output)?,
        Command::Rules(arguments) => rules::run(arguments, output)?,
        Command::Tables(arguments) => tables::run(&arguments, output)?,
        Command::Book(arguments) => book::run(&arguments, output)?,
        Command::Serve(arguments) => serve::run(&arguments, output)?,
        Command::Games(arguments) => games::run(&arguments, output, palette)?,
        Command::Engine(arguments) => engine::run(&arguments, output)?,
        Command::EngineClient(arguments) => engine_client::run(&arguments, output)?,
        Command::Kgp(arguments) => kgp::run(&arguments, output)?,
        Command::Arena(arguments) => arena::run(&arguments, output)?,
        Command::Bot(arguments) => bot::run(&arguments, output)?,
        Command::Mankalah(arguments) => mankalah::run(&arguments, output)?,
        Command::Bench(arguments) => bench::run(&arguments, output)?,
        Command::Config(arguments) => config::run(arguments, output)?,
        Command::Help(arguments) => help::run(&arguments, output)?,
        Command::Man(arguments) => man::run(&arguments, output)?,
        Command::Completions(arguments) => write_completions(arguments, output)?,
    }
    output.flush()?;
    Ok(())
}

/// The opponent of `kalah` without a command: it looks ahead, but overlooks some moves.
const GENTLE_OPPONENT: &str = "level:2";

/// Runs `kalah` without a command: a game against a gentle opponent, which a dialog on the screen
/// changes first.
fn play_gentle_opponent() -> Result<(), CliError> {
    let cli = suggested_game()
        .unwrap_or_else(|| Cli::parse_from(["kalah", "play", "--north", GENTLE_OPPONENT]));
    match cli.command {
        Some(Command::Play(arguments)) => play::run(&arguments, FirstGame::NewGameDialog),
        _ => unreachable!("the command is play"),
    }
}

/// Returns the command line of a game with the choices of the last one, which the screen remembers.
/// Rules and a board that are set as defaults come before those of the last game.
fn suggested_game() -> Option<Cli> {
    if !kalah_tui::is_screen_supported() {
        return None;
    }
    let (_, data, _) = ProfileFile::open(false);
    let choices = data.preferences().new_game?;
    let player = |side: Side, default: &str| {
        let spec = choices.players[side];
        spec.map_or_else(|| default.to_owned(), |spec| spec.to_string())
    };
    let setting = |key: &str, last: String| {
        let value = config().value(key);
        value.map_or(last, |(value, _)| value.to_owned())
    };
    let mut words = vec![
        "kalah".to_owned(),
        "play".to_owned(),
        format!("--south={}", player(Side::South, "human")),
        format!("--north={}", player(Side::North, GENTLE_OPPONENT)),
        format!("--rules={}", setting("rules", choices.rules.to_string())),
        format!(
            "--board={}",
            setting("board", format!("{}x{}", choices.houses, choices.seeds))
        ),
    ];
    words.extend(choices.clock.map(|clock| format!("--clock={clock}")));
    Cli::try_parse_from(words).ok()
}

/// Returns the game behind the puzzles on the screen, against a gentle opponent, and the opening of
/// the screen.
fn puzzles_on_screen(arguments: &PuzzleArgs) -> (PlayArgs, FirstGame) {
    let labels = arguments.labels();
    let words = [
        "kalah".to_owned(),
        "play".to_owned(),
        format!("--north={GENTLE_OPPONENT}"),
        format!("--labels={labels}"),
    ];
    match Cli::parse_from(words).command {
        Some(Command::Play(play)) => arguments.on_screen(*play),
        _ => unreachable!("the command is play"),
    }
}

/// Writes the completion script of a shell.
fn write_completions(arguments: CompletionsArgs, output: &mut dyn Write) -> Result<(), CliError> {
    Ok(output.write_all(&completion_script(arguments.shell))?)
}
