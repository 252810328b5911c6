//! When the users of groups run: the groups one after the other, and how many users of each.

mod levels;
mod stages;

pub(super) use levels::Levels;
pub(super) use stages::Stages;
