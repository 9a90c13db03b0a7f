//! Contestants that can be asked for a move: built-in players and programs of each protocol.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kalah::{Game, Margin, Move, MoveTime, Player, Position, Side, TimeLimit};
use kalah_book::BookSet;
use kalah_engine::{AnalysisGoal, Engine, Limits, MinimaxPlayer, SmartPlayer};

use crate::contestant_spec::{ContestantKind, ContestantSpec};
use crate::engine_factory::{EngineFactory, MemorySize};
use crate::move_limits::MoveLimits;
use crate::player_spec::{PlayerKind, PlayerSpec};
use crate::program::{ParticipantFailure, Program, Shutdown};

/// A contestant that can be asked for a move: a built-in player, or a program of any protocol.
pub struct Participant(Kind);

enum Kind {
    Builtin(Box<BuiltinPlayer>),
    Program(Box<dyn Program + Send>),
}

impl Participant {
    /// Returns a participant that has started nothing yet.
    ///
    /// A request on `shutdown` aborts its games with [`ParticipantFailure::Aborted`].
    pub fn new(spec: &ContestantSpec, memory: MemorySize, shutdown: &Shutdown) -> Self {
        Self(match &spec.kind {
            ContestantKind::Builtin(spec) => {
                let player = BuiltinPlayer::new(*spec, memory, shutdown.flag());
                Kind::Builtin(Box::new(player))
            }
            ContestantKind::Program(program) => {
                let create = program.protocol.create;
                Kind::Program(create(program.clone(), shutdown.clone()))
            }
        })
    }

    /// Starts the program of the contestant once, to find out whether it can be started.
    ///
    /// # Errors
    /// Returns the failure if the program cannot be started or exits at once.
    pub fn check_starts(&mut self, start: &Position) -> Result<(), ParticipantFailure> {
        match &mut self.0 {
            Kind::Builtin(_) => Ok(()),
            Kind::Program(program) => program.check_starts(start),
        }
    }

    /// Prepares for a game that the contestant begins on the side `started_as`. `seed` determines
    /// the random choices of built-in players.
    ///
    /// # Errors
    /// Returns the failure of a program that does not start.
    pub fn start_game(&mut self, started_as: Side, seed: u64) -> Result<(), ParticipantFailure> {
        match &mut self.0 {
            Kind::Builtin(player) => {
                player.start_game(seed);
                Ok(())
            }
            Kind::Program(program) => program.start_game(started_as),
        }
    }

    /// Asks for a move, and returns it with the time that it took.
    ///
    /// # Errors
    /// Returns the failure of a contestant without a valid answer. The caller checks the move
    /// against the rules.
    pub fn choose_move(
        &mut self,
        game: &Game,
        limits: &MoveLimits,
    ) -> Result<(Move, Duration), ParticipantFailure> {
        match &mut self.0 {
            Kind::Builtin(player) => {
                let start = Instant::now();
                let mv = player.choose_move(game.position(), limits)?;
                Ok((mv, start.elapsed()))
            }
            Kind::Program(program) => program.choose_move(game, limits),
        }
    }

    /// Takes the margin at the end of the game that the contestant has estimated for itself with
    /// its last move; `None` if there is no estimate.
    pub fn take_estimate(&mut self) -> Option<Margin> {
        match &mut self.0 {
            Kind::Builtin(player) => player.estimate.take(),
            Kind::Program(program) => program.take_estimate(),
        }
    }

    /// Informs the contestant that began on the side `started_as` of the last ply of `game`, which
    /// is its own or the opponent's.
    pub fn notify_ply(&mut self, game: &Game, started_as: Side, is_own_ply: bool) {
        if let Kind::Program(program) = &mut self.0 {
            program.notify_ply(game, started_as, is_own_ply);
        }
    }

    /// Ends the game. A program may keep running for the next one.
    pub fn end_game(&mut self) {
        if let Kind::Program(program) = &mut self.0 {
            program.end_game();
        }
    }

    /// Takes the first line since the last call that the program wrote and its protocol does not
    /// know, with the reason.
    pub fn take_ignored_line(&mut self) -> Option<String> {
        match &mut self.0 {
            Kind::Builtin(_) => None,
            Kind::Program(program) => program.take_ignored_line(),
        }
    }

    /// Ends the program. The next game starts it again.
    pub fn shut_down(&mut self) {
        if let Kind::Program(program) = &mut self.0 {
            program.shut_down();
        }
    }
}

/// A built-in player as a contestant. It keeps nothing from earlier games, so that each game is
/// reproducible.
struct BuiltinPlayer {
    spec: PlayerSpec,
    memory: MemorySize,
    /// The flag that is set when the game is aborted.
    stop_flag: Arc<AtomicBool>,
    /// `None` before the first move of a player that obeys limits, whose limits decide the
    /// strategy.
    strategy: Option<BuiltinStrategy>,
    /// The margin that the player has estimated for itself with its last move.
    estimate: Option<Margin>,
}

/// The way in which a built-in player chooses its moves.
enum BuiltinStrategy {
    /// A search with a time limit.
    TimeLimited(Box<SmartPlayer>),
    /// A search with a limit of nodes.
    NodeLimited(Box<Engine>),
    /// A player that ignores limits.
    Other(Box<dyn Player + Send>),
}

impl BuiltinPlayer {
    fn new(spec: PlayerSpec, memory: MemorySize, stop_flag: Arc<AtomicBool>) -> Self {
        Self {
            spec,
            memory,
            stop_flag,
            strategy: None,
            estimate: None,
        }
    }

    /// Prepares for a game. `seed` determines the random choices.
    fn start_game(&mut self, seed: u64) {
        self.strategy = None;
        let name = self.spec.to_string();
        self.strategy = match self.spec.kind {
            PlayerKind::Minimax { depth } => {
                let minimax = MinimaxPlayer::new(name, depth);
                let minimax = minimax.with_stop_flag(Arc::clone(&self.stop_flag));
                Some(BuiltinStrategy::Other(Box::new(minimax)))
            }
            _ if self.spec.uses_clock() => None,
            _ => {
                let player = self
                    .spec
                    .build_player(&name, seed, &EngineFactory::default());
                player.map(BuiltinStrategy::Other)
            }
        };
    }

    fn engine(&self) -> Engine {
        let bytes = usize::try_from(self.memory.bytes()).unwrap_or(usize::MAX);
        Engine::new()
            .with_threads(NonZeroUsize::MIN)
            .with_memory(bytes)
            .with_books(BookSet::embedded())
            .with_stop_flag(Arc::clone(&self.stop_flag))
    }

    fn new_strategy(&self, limits: &MoveLimits) -> BuiltinStrategy {
        if limits.think.nodes.is_some() {
            return BuiltinStrategy::NodeLimited(Box::new(self.engine()));
        }
        let origin = Instant::now();
        let smart = SmartPlayer::with_engine(self.spec.to_string(), self.engine(), move || {
            origin.elapsed()
        });
        BuiltinStrategy::TimeLimited(Box::new(smart))
    }

    fn choose_move(
        &mut self,
        position: &Position,
        limits: &MoveLimits,
    ) -> Result<Move, ParticipantFailure> {
        let own_time = self.spec.time_limit.map(TimeLimit::get);
        let time = match (limits.time_for_move(position), own_time) {
            (Some(time), Some(own_time)) => Some(time.min(own_time)),
            (time, own_time) => time.or(own_time.map(MoveTime::fixed)),
        };
        let mut strategy = match self.strategy.take() {
            Some(strategy) => strategy,
            None => self.new_strategy(limits),
        };
        let chosen = match &mut strategy {
            BuiltinStrategy::TimeLimited(smart) => {
                let time = time.unwrap_or(SmartPlayer::DEFAULT_TIME_LIMIT.into());
                let decision = smart.decide(position, time);
                decision.map(|decision| (decision.mv, decision.margin))
            }
            BuiltinStrategy::NodeLimited(engine) => {
                choose_within_limits(engine, position, node_limits(limits.think.nodes, time))
            }
            BuiltinStrategy::Other(player) => {
                let mv = player.choose_move_in(position, time.unwrap_or(Duration::MAX.into()));
                mv.map(|mv| (mv, None))
            }
        };
        self.strategy = Some(strategy);
        self.estimate = chosen.and_then(|(_, margin)| margin);
        let mv = chosen.map(|(mv, _)| mv);
        if self.stop_flag.load(Ordering::Relaxed) {
            return Err(ParticipantFailure::Aborted);
        }
        mv.ok_or_else(|| ParticipantFailure::ProtocolError("no answer".to_owned()))
    }
}

/// Returns the limits of a search for a move within a number of nodes and a time.
fn node_limits(nodes: Option<u64>, time: Option<MoveTime>) -> Limits {
    let target_time = time.and_then(MoveTime::target);
    Limits {
        time: time.map(MoveTime::limit),
        target_time,
        nodes,
        goal: if target_time.is_some() {
            AnalysisGoal::OnlyBestMove
        } else {
            AnalysisGoal::BestMove
        },
        ..Limits::default()
    }
}

/// Returns the best move of a search, with the margin that the search expects. A single legal move
/// is returned without a search.
fn choose_within_limits(
    engine: &mut Engine,
    position: &Position,
    limits: Limits,
) -> Option<(Move, Option<Margin>)> {
    let mut moves = position.legal_moves();
    if let (only, None) = (moves.next(), moves.next()) {
        return only.map(|mv| (mv, None));
    }
    let origin = Instant::now();
    let report = engine.analyze(position, limits, &|| origin.elapsed());
    report.best_move.map(|mv| (mv, Some(report.margin())))
}

#[cfg(test)]
mod tests {
    use kalah::Rules;

    use super::*;
    use crate::move_limits::ThinkLimits;

    #[test]
    fn limits_of_the_first_move_decide_the_strategy_of_a_search() {
        let position = Position::start(6, 4, Rules::CS32).expect("a start");
        let limits = MoveLimits {
            think: ThinkLimits {
                nodes: Some(1),
                ..ThinkLimits::default()
            },
            time: None,
            timeout: Duration::MAX,
        };
        let player = |spec: &str| {
            let spec = spec.parse().expect("a player");
            let mut player = BuiltinPlayer::new(spec, MemorySize::MIN, Arc::default());
            player.start_game(0);
            player
        };
        for spec in ["smart", "level:10"] {
            let mut player = player(spec);
            assert!(player.strategy.is_none(), "{spec}");
            player.choose_move(&position, &limits).expect("a move");
            let strategy = player.strategy;
            assert!(
                matches!(strategy, Some(BuiltinStrategy::NodeLimited(_))),
                "{spec}"
            );
        }
        for spec in ["first", "random", "minimax:1", "level:1"] {
            let strategy = player(spec).strategy;
            assert!(
                matches!(strategy, Some(BuiltinStrategy::Other(_))),
                "{spec}"
            );
        }
    }

    #[test]
    fn a_search_with_a_limit_of_nodes_uses_a_clock_by_its_target() {
        let [target, limit] = [1, 3].map(Duration::from_secs);
        let on_clock = node_limits(Some(7), Some(MoveTime::on_clock(target, limit)));
        let expected = Limits {
            time: Some(limit),
            target_time: Some(target),
            nodes: Some(7),
            goal: AnalysisGoal::OnlyBestMove,
            ..Limits::default()
        };
        assert_eq!(on_clock, expected);
        let without_clock = Limits {
            target_time: None,
            goal: AnalysisGoal::BestMove,
            ..expected
        };
        assert_eq!(node_limits(Some(7), Some(limit.into())), without_clock);
    }

    #[test]
    fn a_search_visits_no_more_nodes_than_its_limit() {
        let is_other_move_than_the_best = |(houses, seeds)| {
            let position = Position::start(houses, seeds, Rules::CS32).expect("a start");
            let moves = [Some(1), None].map(|nodes| {
                let mut engine = Engine::new().with_memory(1 << 20);
                choose_within_limits(&mut engine, &position, node_limits(nodes, None))
            });
            assert!(moves.iter().all(Option::is_some));
            moves[0] != moves[1]
        };
        let mut starts = (2..=4).flat_map(|houses| (1..=3).map(move |seeds| (houses, seeds)));
        assert!(starts.any(is_other_move_than_the_best));
    }
}
