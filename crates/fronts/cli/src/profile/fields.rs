//! The fields of `profile.json`, and the check that names a wrong one in plain words.

use kalah::{ClockSetting, Rules};
use kalah_players::{PlayerSpec, escape_truncated};
use kalah_tui::{AnimationSpeed, PuzzleDifficulty};
use serde_json::Value;

/// A field of the file or of a section of it. A field may be missing.
struct Field {
    name: &'static str,
    value: FieldValue,
    /// Whether the value may be `null`.
    is_optional: bool,
}

/// The values that a field takes.
enum FieldValue {
    Section(&'static [Field]),
    /// `true` or `false`.
    Flag,
    /// A whole number from 0 to a maximum.
    Number(u64),
    /// A text that the function accepts, in words for a message.
    Text(&'static str, fn(&str) -> bool),
}

const fn field(name: &'static str, value: FieldValue) -> Field {
    Field {
        name,
        value,
        is_optional: false,
    }
}

const fn optional(name: &'static str, value: FieldValue) -> Field {
    Field {
        name,
        value,
        is_optional: true,
    }
}

/// The maximum of ratings and of counts.
const MAX_RATING: u64 = i32::MAX as u64;
const MAX_COUNT: u64 = u32::MAX as u64;

const PLAYER: FieldValue = FieldValue::Text("a player such as level:3", |text| {
    text.parse::<PlayerSpec>().is_ok()
});

const NEW_GAME: [Field; 6] = [
    optional("south", PLAYER),
    optional("north", PLAYER),
    field(
        "rules",
        FieldValue::Text("rules such as cs32", |text| text.parse::<Rules>().is_ok()),
    ),
    field("houses", FieldValue::Number(u8::MAX as u64)),
    field("seeds", FieldValue::Number(u16::MAX as u64)),
    optional(
        "clock",
        FieldValue::Text("a clock such as 5m+3s", |text| {
            text.parse::<ClockSetting>().is_ok()
        }),
    ),
];

const PREFERENCES: [Field; 4] = [
    optional(
        "speed",
        FieldValue::Text("a speed such as fast", |text| {
            AnimationSpeed::ALL
                .iter()
                .any(|speed| speed.as_str() == text)
        }),
    ),
    field("shows_margins", FieldValue::Flag),
    optional(
        "difficulty",
        FieldValue::Text("a difficulty such as easy", |text| {
            PuzzleDifficulty::from_name(text).is_some()
        }),
    ),
    optional("new_game", FieldValue::Section(&NEW_GAME)),
];

const GAMES: [Field; 2] = [
    field("rating", FieldValue::Number(MAX_RATING)),
    field("games", FieldValue::Number(MAX_COUNT)),
];

const PUZZLES: [Field; 9] = [
    field("rating", FieldValue::Number(MAX_RATING)),
    field("streak", FieldValue::Number(MAX_COUNT)),
    field("best_streak", FieldValue::Number(MAX_COUNT)),
    field("solved", FieldValue::Number(MAX_COUNT)),
    field("played", FieldValue::Number(MAX_COUNT)),
    optional("rated_day", FieldValue::Number(MAX_COUNT)),
    optional("ended_day", FieldValue::Number(MAX_COUNT)),
    field("days", FieldValue::Number(MAX_COUNT)),
    field("best_days", FieldValue::Number(MAX_COUNT)),
];

const SECTIONS: [Field; 3] = [
    field("preferences", FieldValue::Section(&PREFERENCES)),
    field("games", FieldValue::Section(&GAMES)),
    field("puzzles", FieldValue::Section(&PUZZLES)),
];

/// Parses the text of the file as JSON, and checks its fields.
///
/// # Errors
/// The reason in words, which names the first wrong field.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let value: Value = serde_json::from_str(text).map_err(|reason| {
        let (line, column) = (reason.line(), reason.column());
        format!("it is not JSON at line {line}, column {column}")
    })?;
    check_section(&value, &SECTIONS, "")?;
    Ok(value)
}

/// Checks the fields of a section; `path` is its name with a dot, empty for the whole file.
fn check_section(value: &Value, fields: &[Field], path: &str) -> Result<(), String> {
    let Value::Object(entries) = value else {
        let name = path.trim_end_matches('.');
        let subject = if name.is_empty() {
            "it".to_owned()
        } else {
            format!("`{name}`")
        };
        return Err(format!(
            "{subject} is {}, expected fields in braces",
            shown(value)
        ));
    };
    for (name, value) in entries {
        let Some(field) = fields.iter().find(|field| field.name == name) else {
            let name = escape_truncated(name);
            return Err(format!("`{path}{name}` is not a field of a profile"));
        };
        check_field(value, field, path)?;
    }
    Ok(())
}

fn check_field(value: &Value, field: &Field, path: &str) -> Result<(), String> {
    if field.is_optional && value.is_null() {
        return Ok(());
    }
    let name = format!("{path}{}", field.name);
    let (is_valid, expected) = match &field.value {
        FieldValue::Section(fields) => return check_section(value, fields, &format!("{name}.")),
        FieldValue::Flag => (value.is_boolean(), "true or false".to_owned()),
        FieldValue::Number(max) => (
            value.as_u64().is_some_and(|number| number <= *max),
            format!("a whole number from 0 to {max}"),
        ),
        FieldValue::Text(expected, accepts) => {
            (value.as_str().is_some_and(accepts), (*expected).to_owned())
        }
    };
    if is_valid {
        Ok(())
    } else {
        Err(format!("`{name}` is {}, expected {expected}", shown(value)))
    }
}

/// Returns a value for a message, and only the kind of a long one.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a section".to_owned(),
        value => escape_truncated(&value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_field_is_named_in_plain_words() {
        for (text, message) in [
            ("{", "it is not JSON at line 1, column 1"),
            ("", "it is not JSON at line 1, column 0"),
            ("[]", "it is a list, expected fields in braces"),
            ("7", "it is 7, expected fields in braces"),
            (
                "{\"games\": [1, 2]}",
                "`games` is a list, expected fields in braces",
            ),
            (
                "{\"games\": {\"rating\": \"abc\"}}",
                "`games.rating` is \"abc\", expected a whole number from 0 to 2147483647",
            ),
            (
                "{\"puzzles\": {\"days\": -1}}",
                "`puzzles.days` is -1, expected a whole number from 0 to 4294967295",
            ),
            (
                "{\"preferences\": {\"shows_margins\": 1}}",
                "`preferences.shows_margins` is 1, expected true or false",
            ),
            (
                "{\"preferences\": {\"speed\": \"warp\"}}",
                "`preferences.speed` is \"warp\", expected a speed such as fast",
            ),
            (
                "{\"preferences\": {\"new_game\": {\"rules\": null}}}",
                "`preferences.new_game.rules` is null, expected rules such as cs32",
            ),
            ("{\"other\": 1}", "`other` is not a field of a profile"),
        ] {
            assert_eq!(parse(text).unwrap_err(), message, "{text}");
        }
        for text in ["{}", "{\"preferences\": {\"speed\": null}, \"games\": {}}"] {
            assert!(parse(text).is_ok(), "{text}");
        }
    }
}
