//! The results as one document of JSON.

use std::collections::BTreeMap;
use std::path::Path;

use kalah_arena::{
    Contestant, Estimate, Pentanomial, Rating, SprtState, Tally, Thought, Tournament,
};
use serde::Serialize;

use super::results::{Summary, games_of};

/// The whole of it.
#[derive(Serialize)]
pub(super) struct Document {
    folder: String,
    board: String,
    rules: String,
    time: String,
    tournament: Tournament,
    openings: usize,
    games_finished: usize,
    games_planned: u64,
    is_complete: bool,
    ends: BTreeMap<&'static str, u32>,
    /// The best first.
    contestants: Vec<ContestantDocument>,
    /// All who have met.
    meetings: Vec<MeetingDocument>,
    sprt: Option<SprtDocument>,
}

#[derive(Serialize)]
struct ContestantDocument {
    contestant: Contestant,
    name: String,
    engine: String,
    rank: usize,
    points: f64,
    games: Tally,
    pairs: Pentanomial,
    rating: Option<Rating>,
    thought: Thought,
    faults: BTreeMap<&'static str, u32>,
}

/// Told of the first of the two.
#[derive(Serialize)]
struct MeetingDocument {
    first: Contestant,
    second: Contestant,
    games: Tally,
    pairs: Pentanomial,
    estimate: Option<Estimate>,
}

#[derive(Serialize)]
struct SprtDocument {
    #[serde(flatten)]
    state: SprtState,
    pairs: u64,
}

impl Document {
    pub(super) fn new(summary: &Summary, folder: &Path, is_complete: bool) -> Self {
        let plan = summary.plan;
        let start = plan.start();
        Self {
            folder: folder.display().to_string(),
            board: start.to_string(),
            rules: start.rules().to_string(),
            time: plan.control.to_string(),
            tournament: plan.tournament,
            openings: plan.openings.all().len(),
            games_finished: summary.games.len(),
            games_planned: games_of(plan),
            is_complete,
            ends: summary.ends.clone(),
            contestants: contestants(summary),
            meetings: meetings(summary),
            sprt: summary.sprt.as_ref().map(|test| SprtDocument {
                state: test.state(),
                pairs: test.pairs(),
            }),
        }
    }
}

fn contestants(summary: &Summary) -> Vec<ContestantDocument> {
    let mut documents = Vec::new();
    for standing in &summary.standings {
        let contestant = standing.contestant;
        let (Some(entrant), Some(deeds)) = (
            summary.plan.entrants.get(contestant.0),
            summary.deeds.get(contestant.0),
        ) else {
            continue;
        };
        #[expect(clippy::cast_precision_loss, reason = "nobody plays so many games")]
        let points = standing.games.half_points() as f64 / 2.0;
        documents.push(ContestantDocument {
            contestant,
            name: entrant.name.clone(),
            engine: entrant.spec.to_string(),
            rank: standing.rank,
            points,
            games: standing.games,
            pairs: standing.pairs,
            rating: summary.ratings.rating(contestant),
            thought: deeds.thought,
            faults: deeds.faults.clone(),
        });
    }
    documents
}

fn meetings(summary: &Summary) -> Vec<MeetingDocument> {
    let contestants = summary.plan.entrants.len();
    let mut documents = Vec::new();
    for first in Contestant::all(contestants) {
        for second in Contestant::all(contestants).skip(first.0 + 1) {
            let (meeting, estimate) = summary.meeting(first, second);
            if meeting.games.games() > 0 {
                documents.push(MeetingDocument {
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
