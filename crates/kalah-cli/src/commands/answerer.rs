use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

use kalah::{Move, Player, Position};
use kalah_tables::Variant;

use crate::{CliError, ProgramArguments};

/// A program that answers whatever positions it is asked about.
pub(super) struct PlayerCache {
    arguments: ProgramArguments,
    seed: u64,
    /// Who answered last, and the variant that its tables are about.
    player: Option<(Variant, Box<dyn Player + Send>)>,
}

impl PlayerCache {
    pub(super) fn new(arguments: &ProgramArguments) -> Self {
        Self {
            arguments: arguments.clone(),
            seed: (arguments.seed).unwrap_or_else(|| RandomState::new().build_hasher().finish()),
            player: None,
        }
    }

    /// What to do within `limit`, or within the player's own time if that is less; `None` if the game is over.
    pub(super) fn choose_move(
        &mut self,
        position: &Position,
        limit: Duration,
    ) -> Result<Option<Move>, CliError> {
        let own = self.arguments.player.time_limit;
        let limit = own.map_or(limit, |own| own.get().min(limit));
        Ok(self.player(position)?.choose_move(position, limit))
    }

    fn player(&mut self, position: &Position) -> Result<&mut dyn Player, CliError> {
        let variant = Variant::from_position(position);
        let player = match self.player.take() {
            Some((of, player)) if of == variant => player,
            _ => self.new_player(position)?,
        };
        let (_, player) = self.player.insert((variant, player));
        Ok(player.as_mut())
    }

    fn new_player(&self, position: &Position) -> Result<Box<dyn Player + Send>, CliError> {
        let engines = self.arguments.engine.factory(position)?;
        let spec = self.arguments.player;
        (spec.build_player(&spec.default_name(), self.seed, &engines))
            .ok_or_else(|| CliError::Usage("a person cannot answer here".to_owned()))
    }
}
