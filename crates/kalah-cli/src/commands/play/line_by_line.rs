use std::cell::RefCell;
use std::io::{self, IsTerminal as _, Write};
use std::rc::Rc;
use std::time::Duration;

use kalah::{BySide, GameEvent, Referee, Side, Termination, TimedPlayer};
use kalah_engine::LevelNumber;

use super::Party;
use crate::arguments::PlayArguments;
use crate::chair::{Chair, Furnishing};
use crate::line::Line;
use crate::saves::Saves;
use crate::shell_word::resume_option;
use crate::{Failure, PlayerKind, PlayerSpec, Recorder, StdinLines};

/// A program that may take this long is said to be thinking, where a person watches.
const LONG_WAIT: Duration = Duration::from_secs(1);

pub(super) fn run(party: &Party) -> Result<(), Failure> {
    let mut teller = party.teller();
    let mut recorder = party.found.recorder(party.arguments)?;
    let kept_in = recorder.as_ref().map(|recorder| recorder.path().to_owned());
    let saves = Rc::new(RefCell::new(Saves::new(
        party.found.record.clone(),
        kept_in,
    )));
    let engines = party.engines()?;
    let seed = party.seed();
    let hint_limit = party.hint_limit();
    let Party {
        arguments,
        palette,
        found,
        specs,
        names,
    } = party;
    let (palette, specs) = (*palette, *specs);
    let chair = |side: Side| {
        let furnishing = Furnishing {
            name: &names[side],
            seed: match side {
                Side::South => seed,
                // Two random players of one seed must not play alike.
                Side::North => !seed,
            },
            labels: arguments.labels.unwrap_or_default(),
            palette,
            saves: &saves,
            engines: &engines,
            hint_limit,
        };
        Chair::new(specs[side], &furnishing)
    };
    let mut chairs = BySide::new(chair(Side::South), chair(Side::North));
    let interactive = BySide::new(
        chairs.south.player().is_interactive(),
        chairs.north.player().is_interactive(),
    );
    let limit = |side: Side| specs[side].limit.unwrap_or(arguments.time).get();
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
    teller.introduce(&referee)?;
    if !referee.game().plies().is_empty() {
        let plies = referee.game().plies().len();
        teller.remark(&format!("The game goes on after ply {plies}."))?;
    }
    let nobody_plays = interactive == BySide::new(false, false);
    let mut pauses =
        (nobody_plays && !arguments.no_pause && io::stdin().is_terminal()).then(Pauses::default);
    referee.run(seats, |referee, event| {
        if let Some(recorder) = &mut recorder {
            record(recorder, referee, event)?;
            if let GameEvent::Ended(ending) = event
                && ending.termination == Termination::Unfinished
            {
                let resume = resume_option(recorder.path());
                let how = format!("To go on with this game: kalah play {resume}");
                teller.remark(&how)?;
            }
        }
        teller.tell(referee, event)?;
        if let (Some(pauses), GameEvent::ToMove(side)) = (&mut pauses, event) {
            pauses.before(*side)?;
        }
        if let GameEvent::ToMove(side) = event
            && may_take_long(
                referee,
                specs[referee.game().player_on(*side).started_as],
                arguments,
            )
        {
            teller.thinks(referee, *side)?;
        }
        Ok::<(), Failure>(())
    })?;
    let [south, north] = [chairs.south.take_failure(), chairs.north.take_failure()];
    south.or(north).map_or(Ok(()), Err)
}

/// Whether somebody watches who would wonder what the player to move is doing.
fn may_take_long(referee: &Referee, player: PlayerSpec, arguments: &PlayArguments) -> bool {
    let keeps_time = match player.kind {
        PlayerKind::Smart => true,
        PlayerKind::Level { number } => number == LevelNumber::MAX,
        _ => false,
    };
    keeps_time
        && player.limit.unwrap_or(arguments.time).get() >= LONG_WAIT
        && referee.position().legal_moves().nth(1).is_some()
        && io::stdout().is_terminal()
}

/// Writes down what has changed, if anything has.
fn record(recorder: &mut Recorder, referee: &Referee, event: &GameEvent) -> Result<(), Failure> {
    match event {
        GameEvent::ToMove(_) => {}
        GameEvent::Refused { .. } if referee.ending().is_none() => {}
        _ => recorder.write(referee.game(), referee.ending())?,
    }
    Ok(())
}

/// Waits for ENTER between the turns of two programs, until the input ends.
#[derive(Default)]
struct Pauses {
    /// Whose turn it was last.
    turn: Option<Side>,
    input: StdinLines,
    ended: bool,
}

impl Pauses {
    /// Waits if `side` begins a turn.
    fn before(&mut self, side: Side) -> Result<(), Failure> {
        let begins = self.turn.replace(side).is_some_and(|turn| turn != side);
        if begins && !self.ended {
            let mut output = anstream::stdout();
            write!(output, "Press ENTER to go on. ")?;
            output.flush()?;
            let line = Line::read(&mut self.input);
            if !matches!(line, Ok(ref line) if *line != Line::End) {
                self.ended = true;
                writeln!(output)?;
            }
            line.map_err(Failure::Input)?;
        }
        Ok(())
    }
}
