use thiserror::Error;

use crate::finished_game::{FinishedGame, FinishedGameError};
use crate::schedule::Results;

/// Finished games as JSON lines, in the order in which they were finished: what a tournament is resumed from.
///
/// A writer appends one line at a time and waits for the disk. If it is killed while it does so, the last line is
/// torn; that one game is lost, and [`Journal::tail`] says so, and where to go on writing.
///
/// ```
/// use kalah_arena::{Journal, Tail};
/// let line = r#"{"pair":0,"round":0,"leg":"first","south":{"contestant":0,"name":"one","thought":{"choices":2,"total_ms":12,"longest_ms":9}},"north":{"contestant":1,"name":"two","thought":{"choices":1,"total_ms":7,"longest_ms":7}},"rules":"cs32","position":"6x4","opening_plies":2,"moves":"CF","end":{"how":"time-loss","by":"north","late_ms":120}}"#;
/// let journal = Journal::read(format!("{line}\n{}", &line[..40]).as_bytes())?;
/// assert_eq!(journal.games().len(), 1);
/// assert_eq!(journal.tail(), Tail::Torn { whole: line.len() as u64 + 1 });
/// assert!(journal.results().is_finished(0, kalah_arena::Leg::First));
/// # Ok::<(), kalah_arena::JournalError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    games: Vec<FinishedGame>,
    results: Results,
    tail: JournalTail,
}

/// How a journal ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalTail {
    /// With a whole line: go on at the end.
    Complete,
    /// With a whole line, but for the character that ends it: write that first.
    MissingNewline,
    /// With a part of a line: cut the file to so many bytes, which are whole lines.
    Truncated {
        /// How many bytes are whole lines.
        complete_bytes: u64,
    },
}

/// Why something is no journal: a line that was written whole is wrong.
#[derive(Debug, Error)]
#[error("line {line}: {problem}")]
pub struct JournalError {
    /// Which, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: JournalProblem,
}

/// What is wrong with a line.
#[derive(Debug, Error)]
pub enum JournalProblem {
    /// It is no finished game.
    #[error("no finished game: {0}")]
    InvalidGame(#[from] serde_json::Error),
    /// The game was there already, or its pair as that of others.
    #[error("pair {pair} is there already, as this game or with other players")]
    Duplicate {
        /// The number of the pair, from 0.
        pair: usize,
    },
}

impl Journal {
    /// Reads what is whole.
    ///
    /// # Errors
    /// The first whole line that is no finished game, or the same once more. Only the last line can be torn.
    pub fn parse(bytes: &[u8]) -> Result<Self, JournalError> {
        let mut journal = Self {
            games: Vec::new(),
            results: Results::default(),
            tail: JournalTail::Complete,
        };
        let mut whole = 0;
        for (line, text) in (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n')) {
            let game = serde_json::from_slice(text);
            match game {
                Ok(game) => journal.add(line, game)?,
                Err(_) if !text.ends_with(b"\n") => {
                    journal.tail = JournalTail::Truncated {
                        complete_bytes: whole,
                    };
                    return Ok(journal);
                }
                Err(reason) => {
                    let problem = reason.into();
                    return Err(JournalError { line, problem });
                }
            }
            if !text.ends_with(b"\n") {
                journal.tail = JournalTail::MissingNewline;
            }
            whole += text.len() as u64;
        }
        Ok(journal)
    }

    fn add(&mut self, line: usize, game: FinishedGame) -> Result<(), JournalError> {
        if !self.results.add_game(&game) {
            let pair = game.encounter.pair;
            let problem = JournalProblem::Duplicate { pair };
            return Err(JournalError { line, problem });
        }
        self.games.push(game);
        Ok(())
    }

    /// The line of a game, with the character that ends it: to be written in one go.
    ///
    /// # Errors
    /// If the game does not fit together, see [`FinishedGame::check`], and could not be read again.
    pub fn format_line(game: &FinishedGame) -> Result<String, FinishedGameError> {
        game.check()?;
        let mut line = serde_json::to_string(game)
            .unwrap_or_else(|error| unreachable!("numbers and texts are JSON: {error}"));
        line.push('\n');
        Ok(line)
    }

    /// The games, in the order of the lines.
    pub fn games(&self) -> &[FinishedGame] {
        &self.games
    }

    /// The same, counted.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// How it ends.
    pub fn tail(&self) -> JournalTail {
        self.tail
    }
}
