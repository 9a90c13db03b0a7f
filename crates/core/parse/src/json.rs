//! Errors of JSON in words, without those of the parser.

use kalah::Quoted;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;
use thiserror::Error;

/// The reason why a text is not the JSON of a value, and its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct JsonError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the byte in the line.
    pub column: usize,
    /// The reason.
    pub problem: JsonProblem,
}

/// The reason why a text is not the JSON of a value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JsonProblem {
    /// The text ends within a value.
    #[error("the text ends too early")]
    End,
    /// The text is not JSON.
    #[error("the text is not JSON")]
    Syntax,
    /// A key is missing in the object that ends at the place.
    #[error("{} is missing", Quoted::new(.0))]
    MissingKey(String),
    /// The object has no such key.
    #[error("{} is an unknown key{}", Quoted::new(key), expectation(expected))]
    UnknownKey {
        /// The key.
        key: String,
        /// The keys of the object, in words; empty if it has none.
        expected: String,
    },
    /// A value is a text, but not one of the names that are possible.
    #[error("{} is an unknown value{}", Quoted::new(name), expectation(expected))]
    UnknownName {
        /// The value.
        name: String,
        /// The names, in words.
        expected: String,
    },
    /// A key occurs twice.
    #[error("{} is given twice", Quoted::new(.0))]
    DuplicateKey(String),
    /// A value has another type.
    #[error("expected {expected}, not {found}")]
    Type {
        /// The expected type, in words.
        expected: String,
        /// The value or its type, in words.
        found: String,
    },
    /// A value is invalid. The text is the reason.
    #[error("{0}")]
    Value(String),
}

fn expectation(expected: &str) -> String {
    if expected.is_empty() {
        String::new()
    } else {
        format!(", expected {expected}")
    }
}

/// Types in messages of serde, or the first words of these, and their names.
const EXPECTED_TYPES: [(&str, &str); 17] = [
    ("u8", "a whole number from 0 to 255"),
    ("u16", "a whole number from 0 to 65535"),
    ("u32", "a whole number from 0"),
    ("u64", "a whole number from 0"),
    ("usize", "a whole number from 0"),
    ("i32", "a whole number"),
    ("i64", "a whole number"),
    ("f32", "a number"),
    ("f64", "a number"),
    ("a string", "a text"),
    ("a boolean", "true or false"),
    ("a map", "an object"),
    ("a sequence", "a list"),
    ("a tuple of size 2", "a list of two values"),
    ("unit", "null"),
    ("struct", "an object"),
    ("enum", "a text"),
];

/// Messages of the standard library about the text of a whole number.
const NUMBER_MESSAGES: [&str; 5] = [
    "cannot parse integer from empty string",
    "invalid digit found in string",
    "number too large to fit in target type",
    "number too small to fit in target type",
    "number would be zero for non-zero type",
];

/// Parses a JSON text.
///
/// # Errors
/// Returns the reason. If the text is not JSON, this is the reason, even if a value before the
/// place is invalid, too.
///
/// ```
/// let error = kalah_parse::parse_json::<Vec<u8>>(b"[6, 4.5]").expect_err("no whole number");
/// assert_eq!(
///     error.to_string(),
///     "line 1, column 7: expected a whole number from 0 to 255, not `4.5`"
/// );
/// ```
pub fn parse_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, JsonError> {
    serde_json::from_slice(text).map_err(|error| {
        // The parser stops at an invalid value, before it has seen the rest of the text.
        if let Err(error) = serde_json::from_slice::<IgnoredAny>(text) {
            return JsonError::from(error);
        }
        let error = JsonError::from(error);
        if error.problem == JsonProblem::Syntax {
            // The parser calls a value that is no text an error of syntax where it expects a name.
            let problem = JsonProblem::Value("expected a text".to_owned());
            return JsonError { problem, ..error };
        }
        error
    })
}

/// Returns a message of serde about a value, such as "missing field `move`", in words.
///
/// ```
/// let described = kalah_parse::describe_value_error("unknown field `pit`, expected `move`");
/// assert_eq!(described, "`pit` is an unknown key, expected `move`");
/// ```
pub fn describe_value_error(message: &str) -> String {
    JsonProblem::of_message(message).to_string()
}

impl From<serde_json::Error> for JsonError {
    fn from(error: serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let problem = match error.classify() {
            Category::Eof => JsonProblem::End,
            Category::Io | Category::Syntax => JsonProblem::Syntax,
            Category::Data => {
                let message = error.to_string();
                let place = format!(" at line {line} column {column}");
                JsonProblem::of_message(message.strip_suffix(&*place).unwrap_or(&message))
            }
        };
        Self {
            line,
            column,
            problem,
        }
    }
}

impl JsonProblem {
    /// Returns whether the text is JSON, and its value is invalid.
    pub fn is_of_value(&self) -> bool {
        !matches!(self, Self::End | Self::Syntax)
    }

    /// Returns the problem of a message of serde about a value, such as "missing field `x`".
    fn of_message(message: &str) -> Self {
        /// Returns the name in a message that begins so, and the text behind `, expected `.
        fn named(message: &str, start: &str) -> Option<(String, String)> {
            let (name, rest) = message.strip_prefix(start)?.split_once('`')?;
            let expected = rest.strip_prefix(", expected ").unwrap_or_default();
            Some((name.to_owned(), expected.to_owned()))
        }
        if let Some((key, _)) = named(message, "missing field `") {
            return Self::MissingKey(key);
        }
        if let Some((key, expected)) = named(message, "unknown field `") {
            return Self::UnknownKey { key, expected };
        }
        if let Some((key, _)) = named(message, "duplicate field `") {
            return Self::DuplicateKey(key);
        }
        if let Some((name, expected)) = named(message, "unknown variant `") {
            return Self::UnknownName { name, expected };
        }
        if NUMBER_MESSAGES.contains(&message) {
            return Self::Value("expected a whole number within its range".to_owned());
        }
        let found = (message.strip_prefix("invalid type: "))
            .or_else(|| message.strip_prefix("invalid value: "))
            .or_else(|| message.strip_prefix("invalid "));
        match found.and_then(|text| text.rsplit_once(", expected ")) {
            Some((found, expected)) => Self::Type {
                expected: describe_expected(expected),
                found: describe_found(found),
            },
            None => Self::Value(message.to_owned()),
        }
    }
}

/// Returns the expected type of a message of serde, such as `u32`.
fn describe_expected(text: &str) -> String {
    let word = text.split(' ').next().unwrap_or_default();
    let mut types = EXPECTED_TYPES.iter();
    let known = types.find(|(name, _)| *name == text || *name == word);
    known.map_or(text, |(_, words)| words).to_owned()
}

/// Returns the value that a message of serde has found, such as a string or a map.
fn describe_found(text: &str) -> String {
    match text.split_once(' ').unwrap_or((text, "")) {
        // "invalid length 0" is about a list.
        ("sequence" | "length", _) => "a list".to_owned(),
        ("map", _) => "an object".to_owned(),
        ("string", value) => {
            let value = value.trim_start_matches('"');
            let value = value.strip_suffix('"').unwrap_or(value);
            format!("the text {}", Quoted::new(value))
        }
        ("integer" | "boolean", value) => value.to_owned(),
        // "floating point `1.5`"
        ("floating", value) => value.trim_start_matches("point ").to_owned(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "the fields are only parsed")]
    struct File {
        count: u32,
        name: Option<String>,
        list: Vec<SharedPart>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "the fields are only parsed")]
    struct SharedPart {
        share: f64,
    }

    #[test]
    fn messages_have_no_words_of_the_parser() {
        for (text, expected) in [
            ("", "line 1, column 0: the text ends too early"),
            (
                "{\n\"count\": 1,",
                "line 2, column 11: the text ends too early",
            ),
            ("garbage", "line 1, column 1: the text is not JSON"),
            ("{\"count\" 1}", "line 1, column 10: the text is not JSON"),
            ("{}", "line 1, column 2: `count` is missing"),
            ("[]", "line 1, column 2: expected an object, not a list"),
            (
                "{\"cuont\": 1}",
                "line 1, column 8: `cuont` is an unknown key, expected one of `count`, `name`, `list`",
            ),
            (
                "{\"count\": 1, \"count\": 2}",
                "line 1, column 20: `count` is given twice",
            ),
            (
                "{\n  \"count\": \"one\"}",
                "line 2, column 16: expected a whole number from 0, not the text `one`",
            ),
            (
                "{\"count\": -1}",
                "line 1, column 12: expected a whole number from 0, not `-1`",
            ),
            (
                "{\"count\": 1.5}",
                "line 1, column 13: expected a whole number from 0, not `1.5`",
            ),
            (
                "{\"name\": {}}",
                "line 1, column 9: expected a text, not an object",
            ),
            (
                "{\"list\": true}",
                "line 1, column 13: expected a list, not `true`",
            ),
            (
                "{\"list\": [null]}",
                "line 1, column 14: expected an object, not null",
            ),
            (
                "{\"list\": [{\"share\": []}]}",
                "line 1, column 20: expected a number, not a list",
            ),
        ] {
            let error = parse_json::<File>(text.as_bytes()).expect_err(text);
            assert_eq!(error.to_string(), expected, "{text}");
        }
    }

    #[test]
    fn reasons_of_values_are_kept() {
        let error: serde_json::Error = serde::de::Error::custom("a game has two sides");
        let JsonError { problem, .. } = JsonError::from(error);
        assert_eq!(problem.to_string(), "a game has two sides");
    }
}
