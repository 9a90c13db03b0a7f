//! The part that `kalah analyze` and `kalah solve` share: their options, and their work for the
//! lines of a file.

use std::io::Write;
use std::time::Instant;

use clap::Args;
use kalah::Position;
use kalah_api::{AnalyzeResponse, AnalyzedMoveView, BoundsView};
use kalah_engine::Limits;
use kalah_text::{AnalysisOutput, MoveListing};
use serde::Serialize;

use crate::args::position::{Positions, PositionsArgs};
use crate::args::search::{BookSearchOptions, LimitOptions};
use crate::batch::{
    BatchCommand, BatchEngine, BatchEngines, BatchOptions, BatchSearchOptions, CsvRows, ItemKind,
    JobResult, KeptTables, LineSource, run_batch,
};
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::PositionJson;
use crate::version::VERSION;

/// The positions of an analysis, with its limits and resources.
#[derive(Clone, Debug, Args)]
pub(super) struct AnalysisOptions {
    #[command(flatten)]
    pub(super) positions: PositionsArgs,
    #[command(flatten)]
    pub(super) limits: LimitOptions,
    #[command(flatten)]
    pub(super) search: BookSearchOptions,
    #[command(flatten)]
    batch: BatchOptions,
    #[command(flatten)]
    batch_search: BatchSearchOptions,
}

/// The analysis of each line of a file.
#[derive(Clone, Copy)]
pub(super) struct LineAnalysis {
    /// The name of the command with its options without values.
    pub(super) command: &'static str,
    pub(super) limits: Limits,
    /// The moves that the rows have.
    pub(super) listing: MoveListing,
    /// The reason why the command line is not one for many positions.
    pub(super) refusal: Option<&'static str>,
}

impl AnalysisOptions {
    /// Analyzes one position with `analyze_one`, or all lines of a file as `for_lines` says.
    ///
    /// # Errors
    /// [`CliError::Usage`] if an option is not for what the command line gives: one position or
    /// many; the errors of `analyze_one` and [`run_batch`].
    pub(super) fn run(
        &self,
        output: &mut dyn Write,
        for_lines: LineAnalysis,
        analyze_one: impl FnOnce(&Position, &mut dyn Write) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        match (self.positions.to_positions()?, for_lines.refusal) {
            (Positions::One(position), _) => {
                self.batch.refuse_for_one(ItemKind::Line)?;
                self.batch_search.refuse_for_one(ItemKind::Line)?;
                analyze_one(&position, output)
            }
            (Positions::Lines(_), Some(reason)) => Err(CliError::Usage(reason.to_owned())),
            (Positions::Lines(source), None) => self.analyze_lines(source, for_lines, output),
        }
    }

    /// Writes the result of each line. In CSV each move has a row, or else each position.
    fn analyze_lines(
        &self,
        source: LineSource,
        analysis: LineAnalysis,
        output: &mut dyn Write,
    ) -> Result<(), CliError> {
        match analysis.listing {
            MoveListing::All => self.write_lines(source, analysis, output, AnalyzedMoves),
            MoveListing::None => self.write_lines(source, analysis, output, |position| position),
        }
    }

    fn write_lines<T: CsvRows + Send + 'static>(
        &self,
        source: LineSource,
        analysis: LineAnalysis,
        output: &mut dyn Write,
        to_rows: fn(PositionJson<AnalyzeResponse>) -> T,
    ) -> Result<(), CliError> {
        self.search.resources.tables.check()?;
        let kept = KeptTables::for_limits(analysis.limits);
        let engines = BatchEngines::new(&self.search, &self.batch_search, kept);
        let command = BatchCommand::new(analysis.command);
        let command = (self.positions.context.add_to(command)).with_limits(analysis.limits);
        let jobs = engines.jobs();
        run_batch(source, &command, &self.batch, jobs, output, || {
            let mut engine = engines.worker();
            move |text: &str| {
                let position = match self.positions.context.position_of_text(text) {
                    Ok(position) => position,
                    Err(reason) => return Some(Err(reason)),
                };
                let analyzed = analysis.analyze(&position, &mut engine)?;
                Some(analyzed.map(to_rows))
            }
        })
    }
}

impl LineAnalysis {
    fn analyze(
        self,
        position: &Position,
        engine: &mut BatchEngine,
    ) -> JobResult<PositionJson<AnalyzeResponse>> {
        let engine = match engine.for_position(position) {
            Ok(engine) => engine,
            Err(error) => return Some(Err(error.message().unwrap_or_default())),
        };
        let start = Instant::now();
        let report = engine.analyze(position, self.limits, &|| start.elapsed());
        let output = AnalysisOutput {
            position,
            report: &report,
            is_conditional: false,
        };
        if interrupt::listen().is_requested() && !output.is_exact(self.listing) {
            return None;
        }
        let mut response = AnalyzeResponse::new(position, &report);
        if self.listing == MoveListing::None {
            response.moves.clear();
        }
        Some(Ok(PositionJson::new(position, response)))
    }
}

impl CsvRows for PositionJson<AnalyzeResponse> {
    const COLUMNS: &[&str] = &[
        "position", "rules", "to_move", "best", "margin", "lower", "upper", "exact", "depth",
        "nodes", "seconds", "program",
    ];

    fn rows(&self) -> Vec<Vec<String>> {
        let response = &self.value;
        let BoundsView {
            lower,
            upper,
            exact,
        } = response.bounds;
        vec![vec![
            response.position.clone(),
            response.rules.clone(),
            response.to_move.to_string().to_lowercase(),
            response.best.clone().unwrap_or_default(),
            response.margin.to_string(),
            lower.to_string(),
            upper.to_string(),
            exact.to_string(),
            response.depth.to_string(),
            response.nodes.to_string(),
            response.seconds.to_string(),
            VERSION.to_owned(),
        ]]
    }
}

/// An analyzed position with a row of CSV for each move. A finished position has one row without a
/// move, with the margin of the game.
#[derive(Serialize)]
#[serde(transparent)]
struct AnalyzedMoves(PositionJson<AnalyzeResponse>);

impl CsvRows for AnalyzedMoves {
    const COLUMNS: &[&str] = &[
        "position", "rules", "to_move", "rows", "move", "best", "lower", "upper", "exact",
        "estimate", "depth", "nodes", "seconds", "program",
    ];
    const COUNT_COLUMN: Option<&str> = Some("rows");

    fn rows(&self) -> Vec<Vec<String>> {
        let response = &self.0.value;
        let best = response.best.as_ref();
        let of_moves = response.moves.iter().map(|candidate| {
            let AnalyzedMoveView {
                mv,
                bounds,
                estimate,
                depth,
                ..
            } = candidate;
            self.row(mv, best == Some(mv), bounds, *estimate, *depth)
        });
        if response.moves.is_empty() {
            let (bounds, margin) = (&response.bounds, response.margin);
            return vec![self.row("", false, bounds, margin, response.depth)];
        }
        of_moves.collect()
    }
}

impl AnalyzedMoves {
    fn row(
        &self,
        mv: &str,
        is_best: bool,
        bounds: &BoundsView,
        estimate: i32,
        depth: u32,
    ) -> Vec<String> {
        let response = &self.0.value;
        vec![
            response.position.clone(),
            response.rules.clone(),
            response.to_move.to_string().to_lowercase(),
            response.moves.len().max(1).to_string(),
            mv.to_owned(),
            is_best.to_string(),
            bounds.lower.to_string(),
            bounds.upper.to_string(),
            bounds.exact.to_string(),
            estimate.to_string(),
            depth.to_string(),
            response.nodes.to_string(),
            response.seconds.to_string(),
            VERSION.to_owned(),
        ]
    }
}
