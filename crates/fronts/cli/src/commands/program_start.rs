//! The start of programs before their first game: the messages about those that are silent or do
//! not start.

use std::time::Duration;

use kalah_arena::{NamedProgram, StartFault};
use kalah_players::{FLUSH_HINT, ParticipantFailure, escape_control};
use kalah_protocols::default_protocol_hint;

use crate::output::messages::print_stderr;

/// Prints that a program has not answered for this time, as `kalah bot check` does.
pub(super) fn print_silence(NamedProgram { name, program }: &NamedProgram, time: Duration) {
    let seconds = time.as_secs();
    let text = format!("'{name}' has not answered for {seconds} s: {FLUSH_HINT}");
    print_stderr(&escape_control(&text));
    if let Some(hint) = default_protocol_hint(program.protocol) {
        print_stderr(&format!("tip: {hint}"));
    }
}

/// Returns the message about programs that do not start, each one on a line of its own behind
/// the word `error`, which the first one gets later. If one of them does not answer in the default
/// protocol, a tip names the others.
pub(super) fn faults_text(faults: &[StartFault]) -> String {
    let errors: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let errors = errors.join("\nerror: ");
    let hint = faults.iter().find_map(|fault| match fault.failure {
        ParticipantFailure::Stall { .. } => default_protocol_hint(fault.protocol),
        _ => None,
    });
    match hint {
        Some(hint) => format!("{errors}\ntip: {hint}"),
        None => errors,
    }
}

#[cfg(test)]
mod tests {
    use kalah_protocols::ENGINE_PROTOCOLS;

    use super::*;

    #[test]
    fn silence_in_the_default_protocol_has_a_tip_with_the_others() {
        let text = |protocol: usize, failure: &ParticipantFailure| {
            let fault = StartFault {
                name: "Mine".to_owned(),
                protocol: ENGINE_PROTOCOLS[protocol],
                failure: failure.clone(),
                ignored_line: None,
            };
            faults_text(&[fault])
        };
        let silence = ParticipantFailure::Stall {
            waited: Duration::from_secs(30),
            has_written: false,
        };
        let crash = ParticipantFailure::Crash {
            status: "exit status: 127".to_owned(),
            stderr_tail: String::new(),
        };
        let error = "'Mine' cannot take part: no answer for 30 s: it has written no line; does it \
                     flush its output?";
        let tip = "tip: uki is the protocol without proto=: a program that speaks another one needs \
                   proto=kgp-child or proto=mankalah";
        assert_eq!(text(0, &silence), format!("{error}\n{tip}"));
        assert_eq!(text(1, &silence), error);
        assert!(!text(0, &crash).contains("tip"));
    }
}
