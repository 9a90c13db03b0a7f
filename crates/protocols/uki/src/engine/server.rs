//! The server of an engine: it reads the commands of a host and sends the progress of searches and
//! their moves.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::mem;
use std::panic;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use kalah::{Game, Move, MoveTime, Position, Rules};
use kalah_players::{InputLine, LineReader, ThinkLimits, time_for_move};
use thiserror::Error;

use super::resources::EngineResources;
use super::session::{EngineSession, GoRequest};
use super::settings::EngineSettings;
use crate::message::{EngineMessage, HostMessage};
use crate::option::EngineOption;
use crate::parse::{OneLine, ParseUkiError, UkiMove};
use crate::search::Go;

/// The names in the reply to `uki`.
#[derive(Clone, Debug)]
pub struct EngineIdentity {
    /// The name of the engine.
    pub name: String,
    /// The author of the engine.
    pub author: String,
}

/// The reason why an engine ended early.
#[derive(Debug, Error)]
pub enum RunEngineError {
    /// The input cannot be read.
    #[error("cannot read the input: {0}")]
    Input(io::Error),
    /// The output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// A thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}

/// The maximum number of events that wait. The threads that send more events block, so that a flood
/// of input does not fill the memory.
const EVENT_QUEUE_CAPACITY: usize = 64;

/// The error for a command that is not allowed during a search.
const SEARCH_IN_PROGRESS: &str =
    "a search is in progress: only isready, uki, stop and quit are allowed before its bestmove";

/// The delay after the end of a time limit with which the server answers for a search that has not
/// ended: a part of the limit, between a minimum and a maximum. It is half of the reserve of
/// [`time_for_move`]. A search that waits for a processor on a busy machine ends later than that.
const ANSWER_DELAY_DIVISOR: u32 = 20;
const MIN_ANSWER_DELAY: Duration = Duration::from_millis(1);
const MAX_ANSWER_DELAY: Duration = Duration::from_millis(25);

/// The start of the game before the first `position`.
const DEFAULT_HOUSES: u8 = 6;
const DEFAULT_SEEDS: u64 = 4;

/// Runs an engine that reads commands from `input` until it ends or a command is `quit`. Searches
/// run on a thread of their own, and another one reads the input.
///
/// # Errors
/// Returns the error of the input or of the output, or of the start of a thread.
///
/// # Panics
/// If a search panics.
pub fn run_engine(
    identity: EngineIdentity,
    settings: EngineSettings,
    resources: Arc<dyn EngineResources>,
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
) -> Result<(), RunEngineError> {
    let (event_sender, events) = mpsc::sync_channel(EVENT_QUEUE_CAPACITY);
    let input_sender = event_sender.clone();
    thread::Builder::new()
        .spawn(move || forward_input(input, &input_sender))
        .map_err(RunEngineError::Thread)?;
    let start = Position::start(DEFAULT_HOUSES, DEFAULT_SEEDS, Rules::default())
        .unwrap_or_else(|reason| unreachable!("a valid start: {reason}"));
    let server = UkiServer {
        identity,
        options: settings.options(),
        state: SearchState::Idle(EngineSession::new(settings.clone(), Arc::clone(&resources))),
        settings,
        resources,
        game: Game::new(start),
        queued_input: VecDeque::new(),
        is_shutting_down: false,
        event_sender,
        output,
    };
    server.run(&events)
}

/// An event of the server.
enum UkiEvent {
    /// A line of input, the end of the input, or an error of reading it.
    Input(io::Result<InputLine>),
    /// A message of a running search.
    Message(EngineMessage),
    /// The end of a search, also by a panic.
    SearchEnded,
}

/// Sends the lines of the input as events, up to its end.
fn forward_input(input: impl BufRead, event_sender: &SyncSender<UkiEvent>) {
    let mut lines = LineReader::new(input);
    loop {
        let line = lines.read();
        let is_last = matches!(line, Ok(InputLine::End) | Err(_));
        // The receiver is closed only if the process is about to end.
        if event_sender.send(UkiEvent::Input(line)).is_err() || is_last {
            return;
        }
    }
}

/// The connection to a host that sends commands.
struct UkiServer<'a> {
    identity: EngineIdentity,
    settings: EngineSettings,
    resources: Arc<dyn EngineResources>,
    options: Vec<EngineOption>,
    game: Game,
    state: SearchState,
    /// The lines that were read while the server waited for the end of a search.
    queued_input: VecDeque<io::Result<InputLine>>,
    /// Whether input is ignored, because it has ended or the host has sent `quit`.
    is_shutting_down: bool,
    event_sender: SyncSender<UkiEvent>,
    output: &'a mut dyn Write,
}

enum SearchState {
    /// No search runs.
    Idle(EngineSession),
    /// A search runs on a thread.
    Searching(RunningSearch),
    /// The server has sent the move of a search whose thread is about to end.
    Ending(SearchThread),
    /// A search of `go infinite` has ended, and its move waits for `stop`.
    AwaitingStop(EngineSession, Option<UkiMove>),
    /// The state while another one is replaced.
    Transition,
}

/// A search on a thread.
struct RunningSearch {
    stop_flag: Arc<AtomicBool>,
    /// The time of the clock at which the search is stopped.
    stop_at: Option<Duration>,
    /// The time of the clock at which the server sends the move of the search, if it has not ended.
    answer_at: Option<Duration>,
    /// The best move that the search has reported.
    best_move: Option<UkiMove>,
    /// Whether the move is sent only after `stop`.
    waits_for_stop: bool,
    thread: SearchThread,
}

/// A thread that returns its session and the best move.
type SearchThread = JoinHandle<(EngineSession, Option<UkiMove>)>;

/// Sends [`UkiEvent::SearchEnded`] when it is dropped, so that the event follows a panic, too.
struct NotifyOnDrop(SyncSender<UkiEvent>);

impl Drop for NotifyOnDrop {
    fn drop(&mut self) {
        // The receiver is closed only if the process is about to end.
        let _ = self.0.send(UkiEvent::SearchEnded);
    }
}

impl UkiServer<'_> {
    /// Runs until the input has ended and the last move is sent.
    fn run(mut self, events: &Receiver<UkiEvent>) -> Result<(), RunEngineError> {
        while !(self.is_shutting_down && matches!(self.state, SearchState::Idle(_))) {
            match self.next_event(events) {
                None => self.handle_timeout()?,
                Some(UkiEvent::Input(line)) => self.handle_input(line, events)?,
                Some(UkiEvent::Message(message)) => self.handle_search_message(&message)?,
                Some(UkiEvent::SearchEnded) => self.finish_search()?,
            }
        }
        Ok(())
    }

    /// Returns the next event; `None` if a deadline of the search comes first.
    fn next_event(&mut self, events: &Receiver<UkiEvent>) -> Option<UkiEvent> {
        if let Some(line) = self.queued_input.pop_front() {
            return Some(UkiEvent::Input(line));
        }
        let deadline = match &self.state {
            SearchState::Searching(search) => search.stop_at.or(search.answer_at),
            _ => None,
        };
        let Some(deadline) = deadline else {
            // This value has a sender, so the channel is not closed.
            return events.recv().ok();
        };
        let left = deadline.saturating_sub(self.resources.now());
        events.recv_timeout(left).ok()
    }

    fn send(&mut self, message: &EngineMessage) -> Result<(), RunEngineError> {
        writeln!(self.output, "{message}")?;
        self.output.flush()?;
        Ok(())
    }

    fn send_error(&mut self, reason: &str) -> Result<(), RunEngineError> {
        self.send(&EngineMessage::Error(OneLine::new(reason)))
    }

    /// Sends a message of the running search. One that has been answered has nothing more to say.
    fn handle_search_message(&mut self, message: &EngineMessage) -> Result<(), RunEngineError> {
        let SearchState::Searching(search) = &mut self.state else {
            return Ok(());
        };
        if let EngineMessage::Info(info) = message {
            search.best_move = info.pv.first().copied().or(search.best_move);
        }
        self.send(message)
    }

    fn handle_input(
        &mut self,
        line: io::Result<InputLine>,
        events: &Receiver<UkiEvent>,
    ) -> Result<(), RunEngineError> {
        if self.is_shutting_down {
            return Ok(());
        }
        match line.map_err(RunEngineError::Input)? {
            InputLine::Text(line) => match line.parse() {
                Ok(message) => self.handle_message(message, events),
                Err(ParseUkiError::Empty(_)) => Ok(()),
                Err(reason) => self.send_error(&reason.to_string()),
            },
            InputLine::TooLong => self.send_error("the line is longer than 16,384 bytes"),
            InputLine::NotUtf8(_) => self.send_error("the line is not valid UTF-8"),
            InputLine::End => self.shut_down(),
        }
    }

    fn handle_message(
        &mut self,
        message: HostMessage,
        events: &Receiver<UkiEvent>,
    ) -> Result<(), RunEngineError> {
        match message {
            HostMessage::Uki => self.send_identity(),
            HostMessage::IsReady => self.send(&EngineMessage::ReadyOk),
            HostMessage::Stop => self.stop(),
            HostMessage::Quit => self.shut_down(),
            HostMessage::NewGame | HostMessage::SetOption { .. } => {
                self.wait_for_ending_search(events)?;
                self.reconfigure(message)
            }
            HostMessage::Position(game) => {
                if self.is_searching() {
                    return self.send_error(SEARCH_IN_PROGRESS);
                }
                self.game = *game;
                Ok(())
            }
            HostMessage::Go(go) => self.go(go, events),
        }
    }

    fn send_identity(&mut self) -> Result<(), RunEngineError> {
        self.send(&EngineMessage::Name(OneLine::new(&self.identity.name)))?;
        self.send(&EngineMessage::Author(OneLine::new(&self.identity.author)))?;
        for option in self.options.clone() {
            self.send(&EngineMessage::Option(option))?;
        }
        self.send(&EngineMessage::UkiOk)
    }

    fn is_searching(&self) -> bool {
        !matches!(self.state, SearchState::Idle(_) | SearchState::Ending(_))
    }

    /// Waits for the end of a search whose move is sent, and queues the input that arrives
    /// meanwhile.
    fn wait_for_ending_search(
        &mut self,
        events: &Receiver<UkiEvent>,
    ) -> Result<(), RunEngineError> {
        while matches!(self.state, SearchState::Ending(_)) {
            // This value has a sender, so the channel is not closed.
            match events.recv() {
                Ok(UkiEvent::Input(line)) => self.queued_input.push_back(line),
                Ok(UkiEvent::Message(_)) | Err(_) => {}
                Ok(UkiEvent::SearchEnded) => self.finish_search()?,
            }
        }
        Ok(())
    }

    /// Handles `newgame` and `setoption`, which are not allowed during a search.
    fn reconfigure(&mut self, message: HostMessage) -> Result<(), RunEngineError> {
        let SearchState::Idle(session) = &mut self.state else {
            return self.send_error(SEARCH_IN_PROGRESS);
        };
        match message {
            HostMessage::SetOption { name, value } => {
                let check_folder = |folder: &Path| self.resources.check_table_folder(folder);
                match (self.settings).set(&name, value.as_ref(), &check_folder) {
                    Ok(()) => {
                        let resources = Arc::clone(&self.resources);
                        *session = EngineSession::new(self.settings.clone(), resources);
                    }
                    Err(reason) => return self.send_error(&reason),
                }
            }
            _ => session.clear_search_state(),
        }
        Ok(())
    }

    /// Starts a search.
    fn go(&mut self, go: Go, events: &Receiver<UkiEvent>) -> Result<(), RunEngineError> {
        let started_at = self.resources.now();
        self.wait_for_ending_search(events)?;
        let mut session = match mem::replace(&mut self.state, SearchState::Transition) {
            SearchState::Idle(session) => session,
            other => {
                self.state = other;
                return self.send_error(SEARCH_IN_PROGRESS);
            }
        };
        let position = self.game.position().clone();
        let request = GoRequest {
            time: time_for_move(
                &ThinkLimits::from(&go),
                &position,
                session.obeys_search_limits(),
            ),
            position,
            go,
            started_at,
        };
        let stop_flag = session.reset_stop_flag();
        let limit = request.time.map(MoveTime::limit);
        let stop_at = limit.and_then(|limit| started_at.checked_add(limit));
        // Other players answer soon after the stop, and report no move before that.
        let answer_at = (limit.zip(stop_at))
            .filter(|_| session.obeys_search_limits() && !go.infinite)
            .and_then(|(limit, stop_at)| {
                let delay = limit / ANSWER_DELAY_DIVISOR;
                stop_at.checked_add(delay.clamp(MIN_ANSWER_DELAY, MAX_ANSWER_DELAY))
            });
        let event_sender = self.event_sender.clone();
        let search = move || {
            let notifier = NotifyOnDrop(event_sender);
            let mv = session.choose_move(&request, &mut |message| {
                // The receiver is closed only if the process is about to end.
                let _ = notifier.0.send(UkiEvent::Message(message));
            });
            let side = request.position.to_move();
            (session, mv.map(|mv| UkiMove::new(side, mv)))
        };
        let thread = thread::Builder::new().spawn(search);
        let thread = thread.map_err(RunEngineError::Thread)?;
        self.state = SearchState::Searching(RunningSearch {
            stop_flag,
            stop_at,
            answer_at,
            best_move: None,
            waits_for_stop: go.infinite,
            thread,
        });
        Ok(())
    }

    /// Sets the stop flag of the running search.
    fn request_stop(&mut self) {
        if let SearchState::Searching(search) = &mut self.state {
            search.stop_flag.store(true, Ordering::Relaxed);
            search.stop_at = None;
        }
    }

    /// Stops the running search, whose time is over. If that has happened before, sends the best
    /// move that it has reported.
    fn handle_timeout(&mut self) -> Result<(), RunEngineError> {
        match mem::replace(&mut self.state, SearchState::Transition) {
            SearchState::Searching(search) if search.stop_at.is_none() => {
                self.state = SearchState::Ending(search.thread);
                let position = self.game.position();
                let greedy =
                    || greedy_move(position).map(|mv| UkiMove::new(position.to_move(), mv));
                let mv = search.best_move.or_else(greedy);
                self.send(&EngineMessage::BestMove(mv))
            }
            other => {
                self.state = other;
                self.request_stop();
                Ok(())
            }
        }
    }

    /// Takes the result of a search that has ended, and sends its move unless it is sent already or
    /// waits for `stop`.
    fn finish_search(&mut self) -> Result<(), RunEngineError> {
        match mem::replace(&mut self.state, SearchState::Transition) {
            SearchState::Ending(thread) => {
                let (session, _) = join(thread);
                self.state = SearchState::Idle(session);
                Ok(())
            }
            SearchState::Searching(search) => {
                let (session, mv) = join(search.thread);
                if search.waits_for_stop {
                    self.state = SearchState::AwaitingStop(session, mv);
                    return Ok(());
                }
                self.state = SearchState::Idle(session);
                self.send(&EngineMessage::BestMove(mv))
            }
            other => {
                self.state = other;
                Ok(())
            }
        }
    }

    /// Handles `stop`: the search sends its move now. Without a search it does nothing, because the
    /// host may send it while the last move is on its way.
    fn stop(&mut self) -> Result<(), RunEngineError> {
        self.request_stop();
        match mem::replace(&mut self.state, SearchState::Transition) {
            SearchState::AwaitingStop(session, mv) => {
                self.state = SearchState::Idle(session);
                self.send(&EngineMessage::BestMove(mv))
            }
            SearchState::Searching(search) => {
                self.state = SearchState::Searching(RunningSearch {
                    waits_for_stop: false,
                    ..search
                });
                Ok(())
            }
            other => {
                self.state = other;
                Ok(())
            }
        }
    }

    fn shut_down(&mut self) -> Result<(), RunEngineError> {
        self.is_shutting_down = true;
        self.stop()
    }
}

/// Returns the sowing after which the store of the side to move has most seeds; of several one with
/// a bonus turn, and then the lowest house.
fn greedy_move(position: &Position) -> Option<Move> {
    let side = position.to_move();
    let store_and_bonus_turn = |&mv: &Move| {
        let mut after = position.clone();
        let is_legal = after.play(mv).is_ok();
        is_legal.then(|| {
            (
                after.store(side),
                !after.is_over() && after.to_move() == side,
            )
        })
    };
    (position.legal_houses().map(Move::Sow)).min_by_key(|mv| Reverse(store_and_bonus_turn(mv)))
}

/// Waits for the end of a search, and passes its panic on.
fn join(thread: SearchThread) -> (EngineSession, Option<UkiMove>) {
    thread
        .join()
        .unwrap_or_else(|reason| panic::resume_unwind(reason))
}
