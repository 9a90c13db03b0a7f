//! Samples and their bytes.

use kalah::{CaptureRule, EndRule, Gain, House, HouseRules, Position};

/// A position with the gains that are expected of it, for the side to move.
pub(super) struct Sample {
    pub(super) position: Position,
    /// The gain by a search.
    pub(super) score: Gain,
    /// Whether the search has proven that gain.
    pub(super) is_proven: bool,
    /// The gain in the game, if the position occurred in one.
    pub(super) result: Option<Gain>,
}

impl Sample {
    /// Appends the 64 bytes of the sample, which `tools/network/python/samples.py` reads.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let position = &self.position;
        let HouseRules { ends, capture } = position.rules().house_rules;
        let rules = u8::from(ends == EndRule::Row) + 2 * u8::from(capture == CaptureRule::Always);
        let is_played = self.result.is_some();
        out.extend([
            position.houses(),
            rules,
            u8::from(self.is_proven),
            u8::from(is_played),
        ]);
        let result = self.result.unwrap_or(self.score);
        for seeds in [
            self.score.seeds(),
            result.seeds(),
            position.lead().seeds(),
            0,
        ] {
            let seeds = i16::try_from(seeds).expect("a game of samples has few seeds");
            out.extend(seeds.to_le_bytes());
        }
        let mover = position.to_move();
        for side in [mover, mover.opponent()] {
            let mut row = [0; House::MAX as usize];
            for (byte, seeds) in row.iter_mut().zip(position.houses_of(side).iter().rev()) {
                *byte = u8::try_from(seeds.get()).unwrap_or(u8::MAX);
            }
            out.extend(row);
        }
    }
}
