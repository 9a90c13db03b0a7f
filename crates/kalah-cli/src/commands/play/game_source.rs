//! The game that `kalah play` begins or resumes, and the names of its players.

use kalah::record::{Record, Tags};
use kalah::{BySide, Game, Side};
use kalah_players::PlayerSpec;

use crate::args::play::PlayArgs;
use crate::error::CliError;
use crate::files::record_file::{self, RecordFileError, Recorder};
use crate::files::text_file;

/// The tags of the player specs, which `--south` and `--north` accept.
const PLAYER_TAGS: BySide<&str> = BySide {
    south: "SouthPlayer",
    north: "NorthPlayer",
};

/// The tags of the players' names.
const NAME_TAGS: BySide<&str> = BySide {
    south: Tags::SOUTH,
    north: Tags::NORTH,
};

/// Writes the players' specs and names to the tags of `record`.
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

/// The game to play, with the games that precede it in its file.
pub(super) struct GameSource {
    preceding_games: Vec<Record>,
    pub(super) record: Record,
}

impl GameSource {
    /// Creates a new game, or reads the last one of the file that is to be resumed.
    pub(super) fn load(arguments: &PlayArgs) -> Result<Self, CliError> {
        let Some(path) = &arguments.resume else {
            let setup = arguments.position.as_ref().unwrap_or(&arguments.board);
            let position = setup.playable(arguments.rules.rules)?;
            return Ok(Self {
                preceding_games: Vec::new(),
                record: Record::from_game(&Game::new(position)),
            });
        };
        let mut records = record_file::read(path)?;
        match records.pop() {
            Some(record) => Ok(Self {
                preceding_games: records,
                record,
            }),
            None => Err(CliError::from(RecordFileError::NoSuchGame {
                path: path.clone(),
                game: 1,
                games: 0,
            })),
        }
    }

    /// Returns the specs of the players by the side on which each began: from the arguments, else
    /// from the record, else a person as South and the engine as North.
    pub(super) fn resolve_players(
        &mut self,
        arguments: &PlayArgs,
    ) -> Result<BySide<PlayerSpec>, CliError> {
        let options = BySide::new(arguments.south, arguments.north);
        let mut specs = BySide::new(PlayerSpec::HUMAN, PlayerSpec::SMART);
        for side in Side::ALL {
            let tag = PLAYER_TAGS[side];
            if let Some(spec) = options[side] {
                specs[side] = spec;
            } else if let Some(recorded) = self.record.tags().get(tag) {
                specs[side] = recorded.parse().map_err(|reason| {
                    let option = side.as_str();
                    CliError::Runtime(format!(
                        "tag {tag}: {reason}; --{option} PLAYER overrides it"
                    ))
                })?;
            }
        }
        Ok(specs)
    }

    /// Returns the names of the players by the side on which each began: from the arguments, else
    /// from the record, else the default names. Writes specs and names to the record.
    pub(super) fn resolve_names(
        &mut self,
        arguments: &PlayArgs,
        specs: BySide<PlayerSpec>,
    ) -> Result<BySide<String>, CliError> {
        let options = BySide::new(&arguments.south_name, &arguments.north_name);
        let names = BySide::from_fn(|side| {
            let recorded = self.record.tags().get(NAME_TAGS[side]);
            match (options[side], recorded) {
                (Some(name), _) => name.clone(),
                (None, Some(name)) => name.to_owned(),
                (None, None) => specs[side].default_name(),
            }
        });
        set_player_tags(&mut self.record, specs, &names)?;
        Ok(names)
    }

    /// Returns the recorder of the game, if it is to be recorded. The file then contains the game.
    pub(super) fn recorder(&self, arguments: &PlayArgs) -> Result<Option<Recorder>, CliError> {
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
