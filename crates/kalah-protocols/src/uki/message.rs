//! Messages of both sides.

use std::fmt;
use std::str::FromStr;

use kalah::{Game, IllegalMove, ParseSetupError, ParseSetupReason, Ply, Position, Rules, Setup};

use super::parse::{Expected, ParseUkiError, Tokens, unexpected};
use super::{EngineOption, Go, Info, OneLine, OptionName, UkiMove};
use crate::Quoted;

/// What a host writes and an engine reads.
///
/// In text it is a line; `docs/engine-protocol.md` has the grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostMessage {
    /// `uki`: who are you, and what can be set?
    Uki,
    /// `isready`: are you there?
    IsReady,
    /// `newgame`: what comes has nothing to do with what was.
    NewGame,
    /// `setoption`: an option is to have a value, or a button is pressed.
    SetOption {
        /// Which option.
        name: OptionName,
        /// Its value, if one is given.
        value: Option<OneLine>,
    },
    /// `position`: the game as far as it has come. Plies that were taken back are not written.
    Position(Box<Game>),
    /// `go`: search.
    Go(Go),
    /// `stop`: answer now.
    Stop,
    /// `quit`: end.
    Quit,
}

impl FromStr for HostMessage {
    type Err = ParseUkiError;

    fn from_str(line: &str) -> Result<Self, ParseUkiError> {
        let awaited = Expected::HostMessage;
        let mut words = Tokens::new(line);
        let word = words.next_token().ok_or(ParseUkiError::Empty(awaited))?;
        let message = match word {
            "uki" => Self::Uki,
            "isready" => Self::IsReady,
            "newgame" => Self::NewGame,
            "stop" => Self::Stop,
            "quit" => Self::Quit,
            "setoption" => return parse_set_option(words),
            "position" => return parse_game(words).map(Box::new).map(Self::Position),
            "go" => return Go::parse(words).map(Self::Go),
            _ => return Err(unexpected(word, awaited)),
        };
        words.expect_end()?;
        Ok(message)
    }
}

fn parse_set_option(mut words: Tokens) -> Result<HostMessage, ParseUkiError> {
    words.require_keyword("name", Expected::Name)?;
    let name = OptionName::parse(&mut words)?;
    let value = match words.next_token() {
        None => None,
        Some("value") => Some(OneLine::new(words.rest())),
        Some(word) => return Err(unexpected(word, Expected::Value)),
    };
    Ok(HostMessage::SetOption { name, value })
}

impl fmt::Display for HostMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uki => f.write_str("uki"),
            Self::IsReady => f.write_str("isready"),
            Self::NewGame => f.write_str("newgame"),
            Self::SetOption { name, value } => {
                write!(f, "setoption name {name}")?;
                match value {
                    None => Ok(()),
                    Some(value) if value.as_str().is_empty() => f.write_str(" value"),
                    Some(value) => write!(f, " value {value}"),
                }
            }
            Self::Position(game) => {
                f.write_str("position ")?;
                write_game(game, f)
            }
            Self::Go(go) => go.fmt(f),
            Self::Stop => f.write_str("stop"),
            Self::Quit => f.write_str("quit"),
        }
    }
}

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

/// The word before a start.
const STARTPOS: &str = "startpos";
const RULES: &str = "rules";
const MOVES: &str = "moves";

/// Reads what stands behind `position`.
fn parse_game(mut words: Tokens) -> Result<Game, ParseUkiError> {
    let awaited = if words.peek() == Some(STARTPOS) {
        words.next_token();
        Expected::Start
    } else {
        Expected::Position
    };
    let text = words.take_until(&[RULES, MOVES]);
    if text.is_empty() {
        return Err(ParseUkiError::Missing(awaited));
    }
    // A start is one word and begins with a number, and anything else with a bracket.
    let is_start = text.split_whitespace().nth(1).is_none() && !text.starts_with('<');
    if is_start != (awaited == Expected::Start) {
        return Err(unexpected(text, awaited));
    }
    let setup: Setup =
        (text.parse()).map_err(|error: ParseSetupError| ParseUkiError::Position {
            text: Quoted::new(text),
            reason: truncated(error.reason),
        })?;
    let mut rules = Rules::default();
    if words.peek() == Some(RULES) {
        words.next_token();
        let word = words.require(Expected::Rules)?;
        if word.chars().any(char::is_control) {
            return Err(unexpected(word, Expected::Rules));
        }
        rules = word.parse().map_err(ParseUkiError::Rules)?;
    }
    let start = (setup.position(rules)).map_err(|reason| ParseUkiError::Unplayable {
        text: Quoted::new(text),
        reason,
    })?;
    let mut game = Game::new(start);
    if let Some(word) = words.next_token() {
        if word != MOVES {
            return Err(unexpected(word, Expected::RulesOrMoves));
        }
        while let Some(word) = words.next_token() {
            for mv in UkiMove::parse_all(word)? {
                play(&mut game, mv)?;
            }
        }
    }
    Ok(game)
}

/// What is wrong with a position, quoting no more than anybody reads.
fn truncated(reason: ParseSetupReason) -> ParseSetupReason {
    let short = |text: String| Quoted::new(&text).to_string().trim_matches('`').to_owned();
    match reason {
        ParseSetupReason::NotANumber(text) => ParseSetupReason::NotANumber(short(text)),
        ParseSetupReason::Trailing(text) => ParseSetupReason::Trailing(short(text)),
        other => other,
    }
}

fn play(game: &mut Game, mv: UkiMove) -> Result<(), ParseUkiError> {
    let ply = game.plies().len() + 1;
    let to_move = game.position().to_move();
    let illegal = |reason| ParseUkiError::Illegal { ply, mv, reason };
    if game.position().is_over() {
        return Err(illegal(IllegalMove::GameOver));
    }
    let Some(made) = mv.for_side(to_move) else {
        return Err(ParseUkiError::WrongSide { ply, mv, to_move });
    };
    match game.play(made) {
        Ok(_) => Ok(()),
        Err(reason) => Err(illegal(reason)),
    }
}

/// Writes what stands behind `position`.
fn write_game(game: &Game, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let start = game.start();
    match start_seeds(start) {
        Some(seeds) => write!(f, "{STARTPOS} {}x{seeds}", start.houses())?,
        None => write!(f, "{start}")?,
    }
    write!(f, " {RULES} {}", start.rules())?;
    if !game.plies().is_empty() {
        write!(f, " {MOVES}")?;
        for &Ply { side, mv, .. } in game.plies() {
            write!(f, " {}", UkiMove::new(side, mv))?;
        }
    }
    Ok(())
}

/// Seeds in each house, if that is how a game starts.
fn start_seeds(position: &Position) -> Option<u64> {
    let seeds = position.houses_of(position.to_move()).first()?.get().into();
    let start = Position::start(position.houses(), seeds, position.rules()).ok()?;
    (start == *position).then_some(seeds)
}
