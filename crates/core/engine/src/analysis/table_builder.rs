//! The choice and the building of the endgame table for an analysis.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kalah::{Position, Variant};
use kalah_tables::{Table, TableDamage};

use super::request::AnalysisGoal;
use super::request::{AnalysisRequest, positions_at_rate};
use crate::endgame_tables::TableCache;

/// Builds the endgame tables of analyses as far as they save more time than they cost.
pub(crate) struct TableBuilder {
    cache: TableCache,
    /// The speed at which the last table was built, if there was one.
    positions_per_second: Option<f64>,
}

/// The resources of an engine for building a table.
pub(crate) struct TableResources<'a> {
    /// The memory limit of the engine in bytes.
    pub(crate) memory_bytes: usize,
    pub(crate) threads: NonZeroUsize,
    /// Whether other engines with the same cache run at the same time and need the same table.
    pub(crate) is_in_group: bool,
    pub(crate) stop_flag: &'a AtomicBool,
    /// Called from time to time.
    pub(crate) heartbeat: &'a dyn Fn(),
    /// Frees memory for a table whose size in bytes is the argument.
    pub(crate) make_room: &'a mut dyn FnMut(usize),
}

/// The endgame table may take seven eighths of the memory limit less the reserve, which is needed
/// while it is built and by the search.
const TABLE_MEMORY_EIGHTHS: usize = 7;
const BYTES_RESERVED_BESIDE_TABLE: usize = 16 << 20;

/// Seeds of the endgame table in 64ths of the seeds in play, for proofs of the best move and of all
/// moves: one seed more takes half as long again to build and saves a quarter of the search, so
/// both should take about as long. For the best move of 6x4 this is a table of 20 seeds, given
/// enough memory.
const TABLE_SEEDS_64THS: u32 = 27;
const TABLE_SEEDS_64THS_FOR_ALL_MOVES: u32 = 32;

/// The share of the planned time that building endgame tables may take, with and without the
/// prospect of a proof.
const TABLE_TIME_SHARE: f64 = 0.5;
const TABLE_TIME_SHARE_WITHOUT_PROOF: f64 = 0.25;

/// The highest building speed to plan with, in positions a second.
const MAX_TABLE_POSITIONS_PER_SECOND: f64 = 400e6;

/// A larger table replaces a smaller one only if it has this many times its positions: building the
/// smaller one would otherwise be too great a loss.
const MIN_TABLE_GROWTH_FACTOR: u64 = 2;

/// The size of the first table, which serves to measure the building speed, in positions.
const FIRST_TABLE_POSITIONS: u64 = 3_000_000;

/// Positions of an endgame table per node of a node limit. Far more would take as long as the
/// search, but a small node limit asks for a fast answer.
const TABLE_POSITIONS_PER_NODE: u64 = 4;

impl AnalysisRequest<'_> {
    /// Returns the share of the planned time for verifying and building tables.
    fn table_time_share(&self) -> f64 {
        if self.is_provable_within_limits() {
            TABLE_TIME_SHARE
        } else {
            TABLE_TIME_SHARE_WITHOUT_PROOF
        }
    }
}

impl TableBuilder {
    /// Creates a builder that inserts its tables into `cache`.
    pub(crate) fn new(cache: TableCache) -> Self {
        Self {
            cache,
            positions_per_second: None,
        }
    }

    #[must_use]
    pub(crate) fn with_cache(self, cache: TableCache) -> Self {
        Self { cache, ..self }
    }

    /// Returns the table for a position that the cache has. Only those of its values can be used
    /// that were verified earlier, in a file that has not changed since.
    pub(crate) fn cached(&self, position: &Position) -> Option<Arc<Table>> {
        let variant = Variant::from_position(position);
        let table = self.cache.get(variant)?;
        match table.check_unchanged() {
            Ok(_) => Some(table),
            // The cache drops the table and remembers the damage.
            Err(_) => self.cache.get(variant),
        }
    }

    /// Returns the damage of the table for a position that is not used for this reason.
    pub(crate) fn damage(&self, position: &Position) -> Option<TableDamage> {
        self.cache.damage(Variant::from_position(position))
    }

    /// Verifies the layers that an analysis can reach of the table that the cache has. A table that
    /// turns out to be damaged leaves the cache. With a time limit the verification ends after the
    /// share of the time that building a table may take, and the next analysis goes on with it.
    fn verify_cached(&self, request: AnalysisRequest, resources: &TableResources<'_>) {
        let Some(table) = self.cached(request.position) else {
            return;
        };
        let in_play = request.position.seeds_in_play().get();
        let seeds = u8::try_from(in_play).unwrap_or(u8::MAX);
        let end = (request.planned_time()).map(|time| time.mul_f64(request.table_time_share()));
        let _ = table.verify_layers(seeds, &mut || {
            (resources.heartbeat)();
            let is_late = || {
                let elapsed = (request.clock)().saturating_sub(request.started_at);
                end.is_some_and(|end| elapsed >= end)
            };
            if resources.stop_flag.load(Ordering::Relaxed) || is_late() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
    }

    /// Returns the endgame table for an analysis, building it if that saves time. As far as the
    /// limits of the analysis allow, its values are verified.
    pub(crate) fn table_for(
        &mut self,
        request: AnalysisRequest,
        resources: &mut TableResources<'_>,
    ) -> Option<Arc<Table>> {
        self.verify_cached(request, resources);
        let variant = Variant::from_position(request.position);
        if request.limits.depth.is_some() {
            return self.cache.get(variant);
        }
        let in_play = u32::from(request.position.seeds_in_play());
        let share = match request.limits.goal {
            AnalysisGoal::AllMargins => TABLE_SEEDS_64THS_FOR_ALL_MOVES,
            _ => TABLE_SEEDS_64THS,
        };
        let max_seeds = in_play.saturating_mul(share) / 64;
        let max_bytes = (resources.memory_bytes / 8 * TABLE_MEMORY_EIGHTHS)
            .saturating_sub(BYTES_RESERVED_BESIDE_TABLE) as u64;
        let seeds_for = |positions: u64| {
            let fits = |&seeds: &u8| {
                Table::positions(variant, seeds).is_ok_and(|all| all <= positions.min(max_bytes))
            };
            let seeds = (1..=u8::try_from(max_seeds).unwrap_or(u8::MAX)).take_while(fits);
            seeds.last().unwrap_or(0)
        };
        match (request.limits.nodes, request.planned_time()) {
            (Some(nodes), _) => self.build_table(
                (request, resources),
                seeds_for(nodes.saturating_mul(TABLE_POSITIONS_PER_NODE)),
            ),
            (None, None) => self.build_table((request, resources), seeds_for(u64::MAX)),
            (None, Some(time)) => {
                let time = time.mul_f64(request.table_time_share());
                self.build_table_within((request, resources), time, &seeds_for)
            }
        }
    }

    /// Builds the largest table that fits `time`, counted from the start of the analysis, at the
    /// measured building speed. If that turns out to have been too low, as it is while a browser
    /// still compiles, a larger table follows in the time that is left.
    fn build_table_within(
        &mut self,
        (request, resources): (AnalysisRequest, &mut TableResources<'_>),
        time: Duration,
        seeds_for: &dyn Fn(u64) -> u8,
    ) -> Option<Arc<Table>> {
        let variant = Variant::from_position(request.position);
        let affordable_positions = |time: Duration, rate: Option<f64>| {
            let max_rate = MAX_TABLE_POSITIONS_PER_SECOND;
            positions_at_rate(time.as_secs_f64(), rate.unwrap_or(max_rate).min(max_rate))
        };
        if self.positions_per_second.is_none() {
            let first = affordable_positions(time, None).min(FIRST_TABLE_POSITIONS);
            self.build_table((request, resources), seeds_for(first));
        }
        loop {
            let known = self.cache.get(variant);
            let known_seeds = known.as_ref().map_or(0, |known| known.seeds());
            let remaining =
                time.saturating_sub((request.clock)().saturating_sub(request.started_at));
            let seeds = seeds_for(affordable_positions(remaining, self.positions_per_second));
            let positions = |seeds| Table::positions(variant, seeds).unwrap_or(0);
            let known_positions = positions(known_seeds);
            let is_small_growth = positions(seeds) < MIN_TABLE_GROWTH_FACTOR * known_positions;
            if seeds <= known_seeds || is_small_growth && known_positions > FIRST_TABLE_POSITIONS {
                return known;
            }
            let table = self.build_table((request, resources), seeds);
            if table
                .as_ref()
                .is_none_or(|table| table.seeds() <= known_seeds)
            {
                return table;
            }
        }
    }

    /// Builds a table with `seeds` seeds unless the cache has one as large, and returns the largest
    /// table of the cache.
    fn build_table(
        &mut self,
        (request, resources): (AnalysisRequest, &mut TableResources<'_>),
        seeds: u8,
    ) -> Option<Arc<Table>> {
        let variant = Variant::from_position(request.position);
        let is_enough = |known: &Arc<Table>| known.seeds() >= seeds;
        let known = self.cache.get(variant);
        if seeds == 0 || known.as_ref().is_some_and(is_enough) {
            return known;
        }
        let is_late = || {
            (resources.heartbeat)();
            request.is_past_table_deadline()
        };
        let is_stopped = || resources.stop_flag.load(Ordering::Relaxed) || is_late();
        let turn = (resources.is_in_group).then(|| self.cache.take_build_turn(&is_stopped));
        let known = self.cache.get(variant);
        // Another engine of the group has built the table, or the wait has ended without it.
        if matches!(turn, Some(None)) || known.as_ref().is_some_and(is_enough) {
            return known;
        }
        let bytes = Table::positions(variant, seeds).unwrap_or(u64::MAX);
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        (resources.make_room)(bytes);
        let started_at = (request.clock)();
        self.cache.build_and_insert(
            variant,
            seeds,
            resources.threads,
            resources.stop_flag,
            &is_late,
        );
        let table = self.cache.get(variant);
        let elapsed = (request.clock)().saturating_sub(started_at).as_secs_f64();
        let is_complete = (table.as_ref()).is_some_and(|table| table.seeds() >= seeds);
        if elapsed > 0.0 {
            let positions = Table::positions(variant, seeds).unwrap_or(0);
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            let rate = positions as f64 / elapsed;
            // The full building time is unknown, so assume twice the time spent.
            self.positions_per_second = Some(if is_complete { rate } else { rate / 2.0 });
        }
        table
    }
}
