//! The commands of the README and the two demonstrations.

use std::fs;
use std::process::{Command, Stdio};

use crate::cpp_build::{Build, Classes, Includes, assert_success, cpp_build, root, run};

/// The README's command that builds the library.
const BUILD_COMMAND: &str = "cargo build --release -p kalah-capi\n";
/// The path of the library in the later commands.
const BUILT_LIBRARY: &str = "target/release/libkalah_capi.a";

// The commands run with the library of these tests: `.ci/run` executes the first one on its own.
#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn readme_commands_build_and_run_a_demonstration() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let commands = readme
        .split("```sh\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .and_then(|block| block.strip_prefix(BUILD_COMMAND))
        .expect("the README has a block of commands that begins with the build");
    assert!(commands.contains(BUILT_LIBRARY), "{commands}");
    let folder = tempfile::tempdir().unwrap();
    let commands = commands
        .replace(BUILT_LIBRARY, "\"$LIBRARY\"")
        .replace("target/robokalah", "\"$DEMONSTRATION\"");
    let output = Command::new("bash")
        .args(["-euc", &commands])
        .current_dir(root().join("../../.."))
        .env("LIBRARY", &cpp_build().library)
        .env("DEMONSTRATION", folder.path().join("robokalah"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_success("the README's commands", Ok(output));
    assert!(out.contains("The game is over: "), "{out}");
}

/// Compiles a demonstration with the front.
fn demonstration(name: &str) -> Command {
    let cpp_build = cpp_build();
    let mut objects = cpp_build.objects(Classes::FRONT, Build::Plain);
    let source = root().join("demos").join(format!("{name}.cpp"));
    objects.push(cpp_build.object(&source, Includes::Everything, Classes::FRONT, Build::Plain));
    Command::new(cpp_build.link(name, &objects, Build::Plain))
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn robokalah_plays_a_game() {
    let result = run(&mut demonstration("robokalah"), &"\n".repeat(1000));
    result.expect_success();
    assert!(result.out.contains("The game is over: "), "{}", result.out);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn minikalah_reads_moves_from_standard_input() {
    let result = run(&mut demonstration("minikalah"), "2\n3\n");
    result.expect_success();
    assert!(result.out.contains("Marge, choose a hole (1 to 3): "));
    assert!(
        result
            .out
            .contains("Marge (South) sows 3 beans from hole 3.")
    );
    assert!(result.err.contains("The input has ended"));
    assert!(result.out.contains("The game is over: "));
}
