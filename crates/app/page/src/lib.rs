//! The files of the page as they are published: the bundle, the document, the icons, the manifest
//! and the service worker.
//!
//! The name of a file that the document refers to contains a hash of its content, so that browsers
//! keep it for ever, and a document never gets the files of another version. The document, the
//! manifest and the service worker keep their names.

#![forbid(unsafe_code)]

mod document;
mod hashed_name;
mod published_page;
mod service_worker;

pub use document::with_embedded_board;
pub use hashed_name::has_hashed_name;
pub use published_page::{Files, PageEngine, PageError, published_files};
