use std::fs::File;
use std::io;
use std::ops::{Deref, DerefMut};

/// A gain of nothing as a byte: a value is a gain and this.
pub(crate) const ZERO_GAIN: u8 = 128;

/// Bytes of a table, all 0 at first, in large pages where the system gives them: a probe goes
/// anywhere, and with small pages it would wait for the page's address too.
pub(crate) struct Buffer(BufferKind);

enum BufferKind {
    #[cfg(any(unix, windows))]
    Mapped(memmap2::MmapMut),
    #[cfg(not(any(unix, windows)))]
    Heap(Vec<u8>),
}

impl Buffer {
    /// That many bytes, unless the system refuses.
    #[cfg(any(unix, windows))]
    pub(crate) fn new(len: usize) -> Option<Self> {
        let map = memmap2::MmapMut::map_anon(len.max(1)).ok()?;
        #[cfg(target_os = "linux")]
        {
            // Where there are no large pages, small ones serve.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Some(Self(BufferKind::Mapped(map)))
    }

    /// That many bytes, unless the system refuses.
    #[cfg(not(any(unix, windows)))]
    pub(crate) fn new(len: usize) -> Option<Self> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).ok()?;
        bytes.resize(len, 0);
        Some(Self(BufferKind::Heap(bytes)))
    }
}

impl Buffer {
    /// The same bytes, from now on as they are.
    pub(crate) fn freeze(self) -> std::io::Result<Values> {
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

/// The values of a table, which no longer change: built, or as they lie in a file.
pub(crate) struct Values {
    #[cfg(any(unix, windows))]
    bytes: memmap2::Mmap,
    #[cfg(not(any(unix, windows)))]
    bytes: Vec<u8>,
    /// Where the first value lies.
    start: usize,
    /// Locked as long as the values are used.
    _lock: Option<File>,
}

impl Values {
    /// Values that were just built.
    #[cfg(any(unix, windows))]
    pub(crate) fn from_buffer(bytes: memmap2::MmapMut) -> io::Result<Self> {
        Ok(Self {
            bytes: bytes.make_read_only()?,
            start: 0,
            _lock: None,
        })
    }

    /// Values that were just built.
    #[cfg(not(any(unix, windows)))]
    #[expect(clippy::unnecessary_wraps, reason = "mapped values can fail here")]
    pub(crate) fn from_buffer(bytes: Vec<u8>) -> io::Result<Self> {
        Ok(Self {
            bytes,
            start: 0,
            _lock: None,
        })
    }

    /// The values in `file` from byte `start` on, which must be `len` altogether with what is before them.
    #[cfg(any(unix, windows))]
    pub(crate) fn open(file: File, start: usize, len: usize) -> io::Result<Self> {
        // SAFETY: only plain bytes are read, one at a time or by a checksum, and any byte is a valid value: if
        // somebody changes the file meanwhile, against the lock on it, answers are wrong, and nothing else
        // depends on two reads being equal. All accesses are checked against `len`. If somebody cuts
        // the file off, the system ends the program in good order (SIGBUS) as it does when a disk
        // is pulled out; it cannot come to reading other memory. This program never writes into a table
        // that has its final name: new ones are made aside and renamed, and the old file lives on
        // for whoever has it open.
        let bytes = unsafe { memmap2::MmapOptions::new().len(len).map(&file)? };
        Ok(Self {
            bytes,
            start,
            _lock: Some(file),
        })
    }

    /// The values in `file` from byte `start` on, which must be `len` altogether with what is before them.
    #[cfg(not(any(unix, windows)))]
    pub(crate) fn open(mut file: File, start: usize, len: usize) -> io::Result<Self> {
        use std::io::{Read as _, Seek as _, SeekFrom};

        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len)?;
        file.seek(SeekFrom::Start(0))?;
        (&file).take(len as u64).read_to_end(&mut bytes)?;
        if bytes.len() < len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Self {
            bytes,
            start,
            _lock: Some(file),
        })
    }

    /// All of them.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

/// How many values ahead memory is asked for that does not lie side by side.
pub(crate) const PREFETCH_DISTANCE: usize = 16;

/// Asks the processor to have the cache line of `place` ready: a hint that changes nothing else.
#[inline]
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the instruction has no safe form")]
pub fn prefetch<T>(place: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: the instruction is part of every x86-64 processor, reads and writes nothing that the
    // program can see, and does not fault on any address; this one is valid besides.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
}

/// There is no such hint in the standard library for this processor.
#[inline]
#[cfg(not(target_arch = "x86_64"))]
pub fn prefetch<T>(_place: &T) {}
