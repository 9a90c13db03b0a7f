//! The tables of a file of engines as texts and numbers with their places in the file.

use kalah::Quoted;
use thiserror::Error;
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use kalah_parse::TomlSyntaxError;

/// The name of the tables.
const ENGINE_KEY: &str = "engine";

/// The keys of an engine.
const KEYS: [&str; 11] = [
    "cmd", "player", "name", "id", "proto", "dir", "env", "time", "nodes", "limits", "options",
];

/// The reason why a text is not TOML with the tables of engines.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EnginesTomlError {
    /// The text is not TOML.
    #[error(transparent)]
    Syntax(#[from] TomlSyntaxError),
    /// The file has no engine.
    #[error("the file has no engine: each one begins with a line [[{ENGINE_KEY}]]")]
    NoEngine,
    /// The table of an engine is no element of a list.
    #[error("an engine begins with two pairs of brackets: [[{ENGINE_KEY}]]")]
    SingleBrackets,
    /// A key belongs to no engine.
    #[error(
        "{} belongs to no engine: each one begins with a line [[{ENGINE_KEY}]], and its keys follow",
        Quoted::new(.0)
    )]
    Outside(String),
    /// A key of an engine is unknown.
    #[error("{} is no key of an engine: expected one of {}", Quoted::new(.0), KEYS.join(", "))]
    UnknownKey(String),
    /// A value has another type than its key requires.
    #[error("`{key}` is {found}: expected {expected}")]
    Type {
        /// The key.
        key: String,
        /// The type of the value, in words.
        found: String,
        /// The required type, with an example.
        expected: String,
    },
}

/// The table of an engine.
#[derive(Clone, Debug, Default)]
pub(super) struct EngineTable {
    pub(super) player: Option<Spanned<String>>,
    pub(super) cmd: Option<Spanned<String>>,
    pub(super) proto: Option<Spanned<String>>,
    pub(super) name: Option<Spanned<String>>,
    pub(super) id: Option<Spanned<String>>,
    pub(super) dir: Option<Spanned<String>>,
    pub(super) env: Vec<(String, Spanned<String>)>,
    pub(super) time: Option<Spanned<String>>,
    pub(super) nodes: Option<Spanned<u64>>,
    pub(super) limits: Option<Spanned<String>>,
    pub(super) options: Vec<(String, Spanned<String>)>,
}

/// An error and the offset of its text in the file.
pub(super) type PlacedTomlError = (usize, EnginesTomlError);

/// Parses the tables of the engines, of which there is at least one.
pub(super) fn parse_engine_tables(
    text: &str,
) -> Result<Vec<Spanned<EngineTable>>, PlacedTomlError> {
    let file = DeTable::parse(text).map_err(|error| {
        let start = error.span().unwrap_or_default().start;
        (start, TomlSyntaxError::new(text, &error).into())
    })?;
    let mut engines = Vec::new();
    for (key, value) in file.get_ref() {
        let start = key.span().start;
        match value.get_ref() {
            _ if key.get_ref() != ENGINE_KEY => {
                let key = key.get_ref().to_string();
                return Err((start, EnginesTomlError::Outside(key)));
            }
            DeValue::Array(tables) => {
                for table in tables {
                    engines.push(parse_table(table)?);
                }
            }
            DeValue::Table(_) => return Err((start, EnginesTomlError::SingleBrackets)),
            other => return Err((start, wrong_engine(other))),
        }
    }
    if engines.is_empty() {
        return Err((0, EnginesTomlError::NoEngine));
    }
    Ok(engines)
}

fn parse_table(value: &Spanned<DeValue<'_>>) -> Result<Spanned<EngineTable>, PlacedTomlError> {
    let DeValue::Table(table) = value.get_ref() else {
        return Err((value.span().start, wrong_engine(value.get_ref())));
    };
    let mut engine = EngineTable::default();
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        match name {
            "cmd" => engine.cmd = Some(parse_text(name, value, "./bot")?),
            "player" => engine.player = Some(parse_text(name, value, "level:3")?),
            "name" => engine.name = Some(parse_text(name, value, "Ana")?),
            "id" => engine.id = Some(parse_text(name, value, "s1234567")?),
            "proto" => engine.proto = Some(parse_text(name, value, "uki")?),
            "dir" => engine.dir = Some(parse_text(name, value, "submissions/ana")?),
            "time" => engine.time = Some(parse_text(name, value, "1s")?),
            "limits" => engine.limits = Some(parse_text(name, value, "memory=300MB")?),
            "nodes" => engine.nodes = Some(parse_count(name, value)?),
            "env" => engine.env = parse_texts(name, value)?,
            "options" => engine.options = parse_texts(name, value)?,
            _ => {
                let error = EnginesTomlError::UnknownKey(name.to_owned());
                return Err((key.span().start, error));
            }
        }
    }
    Ok(Spanned::new(value.span(), engine))
}

/// Parses the text of a key. `example` is one for the error.
fn parse_text(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    example: &str,
) -> Result<Spanned<String>, PlacedTomlError> {
    match value.get_ref() {
        DeValue::String(text) => Ok(Spanned::new(value.span(), text.to_string())),
        _ => Err(wrong_type(
            key,
            value,
            format!("a text in quotes, such as {key} = \"{example}\""),
        )),
    }
}

/// Parses the texts of a table, such as the variables of an engine.
fn parse_texts(
    key: &str,
    value: &Spanned<DeValue<'_>>,
) -> Result<Vec<(String, Spanned<String>)>, PlacedTomlError> {
    let DeValue::Table(table) = value.get_ref() else {
        let expected = format!("texts with names, such as {key} = {{ NAME = \"value\" }}");
        return Err(wrong_type(key, value, expected));
    };
    let texts = table.iter().map(|(name, value)| {
        let name = name.get_ref().as_ref();
        Ok((name.to_owned(), parse_text(name, value, "1")?))
    });
    texts.collect()
}

fn parse_count(key: &str, value: &Spanned<DeValue<'_>>) -> Result<Spanned<u64>, PlacedTomlError> {
    let count = match value.get_ref() {
        DeValue::Integer(number) => parse_integer(number),
        _ => None,
    };
    count
        .map(|count| Spanned::new(value.span(), count))
        .ok_or_else(|| {
            let expected = format!("a positive whole number without quotes, such as {key} = 10000");
            wrong_type(key, value, expected)
        })
}

fn parse_integer(number: &DeInteger<'_>) -> Option<u64> {
    u64::from_str_radix(number.as_str(), number.radix()).ok()
}

fn wrong_engine(found: &DeValue<'_>) -> EnginesTomlError {
    EnginesTomlError::Type {
        key: ENGINE_KEY.to_owned(),
        found: describe(found),
        expected: format!("a line [[{ENGINE_KEY}]], behind which the keys of an engine follow"),
    }
}

fn wrong_type(key: &str, value: &Spanned<DeValue<'_>>, expected: String) -> PlacedTomlError {
    let error = EnginesTomlError::Type {
        key: key.to_owned(),
        found: describe(value.get_ref()),
        expected,
    };
    (value.span().start, error)
}

/// Returns the type of a value in words, and a short value itself.
fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text {}", Quoted::new(text)),
        DeValue::Integer(number) => format!("the number `{number}`"),
        DeValue::Float(number) => format!("the number `{number}`"),
        DeValue::Boolean(value) => format!("the truth value `{value}`"),
        DeValue::Datetime(date) => format!("the date `{date}`"),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
