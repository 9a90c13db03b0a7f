mod checkpoint;

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use kalah_engine::{Goal, Limits};

use super::progress::Progress;
use super::write_json;
use crate::findings::{Findings, Moves};
use crate::interrupt::Interrupt;
use crate::{Engines, Failure, Naming, Palette, SolveArguments};
use checkpoint::Checkpoint;

pub(super) fn run(
    arguments: &SolveArguments,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), Failure> {
    let origin = Instant::now();
    let position = arguments.position.playable()?;
    let engines = Engines::new(&arguments.engine, &position)?;
    let mut engine = engines.engine();
    let mut checkpoint = None;
    if let Some(path) = &arguments.checkpoint {
        let (opened, known) = Checkpoint::open(path, &position)?;
        checkpoint = Some(opened);
        engine = engine.with_known_bounds(known);
    }
    let (moves, goal) = if arguments.moves {
        (Moves::All, Goal::AllMargins)
    } else {
        (Moves::None, Goal::BestMargin)
    };
    let interrupt = Interrupt::listen();
    let nodes = Arc::new(AtomicU64::new(0));
    let mut engine =
        (engine.with_stop_flag(interrupt.flag())).with_node_counter(Arc::clone(&nodes));
    let limits = Limits {
        goal,
        ..Limits::default()
    };
    let progress = Progress::new(nodes, moves);
    let report =
        engine.analyse_with_progress(&position, limits, &|| origin.elapsed(), &mut |report| {
            let findings = Findings {
                position: &position,
                report,
            };
            if !findings.prove_anything() {
                return;
            }
            progress.see(report);
            if let Some(checkpoint) = &mut checkpoint {
                checkpoint.see(report);
            }
        });
    progress.end();
    let findings = Findings {
        position: &position,
        report: &report,
    };
    // Whatever becomes of the output, what was found is kept.
    let kept = checkpoint.map(|checkpoint| checkpoint.close(&report));
    if arguments.json {
        write_json(output, &findings.json(moves))?;
    } else {
        let naming = Naming::of(&position, arguments.position.labels.labels);
        findings.write(moves, naming, palette, output)?;
    }
    output.flush()?;
    let kept = kept.transpose()?;
    if interrupt.came() && !findings.are_exact(moves) {
        let kept = kept.filter(|_| findings.prove_anything());
        let how = kept.map_or_else(String::new, |kept| format!("; {kept}"));
        let told = findings.broken_off();
        return Err(Failure::Interrupted(format!("{told}{how}")));
    }
    Ok(())
}
