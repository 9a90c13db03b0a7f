//! Construction of a record entry by entry, with every entry checked.

use super::document::{MAX_VARIATION_DEPTH, Record, RecordEntry, Turn};
use super::error::{MovetextError, RecordProblem};
use super::tags::{FinalBoard, TagError, Tags};
use crate::position::Position;
use crate::side::{BySide, Side};
use crate::types::Move;

/// Builds a [`Record`] from plies, comments and variations in the order of the text. Each of them
/// is checked; a refused one changes nothing.
///
/// ```
/// use kalah::{Move, House, Side};
/// use kalah::record::{RecordBuilder, Tags, Turn};
///
/// let sow = |number| Move::Sow(House::new(number).expect("from 1 to 26"));
/// let mut builder = RecordBuilder::new(Tags::new())?;
/// builder.play(sow(1))?;
/// builder.comment("C gives a bonus turn")?;
/// builder.begin_variation(Turn { number: 1, side: Side::South })?;
/// builder.play(sow(3))?;
/// builder.play(sow(6))?;
/// builder.end_variation()?;
/// builder.play(sow(2))?;
/// let record = builder.finish()?;
/// assert_eq!(record.to_string(), "1. A { C gives a bonus turn } ( 1. CF ) 1... b *\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecordBuilder {
    tags: Tags,
    entries: Vec<RecordEntry>,
    main_line: OpenLine,
    /// The variations that have begun and not ended, each within the one before.
    open_variations: Vec<OpenLine>,
}

/// The main line or a variation up to the current ply.
#[derive(Clone, Debug)]
struct OpenLine {
    /// The first turn; sides alternate from there on.
    first: Turn,
    /// The position at the beginning of each turn that has a ply.
    turn_starts: Vec<Position>,
    /// The last turn of each side that has a ply.
    last_turns: BySide<Option<Turn>>,
    /// The turn of the next ply.
    turn: Turn,
    /// Whether the next ply is the first of its turn.
    at_turn_start: bool,
    /// The current position.
    position: Position,
}

impl OpenLine {
    fn new(first: Turn, position: Position) -> Self {
        Self {
            first,
            turn_starts: Vec::new(),
            last_turns: BySide::default(),
            turn: first,
            at_turn_start: true,
            position,
        }
    }

    fn play(&mut self, mv: Move) -> Result<(), MovetextError> {
        let turn = self.turn;
        let before = self.at_turn_start.then(|| self.position.clone());
        self.position
            .play(mv)
            .map_err(|reason| MovetextError::Illegal { turn, mv, reason })?;
        if let Some(before) = before {
            self.turn_starts.push(before);
            self.last_turns[turn.side] = Some(turn);
        }
        // A swap leaves the same side to move, so its turn continues.
        self.at_turn_start = self.position.to_move() != turn.side;
        if self.at_turn_start {
            self.turn = turn.next();
        }
        Ok(())
    }

    /// Returns the position at the beginning of `turn`, which must not be later than the turn that
    /// is about to begin.
    fn position_at(&self, turn: Turn) -> Result<&Position, MovetextError> {
        let latest = self
            .last_turn()
            .ok_or(MovetextError::VariationBeforeFirstPly)?;
        let about_to_begin = self.at_turn_start && !self.position.is_over();
        let last = if about_to_begin { self.turn } else { latest };
        let begun = turn
            .turns_after(self.first)
            .and_then(|index| self.turn_starts.get(index));
        let now = (about_to_begin && turn == self.turn).then_some(&self.position);
        begun.or(now).ok_or(MovetextError::NoSuchTurn {
            turn,
            first: self.first,
            last,
        })
    }

    /// Returns the last turn that has a ply.
    fn last_turn(&self) -> Option<Turn> {
        self.last_turns.south.max(self.last_turns.north)
    }
}

impl RecordBuilder {
    /// Creates a builder for a game that starts as the tags `Rules` and `Position` say.
    /// [`Tags::from_start`] creates these two tags.
    ///
    /// # Errors
    /// The error of either of these two tags. [`RecordBuilder::finish`] checks the others.
    pub fn new(tags: Tags) -> Result<Self, TagError> {
        let start = tags.start()?;
        let first = Turn {
            number: 1,
            side: start.to_move(),
        };
        Ok(Self {
            tags,
            entries: Vec::new(),
            main_line: OpenLine::new(first, start),
            open_variations: Vec::new(),
        })
    }

    fn current_line(&self) -> &OpenLine {
        self.open_variations.last().unwrap_or(&self.main_line)
    }

    /// Returns the current position of the innermost open variation, or of the main line.
    pub fn position(&self) -> &Position {
        &self.current_line().position
    }

    /// Returns the turn to which the next ply belongs.
    pub fn turn(&self) -> Turn {
        self.current_line().turn
    }

    /// Returns the number of open variations, each within the one before.
    pub fn depth(&self) -> usize {
        self.open_variations.len()
    }

    /// Returns whether the main line has any plies.
    pub(super) fn has_plies(&self) -> bool {
        !self.main_line.turn_starts.is_empty()
    }

    /// Makes a move of the side to move.
    ///
    /// # Errors
    /// [`MovetextError::Illegal`].
    pub fn play(&mut self, mv: Move) -> Result<(), MovetextError> {
        let line = self
            .open_variations
            .last_mut()
            .unwrap_or(&mut self.main_line);
        let turn = line.turn;
        line.play(mv)?;
        self.entries.push(RecordEntry::Ply { turn, mv });
        Ok(())
    }

    /// Adds a comment on the entry before it. White space around it is removed, and `\r\n` and `\r`
    /// become `\n`.
    ///
    /// # Errors
    /// [`MovetextError::BraceInComment`], as `}` would end the comment.
    pub fn comment(&mut self, text: &str) -> Result<(), MovetextError> {
        if text.contains('}') {
            return Err(MovetextError::BraceInComment);
        }
        let text = text.trim();
        let text = if text.contains('\r') {
            text.replace("\r\n", "\n").replace('\r', "\n")
        } else {
            text.to_owned()
        };
        self.entries.push(RecordEntry::Comment(text));
        Ok(())
    }

    /// Begins a variation. Its plies are made from the beginning of `turn`, a turn of the line
    /// around the variation up to the turn that is about to begin.
    ///
    /// # Errors
    /// [`MovetextError::VariationBeforeFirstPly`], [`MovetextError::NoSuchTurn`], and
    /// [`MovetextError::TooDeep`] if [`MAX_VARIATION_DEPTH`] variations are open.
    pub fn begin_variation(&mut self, turn: Turn) -> Result<(), MovetextError> {
        let position = self.current_line().position_at(turn)?.clone();
        if self.open_variations.len() == MAX_VARIATION_DEPTH {
            return Err(MovetextError::TooDeep);
        }
        self.open_variations.push(OpenLine::new(turn, position));
        self.entries.push(RecordEntry::BeginVariation(turn));
        Ok(())
    }

    /// Ends the innermost open variation; the line around it continues where it was left.
    ///
    /// # Errors
    /// [`MovetextError::NoOpenVariation`] and [`MovetextError::EmptyVariation`].
    pub fn end_variation(&mut self) -> Result<(), MovetextError> {
        match self.open_variations.last() {
            None => Err(MovetextError::NoOpenVariation),
            Some(line) if line.turn_starts.is_empty() => Err(MovetextError::EmptyVariation),
            Some(_) => {
                self.open_variations.pop();
                self.entries.push(RecordEntry::EndVariation);
                Ok(())
            }
        }
    }

    /// Adds any entry, for copies of a record with changes. The turn of a ply is determined anew.
    ///
    /// # Errors
    /// Those of the method for the kind of entry.
    pub fn push(&mut self, entry: &RecordEntry) -> Result<(), MovetextError> {
        match entry {
            RecordEntry::Ply { mv, .. } => self.play(*mv),
            RecordEntry::Comment(text) => self.comment(text),
            RecordEntry::BeginVariation(turn) => self.begin_variation(*turn),
            RecordEntry::EndVariation => self.end_variation(),
        }
    }

    /// Ends all open variations and returns the record.
    ///
    /// # Errors
    /// If an open variation has no plies, or if `Result`, `Termination` or `Winner` is invalid or
    /// contradicts the board, see [the module](super).
    pub fn finish(mut self) -> Result<Record, RecordProblem> {
        while !self.open_variations.is_empty() {
            self.end_variation()?;
        }
        let board = self.final_board();
        let ending = self.tags.resolve_ending(board)?;
        self.entries.shrink_to_fit();
        Ok(Record::from_checked(self.tags, self.entries, ending))
    }

    /// Checks the token that closes the moves, see [`Tags::close`].
    pub(super) fn close(&mut self, token: &str) -> Result<(), TagError> {
        let board = self.final_board();
        self.tags.close(token, board)
    }

    fn final_board(&self) -> FinalBoard {
        let position = &self.main_line.position;
        FinalBoard {
            seeds: position.total(),
            outcome: position.outcome(),
        }
    }

    /// Returns the turn with which a variation begins that stands here without a turn number.
    pub(super) fn variation_turn(
        &self,
        begins_with: VariationStart,
    ) -> Result<Turn, MovetextError> {
        let line = self.current_line();
        let latest = line
            .last_turn()
            .ok_or(MovetextError::VariationBeforeFirstPly)?;
        match begins_with {
            VariationStart::Sowing(side) => {
                line.last_turns[side].ok_or(MovetextError::SideHasNotMoved(side))
            }
            // A game has one turn at most that can be a swap: its first or its second one.
            VariationStart::Swap => Ok([line.first, line.first.next()]
                .into_iter()
                .zip(&line.turn_starts)
                .find(|(_, position)| position.can_swap())
                .map_or(latest, |(turn, _)| turn)),
        }
    }
}

/// The first ply of a variation without a turn number.
#[derive(Clone, Copy)]
pub(super) enum VariationStart {
    /// A letter, whose case names the side.
    Sowing(Side),
    /// `swap`, which names no side.
    Swap,
}
