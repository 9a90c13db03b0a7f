//! The weights of the evaluation network and their file.

use std::fmt;

use kalah::{CaptureRule, EndRule, House, HouseRules};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

/// Units of the hidden layer.
pub(super) const HIDDEN_UNITS: usize = 16;

/// One number for each hidden unit.
pub(super) type HiddenSums = [i16; HIDDEN_UNITS];

/// Houses a side of the largest board.
pub(super) const MAX_HOUSES: usize = House::MAX as usize;

/// Inputs for the seeds in a house: all numbers from the last one on share an input.
pub(super) const COUNT_INPUTS: usize = 24;

/// Inputs for the greatest capture: all numbers from the last one on share an input.
pub(super) const CAPTURE_INPUTS: usize = 32;

/// Inputs for the rules that hold in every ply.
const RULES_INPUTS: usize = 4;

/// The value of a hidden unit is clamped to `0..=HIDDEN_ONE`, which stands for 0 to 1.
pub(super) const HIDDEN_ONE: i16 = 256;

/// The output is in seeds times this number.
pub(super) const OUTPUT_PER_SEED: i32 = 1 << 14;

/// The first line of a file, with the version of its form.
const FIRST_LINE: &str = "kalah-network 1";

/// The last line before the weights: the numbers of the layers' inputs and units.
const DIMENSIONS: &str = "houses=26 counts=24 captures=32 rules=4 units=16";

/// The length of the checksum behind the weights in bytes.
const CHECKSUM_BYTES: usize = size_of::<u64>();

/// The longest header that is read, in bytes.
const MAX_HEADER_BYTES: usize = 4096;

/// The network of the repository.
const EMBEDDED: &[u8] = include_bytes!("kalah.network");

/// The weights of the evaluation network.
///
/// The network has one hidden layer. Its inputs are 0 or 1: the seeds in each house, by its side
/// (that of the side to move or the other one) and its distance to the store of its owner; the
/// greatest capture of the side to move; and the houses a side together with the rules. The output
/// is the expected gain of the side to move. All weights are integers, so that every processor
/// computes the same.
///
/// A file begins with lines of text: `kalah-network 1`, lines that say how the network was made, a
/// line with its dimensions, and an empty line. The weights follow, 16-bit integers with the low
/// byte first, and the XXH3 checksum of all bytes before it.
///
/// ```
/// use kalah_engine::Network;
///
/// let network = Network::embedded();
/// assert!(network.description().contains("seed"));
/// assert!(Network::parse(b"no network").is_err());
/// ```
#[derive(Clone)]
pub struct Network {
    description: String,
    /// By distance to the store, the nearest house first.
    houses: Vec<HouseInputs>,
    /// By houses a side, and by the number of the rules.
    boards: Vec<[HiddenSums; RULES_INPUTS]>,
    captures: Vec<HiddenSums>,
    output: HiddenSums,
    output_bias: i32,
}

/// The weights of the inputs of a house by its seeds.
#[derive(Clone)]
pub(super) struct HouseInputs {
    /// Those of a house of the side to move.
    pub(super) own: [HiddenSums; COUNT_INPUTS],
    /// Those of a house of the other side.
    pub(super) other: [HiddenSums; COUNT_INPUTS],
}

/// The reason why bytes are not the file of a network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NetworkError {
    /// The first line is another one.
    #[error("not a network of this version: the first line is not `{FIRST_LINE}`")]
    OtherForm,
    /// There is no empty line that ends the header.
    #[error("the header does not end within {MAX_HEADER_BYTES} bytes")]
    NoHeaderEnd,
    /// The network has other layers.
    #[error("the network's dimensions are `{found}`, and this program reads `{DIMENSIONS}`")]
    OtherDimensions {
        /// The last line of the header.
        found: String,
    },
    /// Bytes are missing, or there are too many.
    #[error("{found} bytes after the header in place of {expected}")]
    Length {
        /// The number of bytes after the header.
        found: usize,
        /// The number that the dimensions require.
        expected: usize,
    },
    /// The weights are not those that were written.
    #[error("the checksum does not match: the file is damaged")]
    Checksum,
    /// The sums of a position could leave the range of 16 bits.
    #[error("the weights of hidden unit {unit} are too large for sums of 16 bits")]
    TooLarge {
        /// The number of the unit, from 0.
        unit: usize,
    },
}

impl Network {
    /// Returns the network of the repository.
    pub fn embedded() -> Self {
        match Self::parse(EMBEDDED) {
            Ok(network) => network,
            Err(error) => unreachable!("the network of the repository: {error}"),
        }
    }

    /// Parses the bytes of a file.
    ///
    /// # Errors
    /// If the file is cut or damaged, or of another version or other dimensions.
    pub fn parse(bytes: &[u8]) -> Result<Self, NetworkError> {
        let (header, body) = split_header(bytes)?;
        let expected = WEIGHT_BYTES + CHECKSUM_BYTES;
        let Some((weights, checksum)) = body
            .split_at_checked(WEIGHT_BYTES)
            .filter(|_| body.len() == expected)
        else {
            let found = body.len();
            return Err(NetworkError::Length { found, expected });
        };
        let content = &bytes[..bytes.len() - CHECKSUM_BYTES];
        if xxh3_64(content).to_le_bytes() != checksum {
            return Err(NetworkError::Checksum);
        }
        let network = Self::from_weights(header, weights);
        match network.overflowing_unit() {
            Some(unit) => Err(NetworkError::TooLarge { unit }),
            None => Ok(network),
        }
    }

    /// Reads the weights, which have the right length.
    fn from_weights(header: &str, mut weights: &[u8]) -> Self {
        let mut next = || {
            let (unit_weights, rest) = weights.split_at(size_of::<HiddenSums>());
            weights = rest;
            let (pairs, _) = unit_weights.as_chunks();
            std::array::from_fn(|unit| i16::from_le_bytes(pairs[unit]))
        };
        let houses = (0..MAX_HOUSES)
            .map(|_| HouseInputs {
                own: std::array::from_fn(|_| next()),
                other: std::array::from_fn(|_| next()),
            })
            .collect();
        let boards = (0..MAX_HOUSES)
            .map(|_| std::array::from_fn(|_| next()))
            .collect();
        let captures = (0..CAPTURE_INPUTS).map(|_| next()).collect();
        let output = next();
        let (bias, _) = weights.as_chunks();
        Self {
            description: header.to_owned(),
            houses,
            boards,
            captures,
            output,
            output_bias: i32::from_le_bytes(bias[0]),
        }
    }

    /// Returns a hidden unit whose sum can leave the range of 16 bits.
    fn overflowing_unit(&self) -> Option<usize> {
        (0..HIDDEN_UNITS).find(|&unit| {
            let greatest = |inputs: &[HiddenSums]| -> i32 {
                let weights = inputs.iter().map(|weights| i32::from(weights[unit]).abs());
                weights.max().unwrap_or(0)
            };
            let houses: i32 = (self.houses.iter())
                .map(|house| greatest(&house.own) + greatest(&house.other))
                .sum();
            let sum = houses + greatest(self.boards.as_flattened()) + greatest(&self.captures);
            sum > i16::MAX.into()
        })
    }

    /// The lines of the file that say how the network was made.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the sums of the hidden units for a board without the inputs of its position.
    pub(super) fn base(&self, houses: u8, rules: HouseRules) -> HiddenSums {
        let HouseRules { ends, capture } = rules;
        let number =
            usize::from(ends == EndRule::Row) + 2 * usize::from(capture == CaptureRule::Always);
        self.boards[usize::from(houses) - 1][number]
    }

    /// The weights of all houses, those next to the stores first.
    #[inline]
    pub(super) fn house_inputs(&self) -> &[HouseInputs] {
        &self.houses
    }

    /// Returns the number of the input for a number of seeds in a house.
    #[inline]
    pub(super) fn count_index(seeds: u8) -> usize {
        usize::from(seeds).min(COUNT_INPUTS - 1)
    }

    /// Returns the weights of the greatest capture.
    #[inline]
    pub(super) fn capture_input(&self, seeds: u8) -> &HiddenSums {
        &self.captures[usize::from(seeds).min(CAPTURE_INPUTS - 1)]
    }

    /// The weights of the hidden units in the output, and its constant.
    #[cfg(test)]
    pub(super) fn output_weights(&self) -> (&HiddenSums, i32) {
        (&self.output, self.output_bias)
    }

    /// Returns the output for the sums of the hidden units, rounded to seeds.
    #[inline]
    pub(super) fn output(&self, sums: &HiddenSums) -> i32 {
        let mut output = self.output_bias + OUTPUT_PER_SEED / 2;
        for (&sum, &weight) in sums.iter().zip(&self.output) {
            output += i32::from(sum.clamp(0, HIDDEN_ONE)) * i32::from(weight);
        }
        output.div_euclid(OUTPUT_PER_SEED)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("description", &self.description)
            .finish_non_exhaustive()
    }
}

/// The weights of all houses of both sides.
const HOUSE_WEIGHTS: usize = MAX_HOUSES * 2 * COUNT_INPUTS * HIDDEN_UNITS;
const BOARD_WEIGHTS: usize = MAX_HOUSES * RULES_INPUTS * HIDDEN_UNITS;
const CAPTURE_WEIGHTS: usize = CAPTURE_INPUTS * HIDDEN_UNITS;

/// The bytes of all weights: those of the inputs and of the output, and the output's constant.
const WEIGHT_BYTES: usize = (HOUSE_WEIGHTS + BOARD_WEIGHTS + CAPTURE_WEIGHTS + HIDDEN_UNITS)
    * size_of::<i16>()
    + size_of::<i32>();

/// Splits a file into the description of its header and the bytes after the header.
fn split_header(bytes: &[u8]) -> Result<(&str, &[u8]), NetworkError> {
    const END: &[u8] = b"\n\n";
    if !bytes.starts_with(FIRST_LINE.as_bytes()) {
        return Err(NetworkError::OtherForm);
    }
    let start = &bytes[..bytes.len().min(MAX_HEADER_BYTES)];
    let end = start.windows(END.len()).position(|window| window == END);
    let end = end.ok_or(NetworkError::NoHeaderEnd)?;
    let header = str::from_utf8(&bytes[..end]).map_err(|_| NetworkError::NoHeaderEnd)?;
    let mut lines = header.lines();
    if lines.next() != Some(FIRST_LINE) {
        return Err(NetworkError::OtherForm);
    }
    let dimensions = lines.next_back().unwrap_or_default();
    if dimensions != DIMENSIONS {
        let found = dimensions.to_owned();
        return Err(NetworkError::OtherDimensions { found });
    }
    let description = header[FIRST_LINE.len()..header.len() - dimensions.len()].trim();
    Ok((description, &bytes[end + END.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the embedded file with a change to the bytes before its checksum, and the checksum
    /// that belongs to them.
    fn with_change(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut bytes = EMBEDDED[..EMBEDDED.len() - CHECKSUM_BYTES].to_vec();
        change(&mut bytes);
        let checksum = xxh3_64(&bytes).to_le_bytes();
        bytes.extend(checksum);
        bytes
    }

    fn replace(bytes: &mut Vec<u8>, old: &str, new: &str) {
        let found = bytes
            .windows(old.len())
            .position(|text| text == old.as_bytes());
        let start = found.expect("the header has the text");
        bytes.splice(start..start + old.len(), new.bytes());
    }

    fn error_of(bytes: &[u8]) -> String {
        Network::parse(bytes).unwrap_err().to_string()
    }

    #[test]
    fn a_network_of_another_form_is_refused() {
        for bytes in [&b""[..], b"kalah-network", b"\xff\xff", b"# a text\n\n"] {
            assert_eq!(
                error_of(bytes),
                "not a network of this version: the first line is not `kalah-network 1`"
            );
        }
        let next_version =
            with_change(|bytes| replace(bytes, "kalah-network 1", "kalah-network 10"));
        assert_eq!(
            error_of(&next_version),
            "not a network of this version: the first line is not `kalah-network 1`"
        );
    }

    #[test]
    fn other_dimensions_are_quoted() {
        let wider = with_change(|bytes| replace(bytes, "units=16", "units=32"));
        assert_eq!(
            error_of(&wider),
            "the network's dimensions are `houses=26 counts=24 captures=32 rules=4 units=32`, and \
             this program reads `houses=26 counts=24 captures=32 rules=4 units=16`"
        );
    }

    #[test]
    fn a_file_is_refused_wherever_it_is_cut() {
        for length in 0..EMBEDDED.len() {
            let cut = &EMBEDDED[..length];
            assert!(Network::parse(cut).is_err(), "{length} bytes");
        }
        let longer = [EMBEDDED, &[0]].concat();
        let expected = WEIGHT_BYTES + CHECKSUM_BYTES;
        let found = expected + 1;
        assert_eq!(
            error_of(&longer),
            format!("{found} bytes after the header in place of {expected}")
        );
    }

    #[test]
    fn a_header_without_end_is_refused() {
        let endless = format!("{FIRST_LINE}\n{}", "text ".repeat(MAX_HEADER_BYTES));
        assert_eq!(
            error_of(endless.as_bytes()),
            "the header does not end within 4096 bytes"
        );
    }

    #[test]
    fn damage_is_found_in_each_part_of_the_file() {
        for index in (0..EMBEDDED.len()).step_by(97) {
            let mut damaged = EMBEDDED.to_vec();
            damaged[index] ^= 1;
            assert!(Network::parse(&damaged).is_err(), "byte {index}");
        }
    }

    #[test]
    fn weights_whose_sums_overflow_are_refused() {
        let weights = with_change(|bytes| {
            let end = bytes.len();
            let body = end - WEIGHT_BYTES;
            // The first unit of the capture of nothing.
            let unit = body + (HOUSE_WEIGHTS + BOARD_WEIGHTS) * size_of::<i16>();
            bytes[unit..unit + 2].copy_from_slice(&i16::MAX.to_le_bytes());
        });
        assert_eq!(
            error_of(&weights),
            "the weights of hidden unit 0 are too large for sums of 16 bits"
        );
    }
}
