use std::fmt::{self, Write as _};

use super::ending::result;
use super::{Entry, Record, Turn};
use crate::Choice;

/// Lines of moves have at most so many characters, but for comments.
const WIDTH: usize = 80;
/// The word for the swap, which no sowings may look like.
pub(super) const SWAP: &str = "swap";

/// The text of the record, to be read back to the same one: its tags, an empty line, and its moves.
/// It ends with the end of a line, so that records may be written one after another.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.tags().is_empty() {
            writeln!(f, "{}", self.tags())?;
        }
        let mut moves = Moves {
            out: f,
            column: 0,
            word: String::new(),
            latest: vec![None],
            after_ply: false,
        };
        for entry in self.entries() {
            moves.entry(entry)?;
        }
        moves.end_word()?;
        moves.token(&result(self.ending.outcome))?;
        f.write_str("\n")
    }
}

/// The moves of a record as far as they are written.
struct Moves<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    /// Characters in the last line.
    column: usize,
    /// The letters of the last turn that are not written yet.
    word: String,
    /// The turn of the last ply of each line that is open, the main line first.
    latest: Vec<Option<Turn>>,
    /// Whether a ply was the last thing.
    after_ply: bool,
}

impl Moves<'_, '_> {
    fn entry(&mut self, entry: &Entry) -> fmt::Result {
        match entry {
            Entry::Ply { turn, choice } => self.ply(*turn, *choice)?,
            Entry::Comment(text) => {
                self.end_word()?;
                self.token(&match text.as_str() {
                    "" => "{}".to_owned(),
                    _ => format!("{{ {text} }}"),
                })?;
            }
            Entry::Begin(_) => {
                self.end_word()?;
                self.token("(")?;
                self.latest.push(None);
            }
            Entry::End => {
                self.end_word()?;
                self.token(")")?;
                self.latest.pop();
            }
        }
        self.after_ply = matches!(entry, Entry::Ply { .. });
        Ok(())
    }

    fn ply(&mut self, turn: Turn, choice: Choice) -> fmt::Result {
        let latest = self
            .latest
            .last_mut()
            .and_then(|latest| latest.replace(turn));
        if latest != Some(turn) {
            self.end_word()?;
            if turn.side == crate::Side::South || !self.after_ply {
                self.token(&turn.to_string())?;
            }
        }
        match choice {
            Choice::Sow(house) => self.word.push(house.letter(turn.side)),
            Choice::Swap => {
                self.end_word()?;
                self.token(SWAP)?;
            }
        }
        Ok(())
    }

    /// Writes the letters of a turn.
    fn end_word(&mut self) -> fmt::Result {
        let word = std::mem::take(&mut self.word);
        let mut rest = word.as_str();
        while !rest.is_empty() {
            // Nothing obliges a turn to be one token.
            let (token, after) = match rest.split_at(rest.len().min(WIDTH)) {
                (SWAP, _) => rest.split_at(1),
                parts => parts,
            };
            self.token(token)?;
            rest = after;
        }
        Ok(())
    }

    /// Writes something that is never broken, in this line or, where it does not fit, in the next.
    fn token(&mut self, token: &str) -> fmt::Result {
        let length = |line: &str| line.chars().count();
        let (first_line, last_line) = match (token.split_once('\n'), token.rsplit_once('\n')) {
            (Some((first, _)), Some((_, last))) => (length(first), Some(length(last))),
            _ => (length(token), None),
        };
        if self.column > 0 {
            if self.column + 1 + first_line > WIDTH {
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
