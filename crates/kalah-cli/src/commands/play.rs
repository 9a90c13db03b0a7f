mod found;
mod line_by_line;
mod on_screen;

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

use kalah::{BySide, GameEvent, Referee, Termination};

use self::found::Found;
use crate::arguments::PlayArguments;
use crate::{EngineArguments, Engines, Failure, Palette, PlayerSpec, Teller};

/// A hint takes no longer than this, and no longer than the players may.
const LONGEST_HINT: Duration = Duration::from_secs(1);

pub(super) fn run(arguments: &PlayArguments) -> Result<(), Failure> {
    let mut found = Found::find(arguments)?;
    let specs = found.choose_players(arguments)?;
    let names = found.name_players(arguments, specs)?;
    let party = Party {
        arguments,
        palette: Palette::of_stdout(),
        found,
        specs,
        names,
    };
    let has_screen = !arguments.plain && on_screen::is_possible();
    if arguments.resume.is_some() && party.has_ended() && !(has_screen && party.is_shown_ended()) {
        party.tell_ending()
    } else if has_screen {
        on_screen::run(&party)
    } else {
        line_by_line::run(&party)
    }
}

/// A game to be played, and who plays it, by the sides on which they began.
struct Party<'a> {
    arguments: &'a PlayArguments,
    palette: Palette,
    found: Found,
    specs: BySide<PlayerSpec>,
    names: BySide<String>,
}

impl Party<'_> {
    fn has_ended(&self) -> bool {
        self.found.record.ending().termination != Termination::Unfinished
    }

    /// Whether a screen can show how the game has ended: on the board, or by whoever was to move giving it up. A
    /// game that was lost on time, say, is over though its position is not.
    fn is_shown_ended(&self) -> bool {
        let record = &self.found.record;
        let (game, ending) = (record.game(), record.ending());
        let loser = game.position().to_move();
        game.outcome().is_some()
            || ending.termination == Termination::Resign && ending.winner == Some(loser.opponent())
    }

    fn tell_ending(&self) -> Result<(), Failure> {
        let referee = Referee::new(self.found.record.game(), BySide::default());
        let mut teller = self.teller();
        teller.introduce(&referee)?;
        Ok(teller.tell(&referee, &GameEvent::Ended(self.found.record.ending()))?)
    }

    /// Somebody who tells the game line by line.
    fn teller(&self) -> Teller<anstream::Stdout> {
        let names = BySide::from_fn(|side| &*self.names[side]);
        Teller::new(anstream::stdout(), names)
            .labels(self.arguments.labels.unwrap_or_default())
            .palette(self.palette)
    }

    fn engines(&self) -> Result<Engines, Failure> {
        Engines::new(
            &engine_arguments(self.arguments),
            self.found.record.game().position(),
        )
    }

    /// What chance goes by.
    fn seed(&self) -> u64 {
        let seed = self.arguments.seed;
        seed.unwrap_or_else(|| RandomState::new().build_hasher().finish())
    }

    fn hint_limit(&self) -> Duration {
        self.arguments.time.get().min(LONGEST_HINT)
    }
}

fn engine_arguments(arguments: &PlayArguments) -> EngineArguments {
    EngineArguments {
        tables: arguments.tables.clone(),
        ..EngineArguments::default()
    }
}
