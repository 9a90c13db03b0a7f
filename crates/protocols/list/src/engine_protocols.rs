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

/// Returns the hint for a program that does not answer in `protocol`, of which it may know nothing
/// because its user has named no protocol; `None` unless it is the default.
///
/// ```
/// use kalah_protocols::{ENGINE_PROTOCOLS, default_protocol_hint};
/// assert_eq!(
///     default_protocol_hint(ENGINE_PROTOCOLS[0]).expect("the default"),
///     "uki is the protocol without proto=: a program that speaks another one needs \
///      proto=kgp-child or proto=mankalah"
/// );
/// assert_eq!(default_protocol_hint(ENGINE_PROTOCOLS[1]), None);
/// ```
pub fn default_protocol_hint(protocol: &EngineProtocol) -> Option<String> {
    let (default, others) = ENGINE_PROTOCOLS.split_first()?;
    let keys: Vec<String> = (others.iter())
        .map(|other| format!("proto={}", other.name))
        .collect();
    (*default == protocol).then(|| {
        format!(
            "{} is the protocol without proto=: a program that speaks another one needs {}",
            default.name,
            keys.join(" or ")
        )
    })
}
