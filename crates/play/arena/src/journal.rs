//! The journal of a tournament: finished games as JSON lines.

use thiserror::Error;

use crate::finished_game::{FinishedGame, FinishedGameError};
use crate::schedule::Results;
use crate::seal::{Seal, SealState, SealedLine};
use kalah_parse::{JsonError, parse_json};

/// Finished games in the order in which they finished. An interrupted tournament resumes from them.
///
/// The file holds one JSON object per line. A writer appends one line at a time and syncs it to the
/// disk. If the writer is killed meanwhile, the last line may be incomplete. Only that game is
/// lost, and [`Journal::tail`] returns where to continue writing.
///
/// The last field of a line is its [`Seal`], so that a change of a finished game is found,
/// and a line that was removed, added or moved. Lines of other programs may lack it.
///
/// ```
/// use kalah_arena::{Journal, JournalTail};
/// let line = concat!(
///     r#"{"game":"1.1.1","#,
///     r#""south":{"contestant":0,"name":"one","time_control":"1s+0s","#,
///     r#""think_time":{"moves":2,"total_ms":12,"longest_ms":9}},"#,
///     r#""north":{"contestant":1,"name":"two","time_control":"1s+0s","#,
///     r#""think_time":{"moves":1,"total_ms":7,"longest_ms":7}},"#,
///     r#""rules":"cs32","position":"6x4","opening_plies":2,"moves":"CF","ply_times_ms":[],"#,
///     r#""end":{"kind":"time-loss","by":"north","late_ms":120}}"#,
/// );
/// let journal = Journal::parse(format!("{line}\n{}", &line[..40]).as_bytes())?;
/// assert_eq!(journal.games().len(), 1);
/// let complete_bytes = line.len() as u64 + 1;
/// assert_eq!(journal.tail(), JournalTail::Truncated { complete_bytes });
/// assert!(journal.results().is_finished(0, kalah_arena::Leg::First));
/// # Ok::<(), kalah_arena::JournalError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    games: Vec<FinishedGame>,
    results: Results,
    tail: JournalTail,
    seal: Seal,
    unsealed_line: Option<usize>,
}

/// The state of the end of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalTail {
    /// The last line is complete: append to the file.
    Complete,
    /// The last line is complete except for its newline: write the newline first.
    MissingNewline,
    /// The last line is incomplete: truncate the file first.
    Truncated {
        /// The length of all complete lines, in bytes.
        complete_bytes: u64,
    },
}

/// An invalid complete line of a journal.
#[derive(Debug, Error)]
#[error("line {line}: {problem}")]
pub struct JournalError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The reason.
    pub problem: JournalProblem,
}

/// The reason why a line is invalid.
#[derive(Debug, Error)]
pub enum JournalProblem {
    /// The line is not the JSON form of a valid finished game.
    #[error(
        "invalid game, {}: remove the line and all lines after it to play their games again",
        .0.in_line()
    )]
    InvalidGame(#[from] JsonError),
    /// The line is not as it was written, or not behind the line before it.
    #[error(
        "the line differs from its seal, so it was changed after the game, or lines before it were \
         removed, added or moved: remove it and all lines after it to play their games again"
    )]
    Changed,
    /// The line has no seal.
    #[error("the line has no seal: remove it and all lines after it to play their games again")]
    Unsealed,
    /// An earlier line has the same game, or the same pair for a different encounter.
    #[error("pair {} already has this game or different players", pair.saturating_add(1))]
    Duplicate {
        /// The number of the pair, from 0.
        pair: usize,
    },
}

impl Journal {
    /// Parses all complete lines.
    ///
    /// # Errors
    /// The first complete line that is invalid or a duplicate. Only the last line may be
    /// incomplete.
    pub fn parse(bytes: &[u8]) -> Result<Self, JournalError> {
        let mut journal = Self {
            games: Vec::new(),
            results: Results::default(),
            tail: JournalTail::Complete,
            seal: Seal::START,
            unsealed_line: None,
        };
        let mut complete_bytes = 0;
        for (line, text) in (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n')) {
            match journal.parse_line(line, text) {
                Ok(game) => journal.add(line, game)?,
                Err(JournalProblem::InvalidGame(_)) if !text.ends_with(b"\n") => {
                    journal.tail = JournalTail::Truncated { complete_bytes };
                    return Ok(journal);
                }
                Err(problem) => return Err(JournalError { line, problem }),
            }
            if !text.ends_with(b"\n") {
                journal.tail = JournalTail::MissingNewline;
            }
            complete_bytes += text.len() as u64;
        }
        Ok(journal)
    }

    /// Parses a line, and compares it with its seal, if it has one.
    fn parse_line(&mut self, line: usize, text: &[u8]) -> Result<FinishedGame, JournalProblem> {
        let sealed = SealedLine::split(text);
        match sealed.state(self.seal) {
            SealState::Intact(seal) => {
                let game = parse_json(sealed.object().as_bytes())?;
                self.seal = seal;
                Ok(game)
            }
            SealState::Broken(_) => Err(JournalProblem::Changed),
            SealState::Missing => {
                let game = parse_json(text.trim_ascii_end())?;
                self.unsealed_line.get_or_insert(line);
                Ok(game)
            }
        }
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

    /// Formats the line of a game, including the newline, for a single write. `seal` is that of the
    /// line before it, and becomes that of this line.
    ///
    /// # Errors
    /// If [`FinishedGame::check`] rejects the game, so that the line could not be parsed again.
    pub fn format_line(game: &FinishedGame, seal: &mut Seal) -> Result<String, FinishedGameError> {
        Ok(seal.seal(&Self::format_game(game)?) + "\n")
    }

    /// Formats a game as its line without its seal and newline.
    ///
    /// # Errors
    /// If [`FinishedGame::check`] rejects the game.
    pub(crate) fn format_game(game: &FinishedGame) -> Result<String, FinishedGameError> {
        game.check()?;
        Ok(serde_json::to_string(game)
            .unwrap_or_else(|error| unreachable!("all fields have a JSON form: {error}")))
    }

    /// Returns the games in the order of the lines.
    pub fn games(&self) -> &[FinishedGame] {
        &self.games
    }

    /// Returns the games in the order of the lines, without a copy.
    pub fn into_games(self) -> Vec<FinishedGame> {
        self.games
    }

    /// Returns the results of all games.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// Returns the seal of the last line that has one.
    pub fn seal(&self) -> Seal {
        self.seal
    }

    /// Returns the number of the first line without a seal, from 1, if there is one.
    pub fn unsealed_line(&self) -> Option<usize> {
        self.unsealed_line
    }

    /// Returns the state of the end of the journal.
    pub fn tail(&self) -> JournalTail {
        self.tail
    }
}
