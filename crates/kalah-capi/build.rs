//! Tells the tests which compilers are installed.

#![forbid(unsafe_code)]

use test_tools::Tool;

fn main() {
    test_tools::emit_cfgs(&[Tool::Gpp, Tool::Clangpp]);
}
