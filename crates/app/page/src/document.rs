//! The document of a published page: index.html with the names of the published files.

use std::fmt::Write as _;

use crate::published_page::PageError;

/// The content security policy of a page on a host that sends none.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
    worker-src 'self'; base-uri 'none'; form-action 'none'";

/// The attributes of the document for the engine of a server.
const SERVER_ATTRIBUTES: &str = r#"data-engine="server" data-friends="enabled""#;

const CHARSET: &str = r#"<meta charset="utf-8" />"#;
const SCRIPT: &str = r#"<script type="module" src="app.js"></script>"#;
const OPENINGS: &str = r#"data-openings="explorer/openings.json""#;
const ICON: &str = r#""icon.svg""#;
const STYLE_SHEET: &str = r#"<link rel="stylesheet" href=""#;

/// The published names of the files to which the document refers.
pub(crate) struct DocumentFiles<'a> {
    pub(crate) script: &'a str,
    pub(crate) style_sheet: &'a str,
    pub(crate) icon: &'a str,
    pub(crate) touch_icon: &'a str,
    pub(crate) manifest: &'a str,
    pub(crate) openings: &'a str,
}

/// Replaces a text that occurs once.
pub(crate) fn replace_once(
    file: &'static str,
    text: &str,
    from: &str,
    to: &str,
) -> Result<String, PageError> {
    match text.matches(from).count() {
        1 => Ok(text.replace(from, to)),
        count => Err(PageError::Unexpected {
            file,
            text: from.to_owned(),
            count,
        }),
    }
}

/// Returns index.html with one style sheet, the bundle, the icons and the manifest.
pub(crate) fn with_published_files(
    index: &str,
    files: &DocumentFiles<'_>,
) -> Result<String, PageError> {
    let is_style_sheet = |line: &&str| line.trim_start().starts_with(STYLE_SHEET);
    let mut document = String::new();
    for line in index.lines().filter(|line| !is_style_sheet(line)) {
        document += line;
        document.push('\n');
    }
    let mut head = String::new();
    for (rel, file) in [
        ("stylesheet", files.style_sheet),
        ("manifest", files.manifest),
        ("apple-touch-icon", files.touch_icon),
    ] {
        // Writing to a `String` cannot fail.
        let _ = write!(head, "<link rel=\"{rel}\" href=\"{file}\" />\n    ");
    }
    let script = files.script;
    let _ = write!(head, r#"<script type="module" src="{script}"></script>"#);
    let document = replace_index(&document, SCRIPT, &head)?;
    let openings = format!("data-openings={:?}", files.openings);
    let document = replace_index(&document, OPENINGS, &openings)?;
    // The icon is also the logo on the page.
    Ok(document.replace(ICON, &format!("{:?}", files.icon)))
}

/// Selects the engine in a worker, whose script is at a path, and adds the content security policy.
pub(crate) fn with_worker_engine(
    document: &str,
    worker: &str,
    has_friends: bool,
) -> Result<String, PageError> {
    let friends = if has_friends {
        r#" data-friends="enabled""#
    } else {
        ""
    };
    let attributes = format!(r#"data-engine="worker" data-worker="{worker}"{friends}"#);
    let policy = format!(
        r#"{CHARSET}<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}" />"#
    );
    let document = replace_index(document, SERVER_ATTRIBUTES, &attributes)?;
    replace_index(&document, CHARSET, &policy)
}

/// Returns the document of a page as a board for frames of other sites.
///
/// # Errors
/// The document is not as expected.
pub fn with_embedded_board(document: &str) -> Result<String, PageError> {
    replace_index(document, "<html ", r#"<html data-embed="true" "#)
}

fn replace_index(document: &str, from: &str, to: &str) -> Result<String, PageError> {
    replace_once("index.html", document, from, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_without_the_expected_text_is_refused() {
        let error = with_worker_engine("<html></head>", "worker.js", false).unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"data-engine="server" data-friends="enabled" occurs 0 times in index.html instead of once"#
        );
    }
}
