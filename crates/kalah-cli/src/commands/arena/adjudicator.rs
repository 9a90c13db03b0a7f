use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use kalah::{FirstPlies, Margin, Position};
use kalah_tables::{Table, Variant};

use crate::Adjudication;

/// Who knows what positions with few seeds come to.
pub(super) struct Adjudicator {
    /// None where games are played out, or the board is too large for a table.
    table: Option<Table>,
}

/// The most positions in a table for this, a byte each: on large boards it holds fewer seeds than are asked for.
const MAX_TABLE_POSITIONS: u64 = 1 << 28;

impl Adjudicator {
    /// Builds its table, unless it is broken off.
    pub(super) fn new(
        adjudication: Option<Adjudication>,
        start: &Position,
        over: &AtomicBool,
    ) -> Self {
        let variant = Variant::from_position(start);
        let fits = |seeds: &u8| {
            Table::positions(variant, *seeds)
                .is_ok_and(|positions| positions <= MAX_TABLE_POSITIONS)
        };
        let most = adjudication.map_or(0, |adjudication| adjudication.max_seeds);
        let table = (1..=most).rev().find(fits).and_then(|seeds| {
            let threads = kalah_players::available_threads();
            let built = Table::build(variant, seeds, threads, &mut |_| {
                if over.load(Ordering::Relaxed) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            built.ok()
        });
        Self { table }
    }

    /// What South's row comes to, if it is known.
    pub(super) fn proven_margin(&self, position: &Position) -> Option<Margin> {
        // What has not come past its opening is not the position of a table.
        if position.first_plies() != FirstPlies::Later || position.is_over() {
            return None;
        }
        let gain = self.table.as_ref()?.probe(position)?;
        let margin = position.margin(gain);
        Some(match position.to_move() {
            kalah::Side::South => margin,
            kalah::Side::North => -margin,
        })
    }
}
