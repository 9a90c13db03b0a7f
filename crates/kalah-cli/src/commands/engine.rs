pub(super) mod lines;
mod mind;
mod settings;

use std::io::{self, Write};
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use kalah::{Game, Position, Rules};
use kalah_protocols::uki::{
    EngineMessage, EngineOption, Go, HostMessage, OneLine, ParseUkiError, UkiMove,
};

use kalah_players::time_for_move;

use crate::{CliError, EngineCommandArguments};
use lines::EngineInput;
use mind::{EngineSession, GoRequest};
use settings::EngineSettings;

/// What an engine is called, and who has written it.
const NAME: &str = concat!("Kalah ", env!("CARGO_PKG_VERSION"));
const AUTHOR: &str = "the Kalah project";

/// What can happen before whoever makes it happen has to wait: somebody who floods the input fills no memory.
const EVENT_QUEUE_CAPACITY: usize = 64;

pub(super) fn run(
    arguments: &EngineCommandArguments,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let (teller, events) = mpsc::sync_channel(EVENT_QUEUE_CAPACITY);
    let listener = teller.clone();
    thread::spawn(move || forward_input(&listener));
    let settings = EngineSettings::new(arguments);
    let start = Position::start(6, 4, Rules::default())
        .map_err(|reason| CliError::Runtime(reason.to_string()))?;
    let conversation = UkiServer {
        options: settings.options(),
        state: SearchState::Idle(EngineSession::new(settings.clone())),
        settings,
        game: Game::new(start),
        is_shutting_down: false,
        event_sender: teller,
        output,
    };
    conversation.run(&events)
}

/// What happens.
enum UkiEvent {
    /// A line has come in, or none will any more.
    Input(EngineInput),
    /// A search has found something.
    Message(EngineMessage),
    /// A search has ended, one way or the other.
    SearchEnded,
}

/// Tells of what comes in, to its end.
fn forward_input(teller: &SyncSender<UkiEvent>) {
    let mut input = io::stdin().lock();
    loop {
        let heard = lines::read_line(&mut input);
        let is_last = matches!(heard, EngineInput::End | EngineInput::Failed(_));
        // Where nobody listens any more, the process is about to end.
        if teller.send(UkiEvent::Input(heard)).is_err() || is_last {
            return;
        }
    }
}

/// What is said and done between a host and this engine.
struct UkiServer<'a> {
    settings: EngineSettings,
    options: Vec<EngineOption>,
    game: Game,
    state: SearchState,
    /// Whether nothing is heard any more.
    is_shutting_down: bool,
    event_sender: SyncSender<UkiEvent>,
    output: &'a mut dyn Write,
}

enum SearchState {
    /// Nothing is asked.
    Idle(EngineSession),
    /// A search is going on.
    Searching(RunningSearch),
    /// A search has ended whose answer is to wait until it is asked for.
    AwaitingStop(EngineSession, Option<UkiMove>),
    /// Between two others.
    Transition,
}

/// A search that is going on.
struct RunningSearch {
    stop_flag: Arc<AtomicBool>,
    /// When it has to answer.
    deadline: Option<Instant>,
    /// Whether it answers only when it is told to.
    waits_for_stop: bool,
    thread: JoinHandle<(EngineSession, Option<UkiMove>)>,
}

/// Says that a search has ended, also by a panic.
struct NotifyOnDrop(SyncSender<UkiEvent>);

impl Drop for NotifyOnDrop {
    fn drop(&mut self) {
        // Where nobody listens any more, the process is about to end.
        let _ = self.0.send(UkiEvent::SearchEnded);
    }
}

impl UkiServer<'_> {
    /// Goes on until nothing more comes in, and the last answer is given.
    fn run(mut self, events: &Receiver<UkiEvent>) -> Result<(), CliError> {
        while !(self.is_shutting_down && matches!(self.state, SearchState::Idle(_))) {
            match self.next_event(events) {
                None => self.request_stop(),
                Some(UkiEvent::Input(heard)) => self.handle_input(heard)?,
                Some(UkiEvent::Message(message)) => self.send(&message)?,
                Some(UkiEvent::SearchEnded) => self.finish_search()?,
            }
        }
        Ok(())
    }

    /// What happens next; nothing if a search has to answer before.
    fn next_event(&self, events: &Receiver<UkiEvent>) -> Option<UkiEvent> {
        let deadline = match &self.state {
            SearchState::Searching(search) => search.deadline,
            _ => None,
        };
        let Some(deadline) = deadline else {
            // This end has a sender too: there is always something to wait for.
            return events.recv().ok();
        };
        let left = deadline.saturating_duration_since(Instant::now());
        events.recv_timeout(left).ok()
    }

    fn send(&mut self, message: &EngineMessage) -> Result<(), CliError> {
        writeln!(self.output, "{message}")?;
        self.output.flush()?;
        Ok(())
    }

    fn send_error(&mut self, reason: &str) -> Result<(), CliError> {
        self.send(&EngineMessage::Error(OneLine::new(reason)))
    }

    fn handle_input(&mut self, heard: EngineInput) -> Result<(), CliError> {
        if self.is_shutting_down {
            return Ok(());
        }
        match heard {
            EngineInput::Line(line) => match line.parse() {
                Ok(message) => self.handle_message(message),
                Err(ParseUkiError::Empty(_)) => Ok(()),
                Err(reason) => self.send_error(&reason.to_string()),
            },
            EngineInput::Invalid(reason) => self.send_error(reason),
            EngineInput::End => self.shut_down(),
            EngineInput::Failed(error) => Err(CliError::Input(error)),
        }
    }

    fn handle_message(&mut self, message: HostMessage) -> Result<(), CliError> {
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

    fn send_identity(&mut self) -> Result<(), CliError> {
        self.send(&EngineMessage::Name(OneLine::new(NAME)))?;
        self.send(&EngineMessage::Author(OneLine::new(AUTHOR)))?;
        for offer in self.options.clone() {
            self.send(&EngineMessage::Option(offer))?;
        }
        self.send(&EngineMessage::UkiOk)
    }

    fn is_searching(&self) -> bool {
        !matches!(self.state, SearchState::Idle(_))
    }

    /// What changes who answers.
    fn reconfigure(&mut self, message: HostMessage) -> Result<(), CliError> {
        let SearchState::Idle(mind) = &mut self.state else {
            return self.send_error(SEARCH_IN_PROGRESS);
        };
        match message {
            HostMessage::SetOption { name, value } => {
                match self.settings.set(&name, value.as_ref()) {
                    Ok(()) => *mind = EngineSession::new(self.settings.clone()),
                    Err(reason) => return self.send_error(&reason),
                }
            }
            _ => mind.clear_search_state(),
        }
        Ok(())
    }

    fn go(&mut self, go: Go) -> Result<(), CliError> {
        let mut mind = match std::mem::replace(&mut self.state, SearchState::Transition) {
            SearchState::Idle(mind) => mind,
            other => {
                self.state = other;
                return self.send_error(SEARCH_IN_PROGRESS);
            }
        };
        let began = Instant::now();
        let position = self.game.position().clone();
        let flag = Arc::new(AtomicBool::new(false));
        let task = GoRequest {
            time_limit: time_for_move(&go, &position, mind.obeys_search_limits()),
            position,
            go,
            started_at: began,
            stop_flag: Arc::clone(&flag),
        };
        let deadline = task.time_limit.and_then(|time| began.checked_add(time));
        let teller = self.event_sender.clone();
        let thread = thread::spawn(move || {
            let farewell = NotifyOnDrop(teller);
            let mv = mind.choose_move(&task, &mut |message| {
                // Where nobody listens any more, the process is about to end.
                let _ = farewell.0.send(UkiEvent::Message(message));
            });
            let side = task.position.to_move();
            (mind, mv.map(|mv| UkiMove::new(side, mv)))
        });
        self.state = SearchState::Searching(RunningSearch {
            stop_flag: flag,
            deadline,
            waits_for_stop: go.infinite,
            thread,
        });
        Ok(())
    }

    /// Has a search answer at once.
    fn request_stop(&mut self) {
        if let SearchState::Searching(search) = &mut self.state {
            search.stop_flag.store(true, Ordering::Relaxed);
            search.deadline = None;
        }
    }

    /// A search has ended.
    fn finish_search(&mut self) -> Result<(), CliError> {
        match std::mem::replace(&mut self.state, SearchState::Transition) {
            SearchState::Searching(search) => {
                let (mind, answer) =
                    (search.thread.join()).unwrap_or_else(|reason| panic::resume_unwind(reason));
                if search.waits_for_stop {
                    self.state = SearchState::AwaitingStop(mind, answer);
                    return Ok(());
                }
                self.state = SearchState::Idle(mind);
                self.send(&EngineMessage::BestMove(answer))
            }
            other => {
                self.state = other;
                Ok(())
            }
        }
    }

    /// The answer is wanted now. It may just have been given: then nobody is at fault.
    fn stop(&mut self) -> Result<(), CliError> {
        self.request_stop();
        match std::mem::replace(&mut self.state, SearchState::Transition) {
            SearchState::AwaitingStop(mind, answer) => {
                self.state = SearchState::Idle(mind);
                self.send(&EngineMessage::BestMove(answer))
            }
            SearchState::Searching(search) => {
                let waits = false;
                self.state = SearchState::Searching(RunningSearch {
                    waits_for_stop: waits,
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

    fn shut_down(&mut self) -> Result<(), CliError> {
        self.is_shutting_down = true;
        self.stop()
    }
}

/// What is said to whoever asks for something else during a search.
const SEARCH_IN_PROGRESS: &str =
    "a search is going on: only isready, uki, stop and quit are awaited before its bestmove";
