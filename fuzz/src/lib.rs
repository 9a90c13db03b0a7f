//! What the fuzz targets share: values made of the bytes that the fuzzer hands in.

use kalah::{CaptureRule, EndRule, Rules};

/// The rule set that the low four bits of a byte name: every one that there is has its number.
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
        // The presets without a swap have number 0, 1 and 3.
        first_bonus: !bit(3),
    }
}
