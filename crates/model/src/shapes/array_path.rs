//! A path into arrays of a document, each element of which counts by itself: `addresses[].city`.

use std::fmt;

/// The end of the name of an array.
const ARRAY: &str = "[]";
/// Arrays of a path at most: each is a level of the statement.
const MOST: usize = 8;

/// Values that a path with arrays leads to. What is no array where the path has one leads to none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayPath {
    /// The member names that lead to each array, from the document or from an element of the one before.
    pub arrays: Vec<Vec<String>>,
    /// Those that lead from an element of the last array to the value.
    pub rest: Vec<String>,
}

impl ArrayPath {
    /// Reads a path as [`Display`](fmt::Display) writes it; `None` without an array, with an empty name, and with more
    /// than eight arrays.
    ///
    /// ```
    /// # use duet_model::ArrayPath;
    /// let path = ArrayPath::parse("home.rooms[].size").unwrap();
    /// assert_eq!(path.arrays, [["home", "rooms"]]);
    /// assert_eq!(path.rest, ["size"]);
    /// assert_eq!(path.to_string(), "home.rooms[].size");
    /// assert!(ArrayPath::parse("home.rooms").is_none() && ArrayPath::parse("home..rooms[]").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let (mut arrays, mut rest) = (Vec::new(), Vec::new());
        for step in text.split('.') {
            let array = step.strip_suffix(ARRAY);
            rest.push(array.unwrap_or(step).to_owned());
            if array.is_some() {
                arrays.push(std::mem::take(&mut rest));
            }
        }
        let is_named = |path: &Vec<String>| path.iter().all(|name| !name.is_empty());
        let is_path = arrays.iter().chain([&rest]).all(is_named);
        (is_path && (1..=MOST).contains(&arrays.len())).then_some(Self { arrays, rest })
    }

    /// The last name.
    pub fn name(&self) -> &str {
        let last = self.rest.last().or_else(|| self.arrays.last()?.last());
        last.map_or("", String::as_str)
    }
}

impl fmt::Display for ArrayPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arrays = self.arrays.iter().map(|names| format!("{}{ARRAY}", names.join(".")));
        let rest = Some(self.rest.join(".")).filter(|rest| !rest.is_empty());
        f.write_str(&arrays.chain(rest).collect::<Vec<_>>().join("."))
    }
}
