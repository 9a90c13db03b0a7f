//! The file of a book.
//!
//! Two lines of text, `kalah-book 1` and the start (`board=6x4 rules=standard plies=4`), then the
//! gains of the leaves in their order as a zlib stream (RFC 1950), and at last the XXH3 checksum of
//! all bytes before it, the low byte first. A gain is one byte: the seeds in play that the side to
//! move gets, `(seeds in play + gain) / 2`.

use std::io::Read as _;

use flate2::Compression;
use flate2::read::{ZlibDecoder, ZlibEncoder};
use kalah::{Rules, Setup};
use xxhash_rust::xxh3::xxh3_64;

use crate::book::Book;
use crate::error::BookError;
use crate::positions::{BookPositions, BookStart};

/// The first line, with the version of the form.
pub(crate) const FIRST_LINE: &str = "kalah-book 1";

/// The longest second line that is read, in bytes.
const MAX_START_LINE: usize = 200;

/// The length of the checksum in bytes.
const CHECKSUM_BYTES: usize = size_of::<u64>();

/// Returns the lines at the beginning of the file of the book of a start.
pub(crate) fn header(start: BookStart) -> String {
    format!("{FIRST_LINE}\n{start}\n")
}

impl Book {
    /// Parses the bytes of a file.
    ///
    /// # Errors
    /// If the file is cut or damaged or of another version, or if it has no gain for a leaf, or one
    /// that the leaf cannot have.
    pub fn parse(bytes: &[u8]) -> Result<Self, BookError> {
        let rest = strip_first_line(bytes)?;
        let (content, checksum) = (bytes.split_last_chunk::<CHECKSUM_BYTES>())
            .filter(|(content, _)| content.len() > FIRST_LINE.len())
            .ok_or(BookError::Checksum)?;
        if xxh3_64(content).to_le_bytes() != *checksum {
            return Err(BookError::Checksum);
        }
        let body = &rest[..rest.len() - CHECKSUM_BYTES];
        let (line, compressed) = split_line(body);
        let start = parse_start(line)?;
        let positions = BookPositions::new(start)?;
        let leaf_shares = decompress(compressed, positions.leaf_count())?;
        for (leaf, (seeds, &share)) in positions.leaf_seeds().zip(&leaf_shares).enumerate() {
            if share > seeds {
                let gain = 2 * i32::from(share) - i32::from(seeds);
                return Err(BookError::LeafGain { leaf, gain, seeds });
            }
        }
        Ok(Self::from_shares(positions, leaf_shares))
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = header(self.start()).into_bytes();
        let mut encoder = ZlibEncoder::new(&self.leaf_shares[..], Compression::best());
        match encoder.read_to_end(&mut bytes) {
            Ok(_) => {}
            Err(error) => unreachable!("a slice has all bytes: {error}"),
        }
        let checksum = xxh3_64(&bytes).to_le_bytes();
        bytes.extend(checksum);
        bytes
    }
}

/// Reads the start of a book from the bytes of its file, without a check of the others.
pub(crate) fn read_start(bytes: &[u8]) -> Result<BookStart, BookError> {
    let (line, _) = split_line(strip_first_line(bytes)?);
    parse_start(line)
}

/// Returns what follows the first line.
fn strip_first_line(bytes: &[u8]) -> Result<&[u8], BookError> {
    let rest = bytes.strip_prefix(FIRST_LINE.as_bytes());
    let rest = rest.and_then(|rest| rest.strip_prefix(b"\n"));
    rest.ok_or(BookError::OtherForm)
}

/// Splits off the first line, which is not longer than that of a start.
fn split_line(body: &[u8]) -> (&[u8], &[u8]) {
    let longest = &body[..body.len().min(MAX_START_LINE)];
    match longest.iter().position(|&byte| byte == b'\n') {
        Some(end) => (&body[..end], &body[end + 1..]),
        None => (longest, &[]),
    }
}

/// Parses the line of a start.
fn parse_start(line: &[u8]) -> Result<BookStart, BookError> {
    let text = String::from_utf8_lossy(line);
    let error = || BookError::StartLine(text.escape_debug().to_string());
    let fields = (text.strip_prefix("board="))
        .and_then(|text| text.split_once(" rules="))
        .and_then(|(board, text)| Some((board, text.rsplit_once(" plies=")?)));
    let (board, (rules, plies)) = fields.ok_or_else(error)?;
    let setup: Setup = board.parse().map_err(|_| error())?;
    let rules: Rules = rules.parse().map_err(|_| error())?;
    let start = BookStart {
        houses: u8::try_from(setup.rows.south.len()).map_err(|_| error())?,
        seeds: setup.rows.south.first().copied().unwrap_or_default(),
        rules,
        plies: plies.parse().map_err(|_| error())?,
    };
    // Another text of the same start, or a position that is no start.
    if start.to_string() == *text {
        Ok(start)
    } else {
        Err(error())
    }
}

/// Decompresses one byte for each leaf.
fn decompress(compressed: &[u8], leaves: usize) -> Result<Vec<u8>, BookError> {
    let mut shares = Vec::new();
    // One byte more would be too much.
    let most = u64::try_from(leaves).unwrap_or(u64::MAX).saturating_add(1);
    let mut decoder = ZlibDecoder::new(compressed);
    let read = decoder.by_ref().take(most).read_to_end(&mut shares);
    read.map_err(|_| BookError::Compression)?;
    if shares.len() != leaves {
        let (found, expected) = (shares.len(), leaves);
        return Err(BookError::LeafCount { found, expected });
    }
    if decoder.total_in() != compressed.len() as u64 {
        return Err(BookError::Compression);
    }
    Ok(shares)
}
