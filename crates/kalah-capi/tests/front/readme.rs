//! The commands of the README do what it says.

use std::fs;
use std::process::Command;

use crate::workshop::{root, run, workshop};

#[test]
fn the_readmes_commands_build_and_run_a_demonstration() {
    if workshop("the_readmes_commands_build_and_run_a_demonstration").is_none() {
        return;
    }
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let commands = readme
        .split("```sh\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("the README has a block of commands");
    let ended = run(
        Command::new("bash")
            .args(["-euc", commands])
            .current_dir(root().join("../.."))
            // The README names the place where cargo builds unless it is told otherwise.
            .env_remove("CARGO_TARGET_DIR"),
        "",
    );
    ended.expect_success();
    assert!(ended.out.contains("The game is over: "), "{}", ended.out);
}

#[test]
fn the_other_demonstration_is_played_at_the_keyboard() {
    use crate::workshop::{Build, Classes, Sees};
    let Some(workshop) = workshop("the_other_demonstration_is_played_at_the_keyboard") else {
        return;
    };
    let mut objects = workshop.objects(Classes::FRONT, Build::Plain);
    let source = root().join("demos/minikalah.cpp");
    objects.push(workshop.object(&source, Sees::Everything, Classes::FRONT, Build::Plain));
    let program = workshop.link("minikalah", &objects, Build::Plain);
    let ended = run(&mut Command::new(program), "2\n3\n");
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
