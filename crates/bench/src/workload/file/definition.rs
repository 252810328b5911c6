//! The data model of a user's file. The command that reads the file converts TOML into this.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, SeqAccess, Visitor, value::SeqAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize};

/// A workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Settings of the whole workload.
    pub workload: About,
    /// Feeders of values, by the names that placeholders use.
    #[serde(default)]
    pub feeders: BTreeMap<String, Feeder>,
    /// The types of transactions.
    pub transaction: Vec<Transaction>,
}

/// Settings of the whole workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The workload's name.
    pub name: String,
    /// The target, unless the command line names one.
    pub target: Option<String>,
    /// Header fields of every request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Steps that run once before the run.
    #[serde(default)]
    pub setup: Vec<Step>,
    /// Steps that each user runs after it has connected, before its first transaction.
    #[serde(default)]
    pub login: Vec<Step>,
    /// Steps that run once after the run.
    #[serde(default)]
    pub teardown: Vec<Step>,
}

/// A source of values: exactly one of these.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Feeder {
    /// A file with a line of names; its path is relative to the workload's file.
    pub csv: Option<String>,
    /// A list of values; or one text `${name}`, the values that setup captures with `each`.
    pub list: Option<Vec<Scalar>>,
    /// Uniform whole numbers, from and to; a bound may be a value that setup captures, `${name}`.
    pub uniform: Option<[Scalar; 2]>,
    /// Whole numbers by Zipf's law, the first ones most often.
    pub zipf: Option<Zipf>,
    /// Whole numbers, each once per run.
    pub sequence: Option<Sequence>,
    /// UUIDs of version 7.
    pub uuid: Option<bool>,
    /// Random text of small letters, with its shortest and longest length.
    pub text: Option<[u32; 2]>,
    /// `now`, or two moments that bound a random one.
    pub timestamp: Option<OneOrMore<String>>,
    /// `random` or `in context`, for `csv` and `list`.
    pub pick: Option<Pick>,
}

/// How the next row of a list is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pick {
    /// At random.
    #[serde(rename = "random")]
    Random,
    /// In order, shared by all users; after the last row comes the first.
    #[serde(rename = "in turn")]
    InTurn,
}

/// Zipf-distributed numbers: number `from + k` has the weight 1 / (k + 1)^theta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zipf {
    /// The first; it may be a value that setup captures, `${name}`.
    pub from: Scalar,
    /// The last; it may be a value that setup captures, `${name}`.
    pub to: Scalar,
    /// The exponent; 0 gives equal weights.
    pub theta: f64,
}

/// Numbers that are unique within a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sequence {
    /// The first.
    pub start: i64,
    /// The step between two numbers.
    #[serde(default = "one")]
    pub step: i64,
}

fn one() -> i64 {
    1
}

/// A type of transaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transaction {
    /// Its name.
    pub name: String,
    /// Its short name, for columns and `--mix`; by default its name.
    pub short: Option<String>,
    /// Its relative frequency.
    #[serde(default = "usual_weight")]
    pub weight: f64,
    /// Think time between its steps: `50ms`, or `20ms..100ms`.
    pub think: Option<String>,
    /// Whether its statements run in one database transaction.
    #[serde(default)]
    pub transaction: bool,
    /// The number of retries after a deadlock or a conflict.
    #[serde(default = "usual_retries")]
    pub retries: u32,
    /// Its steps, in order.
    pub step: Vec<Step>,
}

fn usual_weight() -> f64 {
    1.0
}

fn usual_retries() -> u32 {
    3
}

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
    /// A statement, with `$1`, `$2` … for its parameters.
    pub sql: Option<String>,
    /// The statement's parameters.
    pub params: Vec<Scalar>,
    /// The checks of the response.
    pub check: Check,
    /// The captures from the response, by the names that placeholders use.
    pub capture: BTreeMap<String, Capture>,
    /// A pause before the step: `50ms`, or `20ms..100ms`; part of neither clock.
    pub pause: Option<String>,
}

/// The checks of a response.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Check {
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
}

/// A value in a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Scalar {
    /// `true` or `false`.
    Truth(bool),
    /// A whole number.
    Whole(i64),
    /// A number with a fraction.
    Number(f64),
    /// A text, which may contain placeholders.
    Text(String),
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl Visitor<'_> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, a number, true or false")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Scalar, E> {
        Ok(Scalar::Truth(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Scalar, E> {
        Ok(Scalar::Whole(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Scalar, E> {
        i64::try_from(value).map(Scalar::Whole).map_err(|_| E::custom("the number is too large"))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Scalar, E> {
        Ok(Scalar::Number(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(value.to_owned()))
    }
}

/// One value or a list of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct OneOrMore<T>(pub Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMore<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMoreVisitor(std::marker::PhantomData))
    }
}

struct OneOrMoreVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMoreVisitor<T> {
    type Value = OneOrMore<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or a list of values")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<OneOrMore<T>, E> {
        T::deserialize(de::value::I64Deserializer::new(value)).map(|one| OneOrMore(vec![one]))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<OneOrMore<T>, E> {
        T::deserialize(de::value::U64Deserializer::new(value)).map(|one| OneOrMore(vec![one]))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<OneOrMore<T>, E> {
        T::deserialize(de::value::StrDeserializer::new(value)).map(|one| OneOrMore(vec![one]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<OneOrMore<T>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(OneOrMore)
    }
}
