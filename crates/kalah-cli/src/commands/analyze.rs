//! `kalah analyze`.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use clap::Args;
use kalah_engine::{Goal, Limits};
use kalah_players::TimeLimit;
use kalah_tui::{Notation, Palette};

use crate::args::search::SearchOptions;
use crate::args::values::PositionArgs;
use crate::error::CliError;
use crate::interrupt;
use crate::output::analysis::{AnalysisOutput, MoveListing};
use crate::output::messages::write_json;
use crate::output::progress::ProofProgress;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A margin is the number of seeds by which the player to move is ahead at the end of the game, with
best play of both players. An `exact` margin is proven. Otherwise the output has proven bounds. `*`
marks the best move. Ctrl-C stops the analysis and prints the bounds proven so far.

Examples:
  kalah analyze 6x4 --time 5s
  kalah analyze '<6,12,10,0,3,0,0,1,2,4,0,0,8,8,0> n' --rules standard --labels letters
  kalah analyze 4x3 --tables none --json")]
pub(crate) struct AnalyzeArgs {
    #[command(flatten)]
    position: PositionArgs,
    /// Stop after this time; the best move is proven first [default: stop when every margin is
    /// exact]
    #[arg(long, value_name = "DURATION")]
    time: Option<TimeLimit>,
    #[command(flatten)]
    search: SearchOptions,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

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
