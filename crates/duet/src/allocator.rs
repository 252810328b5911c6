//! The allocator of the process: fast for the many small allocations of requests, while large ones
//! return to the system when they are freed, so that the setting `memory` bounds the resident size.
//!
//! Blocks of 1 MiB and more are the C library's: mimalloc and glibc keep freed memory resident for
//! the next large request, beside what `memory` counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;

use mimalloc::MiMalloc;

/// Allocations from this size on are the system's, and [`crate::heap`] makes it return them when
/// they are freed. mimalloc would keep them resident until the next large request.
const LARGE: usize = crate::heap::RETURNED;

/// Gives memory that the calling thread has freed back to the system: mimalloc keeps the pages of small blocks
/// for further ones, and looks at them only when there are some.
#[expect(unsafe_code, reason = "the function is written in C")]
pub(crate) fn give_back() {
    // SAFETY: it may be called at any time, and changes no block in use.
    unsafe { mi_collect(true) }
}

#[expect(unsafe_code, reason = "the functions are written in C")]
unsafe extern "C" {
    // Declared here, as the crate has them only with all the rest of mimalloc's functions.
    fn mi_collect(force: bool);
    fn mi_malloc(size: usize) -> *mut c_void;
    fn mi_zalloc(size: usize) -> *mut c_void;
    fn mi_realloc(block: *mut c_void, size: usize) -> *mut c_void;
}

/// Small blocks of mimalloc. Its functions for an alignment take three times the instructions of those without,
/// whose blocks are aligned to a word already (as C's `malloc` promises for what is at least as large).
struct Small;

impl Small {
    #[inline]
    fn is_aligned(size: usize, align: usize) -> bool {
        align <= align_of::<usize>() && align <= size
    }

    #[inline]
    #[expect(unsafe_code, reason = "the functions are written in C")]
    unsafe fn alloc(layout: Layout) -> *mut u8 {
        match Self::is_aligned(layout.size(), layout.align()) {
            true => unsafe { mi_malloc(layout.size()).cast() },
            false => unsafe { MiMalloc.alloc(layout) },
        }
    }

    #[inline]
    #[expect(unsafe_code, reason = "the functions are written in C")]
    unsafe fn alloc_zeroed(layout: Layout) -> *mut u8 {
        match Self::is_aligned(layout.size(), layout.align()) {
            true => unsafe { mi_zalloc(layout.size()).cast() },
            false => unsafe { MiMalloc.alloc_zeroed(layout) },
        }
    }

    #[inline]
    #[expect(unsafe_code, reason = "the functions are written in C")]
    unsafe fn realloc(block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match Self::is_aligned(size, layout.align()) {
            true => unsafe { mi_realloc(block.cast(), size).cast() },
            false => unsafe { MiMalloc.realloc(block, layout, size) },
        }
    }
}

/// Small allocations from mimalloc, large ones from the system. The size of an allocation
/// determines its owner.
pub(crate) struct Allocator;

// SAFETY: each call is forwarded unchanged to one of two allocators that fulfil the contract. All blocks of
// mimalloc are freed in one way, whichever of its functions they are from. The
// layout alone selects it, and a block is freed with the layout of its allocation. A block that
// changes the allocator is copied into a new one before it is freed.
#[expect(unsafe_code, reason = "the trait is unsafe to implement")]
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match layout.size() < LARGE {
            true => unsafe { Small::alloc(layout) },
            false => unsafe { System.alloc(layout) },
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match layout.size() < LARGE {
            true => unsafe { Small::alloc_zeroed(layout) },
            false => unsafe { System.alloc_zeroed(layout) },
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match layout.size() < LARGE {
            true => unsafe { MiMalloc.dealloc(block, layout) },
            false => unsafe { System.dealloc(block, layout) },
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match (layout.size() < LARGE, size < LARGE) {
            (true, true) => unsafe { Small::realloc(block, layout, size) },
            (false, false) => unsafe { System.realloc(block, layout, size) },
            _ => unsafe { self.moved(block, layout, size) },
        }
    }
}

impl Allocator {
    /// Moves a block from one allocator to the other.
    ///
    /// # Safety
    /// As [`GlobalAlloc::realloc`].
    #[cold]
    #[expect(unsafe_code, reason = "it works on raw blocks")]
    unsafe fn moved(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size, rounded up to the alignment, is valid; both
        // blocks hold the bytes that are copied, and they are different blocks.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                new.copy_from_nonoverlapping(block, layout.size().min(size));
                self.dealloc(block, layout);
            }
            new
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whichever function of mimalloc they are from.
    #[test]
    #[expect(unsafe_code, reason = "it works on raw blocks")]
    fn blocks_are_aligned_as_asked() {
        for (size, align) in (0..=7).flat_map(|bits| (1..=200).map(move |size| (size, 1 << bits))) {
            let layout = Layout::from_size_align(size, align).unwrap();
            // SAFETY: each block is freed once, with the layout that it has then.
            unsafe {
                let block = Allocator.alloc(layout);
                assert_eq!(block.addr() % align, 0, "{layout:?}");
                let block = Allocator.realloc(block, layout, 3 * size);
                assert_eq!(block.addr() % align, 0, "{layout:?}");
                Allocator.dealloc(block, Layout::from_size_align(3 * size, align).unwrap());
                let zeroed = Allocator.alloc_zeroed(layout);
                assert!((0..size).all(|at| *zeroed.add(at) == 0));
                Allocator.dealloc(zeroed, layout);
            }
        }
    }

    /// Grown, shrunk and grown again across the limit between the two allocators.
    #[test]
    fn blocks_keep_their_bytes_when_the_allocator_changes() {
        let pattern = |length: usize| (0..length).map(|at| (at % 251) as u8);
        let mut block: Vec<u8> = pattern(1_000).collect();
        for length in [LARGE - 1, LARGE, 3 * LARGE, LARGE + 1, LARGE - 1, 10, 2 * LARGE] {
            block.truncate(length);
            block.shrink_to_fit();
            let kept = block.len();
            block.reserve_exact(length - kept);
            assert!(block.iter().copied().eq(pattern(kept)), "{length}");
            block.extend(pattern(length).skip(kept));
        }
        assert!(block.into_iter().eq(pattern(2 * LARGE)));
        assert!(vec![0_u8; 2 * LARGE].iter().all(|byte| *byte == 0));
    }
}
