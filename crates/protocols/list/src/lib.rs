//! The protocols of programs that play, and the formats of imports: a list of each.
//!
//! The crate of a protocol defines an [`EngineProtocol`](kalah_players::EngineProtocol), an
//! [`ImportFormat`](kalah_import::ImportFormat), or both. A further crate has a line in each list
//! to which it adds something.

#![forbid(unsafe_code)]

mod engine_protocols;
mod import_formats;

pub use engine_protocols::ENGINE_PROTOCOLS;
pub use import_formats::{
    IMPORT_FORMATS, ParseImportFormatError, detect_import_format, find_import_format,
};
