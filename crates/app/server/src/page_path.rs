//! Rules for the files of the page by their paths in its folder. `build.rs` includes this file.

/// Returns the content type of a file, or `None` if it does not belong to the page.
pub(crate) fn content_type(path: &str) -> Option<&'static str> {
    if is_excluded(path) {
        return None;
    }
    let (_, extension) = path.rsplit_once('.')?;
    CONTENT_TYPES
        .iter()
        .find_map(|&(known, content_type)| (known == extension).then_some(content_type))
}

/// Returns the entity tag for the hash of a file. The tag is weak because the same file may be sent
/// compressed.
pub(crate) fn etag(hash: u64) -> String {
    format!("W/\"{hash:016x}\"")
}

/// The extensions of the page's files and their content types.
const CONTENT_TYPES: [(&str, &str); 10] = [
    ("css", "text/css; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("ico", "image/x-icon"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("wasm", "application/wasm"),
    ("webmanifest", "application/manifest+json"),
    ("woff2", "font/woff2"),
];

/// The JSON files of the tools that check the page.
const TOOL_FILES: [&str; 3] = ["package.json", "package-lock.json", "tsconfig.json"];

/// Returns whether a path leads to development files or outside of the folder.
pub(crate) fn is_excluded(path: &str) -> bool {
    let is_tool = |name: &str| {
        ["bundle", "node_modules", "site", "test", "tests", "types"].contains(&name)
            || name.starts_with('.')
            || name.is_empty()
            || name.contains(['\\', ':', '\0'])
    };
    path.split('/').any(is_tool)
        || TOOL_FILES.contains(&path)
        || path.ends_with(".config.js")
        || path.ends_with(".test.js")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn development_files_and_foreign_paths_are_excluded() {
        for path in [
            "",
            "package.json",
            "node_modules/typescript/lib/typescript.js",
            "test/board.js",
            "bundle/app.js",
            "site/sw.js",
            "board.test.js",
            "eslint.config.js",
            "../Cargo.js",
            ".hidden.js",
            "a//b.js",
            "/etc/x.js",
            "C:/x.js",
            "a\\b.js",
            "api.d.ts",
        ] {
            assert_eq!(content_type(path), None, "{path}");
        }
        assert_eq!(content_type("index.html"), Some("text/html; charset=utf-8"));
        assert_eq!(
            content_type("icons/small.svg"),
            Some("image/svg+xml"),
            "folders are fine"
        );
    }
}
