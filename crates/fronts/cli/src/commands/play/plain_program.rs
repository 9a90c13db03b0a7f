//! Programs as players of plain mode: their standard error, and the question after a failure.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use kalah::{Game, Move, MoveTime, PlayerAction, Side};
use kalah_players::{
    GamePlayerSpec, GameProgramSpec, InputLine, LineReader, ParticipantFailure, ProgramPlayer,
    StderrLines, escape_control, escape_truncated,
};

use super::plain::StdinLines;
use crate::args::values::parse_game_player;
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::print_stderr;

/// How often the standard error of a program is printed.
const PRINT_INTERVAL: Duration = Duration::from_millis(50);

/// A program in plain mode. A thread prints its standard error while it plays.
pub(super) struct PlainProgram {
    player: ProgramPlayer,
    name: String,
    stderr: StderrLines,
    has_ended: Arc<AtomicBool>,
    /// `None` after the end.
    printer: Option<JoinHandle<()>>,
}

impl PlainProgram {
    /// Creates the player that began on the side `started_as`, whose program has not started yet.
    pub(super) fn new(
        spec: &GameProgramSpec,
        name: &str,
        started_as: Side,
    ) -> Result<Self, CliError> {
        let player = ProgramPlayer::new(spec, started_as, &interrupt::listen());
        let (stderr, has_ended) = (player.stderr(), Arc::new(AtomicBool::new(false)));
        let name = escape_truncated(name);
        let print = {
            let (stderr, name, has_ended) = (stderr.clone(), name.clone(), Arc::clone(&has_ended));
            move || {
                while !has_ended.load(Ordering::Relaxed) {
                    print_lines(&name, &stderr);
                    thread::sleep(PRINT_INTERVAL);
                }
            }
        };
        let printer = thread::Builder::new().spawn(print);
        let printer = printer
            .map_err(|reason| CliError::Runtime(format!("cannot start a thread: {reason}")))?;
        Ok(Self {
            player,
            name,
            stderr,
            has_ended,
            printer: Some(printer),
        })
    }

    pub(super) fn choose_move(
        &mut self,
        game: &Game,
        time: MoveTime,
    ) -> Result<Move, ParticipantFailure> {
        self.player.choose_move(game, time)
    }

    /// Prints the lines of standard error that are not printed yet.
    pub(super) fn print_messages(&self) {
        print_lines(&self.name, &self.stderr);
    }

    /// Ends the program, and prints its last lines.
    pub(super) fn shut_down(&mut self) {
        self.player.shut_down();
        self.has_ended.store(true, Ordering::Relaxed);
        if let Some(printer) = self.printer.take() {
            let _ = printer.join();
        }
        self.print_messages();
    }
}

impl Drop for PlainProgram {
    fn drop(&mut self) {
        self.shut_down();
    }
}

fn print_lines(name: &str, stderr: &StderrLines) {
    for line in stderr.take() {
        print_stderr(&format!("{name}: {}", escape_control(&line)));
    }
}

/// Returns the reason of a failure. The standard error of the program is printed already.
pub(super) fn failure_text(failure: &ParticipantFailure) -> String {
    match failure {
        ParticipantFailure::Crash { status, .. } => format!("it ended: {status}"),
        failure => failure.description(),
    }
}

/// How a game goes on after the failure of a program.
pub(super) enum AfterFailure {
    /// The program starts again.
    Restart,
    /// Another player takes its side.
    Replace(GamePlayerSpec),
    /// The program resigns or leaves the game.
    Act(PlayerAction),
    /// The input has ended before an answer.
    Unanswered,
}

/// The answers to the question after a failure.
const RESTART: &str = "restart";
const RESIGN: &str = "resign";
const QUIT: &str = "quit";

/// Asks how the game goes on.
pub(super) fn ask_after_failure(game: &Game) -> Result<AfterFailure, CliError> {
    let mut input = LineReader::new(StdinLines::new());
    let mut output = anstream::stdout();
    loop {
        write!(
            output,
            "{RESTART}, {RESIGN}, {QUIT}, or another player such as human or level:5: "
        )?;
        output.flush()?;
        let line = input.read().map_err(CliError::Input)?;
        let text = match line {
            InputLine::Text(text) => text,
            InputLine::End => {
                writeln!(output)?;
                return Ok(AfterFailure::Unanswered);
            }
            InputLine::TooLong(_) | InputLine::NotUtf8(_) => "...".to_owned(),
        };
        if !io::stdin().is_terminal() {
            writeln!(output, "{}", escape_truncated(&text))?;
        }
        match text.trim() {
            RESTART => return Ok(AfterFailure::Restart),
            RESIGN => return Ok(AfterFailure::Act(PlayerAction::Resign)),
            QUIT => return Ok(AfterFailure::Act(PlayerAction::Quit)),
            text => match parse_player_of(game, text) {
                Ok(spec) => return Ok(AfterFailure::Replace(spec)),
                Err(reason) => writeln!(output, "{}.", escape_control(&reason))?,
            },
        }
    }
}

/// Parses a player that can continue `game`.
fn parse_player_of(game: &Game, text: &str) -> Result<GamePlayerSpec, String> {
    let spec = parse_game_player(text)?;
    spec.check_game(game).map_err(|reason| reason.to_string())?;
    Ok(spec)
}
