//! The folder of the site and its files, apart from the engine as WebAssembly.

#![forbid(unsafe_code)]

mod files;

use std::path::{Path, PathBuf};

pub use files::{compressed_sizes, write_files};

/// The number of folders between this package and the root folder of the workspace.
const DEPTH: usize = 2;

/// Returns the root folder of the workspace.
///
/// # Panics
/// If this package was moved out of `tools/`.
pub fn workspace_root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(DEPTH);
    root.expect("the package is in tools/").to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns the version of a package in Cargo.lock.
    fn locked(name: &str) -> String {
        let lock = fs::read_to_string(workspace_root().join("Cargo.lock")).unwrap();
        let (_, package) = lock
            .split_once(&format!("name = \"{name}\"\nversion = \""))
            .unwrap();
        package.split('"').next().unwrap().to_owned()
    }

    #[test]
    fn both_wasm_bindgen_packages_have_one_version() {
        assert_eq!(locked("wasm-bindgen"), locked("wasm-bindgen-cli-support"));
    }
}
