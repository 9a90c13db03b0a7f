use kalah::record::Record;
use kalah::{Ending, Game, Move, Position, Rules, Setup, Side, Termination};

use super::{ImportReason, ImportedGames};
use crate::mankalah::{
    AgentMessage, MankalahBoard, MankalahEngineMessage, NextTurn, ParseMankalahError,
};

/// Whether a line of a text could be one of the protocol and of no other.
pub(super) fn is_trace(text: &str) -> bool {
    text.lines().any(|line| {
        let word = last_word(line).unwrap_or_default();
        MESSAGE_PREFIXES.iter().any(|mark| word.starts_with(mark))
    })
}

/// What messages begin with that nothing else begins with.
const MESSAGE_PREFIXES: [&str; 3] = ["START;", "CHANGE;", "MOVE;"];

/// The message of a line, which may have a time and a name before it.
fn last_word(line: &str) -> Option<&str> {
    line.split_whitespace().next_back()
}

pub(super) fn import(text: &str, rules: Rules) -> ImportedGames {
    let mut importer = MankalahImporter {
        rules,
        imported: ImportedGames::default(),
        trace: Trace::default(),
    };
    for (line, text) in (1..).zip(text.lines()) {
        if let Some(word) = last_word(text)
            && let Err(reason) = importer.handle_message(word)
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

/// A game as far as it has been told.
#[derive(Default)]
struct Trace {
    /// The sides of the agents who were told of its start.
    started_sides: Vec<Side>,
    game: Option<Game>,
    /// The board of the last change: it may be told to both agents.
    last_change: Option<(Move, MankalahBoard)>,
    /// What an agent has answered since, if nobody was told of it.
    pending_move: Option<Move>,
    /// Whether anybody was told of changes, or only answers were written down.
    has_changes: bool,
    /// Whether something in it was wrong: then it is no game.
    is_broken: bool,
}

impl MankalahImporter {
    fn handle_message(&mut self, word: &str) -> Result<(), ImportReason> {
        let is_agents = word.starts_with("MOVE;") || word == "SWAP";
        if is_agents {
            let AgentMessage(mv) = word.parse().map_err(|error| line_error(&error))?;
            return self.handle_agent_move(mv, word);
        }
        let is_engines =
            word == "END" || MESSAGE_PREFIXES.iter().any(|mark| word.starts_with(mark));
        if !is_engines {
            return Ok(());
        }
        match word.parse().map_err(|error| line_error(&error))? {
            MankalahEngineMessage::Start(side) => {
                let is_other =
                    self.trace.game.is_none() && !self.trace.started_sides.contains(&side);
                if !is_other {
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
        let not_started = || ImportReason::NotStarted(word.to_owned());
        if self.trace.started_sides.is_empty() {
            return Err(not_started());
        }
        self.play_pending_move()?;
        if mv != Move::Swap {
            self.trace.pending_move = Some(mv);
            return Ok(());
        }
        // Who swaps is told nothing of it, so that this may be all that is written down.
        let game = self.trace.game.as_mut().ok_or_else(not_started)?;
        if game.is_swapped() {
            return Ok(());
        }
        play(game, mv, word)
    }

    /// Makes the ply that was answered, where nobody is told of changes.
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
            let start = Setup::start(DEFAULT_HOUSES, DEFAULT_SEEDS);
            let start = validate(&start, self.rules)?;
            self.trace.game.insert(Game::new(start))
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
            return Err(ImportReason::NotStarted(word.to_owned()));
        }
        if !self.trace.has_changes {
            self.trace.has_changes = true;
            self.trace.game = Some(Game::new(validate(&start_setup(board), self.rules)?));
        }
        self.trace.pending_move = None;
        let told = Some((mv, board.clone()));
        if self.trace.last_change == told {
            return Ok(());
        }
        self.trace.last_change = told;
        let starts = &self.trace.started_sides;
        let game = self.trace.game.as_mut();
        let game = game.ok_or_else(|| ImportReason::NotStarted(word.to_owned()))?;
        if mv == Move::Swap && game.is_swapped() {
            return Ok(());
        }
        if let [Side::North] = starts[..]
            && has_swapped_silently(game, mv, next)
        {
            play(game, Move::Swap, word)?;
        }
        play(game, mv, word)?;
        let expected = MankalahBoard::from(game.position());
        // Who ends a game may sweep it before or after it tells.
        if expected != *board && !game.position().is_over() {
            return Err(ImportReason::Board {
                ply: game.plies().len(),
                text: word.to_owned(),
                expected: expected.to_string(),
            });
        }
        Ok(())
    }

    /// Ends the game that is being told.
    fn finish_game(&mut self) {
        let trace = std::mem::take(&mut self.trace);
        let Trace {
            game,
            pending_move: answered,
            has_changes,
            is_broken,
            ..
        } = trace;
        if is_broken {
            return;
        }
        let Some(mut game) = game.or_else(|| {
            let start = Setup::start(DEFAULT_HOUSES, DEFAULT_SEEDS);
            let start = validate(&start, self.rules).ok()?;
            answered.map(|_| Game::new(start))
        }) else {
            return;
        };
        // An answer of which nobody is told is one that the engine did not take.
        let refused = match answered {
            Some(mv) if has_changes => game.position().check_legal(mv).is_err(),
            Some(mv) => game.play(mv).is_err(),
            None => false,
        };
        let loser = game.position().to_move();
        let mut record = Record::from_game(&game);
        if refused && !game.position().is_over() {
            let set = record.set_ending(Ending {
                termination: Termination::Illegal,
                winner: Some(loser.opponent()),
                outcome: None,
            });
            debug_assert_eq!(set, Ok(()), "the game is not over by its rules");
        }
        self.imported.records.push(record);
    }
}

/// Whether an agent that sat North from the start must have swapped before this ply: it is not told of that itself, but
/// who is to answer next is then the other one.
fn has_swapped_silently(game: &Game, mv: Move, next: NextTurn) -> bool {
    if !game.position().can_swap() || mv == Move::Swap {
        return false;
    }
    let mut after = game.position().clone();
    if after.play(mv).is_err() || after.is_over() {
        return false;
    }
    let is_asked = next == NextTurn::You;
    is_asked != (after.to_move() == Side::North)
}

/// What South begins with in Manchester.
const DEFAULT_HOUSES: u8 = 7;
const DEFAULT_SEEDS: u64 = 7;

/// The start of a game of which this is a board.
fn start_setup(board: &MankalahBoard) -> Setup {
    let [houses, total] = board.houses_and_seeds();
    let seeds = total / (2 * houses).max(1);
    Setup::start(u8::try_from(houses).unwrap_or(u8::MAX), seeds)
}

fn validate(setup: &Setup, rules: Rules) -> Result<Position, ImportReason> {
    let position = setup.position(rules);
    position.map_err(|reason| ImportReason::Setup {
        text: setup.to_string(),
        reason,
    })
}

fn play(game: &mut Game, mv: Move, word: &str) -> Result<(), ImportReason> {
    let ply = game.plies().len() + 1;
    let played = game.play(mv);
    played.map(|_| ()).map_err(|reason| ImportReason::Illegal {
        ply,
        text: word.to_owned(),
        reason,
    })
}

fn line_error(error: &ParseMankalahError) -> ImportReason {
    ImportReason::Line(error.to_string())
}
