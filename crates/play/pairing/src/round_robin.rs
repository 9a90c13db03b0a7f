//! The rounds of a round robin.

use kalah::{BySide, Side};

use crate::history::PairingHistory;
use crate::matching::matching;
use crate::record::{EntrantId, RoomRecord, RoundPairing};
use crate::sides::sides_of_pair;

/// Pairs the active people for the next round of a round robin, in which each meets each other one
/// once. Returns `None` when all have met.
///
/// As long as the people are those of the beginning, the rounds are those of the Berger tables
/// (FIDE Handbook C.05, annex 1; R. Schurig's circle method, 1886): an even number of people n
/// takes n - 1 rounds, an odd number n rounds, in each of which one person rests.
///
/// After people have joined or left, or after a game was voided, the open pairs are those of active
/// people that have not met. At least as many rounds are left as one person has opponents, and as
/// many as the open pairs fill. If a Berger table of all people, or of the active ones, takes no
/// more rounds than that bound, its round with the most open pairs comes next. Otherwise the next
/// round has an opponent for each person with at least a number of opponents left, where that
/// number is the smallest for which such a round exists. In both cases people without an opponent
/// that have not met are paired as well.
///
/// The sides are those of the table as long as all games so far had them. Otherwise they
/// are balanced as in [`swiss_round`](crate::swiss_round).
///
/// ```
/// use kalah::BySide;
/// use kalah_arena::GameScore;
/// use kalah_pairing::{EntrantId, GamesPerPairing, PlayedGame, RoomRecord, round_robin_round};
/// let mut record = RoomRecord::new(GamesPerPairing::One);
/// for _ in 0..4 {
///     record.enter();
/// }
/// let mut rounds = 0;
/// while let Some(round) = round_robin_round(&record) {
///     for pair in round.pairs {
///         record.add_game(PlayedGame::new(rounds, pair, Some(GameScore::Tie)))?;
///     }
///     rounds += 1;
/// }
/// assert_eq!((rounds, record.games().len()), (3, 6));
/// assert_eq!(record.games()[0].players, BySide::new(EntrantId(0), EntrantId(3)));
/// # Ok::<(), kalah_pairing::RoomRecordError>(())
/// ```
pub fn round_robin_round(record: &RoomRecord) -> Option<RoundPairing> {
    let history = PairingHistory::new(record);
    let field = OpenField::new(record, &history);
    let min_rounds = field.min_rounds();
    if min_rounds == 0 {
        return None;
    }
    let everyone: Vec<_> = record.entrants().map(|entrant| entrant.id).collect();
    let mut pairs = [everyone.as_slice(), field.active.as_slice()]
        .into_iter()
        .find_map(|people| field.table_round(people, min_rounds))
        .unwrap_or_else(|| field.covering_round());
    field.extend(&mut pairs);

    let is_paired = |person: &EntrantId| {
        (pairs.iter()).any(|pair| pair.south == *person || pair.north == *person)
    };
    let resting = field.active.iter().copied();
    let resting = resting.filter(|person| !is_paired(person)).collect();
    Some(RoundPairing {
        pairs,
        bye: None,
        resting,
    })
}

/// A Berger table. With an odd number of people, the last place is empty.
///
/// The last place is fixed, and the others rotate around it by half of the places from round to
/// round.
struct BergerTable<'a> {
    people: &'a [EntrantId],
    /// The number of places, which is even.
    places: usize,
}

impl<'a> BergerTable<'a> {
    fn new(people: &'a [EntrantId]) -> Self {
        Self {
            people,
            places: people.len().next_multiple_of(2),
        }
    }

    /// Returns the number of rounds.
    fn rounds(&self) -> usize {
        self.places.saturating_sub(1)
    }

    /// Returns the pairs of a round, from 0, by side.
    fn round(&self, round: usize) -> Vec<BySide<EntrantId>> {
        let (circle, half) = (self.rounds(), self.places / 2);
        let first = round * half % circle;
        let others = (1..half).map(|step| {
            let (one, other) = (first + step, first + circle - step);
            (one % circle, other % circle)
        });
        std::iter::once((first, circle))
            .chain(others)
            .filter_map(|(one, other)| self.pair(one, other))
            .collect()
    }

    /// Returns the people of two places by side, `None` if one is empty.
    ///
    /// The fixed place has North against the first half of the others. Of two other places the
    /// earlier one has South if their distance is odd.
    fn pair(&self, one: usize, other: usize) -> Option<BySide<EntrantId>> {
        let (low, high) = (one.min(other), one.max(other));
        let is_low_south = if high == self.rounds() {
            low < self.places / 2
        } else {
            !(high - low).is_multiple_of(2)
        };
        let pair = BySide::new(*self.people.get(low)?, *self.people.get(high)?);
        Some(if is_low_south { pair } else { pair.swapped() })
    }

    /// Returns whether the players of a game had the sides of the table. `people` must be sorted.
    fn has_sides_of(&self, players: BySide<EntrantId>) -> bool {
        let place = |person| self.people.binary_search(&person).ok();
        match (place(players.south), place(players.north)) {
            (Some(south), Some(north)) => self.pair(south, north) == Some(players),
            _ => false,
        }
    }
}

/// The active people and the pairs of them that have not met.
struct OpenField<'a> {
    history: &'a PairingHistory,
    /// Sorted.
    active: Vec<EntrantId>,
    /// For each person, active or not, whether they are active.
    is_active: Vec<bool>,
    /// For each active person, in the same order, the number of opponents left.
    open_counts: Vec<usize>,
}

impl<'a> OpenField<'a> {
    fn new(record: &RoomRecord, history: &'a PairingHistory) -> Self {
        let active: Vec<_> = record.active().collect();
        let mut is_active = vec![false; record.entrant_count()];
        for person in &active {
            is_active[person.0] = true;
        }
        let others = active.len().saturating_sub(1);
        let open_counts = (active.iter())
            .map(|&person| others - history.opponents_above(person, 0, &active))
            .collect();
        Self {
            history,
            active,
            is_active,
            open_counts,
        }
    }

    fn is_open(&self, one: EntrantId, other: EntrantId) -> bool {
        self.is_active[one.0] && self.is_active[other.0] && self.history.meetings(one, other) == 0
    }

    /// Returns a number of rounds below which the open pairs cannot be played: no person has more
    /// than one game in a round, and no round more games than half of the people.
    fn min_rounds(&self) -> usize {
        let most = self.open_counts.iter().copied().max().unwrap_or(0);
        let pairs = self.open_counts.iter().sum::<usize>() / 2;
        most.max(pairs.div_ceil((self.active.len() / 2).max(1)))
    }

    /// Returns the round with the most open pairs of the Berger table of these people, the first of
    /// equals; `None` if more than `max_rounds` rounds of the table have open pairs.
    ///
    /// `people` must be sorted.
    fn table_round(
        &self,
        people: &[EntrantId],
        max_rounds: usize,
    ) -> Option<Vec<BySide<EntrantId>>> {
        let table = BergerTable::new(people);
        let mut open_rounds = 0;
        let mut best: Vec<BySide<EntrantId>> = Vec::new();
        for round in 0..table.rounds() {
            let mut pairs = table.round(round);
            pairs.retain(|pair| self.is_open(pair.south, pair.north));
            open_rounds += usize::from(!pairs.is_empty());
            if pairs.len() > best.len() {
                best = pairs;
            }
        }
        if open_rounds > max_rounds {
            return None;
        }
        let has_table_sides =
            (self.history.players.iter()).all(|&players| table.has_sides_of(players));
        Some(if has_table_sides {
            best
        } else {
            let pairs = best.into_iter();
            pairs
                .map(|pair| self.balanced(pair.south, pair.north))
                .collect()
        })
    }

    /// Returns a round with an opponent for each person that has at least a number of opponents
    /// left, where this number is the smallest possible.
    fn covering_round(&self) -> Vec<BySide<EntrantId>> {
        let most = self.open_counts.iter().copied().max().unwrap_or(0);
        // A round for fewer people exists if one for more does: the bounds are bisected.
        let (mut low, mut high) = (1, most + 1);
        let mut best = Vec::new();
        while low < high {
            let middle = usize::midpoint(low, high);
            if let Some(pairs) = self.round_covering(middle) {
                best = pairs;
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        best
    }

    /// Returns a round with an opponent for each person that has at least `min_open` opponents
    /// left, if there is one.
    ///
    /// It is a perfect matching of the open pairs and of all pairs of other people, which then have
    /// no game. With an odd number of people, an additional place is open to those others.
    fn round_covering(&self, min_open: usize) -> Option<Vec<BySide<EntrantId>>> {
        let count = self.active.len();
        let places = count.next_multiple_of(2);
        let may_rest = |place: usize| {
            let open = self.open_counts.get(place);
            open.is_none_or(|&open| open < min_open)
        };
        let is_game =
            |one: usize, other: usize| match (self.active.get(one), self.active.get(other)) {
                (Some(&one), Some(&other)) => self.is_open(one, other),
                _ => false,
            };
        let pairs = matching(places, |one, other| {
            is_game(one, other) || (may_rest(one) && may_rest(other))
        });
        (2 * pairs.len() == places).then(|| {
            let games = pairs
                .into_iter()
                .filter(|&(one, other)| is_game(one, other));
            games
                .map(|(one, other)| self.balanced(self.active[one], self.active[other]))
                .collect()
        })
    }

    /// Adds pairs of people without an opponent that have not met, as many as possible.
    fn extend(&self, pairs: &mut Vec<BySide<EntrantId>>) {
        let mut is_free = self.is_active.clone();
        for pair in pairs.iter() {
            is_free[pair.south.0] = false;
            is_free[pair.north.0] = false;
        }
        let free: Vec<_> = (self.active.iter().copied())
            .filter(|person| is_free[person.0])
            .collect();
        let more = matching(free.len(), |one, other| {
            self.is_open(free[one], free[other])
        });
        pairs.extend(
            more.into_iter()
                .map(|(one, other)| self.balanced(free[one], free[other])),
        );
    }

    fn balanced(&self, one: EntrantId, other: EntrantId) -> BySide<EntrantId> {
        let default = if (one.0 + other.0).is_multiple_of(2) {
            Side::North
        } else {
            Side::South
        };
        sides_of_pair(&self.history.sides, one.min(other), one.max(other), default)
    }
}
