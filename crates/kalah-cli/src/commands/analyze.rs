//! `kalah analyze`.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use kalah_engine::{Goal, Limits};
use kalah_players::TimeLimit;
use kalah_tui::{Notation, Palette};

use crate::args::search::AnalyzeArgs;
use crate::error::CliError;
use crate::interrupt;
use crate::output::analysis::{AnalysisOutput, MoveListing};
use crate::output::messages::write_json;
use crate::output::progress::ProofProgress;

pub(super) fn run(
    arguments: &AnalyzeArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let start = Instant::now();
    let position = arguments.position.to_position()?;
    let engines = arguments.search.factory(&position)?;
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
    // With a time limit, the duration of the command is known.
    let progress = (limits.time.is_none()).then(|| ProofProgress::new(nodes, MoveListing::All));
    let report =
        engine.analyze_with_progress(&position, limits, &|| start.elapsed(), &mut |report| {
            let analysis = AnalysisOutput {
                position: &position,
                report,
            };
            if let Some(progress) = progress.as_ref().filter(|_| analysis.is_anything_proven()) {
                progress.update(report);
            }
        });
    if let Some(progress) = progress {
        progress.finish();
    }
    let analysis = AnalysisOutput {
        position: &position,
        report: &report,
    };
    if arguments.json {
        write_json(output, &analysis.to_json(MoveListing::All))?;
    } else {
        let notation = Notation::new(&position, arguments.position.labels.labels);
        analysis.write(MoveListing::All, notation, palette, output)?;
    }
    if interrupt.is_requested() && !analysis.is_exact(MoveListing::All) {
        output.flush()?;
        let message = analysis.interrupted_message().to_owned();
        return Err(CliError::Interrupted(message));
    }
    Ok(())
}
