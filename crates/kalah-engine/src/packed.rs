use kalah::{FirstPlies, Position, SeedCount, Side};

use crate::word::PackedRow;

/// The houses of a position past its opening as the side to move sees them, in two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PackedBoard<W> {
    /// The row of the side to move.
    pub(crate) own: W,
    /// The row across the board.
    pub(crate) other: W,
}

impl<W: PackedRow> PackedBoard<W> {
    /// The houses of `position`. `None` where a row has more houses than a word holds, where they
    /// hold more than 255 seeds together, and in an opening that the rules treat apart.
    pub(crate) fn from_position(position: &Position) -> Option<Self> {
        if position.first_plies() != FirstPlies::Later || position.houses() > W::MAX_HOUSES {
            return None;
        }
        let in_play = Side::ALL.map(|side| u32::from(position.row_total(side)));
        u8::try_from(in_play.iter().sum::<u32>()).ok()?;
        let row = |side| {
            let houses = position.houses_of(side).iter().rev();
            (0..).zip(houses.copied().map(SeedCount::get)).try_fold(
                W::EMPTY,
                |row, (index, seeds)| {
                    Some(row.plus(W::from_byte(index, u8::try_from(seeds).ok()?)))
                },
            )
        };
        let mover = position.to_move();
        Some(Self {
            own: row(mover)?,
            other: row(mover.opponent())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sowings::{SowTable, Successor};
    use kalah::{BySide, Rules, Setup};
    use proptest::prelude::*;

    /// Rows of equal length with at most 255 seeds in all: few or many houses with seeds, and
    /// now and then nearly all of them in one house, for laps.
    fn rows(most_houses: usize) -> impl Strategy<Value = (Vec<u64>, Vec<u64>)> {
        let house = prop_oneof![
            4 => Just(0_u64),
            4 => 0..=3_u64,
            4 => 0..=17_u64,
            1 => 0..=255_u64,
        ];
        (1..=most_houses)
            .prop_flat_map(move |houses| prop::collection::vec(house.clone(), 2 * houses))
            .prop_map(|mut both| {
                let mut left = 255;
                for seeds in &mut both {
                    *seeds = (*seeds).min(left);
                    left -= *seeds;
                }
                let other = both.split_off(both.len() / 2);
                (both, other)
            })
            // Where seeds ran out, it should not always be the same row.
            .prop_flat_map(|(a, b)| {
                any::<bool>().prop_map(move |turn| {
                    if turn {
                        (b.clone(), a.clone())
                    } else {
                        (a.clone(), b.clone())
                    }
                })
            })
    }

    fn any_rules() -> impl Strategy<Value = Rules> {
        prop::sample::select(Rules::PRESETS.map(|preset| preset.rules).to_vec())
    }

    /// Every sowing of packed houses is the position's.
    fn check<W: PackedRow>(position: &Position) {
        let packed = PackedBoard::<W>::from_position(position).expect("small enough");
        let sowings = SowTable::<W>::from_position(position).expect("small enough");
        let mover = position.to_move();
        let legal: Vec<_> = position.legal_houses().collect();
        let occupied = packed.own.occupied_bytes();
        let mut occupied: Vec<_> = occupied.map(|index| sowings.house_at(index)).collect();
        occupied.reverse();
        assert_eq!(occupied, legal, "{position}");
        for house in legal {
            let mut next = position.clone();
            let sown = next.sow(house).unwrap();
            let same_player = next.to_move() == mover;
            let lead = if same_player {
                next.lead()
            } else {
                -next.lead()
            };
            let expected = Successor {
                board: PackedBoard::from_position(&next).unwrap(),
                banked: lead.seeds() - position.lead().seeds(),
                same_player,
                is_over: sown.is_game_over(),
            };
            let index = sowings.houses() - u32::from(house.number());
            let rules = position.rules();
            assert_eq!(
                sowings.sow(packed, index),
                expected,
                "rules {rules}, house {house} of '{position}'"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn sowing_packed_houses_is_sowing_a_position(
            (south, north) in rows(usize::from(u128::MAX_HOUSES)),
            to_move in prop::sample::select(Side::ALL.to_vec()),
            rules in any_rules(),
        ) {
            let setup = Setup {
                stores: BySide::new(3, 1),
                rows: BySide::new(south, north),
                to_move,
                first_plies: FirstPlies::Later,
            };
            let position = setup.position(rules).unwrap();
            check::<u128>(&position);
            if position.houses() <= u64::MAX_HOUSES {
                check::<u64>(&position);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_not_packed() {
        let packs = |text: &str, rules| {
            let position = text.parse::<Setup>().unwrap().position(rules).unwrap();
            [
                PackedBoard::<u64>::from_position(&position).is_some(),
                PackedBoard::<u128>::from_position(&position).is_some(),
            ]
        };
        assert_eq!(packs("7x18", Rules::CS32), [true, true]);
        assert_eq!(packs("7x19", Rules::CS32), [false, false]);
        assert_eq!(packs("<1,60000,0,255,0> s", Rules::CS32), [true, true]);
        assert_eq!(packs("<1,0,0,256,0> s", Rules::CS32), [false, false]);
        assert_eq!(packs("8x4", Rules::CS32), [false, true]);
        assert_eq!(packs("15x8", Rules::CS32), [false, true]);
        assert_eq!(packs("16x1", Rules::CS32), [false, false]);
        // The first two plies are played by rules of their own.
        assert_eq!(packs("6x4", Rules::MANKALAH), [false, false]);
    }
}
