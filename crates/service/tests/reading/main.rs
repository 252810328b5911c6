//! Reading, from the request to the bytes of the answer, on both stores at once.
//!
//! One binary, because the modules share a throwaway PostgreSQL server.

mod application;
mod etag;
mod golden;
mod injection;
mod served;
mod snapshot;
