//! Writes the files of the page and their list with types and tags, for the binary to hold them,
//! and tells the tests whether Schemathesis is installed.

#![forbid(unsafe_code)]

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kalah_page::{PageEngine, published_files};

#[path = "src/page_path.rs"]
mod page_path;

use page_path::content_type;
use test_tools::Tool;

/// The sources of the published page, in its folder. Other modules and style sheets are in the
/// bundle.
const SOURCES: [&str; 5] = [
    "bundle",
    "explorer/openings.json",
    "icon.svg",
    "index.html",
    "site",
];

fn main() -> io::Result<()> {
    test_tools::emit_cfgs(&[Tool::Schemathesis]);
    let web = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("../../../web");
    println!("cargo::rerun-if-changed=src/page_path.rs");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", web.join(source).display());
    }

    let output = PathBuf::from(variable("OUT_DIR")?);
    let folder = output.join("page");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir(&folder)?;
    let mut list = String::from("&[\n");
    let files = published_files(&web, PageEngine::Server).map_err(io::Error::other)?;
    for (path, content) in files {
        list_file(&mut list, &folder, &path, &content)?;
    }
    list.push_str("]\n");
    fs::write(output.join("page_files.rs"), list)
}

/// A variable that cargo sets.
fn variable(name: &str) -> io::Result<std::ffi::OsString> {
    env::var_os(name).ok_or_else(|| io::Error::other(format!("cargo does not set {name}")))
}

/// Writes a file of the page, and adds it to the list.
fn list_file(list: &mut String, folder: &Path, path: &str, content: &[u8]) -> io::Result<()> {
    let content_type = content_type(path)
        .ok_or_else(|| io::Error::other(format!("{path} has no content type")))?;
    let file = folder.join(path);
    fs::write(&file, content)?;
    let file = file
        .to_str()
        .ok_or_else(|| io::Error::other("the target folder has a name that is no text"))?;
    let tag = page_path::etag(xxhash_rust::xxh3::xxh3_64(content));
    writeln!(
        list,
        "(EmbeddedFile {{ path: {path:?}, content_type: {content_type:?}, etag: {tag:?} }}, include_bytes!({file:?})),"
    )
    .map_err(io::Error::other)
}
