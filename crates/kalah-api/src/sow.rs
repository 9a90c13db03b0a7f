use kalah::{Move, MoveResult, Position, Side, SowEffect, SowResult};
use serde::{Deserialize, Serialize};

use crate::words::{house_label, pit_label};
use crate::{PerSide, PositionView, RequestError, start};

/// What does this choice do? The question `sow`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SowRequest {
    /// `cs32` if missing.
    pub rules: Option<String>,
    /// `6x4` if missing.
    pub position: Option<String>,
    /// A house of the side to move, or `swap`.
    #[serde(rename = "choice")]
    pub mv: String,
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

impl SowRequest {
    /// What the choice does.
    ///
    /// # Errors
    /// Why there is no such position, or why the choice cannot be made in it.
    pub fn execute(&self) -> Result<MoveResultView, RequestError> {
        let mut position = start::parse_position(self.rules.as_deref(), self.position.as_deref())?;
        let mv = start::parse_move(&self.mv, &position)?;
        MoveResultView::play(&mut position, mv)
    }
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
