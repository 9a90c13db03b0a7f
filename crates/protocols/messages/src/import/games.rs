//! The games and the errors of an import, and the steps that all formats share.

use kalah::Termination;
use kalah::record::{Record, Tags};
use kalah::{
    BySide, Ending, Game, IllegalMove, Move, Position, Quoted, Rules, Setup, SetupError, Side,
};
use thiserror::Error;

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedGames {
    /// The games, in the order in which they begin.
    pub records: Vec<Record>,
    /// The errors, in the order of their lines.
    pub errors: Vec<ImportError>,
}

/// An error in a text, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}{}: {reason}", format_game_number(*.game))]
pub struct ImportError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the game, from 1, in a JSON value that begins in this line and holds several
    /// games.
    pub game: Option<usize>,
    /// The reason.
    pub reason: ImportReason,
}

/// The reason why a part of a text cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImportReason {
    /// A text that begins like JSON has a syntax error.
    #[error("invalid JSON: {0}")]
    Json(String),
    /// A JSON value holds no games.
    #[error("{} is neither a list of actions nor an episode with steps", Quoted::new(.0))]
    Shape(String),
    /// An episode is one of another game.
    #[error("the episode is one of {}, not of mancala", Quoted::new(.0))]
    OtherGame(String),
    /// An episode has an empty list of steps.
    #[error("the episode has no steps")]
    NoSteps,
    /// A line has an opening bracket without a closing one, or the reverse.
    #[error("the bracket `{}` is missing in {}", .bracket, Quoted::new(.text))]
    MissingBracket {
        /// The bracket that is missing.
        bracket: char,
        /// The line.
        text: String,
    },
    /// A word is not an action of `OpenSpiel`.
    #[error(
        "{} is not an action: expected 1 to 6 for South's houses or 8 to 13 for North's",
        Quoted::new(.0)
    )]
    Action(String),
    /// A line has several words in a text that has one number a line.
    #[error("{} in a text of one number a line", Quoted::new(.0))]
    ExtraNumbers(String),
    /// A ply breaks the rules.
    #[error("ply {ply}, {}: {reason}", Quoted::new(.text))]
    Illegal {
        /// The number of the ply in its game, from 1.
        ply: usize,
        /// The text of the ply.
        text: String,
        /// The rule that it breaks.
        reason: IllegalMove,
    },
    /// A ply is a move of the side that is not to move.
    #[error("ply {ply}, {}: it is {to_move}'s turn", Quoted::new(.text))]
    WrongSide {
        /// The number of the ply in its game, from 1.
        ply: usize,
        /// The text of the ply.
        text: String,
        /// The side to move.
        to_move: Side,
    },
    /// A line of a protocol is malformed. The text is the error of the protocol's parser.
    #[error("{0}")]
    Line(String),
    /// A board cannot be played.
    #[error("{}: {reason}", Quoted::new(.text))]
    Setup {
        /// The board.
        text: String,
        /// The reason from the rules.
        reason: SetupError,
    },
    /// The logged board after a ply differs from the board by the rules.
    #[error(
        "ply {ply}, {}: by the rules the board after it is {expected}; are these the right rules?",
        Quoted::new(.text)
    )]
    Board {
        /// The number of the ply in its game, from 1.
        ply: usize,
        /// The text of the ply.
        text: String,
        /// The board by the rules, in the same format.
        expected: String,
    },
    /// A state from the middle of a game continues none of the unfinished games before it.
    #[error(
        "{} continues none of the games before it, and is imported as a game of its own",
        Quoted::new(.0)
    )]
    UnknownGame(String),
    /// The search for unlogged plies has reached its limit for a text.
    #[error("too many unlogged plies to reconstruct: import fewer games at once")]
    SearchLimit,
    /// The log of a client in verify mode.
    #[error("the log contains problems and no games")]
    OnlyProblems,
    /// A message comes before the start of any game.
    #[error("{} comes before the start of a game", Quoted::new(.0))]
    NotStarted(String),
}

impl ImportReason {
    pub(super) fn at_line(self, line: usize) -> ImportError {
        ImportError {
            line,
            game: None,
            reason: self,
        }
    }
}

fn format_game_number(game: Option<usize>) -> String {
    game.map_or_else(String::new, |game| format!(", game {game}"))
}

/// Converts a setup to a position.
pub(super) fn validate(setup: &Setup, rules: Rules) -> Result<Position, ImportReason> {
    let position = setup.position(rules);
    position.map_err(|reason| ImportReason::Setup {
        text: setup.to_string(),
        reason,
    })
}

/// Plays a move that the log writes as `text`.
pub(super) fn play(game: &mut Game, mv: Move, text: &str) -> Result<(), ImportReason> {
    let ply = game.plies().len() + 1;
    match game.play(mv) {
        Ok(_) => Ok(()),
        Err(reason) => Err(ImportReason::Illegal {
            ply,
            text: text.to_owned(),
            reason,
        }),
    }
}

/// Returns the ending of a game that `loser` has lost before its end by the rules.
pub(super) fn loss(loser: Side, termination: Termination) -> Ending {
    Ending {
        termination,
        winner: Some(loser.opponent()),
        outcome: None,
    }
}

/// Builds the record of a game. An `ending` is given only if the game is not over by the rules.
pub(super) fn build_record(
    game: &Game,
    names: BySide<Option<&str>>,
    ending: Option<Ending>,
) -> Record {
    let mut record = Record::from_game(game);
    for (tag, side) in [(Tags::SOUTH, Side::South), (Tags::NORTH, Side::North)] {
        if let Some(name) = names[side] {
            let set = record.set_tag(tag, name);
            debug_assert_eq!(set, Ok(()), "a name is free text");
        }
    }
    if let Some(ending) = ending {
        let set = record.set_ending(ending);
        debug_assert_eq!(set, Ok(()), "the game is not over by the rules");
    }
    record
}
