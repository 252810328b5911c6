//! Events of views with `NOTIFY`, which writes have recorded (`write/notices.rs`): those who may read the view read them
//! as pages and as a subscription.

mod follow;
mod page;

pub use duet_sql::{EventPosition, RowEvent};
pub use follow::ViewEventFeed;
pub use page::{EventPositionText, EventStart, ViewEvent, ViewEventPage};
