//! The games and problems of a connection, as its client can follow them.

use std::collections::BTreeMap;

use kalah::{BySide, House, Move, Position, Rules, SeedCount, Setup, Side};

use crate::message::{Argument, KgpBoard, Line, Message, Solution, Text};
use crate::session::possible_ends::{
    GameResult, MAX_PLIES, PossibleEnds, moves_without_state, result_at_end,
};

/// The maximum number of games that are followed at a time. The oldest ones are dropped.
const MAX_GAMES: usize = 64;

/// The maximum number of problems without a solution, and of solutions without a verdict.
const MAX_PROBLEMS: usize = 64;

/// The maximum number of positions in a search for plies of the opponent: enough for a turn with
/// all its bonus turns on the usual boards.
const MAX_POSITIONS: u32 = 20_000;

/// The side that plays any move without a state for the client: the opponent, which is North.
const ONLY_OPPONENT: BySide<bool> = BySide::new(false, true);

/// Follows the games and problems of a client from the lines of its connection.
///
/// A server sends only the states in which the client has a choice of moves, and neither the moves
/// of the opponent nor the result. The observer therefore assigns each state to the game that can
/// have reached it, or by `game:id` if the server sets that option. It reports a result as soon as
/// it is certain: after the client's last move, or when the next game has begun.
///
/// ```
/// use kalah_kgp::{ObservedResult, SessionEvent, SessionObserver};
///
/// let mut observer = SessionObserver::default();
/// let events = observer.handle_received(&"8 state <3,0,0,2,2,2,2,2,2>".parse()?);
/// assert!(matches!(events.as_slice(), [SessionEvent::GameStarted { game: 1, .. }]));
/// assert_eq!(observer.handle_sent(&"3@8 move 2".parse()?), []);
/// let stop = "10@8 stop".parse()?;
/// assert_eq!(observer.handle_received(&stop), []);
/// let events = observer.finish_session();
/// let [SessionEvent::GameEnded { result, .. }] = events.as_slice() else { panic!("one game") };
/// assert_eq!(*result, ObservedResult::Unknown);
/// # Ok::<(), kalah_kgp::ParseLineError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SessionObserver {
    /// The values of `game:id` and `game:opponent` for the next states.
    announced_id: Option<Text>,
    announced_opponent: Option<Text>,
    games: Vec<ObservedGame>,
    /// Whether several games had open states at a time.
    is_concurrent: bool,
    game_count: u64,
    /// The problems without a solution by the server's ids.
    problems: BTreeMap<u64, (KgpBoard, House)>,
    /// The numbers of the solutions without a verdict by the client's ids.
    solutions: BTreeMap<u64, u64>,
    solution_count: u64,
}

/// An event of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionEvent {
    /// A game has begun.
    GameStarted {
        /// The number of the game, from 1.
        game: u64,
        /// The client's first position. The client is South.
        position: Position,
        /// Whether the client has the first move of the game.
        moves_first: bool,
        /// The server's name of the game, if it has sent one.
        id: Option<Text>,
        /// The name of the opponent, if the server has sent it.
        opponent: Option<Text>,
    },
    /// A game has ended.
    GameEnded {
        /// The number of the game.
        game: u64,
        /// The result.
        result: ObservedResult,
        /// The stores at the end, if they are known. The client is South.
        stores: Option<BySide<SeedCount>>,
    },
    /// The client has solved a problem.
    ProblemSolved {
        /// The number of the solution, from 1.
        problem: u64,
        /// The board before the sowing.
        board: KgpBoard,
        /// The house that South sows.
        house: House,
        /// The solution of the client.
        solution: Solution,
    },
    /// The server has judged a solution.
    SolutionJudged {
        /// The number of the solution.
        problem: u64,
        /// Whether it is correct.
        is_correct: bool,
    },
}

/// The result of a game for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedResult {
    /// The client has more seeds.
    Won,
    /// The opponent has more seeds.
    Lost,
    /// Both have the same number of seeds.
    Tied,
    /// The last moves of the opponent are unknown, or the game was broken off.
    Unknown,
}

/// A game of the client, which is South in all positions.
#[derive(Clone, Debug)]
struct ObservedGame {
    number: u64,
    id: Option<Text>,
    /// The position of the last state.
    position: Position,
    /// The id of the last state, while it is open.
    open_state: Option<u64>,
    /// The last `move` for that state.
    reply: Option<House>,
}

impl SessionObserver {
    /// Handles a line of the server.
    pub fn handle_received(&mut self, line: &Line) -> Vec<SessionEvent> {
        match (&line.message, line.id, line.reference) {
            (Message::Set { option, value }, ..) => {
                let text = value.as_text().and_then(Text::new);
                self.set_option(option.as_str(), text);
                Vec::new()
            }
            // The parser drops an empty string, with which a server resets an option.
            (Message::Unknown(unknown), ..) if unknown.command() == "set" => {
                if let Some(option) = unknown.arguments().first().and_then(Argument::as_text) {
                    self.set_option(option, None);
                }
                Vec::new()
            }
            (Message::State(board), Some(state), _) => match board.position() {
                Ok(position) => self.handle_state(state, position),
                Err(_) => Vec::new(),
            },
            (Message::Stop, _, Some(state)) => self.close_state(state),
            (Message::Problem { board, house }, Some(id), _) => {
                self.problems.insert(id, (board.clone(), *house));
                drop_first(&mut self.problems);
                Vec::new()
            }
            (Message::Ok | Message::Error(_), _, Some(id)) => {
                let is_correct = line.message == Message::Ok;
                let problem = self.solutions.remove(&id);
                let event = problem.map(|problem| SessionEvent::SolutionJudged {
                    problem,
                    is_correct,
                });
                event.into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Handles a line of the client.
    pub fn handle_sent(&mut self, line: &Line) -> Vec<SessionEvent> {
        match (&line.message, line.reference) {
            (Message::Move(house), Some(state)) => {
                if let Some(game) = self.open_game(state) {
                    game.reply = Some(*house);
                }
                Vec::new()
            }
            (Message::Yield, Some(state)) => self.close_state(state),
            (Message::Solution { board, bonus_turn }, Some(problem)) => {
                let Some((before, house)) = self.problems.remove(&problem) else {
                    return Vec::new();
                };
                self.solution_count += 1;
                if let Some(id) = line.id {
                    self.solutions.insert(id, self.solution_count);
                    drop_first(&mut self.solutions);
                }
                vec![SessionEvent::ProblemSolved {
                    problem: self.solution_count,
                    board: before,
                    house,
                    solution: Solution {
                        board: board.clone(),
                        bonus_turn: *bonus_turn,
                    },
                }]
            }
            _ => Vec::new(),
        }
    }

    /// Returns whether a game waits for the opponent and cannot have ended by the rules.
    pub fn has_unfinished_game(&self) -> bool {
        let mut waiting = self.games.iter().filter(|game| game.open_state.is_none());
        waiting.any(|game| game.possible_ends().is_impossible())
    }

    /// Ends the games that wait for the opponent, because no state has come for a long time or the
    /// server has said goodbye.
    pub fn end_waiting_games(&mut self) -> Vec<SessionEvent> {
        let is_waiting = |game: &mut ObservedGame| game.open_state.is_none();
        let ended: Vec<ObservedGame> = self.games.extract_if(.., is_waiting).collect();
        ended.iter().map(ObservedGame::judge).collect()
    }

    /// Ends all games without a result at the end of a connection. The numbers of games and
    /// solutions go on in the next one.
    pub fn finish_session(&mut self) -> Vec<SessionEvent> {
        let games = std::mem::take(&mut self.games);
        *self = Self {
            game_count: self.game_count,
            solution_count: self.solution_count,
            ..Self::default()
        };
        let ends = games.iter();
        ends.map(|game| game.end(ObservedResult::Unknown, None))
            .collect()
    }

    fn set_option(&mut self, option: &str, value: Option<Text>) {
        match option {
            "game:id" => self.announced_id = value,
            "game:opponent" => self.announced_opponent = value,
            _ => {}
        }
    }

    fn open_game(&mut self, state: u64) -> Option<&mut ObservedGame> {
        let mut games = self.games.iter_mut();
        games.find(|game| game.open_state == Some(state))
    }

    fn handle_state(&mut self, state: u64, position: Position) -> Vec<SessionEvent> {
        // Servers may use an id again.
        if let Some(game) = self.open_game(state) {
            game.open_state = None;
        }
        if let Some(index) = self.find_game(&position) {
            let game = &mut self.games[index];
            game.position = position;
            game.open_state = Some(state);
            game.reply = None;
            return Vec::new();
        }
        self.is_concurrent |= self.games.iter().any(|game| game.open_state.is_some());
        let mut events = Vec::new();
        if !self.is_concurrent {
            // A server that plays one game at a time begins no other before the end.
            events = self.end_waiting_games();
        }
        if self.games.len() == MAX_GAMES {
            events.push(self.games.remove(0).end(ObservedResult::Unknown, None));
        }
        self.game_count += 1;
        events.push(SessionEvent::GameStarted {
            game: self.game_count,
            position: position.clone(),
            moves_first: is_start(&position),
            id: self.announced_id.clone(),
            opponent: self.announced_opponent.clone(),
        });
        self.games.push(ObservedGame {
            number: self.game_count,
            id: self.announced_id.clone(),
            position,
            open_state: Some(state),
            reply: None,
        });
        events
    }

    /// Returns the index of the game that a state continues.
    fn find_game(&self, position: &Position) -> Option<usize> {
        let mut games = self.games.iter();
        if let Some(id) = &self.announced_id {
            return games.rposition(|game| game.id.as_ref() == Some(id));
        }
        let mut budget = MAX_POSITIONS;
        games.rposition(|game| game.id.is_none() && game.can_reach(position, &mut budget))
    }

    /// Closes a state, and ends its game if no choice of moves is left.
    fn close_state(&mut self, state: u64) -> Vec<SessionEvent> {
        let is_open = |game: &ObservedGame| game.open_state == Some(state);
        let Some(index) = self.games.iter().position(is_open) else {
            return Vec::new();
        };
        self.games[index].open_state = None;
        let end = self.games[index].forced_end();
        if end.is_some() {
            self.games.remove(index);
        }
        end.into_iter().collect()
    }
}

/// Removes the entry with the lowest id if there are too many.
fn drop_first<T>(entries: &mut BTreeMap<u64, T>) {
    if entries.len() > MAX_PROBLEMS {
        entries.pop_first();
    }
}

/// Returns whether all houses have the same number of seeds, and the stores have none.
fn is_start(position: &Position) -> bool {
    let first = position.houses_of(Side::South)[0].get();
    let start = Setup::start(position.houses(), u64::from(first)).position(Rules::STANDARD);
    start.is_ok_and(|start| has_equal_board(position, &start))
}

/// Returns whether two positions have the same seeds everywhere and the same side to move.
fn has_equal_board(one: &Position, other: &Position) -> bool {
    one.to_move() == other.to_move()
        && Side::ALL.into_iter().all(|side| {
            one.store(side) == other.store(side) && one.houses_of(side) == other.houses_of(side)
        })
}

/// Returns the position after a move; `None` if the move is illegal.
fn after(position: &Position, mv: Move) -> Option<Position> {
    let mut after = position.clone();
    after.play(mv).ok()?;
    Some(after)
}

/// Converts the result of a game to that of the client, which is South.
impl From<GameResult> for ObservedResult {
    fn from(result: GameResult) -> Self {
        match result {
            GameResult::Win(Side::South) => Self::Won,
            GameResult::Win(Side::North) => Self::Lost,
            GameResult::Tie => Self::Tied,
        }
    }
}

impl ObservedGame {
    fn end(&self, result: ObservedResult, stores: Option<BySide<SeedCount>>) -> SessionEvent {
        SessionEvent::GameEnded {
            game: self.number,
            result,
            stores,
        }
    }

    /// Returns the positions after the client's answer: one after its last `move`, or one for each
    /// legal move if it has sent none.
    fn answers(&self) -> Vec<Position> {
        match self.reply {
            Some(house) => after(&self.position, Move::Sow(house))
                .into_iter()
                .collect(),
            None => self.any_answers(),
        }
    }

    fn any_answers(&self) -> Vec<Position> {
        let moves = self.position.legal_moves();
        moves.filter_map(|mv| after(&self.position, mv)).collect()
    }

    /// Returns whether the game can go on from its last state to the state `target`; false if
    /// `budget` positions do not suffice to find a way.
    fn can_reach(&self, target: &Position, budget: &mut u32) -> bool {
        if self.position.houses() != target.houses() || self.position.total() != target.total() {
            return false;
        }
        let mut is_reached_from = |answer: Position| is_reached(&answer, target, budget, MAX_PLIES);
        // A server plays a random move if it has not received the answer.
        self.answers().into_iter().any(&mut is_reached_from)
            || self.reply.is_some() && self.any_answers().into_iter().any(is_reached_from)
    }

    /// Returns the end of the game if it follows from the client's answer by forced moves.
    fn forced_end(&self) -> Option<SessionEvent> {
        let mut position = after(&self.position, Move::Sow(self.reply?))?;
        while result_at_end(&position).is_none() {
            position = after(&position, position.only_move()?)?;
        }
        Some(self.judge())
    }

    /// Returns the end of the game, which is known to be over. The result is certain if all ends
    /// that are possible after the client's answer have the same one.
    fn judge(&self) -> SessionEvent {
        let ends = self.possible_ends();
        let result = ends.result().map(ObservedResult::from);
        self.end(result.unwrap_or(ObservedResult::Unknown), ends.stores())
    }

    fn possible_ends(&self) -> PossibleEnds {
        PossibleEnds::new(&self.answers(), ONLY_OPPONENT)
    }
}

/// Returns whether at most `plies` plies without a state for the client lead to `target`; false if
/// `budget` positions do not suffice to find them.
fn is_reached(from: &Position, target: &Position, budget: &mut u32, plies: u32) -> bool {
    if has_equal_board(from, target) {
        return true;
    }
    // Stores never shrink.
    let is_past_target = |side| from.store(side) > target.store(side);
    let is_at_limit = *budget == 0 || plies == 0;
    if is_at_limit || from.is_over() || Side::ALL.into_iter().any(is_past_target) {
        return false;
    }
    *budget -= 1;
    let moves = moves_without_state(from, ONLY_OPPONENT).into_iter();
    let mut positions = moves.filter_map(|mv| after(from, mv));
    positions.any(|position| is_reached(&position, target, budget, plies - 1))
}
