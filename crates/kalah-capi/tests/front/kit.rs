//! The kit's command, as a student calls it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workshop::{Ended, NO_HANG_SECONDS, Workshop, root, run, workshop};

/// Seconds after which a check that hangs is ended, where one has to hang.
const HANG_SECONDS: &str = "2";

const RIGHT: i32 = 0;
const WRONG: i32 = 1;
const USAGE: i32 = 2;
const DOES_NOT_COMPILE: i32 = 3;

fn stand_ins() -> PathBuf {
    root().join("tests/front/cpp/standin")
}

fn kit(workshop: &Workshop, arguments: &[&str]) -> Ended {
    kit_within(workshop, NO_HANG_SECONDS, arguments)
}

/// Runs the kit's command, which ends a check after that many seconds.
fn kit_within(workshop: &Workshop, seconds: &str, arguments: &[&str]) -> Ended {
    let mut command = Command::new(root().join("kit/check"));
    command
        .args(arguments)
        .env("KALAH_LIB", &workshop.library)
        .env("KIT_SECONDS", seconds);
    run(&mut command, "")
}

#[track_caller]
fn expect(ended: &Ended, status: i32, words: &[&str]) {
    let text = format!("{}{}", ended.out, ended.err);
    assert_eq!(ended.status.code(), Some(status), "{text}");
    for words in words {
        assert!(text.contains(words), "`{words}` is not said:\n{text}");
    }
}

/// The stand-ins in a directory of their own, with parts of the text of a file replaced.
fn patched(workshop: &Workshop, name: &str, file: &str, changes: &[(&str, &str)]) -> PathBuf {
    let directory = workshop.directory(name);
    for entry in fs::read_dir(stand_ins()).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, directory.join(path.file_name().unwrap())).unwrap();
    }
    let path = directory.join(file);
    let mut text = fs::read_to_string(&path).unwrap();
    for (old, new) in changes {
        assert_eq!(text.matches(old).count(), 1, "`{old}` in {file}");
        text = text.replace(old, new);
    }
    fs::write(path, text).unwrap();
    directory
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn right_classes_are_right_and_need_no_library() {
    workshop();
    let mut command = Command::new(root().join("kit/check"));
    command
        .args(["--all", text(&stand_ins())])
        .env("KALAH_LIB", "/nonexistent")
        .env("KIT_SECONDS", NO_HANG_SECONDS);
    expect(
        &run(&mut command, ""),
        RIGHT,
        &[
            "Board: 17 of 17",
            "Player: 21 of 21",
            "Turns of a Game: 21 of 21",
            "Whole Games: 8 of 8",
            "All is right.",
        ],
    );
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn one_pair_is_checked_with_ours_around_it() {
    let workshop = workshop();
    let ended = kit(workshop, &["--board", text(&stand_ins())]);
    expect(&ended, RIGHT, &["Board: 17 of 17", "All is right."]);
    assert!(!ended.out.contains("Game"));
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn a_crash_is_said_in_words() {
    let workshop = workshop();
    let board = patched(
        workshop,
        "kit-crash",
        "Board.cpp",
        &[(
            "    if (!isHole(hole))\n        return false;\n    ring",
            "    if (!isHole(hole)) *static_cast<volatile int*>(nullptr) = hole;\n    ring",
        )],
    );
    expect(
        &kit(workshop, &["--board", text(&board)]),
        WRONG,
        &[
            "WRONG  Board::moveToPot: refuses pots",
            "crashes: Segmentation fault\n       while doing this: on a board of 3 holes, moveToPot(",
            "Something is wrong",
        ],
    );
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn a_loop_is_said_in_words() {
    let workshop = workshop();
    let board = patched(
        workshop,
        "kit-loop",
        "Board.cpp",
        &[(
            "    if ((hole != POT && !isHole(hole)) || beans < 0)\n        return false;\n    ring",
            "    if (hole != POT && !isHole(hole))\n        return false;\n\
             \x20   if (beans < 0) for (volatile int forever = 1; forever;) {}\n    ring",
        )],
    );
    expect(
        &kit_within(workshop, HANG_SECONDS, &["--board", text(&board)]),
        WRONG,
        &[
            "WRONG  Board::setBeans: refuses what cannot be",
            "no end after 2 seconds",
            "Something is wrong",
        ],
    );
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn bad_memory_accesses_are_found_when_asked_for() {
    let workshop = workshop();
    let board = patched(
        workshop,
        "kit-memory",
        "Board.cpp",
        &[("hole == POT || isHole(hole) ?", "hole <= size + 4 ?")],
    );
    expect(
        &kit(workshop, &["--sanitize", "--board", text(&board)]),
        WRONG,
        &[
            "AddressSanitizer: heap-buffer-overflow",
            "while doing this: on a board of",
        ],
    );
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn missing_members_are_named() {
    let workshop = workshop();
    let game = patched(
        workshop,
        "kit-interface",
        "Game.h",
        &[
            ("void display() const;", "void display();"),
            ("bool move(Side s);", ""),
        ],
    );
    expect(
        &kit(workshop, &["--game", text(&game)]),
        WRONG,
        &[
            "the public interface lacks this: void Game::display() const",
            "the public interface lacks this: bool Game::move(Side s)",
        ],
    );
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn forbidden_words_are_named() {
    let workshop = workshop();
    let game = patched(
        workshop,
        "kit-words",
        "Game.h",
        &[("private:", "protected:\n    friend class Board;\n")],
    );
    let path = game.join("Game.cpp");
    let setting = "    over = true;\n    board.setBeans(s, 1, 0);\n";
    let source = fs::read_to_string(&path).unwrap();
    fs::write(&path, source.replace("    over = true;\n", setting)).unwrap();
    expect(
        &kit(workshop, &["--game", text(&game)]),
        WRONG,
        &[
            "Game.h: no class may have a friend",
            "Game.h: no class may have protected data",
            "Game: no class may call setBeans",
        ],
    );

    let player = patched(
        workshop,
        "kit-main",
        "Player.cpp",
        &[(
            "#include \"Board.h\"\n",
            "#include \"Board.h\"\nint main() { return 0; }\n",
        )],
    );
    expect(
        &kit(workshop, &["--player", text(&player)]),
        WRONG,
        &["Player.cpp: main must be in a file of its own"],
    );
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn what_does_not_compile_or_link_is_named() {
    let workshop = workshop();
    let board = patched(
        workshop,
        "kit-compile",
        "Board.cpp",
        &[("return beansInPlay(NORTH)", "return beansInGame(NORTH)")],
    );
    expect(
        &kit(workshop, &["--board", text(&board)]),
        DOES_NOT_COMPILE,
        &["Board.cpp does not compile", "beansInGame"],
    );
    let player = patched(
        workshop,
        "kit-link",
        "Player.cpp",
        &[
            ("int BadPlayer::chooseMove", "int lastHoleForBadPlayer"),
            (
                "const Board& b, Side s) const\n{\n    return lastHole(b, s);\n}\n\nint SmartPlayer",
                "const Board& b, Side s)\n{\n    return lastHole(b, s);\n}\n\nint SmartPlayer",
            ),
        ],
    );
    expect(
        &kit(workshop, &["--player", text(&player)]),
        DOES_NOT_COMPILE,
        &["the classes do not go together", "BadPlayer"],
    );
    let side = patched(
        workshop,
        "kit-alone",
        "Board.h",
        &[("#include \"Side.h\"\n", "")],
    );
    expect(
        &kit(workshop, &["--board", text(&side)]),
        DOES_NOT_COMPILE,
        &["Board.h cannot be included alone, and twice"],
    );
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn wrong_usage_is_told() {
    let workshop = workshop();
    for arguments in [&[][..], &["--board"], &["--bored", "."], &["--sanitize"]] {
        expect(&kit(workshop, arguments), USAGE, &["usage: check"]);
    }
    expect(
        &kit(workshop, &["--board", "/nonexistent"]),
        USAGE,
        &["there is no directory /nonexistent"],
    );
    expect(
        &kit(workshop, &["--board", text(&root().join("demos"))]),
        USAGE,
        &["there is no Board.h in"],
    );
}
