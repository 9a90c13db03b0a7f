//! Writes the files of a site, and measures them.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use kalah_page::Files;

/// Replaces the contents of the folder `site` by the files.
///
/// # Errors
/// The folder cannot be emptied, or a file cannot be written.
pub fn write_files(site: &Path, files: &Files) -> anyhow::Result<()> {
    if site.exists() {
        fs::remove_dir_all(site).with_context(|| format!("cannot empty {}", site.display()))?;
    }
    for (path, content) in files {
        let path: PathBuf = site.join(path);
        let folder = path.parent().unwrap_or(site);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, content))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Returns the compressed bytes of the WebAssembly and of all other files.
///
/// # Errors
/// The compression fails.
pub fn compressed_sizes(files: &Files) -> anyhow::Result<(usize, usize)> {
    let (mut wasm, mut page) = (0, 0);
    for (path, content) in files {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(content)?;
        let size = gzip.finish()?.len();
        let is_wasm = Path::new(path).extension().is_some_and(|it| it == "wasm");
        *if is_wasm { &mut wasm } else { &mut page } += size;
    }
    Ok((wasm, page))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webassembly_is_counted_separately() {
        let file = |path: &str| (path.to_owned(), vec![0; 10_000]);
        let (wasm, page) = compressed_sizes(&[file("b.wasm")].into()).unwrap();
        assert!(0 < wasm && wasm < 1_000 && page == 0, "{wasm} {page}");
        let (wasm, page) = compressed_sizes(&[file("b.js")].into()).unwrap();
        assert!(0 < page && page < 1_000 && wasm == 0, "{wasm} {page}");
    }
}
