//! The parser of records, and the lexer that splits their text into tokens.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::iter;
use std::str::FromStr;

use super::builder::{RecordBuilder, VariationStart};
use super::document::{Record, Turn};
use super::error::{MovetextError, RecordError, RecordProblem};
use super::tags::{TagError, Tags, is_tag_name_byte};
use crate::byte_order_mark::BYTE_ORDER_MARK;
use crate::side::Side;
use crate::types::{House, IllegalMove, Move};

impl Record {
    /// Parses the games of a text, none if it is empty.
    ///
    /// # Errors
    /// The first error and its location.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, RecordError> {
        Self::parse_each(text).collect()
    }

    /// Parses the games of a text one after another. An error, with its location, belongs to one
    /// game, and does not affect the others.
    ///
    /// A game with an error ends with its closing token, or before the tags of the next game. These
    /// are at the latest the first tags after an empty line behind moves, so that a comment without
    /// its end hides no further game.
    ///
    /// ```
    /// use kalah::record::Record;
    /// let games: Vec<_> = Record::parse_each("1. A a * 1. A z * 1. C D *").collect();
    /// assert!(games[0].is_ok() && games[1].is_err() && games[2].is_ok());
    /// assert_eq!(games.len(), 3);
    /// ```
    pub fn parse_each(text: &str) -> impl Iterator<Item = Result<Self, RecordError>> {
        let mut parser = RecordParser::new(text, Origin::default());
        iter::from_fn(move || parser.next_game().transpose())
    }
}

/// Parses a text with exactly one game; [`Record::parse_all`] parses any number.
impl FromStr for Record {
    type Err = RecordError;

    fn from_str(text: &str) -> Result<Self, RecordError> {
        let mut parser = RecordParser::new(text, Origin::default());
        let Some(record) = parser.next_game()? else {
            return Err(parser.locate_error((0, RecordProblem::NoGame)));
        };
        parser.expect_end()?;
        Ok(record)
    }
}

/// An error and its offset in bytes.
type LocatedProblem = (usize, RecordProblem);

/// The name of each tag and the offset of its value, in bytes.
type TagOffsets<'a> = Vec<(&'a str, usize)>;

/// The place of a text in the file that it is a part of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Origin {
    /// The number of games before it.
    pub(super) games: usize,
    /// The number of line ends before it.
    pub(super) lines: usize,
    /// The number of characters before it in its first line.
    pub(super) columns: usize,
}

impl Origin {
    /// Returns the place after `text`, which has one game.
    pub(super) fn after_game(self, text: &str) -> Self {
        Self {
            games: self.games + 1,
            ..self.after(text)
        }
    }

    /// Returns the place after `text`, which belongs to the same game.
    fn after(self, text: &str) -> Self {
        let (lines, columns, rest) = match text.rsplit_once('\n') {
            Some((before, rest)) => (before.matches('\n').count() + 1, 0, rest),
            None => (0, self.columns, text),
        };
        // Editors do not count a byte order mark at the start of a line as a column.
        let counted = match columns {
            0 => rest.trim_start_matches(BYTE_ORDER_MARK),
            _ => rest,
        };
        Self {
            lines: self.lines + lines,
            columns: columns + counted.chars().count(),
            ..self
        }
    }
}

/// The part of a game that a parser has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GamePart {
    Tags,
    /// The moves, which begin at this offset.
    Moves(usize),
    /// The end: the closing token is consumed, or the first token of the next game is peeked.
    End,
}

/// Parses the games of a text one after another.
pub(super) struct RecordParser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// The token after the previous game, which belongs to the next one.
    peeked: Option<RecordToken<'a>>,
    /// The number of games begun.
    games: usize,
    /// The offset from which the current game is read.
    game_at: usize,
    /// The offset and the place of the last game with an error. Lines are counted from there, so
    /// that each is counted once for the errors of many games.
    counted: (usize, Origin),
    /// The part of the current game.
    part: GamePart,
    /// An offset of the first tags after an empty line, as [`Self::tags_after_empty_line`] found it
    /// last.
    next_tags: usize,
}

impl<'a> RecordParser<'a> {
    pub(super) fn new(text: &'a str, origin: Origin) -> Self {
        Self {
            text,
            lexer: Lexer::new(text),
            peeked: None,
            games: origin.games,
            game_at: 0,
            counted: (0, origin),
            part: GamePart::End,
            next_tags: 0,
        }
    }

    /// Parses the next game, `None` if there are no more. After an error, the next call parses the
    /// game after the one with the error.
    pub(super) fn next_game(&mut self) -> Result<Option<Record>, RecordError> {
        self.games += 1;
        self.game_at = self.next_offset();
        self.part = GamePart::Tags;
        self.read_game().map_err(|misplaced| {
            self.skip_game();
            let tags = Self::new(&self.text[self.game_at..], Origin::default()).read_tags();
            RecordError {
                tags: Box::new(tags.map_or_else(|_| Tags::default(), |(tags, _)| tags)),
                ..self.locate_error(misplaced)
            }
        })
    }

    /// Returns whether a longer text that begins with this one can have another last game.
    pub(super) fn has_reached_end(&self) -> bool {
        self.lexer.has_reached_end.get()
    }

    /// Returns the text behind the last game.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.next_offset()..]
    }

    /// Returns the offset of the next token, or one before it.
    fn next_offset(&self) -> usize {
        let next = self.peeked.as_ref();
        next.map_or(self.lexer.offset, |token| token.offset)
    }

    /// Skips the rest of a game with an error.
    fn skip_game(&mut self) {
        let moves_at = match self.part {
            GamePart::Tags => self.lexer.offset,
            GamePart::Moves(at) => at,
            GamePart::End => return,
        };
        let next_tags = self.tags_after_empty_line(moves_at);
        while self.lexer.offset < next_tags {
            match (self.next(), self.part) {
                (Ok(None), _) => break,
                (Ok(Some(token)), part) => match token.kind {
                    TokenKind::Result(_) => return,
                    TokenKind::Tag(..) if part == GamePart::Tags => {}
                    TokenKind::Tag(..) => {
                        self.peeked = Some(token);
                        return;
                    }
                    _ => self.part = GamePart::Moves(token.offset),
                },
                // The rest of a tag has no tokens.
                (Err(_), GamePart::Tags) if self.lexer.peek() == Some('[') => {
                    self.lexer.skip_line();
                }
                (Err(_), _) => {
                    self.part = GamePart::Moves(self.lexer.offset);
                    self.lexer.skip_char();
                }
            }
        }
        if self.lexer.offset >= next_tags {
            self.lexer.offset = next_tags;
            self.peeked = None;
            // Notes whether the text ends here.
            self.lexer.peek();
        }
    }

    /// Returns the offset of the first line behind an offset that begins with a tag and follows an
    /// empty line, or the length of the text.
    fn tags_after_empty_line(&mut self, at: usize) -> usize {
        if self.next_tags > at {
            return self.next_tags;
        }
        let mut offset = at;
        let mut is_after_empty_line = false;
        self.next_tags = self.text.len();
        for (index, line) in self.text[at..].split_inclusive('\n').enumerate() {
            let content = line.trim();
            if is_after_empty_line && content.starts_with('[') {
                self.next_tags = offset;
                break;
            }
            // The first line begins in the middle.
            is_after_empty_line = index > 0 && content.is_empty();
            offset += line.len();
        }
        self.next_tags
    }

    /// Checks that the text ends after the last game.
    fn expect_end(&mut self) -> Result<(), RecordError> {
        self.games += 1;
        match self.next() {
            Ok(None) => Ok(()),
            Ok(Some(token)) => Err(self.locate_error((token.offset, RecordProblem::SecondGame))),
            Err(misplaced) => Err(self.locate_error(misplaced)),
        }
    }

    fn locate_error(&mut self, (at, problem): LocatedProblem) -> RecordError {
        let (counted, place) = self.counted;
        let game_place = place.after(&self.text[counted..self.game_at]);
        self.counted = (self.game_at, game_place);
        let Origin { lines, columns, .. } = game_place.after(&self.text[self.game_at..at]);
        RecordError {
            game: self.games,
            line: lines + 1,
            column: columns + 1,
            problem,
            tags: Box::default(),
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
        let moves_at = self.peeked.as_ref().map(|token| token.offset);
        self.part = GamePart::Moves(moves_at.unwrap_or(self.lexer.offset));
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
        self.part = GamePart::End;
        if let Some(&opening) = moves.variation_offsets.last() {
            return Err((opening, RecordProblem::UnclosedVariation));
        }
        let mut builder = moves.builder;
        match closing {
            Some((at, token)) => builder.close(token).map_err(|error| (at, error.into()))?,
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

/// A token and its offset in bytes.
#[derive(Clone, Debug)]
struct RecordToken<'a> {
    offset: usize,
    kind: TokenKind<'a>,
}

#[derive(Clone, Debug)]
enum TokenKind<'a> {
    /// `[Name "value"]`: the name, the offset of the value, and the value without escapes.
    Tag(&'a str, usize, String),
    /// The text between braces.
    Comment(&'a str),
    /// `(`
    Open,
    /// `)`
    Close,
    /// `3.` or `3...`
    TurnNumber(Turn),
    /// Letters: `swap` or sowings.
    Word(&'a str),
    /// `*`, or two numbers with `-` between them.
    Result(&'a str),
}

/// Splits a text into tokens.
struct Lexer<'a> {
    text: &'a str,
    offset: usize,
    /// Whether a token or the search for one has reached the end of the text.
    has_reached_end: Cell<bool>,
    /// An offset from which the text has no `}`, so that it is searched for once.
    comments_end: usize,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            offset: 0,
            has_reached_end: Cell::new(false),
            comments_end: text.len(),
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    /// Returns `found`, and notes that the text has ended if there is nothing.
    fn note_end<T>(&self, found: Option<T>) -> Option<T> {
        if found.is_none() {
            self.has_reached_end.set(true);
        }
        found
    }

    fn peek(&self) -> Option<char> {
        self.note_end(self.rest().chars().next())
    }

    /// Skips a character that is no token.
    fn skip_char(&mut self) {
        self.offset += self.peek().map_or(0, char::len_utf8);
    }

    /// Skips the rest of a line.
    fn skip_line(&mut self) {
        let line_end = self.note_end(self.rest().find('\n'));
        self.offset += line_end.unwrap_or(self.rest().len());
    }

    /// Consumes ASCII characters while `is_part` accepts them.
    fn take_while(&mut self, is_part: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        // Only ASCII is accepted, so that the end is a character boundary.
        let is_part = |byte: u8| byte.is_ascii() && is_part(byte);
        let end = self.note_end(rest.bytes().position(|byte| !is_part(byte)));
        let part = &rest[..end.unwrap_or(rest.len())];
        self.offset += part.len();
        part
    }

    fn skip_space(&mut self) {
        loop {
            self.take_while(|byte| byte.is_ascii_whitespace());
            if self.peek() != Some(BYTE_ORDER_MARK) {
                return;
            }
            self.offset += BYTE_ORDER_MARK.len_utf8();
        }
    }

    /// Returns the next token, `None` at the end of the text.
    fn next(&mut self) -> Result<Option<RecordToken<'a>>, LocatedProblem> {
        self.skip_space();
        let at = self.offset;
        let Some(first) = self.peek() else {
            return Ok(None);
        };
        let kind = match first {
            '0'..='9' => self.lex_number()?,
            'A'..='Z' | 'a'..='z' => {
                TokenKind::Word(self.take_while(|byte| byte.is_ascii_alphabetic()))
            }
            // After an error the caller can skip the tag.
            '[' => self.lex_tag().inspect_err(|_| self.offset = at)?,
            '{' => TokenKind::Comment(self.lex_comment()?),
            '(' | ')' | '*' => {
                let token = self.take_char();
                match first {
                    '(' => TokenKind::Open,
                    ')' => TokenKind::Close,
                    _ => TokenKind::Result(token),
                }
            }
            _ => return Err((at, RecordProblem::UnexpectedCharacter(first))),
        };
        Ok(Some(RecordToken { offset: at, kind }))
    }

    /// Consumes one ASCII character.
    fn take_char(&mut self) -> &'a str {
        let one = &self.rest()[..1];
        self.offset += 1;
        one
    }

    fn lex_comment(&mut self) -> Result<&'a str, LocatedProblem> {
        let at = self.offset;
        let is_open = at < self.comments_end;
        let comment = is_open.then(|| self.rest()[1..].split_once('}')).flatten();
        let Some((comment, _)) = self.note_end(comment) else {
            self.comments_end = self.comments_end.min(at);
            return Err((at, RecordProblem::UnclosedComment));
        };
        self.offset += comment.len() + "{}".len();
        Ok(comment)
    }

    /// Lexes a turn number or a result.
    fn lex_number(&mut self) -> Result<TokenKind<'a>, LocatedProblem> {
        let at = self.offset;
        let text = self.take_while(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-'));
        let problem = || (at, RecordProblem::InvalidNumber(text.to_owned()));
        let digits = text.trim_end_matches('.');
        let side = match text.len() - digits.len() {
            1 => Side::South,
            3 => Side::North,
            0 if text.contains('-') => return Ok(TokenKind::Result(text)),
            _ => return Err(problem()),
        };
        let number = digits.parse().map_err(|_| problem())?;
        Ok(TokenKind::TurnNumber(Turn { number, side }))
    }

    fn lex_tag(&mut self) -> Result<TokenKind<'a>, LocatedProblem> {
        let at = self.offset;
        self.take_char();
        self.skip_space();
        let name = self.take_while(is_tag_name_byte);
        if name.is_empty() {
            return Err(self.unexpected(RecordProblem::MissingTagName, at));
        }
        self.skip_space();
        let value_at = self.offset;
        if self.peek() != Some('"') {
            return Err(self.unexpected(RecordProblem::MissingQuote, at));
        }
        let value = self.lex_value()?;
        self.skip_space();
        if self.peek() != Some(']') {
            return Err((at, RecordProblem::UnclosedTag));
        }
        self.take_char();
        Ok(TokenKind::Tag(name, value_at, value))
    }

    /// Returns `problem` for the next character, or at the end of the text that the tag which began
    /// at `opening` is not closed.
    fn unexpected(&self, problem: fn(char) -> RecordProblem, opening: usize) -> LocatedProblem {
        match self.peek() {
            Some(found) => (self.offset, problem(found)),
            None => (opening, RecordProblem::UnclosedTag),
        }
    }

    /// Lexes the value of a tag, from quote to quote.
    fn lex_value(&mut self) -> Result<String, LocatedProblem> {
        let at = self.offset;
        let unclosed = || (at, RecordProblem::UnclosedQuote);
        self.take_char();
        let mut value = String::new();
        loop {
            let rest = self.rest();
            let special_at = self.note_end(rest.find(['"', '\\', '\n']));
            let special_at = special_at.ok_or_else(unclosed)?;
            let (plain, special) = rest.split_at(special_at);
            value.push_str(plain);
            self.offset += special_at;
            match self.take_char() {
                "\"" => return Ok(value),
                "\n" => return Err(unclosed()),
                _ => {}
            }
            let escaped = self.note_end(special[1..].chars().next());
            let escaped = escaped.ok_or_else(unclosed)?;
            value.push(match escaped {
                '"' | '\\' => escaped,
                'n' => '\n',
                'r' => '\r',
                '\n' | '\r' => return Err(unclosed()),
                _ => return Err((self.offset - 1, RecordProblem::InvalidEscape(escaped))),
            });
            self.take_char();
        }
    }
}
