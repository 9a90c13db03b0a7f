use std::cell::RefCell;
use std::io::{self, IsTerminal as _, Write};
use std::rc::Rc;
use std::time::Duration;

use kalah::{BySide, GameEvent, Referee, Side, Termination, TimedPlayer};
use kalah_players::{InputLine, PlayerSpec};

use super::PlaySession;
use crate::arguments::PlayArguments;
use crate::chair::{LocalPlayer, LocalPlayerOptions};
use crate::saves::SaveFiles;
use crate::shell_word::resume_option;
use crate::{CliError, Recorder, StdinLines};

/// A program that may take this long is said to be thinking, where a person watches.
const MIN_ANNOUNCED_WAIT: Duration = Duration::from_secs(1);

pub(super) fn run(party: &PlaySession) -> Result<(), CliError> {
    let mut teller = party.printer();
    let mut recorder = party.source.recorder(party.arguments)?;
    let kept_in = recorder.as_ref().map(|recorder| recorder.path().to_owned());
    let saves = Rc::new(RefCell::new(SaveFiles::new(
        party.source.record.clone(),
        kept_in,
    )));
    let engines = party.engine_factory()?;
    let seed = party.seed();
    let hint_limit = party.hint_time_limit();
    let PlaySession {
        arguments,
        palette,
        source: found,
        specs,
        names,
    } = party;
    let (palette, specs) = (*palette, *specs);
    let chair = |side: Side| {
        let furnishing = LocalPlayerOptions {
            name: &names[side],
            seed: match side {
                Side::South => seed,
                // Two random players of one seed must not play alike.
                Side::North => !seed,
            },
            labels: arguments.labels.unwrap_or_default(),
            palette,
            save_files: &saves,
            engine_factory: &engines,
            hint_time_limit: hint_limit,
        };
        LocalPlayer::new(specs[side], &furnishing)
    };
    let mut chairs = BySide::new(chair(Side::South), chair(Side::North));
    let interactive = BySide::new(
        chairs.south.player().is_interactive(),
        chairs.north.player().is_interactive(),
    );
    let limit = |side: Side| specs[side].time_limit.unwrap_or(arguments.time).get();
    let seats = BySide::new(
        TimedPlayer {
            player: chairs.south.player(),
            limit: limit(Side::South),
        },
        TimedPlayer {
            player: chairs.north.player(),
            limit: limit(Side::North),
        },
    );

    let mut referee = Referee::new(found.record.game(), interactive);
    teller.print_header(&referee)?;
    if !referee.game().plies().is_empty() {
        let plies = referee.game().plies().len();
        teller.print_line(&format!("The game goes on after ply {plies}."))?;
    }
    let nobody_plays = interactive == BySide::new(false, false);
    let mut pauses = (nobody_plays && !arguments.no_pause && io::stdin().is_terminal())
        .then(TurnPauses::default);
    referee.run(seats, |referee, event| {
        if let Some(recorder) = &mut recorder {
            record(recorder, referee, event)?;
            if let GameEvent::Ended(ending) = event
                && ending.termination == Termination::Unfinished
            {
                let resume = resume_option(recorder.path());
                let how = format!("To go on with this game: kalah play {resume}");
                teller.print_line(&how)?;
            }
        }
        teller.print_event(referee, event)?;
        if let (Some(pauses), GameEvent::ToMove(side)) = (&mut pauses, event) {
            pauses.pause_before(*side)?;
        }
        if let GameEvent::ToMove(side) = event
            && may_take_long(
                referee,
                specs[referee.game().player_on(*side).started_as],
                arguments,
            )
        {
            teller.print_thinking(referee, *side)?;
        }
        Ok::<(), CliError>(())
    })?;
    let [south, north] = [chairs.south.take_error(), chairs.north.take_error()];
    south.or(north).map_or(Ok(()), Err)
}

/// Whether somebody watches who would wonder what the player to move is doing.
fn may_take_long(referee: &Referee, player: PlayerSpec, arguments: &PlayArguments) -> bool {
    player.uses_clock()
        && player.time_limit.unwrap_or(arguments.time).get() >= MIN_ANNOUNCED_WAIT
        && referee.position().legal_moves().nth(1).is_some()
        && io::stdout().is_terminal()
}

/// Writes down what has changed, if anything has.
fn record(recorder: &mut Recorder, referee: &Referee, event: &GameEvent) -> Result<(), CliError> {
    match event {
        GameEvent::ToMove(_) => {}
        GameEvent::Refused { .. } if referee.ending().is_none() => {}
        _ => recorder.write(referee.game(), referee.ending())?,
    }
    Ok(())
}

/// Waits for ENTER between the turns of two programs, until the input ends.
#[derive(Default)]
struct TurnPauses {
    /// Whose turn it was last.
    last_side: Option<Side>,
    input: StdinLines,
    is_input_ended: bool,
}

impl TurnPauses {
    /// Waits if `side` begins a turn.
    fn pause_before(&mut self, side: Side) -> Result<(), CliError> {
        let begins = self
            .last_side
            .replace(side)
            .is_some_and(|turn| turn != side);
        if begins && !self.is_input_ended {
            let mut output = anstream::stdout();
            write!(output, "Press ENTER to go on. ")?;
            output.flush()?;
            let line = InputLine::read(&mut self.input);
            if !matches!(line, Ok(ref line) if *line != InputLine::End) {
                self.is_input_ended = true;
                writeln!(output)?;
            }
            line.map_err(CliError::Input)?;
        }
        Ok(())
    }
}
