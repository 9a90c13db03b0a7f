use std::fs;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use kalah::{CaptureRule, EndRule, Rules};
use kalah_tables::{Table, Variant};
use xxhash_rust::xxh3::xxh3_64;

use super::{HEADER_BYTES, build};

/// A reader after docs/tables.md, of which it follows every word and nothing else.
struct Stranger {
    bytes: Vec<u8>,
}

fn over(n: u64, k: u64) -> u64 {
    (1..=k).fold(1, |ways, i| ways * (n + 1 - i) / i)
}

impl Stranger {
    fn houses(&self) -> u64 {
        self.bytes[10].into()
    }

    fn rows(&self, seeds: u64) -> u64 {
        over(seeds + self.houses() - 1, self.houses() - 1)
    }

    fn number(row: &[u64]) -> u64 {
        let near = |k: usize| row[row.len() - k..].iter().sum::<u64>();
        let terms = (1..row.len()).map(|k| over(near(k) + k as u64 - 1, k as u64));
        terms.sum()
    }

    fn gain(&self, mover: &[u64], other: &[u64]) -> i32 {
        let seeds = |row: &[u64]| row.iter().sum::<u64>();
        let mover_is_greater = seeds(mover) > seeds(other);
        let (lesser, greater) = if mover_is_greater {
            (other, mover)
        } else {
            (mover, other)
        };
        let (a, b) = (seeds(lesser), seeds(greater));
        let s = a + b;
        let pits = 2 * self.houses();
        let mut at = 4096;
        if s > 0 {
            at += over(s - 1 + pits, pits);
        }
        for c in 0..a {
            at += 2 * self.rows(c) * self.rows(s - c);
        }
        if a < b && mover_is_greater {
            at += self.rows(a) * self.rows(b);
        }
        at += Self::number(lesser) * self.rows(b) + Self::number(greater);
        i32::from(self.bytes[usize::try_from(at).unwrap()]) - 128
    }
}

/// All ways to put up to `seeds` seeds into so many houses.
fn fillings(houses: usize, seeds: u64) -> Vec<Vec<u64>> {
    if houses == 0 {
        return vec![vec![]];
    }
    let with_last = |last| {
        let rest = fillings(houses - 1, seeds - last).into_iter();
        rest.map(move |mut filling| {
            filling.push(last);
            filling
        })
    };
    (0..=seeds).flat_map(with_last).collect()
}

fn packed(row: &[u64]) -> u64 {
    row.iter().fold(0, |packed, seeds| packed << 8 | seeds)
}

#[test]
fn a_stranger_reads_every_value_by_the_description_alone() {
    let folder = tempfile::tempdir().unwrap();
    let stuck_always = Rules {
        ends: EndRule::Stuck,
        capture: CaptureRule::Always,
        ..Rules::CS32
    };
    for (houses, seeds, rules) in [
        (1, 12, Rules::CS32),
        (2, 8, Rules::STANDARD),
        (3, 7, Rules::EMPTY_CAPTURE),
        (6, 4, stuck_always),
        (7, 3, Rules::MANKALAH),
    ] {
        let path = folder.path().join(format!("{houses}.table"));
        let variant = Variant::new(houses, rules);
        build(&path, variant, seeds);
        let stranger = Stranger {
            bytes: fs::read(&path).unwrap(),
        };
        assert_eq!(stranger.bytes[..8], *b"\x89KALT\r\n\x1a");
        assert_eq!(stranger.bytes[8..12], [1, 0, houses, seeds]);
        assert_eq!(stranger.bytes[12], u8::from(rules.ends == EndRule::Row));
        assert_eq!(
            stranger.bytes[13],
            u8::from(rules.capture == CaptureRule::Always)
        );
        assert_eq!(stranger.bytes[14..16], [1, 8]);
        let opened = Table::open(&path).unwrap();
        assert_eq!((opened.variant(), opened.seeds()), (variant, seeds));
        let fillings = fillings(2 * usize::from(houses), seeds.into());
        let positions = fillings.len() as u64;
        assert_eq!(stranger.bytes[16..24], positions.to_le_bytes());
        assert_eq!(stranger.bytes.len(), HEADER_BYTES + fillings.len());
        let in_memory = Table::build(variant, seeds, NonZeroUsize::MIN, &mut |_| {
            ControlFlow::Continue(())
        });
        let in_memory = in_memory.unwrap();
        for filling in fillings {
            let (mover, other) = filling.split_at(houses.into());
            let slot = opened.slot(packed(mover), packed(other)).unwrap();
            let gain = i32::from(in_memory.gain(slot));
            assert_eq!(i32::from(opened.gain(slot)), gain, "{filling:?}");
            assert_eq!(stranger.gain(mover, other), gain, "{filling:?}");
        }
    }
}

/// XXH3 of whole files with 3 houses and 6 seeds: one for each pair of rules a table distinguishes.
const FILE_HASHES: [(EndRule, CaptureRule, u64); 4] = [
    (EndRule::Stuck, CaptureRule::Opposite, 0x5662_43ae_b402_0ee2),
    (EndRule::Row, CaptureRule::Opposite, 0x317b_76a8_291e_ff61),
    (EndRule::Stuck, CaptureRule::Always, 0xf9c5_2b58_a1fe_0ae6),
    (EndRule::Row, CaptureRule::Always, 0x999d_6e54_269c_1024),
];

#[test]
fn file_bytes_do_not_change() {
    let folder = tempfile::tempdir().unwrap();
    for (number, (ends, capture, hash)) in FILE_HASHES.into_iter().enumerate() {
        let rules = Rules {
            ends,
            capture,
            ..Rules::CS32
        };
        let path = folder.path().join(format!("{number}.table"));
        build(&path, Variant::new(3, rules), 6);
        let found = xxh3_64(&fs::read(&path).unwrap());
        assert_eq!(found, hash, "{ends:?} {capture:?}: {found:#018x}");
    }
}
