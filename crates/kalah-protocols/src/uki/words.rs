use std::str::FromStr;

use super::{Expected, ParseUkiError};
use crate::Quoted;

/// What is left of a line, taken word by word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Self {
            rest: line.trim_matches(is_blank),
        }
    }

    /// The next word, which stays there.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.rest.split(is_blank).find(|word| !word.is_empty())
    }

    /// The next word.
    pub(super) fn next_token(&mut self) -> Option<&'a str> {
        let word = self.peek()?;
        self.rest = self.rest[word.len()..].trim_start_matches(is_blank);
        Some(word)
    }

    /// The next word, where there must be one.
    pub(super) fn require(&mut self, awaited: Expected) -> Result<&'a str, ParseUkiError> {
        self.next_token().ok_or(ParseUkiError::Missing(awaited))
    }

    /// Goes past a word that must be there.
    pub(super) fn require_keyword(
        &mut self,
        word: &str,
        awaited: Expected,
    ) -> Result<(), ParseUkiError> {
        match self.require(awaited)? {
            found if found == word => Ok(()),
            found => Err(unexpected(found, awaited)),
        }
    }

    /// The next word as a number.
    pub(super) fn parse_number<N: FromStr>(
        &mut self,
        awaited: Expected,
    ) -> Result<N, ParseUkiError> {
        let word = self.require(awaited)?;
        word.parse().map_err(|_| unexpected(word, awaited))
    }

    /// The next word as a number without a sign.
    pub(super) fn parse_unsigned<N: FromStr>(
        &mut self,
        awaited: Expected,
    ) -> Result<N, ParseUkiError> {
        let word = self.require(awaited)?;
        parse_unsigned(word).ok_or_else(|| unexpected(word, awaited))
    }

    /// All that is left, without blanks at its ends.
    pub(super) fn rest(self) -> &'a str {
        self.rest
    }

    /// What is left up to the first of these words, or to the end of the line, without blanks at its ends.
    pub(super) fn take_until(&mut self, ends: &[&str]) -> &'a str {
        let start = self.rest;
        while self.peek().is_some_and(|word| !ends.contains(&word)) {
            self.next_token();
        }
        start[..start.len() - self.rest.len()].trim_end_matches(is_blank)
    }

    /// That nothing is left.
    pub(super) fn expect_end(self) -> Result<(), ParseUkiError> {
        match self.peek() {
            None => Ok(()),
            Some(word) => Err(unexpected(word, Expected::EndOfLine)),
        }
    }
}

/// What parts words: blanks, tabs, and a carriage return before the end of the line.
fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n')
}

/// Digits as a number.
pub(super) fn parse_unsigned<N: FromStr>(word: &str) -> Option<N> {
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|_| digits)
}

pub(super) fn unexpected(found: &str, awaited: Expected) -> ParseUkiError {
    ParseUkiError::Unexpected {
        found: Quoted::new(found),
        expected: awaited,
    }
}

/// Puts a value where there was none.
pub(super) fn set_once<T>(
    place: &mut Option<T>,
    value: T,
    word: &str,
) -> Result<(), ParseUkiError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(ParseUkiError::Duplicate(Quoted::new(word))),
    }
}
