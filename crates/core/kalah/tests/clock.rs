//! The clock over the turns of a game.

use std::time::Duration;

use kalah::{ByPlayer, Game, GameClock, House, Move, Position, Rules, Side};

const TURNS: &str = include_str!("data/clock_turns.txt");

#[test]
fn increment_is_added_once_a_turn() {
    let mut game = Game::new(Position::start(6, 4, Rules::CS32).expect("a start"));
    let mut clock = GameClock::new("1m+2s".parse().expect("a clock"));
    let mut moves = 0;
    for line in TURNS.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(' ').collect();
        let &[mv, used, south, north] = fields.as_slice() else {
            panic!("{line}");
        };
        let seconds = |text: &str| Duration::from_secs(text.parse().expect("a number"));
        let letter = mv.chars().next().expect("a letter");
        let (side, house) = House::from_letter(letter).expect("a house");
        let player = game.player_on(side);
        assert_eq!(side, game.position().to_move(), "{line}");
        let is_late = seconds(used) > clock.remaining(player);
        clock.spend(player, seconds(used));
        if !is_late {
            game.play(Move::Sow(house)).expect("a legal move");
            let next = game.player_on(game.position().to_move());
            clock.complete_ply(player, next);
        }
        let expected = ByPlayer::new(seconds(south), seconds(north));
        assert_eq!(clock.times(), expected, "{line}");
        moves += 1;
    }
    assert_eq!(moves, 8);
}

#[test]
fn swap_passes_the_turn_although_the_same_side_is_to_move() {
    let mut game = Game::new(Position::start(6, 4, Rules::MANKALAH).expect("a start"));
    let mut clock = GameClock::new("1m+2s".parse().expect("a clock"));
    for mv in [Move::Sow(House::new(1).expect("a house")), Move::Swap] {
        let player = game.player_on(game.position().to_move());
        game.play(mv).expect("a legal move");
        let next = game.player_on(game.position().to_move());
        clock.complete_ply(player, next);
    }
    assert_eq!(game.position().to_move(), Side::North);
    let seconds = Duration::from_secs(62);
    assert_eq!(clock.times(), ByPlayer::new(seconds, seconds));
}
