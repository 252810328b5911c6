//! Assigns settings to the process or to each of its applications.
//!
//! Settings of the process are refused in the file of one of several applications: taking one
//! file's `listen` for all would be a guess, and ignoring it would be silent.

use super::setting::Group;
use super::{Environment, GivenSettings, Setting, TABLE};

/// Limits of requests that are per application.
const REQUESTS_OF_APPLICATION: [&str; 12] = [
    "open_tenants",
    "tenant_requests",
    "tenant_rate",
    "statement_timeout",
    "schema_timeout",
    "queue_timeout",
    "queue_length",
    "interactive_requests",
    "batch_requests",
    "batch_queue",
    "load_row_bytes",
    "loads",
];

impl Setting {
    /// Whether it is a setting of the process, so that all its applications share one value.
    pub(crate) fn is_of_process(&self) -> bool {
        match self.group {
            Group::Serving | Group::Browsers | Group::Logging => true,
            Group::Database => self.name == "schema_poll",
            Group::Security => ["token_", "bad_token_", "api_key_", "run_client_"]
                .iter()
                .any(|own| self.name.starts_with(own)),
            Group::Requests => !REQUESTS_OF_APPLICATION.contains(&self.name),
            Group::Issuer | Group::Reading | Group::Writing => false,
        }
    }

    /// Whether it sets clients or the rights without a token.
    fn is_about_clients(&self) -> bool {
        self.group == Group::Issuer || ["state", "open", "anonymous_db_role"].contains(&self.name)
    }
}

/// The settings of the process that an application's file sets and nothing of higher precedence
/// does: in a process with several applications, they would be ambiguous.
pub(crate) fn of_process_in_file<'f>(
    file: &'f GivenSettings,
    flags: &GivenSettings,
    environment: Environment<'_>,
) -> Vec<(&'static Setting, &'f super::Origin)> {
    let given = |setting: &&Setting| {
        setting.is_of_process()
            && !flags.contains_key(setting.name)
            && setting.variables().all(|name| environment(&name).is_none())
    };
    let of_process = TABLE.iter().filter(given);
    of_process.filter_map(|setting| Some((setting, &file.get(setting.name)?.origin))).collect()
}

/// Whether a file sets anything about clients that is not the process's.
pub(crate) fn has_own_clients(file: &GivenSettings) -> bool {
    TABLE.iter().any(|setting| setting.is_about_clients() && file.contains_key(setting.name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::{GivenTexts, Origin};
    use super::*;

    fn given(names: &[&'static str]) -> GivenSettings {
        let value = |name: &&'static str| {
            let origin = Origin::Flag((*name).to_owned());
            (*name, GivenTexts { value: vec!["1".to_owned()], origin })
        };
        names.iter().map(value).collect::<BTreeMap<_, _>>()
    }

    #[test]
    fn a_file_may_not_set_the_process() {
        let file = given(&["listen", "workers", "page_size", "db_connections", "state"]);
        let names = |flags: &[&'static str], variable: &str| -> Vec<&str> {
            let environment = |name: &str| (name == variable).then(|| "2".to_owned());
            let found = of_process_in_file(&file, &given(flags), &environment);
            found.into_iter().map(|(setting, _)| setting.name).collect()
        };
        assert_eq!(names(&[], ""), ["listen", "workers"]);
        assert_eq!(names(&["listen"], "DUET_WORKERS"), [""; 0]);
    }

    #[test]
    fn clients_of_its_own() {
        for (name, own) in [("state", true), ("jwt_issuer", true), ("open", true), ("wal", false)] {
            assert_eq!(has_own_clients(&given(&[name])), own, "{name}");
        }
    }
}
