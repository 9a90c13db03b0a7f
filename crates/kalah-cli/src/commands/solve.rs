mod checkpoint;

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use kalah_engine::{Goal, Limits};

use super::progress::ProofProgress;
use super::write_json;
use crate::findings::{AnalysisOutput, MoveListing};
use crate::interrupt;
use crate::{CliError, Notation, Palette, SolveArguments};
use checkpoint::Checkpoint;

pub(super) fn run(
    arguments: &SolveArguments,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let origin = Instant::now();
    let position = arguments.position.to_position()?;
    let engines = arguments.engine.factory(&position)?;
    let mut engine = engines.build();
    let mut checkpoint = None;
    if let Some(path) = &arguments.checkpoint {
        let (opened, known) = Checkpoint::open(path, &position)?;
        checkpoint = Some(opened);
        engine = engine.with_known_bounds(known);
    }
    let (moves, goal) = if arguments.moves {
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
    let progress = ProofProgress::new(nodes, moves);
    let report =
        engine.analyse_with_progress(&position, limits, &|| origin.elapsed(), &mut |report| {
            let findings = AnalysisOutput {
                position: &position,
                report,
            };
            if !findings.is_anything_proven() {
                return;
            }
            progress.update(report);
            if let Some(checkpoint) = &mut checkpoint {
                checkpoint.update(report);
            }
        });
    progress.finish();
    let findings = AnalysisOutput {
        position: &position,
        report: &report,
    };
    // Whatever becomes of the output, what was found is kept.
    let kept = checkpoint.map(|checkpoint| checkpoint.finish(&report));
    if arguments.json {
        write_json(output, &findings.to_json(moves))?;
    } else {
        let naming = Notation::new(&position, arguments.position.labels.labels);
        findings.write(moves, naming, palette, output)?;
    }
    output.flush()?;
    let kept = kept.transpose()?;
    if interrupt.is_requested() && !findings.is_exact(moves) {
        let kept = kept.filter(|_| findings.is_anything_proven());
        let how = kept.map_or_else(String::new, |kept| format!("; {kept}"));
        let told = findings.interrupted_message();
        return Err(CliError::Interrupted(format!("{told}{how}")));
    }
    Ok(())
}
