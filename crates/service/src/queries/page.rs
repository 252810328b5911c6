//! What a request for a page says, as a plan.
//!
//! Views without a key are ordered by every column that can be: pages must be stable, and rows that
//! still tie are equal.

use std::sync::Arc;

use duet_auth::ReadRight;
use duet_filter::{FilterText, Limits};
use duet_model::key::{ValueError, parse_text, percent_decode};
use duet_model::{
    Code, ColumnRef, Comparability, Direction, Error, Expr, LevelColumn, Member, MemberKind,
    OrderBy, Page, Place, Result, Shape, Type, Value,
};
use duet_sql::{Dialect, Parameter, pages_by_row_number};
use duet_store::CountOf;

use super::expand::Expansion;
use super::facets::Facet;
use super::groups::{self, GroupRead, GroupedRows, Slice};
use super::marker;
use super::selection::{PageSlice, Selection};
use crate::definition::{ReadLimits, UnindexedPolicy};
use crate::explanation::indexes;
use crate::resources::representation::Representation;
use crate::resources::resource::Resource;

/// Whether a page says how many items there are in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Count {
    /// It does not.
    #[default]
    None,
    /// The database counts them.
    Exact,
    /// The planner's estimate where there is no filter; with one an estimate too in collections, elsewhere as
    /// `Exact`; `totalExact` says which.
    Estimated,
    /// Exact up to a limit, which is a setting; above it estimated.
    Auto,
}

/// A request for a page. Texts are percent-decoded, but for `after`.
#[derive(Clone, Copy, Debug)]
pub struct PageQuery<'a> {
    /// Proof that the caller may read the resource.
    pub right: ReadRight<'a>,
    /// The filter and order.
    pub filter: Option<FilterText<'a>>,
    /// How many items at most; at least 1.
    pub limit: Option<u64>,
    /// How many items to skip.
    pub offset: u64,
    /// Which members.
    pub fields: Option<&'a str>,
    /// Which related rows.
    pub expansion: Option<&'a Expansion>,
    /// Whether to count.
    pub count: Count,
    /// The marker after which the page begins, as a page's `next` link has it, whether the client
    /// has encoded it again or not. Empty: from the beginning.
    pub after: Option<&'a str>,
    /// The values of the parameters where the resource is a service; else none.
    pub arguments: &'a Arc<[Value]>,
    /// Whether the page is an array of its items alone.
    pub bare: bool,
    /// What is counted beside the documents of a list.
    pub facets: &'a [Facet],
}

/// What a list reads: documents of a resource, or groups of its rows.
#[derive(Debug)]
pub(crate) struct PlannedPage {
    /// What is read of each document.
    pub(crate) representation: Arc<Representation>,
    /// Which documents.
    pub(crate) page: Page,
    /// Of groups: which rows they are of.
    pub(crate) grouped: Option<Expr>,
}

impl PlannedPage {
    /// Whether the response remarks that no index serves its filter, as [`check_index`] says.
    ///
    /// # Errors
    /// As [`check_index`].
    pub(crate) fn check_index(&self, resource: &Resource, dialect: &dyn Dialect) -> Result<bool> {
        match &self.grouped {
            Some(filter) => check_index(resource, &resource.listed().shape, filter, dialect),
            None => {
                let shape = &self.representation.shape;
                check_index(resource, shape, &self.page.filter, dialect)
            }
        }
    }
}

/// Plans a page of a resource.
pub(crate) fn plan(
    resource: &Resource,
    query: &PageQuery<'_>,
    limits: &ReadLimits,
    dialect: &dyn Dialect,
) -> Result<PlannedPage> {
    let least = u64::from(resource.collection.is_none());
    let limit = query.limit.unwrap_or(resource.page_size).clamp(least, limits.max_page_size.max(1));
    plan_list(resource, query, limits, limit, dialect)
}

/// Plans a stream with a limit of documents.
pub(crate) fn stream_plan(
    resource: &Resource,
    query: &PageQuery<'_>,
    limits: &ReadLimits,
    dialect: &dyn Dialect,
    rows: u64,
) -> Result<PlannedPage> {
    // The statement of a page reads one row more, to see whether there is a next page.
    let limit = if rows == u64::MAX { rows } else { rows.saturating_sub(1) };
    plan_list(resource, query, limits, limit, dialect)
}

fn plan_list(
    resource: &Resource,
    query: &PageQuery<'_>,
    limits: &ReadLimits,
    limit: u64,
    dialect: &dyn Dialect,
) -> Result<PlannedPage> {
    if let Some(read) = group_read(resource, query, limits, limit, dialect)? {
        let GroupRead { representation, page, rows } = read;
        return Ok(PlannedPage { representation, page, grouped: Some(rows) });
    }
    let (fields, expansion) = (query.fields, query.expansion);
    let representation =
        resource.page_representation(fields, expansion, dialect, limits.projections)?;
    let page = plan_of(resource, &representation, query, limits, limit, dialect)?;
    Ok(PlannedPage { representation, page, grouped: None })
}

/// The read of a list with `$group`; `None` where it has none.
fn group_read(
    resource: &Resource,
    query: &PageQuery<'_>,
    limits: &ReadLimits,
    limit: u64,
    dialect: &dyn Dialect,
) -> Result<Option<GroupRead>> {
    let listed = resource.listed();
    let rows = GroupedRows {
        right: query.right,
        name: &resource.name,
        listed,
        fields: listed.fields.as_ref().unwrap_or_else(|| resource.fields()),
        arguments: query.arguments,
    };
    let slice = Slice { fields: query.fields, offset: query.offset, limit };
    let read = groups::read(rows, query.filter, slice, &limits.filter, dialect)?;
    let Some(read) = read else { return Ok(None) };
    if !query.right.is_for(&resource.access) {
        return Err(Error::internal("the right to read another resource"));
    }
    check_limit(resource, query)?;
    if query.expansion.is_some() {
        let message = "Groups have no related rows: leave `expand` out beside `$group`.";
        return Err(Error::new(Code::BadParameter, message).at(Place::Parameter("expand".into())));
    }
    if query.after.is_some() {
        let message = "Groups have no key that a page could begin after.";
        let error = Error::new(Code::BadParameter, message).at(Place::Parameter("after".into()));
        return Err(error.hint("Use `offset`."));
    }
    Ok(Some(read))
}

fn check_limit(resource: &Resource, query: &PageQuery<'_>) -> Result<()> {
    if query.limit == Some(0) && resource.collection.is_none() {
        return Err(Error::new(Code::BadParameter, "`limit` must be at least 1.")
            .at(Place::Parameter("limit".into())));
    }
    Ok(())
}

fn plan_of(
    resource: &Resource,
    representation: &Representation,
    query: &PageQuery<'_>,
    limits: &ReadLimits,
    limit: u64,
    dialect: &dyn Dialect,
) -> Result<Page> {
    let shape = &representation.shape;
    let by_row_number = pages_by_row_number(dialect, shape);
    let fields = representation.fields.as_ref().unwrap_or_else(|| resource.fields());
    let mut selection =
        Selection::new(query.right, resource, fields, query.filter, &limits.filter)?;
    selection.over_related(query.right, representation)?;
    // A service's statement has an order of its own, which applies unless another is requested.
    let in_own_order =
        resource.service.is_some() && selection.order().is_empty() && query.after.is_none();
    let order = match in_own_order {
        true => Vec::new(),
        false => total_order(shape, &resource.shape, selection.order().to_vec()),
    };
    if query.after.is_some() && order.iter().any(|term| LevelColumn::of_term(term).is_none()) {
        return Err(no_marker());
    }
    let has_order = |term: &OrderBy| term.ty.comparison() != Comparability::Equality;
    if query.after.is_some() && !order.iter().all(has_order) {
        return Err(no_order(&shape.name));
    }
    let after = match query.after {
        None | Some("") => None,
        Some(text) => Some(parse_after(&order, by_row_number, text)?),
    };
    check_limit(resource, query)?;
    if shape.key.is_empty() && query.after.is_some() {
        return Err(no_after(&shape.name));
    }
    let (offset, arguments) = (query.offset, Arc::clone(query.arguments));
    let part = PageSlice { by_row_number, after, offset, limit, arguments };
    Ok(selection.ordered(order).page(part))
}

/// Whether the response to a page remarks that no index serves its filter.
///
/// # Errors
/// [`Code::NoIndex`] where the resource refuses such filters.
pub(crate) fn check_index(
    resource: &Resource,
    shape: &Shape,
    filter: &Expr,
    dialect: &dyn Dialect,
) -> Result<bool> {
    let policy = resource.unindexed;
    if policy == UnindexedPolicy::Allow || indexes::is_served(shape, filter, dialect) {
        return Ok(false);
    }
    if policy == UnindexedPolicy::Warn {
        return Ok(true);
    }
    let message =
        format!("No index serves this filter, and {} refuses such filters.", resource.name);
    Err(Error::new(Code::NoIndex, message).hint(
        "Add a condition on the key or on an indexed field. The command `duet explain` says which index \
         a condition needs.",
    ))
}

/// Plans a page of keys in their order, of all rows of a resource: for Duet itself, as no caller sees it.
pub(crate) fn of_keys(
    representation: &Representation,
    resource: &Resource,
    after: &str,
    limit: u64,
    dialect: &dyn Dialect,
) -> Result<Page> {
    let shape = &representation.shape;
    let by_row_number = pages_by_row_number(dialect, shape);
    let order = total_order(shape, &resource.shape, Vec::new());
    let after =
        (!after.is_empty()).then(|| parse_after(&order, by_row_number, after)).transpose()?;
    let arguments = Arc::default();
    Ok(Page { filter: Expr::all(), order, by_row_number, after, offset: 0, limit, arguments })
}

/// What is counted in the database: nothing where there is an estimate. `filtered` says whether documents that a
/// filter selects may be estimated.
pub(crate) fn count_of(
    query: &PageQuery<'_>,
    has_estimate: bool,
    filtered: bool,
    exact: u64,
) -> CountOf {
    match query.count {
        Count::None => CountOf::Nothing,
        _ if has_estimate => CountOf::Nothing,
        Count::Auto => CountOf::UpTo(exact),
        // As `Auto` above its limit; a page that is the last says its total itself.
        Count::Estimated if filtered => CountOf::UpTo(0),
        // Estimates of filters are for collections alone: a page says whether its total is exact.
        Count::Exact | Count::Estimated => CountOf::All,
    }
}

/// The planner's estimate, if it is requested and exists for the whole table.
pub(crate) fn estimate(
    resource: &Resource,
    query: &PageQuery<'_>,
    planned: &PlannedPage,
    exact: u64,
) -> Option<u64> {
    let of_rows = planned.grouped.is_none() && planned.page.filter.is_all();
    let whole = of_rows && resource.shape.root().filter.is_none();
    let rows = resource.shape.root().table.estimated_rows;
    let is_asked = |rows: &u64| match query.count {
        Count::Estimated => true,
        Count::Auto => *rows > exact.saturating_mul(2),
        Count::None | Count::Exact => false,
    };
    rows.filter(|rows| whole && is_asked(rows))
}

/// An estimated total that agrees with the page: not below these rows, one of which may be that behind the page;
/// and where there are none, not above where it begins.
pub(crate) fn in_agreement(total: u64, exact: bool, offset: u64, rows: usize) -> (u64, bool) {
    let shown = u64::try_from(rows).map_or(0, |rows| offset.saturating_add(rows));
    match rows {
        _ if exact => (total, true),
        0 if offset > 0 => (total.min(offset), false),
        0 => (total, false),
        _ => (total.max(shown), false),
    }
}

/// Rows without a key may be equal, and of equal rows those behind the marker would be lost.
fn no_after(name: &str) -> Error {
    Error::new(Code::BadParameter, format!("{name} has no key that a page could begin after."))
        .at(Place::Parameter("after".into()))
        .hint("Use `offset`, or declare `key` for it in app.toml.")
}

/// A key of a type without `<`, such as `hstore`, whose index orders by operators of its own.
fn no_order(name: &str) -> Error {
    let message = format!("The type of the key of {name} has no order that a page could go on in.");
    Error::new(Code::BadParameter, message)
        .at(Place::Parameter("after".into()))
        .hint("Use `offset`.")
}

/// The order of values inside JSON has no marker.
fn no_marker() -> Error {
    let message =
        "Pages ordered by values inside JSON have no marker that a page could begin after.";
    Error::new(Code::BadParameter, message)
        .at(Place::Parameter("after".into()))
        .hint("Use `offset`, or order by columns.")
}

/// The error of a read, with the position in its filter of the value that the database could not read.
pub(crate) fn in_filter(
    error: Error,
    filter: Option<FilterText<'_>>,
    limits: &Limits,
    parameters: &[Parameter],
) -> Error {
    let carried = || {
        let number = usize::from(error.parameter?).checked_sub(1)?;
        let Parameter::Value { value: Value::Text(text), .. } = parameters.get(number)? else {
            return None;
        };
        filter?.operand_at(text, limits)
    };
    match carried() {
        Some(place) if error.place.is_none() => error.at(place),
        _ => error,
    }
}

/// Appends the key to the requested order, so that no two rows tie. A view without key is ordered by
/// every column of the `whole` document that can be: rows that still tie are shown alike. Columns
/// that are not served take no part, because the order would reveal them.
pub(crate) fn total_order(shape: &Shape, whole: &Shape, mut order: Vec<OrderBy>) -> Vec<OrderBy> {
    let columns = &shape.root().table.columns;
    let shown = if shape.key.is_empty() { shown_columns(whole) } else { Vec::new() };
    let sortable = |column: &&usize| match &columns[**column].ty {
        Type::Other => false,
        ty => ty.comparison() == Comparability::Order,
    };
    let rest = if shape.key.is_empty() { &shown } else { &shape.key };
    for &column in rest.iter().filter(|column| !shape.key.is_empty() || sortable(column)) {
        let column = ColumnRef { node: 0, column };
        if !order.iter().any(|term| term.value.whole_column() == Some(column)) {
            order.push(shape.order_by(column, Direction::Ascending));
        }
    }
    order
}

/// The root's columns that a document shows, in its order.
fn shown_columns(shape: &Shape) -> Vec<usize> {
    fn collect(members: &[Member], out: &mut Vec<usize>) {
        for member in members {
            match &member.kind {
                MemberKind::Column(column) if !column.hidden => out.push(column.column),
                MemberKind::Group(inner) => collect(inner, out),
                _ => {}
            }
        }
    }
    let mut columns = Vec::new();
    collect(&shape.root().members, &mut columns);
    columns
}

/// The values of a marker: one for each term of the order, and behind them the row's number, where it
/// counts and the key of the row holds NULL.
fn parse_after(order: &[OrderBy], by_row_number: bool, text: &str) -> Result<Vec<Value>> {
    let wrong = |message: String| {
        Error::new(Code::BadParameter, message)
            .at(Place::Parameter("after".into()))
            .hint("Follow the `next` link of a page, or start with an empty `after`.")
    };
    let joined =
        marker::decode(text).ok_or_else(|| wrong("`after` is not a marker of a page.".into()))?;
    let parts: Vec<&str> = joined.split(',').collect();
    let numbered = by_row_number && parts.len() == order.len() + 1;
    if parts.len() != order.len() && !numbered {
        return Err(wrong(format!(
            "`after` has {} values, but the order of this page has {}.",
            parts.len(),
            order.len()
        )));
    }
    let number = Type::Integer { bits: 64 };
    let types = order.iter().map(|term| &term.ty).chain([&number]);
    let value = |(part, ty): (&str, &Type)| {
        if part == "~" {
            return Ok(Value::Null);
        }
        if let Some(stored) = part.strip_prefix('~').filter(|rest| !rest.starts_with('~')) {
            return as_stored(stored)
                .ok_or_else(|| wrong("`after` is not a marker of a page.".into()));
        }
        let text = percent_decode(part)?;
        let text = text.strip_prefix('~').unwrap_or(&text);
        // A text that SQLite holds may have any character.
        if matches!(ty, Type::Text | Type::Char | Type::Dynamic | Type::Other) {
            return Ok(Value::Text(text.to_owned()));
        }
        parse_text(ty, text).map_err(|problem| match problem {
            ValueError::Nul => {
                Error::new(Code::NulCharacter, "Text cannot contain the NUL character (U+0000).")
            }
            ValueError::Form(expected) => wrong(format!("A value of `after` must be {expected}.")),
        })
    };
    parts.into_iter().zip(types).map(value).collect()
}

/// A value that goes with the form in which it is stored: `t` text, `u` text that is not UTF-8, `x` bytes, `=` a number.
fn as_stored(part: &str) -> Option<Value> {
    let (form, text) = part.split_at_checked(1)?;
    let text = percent_decode(text).ok()?;
    match form {
        "t" => Some(Value::Text(text)),
        "x" => parse_text(&Type::Binary, &text).ok(),
        "u" => match parse_text(&Type::Binary, &text).ok()? {
            Value::Bytes(bytes) => Some(Value::of_text(&bytes)),
            _ => None,
        },
        "=" => text.parse().map(Value::Int).or_else(|_| text.parse().map(Value::Float)).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use duet_filter::FieldIndex;
    use duet_model::Column;
    use duet_model::catalog::{Relation, RelationKind};
    use duet_model::{ColumnMember, Node, Operations};

    use super::*;

    fn shape(key: Vec<usize>) -> Shape {
        let table = Arc::new(Relation {
            schema: "main".into(),
            name: "t".into(),
            alias: None,
            kind: RelationKind::Table,
            columns: vec![
                Column::new("id", Type::Integer { bits: 64 }),
                Column::new("doc", Type::Json),
                Column::new("name", Type::Text),
            ],
            primary_key: vec![0],
            unique_keys: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            checks: Vec::new(),
            comment: None,
            estimated_rows: None,
            batchable: false,
            plain: false,
            links: Vec::new(),
            effects: duet_model::catalog::Effects::default(),
            query: None,
            withheld: duet_model::catalog::Withheld::default(),
            placement: duet_model::catalog::Placement::default(),
        });
        let member = |column| Member {
            name: format!("c{column}"),
            kind: MemberKind::Column(ColumnMember::read_only(column)),
        };
        let node = Node {
            table,
            link: None,
            members: [0, 1, 2].map(member).into(),
            filter: None,
            check_option: false,
            aggregates: Vec::new(),
            derived: Vec::new(),
            elements: duet_model::shape::Elements::default(),
            operations: Operations::default(),
        };
        Shape {
            name: "t".into(),
            nodes: vec![node],
            key,
            metadata: false,
            rules: Vec::new(),
            notice: None,
            style: duet_model::DocumentStyle::default(),
        }
    }

    /// 20,000 values, and the texts of statements that they take.
    #[test]
    fn values_of_filters_allocate_no_text() {
        let representation = Representation::new(shape(vec![0]), "t", &duet_sql::Sqlite);
        let fields = FieldIndex::new(&representation.shape);
        let forms: [&dyn Fn(usize) -> String; 4] = [
            &|n| format!(r#"{{"c0":{{"$gt":{n}}}}}"#),
            &|n| format!(r#"{{"$or":[{{"c2":"a{n}"}},{{"c0":{{"$in":[{n},7]}}}}]}}"#),
            &|n| format!(r#"{{"c1.a":{n},"$orderby":{{"c2":"DESC"}}}}"#),
            &|n| format!(r#"{{"c2":{{"$regex":"^a{n}"}}}}"#),
        ];
        let read = |n: usize| {
            let q = forms[n % forms.len()](n);
            let filter = duet_filter::parse(&q, &fields, &Limits::default()).unwrap();
            let order = total_order(&representation.shape, &representation.shape, filter.order);
            let page = Page {
                filter: filter.expr,
                order,
                by_row_number: false,
                after: (n % 8 > 3).then(|| vec![Value::Int(7); 2]).filter(|_| n % forms.len() == 2),
                offset: 0,
                limit: 25,
                arguments: Default::default(),
            };
            let read = representation.read_page(page, &duet_sql::Sqlite, CountOf::Nothing);
            (read.statements[0].sql.to_string(), read.statements[0].parameters.len())
        };
        let known: Vec<_> = (0..8).chain(0..8).map(read).collect();
        let written = representation.texts_written();
        for n in 0..20_000 {
            assert_eq!(read(n), known[n % 8], "{n}");
        }
        assert_eq!((written, representation.texts_written()), (5, 5));
    }

    fn columns(order: &[OrderBy]) -> Vec<usize> {
        order.iter().filter_map(|term| term.value.whole_column()).map(|it| it.column).collect()
    }

    #[test]
    fn the_order_is_total() {
        let total_order = |shape: &Shape, order| total_order(shape, shape, order);
        assert_eq!(columns(&total_order(&shape(vec![0]), Vec::new())), [0]);
        let by_name = |shape: &Shape| {
            vec![shape.order_by(ColumnRef { node: 0, column: 2 }, Direction::Descending)]
        };
        assert_eq!(columns(&total_order(&shape(vec![0]), by_name(&shape(vec![0])))), [2, 0]);
        assert_eq!(columns(&total_order(&shape(vec![]), Vec::new())), [0, 2]);
    }

    #[test]
    fn hidden_columns_order_nothing() {
        let (mut hides, whole) = (shape(vec![]), shape(vec![]));
        hides.nodes[0].members.remove(2);
        assert_eq!(columns(&total_order(&hides, &hides, Vec::new())), [0]);
        // What `fields=` leaves out is no secret, and keeps pages stable.
        assert_eq!(columns(&total_order(&hides, &whole, Vec::new())), [0, 2]);
    }

    #[test]
    fn markers() {
        let shape = shape(vec![0]);
        let order = total_order(
            &shape,
            &shape,
            vec![shape.order_by(ColumnRef { node: 0, column: 2 }, Direction::Ascending)],
        );
        let parsed = |joined: &str| parse_after(&order, false, &marker::encode(joined));
        assert_eq!(parsed("a%2Cb,7").unwrap(), [Value::Text("a,b".into()), Value::Int(7)]);
        assert_eq!(parsed("~,7").unwrap(), [Value::Null, Value::Int(7)]);
        assert_eq!(parsed("~~,7").unwrap()[0], Value::Text("~".into()));
        assert_eq!(parsed("a").unwrap_err().code, Code::BadParameter);
        assert_eq!(parsed("a,b").unwrap_err().code, Code::BadParameter);
        for wrong in ["a,7", "%zz", "é", "AA"] {
            let error = parse_after(&order, false, wrong).unwrap_err();
            assert_eq!(error.place, Some(Place::Parameter("after".into())), "{wrong}");
        }
    }
}
