//! The games of an import, and the steps that all formats share.

use kalah::record::{Record, Tags};
use kalah::{BySide, Ending, Game, Move, Position, Rules, Setup, Side, Termination};

use crate::error::{ImportError, ImportReason};

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedGames {
    /// The games, in the order in which they begin.
    pub records: Vec<Record>,
    /// The errors, in the order of their lines.
    pub errors: Vec<ImportError>,
}

/// Converts a setup to a position.
///
/// # Errors
/// [`ImportReason::Setup`] if the rules do not allow the setup.
pub fn validate(setup: &Setup, rules: Rules) -> Result<Position, ImportReason> {
    let position = setup.position(rules);
    position.map_err(|reason| ImportReason::Setup {
        text: setup.to_string(),
        reason,
    })
}

/// Plays a move that the log writes as `text`.
///
/// # Errors
/// [`ImportReason::Illegal`] if the move is illegal. The game is unchanged then.
pub fn play(game: &mut Game, mv: Move, text: &str) -> Result<(), ImportReason> {
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
pub fn loss(loser: Side, termination: Termination) -> Ending {
    Ending {
        termination,
        winner: Some(loser.opponent()),
        outcome: None,
    }
}

/// Builds the record of a game. An `ending` is given only if the game is not over by the rules.
///
/// # Panics
/// With debug assertions, if a name is no value of a tag or the game is over and has an `ending`.
pub fn build_record(game: &Game, names: BySide<Option<&str>>, ending: Option<Ending>) -> Record {
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
