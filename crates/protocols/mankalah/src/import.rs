//! Traces of `ManKalah`: the messages of one agent or of both.

use kalah::record::PlyTimes;
use kalah::{BySide, Game, Move, Quoted, Rules, Setup, Side, Termination};
use kalah_import::{
    GameNotes, ImportFormat, ImportReason, ImportedGames, LogTime, build_record, loss, play,
    validate,
};

use crate::message::{
    AgentMessage, HOUSES, MankalahBoard, MankalahEngineMessage, NextTurn, ParseMankalahError, SEEDS,
};

/// The log of an engine or an agent of `ManKalah`.
pub static MANKALAH_LOG: ImportFormat = ImportFormat {
    name: "mankalah",
    default_rules: Rules::MANKALAH,
    recognize: is_trace,
    import_games: import,
};

/// The beginnings of messages that no other format has.
const MESSAGE_PREFIXES: [&str; 3] = ["START;", "CHANGE;", "MOVE;"];

/// Returns whether a text has a line that can only be a message of the protocol.
fn is_trace(text: &str) -> bool {
    text.lines()
        .any(|line| last_word(line).is_some_and(has_message_prefix))
}

/// Returns whether a word is a message of the protocol, or begins like one.
fn is_message(word: &str) -> bool {
    is_agent_message(word) || word == "END" || has_message_prefix(word)
}

fn is_agent_message(word: &str) -> bool {
    word.starts_with("MOVE;") || word == "SWAP"
}

fn has_message_prefix(word: &str) -> bool {
    let mut prefixes = MESSAGE_PREFIXES.iter();
    prefixes.any(|prefix| word.starts_with(prefix))
}

/// Returns the message of a line. A log may write a time and a name before it.
fn last_word(line: &str) -> Option<&str> {
    line.split_whitespace().next_back()
}

fn import(text: &str, rules: Rules) -> ImportedGames {
    let mut importer = MankalahImporter {
        rules,
        imported: ImportedGames::default(),
        trace: Trace::default(),
    };
    for (line, text) in (1..).zip(text.lines()) {
        if let Some(word) = last_word(text)
            && let Err(reason) = importer.handle_line(text, word)
        {
            importer.imported.errors.push(reason.at_line(line));
            importer.trace.is_broken = true;
        }
    }
    importer.finish_game();
    importer.imported
}

struct MankalahImporter {
    rules: Rules,
    imported: ImportedGames,
    trace: Trace,
}

/// The current game.
#[derive(Default)]
struct Trace {
    /// The sides of the `START` messages, which tell how many agents have logged the game.
    started_sides: Vec<Side>,
    game: Option<Game>,
    /// The last `CHANGE`. The log of both agents has it twice.
    last_change: Option<(Move, MankalahBoard)>,
    /// The last `MOVE` without a `CHANGE` after it.
    pending_move: Option<Move>,
    /// Whether the log has `CHANGE` messages, or only the messages of agents.
    has_changes: bool,
    /// Whether the game had an error. Such a game is dropped.
    is_broken: bool,
    clock: TraceClock,
    notes: GameNotes,
}

/// The times of the last messages, if the log has times.
#[derive(Clone, Copy, Default)]
struct TraceClock {
    /// The time of the message after which an agent was to move.
    asked: Option<LogTime>,
    /// The time of the `MOVE` after it.
    answered: Option<LogTime>,
}

impl Trace {
    fn plies(&self) -> usize {
        self.game.as_ref().map_or(0, |game| game.plies().len())
    }

    /// Notes the time of a message before which the game had `before` plies.
    fn note_time(&mut self, now: LogTime, before: usize) {
        if self.notes.date.is_none() {
            self.notes.date = now.date();
        }
        let TraceClock { asked, answered } = self.clock;
        // Of two plies that a message shows, the first is a swap without a message of its own.
        let plies = self.plies();
        if plies > before {
            let answer = answered.unwrap_or(now);
            note_elapsed(&mut self.notes, plies - 1, asked, answer);
            // Without `CHANGE`, a `MOVE` shows the ply of the one before it.
            self.clock = match self.pending_move {
                Some(_) => TraceClock {
                    asked: answered,
                    answered: Some(now),
                },
                None => TraceClock {
                    asked: Some(now),
                    answered: None,
                },
            };
        } else if self.pending_move.is_some() {
            self.clock.answered = Some(now);
        } else {
            self.clock.asked = Some(now);
        }
    }
}

/// Notes the time of a ply between two messages, if the log has it.
fn note_elapsed(notes: &mut GameNotes, ply: usize, asked: Option<LogTime>, answered: LogTime) {
    if let Some(elapsed) = asked.and_then(|asked| answered.since(asked)) {
        let times = PlyTimes {
            elapsed: Some(elapsed),
            clock: None,
        };
        notes.times.insert(ply, times);
    }
}

impl MankalahImporter {
    /// Handles the message of a line, and notes the time of the ply that it shows.
    fn handle_line(&mut self, line: &str, word: &str) -> Result<(), ImportReason> {
        if !is_message(word) {
            return Ok(());
        }
        let before = self.trace.plies();
        self.handle_message(word)?;
        if let Some(now) = LogTime::find(line) {
            self.trace.note_time(now, before);
        }
        Ok(())
    }

    fn handle_message(&mut self, word: &str) -> Result<(), ImportReason> {
        if is_agent_message(word) {
            let AgentMessage(mv) = word.parse().map_err(|error| line_error(&error))?;
            return self.handle_agent_move(mv, word);
        }
        match word.parse().map_err(|error| line_error(&error))? {
            MankalahEngineMessage::Start(side) => {
                let is_second_agent =
                    self.trace.game.is_none() && !self.trace.started_sides.contains(&side);
                if !is_second_agent {
                    self.finish_game();
                }
                self.trace.started_sides.push(side);
                Ok(())
            }
            MankalahEngineMessage::Change { mv, board, next } => {
                self.handle_change(mv, &board, next, word)
            }
            MankalahEngineMessage::End => Ok(()),
        }
    }

    fn handle_agent_move(&mut self, mv: Move, word: &str) -> Result<(), ImportReason> {
        if self.trace.is_broken {
            return Ok(());
        }
        if self.trace.started_sides.is_empty() {
            return Err(not_started(word));
        }
        self.play_pending_move()?;
        if mv != Move::Swap {
            self.trace.pending_move = Some(mv);
            return Ok(());
        }
        // The agent that swaps gets no `CHANGE` for it, so `SWAP` may be the only trace of the ply.
        let game = self.trace.game.as_mut().ok_or_else(|| not_started(word))?;
        if game.is_swapped() {
            return Ok(());
        }
        play(game, mv, word)
    }

    /// Plays the last `MOVE` if the log has no `CHANGE` messages.
    fn play_pending_move(&mut self) -> Result<(), ImportReason> {
        if self.trace.has_changes {
            return Ok(());
        }
        let Some(mv) = self.trace.pending_move.take() else {
            return Ok(());
        };
        let game = if let Some(game) = &mut self.trace.game {
            game
        } else {
            self.trace.game.insert(default_game(self.rules)?)
        };
        play(game, mv, &AgentMessage(mv).to_string())
    }

    fn handle_change(
        &mut self,
        mv: Move,
        board: &MankalahBoard,
        next: NextTurn,
        word: &str,
    ) -> Result<(), ImportReason> {
        if self.trace.is_broken {
            return Ok(());
        }
        if self.trace.started_sides.is_empty() {
            return Err(not_started(word));
        }
        if !self.trace.has_changes {
            self.trace.has_changes = true;
            self.trace.game = Some(Game::new(validate(&start_setup(board), self.rules)?));
        }
        self.trace.pending_move = None;
        let change = Some((mv, board.clone()));
        if self.trace.last_change == change {
            return Ok(());
        }
        self.trace.last_change = change;
        let started_sides = &self.trace.started_sides;
        let game = self.trace.game.as_mut();
        let game = game.ok_or_else(|| not_started(word))?;
        if mv == Move::Swap && game.is_swapped() {
            return Ok(());
        }
        if let [Side::North] = started_sides[..]
            && has_swapped_silently(game, mv, next)
        {
            play(game, Move::Swap, word)?;
        }
        play(game, mv, word)?;
        let expected = MankalahBoard::from(game.position());
        // At the end of a game an engine may send the board before or after the sweep.
        if expected != *board && !game.position().is_over() {
            return Err(ImportReason::Board {
                ply: game.plies().len(),
                text: word.to_owned(),
                expected: expected.to_string(),
            });
        }
        Ok(())
    }

    /// Ends the current game and adds its record.
    fn finish_game(&mut self) {
        let Trace {
            game,
            pending_move,
            has_changes,
            is_broken,
            clock,
            mut notes,
            ..
        } = std::mem::take(&mut self.trace);
        if is_broken {
            return;
        }
        let start = || pending_move.and_then(|_| default_game(self.rules).ok());
        let Some(mut game) = game.or_else(start) else {
            return;
        };
        // With `CHANGE` messages, the engine has refused a last move for which there is none.
        let is_refused = match pending_move {
            Some(mv) if has_changes => game.position().check_legal(mv).is_err(),
            Some(mv) => game.play(mv).is_err(),
            None => false,
        };
        if let (Some(_), false, false, Some(answered)) =
            (pending_move, has_changes, is_refused, clock.answered)
        {
            note_elapsed(&mut notes, game.plies().len() - 1, clock.asked, answered);
        }
        let is_forfeit = is_refused && !game.position().is_over();
        let ending = is_forfeit.then(|| loss(game.position().to_move(), Termination::Illegal));
        let record = build_record(&game, BySide::new(None, None), ending, &notes);
        self.imported.records.push(record);
    }
}

/// Returns whether the agent that began as North must have swapped before this ply.
///
/// That agent gets no `CHANGE` for its own swap. After the swap it plays South, so the `next` field
/// of the following `CHANGE` names the other agent than it would without the swap.
fn has_swapped_silently(game: &Game, mv: Move, next: NextTurn) -> bool {
    if !game.position().can_swap() || mv == Move::Swap {
        return false;
    }
    let mut after = game.position().clone();
    if after.play(mv).is_err() || after.is_over() {
        return false;
    }
    let is_own_turn = next == NextTurn::You;
    is_own_turn != (after.to_move() == Side::North)
}

/// Creates a game on the board of the course, for a log without boards.
fn default_game(rules: Rules) -> Result<Game, ImportReason> {
    validate(&Setup::start(HOUSES, SEEDS), rules).map(Game::new)
}

/// Returns the start of the game to which a board belongs.
fn start_setup(board: &MankalahBoard) -> Setup {
    let [houses, total] = board.houses_and_seeds();
    let seeds = total / (2 * houses).max(1);
    Setup::start(u8::try_from(houses).unwrap_or(u8::MAX), seeds)
}

fn line_error(error: &ParseMankalahError) -> ImportReason {
    ImportReason::of_format(error)
}

/// Returns the reason for a message before the start of any game.
fn not_started(word: &str) -> ImportReason {
    let word = Quoted::new(word);
    ImportReason::of_format(&format_args!("{word} comes before the start of a game"))
}

#[cfg(test)]
mod tests {
    use kalah::House;

    use super::*;

    #[test]
    fn only_a_ply_before_which_a_swap_is_possible_shows_one() {
        let after_first_ply = |board: &str| {
            let start: Setup = board.parse().expect("a board");
            let mut game = Game::new(start.position(Rules::MANKALAH).expect("a position"));
            let first = game.position().legal_moves().next().expect("a move");
            game.play(first).expect("a legal move");
            game
        };
        let game = after_first_ply("7x7");
        let sow = |house| Move::Sow(House::new(house).expect("a house"));
        for (mv, next, expected) in [
            (sow(2), NextTurn::You, true),
            (sow(2), NextTurn::Opponent, false),
            (Move::Swap, NextTurn::You, false),
            // There is no such house.
            (sow(8), NextTurn::You, false),
            (sow(8), NextTurn::Opponent, false),
        ] {
            let is_swap = has_swapped_silently(&game, mv, next);
            assert_eq!(is_swap, expected, "{mv:?} {next:?}");
        }
        // A ply that ends the game does not tell which agent would be next.
        let game = after_first_ply("<2,0,0,1,0,0,1> s ply=1");
        assert!(game.position().can_swap());
        for next in [NextTurn::You, NextTurn::Opponent, NextTurn::End] {
            assert!(!has_swapped_silently(&game, sow(2), next), "{next:?}");
        }
    }
}
