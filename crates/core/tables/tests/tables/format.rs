//! The file format, by a reader that follows `docs/tables.md` alone.

use std::fs;
use std::ops::ControlFlow;

use kalah::{CaptureRule, EndRule, FirstPlyRules, HouseRules, Rules, Variant};
use kalah_tables::{ChecksumPolicy, Table};
use xxhash_rust::xxh3::xxh3_64;

use super::common::{HEADER_BYTES, build, build_file, fillings, pack_row};

/// A reader written after `docs/tables.md`, without any code of the crate.
struct Reader {
    bytes: Vec<u8>,
}

/// Returns the binomial coefficient C(n, k).
fn binomial(n: u64, k: u64) -> u64 {
    (1..=k).fold(1, |ways, i| ways * (n + 1 - i) / i)
}

impl Reader {
    fn houses(&self) -> u64 {
        self.bytes[10].into()
    }

    fn rows(&self, seeds: u64) -> u64 {
        binomial(seeds + self.houses() - 1, self.houses() - 1)
    }

    fn rank(row: &[u64]) -> u64 {
        let near = |k: usize| row[row.len() - k..].iter().sum::<u64>();
        let terms = (1..row.len()).map(|k| binomial(near(k) + k as u64 - 1, k as u64));
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
        let mut offset = 4096;
        if s > 0 {
            offset += binomial(s - 1 + pits, pits);
        }
        for c in 0..a {
            offset += 2 * self.rows(c) * self.rows(s - c);
        }
        if a < b && mover_is_greater {
            offset += self.rows(a) * self.rows(b);
        }
        offset += Self::rank(lesser) * self.rows(b) + Self::rank(greater);
        i32::from(self.bytes[usize::try_from(offset).unwrap()]) - 128
    }
}

#[test]
fn the_documented_format_yields_every_value() {
    let directory = tempfile::tempdir().unwrap();
    let stuck_always = Rules {
        house_rules: HouseRules {
            ends: EndRule::Stuck,
            capture: CaptureRule::Always,
        },
        first_ply_rules: FirstPlyRules::NONE,
    };
    for (houses, seeds, rules) in [
        (1, 12, Rules::CS32),
        (2, 8, Rules::STANDARD),
        (3, 7, Rules::EMPTY_CAPTURE),
        (6, 4, stuck_always),
        (7, 3, Rules::MANKALAH),
    ] {
        let path = directory.path().join(format!("{houses}.table"));
        let variant = Variant::new(houses, rules);
        build_file(&path, variant, seeds);
        let reader = Reader {
            bytes: fs::read(&path).unwrap(),
        };
        assert_eq!(reader.bytes[..8], *b"\x89KALT\r\n\x1a");
        assert_eq!(reader.bytes[8..12], [1, 0, houses, seeds]);
        let HouseRules { ends, capture } = rules.house_rules;
        assert_eq!(reader.bytes[12], u8::from(ends == EndRule::Row));
        assert_eq!(reader.bytes[13], u8::from(capture == CaptureRule::Always));
        assert_eq!(reader.bytes[14..16], [1, 8]);
        let opened = Table::open(&path, ChecksumPolicy::Verify).unwrap();
        assert_eq!((opened.variant(), opened.seeds()), (variant, seeds));
        let verified = opened.verify_layers(seeds, &mut || ControlFlow::Continue(()));
        assert_eq!(verified, Ok(ControlFlow::Continue(())));
        let fillings = fillings(2 * houses, seeds.into());
        let positions = fillings.len() as u64;
        assert_eq!(reader.bytes[16..24], positions.to_le_bytes());
        assert_eq!(reader.bytes.len(), HEADER_BYTES + fillings.len());
        let in_memory = build(variant, seeds, 1);
        for filling in fillings {
            let (mover, other) = filling.split_at(houses.into());
            let slot = opened.slot(pack_row(mover), pack_row(other)).unwrap();
            let gain = in_memory.gain(slot).unwrap();
            assert_eq!(opened.gain(slot), Some(gain), "{filling:?}");
            let gain = i32::from(gain);
            assert_eq!(reader.gain(mover, other), gain, "{filling:?}");
        }
    }
}

/// The XXH3 hashes of whole files with 3 houses and 6 seeds, one for each variant.
const FILE_HASHES: [(EndRule, CaptureRule, u64); 4] = [
    (EndRule::Stuck, CaptureRule::Opposite, 0x5662_43ae_b402_0ee2),
    (EndRule::Row, CaptureRule::Opposite, 0x317b_76a8_291e_ff61),
    (EndRule::Stuck, CaptureRule::Always, 0xf9c5_2b58_a1fe_0ae6),
    (EndRule::Row, CaptureRule::Always, 0x999d_6e54_269c_1024),
];

#[test]
fn file_bytes_do_not_change() {
    let directory = tempfile::tempdir().unwrap();
    for (number, (ends, capture, hash)) in FILE_HASHES.into_iter().enumerate() {
        let rules = Rules {
            house_rules: HouseRules { ends, capture },
            first_ply_rules: FirstPlyRules::NONE,
        };
        let path = directory.path().join(format!("{number}.table"));
        build_file(&path, Variant::new(3, rules), 6);
        let found = xxh3_64(&fs::read(&path).unwrap());
        assert_eq!(found, hash, "{ends:?} {capture:?}: {found:#018x}");
    }
}
