//! Sets a `cfg` for each installed compiler that the tests call.

#![forbid(unsafe_code)]

use test_tools::Tool;

fn main() {
    test_tools::emit_cfgs(&[Tool::Gpp, Tool::Clangpp]);
}
