//! The static evaluation: the expected gain of a position without search, from a small neural
//! network.

mod captures;
mod network;

use kalah::{Position, Rules};

pub use network::{Network, NetworkError};

use self::captures::greatest_capture;
use self::network::{HIDDEN_UNITS, HiddenSums};
use crate::board::search_board::SearchBoard;

/// The evaluation of the positions of one game: the network with the inputs that depend on the
/// houses a side and on the rules.
#[derive(Clone, Copy)]
pub(crate) struct Evaluator<'n> {
    network: &'n Network,
    houses: usize,
    /// The sums of the hidden units before the inputs of the rows.
    base: HiddenSums,
}

impl<'n> Evaluator<'n> {
    /// Creates the evaluation of positions with `houses` houses a side.
    pub(crate) fn new(network: &'n Network, houses: u8, rules: Rules) -> Self {
        Self {
            network,
            houses: houses.into(),
            base: network.base(houses, rules.house_rules),
        }
    }

    /// Creates the evaluation of the game of `position`.
    pub(crate) fn of_game(network: &'n Network, position: &Position) -> Self {
        Self::new(network, position.houses(), position.rules())
    }

    /// Returns the expected gain of the side to move in seeds.
    #[inline]
    pub(crate) fn gain(&self, board: &impl SearchBoard) -> i32 {
        let [own, other] = board.row_bytes();
        self.gain_of_rows(own.as_ref(), other.as_ref())
    }

    /// Returns the expected gain of the side to move in seeds, and the greatest number of seeds
    /// that the side to move and the opponent can capture with one sowing.
    #[inline]
    pub(crate) fn gain_and_captures(&self, board: &impl SearchBoard) -> (i32, [u8; 2]) {
        let [own, other] = board.row_bytes();
        let (own, other) = (&own.as_ref()[..self.houses], &other.as_ref()[..self.houses]);
        let captures = [greatest_capture(own, other), greatest_capture(other, own)];
        (self.gain_with_capture(own, other, captures[0]), captures)
    }

    /// Returns the expected gain of the side to move in `position`, in seeds.
    pub(crate) fn gain_of_position(&self, position: &Position) -> i32 {
        let mover = position.to_move();
        let [own, other] = [mover, mover.opponent()].map(|side| {
            let row = position.houses_of(side).iter().rev();
            row.map(|seeds| u8::try_from(seeds.get()).unwrap_or(u8::MAX))
                .collect::<Vec<_>>()
        });
        self.gain_of_rows(&own, &other)
    }

    /// Returns the expected gain of the side to move in seeds. Both rows begin with the house next
    /// to the store of their owner; houses with more than 255 seeds count as 255.
    #[inline]
    fn gain_of_rows(&self, own: &[u8], other: &[u8]) -> i32 {
        let (own, other) = (&own[..self.houses], &other[..self.houses]);
        self.gain_with_capture(own, other, greatest_capture(own, other))
    }

    /// Returns the expected gain of the side to move in seeds; `capture` is the greatest number of
    /// seeds that it can capture.
    #[inline]
    fn gain_with_capture(&self, own: &[u8], other: &[u8], capture: u8) -> i32 {
        let mut sums = self.base;
        let inputs = self.network.house_inputs();
        for ((&own, &other), inputs) in own.iter().zip(other).zip(inputs) {
            add(&mut sums, &inputs.own[Network::count_index(own)]);
            add(&mut sums, &inputs.other[Network::count_index(other)]);
        }
        add(&mut sums, self.network.capture_input(capture));
        self.network.output(&sums)
    }
}

/// Adds the weights of an input to the sums. The network's weights are small enough for 16 bits.
#[inline]
fn add(sums: &mut HiddenSums, weights: &HiddenSums) {
    for unit in 0..HIDDEN_UNITS {
        sums[unit] = sums[unit].wrapping_add(weights[unit]);
    }
}

#[cfg(test)]
mod tests {
    use kalah::{FirstPlies, Player, Setup, SowEffect};
    use kalah_board::{PackedBoard, WideBoard};
    use proptest::prelude::*;

    use super::network::{CAPTURE_INPUTS, COUNT_INPUTS, HIDDEN_ONE, OUTPUT_PER_SEED};
    use super::*;
    use crate::players::RandomPlayer;

    /// The expected gain by one sum for each hidden unit, in the order of the definition.
    fn slow_gain(network: &Network, position: &Position) -> i32 {
        let mover = position.to_move();
        let [own, other] = [mover, mover.opponent()].map(|side| {
            let row = position.houses_of(side).iter().rev();
            row.map(|seeds| usize::from(seeds.get()))
                .collect::<Vec<_>>()
        });
        let base = network.base(position.houses(), position.rules().house_rules);
        let capture = slow_greatest_capture(position).min(CAPTURE_INPUTS - 1);
        let (output_weights, output_bias) = network.output_weights();
        let mut output = i64::from(output_bias);
        for unit in 0..HIDDEN_UNITS {
            let mut sum = i64::from(base[unit]);
            sum += i64::from(network.capture_input(u8::try_from(capture).unwrap())[unit]);
            for (index, inputs) in network.house_inputs()[..own.len()].iter().enumerate() {
                sum += i64::from(inputs.own[own[index].min(COUNT_INPUTS - 1)][unit]);
                sum += i64::from(inputs.other[other[index].min(COUNT_INPUTS - 1)][unit]);
            }
            output += sum.clamp(0, HIDDEN_ONE.into()) * i64::from(output_weights[unit]);
        }
        // Halves are rounded up.
        let halves = (2 * output).div_euclid(OUTPUT_PER_SEED.into());
        i32::try_from((halves + 1).div_euclid(2)).unwrap()
    }

    /// The greatest number of seeds that fall into the store of the side to move by a capture,
    /// from the boards after its sowings of less than a lap.
    fn slow_greatest_capture(position: &Position) -> usize {
        let (mover, lap) = (position.to_move(), 2 * u16::from(position.houses()) + 1);
        let captures = position.legal_houses().filter_map(|house| {
            if position.seeds(mover, house).get() >= lap {
                return None;
            }
            match position.clone().sow(house).unwrap().effect {
                SowEffect::Capture(capture) if capture.seeds.get() > 1 => {
                    Some(usize::from(capture.seeds.get()))
                }
                _ => None,
            }
        });
        captures.max().unwrap_or(0)
    }

    /// Calls `check` with the positions of a random game.
    fn for_each_position(start: Position, seed: u64, mut check: impl FnMut(&Position)) {
        let mut position = start;
        let mut player = RandomPlayer::new("Random", seed);
        while !position.is_over() {
            check(&position);
            let mv = player
                .choose_move(&position, std::time::Duration::ZERO)
                .unwrap();
            position.play(mv).unwrap();
        }
    }

    proptest! {
        #[test]
        fn every_board_type_has_the_gain_of_the_definition(
            houses in 1..=26_u8,
            seeds in 1..=12_u64,
            preset in 0..Rules::PRESETS.len(),
            seed: u64,
        ) {
            let network = Network::embedded();
            let rules = Rules::PRESETS[preset].rules;
            let start = Position::start(houses, seeds, rules).unwrap();
            let evaluator = Evaluator::of_game(&network, &start);
            for_each_position(start, seed, |position| {
                let expected = slow_gain(&network, position);
                assert_eq!(evaluator.gain_of_position(position), expected, "'{position}'");
                if position.first_plies() != FirstPlies::Later {
                    return;
                }
                let gains = [
                    PackedBoard::<u64>::from_position(position).map(|board| evaluator.gain(&board)),
                    PackedBoard::<u128>::from_position(position).map(|board| evaluator.gain(&board)),
                    WideBoard::<4>::from_position(position).map(|board| evaluator.gain(&board)),
                    WideBoard::<8>::from_position(position).map(|board| evaluator.gain(&board)),
                ];
                for gain in gains.into_iter().flatten() {
                    assert_eq!(gain, expected, "'{position}'");
                }
            });
        }
    }

    #[test]
    fn houses_with_more_seeds_than_a_byte_holds_count_as_full() {
        let network = Network::embedded();
        let gain = |text: &str| {
            let position = text
                .parse::<Setup>()
                .unwrap()
                .position(Rules::CS32)
                .unwrap();
            Evaluator::of_game(&network, &position).gain_of_position(&position)
        };
        assert_eq!(
            gain("<3,300,1,0,0,1,1,0,0> s"),
            gain("<3,255,1,0,0,1,1,0,0> s")
        );
    }
}
