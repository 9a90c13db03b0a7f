use std::sync::atomic::AtomicU64;

use kalah_tables::prefetch;

use crate::key::Key;

/// The entries that share a cache line, each the head of a key and a word that is up to whoever keeps it.
pub(crate) type Place = [Entry; ENTRIES_PER_PLACE];

/// See [`Place`]; all bits are 0 where it is empty.
pub(crate) type Entry = [AtomicU64; 2];

const ENTRIES_PER_PLACE: usize = 4;

const _: () = assert!(size_of::<Place>() == 64, "a place is a cache line");

/// The places of some [`Pages`], as the threads of a search share them. Every access is a relaxed atomic one, so
/// that there are no data races, and nobody waits.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    places: &'a [Place],
}

impl<'a> Places<'a> {
    /// Whether there are none.
    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.places.is_empty()
    }

    /// Where whatever has this key is kept.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "it is less than a length")]
    pub(crate) fn place(self, key: Key) -> Option<&'a Place> {
        let index = (u128::from(key.place) * self.places.len() as u128) >> u64::BITS;
        self.places.get(index as usize)
    }

    /// Says that the place of this key will be asked for soon.
    #[inline]
    pub(crate) fn prefetch(self, key: Key) {
        if let Some(place) = self.place(key) {
            prefetch(place);
        }
    }
}

/// Memory of the system for places, empty at first.
pub(crate) struct Pages {
    memory: Mapped,
}

#[cfg(any(unix, windows))]
type Mapped = Option<memmap2::MmapMut>;

#[cfg(not(any(unix, windows)))]
type Mapped = Vec<Place>;

#[cfg(any(unix, windows))]
impl Pages {
    /// Memory for so many places, or for none if the system has not as much.
    ///
    /// Places are looked up at random, so that with pages of 4 KiB nearly each look would also
    /// have to look up its page: large pages are asked for where the system has to be asked.
    pub(crate) fn new(places: usize) -> Self {
        let bytes = places.checked_mul(size_of::<Place>());
        let memory = bytes
            .filter(|&bytes| bytes > 0)
            .and_then(|bytes| memmap2::MmapMut::map_anon(bytes).ok());
        #[cfg(target_os = "linux")]
        if let Some(memory) = &memory {
            // Without large pages everything works as well, only slower.
            let _ = memory.advise(memmap2::Advice::HugePage);
        }
        Self { memory }
    }

    /// The places.
    pub(crate) fn share(&mut self) -> Places<'_> {
        use zerocopy::FromBytes as _;
        let memory = self.memory.as_mut().map(|memory| &mut memory[..]);
        let places = memory.and_then(|memory| <[Place]>::mut_from_bytes(memory).ok());
        Places {
            places: places.map_or(&[], |places| places),
        }
    }
}

#[cfg(not(any(unix, windows)))]
impl Pages {
    /// Memory for so many places, or for none if there is not as much.
    pub(crate) fn new(places: usize) -> Self {
        let mut memory = Vec::new();
        if memory.try_reserve_exact(places).is_ok() {
            memory.resize_with(places, Place::default);
        }
        Self { memory }
    }

    /// The places.
    pub(crate) fn share(&mut self) -> Places<'_> {
        Places {
            places: &self.memory,
        }
    }
}
