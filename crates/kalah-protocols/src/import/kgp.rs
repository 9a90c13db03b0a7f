//! Transcripts of KGP, and the search for the plies that a transcript leaves out.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use kalah::record::Record;
use kalah::{
    BySide, Ending, FirstPlies, Game, House, Move, Position, Rules, Setup, Side, Termination,
};

use super::games::{ImportReason, ImportedGames, build_record, loss, validate};
use crate::kgp::{Argument, KgpBoard, Line, Message, ParseLineReason};

/// The maximum number of words of a log before a line of the protocol: a time, a level, a name, a
/// direction.
const MAX_PREFIX_WORDS: usize = 10;

/// The words of a log that mark the direction of a line.
const DIRECTION_MARKS: [&str; 12] = [
    "<", ">", "<-", "->", "<<", ">>", "<=", "=>", "s:", "c:", "server:", "client:",
];

/// The maximum number of games to which a new state may belong: the ones that began last.
const MAX_OPEN_GAMES: usize = 64;

/// Returns whether a text has a line with a state.
pub(super) fn is_transcript(text: &str) -> bool {
    text.lines().any(|line| {
        let line = parse_log_line(line);
        matches!(line, Some(Ok((_, line))) if matches!(line.message, Message::State(_)))
    })
}

/// Parses a line of a log. Returns the name of the connection and the line of the protocol, or
/// `None` if there is no line of the protocol.
fn parse_log_line(text: &str) -> Option<Result<(&str, Line), ImportReason>> {
    let mut failure = None;
    let mut rest = text.trim();
    for _ in 0..=MAX_PREFIX_WORDS {
        match rest.parse::<Line>() {
            Ok(line) if !matches!(line.message, Message::Unknown(_)) => {
                let prefix = &text[..text.trim_end().len() - rest.len()];
                return Some(Ok((connection_name(prefix), line)));
            }
            Err(error) if is_game_line_error(&error.reason) => {
                failure.get_or_insert(ImportReason::Line(error.to_string()));
            }
            _ => {}
        }
        let Some(end) = rest.find(char::is_whitespace) else {
            break;
        };
        rest = rest[end..].trim_start();
    }
    failure.map(Err)
}

/// Returns whether a malformed line is one that a game depends on: a state or a move.
fn is_game_line_error(reason: &ParseLineReason) -> bool {
    match reason {
        ParseLineReason::Board { .. } | ParseLineReason::UnclosedBoard => true,
        ParseLineReason::InvalidArguments { command, .. } => ["state", "move"].contains(command),
        _ => false,
    }
}

/// Returns the name of a connection from the text before a line: the last word before the direction
/// marks, unless it is a time or a place in a source file. The log of a client has no names.
fn connection_name(prefix: &str) -> &str {
    let is_mark = |word: &str| DIRECTION_MARKS.contains(&word.to_ascii_lowercase().as_str());
    let word = prefix.split_whitespace().rev().find(|word| !is_mark(word));
    let can_begin_name = |character: char| character.is_ascii_alphabetic() || character == '(';
    let is_name = |word: &&str| {
        word.starts_with("0x") || word.starts_with(can_begin_name) && !word.ends_with(':')
    };
    word.filter(is_name).unwrap_or_default()
}

pub(super) fn import(text: &str, rules: Rules) -> ImportedGames {
    let mut importer = KgpImporter {
        rules,
        searcher: GapSearcher::default(),
        connections: BTreeMap::new(),
        games: Vec::new(),
        game_lines: 0,
    };
    let mut errors = Vec::new();
    for (number, text) in (1..).zip(text.lines()) {
        let result = match parse_log_line(text) {
            Some(Ok((connection, line))) => importer.handle_line(connection, &line),
            Some(Err(reason)) => Err(reason),
            None => Ok(()),
        };
        if let Err(reason) = result {
            errors.push(reason.at_line(number));
        }
    }
    for game in &mut importer.games {
        game.play_forced_moves();
    }
    let records = importer.games.iter().map(|game| importer.to_record(game));
    ImportedGames {
        records: records.collect(),
        errors,
    }
}

/// A connection of the log.
#[derive(Default)]
struct LoggedConnection {
    /// The name of the player.
    name: Option<String>,
    /// The index of the game of each open state.
    open_states: BTreeMap<u64, usize>,
}

struct KgpImporter {
    rules: Rules,
    searcher: GapSearcher,
    connections: BTreeMap<String, LoggedConnection>,
    games: Vec<PartialGame>,
    /// The number of states, yields and stops up to now, which orders the games by activity.
    game_lines: u64,
}

/// A game up to the current line of the log.
struct PartialGame {
    game: Game,
    /// The connection of each side, once it has received a state.
    players: BySide<Option<String>>,
    /// The last state, while it is open.
    pending: Option<OpenRequest>,
    /// The value of [`KgpImporter::game_lines`] at the game's last line.
    last_line: u64,
    /// The ending, if a player has ended the game with an illegal move.
    ending: Option<Ending>,
}

/// A state without a final reply.
struct OpenRequest {
    connection: String,
    state: u64,
    /// The house of the last `move`.
    house: Option<House>,
}

impl KgpImporter {
    fn handle_line(&mut self, connection: &str, line: &Line) -> Result<(), ImportReason> {
        let logged = self.connections.entry(connection.to_owned()).or_default();
        match (&line.message, line.id, line.reference) {
            (Message::State(board), Some(state), _) => self.handle_state(connection, state, board),
            (Message::Move(house), _, Some(state)) => {
                if let Some(&index) = logged.open_states.get(&state)
                    && let Some(request) = self.games[index].pending_request(connection, state)
                {
                    request.house = Some(*house);
                }
                Ok(())
            }
            (Message::Yield | Message::Stop, _, Some(state)) => {
                self.game_lines += 1;
                if let Some(index) = logged.open_states.remove(&state) {
                    let game = &mut self.games[index];
                    if game.pending_request(connection, state).is_some() {
                        game.play_pending();
                        game.last_line = self.game_lines;
                    }
                }
                Ok(())
            }
            (Message::Set { option, value }, ..) if option.as_str() == "info:name" => {
                if let Argument::Text(name) = value {
                    logged.name = Some(name.as_str().to_owned());
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn handle_state(
        &mut self,
        connection: &str,
        state: u64,
        board: &KgpBoard,
    ) -> Result<(), ImportReason> {
        if self.searcher.is_exhausted() {
            return Err(ImportReason::SearchLimit);
        }
        let positions = BySide::new(
            self.position_from_side(board, Side::South)?,
            self.position_from_side(board, Side::North)?,
        );
        let (index, is_midway) = match self.find_game(connection, &positions) {
            Some(index) => (index, false),
            None => self.start_game(connection, positions)?,
        };
        self.game_lines += 1;
        self.games[index].last_line = self.game_lines;
        self.games[index].pending = Some(OpenRequest {
            connection: connection.to_owned(),
            state,
            house: None,
        });
        if let Some(connection) = self.connections.get_mut(connection) {
            connection.open_states.insert(state, index);
        }
        if is_midway && self.games[..index].iter().any(PartialGame::is_unfinished) {
            return Err(ImportReason::UnknownGame(format!("state {board}")));
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
    fn find_game(&mut self, connection: &str, positions: &BySide<Position>) -> Option<usize> {
        // A server sends a state as soon as the other side has replied, so the game that was active
        // last is the likeliest one.
        let first = self.games.len().saturating_sub(MAX_OPEN_GAMES);
        let mut latest: Vec<usize> = (first..self.games.len()).collect();
        latest.sort_by_key(|&index| Reverse(self.games[index].last_line));
        // First the games in which the connection is a player, then those with a vacant side.
        for is_player in [true, false] {
            for &index in &latest {
                let game = &mut self.games[index];
                let plays = |side: Side| game.players[side].as_deref() == Some(connection);
                let plays_any = Side::ALL.into_iter().any(plays);
                let side = Side::ALL.into_iter().find(|&side| {
                    let is_vacant = !plays_any && game.players[side].is_none();
                    if is_player { plays(side) } else { is_vacant }
                });
                let Some(side) = side.filter(|_| game.ending.is_none()) else {
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
                    game.players[side] = Some(connection.to_owned());
                    return Some(index);
                }
            }
        }
        None
    }

    /// Starts a game with a state that continues no other game. Returns its index, and whether the
    /// state is in the middle of the game.
    fn start_game(
        &mut self,
        connection: &str,
        positions: BySide<Position>,
    ) -> Result<(usize, bool), ImportReason> {
        let first = &positions.south;
        let total = u64::from(first.total().get());
        let start = Setup::start(first.houses(), total / (2 * u64::from(first.houses())));
        let mut game = PartialGame {
            game: Game::new(validate(&start, self.rules)?),
            players: BySide::new(None, None),
            pending: None,
            last_line: 0,
            ending: None,
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
        game.players[side] = Some(connection.to_owned());
        self.games.push(game);
        Ok((self.games.len() - 1, is_midway))
    }

    fn to_record(&self, game: &PartialGame) -> Record {
        let names = BySide::from_fn(|side| {
            let connection = self.connections.get(game.players[side].as_deref()?)?;
            connection.name.as_deref()
        });
        let ending = game
            .ending
            .or_else(|| majority_ending(game.game.position()));
        build_record(&game.game, names, ending)
    }
}

impl PartialGame {
    /// Returns the open state if it is this one.
    fn pending_request(&mut self, connection: &str, state: u64) -> Option<&mut OpenRequest> {
        let pending = self.pending.as_mut();
        pending.filter(|open| open.connection == connection && open.state == state)
    }

    /// Plays the last `move` for the open state, if there is one.
    fn play_pending(&mut self) {
        let Some(OpenRequest {
            house: Some(house), ..
        }) = self.pending.take_if(|open| open.house.is_some())
        else {
            return;
        };
        let side = self.game.position().to_move();
        if self.game.play(Move::Sow(house)).is_err() && !self.game.position().is_over() {
            self.ending = Some(loss(side, Termination::Illegal));
        }
    }

    /// Returns whether the game can go on.
    fn is_unfinished(&self) -> bool {
        let position = self.game.position();
        self.ending.is_none() && !position.is_over() && majority_ending(position).is_none()
    }

    /// Plays the forced moves at the end of the game, for which a server sends no states.
    fn play_forced_moves(&mut self) {
        while self.pending.is_none() && self.is_unfinished() {
            let Some(mv) = only_move(self.game.position()) else {
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
                for mv in first_move.into_iter().chain(path) {
                    let played = self.game.play(mv);
                    debug_assert!(played.is_ok(), "the search has played the same moves");
                }
                self.pending = None;
                return true;
            }
        }
        false
    }
}

/// Returns the ending of a game that a server has adjudicated: a store holds more than half of all
/// seeds.
fn majority_ending(position: &Position) -> Option<Ending> {
    let half = position.total().get() / 2;
    let winner = Side::ALL
        .into_iter()
        .find(|&side| position.store(side).get() > half && !position.is_over())?;
    Some(loss(winner.opponent(), Termination::Adjudicated))
}

/// Returns the move of a position that has only one legal move.
fn only_move(position: &Position) -> Option<Move> {
    let mut moves = position.legal_moves();
    let mv = moves.next()?;
    moves.next().is_none().then_some(mv)
}

/// The maximum number of positions in the search for one gap: enough for two turns with all their
/// bonus turns on the usual boards.
const MAX_POSITIONS_PER_GAP: u64 = 200_000;

/// The maximum number of positions in all searches of a text. Ten thousand games stay below it; it
/// takes half a minute.
const MAX_POSITIONS_PER_TEXT: u64 = 100_000_000;

/// The maximum number of plies in a gap, more than any known game has between two states of a
/// player.
const MAX_GAP_PLIES: usize = 300;

/// Searches for the plies that a log leaves out, within the limits for a gap and for a text.
struct GapSearcher {
    /// The number of positions that may still be searched.
    budget: u64,
}

/// A gap between two positions of a game.
struct Gap<'a> {
    target: &'a Position,
    /// The sides that may have played any move. The moves of the other sides must be forced,
    /// because a server sends no state for a forced move.
    any_move: BySide<bool>,
    /// The number of positions that may still be searched.
    budget: u64,
    path: Vec<Move>,
}

impl Default for GapSearcher {
    fn default() -> Self {
        Self {
            budget: MAX_POSITIONS_PER_TEXT,
        }
    }
}

impl GapSearcher {
    /// Returns whether the limit for the text is reached.
    fn is_exhausted(&self) -> bool {
        self.budget == 0
    }

    /// Returns plies that lead from one position to another. If several sequences do, it returns
    /// one of them.
    fn find_path(
        &mut self,
        from: &Position,
        target: &Position,
        any_move: BySide<bool>,
    ) -> Option<Vec<Move>> {
        if from.houses() != target.houses() || from.total() != target.total() {
            return None;
        }
        let budget = MAX_POSITIONS_PER_GAP.min(self.budget);
        let mut gap = Gap {
            target,
            any_move,
            budget,
            path: Vec::new(),
        };
        let is_found = gap.search(from);
        self.budget -= budget - gap.budget;
        is_found.then_some(gap.path)
    }
}

impl Gap<'_> {
    /// Extends the path from `from` to the target. Returns false, with the path unchanged, if there
    /// is no way or the limit is reached.
    fn search(&mut self, from: &Position) -> bool {
        if has_equal_board(from, self.target) {
            return true;
        }
        let is_at_limit = self.budget == 0 || self.path.len() == MAX_GAP_PLIES;
        // Stores never shrink.
        let is_past_target = |side| from.store(side) > self.target.store(side);
        if is_at_limit || from.is_over() || Side::ALL.into_iter().any(is_past_target) {
            return false;
        }
        if !self.any_move[from.to_move()] && only_move(from).is_none() {
            return false;
        }
        for mv in from.legal_moves() {
            self.budget = self.budget.saturating_sub(1);
            let mut after = from.clone();
            if after.play(mv).is_err() {
                continue;
            }
            self.path.push(mv);
            if self.search(&after) {
                return true;
            }
            self.path.pop();
        }
        false
    }
}

/// Returns whether two positions have the same seeds everywhere and the same side to move.
fn has_equal_board(one: &Position, other: &Position) -> bool {
    one.to_move() == other.to_move()
        && Side::ALL.into_iter().all(|side| {
            one.store(side) == other.store(side) && one.houses_of(side) == other.houses_of(side)
        })
}
