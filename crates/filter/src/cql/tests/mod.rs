//! Tests of CQL: its grammar, what its queries mean, and properties of both.

mod grammar;
mod meaning;
mod properties;
