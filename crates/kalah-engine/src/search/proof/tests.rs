use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use kalah::{Player, Position, Rules, Side, reference};
use kalah_tables::{Table, Variant};

use super::*;
use crate::RandomPlayer;
use crate::any_houses::GenericBoard;
use crate::busy::CurrentlySearching;
use crate::endgames::NoEndgameTable;
use crate::packed::PackedBoard;
use crate::proof_memory::ProofTable;
use crate::search::FULL_DEPTH;
use crate::stop::{SearchControl, SearchLimits, SharedControl};
use crate::transposition::TranspositionTable;

const MEMORY: usize = 4 << 20;

/// Questions about a position are asked of choices at its root, one for each gain that there is.
struct Asker<'p> {
    position: &'p Position,
    threads: usize,
    /// Marks of threads that never end.
    marks: bool,
    /// Each question is asked in vain before, with so few positions to search.
    in_vain: u64,
}

/// What the naive twin says that a choice gains.
fn gain_of(position: &Position, choice: Move) -> i32 {
    let mut next = position.clone();
    next.play(choice).unwrap();
    let margin = reference::margin(&next).seeds();
    let same_player = next.to_move() == position.to_move();
    let lead = position.lead().seeds();
    if same_player {
        margin - lead
    } else {
        -margin - lead
    }
}

/// Marks every other position in the plies to come as another thread's.
fn mark<H: SearchBoard, E: EndgameTable>(
    shared: SearchContext<H, E>,
    busy: &CurrentlySearching,
    spot: &Node<H>,
    plies: u32,
) {
    let children = shared.root_children(&spot.board, spot.in_play);
    for (index, (_, child)) in children.into_iter().enumerate() {
        let Err(Child { node: spot, .. }) = child else {
            continue;
        };
        if index % 2 == 0 {
            busy.begin(spot.board.key(shared.move_tables));
        }
        if plies > 1 {
            mark(shared, busy, &spot, plies - 1);
        }
    }
}

impl Asker<'_> {
    /// Compares all answers with the naive twin; how many deserved proof numbers.
    fn compare<H: SearchBoard, E: EndgameTable>(&self, endgames: &E) -> usize {
        let Self { position, .. } = self;
        let in_play = Side::ALL
            .map(|side| i32::from(position.row_total(side)))
            .iter()
            .sum();
        let (houses, game) = (
            H::from_position(position).unwrap(),
            H::move_tables(position).unwrap(),
        );
        let mut transpositions = TranspositionTable::new(MEMORY, position.houses().into());
        let mut proofs = ProofTable::new(MEMORY);
        let busy = CurrentlySearching::new();
        let shared = SearchContext {
            move_tables: &game,
            transpositions: transpositions.share(),
            proof_table: proofs.share(),
            endgames,
            currently_searching: (self.threads > 1 || self.marks).then_some(&busy),
        };
        let mut deserving = 0;
        for (choice, child) in shared.root_children(&houses, in_play) {
            let Err(child) = child else { continue };
            if self.marks {
                mark(shared, &busy, &child.node, 4);
            }
            let gain = gain_of(position, choice);
            for wanted in -in_play..=in_play {
                let ask = || self.ask(shared, &child, wanted);
                let answers: Vec<bool> = thread::scope(|scope| {
                    let asked: Vec<_> = (0..self.threads).map(|_| scope.spawn(ask)).collect();
                    (asked.into_iter().map(|asked| asked.join().unwrap())).collect()
                });
                let expected = vec![gain >= wanted; self.threads];
                assert_eq!(answers, expected, "{wanted} by {choice:?} in '{position}'");
                let stop = SharedControl::default();
                let search = Search::new(shared, SearchControl::new(NO_LIMITS, &stop));
                deserving += usize::from(search.uses_proof_numbers(&child.node, 1));
            }
        }
        deserving
    }

    fn ask<H: SearchBoard, E: EndgameTable>(
        &self,
        shared: SearchContext<H, E>,
        child: &Child<H>,
        wanted: i32,
    ) -> bool {
        let stop = SharedControl::default();
        let mut search = Search::new(shared, SearchControl::new(NO_LIMITS, &stop));
        let window = Window::null_at(wanted);
        if self.in_vain > 0 {
            // Whatever it was stopped at, it goes on from there.
            let _ = search.with_node_limit(self.in_vain, |search| {
                search.search_root_child(child, FULL_DEPTH, window)
            });
        }
        let found = search.search_root_child(child, FULL_DEPTH, window);
        let found = found.unwrap();
        assert!(found.proven);
        found.gain >= wanted
    }
}

const NO_LIMITS: SearchLimits = SearchLimits {
    deadline: None,
    stop_flag: None,
    max_nodes: u64::MAX,
};

/// Small positions under all rule sets, some plies into a game, of which `how` makes something to
/// compare; how many questions deserved proof numbers.
fn compare_all(how: impl Fn(u64, &Position) -> usize) -> usize {
    const BOARDS: [(u8, u64); 4] = [(3, 2), (2, 4), (4, 2), (3, 3)];
    let mut deserving = 0;
    for preset in Rules::PRESETS {
        for (seed, (houses, seeds)) in (0..12).zip(BOARDS.into_iter().cycle()) {
            let mut position = Position::start(houses, seeds, preset.rules).unwrap();
            let mut random = RandomPlayer::new("Random", seed);
            for _ in 0..2 + seed % 5 {
                if let Some(choice) = random.choose_move(&position, Duration::ZERO) {
                    position.play(choice).unwrap();
                }
            }
            if !position.is_over() && PackedBoard::<u64>::from_position(&position).is_some() {
                deserving += how(seed, &position);
            }
        }
    }
    deserving
}

fn asker(position: &Position) -> Asker<'_> {
    Asker {
        position,
        threads: 1,
        marks: false,
        in_vain: 0,
    }
}

#[test]
fn answers_agree_with_the_naive_twin_however_houses_are_packed() {
    let deserving = compare_all(|seed, position| {
        let asker = asker(position);
        match seed % 3 {
            0 => asker.compare::<PackedBoard<u64>, _>(&NoEndgameTable),
            1 => asker.compare::<PackedBoard<u128>, _>(&NoEndgameTable),
            _ => asker.compare::<GenericBoard<u64>, _>(&NoEndgameTable),
        }
    });
    assert!(deserving > 1_000, "{deserving}");
}

#[test]
fn answers_agree_with_the_naive_twin_above_a_table() {
    let deserving = compare_all(|_, position| {
        let threads = NonZeroUsize::MIN;
        let table = Table::build(Variant::from_position(position), 4, threads, &mut |_| {
            ControlFlow::Continue(())
        });
        asker(position).compare::<PackedBoard<u64>, _>(&table.unwrap())
    });
    assert!(deserving > 500, "{deserving}");
}

#[test]
fn threads_agree_with_the_naive_twin() {
    let deserving = compare_all(|_, position| {
        let asker = Asker {
            threads: 3,
            ..asker(position)
        };
        asker.compare::<PackedBoard<u64>, _>(&NoEndgameTable)
    });
    assert!(deserving > 1_000, "{deserving}");
}

/// A thread once went in circles where what it wanted to leave to another one was all that was left.
#[test]
fn marks_that_nobody_takes_away_hold_nobody_up() {
    let deserving = compare_all(|_, position| {
        let asker = Asker {
            marks: true,
            ..asker(position)
        };
        asker.compare::<PackedBoard<u64>, _>(&NoEndgameTable)
    });
    assert!(deserving > 1_000, "{deserving}");
}

#[test]
fn a_search_that_was_stopped_goes_on() {
    let deserving = compare_all(|seed, position| {
        let asker = Asker {
            in_vain: 1 + seed * seed,
            ..asker(position)
        };
        asker.compare::<PackedBoard<u64>, _>(&NoEndgameTable)
    });
    assert!(deserving > 1_000, "{deserving}");
}
