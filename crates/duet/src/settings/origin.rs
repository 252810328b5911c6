//! The source of a value: people must find the place to change it.

use std::fmt;

use crate::configuration_error::ConfigurationError;

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// None: it is the default.
    Default,
    /// A settings file, with line and column from 1.
    File {
        /// The file's name.
        file: String,
        /// The line.
        line: usize,
        /// The column, in characters.
        column: usize,
    },
    /// An environment variable.
    Environment(String),
    /// A flag or argument.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { file, line, column } => write!(f, "{file}:{line}:{column}"),
            Self::Environment(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// A value and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sourced<T> {
    /// The value.
    pub(crate) value: T,
    /// Its source.
    pub(crate) origin: Origin,
}

/// The texts given for one setting, and their source.
pub(crate) type GivenTexts = Sourced<Vec<String>>;

/// The error of a value that a rule between settings forbids.
pub(super) fn refused(
    name: &str,
    value: impl fmt::Display,
    origin: &Origin,
    why: &str,
) -> ConfigurationError {
    let message = format!("{origin}: `{name}` cannot be {value}: {why}.");
    ConfigurationError::setting(message).about(&[name])
}
