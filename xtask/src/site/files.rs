//! The files of a site: their list for the service worker, their folder and their sizes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

/// The contents of the files, by their paths in the site.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// Returns the JavaScript constant with the files and their hashes for the service worker.
pub(super) fn service_worker_file_list(files: &Files) -> anyhow::Result<String> {
    let mut list = String::from("const FILES = {\n");
    for (path, content) in files {
        let hash = Sha256::digest(content);
        let hash = hash.iter().fold(String::new(), |mut text, byte| {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        });
        writeln!(list, "  {path:?}: {hash:?},")?;
    }
    list.push_str("};\n\n");
    Ok(list)
}

/// Replaces the contents of the folder `site` by the files.
pub(super) fn write_files(site: &Path, files: &Files) -> anyhow::Result<()> {
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
pub(super) fn compressed_sizes(files: &Files) -> anyhow::Result<(usize, usize)> {
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
    fn file_list_has_the_hash_of_each_file() {
        let files = Files::from([("a.js".to_owned(), b"abc".to_vec())]);
        assert_eq!(
            service_worker_file_list(&files).unwrap(),
            "const FILES = {\n  \"a.js\": \
             \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\",\n};\n\n"
        );
    }

    #[test]
    fn webassembly_is_counted_separately() {
        let file = |path: &str| (path.to_owned(), vec![0; 10_000]);
        let (wasm, page) = compressed_sizes(&[file("b.wasm")].into()).unwrap();
        assert!(0 < wasm && wasm < 1_000 && page == 0, "{wasm} {page}");
        let (wasm, page) = compressed_sizes(&[file("b.js")].into()).unwrap();
        assert!(0 < page && page < 1_000 && wasm == 0, "{wasm} {page}");
    }
}
