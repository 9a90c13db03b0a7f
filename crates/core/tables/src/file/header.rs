//! The header of a table file, to and from bytes. `docs/tables.md` describes it.

use kalah::{CaptureRule, EndRule, FirstPlyRules, HouseRules, Rules, Variant};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::index::{MAX_HOUSES, MAX_SEEDS};
use crate::table::Table;

/// The kinds of files that have such a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A table, with a byte for each value.
    Table,
    /// A packed table, with the values that differ from their predictions.
    Packed,
}

impl FileKind {
    /// Returns the first bytes of every file of this kind. The first one is not ASCII, so that no
    /// program takes the file for text, and a transfer that converts line ends destroys the `\r\n`
    /// (as in PNG).
    const fn magic(self) -> [u8; 8] {
        match self {
            Self::Table => *b"\x89KALT\r\n\x1a",
            Self::Packed => *b"\x89KALP\r\n\x1a",
        }
    }

    /// Returns the header of a file of this kind with all checksums 0.
    pub(crate) fn header_without_checksums(
        self,
        variant: Variant,
        seeds: u8,
    ) -> [u8; HEADER_BYTES] {
        let HouseRules { ends, capture } = variant.house_rules();
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&self.magic());
        bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
        bytes[10] = variant.houses();
        bytes[11] = seeds;
        bytes[12] = match ends {
            EndRule::Stuck => 0,
            EndRule::Row => 1,
        };
        bytes[13] = match capture {
            CaptureRule::Opposite => 0,
            CaptureRule::Always => 1,
        };
        bytes[14..16].copy_from_slice(&self.encoding());
        let positions = Table::positions(variant, seeds).unwrap_or(0);
        bytes[16..CHECKSUMS_OFFSET].copy_from_slice(&positions.to_le_bytes());
        bytes
    }

    /// Returns the number of the encoding, and the bits of a value in it.
    fn encoding(self) -> [u8; 2] {
        match self {
            Self::Table => [ENCODING_GAIN_AND_128, BITS_PER_VALUE],
            Self::Packed => [ENCODING_EXCEPTIONS, VARIABLE_BITS],
        }
    }
}

/// The format version: the one written, and the only one accepted.
pub(crate) const VERSION: u16 = 1;

/// The bytes of a header. It fills a page of memory, so that the values begin at the next one.
pub(crate) const HEADER_BYTES: usize = 4096;

/// The encoding in which a value is a byte: the gain + 128.
const ENCODING_GAIN_AND_128: u8 = 1;

/// The bits of a value in that encoding.
const BITS_PER_VALUE: u8 = 8;

/// The encoding that consists of the gains that differ from their predictions.
const ENCODING_EXCEPTIONS: u8 = 2;

/// The bits of a value in an encoding in which their number varies.
const VARIABLE_BITS: u8 = 0;

/// The offset of the checksum of layer 0.
pub(crate) const CHECKSUMS_OFFSET: usize = 24;

/// The bytes of a checksum.
pub(crate) const CHECKSUM_BYTES: usize = 8;

/// The offset of the checksum of the header, which covers all bytes before it.
pub(crate) const HEADER_CHECKSUM_OFFSET: usize = HEADER_BYTES - CHECKSUM_BYTES;

/// The offset of the length of a packed file in bytes. In a table it is 0.
pub(crate) const PACKED_LENGTH_OFFSET: usize = HEADER_CHECKSUM_OFFSET - 8;

const _: () =
    assert!(CHECKSUMS_OFFSET + (MAX_SEEDS as usize + 1) * CHECKSUM_BYTES <= PACKED_LENGTH_OFFSET);

/// The header of a table file.
///
/// ```
/// use kalah::{Rules, Variant};
/// use kalah_tables::Header;
/// let header = Header::new(Variant::new(2, Rules::CS32), 3, vec![7; 4])?;
/// assert_eq!(header.positions(), 35);
/// let bytes = header.to_bytes();
/// assert_eq!(Header::from_bytes(&bytes)?, header);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    variant: Variant,
    seeds: u8,
    /// By layer.
    checksums: Vec<u64>,
}

/// The reason why bytes are not the header of a table that this program can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum HeaderError {
    /// The file does not begin with the magic bytes.
    #[error("not a Kalah table file")]
    BadMagic,
    /// The file is a packed table, where a table is expected.
    #[error("this table is packed: `kalah tables unpack` makes a table of it")]
    Packed,
    /// The file is a table, where a packed one is expected.
    #[error("this table is not packed")]
    NotPacked,
    /// The file has a format version that this program does not read.
    #[error("table format version {0} is not supported: this program reads version {VERSION}")]
    UnsupportedVersion(u16),
    /// The file ends before its header does.
    #[error("truncated header: {has} of {HEADER_BYTES} bytes")]
    Truncated {
        /// The bytes present.
        has: usize,
    },
    /// The table is under construction, or its build was cancelled.
    #[error("this table is not finished")]
    Unfinished,
    /// The checksum of the header is wrong.
    #[error("the header is damaged: checksum {found:016x}, expected {written:016x}")]
    Damaged {
        /// The checksum of the bytes in the file.
        found: u64,
        /// The checksum stored in the file.
        written: u64,
    },
    /// A field has an unsupported value although the checksum is right.
    #[error("unsupported value in the header: {field} = {value}")]
    UnsupportedValue {
        /// The name of the field in the description of the format.
        field: &'static str,
        /// The value of the field.
        value: u64,
    },
}

/// The fields of a header as stored in the file, not yet validated.
struct RawHeader {
    houses: u8,
    seeds: u8,
    ends: u8,
    capture: u8,
    /// The number of the encoding, and the bits per value.
    encoding: [u8; 2],
    positions: u64,
    checksums: Vec<u64>,
}

impl Header {
    /// The bytes of a header, which is the offset of the first value in a file.
    pub const BYTES: u64 = HEADER_BYTES as u64;

    /// Returns the header of a table. `checksums` has one entry for each layer from 0 to `seeds`.
    ///
    /// # Errors
    /// [`HeaderError::UnsupportedValue`] if no table supports these parameters, or if the number of
    /// checksums is wrong.
    pub fn new(variant: Variant, seeds: u8, checksums: Vec<u64>) -> Result<Self, HeaderError> {
        RawHeader::new(variant, seeds, checksums)?.validate(FileKind::Table)
    }

    /// Returns the variant that the table belongs to.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Returns the largest number of seeds in the houses of a position in the table.
    pub fn seeds(&self) -> u8 {
        self.seeds
    }

    /// Returns the number of positions in the table.
    pub fn positions(&self) -> u64 {
        Table::positions(self.variant, self.seeds).unwrap_or(0)
    }

    /// Returns the bytes of the whole file.
    pub fn file_size(&self) -> u64 {
        Self::BYTES + self.positions()
    }

    /// Returns the checksums of the layers from 0 on. Each is the 64-bit XXH3 hash of the values of
    /// all positions with that number of seeds in their houses.
    pub fn checksums(&self) -> &[u64] {
        &self.checksums
    }

    /// Returns the header as stored in a file.
    pub fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = self.without_own_checksum(FileKind::Table);
        let checksum = Self::checksum(&bytes).to_le_bytes();
        bytes[HEADER_CHECKSUM_OFFSET..].copy_from_slice(&checksum);
        bytes
    }

    /// Returns the header of a file of this kind, with the checksums of the layers and without its
    /// own.
    pub(crate) fn without_own_checksum(&self, kind: FileKind) -> [u8; HEADER_BYTES] {
        let mut bytes = kind.header_without_checksums(self.variant, self.seeds);
        for (offset, checksum) in checksum_offsets().zip(&self.checksums) {
            bytes[offset..offset + CHECKSUM_BYTES].copy_from_slice(&checksum.to_le_bytes());
        }
        bytes
    }

    /// Computes the checksum of a header.
    pub(crate) fn checksum(bytes: &[u8; HEADER_BYTES]) -> u64 {
        xxh3_64(&bytes[..HEADER_CHECKSUM_OFFSET])
    }

    /// Parses the first [`Header::BYTES`] bytes of a file, or the whole file if it is shorter.
    ///
    /// # Errors
    /// [`HeaderError`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, HeaderError> {
        Self::parse(bytes, FileKind::Table)
    }

    /// Parses the beginning of a file of this kind as [`Header::from_bytes`] does.
    pub(crate) fn parse(bytes: &[u8], kind: FileKind) -> Result<Self, HeaderError> {
        RawHeader::parse(bytes, kind)?.validate(kind)
    }
}

/// Returns the offset of the checksum of each layer.
pub(crate) fn checksum_offsets() -> impl Iterator<Item = usize> {
    (CHECKSUMS_OFFSET..).step_by(CHECKSUM_BYTES)
}

/// Reads the little-endian number at `offset`.
pub(crate) fn read_u64(bytes: &[u8; HEADER_BYTES], offset: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[offset..offset + 8]);
    u64::from_le_bytes(number)
}

impl RawHeader {
    fn new(variant: Variant, seeds: u8, checksums: Vec<u64>) -> Result<Self, HeaderError> {
        let mut raw = Self::from_bytes(&FileKind::Table.header_without_checksums(variant, seeds));
        let layers = checksums.len();
        if layers != usize::from(seeds) + 1 {
            return Err(HeaderError::UnsupportedValue {
                field: "number of layers",
                value: layers as u64,
            });
        }
        raw.checksums = checksums;
        Ok(raw)
    }

    fn parse(bytes: &[u8], kind: FileKind) -> Result<Self, HeaderError> {
        let has = bytes.len();
        let (magic, rest) = bytes.split_at(has.min(kind.magic().len()));
        if magic.is_empty() || !kind.magic().starts_with(magic) {
            return Err(match kind {
                FileKind::Table if magic == FileKind::Packed.magic() => HeaderError::Packed,
                FileKind::Packed if magic == FileKind::Table.magic() => HeaderError::NotPacked,
                FileKind::Table | FileKind::Packed => HeaderError::BadMagic,
            });
        }
        if let [low, high, ..] = *rest {
            let version = u16::from_le_bytes([low, high]);
            if version != VERSION {
                return Err(HeaderError::UnsupportedVersion(version));
            }
        }
        let Some(bytes) = bytes.first_chunk::<HEADER_BYTES>() else {
            return Err(HeaderError::Truncated { has });
        };
        let found = Header::checksum(bytes);
        let written = read_u64(bytes, HEADER_CHECKSUM_OFFSET);
        if written == 0 {
            Err(HeaderError::Unfinished)
        } else if found == written {
            Ok(Self::from_bytes(bytes))
        } else {
            Err(HeaderError::Damaged { found, written })
        }
    }

    fn from_bytes(bytes: &[u8; HEADER_BYTES]) -> Self {
        let seeds = bytes[11];
        let offsets = checksum_offsets().take(usize::from(seeds.min(MAX_SEEDS)) + 1);
        Self {
            houses: bytes[10],
            seeds,
            ends: bytes[12],
            capture: bytes[13],
            encoding: [bytes[14], bytes[15]],
            positions: read_u64(bytes, 16),
            checksums: offsets.map(|offset| read_u64(bytes, offset)).collect(),
        }
    }

    /// Converts the fields of a file of this kind.
    fn validate(self, kind: FileKind) -> Result<Header, HeaderError> {
        let raw = self;
        let unsupported = |field, value: u8| HeaderError::UnsupportedValue {
            field,
            value: value.into(),
        };
        if !(1..=MAX_HOUSES).contains(&raw.houses) {
            return Err(unsupported("houses", raw.houses));
        }
        if raw.seeds > MAX_SEEDS {
            return Err(unsupported("seeds", raw.seeds));
        }
        let house_rules = HouseRules {
            ends: match raw.ends {
                0 => EndRule::Stuck,
                1 => EndRule::Row,
                other => return Err(unsupported("ends", other)),
            },
            capture: match raw.capture {
                0 => CaptureRule::Opposite,
                1 => CaptureRule::Always,
                other => return Err(unsupported("capture", other)),
            },
        };
        let rules = Rules {
            house_rules,
            first_ply_rules: FirstPlyRules::NONE,
        };
        let fields = ["encoding", "bits per value"].into_iter();
        for ((field, value), supported) in fields.zip(raw.encoding).zip(kind.encoding()) {
            if value != supported {
                return Err(unsupported(field, value));
            }
        }
        let header = Header {
            variant: Variant::new(raw.houses, rules),
            seeds: raw.seeds,
            checksums: raw.checksums,
        };
        if raw.positions != header.positions() {
            return Err(HeaderError::UnsupportedValue {
                field: "positions",
                value: raw.positions,
            });
        }
        Ok(header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> [u8; HEADER_BYTES] {
        let variant = Variant::new(3, Rules::EMPTY_CAPTURE);
        let header = Header::new(variant, 5, (10..16).collect()).unwrap();
        header.to_bytes()
    }

    #[test]
    fn every_flipped_bit_is_detected() {
        let bytes = header();
        for bit in 0..8 * bytes.len() {
            let mut bytes = bytes;
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(Header::from_bytes(&bytes).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn every_truncation_is_detected() {
        let bytes = header();
        assert_eq!(Header::from_bytes(&[]), Err(HeaderError::BadMagic));
        for has in 1..bytes.len() {
            assert_eq!(
                Header::from_bytes(&bytes[..has]),
                Err(HeaderError::Truncated { has })
            );
        }
    }

    #[test]
    fn each_invalid_field_has_its_error() {
        let with_byte = |offset: usize, byte: u8| {
            let mut bytes = header();
            bytes[offset] = byte;
            let checksum = Header::checksum(&bytes).to_le_bytes();
            bytes[HEADER_CHECKSUM_OFFSET..].copy_from_slice(&checksum);
            Header::from_bytes(&bytes)
        };
        let unsupported = |field, value| Err(HeaderError::UnsupportedValue { field, value });
        assert_eq!(with_byte(0, b'P'), Err(HeaderError::BadMagic));
        assert_eq!(with_byte(8, 2), Err(HeaderError::UnsupportedVersion(2)));
        assert_eq!(with_byte(10, 0), unsupported("houses", 0));
        assert_eq!(with_byte(10, 9), unsupported("houses", 9));
        assert_eq!(with_byte(11, 64), unsupported("seeds", 64));
        assert_eq!(with_byte(12, 2), unsupported("ends", 2));
        assert_eq!(with_byte(13, 2), unsupported("capture", 2));
        assert_eq!(with_byte(14, 2), unsupported("encoding", 2));
        assert_eq!(with_byte(15, 4), unsupported("bits per value", 4));
        assert_eq!(with_byte(16, 1), unsupported("positions", 257));
    }

    #[test]
    fn new_rejects_a_wrong_number_of_checksums() {
        let variant = Variant::new(3, Rules::CS32);
        let result = Header::new(variant, 5, vec![1; 5]);
        let field = "number of layers";
        assert_eq!(
            result,
            Err(HeaderError::UnsupportedValue { field, value: 5 })
        );
    }
}
