use std::ops::{Deref, DerefMut};

use crate::values::Values;

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
            BufferKind::Heap(bytes) => Values::built(bytes),
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
