//! The version of this program, with the commit that it was built from.

use std::env::consts::{ARCH, OS};
use std::sync::LazyLock;

use git_version::git_version;

/// The version of the package and the commit, such as `0.1.0+6f4e49a1`, or with `.changed` if files
/// differ from it; only the version of the package if the build was outside a git repository.
pub(crate) const VERSION: &str = git_version!(
    args = ["--always", "--abbrev=8", "--exclude=*", "--dirty=.changed"],
    prefix = concat!(env!("CARGO_PKG_VERSION"), "+"),
    fallback = env!("CARGO_PKG_VERSION")
);

/// The text of `kalah --version` after the name: the version, the system that the program is built
/// for, and whether its optimizations and the instructions of this processor are used.
pub(crate) static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let build = if cfg!(debug_assertions) {
        "debug build"
    } else {
        "optimized build"
    };
    format!(
        "{VERSION}\n{OS} on {ARCH}, {build}, tables {}",
        table_instructions()
    )
});

/// Returns the instructions that the builds of tables use on this processor.
fn table_instructions() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        return "with AVX2";
    }
    "without AVX2"
}
