//! The effective value of every parameter, and its source.
//!
//! The order of precedence is libpq's: the connection string, the service, the environment.
//! Defaults for missing values apply where they are used. An empty value hides those of later
//! sources and means the default.

use std::collections::BTreeMap;
use std::fmt;

use crate::{Error, Result};

use super::parameters::{self, Support};
use super::service_file;
use super::url::Pair;
use crate::Environment;

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ValueSource {
    Url,
    Service(String),
    Variable(&'static str),
}

impl fmt::Display for ValueSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url => Ok(()),
            Self::Service(name) => write!(f, " (from the service `{name}`)"),
            Self::Variable(name) => write!(f, " (from the variable {name})"),
        }
    }
}

/// Values by parameter. It holds the password, so it is never printed.
pub(crate) struct Values(BTreeMap<&'static str, (String, ValueSource)>);

impl Values {
    /// Collects the values of all sources.
    pub(crate) fn gather(url: Vec<Pair>, environment: Environment<'_>) -> Result<Self> {
        let mut values = Self(BTreeMap::new());
        for (name, text) in url {
            values.0.insert(parameters::find(&name)?.name, (text, ValueSource::Url));
        }
        values.add_service(environment)?;
        for parameter in parameters::ALL {
            let Some(variable) = parameter.variable else { continue };
            if !values.0.contains_key(parameter.name)
                && let Some(text) = environment(variable)
            {
                values.0.insert(parameter.name, (text, ValueSource::Variable(variable)));
            }
        }
        values.refuse()?;
        Ok(values)
    }

    fn add_service(&mut self, environment: Environment<'_>) -> Result<()> {
        let of = |name: &str, variable: &str| match self.0.get(name) {
            Some((text, _)) => Some(text.clone()),
            None => environment(variable),
        };
        let Some(name) = of("service", "PGSERVICE").filter(|name| !name.is_empty()) else {
            return Ok(());
        };
        let file = of("servicefile", "PGSERVICEFILE").filter(|file| !file.is_empty());
        let pairs = service_file::load(&name, file.as_deref(), environment)?;
        // Within the service the first line of a name wins.
        for (parameter, text) in pairs {
            let known = parameters::find(&parameter).map_err(|mut error| {
                error.message.push_str(&format!(" It is in the service `{name}`."));
                error
            })?;
            self.0.entry(known.name).or_insert((text, ValueSource::Service(name.clone())));
        }
        Ok(())
    }

    fn refuse(&self) -> Result<()> {
        for parameter in parameters::ALL {
            if let (Support::Refused(harmless, advice), Some((text, source))) =
                (parameter.support, self.0.get(parameter.name))
                && !harmless.contains(&text.as_str())
            {
                let name = parameter.name;
                let message = format!("`{name}`{source} is not supported. {advice}");
                return Err(Error::parameter(name, message));
            }
        }
        Ok(())
    }

    /// The value, if there is one and it is not empty.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|(text, _)| text.as_str()).filter(|text| !text.is_empty())
    }

    /// The value as an owned text.
    pub(crate) fn owned(&self, name: &str) -> Option<String> {
        self.text(name).map(str::to_owned)
    }

    /// The value as a whole number.
    pub(crate) fn number(&self, name: &str) -> Result<Option<i32>> {
        let number = |text: &str| {
            text.trim().parse().map_err(|_| self.wrong(name, "must be a whole number."))
        };
        self.text(name).map(number).transpose()
    }

    /// The value as one of some words.
    pub(crate) fn choice<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<Option<T>> {
        let Some(text) = self.text(name) else { return Ok(None) };
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return Ok(Some(*value));
        }
        let all: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        Err(self
            .wrong(name, &format!("must be {}.", all.join(", ")))
            .suggest(text, words.iter().map(|(word, _)| *word)))
    }

    /// An error about a parameter: it names the value's source but not the value.
    pub(crate) fn wrong(&self, name: &str, what: &str) -> Error {
        let source = self.0.get(name).map(|(_, source)| source.to_string()).unwrap_or_default();
        Error::parameter(name, format!("`{name}`{source} {what}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<Pair> {
        pairs.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect()
    }

    #[test]
    fn the_url_wins_over_the_service_over_the_environment() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("services");
        let text = "[s]\nuser=service\ndbname=service\ndbname=again\noptions=\n";
        std::fs::write(&file, text).unwrap();
        let environment = |name: &str| match name {
            "PGSERVICEFILE" => Some(file.to_string_lossy().into_owned()),
            "PGSERVICE" => Some("s".into()),
            "PGUSER" | "PGDATABASE" | "PGHOST" | "PGOPTIONS" => Some("variable".into()),
            _ => None,
        };
        let url = pairs(&[("user", "first"), ("user", "url")]);
        let values = Values::gather(url, &environment).unwrap();
        assert_eq!(values.text("user"), Some("url"));
        assert_eq!(values.text("dbname"), Some("service"));
        assert_eq!(values.text("host"), Some("variable"));
        assert_eq!(values.text("options"), None);
        assert_eq!(values.text("port"), None);
    }

    #[test]
    fn unsupported_parameters_are_rejected() {
        let gather = |name: &str, text: &str| {
            Values::gather(pairs(&[(name, text)]), &|_| None).map(drop).map_err(|e| e.message)
        };
        assert!(gather("sslpassword", "x").unwrap_err().contains("unencrypted"));
        assert!(gather("requirepeer", "postgres").unwrap_err().contains("verify-full"));
        assert!(gather("gssencmode", "require").is_err());
        assert!(gather("gssencmode", "prefer").is_ok());
        assert!(gather("replication", "off").is_ok());
        assert!(gather("krbsrvname", "postgres").is_ok());
        let environment = |name: &str| (name == "PGREQUIREPEER").then(|| "x".to_owned());
        let error = Values::gather(Vec::new(), &environment).err().unwrap();
        assert!(
            error.message.starts_with("`requirepeer` (from the variable PGREQUIREPEER) is not")
        );
    }

    #[test]
    fn wrong_values_are_not_repeated() {
        let values =
            Values::gather(pairs(&[("sslmode", "verify_full"), ("port", "hunter2")]), &|_| None);
        let values = values.unwrap();
        let error = values.choice("sslmode", &[("require", 0), ("verify-full", 1)]).unwrap_err();
        assert_eq!(error.message, "`sslmode` must be `require`, `verify-full`.");
        assert_eq!(error.hint.as_deref(), Some("Did you mean `verify-full`?"));
        assert_eq!(values.number("port").unwrap_err().message, "`port` must be a whole number.");
    }
}
