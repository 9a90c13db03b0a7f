//! The games of an import, and the steps that all formats share.

use std::collections::BTreeMap;

use kalah::record::{PlyTimes, Record, RecordBuilder, RecordProblem, Tags};
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

/// The date, times and comments of a game in a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameNotes {
    /// The day of the game, as the tag `Date` has it.
    pub date: Option<String>,
    /// The time of the players in words, as the tag `TimeControl` has it.
    pub time_control: Option<String>,
    /// The times of plies, by the number of plies before each.
    pub times: BTreeMap<usize, PlyTimes>,
    /// The comments on plies, by the number of plies before each.
    pub comments: BTreeMap<usize, String>,
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

/// Builds the record of a game. An `ending` is given only if the game is not over by the rules. The
/// braces of comments become parentheses, because a brace ends a comment in a record.
///
/// # Panics
/// With debug assertions, if a name is no value of a tag or the game is over and has an `ending`.
pub fn build_record(
    game: &Game,
    names: BySide<Option<&str>>,
    ending: Option<Ending>,
    notes: &GameNotes,
) -> Record {
    let mut record = with_comments(game, &notes.comments);
    let tags = [
        (Tags::DATE, notes.date.as_deref()),
        (Tags::SOUTH, names.south),
        (Tags::NORTH, names.north),
        (Tags::TIME_CONTROL, notes.time_control.as_deref()),
    ];
    for (tag, value) in tags {
        if let Some(value) = value {
            let set = record.set_tag(tag, value);
            debug_assert_eq!(set, Ok(()), "a name is free text");
        }
    }
    let times = (0..game.plies().len()).map(|ply| notes.times.get(&ply).copied());
    let times: Vec<PlyTimes> = times.map(Option::unwrap_or_default).collect();
    record.set_ply_times(&times);
    if let Some(ending) = ending {
        let set = record.set_ending(ending);
        debug_assert_eq!(set, Ok(()), "the game is not over by the rules");
    }
    record
}

/// Returns the record of a game with comments on its plies.
fn with_comments(game: &Game, comments: &BTreeMap<usize, String>) -> Record {
    let write = || {
        let mut builder = RecordBuilder::new(Tags::from_start(game.start()))?;
        for (index, ply) in game.plies().iter().enumerate() {
            builder.play(ply.mv)?;
            if let Some(comment) = comments.get(&index) {
                builder.comment(&comment.replace('{', "(").replace('}', ")"))?;
            }
        }
        let mut record = builder.finish()?;
        record.set_ending(record.ending())?;
        Ok(record)
    };
    let record: Result<Record, RecordProblem> = write();
    record.unwrap_or_else(|error| unreachable!("the plies of a game are legal: {error}"))
}
