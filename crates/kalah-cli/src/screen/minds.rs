use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use kalah::{BySide, Game, PlayerAction, Position, Side};
use kalah_engine::{Engine, Goal, Limits, Review};

use super::bout::Bout;
use super::event::{Event, Ticket};
use super::run::Opening;
use super::worker::Worker;
use crate::{Engines, Failure, Hint, MemorySize, TimeLimit};

/// What those who think tell the screen.
pub(super) enum Told {
    Event(Event),
    /// One of them cannot go on.
    Failed(String),
}

/// All who think while the screen listens to keys: the programs that play, who advises, and who looks back.
pub(super) struct Minds {
    players: Worker<Question>,
    adviser: Worker<Advice>,
    reviewer: Worker<(Ticket, Game)>,
    tell: Sender<Told>,
}

/// A choice that a program is asked for.
struct Question {
    ticket: Ticket,
    player: Side,
    position: Position,
}

/// What somebody wants to know about a position.
enum Advice {
    Hint(Ticket, Position),
    Margins(Ticket, Position),
}

/// Memory of an engine that advises or looks back, in bytes, at most.
const MEMORY: u64 = 256 << 20;

/// What is not proven in this time is not worth the warmth.
const LONGEST_WEIGHING: Duration = Duration::from_mins(2);

/// The time for a game that is looked back on, and the most of it for a position.
const LOOK_BACK_TIME: Duration = Duration::from_mins(1);
const LOOK_AT_POSITION_TIME: Duration = Duration::from_secs(2);

impl Minds {
    pub(super) fn new(
        bout: &Bout,
        engines: Engines,
        opening: &Opening,
        tell: Sender<Told>,
    ) -> Result<Self, Failure> {
        let lesser = engines
            .clone()
            .with_memory(MemorySize::new(engines.memory().bytes().min(MEMORY)));
        Ok(Self {
            players: players(bout, engines, opening, tell.clone())?,
            adviser: adviser(lesser.clone(), opening.hint_limit, tell.clone())?,
            reviewer: reviewer(lesser, tell.clone())?,
            tell,
        })
    }

    /// Those for another game.
    pub(super) fn of_other_game(
        &self,
        bout: &Bout,
        engines: Engines,
        opening: &Opening,
    ) -> Result<Self, Failure> {
        Self::new(bout, engines, opening, self.tell.clone())
    }

    pub(super) fn ask(&self, ticket: Ticket, player: Side, position: Position) {
        self.players.ask(Question {
            ticket,
            player,
            position,
        });
    }

    pub(super) fn hurry(&self) {
        self.players.hurry();
    }

    pub(super) fn dismiss(&self) {
        self.players.dismiss();
    }

    pub(super) fn hint(&self, ticket: Ticket, position: Position) {
        self.adviser.ask(Advice::Hint(ticket, position));
    }

    pub(super) fn weigh(&self, ticket: Ticket, position: Position) {
        self.adviser.ask(Advice::Margins(ticket, position));
    }

    pub(super) fn stop_weighing(&self) {
        self.adviser.dismiss();
    }

    pub(super) fn look_back(&self, ticket: Ticket, game: Game) {
        self.reviewer.ask((ticket, game));
    }

    pub(super) fn stop_looking_back(&self) {
        self.reviewer.dismiss();
    }
}

/// Tells the screen, if there still is one.
fn say(tell: &Sender<Told>, event: Event) {
    let _ = tell.send(Told::Event(event));
}

fn failing(tell: &Sender<Told>) -> impl FnOnce(String) + Send + 'static {
    let tell = tell.clone();
    move |reason| {
        let _ = tell.send(Told::Failed(reason));
    }
}

fn players(
    bout: &Bout,
    engines: Engines,
    opening: &Opening,
    tell: Sender<Told>,
) -> Result<Worker<Question>, Failure> {
    let flag: Arc<AtomicBool> = Arc::default();
    let engines = engines.with_flag(Arc::clone(&flag));
    let mut players = BySide::from_fn(|side| {
        let seed = match side {
            Side::South => opening.seed,
            // Two random players of one seed must not play alike.
            Side::North => !opening.seed,
        };
        let spec = bout.specs()[side];
        spec.computer(&bout.names()[side], seed, &engines)
    });
    let limits = bout.specs();
    let time = opening.time;
    let limits = BySide::from_fn(|side| limits[side].limit.map_or(time, TimeLimit::get));
    let fail = failing(&tell);
    let work = move |question: Question| {
        let Question {
            ticket,
            player,
            position,
        } = question;
        let limit = limits[player];
        let program = players[player].as_mut();
        let choice = program.and_then(|program| program.choose_move(&position, limit));
        let answer = choice.map_or(PlayerAction::NoMove, PlayerAction::Move);
        say(&tell, Event::Answered(ticket, answer));
    };
    Worker::spawn("player", flag, work, fail).map_err(|error| thread_failure(&error))
}

fn adviser(
    engines: Engines,
    hint_limit: Duration,
    tell: Sender<Told>,
) -> Result<Worker<Advice>, Failure> {
    let flag: Arc<AtomicBool> = Arc::default();
    let engines = engines.with_flag(Arc::clone(&flag));
    let fail = failing(&tell);
    let origin = Instant::now();
    // Most people never ask, and an engine needs memory.
    let mut engine: Option<Engine> = None;
    let work = move |advice| {
        let engine = engine.get_or_insert_with(|| engines.engine());
        let clock = || origin.elapsed();
        match advice {
            Advice::Hint(ticket, position) => {
                let limits = Limits {
                    time: Some(hint_limit),
                    ..Limits::default()
                };
                let hint = Hint::of(&engine.analyse(&position, limits, &clock));
                say(&tell, Event::Hinted(ticket, hint));
            }
            Advice::Margins(ticket, position) => {
                let limits = Limits {
                    time: Some(LONGEST_WEIGHING),
                    goal: Goal::AllMargins,
                    ..Limits::default()
                };
                let report =
                    engine.analyse_with_progress(&position, limits, &clock, &mut |report| {
                        say(&tell, Event::Weighed(ticket, report.clone()));
                    });
                say(&tell, Event::Weighed(ticket, report));
            }
        }
    };
    Worker::spawn("adviser", flag, work, fail).map_err(|error| thread_failure(&error))
}

fn reviewer(engines: Engines, tell: Sender<Told>) -> Result<Worker<(Ticket, Game)>, Failure> {
    let flag: Arc<AtomicBool> = Arc::default();
    let engines = engines.with_flag(Arc::clone(&flag));
    let fail = failing(&tell);
    let origin = Instant::now();
    let mut engine: Option<Engine> = None;
    let work = move |(ticket, game): (Ticket, Game)| {
        let engine = engine.get_or_insert_with(|| engines.engine());
        let positions = u32::try_from(game.plies().len() + 1).unwrap_or(u32::MAX);
        let limits = Limits {
            time: Some(LOOK_AT_POSITION_TIME.min(LOOK_BACK_TIME / positions)),
            goal: Goal::AllMargins,
            ..Limits::default()
        };
        let mut done = 0;
        let review = Review::from_game(&game, |position| {
            say(&tell, Event::LookingBack(ticket, done));
            done += 1;
            engine.analyse(position, limits, &|| origin.elapsed())
        });
        say(&tell, Event::LookedBack(ticket, Box::new(review)));
    };
    Worker::spawn("reviewer", flag, work, fail).map_err(|error| thread_failure(&error))
}

fn thread_failure(error: &io::Error) -> Failure {
    Failure::Work(format!("no thread to think with: {error}"))
}
