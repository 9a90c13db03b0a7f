//! The page of `kalah serve`: its types, its manners, its own tests, and a browser that plays on it.
//!
//! What these take is installed by `npm ci` in `web`, and a browser by the system:
//! `chromium`, or what `CHROMIUM` names.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use test_tools::Tool;

/// Where the page and what checks it lie.
fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web")
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
#[cfg_attr(not(has_node), ignore = "node not found")]
#[cfg_attr(
    not(has_page_modules),
    ignore = "node_modules not found: npm ci in web"
)]
fn types_manners_and_modules_of_the_page_are_right() {
    require_page_tools();
    run("check", &[]);
}

/// Fails the test where something is missing that checks the page.
fn require_page_tools() {
    Tool::Node.require();
    Tool::PageModules.require();
}

/// The environment variables of the browser tests.
fn browser_variables() -> Vec<(&'static str, OsString)> {
    require_page_tools();
    let own = Path::new(env!("CARGO_TARGET_TMPDIR"));
    vec![
        ("KALAH", env!("CARGO_BIN_EXE_kalah").into()),
        ("CHROMIUM", Tool::Chromium.require()),
        ("PICTURES", own.join("pictures").into()),
    ]
}

#[test]
#[cfg_attr(not(has_node), ignore = "node not found")]
#[cfg_attr(
    not(has_page_modules),
    ignore = "node_modules not found: npm ci in web"
)]
#[cfg_attr(not(has_chromium), ignore = "chromium not found")]
fn a_browser_shows_the_board() {
    run("browser-sample", &browser_variables());
}

#[test]
#[ignore = "slow: cargo xtask ci --all runs it"]
fn a_browser_plays() {
    run("browser", &browser_variables());
}

#[test]
#[ignore = "slow: cargo xtask ci --all runs it, with the site that it has built"]
fn a_browser_plays_on_the_static_site() {
    let site = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("site");
    assert!(
        site.is_dir(),
        "{} not found: cargo xtask site",
        site.display()
    );
    let mut variables = browser_variables();
    variables.push(("SITE", site.into()));
    run("browser-site", &variables);
}
