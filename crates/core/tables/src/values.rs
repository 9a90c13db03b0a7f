//! The values of a table: their encoding, the buffer in which they are computed, the memory map of
//! a file, and prefetching.

use std::fs::File;
use std::io;
use std::ops::{Deref, DerefMut, Range};

/// The value of gain 0. A value is a byte: the gain + 128.
pub(crate) const ZERO_GAIN: u8 = 128;

/// Bytes of a table under construction, initially 0.
///
/// The buffer lies in large pages where the system has them: probes are random accesses, and with
/// small pages most of them would also miss the TLB.
pub(crate) struct Buffer(BufferKind);

enum BufferKind {
    #[cfg(any(unix, windows))]
    Mapped(memmap2::MmapMut),
    #[cfg(not(any(unix, windows)))]
    Heap(Vec<u8>),
}

impl Buffer {
    /// Allocates `len` bytes. Returns `None` if the system refuses.
    #[cfg(any(unix, windows))]
    pub(crate) fn new(len: usize) -> Option<Self> {
        let map = memmap2::MmapMut::map_anon(len.max(1)).ok()?;
        #[cfg(target_os = "linux")]
        {
            // Without large pages the buffer keeps its small ones.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Some(Self(BufferKind::Mapped(map)))
    }

    /// Allocates `len` bytes. Returns `None` if the system refuses.
    #[cfg(not(any(unix, windows)))]
    pub(crate) fn new(len: usize) -> Option<Self> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).ok()?;
        bytes.resize(len, 0);
        Some(Self(BufferKind::Heap(bytes)))
    }

    /// Makes the bytes read-only.
    pub(crate) fn freeze(self) -> io::Result<Values> {
        match self.0 {
            #[cfg(any(unix, windows))]
            BufferKind::Mapped(map) => Values::from_buffer(map),
            #[cfg(not(any(unix, windows)))]
            BufferKind::Heap(bytes) => Values::from_buffer(bytes),
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            #[cfg(any(unix, windows))]
            BufferKind::Mapped(map) => map,
            #[cfg(not(any(unix, windows)))]
            BufferKind::Heap(bytes) => bytes,
        }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            #[cfg(any(unix, windows))]
            BufferKind::Mapped(map) => map,
            #[cfg(not(any(unix, windows)))]
            BufferKind::Heap(bytes) => bytes,
        }
    }
}

/// The read-only values of a finished table: computed here, or mapped from a file.
pub(crate) struct Values {
    #[cfg(any(unix, windows))]
    bytes: memmap2::Mmap,
    #[cfg(not(any(unix, windows)))]
    bytes: Vec<u8>,
    /// Offset of the first value in `bytes`.
    start: usize,
}

impl Values {
    #[cfg(any(unix, windows))]
    fn from_buffer(bytes: memmap2::MmapMut) -> io::Result<Self> {
        Ok(Self {
            bytes: bytes.make_read_only()?,
            start: 0,
        })
    }

    #[cfg(not(any(unix, windows)))]
    #[expect(clippy::unnecessary_wraps, reason = "fails where memory is mapped")]
    fn from_buffer(bytes: Vec<u8>) -> io::Result<Self> {
        Ok(Self { bytes, start: 0 })
    }

    /// Maps the first `len` bytes of `file`, of which those from byte `start` on are the values.
    #[cfg(any(unix, windows))]
    #[expect(
        unsafe_code,
        reason = "another process may change a file while it is mapped"
    )]
    pub(crate) fn open(file: &File, start: usize, len: usize) -> io::Result<Self> {
        // SAFETY: only plain bytes are read, one at a time or by a checksum, and any byte is a
        // valid value. If another process ignores the lock and changes the file, answers are
        // wrong, and nothing else depends on two reads being equal. All accesses are checked
        // against `len`. If another process truncates the file, the system terminates this one in
        // a defined way (SIGBUS), as it does when a disk is removed; no access reaches other
        // memory. This program never writes to a table under its final name: it builds new tables
        // under another name and renames them, and the old file lives on for processes that have
        // it open.
        let bytes = unsafe { memmap2::MmapOptions::new().len(len).map(file)? };
        Ok(Self { bytes, start })
    }

    /// Reads the first `len` bytes of `file`, of which those from byte `start` on are the values.
    #[cfg(not(any(unix, windows)))]
    pub(crate) fn open(mut file: &File, start: usize, len: usize) -> io::Result<Self> {
        use std::io::{Read as _, Seek as _, SeekFrom};

        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len)?;
        file.seek(SeekFrom::Start(0))?;
        file.take(len as u64).read_to_end(&mut bytes)?;
        if bytes.len() < len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Self { bytes, start })
    }

    /// Brings the values in `range` from the file into memory, so that reading them later does not
    /// end the process if the system cannot read the file. On systems other than Linux, and on a
    /// Linux older than 5.14, it does nothing.
    ///
    /// # Errors
    /// The error of the system.
    #[cfg(target_os = "linux")]
    pub(crate) fn populate(&self, range: Range<usize>) -> io::Result<()> {
        let (offset, len) = (self.start + range.start, range.len());
        let advice = memmap2::Advice::PopulateRead;
        match self.bytes.advise_range(advice, offset, len) {
            // An older system does not know this advice.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            advised => advised,
        }
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "reads the file where memory is mapped on Linux"
    )]
    pub(crate) fn populate(&self, _range: Range<usize>) -> io::Result<()> {
        Ok(())
    }

    /// Returns all values.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

/// How many steps ahead the kernel prefetches values that are not adjacent in memory.
pub(crate) const PREFETCH_DISTANCE: usize = 16;

/// Prefetches the cache line of `place`. This is a hint without any other effect.
#[inline]
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the instruction has no safe form")]
pub fn prefetch<T>(place: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every x86-64 processor has the instruction. It reads and writes nothing that the
    // program can see and does not fault on any address; this address is valid besides.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
}

/// Does nothing: the standard library has no prefetch for this processor.
#[inline]
#[cfg(not(target_arch = "x86_64"))]
pub fn prefetch<T>(_place: &T) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn values_that_the_file_lacks_cannot_be_populated() {
        /// The largest size of a page of usual systems.
        const PAGE: usize = 1 << 16;
        const START: usize = 16;

        let file = tempfile::tempfile().expect("a file");
        file.set_len(4 * PAGE as u64).expect("a length");
        let values = Values::open(&file, START, 4 * PAGE).expect("a file");
        values.populate(0..4 * PAGE - START).expect("all values");
        file.set_len(2 * PAGE as u64).expect("a length");
        values
            .populate(0..2 * PAGE - START)
            .expect("the values in the file");
        let populated = values.populate(2 * PAGE - START..2 * PAGE);
        // A system that does not know the advice ignores it.
        let advised = values
            .bytes
            .advise_range(memmap2::Advice::PopulateRead, 0, PAGE);
        assert_eq!(populated.is_err(), advised.is_ok());
    }
}
