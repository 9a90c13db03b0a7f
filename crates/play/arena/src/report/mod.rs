//! The results of a tournament as text, as JSON and as an HTML report.

mod csv;
mod feedback;
mod game_data;
mod games;
mod html;
mod json;
mod plots;
mod summary;
mod tables;
mod text;
mod text_table;

pub use csv::CsvTables;
pub use feedback::{Feedback, Mistake, SkippedFeedback};
pub use html::html_report;
pub use json::results_json;
pub use summary::ArenaSummary;
pub use text::{standings_text, summary_text};
