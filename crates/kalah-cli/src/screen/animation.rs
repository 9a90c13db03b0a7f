use std::time::Duration;

use kalah::{BySide, House, Move, Pit, Ply, Position, SeedCount, Side};

/// The seeds of a board as they are drawn, also between two positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seeds {
    pub(crate) rows: BySide<Vec<u32>>,
    pub(crate) stores: BySide<u32>,
}

impl Seeds {
    pub(crate) fn of(position: &Position) -> Self {
        let count = |seeds: SeedCount| u32::from(seeds.get());
        Self {
            rows: BySide::from_fn(|side| {
                let row = position.houses_of(side).iter();
                row.map(|&seeds| count(seeds)).collect()
            }),
            stores: BySide::from_fn(|side| count(position.store(side))),
        }
    }

    pub(crate) fn house(&self, side: Side, house: House) -> u32 {
        let index = usize::from(house.number() - 1);
        self.rows[side].get(index).copied().unwrap_or_default()
    }

    fn pit(&mut self, pit: Pit) -> Option<&mut u32> {
        match pit {
            Pit::Store(side) => Some(&mut self.stores[side]),
            Pit::House(side, house) => self.rows[side].get_mut(usize::from(house.number() - 1)),
        }
    }
}

/// How fast seeds are sown on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pace {
    Slow,
    #[default]
    Normal,
    Fast,
    /// All at once.
    None,
}

impl Pace {
    /// The next one, round and round.
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Slow => Self::Normal,
            Self::Normal => Self::Fast,
            Self::Fast => Self::None,
            Self::None => Self::Slow,
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Slow => "slow",
            Self::Normal => "normal",
            Self::Fast => "fast",
            Self::None => "none",
        }
    }

    /// The time of a seed.
    fn of_seed(self) -> Option<Duration> {
        match self {
            Self::Slow => Some(Duration::from_millis(320)),
            Self::Normal => Some(Duration::from_millis(150)),
            Self::Fast => Some(Duration::from_millis(60)),
            Self::None => None,
        }
    }
}

/// The longest that seeds fall, however many: nobody wants to watch more.
const LONGEST: Duration = Duration::from_secs(4);

/// How many times as long as a seed falls the board stands still after the last one.
const STILL: u32 = 3;

/// A sowing that is being shown, seed by seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Animation {
    before: Seeds,
    from: Pit,
    path: Vec<Pit>,
    began: Duration,
    seed: Duration,
}

impl Animation {
    /// Shows `ply`, made in `before`, from the time `now` on; `None` if there is nothing to show.
    pub(crate) fn of(before: &Position, ply: &Ply, pace: Pace, now: Duration) -> Option<Self> {
        let Move::Sow(house) = ply.mv else {
            return None;
        };
        let path: Vec<Pit> = before.path(house).collect();
        let seeds = u32::try_from(path.len()).ok().filter(|&seeds| seeds > 0)?;
        Some(Self {
            before: Seeds::of(before),
            from: Pit::House(ply.side, house),
            path,
            began: now,
            seed: pace.of_seed()?.min(LONGEST / seeds),
        })
    }

    /// How many seeds have fallen.
    fn fallen(&self, now: Duration) -> usize {
        let nanos = now.saturating_sub(self.began).as_nanos();
        let fallen = nanos / self.seed.as_nanos().max(1);
        usize::try_from(fallen)
            .unwrap_or(usize::MAX)
            .min(self.path.len())
    }

    pub(crate) fn is_over(&self, now: Duration) -> bool {
        let seeds = u32::try_from(self.path.len()).unwrap_or(u32::MAX);
        now.saturating_sub(self.began) >= self.seed.saturating_mul(seeds.saturating_add(STILL))
    }

    /// The board as it is then, and where the last seed fell.
    pub(crate) fn at(&self, now: Duration) -> (Seeds, Pit) {
        let mut seeds = self.before.clone();
        if let Some(from) = seeds.pit(self.from) {
            *from = 0;
        }
        let fallen = &self.path[..self.fallen(now)];
        for &pit in fallen {
            if let Some(pit) = seeds.pit(pit) {
                *pit += 1;
            }
        }
        (seeds, fallen.last().copied().unwrap_or(self.from))
    }
}
