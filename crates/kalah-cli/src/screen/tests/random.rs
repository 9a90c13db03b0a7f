use super::*;
use crate::Hint;
use kalah_engine::Review;
use proptest::prelude::*;

/// Something that happens to a screen, whenever it does.
#[derive(Clone, Debug)]
enum Happens {
    Key(KeyEvent),
    Mouse(MouseEvent),
    Resized(u16, u16),
    /// So many milliseconds pass.
    Passes(u16),
    /// Whoever was asked last answers with the choice of this number, which may be none.
    Answers(usize),
    /// Whoever was asked for advice, margins or a look back answers.
    Advises,
}

fn key() -> impl Strategy<Value = KeyEvent> {
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

fn happens() -> impl Strategy<Value = Happens> {
    let mouse = (0..120_u16, 0..40_u16, 0..4_u8).prop_map(|(column, row, kind)| MouseEvent {
        kind: match kind {
            0 => MouseEventKind::Moved,
            1 => MouseEventKind::ScrollUp,
            2 => MouseEventKind::ScrollDown,
            _ => MouseEventKind::Down(MouseButton::Left),
        },
        column,
        row,
        modifiers: KeyModifiers::NONE,
    });
    prop_oneof![
        10 => key().prop_map(Happens::Key),
        4 => mouse.prop_map(Happens::Mouse),
        1 => (0..150_u16, 0..50_u16).prop_map(|(width, height)| Happens::Resized(width, height)),
        4 => (0..2000_u16).prop_map(Happens::Passes),
        6 => (0..30_usize).prop_map(Happens::Answers),
        2 => Just(Happens::Advises),
    ]
}

/// The event that this is for a screen in such a state.
fn event(played: &Played, happens: &Happens) -> Option<AppEvent> {
    Some(match happens {
        Happens::Key(key) => AppEvent::Key(*key),
        Happens::Mouse(mouse) => AppEvent::Mouse(*mouse),
        Happens::Resized(width, height) => AppEvent::Resized(Size::new(*width, *height)),
        Happens::Passes(millis) => {
            AppEvent::Tick(played.model.now + Duration::from_millis((*millis).into()))
        }
        Happens::Answers(number) => {
            let mv = played.model.session.position().legal_moves().nth(*number);
            AppEvent::PlayerActed(
                played.asked()?,
                mv.map_or(PlayerAction::NoMove, PlayerAction::Move),
            )
        }
        Happens::Advises => {
            let last = played.effects.iter().rev().find(|effect| {
                matches!(
                    effect,
                    AppEffect::RequestHint(..) | AppEffect::Analyze(..) | AppEffect::Review(..)
                )
            });
            match last? {
                AppEffect::RequestHint(ticket, position) => {
                    AppEvent::HintFound(*ticket, Hint::from_report(&quick(position)))
                }
                AppEffect::Analyze(ticket, position) => {
                    AppEvent::Analyzed(*ticket, quick(position))
                }
                AppEffect::Review(ticket, game) => {
                    AppEvent::Reviewed(*ticket, Box::new(Review::from_game(game, quick)))
                }
                _ => return None,
            }
        }
    })
}

/// What takes hardly a search.
fn quick(position: &Position) -> kalah_engine::Report {
    let limits = kalah_engine::Limits {
        depth: Some(1),
        nodes: Some(100),
        ..kalah_engine::Limits::default()
    };
    kalah_engine::Engine::new()
        .with_memory(1 << 20)
        .analyse(position, limits, &|| Duration::ZERO)
}

fn is_legal(game: &Game) -> bool {
    let moves = game.plies().iter().map(|ply| ply.mv);
    let again = Game::replay(game.start().clone(), moves);
    again.is_ok_and(|again| again.position() == game.position())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_happens_the_game_is_legal_and_there_is_a_picture(
        board in prop::sample::select(vec!["6x4", "1x1", "3x2", "9x3", "26x10", "<4,0,0,0,0,0,0,0,0,0,0> s"]),
        preset in 0..4_usize,
        south in prop::sample::select(vec!["human", "smart", "first"]),
        north in prop::sample::select(vec!["human", "smart", "minimax:2"]),
        animated in any::<bool>(),
        events in prop::collection::vec(happens(), 1..80),
    ) {
        let mut played = Played::new(board, Rules::PRESETS[preset].rules, south, north);
        if animated {
            played.model.pace = Pace::Normal;
        }
        for happens in events {
            if let Some(event) = event(&played, &happens) {
                played.take(event);
            }
            prop_assert!(is_legal(played.model.game()), "after {happens:?}: {}", played.line());
            let lines = played.picture().lines().count();
            prop_assert_eq!(lines, usize::from(played.model.size.height) * usize::from(played.model.size.width > 0));
            // Somebody can always go on: a person, a program that was asked, or whoever ends the game.
            let waits = played.model.pending_move.is_some() || played.model.deferred_action.is_some();
            let person = played.model.session.human_to_move().is_some();
            prop_assert!(waits || person || played.model.is_paused() || played.model.session.ending().is_some());
        }
    }
}
