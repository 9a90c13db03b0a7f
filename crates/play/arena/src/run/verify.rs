//! Verification of a stored tournament: all games are replayed, and all adjudications proven anew.

use std::collections::HashMap;
use std::path::Path;

use kalah::{Quoted, format_count};
use kalah_players::{EngineProtocol, Shutdown};
use thiserror::Error;

use super::config::ArenaConfig;
use super::error::RunError;
use super::game_log::{GameLogError, check_log, logged_games};
use super::play::{DuePair, PairError, PairRunner};
use super::run_dir::{read_records, read_unlocked, record_text};
use crate::finished_game::FinishedGame;
use crate::game_end::GameEnd;
use crate::openings::ShuffledOpenings;
use crate::schedule::{Encounter, Leg, Results};
use crate::seal::{Seal, SealState, SealedLine};
use kalah_parse::{JsonError, parse_json};

/// The result of a verification.
#[derive(Debug)]
pub struct Verification {
    /// The number of games that were replayed.
    pub games: usize,
    /// The number of these that were adjudicated.
    pub adjudicated: usize,
    /// The number of games that are not played yet. A decided sequential test leaves some.
    pub left: u64,
    /// The seal of the tournament: of its settings and of the last line of its journal.
    pub seal: Seal,
    /// The number of lines with which the tournament had the seal that was noted, if one was given
    /// and it had it.
    pub noted_lines: Option<usize>,
    /// The differences, in the order of the files.
    pub differences: Vec<VerificationDifference>,
    /// The logs that are missing or damaged. They are no differences: the results do not depend on
    /// logs.
    pub log_faults: Vec<GameLogError>,
}

/// A difference between the files of a tournament and its games.
#[derive(Debug, Error)]
pub enum VerificationDifference {
    /// Neither the whole tournament nor its settings with some first lines have the seal that was
    /// noted.
    #[error(
        "the tournament never had the given seal {0} with its present settings: games or settings \
         were changed or games removed after it was noted, or it was resumed with other settings or \
         by another version"
    )]
    UnknownSeal(Seal),
    /// A line of the journal was changed, or is not behind the line before it.
    #[error(
        "games.jsonl, line {0}: the line differs from its seal: it was changed, or lines before it \
         were removed, added or moved"
    )]
    ChangedLine(usize),
    /// A line of the journal has no seal.
    #[error("games.jsonl, line {0}: the line has no seal")]
    UnsealedLine(usize),
    /// A line of the journal is no valid game.
    #[error(
        "games.jsonl, line {line}, {}: {}",
        reason.in_line(),
        Quoted::new(text)
    )]
    InvalidLine {
        /// The number of the line, from 1.
        line: usize,
        /// The text of the line.
        text: String,
        /// The reason.
        reason: JsonError,
    },
    /// An earlier line has the same game.
    #[error("games.jsonl, line {line}: an earlier line has game {game}")]
    Duplicate {
        /// The number of the line, from 1.
        line: usize,
        /// The number of the game.
        game: String,
    },
    /// The tournament does not have the game.
    #[error("games.jsonl, line {line}: the tournament has no game {game} of these contestants")]
    UnknownGame {
        /// The number of the line, from 1.
        line: usize,
        /// The number of the game.
        game: String,
    },
    /// A game is not the one that the tournament plays, or its end is not the proven one.
    #[error("games.jsonl, line {line}: {reason}")]
    Game {
        /// The number of the line, from 1.
        line: usize,
        /// The property in which it differs.
        reason: PairError,
    },
    /// The quoted position of an illegal move is not the last one of the game.
    #[error(
        "games.jsonl, line {line}: game {game}: the illegal move is quoted in `{quoted}`, but the \
         game ends in `{last}`"
    )]
    IllegalMovePosition {
        /// The number of the line, from 1.
        line: usize,
        /// The number of the game.
        game: String,
        /// The quoted position.
        quoted: String,
        /// The last position of the game.
        last: String,
    },
    /// The records are not those of the journal.
    #[error("games.kgn: the record of game {game} differs from games.jsonl at {found}")]
    Record {
        /// The number of the game that the journal has there.
        game: String,
        /// The text in its place, quoted.
        found: String,
    },
    /// The records have more text than the journal has games.
    #[error("games.kgn has more than the {games} of games.jsonl: it goes on with {found}")]
    ExtraRecords {
        /// The games of the journal, in words.
        games: String,
        /// The text, quoted.
        found: String,
    },
}

impl Verification {
    /// Replays all games of the tournament in a folder, whose programs speak some of `protocols`,
    /// and proves all adjudications with a table that is built for it. The folder is not changed,
    /// and no program is started. The settings with the lines up to one of them must have the seal
    /// `noted`, if it is given. A request on `shutdown` ends the build of the table.
    ///
    /// The schedule decides which games there are, their contestants and their openings. The time
    /// of moves and the faults of programs cannot be verified.
    ///
    /// # Errors
    /// If the folder has no tournament, its configuration is invalid, or a file cannot be read;
    /// [`RunError::Aborted`] after a request on `shutdown`.
    pub fn run(
        path: &Path,
        protocols: &[&'static EngineProtocol],
        noted: Option<Seal>,
        shutdown: &Shutdown,
    ) -> Result<Self, RunError> {
        // A process that plays the tournament writes the journal before the records.
        let records = match read_records(path) {
            Ok(records) => records,
            Err(error) => {
                // A folder without a tournament has an error of its own.
                read_unlocked(path, protocols)?;
                return Err(error);
            }
        };
        let (config, settings, journal) = read_unlocked(path, protocols)?;
        let planned = config.planned_games();
        let runner = PairRunner::new(config, shutdown);
        if shutdown.is_requested() {
            return Err(RunError::Aborted);
        }
        let mut verification = Self {
            games: 0,
            adjudicated: 0,
            left: planned,
            seal: Seal::of_tournament(settings, Seal::START),
            noted_lines: None,
            differences: Vec::new(),
            log_faults: Vec::new(),
        };
        let games = verification.parse_lines(&journal, settings, noted);
        if let Some(noted) = noted.filter(|_| verification.noted_lines.is_none()) {
            let difference = VerificationDifference::UnknownSeal(noted);
            verification.differences.push(difference);
        }
        verification.check_games(&runner, &games);
        let games: Vec<FinishedGame> = games.into_iter().map(|(_, game)| game).collect();
        verification.games = games.len();
        let counted = games.iter().filter(|game| runner.config().counts(game));
        verification.left = planned.saturating_sub(counted.count() as u64);
        let is_adjudicated = |game: &&FinishedGame| matches!(game.end, GameEnd::Adjudicated { .. });
        verification.adjudicated = games.iter().filter(is_adjudicated).count();
        verification.check_records(&games, &records)?;
        verification.log_faults = logged_games(runner.config(), &games)
            .filter_map(|game| check_log(path, game))
            .collect();
        Ok(verification)
    }

    /// Parses the lines of the journal, and returns the games with the numbers of their lines. Each
    /// line is compared with its seal, and the tournament up to it with the seal that was noted.
    fn parse_lines(
        &mut self,
        journal: &[u8],
        settings: Seal,
        noted: Option<Seal>,
    ) -> Vec<(usize, FinishedGame)> {
        let mut games = Vec::new();
        let mut last = Seal::START;
        if noted == Some(self.seal) {
            self.noted_lines = Some(0);
        }
        for (line, bytes) in (1..).zip(journal.split_inclusive(|&byte| byte == b'\n')) {
            let sealed = SealedLine::split(bytes);
            let game = parse_json(sealed.object().trim_ascii_end().as_bytes());
            match sealed.state(last) {
                SealState::Intact(seal) => {
                    last = seal;
                    self.seal = Seal::of_tournament(settings, last);
                    if noted == Some(self.seal) {
                        self.noted_lines = Some(line);
                    }
                }
                SealState::Broken(found) => {
                    // The lines behind it follow the seal that the line has.
                    last = found.unwrap_or(last);
                    self.differences
                        .push(VerificationDifference::ChangedLine(line));
                }
                SealState::Missing if game.is_ok() => {
                    self.differences
                        .push(VerificationDifference::UnsealedLine(line));
                }
                SealState::Missing => {}
            }
            match game {
                Ok(game) => games.push((line, game)),
                // The last line of a game that is being written, or of a killed process.
                Err(_) if !bytes.ends_with(b"\n") => {}
                Err(reason) => self.differences.push(VerificationDifference::InvalidLine {
                    line,
                    text: String::from_utf8_lossy(bytes).trim_end().to_owned(),
                    reason,
                }),
            }
        }
        games
    }

    /// Compares the games with the schedule, and their ends with the proven ones.
    fn check_games(&mut self, runner: &PairRunner, games: &[(usize, FinishedGame)]) {
        let config = runner.config();
        let mut results = Results::default();
        let mut unique = Vec::new();
        for (line, game) in games {
            if results.add_game(game) {
                unique.push((*line, game));
            } else {
                let game = game.number_text();
                self.differences
                    .push(VerificationDifference::Duplicate { line: *line, game });
            }
        }
        let mut schedule = Schedule::new(config, &results);
        for (line, game) in unique {
            let difference = match schedule.pair(game) {
                Some(pair) => match runner.check_game(&pair, game.leg, game) {
                    Ok(()) => illegal_move_difference(line, game),
                    Err(reason) => Some(VerificationDifference::Game { line, reason }),
                },
                None => Some(VerificationDifference::UnknownGame {
                    line,
                    game: game.number_text(),
                }),
            };
            self.differences.extend(difference);
        }
    }

    /// Compares the records with those of the games. The records can lack the last games, which a
    /// process writes after the journal.
    fn check_records(&mut self, games: &[FinishedGame], records: &str) -> Result<(), RunError> {
        let mut rest = records;
        for game in games {
            let expected = record_text(game)?;
            if let Some(after) = rest.strip_prefix(&*expected) {
                rest = after;
            } else if expected.starts_with(rest) {
                return Ok(());
            } else {
                self.differences.push(VerificationDifference::Record {
                    game: game.number_text(),
                    found: quote_first_difference(&expected, rest),
                });
                return Ok(());
            }
        }
        if !rest.is_empty() {
            self.differences.push(VerificationDifference::ExtraRecords {
                games: format_count(games.len() as u64, "game"),
                found: Quoted::new(rest.lines().next().unwrap_or_default()).to_string(),
            });
        }
        Ok(())
    }
}

/// Returns the first line of `found` that differs from that of `expected`, quoted.
fn quote_first_difference(expected: &str, found: &str) -> String {
    let mut expected = expected.lines();
    let different = found.lines().find(|&line| expected.next() != Some(line));
    Quoted::new(different.unwrap_or_default()).to_string()
}

/// Returns the difference between the position in which an illegal move is quoted and the last one
/// of the game, if there is one.
fn illegal_move_difference(line: usize, game: &FinishedGame) -> Option<VerificationDifference> {
    let GameEnd::IllegalMove { position, .. } = &game.end else {
        return None;
    };
    let last = game.game.replay().position().to_string();
    (*position != last).then(|| VerificationDifference::IllegalMovePosition {
        line,
        game: game.number_text(),
        quoted: position.clone(),
        last,
    })
}

/// The pairs of a tournament by their numbers.
struct Schedule {
    encounters: HashMap<usize, Encounter>,
    openings: ShuffledOpenings,
}

impl Schedule {
    fn new(config: &ArenaConfig, results: &Results) -> Self {
        let rounds = config.tournament.known_rounds(results).into_iter();
        let encounters = rounds.flat_map(|round| round.encounters);
        Self {
            encounters: encounters.map(|it| (it.pair, it)).collect(),
            openings: config.openings.shuffled(config.tournament.seed),
        }
    }

    /// Returns the pair of a game; `None` if the tournament does not have its encounter.
    fn pair(&mut self, game: &FinishedGame) -> Option<DuePair> {
        let encounter = *self.encounters.get(&game.encounter.pair)?;
        (encounter == game.encounter).then(|| DuePair {
            encounter,
            legs: Leg::ALL.to_vec(),
            opening: self.openings.get(encounter.opening_index()).clone(),
        })
    }
}
