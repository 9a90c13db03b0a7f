//! Conversion of fuzzer input to rules, and the checks of exported games and of proofs, shared by
//! the fuzz targets.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use kalah::record::Record;
use kalah::{
    CaptureRule, EndRule, FirstPlyRules, Game, HouseRules, Margin, Move, Position, Rules, Side,
};
use kalah_check::{Certificate, CheckOptions, LeafSelection, check};
use kalah_open_spiel::{ExportFormat, ExportLoss, OPEN_SPIEL, export};

/// Returns the rule set of the low four bits of a byte. Every rule set has such a number.
pub fn rules(byte: u8) -> Rules {
    let bit = |place: u8| byte & (1 << place) != 0;
    Rules {
        house_rules: HouseRules {
            ends: if bit(0) { EndRule::Row } else { EndRule::Stuck },
            capture: if bit(1) {
                CaptureRule::Always
            } else {
                CaptureRule::Opposite
            },
        },
        first_ply_rules: FirstPlyRules {
            swap: bit(2),
            // Inverted, so that the presets without a swap are 0, 1 and 3.
            first_bonus: !bit(3),
        },
    }
}

/// Exports the game of a record to all formats that can express it, and imports it again.
///
/// # Panics
/// If the game that returns is another one.
pub fn check_export(record: &Record) {
    for format in ExportFormat::ALL {
        let Ok(exported) = export(record, format) else {
            continue;
        };
        let imported = OPEN_SPIEL.import(&exported.text, None);
        assert_eq!(imported.errors, [], "{}", exported.text);
        let [imported] = &imported.records[..] else {
            panic!(
                "one game becomes {}: {}",
                imported.records.len(),
                exported.text
            );
        };
        if exported.losses.contains(&ExportLoss::Rules) {
            // The imported game has the same moves under the rules of the format.
            let (imported, game) = (imported.game(), record.game());
            let moves = |game: &Game| -> Vec<(Side, Move)> {
                game.plies().iter().map(|ply| (ply.side, ply.mv)).collect()
            };
            assert_eq!(moves(&imported), moves(&game), "{}", exported.text);
            assert_eq!(imported.outcome(), game.outcome(), "{}", exported.text);
        } else {
            assert_eq!(imported.game(), record.game(), "{}", exported.text);
        }
        if format == ExportFormat::Kaggle && exported.losses.is_empty() {
            assert_eq!(imported.ending(), record.ending(), "{}", exported.text);
        }
    }
}

/// The most seeds in the houses of a position whose margin is computed by visiting all positions
/// that follow from it.
const MAX_SEEDS: u32 = 10;

/// Returns the margin of a small position, or `None` of a larger one.
pub fn true_margin(position: &Position) -> Option<Margin> {
    let seeds: u32 = Side::ALL
        .map(|side| u32::from(position.row_total(side).get()))
        .iter()
        .sum();
    (seeds <= MAX_SEEDS).then(|| kalah::reference::margin(position))
}

/// Checks a certificate with all of its leaves, and if it passes, that its margins contain the true
/// one.
///
/// # Panics
/// If they do not.
pub fn check_margins(certificate: &Certificate) {
    let statement = certificate.statement();
    let position = statement.position().position(statement.rules());
    let Some(margin) = position.ok().as_ref().and_then(true_margin) else {
        return;
    };
    let options = CheckOptions {
        leaves: LeafSelection::All,
        threads: NonZeroUsize::MIN,
        max_nodes: 10_000,
        memory: 1 << 16,
        stop_flag: &AtomicBool::new(false),
        observer: &|_| {},
    };
    let report = check(certificate, options);
    for fault in &report.faults {
        assert!(!fault.to_string().is_empty());
    }
    if report.is_confirmed() {
        let bounds = report.claims.position;
        assert!(
            bounds.lower <= margin && margin <= bounds.upper,
            "{bounds:?} instead of {margin}"
        );
    }
}
