//! Resolves settings as far as they are known: a value that is none hides no other mistake but those that depend on it.

use super::check::check;
use super::origin::{GivenTexts, Origin};
use super::setting::Setting;
use super::sources::{GivenSettings, Sources, wrong};
use super::table::{Settings, TABLE};
use crate::configuration_error::{ConfigurationError, Result};

/// Settings as far as they are known.
pub(crate) struct KnownSettings {
    /// The settings; one without a known value has its default.
    pub(crate) settings: Settings,
    /// The names of those without a known value.
    pub(crate) unknown: Vec<&'static str>,
    /// All values that are none, and all that contradict each other.
    pub(crate) mistakes: Vec<ConfigurationError>,
}

impl Settings {
    /// Resolves every setting, and checks them against each other.
    ///
    /// # Errors
    /// `Setting` for all values that are none, and all that contradict each other.
    pub(crate) fn resolve(sources: &Sources<'_>) -> Result<Self> {
        let KnownSettings { settings, mistakes, .. } = Self::known(sources, &[])?;
        ConfigurationError::all_of(mistakes)?;
        Ok(settings)
    }

    /// The same with all mistakes. `unreadable` names the settings whose value in the file is none, which is said
    /// elsewhere. What depends on a value that is none is not checked.
    ///
    /// # Errors
    /// If a default is no value.
    pub(crate) fn known(
        sources: &Sources<'_>,
        unreadable: &[&'static str],
    ) -> Result<KnownSettings> {
        let mut unknown = of_file(sources, unreadable);
        let mut mistakes = Vec::new();
        for setting in TABLE {
            let GivenTexts { value: texts, origin } = sources.given(setting);
            if let Err(why) = (setting.check)(&texts) {
                unknown.push(setting.name);
                mistakes.push(wrong(setting, &texts, &origin, &why));
            }
        }
        let mut settings = without(sources, &unknown)?;
        settings.fit_connections();
        mistakes.extend(check(&settings).err().map(|all| all.not_about(&unknown)));
        Ok(KnownSettings { settings, unknown, mistakes })
    }
}

/// Those of these settings that nothing gives but the file.
fn of_file(sources: &Sources<'_>, names: &[&'static str]) -> Vec<&'static str> {
    let is_given = |setting: &&Setting| {
        matches!(sources.given(setting).origin, Origin::Environment(_) | Origin::Flag(_))
    };
    let settings = TABLE.iter().filter(|setting| names.contains(&setting.name));
    settings.filter(|setting| !is_given(setting)).map(|setting| setting.name).collect()
}

/// Every setting, those of these names with their defaults.
fn without(sources: &Sources<'_>, names: &[&str]) -> Result<Settings> {
    let known = |given: &GivenSettings| {
        let mut given = given.clone();
        given.retain(|name, _| !names.contains(name));
        given
    };
    let left_out = TABLE.iter().filter(|setting| names.contains(&setting.name));
    let variables: Vec<String> = left_out.flat_map(Setting::variables).collect();
    let environment = |name: &str| match variables.iter().any(|variable| variable == name) {
        true => None,
        false => (sources.environment)(name),
    };
    let (flags, file) = (known(sources.flags), known(sources.file));
    Settings::from_sources(&Sources { flags: &flags, environment: &environment, file: &file })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(pairs: &[(&'static str, &str)]) -> GivenSettings {
        let texts = |(name, text): &(&'static str, &str)| {
            let origin = Origin::Flag(format!("--{name}"));
            (*name, GivenTexts { value: vec![(*text).to_owned()], origin })
        };
        pairs.iter().map(texts).collect()
    }

    /// All mistakes that can be known are said at once: a contradiction is left out where it depends on a value that
    /// is none.
    #[test]
    fn wrong_values_hide_no_contradictions() {
        let flags = given(&[
            ("workers", "many"),
            ("max_page_size", "0"),
            ("page_size", "900"),
            ("db_connections", "1"),
            ("tls_cert", "c"),
            ("queue_timeout", "0s"),
            ("schema_poll", "0s"),
        ]);
        let file = GivenSettings::new();
        let sources = Sources { flags: &flags, environment: &|_| None, file: &file };
        let error: duet_model::Error = Settings::resolve(&sources).unwrap_err().into();
        let about = |error: &duet_model::Error| error.message.split('`').nth(1).map(str::to_owned);
        let mut names: Vec<_> = error.mistakes().filter_map(about).collect();
        names.sort();
        // 900 is above the default of `max_page_size`, and 1 is enough for the default of `workers`.
        let expected = ["max_page_size", "queue_timeout", "schema_poll", "tls_cert", "workers"];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_variable_over_an_unreadable_value_of_the_file_is_known() {
        let (nothing, environment) = (GivenSettings::new(), |name: &str| {
            (name == "DUET_MAX_PAGE_SIZE").then(|| "10".to_owned())
        });
        let sources = Sources { flags: &nothing, environment: &environment, file: &nothing };
        let known = Settings::known(&sources, &["max_page_size", "workers"]).unwrap();
        assert_eq!(
            (known.unknown, known.settings.max_page_size.value.get()),
            (vec!["workers"], 10)
        );
        let error: duet_model::Error = known.mistakes[0].clone().into();
        assert!(error.message.contains("`page_size` cannot be 25"), "{error}");
    }
}
