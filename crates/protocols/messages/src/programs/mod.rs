//! The protocols of programs that play in tournaments.

use kalah_kgp::KGP_CHILD;
use kalah_mankalah::MANKALAH;
use kalah_players::EngineProtocol;
use kalah_uki::UKI;

/// All protocols of programs. The first one is the default.
pub static ENGINE_PROTOCOLS: [&EngineProtocol; 3] = [&UKI, &KGP_CHILD, &MANKALAH];
