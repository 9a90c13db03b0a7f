use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, ErrorKind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use kalah::Position;
use kalah_players::{EngineFactory, Shutdown, escape_truncated};
use kalah_protocols::kgp::{
    Argument, Client, ClientAction, KgpBoard, Line, Message, Mode, Text, Word,
};
use kalah_tables::Variant;

use super::super::{print_stderr, print_warning};
use super::connection::ServerConnection;
use super::silence::{KeepAlive, KeepAliveAction};
use super::thinking::{BackgroundSearch, SearchJob, SearchUpdate};
use crate::interrupt;
use crate::{CliError, KgpConnectArguments};

/// Pauses before a connection is tried again double from the one to the other.
const MIN_RECONNECT_DELAY: Duration = Duration::from_secs(1);
const MAX_RECONNECT_DELAY: Duration = Duration::from_mins(1);

/// How often a pause looks about for Ctrl-C.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// States that are thought about at once. Further ones are answered without thought.
const MAX_SEARCHES: usize = 32;

/// Why a session is over.
enum SessionEnd {
    /// The server has said goodbye.
    Goodbye,
    /// Ctrl-C came.
    Interrupted,
    /// The connection is lost.
    ConnectionLost(io::Error),
}

pub(super) fn run(arguments: &KgpConnectArguments) -> Result<(), CliError> {
    let interrupt = interrupt::listen();
    let server = &arguments.server;
    let mut pause = MIN_RECONNECT_DELAY;
    let mut was_greeted = false;
    loop {
        let over = match ServerConnection::open(server) {
            Ok(connection) => {
                print_stderr(&format!("connected to {server}"));
                let mut session = ClientSession::new(arguments, connection)?;
                let over = session.run(&interrupt)?;
                if session.client.is_greeted() {
                    was_greeted = true;
                    pause = MIN_RECONNECT_DELAY;
                }
                over
            }
            Err(error) => SessionEnd::ConnectionLost(error),
        };
        match over {
            SessionEnd::Goodbye => {
                print_stderr("the server has said goodbye");
                return Ok(());
            }
            SessionEnd::Interrupted => return Ok(()),
            SessionEnd::ConnectionLost(error) if was_greeted => {
                print_warning(&format!("{server}: {error}; trying again in {pause:?}"));
            }
            // There may be no server at all.
            SessionEnd::ConnectionLost(error) => {
                return Err(CliError::Runtime(format!("{server}: {error}")));
            }
        }
        let began = Instant::now();
        while began.elapsed() < pause {
            if interrupt.is_requested() {
                return Ok(());
            }
            thread::sleep(POLL_INTERVAL);
        }
        pause = (pause * 2).min(MAX_RECONNECT_DELAY);
    }
}

/// A connection, and all that is thought about on it.
struct ClientSession<'a> {
    arguments: &'a KgpConnectArguments,
    connection: ServerConnection,
    client: Client,
    /// Who thinks, by the server's ids of the states.
    searches: BTreeMap<u64, BackgroundSearch>,
    search_updates: (Sender<SearchUpdate>, Receiver<SearchUpdate>),
    /// With the tables for the states of late.
    engines: Option<(Variant, EngineFactory)>,
    /// States that have been thought about.
    search_count: u64,
    seed: u64,
}

impl<'a> ClientSession<'a> {
    fn new(
        arguments: &'a KgpConnectArguments,
        connection: ServerConnection,
    ) -> Result<Self, CliError> {
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
                .ok_or_else(|| CliError::Usage(format!("{option} is no option")))?;
            let text = value.and_then(Text::new).map(Argument::Text);
            introduction.extend(text.map(|value| Message::Set { option, value }));
        }
        Ok(Self {
            arguments,
            connection,
            client: Client::new(mode, introduction),
            searches: BTreeMap::new(),
            search_updates: mpsc::channel(),
            engines: None,
            search_count: 0,
            seed: (arguments.program.seed)
                .unwrap_or_else(|| RandomState::new().build_hasher().finish()),
        })
    }

    fn run(&mut self, interrupt: &Shutdown) -> Result<SessionEnd, CliError> {
        let began = Instant::now();
        let mut silence = KeepAlive::FOR_SERVER;
        loop {
            if interrupt.is_requested() {
                // It hangs up next, whether the server has heard that or not.
                let _ = self.connection.send_line(&Message::Goodbye.to_string());
                return Ok(SessionEnd::Interrupted);
            }
            let heard = match self.connection.read_lines() {
                Ok(lines) => {
                    if !lines.is_empty() {
                        silence.reset(began.elapsed());
                    }
                    self.handle_lines(&lines)?
                }
                Err(error) => Err(Some(error)),
            };
            let done = heard.and_then(|()| {
                self.send_search_updates()?;
                Ok(self.keep_alive(silence.poll(began.elapsed()))?)
            });
            match done {
                Ok(()) => {}
                Err(None) => return Ok(SessionEnd::Goodbye),
                Err(Some(error)) => return Ok(SessionEnd::ConnectionLost(error)),
            }
        }
    }

    /// Asks a silent server whether it is there, or gives it up.
    fn keep_alive(&mut self, due: KeepAliveAction) -> io::Result<()> {
        match due {
            KeepAliveAction::Nothing => Ok(()),
            KeepAliveAction::Ping => self.connection.send_line(&self.client.ping().to_string()),
            KeepAliveAction::Disconnect => {
                Err(io::Error::new(ErrorKind::TimedOut, "the server is silent"))
            }
        }
    }

    /// Does what the lines of the server ask for. The inner error is that of the connection, or none if
    /// the server has left.
    fn handle_lines(
        &mut self,
        lines: &[String],
    ) -> Result<Result<(), Option<io::Error>>, CliError> {
        for text in lines {
            let line: Line = match text.parse() {
                Ok(line) => line,
                Err(reason) => {
                    print_warning(&format!("passed over: {reason}"));
                    continue;
                }
            };
            for task in self.client.handle_line(&line) {
                match task {
                    ClientAction::Send(line) => {
                        if let Err(error) = self.connection.send_line(&line.to_string()) {
                            return Ok(Err(Some(error)));
                        }
                    }
                    ClientAction::Search { state, board } => {
                        if let Err(error) = self.start_search(state, &board)? {
                            return Ok(Err(Some(error)));
                        }
                    }
                    ClientAction::StopSearch(state) => {
                        self.searches.remove(&state);
                    }
                    ClientAction::ReportError(text) => {
                        print_warning(&format!("the server says: {}", escape_truncated(&text)));
                    }
                    ClientAction::Disconnect => return Ok(Err(None)),
                    ClientAction::UnsupportedVersion(version) => {
                        let major = version.major;
                        let words =
                            format!("the server speaks KGP {major}, which nobody here knows");
                        return Err(CliError::Runtime(words));
                    }
                }
            }
        }
        Ok(Ok(()))
    }

    /// Answers a state at once, so that there is an answer, and begins to think about a better one.
    fn start_search(&mut self, state: u64, board: &KgpBoard) -> Result<io::Result<()>, CliError> {
        let position = match board.position() {
            Ok(position) => position,
            Err(reason) => {
                print_warning(&format!(
                    "{} cannot be played: {reason}",
                    escape_truncated(&board.to_string())
                ));
                return Ok(self.finish_state(state));
            }
        };
        let (first, second) = {
            let mut houses = position.legal_houses();
            (houses.next(), houses.next())
        };
        if let Some(house) = first
            && let Some(line) = self.client.send_move(state, house)
            && let Err(error) = self.connection.send_line(&line.to_string())
        {
            return Ok(Err(error));
        }
        if second.is_none() || self.searches.len() >= MAX_SEARCHES {
            return Ok(self.finish_state(state));
        }
        let engines = self.engines(&position)?;
        self.search_count += 1;
        let player = self.arguments.program.player;
        let limit = player.time_limit.unwrap_or(self.arguments.time);
        let question = SearchJob {
            state,
            search_number: self.search_count,
            position,
            player,
            seed: self.seed.wrapping_add(self.search_count),
            engines,
            limit: limit.get().min(self.arguments.time.get()),
        };
        let thinking = BackgroundSearch::spawn(question, self.search_updates.0.clone());
        self.searches.insert(state, thinking);
        Ok(Ok(()))
    }

    /// Engines for positions such as this, as long as no others are wanted.
    fn engines(&mut self, position: &Position) -> Result<EngineFactory, CliError> {
        let variant = Variant::from_position(position);
        let engines = match self.engines.take() {
            Some((of, engines)) if of == variant => engines,
            _ => self.arguments.program.engine.factory(position)?,
        };
        let (_, engines) = self.engines.insert((variant, engines));
        Ok(engines.clone())
    }

    /// Tells the server that nothing more will be said about a state.
    fn finish_state(&mut self, state: u64) -> io::Result<()> {
        match self.client.send_yield(state) {
            Some(line) => self.connection.send_line(&line.to_string()),
            None => Ok(()),
        }
    }

    /// Tells the server what was found meanwhile.
    fn send_search_updates(&mut self) -> io::Result<()> {
        while let Ok(thought) = self.search_updates.1.try_recv() {
            let of = self.searches.get(&thought.state);
            if of.is_none_or(|of| of.search_number != thought.search_number) {
                continue;
            }
            if let Some(house) = thought.house {
                if let Some(line) = self.client.send_move(thought.state, house) {
                    self.connection.send_line(&line.to_string())?;
                }
            } else {
                self.searches.remove(&thought.state);
                self.finish_state(thought.state)?;
            }
        }
        Ok(())
    }
}
