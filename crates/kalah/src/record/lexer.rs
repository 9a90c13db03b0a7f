//! The tokens of the text of records.

use super::document::Turn;
use super::error::RecordProblem;
use super::tags::is_tag_name_byte;
use crate::side::Side;

/// A token and its offset in bytes.
#[derive(Clone, Debug)]
pub(super) struct RecordToken<'a> {
    pub(super) offset: usize,
    pub(super) kind: TokenKind<'a>,
}

#[derive(Clone, Debug)]
pub(super) enum TokenKind<'a> {
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

/// An error and its offset in bytes.
pub(super) type LocatedProblem = (usize, RecordProblem);

/// Splits a text into tokens.
pub(super) struct Lexer<'a> {
    text: &'a str,
    offset: usize,
}

/// Editors may write it before a text, and concatenated files have it between texts.
const BYTE_ORDER_MARK: char = '\u{feff}';

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, offset: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Consumes ASCII characters while `is_part` accepts them.
    fn take_while(&mut self, is_part: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        // Only ASCII is accepted, so that the end is a character boundary.
        let is_part = |byte: u8| byte.is_ascii() && is_part(byte);
        let end = rest.bytes().position(|byte| !is_part(byte));
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
    pub(super) fn next(&mut self) -> Result<Option<RecordToken<'a>>, LocatedProblem> {
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
            '[' => self.lex_tag()?,
            '{' => {
                let (comment, _) = self.rest()[1..]
                    .split_once('}')
                    .ok_or((at, RecordProblem::UnclosedComment))?;
                self.offset += comment.len() + "{}".len();
                TokenKind::Comment(comment)
            }
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
            let special_at = rest.find(['"', '\\', '\n']).ok_or_else(unclosed)?;
            let (plain, special) = rest.split_at(special_at);
            value.push_str(plain);
            self.offset += special_at;
            match self.take_char() {
                "\"" => return Ok(value),
                "\n" => return Err(unclosed()),
                _ => {}
            }
            let escaped = special[1..].chars().next().ok_or_else(unclosed)?;
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
