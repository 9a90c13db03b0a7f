//! The player of an engine and its search state.

use std::cmp::Reverse;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kalah::{Margin, Move, MoveTime, Player, Position, Side, Variant};
use kalah_engine::{
    AnalysisGoal, Bounds, Certainty, Engine, Estimates, Limits, MoveReport, Report,
};

use super::resources::EngineResources;
use super::settings::{EngineSettings, TablesSetting};
use crate::message::EngineMessage;
use crate::parse::{Milliseconds, OneLine, UkiMove};
use crate::search::{Go, Info, Score};

/// The time of the first stage of a search without limits.
///
/// A search with a time limit estimates as deep as the time allows before it starts a proof, which
/// may never end. So a search without limits runs in stages that end with an estimate each; the
/// transposition table carries the results over.
const FIRST_STAGE_TIME: Duration = Duration::from_secs(1);
/// The factor from the time of a stage to that of the next one.
const STAGE_TIME_FACTOR: u32 = 4;

const MILLISECONDS_PER_SECOND: u128 = 1000;

/// The player of the engine, with the state that it keeps between moves.
pub(super) struct EngineSession {
    settings: EngineSettings,
    resources: Arc<dyn EngineResources>,
    /// The flag that ends the running search.
    stop_flag: Arc<AtomicBool>,
    /// The engine of a player that obeys search limits, and the variant of its tables.
    engine: Option<(Variant, Engine)>,
    /// Any other player.
    player: Option<Box<dyn Player + Send>>,
}

/// A command `go` with its position.
pub(super) struct GoRequest {
    pub(super) position: Position,
    pub(super) go: Go,
    /// The time for the move, if it is limited.
    pub(super) time: Option<MoveTime>,
    /// The time of the clock at which the command was received.
    pub(super) started_at: Duration,
}

impl GoRequest {
    /// Returns the moves to choose from: those of `searchmoves`, or all.
    pub(super) fn moves(&self) -> Vec<Move> {
        match self.root_moves() {
            moves if moves.is_empty() => self.position.legal_moves().collect(),
            moves => moves,
        }
    }

    /// Returns the moves of `searchmoves`, which are legal.
    fn root_moves(&self) -> Vec<Move> {
        let side = self.position.to_move();
        let moves = self.go.search_moves.iter();
        moves.filter_map(|mv| mv.for_side(side)).collect()
    }
}

impl EngineSession {
    /// Returns a session without any search state.
    pub(super) fn new(settings: EngineSettings, resources: Arc<dyn EngineResources>) -> Self {
        Self {
            settings,
            resources,
            stop_flag: Arc::default(),
            engine: None,
            player: None,
        }
    }

    /// Drops all results of searches. Random players continue their sequence of random numbers.
    pub(super) fn clear_search_state(&mut self) {
        self.engine = None;
    }

    /// Clears the stop flag for the next search, and returns it.
    pub(super) fn reset_stop_flag(&self) -> Arc<AtomicBool> {
        self.stop_flag.store(false, Ordering::Relaxed);
        Arc::clone(&self.stop_flag)
    }

    /// Sets the stop flag of the next searches. A player that does not obey search limits keeps the
    /// flag of its first search.
    pub(super) fn set_stop_flag(&mut self, stop_flag: Arc<AtomicBool>) {
        self.stop_flag = stop_flag;
    }

    /// Returns the move of the player; `None` if the game is over. `send` receives the progress of
    /// a search.
    pub(super) fn choose_move(
        &mut self,
        request: &GoRequest,
        send: &mut dyn FnMut(EngineMessage),
    ) -> Option<Move> {
        let position = &request.position;
        let moves = request.moves();
        let &first = moves.first()?;
        if request.go.clocks.is_some() && moves.len() == 1 {
            return Some(first);
        }
        if !self.settings.player.uses_clock() {
            let time = request.time.unwrap_or(Duration::MAX.into());
            let chosen = self.player()?.choose_move_in(position, time)?;
            return Some(chosen).filter(|mv| moves.contains(mv)).or(Some(first));
        }
        let mut search = StagedSearch {
            request,
            resources: Arc::clone(&self.resources),
            stop_flag: Arc::clone(&self.stop_flag),
            engine: (self.take_engine(position, send)).with_stop_flag(Arc::clone(&self.stop_flag)),
            lines: self.settings.lines,
            nodes_before: 0,
            depth_before: 0,
            last_infos: Vec::new(),
            send,
        };
        let report = search.run();
        if let Some(damage) = &report.table_damage {
            let message = format!("the search uses no table: {damage}");
            (search.send)(EngineMessage::InfoString(OneLine::new(&message)));
        }
        self.engine = Some((Variant::from_position(position), search.engine));
        report.best_move.or(Some(first))
    }

    /// Returns the player that does not obey search limits.
    fn player(&mut self) -> Option<&mut (dyn Player + Send + 'static)> {
        if self.player.is_none() {
            let spec = self.settings.player;
            let engines = self.resources.default_engine_factory();
            let engines = engines.with_stop_flag(Arc::clone(&self.stop_flag));
            let seed = self.settings.seed;
            let seed = seed.unwrap_or_else(|| self.resources.random_seed());
            self.player = spec.build_player(&spec.to_string(), seed, &engines);
        }
        self.player.as_deref_mut()
    }

    /// Returns the engine with the tables of the variant of `position`, or a new one.
    fn take_engine(&mut self, position: &Position, send: &mut dyn FnMut(EngineMessage)) -> Engine {
        let variant = Variant::from_position(position);
        if let Some((engine_variant, engine)) = self.engine.take()
            && engine_variant == variant
        {
            return engine;
        }
        match self.resources.engine_factory(&self.settings, position) {
            Ok(engines) => engines.build(),
            Err(reason) => {
                let message = format!("the search uses no tables: {reason}");
                send(EngineMessage::InfoString(OneLine::new(&message)));
                self.engine_without_tables(position).unwrap_or_default()
            }
        }
    }

    fn engine_without_tables(&self, position: &Position) -> Result<Engine, String> {
        let settings = EngineSettings {
            tables: TablesSetting::Disabled,
            ..self.settings.clone()
        };
        let engines = self.resources.engine_factory(&settings, position)?;
        Ok(engines.build())
    }
}

/// A search that sends its progress.
struct StagedSearch<'a> {
    request: &'a GoRequest,
    resources: Arc<dyn EngineResources>,
    stop_flag: Arc<AtomicBool>,
    engine: Engine,
    /// The number of moves whose scores and lines are sent.
    lines: u8,
    /// The nodes of the stages before this one.
    nodes_before: u64,
    /// The depth of the stage before this one, in turns.
    depth_before: u32,
    /// The last messages without their counters.
    last_infos: Vec<Info>,
    send: &'a mut dyn FnMut(EngineMessage),
}

impl StagedSearch<'_> {
    /// Searches within the limits of the request.
    fn run(&mut self) -> Report {
        let Go {
            nodes,
            depth,
            clocks,
            ..
        } = self.request.go;
        let mut limits = Limits {
            depth,
            nodes,
            goal: if clocks.is_some() {
                AnalysisGoal::OnlyBestMove
            } else {
                AnalysisGoal::BestMove
            },
            ..Limits::default()
        };
        if self.has_ranks() {
            limits.goal = AnalysisGoal::AllMargins;
            limits.estimates = Estimates::AllMoves;
            limits.lines = self.lines.into();
        }
        if let Some(time) = self.request.time {
            let time = time.after(self.elapsed());
            return self.run_stage(Limits {
                time: Some(time.limit()),
                target_time: time.target(),
                ..limits
            });
        }
        if nodes.is_some() || depth.is_some() {
            return self.run_stage(limits);
        }
        self.run_unlimited(limits)
    }

    /// Returns whether several moves are reported, with their ranks.
    fn has_ranks(&self) -> bool {
        self.lines > 1
    }

    /// Returns whether everything that the search reports is proven.
    fn is_proven(&self, report: &Report) -> bool {
        if self.has_ranks() {
            (report.moves.iter()).all(|candidate| candidate.bounds.is_exact())
        } else {
            report.certainty == Certainty::Exact
        }
    }

    /// Returns the time since the command was received.
    fn elapsed(&self) -> Duration {
        let now = self.resources.now();
        now.saturating_sub(self.request.started_at)
    }

    /// Searches until the margin is proven, or a stage ends before its time because it cannot
    /// improve the result, or the stop flag is set.
    fn run_unlimited(&mut self, limits: Limits) -> Report {
        let mut time = FIRST_STAGE_TIME;
        let mut best: Option<Report> = None;
        loop {
            let report = self.run_stage(Limits {
                time: Some(time),
                ..limits
            });
            self.nodes_before += report.nodes;
            let is_proven = self.is_proven(&report);
            let ended_early = report.time < time;
            // The results of a table that has turned out to be damaged are worth nothing.
            let last = best.filter(|last| last.table_damage == report.table_damage);
            let report = match last {
                // The stop flag has ended this stage at a lower depth than that of the last stage.
                Some(last) if !is_proven && report.depth < last.depth => last,
                _ => report,
            };
            if is_proven || ended_early || self.stop_flag.load(Ordering::Relaxed) {
                return report;
            }
            let engine = mem::take(&mut self.engine);
            self.engine = engine.with_known_bounds(report.move_bounds());
            self.depth_before = report.depth;
            best = Some(report);
            time = time.saturating_mul(STAGE_TIME_FACTOR);
        }
    }

    fn run_stage(&mut self, limits: Limits) -> Report {
        let engine = mem::take(&mut self.engine);
        self.engine = engine.with_root_moves(self.request.root_moves());
        let lines = self.lines;
        let Self {
            request,
            resources,
            engine,
            nodes_before,
            depth_before,
            last_infos,
            send,
            ..
        } = self;
        let clock = || resources.now().saturating_sub(request.started_at);
        let mut send_progress = |report: &Report| {
            let infos = infos_from_report(&request.position, report, lines);
            // A stage begins with depths that the stage before has already reported.
            let is_repeated =
                report.certainty == Certainty::Estimate && report.depth < *depth_before;
            if is_repeated || *last_infos == infos {
                return;
            }
            last_infos.clone_from(&infos);
            let (nodes, time) = (*nodes_before + report.nodes, clock());
            for info in infos {
                let info = with_counters(info, report, nodes, time);
                send(EngineMessage::Info(info));
            }
        };
        let report =
            engine.analyze_with_progress(&request.position, limits, &clock, &mut send_progress);
        send_progress(&report);
        report
    }
}

/// Returns depth, score, probabilities and principal variation of `report`, or those of its best
/// `lines` moves with their ranks if there are several.
fn infos_from_report(position: &Position, report: &Report, lines: u8) -> Vec<Info> {
    if lines == 1 {
        return vec![info_of_best_move(position, report)];
    }
    let mut candidates: Vec<&MoveReport> = report.moves.iter().collect();
    // The sort is stable: moves with equal estimates keep their order behind the best one.
    candidates.sort_by_key(|candidate| {
        let is_best = Some(candidate.mv) == report.best_move;
        Reverse((candidate.estimate, is_best))
    });
    (1..=lines)
        .zip(candidates)
        .map(|(rank, candidate)| Info {
            rank: Some(rank),
            ..info_of_candidate(position, report, candidate)
        })
        .collect()
}

fn info_of_best_move(position: &Position, report: &Report) -> Info {
    Info {
        depth: Some(report.depth),
        score: score(position, report, (report.margin(), report.bounds)),
        wdl: report.chances(position),
        pv: uki_line(position, &report.line, report.best_move),
        ..Info::default()
    }
}

fn info_of_candidate(position: &Position, report: &Report, candidate: &MoveReport) -> Info {
    let score = score(position, report, (candidate.estimate, candidate.bounds));
    Info {
        depth: Some(candidate.depth),
        score,
        wdl: score.map(|_| candidate.chances(position)),
        pv: uki_line(position, &candidate.line, Some(candidate.mv)),
        ..Info::default()
    }
}

/// Returns the score of a margin with its bounds. Before the first node the bounds are trivial, so
/// that there is none.
fn score(
    position: &Position,
    report: &Report,
    (margin, bounds): (Margin, Bounds),
) -> Option<Score> {
    let gain = position.gain(margin);
    if bounds.is_exact() {
        Some(Score::Exact(gain))
    } else {
        (report.nodes > 0).then_some(Score::Estimate(gain))
    }
}

/// Returns the plies of a line, or its first move alone if the line is not known.
fn uki_line(position: &Position, line: &[(Side, Move)], first: Option<Move>) -> Vec<UkiMove> {
    if line.is_empty() {
        let mv = first.map(|mv| UkiMove::new(position.to_move(), mv));
        return mv.into_iter().collect();
    }
    let plies = line.iter();
    plies.map(|&(side, mv)| UkiMove::new(side, mv)).collect()
}

/// Returns `info` with the counters of `report`, but all `nodes`, the time, and the nodes a second.
fn with_counters(info: Info, report: &Report, nodes: u64, time: Duration) -> Info {
    let time = Milliseconds::from(time);
    let scaled_nodes = u128::from(nodes) * MILLISECONDS_PER_SECOND;
    Info {
        nodes: Some(nodes),
        nps: (scaled_nodes.checked_div(time.get().into())).and_then(|nps| u64::try_from(nps).ok()),
        hash_fullness: report.hash_fullness,
        time: Some(time),
        ..info
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::num::NonZeroUsize;
    use std::ops::ControlFlow;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::AtomicU64;
    use std::time::SystemTime;

    use kalah::{Rules, Setup};
    use kalah_book::BookSet;
    use kalah_engine::TableCache;
    use kalah_players::{EngineFactory, MemorySize, PlayerSpec};
    use kalah_tables::{ChecksumPolicy, Table};

    use super::*;

    /// A clock that advances at each reading. In the second stage it changes a file, if there is
    /// one, and stops the search some readings later.
    #[derive(Default)]
    struct Resources {
        readings: AtomicU64,
        table: Option<PathBuf>,
        /// The time of the second stage after which the search is stopped.
        stop_after: Duration,
        stop_flag: Arc<AtomicBool>,
    }

    const TIME_OF_A_READING: Duration = Duration::from_millis(1);
    /// More readings than between the first stage and the second.
    const READINGS_BEFORE_CHANGE: u32 = 20;

    impl EngineResources for Resources {
        fn now(&self) -> Duration {
            let readings = self.readings.fetch_add(1, Ordering::Relaxed);
            let now = TIME_OF_A_READING.saturating_mul(u32::try_from(readings).unwrap_or(u32::MAX));
            let second_stage = now.saturating_sub(FIRST_STAGE_TIME);
            if second_stage == READINGS_BEFORE_CHANGE * TIME_OF_A_READING
                && let Some(table) = &self.table
            {
                let file = File::options().write(true).open(table);
                file.and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH))
                    .expect("a changed file");
            }
            if second_stage > self.stop_after {
                self.stop_flag.store(true, Ordering::Relaxed);
            }
            now
        }

        fn random_seed(&self) -> u64 {
            0
        }

        fn check_table_folder(&self, _folder: &Path) -> Result<(), String> {
            Ok(())
        }

        fn default_engine_factory(&self) -> EngineFactory {
            EngineFactory::new(NonZeroUsize::MIN, MemorySize::MIN, TableCache::new())
                .with_books(BookSet::default())
        }

        fn engine_factory(
            &self,
            _settings: &EngineSettings,
            _position: &Position,
        ) -> Result<EngineFactory, String> {
            Ok(self.default_engine_factory())
        }
    }

    fn settings() -> EngineSettings {
        EngineSettings {
            player: PlayerSpec::SMART,
            threads: NonZeroUsize::MIN,
            memory: MemorySize::MIN,
            tables: TablesSetting::Disabled,
            seed: None,
            lines: 1,
        }
    }

    fn request(start: &str, go: Go) -> GoRequest {
        let setup: Setup = start.parse().expect("a start");
        GoRequest {
            position: setup.position(Rules::CS32).expect("a position"),
            go,
            time: None,
            started_at: Duration::ZERO,
        }
    }

    /// Returns the progress of a search of `session`.
    fn search(session: &mut EngineSession, request: &GoRequest) -> Vec<Info> {
        let mut infos = Vec::new();
        let mv = session.choose_move(request, &mut |message| match message {
            EngineMessage::Info(info) => infos.push(info),
            other => panic!("{other}"),
        });
        assert!(mv.is_some());
        infos
    }

    #[test]
    fn results_of_searches_are_dropped_on_request() {
        let depth = Some(8);
        let request = request(
            "6x4",
            Go {
                depth,
                ..Go::default()
            },
        );
        let mut session = EngineSession::new(settings(), Arc::<Resources>::default());
        let mut nodes = || {
            let last = search(&mut session, &request).pop();
            let nodes = last.and_then(|info| info.nodes);
            (nodes, session.engine.is_some())
        };
        let (first, has_engine) = nodes();
        assert!(has_engine);
        assert!(nodes().0 < first);
        session.clear_search_state();
        let last = search(&mut session, &request).pop();
        assert_eq!(last.and_then(|info| info.nodes), first);
    }

    #[test]
    fn a_search_proves_the_best_move_before_its_margin() {
        let nodes = Some(u64::MAX);
        let request = request(
            "<6,1,4,0,3,11,1,6,0,3,1,4,1,6,7> s",
            Go {
                nodes,
                ..Go::default()
            },
        );
        let nodes_of_goal = |goal| {
            let limits = Limits {
                nodes,
                goal,
                ..Limits::default()
            };
            let mut engine = Resources::default().default_engine_factory().build();
            let report = engine.analyze(&request.position, limits, &|| Duration::ZERO);
            Some(report.nodes)
        };
        let mut session = EngineSession::new(settings(), Arc::<Resources>::default());
        let last = search(&mut session, &request).pop().expect("a result");
        assert_eq!(last.nodes, nodes_of_goal(AnalysisGoal::BestMove));
        assert_ne!(last.nodes, nodes_of_goal(AnalysisGoal::BestMargin));
    }

    #[test]
    fn a_stage_repeats_no_lower_depth() {
        let stop_flag = Arc::new(AtomicBool::new(false));
        let mut session = EngineSession::new(
            settings(),
            Arc::new(Resources {
                stop_after: FIRST_STAGE_TIME,
                stop_flag: Arc::clone(&stop_flag),
                ..Resources::default()
            }),
        );
        session.stop_flag = stop_flag;
        let infos = search(&mut session, &request("6x4", Go::default()));
        let depths: Vec<_> = infos.iter().map(|info| info.depth).collect();
        assert!(depths.is_sorted(), "{depths:?}");
        assert!(
            infos
                .iter()
                .all(|info| matches!(info.score, None | Some(Score::Estimate(_))))
        );
        let first_stage = Milliseconds::from(FIRST_STAGE_TIME);
        let is_second_stage = |info: &Info| info.time > Some(first_stage);
        assert!(infos.iter().any(is_second_stage), "{infos:?}");
        assert!(!infos.iter().all(is_second_stage), "{infos:?}");
    }

    #[test]
    fn stage_that_is_stopped_replaces_results_of_a_damaged_table() {
        let position = Position::start(6, 4, Rules::CS32).expect("a start");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table");
        let (variant, threads) = (Variant::from_position(&position), NonZeroUsize::MIN);
        let go_on = &mut |_| ControlFlow::Continue(());
        Table::build_file(&path, variant, 4, threads, go_on).expect("a table");
        let tables = TableCache::new();
        tables.insert(Table::open(&path, ChecksumPolicy::Verify).expect("a table"));
        let request = request("6x4", Go::default());
        let stop_flag = Arc::new(AtomicBool::new(false));
        let engine = Engine::new().with_memory(1 << 20).with_tables(tables);
        let mut search = StagedSearch {
            request: &request,
            resources: Arc::new(Resources {
                readings: AtomicU64::new(0),
                table: Some(path),
                stop_after: 2 * READINGS_BEFORE_CHANGE * TIME_OF_A_READING,
                stop_flag: Arc::clone(&stop_flag),
            }),
            stop_flag: Arc::clone(&stop_flag),
            engine: engine.with_stop_flag(stop_flag),
            lines: 1,
            nodes_before: 0,
            depth_before: 0,
            last_infos: Vec::new(),
            send: &mut |_| {},
        };
        let report = search.run();
        assert!(report.table_damage.is_some());
    }
}
