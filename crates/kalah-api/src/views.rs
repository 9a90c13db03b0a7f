//! Positions, moves and bounds as responses show them.

use kalah::{BySide, House, Move, MoveResult, Pit, Position, Side, SowEffect, SowResult};
use kalah_engine::Bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RequestError;
use crate::schema::{BySideSchema, MOVE_PATTERN, PIT_PATTERN, POSITION_PATTERN, SideSchema};

/// Proven bounds of a margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BoundsView {
    /// The lower bound, in seeds.
    pub lower: i32,
    /// The upper bound, in seeds.
    pub upper: i32,
    /// Whether the bounds are equal.
    pub exact: bool,
}

impl From<Bounds> for BoundsView {
    fn from(bounds: Bounds) -> Self {
        Self {
            lower: bounds.lower.seeds(),
            upper: bounds.upper.seeds(),
            exact: bounds.is_exact(),
        }
    }
}

/// A playable position. When the game is over, the seeds have been swept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PositionView {
    /// The rules as text.
    pub rules: String,
    /// The position as text.
    #[schemars(regex(pattern = POSITION_PATTERN))]
    pub position: String,
    /// The number of houses a side, from 1 to 26.
    #[schemars(range(min = 1, max = 26))]
    pub houses: u8,
    /// The side to move.
    #[schemars(with = "SideSchema")]
    pub to_move: Side,
    /// The numbers of seeds in the stores.
    #[schemars(with = "BySideSchema<u16>")]
    pub stores: BySide<u16>,
    /// The numbers of seeds in the houses, in the sowing order of their owner.
    #[schemars(with = "BySideSchema<Vec<u16>>")]
    pub rows: BySide<Vec<u16>>,
    /// The legal moves: houses in sowing order, then `swap`. Empty when the game is over.
    #[schemars(inner(regex(pattern = MOVE_PATTERN)))]
    pub legal_moves: Vec<String>,
    /// Whether the game is over.
    pub is_over: bool,
}

impl From<&Position> for PositionView {
    fn from(position: &Position) -> Self {
        let to_move = position.to_move();
        let store = |side| position.store(side).get();
        let row = |side| {
            let houses = position.houses_of(side).iter();
            houses.map(|seeds| seeds.get()).collect()
        };
        Self {
            rules: position.rules().to_string(),
            position: position.to_string(),
            houses: position.houses(),
            to_move,
            stores: BySide::from_fn(store),
            rows: BySide::from_fn(row),
            legal_moves: position.legal_moves().map(|mv| mv.text(to_move)).collect(),
            is_over: position.is_over(),
        }
    }
}

/// The result of a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MoveResultView {
    /// The move.
    #[serde(rename = "move")]
    #[schemars(regex(pattern = MOVE_PATTERN))]
    pub mv: String,
    /// The side that made it.
    #[schemars(with = "SideSchema")]
    pub side: Side,
    /// Whether the move is a swap, which exchanges the sides of the players and moves no seed.
    pub is_swap: bool,
    /// The number of seeds sown.
    pub seeds: u16,
    /// The pit that each seed fell into, in the order of sowing; at most 200 of
    /// them.
    #[schemars(inner(regex(pattern = PIT_PATTERN)), length(max = Self::MAX_PATH))]
    pub path: Vec<String>,
    /// The effect of the last seed; `None` after a swap.
    pub effect: Option<SowEffectView>,
    /// The capture, if the last seed made one.
    pub capture: Option<CaptureView>,
    /// The numbers of seeds that each side swept into its store, if the game ended.
    #[schemars(with = "Option<BySideSchema<u16>>")]
    pub swept: Option<BySide<u16>>,
    /// The position after the move.
    pub after: PositionView,
}

/// The effect of the last seed of a sowing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SowEffectView {
    /// The other side is to move.
    TurnPasses,
    /// The same side is to move again.
    BonusTurn,
    /// Seeds were captured, and the other side is to move.
    Capture,
}

impl From<SowEffect> for SowEffectView {
    fn from(effect: SowEffect) -> Self {
        match effect {
            SowEffect::TurnPasses => Self::TurnPasses,
            SowEffect::BonusTurn => Self::BonusTurn,
            SowEffect::Capture(_) => Self::Capture,
        }
    }
}

/// A capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaptureView {
    /// The own house that the last seed fell into.
    #[schemars(regex(pattern = PIT_PATTERN))]
    pub house: String,
    /// The opposite house, which was emptied.
    #[schemars(regex(pattern = PIT_PATTERN))]
    pub from: String,
    /// The number of seeds that went to the store, including the last seed.
    pub seeds: u16,
}

impl MoveResultView {
    /// The maximum number of pits in [`path`](Self::path). Kalah(10,10) has 200 seeds, so that none
    /// of its paths is cut.
    pub const MAX_PATH: usize = 200;

    /// Makes a move and returns its result.
    ///
    /// # Errors
    /// [`RequestError::IllegalMove`]; the position is unchanged then.
    pub fn play(position: &mut Position, mv: Move) -> Result<Self, RequestError> {
        let side = position.to_move();
        let path: Vec<String> = match mv {
            Move::Sow(house) => {
                let path = position.path(house).take(Self::MAX_PATH);
                path.map(pit_label).collect()
            }
            Move::Swap => Vec::new(),
        };
        let text = mv.text(side);
        let result = position
            .play(mv)
            .map_err(|reason| RequestError::IllegalMove {
                mv: text.clone(),
                reason,
            })?;
        let after = PositionView::from(&*position);
        Ok(match result {
            MoveResult::Sown(sowing) => Self {
                mv: text,
                side,
                is_swap: false,
                seeds: sowing.seeds.get(),
                path,
                effect: Some(SowEffectView::from(sowing.effect)),
                capture: capture_view(&sowing),
                swept: (sowing.swept).map(|swept| BySide::from_fn(|side| swept[side].get())),
                after,
            },
            MoveResult::Swapped => Self {
                mv: text,
                side,
                is_swap: true,
                seeds: 0,
                path,
                effect: None,
                capture: None,
                swept: None,
                after,
            },
        })
    }
}

fn capture_view(sowing: &SowResult) -> Option<CaptureView> {
    match sowing.effect {
        SowEffect::Capture(capture) => Some(CaptureView {
            house: house_label(sowing.side, capture.house),
            from: house_label(sowing.side.opponent(), capture.from),
            seeds: capture.seeds.get(),
        }),
        SowEffect::TurnPasses | SowEffect::BonusTurn => None,
    }
}

/// Returns the letter of a house, or the owner of a store.
fn pit_label(pit: Pit) -> String {
    match pit {
        Pit::House(owner, house) => house_label(owner, house),
        Pit::Store(owner) => owner.as_str().to_owned(),
    }
}

fn house_label(owner: Side, house: House) -> String {
    house.letter(owner).to_string()
}
