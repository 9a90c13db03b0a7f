//! The page of `kalah serve`: its types, its manners, its own tests, and a browser that plays on it.
//!
//! What these take is installed by `npm ci` in `web`, and a browser by the system:
//! `chromium`, or what `CHROMIUM` names.

use std::env;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where the page and what checks it lie.
fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web")
}

/// Says that a test is left out, past the test harness, which shows only what failing tests print.
fn skip(test: &str, missing: &str) {
    let line = format!("SKIPPED: {test}: {missing} not found\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

/// Whether there is a program of that name to be called.
fn is_there(program: &OsString) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// What the page's checks take and is missing.
fn missing() -> Option<&'static str> {
    if !is_there(&"node".into()) {
        Some("node")
    } else if !page().join("node_modules").is_dir() {
        Some("node_modules (`npm ci` in web)")
    } else {
        None
    }
}

/// Runs a script of the page's `package.json`.
fn run(script: &str, variables: &[(&str, OsString)]) {
    let output = Command::new("npm")
        .args(["run", "--silent", script])
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .current_dir(page())
        .stdin(Stdio::null())
        .output()
        .expect("npm comes with node");
    let (said, complained) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        output.status.success(),
        "npm run {script}, in web:\n{said}\n{complained}"
    );
}

#[test]
fn types_manners_and_modules_of_the_page_are_right() {
    match missing() {
        Some(missing) => skip("types_manners_and_modules_of_the_page_are_right", missing),
        None => run("check", &[]),
    }
}

#[test]
fn a_browser_plays() {
    let browser = env::var_os("CHROMIUM").unwrap_or_else(|| "chromium".into());
    let missing = missing().or((!is_there(&browser)).then_some("chromium"));
    if let Some(missing) = missing {
        skip("a_browser_plays", missing);
        return;
    }
    let own = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut variables = vec![
        ("KALAH", env!("CARGO_BIN_EXE_kalah").into()),
        ("CHROMIUM", browser),
        ("PICTURES", own.join("pictures").into()),
    ];
    let site = own.with_file_name("site");
    if site.is_dir() {
        variables.push(("SITE", site.into()));
    } else {
        let missing = "target/site (`cargo xtask site`)";
        skip("a_browser_plays, the static site", missing);
    }
    run("browser", &variables);
}
