//! Transcripts of KGP.

use std::collections::BTreeMap;

use kalah::record::{Record, Tags};
use kalah::{
    BySide, Ending, FirstPlies, Game, House, Move, Position, Rules, Setup, Side, Termination,
};

use super::{ImportReason, ImportedGames};
use crate::kgp::{Argument, KgpBoard, Line, Message, ParseLineReason};

/// Whether a line of a text tells a state.
pub(super) fn is_transcript(text: &str) -> bool {
    text.lines()
        .any(|line| matches!(parse_log_line(line), Some(Ok((_, line))) if matches!(line.message, Message::State(_))))
}

/// Words that may stand before what was said: a time, a level, a name, who said it.
const MAX_PREFIX_WORDS: usize = 10;

/// What a line of a log says, and on which connection; `None` if it is no line of the protocol.
fn parse_log_line(text: &str) -> Option<Result<(&str, Line), ImportReason>> {
    let mut failure = None;
    let mut rest = text.trim();
    for _ in 0..=MAX_PREFIX_WORDS {
        match rest.parse::<Line>() {
            Ok(line) if !matches!(line.message, Message::Unknown(_)) => {
                let before = &text[..text.trim_end().len() - rest.len()];
                return Some(Ok((connection_name(before), line)));
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

/// Whether a line that cannot be read is one of those that tell a game.
fn is_game_line_error(reason: &ParseLineReason) -> bool {
    match reason {
        ParseLineReason::Board { .. } | ParseLineReason::UnclosedBoard => true,
        ParseLineReason::InvalidArguments { command, .. } => ["state", "move"].contains(command),
        _ => false,
    }
}

/// What names the connection in what stands before a line: the last word before the marks of the direction, unless
/// that is a time or a place in a program. Logs of clients have none.
fn connection_name(before: &str) -> &str {
    let marks = |word: &&str| !DIRECTION_MARKS.contains(&word.to_ascii_lowercase().as_str());
    let word = before.split_whitespace().rev().find(marks);
    let begins = |character: char| character.is_ascii_alphabetic() || character == '(';
    word.filter(|word| word.starts_with("0x") || word.starts_with(begins) && !word.ends_with(':'))
        .unwrap_or_default()
}

/// Words that say which way a line went.
const DIRECTION_MARKS: [&str; 12] = [
    "<", ">", "<-", "->", "<<", ">>", "<=", "=>", "s:", "c:", "server:", "client:",
];

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
        let heard = match parse_log_line(text) {
            Some(Ok((connection, line))) => importer.handle_line(connection, &line),
            Some(Err(reason)) => Err(reason),
            None => Ok(()),
        };
        if let Err(reason) = heard {
            errors.push(reason.at_line(number));
        }
    }
    importer
        .games
        .iter_mut()
        .for_each(PartialGame::play_forced_moves);
    let records = importer.games.iter().map(|game| importer.to_record(game));
    ImportedGames {
        records: records.collect(),
        errors,
    }
}

/// What is known of a connection, and the numbers of its states.
#[derive(Default)]
struct LoggedConnection {
    name: Option<String>,
    /// Which game each state that is open belongs to.
    open_states: BTreeMap<u64, usize>,
}

struct KgpImporter {
    rules: Rules,
    searcher: GapSearcher,
    connections: BTreeMap<String, LoggedConnection>,
    games: Vec<PartialGame>,
    /// Lines that have told of any game.
    game_lines: u64,
}

/// A game as far as it has been told.
struct PartialGame {
    game: Game,
    /// Who sits where, as far as anybody was asked.
    players: BySide<Option<String>>,
    pending: Option<OpenRequest>,
    /// When it was last asked about or answered, in lines that tell of any game.
    last_line: u64,
    /// How it ended, if a player has ended it.
    ending: Option<Ending>,
}

/// A state that waits for its answer.
struct OpenRequest {
    connection: String,
    state: u64,
    house: Option<House>,
}

/// Games that a state may belong to: those that began last.
const MAX_OPEN_GAMES: usize = 64;

impl KgpImporter {
    fn handle_line(&mut self, connection: &str, line: &Line) -> Result<(), ImportReason> {
        let of = self.connections.entry(connection.to_owned()).or_default();
        match (&line.message, line.id, line.reference) {
            (Message::State(board), Some(state), _) => self.handle_state(connection, state, board),
            (Message::Move(house), _, Some(state)) => {
                let told = of
                    .open_states
                    .get(&state)
                    .map(|&index| &mut self.games[index]);
                let asked = told.and_then(|told| told.pending.as_mut());
                if let Some(asked) = asked.filter(|asked| asked.matches(connection, state)) {
                    asked.house = Some(*house);
                }
                Ok(())
            }
            (Message::Yield | Message::Stop, _, Some(state)) => {
                self.game_lines += 1;
                if let Some(index) = of.open_states.remove(&state)
                    && (self.games[index].pending.as_ref())
                        .is_some_and(|asked| asked.matches(connection, state))
                {
                    self.games[index].play_pending();
                    self.games[index].last_line = self.game_lines;
                }
                Ok(())
            }
            (Message::Set { option, value }, ..) if option.as_str() == "info:name" => {
                if let Argument::Text(name) = value {
                    of.name = Some(name.as_str().to_owned());
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
        let seen = BySide::new(
            self.position_from_side(board, Side::South)?,
            self.position_from_side(board, Side::North)?,
        );
        let (index, is_midway) = match self.find_game(connection, &seen) {
            Some(index) => (index, false),
            None => self.start_game(connection, seen)?,
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

    /// A board on which whoever is asked sits on `side`.
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

    /// The game in which a state comes next, which has been brought up to it.
    fn find_game(&mut self, connection: &str, seen: &BySide<Position>) -> Option<usize> {
        // Who is to move next is asked as soon as the other side has answered.
        let late = self.games.len().saturating_sub(MAX_OPEN_GAMES);
        let mut latest: Vec<usize> = (late..self.games.len()).collect();
        latest.sort_by_key(|&index| std::cmp::Reverse(self.games[index].last_line));
        for is_seated in [true, false] {
            for &index in &latest {
                let told = &mut self.games[index];
                let sits = |side: Side| told.players[side].as_deref() == Some(connection);
                let sits_anywhere = Side::ALL.into_iter().any(sits);
                let side = Side::ALL.into_iter().find(|&side| {
                    let is_vacant = !sits_anywhere && told.players[side].is_none();
                    if is_seated { sits(side) } else { is_vacant }
                });
                let Some(side) = side.filter(|_| told.ending.is_none()) else {
                    continue;
                };
                // Whose last answer is known may say so a little later than the other side is asked.
                let waits = told.pending.as_ref().filter(|asked| asked.house.is_none());
                if waits.is_some_and(|asked| asked.connection != connection) {
                    continue;
                }
                let is_free = BySide::from_fn(|of| is_seated && told.players[of].is_none());
                if told.advance_to(&seen[side], is_free, &mut self.searcher) {
                    told.players[side] = Some(connection.to_owned());
                    return Some(index);
                }
            }
        }
        None
    }

    /// Begins a game with a state that belongs to no other, and says whether that is in the middle of it.
    fn start_game(
        &mut self,
        connection: &str,
        seen: BySide<Position>,
    ) -> Result<(usize, bool), ImportReason> {
        let first = &seen.south;
        let total = u64::from(first.total().get());
        let start = Setup::start(first.houses(), total / (2 * u64::from(first.houses())));
        let start = Game::new(validate(&start, self.rules)?);
        let mut told = PartialGame {
            game: start,
            players: BySide::new(None, None),
            pending: None,
            last_line: 0,
            ending: None,
        };
        let mut is_midway = false;
        let nobody = BySide::new(false, false);
        let other = BySide::new(true, false);
        let side = if told.advance_to(&seen.south, nobody, &mut self.searcher) {
            Side::South
        } else if told.advance_to(&seen.north, other, &mut self.searcher) {
            Side::North
        } else {
            told.game = Game::new(seen.south);
            is_midway = true;
            Side::South
        };
        told.players[side] = Some(connection.to_owned());
        self.games.push(told);
        Ok((self.games.len() - 1, is_midway))
    }

    fn to_record(&self, told: &PartialGame) -> Record {
        let mut record = Record::from_game(&told.game);
        for (tag, side) in [(Tags::SOUTH, Side::South), (Tags::NORTH, Side::North)] {
            let connection =
                (told.players[side].as_deref()).and_then(|key| self.connections.get(key));
            if let Some(name) = connection.and_then(|connection| connection.name.as_deref()) {
                let set = record.set_tag(tag, name);
                debug_assert_eq!(set, Ok(()), "a name is free text");
            }
        }
        if let Some(ending) = told
            .ending
            .or_else(|| majority_ending(told.game.position()))
        {
            let set = record.set_ending(ending);
            debug_assert_eq!(set, Ok(()), "the game is not over by its rules");
        }
        record
    }
}

impl OpenRequest {
    fn matches(&self, connection: &str, state: u64) -> bool {
        self.connection == connection && self.state == state
    }
}

impl PartialGame {
    /// Takes the last choice that was answered.
    fn play_pending(&mut self) {
        let Some(OpenRequest {
            house: Some(house), ..
        }) = self.pending.take_if(|asked| asked.house.is_some())
        else {
            return;
        };
        let side = self.game.position().to_move();
        if self.game.play(Move::Sow(house)).is_err() && !self.game.position().is_over() {
            self.ending = Some(Ending {
                termination: Termination::Illegal,
                winner: Some(side.opponent()),
                outcome: None,
            });
        }
    }

    /// Whether more of it could be told.
    fn is_unfinished(&self) -> bool {
        let position = self.game.position();
        self.ending.is_none() && !position.is_over() && majority_ending(position).is_none()
    }

    /// Makes the plies at the end about which nobody is asked, as there is no choice.
    fn play_forced_moves(&mut self) {
        while self.pending.is_none() && self.is_unfinished() {
            let mut moves = self.game.position().legal_moves();
            let (Some(mv), None) = (moves.next(), moves.next()) else {
                return;
            };
            drop(moves);
            if self.game.play(mv).is_err() {
                return;
            }
        }
    }

    /// Goes on to a position, if the game can have come to it; else it stays as it is.
    fn advance_to(
        &mut self,
        to: &Position,
        is_free: BySide<bool>,
        searcher: &mut GapSearcher,
    ) -> bool {
        let asked = self.pending.as_ref();
        let answered = asked.map(|asked| asked.house);
        let mut from = self.game.position().clone();
        // Who was asked and has not answered in time had a choice made for it.
        let firsts: Vec<Option<Move>> = match answered {
            None => vec![None],
            Some(Some(house)) => vec![Some(Move::Sow(house))],
            Some(None) => from.legal_moves().map(Some).collect(),
        };
        let before = from.clone();
        for first in firsts {
            from.clone_from(&before);
            if first.is_some_and(|mv| from.play(mv).is_err()) {
                continue;
            }
            if let Some(path) = searcher.find_path(&from, to, is_free) {
                for mv in first.into_iter().chain(path) {
                    let played = self.game.play(mv);
                    debug_assert!(played.is_ok(), "it was looked for by the rules");
                }
                self.pending = None;
                return true;
            }
        }
        false
    }
}

/// A server ends a game when a store holds more than half of all seeds.
fn majority_ending(position: &Position) -> Option<Ending> {
    let half = position.total().get() / 2;
    let winner = Side::ALL
        .into_iter()
        .find(|&side| position.store(side).get() > half && !position.is_over())?;
    Some(Ending {
        termination: Termination::Adjudicated,
        winner: Some(winner),
        outcome: None,
    })
}

fn validate(setup: &Setup, rules: Rules) -> Result<Position, ImportReason> {
    let position = setup.position(rules);
    position.map_err(|reason| ImportReason::Setup {
        text: setup.to_string(),
        reason,
    })
}

/// Looks for plies that nobody wrote down, within limits for one gap and for a whole text.
struct GapSearcher {
    budget: u64,
}

/// Positions that are looked at for one gap: what two turns with all their bonus turns can lead to on the boards that
/// are played on.
const MAX_POSITIONS_PER_GAP: u64 = 200_000;

/// Positions that are looked at for a text: ten thousand games take less, and half a minute.
const MAX_POSITIONS_PER_TEXT: u64 = 100_000_000;

/// Plies of a gap. More than in any game of theirs between two answers of a player.
const MAX_GAP_PLIES: usize = 300;

/// A gap between two positions.
struct Gap<'a> {
    target: &'a Position,
    /// Whose plies may be any; those of the other side must have been forced, for which nobody is asked.
    any_move: BySide<bool>,
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
    /// Whether it has looked at all that it may look at.
    fn is_exhausted(&self) -> bool {
        self.budget == 0
    }

    /// Plies that lead from one position to another. Where several sequences do, it is one of them.
    fn find_path(
        &mut self,
        from: &Position,
        to: &Position,
        is_free: BySide<bool>,
    ) -> Option<Vec<Move>> {
        if from.houses() != to.houses() || from.total() != to.total() {
            return None;
        }
        let most = MAX_POSITIONS_PER_GAP.min(self.budget);
        let mut gap = Gap {
            target: to,
            any_move: is_free,
            budget: most,
            path: Vec::new(),
        };
        let is_found = gap.search(from);
        self.budget -= most - gap.budget;
        is_found.then_some(gap.path)
    }
}

impl Gap<'_> {
    /// Whether the gap can be closed from here; the path leads there then.
    fn search(&mut self, from: &Position) -> bool {
        if is_same(from, self.target) {
            return true;
        }
        let is_beyond = |side| from.store(side) > self.target.store(side);
        let is_enough = self.budget == 0 || self.path.len() == MAX_GAP_PLIES;
        if is_enough || from.is_over() || Side::ALL.into_iter().any(is_beyond) {
            return false;
        }
        let mut moves = from.legal_moves();
        let is_forced = moves.next().is_some() && moves.next().is_none();
        if !is_forced && !self.any_move[from.to_move()] {
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

/// Whether two positions have the same seeds everywhere and the same side to move.
fn is_same(one: &Position, other: &Position) -> bool {
    one.to_move() == other.to_move()
        && Side::ALL.into_iter().all(|side| {
            one.store(side) == other.store(side) && one.houses_of(side) == other.houses_of(side)
        })
}
