//! A client, which plays on a server and connects to it again.
//!
//! [`run_client`] opens connections one after another. `session` serves one of them, `search` runs
//! the searches for its states, and [`ClientReport`] describes its games.

mod error;
mod line_log;
mod report;
mod run;
mod search;
mod session;
mod settings;

pub use error::ClientError;
pub use line_log::LineLog;
pub use report::ClientReport;
pub use run::run_client;
pub use settings::{ClientOutput, ClientSettings, Introduction};
