//! The request `count`, which counts the moves in the openings of games, and counts as responses
//! show them.

use kalah::{Ending, Game, Side, Termination};
use kalah_book::{MoveCounts, OPENING_PLIES, OpeningStatistics, opening_moves};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::json::{MOVE_PATTERN, POSITION_PATTERN, SideSchema, deserialize_objects};
use crate::{BodySize, Endpoint, Execution, ReadRequest, RequestError, parse_move, parse_position};

/// The request `count`: counts how often each move was played in the openings of finished games.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CountRequest {
    /// The finished games, at most 1,000.
    #[serde(deserialize_with = "deserialize_objects")]
    pub games: Vec<FinishedGameInput>,
}

/// A finished game whose opening counts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FinishedGameInput {
    /// The rules: the name of a preset or all four fields; `cs32` by default.
    #[schemars(example = &"cs32")]
    pub rules: Option<String>,
    /// The position before the first move; `6x4` by default.
    #[schemars(example = &"6x4")]
    pub position: Option<String>,
    /// The moves: houses or `swap`. Those after the first 12 are ignored.
    pub moves: Vec<String>,
    /// The winner, by the side at the end; `None` for a tie.
    #[schemars(with = "Option<SideSchema>")]
    pub winner: Option<Side>,
}

/// The response to `count`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CountResponse {
    /// The number of games that count.
    pub games: usize,
    /// The number of games with an invalid position or an illegal move, which do not count.
    pub invalid: usize,
    /// The positions of the openings, each once.
    pub positions: Vec<OpeningPositionView>,
}

/// The counts of the moves of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpeningPositionView {
    /// The rules as text.
    pub rules: String,
    /// The position as text, turned so that South is to move: the `key` of `explore`.
    #[schemars(regex(pattern = POSITION_PATTERN))]
    pub position: String,
    /// The moves that were played, as South's.
    pub moves: Vec<MoveCountsView>,
}

/// How often a move was played, and the results of these games for its player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MoveCountsView {
    /// The move.
    #[serde(rename = "move")]
    #[schemars(regex(pattern = MOVE_PATTERN))]
    pub mv: String,
    /// Games that the player won.
    pub wins: u32,
    /// Games without a winner.
    pub ties: u32,
    /// Games that the player lost.
    pub losses: u32,
}

impl MoveCountsView {
    /// Returns the views of the counts of a position in which `side` is to move.
    pub fn list(counts: &MoveCounts, side: Side) -> Vec<Self> {
        let view = |(mv, counts): (&String, &kalah_book::OpeningResults)| Self {
            mv: kalah_book::own_text(mv, side),
            wins: counts.wins,
            ties: counts.ties,
            losses: counts.losses,
        };
        counts.iter().map(view).collect()
    }
}

impl FinishedGameInput {
    /// Returns the opening of the game.
    fn game(&self) -> Result<Game, RequestError> {
        let start = parse_position(self.rules.as_deref(), self.position.as_deref())?;
        let mut game = Game::new(start);
        for text in self.moves.iter().take(OPENING_PLIES) {
            let mv = parse_move(text, game.position())?;
            game.play(mv).map_err(|reason| RequestError::IllegalMove {
                mv: text.clone(),
                reason,
            })?;
        }
        Ok(game)
    }
}

impl CountRequest {
    /// Counts the moves.
    ///
    /// ```
    /// use kalah_api::{CountRequest, parse_request};
    ///
    /// let body = br#"{"games": [{"moves": ["C", "A"], "winner": "south"}]}"#;
    /// let counted = parse_request::<CountRequest>(body)?.execute()?;
    /// assert_eq!((counted.games, counted.positions.len()), (1, 2));
    /// # Ok::<(), kalah_api::RequestError>(())
    /// ```
    ///
    /// # Errors
    /// [`RequestError::TooManyGames`].
    pub fn execute(&self) -> Result<CountResponse, RequestError> {
        if self.games.len() > ReadRequest::MAX_GAMES {
            return Err(RequestError::TooManyGames(ReadRequest::MAX_GAMES));
        }
        let mut statistics = OpeningStatistics::default();
        let mut games = 0;
        for input in &self.games {
            let Ok(game) = input.game() else {
                continue;
            };
            games += 1;
            statistics.add(opening_moves(
                &game,
                &Ending {
                    termination: Termination::Normal,
                    winner: input.winner,
                    outcome: None,
                },
            ));
        }
        let positions = (statistics.positions()).map(|(key, counts)| OpeningPositionView {
            rules: key.rules.clone(),
            position: key.position.clone(),
            moves: MoveCountsView::list(counts, Side::South),
        });
        Ok(CountResponse {
            games,
            invalid: self.games.len() - games,
            positions: positions.collect(),
        })
    }
}

impl Endpoint for CountRequest {
    type Response = CountResponse;
    const NAME: &str = "count";
    const SUMMARY: &str = "Counts the moves in the openings of finished games.";
    const RESPONSE_SUMMARY: &str = "The counts by position.";
    const BODY_SIZE: BodySize = BodySize::Large;
    const EXECUTION: Execution<Self> = Execution::WholeGame(Self::execute);

    fn example() -> Value {
        json!({"games": [{"position": "6x4", "moves": ["C", "F", "b"], "winner": "south"}]})
    }
}
