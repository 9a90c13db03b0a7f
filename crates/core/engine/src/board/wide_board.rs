//! Wide boards as the search sees them.

use kalah::{Move, Position};
use kalah_board::{Successor, WideBoard, WideRow, WideSowTable};

use super::key::PositionKey;
use super::search_board::{SearchBoard, WideRowBytes, to_row_bytes};

/// Up to 15 houses a side in 256 bits a row, or up to 26 in 512 bits, with any number of seeds.
impl<const WORDS: usize> SearchBoard for WideBoard<WORDS> {
    type MoveTables = WideSowTable<WORDS>;
    type RowBytes = WideRowBytes;

    fn move_tables(position: &Position) -> Option<Self::MoveTables> {
        WideSowTable::from_position(position)
    }

    fn from_position(position: &Position) -> Option<Self> {
        WideBoard::from_position(position)
    }

    #[inline]
    fn for_each_move(&self, tables: &Self::MoveTables, each: impl FnMut(Move, Successor<Self>)) {
        tables.for_each_move(self, each);
    }

    #[inline]
    fn row_bytes(&self) -> [Self::RowBytes; 2] {
        [&self.own, &self.other].map(|row| to_row_bytes(row.lanes()))
    }

    #[inline]
    fn occupied_counts(&self) -> [i32; 2] {
        [&self.own, &self.other].map(|row| row.occupied_count().into())
    }

    #[inline]
    fn bonus_turn_counts(&self) -> [i32; 2] {
        [&self.own, &self.other].map(|row| row.bonus_turn_count().into())
    }

    #[inline]
    fn is_cacheable(&self) -> bool {
        true
    }

    #[inline]
    fn key(&self, _: &Self::MoveTables) -> PositionKey {
        PositionKey::hash_wide(self)
    }

    fn packed_rows(&self) -> Option<[u64; 2]> {
        let pack = |row: &WideRow<WORDS>| {
            let mut bytes = [0; size_of::<u64>()];
            for (index, seeds) in row.lanes().enumerate().filter(|&(_, seeds)| seeds > 0) {
                *bytes.get_mut(index)? = u8::try_from(seeds).ok()?;
            }
            Some(u64::from_le_bytes(bytes))
        };
        Some([pack(&self.own)?, pack(&self.other)?])
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::num::NonZeroUsize;
    use std::time::Duration;

    use kalah::{FirstPlies, Player, Rules, Setup};
    use kalah_board::PackedBoard;

    use super::*;
    use crate::analysis::request::gain_range;
    use crate::board::search_board::GenericBoard;
    use crate::endgame_tables::NoEndgameTable;
    use crate::evaluation::{Evaluator, Network};
    use crate::players::RandomPlayer;
    use crate::search::context::SearchContext;
    use crate::search::control::{SearchLimits, SharedControl};
    use crate::search::proof_cost::ProofCostModel;
    use crate::search::proof_numbers::ProofTable;
    use crate::search::root::RootSearch;
    use crate::tt::TranspositionTable;

    /// A board type for no position: a [`GenericBoard`] of it is always a complete position.
    #[derive(Clone)]
    struct NoBoard(Infallible);

    impl SearchBoard for NoBoard {
        type MoveTables = Infallible;
        type RowBytes = WideRowBytes;

        fn move_tables(_: &Position) -> Option<Infallible> {
            None
        }

        fn from_position(_: &Position) -> Option<Self> {
            None
        }

        fn for_each_move(&self, _: &Infallible, _: impl FnMut(Move, Successor<Self>)) {
            match self.0 {}
        }

        fn row_bytes(&self) -> [WideRowBytes; 2] {
            match self.0 {}
        }

        fn occupied_counts(&self) -> [i32; 2] {
            match self.0 {}
        }

        fn bonus_turn_counts(&self) -> [i32; 2] {
            match self.0 {}
        }

        fn is_cacheable(&self) -> bool {
            match self.0 {}
        }

        fn key(&self, _: &Infallible) -> PositionKey {
            match self.0 {}
        }

        fn packed_rows(&self) -> Option<[u64; 2]> {
            match self.0 {}
        }
    }

    type SlowBoard = GenericBoard<NoBoard>;

    const LIMITS: SearchLimits = SearchLimits {
        deadline: None,
        stop_flags: &[],
        max_nodes: 2_000,
        heartbeat: None,
    };

    const TT_BYTES: usize = 1 << 20;

    /// Boards on both sides of the limits of houses and seeds.
    const STARTS: [(u8, u64); 14] = [
        (1, 200),
        (2, 100),
        (4, 50),
        (6, 22),
        (7, 30),
        (8, 16),
        (12, 11),
        (12, 12),
        (15, 17),
        (16, 4),
        (20, 6),
        (26, 1),
        (26, 6),
        (26, 1_260),
    ];

    /// Calls `check` with positions of random games from all starts under all presets.
    fn for_each_position(check: impl Fn(&Position)) {
        for preset in Rules::PRESETS {
            for (seed, (houses, seeds)) in (0..).zip(STARTS) {
                let mut position = Position::start(houses, seeds, preset.rules).unwrap();
                let mut random = RandomPlayer::new("Random", seed);
                for ply in 0..40 {
                    if ply % 13 == 0 && !position.is_over() {
                        check(&position);
                    }
                    if let Some(mv) = random.choose_move(&position, Duration::ZERO) {
                        position.play(mv).unwrap();
                    }
                }
            }
        }
    }

    /// Searches deeper and deeper within [`LIMITS`]. Returns the best move and its gain after each
    /// iteration, and the nodes.
    fn search<H: SearchBoard>(position: &Position) -> (Vec<(Move, i32)>, u64) {
        let board = H::from_position(position).unwrap();
        let move_tables = H::move_tables(position).unwrap();
        let mut transpositions = TranspositionTable::new(TT_BYTES, position.houses().into());
        let mut proof_table = ProofTable::new(0);
        let network = Network::embedded();
        let context = SearchContext {
            move_tables: &move_tables,
            transpositions: transpositions.share(),
            proof_table: proof_table.share(),
            endgames: &NoEndgameTable,
            evaluator: &Evaluator::of_game(&network, position),
            cost_model: &ProofCostModel::TUNED,
            currently_searching: None,
        };
        let control = SharedControl::default();
        let in_play = position.seeds_in_play().into();
        let root = (&board, in_play, gain_range(position));
        let mut search = RootSearch::new(context, root, LIMITS, &control, NonZeroUsize::MIN);
        let mut best_moves = Vec::new();
        while !search.is_proven() && search.deepen(search.depth() + 1).is_ok() {
            best_moves.extend(search.best_move());
        }
        (best_moves, search.control().nodes())
    }

    fn check_search<const WORDS: usize>(position: &Position) {
        if position.houses() > WideRow::<WORDS>::MAX_HOUSES {
            return;
        }
        let expected = search::<SlowBoard>(position);
        assert_eq!(
            search::<GenericBoard<WideBoard<WORDS>>>(position),
            expected,
            "'{position}'"
        );
        if position.first_plies() == FirstPlies::Later {
            assert_eq!(
                search::<WideBoard<WORDS>>(position),
                expected,
                "'{position}'"
            );
        }
    }

    #[test]
    fn searches_of_wide_boards_equal_those_of_complete_positions() {
        for_each_position(|position| {
            check_search::<4>(position);
            check_search::<8>(position);
        });
    }

    /// The values that a search reads from a board: seeds, occupied houses, bonus turns, and key.
    type SearchValues = ([WideRowBytes; 2], [i32; 2], [i32; 2], PositionKey);

    fn values<H: SearchBoard<RowBytes = WideRowBytes>>(position: &Position) -> SearchValues {
        let board = H::from_position(position).unwrap();
        assert!(board.is_cacheable());
        (
            board.row_bytes(),
            board.occupied_counts(),
            board.bonus_turn_counts(),
            board.key(&H::move_tables(position).unwrap()),
        )
    }

    #[test]
    fn values_of_wide_boards_equal_those_of_complete_positions() {
        for_each_position(|position| {
            if position.first_plies() != FirstPlies::Later {
                return;
            }
            let expected = values::<SlowBoard>(position);
            assert_eq!(values::<WideBoard<8>>(position), expected, "'{position}'");
            if WideBoard::<4>::from_position(position).is_some() {
                assert_eq!(values::<WideBoard<4>>(position), expected, "'{position}'");
            }
        });
    }

    #[test]
    fn rows_for_endgame_tables_equal_those_of_packed_boards() {
        for text in [
            "1x127",
            "8x15",
            "9x4",
            "15x8",
            "<9,0,0,0,1,2,3,4,5,6,7,8,0,8,7,6,5,4,3,2,1> s",
        ] {
            let setup = text.parse::<Setup>().unwrap();
            let position = setup.position(Rules::CS32).unwrap();
            let packed = PackedBoard::<u128>::from_position(&position).unwrap();
            let narrow = WideBoard::<4>::from_position(&position).unwrap();
            let wide = WideBoard::<8>::from_position(&position).unwrap();
            assert_eq!(narrow.packed_rows(), packed.packed_rows(), "{text}");
            assert_eq!(wide.packed_rows(), packed.packed_rows(), "{text}");
        }
        let large = Position::start(1, 256, Rules::CS32).unwrap();
        let large = WideBoard::<4>::from_position(&large).unwrap();
        assert_eq!(large.packed_rows(), None);
    }
}
