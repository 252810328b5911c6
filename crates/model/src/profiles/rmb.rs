//! The profile of FOLIO's raml-module-builder (RMB), version 35. Its collections have rules of their own; tables and
//! views answer as Duet's own.

use super::{CqlMeaning, Profile};

/// RMB.
#[derive(Debug)]
pub(super) struct Rmb;

impl Profile for Rmb {
    fn name(&self) -> &'static str {
        "rmb"
    }

    /// The collections of an application are compiled for it.
    fn is_a_setting(&self) -> bool {
        false
    }

    fn needs_tenant(&self) -> bool {
        true
    }

    fn ignores_unknown_parameters(&self) -> bool {
        true
    }

    fn counts_before_estimating(&self) -> bool {
        true
    }

    fn has_facets(&self) -> bool {
        true
    }

    fn has_list_writes(&self) -> bool {
        true
    }

    fn cql(&self) -> CqlMeaning {
        CqlMeaning::Texts
    }

    fn aliases_hide_members(&self) -> bool {
        true
    }

    fn converts_bodies(&self) -> bool {
        true
    }

    fn path_decides_id(&self) -> bool {
        true
    }

    fn keeps_rows_left_out(&self) -> bool {
        true
    }

    fn names_unique_constraints(&self) -> bool {
        true
    }
}
