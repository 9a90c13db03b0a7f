//! The text form of openings, whose grammar is documented at [`Openings`].

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use kalah::{Margin, Position, Rules, Setup};
use thiserror::Error;

use super::book::{Opening, Openings, OpeningsProblem, parse_plies};

/// The character that begins a comment.
const COMMENT_START: char = '#';

/// The placeholder for a margin that is not proven.
const UNPROVEN: &str = "?";

/// An error in the text form of [`Openings`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct OpeningsError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The reason.
    pub problem: OpeningsProblem,
}

/// The text form, which parses to equal openings.
impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = self.start_position();
        writeln!(f, "rules {}\nboard {start}", start.rules())?;
        for opening in self.as_slice() {
            match opening.margin() {
                Some(margin) => write!(f, "{margin}")?,
                None => f.write_str(UNPROVEN)?,
            }
            let plies = opening.plies_text();
            if plies.is_empty() {
                writeln!(f)?;
            } else {
                writeln!(f, " {plies}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for Openings {
    type Err = OpeningsError;

    fn from_str(text: &str) -> Result<Self, OpeningsError> {
        let mut lines = (1..).zip(text.lines()).filter_map(|(number, line)| {
            let line = line.split(COMMENT_START).next().unwrap_or(line).trim();
            (!line.is_empty()).then_some((number, line))
        });
        let rules = parse_header_line(lines.next(), "rules", |rest| Ok(rest.parse::<Rules>()?))?;
        let start = parse_header_line(lines.next(), "board", |rest| {
            let setup: Setup = rest.parse()?;
            Ok(setup.position(rules)?)
        })?;

        let mut openings = Vec::new();
        let mut lines_by_position = HashMap::new();
        for (number, line) in lines {
            let error = |problem| OpeningsError {
                line: number,
                problem,
            };
            let opening = parse_opening(&start, line).map_err(error)?;
            if opening.game().position().is_over() {
                return Err(error(OpeningsProblem::GameOver));
            }
            let position = opening.game().position().to_string();
            if let Some(first_line) = lines_by_position.insert(position, number) {
                return Err(error(OpeningsProblem::DuplicatePosition { first_line }));
            }
            openings.push(opening);
        }
        let last_line = text.lines().count().max(1);
        Self::new(start, openings).map_err(|problem| OpeningsError {
            line: last_line,
            problem,
        })
    }
}

/// Parses a line that must begin with `name`, passing its rest to `parse`.
fn parse_header_line<T>(
    line: Option<(usize, &str)>,
    name: &'static str,
    parse: impl FnOnce(&str) -> Result<T, OpeningsProblem>,
) -> Result<T, OpeningsError> {
    let (number, line) = line.unwrap_or((1, ""));
    let problem = match line.strip_prefix(name) {
        Some(rest) if rest.starts_with(char::is_whitespace) => match parse(rest.trim()) {
            Ok(value) => return Ok(value),
            Err(problem) => problem,
        },
        _ => OpeningsProblem::MissingLine {
            name,
            found: line.to_owned(),
        },
    };
    Err(OpeningsError {
        line: number,
        problem,
    })
}

/// Parses a line without its comment, which has at least one word.
fn parse_opening(start: &Position, line: &str) -> Result<Opening, OpeningsProblem> {
    let (word, plies) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let margin = match word {
        UNPROVEN => None,
        _ => match word.parse() {
            Ok(seeds) => Some(Margin::new(seeds)),
            Err(_) => return Err(OpeningsProblem::InvalidMargin(word.to_owned())),
        },
    };
    let opening = Opening::from_game(parse_plies(start, &plies.replace('\t', " "))?);
    match margin {
        Some(margin) => opening.with_margin(margin),
        None => Ok(opening),
    }
}
