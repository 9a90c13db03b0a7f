//! The client's end of a connection.

use std::collections::BTreeMap;
use std::time::Duration;

use kalah::House;

use crate::message::{Argument, KgpBoard, Line, LineIds, Message, Mode, Text, Version, Word};

/// The state of a client's connection. It takes the lines of the server and returns the actions
/// that the client has to perform.
///
/// Answers to a state are held back for [`Client::ANSWER_DELAY`], because FAU's server sends a
/// state before it is able to take the answer. All times are durations since any fixed moment.
///
/// ```
/// use std::time::Duration;
///
/// use kalah::House;
/// use kalah_kgp::{Client, ClientAction, Mode};
///
/// let mut client = Client::new(Mode::Freeplay, Vec::new());
/// let now = Duration::ZERO;
/// let actions = client.handle_line(&"kgp 1 0 1".parse()?, now);
/// let [ClientAction::Send(line)] = actions.as_slice() else { panic!("expected one line") };
/// assert_eq!(line.to_string(), "1 mode freeplay");
/// let actions = client.handle_line(&"8 state <3,0,0,2,2,2,2,2,2>".parse()?, now);
/// assert!(matches!(actions.as_slice(), [ClientAction::Search { state: 8, .. }]));
/// client.set_move(8, House::new(2).expect("from 1 to 26"), None);
/// client.finish(8);
/// assert_eq!(client.take_due_lines(now), []);
/// let due = client.next_deadline().expect("two lines wait");
/// assert_eq!(due, now + Client::ANSWER_DELAY);
/// let lines = client.take_due_lines(due);
/// assert_eq!(lines[0].to_string(), "3@8 move 2");
/// assert_eq!(lines[1].to_string(), "5@8 yield");
/// # Ok::<(), kalah_kgp::ParseLineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    mode: Mode,
    /// The messages to send before the mode.
    introduction: Vec<Message>,
    is_greeted: bool,
    line_ids: LineIds,
    /// The answers to states by the server's ids of the states. An answer that the client has
    /// yielded stays for a while, because the server may refuse it.
    answers: BTreeMap<u64, Answer>,
    /// The id of the last ping.
    ping: Option<u64>,
}

/// The answer to a state.
#[derive(Clone, Debug)]
struct Answer {
    /// The time before which no line is sent.
    due: Duration,
    /// The best move so far, with a comment.
    best: Option<(House, Option<Text>)>,
    /// Whether `best` has still to be sent.
    is_move_due: bool,
    /// Whether no better move follows.
    is_final: bool,
    /// Whether `yield` has still to be sent. Set together with `is_final`.
    is_yield_due: bool,
    /// The ids of the lines that were sent.
    line_ids: Vec<u64>,
    /// How often the server has refused the answer.
    refusals: u32,
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
    /// Send no more pings: the server does not know them.
    StopPinging,
    /// Report an error message of the server to the user.
    ReportError(String),
    /// Disconnect: the server has sent `goodbye`.
    Disconnect,
    /// Disconnect and do not reconnect: the server has another major version of the protocol.
    UnsupportedVersion(Version),
}

/// The error of FAU's server about an answer to a state that it does not know yet, or any more.
const UNKNOWN_STATE: &str = "No state associated with id";

/// The maximum number of times that a refused answer is sent again.
const MAX_REFUSALS: u32 = 3;

/// The maximum number of answers that are kept after their `yield`.
const MAX_YIELDED_ANSWERS: usize = 64;

impl Answer {
    fn new(due: Duration) -> Self {
        Self {
            due,
            best: None,
            is_move_due: false,
            is_final: false,
            is_yield_due: false,
            line_ids: Vec::new(),
            refusals: 0,
        }
    }

    fn is_due(&self) -> bool {
        self.is_move_due || self.is_yield_due
    }

    /// Sends the whole answer again after a delay, unless it was refused too often.
    fn retry(&mut self, now: Duration) {
        if self.is_due() || self.refusals == MAX_REFUSALS {
            return;
        }
        self.refusals += 1;
        self.due = now + Client::ANSWER_DELAY;
        self.is_move_due = self.best.is_some();
        self.is_yield_due = self.is_final;
    }
}

impl Client {
    /// The time between a state and the first line about it. FAU's server takes less than this to
    /// be ready for the line, and most servers wait for 5 s.
    pub const ANSWER_DELAY: Duration = Duration::from_millis(50);

    /// Creates a client that sends the `introduction`, such as its name, and then its mode.
    pub fn new(mode: Mode, introduction: Vec<Message>) -> Self {
        Self {
            mode,
            introduction,
            is_greeted: false,
            line_ids: LineIds::CLIENT,
            answers: BTreeMap::new(),
            ping: None,
        }
    }

    /// Returns whether the server has sent a supported version of the protocol.
    pub fn is_greeted(&self) -> bool {
        self.is_greeted
    }

    /// Handles a line of the server at the time `now`. Lines without a meaning for a client are
    /// ignored.
    pub fn handle_line(&mut self, line: &Line, now: Duration) -> Vec<ClientAction> {
        match (&line.message, line.id, line.reference) {
            (Message::Kgp(version), ..) => self.greet(*version),
            (Message::Ping, id, _) => {
                vec![ClientAction::Send(self.line_ids.line(id, Message::Pong))]
            }
            (Message::Error(text), _, reference) => {
                let action = self.handle_error(text.as_str(), reference, now);
                action.into_iter().collect()
            }
            (Message::Goodbye, ..) => vec![ClientAction::Disconnect],
            _ if !self.is_greeted => Vec::new(),
            (Message::State(board), Some(state), _) => {
                let answer = Answer::new(now + Self::ANSWER_DELAY);
                let replaced = self.answers.insert(state, answer);
                let is_open = replaced.is_some_and(|answer| !answer.is_final);
                let stop = is_open.then_some(ClientAction::StopSearch(state));
                let board = board.clone();
                stop.into_iter()
                    .chain([ClientAction::Search { state, board }])
                    .collect()
            }
            (Message::Stop, _, Some(state)) => {
                let answer = self.answers.remove(&state);
                let was_open = answer.is_some_and(|answer| !answer.is_final);
                let stop = was_open.then_some(ClientAction::StopSearch(state));
                stop.into_iter().collect()
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

    /// Handles an error of the server about the line with the id `reference`.
    ///
    /// FAU's server refuses an answer that comes too early, which is then sent again, or too late,
    /// which is no error of the client.
    fn handle_error(
        &mut self,
        text: &str,
        reference: Option<u64>,
        now: Duration,
    ) -> Option<ClientAction> {
        if let Some(id) = reference {
            if self.ping == Some(id) {
                return Some(ClientAction::StopPinging);
            }
            if text == UNKNOWN_STATE && self.line_ids.may_have_sent(id) {
                let mut answers = self.answers.values_mut();
                if let Some(answer) = answers.find(|answer| answer.line_ids.contains(&id)) {
                    answer.retry(now);
                }
                return None;
            }
        }
        Some(ClientAction::ReportError(text.to_owned()))
    }

    /// Sets the best move so far in answer to a state, with a comment on it. This has no effect on
    /// a state that is closed.
    pub fn set_move(&mut self, state: u64, house: House, comment: Option<Text>) {
        if let Some(answer) = self.open_answer(state) {
            answer.best = Some((house, comment));
            answer.is_move_due = true;
        }
    }

    /// Closes a state: the best move so far is final.
    pub fn finish(&mut self, state: u64) {
        if let Some(answer) = self.open_answer(state) {
            answer.is_final = true;
            answer.is_yield_due = true;
        }
    }

    fn open_answer(&mut self, state: u64) -> Option<&mut Answer> {
        self.answers
            .get_mut(&state)
            .filter(|answer| !answer.is_final)
    }

    /// Returns whether the server waits for an answer of the client.
    pub fn has_open_states(&self) -> bool {
        let mut answers = self.answers.values();
        answers.any(|answer| !answer.is_final || answer.is_due())
    }

    /// Returns the time at which [`Client::take_due_lines`] returns a line, if lines wait.
    pub fn next_deadline(&self) -> Option<Duration> {
        let due = self.answers.values().filter(|answer| answer.is_due());
        due.map(|answer| answer.due).min()
    }

    /// Returns the lines that are to be sent at the time `now`.
    pub fn take_due_lines(&mut self, now: Duration) -> Vec<Line> {
        let mut lines = Vec::new();
        for (&state, answer) in &mut self.answers {
            if answer.due > now {
                continue;
            }
            if std::mem::take(&mut answer.is_move_due)
                && let Some((house, comment)) = &answer.best
            {
                // The server adds the comment to the next move.
                let comment = comment.clone().and_then(comment_message);
                lines.extend(comment.map(|comment| self.line_ids.line(None, comment)));
                answer.line_ids.push(self.line_ids.next_id());
                lines.push(self.line_ids.line(Some(state), Message::Move(*house)));
            }
            if std::mem::take(&mut answer.is_yield_due) {
                answer.line_ids.push(self.line_ids.next_id());
                lines.push(self.line_ids.line(Some(state), Message::Yield));
            }
        }
        self.forget_old_answers();
        lines
    }

    /// Drops the oldest answers without `stop`: some servers send none after a `yield`.
    fn forget_old_answers(&mut self) {
        let yielded = self.answers.iter().filter(|(_, answer)| {
            // An answer that is still to be sent is not yielded.
            answer.is_final && !answer.is_due()
        });
        let yielded: Vec<u64> = yielded.map(|(&state, _)| state).collect();
        let excess = yielded.len().saturating_sub(MAX_YIELDED_ANSWERS);
        for state in &yielded[..excess] {
            self.answers.remove(state);
        }
    }

    /// Returns the line that asks a silent server for a sign of life.
    pub fn ping(&mut self) -> Line {
        self.ping = Some(self.line_ids.next_id());
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

/// Returns the message that comments on the next move.
fn comment_message(comment: Text) -> Option<Message> {
    let option = Word::new("info:comment")?;
    let value = Argument::Text(comment);
    Some(Message::Set { option, value })
}
