//! Whole games on a clock that the searches themselves advance.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use kalah::{ByPlayer, ClockSetting, Game, GameClock, Player, Position, Rules};
use kalah_engine::{Engine, SmartPlayer};
use kalah_players::clock_time;

/// The time that passes at each reading of the clock. A search reads it once in 256 sowings, so
/// that this machine is some two hundred times slower than a real one.
const TIME_OF_A_READING: Duration = Duration::from_millis(1);

/// The memory of a player in bytes.
const MEMORY_BYTES: usize = 1 << 20;

/// The time between a move and its confirmation.
const MOVE_DELAY: Duration = Duration::from_millis(1);

#[test]
fn no_game_is_lost_on_time() {
    for (board, setting) in [
        ((6, 4), "10s+0s"),
        ((6, 6), "4s+1s"),
        ((8, 8), "20s+0s"),
        ((12, 12), "2s+0.5s"),
        ((3, 2), "1s+0s"),
    ] {
        let (houses, seeds) = board;
        let setting: ClockSetting = setting.parse().expect("a clock");
        let mut game = Game::new(Position::start(houses, seeds, Rules::STANDARD).expect("a start"));
        let mut clock = GameClock::new(setting);
        let readings = Arc::new(AtomicU32::new(0));
        let now =
            move || TIME_OF_A_READING.saturating_mul(readings.fetch_add(1, Ordering::Relaxed));
        let mut players = ByPlayer::from_fn(|_| {
            let engine = Engine::new().with_memory(MEMORY_BYTES);
            SmartPlayer::with_engine("", engine, now.clone())
        });
        while !game.position().is_over() {
            let position = game.position().clone();
            let player = game.player_on(position.to_move());
            let left = clock.remaining(player);
            let started_at = now();
            let time = clock_time(left, setting.increment(), &position);
            let mv = players[player]
                .choose_move_in(&position, time)
                .expect("a move");
            let spent = now().saturating_sub(started_at) + MOVE_DELAY;
            assert!(
                spent <= left,
                "{spent:?} of {left:?} for {position} on {setting}"
            );
            clock.spend(player, spent);
            game.play(mv).expect("a legal move");
            clock.complete_ply(player, game.player_on(game.position().to_move()));
        }
    }
}
