//! The commands of the README do what it says.

use std::fs;
use std::process::{Command, Stdio};

use test_tools::Tool;

use crate::workshop::{Build, Classes, Sees, root, run, succeed, workshop};

#[test]
#[ignore = "slow: cargo xtask ci --all runs it"]
fn the_readmes_commands_build_and_run_a_demonstration() {
    Tool::Gpp.require();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let commands = readme
        .split("```sh\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("the README has a block of commands");
    // A release build takes as long as it takes: no time limit.
    let output = Command::new("bash")
        .args(["-euc", commands])
        .current_dir(root().join("../.."))
        // The README names the place where cargo builds unless it is told otherwise.
        .env_remove("CARGO_TARGET_DIR")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    succeed("the README's commands", Ok(output));
    assert!(out.contains("The game is over: "), "{out}");
}

/// A demonstration, compiled with the front.
fn demonstration(name: &str) -> Command {
    let workshop = workshop();
    let mut objects = workshop.objects(Classes::FRONT, Build::Plain);
    let source = root().join("demos").join(format!("{name}.cpp"));
    objects.push(workshop.object(&source, Sees::Everything, Classes::FRONT, Build::Plain));
    Command::new(workshop.link(name, &objects, Build::Plain))
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn the_demonstration_of_the_readme_runs() {
    let ended = run(&mut demonstration("robokalah"), &"\n".repeat(1000));
    ended.expect_success();
    assert!(ended.out.contains("The game is over: "), "{}", ended.out);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn the_other_demonstration_is_played_at_the_keyboard() {
    let ended = run(&mut demonstration("minikalah"), "2\n3\n");
    ended.expect_success();
    assert!(ended.out.contains("Marge, choose a hole (1 to 3): "));
    assert!(
        ended
            .out
            .contains("Marge (South) sows 3 beans from hole 3.")
    );
    assert!(ended.err.contains("The input has ended"));
    assert!(ended.out.contains("The game is over: "));
}
