//! Performance ratings by the statistics of the arena.

use std::collections::BTreeMap;

use kalah_arena::{Anchor, Contestant, CrossTable, Elo, GameScore, Rating, RatingList};
use serde::Serialize;

use crate::record::{EntrantId, GamesPerPairing, PlayedGame, RoomRecord};

/// The performance ratings of the people of a room: their strengths according to their games alone,
/// in Elo relative to the mean of the room, with 95 % intervals.
///
/// They are the [`RatingList`] of all games and of one tie of each person with an imagined
/// opponent, whose rating is 0. These ties make all ratings finite, also those of people that have
/// won or lost all games, and pull the ratings of people with few games towards 0 (a prior of
/// virtual ties, as in R. Coulom's *bayeselo*, <https://www.remi-coulom.fr/Bayesian-Elo/>). They
/// also set the zero point: against the imagined opponent, the people expect half of the points on
/// average.
///
/// They serialize as the list of the ratings in the order in which people entered. The two games
/// of a pairing in a round are one experiment if the record has two games a pairing.
///
/// The rating of a person is [`Rating::Unknown`] if they have finished no game, and that of all if
/// more than [`Performances::MAX_RATED`] people have: the time for a list grows with the cube of
/// their number.
///
/// ```
/// use kalah::BySide;
/// use kalah_arena::{GameScore, Rating};
/// use kalah_pairing::{GamesPerPairing, Performances, PlayedGame, RoomRecord};
/// let mut record = RoomRecord::new(GamesPerPairing::One);
/// let (ann, ben, eve) = (record.enter(), record.enter(), record.enter());
/// record.add_game(PlayedGame::challenge(BySide::new(ann, ben), Some(GameScore::Win)))?;
/// let performances = Performances::from_record(&record);
/// let Rating::Number { elo, .. } = performances.rating(ann) else { panic!("she has played") };
/// assert_eq!(elo.to_string(), "+131.4");
/// assert_eq!(performances.rating(eve), Rating::Unknown);
/// # Ok::<(), kalah_pairing::RoomRecordError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Performances {
    /// The rating of each person, in the order in which they entered.
    ratings: Vec<Rating>,
}

impl Performances {
    /// The maximum number of people with finished games for which ratings are computed.
    pub const MAX_RATED: usize = 300;

    /// Computes the ratings of all people of the record.
    pub fn from_record(record: &RoomRecord) -> Self {
        let mut ratings = vec![Rating::Unknown; record.entrant_count()];
        let contestants = contestants(record);
        if !contestants.is_empty() && contestants.len() <= Self::MAX_RATED {
            let (table, imagined) = cross_table(record, &contestants);
            let list = RatingList::from_table(&table, Anchor::Fixed(imagined, Elo::ZERO));
            for (person, &contestant) in &contestants {
                ratings[person.0] = list.rating(contestant).unwrap_or(Rating::Unknown);
            }
        }
        Self { ratings }
    }

    /// Returns the rating of a person.
    pub fn rating(&self, person: EntrantId) -> Rating {
        self.ratings
            .get(person.0)
            .copied()
            .unwrap_or(Rating::Unknown)
    }
}

/// Returns the people that have finished a game, numbered without gaps.
fn contestants(record: &RoomRecord) -> BTreeMap<EntrantId, Contestant> {
    let finished = record.games().iter().filter(|game| game.score.is_some());
    let players = finished.flat_map(|game| [game.players.south, game.players.north]);
    let mut contestants: BTreeMap<_, _> = players.map(|person| (person, Contestant(0))).collect();
    for (index, contestant) in contestants.values_mut().enumerate() {
        *contestant = Contestant(index);
    }
    contestants
}

/// Returns the table of all games and of a tie of each contestant with the imagined opponent, and
/// this opponent.
fn cross_table(
    record: &RoomRecord,
    contestants: &BTreeMap<EntrantId, Contestant>,
) -> (CrossTable, Contestant) {
    let imagined = Contestant(contestants.len());
    let mut table = CrossTable::new(contestants.len() + 1);
    for &contestant in contestants.values() {
        table.add_single(contestant, imagined, GameScore::Tie);
    }
    // The first games of pairings whose second game has not been seen.
    let mut first_games: BTreeMap<_, (&PlayedGame, GameScore)> = BTreeMap::new();
    let is_paired = record.games_per_pairing() == GamesPerPairing::Two;
    for game in record.games() {
        let Some(score) = game.score else {
            continue;
        };
        let (south, north) = (game.players.south, game.players.north);
        let add_single = |table: &mut CrossTable| {
            table.add_single(contestants[&south], contestants[&north], score);
        };
        let Some(round) = game.round.filter(|_| is_paired) else {
            add_single(&mut table);
            continue;
        };
        let key = (round, south.min(north), south.max(north));
        match first_games.remove(&key) {
            Some((first, first_score)) if first.players == game.players.swapped() => {
                let (one, other) = (contestants[&north], contestants[&south]);
                table.add_pair(one, other, first_score, score.mirrored());
            }
            Some(first) => {
                first_games.insert(key, first);
                add_single(&mut table);
            }
            None => {
                first_games.insert(key, (game, score));
            }
        }
    }
    for (game, score) in first_games.into_values() {
        let (south, north) = (game.players.south, game.players.north);
        table.add_single(contestants[&south], contestants[&north], score);
    }
    (table, imagined)
}
