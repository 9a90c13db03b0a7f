//! The standings of a room, with tie-breaks.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use kalah::Margin;
use kalah_arena::{GameScore, Tally};
use serde::Serialize;

use crate::history::bye_halves;
use crate::points::Points;
use crate::record::{EntrantId, EntrantStatus, RoomRecord};

/// One person in the standings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StandingsRow {
    /// One more than the number of people with more points or better tie-breaks.
    pub rank: usize,
    /// The person.
    pub entrant: EntrantId,
    /// Whether they take part in the next rounds.
    pub status: EntrantStatus,
    /// One for a win and one half for a tie; as many as for won games for a bye.
    pub points: Points,
    /// The finished games.
    pub games: Tally,
    /// The number of byes.
    pub byes: u32,
    /// The sum of the margins of the finished games in seeds, `None` if no margin is known.
    pub margin_sum: Option<i64>,
    /// The first tie-break.
    pub buchholz: Points,
    /// The second tie-break.
    pub sonneborn_berger: Points,
    /// The third tie-break; `None` if it does not apply.
    pub direct_encounter: Option<Points>,
}

/// All people of a room, ordered by points and tie-breaks.
///
/// People with equal points are ordered by, one after the other:
///
/// 1. *Buchholz*, the sum of the points of the opponents, once for each game (FIDE Handbook C.07,
///    article 8). For each game of a round that a person has not played, the sum contains their
///    own points, as if they had met an opponent with as many. An opponent that has
///    left counts with half a point more for each game of the rounds since their last one, as if
///    these had been ties (both article 16);
/// 2. *Sonneborn-Berger*, the same sum with the points of opponents against which the person has
///    won, half of them after a tie, and none after a loss (article 9). A bye is a win against an
///    opponent with as many points as the person;
/// 3. *direct encounter*, the points of the games among the people that are still equal, if each
///    two of them have played equally many games, and at least one (article 6);
/// 4. the number of games won (article 7).
///
/// People that are equal in all of this share a rank, and are listed in the order in which they
/// entered. Games without a score count nowhere, and free challenges count like games of a round,
/// except that none of them can be missing.
///
/// ```
/// use kalah::BySide;
/// use kalah_arena::GameScore;
/// use kalah_pairing::{GamesPerPairing, PlayedGame, RoomRecord, Standings};
/// let mut record = RoomRecord::new(GamesPerPairing::One);
/// let (ann, ben, eve) = (record.enter(), record.enter(), record.enter());
/// record.add_game(PlayedGame::challenge(BySide::new(ann, ben), Some(GameScore::Loss)))?;
/// record.add_game(PlayedGame::challenge(BySide::new(eve, ann), Some(GameScore::Tie)))?;
/// let standings = Standings::from_record(&record);
/// let order: Vec<_> = standings.rows().iter().map(|row| (row.rank, row.entrant)).collect();
/// assert_eq!(order, [(1, ben), (2, ann), (3, eve)]);
/// # Ok::<(), kalah_pairing::RoomRecordError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Standings {
    rows: Vec<StandingsRow>,
}

/// Games against one opponent, or of one person.
#[derive(Clone, Copy, Default)]
struct ScoreSum {
    games: u32,
    halves: u32,
}

impl ScoreSum {
    fn add(&mut self, score: GameScore) {
        self.games += 1;
        self.halves += u32::from(score.half_points());
    }
}

/// The results of a person.
#[derive(Clone, Default)]
struct PersonResults {
    games: Tally,
    byes: u32,
    half_points: u32,
    margin_sum: Option<i64>,
    opponents: BTreeMap<EntrantId, ScoreSum>,
    /// The number of games in each round with a game or a bye. A bye counts as no game.
    round_games: BTreeMap<usize, u32>,
}

impl PersonResults {
    fn add_game(
        &mut self,
        round: Option<usize>,
        opponent: EntrantId,
        score: GameScore,
        margin: Option<Margin>,
    ) {
        self.games.add(score);
        self.half_points += u32::from(score.half_points());
        self.opponents.entry(opponent).or_default().add(score);
        if let Some(margin) = margin {
            *self.margin_sum.get_or_insert_default() += i64::from(margin.seeds());
        }
        if let Some(round) = round {
            *self.round_games.entry(round).or_default() += 1;
        }
    }
}

impl Standings {
    /// Computes the standings of all people of the record, those who have left included.
    pub fn from_record(record: &RoomRecord) -> Self {
        let results = person_results(record);
        let tie_breaks = TieBreaks::new(record, &results);
        let mut rows: Vec<_> = (record.entrants())
            .map(|entrant| {
                let person = &results[entrant.id.0];
                StandingsRow {
                    rank: 1,
                    entrant: entrant.id,
                    status: entrant.status,
                    points: Points::from_halves(person.half_points),
                    games: person.games,
                    byes: person.byes,
                    margin_sum: person.margin_sum,
                    buchholz: tie_breaks.buchholz(entrant.id),
                    sonneborn_berger: tie_breaks.sonneborn_berger(entrant.id),
                    direct_encounter: None,
                }
            })
            .collect();
        let first_keys = |row: &StandingsRow| (row.points, row.buchholz, row.sonneborn_berger);
        rows.sort_by_key(|row| Reverse(first_keys(row)));
        for group in rows.chunk_by_mut(|one, other| first_keys(one) == first_keys(other)) {
            set_direct_encounters(group, &results);
        }
        let all_keys = |row: &StandingsRow| {
            let wins = row.games.wins;
            (first_keys(row), row.direct_encounter, wins)
        };
        rows.sort_by_key(|row| Reverse(all_keys(row)));
        let mut position = 1;
        for group in rows.chunk_by_mut(|one, other| all_keys(one) == all_keys(other)) {
            for row in group.iter_mut() {
                row.rank = position;
            }
            position += group.len();
        }
        Self { rows }
    }

    /// Returns the rows, the highest rank first.
    pub fn rows(&self) -> &[StandingsRow] {
        &self.rows
    }
}

fn person_results(record: &RoomRecord) -> Vec<PersonResults> {
    let mut results = vec![PersonResults::default(); record.entrant_count()];
    for game in record.games() {
        let Some(score) = game.score else {
            continue;
        };
        let (south, north) = (game.players.south, game.players.north);
        results[south.0].add_game(game.round, north, score, game.margin);
        let margin = game.margin.map(std::ops::Neg::neg);
        results[north.0].add_game(game.round, south, score.mirrored(), margin);
    }
    for bye in record.byes() {
        let person = &mut results[bye.entrant.0];
        person.byes += 1;
        person.half_points += bye_halves(record);
        person.round_games.entry(bye.round).or_default();
    }
    results
}

/// The numbers from which tie-breaks are computed.
struct TieBreaks<'a> {
    results: &'a [PersonResults],
    /// The points of each person as their opponents count them.
    opponent_points: Vec<Points>,
    /// The rounds with finished games or byes.
    rounds: BTreeSet<usize>,
    games_per_pairing: u32,
    bye_halves: u32,
}

impl<'a> TieBreaks<'a> {
    fn new(record: &RoomRecord, results: &'a [PersonResults]) -> Self {
        let rounds: BTreeSet<usize> = (results.iter())
            .flat_map(|person| person.round_games.keys().copied())
            .collect();
        let games_per_pairing = u32::from(record.games_per_pairing().count());
        let opponent_points = (record.entrants().zip(results)).map(|(entrant, person)| {
            let last = person.round_games.keys().next_back();
            let missed = match (entrant.status, last) {
                (EntrantStatus::Left, Some(&last)) => rounds.range(last + 1..).count(),
                _ => 0,
            };
            let missed_ties = u32::try_from(missed).unwrap_or(u32::MAX) * games_per_pairing;
            Points::from_halves(person.half_points + missed_ties)
        });
        Self {
            results,
            opponent_points: opponent_points.collect(),
            games_per_pairing,
            bye_halves: bye_halves(record),
            rounds,
        }
    }

    fn buchholz(&self, id: EntrantId) -> Points {
        let person = &self.results[id.0];
        let played: Points = (person.opponents.iter())
            .map(|(opponent, sum)| self.opponent_points[opponent.0].times(sum.games))
            .sum();
        let own = Points::from_halves(person.half_points);
        let unplayed = (self.rounds.iter()).map(|round| {
            let games = person.round_games.get(round).copied().unwrap_or(0);
            self.games_per_pairing.saturating_sub(games)
        });
        played + own.times(unplayed.sum())
    }

    fn sonneborn_berger(&self, id: EntrantId) -> Points {
        let person = &self.results[id.0];
        let played: Points = (person.opponents.iter())
            .map(|(opponent, sum)| self.opponent_points[opponent.0].times_halves(sum.halves))
            .sum();
        let own = Points::from_halves(person.half_points);
        played + own.times_halves(person.byes * self.bye_halves)
    }
}

/// Sets the points of the games among the people of a group, if each two of them have played
/// equally many games, and at least one.
fn set_direct_encounters(group: &mut [StandingsRow], results: &[PersonResults]) {
    let people: Vec<_> = group.iter().map(|row| row.entrant).collect();
    let sum = |one: EntrantId, other| results[one.0].opponents.get(&other);
    let first = match people[..] {
        [one, other, ..] => sum(one, other).map(|sum| sum.games),
        _ => None,
    };
    let Some(games) = first else {
        return;
    };
    let is_complete = (people.iter().enumerate()).all(|(index, &one)| {
        let mut others = people[..index].iter();
        others.all(|&other| sum(one, other).is_some_and(|sum| sum.games == games))
    });
    if !is_complete {
        return;
    }
    for row in group {
        let halves = (people.iter()).filter_map(|&other| sum(row.entrant, other));
        row.direct_encounter = Some(Points::from_halves(halves.map(|sum| sum.halves).sum()));
    }
}
