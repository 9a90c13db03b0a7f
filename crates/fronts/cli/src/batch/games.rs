//! Batches with the games of a record file.

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

/// The games of the player, and those that are not valid, whose players are not known.
impl BatchSource for BatchGames {
    const KIND: ItemKind = ItemKind::Game;

    fn open(self) -> Result<BatchItems, CliError> {
        let source = self.file.open()?;
        let mut rest = source.zip(1..);
        let mut selected: u64 = 0;
        let player = self.player.map(|player| player.to_lowercase());
        let mut has_ended = false;
        Ok(Box::new(std::iter::from_fn(move || {
            while !has_ended {
                let Some((game, number)) = rest.next() else {
                    has_ended = true;
                    let none = player.as_ref().filter(|_| selected == 0);
                    return none.map(|player| Err(no_game_of(player)));
                };
                let (input, text) = match game {
                    Ok(record) => match &player {
                        Some(player) if !has_player(&record, player) => continue,
                        _ => (players(&record), Ok(record.to_string())),
                    },
                    Err(error @ RecordFileError::Record { .. }) => {
                        (String::new(), Err(error.to_string()))
                    }
                    Err(error) => {
                        has_ended = true;
                        return Some(Err(error.into()));
                    }
                };
                selected += 1;
                return Some(Ok(BatchItem {
                    number,
                    input,
                    text,
                }));
            }
            None
        })))
    }
}

/// Returns `South - North`, the names of the players; a player without a name is `?`.
fn players(record: &Record) -> String {
    let name = |tag| record.tags().get(tag).unwrap_or(UNNAMED);
    format!("{} - {}", name(Tags::SOUTH), name(Tags::NORTH))
}

fn no_game_of(player: &str) -> CliError {
    CliError::Runtime(format!("no game has a player `{player}`"))
}
