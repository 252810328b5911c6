//! The descriptions as a whole, against texts kept in `golden/openapi`, and the filter schemas
//! against the filter's own parser.

mod catalog;
mod filters;
mod golden;
mod sample;
mod services;
mod structure;
mod writing;
