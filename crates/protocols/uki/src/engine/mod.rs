//! An engine with the built-in players: its options, its searches, and the server that reads the
//! commands of a host.

mod resources;
mod server;
mod session;
mod settings;

pub use resources::EngineResources;
pub use server::{EngineIdentity, RunEngineError, run_engine};
pub use settings::{EngineSettings, TablesSetting};
