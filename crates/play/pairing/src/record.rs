//! The people of a room, their games and byes, and the pairing of a round.

use kalah::{BySide, Margin};
use kalah_arena::GameScore;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A person of a room: the number of people that entered before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntrantId(pub usize);

/// Whether a person takes part in the next rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntrantStatus {
    /// The person is paired.
    Active,
    /// The person has left. Their games still count.
    Left,
}

/// A person with their status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// The person.
    pub id: EntrantId,
    /// Whether they are paired.
    pub status: EntrantStatus,
}

/// The number of games that two people play when a round pairs them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GamesPerPairing {
    /// One game.
    #[default]
    One,
    /// Two games from one opening, the second with sides exchanged.
    Two,
}

/// A game of two people of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// The number of the round, from 0; `None` for a free challenge.
    pub round: Option<usize>,
    /// The players.
    pub players: BySide<EntrantId>,
    /// The score of South; `None` for a game that is not finished or was voided.
    ///
    /// A game without a score counts nowhere: its players have not met, and may be paired again.
    pub score: Option<GameScore>,
    /// The margin of South; `None` if it is not known, as after a resignation.
    pub margin: Option<Margin>,
}

/// A round in which a person had no opponent and is given the points of a win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomBye {
    /// The number of the round, from 0.
    pub round: usize,
    /// The person.
    pub entrant: EntrantId,
}

/// The people of a room, their games and their byes, in the order in which they were added.
///
/// ```
/// use kalah::BySide;
/// use kalah_arena::GameScore;
/// use kalah_pairing::{EntrantId, GamesPerPairing, PlayedGame, RoomRecord, RoomRecordError};
///
/// let mut record = RoomRecord::new(GamesPerPairing::One);
/// let (ann, ben) = (record.enter(), record.enter());
/// record.add_game(PlayedGame::new(0, BySide::new(ann, ben), Some(GameScore::Tie)))?;
/// record.leave(ben)?;
/// assert_eq!(record.next_round(), 1);
/// assert_eq!(record.active().collect::<Vec<_>>(), [ann]);
/// let error = record.leave(EntrantId(2)).expect_err("two people have entered");
/// assert_eq!(error.to_string(), "person 2 does not exist: 2 people have entered");
/// # Ok::<(), RoomRecordError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoomRecord {
    games_per_pairing: GamesPerPairing,
    statuses: Vec<EntrantStatus>,
    games: Vec<PlayedGame>,
    byes: Vec<RoomBye>,
}

/// A record does not allow a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RoomRecordError {
    /// The person has not entered.
    #[error("person {} does not exist: {entrants} people have entered", .id.0)]
    UnknownEntrant {
        /// The person.
        id: EntrantId,
        /// The number of people that have entered.
        entrants: usize,
    },
    /// Both sides of a game are one person.
    #[error("person {} cannot play against themselves", .0.0)]
    OwnOpponent(EntrantId),
}

/// The pairs of a round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundPairing {
    /// The players of each pair by side, in their first game if the pairing has two. The first pair
    /// is the one highest in the standings.
    pub pairs: Vec<BySide<EntrantId>>,
    /// The person with a bye, in a Swiss round of an odd number of people. The caller adds it with
    /// [`RoomRecord::add_bye`].
    pub bye: Option<EntrantId>,
    /// The people without a game and without points, in a round robin.
    pub resting: Vec<EntrantId>,
}

impl GamesPerPairing {
    /// Returns the number, 1 or 2.
    pub const fn count(self) -> u8 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

impl PlayedGame {
    /// Creates a game of a round without its margin. `score` is that of South, `None` for a game
    /// that is not finished or was voided.
    pub const fn new(round: usize, players: BySide<EntrantId>, score: Option<GameScore>) -> Self {
        Self {
            round: Some(round),
            players,
            score,
            margin: None,
        }
    }

    /// Creates a free challenge without its margin.
    pub const fn challenge(players: BySide<EntrantId>, score: Option<GameScore>) -> Self {
        Self {
            round: None,
            players,
            score,
            margin: None,
        }
    }
}

impl RoomRecord {
    /// Creates a record without people.
    pub fn new(games_per_pairing: GamesPerPairing) -> Self {
        Self {
            games_per_pairing,
            ..Self::default()
        }
    }

    /// Adds the next person, as active.
    pub fn enter(&mut self) -> EntrantId {
        self.statuses.push(EntrantStatus::Active);
        EntrantId(self.statuses.len() - 1)
    }

    /// Marks a person as having left.
    ///
    /// # Errors
    /// If the person has not entered.
    pub fn leave(&mut self, id: EntrantId) -> Result<(), RoomRecordError> {
        self.set_status(id, EntrantStatus::Left)
    }

    /// Marks a person as active again, with all their games.
    ///
    /// # Errors
    /// If the person has not entered.
    pub fn rejoin(&mut self, id: EntrantId) -> Result<(), RoomRecordError> {
        self.set_status(id, EntrantStatus::Active)
    }

    fn set_status(&mut self, id: EntrantId, status: EntrantStatus) -> Result<(), RoomRecordError> {
        self.check(id)?;
        self.statuses[id.0] = status;
        Ok(())
    }

    /// Adds a game after all others.
    ///
    /// # Errors
    /// If a player has not entered, or if both are one person.
    pub fn add_game(&mut self, game: PlayedGame) -> Result<(), RoomRecordError> {
        let BySide { south, north } = game.players;
        self.check(south)?;
        self.check(north)?;
        if south == north {
            return Err(RoomRecordError::OwnOpponent(south));
        }
        self.games.push(game);
        Ok(())
    }

    /// Adds a bye of a round, from 0.
    ///
    /// # Errors
    /// If the person has not entered.
    pub fn add_bye(&mut self, round: usize, entrant: EntrantId) -> Result<(), RoomRecordError> {
        self.check(entrant)?;
        self.byes.push(RoomBye { round, entrant });
        Ok(())
    }

    fn check(&self, id: EntrantId) -> Result<(), RoomRecordError> {
        let entrants = self.statuses.len();
        if id.0 < entrants {
            Ok(())
        } else {
            Err(RoomRecordError::UnknownEntrant { id, entrants })
        }
    }

    /// Returns the number of games of each pairing.
    pub fn games_per_pairing(&self) -> GamesPerPairing {
        self.games_per_pairing
    }

    /// Returns the number of people that have entered, those who left included.
    pub fn entrant_count(&self) -> usize {
        self.statuses.len()
    }

    /// Returns all people, in the order in which they entered.
    pub fn entrants(&self) -> impl Iterator<Item = Entrant> + '_ {
        (self.statuses.iter().enumerate()).map(|(index, &status)| Entrant {
            id: EntrantId(index),
            status,
        })
    }

    /// Returns the active people, in the order in which they entered.
    pub fn active(&self) -> impl Iterator<Item = EntrantId> + '_ {
        (self.entrants())
            .filter(|entrant| entrant.status == EntrantStatus::Active)
            .map(|entrant| entrant.id)
    }

    /// Returns all games, in the order in which they were added.
    pub fn games(&self) -> &[PlayedGame] {
        &self.games
    }

    /// Returns all byes, in the order in which they were added.
    pub fn byes(&self) -> &[RoomBye] {
        &self.byes
    }

    /// Returns the number of the round after all those with games or byes, from 0.
    pub fn next_round(&self) -> usize {
        let games = self.games.iter().filter_map(|game| game.round);
        let byes = self.byes.iter().map(|bye| bye.round);
        (games.chain(byes).max()).map_or(0, |round| round.saturating_add(1))
    }
}
