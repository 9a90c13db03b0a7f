//! The standings of a room as JSON.

use kalah_arena::Rating;
use kalah_pairing::{Performances, Standings};
use schemars::JsonSchema;
use serde::Serialize;

use crate::rooms::state::pairing::{number_of, record};
use crate::rooms::state::room::Room;

/// The response of `GET /api/v1/rooms/{room}/standings`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct StandingsView {
    /// The number that changes with the standings.
    revision: u64,
    /// The rows, the highest rank first.
    pub(crate) standings: Vec<StandingsRowView>,
}

/// A member in the standings.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct StandingsRowView {
    /// One more than the number of members with more points or better tie-breaks.
    #[schemars(range(min = 1))]
    pub(crate) rank: usize,
    /// The number of the member.
    pub(crate) member: u32,
    /// One for a win or a bye, one half for a tie.
    pub(crate) points: f64,
    /// The number of finished games.
    pub(crate) games: u64,
    /// The number of games won.
    pub(crate) wins: u32,
    /// The number of ties.
    pub(crate) ties: u32,
    /// The number of games lost.
    pub(crate) losses: u32,
    /// The number of byes.
    pub(crate) byes: u32,
    /// The first tie-break.
    pub(crate) buchholz: f64,
    /// The second tie-break.
    pub(crate) sonneborn_berger: f64,
    /// The performance rating; `None` if it is unknown.
    pub(crate) rating: Option<RatingView>,
}

/// A performance rating in Elo, relative to the mean of the room.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct RatingView {
    /// The rating.
    pub(crate) value: f64,
    /// Half the width of the 95 % interval; `None` if it is unknown.
    pub(crate) error: Option<f64>,
}

impl StandingsView {
    /// Computes the standings of a room. Members who left or were removed before their first game
    /// are not in them.
    pub(crate) fn new(room: &Room, revision: u64) -> Self {
        let record = record(room);
        let performances = Performances::from_record(&record);
        let standings = Standings::from_record(&record);
        let rows = standings.rows().iter().map(|row| {
            let games = row.games.game_count();
            let is_shown = row.status == kalah_pairing::EntrantStatus::Active || games > 0;
            is_shown.then(|| StandingsRowView {
                rank: row.rank,
                member: number_of(row.entrant),
                points: row.points.as_f64(),
                games,
                wins: row.games.wins,
                ties: row.games.ties,
                losses: row.games.losses,
                byes: row.byes,
                buchholz: row.buchholz.as_f64(),
                sonneborn_berger: row.sonneborn_berger.as_f64(),
                rating: RatingView::new(performances.rating(row.entrant)),
            })
        });
        Self {
            revision,
            standings: rows.flatten().collect(),
        }
    }
}

impl RatingView {
    fn new(rating: Rating) -> Option<Self> {
        let Rating::Number { elo, interval } = rating else {
            return None;
        };
        let width =
            interval.and_then(|interval| Some(interval.upper.points()? - interval.lower.points()?));
        Some(Self {
            value: elo.points()?,
            error: width.map(|width| width / 2.0),
        })
    }
}
