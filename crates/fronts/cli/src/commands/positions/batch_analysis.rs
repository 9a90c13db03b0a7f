//! `kalah analyze` and `kalah solve` of many positions.

use std::io::Write;
use std::time::Instant;

use kalah_api::{AnalyzeResponse, AnalyzedMoveView, BoundsView};
use kalah_engine::Limits;
use kalah_text::{AnalysisOutput, MoveListing};

use crate::args::position::PositionContext;
use crate::args::search::BookSearchOptions;
use crate::batch::{
    BatchEngine, BatchEngines, BatchOptions, BatchSearchOptions, CsvRow, JobResult, KeptTables,
    LineSource, run_batch,
};
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::PositionJson;

/// The analysis of each position of a batch.
#[derive(Clone, Copy)]
pub(super) struct BatchAnalysis<'a> {
    pub(super) context: &'a PositionContext,
    pub(super) search: &'a BookSearchOptions,
    pub(super) limits: Limits,
    /// The moves that the rows have.
    pub(super) listing: MoveListing,
    pub(super) batch: &'a BatchOptions,
    pub(super) batch_search: &'a BatchSearchOptions,
}

/// Analyzes the positions of all lines.
///
/// # Errors
/// As [`run_batch`], and [`CliError::Runtime`] if the folder with tables cannot be read.
pub(super) fn analyze_lines(
    source: LineSource,
    analysis: BatchAnalysis,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    analysis.search.resources.tables.check()?;
    let Limits { nodes, depth, .. } = analysis.limits;
    let kept = if nodes.is_some() || depth.is_some() {
        KeptTables::Files
    } else {
        KeptTables::All
    };
    let engines = BatchEngines::new(analysis.search, analysis.batch_search, kept);
    run_batch(source, analysis.batch, engines.jobs(), output, || {
        let mut engine = engines.worker();
        move |text: &str| analysis.analyze_text(text, &mut engine)
    })
}

impl BatchAnalysis<'_> {
    fn analyze_text(
        &self,
        text: &str,
        engine: &mut BatchEngine,
    ) -> JobResult<PositionJson<AnalyzeResponse>> {
        let position = match self.context.position_of_text(text) {
            Ok(position) => position,
            Err(reason) => return Some(Err(reason)),
        };
        let engine = match engine.for_position(&position) {
            Ok(engine) => engine,
            Err(error) => return Some(Err(error.message().unwrap_or_default())),
        };
        let start = Instant::now();
        let report = engine.analyze(&position, self.limits, &|| start.elapsed());
        let output = AnalysisOutput {
            position: &position,
            report: &report,
            is_conditional: false,
        };
        if interrupt::listen().is_requested() && !output.is_exact(self.listing) {
            return None;
        }
        let mut response = AnalyzeResponse::new(&position, &report);
        if self.listing == MoveListing::None {
            response.moves.clear();
        }
        Some(Ok(PositionJson::new(&position, response)))
    }
}

impl CsvRow for PositionJson<AnalyzeResponse> {
    const COLUMNS: &[&str] = &[
        "position", "rules", "to_move", "best", "margin", "lower", "upper", "exact", "depth",
        "nodes", "seconds", "moves",
    ];

    fn fields(&self) -> Vec<String> {
        let response = &self.value;
        let BoundsView {
            lower,
            upper,
            exact,
        } = response.bounds;
        let moves: Vec<String> = response.moves.iter().map(format_move).collect();
        vec![
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
            moves.join(" "),
        ]
    }
}

/// Returns a move with its margin, as in `C=8`, or with its bounds, as in `C=-2..8`.
fn format_move(candidate: &AnalyzedMoveView) -> String {
    let AnalyzedMoveView { mv, bounds, .. } = candidate;
    if bounds.exact {
        format!("{mv}={}", bounds.lower)
    } else {
        format!("{mv}={}..{}", bounds.lower, bounds.upper)
    }
}
