//! The checks of the page in `web`, and games in a browser.
//!
//! `npm ci` in `web` installs the tools. The browser is `chromium`, or the program that `CHROMIUM`
//! names.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use test_tools::Tool;

use crate::harness::KALAH;

fn page_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../web")
}

/// Runs a script of `web/package.json`.
fn run_script(script: &str, variables: &[(&str, OsString)]) {
    let output = Command::new("npm")
        .args(["run", "--silent", script])
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .current_dir(page_directory())
        .stdin(Stdio::null())
        .output()
        .expect("npm, which comes with node");
    assert!(
        output.status.success(),
        "npm run {script}, in web:\n{}\n{}",
        without_passed_tests(&String::from_utf8_lossy(&output.stdout)),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Returns a report of node without the lines of tests that passed, which hide those that failed.
fn without_passed_tests(report: &str) -> String {
    report
        .lines()
        .filter(|line| !line.trim_start().starts_with('✔'))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
#[cfg_attr(not(has_node), ignore = "node not found")]
#[cfg_attr(
    all(has_node, not(has_page_modules)),
    ignore = "node_modules not found: npm ci in web"
)]
fn page_passes_its_checks_and_unit_tests() {
    require_page_tools();
    page_types::write_page_types().expect("the file of the types is writable");
    run_script("verify", &[]);
}

/// Fails the test if a tool is missing.
fn require_page_tools() {
    Tool::Node.require();
    Tool::PageModules.require();
}

/// The folder that `cargo xtask site` writes.
fn site_directory() -> PathBuf {
    let site = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("site");
    assert!(
        site.is_dir(),
        "{} not found: cargo xtask site",
        site.display()
    );
    site
}

/// Runs a sample of the browser tests, or with `KALAH_ALL_TESTS` all of them, those of the static
/// site included.
#[test]
#[cfg_attr(not(has_node), ignore = "node not found")]
#[cfg_attr(
    all(has_node, not(has_page_modules)),
    ignore = "node_modules not found: npm ci in web"
)]
#[cfg_attr(
    all(has_node, has_page_modules, not(has_chromium)),
    ignore = "chromium not found"
)]
fn browser_plays_games() {
    require_page_tools();
    let mut variables = vec![
        ("KALAH", KALAH.into()),
        ("CHROMIUM", Tool::Chromium.require()),
    ];
    if env::var_os("KALAH_ALL_TESTS").is_some() {
        variables.push(("SITE", site_directory().into()));
        run_script("browser", &variables);
    } else {
        run_script("browser-sample", &variables);
    }
}
