//! Conversion of fuzzer input to rules, shared by the fuzz targets.

use kalah::{CaptureRule, EndRule, Rules};

/// Returns the rule set of the low four bits of a byte. Every rule set has such a number.
pub fn rules(byte: u8) -> Rules {
    let bit = |place: u8| byte & (1 << place) != 0;
    Rules {
        ends: if bit(0) { EndRule::Row } else { EndRule::Stuck },
        capture: if bit(1) {
            CaptureRule::Always
        } else {
            CaptureRule::Opposite
        },
        swap: bit(2),
        // Inverted, so that the presets without a swap are 0, 1 and 3.
        first_bonus: !bit(3),
    }
}
