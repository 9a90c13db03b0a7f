//! Proof-number search against the naive reference.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use kalah::{Player, Position, Rules, Variant, reference};
use kalah_board::PackedBoard;
use kalah_tables::Table;
use test_tools::sample_or_all;

use super::*;
use crate::board::search_board::GenericBoard;
use crate::endgame_tables::NoEndgameTable;
use crate::evaluation::{Evaluator, Network};
use crate::players::RandomPlayer;
use crate::search::alpha_beta::FULL_DEPTH;
use crate::search::context::CurrentlySearching;
use crate::search::control::{SearchControl, SearchLimits, SharedControl};
use crate::search::node::{Child, RootChild};
use crate::search::proof_cost::ProofCostModel;
use crate::search::proof_numbers::ProofTable;
use crate::tt::TranspositionTable;

const TABLE_BYTES: usize = 4 << 20;

/// Proves every possible gain of every root move.
struct ProofComparison<'p> {
    position: &'p Position,
    threads: usize,
    /// Whether half of the nodes are marked as under search by a thread that never ends.
    stale_marks: bool,
    /// If positive, each goal is searched once before with this node limit.
    interrupted_nodes: u64,
}

/// Returns the gain of a move by the naive reference.
fn naive_gain(position: &Position, mv: Move) -> i32 {
    let mut next = position.clone();
    next.play(mv).unwrap();
    let margin = reference::margin(&next).seeds();
    let same_player = next.to_move() == position.to_move();
    let lead = position.lead().seeds();
    if same_player {
        margin - lead
    } else {
        -margin - lead
    }
}

/// Marks every other node of the next plies as under search by another thread.
fn mark_every_other_child<H: SearchBoard, E: EndgameTable>(
    context: SearchContext<H, E>,
    currently_searching: &CurrentlySearching,
    node: &Node<H>,
    plies: u32,
) {
    let children = context.root_children(&node.board, node.in_play);
    for (index, (_, child)) in children.into_iter().enumerate() {
        let RootChild::Open(Child { node, .. }) = child else {
            continue;
        };
        if index % 2 == 0 {
            currently_searching.begin(node.board.key(context.move_tables));
        }
        if plies > 1 {
            mark_every_other_child(context, currently_searching, &node, plies - 1);
        }
    }
}

impl ProofComparison<'_> {
    /// Compares all results with the naive reference and returns how many goals used proof numbers.
    fn count_matching_goals<H: SearchBoard, E: EndgameTable>(&self, endgames: &E) -> usize {
        let Self { position, .. } = self;
        let in_play = position.seeds_in_play().into();
        let (houses, move_tables) = (
            H::from_position(position).unwrap(),
            H::move_tables(position).unwrap(),
        );
        let mut transpositions = TranspositionTable::new(TABLE_BYTES, position.houses().into());
        let mut proof_table = ProofTable::new(TABLE_BYTES);
        let currently_searching = CurrentlySearching::new();
        let network = Network::embedded();
        let context = SearchContext {
            move_tables: &move_tables,
            transpositions: transpositions.share(),
            proof_table: proof_table.share(),
            endgames,
            evaluator: &Evaluator::of_game(&network, position),
            cost_model: &ProofCostModel::TUNED,
            currently_searching: (self.threads > 1 || self.stale_marks)
                .then_some(&currently_searching),
        };
        let mut proof_number_goals = 0;
        for (mv, child) in context.root_children(&houses, in_play) {
            let RootChild::Open(child) = child else {
                continue;
            };
            if self.stale_marks {
                mark_every_other_child(context, &currently_searching, &child.node, 4);
            }
            let gain = naive_gain(position, mv);
            for target_gain in -in_play..=in_play {
                let prove = || self.prove(context, &child, target_gain);
                let results: Vec<bool> = thread::scope(|scope| {
                    let handles: Vec<_> = (0..self.threads).map(|_| scope.spawn(prove)).collect();
                    (handles.into_iter().map(|handle| handle.join().unwrap())).collect()
                });
                let expected = vec![gain >= target_gain; self.threads];
                assert_eq!(results, expected, "{target_gain} by {mv:?} in '{position}'");
                let control = SharedControl::default();
                let search = Search::new(context, SearchControl::new(NO_LIMITS, &control));
                proof_number_goals += usize::from(search.uses_proof_numbers(&child.node, 1));
            }
        }
        proof_number_goals
    }

    fn prove<H: SearchBoard, E: EndgameTable>(
        &self,
        context: SearchContext<H, E>,
        child: &Child<H>,
        target_gain: i32,
    ) -> bool {
        let control = SharedControl::default();
        let mut search = Search::new(context, SearchControl::new(NO_LIMITS, &control));
        let window = Window::null_at(target_gain);
        if self.interrupted_nodes > 0 {
            // Stopped or not, the next search resumes from the tables.
            let _ = search.with_node_limit(self.interrupted_nodes, |search| {
                search.search_root_child(child, FULL_DEPTH, window)
            });
        }
        let value = search.search_root_child(child, FULL_DEPTH, window);
        let value = value.unwrap();
        assert!(value.proven);
        value.gain >= target_gain
    }
}

const NO_LIMITS: SearchLimits = SearchLimits {
    deadline: None,
    stop_flags: &[],
    max_nodes: u64::MAX,
    heartbeat: None,
};

/// Positions under each rule set in the plain test run.
const SAMPLE: u64 = 4;

/// Positions under each rule set in the slow test.
const ALL: u64 = 12;

/// Runs `compare` on small positions under each rule set, some plies into a game. Checks that more
/// than `min_goals` goals use proof numbers, the first number in the plain test run and the second
/// in the slow one.
fn compare_all(min_goals: (usize, usize), compare: impl Fn(u64, &Position) -> usize) {
    const BOARDS: [(u8, u64); 4] = [(3, 2), (2, 4), (4, 2), (3, 3)];
    let (positions, min_goals) = sample_or_all((SAMPLE, min_goals.0), (ALL, min_goals.1));
    let mut proof_number_goals = 0;
    for preset in Rules::PRESETS {
        for (seed, (houses, seeds)) in (0..positions).zip(BOARDS.into_iter().cycle()) {
            let mut position = Position::start(houses, seeds, preset.rules).unwrap();
            let mut random = RandomPlayer::new("Random", seed);
            for _ in 0..2 + seed % 5 {
                if let Some(mv) = random.choose_move(&position, Duration::ZERO) {
                    position.play(mv).unwrap();
                }
            }
            if !position.is_over() && PackedBoard::<u64>::from_position(&position).is_some() {
                proof_number_goals += compare(seed, &position);
            }
        }
    }
    assert!(proof_number_goals > min_goals, "{proof_number_goals}");
}

fn comparison_of(position: &Position) -> ProofComparison<'_> {
    ProofComparison {
        position,
        threads: 1,
        stale_marks: false,
        interrupted_nodes: 0,
    }
}

#[test]
fn results_match_the_naive_reference_for_all_board_types() {
    compare_all((100, 1_000), |seed, position| {
        let comparison = comparison_of(position);
        match seed % 3 {
            0 => comparison.count_matching_goals::<PackedBoard<u64>, _>(&NoEndgameTable),
            1 => comparison.count_matching_goals::<PackedBoard<u128>, _>(&NoEndgameTable),
            _ => comparison
                .count_matching_goals::<GenericBoard<PackedBoard<u64>>, _>(&NoEndgameTable),
        }
    });
}

#[test]
fn results_match_the_naive_reference_above_an_endgame_table() {
    compare_all((50, 500), |_, position| {
        let threads = NonZeroUsize::MIN;
        let table = Table::build(Variant::from_position(position), 4, threads, &mut |_| {
            ControlFlow::Continue(())
        });
        comparison_of(position).count_matching_goals::<PackedBoard<u64>, _>(&table.unwrap())
    });
}

#[test]
fn parallel_results_match_the_naive_reference() {
    compare_all((100, 1_000), |_, position| {
        let comparison = ProofComparison {
            threads: 3,
            ..comparison_of(position)
        };
        comparison.count_matching_goals::<PackedBoard<u64>, _>(&NoEndgameTable)
    });
}

/// Regression test: a thread looped forever when all children were under search elsewhere.
#[test]
fn search_ends_although_marks_are_never_cleared() {
    compare_all((100, 1_000), |_, position| {
        let comparison = ProofComparison {
            stale_marks: true,
            ..comparison_of(position)
        };
        comparison.count_matching_goals::<PackedBoard<u64>, _>(&NoEndgameTable)
    });
}

#[test]
fn stopped_search_resumes() {
    compare_all((100, 1_000), |seed, position| {
        let comparison = ProofComparison {
            interrupted_nodes: 1 + seed * seed,
            ..comparison_of(position)
        };
        comparison.count_matching_goals::<PackedBoard<u64>, _>(&NoEndgameTable)
    });
}
