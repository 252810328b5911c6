//! The parameter `order`: `a.desc.nullslast,b,data->>k,rel(col).asc`.

use duet_model::{Direction, Result};

use super::column_path::ColumnPath;
use super::cursor::Cursor;

/// Where rows without a value stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// Before all others.
    First,
    /// Behind all others.
    Last,
}

/// A term of an order.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderTerm {
    /// The to-one embed that the value is of.
    pub relation: Option<String>,
    /// The value.
    pub path: ColumnPath,
    /// The direction.
    pub direction: Direction,
    /// Where NULLs stand: by default last in ascending orders, first in descending ones.
    pub nulls: Option<Nulls>,
}

impl OrderTerm {
    /// Whether rows without a value stand before all others.
    pub fn nulls_first(&self) -> bool {
        let default = match self.direction {
            Direction::Ascending => Nulls::Last,
            Direction::Descending => Nulls::First,
        };
        self.nulls.unwrap_or(default) == Nulls::First
    }
}

/// Reads an order.
///
/// # Errors
/// [`PostgrestCode::Grammar`](duet_model::profiles::PostgrestCode) with line and column.
pub(super) fn read(parameter: &str, text: &str) -> Result<Vec<OrderTerm>> {
    let mut cursor = Cursor::new(parameter, "order", text);
    let mut terms = Vec::new();
    loop {
        terms.push(term(&mut cursor)?);
        cursor.skip_blanks();
        if !cursor.eat(",") {
            break;
        }
    }
    match cursor.is_end() {
        true => Ok(terms),
        false => Err(cursor.expected("\",\" or end of input")),
    }
}

/// What follows a value, none of which another one begins with.
const WORDS: [&str; 4] = ["asc", "desc", "nullsfirst", "nullslast"];

fn term(cursor: &mut Cursor<'_>) -> Result<OrderTerm> {
    let mut path = cursor.column_path()?;
    let mut relation = None;
    if path.steps.is_empty() && cursor.eat("(") {
        relation = Some(path.column);
        path = cursor.column_path()?;
        cursor.expect(")")?;
    }
    let mut term = OrderTerm { relation, path, direction: Direction::Ascending, nulls: None };
    let mut directed = false;
    while cursor.eat(".") {
        let before = *cursor;
        let word = WORDS.into_iter().find(|word| cursor.eat(word)).unwrap_or_default();
        if let Some(char) = cursor.peek().filter(|char| !word.is_empty() && char.is_alphanumeric())
        {
            let details = format!("unexpected {char:?} expecting \",\" or end of input");
            return Err(cursor.error(&details));
        }
        match word {
            "asc" if !directed && term.nulls.is_none() => directed = true,
            "desc" if !directed && term.nulls.is_none() => {
                (directed, term.direction) = (true, Direction::Descending);
            }
            "nullsfirst" if term.nulls.is_none() => term.nulls = Some(Nulls::First),
            "nullslast" if term.nulls.is_none() => term.nulls = Some(Nulls::Last),
            _ => return Err(before.expected("asc, desc, nullsfirst or nullslast")),
        }
    }
    Ok(term)
}
