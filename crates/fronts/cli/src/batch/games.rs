//! Batches with the games of a record file.

use std::cell::Cell;
use std::iter;
use std::rc::Rc;

use kalah::record::{Record, Tags};
use kalah_record_files::RecordFileError;

use super::source::{BatchItem, BatchItems, BatchSource, ItemKind};
use crate::args::recorded::{RecordFile, UNNAMED, has_player};
use crate::error::CliError;

/// The games of a batch.
#[derive(Clone, Debug)]
pub(crate) struct BatchGames {
    /// The file.
    pub(crate) file: RecordFile,
    /// A part of the name of a player of each game, in capital or small letters; `None` for the
    /// games of all players.
    pub(crate) player: Option<String>,
}

/// The games of the player, and those that are not valid and name no player.
impl BatchSource for BatchGames {
    const KIND: ItemKind = ItemKind::Game;

    fn open(self) -> Result<BatchItems, CliError> {
        let source = self.file.open()?;
        let name = source.name().to_owned();
        let player = self.player.map(|player| player.to_lowercase());
        let wanted = player.clone();
        let is_empty = Rc::new(Cell::new(true));
        let is_still_empty = Rc::clone(&is_empty);
        let items = source.zip(1..).filter_map(move |(game, number)| {
            let item = item(game, number, wanted.as_deref());
            is_still_empty.set(is_still_empty.get() && item.is_none());
            item
        });
        let end = iter::once_with(move || is_empty.get().then(|| Err(no_game(name, player))));
        Ok(Box::new(items.chain(end.flatten())))
    }
}

/// Returns the item of a game; `None` if it is a game of other players.
fn item(
    game: Result<Record, RecordFileError>,
    number: u64,
    player: Option<&str>,
) -> Option<Result<BatchItem, CliError>> {
    let (tags, text) = match game {
        Ok(record) => (record.tags().clone(), Ok(record.to_string())),
        Err(error) => match &error {
            RecordFileError::Record { reason, .. } => {
                (Tags::clone(&reason.tags), Err(error.to_string()))
            }
            _ => return Some(Err(error.into())),
        },
    };
    let names_players = tags.get(Tags::SOUTH).or(tags.get(Tags::NORTH)).is_some();
    let is_wanted = player.is_none_or(|player| has_player(&tags, player));
    if !is_wanted && (names_players || text.is_ok()) {
        return None;
    }
    let input = if names_players || text.is_ok() {
        players(&tags)
    } else {
        String::new()
    };
    Some(Ok(BatchItem {
        number,
        input,
        text,
    }))
}

/// Returns `South - North`, the names of the players; a player without a name is `?`.
fn players(tags: &Tags) -> String {
    let name = |tag| tags.get(tag).unwrap_or(UNNAMED);
    format!("{} - {}", name(Tags::SOUTH), name(Tags::NORTH))
}

/// Returns the error of a source without games, or without games of the player.
fn no_game(source_name: String, player: Option<String>) -> CliError {
    match player {
        Some(player) => CliError::Runtime(format!("no game has a player `{player}`")),
        None => RecordFileError::NoGame(source_name).into(),
    }
}
