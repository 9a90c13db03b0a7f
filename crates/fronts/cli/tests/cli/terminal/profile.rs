//! The profile of the user: preferences and the rating from one start to the next.

use std::fs;

use super::emulator::Emulator;
use crate::harness::temp_dir;

#[test]
fn preferences_and_the_last_new_game_are_remembered() {
    let directory = temp_dir();
    let directory = directory.path();
    let mut screen = Emulator::start(directory, "play --north human");
    screen.wait_for("your house");
    screen.press("p");
    screen.wait_for("Animation: fast.");
    screen.press("n");
    screen.wait_for("Start the game");
    // North is five fields above.
    screen.press(&"\u{1b}[A".repeat(5));
    screen.press("3\r");
    screen.wait_for("North (Level 3)");
    screen.quit();

    let mut screen = Emulator::start(directory, "");
    screen.wait_for("▸ Start the game");
    screen.wait_for("Level 3");
    screen.press("\u{1b}");
    screen.wait_until("no dialog", |screen| !screen.contains("Start the game"));
    screen.press("p");
    screen.wait_for("Animation: instant.");
    screen.quit();

    // A damaged file is named and kept, and a new one begins.
    let path = directory.join("data/kalah/profile.json");
    fs::write(&path, "{").expect("a write");
    let mut screen = Emulator::start(directory, "play --north human");
    screen.wait_for("is damaged");
    screen.press("\r");
    screen.wait_until("no dialog", |screen| !screen.contains("is damaged"));
    screen.press("p");
    screen.wait_for("Animation: fast.");
    screen.quit();
    let aside = path.with_extension("damaged-1.json");
    assert_eq!(fs::read_to_string(aside).expect("a file"), "{");
    let profile = fs::read_to_string(&path).expect("a file");
    assert!(profile.contains("\"speed\": \"fast\""), "{profile}");
}

#[test]
fn resigned_game_against_a_level_changes_the_rating_in_the_history() {
    let directory = temp_dir();
    let directory = directory.path();
    let mut screen = Emulator::start(directory, "play --north level:1 --no-animation");
    screen.wait_for("your house");
    screen.press("c");
    screen.wait_for("bonus turn");
    screen.press("\u{1b}[20~");
    screen.wait_for("Resign this game?");
    screen.press("\u{1b}[B\r");
    // 40 times the score to expect against 800.
    screen.wait_for("Your rating: 970");
    screen.press("l");
    screen.wait_for("North wins by resignation, 970 (-30)");
    // The finished game on the screen can be deleted, too.
    screen.press("\u{1b}[3~");
    screen.wait_for("Delete this game?");
    screen.press("\r");
    screen.wait_for("There is no game yet.");
    screen.press("\u{1b}");
    screen.wait_until("no dialog", |screen| {
        !screen.contains("There is no game yet")
    });
    screen.quit();
    let kept = fs::read_to_string(directory.join("data/kalah/history/games.kgn"));
    assert_eq!(kept.expect("a file"), "");
}

#[test]
fn puzzles_fill_the_screen_and_change_the_rating() {
    let directory = temp_dir();
    let directory = directory.path();
    let mut screen = Emulator::start(directory, "puzzle --board 4x3 --seed 1");
    screen.wait_for("yours 1000)");
    screen.press("\u{1b}[20~");
    screen.wait_for("Your rating: 9");
    screen.press("\u{10}");
    screen.wait_for("Difficulty: adaptive");
    screen.press("\u{1b}[B\u{1b}[B\r");
    screen.wait_for("Difficulty: easy");
    screen.press("\u{1b}");
    screen.wait_until("no menu", |screen| !screen.contains("Difficulty"));
    screen.quit();

    let mut screen = Emulator::start(directory, "puzzle --board 4x3 --seed 1 --count 1");
    screen.wait_for("Your rating: 9");
    screen.wait_for("your house (");
    screen.press("resign\n");
    screen.wait_for("Solved at the first try: 0 of 1");
    let profile = fs::read_to_string(directory.join("data/kalah/profile.json"));
    let profile = profile.expect("a file");
    for text in ["\"played\": 2", "\"difficulty\": \"easy\""] {
        assert!(profile.contains(text), "{text} in {profile}");
    }
}
