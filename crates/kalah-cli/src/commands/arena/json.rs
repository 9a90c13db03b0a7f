//! The results as one document of JSON.

use std::collections::BTreeMap;
use std::path::Path;

use kalah_arena::{
    Contestant, Estimate, Pentanomial, Rating, SprtState, Tally, ThinkTime, Tournament,
};
use serde::Serialize;

use super::results::{ArenaSummary, planned_games};

/// The whole of it.
#[derive(Serialize)]
pub(super) struct ResultsJson {
    folder: String,
    board: String,
    rules: String,
    time_control: String,
    tournament: Tournament,
    openings: usize,
    games_finished: usize,
    games_planned: u64,
    is_complete: bool,
    terminations: BTreeMap<&'static str, u32>,
    /// The best first.
    contestants: Vec<ContestantJson>,
    /// All who have met.
    meetings: Vec<MeetingJson>,
    sprt: Option<SprtJson>,
}

#[derive(Serialize)]
struct ContestantJson {
    contestant: Contestant,
    name: String,
    engine: String,
    rank: usize,
    points: f64,
    games: Tally,
    pairs: Pentanomial,
    rating: Option<Rating>,
    think_time: ThinkTime,
    faults: BTreeMap<&'static str, u32>,
}

/// Told of the first of the two.
#[derive(Serialize)]
struct MeetingJson {
    first: Contestant,
    second: Contestant,
    games: Tally,
    pairs: Pentanomial,
    estimate: Option<Estimate>,
}

#[derive(Serialize)]
struct SprtJson {
    #[serde(flatten)]
    state: SprtState,
    pairs: u64,
}

impl ResultsJson {
    pub(super) fn new(summary: &ArenaSummary, folder: &Path, is_complete: bool) -> Self {
        let plan = summary.config;
        let start = plan.start_position();
        Self {
            folder: folder.display().to_string(),
            board: start.to_string(),
            rules: start.rules().to_string(),
            time_control: plan.time_control.to_string(),
            tournament: plan.tournament,
            openings: plan.openings.as_slice().len(),
            games_finished: summary.games.len(),
            games_planned: planned_games(plan),
            is_complete,
            terminations: summary.terminations.clone(),
            contestants: contestants(summary),
            meetings: meetings(summary),
            sprt: summary.sprt.as_ref().map(|test| SprtJson {
                state: test.state(),
                pairs: test.pair_count(),
            }),
        }
    }
}

fn contestants(summary: &ArenaSummary) -> Vec<ContestantJson> {
    let mut documents = Vec::new();
    for standing in &summary.standings {
        let contestant = standing.contestant;
        let (Some(entrant), Some(deeds)) = (
            summary.config.contestants.get(contestant.0),
            summary.stats.get(contestant.0),
        ) else {
            continue;
        };
        #[expect(clippy::cast_precision_loss, reason = "nobody plays so many games")]
        let points = standing.games.half_points() as f64 / 2.0;
        documents.push(ContestantJson {
            contestant,
            name: entrant.name.clone(),
            engine: entrant.spec.to_string(),
            rank: standing.rank,
            points,
            games: standing.games,
            pairs: standing.pairs,
            rating: summary.ratings.rating(contestant),
            think_time: deeds.think_time,
            faults: deeds.faults.clone(),
        });
    }
    documents
}

fn meetings(summary: &ArenaSummary) -> Vec<MeetingJson> {
    let contestants = summary.config.contestants.len();
    let mut documents = Vec::new();
    for first in Contestant::all(contestants) {
        for second in Contestant::all(contestants).skip(first.0 + 1) {
            let (meeting, estimate) = summary.meeting(first, second);
            if meeting.games.game_count() > 0 {
                documents.push(MeetingJson {
                    first,
                    second,
                    games: meeting.games,
                    pairs: meeting.pairs,
                    estimate,
                });
            }
        }
    }
    documents
}
