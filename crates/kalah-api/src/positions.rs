//! Requests about one position, which need only the rules: `rules`, `position` and `move`.

use kalah::{HouseLabelError, Labels, Move, Position, Quoted, Rules, Setup};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{MoveResultView, PositionView, RequestError};

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
        let [(_, ends), (_, capture), _, _] = preset.rules.fields();
        PresetView {
            name: preset.name.to_owned(),
            summary: summary(preset.rules),
            played_by: preset.played_by.to_owned(),
            ends: ends.to_owned(),
            capture: capture.to_owned(),
            swap: preset.rules.swap,
            first_bonus: preset.rules.first_bonus,
            default: preset.rules == Rules::default(),
            descriptions: preset.rules.descriptions().map(str::to_owned).into(),
        }
    };
    Rules::PRESETS.iter().map(view).collect()
}

/// Returns a sentence about the end of the game and captures, and about the swap and bonus turns at
/// the first move if they differ from the usual rules.
fn summary(rules: Rules) -> String {
    let [ends, capture, swap, first_bonus] = rules.descriptions();
    let phrases = [
        Some(ends),
        Some(capture),
        rules.swap.then_some(swap),
        (!rules.first_bonus).then_some(first_bonus),
    ];
    let phrases: Vec<&str> = phrases.into_iter().flatten().collect();
    let mut sentence = phrases.join("; ");
    if let Some(first_letter) = sentence.get_mut(..1) {
        first_letter.make_ascii_uppercase();
    }
    sentence.push('.');
    sentence
}
