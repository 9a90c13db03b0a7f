//! The record of a room.

use kalah::BySide;
use kalah_arena::GameScore;
use kalah_pairing::{EntrantId, GamesPerPairing, PlayedGame, RoomRecordError};

use crate::simulation::room;

#[test]
fn refused_changes_leave_the_record_unchanged() {
    let mut record = room(2, GamesPerPairing::One);
    let before = record.clone();
    let unknown = EntrantId(2);
    let error = RoomRecordError::UnknownEntrant {
        id: unknown,
        entrants: 2,
    };
    let game = |south, north| PlayedGame::new(0, BySide::new(south, north), Some(GameScore::Tie));
    assert_eq!(record.leave(unknown), Err(error));
    assert_eq!(record.rejoin(unknown), Err(error));
    assert_eq!(record.add_bye(0, unknown), Err(error));
    assert_eq!(record.add_game(game(EntrantId(0), unknown)), Err(error));
    assert_eq!(record.add_game(game(unknown, EntrantId(0))), Err(error));
    let own = record.add_game(game(EntrantId(1), EntrantId(1)));
    assert_eq!(own, Err(RoomRecordError::OwnOpponent(EntrantId(1))));
    assert_eq!(
        own.unwrap_err().to_string(),
        "person 1 cannot play against themselves"
    );
    assert_eq!(record, before);
}

#[test]
fn next_round_follows_the_last_game_or_bye() {
    let mut record = room(3, GamesPerPairing::One);
    assert_eq!(record.next_round(), 0);
    let players = BySide::new(EntrantId(0), EntrantId(1));
    record
        .add_game(PlayedGame::challenge(players, Some(GameScore::Win)))
        .expect("people of the room");
    assert_eq!(record.next_round(), 0);
    record
        .add_game(PlayedGame::new(0, players, None))
        .expect("people of the room");
    assert_eq!(record.next_round(), 1);
    record.add_bye(4, EntrantId(2)).expect("a person");
    assert_eq!(record.next_round(), 5);
}
