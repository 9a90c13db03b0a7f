use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use kalah::{Move, Position, Side};

use crate::analysis::Analysis;
use crate::endgames::Endgames;
use crate::houses::Houses;
use crate::job::gains;
use crate::search::Shared;
use crate::stop::{SharedStop, StopLimits};
use crate::{Certainty, Report};

/// The most plies of a line that are reported.
const MOST_LINE_PLIES: usize = 200;

/// The plies expected from the best choice on.
///
/// After a proof, what is left to find is at every ply the choice that keeps the margin: the memory and
/// the tables know it, or a little searching finds it again. Before, the memory tells what it expects.
pub(crate) fn line<H: Houses, E: Endgames>(
    shared: Shared<H, E>,
    position: &Position,
    report: &Report,
    flag: &AtomicBool,
    most_nodes: u64,
) -> Vec<(Side, Move)> {
    let mut position = position.clone();
    let stop = SharedStop::default();
    let mut margin = report.margin;
    let mut line = Vec::new();
    let mut next = report.choice;
    while let Some(choice) = next {
        let side = position.to_move();
        if line.len() == MOST_LINE_PLIES || position.play(choice).is_err() {
            break;
        }
        line.push((side, choice));
        // After a swap the same side chooses, but the other player.
        if position.to_move() != side || choice == Move::Swap {
            margin = -margin;
        }
        let houses = H::of(&position).filter(|_| !position.is_over());
        next = houses.and_then(|houses| {
            let rows = Side::ALL.map(|side| i32::from(position.row_total(side)));
            let in_play = rows.iter().sum();
            if report.certainty == Certainty::Estimate {
                let key = houses.tell_all().then(|| houses.key(shared.game))?;
                let known = shared.transpositions.get(key, in_play);
                return known?.house.map(Move::Sow);
            }
            let limits = StopLimits {
                deadline: None,
                flag: Some(flag),
                nodes: most_nodes.saturating_sub(stop.nodes()),
            };
            let root = (&houses, in_play, gains(&position));
            let mut analysis = Analysis::new(shared, root, limits, &stop, NonZeroUsize::MIN);
            let wanted = margin.seeds() - position.lead().seeds();
            analysis.choice_for(wanted).ok().flatten()
        });
    }
    line
}
