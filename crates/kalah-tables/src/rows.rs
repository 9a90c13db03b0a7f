use crate::lanes::Pairs;
use crate::moves::{Moves, MovesBuilder, Turn};
use crate::row_index::{PackedRow, RowIndex};
use crate::sowings::{Last, Sowing, Sowings, seeds_in};

/// All rows with a number of seeds, and what becomes of them: by what they are sown to as the row
/// to move, and by what falls into them or is captured from them as the other.
pub(crate) struct Rows {
    /// By rank.
    pub(crate) all: Vec<PackedRow>,
    /// Ranks by level: how many sowings, one after the other, can stay in the row.
    pub(crate) by_level: Vec<Vec<usize>>,
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
    pub(crate) pairs: Pairs,
    /// Its seeds then.
    pub(crate) seeds: usize,
    /// Where it is found: see [`Pairs::squares`].
    pub(crate) squares: Vec<usize>,
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

impl Sown {
    /// No sowings yet, of a row with so many seeds.
    fn new(seeds: usize, sowing: Sowing, end: End) -> Self {
        let Sowing {
            crossing, banked, ..
        } = sowing;
        Self {
            crossing,
            banked,
            end,
            seeds: seeds - crossing - banked - end.captures_own(),
            pairs: Pairs::default(),
            squares: Vec::new(),
        }
    }

    /// Whether the effect is the same.
    fn is_like(&self, other: &Self) -> bool {
        let effect = |sown: &Self| (sown.crossing, sown.banked, sown.end);
        effect(self) == effect(other)
    }

    /// Whether it leads to a position with fewer seeds in the houses.
    pub(crate) fn leaves(&self) -> bool {
        self.banked > 0 || self.end.captures_own() > 0
    }
}

impl End {
    pub(crate) fn turn(self) -> Turn {
        match self {
            Self::Bonus => Turn::Stays,
            Self::Passes | Self::Capture(_) | Self::NoCapture(_) => Turn::Passes,
        }
    }

    /// Seeds of the own row that are captured.
    pub(crate) fn captures_own(self) -> usize {
        match self {
            Self::Capture(_) => 1,
            Self::Passes | Self::Bonus | Self::NoCapture(_) => 0,
        }
    }
}

impl Rows {
    /// The rows with exactly `seeds`, for tables in which the other row has `most_other` at the most
    /// while it is to move.
    pub(crate) fn new(index: RowIndex, sowings: &Sowings, seeds: usize, most_other: usize) -> Self {
        let all = index.all(seeds);
        let crossed = (0..most_other.max(1))
            .map(|crossing| {
                let mut moves = MovesBuilder::default();
                for (rank, row, len) in streaks(&all) {
                    let crossed = sowings.crossed(row, crossing);
                    moves.push(rank, index.rank(crossed).1, len);
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
        Self {
            sown: sown(index, sowings, seeds, &all),
            by_level: by_level(index, sowings, &all),
            all,
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

/// Ranks of all rows by level.
fn by_level(index: RowIndex, sowings: &Sowings, all: &[PackedRow]) -> Vec<Vec<usize>> {
    let mut levels = vec![0; all.len()];
    let mut by_level: Vec<Vec<usize>> = Vec::new();
    // A sowing brings seeds nearer to the store, which makes the rank greater.
    for (rank, &row) in all.iter().enumerate().rev() {
        let after = sowings
            .staying(row)
            .map(|(.., after)| levels[index.rank(after).1] + 1);
        let level = after.max().unwrap_or(0);
        levels[rank] = level;
        if by_level.len() <= level {
            by_level.resize(level + 1, Vec::new());
        }
        by_level[level].push(rank);
    }
    by_level
}

/// Rows that differ only in the two houses next to the store follow each other, and still do when all have been
/// changed in the same way: the first of them, in which the last house is empty, its rank, and how many
/// there are.
fn streaks(all: &[PackedRow]) -> impl Iterator<Item = (usize, PackedRow, usize)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let rank = rest;
        let row = *all.get(rank)?;
        let len = seeds_in(row, 1) + 1;
        rest += len;
        Some((rank, row, len))
    })
}

/// Bytes of the houses in which the rows of a streak differ.
const STREAK: std::ops::Range<usize> = 0..2;

/// By the seeds captured.
fn captured(
    index: RowIndex,
    sowings: &Sowings,
    all: &[PackedRow],
    laps: usize,
    byte: usize,
) -> Vec<Moves> {
    let mut moves: Vec<MovesBuilder> = Vec::new();
    let mut push = |rank, row, len| {
        let row = sowings.crossed(row, laps * index.houses());
        let taken = seeds_in(row, byte);
        if moves.len() <= taken {
            moves.resize_with(taken + 1, MovesBuilder::default);
        }
        let emptied = row - ((taken as PackedRow) << (8 * byte));
        moves[taken].push(rank, index.rank(emptied).1, len);
    };
    if STREAK.contains(&byte) {
        for (rank, &row) in all.iter().enumerate() {
            push(rank, row, 1);
        }
    } else {
        for (rank, row, len) in streaks(all) {
            push(rank, row, len);
        }
    }
    moves.into_iter().map(MovesBuilder::finish).collect()
}

/// All sowings of rows with so many seeds.
fn sown(index: RowIndex, sowings: &Sowings, seeds: usize, all: &[PackedRow]) -> Vec<Sown> {
    let mut kinds: Vec<Sown> = Vec::new();
    for byte in (0..index.houses()).rev() {
        // By the seeds sown, the kinds that came up: of what passes or is a bonus turn, captures or does not.
        let mut known = vec![[None; 3]; seeds + 1];
        for (rank, &row) in all.iter().enumerate() {
            let Some((after, sowing)) = sowings.sow(row, byte) else {
                continue;
            };
            let known = &mut known[seeds_in(row, byte)];
            let mut add = |which: usize, end, after| {
                let kind = *known[which].get_or_insert_with(|| {
                    let like = Sown::new(seeds, sowing, end);
                    let same = kinds.iter().position(|kind| kind.is_like(&like));
                    same.unwrap_or_else(|| {
                        kinds.push(like);
                        kinds.len() - 1
                    })
                });
                kinds[kind].pairs.push(rank, index.rank(after).1);
            };
            match sowing.last {
                Last::Store => add(0, End::Bonus, after),
                Last::Own(last) if seeds_in(after, last) == 1 => {
                    let opposite = index.houses() - 1 - last;
                    add(1, End::Capture(opposite), after - (1 << (8 * last)));
                    add(2, End::NoCapture(opposite), after);
                }
                Last::Own(_) | Last::Other => add(0, End::Passes, after),
            }
        }
    }
    for kind in &mut kinds {
        kind.squares = kind.pairs.squares(index.rows(kind.seeds));
    }
    kinds
}
