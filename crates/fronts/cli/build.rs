//! Tells the tests which programs they can call are installed.

#![forbid(unsafe_code)]

use test_tools::Tool;

fn main() {
    test_tools::emit_cfgs(&[
        Tool::Cc,
        Tool::Gpp,
        Tool::Javac,
        Tool::Rustc,
        Tool::Node,
        Tool::PageModules,
        Tool::Chromium,
        Tool::Python,
    ]);
}
