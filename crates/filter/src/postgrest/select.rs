//! The parameter `select`: `name:alias,data->>k,rel!hint!inner(col),...rel(col)`.

use duet_model::profiles::PostgrestCode;
use duet_model::{Code, Result};
use duet_text::problem::fault;

use super::column_path::ColumnPath;
use super::cursor::Cursor;

/// An item of `select`.
#[derive(Clone, Debug, PartialEq)]
pub enum SelectItem {
    /// All columns.
    All,
    /// A column, or a value inside it.
    Field(SelectField),
    /// Rows of another resource.
    Embed(Embed),
}

/// A column, or a value inside it.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectField {
    /// The name in the document, where it is another one.
    pub alias: Option<String>,
    /// The value.
    pub path: ColumnPath,
    /// The type that it is cast to.
    pub cast: Option<String>,
}

/// Rows of another resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Embed {
    /// The name in the document, where it is another one.
    pub alias: Option<String>,
    /// The resource, the constraint or the column that leads to it.
    pub name: String,
    /// What decides between several relationships: a constraint, a column or a junction.
    pub hint: Option<String>,
    /// Whether rows without a related one are left out.
    pub join: Join,
    /// Whether its members are those of the document around it.
    pub spread: bool,
    /// What of it is shown; nothing where it only filters.
    pub items: Vec<SelectItem>,
}

/// What becomes of rows without a related one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// They stay.
    Left,
    /// They are left out.
    Inner,
}

impl Embed {
    /// Whether nothing of it is in the document: it has no items, or only embeds of which this is so.
    pub fn shows_nothing(&self) -> bool {
        let is_nothing = |item: &SelectItem| match item {
            SelectItem::Embed(inner) => inner.shows_nothing(),
            SelectItem::All | SelectItem::Field(_) => false,
        };
        self.items.iter().all(is_nothing)
    }

    /// The name by which parameters know it.
    pub fn key(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }
}

impl SelectField {
    /// The name in the document.
    pub fn key(&self) -> &str {
        use duet_text::JsonStep::Member;
        let named = self.path.steps.iter().rev().find_map(|step| match step {
            Member(name) => Some(name.as_str()),
            _ => None,
        });
        self.alias.as_deref().or(named).unwrap_or(&self.path.column)
    }
}

const PARAMETER: &str = "select";

/// Reads a list of items; an empty one is all columns.
///
/// # Errors
/// [`PostgrestCode::Grammar`] with line and column; [`PostgrestCode::Aggregates`].
pub(super) fn read(text: &str, depth: usize) -> Result<Vec<SelectItem>> {
    if text.trim().is_empty() {
        return Ok(vec![SelectItem::All]);
    }
    let mut cursor = Cursor::new(PARAMETER, "select parameter", text);
    let items = list(&mut cursor, depth)?;
    cursor.skip_closing();
    match cursor.is_end() {
        true => Ok(items),
        false => Err(cursor.expected("\",\" or end of input")),
    }
}

fn list(cursor: &mut Cursor<'_>, depth: usize) -> Result<Vec<SelectItem>> {
    let Some(depth) = depth.checked_sub(1) else {
        let message = "The resources of `select` are embedded in each other too deeply.";
        return Err(fault(Code::FilterLimit, 0, message).at(cursor.place()));
    };
    let mut items = Vec::new();
    loop {
        cursor.skip_blanks();
        items.push(item(cursor, depth)?);
        cursor.skip_blanks();
        if !cursor.eat(",") {
            return Ok(items);
        }
    }
}

fn item(cursor: &mut Cursor<'_>, depth: usize) -> Result<SelectItem> {
    if cursor.eat("*") {
        return Ok(SelectItem::All);
    }
    let spread = cursor.eat("...");
    let mut path = cursor.column_path()?;
    let mut alias = None;
    let is_alias = cursor.rest().starts_with(':') && !cursor.rest().starts_with("::");
    if is_alias && path.steps.is_empty() {
        cursor.eat(":");
        alias = Some(path.column);
        path = cursor.column_path()?;
    }
    if path.steps.is_empty() && (cursor.rest().starts_with(['!', '(']) || spread) {
        if path.column == "count" && cursor.rest().starts_with("()") {
            return Err(aggregates(cursor));
        }
        return embed(cursor, (alias, path.column), spread, depth).map(SelectItem::Embed);
    }
    let mut cast = None;
    if cursor.eat("::") {
        cast = Some(cursor.take_while(|char| char.is_alphanumeric() || "_ ".contains(char)));
    }
    if cursor.rest().starts_with('.') {
        return Err(aggregates(cursor));
    }
    let cast = cast.map(|cast| cast.trim().to_owned());
    Ok(SelectItem::Field(SelectField { alias, path, cast }))
}

fn embed(
    cursor: &mut Cursor<'_>,
    (alias, name): (Option<String>, String),
    spread: bool,
    depth: usize,
) -> Result<Embed> {
    let (mut hint, mut join) = (None, Join::Left);
    while cursor.eat("!") {
        match cursor.name()?.as_str() {
            "inner" => join = Join::Inner,
            "left" => join = Join::Left,
            other => hint = Some(other.to_owned()),
        }
    }
    cursor.expect("(")?;
    cursor.skip_blanks();
    let items = match cursor.rest().starts_with(')') {
        true => Vec::new(),
        false => list(cursor, depth)?,
    };
    cursor.expect(")")?;
    Ok(Embed { alias, name, hint, join, spread, items })
}

/// The refusal of functions over rows.
fn aggregates(cursor: &Cursor<'_>) -> duet_model::Error {
    PostgrestCode::Aggregates.error("Use of aggregate functions is not allowed").at(cursor.place())
}
