//! Games of `OpenSpiel`'s mancala, also as episodes of Kaggle's environments: their import and
//! export.
//!
//! [`OPEN_SPIEL`] is the format of an import, and [`export`] writes records in the formats of
//! [`ExportFormat`]. The import reads all that an export writes.

#![forbid(unsafe_code)]

mod action;
mod export;
mod import;

pub use export::{
    ExportError, ExportFormat, ExportLoss, ExportedGame, ParseExportFormatError, export,
};
pub use import::OPEN_SPIEL;
