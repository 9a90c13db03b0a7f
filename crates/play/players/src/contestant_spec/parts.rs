//! The parts of a contestant's text, and their keys and quotes.

use std::borrow::Cow;

pub(super) const COMMAND_KEY: &str = "cmd";
pub(super) const PROTOCOL_KEY: &str = "proto";
pub(super) const NAME_KEY: &str = "name";
pub(super) const ID_KEY: &str = "id";
pub(super) const TIME_KEY: &str = "time";
pub(super) const NODES_KEY: &str = "nodes";
pub(super) const FOLDER_KEY: &str = "dir";
pub(super) const LIMITS_KEY: &str = "limits";
/// The key of the option that decides whether a program receives moves or positions.
pub(super) const POSITION_KEY: &str = "position";
/// The key of the option that decides whether a program searches during its opponent's turns.
pub(super) const PONDER_KEY: &str = "ponder";
pub(super) const OPTION_PREFIX: &str = "option.";

/// The keys without [`OPTION_PREFIX`].
const KEYS: [&str; 10] = [
    COMMAND_KEY,
    PROTOCOL_KEY,
    NAME_KEY,
    ID_KEY,
    TIME_KEY,
    NODES_KEY,
    FOLDER_KEY,
    LIMITS_KEY,
    POSITION_KEY,
    PONDER_KEY,
];

/// The characters that quote a value.
const QUOTES: [char; 2] = ['\'', '"'];

/// A part `key=value`.
pub(super) struct KeyValue<'a> {
    pub(super) key: &'a str,
    /// The value without the quotes around it.
    pub(super) value: &'a str,
    /// Whether quotes are around the value, so that it has an end of its own.
    pub(super) is_quoted: bool,
    /// Whether the value begins with a quote that is not closed.
    pub(super) has_open_quote: bool,
}

/// Splits a text into its parts. A part without a known key is an `Err`.
///
/// A part ends at a comma outside of quotes that a key follows, known or not, and at any comma
/// behind the quotes around its value. If a quote is not closed, the shell has already removed the
/// grouping quotes, and all quotes are literal.
pub(super) fn split_parts(text: &str) -> Vec<Result<KeyValue<'_>, &str>> {
    let ends = part_ends(text, QuoteMode::Grouping)
        .unwrap_or_else(|| part_ends(text, QuoteMode::Literal).unwrap_or_default());
    let mut parts = Vec::new();
    let mut start = 0;
    for end in ends.into_iter().chain([text.len()]) {
        let part = text[start..end].trim_start();
        start = (end + 1).min(text.len());
        parts.push(match key(part) {
            Some(key) if is_known(key) => {
                let quoted = &part[key.len() + 1..];
                let value = unquote(quoted);
                let is_quoted = value.len() < quoted.len();
                Ok(KeyValue {
                    key,
                    value,
                    is_quoted,
                    has_open_quote: has_open_quote(quoted),
                })
            }
            _ => Err(part),
        });
    }
    parts
}

/// The meaning of quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum QuoteMode {
    /// The text between two quotes belongs to one part.
    Grouping,
    /// Quotes are ordinary characters.
    Literal,
}

/// Returns the ends of all parts but the last as byte offsets; `None` if a grouping quote is not
/// closed.
fn part_ends(text: &str, quotes: QuoteMode) -> Option<Vec<usize>> {
    let mut ends = Vec::new();
    let mut start = 0;
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') if quotes == QuoteMode::Grouping => quote = Some(character),
            (None, ',') => {
                let is_complete =
                    quotes == QuoteMode::Grouping && has_quoted_value(&text[start..at]);
                if is_complete || key(text[at + 1..].trim_start()).is_some() {
                    ends.push(at);
                    start = at + 1;
                }
            }
            _ => {}
        }
    }
    quote.is_none().then_some(ends)
}

/// Returns whether quotes are around the value of a part.
fn has_quoted_value(part: &str) -> bool {
    let value = part.split_once('=').map_or("", |(_, value)| value);
    unquote(value).len() < value.len()
}

/// Returns the text before the first `=` if it looks like a key.
fn key(text: &str) -> Option<&str> {
    let (key, _) = text.split_once('=')?;
    let is_word = key.starts_with(|first: char| first.is_ascii_alphabetic())
        && key
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.'));
    (is_word || key.starts_with(OPTION_PREFIX)).then_some(key)
}

fn is_known(key: &str) -> bool {
    let option = key.strip_prefix(OPTION_PREFIX);
    let is_option = option.is_some_and(|name| name.chars().all(|it| it.is_ascii_alphanumeric()));
    is_option || KEYS.contains(&key)
}

/// Returns whether a value begins with a quote that is not closed in it.
fn has_open_quote(value: &str) -> bool {
    let mut quotes = QUOTES.into_iter();
    quotes.any(|quote| {
        let inner = value.strip_prefix(quote);
        inner.is_some_and(|inner| !inner.contains(quote))
    })
}

/// Returns `value` without its quotes, if a single pair of quotes encloses all of it.
fn unquote(value: &str) -> &str {
    for quote in QUOTES {
        let inner = value.strip_prefix(quote);
        if let Some(inner) = inner.and_then(|inner| inner.strip_suffix(quote))
            && !inner.contains(quote)
        {
            return inner;
        }
    }
    value
}

/// Returns a value in quotes that it does not contain; without quotes if it contains both kinds.
pub(super) fn quote(value: &str) -> Cow<'_, str> {
    match QUOTES.into_iter().find(|&quote| !value.contains(quote)) {
        Some(quote) => format!("{quote}{value}{quote}").into(),
        None => value.into(),
    }
}

/// Returns a value that is read as a whole, in quotes if it needs them.
pub(super) fn quote_if_needed(value: &str) -> Cow<'_, str> {
    let is_plain = !value.contains(QUOTES)
        && part_ends(value, QuoteMode::Literal).is_some_and(|ends| ends.is_empty());
    if is_plain { value.into() } else { quote(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let parts = split_parts(text).into_iter().map(|part| match part {
            Ok(KeyValue { key, value, .. }) => format!("{key}: {value}"),
            Err(text) => format!("? {text}"),
        });
        parts.collect()
    }

    #[test]
    fn parts_end_at_keys_and_behind_quotes() {
        for (text, expected) in [
            (
                "cmd=./bot --list=1,2,-x=3",
                &["cmd: ./bot --list=1,2,-x=3"][..],
            ),
            ("cmd=./bot, time=5s", &["cmd: ./bot", "time: 5s"]),
            ("cmd=./bot,tme=5s", &["cmd: ./bot", "? tme=5s"]),
            ("cmd='./bot,tme=5s'", &["cmd: ./bot,tme=5s"]),
            ("cmd='./bot',tme", &["cmd: ./bot", "? tme"]),
            ("cmd='./bot',", &["cmd: ./bot", "? "]),
            ("cmd='./my bot' a,b", &["cmd: './my bot' a,b"]),
            (
                "cmd=./bot,option.Multi PV=3",
                &["cmd: ./bot", "? option.Multi PV=3"],
            ),
            ("smart,Time=5s", &["? smart", "? Time=5s"]),
            ("cmd=./O'Brien,dir=/a b", &["cmd: ./O'Brien", "dir: /a b"]),
            ("name=A, B,id=1", &["name: A, B", "id: 1"]),
        ] {
            assert_eq!(texts(text), expected, "{text}");
        }
    }

    #[test]
    fn quoted_values_are_read_as_a_whole() {
        for value in ["A, B", "a,time=5s", "O'Brien", "'a'", "a\"b", "x,y=2"] {
            let text = format!("name={},id=1", quote_if_needed(value));
            assert_eq!(texts(&text), [&format!("name: {value}"), "id: 1"], "{text}");
        }
        assert_eq!(quote_if_needed("A, B"), "A, B");
    }
}
