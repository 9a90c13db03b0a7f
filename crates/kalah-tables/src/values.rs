use std::fs::File;
use std::io;

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
            _file: Some(file),
        })
    }

    /// All of them.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}
