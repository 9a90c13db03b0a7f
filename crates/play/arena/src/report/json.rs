//! The results as a JSON document.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::summary::{ArenaSummary, IgnoredLine};
use crate::finished_game::ThinkTime;
use crate::run::{SkippedContestant, SlowStart};
use crate::schedule::Tournament;
use crate::stats::{Contestant, Estimate, Pentanomial, Rating, SprtState, Tally};

/// The document.
#[derive(Serialize)]
struct ResultsJson {
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
    /// The contestants in the order of the standings.
    contestants: Vec<ContestantJson>,
    /// The results of each two contestants that have finished a game against each other.
    head_to_head: Vec<HeadToHeadJson>,
    sprt: Option<SprtJson>,
    /// The versions of `kalah` that have played the tournament.
    versions: Vec<String>,
    /// The programs that take long to start.
    slow_starts: Vec<SlowStartJson>,
    /// The contestants that take no part.
    skipped: Vec<SkippedJson>,
    /// The contestants that were replaced, with the numbers of their games, which do not count.
    withdrawn: Vec<WithdrawnJson>,
}

#[derive(Serialize)]
struct WithdrawnJson {
    contestant: Contestant,
    name: String,
    games: usize,
}

/// A contestant that takes no part.
#[derive(Serialize)]
pub(super) struct SkippedJson {
    name: String,
    /// The identifier, such as the number of a student.
    id: Option<String>,
    engine: String,
    reason: String,
}

impl SkippedJson {
    pub(super) fn new(skipped: &SkippedContestant) -> Self {
        let SkippedContestant { contestant, reason } = skipped;
        Self {
            name: contestant.name.clone(),
            id: contestant.spec.id.clone(),
            engine: contestant.spec.to_string(),
            reason: reason.clone(),
        }
    }
}

#[derive(Serialize)]
struct SlowStartJson {
    name: String,
    time_ms: u128,
}

#[derive(Serialize)]
struct ContestantJson {
    contestant: Contestant,
    name: String,
    /// The identifier, such as the number of a student.
    id: Option<String>,
    engine: String,
    time_control: String,
    rank: usize,
    points: f64,
    games: Tally,
    pairs: Pentanomial,
    rating: Option<Rating>,
    think_time: ThinkTime,
    faults: BTreeMap<&'static str, u32>,
    /// The first line of its program that its protocol does not know.
    ignored_line: Option<IgnoredLine>,
}

/// The results of two contestants against each other, as those of the first one.
#[derive(Serialize)]
struct HeadToHeadJson {
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

/// Returns the results of a tournament with the folder `path` as a JSON document, whose keys
/// `docs/arena.md` explains.
pub fn results_json(summary: &ArenaSummary, path: &Path) -> impl Serialize + use<> {
    let config = summary.config;
    let start = config.start_position();
    ResultsJson {
        folder: path.display().to_string(),
        board: start.to_string(),
        rules: start.rules().to_string(),
        time_control: config.time_control.to_string(),
        tournament: config.tournament.clone(),
        openings: config.openings.as_slice().len(),
        games_finished: summary.games.len(),
        games_planned: config.planned_games(),
        is_complete: summary.is_complete(),
        terminations: summary.terminations.clone(),
        contestants: contestants(summary),
        head_to_head: head_to_head(summary),
        sprt: summary.sprt.as_ref().map(|test| SprtJson {
            state: test.state(),
            pairs: test.pair_count(),
        }),
        versions: config.versions.clone(),
        slow_starts: slow_starts(summary),
        withdrawn: (summary.withdrawn.iter())
            .map(|&(contestant, games)| WithdrawnJson {
                contestant,
                name: config.name(contestant).to_owned(),
                games,
            })
            .collect(),
        skipped: config.skipped.iter().map(SkippedJson::new).collect(),
    }
}

fn slow_starts(summary: &ArenaSummary) -> Vec<SlowStartJson> {
    let slow_starts = summary.slow_starts.iter();
    let document = slow_starts.map(|SlowStart { name, time }| SlowStartJson {
        name: name.clone(),
        time_ms: time.as_millis(),
    });
    document.collect()
}

fn contestants(summary: &ArenaSummary) -> Vec<ContestantJson> {
    let mut contestants = Vec::new();
    for standing in &summary.standings {
        let contestant = standing.contestant;
        let (Some(config), Some(stats)) = (
            summary.config.contestants.get(contestant.0),
            summary.stats.get(contestant.0),
        ) else {
            continue;
        };
        #[expect(
            clippy::cast_precision_loss,
            reason = "a tournament has far fewer games than 2^52"
        )]
        let points = standing.games.half_points() as f64 / 2.0;
        contestants.push(ContestantJson {
            contestant,
            name: config.name.clone(),
            id: config.spec.id.clone(),
            engine: config.spec.to_string(),
            time_control: summary.config.time_control_of(contestant).to_string(),
            rank: standing.rank,
            points,
            games: standing.games,
            pairs: standing.pairs,
            rating: summary.rating(contestant),
            think_time: stats.think_time,
            faults: stats.faults.clone(),
            ignored_line: stats.ignored_line.clone(),
        });
    }
    contestants
}

fn head_to_head(summary: &ArenaSummary) -> Vec<HeadToHeadJson> {
    let contestants = summary.config.contestants.len();
    let mut all = Vec::new();
    for first in Contestant::all(contestants) {
        for second in Contestant::all(contestants).skip(first.0 + 1) {
            let (results, estimate) = summary.head_to_head(first, second);
            if results.games.game_count() > 0 {
                all.push(HeadToHeadJson {
                    first,
                    second,
                    games: results.games,
                    pairs: results.pairs,
                    estimate,
                });
            }
        }
    }
    all
}
