use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use kalah::{BySide, Game, PlayerAction, Position, Side};
use kalah_engine::{Engine, Goal, Limits, Review};
use kalah_players::{EngineFactory, MemorySize, TimeLimit};

use super::bout::GameSession;
use super::event::{AppEvent, RequestId};
use super::run::AppConfig;
use super::worker::Worker;
use crate::{CliError, Hint};

/// What those who think tell the screen.
pub(super) enum WorkerMessage {
    Event(AppEvent),
    /// One of them cannot go on.
    Failed(String),
}

/// All who think while the screen listens to keys: the programs that play, who advises, and who looks back.
pub(super) struct Workers {
    player: Worker<PlayerTask>,
    adviser: Worker<AdviserTask>,
    reviewer: Worker<(RequestId, Game)>,
    sender: Sender<WorkerMessage>,
}

/// A choice that a program is asked for.
struct PlayerTask {
    request_id: RequestId,
    player: Side,
    position: Position,
}

/// What somebody wants to know about a position.
enum AdviserTask {
    Hint(RequestId, Position),
    Analyze(RequestId, Position),
}

/// Memory of an engine that advises or looks back, in bytes, at most.
const MAX_ENGINE_MEMORY: u64 = 256 << 20;

/// What is not proven in this time is not worth the warmth.
const MAX_ANALYSIS_TIME: Duration = Duration::from_mins(2);

/// The time for a game that is looked back on, and the most of it for a position.
const REVIEW_TIME: Duration = Duration::from_mins(1);
const MAX_REVIEW_TIME_PER_POSITION: Duration = Duration::from_secs(2);

impl Workers {
    pub(super) fn new(
        bout: &GameSession,
        engines: EngineFactory,
        opening: &AppConfig,
        tell: Sender<WorkerMessage>,
    ) -> Result<Self, CliError> {
        let lesser = engines.clone().with_memory(MemorySize::new(
            engines.memory().bytes().min(MAX_ENGINE_MEMORY),
        ));
        Ok(Self {
            player: spawn_player(bout, engines, opening, tell.clone())?,
            adviser: spawn_adviser(lesser.clone(), opening.hint_time, tell.clone())?,
            reviewer: spawn_reviewer(lesser, tell.clone())?,
            sender: tell,
        })
    }

    /// Those for another game.
    pub(super) fn for_new_game(
        &self,
        bout: &GameSession,
        engines: EngineFactory,
        opening: &AppConfig,
    ) -> Result<Self, CliError> {
        Self::new(bout, engines, opening, self.sender.clone())
    }

    pub(super) fn request_move(&self, ticket: RequestId, player: Side, position: Position) {
        self.player.submit(PlayerTask {
            request_id: ticket,
            player,
            position,
        });
    }

    pub(super) fn move_now(&self) {
        self.player.hurry();
    }

    pub(super) fn cancel_move(&self) {
        self.player.cancel();
    }

    pub(super) fn request_hint(&self, ticket: RequestId, position: Position) {
        self.adviser.submit(AdviserTask::Hint(ticket, position));
    }

    pub(super) fn analyze(&self, ticket: RequestId, position: Position) {
        self.adviser.submit(AdviserTask::Analyze(ticket, position));
    }

    pub(super) fn stop_analysis(&self) {
        self.adviser.cancel();
    }

    pub(super) fn review(&self, ticket: RequestId, game: Game) {
        self.reviewer.submit((ticket, game));
    }

    pub(super) fn stop_review(&self) {
        self.reviewer.cancel();
    }
}

/// Tells the screen, if there still is one.
fn send_event(tell: &Sender<WorkerMessage>, event: AppEvent) {
    let _ = tell.send(WorkerMessage::Event(event));
}

fn failure_reporter(tell: &Sender<WorkerMessage>) -> impl FnOnce(String) + Send + 'static {
    let tell = tell.clone();
    move |reason| {
        let _ = tell.send(WorkerMessage::Failed(reason));
    }
}

fn spawn_player(
    bout: &GameSession,
    engines: EngineFactory,
    opening: &AppConfig,
    tell: Sender<WorkerMessage>,
) -> Result<Worker<PlayerTask>, CliError> {
    let flag: Arc<AtomicBool> = Arc::default();
    let engines = engines.with_stop_flag(Arc::clone(&flag));
    let mut players = BySide::from_fn(|side| {
        let seed = match side {
            Side::South => opening.seed,
            // Two random players of one seed must not play alike.
            Side::North => !opening.seed,
        };
        let spec = bout.specs()[side];
        spec.build_player(&bout.names()[side], seed, &engines)
    });
    let limits = bout.specs();
    let time = opening.move_time;
    let limits = BySide::from_fn(|side| limits[side].time_limit.map_or(time, TimeLimit::get));
    let fail = failure_reporter(&tell);
    let work = move |question: PlayerTask| {
        let PlayerTask {
            request_id: ticket,
            player,
            position,
        } = question;
        let limit = limits[player];
        let program = players[player].as_mut();
        let mv = program.and_then(|program| program.choose_move(&position, limit));
        let answer = mv.map_or(PlayerAction::NoMove, PlayerAction::Move);
        send_event(&tell, AppEvent::PlayerActed(ticket, answer));
    };
    Worker::spawn("player", flag, work, fail).map_err(|error| thread_failure(&error))
}

fn spawn_adviser(
    engines: EngineFactory,
    hint_limit: Duration,
    tell: Sender<WorkerMessage>,
) -> Result<Worker<AdviserTask>, CliError> {
    let flag: Arc<AtomicBool> = Arc::default();
    let engines = engines.with_stop_flag(Arc::clone(&flag));
    let fail = failure_reporter(&tell);
    let origin = Instant::now();
    // Most people never ask, and an engine needs memory.
    let mut engine: Option<Engine> = None;
    let work = move |advice| {
        let engine = engine.get_or_insert_with(|| engines.build());
        let clock = || origin.elapsed();
        match advice {
            AdviserTask::Hint(ticket, position) => {
                let limits = Limits {
                    time: Some(hint_limit),
                    ..Limits::default()
                };
                let hint = Hint::from_report(&engine.analyse(&position, limits, &clock));
                send_event(&tell, AppEvent::HintFound(ticket, hint));
            }
            AdviserTask::Analyze(ticket, position) => {
                let limits = Limits {
                    time: Some(MAX_ANALYSIS_TIME),
                    goal: Goal::AllMargins,
                    ..Limits::default()
                };
                let report =
                    engine.analyse_with_progress(&position, limits, &clock, &mut |report| {
                        send_event(&tell, AppEvent::Analyzed(ticket, report.clone()));
                    });
                send_event(&tell, AppEvent::Analyzed(ticket, report));
            }
        }
    };
    Worker::spawn("adviser", flag, work, fail).map_err(|error| thread_failure(&error))
}

fn spawn_reviewer(
    engines: EngineFactory,
    tell: Sender<WorkerMessage>,
) -> Result<Worker<(RequestId, Game)>, CliError> {
    let flag: Arc<AtomicBool> = Arc::default();
    let engines = engines.with_stop_flag(Arc::clone(&flag));
    let fail = failure_reporter(&tell);
    let origin = Instant::now();
    let mut engine: Option<Engine> = None;
    let work = move |(ticket, game): (RequestId, Game)| {
        let engine = engine.get_or_insert_with(|| engines.build());
        let positions = u32::try_from(game.plies().len() + 1).unwrap_or(u32::MAX);
        let limits = Limits {
            time: Some(MAX_REVIEW_TIME_PER_POSITION.min(REVIEW_TIME / positions)),
            goal: Goal::AllMargins,
            ..Limits::default()
        };
        let mut done = 0;
        let review = Review::from_game(&game, |position| {
            send_event(&tell, AppEvent::ReviewProgressed(ticket, done));
            done += 1;
            engine.analyse(position, limits, &|| origin.elapsed())
        });
        send_event(&tell, AppEvent::Reviewed(ticket, Box::new(review)));
    };
    Worker::spawn("reviewer", flag, work, fail).map_err(|error| thread_failure(&error))
}

fn thread_failure(error: &io::Error) -> CliError {
    CliError::Runtime(format!("no thread to think with: {error}"))
}
