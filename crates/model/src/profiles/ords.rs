//! The profile of Oracle REST Data Services (ORDS). Collections answer as Duet's own.

use super::{DateForm, LoadRules, Profile};

/// ORDS.
#[derive(Debug)]
pub(super) struct Ords;

impl Profile for Ords {
    fn name(&self) -> &'static str {
        "ords"
    }

    fn ignores_unknown_parameters(&self) -> bool {
        true
    }

    /// With time; documents of duality views have no `Z`.
    fn dates(&self, of_view: bool) -> DateForm {
        if of_view { DateForm::Midnight } else { DateForm::MidnightUtc }
    }

    fn timestamps_in_utc(&self, of_view: bool) -> bool {
        !of_view
    }

    fn trims_decimals(&self) -> bool {
        true
    }

    fn takes_names_in_any_case(&self) -> bool {
        true
    }

    fn path_decides_key(&self) -> bool {
        true
    }

    /// As in Oracle's databases.
    fn null_is_greatest(&self) -> bool {
        true
    }

    fn compares_dates_with_moments(&self) -> bool {
        true
    }

    fn contains_in_any_case(&self) -> bool {
        true
    }

    fn loads(&self) -> LoadRules {
        LoadRules {
            further_parameters: true,
            sql_report: true,
            text_report: true,
            completes_masks: true,
        }
    }
}
