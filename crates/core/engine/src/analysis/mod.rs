//! The analysis of a position.
//!
//! [`Engine::analyze`] takes the limits of a request (`request.rs`), the hash tables of earlier
//! analyses (`hash_tables.rs`), and the bounds that books prove (`search_parts.rs`). It estimates
//! all moves, if the limits ask for it (`estimates.rs`), builds an endgame table
//! (`table_builder.rs`), then deepens and proves (`run.rs`), on a clock as long as an iteration is
//! expected to end in time (`iteration_timer.rs`). The reports of its steps (`reporter.rs`,
//! `report.rs`) have lines of play (`lines.rs`) and chances (`chances.rs`).

mod chances;
pub(crate) mod engine;
mod estimates;
pub(crate) mod hash_tables;
mod iteration_timer;
mod lines;
mod move_tables;
pub(crate) mod report;
mod reporter;
pub(crate) mod request;
mod run;
mod search_parts;
pub(crate) mod table_builder;

pub use chances::{ResultChances, ResultModel};
pub use engine::Engine;
pub use report::{Bounds, Certainty, MoveReport, Report};
pub use request::{AnalysisGoal, Estimates, Limits};
