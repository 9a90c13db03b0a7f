//! The files of a site: those of the page, adapted to a site without a server, the list for the
//! service worker, the folder and the sizes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

/// The contents of the files, by their paths in the site.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The folders of the page, and of the files that only a site has.
const FOLDERS: [&str; 2] = ["web", "web/site"];

/// The extensions of the page's files; other files are for development.
const EXTENSIONS: [&str; 6] = ["css", "html", "js", "png", "svg", "webmanifest"];

/// The folders for development, and that of the site's own files.
const DEVELOPMENT_FOLDERS: [&str; 4] = ["node_modules", "site", "test", "types"];

/// The replacements in index.html: the text of the server's page, and that of a site's page.
const INDEX_REPLACEMENTS: [(&str, &str); 3] = [
    (
        r#"data-engine="server" data-friends="enabled""#,
        r#"data-engine="worker""#,
    ),
    (
        r#"<meta charset="utf-8" />"#,
        concat!(
            r#"<meta charset="utf-8" /><meta http-equiv="Content-Security-Policy" content=""#,
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; ",
            "font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; ",
            r#"form-action 'none'" />"#,
        ),
    ),
    (
        "</head>",
        concat!(
            r#"<link rel="manifest" href="manifest.webmanifest" />"#,
            r#"<link rel="apple-touch-icon" href="icon-192.png" />"#,
            r#"<script type="module" src="offline.js"></script></head>"#,
        ),
    ),
];

/// The replacement for a site that the server of this project serves, with games with friends.
const FRIENDS_REPLACEMENT: (&str, &str) = (
    r#"data-engine="worker""#,
    r#"data-engine="worker" data-friends="enabled""#,
);

/// Returns the files of the page for an engine in a worker. `friends` enables games with friends.
///
/// # Errors
/// A file cannot be read, or index.html is not as the site expects it.
pub fn page_files(root: &Path, friends: bool) -> anyhow::Result<Files> {
    let mut files = Files::new();
    for folder in FOLDERS {
        collect_files(&root.join(folder), "", &mut files)?;
    }
    let index = files.get_mut("index.html").context("no index.html")?;
    *index = adapt_index(str::from_utf8(index)?, friends)?.into_bytes();
    Ok(files)
}

/// Adds the files of the page in `folder`; their paths in the site begin with `prefix`.
fn collect_files(folder: &Path, prefix: &str, files: &mut Files) -> anyhow::Result<()> {
    let cannot_read = || format!("cannot read {}", folder.display());
    for entry in fs::read_dir(folder).with_context(cannot_read)? {
        let file = entry.with_context(cannot_read)?.path();
        let Some(name) = file.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        let path = format!("{prefix}{name}");
        if file.is_dir() {
            if !DEVELOPMENT_FOLDERS.contains(&name) {
                collect_files(&file, &format!("{path}/"), files)?;
            }
        } else if EXTENSIONS
            .iter()
            .any(|&known| file.extension() == Some(known.as_ref()))
        {
            let content =
                fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
            ensure!(
                files.insert(path, content).is_none(),
                "there are two files {name}"
            );
        }
    }
    Ok(())
}

/// Applies the replacements of a site to index.html.
fn adapt_index(index: &str, friends: bool) -> anyhow::Result<String> {
    let mut index = index.to_owned();
    for (from, to) in INDEX_REPLACEMENTS
        .into_iter()
        .chain(friends.then_some(FRIENDS_REPLACEMENT))
    {
        let count = index.matches(from).count();
        ensure!(
            count == 1,
            "{from} occurs {count} times in index.html instead of once"
        );
        index = index.replace(from, to);
    }
    Ok(index)
}

/// Returns the JavaScript constant with the files and their hashes for the service worker.
///
/// # Errors
/// The list cannot be formatted.
pub fn service_worker_file_list(files: &Files) -> anyhow::Result<String> {
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

    #[test]
    fn index_selects_the_engine_in_the_worker() {
        let files = page_files(&crate::workspace_root(), false).unwrap();
        let index = str::from_utf8(&files["index.html"]).unwrap();
        assert!(index.contains(r#"data-engine="worker""#), "{index}");
        assert!(!index.contains(r#"data-engine="server""#), "{index}");
        assert!(
            !index.contains("data-friends"),
            "a file host has no games with friends"
        );
        // The policy does not apply to elements before it.
        let policy = index.find("Content-Security-Policy").unwrap();
        assert!(policy < index.find("<script").unwrap());
        assert!(policy < index.find("<link").unwrap());
        for path in [
            "app.js",
            "engine/worker.js",
            "texts/de.js",
            "texts/en.js",
            "sw.js",
            "offline.js",
            "manifest.webmanifest",
        ] {
            assert!(files.contains_key(path), "{path}");
        }
        let for_developers = |path: &&String| path.contains(".d.ts") || path.contains("test");
        assert_eq!(files.keys().find(for_developers), None);
    }

    #[test]
    fn friends_enables_games_with_friends() {
        let files = page_files(&crate::workspace_root(), true).unwrap();
        let index = str::from_utf8(&files["index.html"]).unwrap();
        let both = r#"data-engine="worker" data-friends="enabled""#;
        assert!(index.contains(both), "{index}");
    }

    #[test]
    fn index_without_the_expected_text_is_refused() {
        let error = adapt_index("<html></head>", false).unwrap_err().to_string();
        assert_eq!(
            error,
            r#"data-engine="server" data-friends="enabled" occurs 0 times in index.html instead of once"#
        );
    }

    /// A site may lie in a subfolder of a host, where an absolute path would leave the site.
    #[test]
    fn all_references_are_relative() {
        for (path, content) in page_files(&crate::workspace_root(), false).unwrap() {
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
