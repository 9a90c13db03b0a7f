//! A recorded game as JSON.

use std::collections::BTreeMap;
use std::time::Duration;

use kalah::record::{PlyTimes, Record, RecordEntry, Tags, Turn, format_plies};
use kalah::{Game, Move, Side};
use serde::Serialize;

use crate::args::recorded::UNNAMED;
use crate::batch::CsvRows;
use crate::version::VERSION;

/// The result of an unfinished game.
const NO_RESULT: &str = "*";

/// A recorded game, or its first plies.
#[derive(Debug, Serialize)]
pub(crate) struct RecordJson {
    south: String,
    north: String,
    rules: String,
    /// The position before the first ply.
    start: String,
    /// The position after the last of `plies`.
    position: String,
    to_move: Side,
    /// The number of `plies`.
    ply_count: usize,
    /// Whether `position` is the end of a game.
    is_over: bool,
    /// The final stores of the whole game, those of an adjudication included.
    result: String,
    /// The termination of the whole game.
    termination: &'static str,
    /// The side that has won the whole game; `None` after a tie, or if the winner is unknown.
    winner: Option<Side>,
    /// All tags of the record.
    tags: BTreeMap<String, String>,
    plies: Vec<PlyJson>,
    /// The version of this program.
    program: &'static str,
    /// The plies as in a record, without numbers.
    #[serde(skip)]
    moves: String,
}

/// A ply of a recorded game.
#[derive(Debug, Serialize)]
struct PlyJson {
    /// The number of the turn, from 1.
    turn: u32,
    side: Side,
    #[serde(rename = "move")]
    mv: String,
    /// The time that the ply has taken, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    elapsed_ms: Option<u128>,
    /// The time that the player has left after the ply, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_ms: Option<u128>,
    /// The comments on the ply without times, with a line end between them.
    #[serde(skip_serializing_if = "String::is_empty")]
    comment: String,
}

impl RecordJson {
    /// Returns the first `to` plies of the main line of a record; all of them if there are fewer.
    pub(crate) fn new(record: &Record, to: usize) -> Self {
        let line = MainLine::new(record, to);
        let game = Game::replay(record.start(), line.moves.iter().map(|&(_, mv)| mv));
        let game = game.unwrap_or_else(|error| unreachable!("the plies were checked: {error}"));
        let ending = record.ending();
        let tag = |name| record.tags().get(name).unwrap_or(UNNAMED).to_owned();
        let tags = record.tags().iter();
        let position = game.position();
        Self {
            south: tag(Tags::SOUTH),
            north: tag(Tags::NORTH),
            rules: position.rules().to_string(),
            start: game.start().to_string(),
            position: position.to_string(),
            to_move: position.to_move(),
            ply_count: line.moves.len(),
            is_over: position.is_over(),
            result: (ending.outcome)
                .map_or_else(|| NO_RESULT.to_owned(), |outcome| outcome.to_string()),
            termination: ending.termination.as_str(),
            winner: ending.winner,
            tags: tags
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            moves: format_plies(&line.moves),
            plies: line.plies,
            program: VERSION,
        }
    }
}

/// The first plies of the main line of a record.
#[derive(Default)]
struct MainLine {
    moves: Vec<(Side, Move)>,
    plies: Vec<PlyJson>,
}

impl MainLine {
    fn new(record: &Record, to: usize) -> Self {
        let mut line = Self::default();
        let mut variation_depth = 0;
        for entry in record.entries() {
            match entry {
                RecordEntry::BeginVariation(_) => variation_depth += 1,
                RecordEntry::EndVariation => variation_depth -= 1,
                RecordEntry::Ply { .. } if variation_depth == 0 && line.moves.len() == to => break,
                &RecordEntry::Ply { turn, mv } if variation_depth == 0 => line.add_ply(turn, mv),
                RecordEntry::Comment(text) if variation_depth == 0 => line.add_comment(text),
                RecordEntry::Ply { .. } | RecordEntry::Comment(_) => {}
            }
        }
        line
    }

    fn add_ply(&mut self, turn: Turn, mv: Move) {
        self.moves.push((turn.side, mv));
        self.plies.push(PlyJson {
            turn: turn.number,
            side: turn.side,
            mv: mv.text(turn.side),
            elapsed_ms: None,
            clock_ms: None,
            comment: String::new(),
        });
    }

    /// Adds a comment to the last ply. A comment before the first ply belongs to none.
    fn add_comment(&mut self, text: &str) {
        if let Some(ply) = self.plies.last_mut() {
            let (times, text) = PlyTimes::split_comment(text);
            let milliseconds = |time: Duration| time.as_millis();
            ply.elapsed_ms = times.elapsed.map(milliseconds).or(ply.elapsed_ms);
            ply.clock_ms = times.clock.map(milliseconds).or(ply.clock_ms);
            if !ply.comment.is_empty() && !text.is_empty() {
                ply.comment.push('\n');
            }
            ply.comment.push_str(&text);
        }
    }
}

impl CsvRows for RecordJson {
    const COLUMNS: &[&str] = &[
        "south",
        "north",
        "rules",
        "start",
        "position",
        "to_move",
        "ply_count",
        "is_over",
        "result",
        "termination",
        "winner",
        "event",
        "date",
        "round",
        "moves",
        "program",
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        let tag = |name| self.tags.get(name).cloned().unwrap_or_default();
        let side = |side: Side| side.to_string().to_lowercase();
        vec![vec![
            self.south.clone(),
            self.north.clone(),
            self.rules.clone(),
            self.start.clone(),
            self.position.clone(),
            side(self.to_move),
            self.ply_count.to_string(),
            self.is_over.to_string(),
            self.result.clone(),
            self.termination.to_owned(),
            self.winner.map(side).unwrap_or_default(),
            tag(Tags::EVENT),
            tag(Tags::DATE),
            tag(Tags::ROUND),
            self.moves.clone(),
            self.program.to_owned(),
        ]]
    }
}
