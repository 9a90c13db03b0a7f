//! The lines of the protocol in a log.
//!
//! A program may write anything before a line of the protocol, and lines of its own between them.
//! Its own lines often quote the protocol: go-kgp, the server of FAU, logs a second time each
//! command that it has handled, and every move with the number of its house, from 0.

use kalah_import::ImportReason;

use crate::message::{Line, Message, ParseLineError, ParseLineReason};

/// The maximum number of words of a log before a line of the protocol: a time, a level, a name, a
/// direction.
const MAX_PREFIX_WORDS: usize = 10;

/// The words of a log that stand only between the name of a connection and a line.
const ARROWS: [&str; 8] = ["<", ">", "<-", "->", "<<", ">>", "<=", "=>"];

/// The words of a log that may stand before a line, and also in other places.
const SENDER_MARKS: [&str; 4] = ["s:", "c:", "server:", "client:"];

/// The beginning of an address in memory, with which go-kgp names the connections of clients that
/// have sent no token.
const ADDRESS_PREFIX: &str = "0x";

/// The minimum number of characters of a connection's name that begins with a digit. A shorter word
/// can be a duration such as `15ms`.
const MIN_TOKEN_CHARS: usize = 8;

/// A line of the protocol in a log.
#[derive(Debug)]
pub(super) struct LoggedLine<'a> {
    /// The name of the connection in the log. It is empty in the log of a client.
    pub(super) connection: &'a str,
    pub(super) line: Line,
}

/// Parses a line of a log. Returns `None` if it has no line of the protocol, and an error if it has
/// a malformed line on which a game depends.
pub(super) fn parse(text: &str) -> Option<Result<LoggedLine<'_>, ImportReason>> {
    let text = text.trim();
    let logged = |rest: &str, line| LoggedLine {
        connection: connection_name(&text[..text.len() - rest.len()]),
        line,
    };
    let mut line_without_ids = None;
    let mut failure = None;
    let mut rest = text;
    for _ in 0..=MAX_PREFIX_WORDS {
        let (word, after_word) = split_word(rest);
        let is_arrow = ARROWS.contains(&word);
        if is_mark(word) {
            rest = after_word;
        }
        match rest.parse::<Line>() {
            Ok(line) if is_unknown(&line) => {}
            Ok(line) if is_arrow || has_ids(&line) => return Some(Ok(logged(rest, line))),
            // The name of a connection can be that of a command, such as `stop`.
            Ok(line) => {
                line_without_ids.get_or_insert_with(|| logged(rest, line));
            }
            Err(error) if is_game_line(&error) => {
                let reason = ImportReason::of_format(&error);
                if is_arrow {
                    return Some(Err(reason));
                }
                failure.get_or_insert(reason);
            }
            Err(_) => {}
        }
        if is_arrow && !is_mark(split_word(rest).0) {
            return None;
        }
        if rest.is_empty() {
            break;
        }
        if !is_mark(word) {
            rest = after_word;
        }
    }
    line_without_ids.map(Ok).or(failure.map(Err))
}

/// Splits a text into its first word and the text after it.
fn split_word(text: &str) -> (&str, &str) {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (word, rest.trim_start())
}

fn is_mark(word: &str) -> bool {
    ARROWS.contains(&word) || is_sender_mark(word)
}

fn is_sender_mark(word: &str) -> bool {
    SENDER_MARKS
        .iter()
        .any(|mark| mark.eq_ignore_ascii_case(word))
}

/// Returns whether a line has no meaning for a game. A `set` with an empty string, which the parser
/// does not know, resets an option.
fn is_unknown(line: &Line) -> bool {
    match &line.message {
        Message::Unknown(unknown) => unknown.command() != "set" || !has_ids(line),
        _ => false,
    }
}

fn has_ids(line: &Line) -> bool {
    line.id.is_some() || line.reference.is_some()
}

/// Returns whether a malformed line is one on which a game depends: a state or a move. It has an id
/// or a reference, because a program may use the same words in a line of its own.
fn is_game_line(error: &ParseLineError) -> bool {
    let has_ids = error.id.is_some() || error.reference.is_some();
    let command = match &error.reason {
        ParseLineReason::Board { .. } | ParseLineReason::UnclosedBoard => {
            let is_before_command = |character: char| !character.is_ascii_alphabetic();
            split_word(error.text.trim_start_matches(is_before_command)).0
        }
        ParseLineReason::InvalidArguments { command, .. } => command,
        _ => return false,
    };
    has_ids && ["state", "move"].contains(&command)
}

/// Returns whether a name is an address in memory. The log may name the same connection otherwise
/// once its client has sent a token.
pub(super) fn is_address(name: &str) -> bool {
    name.starts_with(ADDRESS_PREFIX)
}

/// Returns the name of a connection from the text before a line: an address in memory, or else the
/// last word before the marks, unless it is a time or a place in a source file.
fn connection_name(prefix: &str) -> &str {
    let words = || prefix.split_whitespace().rev();
    if let Some(address) = words().find(|word| is_address(word)) {
        return address;
    }
    let word = words().find(|word| !is_mark(word));
    word.filter(|word| is_name(word)).unwrap_or_default()
}

fn is_name(word: &str) -> bool {
    let begins_like_a_name =
        word.starts_with(|character: char| character.is_ascii_alphabetic() || character == '(');
    let is_token = || {
        word.len() >= MIN_TOKEN_CHARS
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && word.bytes().any(|byte| byte.is_ascii_alphabetic())
    };
    begins_like_a_name && !word.ends_with(':') || is_token()
}
