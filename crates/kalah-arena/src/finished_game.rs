use std::ops::AddAssign;
use std::time::Duration;

use kalah::record::{Record, RecordBuilder, RecordProblem, Tags, format_plies};
use kalah::{
    BySide, Game, Margin, Move, ParseRulesError, ParseSetupError, Rules, Setup, SetupError, Side,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::game_end::GameEnd;
use crate::openings::{PliesError, is_possible, parse_game};
use crate::schedule::{Encounter, Leg, Results};
use crate::stats::{Contestant, GameScore};

/// A game of a tournament that is over, with all that is to be known of it.
///
/// As JSON it is one object, in which the game is text; what is read is played again, so that its plies are
/// legal and its end is that of the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "JournalGame", into = "JournalGame")]
pub struct FinishedGame {
    /// Who met, and as what number.
    pub encounter: Encounter,
    /// Which game of the two.
    pub leg: Leg,
    /// What the players call themselves, by the side on which they began.
    pub names: BySide<String>,
    /// The game with its opening.
    pub game: Game,
    /// How many plies of the game are of the opening.
    pub opening_plies: usize,
    /// How it ended.
    pub end: GameEnd,
    /// What time the players took, by the side on which they began.
    pub think_time: BySide<ThinkTime>,
}

/// Why an object is no finished game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FinishedGameError {
    /// A player who is its own opponent.
    #[error("contestant {} plays against itself", .0.0)]
    SelfPlay(Contestant),
    /// No rules.
    #[error(transparent)]
    Rules(#[from] ParseRulesError),
    /// No setup.
    #[error(transparent)]
    Setup(#[from] ParseSetupError),
    /// No position.
    #[error("position `{text}`: {reason}")]
    Position {
        /// The text of it.
        text: String,
        /// Why it cannot be played.
        reason: SetupError,
    },
    /// Moves that cannot be made.
    #[error("moves `{}`: {reason}", .moves.escape_debug())]
    Moves {
        /// The text of them.
        moves: String,
        /// Why not.
        reason: PliesError,
    },
    /// An opening longer than the game.
    #[error("an opening of {opening} plies in a game of {plies}")]
    Opening {
        /// Plies of the opening.
        opening: usize,
        /// Plies of the game.
        plies: usize,
    },
    /// An end that the board contradicts.
    #[error("the game ended `{reported}`, and on the board it {board}")]
    End {
        /// What was said.
        reported: GameEnd,
        /// What is so.
        board: String,
    },
}

/// A finished game as JSON has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JournalGame {
    pair: usize,
    round: usize,
    leg: Leg,
    south: JournalPlayer,
    north: JournalPlayer,
    rules: String,
    position: String,
    opening_plies: usize,
    moves: String,
    end: GameEnd,
}

/// One of its players.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JournalPlayer {
    contestant: Contestant,
    name: String,
    #[serde(rename = "thought")]
    think_time: ThinkTime,
}

impl FinishedGame {
    /// What it brought the player that began on `side`.
    pub fn score(&self, side: Side) -> GameScore {
        self.end.score(side, self.game.is_swapped())
    }

    /// What it brought the first of the encounter.
    pub fn first_score(&self) -> GameScore {
        self.score(match self.leg {
            Leg::First => Side::South,
            Leg::Second => Side::North,
        })
    }

    /// Who played, by the side on which they began.
    pub fn players(&self) -> BySide<Contestant> {
        BySide::new(
            self.encounter.south(self.leg),
            self.encounter.north(self.leg),
        )
    }

    /// What the player that began on `side` made more than the other, where the seeds decided.
    pub fn margin(&self, side: Side) -> Option<Margin> {
        let is_south = (side == Side::South) != self.game.is_swapped();
        let margin = self.end.margin()?;
        Some(if is_south { margin } else { -margin })
    }

    /// Whether what is said of it fits together.
    ///
    /// # Errors
    /// The first thing that does not.
    pub fn check(&self) -> Result<(), FinishedGameError> {
        let Encounter { first, second, .. } = self.encounter;
        if first == second {
            return Err(FinishedGameError::SelfPlay(first));
        }
        let plies = self.game.plies().len();
        if self.opening_plies > plies {
            return Err(FinishedGameError::Opening {
                opening: self.opening_plies,
                plies,
            });
        }
        let seeds = self.game.start().total();
        let margin = self.end.margin();
        if margin.is_some_and(|margin| !is_possible(margin, seeds)) {
            return Err(FinishedGameError::End {
                reported: self.end.clone(),
                board: format!("has {seeds} seeds"),
            });
        }
        let said = match self.end {
            GameEnd::Normal { stores } => Some(stores.outcome()),
            _ => None,
        };
        let outcome = self.game.outcome();
        if said != outcome {
            return Err(FinishedGameError::End {
                reported: self.end.clone(),
                board: match outcome {
                    Some(outcome) => format!("ended {outcome}"),
                    None => "is not over".to_owned(),
                },
            });
        }
        Ok(())
    }

    /// The game as a record, with names, the number of its round, pair and leg, and its ending. Comments tell where
    /// the opening ends, and what the tags have no room for.
    ///
    /// # Errors
    /// If the end contradicts the board, which no game does that [`FinishedGame::check`] accepts.
    pub fn to_record(&self) -> Result<Record, RecordProblem> {
        let mut tags = Tags::from_start(self.game.start());
        let leg = match self.leg {
            Leg::First => 1,
            Leg::Second => 2,
        };
        let Encounter { pair, round, .. } = self.encounter;
        // People count from 1.
        let (round, pair) = (round.saturating_add(1), pair.saturating_add(1));
        tags.set("Round", format!("{round}.{pair}.{leg}"))?;
        tags.set(Tags::SOUTH, self.names.south.clone())?;
        tags.set(Tags::NORTH, self.names.north.clone())?;
        let mut builder = RecordBuilder::new(tags)?;
        for (number, ply) in (1..).zip(self.game.plies()) {
            builder.play(ply.mv)?;
            if number == self.opening_plies {
                builder.comment("the opening")?;
            }
        }
        if !matches!(self.end, GameEnd::Normal { .. }) {
            // A brace would end the comment.
            let told = self.end.to_string().replace('{', "(").replace('}', ")");
            builder.comment(&told)?;
        }
        let mut record = builder.finish()?;
        record.set_ending(self.end.ending(self.game.is_swapped()))?;
        Ok(record)
    }

    fn player(&self, side: Side) -> JournalPlayer {
        JournalPlayer {
            contestant: self.players()[side],
            name: self.names[side].clone(),
            think_time: self.think_time[side],
        }
    }
}

impl From<FinishedGame> for JournalGame {
    fn from(game: FinishedGame) -> Self {
        let plies = game.game.plies().iter();
        let moves: Vec<(Side, Move)> = plies.map(|ply| (ply.side, ply.mv)).collect();
        let start = game.game.start();
        Self {
            pair: game.encounter.pair,
            round: game.encounter.round,
            leg: game.leg,
            south: game.player(Side::South),
            north: game.player(Side::North),
            rules: start.rules().to_string(),
            position: start.to_string(),
            opening_plies: game.opening_plies,
            moves: format_plies(&moves),
            end: game.end,
        }
    }
}

impl TryFrom<JournalGame> for FinishedGame {
    type Error = FinishedGameError;

    fn try_from(line: JournalGame) -> Result<Self, FinishedGameError> {
        let rules: Rules = line.rules.parse()?;
        let setup: Setup = line.position.parse()?;
        let start = setup
            .position(rules)
            .map_err(|reason| FinishedGameError::Position {
                text: line.position,
                reason,
            })?;
        let game = parse_game(&start, &line.moves).map_err(|reason| FinishedGameError::Moves {
            moves: line.moves,
            reason,
        })?;
        let seats = BySide::new(line.south.contestant, line.north.contestant);
        let (first, second) = match line.leg {
            Leg::First => (seats.south, seats.north),
            Leg::Second => (seats.north, seats.south),
        };
        let finished = Self {
            encounter: Encounter {
                pair: line.pair,
                round: line.round,
                first,
                second,
            },
            leg: line.leg,
            names: BySide::new(line.south.name, line.north.name),
            game,
            opening_plies: line.opening_plies,
            end: line.end,
            think_time: BySide::new(line.south.think_time, line.north.think_time),
        };
        finished.check()?;
        Ok(finished)
    }
}

impl Results {
    /// Counts a finished game, see [`Results::add`].
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

/// What time a player took for its choices.
///
/// ```
/// use std::time::Duration;
/// use kalah_arena::Thought;
/// let thought: Thought = [30, 50].map(Duration::from_millis).into_iter().collect();
/// assert_eq!(thought, Thought { choices: 2, total_ms: 80, longest_ms: 50 });
/// assert_eq!(thought.mean(), Some(Duration::from_millis(40)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThinkTime {
    /// How often it was asked.
    #[serde(rename = "choices")]
    pub moves: u32,
    /// Milliseconds for all choices.
    pub total_ms: u64,
    /// Milliseconds for the one that took longest.
    pub longest_ms: u64,
}

impl ThinkTime {
    /// For a choice; `None` if there was none.
    pub fn mean(&self) -> Option<Duration> {
        Duration::from_millis(self.total_ms).checked_div(self.moves)
    }
}

/// Parts of a millisecond are left out of the sum, and not of what is added.
impl FromIterator<Duration> for ThinkTime {
    fn from_iter<I: IntoIterator<Item = Duration>>(times: I) -> Self {
        let (mut moves, mut total, mut longest) = (0_u32, Duration::ZERO, Duration::ZERO);
        for time in times {
            moves = moves.saturating_add(1);
            total = total.saturating_add(time);
            longest = longest.max(time);
        }
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Self {
            moves,
            total_ms: milliseconds(total),
            longest_ms: milliseconds(longest),
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
