//! Performance ratings.

use kalah::BySide;
use kalah_arena::{Anchor, Contestant, CrossTable, Elo, GameScore, Rating, RatingList};
use kalah_pairing::{EntrantId, GamesPerPairing, Performances, PlayedGame, swiss_round};
use rand::SeedableRng as _;
use rand_pcg::Pcg64Mcg;

use crate::simulation::{play_round, room};

fn points(rating: Rating) -> f64 {
    match rating {
        Rating::Number { elo, .. } => elo.points().expect("finite"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn perfect_scores_have_finite_ratings_around_the_mean_of_the_room() {
    let mut record = room(4, GamesPerPairing::One);
    for (south, north) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        let players = BySide::new(EntrantId(south), EntrantId(north));
        record
            .add_game(PlayedGame::challenge(players, Some(GameScore::Win)))
            .expect("people of the room");
    }
    let performances = Performances::from_record(&record);
    let ratings = [0, 1, 2, 3].map(|person| points(performances.rating(EntrantId(person))));
    assert!(
        ratings.is_sorted_by(|one, other| one > other),
        "{ratings:?}"
    );
    for (one, other) in [(0, 3), (1, 2)] {
        assert!((ratings[one] + ratings[other]).abs() < 1e-6, "{ratings:?}");
    }
    for person in 0..4 {
        let Rating::Number { elo, interval } = performances.rating(EntrantId(person)) else {
            panic!("all have played");
        };
        let interval = interval.expect("not all games have the expected score");
        assert!(interval.contains(&elo) && interval.lower < interval.upper);
        assert!(interval.lower.points().is_some() && interval.upper.points().is_some());
    }
}

#[test]
fn people_without_finished_games_are_unknown() {
    let mut record = room(3, GamesPerPairing::One);
    let players = BySide::new(EntrantId(0), EntrantId(1));
    record
        .add_game(PlayedGame::new(0, players, None))
        .expect("people of the room");
    record.add_bye(0, EntrantId(2)).expect("a person");
    let performances = Performances::from_record(&record);
    for person in 0..4 {
        assert_eq!(performances.rating(EntrantId(person)), Rating::Unknown);
    }
}

#[test]
fn ratings_are_those_of_the_arena_with_a_tie_against_an_imagined_opponent() {
    use GameScore::{Loss, Tie, Win};
    // The second pairing is not complete.
    let rounds = [(0, 1, Some(Win), Some(Tie)), (1, 2, Some(Loss), None)];
    let mut record = room(4, GamesPerPairing::Two);
    for (round, &(one, other, first, second)) in rounds.iter().enumerate() {
        let players = BySide::new(EntrantId(one), EntrantId(other));
        for (players, score) in [(players, first), (players.swapped(), second)] {
            record
                .add_game(PlayedGame::new(round, players, score))
                .expect("people of the room");
        }
    }
    let mut table = CrossTable::new(4);
    let [ann, ben, eve, imagined] = [0, 1, 2, 3].map(Contestant);
    table.add_pair(ann, ben, Win, Tie);
    table.add_single(ben, eve, Loss);
    for contestant in [ann, ben, eve] {
        table.add_single(contestant, imagined, Tie);
    }
    let expected = RatingList::from_table(&table, Anchor::Fixed(imagined, Elo::ZERO));
    let performances = Performances::from_record(&record);
    for person in [0, 1, 2] {
        let rating = expected.rating(Contestant(person)).expect("a contestant");
        assert_eq!(performances.rating(EntrantId(person)), rating);
    }
    assert_eq!(performances.rating(EntrantId(3)), Rating::Unknown);
}

#[test]
fn large_rooms_are_unknown() {
    for (people, is_rated) in [
        (Performances::MAX_RATED, true),
        (Performances::MAX_RATED + 2, false),
    ] {
        let mut record = room(people, GamesPerPairing::One);
        let pairing = swiss_round(&record, 1);
        play_round(&mut record, &pairing, &mut Pcg64Mcg::seed_from_u64(1));
        let rating = Performances::from_record(&record).rating(EntrantId(0));
        assert_eq!(rating != Rating::Unknown, is_rated, "{people} people");
    }
}

#[test]
fn ratings_serialize_in_the_order_of_the_people() {
    let mut record = room(3, GamesPerPairing::One);
    let players = BySide::new(EntrantId(2), EntrantId(0));
    record
        .add_game(PlayedGame::challenge(players, Some(GameScore::Tie)))
        .expect("people of the room");
    let json = serde_json::to_value(Performances::from_record(&record)).expect("JSON");
    let even = serde_json::json!({"kind": "number", "elo": 0.0, "interval": null});
    assert_eq!(json, serde_json::json!([even, {"kind": "unknown"}, even]));
}
