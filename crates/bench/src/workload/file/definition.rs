//! What a user's file says, key by key. The command that reads the file turns TOML into this.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, SeqAccess, Visitor, value::SeqAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize};

/// A workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// About the whole.
    pub workload: About,
    /// Where values come from, by the names that placeholders have.
    #[serde(default)]
    pub feeders: BTreeMap<String, Feeder>,
    /// The types of transactions.
    pub transaction: Vec<Transaction>,
}

/// About the whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The workload's name.
    pub name: String,
    /// What is measured, where the command line does not say.
    pub target: Option<String>,
    /// Header fields of every request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Done once before the run.
    #[serde(default)]
    pub setup: Vec<Step>,
    /// Done by each user after it has connected, before its first transaction.
    #[serde(default)]
    pub login: Vec<Step>,
    /// Done once after it.
    #[serde(default)]
    pub teardown: Vec<Step>,
}

/// Where values come from: exactly one of these.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Feeder {
    /// A file with a line of names; its path is relative to the workload's file.
    pub csv: Option<String>,
    /// These values.
    pub list: Option<Vec<Scalar>>,
    /// Whole numbers, from and to; a bound may be a value that setup captures, `${name}`.
    pub uniform: Option<[Scalar; 2]>,
    /// Whole numbers, the first ones most often.
    pub zipf: Option<Zipf>,
    /// Whole numbers, each once in a run.
    pub sequence: Option<Sequence>,
    /// UUIDs of version 7.
    pub uuid: Option<bool>,
    /// Text of small letters, the shortest and the longest length.
    pub text: Option<[u32; 2]>,
    /// `now`, or two moments between which it is.
    pub timestamp: Option<OneOrMore<String>>,
    /// `random` or `in turn`, of `csv` and `list`.
    pub pick: Option<Pick>,
}

/// How a row of a list is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pick {
    /// Any.
    #[serde(rename = "random")]
    Random,
    /// One after the other, all users together; after the last comes the first.
    #[serde(rename = "in turn")]
    InTurn,
}

/// Numbers of which the first ones are drawn most often: number `from + k` weighs 1 / (k + 1)^theta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zipf {
    /// The first; it may be a value that setup captures, `${name}`.
    pub from: Scalar,
    /// The last; it may be a value that setup captures, `${name}`.
    pub to: Scalar,
    /// The exponent; 0 is even.
    pub theta: f64,
}

/// Numbers that no two transactions of a run share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sequence {
    /// The first.
    pub start: i64,
    /// From one to the next.
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
    /// Its short name, as columns and `--mix` have it; without one, its name.
    pub short: Option<String>,
    /// How often it is drawn.
    #[serde(default = "usual_weight")]
    pub weight: f64,
    /// Sleep between its steps: `50ms`, or `20ms..100ms`.
    pub think: Option<String>,
    /// Whether its statements are one transaction of the database.
    #[serde(default)]
    pub transaction: bool,
    /// As often is begun again what a deadlock or a conflict undid.
    #[serde(default = "usual_retries")]
    pub retries: u32,
    /// What it does, in order.
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
    /// Content of the request.
    pub body: Option<String>,
    /// A statement, with `$1`, `$2` … for its parameters.
    pub sql: Option<String>,
    /// The statement's parameters.
    pub params: Vec<Scalar>,
    /// What must be true of the answer.
    pub check: Check,
    /// What is kept of the answer, by the names that placeholders have.
    pub capture: BTreeMap<String, Capture>,
}

/// What must be true of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Check {
    /// The status, or several that are right. Without it any below 400 is.
    pub status: Option<OneOrMore<u16>>,
    /// Fields of the head: their value, `true` if they must be there, `false` if they must not.
    pub header: BTreeMap<String, Scalar>,
    /// Texts that the content must have in it.
    pub contains: Option<OneOrMore<String>>,
    /// Values by their JSON pointers (RFC 6901).
    pub json: BTreeMap<String, Scalar>,
    /// How many rows there are or were changed: a number, or the fewest and the most.
    pub rows: Option<OneOrMore<u64>>,
    /// The first column of the first row.
    pub value: Option<Scalar>,
}

/// What is kept of an answer: one of these.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Capture {
    /// A JSON pointer.
    pub json: Option<String>,
    /// A field of the head.
    pub header: Option<String>,
    /// What comes behind this text …
    pub after: Option<String>,
    /// … and before that one.
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
    /// A text, perhaps with placeholders.
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
