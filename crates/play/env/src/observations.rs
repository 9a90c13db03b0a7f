//! The type of counts of seeds in observations.

/// The type of the elements of observations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CountType {
    /// Counts up to 255.
    U8,
    /// Counts up to 65,535.
    U16,
}

impl CountType {
    /// Returns the type for games with at most `seeds` seeds, stores included.
    ///
    /// ```
    /// use kalah_env::CountType;
    /// assert_eq!(CountType::for_seeds(255), CountType::U8);
    /// assert_eq!(CountType::for_seeds(256), CountType::U16);
    /// ```
    pub fn for_seeds(seeds: u16) -> Self {
        if u8::try_from(seeds).is_ok() {
            Self::U8
        } else {
            Self::U16
        }
    }

    /// Returns the largest number of seeds of a game, stores included, whose counts fit the type.
    pub fn max_seeds(self) -> u16 {
        match self {
            Self::U8 => u8::MAX.into(),
            Self::U16 => u16::MAX,
        }
    }
}

/// A buffer for observations: one row of counts a game.
#[derive(Debug)]
pub enum Observations<'a> {
    /// A buffer of bytes.
    U8(&'a mut [u8]),
    /// A buffer of 16-bit numbers.
    U16(&'a mut [u16]),
}

impl<'a> Observations<'a> {
    /// Returns the type of the elements.
    pub fn count_type(&self) -> CountType {
        match self {
            Self::U8(_) => CountType::U8,
            Self::U16(_) => CountType::U16,
        }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(counts) => counts.len(),
            Self::U16(counts) => counts.len(),
        }
    }

    /// Returns whether the buffer has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Splits the buffer into consecutive parts of `len` elements, the last one possibly shorter.
    pub(crate) fn chunks(self, len: usize) -> impl Iterator<Item = Observations<'a>> + Send {
        let (bytes, words) = match self {
            Self::U8(counts) => (counts, Default::default()),
            Self::U16(counts) => (Default::default(), counts),
        };
        let bytes: std::slice::ChunksMut<'a, u8> = bytes.chunks_mut(len);
        let words: std::slice::ChunksMut<'a, u16> = words.chunks_mut(len);
        bytes.map(Self::U8).chain(words.map(Self::U16))
    }
}
