use super::*;
use crate::screen::model::ReviewState;
use kalah_engine::Review;
use std::{env, fs, path::Path};

/// Pictures are kept in files; with this in the environment they are written anew.
const OVERWRITE: &str = "KALAH_PICTURES";

fn check(name: &str, picture: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/screen")
        .join(format!("{name}.txt"));
    if env::var_os(OVERWRITE).is_some_and(|value| value == "overwrite") {
        fs::write(&path, picture).expect("it can be written");
    }
    let kept = fs::read_to_string(&path).expect("a picture");
    assert!(
        kept == picture,
        "{name} is kept as\n{kept}\nand is now\n{picture}\n\
         {OVERWRITE}=overwrite cargo test -p kalah-cli --lib screen keeps it so"
    );
}

/// A game of two people that has begun, on screens of several sizes.
#[test]
fn boards_fit_their_screens() {
    for (name, board, keys, sizes) in [
        (
            "6x4",
            "6x4",
            "c f a b",
            &[(80, 24), (40, 15), (20, 8), (20, 5), (200, 50), (60, 30)][..],
        ),
        ("1x1", "1x1", "", &[(80, 24)][..]),
        ("15x3", "15x3", "c d a", &[(80, 24), (160, 40)][..]),
        ("26x200", "26x200", "a", &[(80, 24), (132, 12)][..]),
        ("26x4", "26x4", "a b", &[(80, 24)][..]),
        // A store has more seeds than any house.
        ("full-store", "<2,12345,6,7,8,9,1> s", "b", &[(40, 14)][..]),
    ] {
        let mut played = Played::new(board, Rules::CS32, "human", "human");
        played.press(keys);
        for &(width, height) in sizes {
            played.take(AppEvent::Resized(Size::new(width, height)));
            check(&format!("{name}-{width}x{height}"), &played.picture());
        }
    }
}

#[test]
fn what_stands_before_the_board_is_seen() {
    for (name, keys) in [
        ("menu", "a Esc"),
        ("help", "?"),
        ("new-game", "a n Down Down Enter Up Up"),
        ("save", "a s"),
        ("quit", "a q"),
    ] {
        let mut played = Played::new("6x4", Rules::MANKALAH, "human", "human");
        played.press(keys);
        check(name, &played.picture());
    }
    let mut played = Played::new("6x4", Rules::CS32, "human", "human");
    played.take(AppEvent::Resized(Size::new(30, 10)));
    played.press("Esc");
    check("menu-small", &played.picture());
}

#[test]
fn a_program_that_thinks_is_seen_to() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "smart");
    played.press("a");
    played.take(AppEvent::Tick(Duration::from_millis(3_300)));
    let picture = played.picture();
    assert!(
        picture.contains("North (Homer) is thinking | 3 s  Enter: answer now"),
        "{picture}"
    );
}

#[test]
fn margins_say_what_is_proven() {
    let mut played = Played::new("3x3", Rules::CS32, "human", "human");
    played.press("m");
    let Some(AppEffect::Analyze(ticket, position)) = played.effects.last().cloned() else {
        panic!("nobody was asked");
    };
    played.take(AppEvent::Analyzed(ticket, report(&position)));
    check("margins", &played.picture());
}

#[test]
fn a_finished_game_shows_how_it_went() {
    let mut played = Played::new("3x2", Rules::CS32, "human", "human");
    played.sow_to_the_end();
    check("over", &played.picture());
    let ReviewState::Running {
        request_id: ticket,
        game,
        ..
    } = played.model.review.clone()
    else {
        panic!("nobody looks back");
    };
    let review = Review::from_game(&game, report);
    played.take(AppEvent::Reviewed(ticket, Box::new(review)));
    check("looked-back", &played.picture());
    played.press("w");
    check("worst", &played.picture());
}

#[test]
fn seats_and_sides_are_told_after_a_swap() {
    let mut played = Played::new("6x4", Rules::MANKALAH, "human", "human");
    played.press("a x");
    check("swapped", &played.picture());
}

#[test]
fn a_long_name_leaves_room_for_the_store() {
    let mut played = Played::new("6x4", Rules::CS32, "human", "human");
    let names = BySide::from_fn(|_| "界Marge Simpson of 742 Evergreen Terrace".to_owned());
    let game = played.model.game().clone();
    played.model.session = GameSession::new(game, played.model.session.specs(), names);
    played.take(AppEvent::Resized(Size::new(30, 9)));
    let picture = played.picture();
    for line in [
        "  North (界 Marge Simpson …  0",
        "▶ South (界 Marge Simpson …  0",
    ] {
        assert!(picture.contains(line), "{picture}");
    }
}

#[test]
fn the_readme_shows_what_there_is() {
    let game = Game::new(position("6x4", Rules::CS32));
    let specs = BySide::new(PlayerSpec::HUMAN, PlayerSpec::SMART);
    let names = BySide::from_fn(|side| specs[side].default_name());
    let bout = GameSession::new(game, specs, names);
    let size = Size::new(78, 18);
    let mut model = Model::new(bout, Labels::Letters, Theme::PLAIN, size);
    model.pace = Pace::Instant;
    let mut played = Played {
        model,
        effects: Vec::new(),
    };
    played.press("c Right Right");
    let picture = played.picture();
    check("readme", &picture);
    assert!(
        include_str!("../../../../../README.md").contains(&picture),
        "{picture}"
    );
}
