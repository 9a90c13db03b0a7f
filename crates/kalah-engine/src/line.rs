use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use kalah::{Move, Position, Side};

use crate::analysis::RootSearch;
use crate::endgames::EndgameTable;
use crate::houses::SearchBoard;
use crate::job::gain_range;
use crate::search::SearchContext;
use crate::stop::{SearchLimits, SharedControl};
use crate::{Certainty, Report};

/// The most plies of a line that are reported.
const MAX_PV_PLIES: usize = 200;

/// The plies expected from the best choice on.
///
/// After a proof, what is left to find is at every ply the choice that keeps the margin: the memory and
/// the tables know it, or a little searching finds it again. Before, the memory tells what it expects.
pub(crate) fn principal_variation<H: SearchBoard, E: EndgameTable>(
    shared: SearchContext<H, E>,
    position: &Position,
    report: &Report,
    flag: &AtomicBool,
    most_nodes: u64,
) -> Vec<(Side, Move)> {
    let mut position = position.clone();
    let stop = SharedControl::default();
    let mut margin = report.margin;
    let mut line = Vec::new();
    let mut next = report.best_move;
    while let Some(choice) = next {
        let side = position.to_move();
        if line.len() == MAX_PV_PLIES || position.play(choice).is_err() {
            break;
        }
        line.push((side, choice));
        // After a swap the same side chooses, but the other player.
        if position.to_move() != side || choice == Move::Swap {
            margin = -margin;
        }
        let houses = H::from_position(&position).filter(|_| !position.is_over());
        next = houses.and_then(|houses| {
            let rows = Side::ALL.map(|side| i32::from(position.row_total(side)));
            let in_play = rows.iter().sum();
            if report.certainty == Certainty::Estimate {
                let key = houses
                    .is_cacheable()
                    .then(|| houses.key(shared.move_tables))?;
                let known = shared.transpositions.get(key, in_play);
                return known?.best_house.map(Move::Sow);
            }
            let limits = SearchLimits {
                deadline: None,
                stop_flag: Some(flag),
                max_nodes: most_nodes.saturating_sub(stop.nodes()),
            };
            let root = (&houses, in_play, gain_range(&position));
            let mut analysis = RootSearch::new(shared, root, limits, &stop, NonZeroUsize::MIN);
            let wanted = margin.seeds() - position.lead().seeds();
            analysis.find_move_gaining(wanted).ok().flatten()
        });
    }
    line
}
