use std::fmt::{self, Write as _};

use super::ending::result_text;
use super::{Record, RecordEntry, Turn};
use crate::Move;

/// Lines of moves have at most so many characters, but for comments.
const LINE_WIDTH: usize = 80;
/// The word for the swap, which no sowings may look like.
pub(super) const SWAP_WORD: &str = "swap";

/// The text of the record, to be read back to the same one: its tags, an empty line, and its moves.
/// It ends with the end of a line, so that records may be written one after another.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.tags().is_empty() {
            writeln!(f, "{}", self.tags())?;
        }
        let mut moves = MovetextWriter {
            out: f,
            column: 0,
            word: String::new(),
            last_turns: vec![None],
            after_ply: false,
        };
        for entry in self.entries() {
            moves.write_entry(entry)?;
        }
        moves.flush_word()?;
        moves.write_token(&result_text(self.ending.outcome))?;
        f.write_str("\n")
    }
}

/// The moves of a record as far as they are written.
struct MovetextWriter<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    /// Characters in the last line.
    column: usize,
    /// The letters of the last turn that are not written yet.
    word: String,
    /// The turn of the last ply of each line that is open, the main line first.
    last_turns: Vec<Option<Turn>>,
    /// Whether a ply was the last thing.
    after_ply: bool,
}

impl MovetextWriter<'_, '_> {
    fn write_entry(&mut self, entry: &RecordEntry) -> fmt::Result {
        match entry {
            RecordEntry::Ply { turn, mv: choice } => self.write_ply(*turn, *choice)?,
            RecordEntry::Comment(text) => {
                self.flush_word()?;
                self.write_token(&match text.as_str() {
                    "" => "{}".to_owned(),
                    _ => format!("{{ {text} }}"),
                })?;
            }
            RecordEntry::BeginVariation(_) => {
                self.flush_word()?;
                self.write_token("(")?;
                self.last_turns.push(None);
            }
            RecordEntry::EndVariation => {
                self.flush_word()?;
                self.write_token(")")?;
                self.last_turns.pop();
            }
        }
        self.after_ply = matches!(entry, RecordEntry::Ply { .. });
        Ok(())
    }

    fn write_ply(&mut self, turn: Turn, choice: Move) -> fmt::Result {
        let latest = self
            .last_turns
            .last_mut()
            .and_then(|latest| latest.replace(turn));
        if latest != Some(turn) {
            self.flush_word()?;
            if turn.side == crate::Side::South || !self.after_ply {
                self.write_token(&turn.to_string())?;
            }
        }
        match choice {
            Move::Sow(house) => self.word.push(house.letter(turn.side)),
            Move::Swap => {
                self.flush_word()?;
                self.write_token(SWAP_WORD)?;
            }
        }
        Ok(())
    }

    /// Writes the letters of a turn.
    fn flush_word(&mut self) -> fmt::Result {
        let word = std::mem::take(&mut self.word);
        let mut rest = word.as_str();
        while !rest.is_empty() {
            // Nothing obliges a turn to be one token.
            let (token, after) = match rest.split_at(rest.len().min(LINE_WIDTH)) {
                (SWAP_WORD, _) => rest.split_at(1),
                parts => parts,
            };
            self.write_token(token)?;
            rest = after;
        }
        Ok(())
    }

    /// Writes something that is never broken, in this line or, where it does not fit, in the next.
    fn write_token(&mut self, token: &str) -> fmt::Result {
        let length = |line: &str| line.chars().count();
        let (first_line, last_line) = match (token.split_once('\n'), token.rsplit_once('\n')) {
            (Some((first, _)), Some((_, last))) => (length(first), Some(length(last))),
            _ => (length(token), None),
        };
        if self.column > 0 {
            if self.column + 1 + first_line > LINE_WIDTH {
                self.out.write_char('\n')?;
                self.column = 0;
            } else {
                self.out.write_char(' ')?;
                self.column += 1;
            }
        }
        self.out.write_str(token)?;
        self.column = last_line.unwrap_or(self.column + first_line);
        Ok(())
    }
}
