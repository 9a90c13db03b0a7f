//! Packed tables: packing, unpacking, damage, and the format, by a slow reader that follows
//! `docs/tables.md` and the rules of the game alone.

use std::collections::HashMap;
use std::fs;
use std::io::Read as _;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;
use kalah::{CaptureRule, EndRule, FirstPlyRules, HouseRules, Rules, Variant};
use kalah_tables::{
    BuildError, BuildEvent, BuildFileError, BuildMemory, ChecksumPolicy, Header, HeaderError,
    OpenError, PackError, PackedFault, PackedTable, Table, UnpackError,
};
use xxhash_rust::xxh3::xxh3_64;

use super::common::{HEADER_BYTES, build, build_file, never_cancel};

/// The offset of the checksum of the header.
const HEADER_CHECKSUM: usize = HEADER_BYTES - 8;

/// The positions of a chunk.
const CHUNK: usize = 1 << 20;

fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

fn pack(table: &Table, path: &Path) -> u64 {
    table.pack(path, threads(1), &mut never_cancel).unwrap()
}

fn unpack(packed: &Path, path: &Path, memory: BuildMemory) -> Result<Table, UnpackError> {
    let packed = PackedTable::open(packed).unwrap();
    packed.unpack(path, memory, threads(1), &mut never_cancel)
}

fn stuck_always() -> Rules {
    Rules {
        house_rules: HouseRules {
            ends: EndRule::Stuck,
            capture: CaptureRule::Always,
        },
        first_ply_rules: FirstPlyRules::NONE,
    }
}

/// Variants of all house rules with 1 to 8 houses, each with the seeds of a small table.
fn variants() -> impl Iterator<Item = (Variant, u8)> {
    let rules = [
        Rules::CS32,
        Rules::STANDARD,
        Rules::EMPTY_CAPTURE,
        Rules::MANKALAH,
        stuck_always(),
    ];
    let sizes = [
        (1, 24),
        (2, 12),
        (3, 9),
        (4, 7),
        (5, 6),
        (6, 5),
        (7, 4),
        (8, 4),
    ];
    rules.into_iter().flat_map(move |rules| {
        sizes
            .into_iter()
            .map(move |(houses, seeds)| (Variant::new(houses, rules), seeds))
    })
}

/// A reader written after `docs/tables.md`. It derives each prediction by the rules of the game.
struct SlowReader {
    variant: Variant,
    bytes: Vec<u8>,
    /// The next byte.
    at: usize,
    /// The gains of the lower layers, by the seeds in each house of the mover and of the other
    /// side.
    gains: HashMap<Vec<u64>, i32>,
}

impl SlowReader {
    /// Returns the prediction: the result of the sweep at the end of the game, otherwise the best
    /// move that banks or captures seeds, or the loss of all seeds without such a move.
    fn prediction(&self, pits: &[u64]) -> i32 {
        let houses = usize::from(self.variant.houses());
        let HouseRules { ends, capture } = self.variant.house_rules();
        let sum = |row: &[u64]| i32::try_from(row.iter().sum::<u64>()).unwrap();
        let (own, other) = (sum(&pits[..houses]), sum(&pits[houses..]));
        if own == 0 || (ends == EndRule::Row && other == 0) {
            return own - other;
        }
        let mut best = -(own + other);
        for house in (0..houses).filter(|&house| pits[house] > 0) {
            // Without the store of the other side: own houses, own store, other houses.
            let mut after = pits.to_vec();
            after.insert(houses, 0);
            let mut last = house;
            for _ in 0..std::mem::take(&mut after[house]) {
                last = (last + 1) % after.len();
                after[last] += 1;
            }
            if last < houses && after[last] == 1 {
                let opposite = 2 * houses - last;
                if after[opposite] > 0 || capture == CaptureRule::Always {
                    after[houses] += 1 + std::mem::take(&mut after[opposite]);
                    after[last] = 0;
                }
            }
            let banked = i32::try_from(after.remove(houses)).unwrap();
            if banked == 0 {
                continue;
            }
            let gain = if last == houses {
                self.gains[&after]
            } else {
                after.rotate_left(houses);
                -self.gains[&after]
            };
            best = best.max(banked + gain);
        }
        best
    }

    /// Returns the content of the next chunk: its bits and its gains.
    fn chunk(&mut self, positions: usize) -> (Vec<u8>, Vec<u8>) {
        let mut len = [0; 4];
        len.copy_from_slice(&self.bytes[self.at..][..4]);
        let start = self.at + 4;
        self.at = start + u32::from_le_bytes(len) as usize;
        let mut content = Vec::new();
        let mut stream = ZlibDecoder::new(&self.bytes[start..self.at]);
        stream.read_to_end(&mut content).unwrap();
        let gains = content.split_off(positions.div_ceil(8));
        (content, gains)
    }

    /// Returns the values of the next layer, whose positions are `layout`.
    fn layer(&mut self, layout: &[Vec<u64>]) -> Vec<u8> {
        let mut values = Vec::new();
        for positions in layout.chunks(CHUNK) {
            let (bits, gains) = self.chunk(positions.len());
            let mut gains = gains.into_iter();
            for (at, pits) in positions.iter().enumerate() {
                let gain = if bits[at / 8] >> (at % 8) & 1 == 1 {
                    let seeds = i32::try_from(pits.iter().sum::<u64>()).unwrap();
                    2 * i32::from(gains.next().unwrap()) - seeds
                } else {
                    self.prediction(pits)
                };
                values.push(u8::try_from(gain + 128).unwrap());
            }
            assert_eq!(gains.next(), None);
        }
        for (pits, &value) in layout.iter().zip(&values) {
            self.gains.insert(pits.clone(), i32::from(value) - 128);
        }
        values
    }
}

/// Checks that the slow reader and [`PackedTable::unpack`] yield the values of a table.
fn assert_readers_agree(folder: &Path, variant: Variant, seeds: u8) {
    let (packed, unpacked) = (folder.join("packed"), folder.join("unpacked"));
    let table = build(variant, seeds, 1);
    assert_eq!(pack(&table, &packed), fs::metadata(&packed).unwrap().len());
    let fast = unpack(&packed, &unpacked, BuildMemory::WholeTable).unwrap();
    let mut slow = SlowReader {
        variant,
        bytes: fs::read(&packed).unwrap(),
        at: HEADER_BYTES,
        gains: HashMap::new(),
    };
    for layer in 0..=seeds {
        let values = table.layer(layer).unwrap();
        assert!(fast.layer(layer).unwrap() == values, "{variant:?} {layer}");
        let setups = (0..values.len()).map(|index| table.setup(layer, index).unwrap());
        let layout: Vec<Vec<u64>> = setups
            .map(|setup| [setup.rows.south, setup.rows.north].concat())
            .collect();
        assert!(slow.layer(&layout) == values, "{variant:?} {layer}");
        let offset = 24 + 8 * usize::from(layer);
        assert_eq!(slow.bytes[offset..][..8], xxh3_64(values).to_le_bytes());
    }
    assert_eq!(slow.at, slow.bytes.len());
    assert_eq!(slow.bytes[4080..4088], (slow.at as u64).to_le_bytes());
    assert_eq!(slow.bytes[..8], *b"\x89KALP\r\n\x1a");
    assert_eq!(slow.bytes[14..16], [2, 0]);
    // All other fields are those of the table.
    let file = fs::read(&unpacked).unwrap();
    for range in [8..14, 16..4080] {
        assert!(file[range.clone()] == slow.bytes[range]);
    }
    fs::remove_file(packed).unwrap();
    fs::remove_file(unpacked).unwrap();
}

#[test]
fn the_slow_reader_and_the_fast_one_agree() {
    let folder = tempfile::tempdir().unwrap();
    for (variant, seeds) in variants() {
        assert_readers_agree(folder.path(), variant, seeds);
    }
}

#[test]
fn files_are_the_same_with_any_number_of_threads_and_in_any_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (variant, seeds) = (Variant::new(6, Rules::CS32), 12);
    let table = build_file(&path("built"), variant, seeds);
    let layer = table.layer(seeds).unwrap().len();
    assert!(layer > CHUNK, "{layer}");
    for count in [1, 3] {
        let (packed, unpacked) = (path(&format!("p{count}")), path(&format!("u{count}")));
        table
            .pack(&packed, threads(count), &mut never_cancel)
            .unwrap();
        let memory = match count {
            1 => BuildMemory::WholeTable,
            _ => BuildMemory::OneLayer,
        };
        let opened = PackedTable::open(&packed).unwrap();
        let table = opened
            .unpack(&unpacked, memory, threads(count), &mut never_cancel)
            .unwrap();
        let verified = table.verify_checksums(&mut |_| ControlFlow::Continue(()));
        assert_eq!(verified, Ok(()));
        assert!(fs::read(unpacked).unwrap() == fs::read(path("built")).unwrap());
    }
    assert!(fs::read(path("p1")).unwrap() == fs::read(path("p3")).unwrap());
    let mut reader = SlowReader {
        variant,
        bytes: fs::read(path("p1")).unwrap(),
        at: HEADER_BYTES,
        gains: HashMap::new(),
    };
    for layer in 0..=seeds {
        for values in table.layer(layer).unwrap().chunks(CHUNK) {
            let (bits, gains) = reader.chunk(values.len());
            let set: u32 = bits.iter().map(|bits| bits.count_ones()).sum();
            assert_eq!(set as usize, gains.len());
        }
    }
    assert_eq!(reader.at, reader.bytes.len());
}

/// A small table in a file and its packed file, in a folder.
struct Small {
    folder: tempfile::TempDir,
    table: Table,
    packed: PathBuf,
}

const SMALL_SEEDS: u8 = 5;

impl Small {
    fn new() -> Self {
        Self::with_seeds(SMALL_SEEDS)
    }

    fn with_seeds(seeds: u8) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let built = folder.path().join("built");
        build_file(&built, Variant::new(3, Rules::STANDARD), seeds);
        let table = Table::open(&built, ChecksumPolicy::Verify).unwrap();
        let packed = folder.path().join("packed");
        pack(&table, &packed);
        Self {
            folder,
            table,
            packed,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn built(&self) -> Vec<u8> {
        fs::read(self.path("built")).unwrap()
    }
}

/// Corrects the checksum of a header.
fn seal(bytes: &mut [u8]) {
    let checksum = xxh3_64(&bytes[..HEADER_CHECKSUM]).to_le_bytes();
    bytes[HEADER_CHECKSUM..HEADER_BYTES].copy_from_slice(&checksum);
}

/// Returns the fault that unpacking these bytes finds, and its layer. `None` if the header does not
/// belong to them.
fn fault_of(small: &Small, bytes: &[u8]) -> Option<(u8, PackedFault)> {
    match unpack_bytes(small, bytes) {
        Err(UnpackedBytes::Fault(layer, fault)) => Some((layer, fault)),
        Err(UnpackedBytes::Header) => None,
        Ok(()) => panic!("it is unpacked"),
    }
}

/// The reason why bytes are not unpacked.
#[derive(Debug)]
enum UnpackedBytes {
    Header,
    /// The layer, and its fault.
    Fault(u8, PackedFault),
}

/// Unpacks these bytes, and checks that they yield nothing but the right table.
fn unpack_bytes(small: &Small, bytes: &[u8]) -> Result<(), UnpackedBytes> {
    let (damaged, target) = (small.path("damaged"), small.path("target"));
    fs::write(&damaged, bytes).unwrap();
    let packed = PackedTable::open(&damaged).map_err(|error| {
        assert!(error.to_string().contains("damaged'"), "{error}");
        UnpackedBytes::Header
    })?;
    let memory = BuildMemory::WholeTable;
    match packed.unpack(&target, memory, threads(1), &mut never_cancel) {
        Ok(_) => {
            assert!(fs::read(&target).unwrap() == small.built());
            fs::remove_file(target).unwrap();
            Ok(())
        }
        Err(UnpackError::Damaged { path, layer, fault }) => {
            assert_eq!(path, damaged);
            assert!(!target.exists());
            let part = Table::part_path(&target);
            let layers = Table::positions(packed.header().variant(), layer).unwrap();
            assert!(fs::metadata(&part).unwrap().len() < Header::BYTES + layers);
            fs::remove_file(part).unwrap();
            Err(UnpackedBytes::Fault(layer, fault))
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn no_flipped_bit_yields_another_table() {
    /// The bits between the end of a compressed stream and the next whole byte have no meaning.
    const MAX_UNUSED_BITS: usize = 7;

    const SEEDS: u8 = 3;

    let small = Small::with_seeds(SEEDS);
    let whole = fs::read(&small.packed).unwrap();
    let mut without_effect = 0;
    for bit in 0..8 * whole.len() {
        // The header is mostly zeros, and its own test flips each of their bits.
        if (8 * 100..8 * 4070).contains(&bit) {
            continue;
        }
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        match unpack_bytes(&small, &bytes) {
            Err(UnpackedBytes::Header) => assert!(bit < 8 * HEADER_BYTES, "bit {bit}"),
            Err(UnpackedBytes::Fault(..)) => assert!(bit >= 8 * HEADER_BYTES, "bit {bit}"),
            Ok(()) => without_effect += 1,
        }
    }
    let chunks = usize::from(SEEDS) + 1;
    assert!(
        without_effect <= MAX_UNUSED_BITS * chunks,
        "{without_effect}"
    );
}

#[test]
fn every_truncation_and_every_extension_is_found() {
    let small = Small::new();
    let whole = fs::read(&small.packed).unwrap();
    for len in (0..whole.len()).rev() {
        // The header is mostly zeros.
        if (100..4000).contains(&len) {
            continue;
        }
        let mut bytes = whole[..len].to_vec();
        assert_eq!(fault_of(&small, &bytes), None, "{len} bytes");
        if len < HEADER_BYTES {
            continue;
        }
        bytes[4080..4088].copy_from_slice(&(len as u64).to_le_bytes());
        seal(&mut bytes);
        let (_, fault) = fault_of(&small, &bytes).unwrap();
        assert_eq!(fault, PackedFault::Truncated, "{len} bytes");
    }
    let mut longer = [whole.as_slice(), b"end"].concat();
    assert_eq!(fault_of(&small, &longer), None);
    let len = longer.len() as u64;
    longer[4080..4088].copy_from_slice(&len.to_le_bytes());
    seal(&mut longer);
    let fault = fault_of(&small, &longer);
    assert_eq!(fault, Some((SMALL_SEEDS, PackedFault::Trailing(3))));
}

#[test]
fn values_with_a_wrong_checksum_or_of_another_variant_are_refused() {
    let small = Small::new();
    let whole = fs::read(&small.packed).unwrap();
    // The checksum of a layer, the end of the game, and captures.
    for (offset, layer) in [(24 + 8 * 3, 3), (12, 1), (13, 2)] {
        let mut bytes = whole.clone();
        bytes[offset] ^= 1;
        seal(&mut bytes);
        let (found, fault) = fault_of(&small, &bytes).unwrap();
        assert!(found >= layer, "byte {offset}: layer {found}, {fault}");
        let expected = matches!(
            fault,
            PackedFault::Checksum { .. } | PackedFault::Gain { .. }
        );
        assert!(expected, "byte {offset}: layer {found}, {fault}");
    }
}

#[test]
fn each_wrong_chunk_has_its_error() {
    let small = Small::new();
    let whole = fs::read(&small.packed).unwrap();
    let with_first_chunk = |chunk: &[u8]| {
        let mut bytes = whole[..HEADER_BYTES].to_vec();
        bytes.extend(chunk);
        let len = bytes.len() as u64;
        bytes[4080..4088].copy_from_slice(&len.to_le_bytes());
        seal(&mut bytes);
        fault_of(&small, &bytes).unwrap()
    };
    let with_content = |content: &[u8]| {
        let level = flate2::Compression::fast();
        let mut stream = flate2::read::ZlibEncoder::new(content, level);
        let mut bytes = vec![0; 4];
        stream.read_to_end(&mut bytes).unwrap();
        let len = u32::try_from(bytes.len() - 4).unwrap();
        bytes[..4].copy_from_slice(&len.to_le_bytes());
        with_first_chunk(&bytes)
    };
    let too_long = PackedFault::ChunkLength(u32::MAX);
    assert_eq!(with_first_chunk(&[u8::MAX; 4]), (0, too_long));
    let no_stream = with_first_chunk(&[4, 0, 0, 0, 1, 2, 3, 4]);
    assert!(
        matches!(no_stream, (0, PackedFault::Stream(_))),
        "{no_stream:?}"
    );
    let empty = with_first_chunk(&[0; 4]);
    assert!(matches!(empty, (0, PackedFault::Stream(_))), "{empty:?}");
    // Layer 0 has one position, with the gain 0, and its chunk one byte of bits.
    assert_eq!(with_content(&[]), (0, PackedFault::Content(0)));
    assert_eq!(with_content(&[0, 0]), (0, PackedFault::Content(2)));
    assert_eq!(with_content(&[2, 0]), (0, PackedFault::Content(2)));
    let long = with_content(&[0; 3]);
    assert!(matches!(long, (0, PackedFault::Stream(_))), "{long:?}");
    let fault = PackedFault::Gain {
        gain: 2,
        prediction: 0,
        layer: 0,
    };
    assert_eq!(with_content(&[1, 1]), (0, fault));
    // The end of the file comes instead of the chunk of layer 1.
    assert_eq!(with_content(&[0]), (1, PackedFault::Truncated));
}

#[test]
fn neither_kind_of_file_is_opened_as_the_other() {
    let small = Small::new();
    let reason = |error: OpenError| match error {
        OpenError::Header { reason, .. } => reason,
        error => panic!("{error}"),
    };
    let error = PackedTable::open(&small.path("built")).unwrap_err();
    assert_eq!(reason(error), HeaderError::NotPacked);
    let error = Header::read(&small.packed).unwrap_err();
    assert_eq!(reason(error), HeaderError::Packed);
    let mut newer = fs::read(&small.packed).unwrap();
    newer[8] = 2;
    let path = small.path("newer");
    fs::write(&path, newer).unwrap();
    let error = PackedTable::open(&path).unwrap_err();
    assert_eq!(reason(error), HeaderError::UnsupportedVersion(2));
    let error = PackedTable::open(&small.path("absent")).unwrap_err();
    assert!(matches!(error, OpenError::NotFound(_)), "{error}");
}

/// Runs `work` with an observer that cancels at the event `index`, for each index until nothing is
/// cancelled. Returns the last layers that were resumed.
fn cancel_at_each_event(
    mut work: impl FnMut(&mut (dyn FnMut(BuildEvent) -> ControlFlow<()> + Send)) -> bool,
) -> Vec<u8> {
    let mut resumed = Vec::new();
    for index in 0.. {
        let mut events = 0;
        let is_cancelled = work(&mut |event| {
            if let BuildEvent::Resumed(progress) = event {
                resumed.push(progress.layer);
            }
            events += 1;
            if events > index {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        if !is_cancelled {
            break;
        }
    }
    resumed
}

#[test]
fn cancelled_packing_and_unpacking_resume() {
    let small = Small::new();
    let (packed, unpacked) = (small.path("again"), small.path("unpacked"));
    let resumed =
        cancel_at_each_event(
            |observer| match small.table.pack(&packed, threads(1), observer) {
                Ok(_) => false,
                Err(PackError::Write(BuildFileError::Build(BuildError::Cancelled))) => {
                    assert!(!packed.exists());
                    true
                }
                Err(error) => panic!("{error}"),
            },
        );
    assert!(resumed.is_sorted() && resumed.contains(&2), "{resumed:?}");
    assert!(!Table::part_path(&packed).exists());
    assert!(fs::read(&packed).unwrap() == fs::read(&small.packed).unwrap());
    let opened = PackedTable::open(&packed).unwrap();
    let resumed = cancel_at_each_event(|observer| {
        match opened.unpack(&unpacked, BuildMemory::OneLayer, threads(1), observer) {
            Ok(_) => false,
            Err(UnpackError::Write(BuildFileError::Build(BuildError::Cancelled))) => {
                assert!(!unpacked.exists());
                true
            }
            Err(error) => panic!("{error}"),
        }
    });
    assert!(resumed.is_sorted() && resumed.contains(&2), "{resumed:?}");
    assert!(fs::read(&unpacked).unwrap() == small.built());
}

#[test]
fn packing_keeps_only_intact_layers_of_the_same_table() {
    let small = Small::new();
    let whole = fs::read(&small.packed).unwrap();
    let path = small.path("again");
    // The start of layer 3.
    let mut start = HEADER_BYTES;
    for _ in 0..3 {
        let mut len = [0; 4];
        len.copy_from_slice(&whole[start..start + 4]);
        start += 4 + u32::from_le_bytes(len) as usize;
    }
    let flipped = |offset: usize| {
        let mut bytes = whole.clone();
        bytes[offset] ^= 1;
        bytes
    };
    // The content of the part file, and the last layer with which the packing resumes.
    for (content, kept) in [
        (whole.clone(), Some(5)),
        (whole[..start].to_vec(), Some(2)),
        (whole[..start + 10].to_vec(), Some(2)),
        (flipped(start + 10), Some(2)),
        (flipped(start), Some(2)),
        (flipped(HEADER_BYTES + 5), None),
        (flipped(24), None),
        (flipped(10), None),
        (b"not a table".to_vec(), None),
        (vec![], None),
    ] {
        fs::write(Table::part_path(&path), content).unwrap();
        let mut resumed = None;
        let packed = small.table.pack(&path, threads(1), &mut |event| {
            if let BuildEvent::Resumed(progress) = event {
                resumed = Some(progress.layer);
            }
            ControlFlow::Continue(())
        });
        assert_eq!(packed.unwrap(), whole.len() as u64);
        assert_eq!(resumed, kept);
        assert!(fs::read(&path).unwrap() == whole);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn unpacking_keeps_no_layer_with_another_checksum() {
    let small = Small::new();
    let unpacked = small.path("unpacked");
    // A part file of a table of the same size whose layer 2 is another one, with its checksum.
    let mut part = small.built();
    let start = HEADER_BYTES
        + usize::try_from(Table::positions(small.table.variant(), 1).unwrap()).unwrap();
    let end = HEADER_BYTES
        + usize::try_from(Table::positions(small.table.variant(), 2).unwrap()).unwrap();
    part[start] ^= 2;
    let checksum = xxh3_64(&part[start..end]).to_le_bytes();
    part[24 + 8 * 2..][..8].copy_from_slice(&checksum);
    fs::write(Table::part_path(&unpacked), part).unwrap();
    let mut resumed = None;
    let packed = PackedTable::open(&small.packed).unwrap();
    let memory = BuildMemory::WholeTable;
    let result = packed.unpack(&unpacked, memory, threads(1), &mut |event| {
        if let BuildEvent::Resumed(progress) = event {
            resumed = Some(progress.layer);
        }
        ControlFlow::Continue(())
    });
    result.unwrap();
    assert_eq!(resumed, Some(1));
    assert!(fs::read(&unpacked).unwrap() == small.built());
}

#[test]
fn tables_that_contradict_their_lower_layers_are_not_packed() {
    let small = Small::new();
    let variant = small.table.variant();
    let whole = small.built();
    let start = HEADER_BYTES + usize::try_from(Table::positions(variant, 2).unwrap()).unwrap();
    let end = HEADER_BYTES + usize::try_from(Table::positions(variant, 3).unwrap()).unwrap();
    let path = small.path("wrong");
    let target = small.path("wrong.packed");
    for value in [0, 124, 126, 132, 255] {
        for offset in [start, start + 17] {
            let mut bytes = whole.clone();
            bytes[offset] = value;
            let checksum = xxh3_64(&bytes[start..end]).to_le_bytes();
            bytes[24 + 8 * 3..][..8].copy_from_slice(&checksum);
            seal(&mut bytes);
            fs::write(&path, bytes).unwrap();
            let table = Table::open(&path, ChecksumPolicy::Verify).unwrap();
            let error = table
                .pack(&target, threads(1), &mut never_cancel)
                .unwrap_err();
            let setup = table.setup(3, offset - start).unwrap().to_string();
            assert!(matches!(error, PackError::Value { .. }), "{error}");
            assert!(error.to_string().contains(&setup), "{error}");
            assert!(!target.exists() && !Table::part_path(&target).exists());
        }
    }
    let mut damaged = whole;
    damaged[start] ^= 2;
    fs::write(&path, damaged).unwrap();
    let table = Table::open(&path, ChecksumPolicy::Verify).unwrap();
    let error = table
        .pack(&target, threads(1), &mut never_cancel)
        .unwrap_err();
    assert!(matches!(error, PackError::Damaged(_)), "{error}");
    assert!(!target.exists() && !Table::part_path(&target).exists());
}

#[test]
fn existing_files_are_not_replaced() {
    let small = Small::new();
    let error = small
        .table
        .pack(&small.packed, threads(1), &mut never_cancel)
        .unwrap_err();
    assert!(
        matches!(error, PackError::Write(BuildFileError::Exists(_))),
        "{error}"
    );
    let error = unpack(&small.packed, &small.path("built"), BuildMemory::WholeTable);
    assert!(
        matches!(error, Err(UnpackError::Write(BuildFileError::Exists(_)))),
        "{:?}",
        error.err()
    );
}

/// A packed table in this repository, which the reader in `docs/tables.md` reads too.
#[test]
fn packed_files_of_earlier_versions_are_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let (built, unpacked) = (folder.path().join("built"), folder.path().join("unpacked"));
    build_file(&built, Variant::new(3, Rules::STANDARD), 5);
    let packed = data.join("kalah-3-houses-5-seeds-standard.packed");
    unpack(&packed, &unpacked, BuildMemory::WholeTable).unwrap();
    assert!(fs::read(unpacked).unwrap() == fs::read(built).unwrap());
}
