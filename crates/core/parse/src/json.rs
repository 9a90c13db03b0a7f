//! JSON, and its errors in words.

use std::fmt;

use kalah::Quoted;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Deserializer;
use serde_json::error::Category;
use thiserror::Error;

/// The reason why a text is not the JSON of a value, and its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{}", LinePrefix(self), self.in_line())]
pub struct JsonError {
    /// The number of the line, from 1; 0 if the error is one of the whole value.
    pub line: usize,
    /// The number of the last byte in the line that was read, from 1; 0 if there is none.
    pub column: usize,
    /// The value with the error, such as `plies[2].move`; empty if it is the whole text.
    pub path: String,
    /// The reason.
    pub problem: Box<JsonProblem>,
}

/// The reason why a text is not the JSON of a value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JsonProblem {
    /// The text ends within a value.
    #[error("the text ends too early")]
    UnexpectedEnd,
    /// The text is not JSON.
    #[error("the text is not JSON")]
    Syntax,
    /// A key is missing in an object.
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
    /// A value has another type, or a number is out of range.
    #[error("expected {expected}, not {found}")]
    Type {
        /// The expected type, in words.
        expected: String,
        /// The value or its type, in words.
        found: String,
    },
    /// A value is invalid for another reason, which is the text.
    #[error("{0}")]
    Other(String),
}

fn expectation(expected: &str) -> String {
    if expected.is_empty() {
        String::new()
    } else {
        format!(", expected {expected}")
    }
}

/// Types in messages of serde that are no integers, and their names. The first word of a message
/// can be enough, because the name of a type of Rust follows it.
const EXPECTED_TYPES: [(&str, &str); 16] = [
    ("f32", "a number"),
    ("f64", "a number"),
    ("a string", "a text"),
    ("a boolean", "true or false"),
    ("a map", "an object"),
    ("a sequence", "a list"),
    ("a tuple of size 2", "a list of two values"),
    ("string or map", "a text or an object"),
    ("variant identifier", "a text"),
    ("field identifier", "a text"),
    ("unit", "a text"),
    ("struct", "an object"),
    ("internally", "an object"),
    ("adjacently", "an object"),
    ("tuple", "a list"),
    ("enum", "a text"),
];

/// Messages of the standard library about the text of a whole number without a sign, and their
/// words.
const NUMBER_MESSAGES: [(&str, &str); 3] = [
    (
        "cannot parse integer from empty string",
        "expected a whole number, not an empty text",
    ),
    (
        "invalid digit found in string",
        "expected a whole number of the digits 0 to 9 alone",
    ),
    (
        "number too large to fit in target type",
        "the number is too large",
    ),
];

/// Parses a JSON text.
///
/// # Errors
/// Returns the reason. An error of syntax counts before an invalid value, whichever comes first.
///
/// ```
/// let error = kalah_parse::parse_json::<Vec<u8>>(b"[6, 4.5]").expect_err("no whole number");
/// assert_eq!(
///     error.to_string(),
///     "line 1, column 7: `[1]`: expected a whole number from 0 to 255, not `4.5`"
/// );
/// ```
pub fn parse_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, JsonError> {
    serde_json::from_slice(text).map_err(|error| {
        // The parser stops at an invalid value, before it has seen the rest of the text.
        match serde_json::from_slice::<IgnoredAny>(text) {
            Err(error) => JsonError::from(error),
            Ok(_) => JsonError::of_value::<T>(text, error),
        }
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

impl JsonError {
    /// Returns whether the text is not JSON; else a value in it is invalid.
    pub fn is_syntax(&self) -> bool {
        matches!(
            *self.problem,
            JsonProblem::UnexpectedEnd | JsonProblem::Syntax
        )
    }

    /// Returns the message without the number of the line, for texts of one line in a file of many.
    pub fn in_line(&self) -> String {
        let Self {
            column,
            path,
            problem,
            ..
        } = self;
        let column = match column {
            0 => String::new(),
            column => format!("column {column}: "),
        };
        // The message about a key names it already.
        let path = match **problem {
            JsonProblem::UnknownKey { .. } => String::new(),
            _ if path.is_empty() => String::new(),
            _ => format!("{}: ", Quoted::new(path)),
        };
        format!("{column}{path}{problem}")
    }

    /// Returns the error of a value in a text that is JSON.
    fn of_value<T: DeserializeOwned>(text: &[u8], error: serde_json::Error) -> Self {
        let mut json = Deserializer::from_slice(text);
        let path = match serde_path_to_error::deserialize::<_, T>(&mut json) {
            Err(error) if error.path().iter().len() > 0 => error.path().to_string(),
            _ => String::new(),
        };
        let message = error.to_string();
        let error = Self::from(error);
        let problem = match *error.problem {
            // The parser reports some values of another type as errors of syntax.
            JsonProblem::Syntax if message.starts_with("expected value") => {
                JsonProblem::Other("expected a text".to_owned())
            }
            JsonProblem::Syntax if message.starts_with("trailing characters") => {
                JsonProblem::Other("the list has too many values".to_owned())
            }
            problem => problem,
        };
        Self {
            path,
            problem: Box::new(problem),
            ..error
        }
    }
}

/// Displays the line of an error before its column, if it has a line.
struct LinePrefix<'a>(&'a JsonError);

impl fmt::Display for LinePrefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.line, self.0.column) {
            (0, _) => Ok(()),
            (line, 0) => write!(f, "line {line}: "),
            (line, _) => write!(f, "line {line}, "),
        }
    }
}

impl From<serde_json::Error> for JsonError {
    fn from(error: serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let problem = match error.classify() {
            Category::Eof => JsonProblem::UnexpectedEnd,
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
            path: String::new(),
            problem: Box::new(problem),
        }
    }
}

impl JsonProblem {
    /// Returns the problem of a message of serde about a value, such as "missing field `x`".
    fn of_message(message: &str) -> Self {
        if let Some((key, _)) = split_name(message, "missing field `") {
            return Self::MissingKey(key);
        }
        if let Some((key, expected)) = split_name(message, "unknown field `") {
            return Self::UnknownKey { key, expected };
        }
        if let Some((key, _)) = split_name(message, "duplicate field `") {
            return Self::DuplicateKey(key);
        }
        if let Some((name, expected)) = split_name(message, "unknown variant `") {
            return Self::UnknownName { name, expected };
        }
        let mut number_messages = NUMBER_MESSAGES.iter();
        if let Some((_, words)) = number_messages.find(|(known, _)| *known == message) {
            return Self::Other((*words).to_owned());
        }
        let mismatch = (message.strip_prefix("invalid type: "))
            .or_else(|| message.strip_prefix("invalid value: "))
            // "invalid length 1" is about a list.
            .or_else(|| message.strip_prefix("invalid "));
        match mismatch.and_then(|text| text.rsplit_once(", expected ")) {
            Some((found, expected)) => Self::Type {
                expected: describe_expected(expected),
                found: describe_found(found),
            },
            None => Self::Other(message.to_owned()),
        }
    }
}

/// Returns the name in a message that begins with `start`, and the text behind `, expected `.
fn split_name(message: &str, start: &str) -> Option<(String, String)> {
    let (name, rest) = message.strip_prefix(start)?.split_once('`')?;
    let expected = rest.strip_prefix(", expected ").unwrap_or_default();
    Some((name.to_owned(), expected.to_owned()))
}

/// Returns the expected type of a message of serde, such as `u32`.
fn describe_expected(text: &str) -> String {
    if let Some(range) = integer_range(text) {
        return format!("a whole number {range}");
    }
    let word = text.split(' ').next().unwrap_or_default();
    let mut types = EXPECTED_TYPES.iter();
    let known = types.find(|(name, _)| *name == text || *name == word);
    known.map_or(text, |(_, words)| words).to_owned()
}

/// Returns the range of an integer type of Rust, in words.
fn integer_range(name: &str) -> Option<String> {
    let (min, max) = match name {
        "u8" => (0, u64::from(u8::MAX)),
        "u16" => (0, u64::from(u16::MAX)),
        "u32" => (0, u64::from(u32::MAX)),
        "u64" => (0, u64::MAX),
        "usize" => (0, usize::MAX as u64),
        "i32" => (i64::from(i32::MIN), i32::MAX.unsigned_abs().into()),
        "i64" => (i64::MIN, i64::MAX.unsigned_abs()),
        _ => return None,
    };
    Some(format!("from {min} to {max}"))
}

/// Returns the value that a message of serde has found, such as a string or a map.
fn describe_found(text: &str) -> String {
    match text.split_once(' ').unwrap_or((text, "")) {
        ("sequence", _) => "a list".to_owned(),
        ("length", length) => format!("a list of length {length}"),
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
        kind: Option<NamedKind>,
        end: Option<TaggedEnd>,
        pair: Option<(i32, i32)>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum NamedKind {
        First,
        Second,
    }

    #[derive(Debug, Deserialize)]
    #[serde(tag = "reason", rename_all = "lowercase")]
    #[expect(dead_code, reason = "the fields are only parsed")]
    enum TaggedEnd {
        Move { seeds: u8 },
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "the fields are only parsed")]
    struct SharedPart {
        share: f64,
    }

    #[test]
    fn messages_have_no_words_of_the_parser() {
        for (text, expected) in [
            ("", "line 1: the text ends too early"),
            (
                "{\n\"count\": 1,",
                "line 2, column 11: the text ends too early",
            ),
            ("garbage", "line 1, column 1: the text is not JSON"),
            ("{\"count\" 1}", "line 1, column 10: the text is not JSON"),
            ("{}", "line 1, column 2: `count` is missing"),
            (
                "[]",
                "line 1, column 2: expected an object, not a list of length 0",
            ),
            (
                "{\"cuont\": 1}",
                "line 1, column 8: `cuont` is an unknown key, expected one of `count`, `name`, \
                 `list`, `kind`, `end`, `pair`",
            ),
            (
                "{\"count\": 1, \"count\": 2}",
                "line 1, column 20: `count` is given twice",
            ),
            (
                "{\n  \"count\": \"one\"}",
                "line 2, column 16: `count`: expected a whole number from 0 to 4294967295, not the \
                 text `one`",
            ),
            (
                "{\"count\": 5000000000}",
                "line 1, column 20: `count`: expected a whole number from 0 to 4294967295, not \
                 `5000000000`",
            ),
            (
                "{\"name\": {}}",
                "line 1, column 9: `name`: expected a text, not an object",
            ),
            (
                "{\"name\": \"\\ud800\"}",
                "line 1, column 17: `name`: the text is not JSON",
            ),
            (
                "{\"list\": true}",
                "line 1, column 13: `list`: expected a list, not `true`",
            ),
            (
                "{\"list\": [{\"share\": 1}, {\"share\": []}]}",
                "line 1, column 34: `list[1].share`: expected a number, not a list",
            ),
            (
                "{\"list\": [{}]}",
                "line 1, column 12: `list[0]`: `share` is missing",
            ),
            (
                "{\"kind\": 3}",
                "line 1, column 10: `kind`: expected a text",
            ),
            (
                "{\"kind\": \"third\"}",
                "line 1, column 16: `kind`: `third` is an unknown value, expected `first` or \
                 `second`",
            ),
            (
                "{\"end\": \"move\"}",
                "line 1, column 14: `end`: expected an object, not the text `move`",
            ),
            (
                "{\"end\": {\"reason\": 3}}",
                "line 1, column 20: `end.reason`: expected a text, not `3`",
            ),
            (
                "{\"pair\": [1]}",
                "line 1, column 12: `pair`: expected a list of two values, not a list of length 1",
            ),
            (
                "{\"pair\": [1, 2, 3]}",
                "line 1, column 17: `pair`: the list has too many values",
            ),
        ] {
            let error = parse_json::<File>(text.as_bytes()).expect_err(text);
            assert_eq!(error.to_string(), expected, "{text}");
        }
    }

    #[test]
    fn reasons_of_values_are_kept() {
        let error: serde_json::Error = serde::de::Error::custom("a game has two sides");
        assert_eq!(JsonError::from(error).to_string(), "a game has two sides");
    }
}
