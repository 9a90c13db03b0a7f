//! The results of a tournament so far, from which all reports are made.

use std::collections::BTreeMap;

use kalah::{Side, format_count};
use serde::Serialize;

use crate::finished_game::{FinishedGame, ThinkTime};
use crate::run::{ArenaConfig, RunningSprt, SlowStart};
use crate::schedule::Results;
use crate::stats::{
    Anchor, Contestant, CrossTable, Estimate, HeadToHead, Rating, RatingEntry, RatingList, Standing,
};

/// The results of a tournament so far.
pub struct ArenaSummary<'a> {
    pub(super) config: &'a ArenaConfig,
    /// The games that count, in the order in which they finished.
    pub(super) games: Vec<&'a FinishedGame>,
    /// The contestants that have not withdrawn, in their order.
    pub(super) contestants: Vec<Contestant>,
    /// The contestants that have withdrawn, with the numbers of their games, which do not count.
    pub(super) withdrawn: Vec<(Contestant, usize)>,
    pub(super) table: CrossTable,
    pub(super) standings: Vec<Standing>,
    pub(super) ratings: RatingList,
    pub(super) sprt: Option<RunningSprt>,
    /// The numbers of games by the value of their tag `Termination`.
    pub(super) terminations: BTreeMap<&'static str, u32>,
    /// The other numbers of the contestants, in their order.
    pub(super) stats: Vec<ContestantStats>,
    /// The programs that take long to start.
    pub(super) slow_starts: &'a [SlowStart],
}

/// The thinking time and the faults of a contestant.
#[derive(Clone, Debug, Default)]
pub(super) struct ContestantStats {
    pub(super) think_time: ThinkTime,
    /// The numbers of games that it lost by its own fault, by the value of their tag `Termination`.
    pub(super) faults: BTreeMap<&'static str, u32>,
    /// The first line of its program that its protocol does not know.
    pub(super) ignored_line: Option<IgnoredLine>,
}

/// A line of a program that its protocol does not know.
#[derive(Clone, Debug, Serialize)]
pub(super) struct IgnoredLine {
    /// The number of the game.
    game: String,
    /// The line and the reason.
    line: String,
}

impl<'a> ArenaSummary<'a> {
    /// Computes the results of the finished `games` of a tournament.
    pub fn new(config: &'a ArenaConfig, games: &'a [FinishedGame]) -> Self {
        let tournament = &config.tournament;
        let withdrawn = tournament.withdrawn.iter().map(|&contestant| {
            let encounters = games.iter().map(|game| game.encounter);
            let own = encounters.filter(|it| [it.first, it.second].contains(&contestant));
            (contestant, own.count())
        });
        let withdrawn = withdrawn.collect();
        let games: Vec<&FinishedGame> = games.iter().filter(|game| config.counts(game)).collect();
        let results: Results = games.iter().copied().collect();
        let table = results.cross_table(config.tournament.contestants);
        let mut terminations = BTreeMap::new();
        let mut stats = vec![ContestantStats::default(); config.tournament.contestants];
        for game in &games {
            let termination = game.end.termination().as_str();
            *terminations.entry(termination).or_default() += 1;
            let players = game.players();
            for side in Side::ALL {
                let Some(stats) = stats.get_mut(players[side].0) else {
                    continue;
                };
                stats.think_time += game.think_time[side];
                if stats.ignored_line.is_none() {
                    stats.ignored_line = game.ignored_lines[side].clone().map(|line| IgnoredLine {
                        game: game.number_text(),
                        line,
                    });
                }
                if game.end.side_at_fault() == Some(side) {
                    *stats.faults.entry(termination).or_default() += 1;
                }
            }
        }
        Self {
            config,
            games,
            contestants: tournament.active().collect(),
            withdrawn,
            standings: (table.standings().into_iter())
                .filter(|standing| !tournament.is_withdrawn(standing.contestant))
                .collect(),
            ratings: RatingList::from_table(&table, Anchor::Mean),
            sprt: config.sprt.map(|test| RunningSprt::new(test, &results)),
            table,
            terminations,
            stats,
            slow_starts: &[],
        }
    }

    /// Returns the games that count, in the order of the schedule.
    pub(super) fn games_in_order(&self) -> Vec<&'a FinishedGame> {
        let mut games = self.games.clone();
        games.sort_by_key(|game| (game.encounter.pair, game.leg));
        games
    }

    /// Adds the programs that take long to start.
    #[must_use]
    pub fn with_slow_starts(self, slow_starts: &'a [SlowStart]) -> Self {
        Self {
            slow_starts,
            ..self
        }
    }

    /// Returns whether no further game is played: all are finished, or the sequential test is
    /// decided.
    pub fn is_complete(&self) -> bool {
        let is_decided = self.sprt.as_ref().is_some_and(RunningSprt::is_decided);
        let results: Results = self.games.iter().copied().collect();
        is_decided || self.config.tournament.due_encounters(&results).is_empty()
    }

    /// Returns the strength of a contestant: of two contestants, against the other one, as all
    /// their other statistics are; of more, on the scale of the rating list.
    pub(super) fn rating(&self, contestant: Contestant) -> Option<Rating> {
        let [one, two] = self.contestants[..] else {
            return self.rating_entry(contestant).map(|entry| entry.rating);
        };
        let other = if contestant == one { two } else { one };
        let estimate = self.head_to_head(contestant, other).1?;
        Some(Rating::Number {
            elo: estimate.elo,
            interval: Some(estimate.elo_interval),
        })
    }

    /// Returns a warning, as a sentence without a full stop, for each program that has written
    /// lines that its protocol does not know.
    pub(super) fn ignored_line_warnings(&self) -> impl Iterator<Item = String> {
        let all = Contestant::all(self.stats.len()).zip(&self.stats);
        all.filter_map(|(contestant, stats)| {
            let IgnoredLine { game, line } = stats.ignored_line.as_ref()?;
            let name = self.config.name(contestant);
            Some(format!(
                "{name} writes lines that its protocol does not know and that are ignored, the \
                 first in game {game}: {line}"
            ))
        })
    }

    /// Returns a sentence without a full stop for each contestant that has withdrawn.
    pub(super) fn withdrawn_notes(&self) -> impl Iterator<Item = String> {
        self.withdrawn.iter().map(|&(contestant, games)| {
            let name = self.config.name(contestant);
            let games = format_count(games as u64, "game");
            let engine = self.config.contestants.get(contestant.0);
            let engine = engine.map_or_else(String::new, |config| config.spec.to_string());
            format!("{name} as {engine} was replaced, and {games} of it do not count")
        })
    }

    fn rating_entry(&self, contestant: Contestant) -> Option<&RatingEntry> {
        let mut entries = self.ratings.entries().iter();
        entries.find(|entry| entry.contestant == contestant)
    }

    /// Returns the results of two contestants against each other, and the estimate from their pairs
    /// if there are any.
    pub(super) fn head_to_head(
        &self,
        first: Contestant,
        second: Contestant,
    ) -> (HeadToHead, Option<Estimate>) {
        let results = self.table.head_to_head(first, second);
        (results, Estimate::from_pairs(&results.pairs))
    }
}
