//! Playing with keys and the mouse: known games, and random events, after which the game stays
//! legal and every frame is drawn.

use proptest::prelude::*;

use super::*;
use crate::game::clock::ScreenClock;
use crate::game::{FileEntry, OpenedFile};
use crate::screen::event::WantedPuzzle;
use crate::screen::view::dialog::help_lines;
use kalah_text::Hint;

/// Two people play on 6x4: the keys, the moves of the game, and the message.
#[test]
fn keys_play_the_game() {
    for (keys, moves, message) in [
        ("c", "C", ""),
        ("C f", "C F", ""),
        ("3", "C", ""),
        // Columns are numbered from left to right, also for North.
        ("a 1", "A f", ""),
        ("Enter", "A", ""),
        ("Left Left Enter", "E", ""),
        ("Right Enter", "B", ""),
        ("c c", "C", "House C is empty."),
        ("7", "", "There is no house 7: the row has 6."),
        ("c u", "", "Undone: 1 move."),
        ("c u r", "C", "Redone: 1 move."),
        ("c u ^y f Backspace", "C", "Undone: 1 move."),
        ("u", "", "There is nothing to undo."),
        ("r", "", "There is nothing to redo."),
        (
            "x",
            "",
            "Sides can be exchanged only instead of ply 2, and only under rules with a swap.",
        ),
        // A house in an earlier position begins a variation, and the game does not change.
        ("c Up a", "C", ""),
        ("c Up a b Esc a", "C A", ""),
        ("c Up a u End a", "C A", ""),
        ("c f Home c", "C F", ""),
        ("F9 Down Enter Home a", "", "The game is over."),
        ("z", "", "z has no meaning here. ?: all keys."),
        ("^b", "", "Ctrl-b has no meaning here. ?: all keys."),
        ("c Up End a", "C A", ""),
        ("c Up Down b", "C B", ""),
        ("c f Home Left Enter End a", "C F a", ""),
        (
            "c Up u",
            "C",
            "Undo works in the current position. End: current position.",
        ),
        ("F9 Down Enter c", "", "The game is over."),
        ("F9 Enter c", "C", ""),
        ("F9 Esc c", "C", ""),
        ("F9 Down Enter u", "", "The end of the game is undone."),
        ("Esc Esc c", "C", ""),
        ("? Esc c", "C", ""),
        ("p", "", "Animation: slow."),
    ] {
        let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
        screen.press(keys);
        assert_eq!(screen.moves(), moves, "after {keys}");
        assert_eq!(screen.message(), message, "after {keys}");
    }
}

#[test]
fn letters_of_houses_take_precedence_over_commands() {
    // H and U are houses on this board. Hint and undo have other keys.
    let mut screen = TestScreen::new("26x2", Rules::CS32, "human", "human");
    screen.press("h U");
    assert_eq!(screen.moves(), "H u");
    screen.press("Backspace");
    assert_eq!(screen.moves(), "H");
    screen.press("F2");
    assert!(matches!(
        screen.effects.last(),
        Some(AppEffect::RequestHint(..))
    ));
    let keys = help_lines(26, Labels::Letters);
    assert!(keys.iter().any(|(keys, _)| keys == "Backspace"), "{keys:?}");
}

#[test]
fn the_swap_has_a_key() {
    let mut screen = TestScreen::new("6x4", Rules::MANKALAH, "human", "human");
    screen.press("a x");
    assert_eq!(screen.moves(), "A swap");
    assert_eq!(screen.model.viewed_names()[Side::South], "Homer");
    screen.press("Up");
    assert_eq!(screen.model.viewed_names()[Side::South], "Marge");
    screen.press("End");
    assert_eq!(to_move(&screen), Side::North);
}

#[test]
fn an_animation_sows_seed_by_seed_until_a_key_is_pressed() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "first");
    screen.model.speed = AnimationSpeed::Slow;
    screen.press("c");
    let sum = |screen: &TestScreen| {
        let (seeds, _) = screen.model.displayed_board();
        let rows = seeds
            .rows
            .south
            .iter()
            .chain(&seeds.rows.north)
            .sum::<u32>();
        (rows + seeds.stores.south, seeds.stores.south)
    };
    // At the start of the animation, the four seeds are in no pit.
    assert_eq!(sum(&screen), (44, 0));
    screen.handle(AppEvent::Tick(Duration::from_millis(700)));
    assert_eq!(sum(&screen), (46, 0));
    screen.press("Space");
    assert_eq!(sum(&screen), (48, 1));
    // After the bonus turn, the move of the program arrives during the animation.
    screen.press("a");
    screen.computer_sows(1);
    assert_eq!(screen.moves(), "C A");
    screen.press("Space");
    assert_eq!(screen.moves(), "C A a");
    // A letter during the animation of a program only ends the animation.
    screen.press("d");
    assert_eq!(screen.moves(), "C A a");
    screen.press("d");
    assert_eq!(screen.moves(), "C A a D");
    // An animation ends after some time without a key.
    screen.computer_sows(2);
    for seconds in 1..=20 {
        screen.handle(AppEvent::Tick(Duration::from_secs(seconds)));
    }
    assert_eq!(screen.moves(), "C A a D b");
    assert_eq!(screen.model.animation, None);
}

#[test]
fn commands_work_during_an_animation() {
    for (key, has_worked) in [
        (
            "^c",
            (|screen| screen.picture().contains("not saved")) as fn(&TestScreen) -> bool,
        ),
        ("q", |screen| screen.picture().contains("not saved")),
        ("?", |screen| {
            screen.picture().contains("house further left")
        }),
        ("Esc", |screen| screen.picture().contains("Menu")),
        ("m", |screen| screen.model.margins.is_shown),
        ("n", |screen| screen.model.dialog.is_some()),
        ("g", |screen| {
            screen.message() == "The game pauses between turns."
        }),
        ("p", |screen| screen.model.speed == AnimationSpeed::Fast),
        ("u", |screen| {
            screen.message() == "A game between two programs has no undo."
        }),
        ("Up", |screen| screen.model.viewed_plies == Some(1)),
    ] {
        let mut screen = TestScreen::new("6x4", Rules::CS32, "first", "first");
        screen.model.speed = AnimationSpeed::Normal;
        screen.computer_sows(1);
        screen.computer_sows(1);
        screen.press("Space");
        assert_eq!(screen.moves(), "A a");
        assert!(screen.model.animation.is_some());
        screen.press(key);
        assert!(has_worked(&screen), "{key}: {}", screen.picture());
    }
}

#[test]
fn enter_that_cuts_a_search_short_does_not_sow() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "smart");
    let advance = |screen: &mut TestScreen, millis| {
        let now = screen.model.now + Duration::from_millis(millis);
        screen.handle(AppEvent::Tick(now));
    };
    screen.press("a");
    advance(&mut screen, 5_000);
    screen.press("Enter");
    assert_eq!(screen.effects.last(), Some(&AppEffect::MoveNow));
    advance(&mut screen, 5_000);
    screen.computer_sows(1);
    screen.press("Enter");
    assert_eq!(screen.moves(), "A a");
    advance(&mut screen, 1_000);
    screen.press("Enter");
    assert_eq!(screen.moves(), "A a F");
    // Enter sows at once after a move of the cursor.
    screen.press("Enter");
    screen.computer_sows(2);
    screen.press("Enter");
    assert_eq!(screen.moves(), "A a F b");
    screen.press("Left Enter");
    assert_eq!(screen.moves(), "A a F b D");
    // Enter that ends an animation does not sow either.
    screen.model.speed = AnimationSpeed::Slow;
    screen.computer_sows(3);
    screen.press("Enter Enter");
    assert_eq!(screen.moves(), "A a F b D c");
}

#[test]
fn the_mouse_sows_and_selects_positions() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    let cell_of = |screen: &TestScreen, side: Side, index: usize| {
        let cell = screen.model.layout().expect("a layout").houses[side][index];
        (cell.x + 1, cell.y + 1)
    };
    let (x, y) = cell_of(&screen, Side::North, 0);
    screen.click(x, y);
    assert_eq!(screen.message(), "House a is North's: South is to move.");
    for (side, index) in [(Side::South, 2), (Side::South, 0), (Side::North, 1)] {
        let (x, y) = cell_of(&screen, side, index);
        screen.click(x, y);
    }
    assert_eq!(screen.moves(), "C A b");
    let moves = screen
        .model
        .layout()
        .expect("a layout")
        .moves
        .expect("a list");
    screen.click(moves.x + 1 + 5, moves.y + 1);
    assert_eq!(screen.model.viewed_ply_count(), 1);
    screen.press("Esc");
    assert_eq!(screen.model.viewed_plies, None);
}

#[test]
fn a_click_beside_everything_does_nothing() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "smart");
    screen.press("a");
    let before = screen.effects.len();
    screen.click(0, 3);
    assert_eq!(screen.effects.len(), before);
    let mut screen = TestScreen::new("2x1", Rules::CS32, "human", "human");
    screen.play_to_the_end();
    screen.click(0, 3);
    assert!(screen.model.dialog.is_none());
}

/// An event that does not depend on the state of the screen.
#[derive(Clone, Debug)]
enum RandomEvent {
    Key(KeyEvent),
    Mouse(MouseEvent),
    Resized(u16, u16),
    /// Time passes, in milliseconds.
    Elapsed(u16),
    /// A response to the last request for a move, with the legal move of this index or with no
    /// move.
    MoveResponse(usize),
    /// A response to the last request for a hint, for margins or for a review.
    AnalysisResponse,
}

fn key_event() -> impl Strategy<Value = KeyEvent> {
    let code = prop_oneof![
        6 => prop::char::range('a', 'z').prop_map(KeyCode::Char),
        2 => prop::char::range('!', '@').prop_map(KeyCode::Char),
        8 => prop::sample::select(vec![
            KeyCode::Enter, KeyCode::Esc, KeyCode::Left, KeyCode::Right, KeyCode::Up, KeyCode::Down,
            KeyCode::Home, KeyCode::End, KeyCode::Tab, KeyCode::BackTab, KeyCode::Backspace,
            KeyCode::PageUp, KeyCode::PageDown, KeyCode::Delete,
        ]),
        3 => (1..13_u8).prop_map(KeyCode::F),
    ];
    let modifiers = prop_oneof![
        8 => Just(KeyModifiers::NONE),
        1 => Just(KeyModifiers::CONTROL),
        1 => Just(KeyModifiers::SHIFT),
    ];
    (code, modifiers).prop_map(|(code, modifiers)| KeyEvent::new(code, modifiers))
}

fn mouse_event() -> impl Strategy<Value = MouseEvent> {
    let kind = prop::sample::select(vec![
        MouseEventKind::Moved,
        MouseEventKind::ScrollUp,
        MouseEventKind::ScrollDown,
        MouseEventKind::Down(MouseButton::Left),
        MouseEventKind::Down(MouseButton::Right),
    ]);
    (0..120_u16, 0..40_u16, kind).prop_map(|(column, row, kind)| MouseEvent {
        kind,
        column,
        row,
        modifiers: KeyModifiers::NONE,
    })
}

fn random_event() -> impl Strategy<Value = RandomEvent> {
    prop_oneof![
        10 => key_event().prop_map(RandomEvent::Key),
        4 => mouse_event().prop_map(RandomEvent::Mouse),
        1 => (0..150_u16, 0..50_u16)
            .prop_map(|(width, height)| RandomEvent::Resized(width, height)),
        4 => (0..2000_u16).prop_map(RandomEvent::Elapsed),
        6 => (0..30_usize).prop_map(RandomEvent::MoveResponse),
        2 => Just(RandomEvent::AnalysisResponse),
    ]
}

/// Converts a random event for the current state of the screen.
fn app_event(screen: &TestScreen, event: &RandomEvent) -> Option<AppEvent> {
    Some(match event {
        RandomEvent::Key(key) => AppEvent::Key(*key),
        RandomEvent::Mouse(mouse) => AppEvent::Mouse(*mouse),
        RandomEvent::Resized(width, height) => AppEvent::Resized(Size::new(*width, *height)),
        RandomEvent::Elapsed(millis) => {
            AppEvent::Tick(screen.model.now + Duration::from_millis((*millis).into()))
        }
        RandomEvent::MoveResponse(index) => {
            let mv = screen.model.session.position().legal_moves().nth(*index);
            let action = mv.map_or(PlayerAction::NoMove, PlayerAction::Move);
            AppEvent::PlayerActed(screen.last_request_id()?, action)
        }
        RandomEvent::AnalysisResponse => screen.effects.iter().rev().find_map(analysis_response)?,
    })
}

fn analysis_response(effect: &AppEffect) -> Option<AppEvent> {
    Some(match effect {
        AppEffect::RequestHint(request_id, position) => {
            let hint = Hint::from_report(position, &quick_report(position));
            AppEvent::HintFound(*request_id, hint)
        }
        AppEffect::Analyze(request_id, position) => {
            AppEvent::Analyzed(*request_id, quick_report(position))
        }
        AppEffect::RequestPuzzle(request_id, WantedPuzzle::Chosen { start, .. }) => {
            let has_puzzle = start.houses() == 4 && start.total().get() > 0;
            let puzzle = has_puzzle.then(|| Box::new(puzzles::puzzle().clone()));
            AppEvent::PuzzleFound(*request_id, puzzle)
        }
        AppEffect::ChooseFile => AppEvent::FolderFound("/games".into()),
        AppEffect::ListFiles(folder) => {
            let entry = FileEntry {
                name: "a.kgn".to_owned(),
                path: "/games/a.kgn".into(),
                is_folder: false,
            };
            AppEvent::FilesListed(folder.clone(), Ok(vec![entry]))
        }
        AppEffect::ReadGames(path) => {
            let mut game = TestScreen::new("3x2", Rules::CS32, "human", "human");
            game.press("a b");
            let file = OpenedFile {
                games: vec![game.model.session],
                error: None,
            };
            AppEvent::GamesRead(path.clone(), Ok(file))
        }
        AppEffect::Review(request_id, game) => {
            AppEvent::Reviewed(*request_id, reports(game, quick_report))
        }
        _ => return None,
    })
}

fn quick_report(position: &Position) -> kalah_engine::Report {
    let limits = kalah_engine::Limits {
        depth: Some(1),
        nodes: Some(100),
        ..kalah_engine::Limits::default()
    };
    kalah_engine::Engine::new()
        .with_memory(1 << 20)
        .analyze(position, limits, &|| Duration::ZERO)
}

fn is_legal(game: &Game) -> bool {
    let moves = game.plies().iter().map(|ply| ply.mv);
    let replayed = Game::replay(game.start().clone(), moves);
    replayed.is_ok_and(|replayed| replayed.position() == game.position())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_events_keep_the_game_legal_and_the_screen_drawn(
        board in prop::sample::select(vec!["6x4", "4x3", "1x1", "3x2", "9x3", "26x10", "<4,0,0,0,0,0,0,0,0,0,0> s"]),
        preset in 0..4_usize,
        south in prop::sample::select(vec!["human", "smart", "first"]),
        north in prop::sample::select(vec!["human", "smart", "minimax:2"]),
        is_animated in any::<bool>(),
        has_clock in any::<bool>(),
        events in prop::collection::vec(random_event(), 1..80),
    ) {
        let mut screen = TestScreen::new(board, Rules::PRESETS[preset].rules, south, north);
        if is_animated {
            screen.model.speed = AnimationSpeed::Normal;
        }
        if has_clock {
            let setting = "20s+1s".parse().expect("a clock");
            screen.model.clock = Some(ScreenClock::new(setting));
        }
        for event in events {
            if let Some(event) = app_event(&screen, &event) {
                screen.handle(event);
            }
            prop_assert!(is_legal(screen.model.shown_game()));
            prop_assert!(is_legal(screen.model.game()), "after {event:?}: {}", screen.moves());
            let Size { width, height } = screen.model.size;
            let lines = screen.picture().lines().count();
            prop_assert_eq!(lines, usize::from(height) * usize::from(width > 0));
            // The game never gets stuck: a person or a program can move, or it is paused or over.
            let model = &screen.model;
            let is_waiting = model.pending_move.is_some() || model.deferred_action.is_some();
            let has_human = model.session.human_to_move().is_some();
            let is_over = model.session.ending().is_some();
            prop_assert!(is_waiting || has_human || model.is_paused() || is_over);
        }
    }
}
