use kalah::{Labels, Move, Position, Rules, Setup};
use serde::{Deserialize, Serialize};

use crate::{MoveResultView, PositionView, RequestError};

/// The position where nobody says otherwise.
const DEFAULT_POSITION: &str = "6x4";

/// The position that a question names, `cs32` and 6x4 where it does not.
///
/// # Errors
/// Why there is none.
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

/// The choice of the side to move that a text names: a letter, or `swap`. Whether it is legal is not asked.
///
/// # Errors
/// If the text names none of that side's houses.
pub fn parse_move(text: &str, position: &Position) -> Result<Move, RequestError> {
    if text == "swap" {
        return Ok(Move::Swap);
    }
    let house = Labels::Letters.parse_house(text, position.to_move(), position.houses())?;
    let mv = Move::Sow(house);
    if mv.text(position.to_move()) == text {
        Ok(mv)
    } else {
        // A letter of the other case is a house of the other side.
        Err(RequestError::InvalidMove(
            kalah::HouseLabelError::OtherSide {
                text: kalah::Quoted::new(text),
                side: position.to_move(),
            },
        ))
    }
}

/// What is this position? The question `position`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionRequest {
    /// `cs32` if missing.
    pub rules: Option<String>,
    /// `6x4` if missing.
    pub position: Option<String>,
}

impl PositionRequest {
    /// The position.
    ///
    /// # Errors
    /// Why there is no such position.
    pub fn execute(&self) -> Result<PositionView, RequestError> {
        parse_position(self.rules.as_deref(), self.position.as_deref())
            .map(|position| PositionView::from(&position))
    }
}

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

impl SowRequest {
    /// What the choice does.
    ///
    /// # Errors
    /// Why there is no such position, or why the choice cannot be made in it.
    pub fn execute(&self) -> Result<MoveResultView, RequestError> {
        let mut position = parse_position(self.rules.as_deref(), self.position.as_deref())?;
        let mv = parse_move(&self.mv, &position)?;
        MoveResultView::play(&mut position, mv)
    }
}

/// A rule set with a name, as it is explained to people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PresetView {
    /// The name, which questions take for `rules`.
    pub name: String,
    /// What is particular about it, in a sentence.
    #[serde(rename = "sentence")]
    pub summary: String,
    /// Where it is played.
    pub played_by: String,
    /// Whether sides may be exchanged at ply 2.
    pub swap: bool,
    /// Whether these are the rules where nobody says otherwise.
    pub default: bool,
    /// When the game ends, what a capture needs, the swap, and the first sowing.
    #[serde(rename = "phrases")]
    pub descriptions: Vec<String>,
}

/// The named rule sets, the default first: the answer to `rules`.
pub fn presets() -> Vec<PresetView> {
    let view = |preset: &kalah::Preset| PresetView {
        name: preset.name.to_owned(),
        summary: summary(preset.rules),
        played_by: preset.played_by.to_owned(),
        swap: preset.rules.swap,
        default: preset.rules == Rules::default(),
        descriptions: preset.rules.descriptions().map(str::to_owned).into(),
    };
    Rules::PRESETS.iter().map(view).collect()
}

/// When the game ends and what a capture needs, and the rest where it is out of the ordinary.
fn summary(rules: Rules) -> String {
    let [ends, capture, swap, first] = rules.descriptions();
    let told = [
        Some(ends),
        Some(capture),
        rules.swap.then_some(swap),
        (!rules.first_bonus).then_some(first),
    ];
    let told: Vec<&str> = told.into_iter().flatten().collect();
    let mut sentence = told.join("; ");
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    sentence.push('.');
    sentence
}
