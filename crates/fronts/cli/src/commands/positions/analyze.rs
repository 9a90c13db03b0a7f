//! `kalah analyze`.

use std::io::Write;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args;
use kalah::Position;
use kalah_api::AnalyzeResponse;
use kalah_engine::{AnalysisGoal, Estimates, Limits};
use kalah_text::{Notation, Palette};

use super::analysis::{AnalysisOptions, LineAnalysis};
use crate::args::values::whole_number_parser;
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::write_position_json;
use crate::output::progress::AnalysisProgress;
use kalah_text::{AnalysisOutput, MoveListing};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A margin is the number of seeds by which the player to move is ahead at the end of the game, with
best play of both players. An `exact` margin is proven. Otherwise the output has an estimate, marked
with `~`, its depth in turns, and proven bounds. `*` marks the best move. On a terminal the results
are redrawn while the analysis runs. Ctrl-C stops the analysis and prints the results so far.

A file has a position in each line, which moves may follow, as in `6x4 CF a`. Empty lines and those
that begin with `#` are skipped. The output has a line of JSON for each of them, in their order,
with its number, its text, and the result or an error; with --csv it has a row for each move. With
--nodes and one thread for each job,
rows depend on no other line except for their times, and each job may use the memory of --memory.

Examples:
  kalah analyze 6x4 --time 5s
  kalah analyze 6x4 --line 'CF a' --nodes 1000000
  kalah analyze game.kgn@12 --time 1s
  kalah analyze positions.txt --csv --out margins.csv
  kalah analyze '<6,12,10,0,3,0,0,1,2,4,0,0,8,8,0> n' --labels columns
  kalah analyze 6x6 --time 20s --json --follow
  kalah analyze 4x3 --rules standard --tables none --json")]
pub(crate) struct AnalyzeArgs {
    #[command(flatten)]
    analysis: AnalysisOptions,
    /// Estimate with searches of at most this many turns, and prove nothing
    #[arg(long, value_name = "TURNS", value_parser = whole_number_parser(1, u32::MAX))]
    depth: Option<u32>,
    /// Print the lines of this many moves, the best ones
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = whole_number_parser(1, u8::MAX))]
    lines: u8,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
    /// With --json, print a line whenever the results change, and every tenth of a second
    #[arg(long, requires = "json")]
    follow: bool,
}

impl AnalyzeArgs {
    fn limits(&self) -> Limits {
        Limits {
            depth: self.depth,
            estimates: Estimates::AllMoves,
            // The line of the best move needs no request.
            lines: match self.lines {
                1 => 0,
                lines => lines.into(),
            },
            ..self.analysis.limits.limits(AnalysisGoal::AllMargins)
        }
    }
}

pub(crate) fn run(
    arguments: &AnalyzeArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let for_lines = LineAnalysis {
        command: "analyze",
        limits: arguments.limits(),
        listing: MoveListing::All,
        refusal: (arguments.follow)
            .then_some("--follow is for one position: the output has one row for each of many"),
    };
    (arguments.analysis).run(output, for_lines, |position, output| {
        analyze_one(arguments, position, output, palette)
    })
}

fn analyze_one(
    arguments: &AnalyzeArgs,
    position: &Position,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let start = Instant::now();
    let engines = arguments.analysis.search.factory(position)?;
    let interrupt = interrupt::listen();
    let mut engine = engines.build().with_stop_flag(interrupt.flag());
    let limits = arguments.limits();
    let notation = Notation::new(position, arguments.analysis.positions.context.labels());
    let progress = (!arguments.json).then(AnalysisProgress::new);
    let mut failure = None;
    let report =
        engine.analyze_with_progress(position, limits, &|| start.elapsed(), &mut |report| {
            let analysis = AnalysisOutput {
                position,
                report,
                is_conditional: false,
            };
            if arguments.follow && failure.is_none() {
                let written =
                    write_position_json(output, position, &AnalyzeResponse::new(position, report));
                failure = written.and_then(|()| output.flush()).err();
                if failure.is_some() {
                    interrupt.flag().store(true, Ordering::Relaxed);
                }
            } else if let Some(progress) = &progress {
                let text = analysis.to_text(MoveListing::All, notation, palette);
                progress.update(&text, report);
            }
        });
    if let Some(progress) = progress {
        progress.finish();
    }
    if let Some(failure) = failure {
        return Err(failure.into());
    }
    let analysis = AnalysisOutput {
        position,
        report: &report,
        is_conditional: false,
    };
    if arguments.json {
        let response = AnalyzeResponse::new(position, &report);
        write_position_json(output, position, &response)?;
    } else {
        let text = analysis.to_text(MoveListing::All, notation, palette);
        output.write_all(text.as_bytes())?;
    }
    if interrupt.is_requested() && !analysis.is_exact(MoveListing::All) {
        output.flush()?;
        let message = analysis.interrupted_message().to_owned();
        return Err(CliError::Interrupted(message));
    }
    Ok(())
}
