//! The chunks of a packed layer: the values that differ from their predictions, compressed.
//!
//! The content of a chunk is a bit for each position, which is set if the gain exceeds the
//! prediction, and then a byte for each such position: (gain + seeds) / 2.

use std::io::{self, ErrorKind, Read, Write as _};

use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};
use thiserror::Error;

use crate::generate::kernel::loss_value;
use crate::values::ZERO_GAIN;

/// The positions of a chunk. The last chunk of a layer may have fewer.
pub(crate) const CHUNK_POSITIONS: usize = 1 << 20;

/// The largest length of a compressed chunk. Its content has at most 9/8 of [`CHUNK_POSITIONS`].
const MAX_STREAM_BYTES: u32 = 2 << 20;

/// The effort of the compressor. At 6 houses and 18 seeds level 9 saves a seventieth, and takes
/// five times as long.
const COMPRESSION: Compression = Compression::new(6);

/// The reason why a layer of a packed table cannot be unpacked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PackedFault {
    /// The length of a chunk is greater than that of any chunk.
    #[error("a chunk has {0} bytes, more than {MAX_STREAM_BYTES}")]
    ChunkLength(u32),
    /// The file ends before the chunk does.
    #[error("the file ends in a chunk")]
    Truncated,
    /// The system cannot read the file.
    #[error("{0}")]
    Read(String),
    /// The bytes of a chunk are no zlib stream.
    #[error("a chunk is not compressed data: {0}")]
    Stream(String),
    /// The content of a chunk has another length than its bits imply.
    #[error("a chunk contains {0} bytes, which is not what its bits imply")]
    Content(usize),
    /// A gain is out of range, or does not exceed its prediction.
    #[error("the gain {gain} is not above its prediction {prediction} and at most {layer}")]
    Gain {
        /// The gain in the packed table.
        gain: i16,
        /// Its prediction, which follows from the lower layers.
        prediction: i16,
        /// The seeds in the houses.
        layer: u8,
    },
    /// The checksum of the layer differs from the one in the header.
    #[error("checksum {found:016x}, expected {written:016x}")]
    Checksum {
        /// The checksum of the values.
        found: u64,
        /// The checksum in the header.
        written: u64,
    },
    /// The file goes on after the last chunk.
    #[error("{0} bytes follow the last chunk")]
    Trailing(u64),
}

/// Compresses the values of a chunk of layer `layer`. Returns the index of the first value that is
/// less than its prediction, or no value of the layer.
pub(crate) fn pack_chunk(values: &[u8], predictions: &[u8], layer: u8) -> Result<Vec<u8>, usize> {
    let least = loss_value(layer.into());
    let mut content = Vec::with_capacity(values.len() / 4);
    let mut gains = Vec::with_capacity(values.len() / 4);
    let pairs = values.chunks(8).zip(predictions.chunks(8));
    for (start, (values, predictions)) in (0..).step_by(8).zip(pairs) {
        let mut bits = 0;
        for (bit, (&value, &prediction)) in values.iter().zip(predictions).enumerate() {
            if value == prediction {
                continue;
            }
            let above_least = value.wrapping_sub(least);
            if value < prediction || above_least > 2 * layer || !above_least.is_multiple_of(2) {
                return Err(start + bit);
            }
            bits |= 1 << bit;
            gains.push(above_least / 2);
        }
        content.push(bits);
    }
    content.append(&mut gains);
    let mut stream = ZlibEncoder::new(Vec::with_capacity(content.len() / 2), COMPRESSION);
    let written = stream.write_all(&content).and_then(|()| stream.finish());
    Ok(written.expect("a vector takes all bytes"))
}

/// Returns the length of the bits of a chunk.
fn bit_bytes(positions: usize) -> usize {
    positions.div_ceil(8)
}

/// Decompresses a chunk of `positions` positions. Returns its bits and its gains.
pub(crate) fn decompress_chunk(
    stream: &[u8],
    positions: usize,
) -> Result<(Vec<u8>, Vec<u8>), PackedFault> {
    let mut content = vec![0; bit_bytes(positions) + positions];
    let mut decompress = Decompress::new(true);
    let status = decompress.decompress(stream, &mut content, FlushDecompress::Finish);
    let is_whole = decompress.total_in() == stream.len() as u64;
    match status {
        Ok(Status::StreamEnd) if is_whole => {}
        Ok(Status::StreamEnd) => {
            let reason = "its stream ends too early".to_owned();
            return Err(PackedFault::Stream(reason));
        }
        Ok(Status::Ok | Status::BufError) => {
            let reason = "its stream has no end".to_owned();
            return Err(PackedFault::Stream(reason));
        }
        Err(error) => return Err(PackedFault::Stream(error.to_string())),
    }
    // The stream has filled no more than `content`.
    content.truncate(usize::try_from(decompress.total_out()).unwrap_or(usize::MAX));
    let len = content.len();
    let fault = PackedFault::Content(len);
    if len < bit_bytes(positions) {
        return Err(fault);
    }
    let gains = content.split_off(bit_bytes(positions));
    let bits: u32 = content.iter().map(|bits| bits.count_ones()).sum();
    let last = content.last().copied().unwrap_or_default();
    let has_unused_bits = !positions.is_multiple_of(8) && last >> (positions % 8) != 0;
    if bits as usize == gains.len() && !has_unused_bits {
        Ok((content, gains))
    } else {
        Err(fault)
    }
}

/// Replaces the predictions of a chunk of layer `layer` by its values.
pub(crate) fn unpack_chunk(stream: &[u8], values: &mut [u8], layer: u8) -> Result<(), PackedFault> {
    let (bits, gains) = decompress_chunk(stream, values.len())?;
    let least = loss_value(layer.into());
    let mut gains = gains.into_iter();
    for (mut bits, values) in bits.into_iter().zip(values.chunks_mut(8)) {
        while bits != 0 {
            let value = &mut values[bits.trailing_zeros() as usize];
            bits &= bits - 1;
            let half = gains.next().unwrap_or_default();
            let gain = 2 * i16::from(half) - i16::from(layer);
            let replaced = least.wrapping_add(half.wrapping_mul(2));
            if half > layer || replaced <= *value {
                return Err(PackedFault::Gain {
                    gain,
                    prediction: i16::from((*value ^ ZERO_GAIN).cast_signed()),
                    layer,
                });
            }
            *value = replaced;
        }
    }
    Ok(())
}

/// Reads the compressed bytes of the next chunk.
pub(crate) fn read_stream(input: &mut impl Read) -> Result<Vec<u8>, PackedFault> {
    let len = read_length(input)?;
    let mut stream = Vec::with_capacity(len as usize);
    input.take(len.into()).read_to_end(&mut stream)?;
    if stream.len() == len as usize {
        Ok(stream)
    } else {
        Err(PackedFault::Truncated)
    }
}

/// Reads the number of compressed bytes of the next chunk, which stands before them.
pub(crate) fn read_length(input: &mut impl Read) -> Result<u32, PackedFault> {
    let mut bytes = [0; size_of::<u32>()];
    input.read_exact(&mut bytes)?;
    let len = u32::from_le_bytes(bytes);
    if len > MAX_STREAM_BYTES {
        return Err(PackedFault::ChunkLength(len));
    }
    Ok(len)
}

impl From<io::Error> for PackedFault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::UnexpectedEof => Self::Truncated,
            _ => Self::Read(error.to_string()),
        }
    }
}
