use std::collections::BTreeSet;

use kalah::House;

use super::{KgpBoard, Line, Message, Mode, Version};

/// A client's end of one connection: what the server says comes in, and what is to be done comes out.
///
/// ```
/// use kalah::House;
/// use kalah_protocols::kgp::{Client, Mode, Task};
///
/// let mut client = Client::new(Mode::Freeplay, Vec::new());
/// let tasks = client.hear(&"kgp 1 0 1".parse()?);
/// let [Task::Say(line)] = tasks.as_slice() else { panic!("it says what it wants") };
/// assert_eq!(line.to_string(), "1 mode freeplay");
/// let tasks = client.hear(&"8 state <3,0,0,2,2,2,2,2,2>".parse()?);
/// assert!(matches!(tasks.as_slice(), [Task::Think { state: 8, .. }]));
/// let house = House::new(2).expect("from 1 to 26");
/// let line = client.choose(8, house).expect("it is open");
/// assert_eq!(line.to_string(), "3@8 move 2");
/// assert_eq!(client.finish(8).expect("it is open").to_string(), "5@8 yield");
/// assert_eq!(client.choose(8, house), None);
/// # Ok::<(), kalah_protocols::kgp::ParseLineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    mode: Mode,
    /// What is said before the mode.
    introduction: Vec<Message>,
    is_greeted: bool,
    next_id: u64,
    /// The states that may be answered, by the ids that the server gave them.
    open_states: BTreeSet<u64>,
}

/// What a client has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientAction {
    /// Send this.
    Send(Line),
    /// Look for a move, until it is told to stop.
    Search {
        /// The server's id of the state.
        state: u64,
        /// The state: South is to move, and whoever thinks is South.
        board: KgpBoard,
    },
    /// Leave off thinking about this state: no answer will be taken any more.
    StopSearch(u64),
    /// Tell whoever runs the client what the server complains of.
    ReportError(String),
    /// The server has said goodbye.
    Disconnect,
    /// The server speaks another protocol: go and do not come back.
    UnsupportedVersion(Version),
}

/// Ids of a client are odd.
const FIRST_ID: u64 = 1;
const ID_STEP: u64 = 2;

impl Client {
    /// A client that says the `introduction`, such as its name, and then what it has come for.
    pub fn new(mode: Mode, introduction: Vec<Message>) -> Self {
        Self {
            mode,
            introduction,
            is_greeted: false,
            next_id: FIRST_ID,
            open_states: BTreeSet::new(),
        }
    }

    /// Whether the server has said which protocol it speaks, and it is this one.
    pub fn is_greeted(&self) -> bool {
        self.is_greeted
    }

    /// Takes a line of the server. What means nothing to a client is passed over.
    pub fn handle_line(&mut self, line: &Line) -> Vec<ClientAction> {
        match (&line.message, line.id, line.reference) {
            (Message::Kgp(version), ..) => self.greet(*version),
            (Message::Ping, id, _) => vec![ClientAction::Send(self.next_line(id, Message::Pong))],
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
                let solved = board.solve(*house).map(|solved| Message::Solution {
                    board: solved.board,
                    bonus_turn: solved.bonus_turn,
                });
                let said =
                    solved.map(|solution| ClientAction::Send(self.next_line(Some(id), solution)));
                said.into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// How to say that a house is the best so far, if anybody still listens.
    pub fn send_move(&mut self, state: u64, house: House) -> Option<Line> {
        let is_open = self.open_states.contains(&state);
        is_open.then(|| self.next_line(Some(state), Message::Move(house)))
    }

    /// How to say that nothing more will be said about a state, if anybody still listens.
    pub fn send_yield(&mut self, state: u64) -> Option<Line> {
        let was_open = self.open_states.remove(&state);
        was_open.then(|| self.next_line(Some(state), Message::Yield))
    }

    /// How to ask a server that says nothing whether it is there.
    pub fn ping(&mut self) -> Line {
        self.next_line(None, Message::Ping)
    }

    fn greet(&mut self, version: Version) -> Vec<ClientAction> {
        if version.major != Version::CURRENT.major {
            return vec![ClientAction::UnsupportedVersion(version)];
        }
        if self.is_greeted {
            return Vec::new();
        }
        self.is_greeted = true;
        let mut said = std::mem::take(&mut self.introduction);
        said.push(Message::Mode(self.mode.clone()));
        let lines = said
            .into_iter()
            .map(|message| self.next_line(None, message));
        lines.map(ClientAction::Send).collect()
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
