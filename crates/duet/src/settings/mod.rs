//! Settings: from all sources to the effective values.
//!
//! A flag wins over the environment, the environment over `app.toml`, `app.toml` over the default.
//! Every value keeps its [`Origin`], so that a message can name the place to change.

mod check;
pub(crate) mod docs;
mod issuer;
mod known;
mod origin;
mod scope;
mod setting;
mod share;
mod sources;
mod table;
mod value;

use duet_text::name;

pub(crate) use known::KnownSettings;
pub(crate) use origin::{GivenTexts, Origin, Sourced};
pub(crate) use scope::{has_own_clients, of_process_in_file};
#[cfg(test)]
pub(crate) use setting::Group;
pub(crate) use setting::Setting;
pub(crate) use sources::{Environment, GivenSettings, Sources};
pub(crate) use table::{Settings, TABLE};
pub(crate) use value::{
    AccessLog, Agents, ByteSize, CONSOLE, Console, KeysUrl, Listen, Memory, PerAddress,
    ReadPosition, Value,
};

/// Variables that resemble a setting, with the nearest name. Others that begin with `DUET_` are the
/// user's own, for `${NAME}` in `app.toml`.
pub(crate) fn doubtful_variables(names: impl Iterator<Item = String>) -> Vec<(String, String)> {
    let known: Vec<String> =
        TABLE.iter().map(Setting::variable).chain(OTHER_VARIABLES.map(str::to_owned)).collect();
    let doubtful = names.filter(|name| name.starts_with("DUET_") && !known.contains(name));
    let mut found: Vec<_> = doubtful
        .filter_map(|name| {
            let short = known.iter().filter_map(|known| known.strip_prefix("DUET_"));
            let near = name::nearest(name.strip_prefix("DUET_")?, short)?;
            let near = format!("DUET_{near}");
            Some((name, near))
        })
        .collect();
    found.sort_unstable();
    found
}

/// The variable by which an instance knows that a supervisor has started it.
pub(crate) const INSTANCE: &str = "DUET_INSTANCE";

/// The variable that says: stop when standard input ends. The starter holds the other end, which the system closes
/// however the starter ends.
pub(crate) const ENDS_WITH_INPUT: &str = "DUET_ENDS_WITH_INPUT";

/// Variables that are read and are not settings.
const OTHER_VARIABLES: [&str; 6] =
    ["DUET_CONFIG", "DUET_APP", "DUET_DATABASE", INSTANCE, "DUET_ACCEPT", ENDS_WITH_INPUT];

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::num::NonZeroUsize;
    use std::time::Duration;

    use super::*;

    fn given(name: &'static str, text: &str, origin: Origin) -> GivenSettings {
        BTreeMap::from([(name, GivenTexts { value: vec![text.to_owned()], origin })])
    }

    fn file(name: &'static str, text: &str) -> GivenSettings {
        given(name, text, Origin::File { file: "app.toml".into(), line: 3, column: 11 })
    }

    fn resolve(
        flags: &GivenSettings,
        variables: &[(&str, &str)],
        file: &GivenSettings,
    ) -> duet_model::Result<Settings> {
        let environment = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, text)| (*text).to_owned())
        };
        Ok(Settings::resolve(&Sources { flags, environment: &environment, file })?)
    }

    #[test]
    fn flag_over_environment_over_file_over_default() {
        let nothing = GivenSettings::new();
        let flags = given("workers", "4", Origin::Flag("--workers".into()));
        let file = file("workers", "2");
        let variables = [("DUET_WORKERS", "3")];
        for (settings, workers, origin) in [
            (resolve(&nothing, &[], &nothing), 1, "default"),
            (resolve(&nothing, &[], &file), 2, "app.toml:3:11"),
            (resolve(&nothing, &variables, &file), 3, "DUET_WORKERS"),
            (resolve(&nothing, &[("REST_WORKERS", "16")], &file), 16, "REST_WORKERS"),
            (resolve(&nothing, &[("REST_WORKERS", "16"), variables[0]], &file), 3, "DUET_WORKERS"),
            (resolve(&flags, &variables, &file), 4, "--workers"),
        ] {
            let Sourced { value, origin: from } = settings.unwrap().workers;
            assert_eq!((value.get(), from.to_string()), (workers, origin.to_owned()));
        }
    }

    #[test]
    fn defaults() {
        let nothing = GivenSettings::new();
        let settings = resolve(&nothing, &[], &nothing).unwrap();
        assert_eq!(settings.listen.value, [Listen::Tcp("127.0.0.1:8080".into())]);
        assert_eq!(settings.state.value, None);
        assert_eq!(settings.statement_timeout.value, Duration::from_secs(30));
        assert_eq!(settings.answer_bytes.value.0, 64 << 20);
        assert_eq!(NonZeroUsize::get(settings.page_size.value), 25);
    }

    #[test]
    fn wrong_values_name_their_place() {
        let nothing = GivenSettings::new();
        for (result, expected) in [
            (
                resolve(&nothing, &[("DUET_DRAIN_TIMEOUT", "soon")], &nothing),
                "DUET-5001: DUET_DRAIN_TIMEOUT: `drain_timeout` cannot be \"soon\": \
                 use a number and a unit, such as `250ms`, `30s`, `5m` or `1h`.",
            ),
            (
                resolve(&nothing, &[], &file("access_log", "jsn")),
                "DUET-5001: app.toml:3:11: `access_log` cannot be \"jsn\": \
                 use `off`, `text` or `json`. Did you mean `json`?",
            ),
            (
                resolve(&given("workers", "0", Origin::Flag("--workers".into())), &[], &nothing),
                "DUET-5001: --workers: `workers` cannot be \"0\": use a number from 1.",
            ),
        ] {
            assert_eq!(result.unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn near_misses_in_the_environment_are_noticed() {
        let names = ["DUET_WORKER", "DUET_LISTEN", "DUET_TEST_PASSWORD", "PATH", "DUET_CONFIG"];
        let found = doubtful_variables(names.iter().map(|name| (*name).to_owned()));
        assert_eq!(found, [("DUET_WORKER".to_owned(), "DUET_WORKERS".to_owned())]);
    }
}
