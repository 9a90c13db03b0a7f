//! The client's end of a connection.

use std::collections::BTreeSet;

use kalah::House;

use super::argument::KgpBoard;
use super::message::{Line, LineIds, Message, Mode, Version};

/// The state of a client's connection. It takes the lines of the server and returns the actions
/// that the client has to perform.
///
/// ```
/// use kalah::House;
/// use kalah_protocols::kgp::{Client, ClientAction, Mode};
///
/// let mut client = Client::new(Mode::Freeplay, Vec::new());
/// let actions = client.handle_line(&"kgp 1 0 1".parse()?);
/// let [ClientAction::Send(line)] = actions.as_slice() else { panic!("expected one line") };
/// assert_eq!(line.to_string(), "1 mode freeplay");
/// let actions = client.handle_line(&"8 state <3,0,0,2,2,2,2,2,2>".parse()?);
/// assert!(matches!(actions.as_slice(), [ClientAction::Search { state: 8, .. }]));
/// let house = House::new(2).expect("from 1 to 26");
/// let line = client.send_move(8, house).expect("the state is open");
/// assert_eq!(line.to_string(), "3@8 move 2");
/// let line = client.send_yield(8).expect("the state is open");
/// assert_eq!(line.to_string(), "5@8 yield");
/// assert_eq!(client.send_move(8, house), None);
/// # Ok::<(), kalah_protocols::kgp::ParseLineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    mode: Mode,
    /// The messages to send before the mode.
    introduction: Vec<Message>,
    is_greeted: bool,
    line_ids: LineIds,
    /// The ids of the states that still take a move.
    open_states: BTreeSet<u64>,
}

/// An action that a client has to perform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientAction {
    /// Send this line.
    Send(Line),
    /// Search for a move until [`Self::StopSearch`].
    Search {
        /// The id of the state.
        state: u64,
        /// The board, on which the client plays South and is to move.
        board: KgpBoard,
    },
    /// Stop the search for this state. The server takes no more moves for it.
    StopSearch(u64),
    /// Report an error message of the server to the user.
    ReportError(String),
    /// Disconnect: the server has sent `goodbye`.
    Disconnect,
    /// Disconnect and do not reconnect: the server has another major version of the protocol.
    UnsupportedVersion(Version),
}

impl Client {
    /// Creates a client that sends the `introduction`, such as its name, and then its mode.
    pub fn new(mode: Mode, introduction: Vec<Message>) -> Self {
        Self {
            mode,
            introduction,
            is_greeted: false,
            line_ids: LineIds::CLIENT,
            open_states: BTreeSet::new(),
        }
    }

    /// Returns whether the server has sent a supported version of the protocol.
    pub fn is_greeted(&self) -> bool {
        self.is_greeted
    }

    /// Handles a line of the server. Lines without a meaning for a client are ignored.
    pub fn handle_line(&mut self, line: &Line) -> Vec<ClientAction> {
        match (&line.message, line.id, line.reference) {
            (Message::Kgp(version), ..) => self.greet(*version),
            (Message::Ping, id, _) => {
                vec![ClientAction::Send(self.line_ids.line(id, Message::Pong))]
            }
            (Message::Error(text), ..) => vec![ClientAction::ReportError(text.as_str().to_owned())],
            (Message::Goodbye, ..) => vec![ClientAction::Disconnect],
            _ if !self.is_greeted => Vec::new(),
            (Message::State(board), Some(state), _) => {
                let is_known = !self.open_states.insert(state);
                let stop = is_known.then_some(ClientAction::StopSearch(state));
                let board = board.clone();
                stop.into_iter()
                    .chain([ClientAction::Search { state, board }])
                    .collect()
            }
            (Message::Stop, _, Some(state)) if self.open_states.remove(&state) => {
                vec![ClientAction::StopSearch(state)]
            }
            (Message::Problem { board, house }, Some(id), _) => {
                let solution = board.solve(*house).map(|solution| Message::Solution {
                    board: solution.board,
                    bonus_turn: solution.bonus_turn,
                });
                let line = solution.map(|solution| self.line_ids.line(Some(id), solution));
                line.map(ClientAction::Send).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the line for the best move so far, or `None` if the state is closed.
    pub fn send_move(&mut self, state: u64, house: House) -> Option<Line> {
        let is_open = self.open_states.contains(&state);
        is_open.then(|| self.line_ids.line(Some(state), Message::Move(house)))
    }

    /// Closes a state: the last move is final. Returns the line for it, or `None` if the state is
    /// closed already.
    pub fn send_yield(&mut self, state: u64) -> Option<Line> {
        let was_open = self.open_states.remove(&state);
        was_open.then(|| self.line_ids.line(Some(state), Message::Yield))
    }

    /// Returns the line that asks a silent server for a sign of life.
    pub fn ping(&mut self) -> Line {
        self.line_ids.line(None, Message::Ping)
    }

    fn greet(&mut self, version: Version) -> Vec<ClientAction> {
        if version.major != Version::CURRENT.major {
            return vec![ClientAction::UnsupportedVersion(version)];
        }
        if self.is_greeted {
            return Vec::new();
        }
        self.is_greeted = true;
        let mut messages = std::mem::take(&mut self.introduction);
        messages.push(Message::Mode(self.mode.clone()));
        let lines = messages
            .into_iter()
            .map(|message| self.line_ids.line(None, message));
        lines.map(ClientAction::Send).collect()
    }
}
