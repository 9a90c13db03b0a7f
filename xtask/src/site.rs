//! `cargo xtask site`: the page with the engine in it, as files for any host.
//!
//! The page is the server's, told by one attribute that its engine is a worker; beside it lie the engine as
//! WebAssembly, and what makes the page one that can be installed and that works without a network.

mod engine;
mod page;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

use crate::workspace_root;

/// Files by their paths in the site.
type Files = BTreeMap<String, Vec<u8>>;

/// The most that a first visit moves, in bytes, compressed as hosts do it: all but the WebAssembly, and that.
const MAX_PAGE_BYTES: usize = 200_000;
const MAX_WASM_BYTES: usize = 600_000;

/// What keeps the page for when there is no network.
const SERVICE_WORKER: &str = "sw.js";

/// What is asked of `cargo xtask site`.
#[derive(Args, Default)]
pub(crate) struct SiteArguments {
    /// Offer games with friends, too: for a page that `kalah serve --page target/site` serves
    #[arg(long)]
    friends: bool,
}

/// Writes the site, and tells how large it is.
pub(crate) fn run(arguments: &SiteArguments) -> anyhow::Result<()> {
    let target = engine::target_folder()?;
    let mut files = page::files(&workspace_root()?, arguments.friends)?;
    files.extend(engine::files(&target)?);
    let service_worker = files.remove(SERVICE_WORKER).context("no service worker")?;
    let service_worker = [
        service_worker_file_list(&files)?.into_bytes(),
        service_worker,
    ]
    .concat();
    files.insert(SERVICE_WORKER.to_owned(), service_worker);

    let site = target.join("site");
    write(&site, &files)?;
    let (wasm, page) = compressed_sizes(&files)?;
    println!(
        "{}: {} files, compressed {page} bytes and {wasm} bytes of WebAssembly",
        site.display(),
        files.len(),
    );
    ensure!(
        page <= MAX_PAGE_BYTES,
        "the page must not be more than {MAX_PAGE_BYTES} bytes, compressed"
    );
    ensure!(
        wasm <= MAX_WASM_BYTES,
        "the WebAssembly must not be more than {MAX_WASM_BYTES} bytes, compressed"
    );
    Ok(())
}

/// Asks the engine of the site that was written last, in node.
pub(crate) fn test_engine() -> anyhow::Result<()> {
    let status = Command::new("node")
        .args(["--test", "crates/kalah-wasm/tests/wasm.mjs"])
        .env("SITE", engine::target_folder()?.join("site"))
        .current_dir(workspace_root()?)
        .status()
        .context("node could not be started")?;
    ensure!(status.success(), "the engine of the site failed: {status}");
    Ok(())
}

/// The files and the hash of each, for the service worker.
fn service_worker_file_list(files: &Files) -> anyhow::Result<String> {
    let mut list = String::from("const FILES = {\n");
    for (path, content) in files {
        let hash = Sha256::digest(content);
        let hash = hash.iter().fold(String::new(), |mut text, byte| {
            // A text takes whatever it is given.
            let _ = write!(text, "{byte:02x}");
            text
        });
        writeln!(list, "  {path:?}: {hash:?},")?;
    }
    list.push_str("};\n\n");
    Ok(list)
}

/// Writes the files into a folder that has nothing else in it afterwards.
fn write(site: &Path, files: &Files) -> anyhow::Result<()> {
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

/// Bytes of the WebAssembly and of all other files, each compressed.
fn compressed_sizes(files: &Files) -> anyhow::Result<(usize, usize)> {
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
    fn the_list_has_the_hash_of_each_file() {
        let files = Files::from([("a.js".to_owned(), b"abc".to_vec())]);
        assert_eq!(
            service_worker_file_list(&files).unwrap(),
            "const FILES = {\n  \"a.js\": \
             \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\",\n};\n\n"
        );
    }

    #[test]
    fn webassembly_is_counted_by_itself() {
        let file = |path: &str| (path.to_owned(), vec![0; 10_000]);
        let (wasm, page) = compressed_sizes(&[file("b.wasm")].into()).unwrap();
        assert!(0 < wasm && wasm < 1_000 && page == 0, "{wasm} {page}");
        let (wasm, page) = compressed_sizes(&[file("b.js")].into()).unwrap();
        assert!(0 < page && page < 1_000 && wasm == 0, "{wasm} {page}");
    }
}
