//! C++ programs that use and misuse the front.

use std::process::Command;

use crate::cpp_build::{Author, Build, Classes, Includes, assert_success, cpp_build, root, run};

/// Compiles one of the programs and runs it under sanitizers.
fn check(program: &str, classes: Classes) {
    let cpp_build = cpp_build();
    let source = root()
        .join("tests/front/cpp")
        .join(format!("{program}.cpp"));
    let mut objects = cpp_build.objects(classes, Build::Sanitized);
    objects.push(cpp_build.object(&source, Includes::Everything, classes, Build::Sanitized));
    let program = cpp_build.link(program, &objects, Build::Sanitized);
    run(&mut Command::new(program), "").expect_success();
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn boards_accept_any_int_as_size_and_count() {
    check("extreme_sizes", Classes::FRONT);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn threads_can_share_players_and_boards() {
    check("threads", Classes::FRONT);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn custom_players_may_answer_any_number() {
    check("custom_players", Classes::FRONT);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn games_are_displayed_and_can_be_continued() {
    check("games", Classes::FRONT);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn human_player_asks_until_the_answer_is_a_legal_hole() {
    check("human_player", Classes::FRONT);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn exceptions_of_a_board_reach_the_caller() {
    let classes = Classes {
        board: Author::Throwing,
        ..Classes::FRONT
    };
    check("board_exceptions", classes);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn c_interface_works_from_c() {
    let cpp_build = cpp_build();
    let program = cpp_build.directory("programs").join("abi");
    let output = Command::new("g++")
        .args(["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"])
        .arg("-I")
        .arg(root().join("cpp"))
        .args(["-x", "c"])
        .arg(root().join("tests/front/cpp/abi.c"))
        .args(["-x", "none"])
        .arg(&cpp_build.library)
        .args(["-lpthread", "-ldl", "-lm", "-o"])
        .arg(&program)
        .output();
    assert_success("compiling abi.c", output);
    run(&mut Command::new(program), "").expect_success();
}
