//! Plain alpha-beta with a null window.

use std::cmp::Reverse;

use kalah::House;

use super::board::{BoardRules, Sowing};
use super::transpositions::GainBounds;
use super::{BoardTables, CheckSearch, NoAnswer};

impl CheckSearch<'_> {
    /// Searches with the null window below `target`, for which no bound follows without a search.
    ///
    /// Returns a bound `b` of the gain `g` of the side to move, which is the seeds that it banks
    /// from now on minus those of the other side:
    ///
    /// - if `b >= target`, then `g >= b`;
    /// - if `b < target`, then `g <= b`.
    pub(super) fn search<R: BoardRules>(
        &mut self,
        tables: &BoardTables<R>,
        board: &R::Board,
        target: i32,
        depth: u32,
    ) -> Result<i32, NoAnswer> {
        let rules = &tables.rules;
        let (own, other) = rules.row_totals(board);
        let in_play = own + other;
        let number = tables.number(board);
        if let Some(GainBounds { lower, upper }) =
            number.and_then(|number| tables.transpositions.get(number))
        {
            if lower >= target {
                return Ok(lower);
            }
            if upper < target {
                return Ok(upper);
            }
        }
        self.count_node(tables, depth)?;
        let nodes_before = self.nodes;
        let mut best = -in_play;
        let mut moves = [None; House::MAX as usize];
        let mut count = 0;
        // Moves near the store come first among equals.
        let houses = (0..rules.houses()).rev();
        for house in houses.filter(|&house| rules.can_sow(board, house)) {
            let sowing = rules.sow(board, house);
            if let Some(bound) = tables.look_up(&sowing.board, sowing.target_after(target)) {
                best = best.max(sowing.gain_before(bound));
                if best >= target {
                    break;
                }
            } else {
                moves[count] = Some(sowing);
                count += 1;
            }
        }
        if best < target {
            let moves = &mut moves[..count];
            moves.sort_by_key(|sowing| {
                let sowing = sowing.as_ref();
                sowing.map(|sowing| move_order(rules, sowing))
            });
            for sowing in moves.iter().flatten() {
                let target_after = sowing.target_after(target);
                let bound = self.search(tables, &sowing.board, target_after, depth + 1)?;
                best = best.max(sowing.gain_before(bound));
                if best >= target {
                    break;
                }
            }
        }
        if let Some(number) = number {
            let (lower, upper) = if best >= target {
                (best, in_play)
            } else {
                (-in_play, best)
            };
            let nodes = self.nodes - nodes_before + 1;
            tables
                .transpositions
                .narrow(number, GainBounds { lower, upper }, nodes);
        }
        Ok(best)
    }
}

/// Returns the place of a sowing in the order in which the search tries them: bonus turns first,
/// then by the seeds that the move banks, and then by the difference of the rows after it. The
/// order has no influence on the answer.
fn move_order<R: BoardRules>(rules: &R, sowing: &Sowing<R::Board>) -> (bool, Reverse<(i32, i32)>) {
    let (next, last) = rules.row_totals(&sowing.board);
    let (banked, difference) = if sowing.is_bonus {
        (0, next - last)
    } else {
        (sowing.banked, last - next)
    };
    (!sowing.is_bonus, Reverse((banked, difference)))
}
