use crate::transposition::Place;

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
    pub(crate) fn places(&mut self) -> &[Place] {
        use zerocopy::FromBytes as _;
        let Some(memory) = &mut self.memory else {
            return &[];
        };
        <[Place]>::mut_from_bytes(memory).map_or(&[], |places| places)
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
    pub(crate) fn places(&mut self) -> &[Place] {
        &self.memory
    }
}
