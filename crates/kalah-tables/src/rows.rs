use crate::moves::{Moves, MovesBuilder};
use crate::row_index::{PackedRow, RowIndex};
use crate::sowings::{Last, Sowings, seeds_in};

/// All rows with a number of seeds, and what becomes of them: by what they are sown to as the row
/// to move, and by what falls into them or is captured from them as the other.
pub(crate) struct Rows {
    /// By rank.
    pub(crate) all: Vec<PackedRow>,
    /// Ranks by distance: the way that all seeds have to the store together. A sowing that stays in
    /// its row makes it shorter.
    pub(crate) by_distance: Vec<Vec<usize>>,
    /// As the row to move.
    pub(crate) sown: Vec<Sown>,
    /// As the other row: the row after so many seeds have crossed over.
    pub(crate) crossed: Vec<Moves>,
    /// As the other row: by laps made, by the byte of the house captured, by the seeds in it. The
    /// row after the laps and the capture.
    captured: Vec<Vec<Vec<Moves>>>,
}

/// Sowings of a row that have the same effect on everything else.
pub(crate) struct Sown {
    /// Seeds that cross over.
    pub(crate) crossing: usize,
    /// Seeds banked on the way.
    pub(crate) banked: usize,
    /// What the last seed brings about.
    pub(crate) end: End,
    /// The row afterwards.
    pub(crate) moves: Moves,
}

/// What the last seed of a sowing brings about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The turn passes.
    Passes,
    /// A bonus turn.
    Bonus,
    /// Where the opposite house, in this byte, allows it: its capture. The last seed is gone.
    Capture(usize),
    /// Where the opposite house, in this byte, does not allow it: nothing.
    NoCapture(usize),
}

impl Rows {
    /// The rows with exactly `seeds`, for tables in which the other row has `most_other` at the most
    /// while it is to move.
    pub(crate) fn new(index: RowIndex, sowings: &Sowings, seeds: usize, most_other: usize) -> Self {
        let all = index.all(seeds);
        let mut by_distance = vec![Vec::new(); seeds * (index.houses() - 1) + 1];
        for (rank, &row) in all.iter().enumerate() {
            by_distance[distance(row)].push(rank);
        }
        let crossed = (0..most_other.max(1))
            .map(|crossing| {
                let mut moves = MovesBuilder::default();
                for (rank, &row) in all.iter().enumerate() {
                    moves.push(rank, index.rank(sowings.crossed(row, crossing)).1);
                }
                moves.finish()
            })
            .collect();
        let captured = (0..=sowings.most_laps(most_other))
            .map(|laps| {
                let houses = 0..index.houses();
                houses
                    .map(|byte| captured(index, sowings, &all, laps, byte))
                    .collect()
            })
            .collect();
        let sown = (0..index.houses())
            .rev()
            .flat_map(|byte| sown(index, sowings, &all, byte))
            .collect();
        Self {
            all,
            by_distance,
            sown,
            crossed,
            captured,
        }
    }

    /// As the other row: what becomes of it when so many seeds have crossed over and the house in
    /// this byte is captured, by the seeds that it holds then.
    pub(crate) fn captured(&self, sowings: &Sowings, crossing: usize, byte: usize) -> &[Moves] {
        &self.captured[sowings.laps(crossing)][byte]
    }
}

fn distance(row: PackedRow) -> usize {
    (0..8).map(|byte| byte * seeds_in(row, byte)).sum()
}

/// By the seeds captured.
fn captured(
    index: RowIndex,
    sowings: &Sowings,
    all: &[PackedRow],
    laps: usize,
    byte: usize,
) -> Vec<Moves> {
    let mut moves: Vec<MovesBuilder> = Vec::new();
    for (rank, &row) in all.iter().enumerate() {
        let row = sowings.crossed(row, laps * index.houses());
        let taken = seeds_in(row, byte);
        if moves.len() <= taken {
            moves.resize_with(taken + 1, MovesBuilder::default);
        }
        let emptied = row - ((taken as PackedRow) << (8 * byte));
        moves[taken].push(rank, index.rank(emptied).1);
    }
    moves.into_iter().map(MovesBuilder::finish).collect()
}

/// The sowings of the house in this byte.
fn sown(index: RowIndex, sowings: &Sowings, all: &[PackedRow], byte: usize) -> Vec<Sown> {
    /// What tells kinds of sowings apart, and the pairs of each.
    struct Open {
        seeds: usize,
        end: End,
        moves: MovesBuilder,
    }
    let mut open: Vec<Open> = Vec::new();
    let mut add = |seeds, end, rank, after| {
        let known = open
            .iter_mut()
            .position(|open| open.seeds == seeds && open.end == end);
        let at = known.unwrap_or_else(|| {
            let moves = MovesBuilder::default();
            open.push(Open { seeds, end, moves });
            open.len() - 1
        });
        open[at].moves.push(rank, index.rank(after).1);
    };
    for (rank, &row) in all.iter().enumerate() {
        let Some((after, sowing)) = sowings.sow(row, byte) else {
            continue;
        };
        let seeds = seeds_in(row, byte);
        match sowing.last {
            Last::Store => add(seeds, End::Bonus, rank, after),
            Last::Own(last) if seeds_in(after, last) == 1 => {
                let opposite = index.houses() - 1 - last;
                add(
                    seeds,
                    End::Capture(opposite),
                    rank,
                    after - (1 << (8 * last)),
                );
                add(seeds, End::NoCapture(opposite), rank, after);
            }
            Last::Own(_) | Last::Other => add(seeds, End::Passes, rank, after),
        }
    }
    let finished = open.into_iter().map(|open| {
        let sowing = sowings.of(byte, open.seeds);
        Sown {
            crossing: sowing.crossing,
            banked: sowing.banked,
            end: open.end,
            moves: open.moves.finish(),
        }
    });
    finished.collect()
}
