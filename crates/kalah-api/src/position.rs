use kalah::{Position, Side};
use serde::{Deserialize, Serialize};

use crate::{PerSide, RequestError, start};

/// What is this position? The question `position`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionRequest {
    /// `cs32` if missing.
    pub rules: Option<String>,
    /// `6x4` if missing.
    pub position: Option<String>,
}

/// A playable position; swept when the game is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionView {
    /// The rules as text.
    pub rules: String,
    /// The position as text.
    pub position: String,
    /// Houses a side, from 1 to 26.
    pub houses: u8,
    /// Who is to move.
    #[serde(rename = "side")]
    pub to_move: Side,
    /// Seeds in the stores.
    pub stores: PerSide<u16>,
    /// Seeds in the houses, in the owner's sowing order.
    pub rows: PerSide<Vec<u16>>,
    /// All that may be chosen, in order; nothing when the game is over.
    #[serde(rename = "choices")]
    pub legal_moves: Vec<String>,
    /// Whether the game is over.
    #[serde(rename = "over")]
    pub is_over: bool,
}

impl PositionRequest {
    /// The position.
    ///
    /// # Errors
    /// Why there is no such position.
    pub fn execute(&self) -> Result<PositionView, RequestError> {
        start::parse_position(self.rules.as_deref(), self.position.as_deref())
            .map(|position| PositionView::from(&position))
    }
}

impl From<&Position> for PositionView {
    fn from(position: &Position) -> Self {
        let side = position.to_move();
        let store = |side| position.store(side).get();
        let row = |side| {
            let houses = position.houses_of(side).iter();
            houses.map(|seeds| seeds.get()).collect()
        };
        Self {
            rules: position.rules().to_string(),
            position: position.to_string(),
            houses: position.houses(),
            to_move: side,
            stores: PerSide {
                south: store(Side::South),
                north: store(Side::North),
            },
            rows: PerSide {
                south: row(Side::South),
                north: row(Side::North),
            },
            legal_moves: position.legal_moves().map(|mv| mv.text(side)).collect(),
            is_over: position.is_over(),
        }
    }
}
