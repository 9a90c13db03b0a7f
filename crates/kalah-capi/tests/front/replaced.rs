//! Each of the three pairs can be somebody else's, and the rest behaves as before.

use std::process::Command;

use crate::workshop::{Author, Build, Classes, run, workshop};

const CHECKS: [&str; 4] = ["board", "player", "game", "play"];

fn check_all(test: &str, classes: Classes, build: Build) {
    let Some(workshop) = workshop(test) else {
        return;
    };
    for checks in CHECKS {
        let program = workshop.kit(checks, classes, build);
        run(&mut Command::new(program), "").expect_success();
    }
}

#[test]
fn the_front_passes_the_kit() {
    check_all("the_front_passes_the_kit", Classes::FRONT, Build::Plain);
}

#[test]
fn the_front_passes_the_kit_under_sanitizers() {
    check_all(
        "the_front_passes_the_kit_under_sanitizers",
        Classes::FRONT,
        Build::Sanitized,
    );
}

#[test]
fn another_board_behaves() {
    let classes = Classes {
        board: Author::StandIn,
        ..Classes::FRONT
    };
    check_all("another_board_behaves", classes, Build::Plain);
}

#[test]
fn another_player_behaves() {
    let classes = Classes {
        player: Author::StandIn,
        ..Classes::FRONT
    };
    check_all("another_player_behaves", classes, Build::Plain);
}

#[test]
fn another_game_behaves() {
    let classes = Classes {
        game: Author::StandIn,
        ..Classes::FRONT
    };
    check_all("another_game_behaves", classes, Build::Plain);
}

#[test]
fn all_others_behave_together() {
    let classes = Classes {
        board: Author::StandIn,
        player: Author::StandIn,
        game: Author::StandIn,
    };
    check_all("all_others_behave_together", classes, Build::Plain);
}
