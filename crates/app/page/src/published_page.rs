//! The files of a published page.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::document::{
    DocumentFiles, replace_once, with_embedded_board, with_published_files, with_worker_engine,
};
use crate::hashed_name::{hashed_file_name, hashed_folder_name};
use crate::service_worker::service_worker;

/// The contents of files by their paths in the page.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The engine that a page uses.
#[derive(Debug)]
pub enum PageEngine {
    /// The engine of the server that sends the page.
    Server,
    /// An engine in a worker of the browser.
    Worker {
        /// The WebAssembly and its JavaScript module, by their names in the folder `wasm`.
        wasm: Files,
        /// Whether a server offers games with friends.
        has_friends: bool,
    },
}

/// A page that cannot be published.
#[derive(Debug, Error)]
pub enum PageError {
    /// A file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A file is not UTF-8.
    #[error("{0} is no text")]
    NotText(&'static str),
    /// A file does not contain a text exactly once.
    #[error("{text} occurs {count} times in {file} instead of once")]
    Unexpected {
        /// The file in the folder of the page.
        file: &'static str,
        /// The text.
        text: String,
        /// How often it occurs.
        count: usize,
    },
}

const INDEX: &str = "index.html";
/// The page as a board for frames of other sites.
const EMBED: &str = "embed.html";
const MANIFEST: &str = "manifest.webmanifest";
const SERVICE_WORKER: &str = "sw.js";
const ICON: &str = "icon.svg";
const SMALL_ICON: &str = "icon-192.png";
const LARGE_ICON: &str = "icon-512.png";

/// The opening statistics, which the page loads when it shows them.
const OPENINGS: &str = "openings.json";

/// The script of the worker in the folder of the engine.
const WORKER: &str = "engine/worker.js";

/// Returns the files of the page whose sources are in the folder `web`.
///
/// # Errors
/// A file cannot be read, or it is not as expected.
pub fn published_files(web: &Path, engine: PageEngine) -> Result<Files, PageError> {
    let mut files = Files::new();
    let mut add_hashed = |name: &'static str, folder: &str| -> Result<String, PageError> {
        let content = read(&web.join(folder).join(name))?;
        let hashed = hashed_file_name(name, &content);
        files.insert(hashed.clone(), content);
        Ok(hashed)
    };
    let openings = add_hashed(OPENINGS, "explorer")?;
    let script = add_hashed("app.js", "bundle")?;
    let style_sheet = add_hashed("app.css", "bundle")?;
    let icon = add_hashed(ICON, "")?;
    let small_icon = add_hashed(SMALL_ICON, "site")?;
    let large_icon = add_hashed(LARGE_ICON, "site")?;

    let mut manifest = read_text(web, "site/manifest.webmanifest")?;
    for (name, hashed) in [
        (ICON, &icon),
        (SMALL_ICON, &small_icon),
        (LARGE_ICON, &large_icon),
    ] {
        let quoted = |name: &str| format!("\"{name}\"");
        manifest = replace_once(MANIFEST, &manifest, &quoted(name), &quoted(hashed))?;
    }
    files.insert(MANIFEST.to_owned(), manifest.into_bytes());

    let document_files = DocumentFiles {
        script: &script,
        style_sheet: &style_sheet,
        icon: &icon,
        touch_icon: &small_icon,
        manifest: MANIFEST,
        openings: &openings,
    };
    let mut document = with_published_files(&read_text(web, INDEX)?, &document_files)?;
    let needs_server = matches!(engine, PageEngine::Server);
    if let PageEngine::Worker { wasm, has_friends } = engine {
        let (folder, engine_files) = engine_files(web, wasm)?;
        document = with_worker_engine(&document, &format!("{folder}/{WORKER}"), has_friends)?;
        files.extend(
            engine_files
                .into_iter()
                .map(|(path, content)| (format!("{folder}/{path}"), content)),
        );
    }
    if !needs_server {
        // A file host has no route for it.
        let embedded = with_embedded_board(&document)?;
        files.insert(EMBED.to_owned(), embedded.into_bytes());
    }
    files.insert(INDEX.to_owned(), document.into_bytes());
    let not_stored = [&*small_icon, &*large_icon, EMBED];
    add_service_worker(web, &mut files, not_stored, needs_server)?;
    Ok(files)
}

/// Returns the name of the engine's folder and its files, which refer to each other by relative
/// paths.
fn engine_files(web: &Path, wasm: Files) -> Result<(String, Files), PageError> {
    let mut files: Files = wasm
        .into_iter()
        .map(|(name, content)| (format!("wasm/{name}"), content))
        .collect();
    files.insert(WORKER.to_owned(), read(&web.join(WORKER))?);
    Ok((hashed_folder_name("engine", &files), files))
}

/// Adds the service worker, which stores all files except `not_stored`: those that only the system
/// uses after the installation, and the board for other sites.
fn add_service_worker(
    web: &Path,
    files: &mut Files,
    not_stored: [&str; 3],
    needs_server: bool,
) -> Result<(), PageError> {
    let script = read(&web.join("site").join(SERVICE_WORKER))?;
    let mut stored = files.clone();
    stored.retain(|path, _| !not_stored.contains(&&**path));
    let content = service_worker(&script, &stored, needs_server);
    files.insert(SERVICE_WORKER.to_owned(), content);
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, PageError> {
    fs::read(path).map_err(|error| PageError::Read {
        path: path.to_owned(),
        error,
    })
}

fn read_text(web: &Path, name: &'static str) -> Result<String, PageError> {
    String::from_utf8(read(&web.join(name))?).map_err(|_| PageError::NotText(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::has_hashed_name;

    fn web() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../web")
    }

    fn worker_page(has_friends: bool) -> Files {
        let wasm = Files::from([("kalah_wasm.js".to_owned(), b"export {};".to_vec())]);
        published_files(&web(), PageEngine::Worker { wasm, has_friends }).unwrap()
    }

    fn text<'a>(files: &'a Files, path: &str) -> &'a str {
        str::from_utf8(&files[path]).unwrap()
    }

    #[test]
    fn all_files_have_hashed_names_but_those_with_known_addresses() {
        let files = published_files(&web(), PageEngine::Server).unwrap();
        let known: Vec<_> = files
            .keys()
            .filter(|path| !has_hashed_name(path))
            .map(String::as_str)
            .collect();
        assert_eq!(known, [INDEX, MANIFEST, SERVICE_WORKER]);
        assert_eq!(files.len(), 9);
    }

    #[test]
    fn document_and_manifest_name_files_of_the_page() {
        for files in [
            published_files(&web(), PageEngine::Server).unwrap(),
            worker_page(false),
        ] {
            let mut names = 0;
            for (path, marks) in [
                (INDEX, &["href=\"", " src=\"", "data-openings=\""][..]),
                (MANIFEST, &["\"src\": \""]),
            ] {
                for mark in marks {
                    for part in text(&files, path).split(mark).skip(1) {
                        let name = part.split('"').next().unwrap();
                        // A document refers to symbols in itself.
                        if !name.starts_with('#') {
                            assert!(files.contains_key(name), "{path}: {name}");
                            names += 1;
                        }
                    }
                }
            }
            assert_eq!(names, 10);
            assert_eq!(text(&files, INDEX).matches("rel=\"stylesheet\"").count(), 1);
        }
    }

    #[test]
    fn served_page_uses_the_engine_of_the_server() {
        let files = published_files(&web(), PageEngine::Server).unwrap();
        let index = text(&files, INDEX);
        assert!(index.contains(r#"data-engine="server" data-friends="enabled""#));
        assert!(!index.contains("Content-Security-Policy"));
        assert!(text(&files, SERVICE_WORKER).contains("const NEEDS_SERVER = true;"));
    }

    #[test]
    fn page_of_a_site_selects_the_engine_in_the_worker() {
        let files = worker_page(false);
        let index = text(&files, INDEX);
        assert!(!index.contains(r#"data-engine="server""#), "{index}");
        assert!(
            !index.contains("data-friends"),
            "a file host has no games with friends"
        );
        let (_, worker) = index
            .split_once(r#"data-engine="worker" data-worker=""#)
            .unwrap();
        let worker = worker.split('"').next().unwrap();
        assert!(files.contains_key(worker), "{worker}");
        let folder = worker.strip_suffix(WORKER).unwrap();
        assert!(files.contains_key(&format!("{folder}wasm/kalah_wasm.js")));
        // The policy does not apply to elements before it.
        let policy = index.find("Content-Security-Policy").unwrap();
        assert!(policy < index.find("<script").unwrap());
        assert!(policy < index.find("<link").unwrap());
        assert!(text(&files, SERVICE_WORKER).contains("const NEEDS_SERVER = false;"));
    }

    #[test]
    fn friends_enables_games_with_friends() {
        assert!(text(&worker_page(true), INDEX).contains(r#" data-friends="enabled">"#));
    }

    #[test]
    fn service_worker_stores_all_files_but_those_of_the_installed_page() {
        let files = published_files(&web(), PageEngine::Server).unwrap();
        let worker = text(&files, SERVICE_WORKER);
        for path in files.keys() {
            let is_stored = worker.contains(&format!("\n  {path:?}: "));
            let is_large = Path::new(path).extension().is_some_and(|it| it == "png");
            assert_eq!(is_stored, !is_large && path != SERVICE_WORKER, "{path}");
        }
    }

    /// A site may lie in a subfolder of a host, where an absolute path would leave the site.
    #[test]
    fn site_has_a_board_for_other_sites_that_it_does_not_store() {
        let files = worker_page(false);
        assert!(text(&files, EMBED).contains(r#"<html data-embed="true" "#));
        assert!(!text(&files, INDEX).contains("data-embed"));
        assert!(!text(&files, SERVICE_WORKER).contains(EMBED));
        let server = published_files(&web(), PageEngine::Server).unwrap();
        assert!(!server.contains_key(EMBED), "the server has a route");
    }

    #[test]
    fn all_references_are_relative() {
        for (path, content) in worker_page(true) {
            let Ok(content) = String::from_utf8(content) else {
                continue;
            };
            for absolute in [
                r#"src="/"#,
                r#"href="/"#,
                r#"from "/"#,
                r#"import("/"#,
                "url(/",
            ] {
                assert!(!content.contains(absolute), "{path}: {absolute}");
            }
        }
    }
}
