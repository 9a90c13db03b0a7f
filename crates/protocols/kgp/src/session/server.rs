//! The server's end of a connection.

use std::collections::BTreeMap;

use kalah::{House, Position, Quoted};

use crate::message::{
    Argument, KgpBoard, Line, LineIds, Message, Mode, ParseLineError, ParseLineReason, Text,
    Version, Word,
};

/// The state of a server's connection. It takes the lines of the client and returns the actions
/// that the server has to perform.
///
/// ```
/// use kalah::{Position, Rules};
/// use kalah_kgp::{Mode, Session, SessionAction};
///
/// let mut session = Session::new(None);
/// assert_eq!(session.greet().to_string(), "2 kgp 1 0 1");
/// let actions = session.handle_line("1 mode freeplay");
/// let [SessionAction::Send(line), SessionAction::Start(mode)] = actions.as_slice() else {
///     panic!("expected a line and the start of a mode")
/// };
/// assert_eq!(*mode, Mode::Freeplay);
/// assert_eq!(line.to_string(), "4@1 ok");
/// let (state, line) = session.request_move(&Position::start(3, 2, Rules::STANDARD)?);
/// assert_eq!(line.to_string(), "6 state <3,0,0,2,2,2,2,2,2>");
/// assert_eq!(session.handle_line("3@6 move 1"), []);
/// assert_eq!(session.handle_line("5@6 move 2"), []);
/// assert_eq!(session.handle_line("7@6 yield"), [SessionAction::FinishState(state)]);
/// let reply = session.take_reply(state).expect("the state is open");
/// assert_eq!(reply.house().map(|house| house.number()), Some(2));
/// assert_eq!(session.stop(state).to_string(), "8@6 stop");
/// # Ok::<(), kalah::SetupError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    line_ids: LineIds,
    /// The only mode that the server supports; `None` if it supports both.
    only_mode: Option<Mode>,
    mode: Option<Mode>,
    name: Option<Text>,
    authors: Option<Text>,
    description: Option<Text>,
    token: Option<Text>,
    /// The states that still take a move, with the last reply to each.
    open_states: BTreeMap<u64, StateReply>,
    /// The problems without a solution: the board and the house to sow.
    problems: BTreeMap<u64, (KgpBoard, House)>,
    /// The number of refused lines.
    invalid_lines: u32,
    /// The number of the game of the next states, as the client knows it.
    announced_game: Option<u64>,
}

/// An action that a server has to perform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionAction {
    /// Send this line.
    Send(Line),
    /// Start the mode that the client has chosen.
    Start(Mode),
    /// Take the reply to this state with [`Session::take_reply`]: the client has yielded.
    FinishState(u64),
    /// Record the solution of a problem.
    ProblemAnswered {
        /// Whether the solution is correct.
        correct: bool,
    },
    /// Report an error message of the client to the operator.
    ReportError(String),
    /// Disconnect.
    Disconnect(DisconnectReason),
}

/// The last reply to a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateReply {
    /// There was no `move`.
    Unanswered,
    /// A `move` with this house, which may not exist on the board.
    House(House),
    /// A `move` with a number that is not a house of any board.
    InvalidHouse,
}

impl StateReply {
    /// Returns the house, if the reply names one.
    pub fn house(self) -> Option<House> {
        match self {
            Self::House(house) => Some(house),
            Self::Unanswered | Self::InvalidHouse => None,
        }
    }
}

/// The reason why a server ends a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisconnectReason {
    /// The client has sent `goodbye`.
    Goodbye,
    /// The client has violated the protocol.
    Protocol,
}

/// The number of refused lines at which a server disconnects.
const MAX_INVALID_LINES: u32 = 100;

impl Session {
    /// Creates the state of a new connection. `only_mode` is the only mode that the server
    /// supports; `None` allows both.
    pub fn new(only_mode: Option<Mode>) -> Self {
        Self {
            line_ids: LineIds::SERVER,
            only_mode,
            mode: None,
            name: None,
            authors: None,
            description: None,
            token: None,
            open_states: BTreeMap::new(),
            problems: BTreeMap::new(),
            invalid_lines: 0,
            announced_game: None,
        }
    }

    /// Returns the first line to send: the version of the protocol.
    pub fn greet(&mut self) -> Line {
        self.line_ids.line(None, Message::Kgp(Version::CURRENT))
    }

    /// Returns the mode, once the client has chosen it.
    pub fn mode(&self) -> Option<&Mode> {
        self.mode.as_ref()
    }

    /// Returns the name of the client, once it has set `info:name`.
    pub fn name(&self) -> Option<&str> {
        self.name.as_ref().map(Text::as_str)
    }

    /// Returns the authors of the client, once it has set `info:authors`.
    pub fn authors(&self) -> Option<&str> {
        self.authors.as_ref().map(Text::as_str)
    }

    /// Returns the description of the client, once it has set `info:description`.
    pub fn description(&self) -> Option<&str> {
        self.description.as_ref().map(Text::as_str)
    }

    /// Returns the secret that identifies the client, once it has set `auth:token`.
    pub fn token(&self) -> Option<&str> {
        self.token.as_ref().map(Text::as_str)
    }

    /// Handles a line of the client, with or without its end.
    pub fn handle_line(&mut self, text: &str) -> Vec<SessionAction> {
        if text.trim().is_empty() {
            return Vec::new();
        }
        match text.parse() {
            Ok(line) => self.handle_parsed_line(&line),
            Err(error) => self.handle_parse_error(&error),
        }
    }

    /// Refuses a line that exceeds the maximum length.
    pub fn handle_overlong_line(&mut self) -> Vec<SessionAction> {
        self.reject(None, &ParseLineReason::TooLong.to_string())
    }

    /// Refuses a line that cannot be parsed. A malformed `move` still counts as the last reply to
    /// its state, and a malformed answer to a problem counts as a wrong solution, so that the
    /// server does not wait for a correct one.
    fn handle_parse_error(&mut self, error: &ParseLineError) -> Vec<SessionAction> {
        let mut actions = self.reject(error.id, &error.to_string());
        let Some(reference) = error.reference else {
            return actions;
        };
        let is_move = matches!(
            error.reason,
            ParseLineReason::InvalidArguments {
                command: "move",
                ..
            }
        );
        if let Some(reply) = self.open_states.get_mut(&reference).filter(|_| is_move) {
            *reply = StateReply::InvalidHouse;
        }
        if self.problems.remove(&reference).is_some() {
            actions.push(SessionAction::ProblemAnswered { correct: false });
        }
        actions
    }

    fn handle_parsed_line(&mut self, line: &Line) -> Vec<SessionAction> {
        match &line.message {
            Message::Mode(mode) => self.handle_mode(line.id, mode),
            Message::Set { option, value } => {
                self.set_option(option.as_str(), value);
                Vec::new()
            }
            Message::Move(house) => match self.open_state(line) {
                Ok(state) => {
                    if let Some(reply) = state.and_then(|state| self.open_states.get_mut(&state)) {
                        *reply = StateReply::House(*house);
                    }
                    Vec::new()
                }
                Err(reason) => self.reject(line.id, &reason),
            },
            Message::Yield => match self.open_state(line) {
                Ok(state) => state.map(SessionAction::FinishState).into_iter().collect(),
                Err(reason) => self.reject(line.id, &reason),
            },
            Message::Solution { board, bonus_turn } => {
                self.handle_solution(line, board, *bonus_turn)
            }
            Message::Ping => vec![SessionAction::Send(
                self.line_ids.line(line.id, Message::Pong),
            )],
            Message::Error(text) => vec![SessionAction::ReportError(text.as_str().to_owned())],
            Message::Goodbye => vec![SessionAction::Disconnect(DisconnectReason::Goodbye)],
            // The reference tokenizer drops an empty string, so this is `set` with an empty value,
            // which sets nothing.
            Message::Unknown(unknown) if unknown.command() == "set" => Vec::new(),
            Message::Unknown(unknown) => {
                let reason = format!("unknown command {}", Quoted::new(unknown.command()));
                self.reject(line.id, &reason)
            }
            // Messages of a server, and answers that need no action.
            Message::Kgp(_)
            | Message::State(_)
            | Message::Stop
            | Message::Problem { .. }
            | Message::Pong
            | Message::Ok => Vec::new(),
        }
    }

    fn handle_mode(&mut self, id: Option<u64>, mode: &Mode) -> Vec<SessionAction> {
        if self.mode.is_some() {
            let mut actions = self.reject(id, "`mode` may be sent only once");
            actions.push(SessionAction::Disconnect(DisconnectReason::Protocol));
            return actions;
        }
        let is_supported = match (&self.only_mode, mode) {
            (_, Mode::Other(_)) => false,
            (only, mode) => only.as_ref().is_none_or(|only| only == mode),
        };
        if !is_supported {
            let mode = Message::Mode(mode.clone()).to_string();
            let reason = format!("this server does not offer {}", Quoted::new(&mode));
            return self.reject(id, &reason);
        }
        self.mode = Some(mode.clone());
        let ok = self.line_ids.line(id, Message::Ok);
        vec![SessionAction::Send(ok), SessionAction::Start(mode.clone())]
    }

    fn set_option(&mut self, option: &str, value: &Argument) {
        let text = value
            .as_text()
            .map_or_else(|| value.to_string(), str::to_owned);
        match option {
            "info:name" => self.name = Text::new(&text),
            // FAU's server takes both forms.
            "info:authors" | "info:author" => self.authors = Text::new(&text),
            "info:description" => self.description = Text::new(&text),
            "auth:token" => self.token = Text::new(&text),
            // The protocol tells servers to ignore options that they do not know.
            _ => {}
        }
    }

    /// Returns the open state to which a line refers, or `None` if the state is closed: a `stop`
    /// and an answer can cross on the wire.
    fn open_state(&self, line: &Line) -> Result<Option<u64>, String> {
        let Some(state) = line.reference else {
            let message = &line.message;
            return Err(format!(
                "`{message}` lacks the reference to a state, such as `@6 {message}`"
            ));
        };
        match self.open_states.get(&state) {
            Some(_) => Ok(Some(state)),
            None if self.line_ids.may_have_sent(state) => Ok(None),
            None => Err(format!("there is no state {state}")),
        }
    }

    fn handle_solution(
        &mut self,
        line: &Line,
        board: &KgpBoard,
        bonus_turn: bool,
    ) -> Vec<SessionAction> {
        let Some(problem) = line.reference else {
            return self.reject(line.id, "`solution` lacks the reference to a problem");
        };
        let Some((before, house)) = self.problems.remove(&problem) else {
            return self.reject(line.id, &format!("there is no open problem {problem}"));
        };
        let verdict = match before.solve(house) {
            Some(solution) if solution.board != *board => {
                Err(format!("expected {}", solution.board))
            }
            Some(solution) if solution.bonus_turn => bonus_turn
                .then_some(())
                .ok_or_else(|| "the sowing gives a bonus turn".to_owned()),
            _ if bonus_turn => Err("the sowing gives no bonus turn".to_owned()),
            _ => Ok(()),
        };
        let message = match &verdict {
            Ok(()) => Message::Ok,
            Err(reason) => Message::error(reason),
        };
        let reply = self.line_ids.line(line.id, message);
        let correct = verdict.is_ok();
        vec![
            SessionAction::Send(reply),
            SessionAction::ProblemAnswered { correct },
        ]
    }

    /// Returns the lines that announce the game of the next states and the opponent in it, or none
    /// if the client knows the game. Existing clients ignore these options, or show them.
    pub fn announce_game(&mut self, game: u64, opponent: &str) -> Vec<Line> {
        if self.announced_game.replace(game) == Some(game) {
            return Vec::new();
        }
        let id = game.to_string();
        let options = [("game:id", id.as_str()), ("game:opponent", opponent)];
        let messages = options.map(|(option, value)| {
            let (option, value) = (Word::new(option)?, Argument::Text(Text::new(value)?));
            Some(Message::Set { option, value })
        });
        let messages = messages.into_iter().flatten();
        messages
            .map(|message| self.line_ids.line(None, message))
            .collect()
    }

    /// Requests a move in a position in which the client is to move. Returns the id of the state
    /// and the line to send.
    pub fn request_move(&mut self, position: &Position) -> (u64, Line) {
        let state = self.line_ids.next_id();
        let board = KgpBoard::from(position);
        let line = self.line_ids.line(None, Message::State(board));
        self.open_states.insert(state, StateReply::Unanswered);
        (state, line)
    }

    /// Closes a state and returns the last reply to it, or `None` if the state is closed already.
    /// Later replies are ignored.
    pub fn take_reply(&mut self, state: u64) -> Option<StateReply> {
        self.open_states.remove(&state)
    }

    /// Returns the line that tells the client that the time for a state is over.
    ///
    /// Send it to clients that have yielded, too, because some keep a process for each state until
    /// `stop`. Send it with a delay: kgpc kills its child process at `stop`, even while the child
    /// still writes its last move.
    pub fn stop(&mut self, state: u64) -> Line {
        self.line_ids.line(Some(state), Message::Stop)
    }

    /// Returns the line that asks the client for the result of a sowing.
    pub fn send_problem(&mut self, position: &Position, house: House) -> Line {
        let board = KgpBoard::from(position);
        let problem = (board.clone(), house);
        self.problems.insert(self.line_ids.next_id(), problem);
        self.line_ids.line(None, Message::Problem { board, house })
    }

    /// Returns the line that asks the client for a sign of life.
    pub fn ping(&mut self) -> Line {
        self.line_ids.line(None, Message::Ping)
    }

    /// Returns an error line for the client.
    pub fn send_error(&mut self, reason: &str) -> Line {
        self.line_ids.line(None, Message::error(reason))
    }

    /// Refuses a line, and disconnects at the maximum number of refused lines.
    fn reject(&mut self, id: Option<u64>, reason: &str) -> Vec<SessionAction> {
        self.invalid_lines += 1;
        let line = self.line_ids.line(id, Message::error(reason));
        let disconnect = (self.invalid_lines >= MAX_INVALID_LINES)
            .then_some(SessionAction::Disconnect(DisconnectReason::Protocol));
        [SessionAction::Send(line)]
            .into_iter()
            .chain(disconnect)
            .collect()
    }
}
