//! The clock, the random numbers and the tables of an engine, which its caller provides.

use std::path::Path;
use std::time::Duration;

use kalah::Position;
use kalah_players::EngineFactory;

use super::settings::EngineSettings;

/// The resources that the program around an engine provides. Errors are messages.
pub trait EngineResources: Send + Sync {
    /// Returns the time since any fixed moment.
    fn now(&self) -> Duration;

    /// Returns a seed for random choices.
    fn random_seed(&self) -> u64;

    /// Checks that a folder with endgame tables exists.
    ///
    /// # Errors
    /// Returns the reason why the folder cannot be used.
    fn check_table_folder(&self, folder: &Path) -> Result<(), String>;

    /// Returns a factory of engines without tables, for players that do not search within the
    /// limits of the host.
    fn default_engine_factory(&self) -> EngineFactory;

    /// Returns a factory of engines for games that go on from `position`, with the threads, the
    /// memory and the tables of `settings`.
    ///
    /// # Errors
    /// Returns the reason why the tables cannot be read.
    fn engine_factory(
        &self,
        settings: &EngineSettings,
        position: &Position,
    ) -> Result<EngineFactory, String>;
}
