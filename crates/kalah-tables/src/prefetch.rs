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
