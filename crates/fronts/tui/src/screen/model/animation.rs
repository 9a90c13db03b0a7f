//! The animation of a sowing, seed by seed.

use std::time::Duration;

use kalah::{BySide, House, Move, Pit, Ply, Position, SeedCount, Side};

/// The seeds on the screen, which may be between two positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DisplayedSeeds {
    pub(crate) rows: BySide<Vec<u32>>,
    pub(crate) stores: BySide<u32>,
}

impl DisplayedSeeds {
    pub(crate) fn from_position(position: &Position) -> Self {
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

    pub(crate) fn pit_mut(&mut self, pit: Pit) -> Option<&mut u32> {
        match pit {
            Pit::Store(side) => Some(&mut self.stores[side]),
            Pit::House(side, house) => self.rows[side].get_mut(usize::from(house.number() - 1)),
        }
    }
}

/// The speed of the animation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnimationSpeed {
    /// Slower than usual.
    Slow,
    /// The usual speed.
    #[default]
    Normal,
    /// Faster than usual.
    Fast,
    /// No animation.
    Instant,
}

impl AnimationSpeed {
    /// All speeds, from the slowest.
    pub const ALL: [Self; 4] = [Self::Slow, Self::Normal, Self::Fast, Self::Instant];

    /// Returns the next speed, in a cycle.
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Slow => Self::Normal,
            Self::Normal => Self::Fast,
            Self::Fast => Self::Instant,
            Self::Instant => Self::Slow,
        }
    }

    /// Returns the name: `slow`, `normal`, `fast` or `instant`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Slow => "slow",
            Self::Normal => "normal",
            Self::Fast => "fast",
            Self::Instant => "instant",
        }
    }

    /// Returns the time for each seed, `None` without an animation.
    fn seed_duration(self) -> Option<Duration> {
        match self {
            Self::Slow => Some(Duration::from_millis(320)),
            Self::Normal => Some(Duration::from_millis(150)),
            Self::Fast => Some(Duration::from_millis(60)),
            Self::Instant => None,
        }
    }
}

/// The maximum time of an animation, which shortens the time for each of many seeds.
const MAX_SOWING_TIME: Duration = Duration::from_secs(4);

/// The pause after the last seed, in times for a seed.
const FINAL_PAUSE_SEEDS: u32 = 3;

/// The running animation of a sowing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Animation {
    before: DisplayedSeeds,
    origin: Pit,
    path: Vec<Pit>,
    started_at: Duration,
    seed_duration: Duration,
}

impl Animation {
    /// Starts the animation of `ply`, which follows `before`. Returns `None` for a swap and for
    /// [`AnimationSpeed::Instant`].
    pub(crate) fn new(
        before: &Position,
        ply: &Ply,
        speed: AnimationSpeed,
        now: Duration,
    ) -> Option<Self> {
        let Move::Sow(house) = ply.mv else {
            return None;
        };
        let path: Vec<Pit> = before.path(house).collect();
        let seeds = u32::try_from(path.len()).ok().filter(|&seeds| seeds > 0)?;
        Some(Self {
            before: DisplayedSeeds::from_position(before),
            origin: Pit::House(ply.side, house),
            path,
            started_at: now,
            seed_duration: speed.seed_duration()?.min(MAX_SOWING_TIME / seeds),
        })
    }

    /// Returns the number of seeds that are sown at the time `now`.
    fn seeds_sown(&self, now: Duration) -> usize {
        let nanos = now.saturating_sub(self.started_at).as_nanos();
        let count = nanos / self.seed_duration.as_nanos().max(1);
        usize::try_from(count)
            .unwrap_or(usize::MAX)
            .min(self.path.len())
    }

    pub(crate) fn is_finished(&self, now: Duration) -> bool {
        let seeds = u32::try_from(self.path.len()).unwrap_or(u32::MAX);
        now.saturating_sub(self.started_at)
            >= self
                .seed_duration
                .saturating_mul(seeds.saturating_add(FINAL_PAUSE_SEEDS))
    }

    /// Returns the board at the time `now` and the pit of the last seed.
    pub(crate) fn frame_at(&self, now: Duration) -> (DisplayedSeeds, Pit) {
        let mut seeds = self.before.clone();
        if let Some(count) = seeds.pit_mut(self.origin) {
            *count = 0;
        }
        let sown_pits = &self.path[..self.seeds_sown(now)];
        for &pit in sown_pits {
            if let Some(count) = seeds.pit_mut(pit) {
                *count += 1;
            }
        }
        (seeds, sown_pits.last().copied().unwrap_or(self.origin))
    }
}
