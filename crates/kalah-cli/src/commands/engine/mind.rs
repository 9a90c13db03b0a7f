use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kalah::{Move, Player, Position};
use kalah_engine::{Certainty, Engine, Goal, Limits, MinimaxPlayer, Report};
use kalah_players::{EngineFactory, PlayerKind};
use kalah_protocols::uki::{EngineMessage, Go, Info, Milliseconds, OneLine, Score, UkiMove};
use kalah_tables::Variant;

use super::settings::EngineSettings;
use crate::CliError;

/// Who answers, and what it remembers.
pub(super) struct EngineSession {
    settings: EngineSettings,
    /// What searches, and what its tables are about.
    engine: Option<(Variant, Engine)>,
    /// Who answers without a search that could be watched.
    player: Option<Box<dyn Player + Send>>,
}

/// What is asked.
pub(super) struct GoRequest {
    pub(super) position: Position,
    pub(super) go: Go,
    /// The time to think, if that is limited.
    pub(super) time_limit: Option<Duration>,
    /// When it was asked.
    pub(super) started_at: Instant,
    /// Set when an answer is wanted at once.
    pub(super) stop_flag: Arc<AtomicBool>,
}

/// The time of the first search where there is no limit, and how many times as long each one after it takes. What
/// was found before is remembered; a search that knows its time looks ahead as far as that time is worth, before it
/// tries a proof that may take for ever.
const FIRST_STAGE_TIME: Duration = Duration::from_secs(1);
const STAGE_TIME_FACTOR: u32 = 4;

impl EngineSession {
    /// One that has seen nothing yet.
    pub(super) fn new(settings: EngineSettings) -> Self {
        Self {
            settings,
            engine: None,
            player: None,
        }
    }

    /// Forgets what it has found. Who leaves anything to chance goes on with its chances.
    pub(super) fn clear_search_state(&mut self) {
        self.engine = None;
    }

    /// Returns whether the player obeys limits of nodes and depth.
    pub(super) fn obeys_search_limits(&self) -> bool {
        self.settings.player.uses_clock()
    }

    /// The choice; `None` if the game is over. What is found on the way is told.
    pub(super) fn choose_move(
        &mut self,
        task: &GoRequest,
        tell: &mut dyn FnMut(EngineMessage),
    ) -> Option<Move> {
        let mut moves = task.position.legal_moves();
        let first = moves.next()?;
        let is_on_clock = task.go.clocks.is_some();
        if is_on_clock && moves.next().is_none() {
            return Some(first);
        }
        let spec = self.settings.player;
        let limit = task.time_limit.unwrap_or(Duration::MAX);
        match spec.kind {
            _ if self.obeys_search_limits() => {}
            PlayerKind::Minimax { depth: levels } => {
                let minimax = MinimaxPlayer::new(spec.to_string(), levels);
                let mut minimax = minimax.with_stop_flag(Arc::clone(&task.stop_flag));
                return minimax.choose_move(&task.position, limit);
            }
            _ => {
                let player = self.player.take().or_else(|| {
                    let name = spec.to_string();
                    spec.build_player(&name, self.settings.seed(), &EngineFactory::default())
                });
                self.player = player;
                return (self.player.as_mut())?.choose_move(&task.position, limit);
            }
        }
        let engine = self.engine_for(&task.position, tell);
        let mut search = StagedSearch {
            task,
            engine: engine.with_stop_flag(Arc::clone(&task.stop_flag)),
            nodes_before: 0,
            depth_before: 0,
            last_info: None,
            send: tell,
        };
        let report = search.run();
        self.engine = Some((Variant::from_position(&task.position), search.engine));
        report.best_move.or(Some(first))
    }

    /// The engine that knows such positions, or one that has seen nothing yet.
    fn engine_for(&mut self, position: &Position, tell: &mut dyn FnMut(EngineMessage)) -> Engine {
        let variant = Variant::from_position(position);
        if let Some((known, engine)) = self.engine.take()
            && known == variant
        {
            return engine;
        }
        match self.settings.engine_arguments().factory(position) {
            Ok(engines) => engines.build(),
            Err(failure) => {
                let reason = failure.message().unwrap_or_default();
                let told = format!("no tables are read: {reason}");
                tell(EngineMessage::InfoString(OneLine::new(&told)));
                self.engine_without_tables(position).unwrap_or_default()
            }
        }
    }

    fn engine_without_tables(&self, position: &Position) -> Result<Engine, CliError> {
        let mut arguments = self.settings.engine_arguments();
        arguments.tables.tables = Some(crate::TableSource::Disabled);
        Ok(arguments.factory(position)?.build())
    }
}

/// A search that tells how far it is.
struct StagedSearch<'a> {
    task: &'a GoRequest,
    engine: Engine,
    /// Positions that were searched before this stage.
    nodes_before: u64,
    /// Turns that were looked ahead before it.
    depth_before: u32,
    /// What was told last, without what always changes.
    last_info: Option<Info>,
    send: &'a mut dyn FnMut(EngineMessage),
}

impl StagedSearch<'_> {
    /// Searches as long as it is asked to.
    fn run(&mut self) -> Report {
        let Go { nodes, depth, .. } = self.task.go;
        let limits = Limits {
            time: None,
            depth,
            nodes,
            goal: Goal::BestMove,
        };
        if let Some(time) = self.task.time_limit {
            // What has passed since it was asked is gone.
            let time = time.saturating_sub(self.task.started_at.elapsed());
            let time = Some(time);
            return self.run_stage(Limits { time, ..limits });
        }
        if nodes.is_some() || depth.is_some() {
            return self.run_stage(limits);
        }
        self.run_unlimited(limits)
    }

    /// Searches until the margin is proven, or nothing more can be found, or an answer is wanted.
    fn run_unlimited(&mut self, limits: Limits) -> Report {
        let mut time = FIRST_STAGE_TIME;
        let mut best: Option<Report> = None;
        loop {
            let report = self.run_stage(Limits {
                time: Some(time),
                ..limits
            });
            self.nodes_before += report.nodes;
            let is_proven = report.certainty == Certainty::Exact;
            let gave_up = report.time < time;
            let report = match best {
                // It was stopped before it had looked as far as the one before.
                Some(before) if !is_proven && report.depth < before.depth => before,
                _ => report,
            };
            if is_proven || gave_up || self.task.stop_flag.load(Ordering::Relaxed) {
                return report;
            }
            let engine = std::mem::take(&mut self.engine);
            self.engine = engine.with_known_bounds(report.moves.clone());
            self.depth_before = report.depth;
            best = Some(report);
            time = time.saturating_mul(STAGE_TIME_FACTOR);
        }
    }

    fn run_stage(&mut self, limits: Limits) -> Report {
        let Self {
            task,
            engine,
            nodes_before,
            depth_before,
            last_info: told,
            send: tell,
        } = self;
        let clock = || task.started_at.elapsed();
        let is_on_clock = task.go.clocks.is_some();
        let mut see = |report: &Report| {
            let found = info_from_report(&task.position, report);
            // A stage first finds again what the one before knew.
            let is_behind = report.certainty == Certainty::Estimate && report.depth < *depth_before;
            if !is_behind && told.as_ref() != Some(&found) {
                *told = Some(found.clone());
                let nodes = *nodes_before + report.nodes;
                tell(EngineMessage::Info(with_counters(found, nodes, clock())));
            }
            // What is proven to be best takes no more time of a clock.
            if is_on_clock && report.is_best_move_proven() {
                task.stop_flag.store(true, Ordering::Relaxed);
            }
        };
        let report = engine.analyse_with_progress(&task.position, limits, &clock, &mut see);
        see(&report);
        report
    }
}

/// What a report says about the position.
fn info_from_report(position: &Position, report: &Report) -> Info {
    let side = position.to_move();
    let mut line: Vec<UkiMove> = (report.line.iter())
        .map(|&(side, mv)| UkiMove::new(side, mv))
        .collect();
    if line.is_empty() {
        let mv = report.best_move.map(|mv| UkiMove::new(side, mv));
        line.extend(mv);
    }
    let score = match report.certainty {
        Certainty::Exact => Some(Score::Exact(position.gain(report.margin))),
        // Who has not looked knows only what is possible.
        Certainty::Estimate if report.nodes == 0 => None,
        Certainty::Estimate => Some(Score::Estimate(position.gain(report.expected_margin()))),
    };
    Info {
        depth: Some(report.depth),
        score,
        pv: line,
        ..Info::default()
    }
}

/// The same, with what it has taken.
fn with_counters(found: Info, nodes: u64, time: Duration) -> Info {
    let time = Milliseconds::from(time);
    let a_second = u128::from(nodes) * 1000;
    Info {
        nodes: Some(nodes),
        nps: (a_second.checked_div(time.get().into())).and_then(|nps| u64::try_from(nps).ok()),
        time: Some(time),
        ..found
    }
}
