//! What of PostgREST is not taken: the one list from which it is refused by name, and that the manual prints.

use super::PostgrestCode;
use crate::Error;

macro_rules! gaps {
    ($($name:ident = $what:literal;)*) => {
        /// Something of PostgREST that is refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum PostgrestGap { $(#[doc = $what] $name,)* }

        impl PostgrestGap {
            /// All of them, in the order of the manual.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// What it is.
            pub fn what(self) -> &'static str {
                match self { $(Self::$name => $what,)* }
            }
        }
    };
}

gaps! {
    Operator = "operators that only PostgreSQL has, on SQLite";
    JsonComparison = "comparisons of JSON itself on SQLite: name a value in it by `->>`";
    Cast = "casts in `select` on SQLite, and to other types than those below";
    View = "views among related rows on SQLite, which does not say whose columns they show";
    ViewWithoutKey = "arrays below a view that shows no primary key of the only table that it reads, and single rows of such a view";
    RowWithoutKey = "rows that a function gives for those of what has no key, or of another function";
    Order = "orders of values of types without an order, JSON among them";
    SpreadOfMany = "spreads of many rows with two values of one name";
    GroupKey = "groups by values of types without an equality on both stores, such as JSON";
    ArrayOfGroup = "arrays of related rows beside aggregates";
    ObjectOfGroup = "a related row beside aggregates whose key is not selected, where it has several columns or no smallest value";
    GroupsOfArray = "aggregates of embedded rows beside their other columns, and with an order, a limit or an offset of them";
    AggregateType = "aggregates of values that are no numbers, texts and moments";
    AggregateOfWrite = "aggregates of written rows";
    ReturnedWithoutKey = "answers to writes of a table without a key with related rows, computed values or an order";
    FilterOfChange = "changes of rows without a key, and of keys, by conditions on related rows";
    Preference = "the preference `timezone` on SQLite, for writes, for rows that are found by moments, and with filters by moments without an offset";
    Function = "functions at `/rpc` on SQLite, which has none";
    CountOfCall = "`count=exact` with `limit` or `offset` of what a volatile function gives";
    EmbedOfCall = "arrays of related rows in what a volatile function gives";
    ArrayOfCall = "arrays of related rows in what a function gives, but for those by its table's primary key";
    MediaOfEmbeds = "related rows in media types that aggregates over rows of any columns give";
    WriteHeader = "the headers `Idempotency-Key`, `If-Match` and `If-None-Match` of writes and calls by `POST`";
    MediaOfChange = "media types that aggregates give, of rows that a write or a volatile function returns";
}

impl PostgrestGap {
    /// The refusal of something that is meant by it.
    pub fn refusal(self, given: &str) -> Error {
        let shown: String = given.chars().take(100).collect();
        PostgrestCode::NotImplemented.error(format!("Not taken: {}. Given: {shown}", self.what()))
    }
}
