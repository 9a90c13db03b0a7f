//! `cargo xtask site`: the page and the engine as files for any host.
//!
//! The page is that of the server, with an attribute that selects the engine in a worker. The site
//! adds the engine as WebAssembly, and a manifest and a service worker, with which browsers can
//! install the page and load it without a network.

mod engine;
mod files;
mod page;

use std::process::Command;

use anyhow::{Context as _, ensure};
use clap::Args;

use crate::workspace::workspace_root;
use files::{compressed_sizes, service_worker_file_list, write_files};

/// The maximum number of bytes of a first visit, compressed with gzip: for the WebAssembly, and for
/// all other files.
const MAX_PAGE_BYTES: usize = 200_000;
const MAX_WASM_BYTES: usize = 600_000;

/// The service worker, which caches the page for visits without a network.
const SERVICE_WORKER: &str = "sw.js";

/// The arguments of `cargo xtask site`.
#[derive(Args, Default)]
pub(crate) struct SiteArguments {
    /// Offer games with friends, for a page that `kalah serve --page target/site` serves
    #[arg(long)]
    friends: bool,
}

/// Writes the site and prints its size.
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
    write_files(&site, &files)?;
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

/// Tests the engine of the last site in node.
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
