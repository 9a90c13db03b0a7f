use std::fmt;
use std::str::FromStr;

use super::words::{Tokens, unexpected};
use super::{EngineOption, Expected, Info, OneLine, ParseUkiError, UkiMove};

/// What an engine writes and a host reads.
///
/// In text it is a line; `docs/engine-protocol.md` has the grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineMessage {
    /// `id name`: what the engine is called.
    Name(OneLine),
    /// `id author`: who has written it.
    Author(OneLine),
    /// `option`: what can be set.
    Option(EngineOption),
    /// `ukiok`: that was all about the engine.
    UkiOk,
    /// `readyok`: it is there.
    ReadyOk,
    /// `info`: what a search has found so far.
    Info(Info),
    /// `info string`: anything, for people.
    InfoString(OneLine),
    /// `bestmove`: what it chooses; nothing where the game is over.
    BestMove(Option<UkiMove>),
    /// `error`: what was wrong with a line, which has changed nothing.
    Error(OneLine),
}

const NONE: &str = "none";

impl FromStr for EngineMessage {
    type Err = ParseUkiError;

    fn from_str(line: &str) -> Result<Self, ParseUkiError> {
        let awaited = Expected::EngineMessage;
        let mut words = Tokens::new(line);
        let word = words.next_token().ok_or(ParseUkiError::Empty(awaited))?;
        let remark = |words: Tokens| OneLine::new(words.rest());
        let message = match word {
            "id" => {
                return match words.require(Expected::NameOrAuthor)? {
                    "name" => Ok(Self::Name(remark(words))),
                    "author" => Ok(Self::Author(remark(words))),
                    other => Err(unexpected(other, Expected::NameOrAuthor)),
                };
            }
            "option" => return EngineOption::parse(words).map(Self::Option),
            "info" if words.peek() == Some("string") => {
                words.next_token();
                return Ok(Self::InfoString(remark(words)));
            }
            "info" => return Info::parse(words).map(Self::Info),
            "error" => return Ok(Self::Error(remark(words))),
            "bestmove" => match words.require(Expected::MoveOrNone)? {
                NONE => Self::BestMove(None),
                word => Self::BestMove(Some(UkiMove::parse_one(word, Expected::MoveOrNone)?)),
            },
            "ukiok" => Self::UkiOk,
            "readyok" => Self::ReadyOk,
            _ => return Err(unexpected(word, awaited)),
        };
        words.expect_end()?;
        Ok(message)
    }
}

impl fmt::Display for EngineMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut with = |words: &str, remark: &OneLine| {
            f.write_str(words)?;
            if remark.as_str().is_empty() {
                return Ok(());
            }
            write!(f, " {remark}")
        };
        match self {
            Self::Name(name) => with("id name", name),
            Self::Author(author) => with("id author", author),
            Self::InfoString(remark) => with("info string", remark),
            Self::Error(error) => with("error", error),
            Self::Option(offer) => offer.fmt(f),
            Self::UkiOk => f.write_str("ukiok"),
            Self::ReadyOk => f.write_str("readyok"),
            Self::Info(info) => info.fmt(f),
            Self::BestMove(Some(mv)) => write!(f, "bestmove {mv}"),
            Self::BestMove(None) => write!(f, "bestmove {NONE}"),
        }
    }
}
