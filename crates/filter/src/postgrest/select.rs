//! The parameter `select`: `name:alias,data->>k,amount.sum(),rel!hint!inner(col),...rel(col)`.

use duet_model::{Code, GroupFunction, Result};
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
    /// A value of many rows.
    Aggregate(SelectAggregate),
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

/// A value that is computed of many rows.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectAggregate {
    /// The name in the document, where it is not that of the function.
    pub alias: Option<String>,
    /// How it is computed.
    pub function: GroupFunction,
    /// Of which values; `None` counts rows.
    pub of: Option<AggregateOperand>,
    /// The type that the result is cast to.
    pub cast: Option<String>,
}

/// The values of an aggregate.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateOperand {
    /// The value of a row.
    pub path: ColumnPath,
    /// The type that it is cast to.
    pub cast: Option<String>,
}

/// The aggregate functions by their names: the one list that is read and that the manual prints.
pub const AGGREGATES: [(&str, GroupFunction); 5] = [
    ("count", GroupFunction::Count),
    ("sum", GroupFunction::Sum),
    ("avg", GroupFunction::Average),
    ("min", GroupFunction::Min),
    ("max", GroupFunction::Max),
];

impl SelectAggregate {
    /// The number of rows.
    pub fn count() -> Self {
        Self { alias: None, function: GroupFunction::Count, of: None, cast: None }
    }

    /// The name of the function.
    pub fn name(&self) -> &'static str {
        let known = AGGREGATES.iter().find(|(_, function)| *function == self.function);
        known.map_or("count", |(name, _)| name)
    }

    /// The name in the document.
    pub fn key(&self) -> &str {
        self.alias.as_deref().unwrap_or(self.name())
    }
}

impl SelectItem {
    /// Whether it is an aggregate, or has one in what is embedded.
    pub fn has_aggregates(&self) -> bool {
        match self {
            Self::Aggregate(_) => true,
            Self::Embed(embed) => embed.items.iter().any(Self::has_aggregates),
            Self::All | Self::Field(_) => false,
        }
    }
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
            SelectItem::All | SelectItem::Field(_) | SelectItem::Aggregate(_) => false,
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
/// [`Grammar`](duet_model::profiles::PostgrestCode::Grammar) with line and column.
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
        if !spread && path.column == "count" && cursor.eat("()") {
            let cast = cast(cursor);
            return Ok(SelectItem::Aggregate(SelectAggregate {
                alias,
                cast,
                ..SelectAggregate::count()
            }));
        }
        return embed(cursor, alias, path.column, spread, depth).map(SelectItem::Embed);
    }
    let own_cast = cast(cursor);
    if !cursor.eat(".") {
        return Ok(SelectItem::Field(SelectField { alias, path, cast: own_cast }));
    }
    let of = Some(AggregateOperand { path, cast: own_cast });
    let function = function(cursor)?;
    let cast = cast(cursor);
    Ok(SelectItem::Aggregate(SelectAggregate { alias, function, of, cast }))
}

/// `::type`, if it follows.
fn cast(cursor: &mut Cursor<'_>) -> Option<String> {
    let follows = cursor.eat("::");
    follows.then(|| {
        let name = cursor.take_while(|char| char.is_alphanumeric() || "_ ".contains(char));
        name.trim().to_owned()
    })
}

/// `sum()`
fn function(cursor: &mut Cursor<'_>) -> Result<GroupFunction> {
    for (name, function) in AGGREGATES {
        let rest = cursor.rest().strip_prefix(name);
        if rest.is_some_and(|rest| rest.starts_with("()")) {
            cursor.eat(name);
            cursor.eat("()");
            return Ok(function);
        }
    }
    let names: Vec<String> = AGGREGATES.iter().map(|(name, _)| format!("\"{name}()\"")).collect();
    Err(cursor.expected(&names.join(" or ")))
}

fn embed(
    cursor: &mut Cursor<'_>,
    alias: Option<String>,
    name: String,
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
