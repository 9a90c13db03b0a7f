//! The extension module `kalah._kalah` of the Python package `kalah`.
//!
//! Its classes are thin: they convert Python values to those of the crates and back, release the
//! lock of the interpreter while Rust works, and turn errors into exceptions. `python/src/kalah`
//! has the parts of the package that are written in Python.

mod arguments;
mod arrays;
mod dataset;
mod engine;
mod errors;
mod game;
mod interrupt;
mod players;
mod position;
mod progress;
mod proof;
mod puzzle;
mod record_files;
mod report;
mod resources;
mod review;
mod table;
mod tournament;
mod values;
mod vector_env;

use pyo3::prelude::*;

#[pymodule]
mod _kalah {
    #[pymodule_export]
    use super::dataset::_draw_from_layers;
    #[pymodule_export]
    use super::engine::{PyEngine, solve};
    #[pymodule_export]
    use super::errors::{
        IllegalMoveError, KalahError, ParseError, ProofError, TableError, TournamentError,
    };
    #[pymodule_export]
    use super::game::{PyGame, PyPly};
    #[pymodule_export]
    use super::players::{_estimate, _parse_openings, PyBuiltinPlayer, random_openings};
    #[pymodule_export]
    use super::position::{PyPosition, perft};
    #[pymodule_export]
    use super::progress::PyPositionProgress;
    #[pymodule_export]
    use super::proof::{PyProofCoordinator, PyProofWorker};
    #[pymodule_export]
    use super::puzzle::{PyPuzzle, puzzle};
    #[pymodule_export]
    use super::record_files::{parse_games, read_games, write_games};
    #[pymodule_export]
    use super::report::{PyBounds, PyMoveReport, PyReport};
    #[pymodule_export]
    use super::resources::_memory_bytes;
    #[pymodule_export]
    use super::review::{
        PyAccuracy, PyGradeCounts, PyMarginEstimate, PyReview, PyReviewedPly, review,
    };
    #[pymodule_export]
    use super::table::{PyBuildProgress, PyTable};
    #[pymodule_export]
    use super::tournament::{PyTournamentCoordinator, PyTournamentWorker};
    #[pymodule_export]
    use super::values::{PyMove, PyOutcome, PyRules};
    #[pymodule_export]
    use super::vector_env::PyVectorEnv;

    /// The version of the package.
    #[pymodule_export]
    const _VERSION: &str = env!("CARGO_PKG_VERSION");
}
