//! The types of the requests and responses of the page, for TypeScript.
//!
//! [`write_page_types`] writes them to `web/types/api.d.ts`, which is not in the repository. The
//! type check of the page reads it.

#![forbid(unsafe_code)]

mod declarations;
mod schemas;

use std::path::Path;
use std::{fs, io};

pub use declarations::page_types;

/// The file of the types, from the folder of this crate.
const FILE: &str = "../../web/types/api.d.ts";

/// Writes the types, unless the file has them already.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn write_page_types() -> io::Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let text = page_types();
    if fs::read_to_string(&path).is_ok_and(|present| present == text) {
        return Ok(());
    }
    fs::write(path, text)
}
