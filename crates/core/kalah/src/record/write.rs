//! The text of records and of lines of plies.

use std::fmt::{self, Write as _};

use super::document::{Record, RecordEntry, Turn};
use super::tags::result_text;
use crate::side::Side;
use crate::types::Move;

/// The maximum number of characters in a line of moves, except within comments.
const LINE_WIDTH: usize = 80;
/// The word of the swap, which sowings must not spell.
pub(super) const SWAP_WORD: &str = "swap";

/// The text of the record: its tags, an empty line, and its moves. Parsing it returns an equal
/// record. It ends with a line feed, so that the texts of several records can be concatenated.
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
        moves.write_token(&result_text(self.ending().outcome))?;
        f.write_str("\n")
    }
}

/// The writer of the moves of a record.
struct MovetextWriter<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    /// The number of characters in the current line.
    column: usize,
    /// The letters of the current turn that are not written yet.
    word: String,
    /// The turn of the last ply of each open line, the main line first.
    last_turns: Vec<Option<Turn>>,
    /// Whether the last entry was a ply.
    after_ply: bool,
}

impl MovetextWriter<'_, '_> {
    fn write_entry(&mut self, entry: &RecordEntry) -> fmt::Result {
        match entry {
            RecordEntry::Ply { turn, mv } => self.write_ply(*turn, *mv)?,
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

    fn write_ply(&mut self, turn: Turn, mv: Move) -> fmt::Result {
        let latest = self
            .last_turns
            .last_mut()
            .and_then(|latest| latest.replace(turn));
        if latest != Some(turn) {
            self.flush_word()?;
            if turn.side == Side::South || !self.after_ply {
                self.write_token(&turn.to_string())?;
            }
        }
        match mv {
            Move::Sow(house) => self.word.push(house.letter(turn.side)),
            Move::Swap => {
                self.flush_word()?;
                self.write_token(SWAP_WORD)?;
            }
        }
        Ok(())
    }

    /// Writes the letters of the current turn.
    fn flush_word(&mut self) -> fmt::Result {
        let word = std::mem::take(&mut self.word);
        let mut rest = word.as_str();
        while !rest.is_empty() {
            // A turn may be split into several tokens.
            let (token, after) = match rest.split_at(rest.len().min(LINE_WIDTH)) {
                (SWAP_WORD, _) => rest.split_at(1),
                parts => parts,
            };
            self.write_token(token)?;
            rest = after;
        }
        Ok(())
    }

    /// Writes a token in the current line or, where it does not fit, in the next one. A token is
    /// never broken.
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

/// Formats the plies of a line as a record writes them, without turn numbers. Each ply has its
/// side.
///
/// ```
/// use kalah::{Move, House, Side, record};
/// let sow = |side, number| (side, Move::Sow(House::new(number).expect("from 1 to 26")));
/// let line = [
///     sow(Side::South, 3),
///     sow(Side::South, 6),
///     (Side::North, Move::Swap),
///     sow(Side::North, 2),
/// ];
/// assert_eq!(record::format_plies(&line), "CF swap b");
/// ```
pub fn format_plies(plies: &[(Side, Move)]) -> String {
    let mut tokens: Vec<String> = Vec::new();
    // Sowings of one turn are joined; a swap is a token of its own.
    let together = |one: &(Side, Move), next: &(Side, Move)| {
        one.0 == next.0 && one.1 != Move::Swap && next.1 != Move::Swap
    };
    for turn in plies.chunk_by(together) {
        let letters: String = turn.iter().map(|&(side, mv)| mv.text(side)).collect();
        if letters == SWAP_WORD && turn.len() > 1 {
            // The letters of these sowings would be read as the swap.
            let (first, rest) = letters.split_at(1);
            tokens.extend([first, rest].map(str::to_owned));
        } else {
            tokens.push(letters);
        }
    }
    tokens.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;

    #[test]
    fn a_line_is_a_record_without_its_numbers() {
        for (text, plies) in [
            ("1. CF a 2. A c *", 5),
            ("[Rules \"mankalah\"]\n\n1. C swap b 2. B *", 4),
            // Sowings of one turn that spell `swap`.
            (
                "[Position \"<26,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,\
                 26,0,0,0,0,0,0,0,0,0,0,0,0,0,0,10,0,0,8,0,0,0,3,0,0,0> n\"]\n\n1... s wap *",
                4,
            ),
        ] {
            let record: Record = text.parse().unwrap();
            let game = record.game();
            let line: Vec<_> = (game.plies().iter())
                .map(|ply| (ply.side, ply.mv))
                .collect();
            assert_eq!(line.len(), plies, "{text}");
            let moves = text.rsplit('\n').next().unwrap_or(text);
            let tokens = moves.split(' ').filter(|token| !token.ends_with('.'));
            let mut tokens: Vec<&str> = tokens.collect();
            assert_eq!(tokens.pop(), Some("*"));
            assert_eq!(format_plies(&line), tokens.join(" "), "{text}");
        }
    }
}
