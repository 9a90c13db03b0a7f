//! A game as lines of text, with prompts for people.

use std::cell::RefCell;
use std::io::{self, IsTerminal as _, Write};
use std::rc::Rc;
use std::time::Duration;

use kalah::{BySide, GameEvent, Referee, Side, Termination, TimedPlayer};
use kalah_players::{InputLine, PlayerSpec};

use super::local_player::{LocalPlayer, LocalPlayerOptions};
use super::session::PlaySession;
use crate::args::play::PlayArgs;
use crate::error::CliError;
use crate::files::record_file::{Recorder, SaveFiles};
use crate::output::messages::resume_option;
use crate::stdin_lines::StdinLines;

/// The minimum time limit of a program for which the output shows that it is thinking.
const MIN_ANNOUNCED_WAIT: Duration = Duration::from_secs(1);

pub(super) fn run(session: &PlaySession) -> Result<(), CliError> {
    let PlaySession {
        arguments,
        source,
        specs,
        ..
    } = session;
    let mut printer = session.printer();
    let mut recorder = source.recorder(arguments)?;
    let mut players = build_players(session, recorder.as_ref())?;
    let interactive = BySide::new(
        players.south.player().is_interactive(),
        players.north.player().is_interactive(),
    );
    let limit = |side: Side| specs[side].time_limit.unwrap_or(arguments.time).get();
    let timed_players = BySide::new(
        TimedPlayer {
            player: players.south.player(),
            limit: limit(Side::South),
        },
        TimedPlayer {
            player: players.north.player(),
            limit: limit(Side::North),
        },
    );

    let mut referee = Referee::new(source.record.game(), interactive);
    printer.print_header(&referee)?;
    let plies = referee.game().plies().len();
    if plies > 0 {
        printer.print_line(&format!("The game continues after ply {plies}."))?;
    }
    let has_no_person = interactive == BySide::new(false, false);
    let mut pauses = (has_no_person && !arguments.no_pause && io::stdin().is_terminal())
        .then(TurnPauses::default);
    referee.run(timed_players, |referee, event| {
        if let Some(recorder) = &mut recorder {
            record(recorder, referee, event)?;
            if let GameEvent::Ended(ending) = event
                && ending.termination == Termination::Unfinished
            {
                let resume = resume_option(recorder.path());
                printer.print_line(&format!("To continue this game: kalah play {resume}"))?;
            }
        }
        printer.print_event(referee, event)?;
        if let GameEvent::ToMove(side) = *event {
            if let Some(pauses) = &mut pauses {
                pauses.pause_before(side)?;
            }
            let spec = specs[referee.game().player_on(side).started_as];
            if may_take_long(referee, spec, arguments) {
                printer.print_thinking(referee, side)?;
            }
        }
        Ok::<(), CliError>(())
    })?;
    let [south, north] = [players.south.take_error(), players.north.take_error()];
    south.or(north).map_or(Ok(()), Err)
}

/// Builds the players by the side on which each begins. People save to the same files.
fn build_players(
    session: &PlaySession,
    recorder: Option<&Recorder>,
) -> Result<BySide<LocalPlayer>, CliError> {
    let record = session.source.record.clone();
    let recording_path = recorder.map(|recorder| recorder.path().to_owned());
    let save_files = Rc::new(RefCell::new(SaveFiles::new(record, recording_path)));
    let engine_factory = session.engine_factory()?;
    let seed = session.seed();
    Ok(BySide::from_fn(|side| {
        let options = LocalPlayerOptions {
            name: &session.names[side],
            seed: match side {
                Side::South => seed,
                // Two random players must not make the same choices.
                Side::North => !seed,
            },
            labels: session.arguments.labels.unwrap_or_default(),
            palette: session.palette,
            save_files: &save_files,
            engine_factory: &engine_factory,
            hint_time_limit: session.hint_time_limit(),
        };
        LocalPlayer::new(session.specs[side], &options)
    }))
}

/// Returns whether the player to move may think so long that a person at the terminal needs a
/// message.
fn may_take_long(referee: &Referee, player: PlayerSpec, arguments: &PlayArgs) -> bool {
    player.uses_clock()
        && player.time_limit.unwrap_or(arguments.time).get() >= MIN_ANNOUNCED_WAIT
        && referee.position().legal_moves().nth(1).is_some()
        && io::stdout().is_terminal()
}

/// Records the game after an event that changed it.
fn record(recorder: &mut Recorder, referee: &Referee, event: &GameEvent) -> Result<(), CliError> {
    match event {
        GameEvent::ToMove(_) => {}
        GameEvent::Refused { .. } if referee.ending().is_none() => {}
        _ => recorder.write(referee.game(), referee.ending())?,
    }
    Ok(())
}

/// Pauses until ENTER between the turns of two programs. The end of the input ends the pauses.
#[derive(Default)]
struct TurnPauses {
    /// The side of the last turn.
    last_side: Option<Side>,
    input: StdinLines,
    is_input_ended: bool,
}

impl TurnPauses {
    /// Pauses if `side` begins a turn other than the first.
    fn pause_before(&mut self, side: Side) -> Result<(), CliError> {
        let is_new_turn = self
            .last_side
            .replace(side)
            .is_some_and(|last| last != side);
        if is_new_turn && !self.is_input_ended {
            let mut output = anstream::stdout();
            write!(output, "Press ENTER to go on. ")?;
            output.flush()?;
            let line = InputLine::read(&mut self.input);
            self.is_input_ended = matches!(line, Ok(InputLine::End) | Err(_));
            if self.is_input_ended {
                writeln!(output)?;
            }
            line.map_err(CliError::Input)?;
        }
        Ok(())
    }
}
