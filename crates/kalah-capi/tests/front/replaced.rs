//! Each of the three pairs can be somebody else's, and the rest behaves as before.

use std::process::Command;

use crate::workshop::{Author, Build, Classes, NO_HANG_SECONDS, run, workshop};

const CHECKS: [&str; 4] = ["board", "player", "game", "play"];

fn check_all(classes: Classes, build: Build) {
    let workshop = workshop();
    for checks in CHECKS {
        let program = workshop.kit(checks, classes, build);
        let mut command = Command::new(program);
        run(command.env("KIT_SECONDS", NO_HANG_SECONDS), "").expect_success();
    }
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn the_front_passes_the_kit() {
    check_all(Classes::FRONT, Build::Plain);
}

#[test]
#[ignore = "slow: cargo xtask ci --all runs it"]
fn the_front_passes_the_kit_under_sanitizers() {
    check_all(Classes::FRONT, Build::Sanitized);
}

#[test]
#[ignore = "slow: cargo xtask ci --all runs it"]
fn another_board_behaves() {
    let classes = Classes {
        board: Author::StandIn,
        ..Classes::FRONT
    };
    check_all(classes, Build::Plain);
}

#[test]
#[ignore = "slow: cargo xtask ci --all runs it"]
fn another_player_behaves() {
    let classes = Classes {
        player: Author::StandIn,
        ..Classes::FRONT
    };
    check_all(classes, Build::Plain);
}

#[test]
#[ignore = "slow: cargo xtask ci --all runs it"]
fn another_game_behaves() {
    let classes = Classes {
        game: Author::StandIn,
        ..Classes::FRONT
    };
    check_all(classes, Build::Plain);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn all_others_behave_together() {
    let classes = Classes {
        board: Author::StandIn,
        player: Author::StandIn,
        game: Author::StandIn,
    };
    check_all(classes, Build::Plain);
}
