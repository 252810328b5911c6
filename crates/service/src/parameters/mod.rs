//! The query string of a request: known parameters only, each at most once.

mod declaration;
pub mod declared;
pub mod load;

use std::borrow::Cow;
use std::time::Duration;

use duet_document::MISTAKES;
use duet_model::key::percent_decode;
use duet_model::{Code, Error, Place, ProfileRef, Result};
use duet_text::name;

use declared::{EXPLAIN, EXPLAIN_PAGE, Q};

/// The longest wait that a request may ask for, in seconds.
const LONGEST_WAIT: u64 = 60;

/// What is done with parameters that a request does not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownParameters {
    /// They are mistakes.
    Refused,
    /// They are passed over.
    Ignored,
}

/// What is explained of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageExplain {
    /// The plan.
    Plan,
    /// And the database's own, with its estimates.
    Estimated,
    /// The same with what was measured: its statement runs.
    Measured,
}

impl UnknownParameters {
    /// By a profile.
    pub fn of(profile: ProfileRef) -> Self {
        match profile.ignores_unknown_parameters() {
            true => Self::Ignored,
            false => Self::Refused,
        }
    }
}

/// The mistakes of an input, which are said together.
#[derive(Debug, Default)]
pub struct Mistakes(Vec<Error>);

impl Mistakes {
    /// The value, or an empty one where it is a mistake.
    pub fn value<T: Default>(&mut self, read: Result<T>) -> T {
        read.unwrap_or_else(|error| {
            self.add(error);
            T::default()
        })
    }

    /// Adds one, as far as people read on.
    pub fn add(&mut self, error: Error) {
        if self.0.len() < MISTAKES {
            self.0.push(error);
        }
    }

    /// The value that was read.
    ///
    /// # Errors
    /// All mistakes, if there are any.
    pub fn or<T>(self, read: T) -> Result<T> {
        Error::all_of(self.0).map_or(Ok(read), Err)
    }
}

/// A query string as pairs, names decoded, values as they came.
#[derive(Debug, Default)]
pub struct Parameters<'a> {
    pairs: Vec<(String, &'a str)>,
}

impl<'a> Parameters<'a> {
    /// Reads a query string.
    ///
    /// # Errors
    /// For a name that is not among `known`, or comes twice.
    pub fn parse(query: Option<&'a str>, known: &[&str]) -> Result<Self> {
        Self::read(query, known, UnknownParameters::Refused)
    }

    /// Reads a query string that may have other parameters than `known`.
    ///
    /// # Errors
    /// For names that come twice, and for unknown ones that are refused.
    pub fn read(query: Option<&'a str>, known: &[&str], others: UnknownParameters) -> Result<Self> {
        let mut mistakes = Mistakes::default();
        let read = Self::noting(query, known, others, &mut mistakes);
        mistakes.or(read)
    }

    /// The same where mistakes of the values are said with those of the names.
    pub(crate) fn noting(
        query: Option<&'a str>,
        known: &[&str],
        others: UnknownParameters,
        mistakes: &mut Mistakes,
    ) -> Self {
        let mut pairs: Vec<(String, &'a str)> = Vec::new();
        let mut twice: Vec<String> = Vec::new();
        for pair in query.unwrap_or("").split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = match percent_decode(name) {
                Ok(name) => name,
                Err(error) => {
                    mistakes.add(error);
                    continue;
                }
            };
            if !known.contains(&name.as_str()) {
                if others == UnknownParameters::Refused {
                    mistakes.add(unknown(&name, known));
                }
            } else if pairs.iter().all(|(other, _)| *other != name) {
                pairs.push((name, value));
            } else if !twice.contains(&name) {
                mistakes.add(bad(&name, format!("The parameter `{name}` is given twice.")));
                twice.push(name);
            }
        }
        Self { pairs }
    }

    /// Those among `known`, whatever else a query string has; the first of several of a name.
    pub fn of_known(query: Option<&'a str>, known: &[&str]) -> Self {
        let mut pairs: Vec<(String, &'a str)> = Vec::new();
        for pair in query.unwrap_or("").split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let Ok(name) = percent_decode(name) else { continue };
            let is_new = pairs.iter().all(|(other, _)| *other != name);
            if known.contains(&name.as_str()) && is_new {
                pairs.push((name, value));
            }
        }
        Self { pairs }
    }

    /// The others.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        let others = self.pairs.iter().filter(|(known, _)| known != name);
        Self { pairs: others.cloned().collect() }
    }

    /// The value as it came, still encoded.
    pub fn raw(&self, name: &str) -> Option<&'a str> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// The value, decoded; `+` is a space, as forms have it.
    ///
    /// # Errors
    /// Where it is not percent-encoded UTF-8.
    pub fn text(&self, name: &str) -> Result<Option<String>> {
        let Some(raw) = self.raw(name) else { return Ok(None) };
        let spaced: Cow<'_, str> =
            if raw.contains('+') { raw.replace('+', " ").into() } else { raw.into() };
        let at = |error: Error| error.at(Place::Parameter(name.to_owned()));
        percent_decode(&spaced).map(Some).map_err(at)
    }

    /// Whether `explain` requests the plan.
    ///
    /// # Errors
    /// For other values than 1 and 0.
    pub fn explain(&self) -> Result<bool> {
        match self.text(EXPLAIN.name)?.as_deref() {
            None | Some("0" | "false") => Ok(false),
            Some("" | "1" | "true") => Ok(true),
            Some(_) => Err(bad(EXPLAIN.name, EXPLAIN.error.to_owned())),
        }
    }

    /// Whether `explain` requests the plan of a page, and what the database says of it.
    ///
    /// # Errors
    /// For other values than 0, 1, `plan` and `analyze`.
    pub fn explain_of_page(&self) -> Result<Option<PageExplain>> {
        match self.text(EXPLAIN.name)?.as_deref() {
            Some("plan") => Ok(Some(PageExplain::Estimated)),
            Some("analyze") => Ok(Some(PageExplain::Measured)),
            None | Some("0" | "false") => Ok(None),
            Some("" | "1" | "true") => Ok(Some(PageExplain::Plan)),
            Some(_) => Err(bad(EXPLAIN.name, EXPLAIN_PAGE.error.to_owned())),
        }
    }

    /// The value of a parameter that says how long to wait: whole seconds, at most a minute.
    ///
    /// # Errors
    /// [`Code::BadParameter`] for anything else.
    pub fn wait(&self, name: &str) -> Result<Option<Duration>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match text.parse::<u64>() {
            Ok(seconds) if seconds <= LONGEST_WAIT => Ok(Some(Duration::from_secs(seconds))),
            _ => {
                let message =
                    format!("`{name}` is a whole number of seconds, at most {LONGEST_WAIT}.");
                Err(Error::new(Code::BadParameter, message).at(Place::Parameter(name.to_owned())))
            }
        }
    }

    /// The value as a whole number that is not negative and has 63 bits at most.
    ///
    /// # Errors
    /// Where it is none.
    pub fn number(&self, name: &str) -> Result<Option<u64>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let number = whole_number(&text);
        number.map(Some).map_err(|must| bad(name, format!("The parameter `{name}` {must}.")))
    }
}

/// Reads a number that counts documents: the databases have no larger ones.
///
/// # Errors
/// What it must be, as the end of a sentence.
pub fn whole_number(text: &str) -> Result<u64, String> {
    let number = text.parse::<u64>().ok().filter(|number| i64::try_from(*number).is_ok());
    number.ok_or_else(|| format!("must be a whole number from 0 to {}", i64::MAX))
}

/// For users of services where each column is a parameter.
const FILTER: &str = " A filter by a column goes into `q`, such as q={\"name\":\"A\"}.";

/// Only writes are explained over HTTP.
const OF_READS: &str = "Writes take it. The command `duet explain` shows the statements of a read.";

fn unknown(name: &str, known: &[&str]) -> Error {
    let shown: String = name.chars().take(64).collect();
    let nearest = name::nearest(name, known.iter().copied()).filter(|_| name != EXPLAIN.name);
    let hint = match nearest {
        None if name == EXPLAIN.name => OF_READS.to_owned(),
        Some(nearest) => format!("Did you mean `{nearest}`?"),
        None if known.is_empty() => "This resource takes none.".to_owned(),
        None => {
            let filter = if known.contains(&Q.name) { FILTER } else { "" };
            format!("It takes {}.{filter}", known.join(", "))
        }
    };
    bad(&shown, format!("There is no parameter {shown:?} here.")).hint(hint)
}

pub(crate) fn bad(name: &str, message: String) -> Error {
    Error::new(Code::BadParameter, message).at(Place::Parameter(name.to_owned()))
}
