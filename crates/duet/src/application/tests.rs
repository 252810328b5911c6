//! Tests of reading an application.
