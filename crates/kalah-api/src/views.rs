use kalah::{BySide, House, Move, MoveResult, Pit, Position, Side, SowEffect, SowResult};
use kalah_engine::Bounds;
use serde::{Deserialize, Serialize};

use crate::RequestError;

/// Something for each side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerSide<T> {
    /// South's.
    pub south: T,
    /// North's.
    pub north: T,
}

impl<T> From<BySide<T>> for PerSide<T> {
    fn from(BySide { south, north }: BySide<T>) -> Self {
        Self { south, north }
    }
}

/// The least and the most that a margin can be, and whether these are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundsView {
    /// No less, in seeds.
    pub lower: i32,
    /// No more, in seeds.
    pub upper: i32,
    /// Whether the margin is known.
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

/// What a choice did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveResultView {
    /// The choice.
    #[serde(rename = "choice")]
    pub mv: String,
    /// Whose it was.
    pub side: Side,
    /// Whether the two people exchanged seats; then no seed moved.
    #[serde(rename = "swapped")]
    pub is_swap: bool,
    /// Seeds that were sown.
    pub seeds: u16,
    /// The pit that each seed fell into, one after another; the first [`MoveResultView::MAX_PATH`] of them.
    pub path: Vec<String>,
    /// What the last seed brought about; nothing after a swap.
    pub effect: Option<SowEffectView>,
    /// What was captured.
    pub capture: Option<CaptureView>,
    /// Seeds that each side swept into its store, if the game ended.
    pub swept: Option<PerSide<u16>>,
    /// The position after it.
    pub after: PositionView,
}

/// What a last seed brings about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SowEffectView {
    /// The other side is to move.
    TurnPasses,
    /// The same side sows again.
    BonusTurn,
    /// Seeds were captured, and the other side is to move.
    Capture,
}

/// What was captured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureView {
    /// The capturer's house in which the last seed fell.
    pub house: String,
    /// The other side's house that was emptied.
    pub from: String,
    /// Seeds that went to the capturer's store, the last seed included.
    pub seeds: u16,
}

impl MoveResultView {
    /// The longest path that is told. A board of 10x10 has no longer ones.
    pub const MAX_PATH: usize = 200;

    /// Makes a choice and tells what it did.
    ///
    /// # Errors
    /// Why it is against the rules; the position is unchanged then.
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
        let played = position
            .play(mv)
            .map_err(|reason| RequestError::IllegalMove {
                mv: text.clone(),
                reason,
            })?;
        let after = PositionView::from(&*position);
        Ok(match played {
            MoveResult::Sown(sown) => Self {
                mv: text,
                side,
                is_swap: false,
                seeds: sown.seeds.get(),
                path,
                effect: Some(SowEffectView::from(sown.effect)),
                capture: capture_view(&sown),
                swept: sown.swept.map(|swept| PerSide {
                    south: swept[Side::South].get(),
                    north: swept[Side::North].get(),
                }),
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

fn capture_view(sown: &SowResult) -> Option<CaptureView> {
    match sown.effect {
        SowEffect::Capture(capture) => Some(CaptureView {
            house: house_label(sown.side, capture.house),
            from: house_label(sown.side.opponent(), capture.from),
            seeds: capture.seeds.get(),
        }),
        SowEffect::TurnPasses | SowEffect::BonusTurn => None,
    }
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

/// A house's letter, or the side whose store it is.
pub(crate) fn pit_label(pit: Pit) -> String {
    match pit {
        Pit::House(owner, house) => house_label(owner, house),
        Pit::Store(owner) => owner.as_str().to_owned(),
    }
}

pub(crate) fn house_label(owner: Side, house: House) -> String {
    house.letter(owner).to_string()
}
