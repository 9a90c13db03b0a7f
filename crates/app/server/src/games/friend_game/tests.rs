//! Moves, offers and clocks of a game between friends.

use std::time::Duration;

use kalah::Rules;
use kalah_store::{FIRST_MOVE_TIME, friend_clock_setting};
use rand::seq::{IndexedMutRandom as _, IndexedRandom as _, IteratorRandom as _};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg32;

use super::*;

const SOUTH: PlayerId = PlayerId::ALL[0];
const NORTH: PlayerId = PlayerId::ALL[1];

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000)
}

/// Returns the options of a game of 6x4 whose clock starts at a minute.
fn options(rules: Rules, increment: u64) -> FriendGameOptions {
    let setting = friend_clock_setting(Duration::from_mins(1), Duration::from_secs(increment));
    let setting = setting.expect("a good setting");
    FriendGameOptions {
        start: Position::start(6, 4, rules).expect("a start"),
        clock: Some(FriendClockSetting::Game(ByPlayer::new(setting, setting))),
        spectator_scores: false,
        shares: false,
    }
}

/// Returns a game that its creator, South, is alone in.
fn game() -> FriendGame {
    let token = PlayerToken::random().hash();
    FriendGame::new(options(Rules::MANKALAH, 5), SOUTH, token, at(0))
}

/// Lets North join a game.
fn join(game: &mut FriendGame, now: Timestamp) {
    let outcome = game.join(&PlayerToken::random(), None, now);
    assert_eq!(outcome, Ok(JoinOutcome::Joined(NORTH)));
}

fn remaining(game: &FriendGame, player: PlayerId, now: Timestamp) -> u64 {
    let clock = game.state().clock.expect("a clock");
    clock.remaining(player, now).as_secs()
}

/// Returns the remaining times of South and North.
fn times(game: &FriendGame, now: Timestamp) -> [u64; 2] {
    [SOUTH, NORTH].map(|player| remaining(game, player, now))
}

#[test]
fn clock_starts_with_the_first_move_and_follows_its_player() {
    let mut game = game();
    assert_eq!(game.play(SOUTH, 1, "A", at(20)), Ok(PlayOutcome::Played));
    assert_eq!(times(&game, at(30)), [60, 60]);
    join(&mut game, at(30));
    assert_eq!(times(&game, at(40)), [60, 60]);
    // A swap passes the turn, but the same side is to move. South's clock runs, because South has
    // moved.
    assert_eq!(game.play(NORTH, 2, "swap", at(40)), Ok(PlayOutcome::Played));
    assert_eq!(times(&game, at(50)), [50, 60]);
    assert_eq!(game.player_to_move(), Some(SOUTH));
    assert!(!game.check_clock(at(99)));
    assert!(game.check_clock(at(100)));
    let ending = game.state().ending.expect("an end");
    // The player who started as South has lost, and plays North after the swap.
    assert_eq!(
        (ending.termination, ending.winner),
        (Termination::Time, Some(Side::South))
    );
    assert!(!game.check_clock(at(101)));
}

#[test]
fn game_without_a_first_move_of_each_player_ends_without_a_result() {
    let limit = i64::try_from(FIRST_MOVE_TIME.as_secs()).expect("minutes");
    for moves_first in [false, true] {
        let mut game = game();
        // Nothing is due before the second player has joined.
        assert!(!game.check_clock(at(2 * limit)));
        join(&mut game, at(0));
        let start = if moves_first {
            game.play(SOUTH, 1, "A", at(7)).expect("a legal move");
            7
        } else {
            0
        };
        assert!(!game.check_clock(at(start + limit - 1)));
        assert!(game.check_clock(at(start + limit)));
        let ending = game.state().ending.expect("an end");
        assert_eq!(
            (ending.termination, ending.winner),
            (Termination::Unfinished, None)
        );
        assert_eq!(times(&game, at(start + limit)), [60, 60]);
        let outcome = game.rematch(SOUTH, OfferAction::Offer, at(2 * limit));
        assert!(
            matches!(outcome, Ok(RematchOutcome::Changed)),
            "{outcome:?}"
        );
    }
}

#[test]
fn creator_who_moved_before_the_friend_joined_has_time_to_come_back() {
    let token = PlayerToken::random().hash();
    let mut game = FriendGame::new(options(Rules::CS32, 5), SOUTH, token, at(0));
    // A bonus turn, after which the creator is to move again.
    game.play(SOUTH, 1, "C", at(1)).expect("a legal move");
    assert_eq!(game.player_to_move(), Some(SOUTH));
    join(&mut game, at(100));
    assert!(!game.check_clock(at(100 + 61)));
    game.play(SOUTH, 2, "A", at(200)).expect("a legal move");
    assert_eq!(times(&game, at(200)), [60, 60]);
}

#[test]
fn game_that_no_friend_has_joined_ends_without_a_result_and_a_rematch() {
    let mut game = game();
    game.resign(SOUTH, at(1)).expect("the game goes on");
    let ending = game.state().ending.expect("an end");
    assert_eq!(
        (ending.termination, ending.winner),
        (Termination::Unfinished, None)
    );
    let rematch = game.rematch(SOUTH, OfferAction::Offer, at(2));
    assert_eq!(rematch.err(), Some(CommandError::NoOtherPlayer));
}

#[test]
fn free_seat_is_taken_once() {
    let token = PlayerToken::random();
    let hash = token.hash();
    let mut game = FriendGame::new(options(Rules::CS32, 0), NORTH, hash, at(0));
    assert_eq!(game.free_seat(), Some(SOUTH));
    // The creator has a seat already.
    let again = game.join(&token, None, at(1));
    assert_eq!(again, Ok(JoinOutcome::Repeated(NORTH)));
    let friend = PlayerToken::random();
    assert_eq!(game.player(&friend), Err(CommandError::InvalidToken));
    let name: Option<PlayerName> = Some("Bob".parse().expect("a name"));
    let joined = game.join(&friend, name.clone(), at(2));
    assert_eq!(joined, Ok(JoinOutcome::Joined(SOUTH)));
    assert_eq!((game.free_seat(), game.player(&friend)), (None, Ok(SOUTH)));
    assert_eq!(game.state().names, ByPlayer::new(name, None));
    let before = game.to_stored();
    let late = game.join(&PlayerToken::random(), None, at(3));
    assert_eq!(late, Err(CommandError::NoFreeSeat));
    let repeated = game.join(&friend, None, at(4));
    assert_eq!(repeated, Ok(JoinOutcome::Repeated(SOUTH)));
    assert_eq!(game.to_stored(), before);
    assert_eq!(
        FriendGame::from_stored(&before)
            .expect("a game")
            .to_stored(),
        before
    );
}

#[test]
fn handicaps_follow_their_players_into_the_rematch() {
    let setting = |minutes| friend_clock_setting(Duration::from_mins(minutes), Duration::ZERO);
    let unequal = ByPlayer::new(setting(9).expect("valid"), setting(3).expect("valid"));
    for (start, rematch_start) in [
        ("<2,0,3,4,4,4,4> n", "<2,3,0,4,4,4,4> n"),
        // The same position for the other player.
        ("<2,0,3,4,4,4,5> s", "<2,0,3,4,4,4,5> s"),
    ] {
        let setup: Setup = start.parse().expect("a position");
        let options = FriendGameOptions {
            start: setup.position(Rules::CS32).expect("a position"),
            clock: Some(FriendClockSetting::Game(unequal)),
            spectator_scores: true,
            shares: false,
        };
        let mut game = FriendGame::new(options, SOUTH, PlayerToken::random().hash(), at(0));
        join(&mut game, at(0));
        game.resign(SOUTH, at(1)).expect("the game goes on");
        game.rematch(SOUTH, OfferAction::Offer, at(2))
            .expect("the game is over");
        let outcome = game.rematch(NORTH, OfferAction::Accept, at(3));
        let Ok(RematchOutcome::Created(rematch)) = outcome else {
            panic!("no rematch");
        };
        assert_eq!(rematch.game().start().to_string(), rematch_start);
        assert!(rematch.spectator_scores());
        assert_eq!(rematch.free_seat(), None);
        assert_eq!(times(&rematch, at(3)), [3 * 60, 9 * 60]);
    }
}

#[test]
fn rejected_operation_changes_nothing() {
    let mut game = game();
    game.play(SOUTH, 1, "C", at(1)).expect("a legal move");
    let before = game.to_stored();
    for (player, ply, mv) in [
        (SOUTH, 2, "a"),
        (NORTH, 1, "C"),
        (NORTH, 2, "A"),
        (NORTH, 2, "g"),
        (NORTH, 3, "a"),
        (NORTH, 0, "a"),
        (NORTH, usize::MAX, "a"),
        (NORTH, 2, ""),
    ] {
        let result = game.play(player, ply, mv, at(2));
        assert!(result.is_err(), "{mv} as ply {ply}");
    }
    assert_eq!(
        game.rematch(NORTH, OfferAction::Offer, at(2)).err(),
        Some(CommandError::GameNotEnded)
    );
    assert!(!game.check_clock(at(1_000_000)));
    assert_eq!(game.to_stored(), before);
    let stranger = PlayerToken::random();
    assert_eq!(game.player(&stranger), Err(CommandError::InvalidToken));
}

#[test]
fn names_follow_their_players() {
    let mut game = game();
    join(&mut game, at(0));
    let name = |text: &str| Some(text.parse().expect("a name"));
    assert!(game.set_name(SOUTH, name("Ann"), at(1)));
    assert!(!game.set_name(SOUTH, name(" Ann "), at(2)));
    assert!(game.set_name(NORTH, name("Bob"), at(3)));
    assert!(game.set_name(NORTH, None, at(4)));
    game.resign(SOUTH, at(5)).expect("the game goes on");
    assert!(game.set_name(NORTH, name("Bo"), at(6)));
    game.rematch(SOUTH, OfferAction::Offer, at(7))
        .expect("the game is over");
    let Ok(RematchOutcome::Created(rematch)) = game.rematch(NORTH, OfferAction::Accept, at(8))
    else {
        panic!("no rematch");
    };
    assert_eq!(
        rematch.state().names,
        ByPlayer::new(name("Bo"), name("Ann"))
    );
}

#[test]
fn takeback_removes_the_last_ply_of_its_player_and_keeps_the_clocks() {
    let mut game = game();
    join(&mut game, at(0));
    let offer = OfferAction::Offer;
    assert_eq!(
        game.take_back(SOUTH, offer, at(0)),
        Err(CommandError::NoMoveToTakeBack)
    );
    let plies = [
        (SOUTH, "A", 0),
        (NORTH, "c", 0),
        (NORTH, "a", 10),
        (SOUTH, "C", 14),
    ];
    for (ply, (player, mv, time)) in (1..).zip(plies) {
        let outcome = game.play(player, ply, mv, at(time));
        assert_eq!(outcome, Ok(PlayOutcome::Played), "{mv}");
    }
    // The first moves take no time.
    assert_eq!(times(&game, at(14)), [60 - 4 + 5, 60 - 10 + 5]);
    assert_eq!(
        game.take_back(SOUTH, offer, at(20)),
        Ok(TakebackOutcome::Changed)
    );
    assert_eq!(
        game.take_back(NORTH, offer, at(20)),
        Err(CommandError::OtherOfferOpen)
    );
    let before = times(&game, at(30));
    let outcome = game.take_back(NORTH, OfferAction::Accept, at(30));
    let takeback = Takeback {
        by: SOUTH,
        plies_left: 3,
        moves: vec!["C".to_owned()],
    };
    assert_eq!(outcome, Ok(TakebackOutcome::TakenBack(takeback)));
    assert_eq!(times(&game, at(30)), before, "no time is added or removed");
    assert_eq!(game.moves(), ["A", "c", "a"]);
    assert_eq!(game.player_to_move(), Some(SOUTH));
    assert_eq!(times(&game, at(35)), [before[0] - 5, before[1]]);
    let restored = FriendGame::from_stored(&game.to_stored()).expect("a game");
    assert_eq!(restored.to_stored(), game.to_stored());
    assert_eq!(game.play(SOUTH, 4, "B", at(40)), Ok(PlayOutcome::Played));
}

#[test]
fn takeback_of_a_swap_returns_the_sides() {
    let mut game = game();
    game.play(SOUTH, 1, "A", at(1)).expect("a legal move");
    game.play(NORTH, 2, "swap", at(2)).expect("a legal swap");
    game.play(SOUTH, 3, "a", at(3)).expect("a legal move");
    assert_eq!(game.plies_before_last_of(NORTH), Some(1));
    game.take_back(NORTH, OfferAction::Offer, at(4))
        .expect("an offer");
    let outcome = game.take_back(SOUTH, OfferAction::Accept, at(5));
    assert!(
        matches!(outcome, Ok(TakebackOutcome::TakenBack(_))),
        "{outcome:?}"
    );
    assert!(!game.game().is_swapped());
    assert_eq!(game.player_to_move(), Some(NORTH));
}

#[test]
fn offer_of_a_takeback_ends_with_the_next_ply_and_with_the_game() {
    let mut game = game();
    game.play(SOUTH, 1, "A", at(1)).expect("a legal move");
    game.take_back(SOUTH, OfferAction::Offer, at(2))
        .expect("an offer");
    game.take_back(NORTH, OfferAction::Decline, at(2))
        .expect("declined");
    assert_eq!(
        game.take_back(SOUTH, OfferAction::Offer, at(3)),
        Err(CommandError::OfferDeclined)
    );
    game.play(NORTH, 2, "a", at(4)).expect("a legal move");
    assert_eq!(game.state().takeback, None);
    game.take_back(SOUTH, OfferAction::Offer, at(5))
        .expect("an offer");
    game.resign(NORTH, at(6)).expect("the game goes on");
    assert_eq!(game.state().takeback, None);
    for action in [OfferAction::Offer, OfferAction::Accept] {
        assert_eq!(
            game.take_back(NORTH, action, at(7)),
            Err(CommandError::GameEnded)
        );
    }
}

#[test]
fn stored_game_is_restored() {
    let mut game = game();
    for (ply, (player, mv)) in (1..).zip([(SOUTH, "C"), (NORTH, "swap"), (SOUTH, "a")]) {
        let outcome = game.play(player, ply, mv, at(10));
        assert_eq!(outcome, Ok(PlayOutcome::Played), "{mv}");
    }
    game.resign(NORTH, at(11)).expect("the game goes on");
    let restored = FriendGame::from_stored(&game.to_stored()).expect("a game");
    assert_eq!(
        (restored.game(), restored.state()),
        (game.game(), game.state())
    );
    assert_eq!(restored.to_stored(), game.to_stored());
    assert_eq!(restored.player_to_move(), None);
}

#[test]
fn invalid_stored_games_are_rejected() {
    let good = game().to_stored();
    assert!(FriendGame::from_stored(&good).is_ok());
    let with = |change: fn(&mut StoredGame)| {
        let mut stored = good.clone();
        change(&mut stored);
        FriendGame::from_stored(&stored)
            .expect_err("damaged")
            .to_string()
    };
    for (message, expected) in [
        (with(|stored| stored.rules = "chess".to_owned()), "chess"),
        (with(|stored| stored.start = "6y4".to_owned()), "6y4"),
        (
            with(|stored| stored.start = "6x9999".to_owned()),
            "119988 seeds",
        ),
        (with(|stored| stored.plies = vec!["AB".to_owned()]), "`AB`"),
        (
            with(|stored| stored.plies = vec!["A".to_owned(); 3]),
            "ply 2",
        ),
    ] {
        assert!(message.contains(expected), "{message}");
    }
}

/// The turns of a game with its clock, which the users of `GameClock` share.
const TURNS: &str = include_str!("../../../../../core/kalah/tests/data/clock_turns.txt");

#[test]
fn increment_is_added_once_a_turn() {
    let token = PlayerToken::random().hash();
    let mut game = FriendGame::new(options(Rules::CS32, 2), SOUTH, token, at(0));
    join(&mut game, at(0));
    let mut now = 0;
    for line in TURNS.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(' ').collect();
        let &[mv, used, south, north] = fields.as_slice() else {
            panic!("{line}");
        };
        now += used.parse::<i64>().expect("a number");
        let player = game.player_to_move().expect("a game that runs");
        if !game.check_clock(at(now)) {
            let ply = game.moves().len() + 1;
            let outcome = game.play(player, ply, mv, at(now));
            assert_eq!(outcome, Ok(PlayOutcome::Played), "{line}");
        }
        let times = [SOUTH, NORTH].map(|player| remaining(&game, player, at(now)).to_string());
        assert_eq!(times, [south, north], "{line}");
    }
    // The last move of the turns comes too late.
    let ending = game.state().ending.expect("an end");
    assert_eq!(
        (ending.termination, ending.winner),
        (Termination::Time, Some(Side::South))
    );
}

/// The number of random games that are replayed in both ways.
const RANDOM_GAMES: u64 = 3000;

/// `kalah games` and `kalah export` replay a stored game without this type.
#[test]
fn replay_of_the_store_agrees_with_the_server() {
    let mut random = Pcg32::seed_from_u64(1);
    let (mut intact, mut damaged) = (0, 0);
    for number in 0..RANDOM_GAMES {
        let rules = Rules::PRESETS[random.random_range(0..Rules::PRESETS.len())].rules;
        let start = Position::start(
            random.random_range(1..=6),
            random.random_range(1..=4),
            rules,
        );
        let start = start.expect("a start");
        let no_clock = FriendGameOptions {
            start,
            clock: None,
            spectator_scores: false,
            shares: false,
        };
        let mut game = FriendGame::new(no_clock, SOUTH, PlayerToken::random().hash(), at(0));
        join(&mut game, at(0));
        for ply in 1..=random.random_range(0..30) {
            let Some(player) = game.player_to_move() else {
                break;
            };
            let position = game.game().position();
            let mv = position.legal_moves().choose(&mut random).expect("a move");
            let mv = mv.text(position.to_move());
            assert_eq!(game.play(player, ply, &mv, at(1)), Ok(PlayOutcome::Played));
        }
        let mut stored = game.to_stored();
        if let Some(ply) = stored.plies.choose_mut(&mut random)
            && number % 2 == 0
        {
            let texts = ["A", "b", "C", "f", "z", "swap", "", "AB", "ä"];
            let text = texts.choose(&mut random).expect("a text");
            (*text).clone_into(ply);
        }
        let by_board = |game: &FriendGame| {
            let outcome = game.game().outcome();
            outcome.map(|outcome| StoredEnding {
                termination: Termination::Normal,
                winner: outcome.winner(),
            })
        };
        let restored = FriendGame::from_stored(&stored).ok();
        let expected = restored.filter(|game| by_board(game) == stored.state.ending);
        let replayed = stored.replay().ok();
        assert_eq!(
            replayed.as_ref(),
            expected.as_ref().map(FriendGame::game),
            "{stored:?}"
        );
        match replayed {
            Some(_) => intact += 1,
            None => damaged += 1,
        }
    }
    assert!(
        intact > RANDOM_GAMES / 3 && damaged > RANDOM_GAMES / 10,
        "{intact} {damaged}"
    );
}
