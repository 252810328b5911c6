//! Profiles: the systems as which an application can answer, so that clients of theirs keep working.
//!
//! Code never asks which profile it works for. It asks what it needs to know, as code of SQL asks a dialect: each
//! question is a method of [`Profile`], whose default is Duet's own answer, and a profile is one file that answers
//! what differs. What only HTTP has (statuses, bodies of errors, headers) is asked in `http/src/profiles/`.

mod document_style;
mod native;
mod ords;
mod postgrest;
mod postgrest_code;
mod postgrest_gap;
mod rmb;

use std::fmt;
use std::ops::Deref;

pub use document_style::{DateForm, DocumentStyle};
pub use postgrest_code::{PostgrestCode, PostgrestRow};
pub use postgrest_gap::PostgrestGap;

/// What documents, filters, writes and loads mean to the clients of a system. All defaults are Duet's own.
pub trait Profile: fmt::Debug + Send + Sync {
    /// Its name in `app.toml` and in settings.
    fn name(&self) -> &'static str;

    /// Whether a setting may choose it, and give way to another one; otherwise only `app.toml` does.
    fn is_a_setting(&self) -> bool {
        true
    }

    /// Whether requests name a tenant, so that an application without one is a mistake.
    fn needs_tenant(&self) -> bool {
        false
    }

    /// Whether unknown query parameters are passed over instead of refused.
    fn ignores_unknown_parameters(&self) -> bool {
        false
    }

    /// Whether a path below a mount names a table (`/team`) or a function (`/rpc/add`) and nothing else, with filters in
    /// the query string, and the mount itself is its description.
    fn has_table_paths(&self) -> bool {
        false
    }

    /// Whether a collection has `PATH-batch` beside it, which writes a list of documents in one transaction.
    fn has_list_writes(&self) -> bool {
        false
    }

    /// Whether a list counts before it estimates: `estimated` counts as `auto`, and a list without documents exactly.
    fn counts_before_estimating(&self) -> bool {
        false
    }

    /// Whether lists take `facets`: the numbers of values beside the documents.
    fn has_facets(&self) -> bool {
        false
    }

    /// How dates are written: in documents of duality views, or in those of everything else.
    fn dates(&self, _of_view: bool) -> DateForm {
        DateForm::Day
    }

    /// Whether timestamps without a zone are written as those of UTC: in documents of duality views, or in others.
    fn timestamps_in_utc(&self, _of_view: bool) -> bool {
        false
    }

    /// Whether moments are written with the offset `+00:00` instead of `Z`.
    fn writes_offsets(&self) -> bool {
        false
    }

    /// Whether a related row that does not exist is `null` instead of an empty object.
    fn has_null_objects(&self) -> bool {
        false
    }

    /// Whether exact numbers are written without zeros at the end of their decimals.
    fn trims_decimals(&self) -> bool {
        false
    }

    /// Whether members of bodies and arguments of routines are known in any case: `TEAM_ID` for `team_id`.
    fn takes_names_in_any_case(&self) -> bool {
        false
    }

    /// Whether the key in the path takes the place of the one in a body, which otherwise must be the same.
    fn path_decides_key(&self) -> bool {
        false
    }

    /// Whether the key in the path takes the place of the `id` in a changed document of a collection.
    fn path_decides_id(&self) -> bool {
        false
    }

    /// Whether NULL is greater than all values, so that it comes first in descending orders.
    fn null_is_greatest(&self) -> bool {
        false
    }

    /// Whether a date is compared with moments, as its first one in UTC.
    fn compares_dates_with_moments(&self) -> bool {
        false
    }

    /// Whether `$instr` and `$ninstr` pass over case.
    fn contains_in_any_case(&self) -> bool {
        false
    }

    /// Whether tables, columns, functions and their arguments are called as the database spells them; otherwise in lower
    /// case.
    fn keeps_names(&self) -> bool {
        false
    }

    /// Whether functions of the database may learn of a request by settings, and set headers and status of its answer.
    fn takes_request_settings(&self) -> bool {
        false
    }

    /// Whether functions of one name are told apart by their arguments; otherwise none of them is served.
    fn overloads_functions(&self) -> bool {
        false
    }

    /// Whether views have the keys of the tables that they read, are related to others by these, and are written.
    fn keys_views(&self) -> bool {
        false
    }

    /// What CQL means.
    fn cql(&self) -> CqlMeaning {
        CqlMeaning::Typed
    }

    /// Whether the given name of related documents hides a member of the same name, and an earlier given name a later
    /// one. Otherwise such names are mistakes.
    fn aliases_hide_members(&self) -> bool {
        false
    }

    /// Whether bodies for collections are read as by Jackson: texts for numbers and switches, dates in several forms, an
    /// empty list for a missing array, and no `null`.
    fn converts_bodies(&self) -> bool {
        false
    }

    /// Whether rows that a document of a collection leaves out stay.
    fn keeps_rows_left_out(&self) -> bool {
        false
    }

    /// The first words of the message that a unique value exists: PostgreSQL's with the name of the constraint, where
    /// clients know it by them.
    fn names_unique_constraints(&self) -> bool {
        false
    }

    /// What bulk loads take.
    fn loads(&self) -> LoadRules {
        LoadRules::default()
    }
}

/// What CQL means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CqlMeaning {
    /// Values are compared as their types say.
    Typed,
    /// Every value is a text, with the quirks of raml-module-builder.
    Texts,
}

/// What bulk loads take beyond the common parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadRules {
    /// Whether `errorsMax`, `locale` and `responseEncoding` are parameters.
    pub further_parameters: bool,
    /// Whether the report may be written as comments of SQL.
    pub sql_report: bool,
    /// Whether the report is a text where no parameter says otherwise, whatever `Accept` says.
    pub text_report: bool,
    /// Whether a mask that is not given is that of the simpler type.
    pub completes_masks: bool,
}

/// The profiles, Duet's own first.
static PROFILES: [&dyn Profile; COUNT] =
    [&native::Native, &rmb::Rmb, &ords::Ords, &postgrest::Postgrest];

/// How many profiles there are.
pub const COUNT: usize = 4;

/// The names of the profiles that a setting may choose.
pub const SETTINGS: &[&str] = &["native", "ords", "postgrest"];

/// One of the profiles; by default Duet's own.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ProfileRef(u8);

impl ProfileRef {
    /// The profile of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|profile| profile.name() == name)
    }

    /// Duet's own.
    pub const fn native() -> Self {
        Self(0)
    }

    /// All of them, Duet's own first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..).take(COUNT).map(Self)
    }

    /// Its position among [`ProfileRef::all`].
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl Deref for ProfileRef {
    type Target = dyn Profile;

    fn deref(&self) -> &Self::Target {
        PROFILES.get(self.index()).copied().unwrap_or(&native::Native)
    }
}

impl fmt::Debug for ProfileRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_profiles() {
        let names: Vec<_> = ProfileRef::all().map(|profile| profile.name()).collect();
        assert_eq!(names, ["native", "rmb", "ords", "postgrest"]);
        for (index, profile) in ProfileRef::all().enumerate() {
            assert_eq!(ProfileRef::named(profile.name()), Some(profile));
            assert_eq!(
                (profile.index(), format!("{profile:?}")),
                (index, profile.name().to_owned())
            );
        }
        assert_eq!(ProfileRef::named("Native"), None);
        assert_eq!(ProfileRef::default().name(), "native");
    }

    #[test]
    fn settings_choose_those_that_give_way() {
        let chosen = ProfileRef::all().filter(|profile| profile.is_a_setting());
        assert_eq!(chosen.map(|profile| profile.name()).collect::<Vec<_>>(), SETTINGS);
    }
}
