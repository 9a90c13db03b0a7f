//! `cargo xtask site`: the page and the engine as files for any host.
//!
//! The page is that of the server, with an attribute that selects the engine in a worker. The site
//! adds the engine as WebAssembly, and a manifest and a service worker, with which browsers can
//! install the page and load it without a network.

#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, ensure};
use clap::Parser;
use serde::Deserialize;
use wasm_bindgen_cli_support::Bindgen;

use kalah_page::{Files, PageEngine, published_files};
use kalah_site::{compressed_sizes, workspace_root, write_files};

/// The maximum number of bytes of a first visit, compressed with gzip: for the WebAssembly, and for
/// all other files, which have 218,000 bytes at present.
const MAX_PAGE_BYTES: usize = 240_000;
const MAX_WASM_BYTES: usize = 640_000;

/// The maximum number of bytes of the opening statistics, compressed with gzip. A page loads them
/// when it shows them.
const MAX_OPENINGS_BYTES: usize = 30_000;

/// The beginning of the name of the opening statistics.
const OPENINGS_PREFIX: &str = "openings-";

/// The build target for the browser.
const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// The cargo profile of the engine for a site.
const PROFILE: &str = "site";

/// SIMD instructions, which every browser has since 2023 and the endgame tables use.
const TARGET_FEATURE_FLAG: &str = "-Ctarget-feature=+simd128";

/// The stem of the engine's file names.
const LIBRARY_NAME: &str = "kalah_wasm";

/// The used part of the output of `cargo metadata`.
#[derive(Deserialize)]
struct Metadata {
    target_directory: PathBuf,
}

/// Write the page with the engine as WebAssembly into target/site, for any file host
#[derive(Parser)]
#[command(name = "cargo xtask site", bin_name = "cargo xtask site")]
struct SiteArguments {
    /// Offer games with friends, for a page that `kalah serve --page target/site` serves
    #[arg(long)]
    friends: bool,
}

/// Writes the site and prints its size.
fn main() -> anyhow::Result<()> {
    let arguments = SiteArguments::parse();
    let target = target_folder()?;
    let engine = PageEngine::Worker {
        wasm: engine_files(&target)?,
        has_friends: arguments.friends,
    };
    let files = published_files(&workspace_root().join("web"), engine)?;
    let site = target.join("site");
    write_files(&site, &files)?;
    let (openings, first_visit): (Files, Files) = (files.iter())
        .map(|(path, content)| (path.clone(), content.clone()))
        .partition(|(path, _)| path.starts_with(OPENINGS_PREFIX));
    let (wasm, page) = compressed_sizes(&first_visit)?;
    let (_, openings) = compressed_sizes(&openings)?;
    println!(
        "{}: {} files, compressed {page} bytes, {wasm} bytes of WebAssembly and {openings} bytes of \
         opening statistics",
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
    ensure!(
        openings <= MAX_OPENINGS_BYTES,
        "the opening statistics must not be more than {MAX_OPENINGS_BYTES} bytes, compressed"
    );
    Ok(())
}

/// Returns the target directory of cargo.
fn target_folder() -> anyhow::Result<PathBuf> {
    let output = cargo()
        .args(["metadata", "--format-version=1", "--no-deps"])
        .current_dir(workspace_root())
        .output()
        .context("cargo metadata could not be started")?;
    ensure!(
        output.status.success(),
        "cargo metadata failed: {}",
        output.status
    );
    let metadata: Metadata = serde_json::from_slice(&output.stdout)?;
    Ok(metadata.target_directory)
}

/// Builds the engine and its JavaScript bindings.
///
/// The bindings need the same version of `wasm-bindgen-cli-support` as of `wasm-bindgen`.
/// Cargo.toml pins both.
fn engine_files(target: &Path) -> anyhow::Result<Files> {
    build_engine()?;
    let built = target.join(WASM_TARGET).join(PROFILE).join(LIBRARY_NAME);
    let folder = tempfile::tempdir()?;
    Bindgen::new()
        .input_path(built.with_extension("wasm"))
        .web(true)?
        .omit_default_module_path(false)
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder.path())?;
    [
        format!("{LIBRARY_NAME}.js"),
        format!("{LIBRARY_NAME}_bg.wasm"),
    ]
    .into_iter()
    .map(|name| {
        let content = fs::read(folder.path().join(&name))
            .with_context(|| format!("wasm-bindgen has not written {name}"))?;
        Ok((name, content))
    })
    .collect()
}

/// Builds the engine as WebAssembly.
fn build_engine() -> anyhow::Result<()> {
    let root = workspace_root();
    // Panic messages contain file names, which must not reveal the folders of the build.
    let flags = [
        OsString::from(TARGET_FEATURE_FLAG),
        remap(&root, "kalah"),
        remap(&cargo_home()?, "cargo"),
    ];
    let status = cargo()
        .args(["build", "--package", "kalah-wasm", "--lib"])
        .args(["--target", WASM_TARGET, "--profile", PROFILE])
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}".as_ref()))
        .current_dir(root)
        .status()
        .context("cargo build could not be started")?;
    ensure!(status.success(), "the engine could not be built: {status}");
    Ok(())
}

fn remap(from: &Path, to: &str) -> OsString {
    let mut flag = OsString::from("--remap-path-prefix=");
    flag.push(from);
    flag.push("=");
    flag.push(to);
    flag
}

/// Returns a call of the cargo that runs this program.
fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Returns the home folder of cargo, with the sources of dependencies.
fn cargo_home() -> anyhow::Result<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    home.or_else(|| env::home_dir().map(|home| home.join(".cargo")))
        .context("neither CARGO_HOME nor a home folder is known")
}
