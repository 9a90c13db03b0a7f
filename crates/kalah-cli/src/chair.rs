use std::cell::RefCell;
use std::io::{self, IsTerminal as _};
use std::rc::Rc;
use std::time::{Duration, Instant};

use kalah::{Labels, Player, Position};
use kalah_engine::Limits;
use kalah_players::{EngineFactory, PlayerSpec};

use crate::saves::SaveFiles;
use crate::{CliError, Echo, Hint, Human, Palette, StdinLines};

/// Who sits on a side of the board in the terminal: a person at it, or a program.
pub(crate) enum LocalPlayer {
    Human(Box<Human<'static, StdinLines, anstream::Stdout>>),
    Builtin(Box<dyn Player>),
}

/// What a [`Chair`] is made of, beside who sits on it.
pub(crate) struct LocalPlayerOptions<'a> {
    /// What the player is called.
    pub(crate) name: &'a str,
    /// For programs that leave anything to chance.
    pub(crate) seed: u64,
    pub(crate) labels: Labels,
    pub(crate) palette: Palette,
    /// Where people save the game.
    pub(crate) save_files: &'a Rc<RefCell<SaveFiles>>,
    /// For programs that search, and for hints.
    pub(crate) engine_factory: &'a EngineFactory,
    /// The time that a program has for a hint.
    pub(crate) hint_time_limit: Duration,
}

impl LocalPlayer {
    pub(crate) fn new(spec: PlayerSpec, with: &LocalPlayerOptions) -> Self {
        if let Some(program) = spec.build_player(with.name, with.seed, with.engine_factory) {
            return Self::Builtin(program);
        }
        let echo = if io::stdin().is_terminal() {
            Echo::Off
        } else {
            Echo::On
        };
        let saves = Rc::clone(with.save_files);
        let human = Human::new(with.name, StdinLines::new(), anstream::stdout())
            .labels(with.labels)
            .palette(with.palette)
            .echo(echo)
            .hint_source(hint_source(
                with.engine_factory.clone(),
                with.hint_time_limit,
            ))
            .save_handler(move |game, path| saves.borrow_mut().save(game, None, path));
        Self::Human(Box::new(human))
    }

    pub(crate) fn player(&mut self) -> &mut dyn Player {
        match self {
            Self::Human(human) => human.as_mut(),
            Self::Builtin(program) => program.as_mut(),
        }
    }

    /// Why a person had to leave the game, if it could not be asked.
    pub(crate) fn take_error(&mut self) -> Option<CliError> {
        match self {
            Self::Human(human) => human.take_error(),
            Self::Builtin(_) => None,
        }
    }
}

/// Memory of an engine that gives hints, in bytes: it has hardly the time to fill more.
const HINT_MEMORY: usize = 64 << 20;

/// Somebody who gives a hint within `limit`.
fn hint_source(engines: EngineFactory, limit: Duration) -> impl FnMut(&Position) -> Option<Hint> {
    let origin = Instant::now();
    let limits = Limits {
        time: Some(limit),
        ..Limits::default()
    };
    let mut engine = None;
    move |position| {
        // Most people never ask, and an engine needs memory.
        let engine = engine.get_or_insert_with(|| engines.build().with_memory(HINT_MEMORY));
        Hint::from_report(&engine.analyse(position, limits, &|| origin.elapsed()))
    }
}
