//! Finished games of a tournament: validation, JSON form and conversion to a record.

use std::iter;
use std::ops::AddAssign;
use std::time::Duration;

use kalah::record::{PlyTimes, Record, RecordBuilder, RecordProblem, Tags, format_plies};
use kalah::{
    BySide, Game, Margin, Move, Outcome, ParseRulesError, ParseSetupError, PlayerId, Quoted, Rules,
    Setup, SetupError, Side, format_count,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::compact_game::CompactGame;
use crate::game_end::GameEnd;
use crate::openings::{PliesError, parse_plies};
use crate::schedule::{Encounter, Leg, Results};
use crate::stats::{Contestant, GameScore};

/// A finished game of a tournament.
///
/// In JSON it is one object with the moves as text. Deserialization replays the game, so that its
/// moves are legal and its end agrees with the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "JournalGame", into = "JournalGame")]
pub struct FinishedGame {
    /// The encounter that the game belongs to.
    pub encounter: Encounter,
    /// Which of the two games of the encounter it is.
    pub leg: Leg,
    /// The day on which the game ended, as [`Tags::date_text`] writes it; `None` if the clock of
    /// the system had no valid time.
    pub date: Option<String>,
    /// The names of the players, by the side on which they began.
    pub names: BySide<String>,
    /// The time of the players for their moves in words, such as `1s a move`, by the side on
    /// which they began.
    pub time_controls: BySide<String>,
    /// The game including its opening.
    pub game: CompactGame,
    /// The number of plies of the opening.
    pub opening_plies: usize,
    /// The time of each ply after the opening, in milliseconds.
    pub ply_times_ms: Box<[u32]>,
    /// How the game ended.
    pub end: GameEnd,
    /// The time that the players used, by the side on which they began.
    pub think_time: BySide<ThinkTime>,
    /// The first line of each player's program that its protocol does not know, with the reason, by
    /// the side on which the player began.
    pub ignored_lines: BySide<Option<String>>,
}

/// A contradiction in a finished game, or invalid text in its JSON form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FinishedGameError {
    /// The number of the game is invalid.
    #[error("{} is not the number of a game, such as `1.1.2`", Quoted::new(.0))]
    Number(String),
    /// A contestant is its own opponent.
    #[error("contestant {} plays against itself", .0.0)]
    SelfPlay(Contestant),
    /// Invalid rules.
    #[error(transparent)]
    Rules(#[from] ParseRulesError),
    /// Invalid text of the start position.
    #[error(transparent)]
    Setup(#[from] ParseSetupError),
    /// A start position that the rules reject.
    #[error("position `{text}`: {reason}")]
    Position {
        /// The text of the position.
        text: String,
        /// Why the rules reject it.
        reason: SetupError,
    },
    /// Invalid or illegal moves.
    #[error("moves `{}`: {reason}", .moves.escape_debug())]
    Moves {
        /// The text of the moves.
        moves: String,
        /// Why they are rejected.
        reason: PliesError,
    },
    /// The opening is longer than the game.
    #[error(
        "the opening has {}, but the game only {plies}",
        format_count(*.opening as u64, "ply")
    )]
    Opening {
        /// The number of plies of the opening.
        opening: usize,
        /// The number of plies of the game.
        plies: usize,
    },
    /// The times are not those of the plies after the opening.
    #[error(
        "`ply_times_ms` has {}, but the game has {plies} after its opening",
        format_count(*.times as u64, "time")
    )]
    PlyTimes {
        /// The number of times.
        times: usize,
        /// The number of plies after the opening.
        plies: usize,
    },
    /// The board contradicts the reported end.
    #[error("reported end `{reported}` contradicts the board: the game {board}")]
    End {
        /// The reported end.
        reported: GameEnd,
        /// The state of the board, as a predicate of "the game".
        board: String,
    },
}

/// The JSON form of a finished game.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JournalGame {
    /// The number of [`FinishedGame::number_text`].
    game: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    south: JournalPlayer,
    north: JournalPlayer,
    rules: String,
    position: String,
    opening_plies: usize,
    moves: String,
    ply_times_ms: Box<[u32]>,
    end: GameEnd,
}

/// A player in the JSON form.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JournalPlayer {
    contestant: Contestant,
    name: String,
    time_control: String,
    think_time: ThinkTime,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ignored_line: Option<String>,
}

impl FinishedGame {
    /// Returns the score of the player that began on `side`.
    pub fn score(&self, side: Side) -> GameScore {
        self.end.score(side, self.game.is_swapped())
    }

    /// Returns the score of the encounter's first contestant.
    pub fn first_score(&self) -> GameScore {
        self.score(match self.leg {
            Leg::First => Side::South,
            Leg::Second => Side::North,
        })
    }

    /// Returns the contestants, by the side on which they began.
    pub fn players(&self) -> BySide<Contestant> {
        self.encounter.players(self.leg)
    }

    /// Returns the margin of the player that began on `side`, if the seeds decided the game.
    pub fn margin(&self, side: Side) -> Option<Margin> {
        let margin = self.end.margin()?;
        Some(match PlayerId::new(side).side(self.game.is_swapped()) {
            Side::South => margin,
            Side::North => -margin,
        })
    }

    /// Returns the numbers of round, pair and leg, from 1: `ROUND.PAIR.LEG`.
    pub fn number_text(&self) -> String {
        self.encounter.game_number(self.leg)
    }

    /// Checks that the fields agree with each other and with the board.
    ///
    /// # Errors
    /// Returns the first contradiction.
    pub fn check(&self) -> Result<(), FinishedGameError> {
        self.check_replayed(&self.game.replay())
    }

    /// Does the same as [`FinishedGame::check`] with the replayed game.
    fn check_replayed(&self, game: &Game) -> Result<(), FinishedGameError> {
        let Encounter { first, second, .. } = self.encounter;
        if first == second {
            return Err(FinishedGameError::SelfPlay(first));
        }
        let plies = game.plies().len();
        if self.opening_plies > plies {
            return Err(FinishedGameError::Opening {
                opening: self.opening_plies,
                plies,
            });
        }
        let seeds = game.start().total();
        let margin = self.end.margin();
        if margin.is_some_and(|margin| Outcome::from_margin(margin, seeds).is_none()) {
            return Err(FinishedGameError::End {
                reported: self.end.clone(),
                board: format!("has {seeds} seeds"),
            });
        }
        let reported = match self.end {
            GameEnd::Normal { stores } => Some(stores.outcome()),
            _ => None,
        };
        let outcome = game.outcome();
        if reported != outcome {
            return Err(FinishedGameError::End {
                reported: self.end.clone(),
                board: match outcome {
                    Some(outcome) => format!("ended {outcome}"),
                    None => "is not over".to_owned(),
                },
            });
        }
        let (times, played) = (self.ply_times_ms.len(), plies - self.opening_plies);
        if times != played {
            return Err(FinishedGameError::PlyTimes {
                times,
                plies: played,
            });
        }
        Ok(())
    }

    /// Converts the game to a record with date, names, ending, time control, the time of each ply,
    /// and [`FinishedGame::number_text`] in the tag `Round`.
    ///
    /// The tag `OpeningPlies` and a comment mark the end of the opening, and another comment
    /// describes an end other than [`GameEnd::Normal`].
    ///
    /// # Errors
    /// If the end contradicts the board. Games that [`FinishedGame::check`] accepts never fail.
    pub fn to_record(&self) -> Result<Record, RecordProblem> {
        let mut tags = Tags::from_start(self.game.start());
        if let Some(date) = &self.date {
            tags.set(Tags::DATE, date.clone())?;
        }
        tags.set(Tags::ROUND, self.number_text())?;
        tags.set(Tags::SOUTH, self.names.south.clone())?;
        tags.set(Tags::NORTH, self.names.north.clone())?;
        tags.set(Tags::TIME_CONTROL, time_control_text(&self.time_controls))?;
        tags.set_opening_plies(self.opening_plies);
        let mut builder = RecordBuilder::new(tags)?;
        for (number, &mv) in (1..).zip(self.game.moves()) {
            builder.play(mv)?;
            if number == self.opening_plies {
                builder.comment("the opening")?;
            }
        }
        if !matches!(self.end, GameEnd::Normal { .. }) {
            // A brace would end the comment.
            let description = self.end.to_string().replace('{', "(").replace('}', ")");
            builder.comment(&description)?;
        }
        let mut record = builder.finish()?;
        record.set_ending(self.end.ending(&self.game.replay()))?;
        record.set_ply_times(&self.ply_times());
        Ok(record)
    }

    /// Returns the times of all plies. Those of the opening, and those of less than a millisecond,
    /// have none.
    fn ply_times(&self) -> Vec<PlyTimes> {
        let opening = iter::repeat_n(PlyTimes::default(), self.opening_plies);
        let played = self.ply_times_ms.iter().map(|&time| PlyTimes {
            elapsed: (time > 0).then(|| Duration::from_millis(time.into())),
            clock: None,
        });
        opening.chain(played).collect()
    }

    fn player(&self, side: Side) -> JournalPlayer {
        JournalPlayer {
            contestant: self.players()[side],
            name: self.names[side].clone(),
            time_control: self.time_controls[side].clone(),
            think_time: self.think_time[side],
            ignored_line: self.ignored_lines[side].clone(),
        }
    }
}

/// Returns the value of `TimeControl` for the time of both players.
fn time_control_text(times: &BySide<String>) -> String {
    let BySide { south, north } = times;
    if south == north {
        return south.clone();
    }
    format!("{south} for South, {north} for North")
}

impl From<FinishedGame> for JournalGame {
    fn from(game: FinishedGame) -> Self {
        let replayed = game.game.replay();
        let plies = replayed.plies().iter();
        let moves: Vec<(Side, Move)> = plies.map(|ply| (ply.side, ply.mv)).collect();
        let start = game.game.start();
        Self {
            game: game.number_text(),
            date: game.date.clone(),
            south: game.player(Side::South),
            north: game.player(Side::North),
            rules: start.rules().to_string(),
            position: start.to_string(),
            opening_plies: game.opening_plies,
            moves: format_plies(&moves),
            ply_times_ms: game.ply_times_ms,
            end: game.end,
        }
    }
}

impl TryFrom<JournalGame> for FinishedGame {
    type Error = FinishedGameError;

    fn try_from(line: JournalGame) -> Result<Self, FinishedGameError> {
        let number = Encounter::parse_game_number(&line.game);
        let (round, pair, leg) = number.ok_or(FinishedGameError::Number(line.game))?;
        let rules: Rules = line.rules.parse()?;
        let setup: Setup = line.position.parse()?;
        let start = setup
            .position(rules)
            .map_err(|reason| FinishedGameError::Position {
                text: line.position,
                reason,
            })?;
        let game = parse_plies(&start, &line.moves).map_err(|reason| FinishedGameError::Moves {
            moves: line.moves,
            reason,
        })?;
        let (south, north) = (line.south.contestant, line.north.contestant);
        let (first, second) = match leg {
            Leg::First => (south, north),
            Leg::Second => (north, south),
        };
        let finished = Self {
            encounter: Encounter {
                pair,
                round,
                first,
                second,
            },
            leg,
            date: line.date,
            names: BySide::new(line.south.name, line.north.name),
            time_controls: BySide::new(line.south.time_control, line.north.time_control),
            game: CompactGame::from(&game),
            opening_plies: line.opening_plies,
            ply_times_ms: line.ply_times_ms,
            end: line.end,
            think_time: BySide::new(line.south.think_time, line.north.think_time),
            ignored_lines: BySide::new(line.south.ignored_line, line.north.ignored_line),
        };
        finished.check_replayed(&game)?;
        Ok(finished)
    }
}

impl Results {
    /// Counts a finished game, with the return value of [`Results::add`].
    pub fn add_game(&mut self, game: &FinishedGame) -> bool {
        self.add(game.encounter, game.leg, game.first_score())
    }
}

impl<'a> FromIterator<&'a FinishedGame> for Results {
    fn from_iter<I: IntoIterator<Item = &'a FinishedGame>>(games: I) -> Self {
        let mut results = Self::default();
        for game in games {
            results.add_game(game);
        }
        results
    }
}

/// The nanoseconds of a millisecond.
const NANOS_PER_MILLI: u128 = 1_000_000;

/// The time that a player used for its moves.
///
/// ```
/// use std::time::Duration;
/// use kalah_arena::ThinkTime;
/// let time: ThinkTime = [30, 50].map(Duration::from_millis).into_iter().collect();
/// assert_eq!(time, ThinkTime { moves: 2, total_ms: 80, longest_ms: 50 });
/// assert_eq!(time.mean(), Some(Duration::from_millis(40)));
/// let short: ThinkTime = [600; 2].map(Duration::from_micros).into_iter().collect();
/// assert_eq!(short, ThinkTime { moves: 2, total_ms: 1, longest_ms: 1 });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThinkTime {
    /// The number of moves that the player was asked for.
    pub moves: u32,
    /// The time for all moves, in milliseconds.
    pub total_ms: u64,
    /// The time for the slowest move, in milliseconds, rounded up.
    pub longest_ms: u64,
}

impl ThinkTime {
    /// Returns the mean time of a move, `None` without moves.
    pub fn mean(&self) -> Option<Duration> {
        Duration::from_millis(self.total_ms).checked_div(self.moves)
    }
}

/// Adds up exact times, and rounds the sum down to milliseconds and the longest time up, so that
/// it is never below the mean.
impl FromIterator<Duration> for ThinkTime {
    fn from_iter<I: IntoIterator<Item = Duration>>(times: I) -> Self {
        let (mut moves, mut total, mut longest) = (0_u32, Duration::ZERO, Duration::ZERO);
        for time in times {
            moves = moves.saturating_add(1);
            total = total.saturating_add(time);
            longest = longest.max(time);
        }
        let milliseconds = |milliseconds| u64::try_from(milliseconds).unwrap_or(u64::MAX);
        Self {
            moves,
            total_ms: milliseconds(total.as_millis()),
            longest_ms: milliseconds(longest.as_nanos().div_ceil(NANOS_PER_MILLI)),
        }
    }
}

impl AddAssign for ThinkTime {
    fn add_assign(&mut self, other: Self) {
        self.moves = self.moves.saturating_add(other.moves);
        self.total_ms = self.total_ms.saturating_add(other.total_ms);
        self.longest_ms = self.longest_ms.max(other.longest_ms);
    }
}
