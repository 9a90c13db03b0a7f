//! Players of `kalah play --plain`: a person at the terminal, or a built-in player.

use std::cell::RefCell;
use std::io::{self, IsTerminal as _};
use std::rc::Rc;
use std::time::{Duration, Instant};

use kalah::{Labels, Player, Position};
use kalah_engine::Limits;
use kalah_players::{EngineFactory, PlayerSpec};
use kalah_tui::{Echo, Hint, HumanPlayer, Palette};

use crate::error::CliError;
use crate::files::record_file::SaveFiles;
use crate::stdin_lines::StdinLines;

/// The size of the transposition table for hints. A search within the time limit of a hint hardly
/// fills more.
const HINT_MEMORY_BYTES: usize = 64 << 20;

/// A player in the terminal.
pub(crate) enum LocalPlayer {
    Human(Box<HumanPlayer<'static, StdinLines, anstream::Stdout>>),
    Builtin(Box<dyn Player>),
}

/// The options from which a [`LocalPlayer`] is built, beside its spec.
pub(crate) struct LocalPlayerOptions<'a> {
    /// The name of the player.
    pub(crate) name: &'a str,
    /// The seed of players that make random choices.
    pub(crate) seed: u64,
    pub(crate) labels: Labels,
    pub(crate) palette: Palette,
    /// The files to which a person saves the game.
    pub(crate) save_files: &'a Rc<RefCell<SaveFiles>>,
    /// Builds the engines of players that search, and of hints.
    pub(crate) engine_factory: &'a EngineFactory,
    /// The time limit of the search for a hint.
    pub(crate) hint_time_limit: Duration,
}

impl LocalPlayer {
    pub(crate) fn new(spec: PlayerSpec, options: &LocalPlayerOptions) -> Self {
        let builtin = spec.build_player(options.name, options.seed, options.engine_factory);
        if let Some(player) = builtin {
            return Self::Builtin(player);
        }
        let echo = if io::stdin().is_terminal() {
            Echo::Off
        } else {
            Echo::On
        };
        let save_files = Rc::clone(options.save_files);
        let human = HumanPlayer::new(options.name, StdinLines::new(), anstream::stdout())
            .labels(options.labels)
            .palette(options.palette)
            .echo(echo)
            .hint_source(hint_source(
                options.engine_factory.clone(),
                options.hint_time_limit,
            ))
            .save_handler(move |game, path| save_files.borrow_mut().save(game, None, path));
        Self::Human(Box::new(human))
    }

    pub(crate) fn player(&mut self) -> &mut dyn Player {
        match self {
            Self::Human(human) => human.as_mut(),
            Self::Builtin(player) => player.as_mut(),
        }
    }

    /// Returns and clears the input or output error because of which a person left the game.
    pub(crate) fn take_error(&mut self) -> Option<CliError> {
        match self {
            Self::Human(human) => human.take_error().map(CliError::from),
            Self::Builtin(_) => None,
        }
    }
}

/// Returns a function that finds hints within `limit`.
fn hint_source(
    engine_factory: EngineFactory,
    limit: Duration,
) -> impl FnMut(&Position) -> Option<Hint> {
    let origin = Instant::now();
    let limits = Limits {
        time: Some(limit),
        ..Limits::default()
    };
    let mut engine = None;
    move |position| {
        // The engine is built for the first hint, because most games need none.
        let engine =
            engine.get_or_insert_with(|| engine_factory.build().with_memory(HINT_MEMORY_BYTES));
        Hint::from_report(&engine.analyze(position, limits, &|| origin.elapsed()))
    }
}
