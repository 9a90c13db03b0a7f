//! Logs of KGP: of a client, of a server, or of both.
//!
//! `log_line` finds the lines of the protocol, `connections` tells the connections apart, this file
//! assigns their states to games, and `gap` searches for the plies between two states.

mod connections;
mod gap;
mod log_line;

use std::cmp::Reverse;

use kalah::record::Record;
use kalah::{
    BySide, Ending, FirstPlies, Game, House, Move, Position, Rules, Setup, Side, Termination,
};

use self::connections::{ConnectionId, Connections};
use self::gap::GapSearcher;
use self::log_line::LoggedLine;
use super::games::{ImportReason, ImportedGames, build_record, loss, validate};
use crate::kgp::{KgpBoard, Message};

/// The maximum number of games to which a new state may belong: the ones that began last.
const MAX_OPEN_GAMES: usize = 64;

/// Returns whether a text has a line with a state.
pub(super) fn is_transcript(text: &str) -> bool {
    text.lines().any(|line| {
        let line = log_line::parse(line);
        matches!(line, Some(Ok(logged)) if matches!(logged.line.message, Message::State(_)))
    })
}

pub(super) fn import(text: &str, rules: Rules) -> ImportedGames {
    let mut importer = KgpImporter {
        rules,
        searcher: GapSearcher::default(),
        connections: Connections::default(),
        games: Vec::new(),
        game_lines: 0,
    };
    let mut errors = Vec::new();
    for (number, text) in (1..).zip(text.lines()) {
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
        game.play_forced_moves();
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
}

/// A game up to the current line of the log.
struct PartialGame {
    game: Game,
    /// The connection of each side, once it has received a state.
    players: BySide<Option<ConnectionId>>,
    /// The last state, while it is open.
    pending: Option<OpenRequest>,
    /// The value of [`KgpImporter::game_lines`] at the game's last line.
    last_line: u64,
    /// The ending, if a player has ended the game with an illegal move.
    ending: Option<Ending>,
}

/// A state without a final reply.
struct OpenRequest {
    connection: ConnectionId,
    state: u64,
    /// The house of the last `move`.
    house: Option<House>,
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
                }
            }
            (Message::Yield | Message::Stop, _, Some(state)) => {
                self.game_lines += 1;
                if let Some(index) = connection.open_states.remove(&state) {
                    let game = &mut self.games[index];
                    if game.pending_request(id, state).is_some() {
                        game.play_pending();
                        game.last_line = self.game_lines;
                    }
                }
            }
            (Message::Set { option, value }, ..) => {
                if let Some(value) = value.as_text() {
                    self.connections.set_option(id, option.as_str(), value);
                }
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
            connection,
            state,
            house: None,
        });
        self.connections[connection]
            .open_states
            .insert(state, index);
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
                let plays = |side: Side| game.players[side] == Some(connection);
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
                    game.players[side] = Some(connection);
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
        connection: ConnectionId,
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
        game.players[side] = Some(connection);
        self.games.push(game);
        Ok((self.games.len() - 1, is_midway))
    }

    fn to_record(&self, game: &PartialGame) -> Record {
        let names = BySide::from_fn(|side| self.connections[game.players[side]?].name.as_deref());
        let ending = game
            .ending
            .or_else(|| majority_ending(game.game.position()));
        build_record(&game.game, names, ending)
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
