use std::cell::RefCell;
use std::io::{self, IsTerminal as _};
use std::rc::Rc;
use std::time::{Duration, Instant};

use kalah::{Labels, Player, Position};
use kalah_engine::Limits;

use crate::saves::Saves;
use crate::{Echo, Engines, Failure, Hint, Human, Palette, PlayerSpec, StdinLines};

/// Who sits on a side of the board in the terminal: a person at it, or a program.
pub(crate) enum Chair {
    Person(Box<Human<'static, StdinLines, anstream::Stdout>>),
    Program(Box<dyn Player>),
}

/// What a [`Chair`] is made of, beside who sits on it.
pub(crate) struct Furnishing<'a> {
    /// What the player is called.
    pub(crate) name: &'a str,
    /// For programs that leave anything to chance.
    pub(crate) seed: u64,
    pub(crate) labels: Labels,
    pub(crate) palette: Palette,
    /// Where people save the game.
    pub(crate) saves: &'a Rc<RefCell<Saves>>,
    /// For programs that search, and for hints.
    pub(crate) engines: &'a Engines,
    /// The time that a program has for a hint.
    pub(crate) hint_limit: Duration,
}

impl Chair {
    pub(crate) fn new(spec: PlayerSpec, with: &Furnishing) -> Self {
        if let Some(program) = spec.computer(with.name, with.seed, with.engines) {
            return Self::Program(program);
        }
        let echo = if io::stdin().is_terminal() {
            Echo::Off
        } else {
            Echo::On
        };
        let saves = Rc::clone(with.saves);
        let human = Human::new(with.name, StdinLines::new(), anstream::stdout())
            .labels(with.labels)
            .palette(with.palette)
            .echo(echo)
            .hints_from(hints(with.engines.clone(), with.hint_limit))
            .saves_with(move |game, path| saves.borrow_mut().save(game, None, path));
        Self::Person(Box::new(human))
    }

    pub(crate) fn player(&mut self) -> &mut dyn Player {
        match self {
            Self::Person(human) => human.as_mut(),
            Self::Program(program) => program.as_mut(),
        }
    }

    /// Why a person had to leave the game, if it could not be asked.
    pub(crate) fn take_failure(&mut self) -> Option<Failure> {
        match self {
            Self::Person(human) => human.take_failure(),
            Self::Program(_) => None,
        }
    }
}

/// Memory of an engine that gives hints, in bytes: it has hardly the time to fill more.
const HINT_MEMORY: usize = 64 << 20;

/// Somebody who gives a hint within `limit`.
fn hints(engines: Engines, limit: Duration) -> impl FnMut(&Position) -> Option<Hint> {
    let origin = Instant::now();
    let limits = Limits {
        time: Some(limit),
        ..Limits::default()
    };
    let mut engine = None;
    move |position| {
        // Most people never ask, and an engine needs memory.
        let engine = engine.get_or_insert_with(|| engines.engine().with_memory(HINT_MEMORY));
        Hint::of(&engine.analyse(position, limits, &|| origin.elapsed()))
    }
}
