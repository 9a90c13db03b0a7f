//! Worker threads: programs that play, hints and margins, and reviews.

use std::any::Any;
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use kalah::{BySide, Game, MoveTime, Player, PlayerAction, Position, Side};
use kalah_engine::{AnalysisGoal, Engine, Estimates, Limits, Puzzle, PuzzleGenerator};
use kalah_players::{
    EngineFactory, GamePlayerSpec, MemorySize, ParticipantFailure, ProgramPlayer, Shutdown,
    StderrLines,
};

use crate::app::config::TuiError;
use crate::game::{GameSession, PuzzleDifficulty};
use crate::screen::event::{AppEvent, WantedPuzzle, WorkerRequestId};
use kalah_text::Hint;

/// A message from a worker to the event loop.
pub(crate) enum WorkerMessage {
    Event(AppEvent),
    /// The worker panicked with this message and has ended.
    Panicked(String),
}

/// Options of the workers of a game.
#[derive(Clone, Debug)]
pub(crate) struct WorkerOptions {
    /// The time for a move of a player whose spec has no time limit.
    pub(crate) move_time: Duration,
    pub(crate) hint_time: Duration,
    /// Whether time limits built-in players, hints and reviews.
    pub(crate) is_time_limited: bool,
    /// The seed of players that use randomness.
    pub(crate) seed: u64,
    /// The request to end, with the processes of programs.
    pub(crate) shutdown: Shutdown,
}

/// The worker threads of a game.
pub(crate) struct Workers {
    player: Worker<MoveTask>,
    analyzer: Worker<AnalysisTask>,
    reviewer: Worker<ReviewTask>,
    puzzler: Worker<PuzzleTask>,
    /// The standard error of programs.
    stderr: BySide<Option<StderrLines>>,
    sender: Sender<WorkerMessage>,
}

/// A request for a move of a program.
struct MoveTask {
    request_id: WorkerRequestId,
    player: Side,
    game: Game,
    /// The time that the player may use at most, by its clock.
    clock_time: Option<MoveTime>,
}

/// A request for an analysis of a position.
enum AnalysisTask {
    Hint(WorkerRequestId, Position),
    Analyze(WorkerRequestId, Position),
}

/// A request for a review of a game.
struct ReviewTask {
    request_id: WorkerRequestId,
    game: Game,
}

/// A request for a puzzle.
struct PuzzleTask {
    request_id: WorkerRequestId,
    request: WantedPuzzle,
}

/// The maximum memory of the engines for analyses and reviews, in bytes.
const MAX_ENGINE_MEMORY: u64 = 256 << 20;

/// The maximum time for the margins of a position: practically until the user leaves it.
const MAX_ANALYSIS_TIME: Duration = Duration::from_hours(1);

/// The time for the review of a game, and the maximum part of it for a position.
const REVIEW_TIME: Duration = Duration::from_mins(1);
const MAX_REVIEW_TIME_PER_POSITION: Duration = Duration::from_secs(2);

/// The maximum work for a puzzle, as [`PuzzleGenerator::with_max_work`] counts it. On 6x4, a puzzle
/// takes a small part of it, and some boards have none.
const MAX_PUZZLE_WORK: u64 = 600_000_000;

impl Workers {
    /// Starts the workers for a game.
    pub(crate) fn spawn(
        session: &GameSession,
        engines: EngineFactory,
        options: &WorkerOptions,
        sender: Sender<WorkerMessage>,
    ) -> Result<Self, TuiError> {
        let memory = engines.memory().bytes().min(MAX_ENGINE_MEMORY);
        let small_engines = engines.clone().with_memory(MemorySize::new(memory));
        let (player, stderr) = spawn_player(session, engines, options, sender.clone())?;
        Ok(Self {
            player,
            stderr,
            analyzer: spawn_analyzer(small_engines.clone(), options, sender.clone())?,
            reviewer: spawn_reviewer(small_engines, options, sender.clone())?,
            puzzler: spawn_puzzler(options.seed, sender.clone())?,
            sender,
        })
    }

    /// Starts the workers for another game, which send to the same channel.
    pub(crate) fn respawn(
        &self,
        session: &GameSession,
        engines: EngineFactory,
        options: &WorkerOptions,
    ) -> Result<Self, TuiError> {
        Self::spawn(session, engines, options, self.sender.clone())
    }

    pub(crate) fn request_move(
        &self,
        request_id: WorkerRequestId,
        player: Side,
        game: Game,
        clock_time: Option<MoveTime>,
    ) {
        self.player.submit(MoveTask {
            request_id,
            player,
            game,
            clock_time,
        });
    }

    /// Takes the lines that the program that began on the side `player` has written to its standard
    /// error.
    pub(crate) fn take_stderr(&self, player: Side) -> Vec<String> {
        let lines = self.stderr[player].as_ref();
        lines.map(StderrLines::take).unwrap_or_default()
    }

    pub(crate) fn move_now(&self) {
        self.player.hurry();
    }

    pub(crate) fn cancel_move(&self) {
        self.player.cancel();
    }

    pub(crate) fn request_hint(&self, request_id: WorkerRequestId, position: Position) {
        self.analyzer
            .submit(AnalysisTask::Hint(request_id, position));
    }

    pub(crate) fn analyze(&self, request_id: WorkerRequestId, position: Position) {
        let task = AnalysisTask::Analyze(request_id, position);
        self.analyzer.submit(task);
    }

    pub(crate) fn stop_analysis(&self) {
        self.analyzer.cancel();
    }

    pub(crate) fn review(&self, request_id: WorkerRequestId, game: Game) {
        self.reviewer.submit(ReviewTask { request_id, game });
    }

    pub(crate) fn request_puzzle(&self, request_id: WorkerRequestId, request: WantedPuzzle) {
        self.puzzler.submit(PuzzleTask {
            request_id,
            request,
        });
    }

    pub(crate) fn stop_review(&self) {
        self.reviewer.cancel();
    }
}

/// Sends an event to the event loop, if it still runs.
fn send_event(sender: &Sender<WorkerMessage>, event: AppEvent) {
    let _ = sender.send(WorkerMessage::Event(event));
}

fn panic_reporter(sender: &Sender<WorkerMessage>) -> impl FnOnce(String) + Send + 'static {
    let sender = sender.clone();
    move |reason| {
        let _ = sender.send(WorkerMessage::Panicked(reason));
    }
}

/// A player that is no person.
enum WorkerPlayer {
    Builtin(Box<dyn Player + Send>),
    Program(Box<ProgramPlayer>),
}

impl WorkerPlayer {
    /// Returns the action of the player, or the reason why a program has none; `None` if the
    /// request was cancelled.
    fn answer(&mut self, game: &Game, time: MoveTime) -> Option<Result<PlayerAction, String>> {
        match self {
            Self::Builtin(player) => {
                let mv = player.choose_move_in(game.position(), time);
                Some(Ok(mv.map_or(PlayerAction::NoMove, PlayerAction::Move)))
            }
            Self::Program(program) => match program.choose_move(game, time) {
                Ok(mv) => Some(Ok(PlayerAction::Move(mv))),
                Err(ParticipantFailure::Aborted) => None,
                Err(failure) => Some(Err(failure_text(&failure))),
            },
        }
    }
}

/// Returns the reason of a failure. The screen shows the standard error of the program.
fn failure_text(failure: &ParticipantFailure) -> String {
    match failure {
        ParticipantFailure::Crash { status, .. } => format!("it ended: {status}"),
        failure => failure.description(),
    }
}

fn spawn_player(
    session: &GameSession,
    engines: EngineFactory,
    options: &WorkerOptions,
    sender: Sender<WorkerMessage>,
) -> Result<(Worker<MoveTask>, BySide<Option<StderrLines>>), TuiError> {
    let stop_flag: Arc<AtomicBool> = Arc::default();
    let engines = engines.with_stop_flag(Arc::clone(&stop_flag));
    let shutdown = options.shutdown.with_flag(Arc::clone(&stop_flag));
    let specs = session.specs();
    let mut players = BySide::from_fn(|side| {
        let seed = match side {
            Side::South => options.seed,
            // Two random players with equal seeds would play alike.
            Side::North => !options.seed,
        };
        match &specs[side] {
            GamePlayerSpec::Local(spec) => {
                let player = spec.build_player(&session.names()[side], seed, &engines);
                player.map(WorkerPlayer::Builtin)
            }
            GamePlayerSpec::Program(spec) => {
                let program = ProgramPlayer::new(spec, side, &shutdown);
                Some(WorkerPlayer::Program(Box::new(program)))
            }
        }
    });
    let stderr = BySide::from_fn(|side| match &players[side] {
        Some(WorkerPlayer::Program(program)) => Some(program.stderr()),
        Some(WorkerPlayer::Builtin(_)) | None => None,
    });
    let time_limits = BySide::from_fn(|side| {
        let default = match &specs[side] {
            GamePlayerSpec::Local(_) if !options.is_time_limited => Duration::MAX,
            GamePlayerSpec::Local(_) | GamePlayerSpec::Program(_) => options.move_time,
        };
        specs[side].time_limit().unwrap_or(default)
    });
    let report_panic = panic_reporter(&sender);
    let run_task = move |task: MoveTask| {
        let MoveTask {
            request_id,
            player,
            game,
            clock_time,
        } = task;
        let limit = time_limits[player];
        let time = clock_time.map_or(MoveTime::fixed(limit), |time| time.min(limit));
        let answer = match &mut players[player] {
            Some(player) => player.answer(&game, time),
            None => Some(Ok(PlayerAction::NoMove)),
        };
        match answer {
            Some(Ok(action)) => send_event(&sender, AppEvent::PlayerActed(request_id, action)),
            Some(Err(reason)) => send_event(&sender, AppEvent::PlayerFailed(request_id, reason)),
            None => {}
        }
    };
    let worker = Worker::spawn("player", stop_flag, run_task, report_panic)?;
    Ok((worker, stderr))
}

fn spawn_analyzer(
    engines: EngineFactory,
    options: &WorkerOptions,
    sender: Sender<WorkerMessage>,
) -> Result<Worker<AnalysisTask>, TuiError> {
    let hint_time = options.is_time_limited.then_some(options.hint_time);
    let stop_flag: Arc<AtomicBool> = Arc::default();
    let engines = engines.with_stop_flag(Arc::clone(&stop_flag));
    let report_panic = panic_reporter(&sender);
    let origin = Instant::now();
    // An engine allocates its memory when it is built, and many games need none.
    let mut engine: Option<Engine> = None;
    let run_task = move |task| {
        let engine = engine.get_or_insert_with(|| engines.build());
        let clock = || origin.elapsed();
        match task {
            AnalysisTask::Hint(request_id, position) => {
                let limits = Limits {
                    time: hint_time,
                    ..Limits::default()
                };
                let report = engine.analyze(&position, limits, &clock);
                let hint = Hint::from_report(&position, &report);
                send_event(&sender, AppEvent::HintFound(request_id, hint));
            }
            AnalysisTask::Analyze(request_id, position) => {
                let limits = Limits {
                    time: Some(MAX_ANALYSIS_TIME),
                    goal: AnalysisGoal::AllMargins,
                    estimates: Estimates::AllMoves,
                    ..Limits::default()
                };
                let report =
                    engine.analyze_with_progress(&position, limits, &clock, &mut |report| {
                        send_event(&sender, AppEvent::Analyzed(request_id, report.clone()));
                    });
                send_event(&sender, AppEvent::Analyzed(request_id, report));
            }
        }
    };
    Worker::spawn("analyzer", stop_flag, run_task, report_panic)
}

fn spawn_reviewer(
    engines: EngineFactory,
    options: &WorkerOptions,
    sender: Sender<WorkerMessage>,
) -> Result<Worker<ReviewTask>, TuiError> {
    let stop_flag: Arc<AtomicBool> = Arc::default();
    let engines = engines.with_stop_flag(Arc::clone(&stop_flag));
    let report_panic = panic_reporter(&sender);
    let origin = Instant::now();
    let mut engine: Option<Engine> = None;
    let is_time_limited = options.is_time_limited;
    let run_task = move |ReviewTask { request_id, game }| {
        let engine = engine.get_or_insert_with(|| engines.build());
        let positions = u32::try_from(game.plies().len() + 1).unwrap_or(u32::MAX);
        let limits = Limits {
            time: is_time_limited
                .then(|| MAX_REVIEW_TIME_PER_POSITION.min(REVIEW_TIME / positions)),
            goal: AnalysisGoal::AllMargins,
            estimates: Estimates::AllMoves,
            ..Limits::default()
        };
        let afterwards = game.plies().iter().map(|ply| &ply.after);
        let positions_of_game = iter::once(game.start()).chain(afterwards);
        let mut reports = Vec::new();
        // The last positions are analyzed first, so that the transposition table knows them when
        // their predecessors are analyzed.
        for position in positions_of_game.rev() {
            let progress = AppEvent::ReviewProgressed(request_id, reports.len());
            send_event(&sender, progress);
            reports.push(engine.analyze(position, limits, &|| origin.elapsed()));
        }
        reports.reverse();
        send_event(&sender, AppEvent::Reviewed(request_id, reports));
    };
    Worker::spawn("reviewer", stop_flag, run_task, report_panic)
}

fn spawn_puzzler(seed: u64, sender: Sender<WorkerMessage>) -> Result<Worker<PuzzleTask>, TuiError> {
    let report_panic = panic_reporter(&sender);
    let run_task = move |task: PuzzleTask| {
        let request_id = task.request_id;
        let seed = seed.wrapping_add(request_id.0);
        let puzzle = find_puzzle(task.request, seed).map(Box::new);
        send_event(&sender, AppEvent::PuzzleFound(request_id, puzzle));
    };
    Worker::spawn("puzzler", Arc::default(), run_task, report_panic)
}

/// Finds a puzzle. If the games have none near the rating of the user, an adaptive puzzle has any
/// rating.
fn find_puzzle(request: WantedPuzzle, seed: u64) -> Option<Puzzle> {
    let (start, ratings, choices) = match request {
        WantedPuzzle::Daily(day) => return Puzzle::daily(day),
        WantedPuzzle::Chosen {
            start,
            ratings,
            choices,
        } => (start, ratings, choices),
    };
    let generator = || {
        let default_nodes = PuzzleGenerator::DEFAULT_MAX_NODES;
        let max_nodes = choices.max_nodes.unwrap_or(default_nodes);
        let work = (MAX_PUZZLE_WORK / default_nodes).saturating_mul(max_nodes);
        let generator = PuzzleGenerator::new(start.clone(), seed)
            .with_max_work(work.max(MAX_PUZZLE_WORK))
            .with_max_nodes(max_nodes)
            .with_min_depth(choices.min_depth)
            .with_min_moves(choices.min_moves);
        match choices.theme {
            Some(theme) => generator.with_theme(theme),
            None => generator,
        }
    };
    let puzzle = generator().with_ratings(ratings).next();
    if puzzle.is_none() && choices.difficulty == PuzzleDifficulty::Adaptive {
        generator().next()
    } else {
        puzzle
    }
}

/// A thread that runs the last submitted task and drops the tasks before it.
struct Worker<T> {
    tasks: Sender<(u64, T)>,
    /// The number of the last submitted task, or a later number if that task was cancelled.
    current_task: Arc<AtomicU64>,
    /// Stops the running task.
    stop_flag: Arc<AtomicBool>,
    /// The number of the last task that is to end as soon as possible with a result.
    hurried_task: Arc<AtomicU64>,
}

impl<T: Send + 'static> Worker<T> {
    /// Starts a worker. `run_task` polls `stop_flag`, and `report_panic` receives the message of a
    /// panic.
    fn spawn(
        name: &str,
        stop_flag: Arc<AtomicBool>,
        mut run_task: impl FnMut(T) + Send + 'static,
        report_panic: impl FnOnce(String) + Send + 'static,
    ) -> Result<Self, TuiError> {
        let (tasks, submitted) = channel::<(u64, T)>();
        let current_task = Arc::new(AtomicU64::new(0));
        let hurried_task = Arc::new(AtomicU64::new(0));
        let worker = Self {
            tasks,
            current_task: Arc::clone(&current_task),
            stop_flag: Arc::clone(&stop_flag),
            hurried_task: Arc::clone(&hurried_task),
        };
        let run_tasks = AssertUnwindSafe(move || {
            for (number, task) in submitted {
                // The flag is cleared before the numbers are read: a task that is cancelled or
                // hurried afterwards sets the flag again.
                stop_flag.store(false, Ordering::SeqCst);
                if hurried_task.load(Ordering::SeqCst) == number {
                    stop_flag.store(true, Ordering::SeqCst);
                }
                if current_task.load(Ordering::SeqCst) == number {
                    run_task(task);
                }
            }
        });
        thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                if let Err(payload) = catch_unwind(run_tasks) {
                    report_panic(panic_message(&*payload));
                }
            })
            .map_err(TuiError::Thread)?;
        Ok(worker)
    }

    /// Cancels the previous task and runs this one.
    fn submit(&self, task: T) {
        let number = self.cancel();
        // A worker that has panicked has reported it.
        let _ = self.tasks.send((number, task));
    }

    /// Cancels the current task, and returns the number of the next one.
    fn cancel(&self) -> u64 {
        let number = self.current_task.fetch_add(1, Ordering::SeqCst) + 1;
        self.stop_flag.store(true, Ordering::SeqCst);
        number
    }

    /// Stops the current task, which still sends its result, also if it has not started yet.
    fn hurry(&self) {
        let number = self.current_task.load(Ordering::SeqCst);
        self.hurried_task.store(number, Ordering::SeqCst);
        self.stop_flag.store(true, Ordering::SeqCst);
    }
}

impl<T> Drop for Worker<T> {
    fn drop(&mut self) {
        self.current_task.fetch_add(1, Ordering::SeqCst);
        self.stop_flag.store(true, Ordering::SeqCst);
    }
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("unknown panic").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// The time limit that ends a hanging test.
    const TIMEOUT: Duration = Duration::from_mins(5);

    #[test]
    fn a_submitted_task_stops_the_previous_one() {
        let stop_flag = Arc::new(AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel();
        let polled_flag = Arc::clone(&stop_flag);
        let run_task = move |task: u32| {
            sender.send(("begun", task)).expect("a receiver");
            while task == 1 && !polled_flag.load(Ordering::SeqCst) {
                thread::yield_now();
            }
            sender.send(("done", task)).expect("a receiver");
        };
        let worker = Worker::spawn("test", stop_flag, run_task, |_| {}).expect("a thread");
        worker.submit(1);
        assert_eq!(receiver.recv_timeout(TIMEOUT), Ok(("begun", 1)));
        worker.submit(2);
        for expected in [("done", 1), ("begun", 2), ("done", 2)] {
            assert_eq!(receiver.recv_timeout(TIMEOUT), Ok(expected));
        }
    }

    #[test]
    fn a_task_that_is_hurried_before_it_starts_finds_the_flag_set() {
        let stop_flag = Arc::new(AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel();
        let (resume, paused) = mpsc::channel();
        let polled_flag = Arc::clone(&stop_flag);
        let run_task = move |task: u32| {
            sender.send((task, false)).expect("a receiver");
            paused.recv().expect("a sender");
            let is_hurried = polled_flag.load(Ordering::SeqCst);
            sender.send((task, is_hurried)).expect("a receiver");
        };
        let worker = Worker::spawn("test", stop_flag, run_task, |_| {}).expect("a thread");
        worker.submit(1);
        assert_eq!(receiver.recv_timeout(TIMEOUT), Ok((1, false)));
        worker.submit(2);
        worker.hurry();
        worker.submit(3);
        worker.hurry();
        for _ in 0..3 {
            resume.send(()).expect("a receiver");
        }
        // Task 2 was cancelled before it started.
        for expected in [(1, true), (3, false), (3, true)] {
            assert_eq!(receiver.recv_timeout(TIMEOUT), Ok(expected));
        }
    }

    #[test]
    fn a_panic_is_reported_with_its_message() {
        let (sender, receiver) = mpsc::channel();
        let run_task = |number: u32| assert_eq!(number, 1, "the number is not one");
        let report = move |reason| sender.send(reason).expect("a receiver");
        let worker = Worker::spawn("test", Arc::default(), run_task, report).expect("a thread");
        worker.submit(2);
        let reason = receiver.recv_timeout(TIMEOUT).expect("a panic");
        assert!(reason.contains("the number is not one"), "{reason}");
    }
}
