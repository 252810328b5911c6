//! The form of documents: how values are written, and how member names are read.

use super::ProfileRef;

/// The form of a resource's documents: that of a profile, which may differ for duality views. By default Duet's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DocumentStyle {
    /// The profile that the documents are for.
    pub profile: ProfileRef,
    /// Whether they are those of a duality view.
    pub of_view: bool,
}

/// How dates are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateForm {
    /// As days: `2026-01-31`.
    Day,
    /// With the time of midnight.
    Midnight,
    /// The same with `Z`.
    MidnightUtc,
}

impl DocumentStyle {
    /// That of tables, views of the database, and services.
    pub fn of_tables(profile: ProfileRef) -> Self {
        Self { profile, of_view: false }
    }

    /// That of duality views.
    pub fn of_views(profile: ProfileRef) -> Self {
        Self { profile, of_view: true }
    }

    /// How dates are written.
    pub fn dates(self) -> DateForm {
        self.profile.dates(self.of_view)
    }

    /// Whether timestamps without a zone are written as those of UTC.
    pub fn timestamps_in_utc(self) -> bool {
        self.profile.timestamps_in_utc(self.of_view)
    }
}
