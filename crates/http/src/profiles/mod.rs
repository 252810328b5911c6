//! Profiles: the forms of other systems over HTTP, for their clients. Each is one file that answers what differs from
//! Duet's own; what documents and filters mean is asked in `model/src/profiles/`.

mod error_form;
mod native;
mod ords;
mod postgrest;
mod rmb;

use std::fmt;

use duet_model::profiles::COUNT;
use duet_model::{Error, ProfileRef, Result};
use duet_service::{Service, Snapshot, declared_parameters};
use hyper::{HeaderMap, Method, StatusCode};

pub(crate) use error_form::ErrorForm;

/// What requests and answers are in a profile. All defaults are Duet's own.
pub(crate) trait HttpProfile: fmt::Debug + Sync {
    /// The form of its errors; `ords_statuses`: whether a setting asks for those of ORDS.
    fn errors(&self, ords_statuses: bool) -> &'static dyn ErrorForm;

    /// Refuses a request without headers that the profile needs.
    ///
    /// # Errors
    /// Where one is missing or wrong.
    fn check(&self, _: &Snapshot, _: &Method, _: &HeaderMap) -> Result<()> {
        Ok(())
    }

    /// The user that a gateway in front states in a header; nothing proves it.
    fn stated_user<'r>(&self, _: &'r HeaderMap) -> Option<&'r str> {
        None
    }

    /// The query parameters of writes of documents by key.
    fn write_parameters(&self) -> &'static [&'static str] {
        &declared_parameters::OF_WRITES
    }

    /// The address of a new document for `Location`.
    fn location<'a>(&self, address: &'a str) -> &'a str {
        address
    }

    /// The error of a write by a key that cannot be one.
    fn malformed_key(&self, error: Error) -> Error {
        error
    }

    /// The status of a bulk load that was stopped; `ords_statuses`: whether a setting asks for those of ORDS.
    fn stopped_load(&self, ords_statuses: bool) -> StatusCode {
        if ords_statuses { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY }
    }
}

/// The profiles with their names, in the order of `duet_model`.
static PROFILES: [(&str, &dyn HttpProfile); COUNT] = [
    ("native", &native::Native),
    ("rmb", &rmb::Rmb),
    ("ords", &ords::Ords),
    ("postgrest", &postgrest::Postgrest),
];

/// What HTTP is in a profile.
pub(crate) fn of(profile: ProfileRef) -> &'static dyn HttpProfile {
    PROFILES.get(profile.index()).map_or(&native::Native, |(_, found)| *found)
}

/// The form of the errors of an application.
pub(crate) fn errors_of(service: &Service) -> &'static dyn ErrorForm {
    of(service.profile()).errors(service.write_limits().ords_statuses)
}

/// The form of errors that belong to no application.
pub(crate) fn native_errors() -> &'static dyn ErrorForm {
    &native::Native
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_of_a_profile_have_one_name() {
        let names = PROFILES.map(|(name, _)| name);
        assert!(ProfileRef::all().map(|profile| profile.name()).eq(names));
    }
}
