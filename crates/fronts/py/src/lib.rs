//! The extension module `kalah._kalah` of the Python package `kalah`.
//!
//! Its classes are thin: they convert Python values to those of the crates and back, release the
//! lock of the interpreter while Rust works, and turn errors into exceptions. `python/src/kalah`
//! has the parts of the package that are written in Python.

mod arguments;
mod arrays;
mod book;
mod engine;
mod environments;
mod errors;
mod games;
mod interrupt;
mod progress;
mod proof;
mod resources;
mod table;
mod tournament;

use pyo3::prelude::*;

#[pymodule]
mod _kalah {
    #[pymodule_export]
    use super::book::PyBookCoordinator;
    #[pymodule_export]
    use super::engine::analysis::{PyEngine, solve};
    #[pymodule_export]
    use super::engine::players::{_estimate, _parse_openings, PyBuiltinPlayer, random_openings};
    #[pymodule_export]
    use super::engine::puzzle::{PyPuzzle, puzzle};
    #[pymodule_export]
    use super::engine::report::{PyBounds, PyMoveReport, PyReport};
    #[pymodule_export]
    use super::engine::review::{
        PyAccuracy, PyGradeCounts, PyMarginEstimate, PyReason, PyReview, PyReviewedPly, review,
    };
    #[pymodule_export]
    use super::environments::dataset::_draw_from_layers;
    #[pymodule_export]
    use super::environments::vector_env::PyVectorEnv;
    #[pymodule_export]
    use super::errors::{
        BookError, IllegalMoveError, KalahError, ParseError, ProofError, TableError,
        TournamentError,
    };
    #[pymodule_export]
    use super::games::game::{PyGame, PyPly};
    #[pymodule_export]
    use super::games::position::{PyPosition, perft};
    #[pymodule_export]
    use super::games::record_files::{parse_games, read_games, write_games};
    #[pymodule_export]
    use super::games::values::{PyMove, PyOutcome, PyRules};
    #[pymodule_export]
    use super::progress::PyPositionProgress;
    #[pymodule_export]
    use super::proof::{PyProofCoordinator, PyProofWorker};
    #[pymodule_export]
    use super::resources::_memory_bytes;
    #[pymodule_export]
    use super::table::{PyBuildProgress, PyTable};
    #[pymodule_export]
    use super::tournament::{PyTournamentCoordinator, PyTournamentWorker};

    /// The version of the package.
    #[pymodule_export]
    const _VERSION: &str = env!("CARGO_PKG_VERSION");
}
