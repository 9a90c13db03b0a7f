//! The protocols of programs that play in tournaments.

mod kgp_child;

use kalah_mankalah::MANKALAH;
use kalah_players::EngineProtocol;
use kalah_uki::UKI;

pub use kgp_child::KGP_CHILD;

/// All protocols of programs. The first one is the default.
pub static ENGINE_PROTOCOLS: [&EngineProtocol; 3] = [&UKI, &KGP_CHILD, &MANKALAH];
