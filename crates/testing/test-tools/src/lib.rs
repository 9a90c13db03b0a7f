//! The external programs that tests call, and the extent of slow tests.
//!
//! A build script calls [`emit_cfgs`]. A test that needs a tool is reported as ignored if the tool
//! is missing:
//!
//! ```text
//! #[test]
//! #[cfg_attr(not(has_gpp), ignore = "g++ not found")]
//! fn the_header_compiles() {
//!     let compiler = Tool::Gpp.require();
//! ```
//!
//! With the feature `tokio`, `stopped_time` stops Tokio's clock. With the feature `tls`,
//! `tls_proxy` has a server of encrypted connections.
//!
//! A slow test has a sample, which runs in every test run: [`sample_or_all`] selects its extent.
//!
//! `cargo test -- --include-ignored`, which `cargo xtask ci --slow` runs, runs the test
//! nevertheless, and [`Tool::require`] fails it with the name of the missing tool.

#![forbid(unsafe_code)]

#[cfg(feature = "tokio")]
pub mod stopped_time;
#[cfg(feature = "tls")]
pub mod tls_proxy;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program, or a folder of packages, that a test needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// `g++`, which compiles the C++ front.
    Gpp,
    /// `cc`, for bots in C.
    Cc,
    /// `rustc`, for bots in Rust.
    Rustc,
    /// `javac`, for bots in Java, with `java`.
    Javac,
    /// `clang++`, which must compile the C++ front, too.
    Clangpp,
    /// `node`, which tests the page.
    Node,
    /// The npm packages that check the page.
    PageModules,
    /// `chromium`, or the browser that `CHROMIUM` names.
    Chromium,
    /// `python3`, for the programs of the documents.
    Python,
    /// `schemathesis`, or the program that `SCHEMATHESIS` names.
    Schemathesis,
}

/// The npm packages of the page, relative to the folder of a crate.
const PAGE_MODULES: &str = "../../../web/node_modules";

impl Tool {
    /// Returns the name for messages, which is that of the program if the tool is a program.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gpp => "g++",
            Self::Cc => "cc",
            Self::Rustc => "rustc",
            Self::Javac => "javac",
            Self::Clangpp => "clang++",
            Self::Node => "node",
            Self::PageModules => "node_modules (`npm ci` in web)",
            Self::Chromium => "chromium",
            Self::Python => "python3",
            Self::Schemathesis => "schemathesis",
        }
    }

    /// Returns the `cfg` that [`emit_cfgs`] sets if the tool is installed.
    const fn cfg(self) -> &'static str {
        match self {
            Self::Gpp => "has_gpp",
            Self::Cc => "has_cc",
            Self::Rustc => "has_rustc",
            Self::Javac => "has_javac",
            Self::Clangpp => "has_clangpp",
            Self::Node => "has_node",
            Self::PageModules => "has_page_modules",
            Self::Chromium => "has_chromium",
            Self::Python => "has_python",
            Self::Schemathesis => "has_schemathesis",
        }
    }

    /// Returns the environment variable that overrides the program, if there is one.
    const fn variable(self) -> Option<&'static str> {
        match self {
            Self::Chromium => Some("CHROMIUM"),
            Self::Schemathesis => Some("SCHEMATHESIS"),
            Self::Gpp
            | Self::Cc
            | Self::Rustc
            | Self::Javac
            | Self::Clangpp
            | Self::Node
            | Self::PageModules
            | Self::Python => None,
        }
    }

    /// Returns the program for [`Command::new`], or the folder for [`Tool::PageModules`].
    ///
    /// # Panics
    /// Panics if the tool is not installed.
    pub fn require(self) -> OsString {
        assert!(
            self.is_installed(),
            "{} not found: install the tool, or run the tests without `--include-ignored`",
            self.name()
        );
        self.program()
    }

    fn program(self) -> OsString {
        if self == Self::PageModules {
            // Cargo sets the variable for build scripts and for tests.
            let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
            return Path::new(&package).join(PAGE_MODULES).into();
        }
        self.variable()
            .and_then(env::var_os)
            .unwrap_or_else(|| self.name().into())
    }

    fn is_installed(self) -> bool {
        let program = self.program();
        if self == Self::PageModules {
            return Path::new(&program).is_dir();
        }
        Command::new(program)
            .arg("--version")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }
}

/// The environment variable with which slow tests run in full. `cargo xtask ci --slow` sets it.
pub const ALL_TESTS_VARIABLE: &str = "KALAH_ALL_TESTS";

/// Returns the extent of a slow test, such as a number of games: `all` if `KALAH_ALL_TESTS` is set,
/// and otherwise `sample`.
pub fn sample_or_all<T>(sample: T, all: T) -> T {
    if env::var_os(ALL_TESTS_VARIABLE).is_some() {
        all
    } else {
        sample
    }
}

/// Sets the `cfg` of each installed tool, from a build script.
///
/// Cargo runs the build script again when an installed tool is removed, and when the contents of a
/// folder change in which a missing tool may appear.
pub fn emit_cfgs(tools: &[Tool]) {
    for &tool in tools {
        println!("cargo::rustc-check-cfg=cfg({})", tool.cfg());
        if let Some(variable) = tool.variable() {
            println!("cargo::rerun-if-env-changed={variable}");
        }
        if tool.is_installed() {
            println!("cargo::rustc-cfg={}", tool.cfg());
            if let Some(path) = path_of(tool) {
                println!("cargo::rerun-if-changed={}", path.display());
            }
        } else if tool == Tool::PageModules {
            let modules = PathBuf::from(tool.program());
            if let Some(page) = modules.parent() {
                println!("cargo::rerun-if-changed={}", page.display());
            }
        } else {
            // Changes of PATH itself are ignored: a terminal and an editor often have different
            // ones, and each would cause rebuilds for the other.
            for folder in folders_of_path().filter(|folder| folder.is_dir()) {
                println!("cargo::rerun-if-changed={}", folder.display());
            }
        }
    }
}

/// Returns the file of an installed tool; for [`Tool::PageModules`] the file that npm writes last.
fn path_of(tool: Tool) -> Option<PathBuf> {
    let program = PathBuf::from(tool.program());
    if tool == Tool::PageModules {
        return Some(program.join(".package-lock.json")).filter(|file| file.is_file());
    }
    if program.is_absolute() {
        return Some(program);
    }
    folders_of_path()
        .map(|folder| folder.join(&program))
        .find(|file| file.is_file())
}

fn folders_of_path() -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    folders.into_iter().filter(|folder| folder.is_absolute())
}
