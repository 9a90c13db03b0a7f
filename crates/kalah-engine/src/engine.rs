use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use kalah::{CaptureNeeds, Choice, Ends, Gain, Position, Rules, Side};
use kalah_tables::{Table, Variant};

use crate::analysis::Analysis;
use crate::any_houses::AnyHouses;
use crate::busy::Busy;
use crate::endgames::{Endgames, NoEndgames};
use crate::houses::Houses;
use crate::packed::Packed;
use crate::search::Shared;
use crate::stop::{SharedStop, StopLimits, Stopped};
use crate::transposition::Transpositions;
use crate::{Bounds, Certainty, Goal, Limits, Report, Shelf};

/// Analyses positions, and remembers what it has found between analyses.
///
/// It looks ahead turn by turn until there is something to expect, and then proves what it can prove
/// in the time that it has: with endgame tables, which it builds as far as they pay for themselves.
///
/// ```
/// use std::time::Duration;
/// use kalah::{Margin, Position, Rules};
/// use kalah_engine::{Certainty, Engine, Limits};
///
/// let start = Position::start(3, 3, Rules::CS32)?;
/// let report = Engine::new().analyse(&start, Limits::default(), &|| Duration::ZERO);
/// assert_eq!(report.margin, Margin::new(2));
/// assert_eq!(report.certainty, Certainty::Exact);
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub struct Engine {
    /// Bytes for positions that are remembered and for tables that are built.
    memory: usize,
    threads: NonZeroUsize,
    shelf: Shelf,
    flag: Arc<AtomicBool>,
    /// Positions that the analysis under way has searched.
    nodes: Arc<AtomicU64>,
    /// Bounds that the next analysis may take for proven.
    known: Vec<(Choice, Bounds)>,
    /// What it remembers in how many bytes, and of which game.
    remembered: Option<(Remembered, usize, Transpositions)>,
}

/// What the keys of remembered positions do not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Remembered {
    houses: u8,
    ends: Ends,
    capture: CaptureNeeds,
    keys: Keys,
}

/// Keys of one position that mean different ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keys {
    Exact,
    Hashed,
}

/// Memory that an engine takes where nobody says otherwise, in bytes: enough to solve 6x4.
const DEFAULT_MEMORY: usize = 512 << 20;

/// Of its memory, what an engine takes for tables at most.
const TABLES_OF_MEMORY: usize = 2;

/// Of the seeds in play, those in the tables that pay for themselves, in sixteenths. Kalah(6,4) is
/// solved soonest with 20 or 21 of its 48.
const SIXTEENTHS_IN_TABLES: u32 = 7;

/// Of its time, what an engine takes to build tables at most.
const TABLES_OF_TIME: u32 = 4;

/// The most positions a second that an engine expects to compute when it builds a table.
const TABLE_POSITIONS_PER_SECOND: f64 = 200e6;

/// Positions in the table whose making tells how fast tables are made.
const FIRST_TABLE_POSITIONS: u64 = 3_000_000;

/// Positions of a table that take as long as one of a search.
const TABLE_POSITIONS_PER_NODE: u64 = 4;

/// Memory that a position searched is worth, in bytes: solving 6x4 takes no more than a tenth more
/// positions in 4 MiB than in 512, while memory that is new to the program takes time to come by.
const BYTES_PER_NODE: u64 = 4;

/// The least memory for positions, in bytes: exact keys of boards of 7 houses need as much.
const LEAST_BYTES: u64 = 4 << 20;

/// Positions a second that an engine expects to search.
const NODES_PER_SECOND: f64 = 1e6;

/// Of its time, what an engine looks ahead for before it tries a proof.
const AHEAD_OF_TIME: u32 = 8;

/// Turns to look ahead before any proof, so that there is something to expect.
const TURNS_BEFORE_PROOF: u32 = 3;

/// The most plies of a line that are reported.
const MOST_LINE_PLIES: usize = 200;

/// The most positions to search for a line, after an analysis that had to keep a time and after any
/// other.
const LINE_NODES_IN_TIME: u64 = 5_000;
const LINE_NODES: u64 = 1_000_000;

impl Engine {
    /// An engine that has seen nothing yet, with one thread. Its memory, 512 MiB at most, is taken as it is needed.
    pub fn new() -> Self {
        Self {
            memory: DEFAULT_MEMORY,
            threads: NonZeroUsize::MIN,
            shelf: Shelf::new(),
            flag: Arc::default(),
            nodes: Arc::default(),
            known: Vec::new(),
            remembered: None,
        }
    }

    /// The same engine with another amount of memory for positions and for the tables that it
    /// builds, in bytes; it forgets all.
    #[must_use]
    pub fn with_memory(self, bytes: usize) -> Self {
        Self {
            memory: bytes,
            remembered: None,
            ..self
        }
    }

    /// The same engine with so many threads. Only with one does it always find the same.
    #[must_use]
    pub fn with_threads(self, threads: NonZeroUsize) -> Self {
        Self { threads, ..self }
    }

    /// The same engine with tables that it shares with others; those that it builds it puts there.
    #[must_use]
    pub fn with_tables(self, tables: Shelf) -> Self {
        Self {
            shelf: tables,
            ..self
        }
    }

    /// The same engine, which ends an analysis soon once this is set.
    #[must_use]
    pub fn with_flag(self, flag: Arc<AtomicBool>) -> Self {
        Self { flag, ..self }
    }

    /// The same engine, which tells here how many positions an analysis has searched so far, for whoever
    /// looks while it is going on.
    #[must_use]
    pub fn with_nodes(self, nodes: Arc<AtomicU64>) -> Self {
        Self { nodes, ..self }
    }

    /// The same engine, whose next analysis takes these bounds of choices for proven: those that an earlier
    /// analysis of the same position has reported. Choices that the position does not leave, and bounds
    /// that contradict what takes no search, are passed over.
    #[must_use]
    pub fn knowing(self, known: Vec<(Choice, Bounds)>) -> Self {
        Self { known, ..self }
    }

    /// Looks for the best choice in `position` within `limits`; `clock` tells the time since any
    /// fixed moment and is looked at often.
    ///
    /// There is a choice in the report unless the game is over, however tight the limits.
    pub fn analyse(
        &mut self,
        position: &Position,
        limits: Limits,
        clock: &dyn Fn() -> Duration,
    ) -> Report {
        self.analyse_watched(position, limits, clock, &mut |_| {})
    }

    /// The same, and `watch` is told what is known after every step of a proof.
    pub fn analyse_watched(
        &mut self,
        position: &Position,
        limits: Limits,
        clock: &dyn Fn() -> Duration,
        watch: &mut dyn FnMut(&Report),
    ) -> Report {
        let job = Job {
            position,
            limits,
            clock,
            start: clock(),
        };
        let in_play = job.in_play();
        let packs = in_play <= u8::MAX.into();
        if Packed::<u64>::of(position).is_some() {
            self.analyse_as::<Packed<u64>>(job, Keys::Exact, watch)
        } else if packs && position.houses() <= 7 {
            self.analyse_as::<AnyHouses<u64>>(job, Keys::Exact, watch)
        } else if Packed::<u128>::of(position).is_some() {
            self.analyse_as::<Packed<u128>>(job, Keys::Hashed, watch)
        } else {
            self.analyse_as::<AnyHouses<u128>>(job, Keys::Hashed, watch)
        }
    }

    fn analyse_as<H: Houses>(
        &mut self,
        job: Job,
        keys: Keys,
        watch: &mut dyn FnMut(&Report),
    ) -> Report {
        if job.position.is_over() {
            return job.nothing();
        }
        match self.table(job) {
            Some(table) => self.analyse_with::<H, _>(job, keys, &*table, watch),
            None => self.analyse_with::<H, _>(job, keys, &NoEndgames, watch),
        }
    }

    fn analyse_with<H: Houses, E: Endgames>(
        &mut self,
        job: Job,
        keys: Keys,
        endgames: &E,
        watch: &mut dyn FnMut(&Report),
    ) -> Report {
        let Job {
            position, limits, ..
        } = job;
        let (Some(game), Some(houses)) = (H::game(position), H::of(position)) else {
            unreachable!("asked for houses that can be seen");
        };
        let (threads, flag) = (self.threads, Arc::clone(&self.flag));
        let busy = (threads.get() > 1).then(Busy::new);
        let shared_stop = SharedStop::counting(Arc::clone(&self.nodes));
        let known = std::mem::take(&mut self.known);
        let shared = Shared::<H, E> {
            game: &game,
            transpositions: self.transpositions(job, keys, endgames.bytes()).share(),
            endgames,
            busy: busy.as_ref(),
        };
        let stop_limits = StopLimits {
            deadline: (limits.time)
                .and_then(|time| job.start.checked_add(time))
                .map(|deadline| (deadline, job.clock)),
            flag: Some(&flag),
            nodes: limits.nodes.unwrap_or(u64::MAX),
        };
        let root = (&houses, job.in_play(), gains(position));
        let mut analysis = Analysis::new(shared, root, stop_limits, &shared_stop, threads);
        for (choice, bounds) in known {
            let gain = |margin| position.gain(margin).seeds();
            analysis.know(choice, gain(bounds.lower), gain(bounds.upper));
        }
        // Whatever stops it, what was found until then counts.
        let _ = job.pursue(&mut analysis, stop_limits, &mut |analysis| {
            watch(&job.report(analysis, &shared_stop));
        });
        let mut report = job.report(&mut analysis, &shared_stop);
        let nodes = match limits.time {
            // What follows an estimate is not worth the time of proofs.
            _ if limits.depth.is_some() => 0,
            Some(_) => LINE_NODES_IN_TIME,
            None => LINE_NODES,
        };
        report.line = line(shared, position, &report, &flag, nodes);
        report
    }

    /// The table to analyse with, built if that pays for itself.
    fn table(&self, job: Job) -> Option<Arc<Table>> {
        let variant = Variant::of(job.position);
        let in_play = u32::try_from(job.in_play()).unwrap_or(u32::MAX);
        let wanted = in_play.saturating_mul(SIXTEENTHS_IN_TABLES) / 16;
        let most_bytes = (self.memory / TABLES_OF_MEMORY) as u64;
        let seeds_for = |positions: u64| {
            let fits = |&seeds: &u8| {
                Table::positions(variant, seeds).is_ok_and(|all| all <= positions.min(most_bytes))
            };
            (1..=u8::try_from(wanted).unwrap_or(u8::MAX))
                .take_while(fits)
                .last()
        };
        if job.limits.depth.is_some() {
            return self.shelf.table(variant);
        }
        let positions = match (job.limits.nodes, job.limits.time) {
            (Some(nodes), _) => nodes.saturating_mul(TABLE_POSITIONS_PER_NODE),
            (None, None) => u64::MAX,
            (None, Some(time)) => {
                let time = time.as_secs_f64() / f64::from(TABLES_OF_TIME);
                let most = positions_in(time, TABLE_POSITIONS_PER_SECOND);
                let Some(first) = seeds_for(most.min(FIRST_TABLE_POSITIONS)) else {
                    return self.shelf.table(variant);
                };
                let began = (job.clock)();
                let known = self.shelf.table(variant).map(|table| table.seeds());
                let table = self
                    .shelf
                    .with_seeds(variant, first, self.threads, &self.flag)?;
                let took = (job.clock)().saturating_sub(began).as_secs_f64();
                if known == Some(table.seeds()) || took == 0.0 {
                    most
                } else {
                    let positions = Table::positions(variant, first).unwrap_or(0);
                    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
                    let rate = positions as f64 / took;
                    positions_in(time, rate.min(TABLE_POSITIONS_PER_SECOND))
                }
            }
        };
        let seeds = seeds_for(positions).unwrap_or(0);
        self.shelf
            .with_seeds(variant, seeds, self.threads, &self.flag)
    }

    /// What is remembered of the game that `position` is of; of any other game, nothing any more.
    fn transpositions(&mut self, job: Job, keys: Keys, of_table: usize) -> &mut Transpositions {
        let position = job.position;
        let Rules { ends, capture, .. } = position.rules();
        let wanted = Remembered {
            houses: position.houses(),
            ends,
            capture,
            keys,
        };
        let bytes = job
            .bytes_to_remember()
            .min(self.memory.saturating_sub(of_table));
        let is_enough = |(of, bytes_of, _): &(Remembered, usize, Transpositions)| {
            *of == wanted && *bytes_of >= bytes
        };
        if !self.remembered.as_ref().is_some_and(is_enough) {
            // Given back before more is taken.
            self.remembered = None;
        }
        let (_, _, transpositions) = self.remembered.get_or_insert_with(|| {
            let transpositions = Transpositions::new(bytes, wanted.houses.into());
            (wanted, bytes, transpositions)
        });
        transpositions
    }
}

/// What is asked of an engine.
#[derive(Clone, Copy)]
struct Job<'a> {
    position: &'a Position,
    limits: Limits,
    clock: &'a dyn Fn() -> Duration,
    start: Duration,
}

impl<'a> Job<'a> {
    /// Seeds in the houses of both sides.
    fn in_play(self) -> i32 {
        let rows = Side::ALL.map(|side| i32::from(self.position.row(side)));
        rows.iter().sum()
    }

    /// Finds out as much as the limits allow.
    fn pursue<H: Houses, E: Endgames>(
        self,
        analysis: &mut Analysis<'a, H, E>,
        limits: StopLimits<'a>,
        watch: &mut dyn FnMut(&mut Analysis<'a, H, E>),
    ) -> Result<(), Stopped> {
        if let Some(depth) = self.limits.depth {
            for turns in 1..=depth {
                if analysis.is_proven() {
                    break;
                }
                analysis.deepen(turns)?;
            }
            return Ok(());
        }
        if !self.is_provable() {
            // As far as the limits allow, or to the end.
            for turns in 1.. {
                if analysis.is_proven() {
                    break;
                }
                analysis.deepen(turns)?;
            }
        } else if limits.deadline.is_some() || self.limits.nodes.is_some() {
            let part = StopLimits {
                deadline: (limits.deadline).map(|(end, clock)| {
                    let time = end.saturating_sub(self.start) / AHEAD_OF_TIME;
                    (self.start.saturating_add(time), clock)
                }),
                nodes: limits.nodes / u64::from(AHEAD_OF_TIME),
                ..limits
            };
            analysis.stop().set_limits(part);
            let mut turns = 1;
            while !analysis.is_proven() && analysis.deepen(turns).is_ok() {
                turns += 1;
            }
            analysis.stop().set_limits(limits);
        } else {
            for turns in 1..=TURNS_BEFORE_PROOF {
                analysis.deepen(turns)?;
            }
        }
        analysis.prove_best(watch)?;
        match self.limits.goal {
            Goal::Best => Ok(()),
            Goal::Ties => analysis.prove_ties(watch),
            Goal::Every => analysis.prove_others(watch),
        }
    }

    /// Whether a proof is likely to be finished within the limits.
    fn is_provable(self) -> bool {
        self.affordable_nodes()
            .is_none_or(|nodes| self.nodes_of_proof() / TABLE_POSITIONS_PER_NODE <= nodes)
    }

    /// Positions that a proof is likely to take.
    ///
    /// With tables of nearly half the seeds, proofs took some two positions to the power of half the
    /// seeds in play on boards of six houses: 0.4 million for 36 seeds, 20 million for 48.
    fn nodes_of_proof(self) -> u64 {
        let seeds = u32::try_from(self.in_play()).unwrap_or(u32::MAX);
        let doublings = seeds.saturating_mul(self.position.houses().into()) / 12;
        1_u64.checked_shl(doublings).unwrap_or(u64::MAX)
    }

    /// Positions that can be searched within the limits, if there are any.
    fn affordable_nodes(self) -> Option<u64> {
        let in_time = |time: Duration| positions_in(time.as_secs_f64(), NODES_PER_SECOND);
        self.limits.nodes.or(self.limits.time.map(in_time))
    }

    /// Bytes to remember positions in that are worth taking.
    fn bytes_to_remember(self) -> usize {
        let nodes = self.nodes_of_proof();
        let nodes = nodes.min(self.affordable_nodes().unwrap_or(u64::MAX));
        let bytes = nodes.saturating_mul(BYTES_PER_NODE).max(LEAST_BYTES);
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }

    /// What there is to say about a game that is over.
    fn nothing(self) -> Report {
        let margin = self.position.lead();
        Report {
            choice: None,
            margin,
            certainty: Certainty::Exact,
            bounds: Bounds {
                lower: margin,
                upper: margin,
            },
            choices: Vec::new(),
            depth: 0,
            nodes: 0,
            table_hits: 0,
            time: Duration::ZERO,
            line: Vec::new(),
        }
    }

    fn report<H: Houses, E: Endgames>(
        self,
        analysis: &mut Analysis<'a, H, E>,
        shared: &SharedStop,
    ) -> Report {
        let margin = |gain| self.position.margin(Gain::new(gain));
        let bounds = |(lower, upper)| Bounds {
            lower: margin(lower),
            upper: margin(upper),
        };
        analysis.stop().tell();
        let best = analysis.best();
        let mut choices: Vec<_> = (analysis.roots().iter())
            .map(|root| (root.choice, bounds((root.lower, root.upper))))
            .collect();
        let in_order: Vec<_> = self.position.choices().collect();
        choices.sort_by_key(|(choice, _)| in_order.iter().position(|other| other == choice));
        Report {
            choice: best.map(|(choice, _)| choice),
            margin: best.map_or(self.position.lead(), |(_, gain)| margin(gain)),
            certainty: if analysis.is_proven() {
                Certainty::Exact
            } else {
                Certainty::Estimate
            },
            bounds: bounds(analysis.bounds()),
            choices,
            depth: analysis.depth(),
            nodes: shared.nodes(),
            table_hits: shared.table_hits(),
            time: (self.clock)().saturating_sub(self.start),
            line: Vec::new(),
        }
    }
}

/// The least and the most that can be gained: no margin is more than all seeds.
fn gains(position: &Position) -> (i32, i32) {
    let (lead, total) = (position.lead().seeds(), i32::from(position.total()));
    (-total - lead, total - lead)
}

/// Positions that are dealt with in so many seconds at so many a second.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an estimate; neither is negative, and what is too much becomes the most there is"
)]
fn positions_in(seconds: f64, rate: f64) -> u64 {
    (seconds * rate) as u64
}

/// The plies expected from the best choice on.
///
/// After a proof, what is left to find is at every ply the choice that keeps the margin: the memory and
/// the tables know it, or a little searching finds it again. Before, the memory tells what it expects.
fn line<H: Houses, E: Endgames>(
    shared: Shared<H, E>,
    position: &Position,
    report: &Report,
    flag: &AtomicBool,
    most_nodes: u64,
) -> Vec<(Side, Choice)> {
    let mut position = position.clone();
    let stop = SharedStop::default();
    let mut margin = report.margin;
    let mut line = Vec::new();
    let mut next = report.choice;
    while let Some(choice) = next {
        let side = position.to_move();
        if line.len() == MOST_LINE_PLIES || position.play(choice).is_err() {
            break;
        }
        line.push((side, choice));
        // After a swap the same side chooses, but the other player.
        if position.to_move() != side || choice == Choice::Swap {
            margin = -margin;
        }
        let houses = H::of(&position).filter(|_| !position.is_over());
        next = houses.and_then(|houses| {
            let rows = Side::ALL.map(|side| i32::from(position.row(side)));
            let in_play = rows.iter().sum();
            if report.certainty == Certainty::Estimate {
                let key = houses.tell_all().then(|| houses.key(shared.game))?;
                let known = shared.transpositions.get(key, in_play);
                return known?.house.map(Choice::Sow);
            }
            let limits = StopLimits {
                deadline: None,
                flag: Some(flag),
                nodes: most_nodes.saturating_sub(stop.nodes()),
            };
            let root = (&houses, in_play, gains(&position));
            let mut analysis = Analysis::new(shared, root, limits, &stop, NonZeroUsize::MIN);
            let wanted = margin.seeds() - position.lead().seeds();
            analysis.choice_for(wanted).ok().flatten()
        });
    }
    line
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}
