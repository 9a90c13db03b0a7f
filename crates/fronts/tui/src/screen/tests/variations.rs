//! Variations, the position editor, clocks, and commands for the whole screen.

use kalah::{MoveTime, PlayerId, Termination};

use super::*;
use crate::app::config::Symbols;
use crate::game::clock::ScreenClock;
use crate::game::{FileEntry, OpenedFile};
use crate::screen::model::dialog::{Dialog, OpenList};

/// Returns the moves of the shown game, separated by spaces.
fn shown_moves(screen: &TestScreen) -> String {
    let plies = screen.model.shown_game().plies().iter();
    plies
        .map(|ply| ply.mv.text(ply.side))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_variation_leaves_the_game_unchanged() {
    for (keys, shown, viewed) in [
        ("Home b", "B", 1),
        ("Home b c Up", "B c", 1),
        ("Home b c Up d", "B d", 2),
        ("Home b c u", "B", 1),
        ("Home b c u u", "C F a", 0),
        // A move of the game itself is no variation.
        ("Home c", "C F a", 1),
        ("Home b c Home c", "C", 1),
        ("Home b c Up End", "B c", 2),
        ("Home b c Esc", "C F a", 3),
        ("Home b r", "B", 1),
        ("Home b Left Right Enter", "B a", 2),
    ] {
        let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
        screen.press("c f a");
        screen.press(keys);
        assert_eq!(screen.moves(), "C F a", "after {keys}");
        assert_eq!(shown_moves(&screen), shown, "after {keys}");
        assert_eq!(screen.model.viewed_ply_count(), viewed, "after {keys}");
    }
}

#[test]
fn positions_of_a_variation_up_to_its_branch_belong_to_the_game() {
    for (keys, plies) in [
        ("", Some(3)),
        ("Home", Some(0)),
        ("Home b", None),
        ("Home b Up", Some(0)),
        ("Home Down d", None),
        ("Home Down d Up", Some(1)),
        ("Home Down d Home", Some(0)),
    ] {
        let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
        screen.press("c f a");
        screen.press(keys);
        assert_eq!(screen.model.viewed_game_plies(), plies, "after {keys}");
    }
}

#[test]
fn a_program_moves_while_a_variation_is_shown() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "smart");
    screen.press("c a Home b c");
    screen.computer_sows(1);
    assert_eq!(
        (screen.moves(), shown_moves(&screen)),
        ("C A a".to_owned(), "B c".to_owned())
    );
    screen.press("Esc");
    assert_eq!(shown_moves(&screen), "C A a");
}

#[test]
fn a_hint_belongs_to_the_position_for_which_it_was_requested() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.press("a");
    screen.press("h");
    let Some(AppEffect::RequestHint(request_id, _)) = screen.effects.last().cloned() else {
        panic!("no request for a hint: {:?}", screen.effects);
    };
    screen.press("Up");
    assert!(screen.effects.contains(&AppEffect::StopAnalysis));
    let hint = kalah_text::Hint {
        mv: Move::Sow(house(3)),
        reason: "wins by 10".to_owned(),
    };
    screen.handle(AppEvent::HintFound(request_id, Some(hint)));
    assert_eq!((screen.message(), &screen.model.hint), ("", &None));
}

#[test]
fn a_message_belongs_to_the_selected_house() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.press("c c");
    assert_eq!(screen.message(), "House C is empty.");
    screen.press("Left");
    assert_eq!(screen.message(), "");
    let picture = screen.picture();
    assert!(picture.contains("F: 5 seeds"), "{picture}");
}

#[test]
fn the_flipped_board_has_north_at_the_bottom() {
    let mut screen = TestScreen::new("3x2", Rules::CS32, "human", "human");
    let layout = screen.model.layout().expect("a layout");
    screen.press("v");
    let flipped = screen.model.layout().expect("a layout");
    assert_eq!(flipped.houses[Side::North], layout.houses[Side::South]);
    assert_eq!(flipped.houses[Side::South], layout.houses[Side::North]);
    assert_eq!(
        flipped.stores.expect("stores").north,
        layout.stores.expect("stores").south
    );
    // South's houses are in the upper row now, so that column 1 is house C.
    screen.press("1");
    assert_eq!(screen.moves(), "C");
    screen.press("v u 1");
    assert_eq!(screen.moves(), "A");
}

#[test]
fn commands_for_the_terminal_are_effects() {
    let mut screen = TestScreen::new("3x2", Rules::CS32, "human", "human");
    screen.press("y ^l");
    let position = "<3,0,0,2,2,2,2,2,2> s".to_owned();
    assert!(screen.effects.contains(&AppEffect::Copy(position.clone())));
    assert!(screen.effects.contains(&AppEffect::Redraw));
    assert_eq!(screen.message(), format!("Copied {position}"));
    screen.press("^z");
    assert_eq!(screen.effects.contains(&AppEffect::Suspend), cfg!(unix));
}

#[test]
fn an_edited_position_starts_a_game() {
    let mut screen = TestScreen::new("3x2", Rules::CS32, "human", "human");
    // South's first house, its neighbour, and its store.
    screen.press("i 1 2 Right + + Right Right - 7 Tab");
    let editor = screen.model.editor.as_ref().expect("an editor");
    assert_eq!(editor.setup().to_string(), "<3,7,0,12,4,2,2,2,2> n");
    let picture = screen.picture();
    assert!(
        picture.contains("Position editor: North to move, 31 seeds."),
        "{picture}"
    );
    screen.press("Enter");
    assert!(
        screen.picture().contains("as edited"),
        "{}",
        screen.picture()
    );
    screen.press("Enter");
    assert_eq!(
        screen.model.game().start().to_string(),
        "<3,7,0,12,4,2,2,2,2> n"
    );
    assert!(screen.model.editor.is_none());
    // Esc leaves the game as it is.
    screen.press("a i Delete Esc");
    assert_eq!(screen.moves(), "a");
    assert!(screen.model.editor.is_none());
}

#[test]
fn the_mouse_edits_a_position() {
    let mut screen = TestScreen::new("3x2", Rules::CS32, "human", "human");
    screen.press("i");
    let layout = screen.model.layout().expect("a layout");
    let house = layout.houses[Side::North][0];
    let store = layout.stores.expect("stores").south;
    screen.click(house.x + 1, house.y + 1);
    screen.click(store.x + 1, store.y + 1);
    screen.handle(AppEvent::Mouse(MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Right),
        column: house.x + 1,
        row: house.y + 1,
        modifiers: KeyModifiers::NONE,
    }));
    let editor = screen.model.editor.as_ref().expect("an editor");
    assert_eq!(editor.setup().to_string(), "<3,1,0,2,2,2,2,2,2> s");
}

#[test]
fn the_player_whose_time_runs_out_loses() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "smart");
    let setting = "1m+2s".parse().expect("a clock");
    screen.model.clock = Some(ScreenClock::new(setting));
    // The clocks start with the first ply.
    screen.handle(AppEvent::Tick(Duration::from_secs(100)));
    screen.press("a");
    assert!(
        screen.picture().contains("South (Marge)  1:02"),
        "{}",
        screen.picture()
    );
    let clock_time = screen.effects.iter().rev().find_map(|effect| match effect {
        AppEffect::RequestMove { clock_time, .. } => Some(*clock_time),
        _ => None,
    });
    let planned = clock_time.flatten().map(MoveTime::planned);
    let expected = kalah_players::clock_time(
        Duration::from_mins(1),
        Duration::from_secs(2),
        screen.model.session.position(),
    );
    assert_eq!(planned, Some(expected.planned()));
    screen.handle(AppEvent::Tick(Duration::from_secs(130)));
    screen.computer_sows(1);
    screen.handle(AppEvent::Tick(Duration::from_secs(140)));
    let picture = screen.picture();
    assert!(picture.contains("South (Marge)  0:52"), "{picture}");
    assert!(picture.contains("North (Homer)  0:32"), "{picture}");
    let clocks = screen.model.session.ply_times().iter();
    let clocks: Vec<_> = clocks.map(|times| times.clock).collect();
    assert_eq!(clocks, [62, 32].map(|left| Some(Duration::from_secs(left))));
    screen.handle(AppEvent::Tick(Duration::from_secs(191)));
    assert_eq!(screen.model.session.ending(), None);
    screen.handle(AppEvent::Tick(Duration::from_secs(192)));
    let ending = screen.model.session.ending().expect("an ending");
    assert_eq!(
        (ending.termination, ending.winner),
        (Termination::Time, Some(Side::North))
    );
    assert!(
        screen.picture().contains("North (Homer) wins on time"),
        "{}",
        screen.picture()
    );
    screen.press("u");
    assert_eq!(
        screen.message(),
        "The loss on time is undone, and the game goes on without clocks."
    );
    assert_eq!(screen.model.session.ending(), None);
}

/// The turns of a game with its clock, which the users of `GameClock` share.
const TURNS: &str = include_str!("../../../../../core/kalah/tests/data/clock_turns.txt");

#[test]
fn increment_is_added_once_a_turn() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.model.clock = Some(ScreenClock::new("1m+2s".parse().expect("a clock")));
    let mut now = Duration::ZERO;
    for line in TURNS.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(' ').collect();
        let &[mv, used, south, north] = fields.as_slice() else {
            panic!("{line}");
        };
        now += Duration::from_secs(used.parse().expect("a number"));
        screen.handle(AppEvent::Tick(now));
        if screen.model.session.ending().is_none() {
            screen.press(&mv.to_lowercase());
        }
        let clock = screen.model.clock.as_ref().expect("a clock");
        let left = PlayerId::ALL.map(|player| clock.remaining(player, now));
        let expected = [south, north].map(|text| text.parse().map(Duration::from_secs));
        assert_eq!(left.map(Ok), expected, "{line}");
    }
    // The last move of the turns comes too late.
    let ending = screen.model.session.ending().expect("an ending");
    assert_eq!(
        (ending.termination, ending.winner),
        (Termination::Time, Some(Side::South))
    );
}

fn entry(name: &str, is_folder: bool) -> FileEntry {
    FileEntry {
        name: name.to_owned(),
        path: format!("/games/{name}").into(),
        is_folder,
    }
}

/// Opens the list of the files of `/games`.
fn open_files(screen: &mut TestScreen) {
    screen.press("o");
    assert_eq!(screen.effects.last(), Some(&AppEffect::ChooseFile));
    screen.handle(AppEvent::FolderFound("/games".into()));
    assert_eq!(
        screen.effects.last(),
        Some(&AppEffect::ListFiles("/games".into()))
    );
    let entries = vec![
        entry("..", true),
        entry("old", true),
        entry("a.kgn", false),
        entry("b.kgn", false),
    ];
    screen.handle(AppEvent::FilesListed("/games".into(), Ok(entries)));
}

#[test]
fn a_recorded_game_is_opened_from_a_list() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    open_files(&mut screen);
    assert!(screen.picture().contains("▸ a.kgn"), "{}", screen.picture());
    screen.press("b Enter");
    assert_eq!(
        screen.effects.last(),
        Some(&AppEffect::ReadGames("/games/b.kgn".into()))
    );
    let reason = "'/games/b.kgn': line 1: expected a game".to_owned();
    screen.handle(AppEvent::GamesRead("/games/b.kgn".into(), Err(reason)));
    assert!(
        screen.picture().contains("expected a game"),
        "{}",
        screen.picture()
    );
    let mut first = TestScreen::new("3x2", Rules::CS32, "human", "human");
    first.press("a b");
    let mut second = TestScreen::new("4x1", Rules::STANDARD, "human", "human");
    second.play_to_the_end();
    let moves = second.moves();
    let file = OpenedFile {
        games: vec![first.model.session, second.model.session],
        error: Some("'/games/b.kgn': game 3, line 9: expected a move".to_owned()),
    };
    screen.handle(AppEvent::GamesRead("/games/b.kgn".into(), Ok(file)));
    let picture = screen.picture();
    assert!(picture.contains("game 3, line 9"), "{picture}");
    assert!(
        picture.contains("1. Marge - Homer") && picture.contains("2 plies, Unfinished 0-1"),
        "{picture}"
    );
    screen.press("Enter");
    assert_eq!(screen.moves(), moves);
    assert!(screen.model.dialog.is_none() && !screen.model.is_unsaved());
    assert!(matches!(screen.effects.last(), Some(AppEffect::Review(..))));
}

#[test]
fn folders_are_opened_and_left() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    open_files(&mut screen);
    screen.press("o Enter");
    assert_eq!(
        screen.effects.last(),
        Some(&AppEffect::ListFiles("/games/old".into()))
    );
    // The answer about another folder is dropped.
    screen.handle(AppEvent::FilesListed(
        "/games".into(),
        Ok(vec![entry("a.kgn", false)]),
    ));
    let Some(Dialog::Open(dialog)) = &screen.model.dialog else {
        panic!("no list of files");
    };
    assert!(matches!(dialog.list, OpenList::Loading));
    screen.handle(AppEvent::FilesListed(
        "/games/old".into(),
        Err("cannot read it".to_owned()),
    ));
    assert!(
        screen.picture().contains("cannot read it"),
        "{}",
        screen.picture()
    );
    screen.press("Backspace");
    assert_eq!(
        screen.effects.last(),
        Some(&AppEffect::ListFiles("/games".into()))
    );
    screen.press("Esc");
    assert!(screen.model.dialog.is_none());
}

#[test]
fn ascii_screens_have_no_other_characters() {
    for keys in ["", "?", "Esc", "n", "m", "s", "c Home", "i"] {
        let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
        let names = BySide::from_fn(|_| "Zoë 界".to_owned());
        let game = screen.model.game().clone();
        screen.model.session = GameSession::new(game, screen.model.session.specs().clone(), names);
        screen.model.symbols = Symbols::Ascii;
        screen.handle(AppEvent::Resized(Size::new(180, 50)));
        screen.press(keys);
        let picture = screen.picture();
        assert!(picture.is_ascii(), "{picture}");
        assert!(picture.contains("Zo? ?"), "{picture}");
    }
}

#[test]
fn a_pasted_position_is_edited() {
    let mut screen = TestScreen::new("3x2", Rules::CS32, "human", "human");
    screen.handle(AppEvent::Paste("qqq".to_owned()));
    assert!(
        screen.message().starts_with("The pasted text is ignored"),
        "{}",
        screen.message()
    );
    assert!(!screen.effects.contains(&AppEffect::Quit));
    screen.press("i");
    for (text, message) in [
        ("<3,1,0,1,2,3,4,5,6> n\n", ""),
        (
            "6x4",
            "The pasted position has 6 houses a side, and this board 3.",
        ),
    ] {
        screen.handle(AppEvent::Paste(text.to_owned()));
        assert_eq!(screen.message(), message);
        let editor = screen.model.editor.as_ref().expect("an editor");
        assert_eq!(editor.setup().to_string(), "<3,1,0,1,2,3,4,5,6> n");
    }
    screen.handle(AppEvent::Paste("<3,x>".to_owned()));
    assert!(screen.message().contains("<3,x>"), "{}", screen.message());
    // In the field for a file name, the text is inserted.
    screen.press("Esc s");
    screen.handle(AppEvent::Paste("a b.kgn\n".to_owned()));
    screen.press("Enter");
    assert_eq!(
        screen.effects.last(),
        Some(&AppEffect::Save("a b.kgn".into()))
    );
}

#[test]
fn margins_stay_while_a_hint_is_searched() {
    let mut screen = TestScreen::new("3x2", Rules::CS32, "human", "human");
    screen.press("m");
    screen.answer_margins();
    screen.press("h");
    assert!(screen.model.shown_analysis().is_some());
    assert!(
        screen.picture().contains("Looking for a hint"),
        "{}",
        screen.picture()
    );
}

#[test]
fn the_footer_of_the_editor_has_buttons() {
    let mut screen = TestScreen::new("3x2", Rules::CS32, "human", "human");
    screen.handle(AppEvent::Resized(Size::new(160, 24)));
    screen.press("i");
    let click = |screen: &mut TestScreen, text: &str| {
        let picture = screen.picture();
        let last = picture.lines().last().expect("a footer").to_owned();
        let x = last.find(text).expect("a button");
        screen.click(u16::try_from(x).expect("a column"), 23);
    };
    click(&mut screen, "Tab side");
    click(&mut screen, "Del empty board");
    let editor = screen.model.editor.as_ref().expect("an editor");
    assert_eq!(editor.setup().to_string(), "<3,0,0,0,0,0,0,0,0> n");
    click(&mut screen, "Enter play");
    assert!(
        screen.message().contains("add seeds to a row"),
        "{}",
        screen.message()
    );
    click(&mut screen, "Esc back");
    assert!(screen.model.editor.is_none());
}
