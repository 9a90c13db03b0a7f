//! The request `explore`: the proven margins of the moves of an opening, from the opening books.

use kalah::{Margin, Move, MoveResult, Position, Side};
use kalah_book::{BookSet, OpeningKey};
use kalah_engine::{Bounds, GameValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::json::{MOVE_PATTERN, POSITION_PATTERN, SideSchema};
use crate::{Endpoint, Execution, GameValueView, RequestError, parse_position};

/// The request `explore`: looks the moves of a position up in the opening books of the program,
/// without a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExploreRequest {
    /// The rules: the name of a preset or all four fields; `cs32` by default.
    #[schemars(example = &"cs32")]
    pub rules: Option<String>,
    /// The position; `6x4` by default.
    #[schemars(example = &"6x4")]
    pub position: Option<String>,
}

/// The moves of a position with their margins in the opening books, from the view of the side
/// to move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExploreResponse {
    /// The position as text.
    #[schemars(regex(pattern = POSITION_PATTERN))]
    pub position: String,
    /// The position turned so that South is to move, under which statistics of openings have it.
    #[schemars(regex(pattern = POSITION_PATTERN))]
    pub key: String,
    /// The rules as text.
    pub rules: String,
    /// The side to move.
    #[schemars(with = "SideSchema")]
    pub to_move: Side,
    /// Whether the margins of all moves are known, and there is a move.
    pub is_from_book: bool,
    /// All legal moves: houses in sowing order, then `swap`.
    pub moves: Vec<ExploredMoveView>,
}

/// A move of an opening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExploredMoveView {
    /// The move.
    #[serde(rename = "move")]
    #[schemars(regex(pattern = MOVE_PATTERN))]
    pub mv: String,
    /// Whether the same side is to move again after it.
    pub bonus_turn: bool,
    /// The proven margin with best play after it, in seeds; `None` if no book has the position
    /// after it. That of a move that ends the game is always known.
    pub margin: Option<i32>,
    /// The result of the game with this margin for the player of the move.
    pub value: Option<GameValueView>,
}

impl ExploreRequest {
    /// Returns the position.
    ///
    /// # Errors
    /// Those of [`parse_position`].
    pub fn position(&self) -> Result<Position, RequestError> {
        parse_position(self.rules.as_deref(), self.position.as_deref())
    }

    /// Looks the moves up in the embedded books.
    ///
    /// ```
    /// use kalah_api::{ExploreRequest, GameValueView, parse_request};
    ///
    /// let request: ExploreRequest = parse_request(br#"{"rules":"standard","position":"6x4"}"#)?;
    /// let opening = request.execute()?;
    /// let third = &opening.moves[2];
    /// assert_eq!((&*third.mv, third.margin), ("C", Some(8)));
    /// assert_eq!(third.value, Some(GameValueView::Win));
    /// # Ok::<(), kalah_api::RequestError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`parse_position`].
    pub fn execute(&self) -> Result<ExploreResponse, RequestError> {
        let position = self.position()?;
        let books = BookSet::embedded();
        let moves: Vec<ExploredMoveView> = position
            .legal_moves()
            .filter_map(|mv| ExploredMoveView::new(&books, &position, mv))
            .collect();
        Ok(ExploreResponse {
            position: position.to_string(),
            key: OpeningKey::new(&position).position,
            rules: position.rules().to_string(),
            to_move: position.to_move(),
            is_from_book: !moves.is_empty() && moves.iter().all(|view| view.margin.is_some()),
            moves,
        })
    }
}

impl ExploredMoveView {
    /// Returns the view of a move, or `None` if it is not legal.
    fn new(books: &BookSet, position: &Position, mv: Move) -> Option<Self> {
        let mut after = position.clone();
        let result = after.play(mv).ok()?;
        let is_same_side = after.to_move() == position.to_move();
        let known = if after.is_over() {
            let lead = after.lead();
            Some(if is_same_side { lead } else { -lead })
        } else {
            (books.move_gain(position, mv)).map(|gain| position.margin(gain))
        };
        let value = |margin: Margin| {
            GameValue::from_bounds(Bounds {
                lower: margin,
                upper: margin,
            })
        };
        Some(Self {
            mv: mv.text(position.to_move()),
            bonus_turn: is_same_side && result != MoveResult::Swapped && !after.is_over(),
            margin: known.map(Margin::seeds),
            value: known.and_then(value).map(GameValueView::from),
        })
    }
}

impl Endpoint for ExploreRequest {
    type Response = ExploreResponse;
    const NAME: &str = "explore";
    const SUMMARY: &str = "Looks the moves of a position up in the opening books.";
    const RESPONSE_SUMMARY: &str = "The moves with their proven margins.";
    const EXECUTION: Execution<Self> = Execution::Lookup {
        position: Self::position,
        execute: Self::execute,
    };

    fn example() -> Value {
        json!({"rules": "standard", "position": "6x4"})
    }
}
