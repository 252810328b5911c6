//! Pages that design what an application declares: duality views, and the files of services and collections.

mod access;
pub(super) mod diagram;
pub(super) mod file;
mod model;
mod storage;
pub(super) mod texts;
mod trial;
pub(super) mod view;
