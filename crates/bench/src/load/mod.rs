//! Load models: the number of users, or the start of each transaction. A model is a pure function
//! of elapsed time and count; it reads no clock.

mod arrivals;
mod planned;
mod profile;

pub use arrivals::Arrivals;
pub use planned::Planned;
pub use profile::{LoadProfile, Segment};
