//! The time for the start of a program, which is not charged.
//!
//! The test starts processes, which hold the locked files of other tests open for a moment.

#![cfg(feature = "process")]

use std::time::Duration;

use kalah::{Game, Position, Rules};
use kalah_kgp::KGP_CHILD;
use kalah_players::{MoveLimits, ProgramOption, ProgramSpec, Shutdown, ThinkLimits};

#[test]
fn the_start_is_not_charged_up_to_its_time() {
    let game = Game::new(Position::start(3, 2, Rules::STANDARD).expect("a start"));
    let limits = MoveLimits {
        think: ThinkLimits::default(),
        time: Some(Duration::ZERO),
        timeout: Duration::from_mins(1),
    };
    for (start_time, is_charged) in [(None, true), (Some("1h"), false)] {
        let option = start_time.map(|value| ProgramOption {
            name: "StartTime".to_owned(),
            value: value.to_owned(),
        });
        let spec = ProgramSpec {
            command: "sleep 0.01; echo 0".to_owned(),
            protocol: &KGP_CHILD,
            other_protocols: Vec::new(),
            options: option.into_iter().collect(),
        };
        let mut child = (KGP_CHILD.create)(spec, Shutdown::default());
        let (mv, elapsed) = child.choose_move(&game, &limits).expect("a move");
        assert_eq!(Some(mv), game.position().legal_moves().next());
        assert_eq!(elapsed > Duration::ZERO, is_charged, "{elapsed:?}");
    }
}
