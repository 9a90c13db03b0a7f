use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use kalah_engine::{Goal, Limits};

use super::progress::Progress;
use super::write_json;
use crate::findings::{Findings, Moves};
use crate::interrupt::Interrupt;
use crate::{AnalyzeArguments, Engines, Failure, Naming, Palette, TimeLimit};

pub(super) fn run(
    arguments: &AnalyzeArguments,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), Failure> {
    let origin = Instant::now();
    let position = arguments.position.playable()?;
    let engines = Engines::new(&arguments.engine, &position)?;
    let interrupt = Interrupt::listen();
    let nodes = Arc::new(AtomicU64::new(0));
    let mut engine = (engines.engine())
        .with_stop_flag(interrupt.flag())
        .with_node_counter(Arc::clone(&nodes));
    let limits = Limits {
        time: arguments.time.map(TimeLimit::get),
        goal: Goal::AllMargins,
        ..Limits::default()
    };
    // Who gave it a time knows how long it takes.
    let progress = (limits.time.is_none()).then(|| Progress::new(nodes, Moves::All));
    let report =
        engine.analyse_with_progress(&position, limits, &|| origin.elapsed(), &mut |report| {
            let findings = Findings {
                position: &position,
                report,
            };
            if let Some(progress) = progress.as_ref().filter(|_| findings.prove_anything()) {
                progress.see(report);
            }
        });
    if let Some(progress) = progress {
        progress.end();
    }
    let findings = Findings {
        position: &position,
        report: &report,
    };
    if arguments.json {
        write_json(output, &findings.json(Moves::All))?;
    } else {
        let naming = Naming::of(&position, arguments.position.labels.labels);
        findings.write(Moves::All, naming, palette, output)?;
    }
    if interrupt.came() && !findings.are_exact(Moves::All) {
        output.flush()?;
        return Err(Failure::Interrupted(findings.broken_off().to_owned()));
    }
    Ok(())
}
