//! `Prefer`: the one list of preferences and their values.

use duet_model::Error;
use duet_model::profiles::{PostgrestCode, PostgrestGap};
use duet_service::TIME_ZONE;
use duet_service::postgrest::TableCount;
use hyper::HeaderMap;
use hyper::header::HeaderName;
use serde_json::json;

use crate::message::header::{elements, list};

const PREFER: HeaderName = HeaderName::from_static("prefer");

/// `Preference-Applied`
pub(crate) const APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// A value of a preference.
pub(crate) struct PreferenceRow {
    pub(crate) name: &'static str,
    pub(crate) value: &'static str,
    /// Whether it is taken of what only reads on PostgreSQL alone; elsewhere it is refused by name.
    pub(crate) of_reads: bool,
}

const fn taken(name: &'static str, value: &'static str) -> PreferenceRow {
    PreferenceRow { name, value, of_reads: false }
}

const fn of_reads(name: &'static str, value: &'static str) -> PreferenceRow {
    PreferenceRow { name, value, of_reads: true }
}

/// All preferences of PostgREST, in the order of `Preference-Applied`. A value that differs is empty.
pub(crate) const PREFERENCES: &[PreferenceRow] = &[
    taken("resolution", "merge-duplicates"),
    taken("resolution", "ignore-duplicates"),
    taken("missing", "default"),
    taken("missing", "null"),
    taken("return", "minimal"),
    taken("return", "headers-only"),
    taken("return", "representation"),
    taken("count", "exact"),
    taken("count", "planned"),
    taken("count", "estimated"),
    taken("tx", "commit"),
    taken("tx", "rollback"),
    taken("handling", "strict"),
    taken("handling", "lenient"),
    of_reads(TIME_ZONE, ""),
    taken("max-affected", ""),
];

/// The preferences of a request; of a kind the first counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preferences {
    known: Vec<(&'static str, String)>,
}

impl Preferences {
    /// Reads the headers.
    ///
    /// # Errors
    /// [`PostgrestCode::Preference`] for what is not known where `handling=strict` says so.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, Error> {
        let Some(value) = list(headers, &PREFER) else { return Ok(Self::default()) };
        let text = String::from_utf8_lossy(&value);
        let (mut all, mut unknown) = (Self::default(), Vec::new());
        for element in elements(&text) {
            let (name, value) = element.split_once('=').unwrap_or((element, ""));
            let is_it = |row: &&PreferenceRow| {
                row.name == name && (row.value.is_empty() || row.value == value)
            };
            let is_number = name != "max-affected" || value.parse::<u64>().is_ok();
            match PREFERENCES.iter().find(is_it).filter(|_| is_number) {
                None => unknown.push(element),
                Some(row) if all.value(row.name).is_none() => {
                    all.known.push((row.name, value.to_owned()));
                }
                Some(_) => {}
            }
        }
        if all.is("handling", "strict") && !unknown.is_empty() {
            let details = json!(format!("Invalid preferences: {}", unknown.join(", ")));
            let message = "Invalid preferences given with handling=strict";
            return Err(PostgrestCode::Preference.with_details(message, details.to_string()));
        }
        Ok(all)
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.known.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// Whether a preference is given.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Whether a preference has this value.
    pub(crate) fn is(&self, name: &str, value: &str) -> bool {
        self.value(name) == Some(value)
    }

    /// How rows are counted.
    pub(crate) fn count(&self) -> TableCount {
        match self.value("count") {
            Some("exact") => TableCount::Exact,
            Some("planned") => TableCount::Planned,
            Some("estimated") => TableCount::Estimated,
            _ => TableCount::Nothing,
        }
    }

    /// The time zone of moments, where one is named.
    ///
    /// # Errors
    /// [`PostgrestGap::Preference`] where it is not taken.
    pub(crate) fn zone(&self, is_taken: bool) -> Result<Option<&str>, Error> {
        let of_reads = PREFERENCES.iter().filter(|row| row.of_reads && !is_taken);
        let mut refused = of_reads.filter_map(|row| Some((row.name, self.value(row.name)?)));
        match refused.next() {
            Some((name, value)) => {
                Err(PostgrestGap::Preference.refusal(&format!("{name}={value}")))
            }
            None => Ok(self.value(TIME_ZONE)),
        }
    }

    /// How many rows may be changed, where `handling=strict` makes it count.
    pub(crate) fn most(&self) -> Option<u64> {
        self.value("max-affected").filter(|_| self.is("handling", "strict"))?.parse().ok()
    }

    /// The value of `Preference-Applied`: those that are given, of the names that mean something here.
    pub(crate) fn applied(&self, names: &[&str]) -> Option<String> {
        let mut ordered: Vec<&str> = Vec::new();
        for row in PREFERENCES {
            if names.contains(&row.name) && !ordered.contains(&row.name) {
                ordered.push(row.name);
            }
        }
        let given = ordered.iter().filter_map(|name| Some((name, self.value(name)?)));
        let texts: Vec<String> = given.map(|(name, value)| format!("{name}={value}")).collect();
        (!texts.is_empty()).then(|| texts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Preferences, Error> {
        let mut headers = HeaderMap::new();
        headers.insert(PREFER, text.parse().unwrap());
        Preferences::of(&headers)
    }

    #[test]
    fn the_first_of_a_kind_counts() {
        let both = of("count=exact, return=minimal, return=representation, unknown=1").unwrap();
        assert!(both.is("count", "exact") && both.is("return", "minimal"));
        assert_eq!(
            both.applied(&["count", "return"]).as_deref(),
            Some("return=minimal, count=exact")
        );
        assert_eq!(both.applied(&["missing"]), None);
    }

    #[test]
    fn what_is_not_taken_is_named() {
        let zoned = of("count=planned, timezone=UTC").unwrap();
        assert_eq!(zoned.zone(true).unwrap(), Some("UTC"));
        assert_eq!(of("count=planned").unwrap().zone(false).unwrap(), None);
        let error = zoned.zone(false).unwrap_err();
        assert!(error.message.contains("Given: timezone=UTC"), "{error}");
        let error = of("handling=strict, a=b, c").unwrap_err();
        let foreign = error.foreign().unwrap();
        assert_eq!((&*foreign.code, foreign.status), ("PGRST122", 400));
        assert_eq!(foreign.details.as_deref(), Some("\"Invalid preferences: a=b, c\""));
        assert!(of("handling=lenient, a=b").is_ok());
    }
}
