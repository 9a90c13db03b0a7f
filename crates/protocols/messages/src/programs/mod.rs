//! The protocols of programs that play in tournaments.

mod kgp_child;
mod mankalah;
mod uki;

use kalah_players::EngineProtocol;

pub use kgp_child::KGP_CHILD;
pub use mankalah::MANKALAH;
pub use uki::UKI;

/// All protocols of programs. The first one is the default.
pub static ENGINE_PROTOCOLS: [&EngineProtocol; 3] = [&UKI, &KGP_CHILD, &MANKALAH];
