//! From definition and catalog to a snapshot: names, shapes, mounts, and what is wrong with them.

mod ad_hoc;
mod declared_keys;
pub(crate) mod difference;
mod domains;
mod effective_keys;
mod kept;
mod links;
mod mistake_list;
mod mistakes;
pub(crate) mod mount;
pub(crate) mod naming;
pub mod remarks;
mod row_functions;
mod row_media;
pub(crate) mod snapshot;
pub(crate) mod spread;
pub(crate) mod table_shape;
mod view_keys;
