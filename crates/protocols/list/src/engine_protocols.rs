//! The protocols of programs that play in tournaments.

use kalah_kgp::KGP_CHILD;
use kalah_mankalah::MANKALAH;
use kalah_players::EngineProtocol;
use kalah_uki::UKI;

/// All protocols of programs. The first one is the default.
///
/// ```
/// use kalah_players::{ContestantKind, ContestantSpec};
/// use kalah_protocols::ENGINE_PROTOCOLS;
/// let text = "cmd='./mybot --fast',proto=kgp-child,name=Mine";
/// let spec = ContestantSpec::parse(text, ENGINE_PROTOCOLS)?;
/// let ContestantKind::Program(program) = &spec.kind else { panic!("not a program") };
/// assert_eq!(program.command, "./mybot --fast");
/// assert_eq!(program.protocol.name, "kgp-child");
/// assert_eq!(ContestantSpec::parse(&spec.to_string(), ENGINE_PROTOCOLS)?, spec);
/// # Ok::<(), kalah_players::ParseContestantSpecError>(())
/// ```
pub static ENGINE_PROTOCOLS: &[&EngineProtocol] = &[&UKI, &KGP_CHILD, &MANKALAH];
