//! The history of kept games: its dialog, and games that go on.

use std::path::PathBuf;

use kalah::{ByPlayer, Ending, PlayerId, Termination};

use super::*;
use crate::game::{ClockTimes, HistoryEntry, KeptGameId, OpenedFile};
use crate::screen::model::MessageKind;
use crate::screen::model::dialog::Dialog;

/// Returns a kept game of Marge against Homer after some moves, or after all if none are given.
fn entry(id: u64, start: &str, moves: &str, north: &str) -> HistoryEntry {
    let mut screen = TestScreen::new(start, Rules::CS32, "human", north);
    screen.press(moves);
    if moves.is_empty() {
        screen.play_to_the_end();
    }
    HistoryEntry {
        id: Some(KeptGameId(id)),
        date: format!("2026-11-{id:02}"),
        session: screen.model.session,
        clock: None,
        is_in_use: false,
    }
}

/// Returns a screen that shows the history with an unfinished game and a finished one.
fn screen_with_history() -> TestScreen {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.model.keeps_games = true;
    screen.press("l");
    assert_eq!(screen.effects.last(), Some(&AppEffect::ListHistory));
    let games = vec![
        entry(9, "6x4", "C F a", "human"),
        entry(8, "2x1", "", "human"),
    ];
    assert!(games[1].session.ending().is_some());
    screen.handle(AppEvent::HistoryListed(Ok(games)));
    screen
}

#[test]
fn history_lists_dates_players_boards_and_results() {
    let screen = screen_with_history();
    let picture = screen.picture();
    for text in [
        "2026-11-09 Marge - Homer",
        "6x4 cs32, unfinished, 3 plies",
        "2026-11-08 Marge - Homer",
        "2x1 cs32, ",
    ] {
        assert!(picture.contains(text), "{text} in\n{picture}");
    }
}

#[test]
fn kept_games_are_never_lost_without_a_question() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.model.keeps_games = true;
    screen.press("a q");
    assert!(screen.effects.contains(&AppEffect::Quit));
    assert!(screen.effects.contains(&AppEffect::Record));
    // Until the history cannot be written.
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.model.keeps_games = true;
    screen.press("a");
    screen.handle(AppEvent::Recorded(Err("the disk is full".to_owned())));
    screen.press("q");
    assert!(!screen.effects.contains(&AppEffect::Quit));
    screen.press("Esc l");
    screen.handle(AppEvent::HistoryListed(Ok(vec![entry(
        9, "6x4", "C", "human",
    )])));
    screen.press("Enter");
    assert_eq!(screen.moves(), "A");
    assert!(screen.picture().contains("save it first"));
}

#[test]
fn unfinished_game_goes_on_with_its_players_and_clocks() {
    let mut screen = screen_with_history();
    let seconds = |seconds| Duration::from_secs(seconds);
    let clock = ClockTimes {
        setting: "1m+2s".parse().expect("a clock"),
        remaining: ByPlayer::new(seconds(40), seconds(50)),
    };
    let game = HistoryEntry {
        clock: Some(clock),
        ..entry(7, "6x4", "C F a", "human")
    };
    screen.handle(AppEvent::HistoryListed(Ok(vec![game])));
    screen.press("Enter");
    let id = Some(KeptGameId(7));
    assert!(screen.effects.contains(&AppEffect::StartOpenedGame(id)));
    assert!(!screen.effects.contains(&AppEffect::StartNewGame));
    assert_eq!(screen.moves(), "C F a");
    let left = |screen: &TestScreen, player| {
        let clock = screen.model.clock.as_ref().expect("clocks");
        clock.remaining(player, screen.model.now)
    };
    let [south, north] = PlayerId::ALL;
    assert_eq!(
        (left(&screen, south), left(&screen, north)),
        (seconds(40), seconds(50))
    );
    // The game can be undone beyond the plies with which it was opened.
    screen.press("u u");
    assert_eq!(screen.moves(), "C");
    assert_eq!(left(&screen, south), seconds(40));
}

#[test]
fn finished_game_is_reviewed_and_not_continued_under_its_identifier() {
    let mut screen = screen_with_history();
    screen.press("Down Enter");
    assert!(screen.effects.contains(&AppEffect::StartOpenedGame(None)));
    assert!(screen.model.session.ending().is_some());
    let reviews = |effect: &AppEffect| matches!(effect, AppEffect::Review(..));
    assert!(screen.effects.iter().any(reviews));
    screen.press("q");
    assert_eq!(screen.effects.last(), Some(&AppEffect::Quit));
}

#[test]
fn game_is_deleted_after_a_question() {
    let mut screen = screen_with_history();
    screen.press("Down Delete");
    assert!(screen.picture().contains("Delete this game?"));
    screen.press("Esc");
    assert!(!screen.picture().contains("Delete this game?"));
    screen.press("Delete Enter");
    let delete = AppEffect::DeleteKept(KeptGameId(8));
    assert_eq!(screen.effects.last(), Some(&delete));
    screen.handle(AppEvent::HistoryListed(Err("the disk is full".to_owned())));
    assert!(screen.picture().contains("the disk is full"));
    let rest = vec![entry(9, "6x4", "C F a", "human")];
    screen.handle(AppEvent::HistoryListed(Ok(rest)));
    assert!(!screen.picture().contains("2026-11-08"));
    screen.press("Esc");
    assert!(screen.model.dialog.is_none());
}

#[test]
fn game_of_another_window_is_neither_opened_nor_deleted() {
    let mut screen = screen_with_history();
    let game = HistoryEntry {
        is_in_use: true,
        ..entry(7, "6x4", "C", "human")
    };
    screen.handle(AppEvent::HistoryListed(Ok(vec![game])));
    screen.press("Delete Enter");
    screen.press("Enter");
    let picture = screen.picture();
    assert!(
        picture.contains("Another window plays this game."),
        "{picture}"
    );
    let changes = |effect: &AppEffect| {
        matches!(
            effect,
            AppEffect::DeleteKept(_) | AppEffect::StartOpenedGame(_)
        )
    };
    assert!(!screen.effects.iter().any(changes));
}

#[test]
fn notice_stays_behind_the_dialog_for_a_new_game() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.press("n");
    let notice = "Your last game is unfinished";
    screen.model.show_message(MessageKind::Info, notice);
    screen.press("Esc");
    assert_eq!(screen.message(), notice);
    screen.press("a");
    assert_eq!(screen.message(), "");
}

#[test]
fn history_opens_from_the_dialog_for_a_new_game_and_fits_small_screens() {
    let mut screen = TestScreen::new("6x4", Rules::CS32, "human", "human");
    screen.press("n ^g");
    assert_eq!(screen.effects.last(), Some(&AppEffect::ListHistory));
    for size in [Size::new(40, 12), Size::new(20, 7)] {
        let mut screen = screen_with_history();
        screen.model.size = size;
        let picture = screen.picture();
        assert!(picture.contains("2026-11-09"), "{picture}");
        screen.press("Down Delete");
        let picture = screen.picture();
        assert!(picture.contains("Delete this"), "{picture}");
        screen.press("Enter");
        assert!(matches!(screen.model.dialog, Some(Dialog::History(_))));
    }
}

#[test]
fn history_and_games_of_a_file_have_the_same_keys() {
    let games: Vec<HistoryEntry> = (1..=25).map(|id| entry(id, "6x4", "C", "human")).collect();
    let mut history = TestScreen::new("6x4", Rules::CS32, "human", "human");
    history.handle(AppEvent::HistoryListed(Ok(games.clone())));
    let mut files = TestScreen::new("6x4", Rules::CS32, "human", "human");
    let folder = PathBuf::from("games");
    files.handle(AppEvent::FolderFound(folder.clone()));
    files.handle(AppEvent::GamesRead(
        folder.join("all.kgn"),
        Ok(OpenedFile {
            games: games.into_iter().map(|game| game.session).collect(),
            error: None,
        }),
    ));
    for (key, selected) in [
        (KeyCode::Home, 0),
        (KeyCode::Down, 1),
        (KeyCode::Tab, 2),
        (KeyCode::PageDown, 12),
        (KeyCode::PageDown, 22),
        (KeyCode::PageDown, 24),
        (KeyCode::PageUp, 14),
        (KeyCode::BackTab, 13),
        (KeyCode::Up, 12),
        (KeyCode::End, 24),
    ] {
        history.handle(AppEvent::Key(key.into()));
        files.handle(AppEvent::Key(key.into()));
        let (Some(Dialog::History(history)), Some(Dialog::Open(files))) =
            (&history.model.dialog, &files.model.dialog)
        else {
            panic!("no lists");
        };
        assert_eq!((history.selected, files.selected), (selected, selected));
    }
    for screen in [&mut history, &mut files] {
        screen.press("Right");
        assert_eq!(screen.moves(), "C");
    }
}

#[test]
fn lists_name_the_reason_of_each_result() {
    for (termination, result) in [
        (Termination::Resign, "North wins by resignation"),
        (Termination::Illegal, "North wins by South's illegal move"),
        (Termination::Time, "North wins on time"),
        (Termination::Crash, "North wins by South's crash"),
        (Termination::Stall, "North wins by South's stall"),
        (
            Termination::Protocol,
            "North wins by South's protocol error",
        ),
        (Termination::Adjudicated, "North wins by adjudication"),
    ] {
        let mut game = entry(7, "6x4", "C F a", "human");
        game.session.end(Ending {
            termination,
            winner: Some(Side::North),
            outcome: None,
        });
        let file = OpenedFile {
            games: vec![game.session.clone(), game.session.clone()],
            error: None,
        };
        let mut screen = screen_with_history();
        screen.handle(AppEvent::HistoryListed(Ok(vec![game])));
        let picture = screen.picture();
        assert!(
            picture.contains(&format!("6x4 cs32, {result}")),
            "{picture}"
        );
        screen.press("Esc");
        screen.handle(AppEvent::FolderFound("games".into()));
        screen.handle(AppEvent::GamesRead("games/all.kgn".into(), Ok(file)));
        let picture = screen.picture();
        assert!(picture.contains(&format!("3 plies, {result}")), "{picture}");
    }
}
