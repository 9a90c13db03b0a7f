use std::collections::BTreeSet;

use super::builder::Beginning;
use super::ending::check_result;
use super::lexer::{Lexer, Misplaced, Token, TokenKind};
use super::{LineError, Record, RecordBuilder, RecordError, RecordProblem, TagError, Tags, Turn};
use crate::{Choice, House, IllegalChoice};

/// Where what each tag says begins, in bytes.
type Places<'a> = Vec<(&'a str, usize)>;

/// Reads the games of a text one after another.
pub(super) struct Reader<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// Read ahead: the token that did not belong to the game before.
    ahead: Option<Token<'a>>,
    /// How many games have been begun.
    games: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            lexer: Lexer::new(text),
            ahead: None,
            games: 0,
        }
    }

    /// The next game, `None` if there are no more.
    pub(super) fn next_game(&mut self) -> Result<Option<Record>, RecordError> {
        self.games += 1;
        self.game().map_err(|misplaced| self.error(misplaced))
    }

    /// That the text ends where the last game ended.
    pub(super) fn end(&mut self) -> Result<(), RecordError> {
        self.games += 1;
        match self.next() {
            Ok(None) => Ok(()),
            Ok(Some(token)) => Err(self.error((token.at, RecordProblem::SecondGame))),
            Err(misplaced) => Err(self.error(misplaced)),
        }
    }

    pub(super) fn error(&self, (at, problem): Misplaced) -> RecordError {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        // A byte order mark at the beginning is not seen by anybody who counts columns.
        let line = before[line_start..].trim_start_matches('\u{feff}');
        RecordError {
            game: self.games,
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
            problem,
        }
    }

    fn next(&mut self) -> Result<Option<Token<'a>>, Misplaced> {
        match self.ahead.take() {
            Some(token) => Ok(Some(token)),
            None => self.lexer.next(),
        }
    }

    fn game(&mut self) -> Result<Option<Record>, Misplaced> {
        let Some(first) = self.next()? else {
            return Ok(None);
        };
        let at = first.at;
        self.ahead = Some(first);
        let (tags, places) = self.tags()?;
        // What is wrong with a tag is found when all are known.
        let place = |error: &TagError| {
            let named = places.iter().find(|(name, _)| error.tag() == Some(name));
            named.map_or(at, |&(_, place)| place)
        };
        let builder = RecordBuilder::new(tags).map_err(|error| (place(&error), error.into()))?;
        let mut moves = Moves {
            builder,
            opened: Vec::new(),
            unplaced: None,
        };
        let after = loop {
            match self.next()? {
                Some(token) => {
                    if let Some(token) = moves.read(token)? {
                        break Some(token);
                    }
                }
                None => break None,
            }
        };
        let closing = match after {
            Some(Token {
                at,
                kind: TokenKind::Result(text),
            }) => Some((at, text)),
            next_game => {
                self.ahead = next_game;
                None
            }
        };
        if let Some(&opening) = moves.opened.last() {
            return Err((opening, RecordProblem::UnclosedVariation));
        }
        let builder = moves.builder;
        match closing {
            Some((at, text)) => check_result(text, builder.position().outcome())
                .map_err(|error| (at, error.into()))?,
            None if !builder.has_plies() => return Err((at, RecordProblem::Unclosed)),
            None => {}
        }
        match builder.finish() {
            Ok(record) => Ok(Some(record)),
            Err(RecordProblem::Tag(error)) => Err((place(&error), error.into())),
            Err(problem) => Err((at, problem)),
        }
    }

    /// The tag section, and where each tag's value is.
    fn tags(&mut self) -> Result<(Tags, Places<'a>), Misplaced> {
        let (mut pairs, mut places) = (Vec::new(), Vec::new());
        // There may be very many.
        let mut names = BTreeSet::new();
        loop {
            match self.next()? {
                Some(Token {
                    at,
                    kind: TokenKind::Tag(name, value_at, value),
                }) => {
                    if !names.insert(name) {
                        return Err((at, TagError::Repeated(name.to_owned()).into()));
                    }
                    pairs.push((name.to_owned(), value));
                    places.push((name, value_at));
                }
                other => {
                    self.ahead = other;
                    return Ok((Tags::from_checked(pairs), places));
                }
            }
        }
    }
}

/// The moves of a game as far as they are read.
struct Moves<'a> {
    builder: RecordBuilder,
    /// Where the variations that are open began, in bytes.
    opened: Vec<usize>,
    /// Comments of the innermost of them, if it is not known yet which turn it begins with.
    unplaced: Option<Vec<&'a str>>,
}

impl<'a> Moves<'a> {
    /// Takes the next token, or gives it back if it belongs to no moves and so ends them.
    fn read(&mut self, token: Token<'a>) -> Result<Option<Token<'a>>, Misplaced> {
        let at = token.at;
        let here = |error: LineError| (at, error.into());
        match token.kind {
            TokenKind::Comment(text) => match &mut self.unplaced {
                Some(comments) => comments.push(text),
                None => self.builder.comment(text).map_err(here)?,
            },
            TokenKind::Open if self.unplaced.is_some() => {
                return Err(here(LineError::NothingToVary));
            }
            TokenKind::Open => {
                self.opened.push(at);
                self.unplaced = Some(Vec::new());
            }
            TokenKind::Close => {
                let opening = self.opened.pop();
                let opening = opening.ok_or_else(|| here(LineError::NoVariation))?;
                if self.unplaced.is_some() {
                    return Err((opening, LineError::EmptyVariation.into()));
                }
                self.builder
                    .end()
                    .map_err(|error| (opening, error.into()))?;
            }
            TokenKind::Number(found) => {
                let expected = self.builder.turn();
                let begins_variation = self.place(at, |_| Ok(found))?;
                // After the end of the game no turn is due, and what follows is the mistake.
                let is_due = found == expected || self.builder.position().is_over();
                if !begins_variation && !is_due {
                    return Err((at, RecordProblem::WrongNumber { expected, found }));
                }
            }
            TokenKind::Word("swap") => {
                self.place(at, |builder| builder.varied_turn(Beginning::Swap))?;
                self.builder.play(Choice::Swap).map_err(here)?;
            }
            TokenKind::Word(word) => {
                for (index, letter) in word.char_indices() {
                    self.letter(at + index, letter)?;
                }
            }
            TokenKind::Tag(..) | TokenKind::Result(_) => return Ok(Some(token)),
        }
        Ok(None)
    }

    /// If a variation is waiting for it: begins it with the turn that `turn` finds.
    fn place(
        &mut self,
        at: usize,
        turn: impl FnOnce(&RecordBuilder) -> Result<Turn, LineError>,
    ) -> Result<bool, Misplaced> {
        let Some(comments) = self.unplaced.take() else {
            return Ok(false);
        };
        let opening = self.opened.last().copied().unwrap_or(at);
        let here = |error| match error {
            LineError::TooDeep | LineError::NothingToVary => (opening, error.into()),
            _ => (at, error.into()),
        };
        let turn = turn(&self.builder).map_err(here)?;
        self.builder.begin(turn).map_err(here)?;
        for comment in comments {
            self.builder.comment(comment).map_err(here)?;
        }
        Ok(true)
    }

    fn letter(&mut self, at: usize, letter: char) -> Result<(), Misplaced> {
        let Some((side, house)) = House::from_letter(letter) else {
            return Err((at, RecordProblem::Character(letter)));
        };
        self.place(at, |builder| builder.varied_turn(Beginning::Sowing(side)))?;
        let turn = self.builder.turn();
        let choice = Choice::Sow(house);
        if self.builder.position().is_over() {
            let error = LineError::Illegal {
                turn: if side == turn.side { turn } else { turn.next() },
                choice,
                reason: IllegalChoice::GameOver,
            };
            return Err((at, error.into()));
        }
        if side != turn.side {
            return Err((at, RecordProblem::WrongSide { turn, letter }));
        }
        self.builder
            .play(choice)
            .map_err(|error| (at, error.into()))
    }
}
