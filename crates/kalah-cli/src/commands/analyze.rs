use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use kalah_engine::{Goal, Limits};
use kalah_players::TimeLimit;

use super::progress::ProofProgress;
use super::write_json;
use crate::findings::{AnalysisOutput, MoveListing};
use crate::interrupt;
use crate::{AnalyzeArguments, CliError, Notation, Palette};

pub(super) fn run(
    arguments: &AnalyzeArguments,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let origin = Instant::now();
    let position = arguments.position.to_position()?;
    let engines = arguments.engine.factory(&position)?;
    let interrupt = interrupt::listen();
    let nodes = Arc::new(AtomicU64::new(0));
    let mut engine = (engines.build())
        .with_stop_flag(interrupt.flag())
        .with_node_counter(Arc::clone(&nodes));
    let limits = Limits {
        time: arguments.time.map(TimeLimit::get),
        goal: Goal::AllMargins,
        ..Limits::default()
    };
    // Who gave it a time knows how long it takes.
    let progress = (limits.time.is_none()).then(|| ProofProgress::new(nodes, MoveListing::All));
    let report =
        engine.analyse_with_progress(&position, limits, &|| origin.elapsed(), &mut |report| {
            let findings = AnalysisOutput {
                position: &position,
                report,
            };
            if let Some(progress) = progress.as_ref().filter(|_| findings.is_anything_proven()) {
                progress.update(report);
            }
        });
    if let Some(progress) = progress {
        progress.finish();
    }
    let findings = AnalysisOutput {
        position: &position,
        report: &report,
    };
    if arguments.json {
        write_json(output, &findings.to_json(MoveListing::All))?;
    } else {
        let naming = Notation::new(&position, arguments.position.labels.labels);
        findings.write(MoveListing::All, naming, palette, output)?;
    }
    if interrupt.is_requested() && !findings.is_exact(MoveListing::All) {
        output.flush()?;
        return Err(CliError::Interrupted(
            findings.interrupted_message().to_owned(),
        ));
    }
    Ok(())
}
