use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, ErrorKind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use kalah::Position;
use kalah_protocols::kgp::{Argument, Board, Client, Line, Message, Mode, Task, Text, Word};
use kalah_tables::Variant;

use super::super::{tell_stderr, warn};
use super::connection::Connection;
use super::silence::{Due, Silence};
use super::thinking::{Question, Thinking, Thought};
use crate::interrupt::Interrupt;
use crate::shown::shown;
use crate::{Engines, Failure, KgpConnectArguments};

/// Pauses before a connection is tried again double from the one to the other.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// How often a pause looks about for Ctrl-C.
const LOOK_ABOUT: Duration = Duration::from_millis(50);

/// States that are thought about at once. Further ones are answered without thought.
const MOST_THINKING: usize = 32;

/// Why a session is over.
enum Over {
    /// The server has said goodbye.
    Goodbye,
    /// Ctrl-C came.
    Interrupted,
    /// The connection is lost.
    Lost(io::Error),
}

pub(super) fn run(arguments: &KgpConnectArguments) -> Result<(), Failure> {
    let interrupt = Interrupt::listen();
    let server = &arguments.server;
    let mut pause = FIRST_PAUSE;
    let mut was_greeted = false;
    loop {
        let over = match Connection::open(server) {
            Ok(connection) => {
                tell_stderr(&format!("connected to {server}"));
                let mut session = Session::new(arguments, connection)?;
                let over = session.run(&interrupt)?;
                if session.client.is_greeted() {
                    was_greeted = true;
                    pause = FIRST_PAUSE;
                }
                over
            }
            Err(error) => Over::Lost(error),
        };
        match over {
            Over::Goodbye => {
                tell_stderr("the server has said goodbye");
                return Ok(());
            }
            Over::Interrupted => return Ok(()),
            Over::Lost(error) if was_greeted => {
                warn(&format!("{server}: {error}; trying again in {pause:?}"));
            }
            // There may be no server at all.
            Over::Lost(error) => return Err(Failure::Work(format!("{server}: {error}"))),
        }
        let began = Instant::now();
        while began.elapsed() < pause {
            if interrupt.came() {
                return Ok(());
            }
            thread::sleep(LOOK_ABOUT);
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// A connection, and all that is thought about on it.
struct Session<'a> {
    arguments: &'a KgpConnectArguments,
    connection: Connection,
    client: Client,
    /// Who thinks, by the server's ids of the states.
    thinking: BTreeMap<u64, Thinking>,
    thoughts: (Sender<Thought>, Receiver<Thought>),
    /// With the tables for the states of late.
    engines: Option<(Variant, Engines)>,
    /// States that have been thought about.
    number: u64,
    seed: u64,
}

impl<'a> Session<'a> {
    fn new(arguments: &'a KgpConnectArguments, connection: Connection) -> Result<Self, Failure> {
        let mode = if arguments.verify {
            Mode::Verify
        } else {
            Mode::Freeplay
        };
        let options = [
            ("info:name", arguments.name.as_deref()),
            ("auth:token", arguments.token.as_deref()),
        ];
        let mut introduction = Vec::new();
        for (option, value) in options {
            let option = Word::new(option)
                .ok_or_else(|| Failure::Usage(format!("{option} is no option")))?;
            let text = value.and_then(Text::new).map(Argument::Text);
            introduction.extend(text.map(|value| Message::Set { option, value }));
        }
        Ok(Self {
            arguments,
            connection,
            client: Client::new(mode, introduction),
            thinking: BTreeMap::new(),
            thoughts: mpsc::channel(),
            engines: None,
            number: 0,
            seed: (arguments.program.seed)
                .unwrap_or_else(|| RandomState::new().build_hasher().finish()),
        })
    }

    fn run(&mut self, interrupt: &Interrupt) -> Result<Over, Failure> {
        let began = Instant::now();
        let mut silence = Silence::OF_SERVER;
        loop {
            if interrupt.came() {
                // It hangs up next, whether the server has heard that or not.
                let _ = self.connection.say(&Message::Goodbye.to_string());
                return Ok(Over::Interrupted);
            }
            let heard = match self.connection.lines() {
                Ok(lines) => {
                    if !lines.is_empty() {
                        silence.broken(began.elapsed());
                    }
                    self.hear(&lines)?
                }
                Err(error) => Err(Some(error)),
            };
            let done = heard.and_then(|()| {
                self.tell_thoughts()?;
                Ok(self.attend_to(silence.due(began.elapsed()))?)
            });
            match done {
                Ok(()) => {}
                Err(None) => return Ok(Over::Goodbye),
                Err(Some(error)) => return Ok(Over::Lost(error)),
            }
        }
    }

    /// Asks a silent server whether it is there, or gives it up.
    fn attend_to(&mut self, due: Due) -> io::Result<()> {
        match due {
            Due::Nothing => Ok(()),
            Due::Ping => self.connection.say(&self.client.ping().to_string()),
            Due::Leave => Err(io::Error::new(ErrorKind::TimedOut, "the server is silent")),
        }
    }

    /// Does what the lines of the server ask for. The inner error is that of the connection, or none if
    /// the server has left.
    fn hear(&mut self, lines: &[String]) -> Result<Result<(), Option<io::Error>>, Failure> {
        for text in lines {
            let line: Line = match text.parse() {
                Ok(line) => line,
                Err(reason) => {
                    warn(&format!("passed over: {reason}"));
                    continue;
                }
            };
            for task in self.client.hear(&line) {
                match task {
                    Task::Say(line) => {
                        if let Err(error) = self.connection.say(&line.to_string()) {
                            return Ok(Err(Some(error)));
                        }
                    }
                    Task::Think { state, board } => {
                        if let Err(error) = self.think(state, &board)? {
                            return Ok(Err(Some(error)));
                        }
                    }
                    Task::Stop(state) => {
                        self.thinking.remove(&state);
                    }
                    Task::Tell(text) => warn(&format!("the server says: {}", shown(&text))),
                    Task::Leave => return Ok(Err(None)),
                    Task::GiveUp(version) => {
                        let major = version.major;
                        let words =
                            format!("the server speaks KGP {major}, which nobody here knows");
                        return Err(Failure::Work(words));
                    }
                }
            }
        }
        Ok(Ok(()))
    }

    /// Answers a state at once, so that there is an answer, and begins to think about a better one.
    fn think(&mut self, state: u64, board: &Board) -> Result<io::Result<()>, Failure> {
        let position = match board.position() {
            Ok(position) => position,
            Err(reason) => {
                warn(&format!(
                    "{} cannot be played: {reason}",
                    shown(&board.to_string())
                ));
                return Ok(self.say_last(state));
            }
        };
        let (first, second) = {
            let mut houses = position.legal_houses();
            (houses.next(), houses.next())
        };
        if let Some(house) = first
            && let Some(line) = self.client.choose(state, house)
            && let Err(error) = self.connection.say(&line.to_string())
        {
            return Ok(Err(error));
        }
        if second.is_none() || self.thinking.len() >= MOST_THINKING {
            return Ok(self.say_last(state));
        }
        let engines = self.engines(&position)?;
        self.number += 1;
        let player = self.arguments.program.player;
        let limit = player.limit.unwrap_or(self.arguments.time);
        let question = Question {
            state,
            number: self.number,
            position,
            player,
            seed: self.seed.wrapping_add(self.number),
            engines,
            limit: limit.get().min(self.arguments.time.get()),
        };
        let thinking = Thinking::begin(question, self.thoughts.0.clone());
        self.thinking.insert(state, thinking);
        Ok(Ok(()))
    }

    /// Engines for positions such as this, as long as no others are wanted.
    fn engines(&mut self, position: &Position) -> Result<Engines, Failure> {
        let variant = Variant::from_position(position);
        let engines = match self.engines.take() {
            Some((of, engines)) if of == variant => engines,
            _ => Engines::new(&self.arguments.program.engine, position)?,
        };
        let (_, engines) = self.engines.insert((variant, engines));
        Ok(engines.clone())
    }

    /// Tells the server that nothing more will be said about a state.
    fn say_last(&mut self, state: u64) -> io::Result<()> {
        match self.client.finish(state) {
            Some(line) => self.connection.say(&line.to_string()),
            None => Ok(()),
        }
    }

    /// Tells the server what was found meanwhile.
    fn tell_thoughts(&mut self) -> io::Result<()> {
        while let Ok(thought) = self.thoughts.1.try_recv() {
            let of = self.thinking.get(&thought.state);
            if of.is_none_or(|of| of.number != thought.number) {
                continue;
            }
            if let Some(house) = thought.house {
                if let Some(line) = self.client.choose(thought.state, house) {
                    self.connection.say(&line.to_string())?;
                }
            } else {
                self.thinking.remove(&thought.state);
                self.say_last(thought.state)?;
            }
        }
        Ok(())
    }
}
