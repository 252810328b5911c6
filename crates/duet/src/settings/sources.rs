//! The sources of settings: a flag wins over the environment, the environment over `app.toml`, `app.toml` over the default.

use std::collections::BTreeMap;

use duet_text::name;

use super::origin::{GivenTexts, Origin, Sourced};
use super::setting::Setting;
use super::value::Value;
use crate::configuration_error::{ConfigurationError, Result};

/// Values by the name of their setting.
pub(crate) type GivenSettings = BTreeMap<&'static str, GivenTexts>;

/// The process environment, or that of a test.
pub(crate) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The sources of settings.
pub(crate) struct Sources<'a> {
    /// The command line.
    pub(crate) flags: &'a GivenSettings,
    /// The environment.
    pub(crate) environment: Environment<'a>,
    /// The content of `app.toml`.
    pub(crate) file: &'a GivenSettings,
}

impl Sources<'_> {
    /// The effective texts of a setting.
    pub(super) fn given(&self, setting: &Setting) -> GivenTexts {
        let flag = self.flags.get(setting.name).cloned();
        let variable = || {
            let mut names = setting.variables();
            let named = names.find_map(|name| Some(((self.environment)(&name)?, name)));
            let (text, name) = named?;
            Some(GivenTexts { value: vec![text], origin: Origin::Environment(name) })
        };
        let file = || self.file.get(setting.name).cloned();
        let default =
            || GivenTexts { value: vec![setting.default.to_owned()], origin: Origin::Default };
        flag.or_else(variable).or_else(file).unwrap_or_else(default)
    }

    /// The value of a setting.
    pub(super) fn take<T: Value>(&self, setting: &Setting) -> Result<Sourced<T>> {
        let GivenTexts { value: texts, origin } = self.given(setting);
        match T::read_all(&texts) {
            Ok(value) => Ok(Sourced { value, origin }),
            Err(why) => Err(wrong(setting, &texts, &origin, &why)),
        }
    }
}

/// The error of an invalid value.
pub(super) fn wrong(
    setting: &Setting,
    texts: &[String],
    origin: &Origin,
    why: &str,
) -> ConfigurationError {
    let shown = texts.join(", ");
    let message = format!("{origin}: `{}` cannot be {shown:?}: {why}.", setting.name);
    let nearest = name::nearest(&shown, setting.words.iter().copied());
    ConfigurationError::setting(message)
        .about(&[setting.name])
        .maybe_hint(nearest.map(|near| format!("Did you mean `{near}`?")))
}
