//! The game, the players and the options of `kalah play`.

use std::time::Duration;

use kalah::{BySide, GameEvent, Referee, Termination};
use kalah_players::{EngineFactory, PlayerSpec};
use kalah_tui::{GamePrinter, Palette};

use super::game_source::GameSource;
use crate::args::play::PlayArgs;
use crate::args::search::SearchOptions;
use crate::args::values::seed_or_random;
use crate::error::CliError;

/// The maximum time for a hint. The time for a move also limits it.
const MAX_HINT_TIME: Duration = Duration::from_secs(1);

/// The game to play and its players by the side on which each began.
pub(super) struct PlaySession<'a> {
    pub(super) arguments: &'a PlayArgs,
    pub(super) palette: Palette,
    pub(super) source: GameSource,
    pub(super) specs: BySide<PlayerSpec>,
    pub(super) names: BySide<String>,
}

impl PlaySession<'_> {
    pub(super) fn has_ended(&self) -> bool {
        self.source.record.ending().termination != Termination::Unfinished
    }

    /// Returns whether the screen can show how the game ended: by the rules, or by the resignation
    /// of the side to move. After other endings, such as on time, the position is not over.
    pub(super) fn can_show_ending(&self) -> bool {
        let record = &self.source.record;
        let (game, ending) = (record.game(), record.ending());
        let loser = game.position().to_move();
        game.outcome().is_some()
            || ending.termination == Termination::Resign && ending.winner == Some(loser.opponent())
    }

    pub(super) fn print_ending(&self) -> Result<(), CliError> {
        let referee = Referee::new(self.source.record.game(), BySide::default());
        let mut printer = self.printer();
        printer.print_header(&referee)?;
        Ok(printer.print_event(&referee, &GameEvent::Ended(self.source.record.ending()))?)
    }

    /// Creates the printer of the game to standard output.
    pub(super) fn printer(&self) -> GamePrinter<anstream::Stdout> {
        let names = BySide::from_fn(|side| &*self.names[side]);
        GamePrinter::new(anstream::stdout(), names)
            .labels(self.arguments.labels.unwrap_or_default())
            .palette(self.palette)
    }

    pub(super) fn engine_factory(&self) -> Result<EngineFactory, CliError> {
        search_options(self.arguments).factory(self.source.record.game().position())
    }

    /// Returns the seed of random choices: that of the arguments, or a random one.
    pub(super) fn seed(&self) -> u64 {
        seed_or_random(self.arguments.seed)
    }

    pub(super) fn hint_time_limit(&self) -> Duration {
        self.arguments.time.get().min(MAX_HINT_TIME)
    }
}

/// Returns the resources of the engines: those of the machine, with the tables of the arguments.
pub(super) fn search_options(arguments: &PlayArgs) -> SearchOptions {
    SearchOptions {
        tables: arguments.tables.clone(),
        ..SearchOptions::default()
    }
}
