//! Duet's own profile: every answer is the default.

use super::Profile;

/// Duet.
#[derive(Debug)]
pub(super) struct Native;

impl Profile for Native {
    fn name(&self) -> &'static str {
        "native"
    }
}
