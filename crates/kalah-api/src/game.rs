use kalah::Side;
use serde::{Deserialize, Serialize};

use crate::{MoveResultView, PositionView};

/// A game with its variations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameView {
    /// Names and what they say, in the order of the text.
    pub tags: Vec<(String, String)>,
    /// The position before the first ply.
    pub start: PositionView,
    /// What is said before the first ply.
    pub comments: Vec<String>,
    /// All plies, each after the one that it follows.
    pub plies: Vec<PlyView>,
    /// How it ended: `normal`, `resign`, `unfinished` and so on.
    pub termination: String,
    /// The side that won, as it sat at the end.
    pub winner: Option<Side>,
}

/// A ply of a game with variations. Of the plies that follow the same one, the first belongs to the main line, or to
/// the main line of its variation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlyView {
    /// The place in the list of the ply before it; none for a first ply.
    pub parent: Option<usize>,
    /// What was played.
    #[serde(rename = "sown")]
    pub result: MoveResultView,
    /// What is said of it.
    pub comments: Vec<String>,
}

impl GameView {
    /// The most plies of games that are answered at once, so that a short question has no endless answer.
    pub const MAX_PLIES: usize = 5000;
}
