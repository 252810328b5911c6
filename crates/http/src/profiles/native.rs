//! Duet's own profile: every answer is the default.

use super::HttpProfile;
use super::error_form::ErrorForm;
use super::ords::OrdsStatuses;

/// Duet.
#[derive(Debug)]
pub(crate) struct Native;

impl HttpProfile for Native {
    fn errors(&self, ords_statuses: bool) -> &'static dyn ErrorForm {
        if ords_statuses { &OrdsStatuses } else { &Native }
    }
}

impl ErrorForm for Native {}
