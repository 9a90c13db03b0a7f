use kalah::record::{Record, Tags};
use kalah::{BySide, Game, Side};
use kalah_players::PlayerSpec;

use crate::arguments::PlayArguments;
use crate::record_file::{self, RecordFileError};
use crate::{CliError, Recorder, text_file};

/// The tags that say who plays, as `--south` and `--north` take it.
const PLAYER_TAGS: BySide<&str> = BySide {
    south: "SouthPlayer",
    north: "NorthPlayer",
};

/// The tags that say what they are called.
const NAME_TAGS: BySide<&str> = BySide {
    south: Tags::SOUTH,
    north: Tags::NORTH,
};

/// Lets a record say who plays.
pub(super) fn set_player_tags(
    record: &mut Record,
    specs: BySide<PlayerSpec>,
    names: &BySide<String>,
) -> Result<(), CliError> {
    for side in Side::ALL {
        for (tag, value) in [
            (PLAYER_TAGS[side], specs[side].to_string()),
            (NAME_TAGS[side], names[side].clone()),
        ] {
            record
                .set_tag(tag, value)
                .map_err(|reason| CliError::Runtime(reason.to_string()))?;
        }
    }
    Ok(())
}

/// A game to be played, and what stands before it in its file.
pub(super) struct GameSource {
    preceding_games: Vec<Record>,
    pub(super) record: Record,
}

impl GameSource {
    /// A new game, or the last one of the file that is to be resumed.
    pub(super) fn load(arguments: &PlayArguments) -> Result<Self, CliError> {
        let Some(path) = &arguments.resume else {
            let typed = arguments.position.as_ref().unwrap_or(&arguments.board);
            let position = typed.playable(arguments.rules.rules)?;
            return Ok(Self {
                preceding_games: Vec::new(),
                record: Record::from_game(&Game::new(position)),
            });
        };
        let mut before = record_file::read(path)?;
        match before.pop() {
            Some(record) => Ok(Self {
                preceding_games: before,
                record,
            }),
            None => Err(CliError::from(RecordFileError::NoSuchGame {
                path: path.clone(),
                game: 1,
                games: 0,
            })),
        }
    }

    /// Who plays by the side on which they began: as the arguments say, or else the record, or else
    /// a person against the engine.
    pub(super) fn resolve_players(
        &mut self,
        arguments: &PlayArguments,
    ) -> Result<BySide<PlayerSpec>, CliError> {
        let given = BySide::new(arguments.south, arguments.north);
        let mut specs = BySide::new(PlayerSpec::HUMAN, PlayerSpec::SMART);
        for side in Side::ALL {
            let tag = PLAYER_TAGS[side];
            if let Some(spec) = given[side] {
                specs[side] = spec;
            } else if let Some(recorded) = self.record.tags().get(tag) {
                specs[side] = recorded.parse().map_err(|reason| {
                    let option = side.as_str();
                    CliError::Runtime(format!(
                        "tag {tag}: {reason}; --{option} PLAYER takes its place"
                    ))
                })?;
            }
        }
        Ok(specs)
    }

    /// The players' names by the side on which they began: as the arguments say, or else the
    /// record, or else as such players are called. From here on the record says who plays.
    pub(super) fn resolve_names(
        &mut self,
        arguments: &PlayArguments,
        specs: BySide<PlayerSpec>,
    ) -> Result<BySide<String>, CliError> {
        let given = BySide::new(&arguments.south_name, &arguments.north_name);
        let names = BySide::from_fn(|side| {
            let recorded = self.record.tags().get(NAME_TAGS[side]);
            match (given[side], recorded) {
                (Some(name), _) => name.clone(),
                (None, Some(name)) => name.to_owned(),
                (None, None) => specs[side].default_name(),
            }
        });
        set_player_tags(&mut self.record, specs, &names)?;
        Ok(names)
    }

    /// What records the game, which is on disk then.
    pub(super) fn recorder(&self, arguments: &PlayArguments) -> Result<Option<Recorder>, CliError> {
        let recorder = match (&arguments.resume, &arguments.record) {
            (None, None) => return Ok(None),
            (None, Some(path)) => Recorder::append(path, self.record.clone())?,
            (Some(file), Some(path)) if !text_file::is_same_file(file, path) => {
                Recorder::append(path, self.record.clone())?
            }
            (Some(path), _) => Recorder::resume(path, &self.preceding_games, self.record.clone())?,
        };
        Ok(Some(recorder))
    }
}
