//! Tells the tests which programs they can call are installed.

#![forbid(unsafe_code)]

use test_tools::Tool;

fn main() {
    test_tools::emit_cfgs(&[
        Tool::Gpp,
        Tool::Node,
        Tool::PageModules,
        Tool::Chromium,
        Tool::Python,
    ]);
}
