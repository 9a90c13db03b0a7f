//! A built-in player that chooses moves in positions of any variant.

use std::time::Duration;

use kalah::{Move, Player, Position};
use kalah_tables::Variant;

use crate::args::search::ProgramOptions;
use crate::args::values::seed_or_random;
use crate::error::CliError;

/// The player of the command line, built again when the variant of the positions changes.
pub(crate) struct PlayerCache {
    options: ProgramOptions,
    seed: u64,
    /// The player of the last move, and the variant of its tables.
    player: Option<(Variant, Box<dyn Player + Send>)>,
}

impl PlayerCache {
    pub(crate) fn new(options: &ProgramOptions) -> Self {
        Self {
            options: options.clone(),
            seed: seed_or_random(options.seed),
            player: None,
        }
    }

    /// Returns the move of the player within `limit`, or within the player's own time if that is
    /// less; `None` if the game is over.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder with tables cannot be read.
    pub(crate) fn choose_move(
        &mut self,
        position: &Position,
        limit: Duration,
    ) -> Result<Option<Move>, CliError> {
        let own_limit = self.options.player.time_limit;
        let limit = own_limit.map_or(limit, |own| own.get().min(limit));
        Ok(self.player(position)?.choose_move(position, limit))
    }

    fn player(&mut self, position: &Position) -> Result<&mut dyn Player, CliError> {
        let variant = Variant::from_position(position);
        let player = match self.player.take() {
            Some((player_variant, player)) if player_variant == variant => player,
            _ => self.new_player(position)?,
        };
        let (_, player) = self.player.insert((variant, player));
        Ok(player.as_mut())
    }

    fn new_player(&self, position: &Position) -> Result<Box<dyn Player + Send>, CliError> {
        let engines = self.options.search.factory(position)?;
        let spec = self.options.player;
        spec.build_player(&spec.default_name(), self.seed, &engines)
            .ok_or_else(|| CliError::Usage("expected a program, not a person".to_owned()))
    }
}
