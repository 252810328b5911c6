//! The heap of the C library, from which SQLite and large blocks of the whole process are served.

/// Blocks of this size and more go back to the system when they are freed.
pub(crate) const RETURNED: usize = 1 << 20;

/// Has the C library give large blocks back as they are freed. By itself glibc keeps the more of
/// them, the larger those were that it has seen: `mallopt(3)`, `M_MMAP_THRESHOLD`. musl keeps none.
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "the C library has no safe call for it")
)]
pub(crate) fn return_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call takes two numbers and may be made at any time.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, RETURNED as libc::c_int);
    }
}
