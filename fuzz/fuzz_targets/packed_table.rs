//! Any bytes are opened as a packed table or refused with an error. Unpacking writes the right
//! table or none.
//!
//! Input: a byte for the kind of file, by its remainder of 3, and then
//! 0. the file;
//! 1. a byte for a layer, and the content of its chunk in a correct file, before compression;
//! 2. the changes of a correct file behind its header: three bytes for each, two for the offset and
//!    one for the bits to flip; one or two remaining bytes are the number of bytes to cut off.
//!
//! The lengths and the checksums of the headers of kinds 1 and 2 are correct.
#![no_main]

use std::fs;
use std::io::{Read as _, Write as _};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::OnceLock;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use kalah::{Rules, Variant};
use kalah_tables::{BuildMemory, PackedTable, Table, UnpackError};
use libfuzzer_sys::fuzz_target;
use xxhash_rust::xxh3::xxh3_64;

const HEADER: usize = 4096;
/// The number of bytes that the checksum of the header covers: all before it.
const SEALED: usize = HEADER - 8;
/// The offset of the length of the file.
const LENGTH: usize = SEALED - 8;

const SEEDS: u8 = 4;

/// A table and its packed form.
struct Correct {
    table: Vec<u8>,
    packed: Vec<u8>,
}

/// Made once.
static CORRECT: OnceLock<Correct> = OnceLock::new();

fn make_correct(folder: &Path) -> Correct {
    let (built, packed) = (folder.join("built"), folder.join("packed"));
    let variant = Variant::new(2, Rules::STANDARD);
    let go_on = &mut |_| ControlFlow::Continue(());
    let one = NonZeroUsize::MIN;
    let table = Table::build_file(&built, variant, SEEDS, one, go_on).expect("it is built");
    table.pack(&packed, one, go_on).expect("it is packed");
    let read = |path| fs::read(path).expect("it is read");
    Correct {
        table: read(&built),
        packed: read(&packed),
    }
}

/// Returns the chunks of a correct file, one for each layer, with their lengths.
fn chunks(packed: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = &packed[HEADER..];
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let mut len = [0; 4];
        (&rest[..4]).read_exact(&mut len).expect("4 bytes");
        let (chunk, after) = rest.split_at(4 + u32::from_le_bytes(len) as usize);
        chunks.push(chunk.to_vec());
        rest = after;
    }
    chunks
}

/// Compresses the content of a chunk, and puts its length before it.
fn chunk(content: &[u8]) -> Vec<u8> {
    let mut stream = ZlibEncoder::new(Vec::new(), Compression::fast());
    stream.write_all(content).expect("a vector takes all bytes");
    let stream = stream.finish().expect("a vector takes all bytes");
    let len = u32::try_from(stream.len()).expect("a short input");
    [&len.to_le_bytes(), stream.as_slice()].concat()
}

fn damaged(mut file: Vec<u8>, changes: &[u8]) -> Vec<u8> {
    let number = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0, |sum, &byte| sum << 8 | usize::from(byte))
    };
    let len = file.len() - HEADER;
    let changes = changes.chunks_exact(3);
    file.truncate(HEADER + len - number(changes.remainder()) % len);
    for change in changes {
        let (at, bits) = change.split_at(2);
        if let Some(byte) = file.get_mut(HEADER + number(at) % len) {
            *byte ^= bits[0];
        }
    }
    file
}

/// Corrects the length and the checksum in the header.
fn seal(mut file: Vec<u8>) -> Vec<u8> {
    let len = file.len() as u64;
    file[LENGTH..SEALED].copy_from_slice(&len.to_le_bytes());
    let checksum = xxh3_64(&file[..SEALED]).to_le_bytes();
    file[SEALED..HEADER].copy_from_slice(&checksum);
    file
}

fuzz_target!(|data: &[u8]| {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let correct = CORRECT.get_or_init(|| make_correct(folder.path()));
    let file = match kind % 3 {
        0 => rest.to_vec(),
        1 => {
            let (layer, content) = rest.split_first().unwrap_or((&0, &[]));
            let mut chunks = chunks(&correct.packed);
            chunks[usize::from(layer % (SEEDS + 1))] = chunk(content);
            seal([&correct.packed[..HEADER], &chunks.concat()].concat())
        }
        _ => seal(damaged(correct.packed.clone(), rest)),
    };
    let (path, target) = (
        folder.path().join("some.packed"),
        folder.path().join("table"),
    );
    fs::write(&path, &file).expect("it is written");
    let packed = match PackedTable::open(&path) {
        Ok(packed) => packed,
        Err(error) => {
            assert_eq!(kind % 3, 0, "{error}");
            assert!(error.to_string().contains("some.packed"), "{error}");
            return;
        }
    };
    let go_on = &mut |_| ControlFlow::Continue(());
    match packed.unpack(&target, BuildMemory::OneLayer, NonZeroUsize::MIN, go_on) {
        Ok(_) => assert!(fs::read(&target).expect("it is read") == correct.table),
        Err(UnpackError::Damaged { .. }) => assert!(!target.exists()),
        Err(UnpackError::Write(error)) => panic!("{error}"),
    }
});
