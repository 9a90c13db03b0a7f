use std::collections::BTreeMap;

use kalah::Side;
use kalah_arena::{
    Anchor, Contestant, CrossTable, Estimate, FinishedGame, HeadToHead, Rating, RatingEntry,
    RatingList, Results, Standing, ThinkTime,
};

use super::plan::ArenaConfig;
use super::running_test::RunningSprt;

/// What a tournament tells so far.
pub(super) struct ArenaSummary<'a> {
    pub(super) config: &'a ArenaConfig,
    /// In the order in which they were finished.
    pub(super) games: &'a [FinishedGame],
    pub(super) table: CrossTable,
    pub(super) standings: Vec<Standing>,
    pub(super) ratings: RatingList,
    pub(super) sprt: Option<RunningSprt>,
    /// How many games ended how, by the words of records.
    pub(super) terminations: BTreeMap<&'static str, u32>,
    /// What everybody did, in the order of the contestants.
    pub(super) stats: Vec<ContestantStats>,
}

/// What a contestant did beside winning and losing.
#[derive(Clone, Debug, Default)]
pub(super) struct ContestantStats {
    pub(super) think_time: ThinkTime,
    /// Games that it lost by its own fault, by the words of records.
    pub(super) faults: BTreeMap<&'static str, u32>,
}

/// The games that are to be played in all, as far as it is known.
pub(super) fn planned_games(plan: &ArenaConfig) -> u64 {
    let contestants = plan.tournament.contestants as u64;
    let pairs = match plan.tournament.format {
        kalah_arena::PairingSystem::RoundRobin => contestants * (contestants - 1) / 2,
        kalah_arena::PairingSystem::Gauntlet => contestants - 1,
        kalah_arena::PairingSystem::Swiss => contestants / 2,
    };
    plan.tournament.rounds as u64 * pairs * Side::ALL.len() as u64
}

impl<'a> ArenaSummary<'a> {
    pub(super) fn new(config: &'a ArenaConfig, games: &'a [FinishedGame]) -> Self {
        let results: Results = games.iter().collect();
        let table = results.cross_table(config.tournament.contestants);
        let mut terminations = BTreeMap::new();
        let mut stats = vec![ContestantStats::default(); config.tournament.contestants];
        for game in games {
            let word = game.end.termination().as_str();
            *terminations.entry(word).or_default() += 1;
            let players = game.players();
            for side in Side::ALL {
                if let Some(deeds) = stats.get_mut(players[side].0) {
                    deeds.think_time += game.think_time[side];
                    if game.end.side_at_fault() == Some(side) {
                        *deeds.faults.entry(word).or_default() += 1;
                    }
                }
            }
        }
        Self {
            config,
            games,
            standings: table.standings(),
            ratings: RatingList::from_table(&table, Anchor::Mean),
            sprt: config.sprt.map(|test| RunningSprt::new(test, &results)),
            table,
            terminations,
            stats,
        }
    }

    pub(super) fn rating_line(&self, contestant: Contestant) -> Option<&RatingEntry> {
        let mut lines = self.ratings.entries().iter();
        lines.find(|line| line.contestant == contestant)
    }

    /// How strong somebody is: of two, against the other, as everything else is told of them; of more, on the scale of
    /// the list.
    pub(super) fn rating(&self, contestant: Contestant) -> Option<Rating> {
        if self.config.contestants.len() != 2 {
            return self.rating_line(contestant).map(|line| line.rating);
        }
        let other = Contestant(1 - contestant.0.min(1));
        let estimate = self.meeting(contestant, other).1?;
        Some(Rating::Number {
            elo: estimate.elo,
            interval: Some(estimate.elo_interval),
        })
    }

    pub(super) fn meeting(
        &self,
        one: Contestant,
        other: Contestant,
    ) -> (HeadToHead, Option<Estimate>) {
        let meeting = self.table.head_to_head(one, other);
        (meeting, Estimate::from_pairs(&meeting.pairs))
    }
}
