use std::fmt;
use std::str::FromStr;

use super::words::{Words, unexpected};
use super::{Awaited, Info, MessageError, NamedChoice, OptionOffer, Remark};

/// What an engine writes and a host reads.
///
/// In text it is a line; `docs/engine-protocol.md` has the grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineMessage {
    /// `id name`: what the engine is called.
    Name(Remark),
    /// `id author`: who has written it.
    Author(Remark),
    /// `option`: what can be set.
    Option(OptionOffer),
    /// `ukiok`: that was all about the engine.
    UkiOk,
    /// `readyok`: it is there.
    ReadyOk,
    /// `info`: what a search has found so far.
    Info(Info),
    /// `info string`: anything, for people.
    Remark(Remark),
    /// `bestmove`: what it chooses; nothing where the game is over.
    BestMove(Option<NamedChoice>),
    /// `error`: what was wrong with a line, which has changed nothing.
    Error(Remark),
}

const NONE: &str = "none";

impl FromStr for EngineMessage {
    type Err = MessageError;

    fn from_str(line: &str) -> Result<Self, MessageError> {
        let awaited = Awaited::EngineMessage;
        let mut words = Words::of(line);
        let word = words.take().ok_or(MessageError::Empty(awaited))?;
        let remark = |words: Words| Remark::new(words.rest());
        let message = match word {
            "id" => {
                return match words.require(Awaited::NameOrAuthor)? {
                    "name" => Ok(Self::Name(remark(words))),
                    "author" => Ok(Self::Author(remark(words))),
                    other => Err(unexpected(other, Awaited::NameOrAuthor)),
                };
            }
            "option" => return OptionOffer::read(words).map(Self::Option),
            "info" if words.peek() == Some("string") => {
                words.take();
                return Ok(Self::Remark(remark(words)));
            }
            "info" => return Info::read(words).map(Self::Info),
            "error" => return Ok(Self::Error(remark(words))),
            "bestmove" => match words.require(Awaited::ChoiceOrNone)? {
                NONE => Self::BestMove(None),
                word => Self::BestMove(Some(NamedChoice::of(word, Awaited::ChoiceOrNone)?)),
            },
            "ukiok" => Self::UkiOk,
            "readyok" => Self::ReadyOk,
            _ => return Err(unexpected(word, awaited)),
        };
        words.end()?;
        Ok(message)
    }
}

impl fmt::Display for EngineMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut with = |words: &str, remark: &Remark| {
            f.write_str(words)?;
            if remark.as_str().is_empty() {
                return Ok(());
            }
            write!(f, " {remark}")
        };
        match self {
            Self::Name(name) => with("id name", name),
            Self::Author(author) => with("id author", author),
            Self::Remark(remark) => with("info string", remark),
            Self::Error(error) => with("error", error),
            Self::Option(offer) => offer.fmt(f),
            Self::UkiOk => f.write_str("ukiok"),
            Self::ReadyOk => f.write_str("readyok"),
            Self::Info(info) => info.fmt(f),
            Self::BestMove(Some(choice)) => write!(f, "bestmove {choice}"),
            Self::BestMove(None) => write!(f, "bestmove {NONE}"),
        }
    }
}
