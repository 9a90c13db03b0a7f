use std::fmt;
use std::str::FromStr;

use kalah::{Margin, Position, Rules, Setup};
use thiserror::Error;

use super::book::{Opening, Openings, OpeningsProblem, parse_game};

/// What begins a comment.
const COMMENT_START: char = '#';

/// A margin that is not proven.
const UNPROVEN: &str = "?";

/// Why a text is no [`Openings`](super::Openings).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct OpeningsError {
    /// Which line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: OpeningsProblem,
}

/// `rules`, `board`, and a line for each opening; reads back.
impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "rules {}\nboard {}",
            self.start_position().rules(),
            self.start_position()
        )?;
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

        let mut all = Vec::new();
        let mut reached = std::collections::HashMap::new();
        for (number, line) in lines {
            let at = |problem| OpeningsError {
                line: number,
                problem,
            };
            let opening = parse_opening(&start, line).map_err(at)?;
            if opening.game().position().is_over() {
                return Err(at(OpeningsProblem::GameOver));
            }
            let position = opening.game().position().to_string();
            if let Some(before) = reached.insert(position, number) {
                return Err(at(OpeningsProblem::DuplicatePosition { before }));
            }
            all.push(opening);
        }
        let line = text.lines().count().max(1);
        Self::new(start, all).map_err(|problem| OpeningsError { line, problem })
    }
}

/// What `read` makes of the rest of a line that has to begin with `name`.
fn parse_header_line<T>(
    line: Option<(usize, &str)>,
    name: &'static str,
    read: impl FnOnce(&str) -> Result<T, OpeningsProblem>,
) -> Result<T, OpeningsError> {
    let (number, line) = line.unwrap_or((1, ""));
    let problem = match line.strip_prefix(name) {
        Some(rest) if rest.starts_with(char::is_whitespace) => match read(rest.trim()) {
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

/// An opening of a line without its comment, at least one word.
fn parse_opening(start: &Position, line: &str) -> Result<Opening, OpeningsProblem> {
    let (word, plies) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let margin = match word {
        UNPROVEN => None,
        _ => match word.parse() {
            Ok(seeds) => Some(Margin::new(seeds)),
            Err(_) => return Err(OpeningsProblem::InvalidMargin(word.to_owned())),
        },
    };
    let opening = Opening::from_game(parse_game(start, &plies.replace('\t', " "))?);
    match margin {
        Some(margin) => opening.with_margin(margin),
        None => Ok(opening),
    }
}
