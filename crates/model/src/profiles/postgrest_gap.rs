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
    Operator = "operators that neither store takes, and those of ranges on other columns";
    JsonComparison = "comparisons of JSON itself: name a value in it by `->>`";
    Cast = "casts in `select`";
    Order = "orders of values of types without an order, JSON among them";
    InnerOfArray = "`!inner` of many rows below an array, and inside a to-one resource without `!inner`";
    FilterByEmbed = "conditions of embedded rows on what is embedded in them, such as `a.b=is.null`";
    SpreadOfMany = "spreads of many rows through a junction, with `!inner`, or of other items than columns";
    NullsStripped = "`nulls=stripped`";
    Preference = "the preferences `count=planned`, `count=estimated` and `timezone`";
    Function = "functions at `/rpc`";
    OpenApi = "the OpenAPI document at the mount";
    Body = "bodies of writes in CSV and as forms";
}

impl PostgrestGap {
    /// The refusal of something that is meant by it.
    pub fn refusal(self, given: &str) -> Error {
        let shown: String = given.chars().take(100).collect();
        PostgrestCode::NotImplemented.error(format!("Not taken: {}. Given: {shown}", self.what()))
    }
}
