//! The parser of records.

use std::collections::BTreeSet;
use std::str::FromStr;

use super::builder::{RecordBuilder, VariationStart};
use super::document::{Record, Turn};
use super::error::{MovetextError, RecordError, RecordProblem};
use super::lexer::{Lexer, LocatedProblem, RecordToken, TokenKind};
use super::tags::{TagError, Tags, check_result};
use crate::moves::{IllegalMove, Move};
use crate::types::House;

impl Record {
    /// Parses the games of a text, none if it is empty.
    ///
    /// # Errors
    /// The first error and its location.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, RecordError> {
        let mut reader = RecordReader::new(text);
        let mut records = Vec::new();
        while let Some(record) = reader.next_game()? {
            records.push(record);
        }
        Ok(records)
    }
}

/// Parses a text with exactly one game; [`Record::parse_all`] parses any number.
impl FromStr for Record {
    type Err = RecordError;

    fn from_str(text: &str) -> Result<Self, RecordError> {
        let mut reader = RecordReader::new(text);
        let Some(record) = reader.next_game()? else {
            return Err(reader.locate_error((0, RecordProblem::NoGame)));
        };
        reader.expect_end()?;
        Ok(record)
    }
}

/// The name of each tag and the offset of its value, in bytes.
type TagOffsets<'a> = Vec<(&'a str, usize)>;

/// Parses the games of a text one after another.
pub(super) struct RecordReader<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// The token after the previous game, which belongs to the next one.
    peeked: Option<RecordToken<'a>>,
    /// The number of games begun.
    games: usize,
}

impl<'a> RecordReader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            lexer: Lexer::new(text),
            peeked: None,
            games: 0,
        }
    }

    /// Parses the next game, `None` if there are no more.
    pub(super) fn next_game(&mut self) -> Result<Option<Record>, RecordError> {
        self.games += 1;
        self.read_game()
            .map_err(|misplaced| self.locate_error(misplaced))
    }

    /// Checks that the text ends after the last game.
    pub(super) fn expect_end(&mut self) -> Result<(), RecordError> {
        self.games += 1;
        match self.next() {
            Ok(None) => Ok(()),
            Ok(Some(token)) => Err(self.locate_error((token.offset, RecordProblem::SecondGame))),
            Err(misplaced) => Err(self.locate_error(misplaced)),
        }
    }

    pub(super) fn locate_error(&self, (at, problem): LocatedProblem) -> RecordError {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        // Editors do not count a byte order mark as a column.
        let line = before[line_start..].trim_start_matches('\u{feff}');
        RecordError {
            game: self.games,
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
            problem,
        }
    }

    fn next(&mut self) -> Result<Option<RecordToken<'a>>, LocatedProblem> {
        match self.peeked.take() {
            Some(token) => Ok(Some(token)),
            None => self.lexer.next(),
        }
    }

    fn read_game(&mut self) -> Result<Option<Record>, LocatedProblem> {
        let Some(first) = self.next()? else {
            return Ok(None);
        };
        let at = first.offset;
        self.peeked = Some(first);
        let (tags, places) = self.read_tags()?;
        // The builder checks the tags after all of them are read, and its error names the tag.
        let value_at = |error: &TagError| {
            let named = places
                .iter()
                .find(|(name, _)| error.tag_name() == Some(name));
            named.map_or(at, |&(_, value_at)| value_at)
        };
        let builder = RecordBuilder::new(tags).map_err(|error| (value_at(&error), error.into()))?;
        let mut moves = MovetextReader {
            builder,
            variation_offsets: Vec::new(),
            pending_comments: None,
        };
        let after = loop {
            match self.next()? {
                Some(token) => {
                    if let Some(token) = moves.read_token(token)? {
                        break Some(token);
                    }
                }
                None => break None,
            }
        };
        let closing = match after {
            Some(RecordToken {
                offset: at,
                kind: TokenKind::Result(text),
            }) => Some((at, text)),
            next_game => {
                self.peeked = next_game;
                None
            }
        };
        if let Some(&opening) = moves.variation_offsets.last() {
            return Err((opening, RecordProblem::UnclosedVariation));
        }
        let builder = moves.builder;
        match closing {
            Some((at, text)) => check_result(text, builder.position().outcome())
                .map_err(|error| (at, error.into()))?,
            None if !builder.has_plies() => return Err((at, RecordProblem::UnclosedGame)),
            None => {}
        }
        match builder.finish() {
            Ok(record) => Ok(Some(record)),
            Err(RecordProblem::Tag(error)) => Err((value_at(&error), error.into())),
            Err(problem) => Err((at, problem)),
        }
    }

    /// Parses the tag section and returns the offset of each value too.
    fn read_tags(&mut self) -> Result<(Tags, TagOffsets<'a>), LocatedProblem> {
        let (mut pairs, mut places) = (Vec::new(), Vec::new());
        // A set keeps the search for repeated names fast for hostile texts with many tags.
        let mut names = BTreeSet::new();
        loop {
            match self.next()? {
                Some(RecordToken {
                    offset: at,
                    kind: TokenKind::Tag(name, value_at, value),
                }) => {
                    if !names.insert(name) {
                        return Err((at, TagError::Repeated(name.to_owned()).into()));
                    }
                    pairs.push((name.to_owned(), value));
                    places.push((name, value_at));
                }
                other => {
                    self.peeked = other;
                    return Ok((Tags::from_checked(pairs), places));
                }
            }
        }
    }
}

/// The parser of the moves of one game.
struct MovetextReader<'a> {
    builder: RecordBuilder,
    /// The offsets of the open variations, in bytes.
    variation_offsets: Vec<usize>,
    /// Comments at the beginning of the innermost variation while its first turn is not known yet.
    pending_comments: Option<Vec<&'a str>>,
}

impl<'a> MovetextReader<'a> {
    /// Consumes a token, or returns it if it ends the moves.
    fn read_token(
        &mut self,
        token: RecordToken<'a>,
    ) -> Result<Option<RecordToken<'a>>, LocatedProblem> {
        let at = token.offset;
        let here = |error: MovetextError| (at, error.into());
        match token.kind {
            TokenKind::Comment(text) => match &mut self.pending_comments {
                Some(comments) => comments.push(text),
                None => self.builder.comment(text).map_err(here)?,
            },
            TokenKind::Open if self.pending_comments.is_some() => {
                return Err(here(MovetextError::VariationBeforeFirstPly));
            }
            TokenKind::Open => {
                self.variation_offsets.push(at);
                self.pending_comments = Some(Vec::new());
            }
            TokenKind::Close => {
                let opening = self.variation_offsets.pop();
                let opening = opening.ok_or_else(|| here(MovetextError::NoOpenVariation))?;
                if self.pending_comments.is_some() {
                    return Err((opening, MovetextError::EmptyVariation.into()));
                }
                self.builder
                    .end_variation()
                    .map_err(|error| (opening, error.into()))?;
            }
            TokenKind::TurnNumber(found) => {
                let expected = self.builder.turn();
                let begins_variation = self.begin_pending_variation(at, |_| Ok(found))?;
                // After the end of the game no turn is due, and the next ply is the error.
                let is_due = found == expected || self.builder.position().is_over();
                if !begins_variation && !is_due {
                    return Err((at, RecordProblem::WrongTurnNumber { expected, found }));
                }
            }
            TokenKind::Word("swap") => {
                self.begin_pending_variation(at, |builder| {
                    builder.variation_turn(VariationStart::Swap)
                })?;
                self.builder.play(Move::Swap).map_err(here)?;
            }
            TokenKind::Word(word) => {
                for (index, letter) in word.char_indices() {
                    self.read_letter(at + index, letter)?;
                }
            }
            TokenKind::Tag(..) | TokenKind::Result(_) => return Ok(Some(token)),
        }
        Ok(None)
    }

    /// Begins the pending variation, if there is one, at the turn that `turn` returns. Returns
    /// whether there was one.
    fn begin_pending_variation(
        &mut self,
        at: usize,
        turn: impl FnOnce(&RecordBuilder) -> Result<Turn, MovetextError>,
    ) -> Result<bool, LocatedProblem> {
        let Some(comments) = self.pending_comments.take() else {
            return Ok(false);
        };
        let opening = self.variation_offsets.last().copied().unwrap_or(at);
        let here = |error| match error {
            MovetextError::TooDeep | MovetextError::VariationBeforeFirstPly => {
                (opening, error.into())
            }
            _ => (at, error.into()),
        };
        let turn = turn(&self.builder).map_err(here)?;
        self.builder.begin_variation(turn).map_err(here)?;
        for comment in comments {
            self.builder.comment(comment).map_err(here)?;
        }
        Ok(true)
    }

    fn read_letter(&mut self, at: usize, letter: char) -> Result<(), LocatedProblem> {
        let Some((side, house)) = House::from_letter(letter) else {
            return Err((at, RecordProblem::UnexpectedCharacter(letter)));
        };
        self.begin_pending_variation(at, |builder| {
            builder.variation_turn(VariationStart::Sowing(side))
        })?;
        let turn = self.builder.turn();
        let mv = Move::Sow(house);
        if self.builder.position().is_over() {
            let error = MovetextError::Illegal {
                turn: if side == turn.side { turn } else { turn.next() },
                mv,
                reason: IllegalMove::GameOver,
            };
            return Err((at, error.into()));
        }
        if side != turn.side {
            return Err((at, RecordProblem::WrongSide { turn, letter }));
        }
        self.builder.play(mv).map_err(|error| (at, error.into()))
    }
}
