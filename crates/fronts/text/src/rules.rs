//! The rules as text for players.

use std::borrow::Cow;

use kalah::Rules;

/// The paragraphs before the rule sets.
const COMMON_RULES: [&str; 2] = [
    "Each side has a row of houses and a store on its right. To sow, take all seeds of one of your \
     houses and drop them one by one counterclockwise, also into your own store but not into your \
     opponent's. If the last seed falls into your store, you sow again: a bonus turn. If it falls \
     into a house of yours that was empty just before, it captures: it and the seeds of the \
     opposite house go to your store. At the end the seeds of each row go to the store of its \
     owner. The player with more seeds wins.",
    "The rule sets differ in when the game ends, what a capture needs, whether North may exchange \
     sides instead of its first sowing, and whether the very first sowing may give a bonus turn:",
];

/// The paragraph after the rule sets, and the form of other rules.
const CUSTOM_RULES: &str = "Other rules have all four fields:";
const RULES_FIELDS: &str = "ends=stuck|row,capture=opposite|always,swap=yes|no,first-bonus=yes|no";

/// Returns the lines of the rules and of all named rule sets, at most `width` columns wide.
///
/// # Examples
/// ```
/// let lines = kalah_text::rules_lines(40);
/// assert!(lines.iter().all(|line| line.len() <= 40));
/// assert!(lines.iter().any(|line| line.starts_with("cs32 (the default): ")));
/// ```
pub fn rules_lines(width: usize) -> Vec<String> {
    let indented = textwrap::Options::new(width)
        .initial_indent("  ")
        .subsequent_indent("    ");
    let mut lines = Vec::new();
    let mut add = |text: &str, options: &textwrap::Options| {
        let wrapped = textwrap::wrap(text, options);
        lines.extend(wrapped.into_iter().map(Cow::into_owned));
    };
    let plain = textwrap::Options::new(width);
    for paragraph in COMMON_RULES {
        add(paragraph, &plain);
        add("", &plain);
    }
    for preset in Rules::PRESETS {
        let default = if preset.rules == Rules::default() {
            " (the default)"
        } else {
            ""
        };
        let title = format!("{}{default}: {}", preset.name, preset.played_by);
        add(&title, &plain);
        for phrase in preset.rules.descriptions() {
            add(phrase, &indented);
        }
        add("", &plain);
    }
    add(CUSTOM_RULES, &plain);
    add(RULES_FIELDS, &indented);
    lines
}
