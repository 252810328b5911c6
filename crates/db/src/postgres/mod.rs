//! PostgreSQL: pipelined connections for batched reads by key, others for pages and for writes.

mod alive;
mod batch;
mod bind;
mod columns;
pub mod connect;
mod database;
mod gate;
mod group;
mod group_member;
mod group_rows;
mod handle;
mod insert;
mod keyed;
mod lane;
mod live;
mod matched;
mod pages;
mod pool;
mod pooler;
mod provision;
pub(crate) mod role;
pub(crate) mod run;
mod schema_watch;
pub(crate) mod sent_commit;
mod session;
mod shared_page;
pub mod sqlstate;
pub(crate) mod stop;
mod stream;
mod watch;
mod write;
mod write_gates;

pub use database::{Database, most_connections};
pub use handle::Handle;
pub use provision::{Provisioned, provision};
pub(crate) use stream::StreamRows;
