//! The ladder: people ordered by their challenges.

use kalah_arena::GameScore;

use crate::record::{EntrantId, EntrantStatus, RoomRecord};

/// The active people of a room as a ladder, the top first.
///
/// A person enters at the bottom. When the lower of two people wins their game, they take the place
/// of the other, and the other and those between them move down by one; after a tie, or if the
/// higher one wins, all stay (the rule of many clubs, such as
/// <https://saintlouischessclub.org/events/weekly-tournaments/climb-chess-club-ladder>). All games
/// with a score count, in their order in the record. People that have left are not on the ladder,
/// and return to it above the same people as before.
///
/// ```
/// use kalah::BySide;
/// use kalah_arena::GameScore;
/// use kalah_pairing::{GamesPerPairing, Ladder, PlayedGame, RoomRecord};
/// let mut record = RoomRecord::new(GamesPerPairing::One);
/// let [ann, ben, eve, ian] = [(); 4].map(|()| record.enter());
/// assert!(Ladder::from_record(&record).may_challenge(eve, ann, Ladder::DEFAULT_MAX_PLACES));
/// record.add_game(PlayedGame::challenge(BySide::new(eve, ann), Some(GameScore::Win)))?;
/// assert_eq!(Ladder::from_record(&record).people(), [eve, ann, ben, ian]);
/// # Ok::<(), kalah_pairing::RoomRecordError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder {
    people: Vec<EntrantId>,
}

impl Ladder {
    /// The number of places above a person up to which they may challenge, if the room sets no
    /// other (<https://www.dundeechessclub.co.uk/ladder-tournament/>).
    pub const DEFAULT_MAX_PLACES: usize = 3;

    /// Computes the ladder from the games of a record.
    pub fn from_record(record: &RoomRecord) -> Self {
        let mut people: Vec<_> = record.entrants().map(|entrant| entrant.id).collect();
        for game in record.games() {
            let (winner, loser) = match game.score {
                Some(GameScore::Win) => (game.players.south, game.players.north),
                Some(GameScore::Loss) => (game.players.north, game.players.south),
                Some(GameScore::Tie) | None => continue,
            };
            let index = |person| people.iter().position(|&other| other == person);
            if let (Some(from), Some(to)) = (index(winner), index(loser))
                && to < from
            {
                people[to..=from].rotate_right(1);
            }
        }
        let statuses: Vec<_> = record.entrants().map(|entrant| entrant.status).collect();
        people.retain(|person| statuses[person.0] == EntrantStatus::Active);
        Self { people }
    }

    /// Returns the people, the top first.
    pub fn people(&self) -> &[EntrantId] {
        &self.people
    }

    /// Returns the place of a person, from 1 at the top; `None` if they are not on the ladder.
    pub fn place(&self, person: EntrantId) -> Option<usize> {
        let index = self.people.iter().position(|&other| other == person)?;
        Some(index + 1)
    }

    /// Returns whether `challenger` may challenge `other`, who must be above them by at most
    /// `max_places` places.
    pub fn may_challenge(
        &self,
        challenger: EntrantId,
        other: EntrantId,
        max_places: usize,
    ) -> bool {
        match (self.place(challenger), self.place(other)) {
            (Some(from), Some(to)) => to < from && from - to <= max_places,
            _ => false,
        }
    }
}
