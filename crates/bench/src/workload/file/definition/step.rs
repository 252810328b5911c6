//! The data model of a step: a request, a statement, or what decides whether and how often others run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::scalar::{OneOrMore, Scalar};

/// A request or a statement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Step {
    /// A method and a path: `GET /path/${id}`.
    pub request: Option<String>,
    /// Header fields of the request.
    pub headers: BTreeMap<String, String>,
    /// The request's content.
    pub body: Option<String>,
    /// Which redirects of the request are followed.
    pub follow: Follow,
    /// A statement, with `$1`, `$2` … for its parameters.
    pub sql: Option<String>,
    /// The statement's parameters.
    pub params: Vec<Scalar>,
    /// The checks of the response.
    pub check: ResponseCheck,
    /// The captures from the response, by the names that placeholders use.
    pub capture: BTreeMap<String, Capture>,
    /// A pause before the step: `50ms`, or `20ms..100ms`; part of neither clock.
    pub pause: Option<String>,
    /// Pauses before the step that are computed for each pass; part of neither clock.
    pub wait: Vec<Wait>,
    /// A request to any address, put together from its parts.
    pub http: Option<Http>,
    /// What an `http` step does with its response, in order, before its checks.
    pub after: Vec<After>,
    /// In groups, the name under which the step is measured.
    pub name: Option<String>,
    /// Values that the user sets.
    pub set: BTreeMap<String, Scalar>,
    /// Values that it sets for all users.
    pub share: BTreeMap<String, Scalar>,
    /// The steps in it.
    pub step: Vec<Step>,
    /// The steps where the condition of `if` does not hold.
    #[serde(rename = "else")]
    pub otherwise: Vec<Step>,
    /// How often they run: a number, or `forever`.
    #[serde(rename = "loop")]
    pub times: Option<Scalar>,
    /// The condition under which they run.
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// They run again while this condition holds.
    #[serde(rename = "while")]
    pub during: Option<String>,
    /// Whether the condition of `while` is also computed behind each pass, as JMeter does.
    pub check_twice: bool,
    /// They run for each of several values.
    pub each: Option<Each>,
    /// They run in the user's first iteration only.
    pub once: bool,
    /// With `once`: in the first pass of the loop around them, each time that it runs, as JMeter does.
    pub once_again: bool,
    /// They run in some of the passes only.
    pub limit: Option<Limit>,
    /// One of them runs in each pass.
    pub choose: Option<Choose>,
    /// They are measured together under this name.
    pub measure: Option<String>,
    /// Whether pauses count in the time of `measure`.
    pub pauses: bool,
    /// Whether the steps in `measure` are not measured themselves.
    pub whole: bool,
    /// Where the user goes on.
    pub go: Option<Go>,
    /// They run again until so many seconds have passed, which is looked at before each of them.
    pub for_seconds: Option<Scalar>,
}

impl Step {
    /// The keys that are given and belong to requests and statements alone.
    pub fn of_calls(&self) -> Vec<&'static str> {
        let given = [
            ("headers", !self.headers.is_empty()),
            ("body", self.body.is_some()),
            ("follow", self.follow != Follow::default()),
            ("params", !self.params.is_empty()),
            ("check", self.check != ResponseCheck::default()),
            ("capture", !self.capture.is_empty()),
            ("pause", self.pause.is_some()),
            ("after", !self.after.is_empty()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }

    /// The names of the keys that are given, of which one is allowed.
    pub fn kinds(&self) -> Vec<&'static str> {
        let given = [
            ("loop", self.times.is_some()),
            ("if", self.condition.is_some()),
            ("while", self.during.is_some()),
            ("for_seconds", self.for_seconds.is_some()),
            ("each", self.each.is_some()),
            ("once", self.once),
            ("limit", self.limit.is_some()),
            ("choose", self.choose.is_some()),
            ("measure", self.measure.is_some()),
            ("go", self.go.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }
}

/// The checks of a response.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
// Messages about files name it so.
#[serde(default, deny_unknown_fields, rename = "Check")]
pub struct ResponseCheck {
    /// The allowed statuses. By default any below 400.
    pub status: Option<OneOrMore<u16>>,
    /// Header fields: their value, `true` if they must be present, `false` if they must be absent.
    pub header: BTreeMap<String, Scalar>,
    /// Texts that the content must contain.
    pub contains: Option<OneOrMore<String>>,
    /// Values by their JSON pointers (RFC 6901).
    pub json: BTreeMap<String, Scalar>,
    /// The number of rows returned or changed: a number, or the minimum and the maximum.
    pub rows: Option<OneOrMore<u64>>,
    /// The first column of the first row.
    pub value: Option<Scalar>,
    /// Texts of the response, for requests.
    pub text: Vec<TextCheck>,
    /// The longest time of the request, in milliseconds; of several, each.
    pub within_ms: Option<OneOrMore<Scalar>>,
    /// Whether every status is right.
    pub any_status: bool,
}

/// A capture from a response: one of these.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Capture {
    /// A JSON pointer.
    pub json: Option<String>,
    /// The JSON pointer of a value in each item of the array at `json`: all of them are captured.
    pub each: Option<String>,
    /// A header field.
    pub header: Option<String>,
    /// The text after this one …
    pub after: Option<String>,
    /// … and before this one.
    pub before: Option<String>,
    /// A column of the first row.
    pub column: Option<String>,
    /// A JSON path: `$.items[*].id`.
    pub path: Option<String>,
    /// An expression of JMESPath: `items[].id`.
    pub jmes: Option<String>,
    /// A selector of CSS, of elements of a page of HTML: `input[name=csrf]`.
    pub css: Option<String>,
    /// The attribute of these elements; their text without one.
    pub attribute: Option<String>,
    /// A regular expression.
    pub regex: Option<String>,
    /// The part of the response that the regular expression reads.
    pub of: Option<Part>,
    /// The text to capture of a match: `$1$` is its first group.
    pub template: Option<String>,
    /// Which match: from 1 on, `0` for any, `-1` for all, as `NAME_1`, `NAME_2` … and `NAME_matchNr`.
    pub nth: Option<i64>,
    /// The value where nothing is found.
    pub default: Option<String>,
    /// Whether the value stays where nothing is found.
    pub keep: bool,
    /// Whether all matches are joined by commas as `NAME_ALL`.
    pub joined: bool,
    /// The name of a value that is read instead of a part.
    pub value: Option<String>,
}

impl Capture {
    /// The keys that are given and belong to paths, selectors and regular expressions alone.
    pub(crate) fn of_extractors(&self) -> Vec<&'static str> {
        let given = [
            ("attribute", self.attribute.is_some()),
            ("of", self.of.is_some()),
            ("template", self.template.is_some()),
            ("nth", self.nth.is_some()),
            ("default", self.default.is_some()),
            ("keep", self.keep),
            ("joined", self.joined),
            ("value", self.value.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }
}

/// How long cookies are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeepCookies {
    /// As long as the user runs.
    #[serde(rename = "keep")]
    Keep,
    /// For one iteration.
    #[serde(rename = "each iteration")]
    EachIteration,
}

/// Where a user goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Go {
    /// With the next step.
    #[default]
    #[serde(rename = "on")]
    On,
    /// With the next pass of the innermost loop.
    #[serde(rename = "next pass")]
    NextPass,
    /// Behind the innermost loop.
    #[serde(rename = "leave loop")]
    LeaveLoop,
    /// With the next iteration of the group.
    #[serde(rename = "next iteration")]
    NextIteration,
    /// Nowhere: the user ends.
    #[serde(rename = "end user")]
    EndUser,
    /// Nowhere: all users end. Groups of teardown still run.
    #[serde(rename = "end run")]
    EndRun,
}

/// The values of `each`: those of `NAME_1`, `NAME_2` … up to the first that is not set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Each {
    /// The name before the number.
    pub of: String,
    /// The name of the value in the steps.
    pub value: String,
    /// The number before the first one.
    #[serde(default)]
    pub after: u64,
    /// The last number.
    pub to: Option<u64>,
    /// What is between name and number.
    #[serde(default = "underscore")]
    pub separator: String,
    /// Whether the name has the first value again behind the last one.
    #[serde(default)]
    pub rewind: bool,
}

fn underscore() -> String {
    "_".into()
}

/// Some of the passes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// A share of them, in percent.
    pub percent: Option<Scalar>,
    /// The first ones, this many.
    pub times: Option<Scalar>,
    /// Whether each user counts alone.
    #[serde(default)]
    pub each_user: bool,
}

/// How one of several steps is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Choose {
    /// The next one in each pass, for each user.
    #[serde(rename = "in turn")]
    InTurn,
    /// Any.
    #[serde(rename = "at random")]
    AtRandom,
    /// All of them, in any order.
    #[serde(rename = "all at random")]
    AllAtRandom,
}

/// A pause that is computed for each pass: `ms` and what is added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// Milliseconds.
    pub ms: Scalar,
    /// Milliseconds that are added at random: the most, or the deviation.
    pub random: Option<Scalar>,
    /// How they are distributed.
    #[serde(default)]
    pub shape: PauseDistribution,
    /// Up to the moment that a pace allows, `ms` apart, instead of a length.
    pub pace: Option<Pace>,
}

/// Who keeps a pace together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pace {
    /// Each user alone.
    #[serde(rename = "each user")]
    EachUser,
    /// The users that run, each its share of it.
    #[serde(rename = "share of all")]
    ShareOfAll,
    /// The users of the group that run, each its share of it.
    #[serde(rename = "share of the group")]
    ShareOfGroup,
    /// All users, one after the other.
    #[serde(rename = "all")]
    All,
    /// All users of the group, one after the other.
    #[serde(rename = "the group")]
    Group,
}

/// A distribution of pauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PauseDistribution {
    /// All lengths up to the most alike.
    #[default]
    Uniform,
    /// By Gauss, around `ms`.
    Gaussian,
    /// By Poisson.
    Poisson,
}

/// A request put together from its parts. Values are written as they are; what a URL cannot have is percent-encoded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Http {
    /// The method; GET without one.
    pub method: String,
    /// `http` or `https`; without one, that of the target.
    pub protocol: String,
    /// The host; without one, that of the target.
    pub host: String,
    /// The port; the protocol's own without one.
    pub port: String,
    /// Path and query.
    pub path: String,
    /// Header fields in their order.
    pub fields: Vec<[String; 2]>,
    /// Parameters: of the query, or of the form that POST, PUT and PATCH send.
    pub parameters: Vec<Parameter>,
    /// The content as it is; without `parameters`.
    pub body: Option<String>,
    /// Parts of the content, `multipart/form-data` (RFC 7578).
    pub parts: Vec<FormPart>,
    /// Which redirects are followed.
    pub follow: Follow,
    /// Whether the connection is closed after the response.
    pub close: bool,
    /// How long connecting may take, in milliseconds; empty: as long as any response.
    pub connect_ms: String,
    /// How long the response may take, in milliseconds; empty: as long as any.
    pub timeout_ms: String,
    /// Names and passwords for the addresses that begin so (RFC 7617).
    pub logins: Vec<Login>,
    /// Whether responses are kept, and asked for again only where they have changed (RFC 9111).
    pub cache: Option<Cache>,
    /// The name of each request in the files of samples, where it differs from that of the step.
    pub label: String,
    /// Whether it is sent as JMeter does: an address that is no URI fails instead of being encoded, and parameters are
    /// sent in the query, the content or both as the method has it there.
    pub jmeter: bool,
}

/// A name and a password for some addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// What the addresses begin with.
    pub url: String,
    /// The name.
    pub user: String,
    /// The password.
    pub password: String,
}

/// What is kept of responses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cache {
    /// Whether a response is not asked for again while it is fresh.
    pub fresh: bool,
    /// Whether nothing is kept for the next iteration.
    pub each_iteration: bool,
}

/// A part of a form: a value or a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FormPart {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Option<String>,
    /// The path of a file, relative to the workload's file.
    pub file: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    pub media: Option<String>,
}

/// A parameter of a query or a form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parameter {
    /// Its name; a value alone without one.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether its value is percent-encoded.
    pub encode: bool,
    /// Whether the query has no `=` behind its name.
    pub bare: bool,
}

/// Which redirects a request follows. The request that follows is a GET, or a HEAD; behind 307 and 308 it is the same once
/// more (RFC 9110, 15.4.8 and 15.4.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Follow {
    /// None.
    #[default]
    None,
    /// Those of GET and HEAD.
    Reads,
    /// Those of every method.
    All,
    /// Those of every method, without samples of their own in the files of samples.
    Silently,
}

/// A part of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The content.
    #[default]
    Body,
    /// The status.
    Status,
    /// The head: the line of the status and the header fields.
    Head,
    /// The address of the request.
    Url,
    /// The words behind the status.
    Message,
    /// The content of the request.
    Asked,
    /// The header fields of the request.
    AskedHead,
}

/// A check of a part of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextCheck {
    /// What failures and the result call it.
    pub name: Option<String>,
    /// The part.
    pub of: Part,
    /// How it is compared.
    pub how: How,
    /// The texts or regular expressions; with `how = "path"` or `"jmes"`, the path and, where one is given, its value.
    pub texts: Vec<String>,
    /// Whether it must not be so.
    pub not: bool,
    /// Whether one of the texts is enough.
    pub any: bool,
    /// The name of a value that is read instead of a part.
    pub value: Option<String>,
    /// Whether nothing is compared with an empty part, which fails unless it must not be so, as in JMeter.
    pub jmeter: bool,
}

/// How a part of a response is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// It contains the text.
    #[default]
    Contains,
    /// It is the text.
    Equals,
    /// A part of it matches the regular expression.
    Finds,
    /// The whole matches the regular expression.
    Matches,
    /// A JSON path finds something, where a value is given that value.
    Path,
    /// A JSON path finds something that matches the regular expression.
    PathMatches,
    /// A JSON path finds null, or nothing.
    PathNull,
    /// An expression of JMESPath finds something, where a value is given that value.
    Jmes,
    /// An expression of JMESPath finds something that matches the regular expression.
    JmesMatches,
    /// An expression of JMESPath finds nothing.
    JmesNull,
    /// It has so many bytes: an operator and a number, such as `<= 100`.
    Size,
}

impl How {
    /// Whether the first text is a path.
    pub(crate) fn has_path(self) -> bool {
        use How::{Jmes, JmesMatches, JmesNull, Path, PathMatches, PathNull};
        matches!(self, Path | PathMatches | PathNull | Jmes | JmesMatches | JmesNull)
    }
}

/// What is done with a response: captures first, then values that are set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct After {
    /// The captures.
    pub capture: BTreeMap<String, Capture>,
    /// Values that the user sets.
    pub set: BTreeMap<String, Scalar>,
    /// Values that it sets for all users.
    pub share: BTreeMap<String, Scalar>,
}
