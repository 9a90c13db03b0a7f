//! The server of an engine: it reads the commands of a host and sends the progress of searches and
//! their moves.

use std::cmp::Reverse;
use std::io::{self, BufRead, Write};
use std::mem;
use std::panic;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use kalah::{Game, Move, Position, Quoted, Rules};
use kalah_players::{InputLine, LineReader, ThinkLimits, describe_too_long, time_for_move};
use thiserror::Error;

use super::resources::EngineResources;
use super::session::{EngineSession, GoRequest};
use super::settings::EngineSettings;
use crate::message::{EngineMessage, HostMessage};
use crate::option::EngineOption;
use crate::parse::{Expected, OneLine, ParseUkiError, UkiMove};
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
const SEARCH_IN_PROGRESS: &str = "a search is in progress: only isready, uki, ponderhit, stop and quit are allowed before its \
     bestmove";

/// The delay after the end of a time limit with which the server answers for a search that has not
/// ended: a part of the limit, between a minimum and a maximum. It leaves half of the reserve of
/// [`time_for_move`] unless the limit is below 20 ms. On a busy machine a search waits for a
/// processor, and may end later than that.
const ANSWER_DELAY_DIVISOR: u32 = 20;
const MIN_ANSWER_DELAY: Duration = Duration::from_millis(1);
const MAX_ANSWER_DELAY: Duration = Duration::from_millis(25);

/// The delay after `stop` with which the server answers for a search that has not ended.
const STOP_ANSWER_DELAY: Duration = MAX_ANSWER_DELAY;

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
        last_search: SearchId(0),
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
    Message(SearchId, EngineMessage),
    /// The end of a search, also by a panic.
    SearchEnded(SearchId),
}

/// The number of a search, in the order of their starts.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SearchId(u64);

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
    last_search: SearchId,
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
    Ending(EndingSearch),
    /// A search has ended, and its move waits for a command.
    Waiting(WaitingMove),
    /// The state while another one is replaced.
    Transition,
}

/// A search on a thread.
struct RunningSearch {
    id: SearchId,
    stop_flag: Arc<AtomicBool>,
    /// The time of the clock at which the server acts if the search has not ended, and its action.
    timeout: Option<(Duration, Timeout)>,
    /// Whether the server sends the move of the search if that does not end soon after `stop`.
    is_answered_after_stop: bool,
    /// The moves to choose from.
    moves: Vec<Move>,
    /// The best move that the search has reported.
    best_move: Option<UkiMove>,
    /// The commands before which the move is not sent.
    awaited: AwaitedCommands,
    thread: SearchThread,
}

/// The result of a search that has ended before its move may be sent.
struct WaitingMove {
    session: EngineSession,
    mv: Option<UkiMove>,
    awaited: AwaitedCommands,
}

/// The commands before which the move of a search is not sent.
#[derive(Clone)]
enum AwaitedCommands {
    /// None: the move is sent at the end of the search.
    None,
    /// `stop`.
    Stop,
    /// `ponderhit` or `stop`; the command `go` has the limits that count from `ponderhit` on.
    PonderHitOrStop(Go),
}

impl AwaitedCommands {
    fn of(go: &Go) -> Self {
        if go.ponder {
            Self::PonderHitOrStop(go.clone())
        } else if go.infinite {
            Self::Stop
        } else {
            Self::None
        }
    }
}

/// The action of the server at the end of the time for a search.
#[derive(Clone, Copy)]
enum Timeout {
    /// Stops the search, which answers soon afterwards.
    Stop,
    /// Does what `stop` does: the time after `ponderhit` is over.
    StopAndAnswer,
    /// Stops the search, and sends the best move that it has reported.
    Answer,
}

/// A thread that returns its session and the best move.
type SearchThread = JoinHandle<(EngineSession, Option<UkiMove>)>;

/// A search whose move is sent.
struct EndingSearch {
    id: SearchId,
    thread: SearchThread,
    /// The session that replaces that of the search.
    next_session: Option<EngineSession>,
}

impl EndingSearch {
    /// Waits for the end of the search, and returns the session for the next one.
    fn into_session(self) -> EngineSession {
        let (session, _) = join(self.thread);
        self.next_session.unwrap_or(session)
    }
}

/// Sends [`UkiEvent::SearchEnded`] when it is dropped, so that the event follows a panic, too.
struct NotifyOnDrop(SyncSender<UkiEvent>, SearchId);

impl Drop for NotifyOnDrop {
    fn drop(&mut self) {
        // The receiver is closed only if the process is about to end.
        let _ = self.0.send(UkiEvent::SearchEnded(self.1));
    }
}

impl UkiServer<'_> {
    /// Runs until the input has ended and the last move is sent.
    fn run(mut self, events: &Receiver<UkiEvent>) -> Result<(), RunEngineError> {
        while self.is_searching() || !self.is_shutting_down {
            match self.next_event(events) {
                None => self.handle_timeout()?,
                Some(UkiEvent::Input(line)) => self.handle_input(line)?,
                Some(UkiEvent::Message(id, message)) => self.handle_search_message(id, &message)?,
                Some(UkiEvent::SearchEnded(id)) => self.finish_search(id)?,
            }
        }
        Ok(())
    }

    /// Returns the next event; `None` if the time of the search ends first.
    fn next_event(&self, events: &Receiver<UkiEvent>) -> Option<UkiEvent> {
        let deadline = match &self.state {
            SearchState::Searching(search) => search.timeout.map(|(deadline, _)| deadline),
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

    /// Tells people about a command that another version of the protocol may have.
    fn send_unknown_command(&mut self, command: &Quoted) -> Result<(), RunEngineError> {
        let text = format!(
            "unknown command {command}: expected {}",
            Expected::HostMessage
        );
        self.send(&EngineMessage::InfoString(OneLine::new(&text)))
    }

    /// Sends a message of the running search. One that has been answered has nothing more to say.
    fn handle_search_message(
        &mut self,
        id: SearchId,
        message: &EngineMessage,
    ) -> Result<(), RunEngineError> {
        let search = match &mut self.state {
            SearchState::Searching(search) if search.id == id => search,
            _ => return Ok(()),
        };
        if let EngineMessage::Info(info) = message
            && info.is_about_best_move()
        {
            search.best_move = info.pv.first().copied().or(search.best_move);
        }
        self.send(message)
    }

    fn handle_input(&mut self, line: io::Result<InputLine>) -> Result<(), RunEngineError> {
        if self.is_shutting_down {
            return Ok(());
        }
        match line.map_err(RunEngineError::Input)? {
            InputLine::Text(line) => match line.parse() {
                Ok(message) => self.handle_message(message),
                Err(ParseUkiError::Empty(_)) => Ok(()),
                Err(ParseUkiError::Unexpected {
                    found,
                    expected: Expected::HostMessage,
                }) => self.send_unknown_command(&found),
                Err(reason) => self.send_error(&reason.to_string()),
            },
            InputLine::TooLong(_) => self.send_error(&describe_too_long()),
            InputLine::NotUtf8(_) => self.send_error("the line is not valid UTF-8"),
            InputLine::End => self.shut_down(),
        }
    }

    fn handle_message(&mut self, message: HostMessage) -> Result<(), RunEngineError> {
        match message {
            HostMessage::Uki => self.send_identity(),
            HostMessage::IsReady => self.send(&EngineMessage::ReadyOk),
            HostMessage::PonderHit => self.ponder_hit(),
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
        !matches!(self.state, SearchState::Idle(_) | SearchState::Ending(_))
    }

    /// Handles `newgame` and `setoption`, which are not allowed during a search.
    fn reconfigure(&mut self, message: HostMessage) -> Result<(), RunEngineError> {
        if self.is_searching() {
            return self.send_error(SEARCH_IN_PROGRESS);
        }
        if let HostMessage::SetOption { name, value } = message {
            let check_folder = |folder: &Path| self.resources.check_table_folder(folder);
            if let Err(reason) = (self.settings).set(&name, value.as_ref(), &check_folder) {
                return self.send_error(&reason);
            }
        } else if let SearchState::Idle(session) = &mut self.state {
            session.clear_search_state();
            return Ok(());
        }
        let session = EngineSession::new(self.settings.clone(), Arc::clone(&self.resources));
        match &mut self.state {
            SearchState::Ending(search) => search.next_session = Some(session),
            state => *state = SearchState::Idle(session),
        }
        Ok(())
    }

    /// Starts a search. It begins after the end of the last one if that has been answered before.
    fn go(&mut self, go: Go) -> Result<(), RunEngineError> {
        if let Some(reason) = illegal_search_move(&go, self.game.position()) {
            return self.send_error(&reason);
        }
        let started_at = self.resources.now();
        let previous = match mem::replace(&mut self.state, SearchState::Transition) {
            SearchState::Idle(session) => Ok(session),
            SearchState::Ending(search) => Err(search),
            other => {
                self.state = other;
                return self.send_error(SEARCH_IN_PROGRESS);
            }
        };
        let obeys_search_limits = self.settings.player.uses_clock();
        let position = self.game.position().clone();
        let awaited = AwaitedCommands::of(&go);
        let time = time_for_move(&ThinkLimits::from(&go), &position, obeys_search_limits);
        let is_infinite = go.infinite;
        let request = GoRequest {
            time: time.filter(|_| !go.ponder),
            position,
            go,
            started_at,
        };
        let moves = request.moves();
        let stop_flag = match &previous {
            Ok(session) => session.reset_stop_flag(),
            // The flag of the last search must stay set.
            Err(_) => Arc::default(),
        };
        let timeout = request.time.and_then(|time| {
            let limit = time.limit();
            // Other players answer soon after the stop, and report no move before that.
            let (action, delay) = if obeys_search_limits && !is_infinite {
                let delay = limit / ANSWER_DELAY_DIVISOR;
                let delay = delay.clamp(MIN_ANSWER_DELAY, MAX_ANSWER_DELAY);
                (Timeout::Answer, delay)
            } else {
                (Timeout::Stop, Duration::ZERO)
            };
            let deadline = started_at.checked_add(limit)?.checked_add(delay)?;
            Some((deadline, action))
        });
        let id = SearchId(self.last_search.0 + 1);
        self.last_search = id;
        let event_sender = self.event_sender.clone();
        let search_flag = Arc::clone(&stop_flag);
        let search = move || {
            let notifier = NotifyOnDrop(event_sender, id);
            let mut session = previous.unwrap_or_else(EndingSearch::into_session);
            session.set_stop_flag(search_flag);
            let mv = session.choose_move(&request, &mut |message| {
                // The receiver is closed only if the process is about to end.
                let _ = notifier.0.send(UkiEvent::Message(id, message));
            });
            let side = request.position.to_move();
            (session, mv.map(|mv| UkiMove::new(side, mv)))
        };
        let thread = thread::Builder::new().spawn(search);
        let thread = thread.map_err(RunEngineError::Thread)?;
        self.state = SearchState::Searching(RunningSearch {
            id,
            stop_flag,
            timeout,
            is_answered_after_stop: obeys_search_limits,
            moves,
            best_move: None,
            awaited,
            thread,
        });
        Ok(())
    }

    /// Stops the running search, whose time is over, and sends its move if it is due.
    fn handle_timeout(&mut self) -> Result<(), RunEngineError> {
        if let SearchState::Searching(RunningSearch {
            timeout: Some((_, Timeout::StopAndAnswer)),
            ..
        }) = self.state
        {
            return self.stop();
        }
        match mem::replace(&mut self.state, SearchState::Transition) {
            SearchState::Searching(search) => {
                search.stop_flag.store(true, Ordering::Relaxed);
                if let Some((_, Timeout::Answer)) = search.timeout {
                    return self.answer(search);
                }
                self.state = SearchState::Searching(RunningSearch {
                    timeout: None,
                    ..search
                });
            }
            other => self.state = other,
        }
        Ok(())
    }

    /// Sends the best move that a search has reported before its end.
    fn answer(&mut self, search: RunningSearch) -> Result<(), RunEngineError> {
        self.state = SearchState::Ending(EndingSearch {
            id: search.id,
            thread: search.thread,
            next_session: None,
        });
        let position = self.game.position();
        let mv = search.best_move.or_else(|| {
            let mv = greedy_move(position, &search.moves)?;
            Some(UkiMove::new(position.to_move(), mv))
        });
        self.send(&EngineMessage::BestMove(mv))
    }

    /// Takes the result of a search that has ended, and sends its move unless it is sent already or
    /// waits for `stop`.
    fn finish_search(&mut self, id: SearchId) -> Result<(), RunEngineError> {
        match mem::replace(&mut self.state, SearchState::Transition) {
            SearchState::Ending(search) if search.id == id => {
                self.state = SearchState::Idle(search.into_session());
                Ok(())
            }
            SearchState::Searching(search) if search.id == id => {
                let (session, mv) = join(search.thread);
                match search.awaited {
                    AwaitedCommands::None => {
                        self.state = SearchState::Idle(session);
                        self.send(&EngineMessage::BestMove(mv))
                    }
                    awaited => {
                        self.state = SearchState::Waiting(WaitingMove {
                            session,
                            mv,
                            awaited,
                        });
                        Ok(())
                    }
                }
            }
            other => {
                self.state = other;
                Ok(())
            }
        }
    }

    /// Handles `ponderhit`: the limits of the search count from here on. Without a search that
    /// ponders it does nothing, because the host may send it while the last move is on its way.
    fn ponder_hit(&mut self) -> Result<(), RunEngineError> {
        let now = self.resources.now();
        match mem::replace(&mut self.state, SearchState::Transition) {
            SearchState::Searching(mut search) => {
                if let AwaitedCommands::PonderHitOrStop(go) = &search.awaited {
                    let position = self.game.position();
                    let limits = ThinkLimits::from(go);
                    let time = time_for_move(&limits, position, self.settings.player.uses_clock());
                    search.timeout = time
                        .and_then(|time| now.checked_add(time.planned()))
                        .map(|deadline| (deadline, Timeout::StopAndAnswer));
                    search.awaited = if go.infinite {
                        AwaitedCommands::Stop
                    } else {
                        AwaitedCommands::None
                    };
                }
                self.state = SearchState::Searching(search);
                Ok(())
            }
            SearchState::Waiting(WaitingMove {
                session,
                mv,
                awaited: AwaitedCommands::PonderHitOrStop(go),
            }) if !go.infinite => {
                self.state = SearchState::Idle(session);
                self.send(&EngineMessage::BestMove(mv))
            }
            other => {
                self.state = other;
                Ok(())
            }
        }
    }

    /// Handles `stop`: the search sends its move now, or the server sends it soon. Without a search
    /// it does nothing, because the host may send it while the last move is on its way.
    fn stop(&mut self) -> Result<(), RunEngineError> {
        if let SearchState::Searching(search) = &mut self.state
            && search.is_answered_after_stop
        {
            let deadline = self.resources.now().saturating_add(STOP_ANSWER_DELAY);
            let earlier = search.timeout.map(|(deadline, _)| deadline);
            let deadline = earlier.map_or(deadline, |earlier| earlier.min(deadline));
            search.timeout = Some((deadline, Timeout::Answer));
        }
        self.stop_search()
    }

    /// Stops the search, or sends the move that waits for `stop`.
    fn stop_search(&mut self) -> Result<(), RunEngineError> {
        match mem::replace(&mut self.state, SearchState::Transition) {
            SearchState::Waiting(WaitingMove { session, mv, .. }) => {
                self.state = SearchState::Idle(session);
                self.send(&EngineMessage::BestMove(mv))
            }
            SearchState::Searching(search) => {
                search.stop_flag.store(true, Ordering::Relaxed);
                self.state = SearchState::Searching(RunningSearch {
                    awaited: AwaitedCommands::None,
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

    /// Handles `quit` and the end of the input. A search that runs is stopped, and its move is sent
    /// at its end: a host that has closed the input needs the move more than a fast answer.
    fn shut_down(&mut self) -> Result<(), RunEngineError> {
        self.is_shutting_down = true;
        self.stop_search()
    }
}

/// Returns the reason if a move of `searchmoves` is not legal.
fn illegal_search_move(go: &Go, position: &Position) -> Option<String> {
    let side = position.to_move();
    go.search_moves.iter().find_map(|mv| {
        let reason = match mv.for_side(side) {
            None => format!("{side} is to move"),
            Some(own_move) => position.check_legal(own_move).err()?.to_string(),
        };
        Some(format!("searchmoves `{mv}`: {reason}"))
    })
}

/// Returns the sowing among `moves` after which the store of the side to move has most seeds; of
/// several one with a bonus turn, and then the lowest house. Without a sowing it returns the swap.
fn greedy_move(position: &Position, moves: &[Move]) -> Option<Move> {
    let side = position.to_move();
    let store_and_bonus_turn = |&mv: &Move| {
        let mut after = position.clone();
        let is_sowing = mv != Move::Swap && after.play(mv).is_ok();
        is_sowing.then(|| {
            (
                after.store(side),
                !after.is_over() && after.to_move() == side,
            )
        })
    };
    (moves.iter().copied()).min_by_key(|mv| Reverse(store_and_bonus_turn(mv)))
}

/// Waits for the end of a search, and passes its panic on.
fn join(thread: SearchThread) -> (EngineSession, Option<UkiMove>) {
    thread
        .join()
        .unwrap_or_else(|reason| panic::resume_unwind(reason))
}
