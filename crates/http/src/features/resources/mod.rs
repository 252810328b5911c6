//! Features of resources.

pub(super) mod accepted_rows;
pub(super) mod batch;
pub(super) mod item;
pub(super) mod items_by_keys;
pub(super) mod live;
pub(super) mod load;
pub(super) mod options;
pub(super) mod page;
pub(super) mod search;
pub(super) mod stream;
pub(super) mod view_events;
pub(super) mod write;
