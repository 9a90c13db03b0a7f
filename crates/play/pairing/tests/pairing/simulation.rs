//! Rooms of simulated people, and what happened in them.

use std::collections::HashMap;

use kalah::{BySide, Side};
use kalah_arena::GameScore;
use kalah_pairing::{EntrantId, GamesPerPairing, PlayedGame, RoomRecord, RoundPairing};
use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;

/// The probability that South wins between equals, as the first move is an advantage.
const SOUTH_WINS: f64 = 0.6;

/// The probability of a tie.
const TIE: f64 = 0.1;

/// The change of the probability for each place in the order of entry.
const SKILL: f64 = 0.02;

/// Returns a room of active people.
pub(crate) fn room(people: usize, games: GamesPerPairing) -> RoomRecord {
    let mut record = RoomRecord::new(games);
    for _ in 0..people {
        record.enter();
    }
    record
}

/// Returns a random score of South. People that entered earlier are better.
fn random_score(players: BySide<EntrantId>, rng: &mut Pcg64Mcg) -> GameScore {
    let rank = |person: EntrantId| f64::from(u32::try_from(person.0).expect("few people"));
    let skill = SKILL * (rank(players.north) - rank(players.south));
    let south_wins = (SOUTH_WINS + skill).clamp(0.1, 0.9);
    if rng.random_bool(TIE) {
        GameScore::Tie
    } else if rng.random_bool(south_wins) {
        GameScore::Win
    } else {
        GameScore::Loss
    }
}

/// Adds the games of a round with random scores, and its bye.
pub(crate) fn play_round(record: &mut RoomRecord, pairing: &RoundPairing, rng: &mut Pcg64Mcg) {
    add_round(record, pairing, |players| Some(random_score(players, rng)));
}

/// Adds the games of a round, and its bye.
pub(crate) fn add_round(
    record: &mut RoomRecord,
    pairing: &RoundPairing,
    mut score: impl FnMut(BySide<EntrantId>) -> Option<GameScore>,
) {
    let round = record.next_round();
    let legs = usize::from(record.games_per_pairing().count());
    for &pair in &pairing.pairs {
        for players in [pair, pair.swapped()].into_iter().take(legs) {
            let game = PlayedGame::new(round, players, score(players));
            record.add_game(game).expect("people of the room");
        }
    }
    if let Some(person) = pairing.bye {
        record.add_bye(round, person).expect("a person of the room");
    }
}

/// Returns the number of finished games of each two people, the earlier first.
pub(crate) fn meetings(record: &RoomRecord) -> HashMap<(EntrantId, EntrantId), u32> {
    let mut meetings = HashMap::new();
    for game in record.games().iter().filter(|game| game.score.is_some()) {
        let BySide { south, north } = game.players;
        *meetings
            .entry((south.min(north), south.max(north)))
            .or_default() += 1;
    }
    meetings
}

/// Returns the sides of a person in their finished games.
pub(crate) fn sides(record: &RoomRecord, person: EntrantId) -> Vec<Side> {
    (record.games().iter())
        .filter(|game| game.score.is_some())
        .filter_map(|game| {
            Side::ALL
                .into_iter()
                .find(|&side| game.players[side] == person)
        })
        .collect()
}

/// Returns the largest difference of games as South and as North after any game.
pub(crate) fn max_side_excess(record: &RoomRecord, person: EntrantId) -> usize {
    let mut balance = 0_isize;
    let balances = sides(record, person).into_iter().map(|side| {
        balance += if side == Side::South { 1 } else { -1 };
        balance.unsigned_abs()
    });
    balances.max().unwrap_or(0)
}

/// Returns the difference of games as South and as North.
pub(crate) fn side_excess(record: &RoomRecord, person: EntrantId) -> usize {
    let sides = sides(record, person);
    let souths = sides.iter().filter(|&&side| side == Side::South).count();
    souths.abs_diff(sides.len() - souths)
}
/// Returns the largest number of games in a row on one side.
pub(crate) fn max_side_run(record: &RoomRecord, person: EntrantId) -> usize {
    let sides = sides(record, person);
    let runs = sides.chunk_by(|one, other| one == other);
    runs.map(<[Side]>::len).max().unwrap_or(0)
}
