//! The messages of the host and of the engine, with the game that `position` carries.

use std::fmt;
use std::str::FromStr;

use kalah::{Game, IllegalMove, ParseSetupError, Ply, Position, Quoted, Rules, Setup};

use crate::option::{EngineOption, OptionName};
use crate::parse::{Expected, OneLine, ParseUkiError, Tokens, UkiMove, unexpected};
use crate::search::{Go, Info};

/// A message from a host to an engine.
///
/// Its text form is one line; `docs/engine-protocol.md` has the grammar. Further words behind a
/// command without parameters, and unknown words behind `go`, are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostMessage {
    /// `uki`: asks for the name and the options of the engine.
    Uki,
    /// `isready`: asks for a sign of life.
    IsReady,
    /// `newgame`: the following positions are unrelated to the previous ones.
    NewGame,
    /// `setoption`: sets an option, or presses a button.
    SetOption {
        /// The name of the option.
        name: OptionName,
        /// The value, if one is given.
        value: Option<OneLine>,
    },
    /// `position`: the game up to now. Plies that were undone are not written.
    Position(Box<Game>),
    /// `go`: starts a search.
    Go(Go),
    /// `ponderhit`: the game has reached the position that the engine ponders on.
    PonderHit,
    /// `stop`: ends the search.
    Stop,
    /// `quit`: ends the engine.
    Quit,
}

impl FromStr for HostMessage {
    type Err = ParseUkiError;

    fn from_str(line: &str) -> Result<Self, ParseUkiError> {
        let expected = Expected::HostMessage;
        let mut tokens = Tokens::new(line);
        let command = tokens.next_token().ok_or(ParseUkiError::Empty(expected))?;
        let message = match command {
            "uki" => Self::Uki,
            "isready" => Self::IsReady,
            "newgame" => Self::NewGame,
            "ponderhit" => Self::PonderHit,
            "stop" => Self::Stop,
            "quit" => Self::Quit,
            "setoption" => return parse_set_option(tokens),
            "position" => return parse_game(tokens).map(Box::new).map(Self::Position),
            "go" => return Go::parse(tokens).map(Self::Go),
            _ => return Err(unexpected(command, expected)),
        };
        // Further words are ignored.
        Ok(message)
    }
}

fn parse_set_option(mut tokens: Tokens) -> Result<HostMessage, ParseUkiError> {
    tokens.require_keyword("name", Expected::Name)?;
    let name = OptionName::parse(&mut tokens)?;
    let value = match tokens.next_token() {
        None => None,
        Some("value") => Some(OneLine::new(tokens.rest())),
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
                    Some(value) => write_text(f, " value", value),
                }
            }
            Self::Position(game) => write_game(game, f),
            Self::Go(go) => go.fmt(f),
            Self::PonderHit => f.write_str("ponderhit"),
            Self::Stop => f.write_str("stop"),
            Self::Quit => f.write_str("quit"),
        }
    }
}

/// A message from an engine to a host.
///
/// Its text form is one line; `docs/engine-protocol.md` has the grammar. Words behind `ukiok`,
/// `readyok` and the move of `bestmove` are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineMessage {
    /// `id name`: the name of the engine.
    Name(OneLine),
    /// `id author`: the author of the engine.
    Author(OneLine),
    /// `option`: an option that can be set.
    Option(EngineOption),
    /// `ukiok`: the answer to `uki` is complete.
    UkiOk,
    /// `readyok`: the answer to `isready`.
    ReadyOk,
    /// `info`: the progress of a search.
    Info(Info),
    /// `info string`: a text for people.
    InfoString(OneLine),
    /// `bestmove`: the result of a search; `None` if the game is over.
    BestMove(Option<UkiMove>),
    /// `error`: the reason why a line of the host was refused. A refused line changes nothing.
    Error(OneLine),
}

/// The first word of [`EngineMessage::BestMove`].
pub(crate) const BEST_MOVE: &str = "bestmove";
/// The word for [`EngineMessage::BestMove`] without a move.
const NONE: &str = "none";

impl FromStr for EngineMessage {
    type Err = ParseUkiError;

    fn from_str(line: &str) -> Result<Self, ParseUkiError> {
        let expected = Expected::EngineMessage;
        let mut tokens = Tokens::new(line);
        let command = tokens.next_token().ok_or(ParseUkiError::Empty(expected))?;
        let rest = |tokens: Tokens| OneLine::new(tokens.rest());
        let message = match command {
            "id" => {
                return match tokens.require(Expected::NameOrAuthor)? {
                    "name" => Ok(Self::Name(rest(tokens))),
                    "author" => Ok(Self::Author(rest(tokens))),
                    other => Err(unexpected(other, Expected::NameOrAuthor)),
                };
            }
            "option" => return EngineOption::parse(tokens).map(Self::Option),
            "info" if tokens.peek() == Some("string") => {
                tokens.next_token();
                return Ok(Self::InfoString(rest(tokens)));
            }
            "info" => return Info::parse(tokens).map(Self::Info),
            "error" => return Ok(Self::Error(rest(tokens))),
            BEST_MOVE => match tokens.require(Expected::MoveOrNone)? {
                NONE => Self::BestMove(None),
                word => {
                    let mv = UkiMove::parse_one(word);
                    let mv = mv.ok_or_else(|| unexpected(word, Expected::MoveOrNone))?;
                    Self::BestMove(Some(mv))
                }
            },
            "ukiok" => Self::UkiOk,
            "readyok" => Self::ReadyOk,
            _ => return Err(unexpected(command, expected)),
        };
        // Further words, such as a move to ponder on, are ignored.
        Ok(message)
    }
}

impl fmt::Display for EngineMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write_text(f, "id name", name),
            Self::Author(author) => write_text(f, "id author", author),
            Self::InfoString(text) => write_text(f, "info string", text),
            Self::Error(reason) => write_text(f, "error", reason),
            Self::Option(option) => option.fmt(f),
            Self::UkiOk => f.write_str("ukiok"),
            Self::ReadyOk => f.write_str("readyok"),
            Self::Info(info) => info.fmt(f),
            Self::BestMove(Some(mv)) => write!(f, "{BEST_MOVE} {mv}"),
            Self::BestMove(None) => write!(f, "{BEST_MOVE} {NONE}"),
        }
    }
}

/// Writes keywords and a text behind them, which may be empty.
fn write_text(f: &mut fmt::Formatter<'_>, keywords: &str, text: &OneLine) -> fmt::Result {
    f.write_str(keywords)?;
    if text.as_str().is_empty() {
        return Ok(());
    }
    write!(f, " {text}")
}

/// The keyword before a start such as `6x4`.
const STARTPOS: &str = "startpos";
/// The keyword before a rule set.
const RULES: &str = "rules";
/// The keyword before the plies.
const MOVES: &str = "moves";

/// Parses the words behind `position`.
fn parse_game(mut tokens: Tokens) -> Result<Game, ParseUkiError> {
    let expected = if tokens.peek() == Some(STARTPOS) {
        tokens.next_token();
        Expected::Start
    } else {
        Expected::Position
    };
    let text = tokens.take_until(&[RULES, MOVES]);
    if text.is_empty() {
        return Err(ParseUkiError::Missing(expected));
    }
    // A start is one word and begins with a digit; any other position begins with a bracket.
    let is_start = text.split_whitespace().nth(1).is_none() && !text.starts_with('<');
    if is_start != (expected == Expected::Start) {
        return Err(unexpected(text, expected));
    }
    let setup: Setup =
        (text.parse()).map_err(|error: ParseSetupError| ParseUkiError::Position {
            text: Quoted::new(text),
            reason: error.reason,
        })?;
    let mut rules = Rules::default();
    if tokens.peek() == Some(RULES) {
        tokens.next_token();
        let word = tokens.require(Expected::Rules)?;
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
    if let Some(word) = tokens.next_token() {
        if word != MOVES {
            return Err(unexpected(word, Expected::RulesOrMoves));
        }
        while let Some(moves) = tokens.next_moves()? {
            for mv in moves {
                play(&mut game, mv)?;
            }
        }
    }
    Ok(game)
}

fn play(game: &mut Game, mv: UkiMove) -> Result<(), ParseUkiError> {
    let ply = game.plies().len() + 1;
    let to_move = game.position().to_move();
    let illegal = |reason| ParseUkiError::Illegal { ply, mv, reason };
    if game.position().is_over() {
        return Err(illegal(IllegalMove::GameOver));
    }
    let Some(own_move) = mv.for_side(to_move) else {
        return Err(ParseUkiError::WrongSide { ply, mv, to_move });
    };
    match game.play(own_move) {
        Ok(_) => Ok(()),
        Err(reason) => Err(illegal(reason)),
    }
}

/// Writes the message `position`.
fn write_game(game: &Game, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let start = game.start();
    f.write_str("position ")?;
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

/// Returns the number of seeds in each house if the position is a regular start, otherwise `None`.
fn start_seeds(position: &Position) -> Option<u64> {
    let seeds = position.houses_of(position.to_move()).first()?.get().into();
    let start = Position::start(position.houses(), seeds, position.rules()).ok()?;
    (start == *position).then_some(seeds)
}
