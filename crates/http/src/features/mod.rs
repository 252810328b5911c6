//! What the server can do, as a table: each feature is a file with its route, plan, answer, names in descriptions and
//! name for observers. A request takes the first feature whose route it is on.
//!
//! Futures of rare requests are boxed by their features, and stages and statements are timed without a future around
//! theirs: an async function that awaits its argument holds it twice, and each request moves its future. Reads by key
//! once copied 35 kB each, now 10. For the same reason the table is a macro over types and not a list of objects: a
//! plan is a variant of an enum, and a request costs no allocation and no virtual call for it.

mod definition;
mod mounts;
mod resources;
mod sites;
mod table;
mod target;

pub(crate) use table::Plan;
pub(crate) use target::Target;
