//! What is wrong with the configuration: settings, `app.toml` and its files, and the applications and databases that a
//! server is given. A server answers it where it reads them again, and a command ends with it.

use std::fmt::Display;

use duet_model::{Code, Error, Place};

use crate::command_error::CommandError;

/// The result of reading configuration.
pub(crate) type Result<T, E = ConfigurationError> = std::result::Result<T, E>;

/// The mistakes of an input, at least one.
#[derive(Clone, Debug)]
pub(crate) struct ConfigurationError(Vec<Mistake>);

/// One of them.
#[derive(Clone, Debug)]
struct Mistake {
    kind: MistakeKind,
    message: String,
    hint: Option<String>,
    place: Option<Place>,
    cause: Option<String>,
    /// The settings whose values it is about.
    settings: Vec<String>,
}

/// What a mistake is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MistakeKind {
    /// A value, or several that contradict each other: of a flag, a variable or `app.toml`.
    Setting,
    /// A file, a folder or a socket that cannot be used.
    File,
    /// An application or a database that is not there, or has not what it should have.
    Source,
    /// A file of an application that a request names.
    DesignedFile,
}

impl MistakeKind {
    /// The permanent code.
    fn code(self) -> Code {
        match self {
            Self::Setting | Self::File | Self::Source => Code::Setting,
            Self::DesignedFile => Code::BadRequest,
        }
    }
}

impl ConfigurationError {
    fn of(kind: MistakeKind, message: impl Into<String>) -> Self {
        let message = message.into();
        let (hint, place, cause, settings) = (None, None, None, Vec::new());
        Self(vec![Mistake { kind, message, hint, place, cause, settings }])
    }

    /// A value is wrong.
    pub(crate) fn setting(message: impl Into<String>) -> Self {
        Self::of(MistakeKind::Setting, message)
    }

    /// A file, a folder or a socket cannot be used.
    pub(crate) fn file(message: impl Into<String>) -> Self {
        Self::of(MistakeKind::File, message)
    }

    /// A file that cannot be read.
    pub(crate) fn unreadable(name: &str, why: impl Display) -> Self {
        Self::file(format!("{name} cannot be read: {why}."))
    }

    /// An application or a database is not as it should be.
    pub(crate) fn source(message: impl Into<String>) -> Self {
        Self::of(MistakeKind::Source, message)
    }

    /// A request names a file that it may not, or that cannot be used.
    pub(crate) fn designed_file(message: impl Into<String>) -> Self {
        Self::of(MistakeKind::DesignedFile, message)
    }

    /// All mistakes of an input in one error, if there are any.
    pub(crate) fn all_of(errors: impl IntoIterator<Item = Self>) -> Result<()> {
        let all: Self = errors.into_iter().collect();
        if all.0.is_empty() { Ok(()) } else { Err(all) }
    }

    /// Changes the last mistake.
    fn with(mut self, change: impl FnOnce(&mut Mistake)) -> Self {
        if let Some(mistake) = self.0.last_mut() {
            change(mistake);
        }
        self
    }

    /// Adds a hint.
    #[must_use]
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        self.maybe_hint(Some(hint.into()))
    }

    /// Adds a hint, if there is one.
    #[must_use]
    pub(crate) fn maybe_hint(self, hint: Option<String>) -> Self {
        self.with(|mistake| mistake.hint = hint.or(mistake.hint.take()))
    }

    /// Sets the position in the input.
    #[must_use]
    pub(crate) fn at(self, place: Place) -> Self {
        self.with(|mistake| mistake.place = Some(place))
    }

    /// Adds the cause, which no client sees.
    #[must_use]
    pub(crate) fn cause(self, cause: impl Display) -> Self {
        self.with(|mistake| mistake.cause = Some(cause.to_string()))
    }

    /// Names settings whose values the last mistake is about.
    #[must_use]
    pub(crate) fn about(self, names: &[&str]) -> Self {
        self.with(|mistake| mistake.settings.extend(names.iter().map(|name| (*name).to_owned())))
    }

    /// Leaves out the mistakes that are about one of these settings.
    #[must_use]
    pub(crate) fn not_about(mut self, names: &[&str]) -> Self {
        self.0
            .retain(|mistake| mistake.settings.iter().all(|name| !names.contains(&name.as_str())));
        self
    }

    /// The first mistake, with a hint to what explains the others.
    #[must_use]
    pub(crate) fn first(mut self) -> Self {
        let more = self.0.len().saturating_sub(1);
        self.0.truncate(1);
        if more == 0 {
            return self;
        }
        let others = format!("`duet check` explains this and {more} more.");
        self.with(|mistake| {
            let hint = mistake.hint.take().map(|hint| hint + " ").unwrap_or_default();
            mistake.hint = Some(hint + &others);
        })
    }

    /// Each mistake as an error.
    pub(crate) fn into_errors(self) -> Vec<Error> {
        self.0.into_iter().map(Error::from).collect()
    }
}

impl FromIterator<Self> for ConfigurationError {
    fn from_iter<I: IntoIterator<Item = Self>>(errors: I) -> Self {
        Self(errors.into_iter().flat_map(|error| error.0).collect())
    }
}

impl From<Mistake> for Error {
    fn from(mistake: Mistake) -> Self {
        let Mistake { kind, message, hint, place, cause, settings: _ } = mistake;
        let mut error = Self::new(kind.code(), message).maybe_hint(hint);
        (error.place, error.cause) = (place, cause.map(Into::into));
        error
    }
}

impl From<ConfigurationError> for Error {
    fn from(error: ConfigurationError) -> Self {
        Self::all_of(error.into_errors()).unwrap_or_else(|| Self::internal("no mistake"))
    }
}

impl From<ConfigurationError> for CommandError {
    fn from(error: ConfigurationError) -> Self {
        Error::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_keep_their_codes() {
        let code = |error: ConfigurationError| Error::from(error).code.as_str();
        assert_eq!(code(ConfigurationError::setting("It.")), "DUET-5001");
        assert_eq!(code(ConfigurationError::file("It.")), "DUET-5001");
        assert_eq!(code(ConfigurationError::source("It.")), "DUET-5001");
        assert_eq!(code(ConfigurationError::designed_file("It.")), "DUET-1006");
    }

    #[test]
    fn hints_places_and_causes_are_kept() {
        let place = Place::in_file("app.toml", 3, 1);
        let error = ConfigurationError::unreadable("a.sql", "it is a folder").at(place.clone());
        let error = Error::from(error.hint("Name a file.").maybe_hint(None).cause("EISDIR"));
        assert_eq!(error.message, "a.sql cannot be read: it is a folder.");
        assert_eq!(error.hint.as_deref(), Some("Name a file."));
        assert_eq!((error.place, error.cause.as_deref()), (Some(place), Some("EISDIR")));
    }

    #[test]
    fn an_input_has_several_mistakes() {
        let one = |text| ConfigurationError::setting(text).hint("Right it.");
        let two = ConfigurationError::all_of(["A.", "B."].map(one)).unwrap_err();
        let all = ConfigurationError::all_of([two, one("C.")]).unwrap_err();
        let error = Error::from(all.clone());
        let messages: Vec<&str> = error.mistakes().map(|error| &*error.message).collect();
        assert_eq!(messages, ["A.", "B.", "C."]);
        let first = Error::from(all.first());
        assert_eq!(
            first.to_string(),
            "DUET-5001: A. Right it. `duet check` explains this and 2 more."
        );
        assert!(first.others().is_empty());
        assert!(ConfigurationError::all_of([]).is_ok());
    }
}
