//! Random events: the game stays legal, and every frame is drawn.

use kalah_engine::Review;
use proptest::prelude::*;

use super::*;
use crate::text::Hint;

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
        1 => (0..150_u16, 0..50_u16).prop_map(|(width, height)| RandomEvent::Resized(width, height)),
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
            AppEvent::HintFound(*request_id, Hint::from_report(&quick_report(position)))
        }
        AppEffect::Analyze(request_id, position) => {
            AppEvent::Analyzed(*request_id, quick_report(position))
        }
        AppEffect::Review(request_id, game) => {
            let review = Review::from_game(game, quick_report);
            AppEvent::Reviewed(*request_id, Box::new(review))
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
        board in prop::sample::select(vec!["6x4", "1x1", "3x2", "9x3", "26x10", "<4,0,0,0,0,0,0,0,0,0,0> s"]),
        preset in 0..4_usize,
        south in prop::sample::select(vec!["human", "smart", "first"]),
        north in prop::sample::select(vec!["human", "smart", "minimax:2"]),
        is_animated in any::<bool>(),
        events in prop::collection::vec(random_event(), 1..80),
    ) {
        let mut screen = TestScreen::new(board, Rules::PRESETS[preset].rules, south, north);
        if is_animated {
            screen.model.pace = Pace::Normal;
        }
        for event in events {
            if let Some(event) = app_event(&screen, &event) {
                screen.handle(event);
            }
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
