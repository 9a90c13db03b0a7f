//! The start of programs before their first game: the messages about those that are silent or do
//! not start.

use std::time::Duration;

use kalah_arena::{NamedProgram, StartFault};
use kalah_players::{FLUSH_HINT, ParticipantFailure, escape_control};

use crate::output::messages::print_stderr;

/// Prints that a program has not answered for this time, as `kalah bot check` does.
pub(super) fn print_silence(NamedProgram { name, program }: &NamedProgram, time: Duration) {
    let seconds = time.as_secs();
    let text = format!("'{name}' has not answered for {seconds} s: {FLUSH_HINT}");
    print_stderr(&escape_control(&text));
    if let Some(hint) = program.protocol_hint() {
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
        ParticipantFailure::Stall { .. } => fault.protocol_hint.as_ref(),
        _ => None,
    });
    match hint {
        Some(hint) => format!("{errors}\ntip: {hint}"),
        None => errors,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_in_the_default_protocol_has_a_tip_with_the_others() {
        let text = |hint: Option<&str>, failure: &ParticipantFailure| {
            let fault = StartFault {
                name: "Mine".to_owned(),
                protocol_hint: hint.map(str::to_owned),
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
        let hint = "it may need proto=kgp-child";
        let with_tip = format!("{error}\ntip: {hint}");
        assert_eq!(text(Some(hint), &silence), with_tip);
        assert_eq!(text(None, &silence), error);
        assert!(!text(Some(hint), &crash).contains("tip"));
    }
}
