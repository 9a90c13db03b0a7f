use kalah::Rules;
use serde::{Deserialize, Serialize};

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
