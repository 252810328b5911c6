//! The profile of PostgREST 16. Its filters, orders and documents are compiled from its own grammar
//! (`filter/src/postgrest`); paths, headers and statuses are those of `http/src/resources/postgrest`.

use super::Profile;

/// PostgREST.
#[derive(Debug)]
pub(super) struct Postgrest;

impl Profile for Postgrest {
    fn name(&self) -> &'static str {
        "postgrest"
    }

    fn has_table_paths(&self) -> bool {
        true
    }

    fn has_null_objects(&self) -> bool {
        true
    }

    fn overloads_functions(&self) -> bool {
        true
    }

    fn keeps_names(&self) -> bool {
        true
    }

    fn takes_request_settings(&self) -> bool {
        true
    }

    fn keys_views(&self) -> bool {
        true
    }

    fn writes_offsets(&self) -> bool {
        true
    }
}
