//! The parts of the response to `review` that the page puts into words: reasons of moves, accuracy
//! by phase, levels.

use kalah::{House, SeedCount, Side};
use kalah_engine::{LevelEstimate, LevelNumber, PhaseAccuracy, Reason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::AccuracyView;
use crate::json::MOVE_PATTERN;

/// A reason why a move is bad or good. Fields that its kind does not name are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReasonView {
    /// The kind.
    pub kind: ReasonKindView,
    /// The house that the kind names.
    #[schemars(inner(regex(pattern = MOVE_PATTERN)))]
    pub house: Option<String>,
    /// The other house that the kind names.
    #[schemars(inner(regex(pattern = MOVE_PATTERN)))]
    pub other_house: Option<String>,
    /// The number of seeds.
    pub seeds: Option<u16>,
    /// The number of bonus turns.
    pub turns: Option<u32>,
}

/// The kind of a reason: five for blame, then six for praise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonKindView {
    /// The opponent takes the last `seeds` at the end, and fewer after a better move.
    GaveLastSeeds,
    /// Every better move captures more in its turn; the best one sows `house` for a capture of
    /// `seeds`, in a turn that begins with `other_house` (the same house if it captures at once).
    MissedCapture,
    /// The best reply captures `seeds` from `house` with `other_house`; a better move prevents it.
    LeftCapture,
    /// Every better move gives a bonus turn and the move made none; the best one sows `house`.
    MissedBonusTurn,
    /// The best reply begins `turns` bonus turns; after a better move there are fewer.
    GaveBonusTurns,
    /// The move is proven to be the best although `house` looks better: it captures `seeds`, or
    /// gives a bonus turn if `seeds` is `None`.
    Beautiful,
    /// The move is proven to be the only one that wins.
    OnlyWin,
    /// The move is proven to be the only one that does not lose; it ties.
    OnlyTie,
    /// The move ended the game: the opponent had no seeds left, and the player took `seeds`.
    Starved,
    /// The move captured `seeds`.
    Captured,
    /// The move gave the last of `turns` bonus turns in a row.
    BonusTurns,
}

/// The accuracy of a player in each phase of the game, by the share of all seeds that are in the
/// houses before a ply.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseAccuracyView {
    /// More than two thirds of the seeds are in the houses.
    pub opening: AccuracyView,
    /// More than one third and at most two thirds of the seeds are in the houses.
    pub middlegame: AccuracyView,
    /// At most one third of the seeds are in the houses.
    pub endgame: AccuracyView,
}

/// An estimate of a player's level, from the costs of the proven moves of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LevelEstimateView {
    /// The most probable level.
    #[schemars(range(min = LevelNumber::MIN.get(), max = LevelNumber::MAX.get()))]
    pub level: u8,
    /// The lowest level of the range.
    #[schemars(range(min = LevelNumber::MIN.get(), max = LevelNumber::MAX.get()))]
    pub lowest: u8,
    /// The highest level of the range, which has a probability of at least 80 %.
    #[schemars(range(min = LevelNumber::MIN.get(), max = LevelNumber::MAX.get()))]
    pub highest: u8,
    /// The number of plies that count.
    pub plies: u32,
}

impl ReasonView {
    /// Returns the view of a reason of a ply of `side`.
    pub fn new(reason: Reason, side: Side) -> Self {
        let own = |house: House| Some(house.letter(side).to_string());
        let theirs = |house: House| Some(house.letter(side.opponent()).to_string());
        let count = |seeds: SeedCount| Some(seeds.get());
        let of_kind = |kind| Self {
            kind,
            house: None,
            other_house: None,
            seeds: None,
            turns: None,
        };
        match reason {
            Reason::GaveLastSeeds { seeds } => Self {
                seeds: count(seeds),
                ..of_kind(ReasonKindView::GaveLastSeeds)
            },
            Reason::MissedCapture {
                first,
                house,
                seeds,
            } => Self {
                house: own(house),
                other_house: own(first),
                seeds: count(seeds),
                ..of_kind(ReasonKindView::MissedCapture)
            },
            Reason::LeftCapture { house, by, seeds } => Self {
                house: own(house),
                other_house: theirs(by),
                seeds: count(seeds),
                ..of_kind(ReasonKindView::LeftCapture)
            },
            Reason::MissedBonusTurn { house } => Self {
                house: own(house),
                ..of_kind(ReasonKindView::MissedBonusTurn)
            },
            Reason::GaveBonusTurns { turns } => Self {
                turns: Some(turns),
                ..of_kind(ReasonKindView::GaveBonusTurns)
            },
            Reason::Beautiful { tempting, seeds } => Self {
                house: own(tempting),
                seeds: seeds.and_then(count),
                ..of_kind(ReasonKindView::Beautiful)
            },
            Reason::OnlyWin => of_kind(ReasonKindView::OnlyWin),
            Reason::OnlyTie => of_kind(ReasonKindView::OnlyTie),
            Reason::Starved { seeds } => Self {
                seeds: count(seeds),
                ..of_kind(ReasonKindView::Starved)
            },
            Reason::Captured { seeds } => Self {
                seeds: count(seeds),
                ..of_kind(ReasonKindView::Captured)
            },
            Reason::BonusTurns { turns } => Self {
                turns: Some(turns),
                ..of_kind(ReasonKindView::BonusTurns)
            },
        }
    }
}

impl From<PhaseAccuracy> for PhaseAccuracyView {
    fn from(accuracy: PhaseAccuracy) -> Self {
        let PhaseAccuracy {
            opening,
            middlegame,
            endgame,
        } = accuracy;
        Self {
            opening: opening.into(),
            middlegame: middlegame.into(),
            endgame: endgame.into(),
        }
    }
}

impl From<LevelEstimate> for LevelEstimateView {
    fn from(estimate: LevelEstimate) -> Self {
        let LevelEstimate {
            level,
            lowest,
            highest,
            plies,
        } = estimate;
        Self {
            level: level.get(),
            lowest: lowest.get(),
            highest: highest.get(),
            plies,
        }
    }
}
