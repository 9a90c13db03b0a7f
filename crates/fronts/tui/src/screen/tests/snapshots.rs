//! Pictures of the screen, compared with files.

use std::path::Path;
use std::{env, fs};

use super::*;
use crate::screen::model::Pause;
use crate::screen::model::dialog::Dialog;
use crate::screen::model::review::ReviewState;

/// The environment variable that makes the tests overwrite the pictures in the files.
const OVERWRITE: &str = "KALAH_PICTURES";

fn assert_picture(name: &str, picture: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/screen")
        .join(format!("{name}.txt"));
    if env::var_os(OVERWRITE).is_some_and(|value| value == "overwrite") {
        fs::write(&path, picture).expect("a written file");
    }
    let expected = fs::read_to_string(&path).expect("a picture");
    assert!(
        expected == picture,
        "the picture {name} is\n{picture}\ninstead of\n{expected}\n\
         {OVERWRITE}=overwrite cargo test -p kalah-tui --lib overwrites it"
    );
}

#[test]
fn the_board_stays_when_margins_appear() {
    for (width, height) in [
        (80, 24),
        (100, 30),
        (200, 50),
        (60, 30),
        (40, 15),
        (40, 16),
        (80, 17),
    ] {
        let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
        screen.handle(AppEvent::Resized(Size::new(width, height)));
        let layout = screen.model.layout().expect("a layout");
        screen.press("m");
        let with_margins = screen.model.layout().expect("a layout");
        assert!(layout.margins.is_none() && with_margins.margins.is_some());
        assert_eq!(layout.houses, with_margins.houses, "{width}x{height}");
        assert_eq!(layout.names, with_margins.names, "{width}x{height}");
        assert_eq!(layout.status, with_margins.status, "{width}x{height}");
    }
}

#[test]
fn boards_fit_on_screens_of_many_sizes() {
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
        // The number in a store is wider than those in the houses.
        ("full-store", "<2,12345,6,7,8,9,1> s", "b", &[(40, 14)][..]),
    ] {
        let mut screen = TestScreen::new(board, Rules::CS32, "human", "human");
        screen.press(keys);
        for &(width, height) in sizes {
            screen.handle(AppEvent::Resized(Size::new(width, height)));
            assert_picture(&format!("{name}-{width}x{height}"), &screen.picture());
        }
    }
}

#[test]
fn margins_stand_in_place_of_the_labels_of_low_screens() {
    for (width, height) in [(40, 12), (20, 7)] {
        let mut screen = TestScreen::new("3x3", Rules::CS32, "human", "human");
        screen.handle(AppEvent::Resized(Size::new(width, height)));
        screen.press("m");
        screen.answer_margins();
        assert_picture(&format!("margins-{width}x{height}"), &screen.picture());
        screen.press("m");
        assert!(screen.picture().contains('A'), "{}", screen.picture());
    }
}

#[test]
fn a_screen_that_is_too_small_says_in_few_words_what_it_needs() {
    for (width, height, texts) in [
        (40, 5, &["Please make the terminal larger.", "Q quits."][..]),
        (15, 5, &["Enlarge to", "20x7.", "Q quits."][..]),
        (10, 3, &["Enlarge to", "20x7.", "Q quits."][..]),
        (10, 1, &["20x7"][..]),
    ] {
        let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
        screen.handle(AppEvent::Resized(Size::new(width, height)));
        let picture = screen.picture();
        for text in texts {
            assert!(picture.contains(text), "{width}x{height}:\n{picture}");
        }
    }
}

#[test]
fn help_of_the_editor_has_its_keys_and_its_smallest_screen_names_the_help() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.press("i ?");
    assert_picture("editor-help", &screen.picture());
    screen.press("Tab");
    assert!(screen.picture().contains("Keys, Tab: rules"));
    screen.press("Esc");
    screen.handle(AppEvent::Resized(Size::new(20, 7)));
    assert!(screen.picture().contains("48 seeds. ?: keys"));
}

#[test]
fn the_layout_never_changes_during_a_game() {
    let mut screen = TestScreen::new("26x4", Rules::CS32, "human", "human");
    screen.handle(AppEvent::Resized(Size::new(77, 24)));
    assert!(screen.model.layout().is_none());
    screen.handle(AppEvent::Resized(Size::new(78, 24)));
    let before = screen.model.layout().expect("a layout");
    // One house has all seeds of the board.
    let text = format!("<26,0,0,208{}> s", ",0".repeat(51));
    let filled = TestScreen::new(&text, Rules::CS32, "human", "human");
    screen.model.session = filled.model.session;
    let mut after = screen.model.layout().expect("a layout");
    after.graph = before.graph;
    assert_eq!(after.houses, before.houses);
    assert!(screen.picture().contains("208"), "{}", screen.picture());
    // A game for which the screen is too small does not start.
    let mut screen = TestScreen::new("26x4", Rules::CS32, "human", "human");
    screen.press("^n Up Up");
    let Some(Dialog::NewGame(dialog)) = &mut screen.model.dialog else {
        panic!("no dialog for a new game");
    };
    dialog.seeds = 99;
    screen.press("Down Enter");
    let picture = screen.picture();
    assert!(
        picture.contains("That board needs a terminal of 104x7."),
        "{picture}"
    );
    assert_eq!(screen.model.game().start().total().get(), 208);
}

#[test]
fn dialogs_match_their_snapshots() {
    for (name, keys) in [
        ("menu", "a Esc"),
        ("help", "?"),
        ("new-game", "a n Down Down Enter Up Up Up 5"),
        ("save", "a s"),
        ("quit", "a q"),
    ] {
        let mut screen = TestScreen::new("6x4", Rules::MANKALAH, "human", "human");
        screen.press(keys);
        assert_picture(name, &screen.picture());
    }
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.handle(AppEvent::Resized(Size::new(30, 10)));
    screen.press("Esc");
    assert_picture("menu-small", &screen.picture());
    let mut screen = TestScreen::new("6x4", Rules::CS32, "first", "first");
    screen.model.pause = Pause::After(None);
    screen.computer_sows(1);
    assert_picture("paused", &screen.picture());
    screen.press("Esc");
    assert_picture("menu-programs", &screen.picture());
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.press("a s");
    let reason =
        "cannot write '/srv/games/family/game.kgn': No such file or directory (os error 2)";
    let path = "/srv/games/family/game.kgn".into();
    screen.handle(AppEvent::Saved(path, Err(reason.to_owned())));
    assert_picture("save-error", &screen.picture());
}

#[test]
fn the_smallest_screens_cut_nothing_off() {
    for (name, keys) in [
        ("board", "c f a b"),
        ("margins", "m"),
        ("earlier", "c f Up"),
        ("variation", "c f Up a"),
        ("menu", "Esc"),
        ("question", "a n"),
        ("new-game", "n"),
        ("new-game-end", "n Up Up"),
        ("save", "a s"),
        ("help", "?"),
        ("editor", "i Right"),
    ] {
        let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
        screen.handle(AppEvent::Resized(Size::new(20, 10)));
        screen.press(keys);
        assert_picture(&format!("small-{name}"), &screen.picture());
    }
}

#[test]
fn the_status_shows_the_thinking_time() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "smart");
    screen.press("a");
    screen.handle(AppEvent::Tick(Duration::from_millis(3_300)));
    let picture = screen.picture();
    assert!(
        picture.contains("North (Homer) is thinking | 3 s  Enter: move now"),
        "{picture}"
    );
}

#[test]
fn margins_show_proofs_and_estimates() {
    let mut screen = TestScreen::new("3x3", Rules::CS32, "human", "human");
    screen.press("m");
    screen.answer_margins();
    assert_picture("margins", &screen.picture());
}

#[test]
fn margins_name_the_endgame_table_and_the_opening_book() {
    let mut screen = TestScreen::new("3x3", Rules::CS32, "human", "human");
    screen.press("m");
    let Some(AppEffect::Analyze(request_id, position)) = screen.effects.last().cloned() else {
        panic!("no request for margins");
    };
    let searched = report(&position);
    assert_eq!((searched.table_hits, searched.depth > 0), (0, true));
    let source_of = |table_hits, depth, is_from_book| {
        let mut screen = TestScreen::new("3x3", Rules::CS32, "human", "human");
        screen.press("m");
        let report = kalah_engine::Report {
            table_hits,
            depth,
            is_from_book,
            ..searched.clone()
        };
        screen.handle(AppEvent::Analyzed(request_id, report));
        let picture = screen.picture();
        let line = picture.lines().find(|line| line.contains("3 of 3"));
        line.map(|line| line.split('│').next().unwrap_or_default().trim().to_owned())
    };
    for (table_hits, depth, is_from_book, text) in [
        (0, 0, false, "3 of 3 moves proven, without a search"),
        (3, 0, false, "3 of 3 moves proven, from the endgame table"),
        (0, 0, true, "3 of 3 moves proven, from the opening book"),
        (0, 8, false, "Depth 8, 3 of 3 moves proven, 0 positions/s"),
        (
            9,
            8,
            false,
            "Depth 8, 3 of 3 moves proven with the endgame table",
        ),
    ] {
        let source = source_of(table_hits, depth, is_from_book);
        assert_eq!(source.as_deref(), Some(text));
    }
}

#[test]
fn a_finished_game_shows_its_review() {
    let mut screen = TestScreen::new("3x2", Rules::CS32, "human", "human");
    screen.play_to_the_end();
    assert_picture("over", &screen.picture());
    let ReviewState::Running {
        request_id, game, ..
    } = screen.model.review.clone()
    else {
        panic!("no running review");
    };
    screen.handle(AppEvent::Reviewed(request_id, reports(&game, report)));
    assert_picture("reviewed", &screen.picture());
    screen.press("w");
    assert_picture("worst", &screen.picture());
}

#[test]
fn names_follow_the_players_after_a_swap() {
    let mut screen = TestScreen::new("6x4", Rules::MANKALAH, "human", "human");
    screen.press("a x");
    assert_picture("swapped", &screen.picture());
}

#[test]
fn the_move_list_numbers_turns_as_the_record() {
    let start = "<3,0,0,2,2,2,2,2,2> n";
    let mut screen = TestScreen::new(start, Rules::CS32, "human", "human");
    screen.press("a a b");
    let picture = screen.picture();
    for line in ["│  1.         a        │", "│  2. A       b        │"] {
        assert!(picture.contains(line), "{picture}");
    }
    let record = kalah::record::Record::from_game(screen.model.game()).to_string();
    assert!(record.contains("1... a 2. A b"), "{record}");

    let mut screen = TestScreen::new("6x4", Rules::MANKALAH, "human", "human");
    screen.press("a x a b");
    let picture = screen.picture();
    for line in [
        "│  1. A       swap     │",
        "│             a        │",
        "│  2. B                │",
    ] {
        assert!(picture.contains(line), "{picture}");
    }
}

#[test]
fn players_with_equal_names_are_named_by_their_sides() {
    let mut screen = TestScreen::new("6x4", Rules::MANKALAH, "human", "human");
    let names = BySide::from_fn(|_| "Human".to_owned());
    let game = screen.model.game().clone();
    screen.model.session = GameSession::new(game, screen.model.session.specs().clone(), names);
    screen.press("a x F9 Down Enter");
    let picture = screen.picture();
    for text in [
        "North swaps: its player takes South's row and store,",
        "Margin of North",
    ] {
        assert!(picture.contains(text), "{text}: {picture}");
    }
}

#[test]
fn a_long_name_leaves_room_for_the_store() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    let names = BySide::from_fn(|_| "界Marge Simpson of 742 Evergreen Terrace".to_owned());
    let game = screen.model.game().clone();
    screen.model.session = GameSession::new(game, screen.model.session.specs().clone(), names);
    screen.handle(AppEvent::Resized(Size::new(30, 9)));
    let picture = screen.picture();
    for line in [
        "  界 Marge Simpson of 742 …  0",
        "▶ 界 Marge Simpson of 742 …  0",
    ] {
        assert!(picture.contains(line), "{picture}");
    }
}

#[test]
fn the_readme_shows_the_screen() {
    let game = Game::new(position("6x4", Rules::CS32));
    let specs = BySide::new(spec("human"), spec("level:2"));
    let names = BySide::from_fn(|side| specs[side].default_name());
    let session = GameSession::new(game, specs, names);
    let size = Size::new(78, 19);
    let mut model = Model::new(session, Labels::Letters, Theme::PLAIN, size);
    model.speed = AnimationSpeed::Instant;
    let mut screen = TestScreen {
        model,
        effects: Vec::new(),
    };
    screen.press("c Right Right");
    let picture = screen.picture();
    assert_picture("readme", &picture);
    assert!(
        include_str!("../../../../../../README.md").contains(&picture),
        "{picture}"
    );
}
