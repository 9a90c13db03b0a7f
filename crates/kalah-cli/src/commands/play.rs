mod found;
mod line_by_line;
mod on_screen;

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

use kalah::{BySide, GameEvent, Referee, Termination};
use kalah_players::{EngineFactory, PlayerSpec};

use self::found::GameSource;
use crate::arguments::PlayArguments;
use crate::{CliError, EngineArguments, GamePrinter, Palette};

/// A hint takes no longer than this, and no longer than the players may.
const MAX_HINT_TIME: Duration = Duration::from_secs(1);

pub(super) fn run(arguments: &PlayArguments) -> Result<(), CliError> {
    let mut found = GameSource::load(arguments)?;
    let specs = found.resolve_players(arguments)?;
    let names = found.resolve_names(arguments, specs)?;
    let party = PlaySession {
        arguments,
        palette: Palette::for_stdout(),
        source: found,
        specs,
        names,
    };
    let has_screen = !arguments.plain && on_screen::is_supported();
    if arguments.resume.is_some() && party.has_ended() && !(has_screen && party.can_show_ending()) {
        party.print_ending()
    } else if has_screen {
        on_screen::run(&party)
    } else {
        line_by_line::run(&party)
    }
}

/// A game to be played, and who plays it, by the sides on which they began.
struct PlaySession<'a> {
    arguments: &'a PlayArguments,
    palette: Palette,
    source: GameSource,
    specs: BySide<PlayerSpec>,
    names: BySide<String>,
}

impl PlaySession<'_> {
    fn has_ended(&self) -> bool {
        self.source.record.ending().termination != Termination::Unfinished
    }

    /// Whether a screen can show how the game has ended: on the board, or by whoever was to move giving it up. A
    /// game that was lost on time, say, is over though its position is not.
    fn can_show_ending(&self) -> bool {
        let record = &self.source.record;
        let (game, ending) = (record.game(), record.ending());
        let loser = game.position().to_move();
        game.outcome().is_some()
            || ending.termination == Termination::Resign && ending.winner == Some(loser.opponent())
    }

    fn print_ending(&self) -> Result<(), CliError> {
        let referee = Referee::new(self.source.record.game(), BySide::default());
        let mut teller = self.printer();
        teller.print_header(&referee)?;
        Ok(teller.print_event(&referee, &GameEvent::Ended(self.source.record.ending()))?)
    }

    /// Somebody who tells the game line by line.
    fn printer(&self) -> GamePrinter<anstream::Stdout> {
        let names = BySide::from_fn(|side| &*self.names[side]);
        GamePrinter::new(anstream::stdout(), names)
            .labels(self.arguments.labels.unwrap_or_default())
            .palette(self.palette)
    }

    fn engine_factory(&self) -> Result<EngineFactory, CliError> {
        engine_arguments(self.arguments).factory(self.source.record.game().position())
    }

    /// What chance goes by.
    fn seed(&self) -> u64 {
        let seed = self.arguments.seed;
        seed.unwrap_or_else(|| RandomState::new().build_hasher().finish())
    }

    fn hint_time_limit(&self) -> Duration {
        self.arguments.time.get().min(MAX_HINT_TIME)
    }
}

fn engine_arguments(arguments: &PlayArguments) -> EngineArguments {
    EngineArguments {
        tables: arguments.tables.clone(),
        ..EngineArguments::default()
    }
}
