//! The import of a log, which assigns the states of its connections to games.

use std::cmp::Reverse;

use kalah::record::{PlyTimes, Record};
use kalah::{
    BySide, Ending, FirstPlies, Game, House, Move, Position, Quoted, Rules, Setup, Side,
    Termination,
};
use kalah_import::{
    GameNotes, ImportError, ImportFormat, ImportReason, ImportedGames, LogTime, build_record, loss,
    validate,
};
use thiserror::Error;

use super::connections::{ConnectionId, Connections, LoggedConnection};
use super::gap::GapSearcher;
use super::log_line::{self, LoggedLine};
use crate::message::{Argument, KgpBoard, Message};
use crate::session::possible_ends::{PossibleEnds, result_at_end};

/// The log of a client or a server of KGP.
pub static KGP_LOG: ImportFormat = ImportFormat {
    name: "kgp",
    default_rules: Rules::STANDARD,
    recognize: is_transcript,
    import_games: import,
};

/// The reason why a part of a log cannot be assigned to a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum TranscriptError {
    /// A state from the middle of a game continues none of the unfinished games before it.
    #[error(
        "{} continues none of the games before it, and is imported as a game of its own",
        Quoted::new(.0)
    )]
    UnknownGame(String),
    /// The search for unlogged plies has reached its limit for a text.
    #[error("too many unlogged plies to reconstruct: import fewer games at once")]
    SearchLimit,
    /// The log of a client in verify mode.
    #[error("the log contains problems and no games")]
    OnlyProblems,
}

impl From<TranscriptError> for ImportReason {
    fn from(error: TranscriptError) -> Self {
        Self::of_format(&error)
    }
}

/// The maximum number of games to which a new state may belong: the ones that began last.
const MAX_OPEN_GAMES: usize = 64;

/// The option with the comment of a client on its move.
const COMMENT_OPTION: &str = "info:comment";

/// The name of a client that has sent none, in a game whose opponent the log names.
const UNNAMED_CLIENT: &str = "KGP client";

/// Returns whether a text has a line with a state or a problem.
fn is_transcript(text: &str) -> bool {
    text.lines().any(|line| {
        let line = log_line::parse(line);
        let Some(Ok(logged)) = line else {
            return false;
        };
        matches!(
            logged.line.message,
            Message::State(_) | Message::Problem { .. }
        )
    })
}

fn import(text: &str, rules: Rules) -> ImportedGames {
    let mut importer = KgpImporter {
        rules,
        searcher: GapSearcher::default(),
        connections: Connections::default(),
        games: Vec::new(),
        game_lines: 0,
        line: 0,
        time: None,
        first_problem: None,
    };
    let mut errors = Vec::new();
    for (number, text) in (1..).zip(text.lines()) {
        importer.line = number;
        importer.time = LogTime::find(text);
        let result = match log_line::parse(text) {
            Some(Ok(logged)) => importer.handle_line(&logged),
            Some(Err(reason)) => Err(reason),
            None => Ok(()),
        };
        if let Err(reason) = result {
            errors.push(reason.at_line(number));
        }
    }
    for game in &mut importer.games {
        errors.extend(game.illegal_answer());
        game.play_forced_moves();
    }
    if let Some(line) = importer.first_problem
        && importer.games.is_empty()
    {
        errors.push(ImportReason::from(TranscriptError::OnlyProblems).at_line(line));
    }
    let records = importer.games.iter().map(|game| importer.to_record(game));
    ImportedGames {
        records: records.collect(),
        errors,
    }
}

struct KgpImporter {
    rules: Rules,
    searcher: GapSearcher,
    connections: Connections,
    games: Vec<PartialGame>,
    /// The number of states, yields and stops up to now, which orders the games by activity.
    game_lines: u64,
    /// The number of the current line, from 1.
    line: usize,
    /// The time of the current line, if the log has times.
    time: Option<LogTime>,
    /// The line of the first problem.
    first_problem: Option<usize>,
}

/// A game up to the current line of the log.
struct PartialGame {
    game: Game,
    /// The connection of each side, once it has received a state.
    players: BySide<Option<ConnectionId>>,
    /// The name of the game that the server has sent to each side.
    ids: BySide<Option<String>>,
    /// The name of each side's opponent, if the server has sent it.
    opponents: BySide<Option<String>>,
    /// Whether the log shows that the game is over, because its server has begun the next one or
    /// has said goodbye.
    is_over: bool,
    /// The last state, while it is open.
    pending: Option<OpenRequest>,
    /// The value of [`KgpImporter::game_lines`] at the game's last line.
    last_line: u64,
    /// The ending, if a player has ended the game with an illegal move.
    ending: Option<Ending>,
    /// The day of the first state, the times of plies, and the comments of the clients.
    notes: GameNotes,
}

/// A state without a final reply.
struct OpenRequest {
    connection: ConnectionId,
    state: u64,
    /// The house of the last `move`.
    house: Option<House>,
    /// The line of that `move`.
    line: usize,
    /// Whether the server has stopped the request without a reply, so that it chooses the move.
    is_stopped: bool,
    /// The time of the state, and that of the last `move`.
    asked: Option<LogTime>,
    answered: Option<LogTime>,
    /// The last comment of the client on its move.
    comment: Option<String>,
}

impl KgpImporter {
    fn handle_line(&mut self, logged: &LoggedLine<'_>) -> Result<(), ImportReason> {
        let LoggedLine { line, .. } = logged;
        let id = self.connections.find(logged);
        let connection = &mut self.connections[id];
        match (&line.message, line.id, line.reference) {
            (Message::State(board), Some(state), _) => return self.handle_state(id, state, board),
            (Message::Move(house), _, Some(state)) => {
                if let Some(&index) = connection.open_states.get(&state)
                    && let Some(request) = self.games[index].pending_request(id, state)
                {
                    request.house = Some(*house);
                    request.line = self.line;
                    request.answered = self.time;
                }
            }
            (Message::Yield | Message::Stop, _, Some(state)) => {
                self.game_lines += 1;
                if let Some(index) = connection.open_states.remove(&state) {
                    let game = &mut self.games[index];
                    if game.pending_request(id, state).is_some() {
                        let is_yield = line.message == Message::Yield;
                        game.close_pending(self.time.filter(|_| is_yield));
                        game.last_line = self.game_lines;
                    }
                }
            }
            (Message::Set { option, value }, _, Some(state))
                if option.as_str() == COMMENT_OPTION =>
            {
                if let Some(&index) = connection.open_states.get(&state)
                    && let Some(request) = self.games[index].pending_request(id, state)
                {
                    request.comment = value.as_text().map(str::to_owned);
                }
            }
            (Message::Set { option, value }, ..) => {
                if let Some(value) = value.as_text() {
                    self.connections.set_option(id, option.as_str(), value);
                }
            }
            // The parser drops an empty string, with which a server resets an option.
            (Message::Unknown(unknown), ..) if unknown.command() == "set" => {
                if let Some(option) = unknown.arguments().first().and_then(Argument::as_text) {
                    self.connections.set_option(id, option, "");
                }
            }
            (Message::Problem { .. }, ..) => {
                self.first_problem.get_or_insert(self.line);
            }
            (Message::Goodbye, Some(number), _) if is_id_of_server(number) => {
                self.finish_waiting_games(id);
            }
            _ => {}
        }
        Ok(())
    }

    fn handle_state(
        &mut self,
        connection: ConnectionId,
        state: u64,
        board: &KgpBoard,
    ) -> Result<(), ImportReason> {
        if self.searcher.is_exhausted() {
            return Err(TranscriptError::SearchLimit.into());
        }
        let positions = BySide::new(
            self.position_from_side(board, Side::South)?,
            self.position_from_side(board, Side::North)?,
        );
        let (index, is_midway) = if let Some(index) = self.find_game(connection, &positions) {
            (index, false)
        } else {
            self.finish_games_before_next(connection);
            self.start_game(connection, positions)?
        };
        let game = &mut self.games[index];
        for side in Side::ALL {
            if game.players[side] == Some(connection) {
                let LoggedConnection {
                    game_id, opponent, ..
                } = &self.connections[connection];
                game.ids[side].clone_from(game_id);
                game.opponents[side].clone_from(opponent);
            }
        }
        self.game_lines += 1;
        self.games[index].last_line = self.game_lines;
        self.games[index].pending = Some(OpenRequest {
            connection,
            state,
            house: None,
            line: self.line,
            is_stopped: false,
            asked: self.time,
            answered: None,
            comment: None,
        });
        self.connections[connection]
            .open_states
            .insert(state, index);
        if is_midway && self.games[..index].iter().any(PartialGame::is_unfinished) {
            return Err(TranscriptError::UnknownGame(format!("state {board}")).into());
        }
        Ok(())
    }

    /// Returns the position of a state whose client plays `side`.
    fn position_from_side(&self, board: &KgpBoard, side: Side) -> Result<Position, ImportReason> {
        let mut setup = board.setup().clone();
        if side == Side::North {
            setup.stores = setup.stores.swapped();
            setup.rows = setup.rows.swapped();
        }
        setup.to_move = side;
        setup.first_plies = FirstPlies::Later;
        validate(&setup, self.rules)
    }

    /// Returns the index of the game that continues with a state, and advances the game to it.
    fn find_game(
        &mut self,
        connection: ConnectionId,
        positions: &BySide<Position>,
    ) -> Option<usize> {
        // A server sends a state as soon as the other side has replied, so the game that was active
        // last is the likeliest one.
        let first = self.games.len().saturating_sub(MAX_OPEN_GAMES);
        let mut latest: Vec<usize> = (first..self.games.len()).collect();
        latest.sort_by_key(|&index| Reverse(self.games[index].last_line));
        // First the games in which the connection is a player, then those with a vacant side.
        for is_player in [true, false] {
            for &index in &latest {
                let game = &mut self.games[index];
                let id = &self.connections[connection].game_id;
                let plays = |side: Side| game.players[side] == Some(connection);
                let plays_any = Side::ALL.into_iter().any(plays);
                let side = Side::ALL.into_iter().find(|&side| {
                    let is_vacant = !plays_any && game.players[side].is_none();
                    if is_player {
                        plays(side) && game.ids[side] == *id
                    } else {
                        is_vacant
                    }
                });
                let Some(side) = side.filter(|_| game.ending.is_none() && !game.is_over) else {
                    continue;
                };
                // While another connection has an open state without a move, the game cannot go on.
                // With a move it can: the log may have the final reply after the next state.
                let unanswered = game.pending.as_ref().filter(|open| open.house.is_none());
                if unanswered.is_some_and(|open| open.connection != connection) {
                    continue;
                }
                let any_move = BySide::from_fn(|of| is_player && game.players[of].is_none());
                if game.advance_to(&positions[side], any_move, &mut self.searcher) {
                    game.players[side] = Some(connection);
                    return Some(index);
                }
            }
        }
        None
    }

    /// Finishes the games of a connection whose next state begins a new one.
    fn finish_games_before_next(&mut self, id: ConnectionId) {
        let has_open_state = self.games.iter().any(|game| game.is_open_for(id));
        let connection = &mut self.connections[id];
        connection.is_concurrent |= has_open_state;
        // A server that plays one game at a time begins no other before the end.
        if !connection.is_concurrent {
            self.finish_waiting_games(id);
        }
    }

    /// Finishes the games of a connection that have no open state for it.
    fn finish_waiting_games(&mut self, id: ConnectionId) {
        for game in &mut self.games {
            let is_player = Side::ALL.map(|side| game.players[side]).contains(&Some(id));
            game.is_over |= is_player && !game.is_open_for(id);
        }
    }

    /// Starts a game with a state that continues no other game. Returns its index, and whether the
    /// state is in the middle of the game.
    fn start_game(
        &mut self,
        connection: ConnectionId,
        positions: BySide<Position>,
    ) -> Result<(usize, bool), ImportReason> {
        let first = &positions.south;
        let total = u64::from(first.total().get());
        let start = Setup::start(first.houses(), total / (2 * u64::from(first.houses())));
        let mut game = PartialGame {
            game: Game::new(validate(&start, self.rules)?),
            players: BySide::new(None, None),
            ids: BySide::new(None, None),
            opponents: BySide::new(None, None),
            is_over: false,
            pending: None,
            last_line: 0,
            ending: None,
            notes: GameNotes {
                date: self.time.and_then(LogTime::date),
                ..GameNotes::default()
            },
        };
        let mut is_midway = false;
        let only_forced = BySide::new(false, false);
        let any_of_south = BySide::new(true, false);
        let side = if game.advance_to(&positions.south, only_forced, &mut self.searcher) {
            Side::South
        } else if game.advance_to(&positions.north, any_of_south, &mut self.searcher) {
            Side::North
        } else {
            game.game = Game::new(positions.south);
            is_midway = true;
            Side::South
        };
        game.players[side] = Some(connection);
        self.games.push(game);
        Ok((self.games.len() - 1, is_midway))
    }

    fn to_record(&self, game: &PartialGame) -> Record {
        let names = BySide::from_fn(|side| {
            let own_name = || self.connections[game.players[side]?].name.as_deref();
            let name_at_opponent = || game.opponents[side.opponent()].as_deref();
            let is_named = game.opponents[side].is_some();
            own_name()
                .or_else(name_at_opponent)
                .or(is_named.then_some(UNNAMED_CLIENT))
        });
        let ending = game
            .ending
            .or_else(|| majority_ending(game.game.position()))
            .or_else(|| game.inferred_ending());
        build_record(&game.game, names, ending, &game.notes)
    }
}

impl PartialGame {
    /// Returns the open state if it is this one.
    fn pending_request(
        &mut self,
        connection: ConnectionId,
        state: u64,
    ) -> Option<&mut OpenRequest> {
        let pending = self.pending.as_mut();
        pending.filter(|open| open.connection == connection && open.state == state)
    }

    /// Returns whether the game has an open state for a connection.
    fn is_open_for(&self, connection: ConnectionId) -> bool {
        let mut pending = self.pending.iter();
        pending.any(|open| open.connection == connection && !open.is_stopped)
    }

    /// Returns the error of a last answer that is illegal and has not ended the game.
    fn illegal_answer(&self) -> Option<ImportError> {
        let OpenRequest { house, line, .. } = self.pending.as_ref()?;
        let house = (*house)?;
        let position = self.game.position();
        let reason = position.check_legal(Move::Sow(house)).err()?;
        let reason = ImportReason::Illegal {
            ply: self.game.plies().len() + 1,
            text: Message::Move(house).to_string(),
            reason,
        };
        Some(reason.at_line(*line))
    }

    /// Returns the ending of a game whose last plies are not in the log, if all ends that are
    /// possible have the same winner. It has the final stores if these ends share them, too.
    fn inferred_ending(&self) -> Option<Ending> {
        let position = self.game.position();
        if position.is_over() {
            return None;
        }
        let positions = match &self.pending {
            None => vec![position.clone()],
            Some(open) if open.is_stopped => {
                let answers = position.legal_moves().filter_map(|mv| {
                    let mut after = position.clone();
                    after.play(mv).ok().map(|_| after)
                });
                answers.collect()
            }
            Some(_) => return None,
        };
        let any_move = BySide::from_fn(|side| self.players[side].is_none());
        let ends = PossibleEnds::new(&positions, any_move);
        let result = ends.result()?;
        (self.is_over || ends.is_certain()).then_some(Ending {
            termination: Termination::Adjudicated,
            winner: result.winner(),
            outcome: ends.outcome(position.total()),
        })
    }

    /// Closes the open state: plays its last `move`, or notes that there is none. `yielded` is the
    /// time of a `yield`, before which the client may have searched on.
    fn close_pending(&mut self, yielded: Option<LogTime>) {
        let Some(mut open) = self.pending.take() else {
            return;
        };
        let Some(house) = open.house else {
            open.is_stopped = true;
            self.pending = Some(open);
            return;
        };
        let side = self.game.position().to_move();
        self.note_next_ply(open, yielded);
        if self.game.play(Move::Sow(house)).is_err() && !self.game.position().is_over() {
            self.ending = Some(loss(side, Termination::Illegal));
        }
    }

    /// Notes the time and the comment of the next ply, with which a client has answered.
    fn note_next_ply(&mut self, open: OpenRequest, yielded: Option<LogTime>) {
        let ply = self.game.plies().len();
        let times = yielded.or(open.answered).zip(open.asked);
        let elapsed = times.and_then(|(reply, state)| reply.since(state));
        let GameNotes {
            times, comments, ..
        } = &mut self.notes;
        if elapsed.is_some() {
            let clock = None;
            times.insert(ply, PlyTimes { elapsed, clock });
        }
        comments.extend(open.comment.map(|comment| (ply, comment)));
    }

    /// Returns whether the game can go on.
    fn is_unfinished(&self) -> bool {
        let position = self.game.position();
        self.ending.is_none() && !position.is_over() && majority_ending(position).is_none()
    }

    /// Plays the forced moves at the end of the game, for which a server sends no states.
    fn play_forced_moves(&mut self) {
        while self.pending.is_none() && self.is_unfinished() {
            let Some(mv) = self.game.position().only_move() else {
                return;
            };
            if self.game.play(mv).is_err() {
                return;
            }
        }
    }

    /// Plays the plies that lead to a position. Returns false, with the game unchanged, if it
    /// cannot have come to that position. `any_move` is described at [`Gap`].
    fn advance_to(
        &mut self,
        target: &Position,
        any_move: BySide<bool>,
        searcher: &mut GapSearcher,
    ) -> bool {
        let start = self.game.position().clone();
        let first_moves: Vec<Option<Move>> = match &self.pending {
            None => vec![None],
            Some(OpenRequest {
                house: Some(house), ..
            }) => vec![Some(Move::Sow(*house))],
            // A server chooses a move for a client that has not replied in time.
            Some(OpenRequest { house: None, .. }) => start.legal_moves().map(Some).collect(),
        };
        for first_move in first_moves {
            let mut from = start.clone();
            if first_move.is_some_and(|mv| from.play(mv).is_err()) {
                continue;
            }
            if let Some(path) = searcher.find_path(&from, target, any_move) {
                // Without a `move`, the server has chosen one, and the comment is on none.
                if let Some(open) = self.pending.take().filter(|open| open.house.is_some()) {
                    self.note_next_ply(open, None);
                }
                for mv in first_move.into_iter().chain(path) {
                    let played = self.game.play(mv);
                    debug_assert!(played.is_ok(), "the search has played the same moves");
                }
                return true;
            }
        }
        false
    }
}

/// Returns whether the id of a line is one of a server: its ids are even.
fn is_id_of_server(id: u64) -> bool {
    id.is_multiple_of(2)
}

/// Returns the ending of a game that a server has adjudicated: a store holds more than half of all
/// seeds.
fn majority_ending(position: &Position) -> Option<Ending> {
    if position.is_over() {
        return None;
    }
    let winner = result_at_end(position)?.winner()?;
    Some(loss(winner.opponent(), Termination::Adjudicated))
}
