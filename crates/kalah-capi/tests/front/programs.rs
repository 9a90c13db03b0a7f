//! C++ programs that use the front as a student would, and as a student should not.

use std::process::Command;

use crate::workshop::{Author, Build, Classes, Sees, root, run, succeed, workshop};

/// Compiles and runs one of the programs under sanitizers.
fn check(program: &str, classes: Classes) {
    let workshop = workshop();
    let source = root()
        .join("tests/front/cpp")
        .join(format!("{program}.cpp"));
    let mut objects = workshop.objects(classes, Build::Sanitized);
    objects.push(workshop.object(&source, Sees::Everything, classes, Build::Sanitized));
    let program = workshop.link(program, &objects, Build::Sanitized);
    run(&mut Command::new(program), "").expect_success();
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn every_int_is_a_size_and_a_count() {
    check("huge", Classes::FRONT);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn threads_do_not_disturb_each_other() {
    check("threads", Classes::FRONT);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn users_own_players_play_whatever_they_answer() {
    check("robots", Classes::FRONT);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn games_are_shown_and_go_on() {
    check("games", Classes::FRONT);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn people_are_asked_until_they_name_a_hole() {
    check("people", Classes::FRONT);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn exceptions_of_a_board_pass_the_library_by() {
    let classes = Classes {
        board: Author::Brittle,
        ..Classes::FRONT
    };
    check("broken", classes);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn the_c_interface_works_from_c() {
    let workshop = workshop();
    let program = workshop.directory("programs").join("abi");
    let made = Command::new("g++")
        .args(["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"])
        .arg("-I")
        .arg(root().join("cpp"))
        .args(["-x", "c"])
        .arg(root().join("tests/front/cpp/abi.c"))
        .args(["-x", "none"])
        .arg(&workshop.library)
        .args(["-lpthread", "-ldl", "-lm", "-o"])
        .arg(&program)
        .output();
    succeed("compiling abi.c", made);
    run(&mut Command::new(program), "").expect_success();
}
