//! Standings and tie-breaks.

use kalah::{BySide, Margin};
use kalah_arena::GameScore;
use kalah_pairing::{
    EntrantId, EntrantStatus, GamesPerPairing, PlayedGame, Points, RoomRecord, Standings,
    StandingsRow, swiss_round,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

use crate::simulation::{play_round, room};

fn add(record: &mut RoomRecord, round: usize, south: usize, north: usize, score: GameScore) {
    let players = BySide::new(EntrantId(south), EntrantId(north));
    record
        .add_game(PlayedGame::new(round, players, Some(score)))
        .expect("people of the room");
}

fn row(standings: &Standings, person: usize) -> StandingsRow {
    let mut rows = standings.rows().iter();
    *rows
        .find(|row| row.entrant == EntrantId(person))
        .expect("all people have a row")
}

fn ranks(standings: &Standings) -> Vec<(usize, usize)> {
    let rows = standings.rows().iter();
    rows.map(|row| (row.rank, row.entrant.0)).collect()
}

#[test]
fn sonneborn_berger_scores_are_those_of_a_published_example() {
    // Sensei's Library, "Sonneborn-Berger": two games of each two of A, B, C and D, whose winners
    // are these.
    let first = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let second = [(1, 0), (0, 2), (3, 0), (2, 1), (1, 3), (2, 3)];
    let mut record = room(4, GamesPerPairing::One);
    for (winner, loser) in first.into_iter().chain(second) {
        let players = BySide::new(EntrantId(winner), EntrantId(loser));
        record
            .add_game(PlayedGame::challenge(players, Some(GameScore::Win)))
            .expect("people of the room");
    }
    let standings = Standings::from_record(&record);
    assert_eq!(ranks(&standings), [(1, 0), (2, 1), (3, 2), (4, 3)]);
    let numbers = standings.rows().iter().map(|row| {
        let numbers = [row.points, row.sonneborn_berger, row.buchholz];
        numbers.map(|number| number.to_string())
    });
    let expected = [
        ["4", "11", "16"],
        ["4", "9", "16"],
        ["3", "6", "18"],
        ["1", "4", "22"],
    ];
    assert_eq!(numbers.collect::<Vec<_>>(), expected);
}

#[test]
fn unplayed_rounds_count_own_points_and_rounds_after_leaving_count_as_ties() {
    use GameScore::{Tie, Win};
    // 4 enters after the first round, and 3 leaves after the second.
    let mut record = room(5, GamesPerPairing::One);
    add(&mut record, 0, 0, 1, Win);
    add(&mut record, 0, 2, 3, Tie);
    add(&mut record, 1, 0, 2, Win);
    add(&mut record, 1, 3, 4, Win);
    record.add_bye(1, EntrantId(1)).expect("a person");
    add(&mut record, 2, 0, 4, Tie);
    add(&mut record, 2, 1, 2, Win);
    record.leave(EntrantId(3)).expect("a person");
    let standings = Standings::from_record(&record);
    let numbers = |person| {
        let row = row(&standings, person);
        [row.points, row.buchholz, row.sonneborn_berger].map(|number| number.to_string())
    };
    let expected = |numbers: [f64; 3]| numbers.map(|number| number.to_string());
    // The points are 2.5, 2, 0.5, 1.5 and 0.5. Opponents count 3 with 1.5 and half a point.
    assert_eq!(
        numbers(0),
        expected([2.5, 2.0 + 0.5 + 0.5, 2.0 + 0.5 + 0.25])
    );
    assert_eq!(numbers(1), expected([2.0, 2.5 + 2.0 + 0.5, 2.0 + 0.5]));
    assert_eq!(numbers(2), expected([0.5, 2.0 + 2.5 + 2.0, 1.0]));
    assert_eq!(numbers(3), expected([1.5, 0.5 + 0.5 + 1.5, 0.25 + 0.5]));
    assert_eq!(numbers(4), expected([0.5, 0.5 + 2.0 + 2.5, 1.25]));
    assert_eq!(row(&standings, 3).status, EntrantStatus::Left);
    assert_eq!(ranks(&standings), [(1, 0), (2, 1), (3, 3), (4, 2), (5, 4)]);
}

/// Returns the standings of free challenges, each with the numbers of South and North.
fn standings_of(people: usize, games: &[(usize, usize, GameScore)]) -> Standings {
    let mut record = room(people, GamesPerPairing::One);
    for &(south, north, score) in games {
        let players = BySide::new(EntrantId(south), EntrantId(north));
        record
            .add_game(PlayedGame::challenge(players, Some(score)))
            .expect("people of the room");
    }
    Standings::from_record(&record)
}

#[test]
fn direct_encounter_separates_people_that_are_otherwise_equal() {
    use GameScore::Win;
    // 5 and 6 have a point and the Buchholz score 2 each, and 5 has lost to 6.
    let games = [
        (6, 5, Win),
        (0, 6, Win),
        (5, 1, Win),
        (1, 2, Win),
        (3, 0, Win),
        (4, 0, Win),
    ];
    let standings = standings_of(7, &games);
    let [five, six] = [5, 6].map(|person| row(&standings, person));
    let first_keys = |row: StandingsRow| (row.points, row.buchholz, row.sonneborn_berger);
    assert_eq!(first_keys(five), first_keys(six));
    assert_eq!(five.direct_encounter, Some(Points::ZERO));
    assert_eq!(six.direct_encounter, Some(Points::from_halves(2)));
    assert_eq!((six.rank, five.rank), (2, 3));
    // Each of three has won against the next.
    let standings = standings_of(3, &[(1, 0, Win), (0, 2, Win), (2, 1, Win)]);
    assert_eq!(ranks(&standings), [(1, 0), (1, 1), (1, 2)]);
    assert!(
        standings
            .rows()
            .iter()
            .all(|row| row.direct_encounter.is_some())
    );
    // 0 and 2, as 1 and 3, have not met.
    let standings = standings_of(4, &[(1, 0, Win), (0, 2, Win), (2, 3, Win), (3, 1, Win)]);
    assert!(
        standings
            .rows()
            .iter()
            .all(|row| row.rank == 1 && row.direct_encounter.is_none())
    );
}

#[test]
fn won_games_separate_people_that_are_otherwise_equal() {
    use GameScore::{Tie, Win};
    // 0 and 7 have a point, and the scores 2 and 1: 0 from two ties, 7 from a win and a loss.
    let games = [
        (0, 1, Tie),
        (0, 2, Tie),
        (1, 3, Tie),
        (2, 3, Tie),
        (7, 4, Win),
        (5, 7, Win),
        (4, 6, Win),
    ];
    let standings = standings_of(8, &games);
    let [zero, seven] = [0, 7].map(|person| row(&standings, person));
    let first_keys = |row: StandingsRow| (row.points, row.buchholz, row.sonneborn_berger);
    assert_eq!(first_keys(zero), first_keys(seven));
    assert_eq!(
        (zero.direct_encounter, seven.direct_encounter),
        (None, None)
    );
    assert!(seven.rank < zero.rank);
}

#[test]
fn margins_are_summed_from_both_sides() {
    let mut record = room(3, GamesPerPairing::One);
    let players = BySide::new(EntrantId(0), EntrantId(1));
    for (margin, score) in [
        (Some(8), GameScore::Win),
        (Some(-2), GameScore::Loss),
        (None, GameScore::Win),
    ] {
        let game = PlayedGame {
            margin: margin.map(Margin::new),
            ..PlayedGame::challenge(players, Some(score))
        };
        record.add_game(game).expect("people of the room");
    }
    let standings = Standings::from_record(&record);
    let sums = [0, 1, 2].map(|person| row(&standings, person).margin_sum);
    assert_eq!(sums, [Some(6), Some(-6), None]);
}

#[test]
fn bye_of_a_pairing_of_two_games_counts_two_wins() {
    let mut record = room(1, GamesPerPairing::Two);
    record.add_bye(0, EntrantId(0)).expect("a person");
    let standings = Standings::from_record(&record);
    assert_eq!(row(&standings, 0).points, Points::from_halves(4));
    assert_eq!(row(&standings, 0).byes, 1);
}

#[test]
fn rows_serialize_as_plain_numbers() {
    let mut record = room(2, GamesPerPairing::One);
    add(&mut record, 0, 0, 1, GameScore::Tie);
    let json = serde_json::to_value(Standings::from_record(&record)).expect("JSON");
    let expected = serde_json::json!({
        "rank": 1, "entrant": 0, "status": "active", "points": 0.5,
        "games": {"wins": 0, "ties": 1, "losses": 0}, "byes": 0, "margin_sum": null,
        "buchholz": 0.5, "sonneborn_berger": 0.25, "direct_encounter": 0.5,
    });
    assert_eq!(json[0], expected);
}

/// Returns points, Buchholz and Sonneborn-Berger of a person by their definitions, game by game.
fn naive_numbers(record: &RoomRecord, person: EntrantId) -> [f64; 3] {
    let legs = u32::from(record.games_per_pairing().count());
    let own_score = |person: EntrantId, game: &PlayedGame| {
        let score = f64::from(game.score?.half_points()) / 2.0;
        if game.players.south == person {
            Some((game.players.north, score))
        } else if game.players.north == person {
            Some((game.players.south, 1.0 - score))
        } else {
            None
        }
    };
    let points = |person: EntrantId| -> f64 {
        let games = record
            .games()
            .iter()
            .filter_map(|game| own_score(person, game));
        let byes = record.byes().iter().filter(|bye| bye.entrant == person);
        games.map(|(_, score)| score).sum::<f64>() + byes.map(|_| f64::from(legs)).sum::<f64>()
    };
    let finished =
        |round: usize, game: &PlayedGame| game.round == Some(round) && game.score.is_some();
    let has_bye = |person, round| {
        let mut byes = record.byes().iter();
        byes.any(|bye| bye.round == round && bye.entrant == person)
    };
    let games_in = |person, round| {
        let games = record.games().iter().filter(|game| finished(round, game));
        let count = games
            .filter(|game| own_score(person, game).is_some())
            .count();
        u32::try_from(count).expect("few games")
    };
    let rounds: Vec<usize> = (0..record.next_round())
        .filter(|&round| {
            record.games().iter().any(|game| finished(round, game))
                || record.byes().iter().any(|bye| bye.round == round)
        })
        .collect();
    let points_for_opponents = |person: EntrantId| {
        let is_active = record.active().any(|other| other == person);
        let was_there = |round: &&usize| games_in(person, **round) > 0 || has_bye(person, **round);
        let Some(&last) = rounds.iter().rev().find(was_there) else {
            return points(person);
        };
        let missed = rounds.iter().filter(|&&round| round > last && !is_active);
        points(person) + missed.map(|_| f64::from(legs) / 2.0).sum::<f64>()
    };
    let (mut buchholz, mut sonneborn_berger) = (0.0, 0.0);
    for (opponent, score) in record
        .games()
        .iter()
        .filter_map(|game| own_score(person, game))
    {
        buchholz += points_for_opponents(opponent);
        sonneborn_berger += score * points_for_opponents(opponent);
    }
    for &round in &rounds {
        let unplayed = f64::from(legs.saturating_sub(games_in(person, round)));
        buchholz += unplayed * points(person);
        if has_bye(person, round) {
            sonneborn_berger += f64::from(legs) * points(person);
        }
    }
    [points(person), buchholz, sonneborn_berger]
}

#[test]
fn tie_breaks_of_random_rooms_equal_the_naive_ones() {
    for seed in 0..1000 {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let games = [GamesPerPairing::One, GamesPerPairing::Two][rng.random_range(0..2)];
        let mut record = room(rng.random_range(1..8), games);
        for _ in 0..rng.random_range(0..6) {
            if rng.random_bool(0.2) {
                record.enter();
            }
            if rng.random_bool(0.2) {
                let person = EntrantId(rng.random_range(0..record.entrant_count()));
                record.leave(person).expect("a person");
            }
            let pairing = swiss_round(&record, seed);
            play_round(&mut record, &pairing, &mut rng);
        }
        let standings = Standings::from_record(&record);
        assert_eq!(standings.rows().len(), record.entrant_count());
        for row in standings.rows() {
            let numbers = [row.points, row.buchholz, row.sonneborn_berger];
            let naive = naive_numbers(&record, row.entrant);
            assert_eq!(
                numbers.map(|number| number.to_string()),
                naive.map(|number| (number + 0.0).to_string()),
                "seed {seed}, {row:?}"
            );
        }
        let key = |row: &StandingsRow| {
            let numbers = (row.points, row.buchholz, row.sonneborn_berger);
            (numbers, row.direct_encounter, row.games.wins)
        };
        for (index, row) in standings.rows().iter().enumerate() {
            let better = standings
                .rows()
                .iter()
                .filter(|other| key(other) > key(row))
                .count();
            assert_eq!(row.rank, better + 1, "seed {seed}");
            assert!(row.rank <= index + 1);
        }
    }
}
