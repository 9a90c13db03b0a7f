//! Lists the files of the page with what they are, for the binary to hold them, and tells the tests
//! whether Schemathesis is installed.

#![forbid(unsafe_code)]

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[path = "src/page_path.rs"]
mod page_path;

use page_path::content_type;
use test_tools::Tool;

fn main() -> io::Result<()> {
    test_tools::emit_cfgs(&[Tool::Schemathesis]);
    let package = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let page = package.join("../../../web");
    println!("cargo::rerun-if-changed=src/page_path.rs");
    watch_page(&page)?;

    let mut files = Vec::new();
    collect(&page, &page, &mut files)?;
    files.sort();
    let mut list = String::from("&[\n");
    for (path, file) in files {
        let content = fs::read(&file)?;
        let Some(content_type) = content_type(&path) else {
            continue;
        };
        let file = file
            .to_str()
            .ok_or_else(|| io::Error::other("the sources lie in a folder whose name is no text"))?;
        let tag = page_path::etag(xxhash_rust::xxh3::xxh3_64(&content));
        writeln!(
            list,
            "(EmbeddedFile {{ path: {path:?}, content_type: {content_type:?}, etag: {tag:?} }}, include_bytes!({file:?})),"
        )
        .map_err(io::Error::other)?;
    }
    list.push_str("]\n");
    fs::write(
        PathBuf::from(variable("OUT_DIR")?).join("page_files.rs"),
        list,
    )
}

/// A variable that cargo sets.
fn variable(name: &str) -> io::Result<std::ffi::OsString> {
    env::var_os(name).ok_or_else(|| io::Error::other(format!("cargo does not set {name}")))
}

/// Tells cargo to run this script again after a change of the page. Changes of its tests, tools and
/// types do not build the server again.
fn watch_page(page: &Path) -> io::Result<()> {
    for entry in fs::read_dir(page)? {
        let entry = entry?;
        let name = entry.file_name();
        if name
            .to_str()
            .is_some_and(|name| !page_path::is_excluded(name))
        {
            println!("cargo::rerun-if-changed={}", entry.path().display());
        }
    }
    Ok(())
}

/// The files under `folder` that belong to the page, by their paths in it.
fn collect(page: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let file = entry?.path();
        let inside = file.strip_prefix(page).map_err(io::Error::other)?;
        let names: Option<Vec<&str>> = inside.iter().map(|name| name.to_str()).collect();
        let Some(path) = names.map(|names| names.join("/")) else {
            continue;
        };
        if file.is_dir() {
            if !page_path::is_excluded(&path) {
                collect(page, &file, files)?;
            }
        } else if content_type(&path).is_some() {
            files.push((path, file));
        }
    }
    Ok(())
}
