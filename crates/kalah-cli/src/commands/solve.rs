//! `kalah solve`.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use kalah_engine::{Goal, Limits};
use kalah_tui::{Notation, Palette};

use crate::args::search::SolveArgs;
use crate::error::CliError;
use crate::files::checkpoint::Checkpoint;
use crate::interrupt;
use crate::output::analysis::{AnalysisOutput, MoveListing};
use crate::output::messages::write_json;
use crate::output::progress::ProofProgress;

pub(super) fn run(
    arguments: &SolveArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let start = Instant::now();
    let position = arguments.position.to_position()?;
    let engines = arguments.search.factory(&position)?;
    let mut engine = engines.build();
    let mut checkpoint = None;
    if let Some(path) = &arguments.checkpoint {
        let (file, known_bounds) = Checkpoint::open(path, &position)?;
        checkpoint = Some(file);
        engine = engine.with_known_bounds(known_bounds);
    }
    let (listing, goal) = if arguments.moves {
        (MoveListing::All, Goal::AllMargins)
    } else {
        (MoveListing::None, Goal::BestMargin)
    };
    let interrupt = interrupt::listen();
    let nodes = Arc::new(AtomicU64::new(0));
    let mut engine =
        (engine.with_stop_flag(interrupt.flag())).with_node_counter(Arc::clone(&nodes));
    let limits = Limits {
        goal,
        ..Limits::default()
    };
    let progress = ProofProgress::new(nodes, listing);
    let report =
        engine.analyze_with_progress(&position, limits, &|| start.elapsed(), &mut |report| {
            let analysis = AnalysisOutput {
                position: &position,
                report,
            };
            if !analysis.is_anything_proven() {
                return;
            }
            progress.update(report);
            if let Some(checkpoint) = &mut checkpoint {
                checkpoint.update(report);
            }
        });
    progress.finish();
    let analysis = AnalysisOutput {
        position: &position,
        report: &report,
    };
    // The checkpoint is written before the output, because writing the output can fail.
    let checkpoint_message = checkpoint.map(|checkpoint| checkpoint.finish(&report));
    if arguments.json {
        write_json(output, &analysis.to_json(listing))?;
    } else {
        let notation = Notation::new(&position, arguments.position.labels.labels);
        analysis.write(listing, notation, palette, output)?;
    }
    output.flush()?;
    let checkpoint_message = checkpoint_message.transpose()?;
    if interrupt.is_requested() && !analysis.is_exact(listing) {
        let mut message = analysis.interrupted_message().to_owned();
        if let Some(note) = checkpoint_message.filter(|_| analysis.is_anything_proven()) {
            message = format!("{message}; {note}");
        }
        return Err(CliError::Interrupted(message));
    }
    Ok(())
}
