use kalah::{CaptureRule, EndRule, Rules};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::index::{MAX_HOUSES, MAX_SEEDS};
use crate::table::{Table, Variant};

/// What every table file begins with. The first byte is no text, and the line ends are changed by whatever
/// takes the file for one.
pub(crate) const MAGIC: [u8; 8] = *b"\x89KALT\r\n\x1a";

/// The version of the format that is written, and the only one that is read.
pub(crate) const VERSION: u16 = 1;

/// Bytes of a header. Behind it lie the values, at the beginning of a page of memory.
pub(crate) const HEADER_BYTES: usize = 4096;

/// A value is a byte: the gain and 128.
const ENCODING_GAIN_AND_128: u8 = 1;

/// The bits that a value takes in that encoding.
const BITS_PER_VALUE: u8 = 8;

/// Where the checksums of the layers begin.
pub(crate) const CHECKSUMS_OFFSET: usize = 24;

/// Bytes of a checksum.
pub(crate) const CHECKSUM_BYTES: usize = 8;

/// Where the checksum of the header lies, of all bytes before it.
pub(crate) const HEADER_CHECKSUM_OFFSET: usize = HEADER_BYTES - CHECKSUM_BYTES;

const _: () =
    assert!(CHECKSUMS_OFFSET + (MAX_SEEDS as usize + 1) * CHECKSUM_BYTES <= HEADER_CHECKSUM_OFFSET);

/// What stands at the beginning of a table file.
///
/// ```
/// use kalah::Rules;
/// use kalah_tables::{Header, Variant};
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
    /// By the seeds in the houses.
    checksums: Vec<u64>,
}

/// Why some bytes are not the header of a table that this program can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum HeaderError {
    /// It does not begin like a table.
    #[error("this is not a table of Kalah")]
    BadMagic,
    /// It is a table of a version that is not known here.
    #[error(
        "this is a table of version {0} of the format, and this program reads version {VERSION}"
    )]
    UnsupportedVersion(u16),
    /// The file ends before its header does.
    #[error("the file is cut off: it has {has} bytes, and its header alone needs {HEADER_BYTES}")]
    Truncated {
        /// Bytes that there are.
        has: usize,
    },
    /// The table is still being built, or its building was broken off.
    #[error("this table is not finished")]
    Unfinished,
    /// The checksum of the header is another.
    #[error("the header is damaged: its checksum is {found:016x}, and not {written:016x}")]
    Damaged {
        /// The checksum of the bytes that are there.
        found: u64,
        /// The checksum that is written in the file.
        written: u64,
    },
    /// A field has a value that is not known here, though the checksum is right.
    #[error("the header says {field} = {value}, which this program does not know")]
    UnsupportedValue {
        /// What the field is called in the description of the format.
        field: &'static str,
        /// What stands in it.
        value: u64,
    },
}

/// The fields of a header as they lie in the file, whatever they mean.
struct RawHeader {
    houses: u8,
    seeds: u8,
    ends: u8,
    capture: u8,
    encoding: u8,
    bits: u8,
    positions: u64,
    checksums: Vec<u64>,
}

impl Header {
    /// Bytes of a header, behind which the values lie.
    pub const BYTES: u64 = HEADER_BYTES as u64;

    /// The header of a table with these checksums, one for each number of seeds from 0 on.
    ///
    /// # Errors
    /// [`HeaderError::UnsupportedValue`] if there can be no such table, or not with so many checksums.
    pub fn new(variant: Variant, seeds: u8, checksums: Vec<u64>) -> Result<Self, HeaderError> {
        Self::try_from(RawHeader::new(variant, seeds, checksums)?)
    }

    /// What the table is about.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Seeds in the houses of the fullest positions in the table.
    pub fn seeds(&self) -> u8 {
        self.seeds
    }

    /// Positions in the table.
    pub fn positions(&self) -> u64 {
        Table::positions(self.variant, self.seeds).unwrap_or(0)
    }

    /// Bytes of the whole file.
    pub fn file_size(&self) -> u64 {
        Self::BYTES + self.positions()
    }

    /// The checksums of the layers: the XXH3 hash, 64 bits, of all values of positions with so many seeds
    /// in their houses.
    pub fn checksums(&self) -> &[u64] {
        &self.checksums
    }

    /// The header as it lies in a file.
    pub fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = Self::without_checksums(self.variant, self.seeds);
        for (at, checksum) in checksum_offsets().zip(&self.checksums) {
            bytes[at..at + CHECKSUM_BYTES].copy_from_slice(&checksum.to_le_bytes());
        }
        let seal = Self::checksum(&bytes).to_le_bytes();
        bytes[HEADER_CHECKSUM_OFFSET..].copy_from_slice(&seal);
        bytes
    }

    /// The checksum of a header.
    pub(crate) fn checksum(bytes: &[u8; HEADER_BYTES]) -> u64 {
        xxh3_64(&bytes[..HEADER_CHECKSUM_OFFSET])
    }

    /// The header of a table without any checksums.
    pub(crate) fn without_checksums(variant: Variant, seeds: u8) -> [u8; HEADER_BYTES] {
        let rules = variant.rules();
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
        bytes[10] = variant.houses();
        bytes[11] = seeds;
        bytes[12] = match rules.ends {
            EndRule::Stuck => 0,
            EndRule::Row => 1,
        };
        bytes[13] = match rules.capture {
            CaptureRule::Opposite => 0,
            CaptureRule::Always => 1,
        };
        bytes[14] = ENCODING_GAIN_AND_128;
        bytes[15] = BITS_PER_VALUE;
        let positions = Table::positions(variant, seeds).unwrap_or(0);
        bytes[16..CHECKSUMS_OFFSET].copy_from_slice(&positions.to_le_bytes());
        bytes
    }

    /// Reads the first 4096 bytes of a file, or all that there are.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, HeaderError> {
        Self::try_from(RawHeader::parse(bytes)?)
    }
}

/// Where the checksum of each layer lies.
pub(crate) fn checksum_offsets() -> impl Iterator<Item = usize> {
    (CHECKSUMS_OFFSET..).step_by(CHECKSUM_BYTES)
}

/// The number that lies there, of the bytes of a whole header.
fn read_u64(bytes: &[u8; HEADER_BYTES], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}

impl RawHeader {
    fn new(variant: Variant, seeds: u8, checksums: Vec<u64>) -> Result<Self, HeaderError> {
        let mut raw = Self::from_bytes(&Header::without_checksums(variant, seeds));
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

    fn parse(bytes: &[u8]) -> Result<Self, HeaderError> {
        let has = bytes.len();
        let (magic, rest) = bytes.split_at(has.min(MAGIC.len()));
        if magic.is_empty() || !MAGIC.starts_with(magic) {
            return Err(HeaderError::BadMagic);
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
        let places = checksum_offsets().take(usize::from(seeds.min(MAX_SEEDS)) + 1);
        Self {
            houses: bytes[10],
            seeds,
            ends: bytes[12],
            capture: bytes[13],
            encoding: bytes[14],
            bits: bytes[15],
            positions: read_u64(bytes, 16),
            checksums: places.map(|at| read_u64(bytes, at)).collect(),
        }
    }
}

impl TryFrom<RawHeader> for Header {
    type Error = HeaderError;

    fn try_from(raw: RawHeader) -> Result<Self, HeaderError> {
        let foreign = |field, value: u8| HeaderError::UnsupportedValue {
            field,
            value: value.into(),
        };
        if !(1..=MAX_HOUSES).contains(&raw.houses) {
            return Err(foreign("houses", raw.houses));
        }
        if raw.seeds > MAX_SEEDS {
            return Err(foreign("seeds", raw.seeds));
        }
        let rules = Rules {
            ends: match raw.ends {
                0 => EndRule::Stuck,
                1 => EndRule::Row,
                other => return Err(foreign("ends", other)),
            },
            capture: match raw.capture {
                0 => CaptureRule::Opposite,
                1 => CaptureRule::Always,
                other => return Err(foreign("capture", other)),
            },
            ..Rules::CS32
        };
        if raw.encoding != ENCODING_GAIN_AND_128 {
            return Err(foreign("encoding", raw.encoding));
        }
        if raw.bits != BITS_PER_VALUE {
            return Err(foreign("bits per value", raw.bits));
        }
        let header = Self {
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
    fn every_flipped_bit_is_seen() {
        let bytes = header();
        for bit in 0..8 * bytes.len() {
            let mut bytes = bytes;
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(Header::from_bytes(&bytes).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn every_cut_is_seen() {
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
    fn what_is_wrong_is_told() {
        let change = |at: usize, byte: u8| {
            let mut bytes = header();
            bytes[at] = byte;
            let seal = Header::checksum(&bytes).to_le_bytes();
            bytes[HEADER_CHECKSUM_OFFSET..].copy_from_slice(&seal);
            Header::from_bytes(&bytes)
        };
        let foreign = |field, value| Err(HeaderError::UnsupportedValue { field, value });
        assert_eq!(change(0, b'P'), Err(HeaderError::BadMagic));
        assert_eq!(change(8, 2), Err(HeaderError::UnsupportedVersion(2)));
        assert_eq!(change(10, 0), foreign("houses", 0));
        assert_eq!(change(10, 8), foreign("houses", 8));
        assert_eq!(change(11, 64), foreign("seeds", 64));
        assert_eq!(change(12, 2), foreign("ends", 2));
        assert_eq!(change(13, 2), foreign("capture", 2));
        assert_eq!(change(14, 2), foreign("encoding", 2));
        assert_eq!(change(15, 4), foreign("bits per value", 4));
        assert_eq!(change(16, 1), foreign("positions", 257));
    }

    #[test]
    fn a_header_has_a_checksum_for_each_layer() {
        let variant = Variant::new(3, Rules::CS32);
        let refused = Header::new(variant, 5, vec![1; 5]);
        let field = "number of layers";
        assert_eq!(
            refused,
            Err(HeaderError::UnsupportedValue { field, value: 5 })
        );
    }
}
