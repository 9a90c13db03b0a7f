//! The server of an engine: it reads the commands of a host and sends the progress of searches and
//! their moves.

use std::io::{self, BufRead, Write};
use std::mem;
use std::panic;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use kalah::{Game, Position, Rules};
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
    /// A search of `go infinite` has ended, and its move waits for `stop`.
    AwaitingStop(EngineSession, Option<UkiMove>),
    /// The state while another one is replaced.
    Transition,
}

/// A search on a thread.
struct RunningSearch {
    stop_flag: Arc<AtomicBool>,
    /// The time of the clock at which the search is stopped.
    deadline: Option<Duration>,
    /// Whether the move is sent only after `stop`.
    waits_for_stop: bool,
    thread: JoinHandle<(EngineSession, Option<UkiMove>)>,
}

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
                None => self.request_stop(),
                Some(UkiEvent::Input(line)) => self.handle_input(line)?,
                Some(UkiEvent::Message(message)) => self.send(&message)?,
                Some(UkiEvent::SearchEnded) => self.finish_search()?,
            }
        }
        Ok(())
    }

    /// Returns the next event; `None` if the deadline of the search comes first.
    fn next_event(&self, events: &Receiver<UkiEvent>) -> Option<UkiEvent> {
        let deadline = match &self.state {
            SearchState::Searching(search) => search.deadline,
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

    fn handle_input(&mut self, line: io::Result<InputLine>) -> Result<(), RunEngineError> {
        if self.is_shutting_down {
            return Ok(());
        }
        match line.map_err(RunEngineError::Input)? {
            InputLine::Text(line) => match line.parse() {
                Ok(message) => self.handle_message(message),
                Err(ParseUkiError::Empty(_)) => Ok(()),
                Err(reason) => self.send_error(&reason.to_string()),
            },
            InputLine::TooLong => self.send_error("the line is longer than 16,384 bytes"),
            InputLine::NotUtf8(_) => self.send_error("the line is not valid UTF-8"),
            InputLine::End => self.shut_down(),
        }
    }

    fn handle_message(&mut self, message: HostMessage) -> Result<(), RunEngineError> {
        match message {
            HostMessage::Uki => self.send_identity(),
            HostMessage::IsReady => self.send(&EngineMessage::ReadyOk),
            HostMessage::Stop => self.stop(),
            HostMessage::Quit => self.shut_down(),
            HostMessage::NewGame | HostMessage::SetOption { .. } => self.reconfigure(message),
            HostMessage::Position(game) => {
                if self.is_searching() {
                    return self.send_error(SEARCH_IN_PROGRESS);
                }
                self.game = *game;
                Ok(())
            }
            HostMessage::Go(go) => self.go(go),
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
        !matches!(self.state, SearchState::Idle(_))
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
    fn go(&mut self, go: Go) -> Result<(), RunEngineError> {
        let mut session = match mem::replace(&mut self.state, SearchState::Transition) {
            SearchState::Idle(session) => session,
            other => {
                self.state = other;
                return self.send_error(SEARCH_IN_PROGRESS);
            }
        };
        let started_at = self.resources.now();
        let position = self.game.position().clone();
        let request = GoRequest {
            time_limit: time_for_move(
                &ThinkLimits::from(&go),
                &position,
                session.obeys_search_limits(),
            ),
            position,
            go,
            started_at,
        };
        let stop_flag = session.reset_stop_flag();
        let deadline = (request.time_limit).and_then(|time| started_at.checked_add(time));
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
            deadline,
            waits_for_stop: go.infinite,
            thread,
        });
        Ok(())
    }

    /// Sets the stop flag of the running search.
    fn request_stop(&mut self) {
        if let SearchState::Searching(search) = &mut self.state {
            search.stop_flag.store(true, Ordering::Relaxed);
            search.deadline = None;
        }
    }

    /// Takes the result of a search that has ended, and sends its move unless it waits for `stop`.
    fn finish_search(&mut self) -> Result<(), RunEngineError> {
        match mem::replace(&mut self.state, SearchState::Transition) {
            SearchState::Searching(search) => {
                let (session, mv) =
                    (search.thread.join()).unwrap_or_else(|reason| panic::resume_unwind(reason));
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
