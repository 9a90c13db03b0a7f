//! Positions and moves: the requests about one position, which need only the rules (`rules`,
//! `position` and `move`), and positions and moves as responses show them.

use kalah::{
    BySide, FirstPlyRules, House, HouseLabelError, Labels, Move, MoveResult, Pit, Position, Quoted,
    Rules, Setup, Side, SowEffect, SowResult,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::json::{BySideSchema, MOVE_PATTERN, PIT_PATTERN, POSITION_PATTERN, SideSchema};
use crate::{Endpoint, Execution, RequestError};

/// The position of a request that names none.
const DEFAULT_POSITION: &str = "6x4";

/// Parses the rules and the position of a request; the defaults are `cs32` and `6x4`.
///
/// # Errors
/// [`RequestError::Rules`], [`RequestError::Position`] and [`RequestError::Unplayable`].
pub fn parse_position(
    rules: Option<&str>,
    position: Option<&str>,
) -> Result<Position, RequestError> {
    let rules = rules.map_or(Ok(Rules::default()), str::parse)?;
    let text = position.unwrap_or(DEFAULT_POSITION);
    let setup: Setup = text.parse()?;
    setup
        .position(rules)
        .map_err(|reason| RequestError::Unplayable {
            text: text.to_owned(),
            reason,
        })
}

/// Parses a move of the side to move: the letter of a house, or `swap`. The move may be illegal.
///
/// # Errors
/// [`RequestError::InvalidMove`] if the text names no house of that side.
pub fn parse_move(text: &str, position: &Position) -> Result<Move, RequestError> {
    if text == "swap" {
        return Ok(Move::Swap);
    }
    let house = Labels::Letters.parse_house(text, position.to_move(), position.houses())?;
    let mv = Move::Sow(house);
    if mv.text(position.to_move()) == text {
        Ok(mv)
    } else {
        // `parse_house` ignores case, but a letter of the other case is a house of the other side.
        Err(RequestError::InvalidMove(HouseLabelError::OtherSide {
            text: Quoted::new(text),
            side: position.to_move(),
        }))
    }
}

/// The request `rules`: describes the presets of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesRequest {}

impl Endpoint for RulesRequest {
    type Response = Vec<PresetView>;
    const NAME: &str = "rules";
    const SUMMARY: &str = "Returns the presets, the default first.";
    const RESPONSE_SUMMARY: &str = "The presets.";
    const EXECUTION: Execution<Self> = Execution::Constant(presets);

    fn example() -> Value {
        json!({})
    }
}

/// The request `position`: describes a position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionRequest {
    /// The rules: the name of a preset or all four fields; `cs32` by default.
    #[schemars(example = &"cs32")]
    pub rules: Option<String>,
    /// The position; `6x4` by default.
    #[schemars(example = &"6x4")]
    pub position: Option<String>,
}

impl PositionRequest {
    /// Returns the position.
    ///
    /// # Errors
    /// Those of [`parse_position`].
    pub fn execute(&self) -> Result<PositionView, RequestError> {
        parse_position(self.rules.as_deref(), self.position.as_deref())
            .map(|position| PositionView::from(&position))
    }
}

impl Endpoint for PositionRequest {
    type Response = PositionView;
    const NAME: &str = "position";
    const SUMMARY: &str = "Describes a position.";
    const RESPONSE_SUMMARY: &str = "The position.";
    const EXECUTION: Execution<Self> = Execution::Immediate(Self::execute);

    fn example() -> Value {
        json!({"position": "6x4"})
    }
}

/// The request `move`: makes a move in a position.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    /// The rules: the name of a preset or all four fields; `cs32` by default.
    #[schemars(example = &"cs32")]
    pub rules: Option<String>,
    /// The position; `6x4` by default.
    #[schemars(example = &"6x4")]
    pub position: Option<String>,
    /// A house of the side to move, or `swap`.
    #[serde(rename = "move")]
    #[schemars(example = &"C")]
    pub mv: String,
}

impl MoveRequest {
    /// Returns the result of the move.
    ///
    /// # Errors
    /// Those of [`parse_position`] and [`parse_move`], and [`RequestError::IllegalMove`].
    pub fn execute(&self) -> Result<MoveResultView, RequestError> {
        let mut position = parse_position(self.rules.as_deref(), self.position.as_deref())?;
        let mv = parse_move(&self.mv, &position)?;
        MoveResultView::play(&mut position, mv)
    }
}

impl Endpoint for MoveRequest {
    type Response = MoveResultView;
    const NAME: &str = "move";
    const SUMMARY: &str = "Makes a move in a position.";
    const RESPONSE_SUMMARY: &str = "The result of the move.";
    const EXECUTION: Execution<Self> = Execution::Immediate(Self::execute);

    fn example() -> Value {
        json!({"position": "6x4", "move": "C"})
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

/// A preset of the rules with its descriptions for players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PresetView {
    /// The name of the preset, which requests accept as `rules`.
    pub name: String,
    /// A sentence about its end of the game, its captures, and its unusual rules.
    pub summary: String,
    /// The programs and places that use these rules.
    pub played_by: String,
    /// The end of the game: `stuck` if the side to move has no move, or `row` if a row is empty.
    pub ends: String,
    /// The captures: `opposite` if they need seeds in the opposite house, or `always`.
    pub capture: String,
    /// Whether the sides may be exchanged at ply 2.
    pub swap: bool,
    /// Whether the first move may give a bonus turn.
    pub first_bonus: bool,
    /// Whether these are the rules of a request that names none.
    pub default: bool,
    /// Phrases about the end of the game, captures, the swap, and bonus turns at the first move.
    #[schemars(length(equal = 4))]
    pub descriptions: Vec<String>,
}

/// Returns the presets of the rules, the default first: the response to the request `rules`.
pub fn presets() -> Vec<PresetView> {
    let view = |preset: &kalah::Preset| {
        let [(_, ends), (_, capture)] = preset.rules.house_rules.fields();
        let FirstPlyRules { swap, first_bonus } = preset.rules.first_ply_rules;
        PresetView {
            name: preset.name.to_owned(),
            summary: summary(preset.rules),
            played_by: preset.played_by.to_owned(),
            ends: ends.to_owned(),
            capture: capture.to_owned(),
            swap,
            first_bonus,
            default: preset.rules == Rules::default(),
            descriptions: preset.rules.descriptions().map(str::to_owned).into(),
        }
    };
    Rules::PRESETS.iter().map(view).collect()
}

/// Returns a sentence about the end of the game and captures, and about the swap and bonus turns at
/// the first move if they differ from the usual rules.
fn summary(rules: Rules) -> String {
    let [ends, capture, swap_phrase, first_bonus_phrase] = rules.descriptions();
    let FirstPlyRules { swap, first_bonus } = rules.first_ply_rules;
    let phrases = [
        Some(ends),
        Some(capture),
        swap.then_some(swap_phrase),
        (!first_bonus).then_some(first_bonus_phrase),
    ];
    let phrases: Vec<&str> = phrases.into_iter().flatten().collect();
    let mut sentence = phrases.join("; ");
    if let Some(first_letter) = sentence.get_mut(..1) {
        first_letter.make_ascii_uppercase();
    }
    sentence.push('.');
    sentence
}
