//! The values of a service's parameters: from its path, its query and its body, checked against their limits.

use std::sync::Arc;

use duet_document::{MISTAKES, typed_value};
use duet_model::key::{ValueError, parse_text, percent_decode};
use duet_model::row_tree::pointer;
use duet_model::{Code, Error, Place, Result, Value};
use duet_text::decimal::Decimal;
use duet_text::json::body::Body;
use duet_text::json::{Json, JsonKind};
use duet_text::name;
use duet_text::problem::{did_you_mean, quoted};

use super::file::{ServiceFile, ServiceParameter, ValueLimits};
use super::items;
use super::refusal::wrong;
use crate::parameters::Parameters;

/// The values of the parameters that a path has, by name.
pub type PathValues<'a> = Vec<(&'a str, String)>;

impl ServiceFile {
    /// The parameters that its path does not have.
    pub fn beside_path(&self) -> impl Iterator<Item = &ServiceParameter> {
        let in_path = |name: &str| self.path.parameters().any(|other| other == name);
        self.parameters.iter().filter(move |parameter| !in_path(&parameter.name))
    }

    /// The parameters of a query string.
    ///
    /// # Errors
    /// For those that it does not know, unless it ignores them.
    pub fn query<'q>(&self, query: Option<&'q str>) -> Result<Parameters<'q>> {
        let names: Vec<&str> = self.beside_path().map(|own| own.name.as_str()).collect();
        match self.ignores_unknown {
            true => Ok(Parameters::of_known(query, &names)),
            false => Parameters::parse(query, &names),
        }
    }

    /// The values of all parameters where they come with the path and the query.
    ///
    /// # Errors
    /// [`Code::BadParameter`] for one that is missing or does not fit, [`Code::OutsideLimits`] for a value
    /// outside of its limits.
    pub fn arguments_of_texts(
        &self,
        path: &PathValues<'_>,
        query: &Parameters<'_>,
    ) -> Result<Arc<[Value]>> {
        let value = |parameter: &ServiceParameter| {
            let in_path = path.iter().find(|(name, _)| *name == parameter.name);
            let text = match in_path {
                Some((_, text)) => Some(text.clone()),
                None => query.text(&parameter.name)?,
            };
            parameter.of_text(text.as_deref(), in_path.is_some())
        };
        self.parameters.iter().map(value).collect()
    }

    /// The values of all parameters where the others come with a body: a JSON object.
    ///
    /// # Errors
    /// All mistakes of the body, with their places.
    pub fn arguments_of_body(&self, path: &PathValues<'_>, body: &Body) -> Result<Arc<[Value]>> {
        let json = body.json();
        let JsonKind::Object(members) = &json.kind else {
            let message = format!("The body must be an object, not {}.", json.kind.noun());
            return Err(wrong(Code::MemberValue, "", message));
        };
        let mut mistakes = Vec::new();
        for member in members.iter().filter(|_| !self.ignores_unknown) {
            let known = |parameter: &&ServiceParameter| parameter.name == member.name;
            if mistakes.len() < MISTAKES && self.beside_path().find(known).is_none() {
                mistakes.push(self.unknown(&member.name));
            }
        }
        let mut values = Vec::with_capacity(self.parameters.len());
        for parameter in &self.parameters {
            let value = match path.iter().find(|(name, _)| *name == parameter.name) {
                Some((_, text)) => parameter.of_text(Some(text), true),
                None => {
                    let member = members.iter().find(|member| member.name == parameter.name);
                    parameter.of_json(member.map(|member| &member.value), "", self.ignores_unknown)
                }
            };
            match value {
                Ok(value) => values.push(value),
                Err(mistake) if mistakes.len() < MISTAKES => mistakes.push(mistake),
                Err(_) => {}
            }
        }
        // That of a list may be several.
        let mistakes = mistakes.iter().flat_map(Error::mistakes).cloned().collect();
        Error::all_of(mistakes).map_or(Ok(values.into()), Err)
    }

    fn unknown(&self, given: &str) -> Error {
        let names = self.beside_path().map(|parameter| parameter.name.as_str());
        let message = format!("{} has no parameter {}.", self.name, quoted(given));
        let error = wrong(Code::UnknownMember, &pointer("", given), message);
        error.maybe_hint(name::nearest(given, names).map(did_you_mean))
    }
}

impl ServiceParameter {
    fn of_text(&self, text: Option<&str>, in_path: bool) -> Result<Value> {
        let place = || Place::Parameter(self.name.clone());
        let code = if in_path { Code::BadKey } else { Code::BadParameter };
        let Some(text) = text else { return self.absent().map_err(|error| error.at(place())) };
        let value = parse_text(&self.ty, text).map_err(|problem| {
            let expected = match problem {
                ValueError::Nul => "text without the NUL character".into(),
                ValueError::Form(expected) => expected,
            };
            Error::new(code, format!("`{}` must be {expected}.", self.name)).at(place())
        })?;
        self.limits.check(&self.name, value).map_err(|error| error.at(place()))
    }

    /// Its value as a member of the object at the pointer `below`.
    pub(super) fn of_json(
        &self,
        json: Option<&Json<'_>>,
        below: &str,
        ignores_unknown: bool,
    ) -> Result<Value> {
        let at = pointer(below, &self.name);
        let Some(json) = json else {
            return self.absent().map_err(|mut error| {
                error.code = Code::MissingMember;
                error.at(Place::Pointer(at))
            });
        };
        if let (Some(members), false) = (&self.items, json.is_null()) {
            return items::array_of(self, members, json, &at, ignores_unknown);
        }
        let value = typed_value(&self.ty, json).map_err(|expected| {
            wrong(Code::MemberValue, &at, format!("{} must be {expected}.", quoted(&self.name)))
        })?;
        if value.is_null() && !self.optional {
            let message = format!("{} must not be null.", quoted(&self.name));
            return Err(wrong(Code::MemberValue, &at, message));
        }
        self.limits.check(&self.name, value).map_err(|error| error.at(Place::Pointer(at)))
    }

    fn absent(&self) -> Result<Value> {
        match (&self.default, self.optional) {
            (Some(value), _) => Ok(value.clone()),
            (None, true) => Ok(Value::Null),
            (None, false) => {
                let message = format!("The parameter {} is missing.", quoted(&self.name));
                Err(Error::new(Code::BadParameter, message))
            }
        }
    }
}

impl ValueLimits {
    /// The value, where it is within the limits; NULL is.
    ///
    /// # Errors
    /// [`Code::OutsideLimits`] otherwise, with the limit.
    pub fn check(&self, name: &str, value: Value) -> Result<Value> {
        let refused = |limit: String| {
            Err(Error::new(Code::OutsideLimits, format!("{} must {limit}.", quoted(name))))
        };
        if let Value::Text(text) = &value {
            let length = text.chars().count() as u64;
            match (self.min_length, self.max_length) {
                (Some(1), _) if length == 0 => return refused("not be empty".to_owned()),
                (Some(least), _) if length < least => {
                    return refused(format!("have at least {least} characters"));
                }
                (_, Some(most)) if length > most => {
                    return refused(format!("have at most {most} characters"));
                }
                _ => {}
            }
        }
        if let Some(below) = self.minimum.filter(|least| is_less(&value, *least)) {
            return refused(format!("be at least {below}"));
        }
        if let Some(above) = self.maximum.filter(|most| is_more(&value, *most)) {
            return refused(format!("be at most {above}"));
        }
        if !self.values.is_empty() && !value.is_null() && !self.lists(&value.to_string()) {
            return refused(format!("be one of {}", self.values.join(", ")));
        }
        Ok(value)
    }

    /// Whether a text is one of the only values.
    fn lists(&self, text: &str) -> bool {
        match self.ignore_case {
            true => self.values.iter().any(|one| one.to_lowercase() == text.to_lowercase()),
            false => self.values.iter().any(|one| one == text),
        }
    }
}

fn is_less(value: &Value, bound: i64) -> bool {
    compared(value, bound).is_some_and(std::cmp::Ordering::is_lt)
}

fn is_more(value: &Value, bound: i64) -> bool {
    compared(value, bound).is_some_and(std::cmp::Ordering::is_gt)
}

/// A number compared with a bound; decimals are texts.
fn compared(value: &Value, bound: i64) -> Option<std::cmp::Ordering> {
    match value {
        Value::Int(number) => Some(number.cmp(&bound)),
        Value::Float(number) => number.partial_cmp(&(bound as f64)),
        Value::Text(text) => Some(Decimal::parse(text)?.cmp(&Decimal::parse(&bound.to_string())?)),
        _ => None,
    }
}

/// The query of a request without the parameters of a service, for what pages take.
pub fn given_by_query<'q>(
    file: &ServiceFile,
    query: Option<&'q str>,
) -> (Vec<&'q str>, Vec<&'q str>) {
    let is_own = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or("");
        let name = percent_decode(name).unwrap_or_default();
        file.beside_path().any(|parameter| parameter.name == name)
    };
    query.unwrap_or("").split('&').filter(|pair| !pair.is_empty()).partition(is_own)
}
