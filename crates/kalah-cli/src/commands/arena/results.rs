use std::collections::BTreeMap;

use kalah::Side;
use kalah_arena::{
    Anchor, Contestant, CrossTable, Estimate, FinishedGame, Meeting, Rated, Rating, RatingList,
    Results, Standing, Thought,
};

use super::plan::Plan;
use super::running_test::RunningTest;

/// What a tournament tells so far.
pub(super) struct Summary<'a> {
    pub(super) plan: &'a Plan,
    /// In the order in which they were finished.
    pub(super) games: &'a [FinishedGame],
    pub(super) table: CrossTable,
    pub(super) standings: Vec<Standing>,
    pub(super) ratings: RatingList,
    pub(super) sprt: Option<RunningTest>,
    /// How many games ended how, by the words of records.
    pub(super) ends: BTreeMap<&'static str, u32>,
    /// What everybody did, in the order of the contestants.
    pub(super) deeds: Vec<Deeds>,
}

/// What a contestant did beside winning and losing.
#[derive(Clone, Debug, Default)]
pub(super) struct Deeds {
    pub(super) thought: Thought,
    /// Games that it lost by its own fault, by the words of records.
    pub(super) faults: BTreeMap<&'static str, u32>,
}

/// The games that are to be played in all, as far as it is known.
pub(super) fn games_of(plan: &Plan) -> u64 {
    let contestants = plan.tournament.contestants as u64;
    let pairs = match plan.tournament.format {
        kalah_arena::Format::RoundRobin => contestants * (contestants - 1) / 2,
        kalah_arena::Format::Gauntlet => contestants - 1,
        kalah_arena::Format::Swiss => contestants / 2,
    };
    plan.tournament.rounds as u64 * pairs * Side::ALL.len() as u64
}

impl<'a> Summary<'a> {
    pub(super) fn new(plan: &'a Plan, games: &'a [FinishedGame]) -> Self {
        let results: Results = games.iter().collect();
        let table = results.cross_table(plan.tournament.contestants);
        let mut ends = BTreeMap::new();
        let mut deeds = vec![Deeds::default(); plan.tournament.contestants];
        for game in games {
            let word = game.end.termination().as_str();
            *ends.entry(word).or_default() += 1;
            let players = game.players();
            for side in Side::ALL {
                if let Some(deeds) = deeds.get_mut(players[side].0) {
                    deeds.thought += game.thought[side];
                    if game.end.fault() == Some(side) {
                        *deeds.faults.entry(word).or_default() += 1;
                    }
                }
            }
        }
        Self {
            plan,
            games,
            standings: table.standings(),
            ratings: RatingList::of(&table, Anchor::Mean),
            sprt: plan.sprt.map(|test| RunningTest::new(test, &results)),
            table,
            ends,
            deeds,
        }
    }

    pub(super) fn rated(&self, contestant: Contestant) -> Option<&Rated> {
        let mut lines = self.ratings.lines().iter();
        lines.find(|line| line.contestant == contestant)
    }

    /// How strong somebody is: of two, against the other, as everything else is told of them; of more, on the scale of
    /// the list.
    pub(super) fn strength(&self, contestant: Contestant) -> Option<Rating> {
        if self.plan.entrants.len() != 2 {
            return self.rated(contestant).map(|line| line.rating);
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
    ) -> (Meeting, Option<Estimate>) {
        let meeting = self.table.between(one, other);
        (meeting, Estimate::of(&meeting.pairs))
    }
}
