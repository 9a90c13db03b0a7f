//! The results of a tournament as text, as JSON and as an HTML report.

mod html;
mod json;
mod plots;
mod summary;
mod tables;

pub use html::html_report;
pub use json::results_json;
pub use summary::{ArenaSummary, standings_text, summary_text};
