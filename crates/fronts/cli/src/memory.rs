//! Memory that the process returns to the operating system.

#![cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(
        unsafe_code,
        reason = "the C library has no safe interface to its allocator"
    )
)]

/// Makes the allocator take all memory from one arena, so that [`release_free_memory`] can return
/// it. It must be called before other threads allocate memory. On systems other than Linux with
/// glibc it does nothing.
///
/// By default glibc has up to eight arenas for each processor, and keeps the free memory at the end
/// of each arena but the first.
pub(crate) fn use_one_arena() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `mallopt` has no preconditions, and any thread may call it.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Returns the free memory of the allocator to the operating system. On systems other than Linux
/// with glibc it does nothing.
///
/// Without this call glibc returns only free memory at the end of an arena, where one allocation
/// that is still in use keeps the memory of a peak.
pub(crate) fn release_free_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `malloc_trim` has no preconditions, and any thread may call it.
    unsafe {
        libc::malloc_trim(0);
    }
}
