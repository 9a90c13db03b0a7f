pub(super) mod allotment;
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
    EngineMessage, Go, HostMessage, MessageError, NamedChoice, OptionOffer, Remark,
};

use crate::{EngineCommandArguments, Failure};
use allotment::allotted;
use lines::Heard;
use mind::{Mind, Task};
use settings::Settings;

/// What an engine is called, and who has written it.
const NAME: &str = concat!("Kalah ", env!("CARGO_PKG_VERSION"));
const AUTHOR: &str = "the Kalah project";

/// What can happen before whoever makes it happen has to wait: somebody who floods the input fills no memory.
const MOST_EVENTS: usize = 64;

pub(super) fn run(
    arguments: &EngineCommandArguments,
    output: &mut dyn Write,
) -> Result<(), Failure> {
    let (teller, events) = mpsc::sync_channel(MOST_EVENTS);
    let listener = teller.clone();
    thread::spawn(move || listen(&listener));
    let settings = Settings::new(arguments);
    let start = Position::start(6, 4, Rules::default())
        .map_err(|reason| Failure::Work(reason.to_string()))?;
    let conversation = Conversation {
        offers: settings.offers(),
        state: State::Idle(Mind::new(settings.clone())),
        settings,
        game: Game::new(start),
        is_ending: false,
        teller,
        output,
    };
    conversation.lead(&events)
}

/// What happens.
enum Event {
    /// A line has come in, or none will any more.
    Heard(Heard),
    /// A search has found something.
    Found(EngineMessage),
    /// A search has ended, one way or the other.
    Ended,
}

/// Tells of what comes in, to its end.
fn listen(teller: &SyncSender<Event>) {
    let mut input = io::stdin().lock();
    loop {
        let heard = lines::next(&mut input);
        let is_last = matches!(heard, Heard::End | Heard::Failed(_));
        // Where nobody listens any more, the process is about to end.
        if teller.send(Event::Heard(heard)).is_err() || is_last {
            return;
        }
    }
}

/// What is said and done between a host and this engine.
struct Conversation<'a> {
    settings: Settings,
    offers: Vec<OptionOffer>,
    game: Game,
    state: State,
    /// Whether nothing is heard any more.
    is_ending: bool,
    teller: SyncSender<Event>,
    output: &'a mut dyn Write,
}

enum State {
    /// Nothing is asked.
    Idle(Mind),
    /// A search is going on.
    Searching(Search),
    /// A search has ended whose answer is to wait until it is asked for.
    Waiting(Mind, Option<NamedChoice>),
    /// Between two others.
    Between,
}

/// A search that is going on.
struct Search {
    flag: Arc<AtomicBool>,
    /// When it has to answer.
    deadline: Option<Instant>,
    /// Whether it answers only when it is told to.
    waits: bool,
    thread: JoinHandle<(Mind, Option<NamedChoice>)>,
}

/// Says that a search has ended, also by a panic.
struct Farewell(SyncSender<Event>);

impl Drop for Farewell {
    fn drop(&mut self) {
        // Where nobody listens any more, the process is about to end.
        let _ = self.0.send(Event::Ended);
    }
}

impl Conversation<'_> {
    /// Goes on until nothing more comes in, and the last answer is given.
    fn lead(mut self, events: &Receiver<Event>) -> Result<(), Failure> {
        while !(self.is_ending && matches!(self.state, State::Idle(_))) {
            match self.next(events) {
                None => self.hurry(),
                Some(Event::Heard(heard)) => self.hear(heard)?,
                Some(Event::Found(message)) => self.say(&message)?,
                Some(Event::Ended) => self.take_answer()?,
            }
        }
        Ok(())
    }

    /// What happens next; nothing if a search has to answer before.
    fn next(&self, events: &Receiver<Event>) -> Option<Event> {
        let deadline = match &self.state {
            State::Searching(search) => search.deadline,
            _ => None,
        };
        let Some(deadline) = deadline else {
            // This end has a sender too: there is always something to wait for.
            return events.recv().ok();
        };
        let left = deadline.saturating_duration_since(Instant::now());
        events.recv_timeout(left).ok()
    }

    fn say(&mut self, message: &EngineMessage) -> Result<(), Failure> {
        writeln!(self.output, "{message}")?;
        self.output.flush()?;
        Ok(())
    }

    fn refuse(&mut self, reason: &str) -> Result<(), Failure> {
        self.say(&EngineMessage::Error(Remark::new(reason)))
    }

    fn hear(&mut self, heard: Heard) -> Result<(), Failure> {
        if self.is_ending {
            return Ok(());
        }
        match heard {
            Heard::Line(line) => match line.parse() {
                Ok(message) => self.obey(message),
                Err(MessageError::Empty(_)) => Ok(()),
                Err(reason) => self.refuse(&reason.to_string()),
            },
            Heard::Noise(reason) => self.refuse(reason),
            Heard::End => self.end(),
            Heard::Failed(error) => Err(Failure::Input(error)),
        }
    }

    fn obey(&mut self, message: HostMessage) -> Result<(), Failure> {
        match message {
            HostMessage::Uki => self.introduce(),
            HostMessage::IsReady => self.say(&EngineMessage::ReadyOk),
            HostMessage::Stop => self.stop(),
            HostMessage::Quit => self.end(),
            HostMessage::NewGame | HostMessage::SetOption { .. } => self.prepare(message),
            HostMessage::Position(game) => {
                if self.is_searching() {
                    return self.refuse(BUSY);
                }
                self.game = *game;
                Ok(())
            }
            HostMessage::Go(go) => self.go(go),
        }
    }

    fn introduce(&mut self) -> Result<(), Failure> {
        self.say(&EngineMessage::Name(Remark::new(NAME)))?;
        self.say(&EngineMessage::Author(Remark::new(AUTHOR)))?;
        for offer in self.offers.clone() {
            self.say(&EngineMessage::Option(offer))?;
        }
        self.say(&EngineMessage::UkiOk)
    }

    fn is_searching(&self) -> bool {
        !matches!(self.state, State::Idle(_))
    }

    /// What changes who answers.
    fn prepare(&mut self, message: HostMessage) -> Result<(), Failure> {
        let State::Idle(mind) = &mut self.state else {
            return self.refuse(BUSY);
        };
        match message {
            HostMessage::SetOption { name, value } => {
                match self.settings.set(&name, value.as_ref()) {
                    Ok(()) => *mind = Mind::new(self.settings.clone()),
                    Err(reason) => return self.refuse(&reason),
                }
            }
            _ => mind.forget(),
        }
        Ok(())
    }

    fn go(&mut self, go: Go) -> Result<(), Failure> {
        let mut mind = match std::mem::replace(&mut self.state, State::Between) {
            State::Idle(mind) => mind,
            other => {
                self.state = other;
                return self.refuse(BUSY);
            }
        };
        let began = Instant::now();
        let position = self.game.position().clone();
        let flag = Arc::new(AtomicBool::new(false));
        let task = Task {
            time: allotted(&go, &position, mind.counts()),
            position,
            go,
            began,
            flag: Arc::clone(&flag),
        };
        let deadline = task.time.and_then(|time| began.checked_add(time));
        let teller = self.teller.clone();
        let thread = thread::spawn(move || {
            let farewell = Farewell(teller);
            let choice = mind.choose(&task, &mut |message| {
                // Where nobody listens any more, the process is about to end.
                let _ = farewell.0.send(Event::Found(message));
            });
            let side = task.position.to_move();
            (mind, choice.map(|choice| NamedChoice::new(side, choice)))
        });
        self.state = State::Searching(Search {
            flag,
            deadline,
            waits: go.infinite,
            thread,
        });
        Ok(())
    }

    /// Has a search answer at once.
    fn hurry(&mut self) {
        if let State::Searching(search) = &mut self.state {
            search.flag.store(true, Ordering::Relaxed);
            search.deadline = None;
        }
    }

    /// A search has ended.
    fn take_answer(&mut self) -> Result<(), Failure> {
        match std::mem::replace(&mut self.state, State::Between) {
            State::Searching(search) => {
                let (mind, answer) =
                    (search.thread.join()).unwrap_or_else(|reason| panic::resume_unwind(reason));
                if search.waits {
                    self.state = State::Waiting(mind, answer);
                    return Ok(());
                }
                self.state = State::Idle(mind);
                self.say(&EngineMessage::BestMove(answer))
            }
            other => {
                self.state = other;
                Ok(())
            }
        }
    }

    /// The answer is wanted now. It may just have been given: then nobody is at fault.
    fn stop(&mut self) -> Result<(), Failure> {
        self.hurry();
        match std::mem::replace(&mut self.state, State::Between) {
            State::Waiting(mind, answer) => {
                self.state = State::Idle(mind);
                self.say(&EngineMessage::BestMove(answer))
            }
            State::Searching(search) => {
                let waits = false;
                self.state = State::Searching(Search { waits, ..search });
                Ok(())
            }
            other => {
                self.state = other;
                Ok(())
            }
        }
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.is_ending = true;
        self.stop()
    }
}

/// What is said to whoever asks for something else during a search.
const BUSY: &str =
    "a search is going on: only isready, uki, stop and quit are awaited before its bestmove";
