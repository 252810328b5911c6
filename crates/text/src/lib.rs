//! What texts say: JSON, decimals, dates and times, patterns, words and names, and the errors that tell a client what
//! is wrong with a text, with their codes and places.
//!
//! Pure functions that know of no table, resource or request; `model` gives them their places in those.
//!
//! ```
//! use duet_text::json::{FILTER, JsonKind, read};
//! use duet_text::{Code, Place};
//!
//! // A number keeps its text, and an error its place.
//! let json = read("{\"price\": 1.50}", &FILTER, 8)?;
//! assert_eq!(json.get("price").map(|it| &it.kind), Some(&JsonKind::Number("1.50")));
//! let error = read("{\"price\": }", &FILTER, 8).unwrap_err();
//! assert_eq!((error.code, error.place), (Code::FilterSyntax, Some(Place::Offset(10))));
//! # Ok::<_, duet_text::Error>(())
//! ```

pub mod address;
pub mod arithmetic;
pub mod decimal;
pub mod effort;
pub mod error;
pub mod exact;
pub mod fold;
pub mod json;
pub mod lexemes;
pub mod like;
pub mod name;
pub mod numeric_digits;
pub mod printable;
pub mod problem;
pub mod regex_pattern;
pub mod relevance;
pub mod remedy;
pub mod substring;
pub mod text_query;
pub mod time;
pub mod trigram;

pub use error::{Code, Error, ForeignCode, Place, RaisedError, Result, Violation};
pub use fold::Fold;
pub use json::positions::{ArrayPosition, ArraySlice, Positions};
pub use json::steps::{JsonStep, value_along};
pub use lexemes::LexemeQuery;
pub use text_query::{TextQuery, TextTerm};
