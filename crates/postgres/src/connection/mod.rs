//! One connection to the server: what is prepared and run on it, under whose role, and how it ends.

pub(crate) mod alive;
pub(crate) mod allowance;
pub(crate) mod bind;
pub(crate) mod columns;
pub(crate) mod gate;
pub(crate) mod in_time;
pub(crate) mod live;
pub(crate) mod pooler;
pub(crate) mod role;
pub(crate) mod run;
pub(crate) mod sent_commit;
pub(crate) mod stop;
