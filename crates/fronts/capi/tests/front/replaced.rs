//! Each of the three classes can be replaced, and the kit passes with the others.

use std::process::Command;

use crate::cpp_build::{Author, Build, Classes, NO_HANG_SECONDS, cpp_build, run};

const CHECKS: [&str; 4] = ["board", "player", "game", "play"];

fn check_all(classes: Classes, build: Build) {
    let cpp_build = cpp_build();
    for checks in CHECKS {
        let program = cpp_build.kit(checks, classes, build);
        let mut command = Command::new(program);
        run(command.env("KIT_SECONDS", NO_HANG_SECONDS), "").expect_success();
    }
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn front_passes_the_kit() {
    check_all(Classes::FRONT, Build::Plain);
}

#[test]
#[ignore = "slow: cargo xtask ci --slow runs it"]
fn front_passes_the_kit_under_sanitizers() {
    check_all(Classes::FRONT, Build::Sanitized);
}

#[test]
#[ignore = "slow: cargo xtask ci --slow runs it"]
fn kit_passes_with_another_board() {
    let classes = Classes {
        board: Author::StandIn,
        ..Classes::FRONT
    };
    check_all(classes, Build::Plain);
}

#[test]
#[ignore = "slow: cargo xtask ci --slow runs it"]
fn kit_passes_with_another_player() {
    let classes = Classes {
        player: Author::StandIn,
        ..Classes::FRONT
    };
    check_all(classes, Build::Plain);
}

#[test]
#[ignore = "slow: cargo xtask ci --slow runs it"]
fn kit_passes_with_another_game() {
    let classes = Classes {
        game: Author::StandIn,
        ..Classes::FRONT
    };
    check_all(classes, Build::Plain);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn kit_passes_with_all_classes_replaced() {
    let classes = Classes {
        board: Author::StandIn,
        player: Author::StandIn,
        game: Author::StandIn,
    };
    check_all(classes, Build::Plain);
}
