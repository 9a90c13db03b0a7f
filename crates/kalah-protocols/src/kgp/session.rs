use std::collections::BTreeMap;

use kalah::{House, Position};

use super::{
    Argument, KgpBoard, Line, Message, Mode, ParseLineError, ParseLineReason, Text, Version,
};

/// A server's end of one connection: what the client says comes in, and what is to be done comes out.
///
/// ```
/// use kalah::{Position, Rules};
/// use kalah_protocols::kgp::{Deed, Mode, Session};
///
/// let mut session = Session::new(None);
/// assert_eq!(session.greet().to_string(), "2 kgp 1 0 1");
/// let deeds = session.hear("1 mode freeplay");
/// let [Deed::Say(line), Deed::Begin(Mode::Freeplay)] = deeds.as_slice() else { panic!("it begins") };
/// assert_eq!(line.to_string(), "4@1 ok");
/// let (state, line) = session.ask(&Position::start(3, 2, Rules::STANDARD)?);
/// assert_eq!(line.to_string(), "6 state <3,0,0,2,2,2,2,2,2>");
/// assert_eq!(session.hear("3@6 move 1"), []);
/// assert_eq!(session.hear("5@6 move 2"), []);
/// assert_eq!(session.hear("7@6 yield"), [Deed::Settle(state)]);
/// let settled = session.settle(state).expect("it is open");
/// assert_eq!(settled.house().map(|house| house.number()), Some(2));
/// assert_eq!(session.stop(state).to_string(), "8@6 stop");
/// # Ok::<(), kalah::SetupError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    next_id: u64,
    /// The only mode there is, unless there are both.
    only_mode: Option<Mode>,
    mode: Option<Mode>,
    name: Option<Text>,
    token: Option<Text>,
    /// The states that may be answered, and the last answer to each.
    open_states: BTreeMap<u64, StateReply>,
    /// Problems that wait for a solution.
    problems: BTreeMap<u64, (KgpBoard, House)>,
    /// Lines that made no sense.
    invalid_lines: u32,
}

/// What a server has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionAction {
    /// Send this.
    Send(Line),
    /// The client has said what it has come for: to play, or to be asked about the rules.
    Start(Mode),
    /// Nothing more will be said about this state: see [`Session::settle`].
    FinishState(u64),
    /// A problem is solved.
    ProblemAnswered {
        /// Whether it is solved rightly.
        correct: bool,
    },
    /// Tell whoever runs the server what the client complains of.
    ReportError(String),
    /// Hang up.
    Disconnect(DisconnectReason),
}

/// The last answer to a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateReply {
    /// There was none.
    Unanswered,
    /// This house, which the board may not have.
    House(House),
    /// A `move` that names no house of any board.
    InvalidHouse,
}

impl StateReply {
    /// The house, if it was one.
    pub fn house(self) -> Option<House> {
        match self {
            Self::House(house) => Some(house),
            Self::Unanswered | Self::InvalidHouse => None,
        }
    }
}

/// Why a connection has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisconnectReason {
    /// The client has said goodbye.
    Goodbye,
    /// It breaks the protocol.
    Protocol,
}

/// Ids of a server are even.
const FIRST_ID: u64 = 2;
const ID_STEP: u64 = 2;

/// Lines without sense that are borne with on a connection.
const MAX_INVALID_LINES: u32 = 100;

impl Session {
    /// The end of a connection that has just begun, on a server on which there is only this mode, or else both.
    pub fn new(only_mode: Option<Mode>) -> Self {
        Self {
            next_id: FIRST_ID,
            only_mode,
            mode: None,
            name: None,
            token: None,
            open_states: BTreeMap::new(),
            problems: BTreeMap::new(),
            invalid_lines: 0,
        }
    }

    /// What is to be said first.
    pub fn greet(&mut self) -> Line {
        self.next_line(None, Message::Kgp(Version::CURRENT))
    }

    /// What the client has come for, once it has said so.
    pub fn mode(&self) -> Option<&Mode> {
        self.mode.as_ref()
    }

    /// What the client calls itself.
    pub fn name(&self) -> Option<&str> {
        self.name.as_ref().map(Text::as_str)
    }

    /// The secret by which the client is known again.
    pub fn token(&self) -> Option<&str> {
        self.token.as_ref().map(Text::as_str)
    }

    /// Takes a line of the client, with or without its end.
    pub fn handle_line(&mut self, text: &str) -> Vec<SessionAction> {
        if text.trim().is_empty() {
            return Vec::new();
        }
        match text.parse() {
            Ok(line) => self.handle_parsed_line(&line),
            Err(error) => self.handle_parse_error(&error),
        }
    }

    /// Takes a line that is longer than any line, or so much of one that has no end.
    pub fn handle_overlong_line(&mut self) -> Vec<SessionAction> {
        self.reject(None, &ParseLineReason::TooLong.to_string())
    }

    /// Takes a line that cannot be read. Where it is an answer, it is a wrong one: who waits for what comes of it waits
    /// no longer.
    fn handle_parse_error(&mut self, error: &ParseLineError) -> Vec<SessionAction> {
        let mut deeds = self.reject(error.id, &error.to_string());
        let Some(reference) = error.reference else {
            return deeds;
        };
        let is_move = matches!(
            error.reason,
            ParseLineReason::InvalidArguments {
                command: "move",
                ..
            }
        );
        if let Some(answer) = self.open_states.get_mut(&reference).filter(|_| is_move) {
            *answer = StateReply::InvalidHouse;
        }
        if self.problems.remove(&reference).is_some() {
            deeds.push(SessionAction::ProblemAnswered { correct: false });
        }
        deeds
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
                    if let Some(answer) = state.and_then(|state| self.open_states.get_mut(&state)) {
                        *answer = StateReply::House(*house);
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
            Message::Ping => vec![SessionAction::Send(self.next_line(line.id, Message::Pong))],
            Message::Error(text) => vec![SessionAction::ReportError(text.as_str().to_owned())],
            Message::Goodbye => vec![SessionAction::Disconnect(DisconnectReason::Goodbye)],
            // The stock tokenizer has it that an empty string is none: no option is set.
            Message::Unknown(unknown) if unknown.command() == "set" => Vec::new(),
            Message::Unknown(unknown) => {
                let words = format!("nobody here knows the command {}", unknown.command());
                self.reject(line.id, &words)
            }
            // A client says none of the others, or nothing is to be done about it.
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
            let mut deeds = self.reject(id, "the mode has been said already");
            deeds.push(SessionAction::Disconnect(DisconnectReason::Protocol));
            return deeds;
        }
        let is_there = match (&self.only_mode, mode) {
            (_, Mode::Other(_)) => false,
            (only, mode) => only.as_ref().is_none_or(|only| only == mode),
        };
        if !is_there {
            let mode = Message::Mode(mode.clone());
            return self.reject(id, &format!("there is no {mode} here"));
        }
        self.mode = Some(mode.clone());
        let ok = self.next_line(id, Message::Ok);
        vec![SessionAction::Send(ok), SessionAction::Start(mode.clone())]
    }

    fn set_option(&mut self, option: &str, value: &Argument) {
        let text = value
            .as_text()
            .map_or_else(|| value.to_string(), str::to_owned);
        match option {
            "info:name" => self.name = Text::new(&text),
            "auth:token" => self.token = Text::new(&text),
            // Who does not know an option does nothing.
            _ => {}
        }
    }

    /// The open state to which a line refers; none if it was open once: a stop and an answer can cross.
    fn open_state(&self, line: &Line) -> Result<Option<u64>, String> {
        let Some(state) = line.reference else {
            return Err("it does not say which state it answers".to_owned());
        };
        let was_said = state < self.next_id && state.is_multiple_of(ID_STEP);
        match self.open_states.get(&state) {
            Some(_) => Ok(Some(state)),
            None if was_said => Ok(None),
            None => Err(format!("there is no state {state}")),
        }
    }

    fn handle_solution(
        &mut self,
        line: &Line,
        board: &KgpBoard,
        bonus_turn: bool,
    ) -> Vec<SessionAction> {
        let problem = (line.reference).and_then(|problem| self.problems.remove(&problem));
        let Some((before, house)) = problem else {
            return self.reject(line.id, "it solves no problem that waits for it");
        };
        let rightly = match before.solve(house) {
            Some(solved) if solved.board != *board => Err(format!("expected {}", solved.board)),
            Some(solved) if solved.bonus_turn => bonus_turn
                .then_some(())
                .ok_or_else(|| "it gives a bonus turn".to_owned()),
            _ if bonus_turn => Err("it gives no bonus turn".to_owned()),
            _ => Ok(()),
        };
        let message = match &rightly {
            Ok(()) => Message::Ok,
            Err(reason) => Message::error(reason),
        };
        let answer = self.next_line(line.id, message);
        let correct = rightly.is_ok();
        vec![
            SessionAction::Send(answer),
            SessionAction::ProblemAnswered { correct },
        ]
    }

    /// Asks the client about a position in which it is to move, and tells the id of that state.
    pub fn request_move(&mut self, position: &Position) -> (u64, Line) {
        let line = self.next_line(None, Message::State(KgpBoard::from(position)));
        let state = line.id.unwrap_or_default();
        self.open_states.insert(state, StateReply::Unanswered);
        (state, line)
    }

    /// Takes the last answer to a state, if it is open; what is said about it later is passed over.
    pub fn take_reply(&mut self, state: u64) -> Option<StateReply> {
        self.open_states.remove(&state)
    }

    /// Tells the client that the time for a state is over. Clients that have said all are told too: some keep a
    /// process for a state until then. Not at once, though: one kills that process with its last word on its lips.
    pub fn stop(&mut self, state: u64) -> Line {
        self.next_line(Some(state), Message::Stop)
    }

    /// Asks the client what comes of a sowing.
    pub fn send_problem(&mut self, position: &Position, house: House) -> Line {
        let board = KgpBoard::from(position);
        let problem = (board.clone(), house);
        let line = self.next_line(None, Message::Problem { board, house });
        self.problems.insert(line.id.unwrap_or_default(), problem);
        line
    }

    /// Asks whether the client is there.
    pub fn ping(&mut self) -> Line {
        self.next_line(None, Message::Ping)
    }

    /// Complains of something that the client does, or does not do.
    pub fn send_error(&mut self, reason: &str) -> Line {
        self.next_line(None, Message::error(reason))
    }

    /// Refuses a line; who sends too many of them has to leave.
    fn reject(&mut self, id: Option<u64>, reason: &str) -> Vec<SessionAction> {
        self.invalid_lines += 1;
        let line = self.next_line(id, Message::error(reason));
        let leave = (self.invalid_lines >= MAX_INVALID_LINES)
            .then_some(SessionAction::Disconnect(DisconnectReason::Protocol));
        [SessionAction::Send(line)]
            .into_iter()
            .chain(leave)
            .collect()
    }

    /// A line with an id of its own.
    fn next_line(&mut self, reference: Option<u64>, message: Message) -> Line {
        let id = self.next_id;
        self.next_id = id.wrapping_add(ID_STEP);
        Line {
            id: Some(id),
            reference,
            message,
        }
    }
}
