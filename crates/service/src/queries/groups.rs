//! Lists with `$group`: the groups of a resource's rows, read as pages and streams of a relation of
//! their own.

use std::sync::Arc;

use duet_auth::ReadRight;
use duet_filter::{FieldIndex, FilterText, Grouping, Limits};
use duet_model::{
    ColumnRef, Direction, Error, Expr, Groups, NodeId, OrderBy, Page, Place, Result, Value,
};
use duet_sql::Dialect;

use crate::resources::representation::{Representation, project};

/// What a list reads where it is one of groups.
#[derive(Debug)]
pub(crate) struct GroupRead {
    /// The groups as documents.
    pub(crate) representation: Arc<Representation>,
    /// Which of them.
    pub(crate) page: Page,
    /// Which rows they are of.
    pub(crate) rows: Expr,
}

/// The rows that may be grouped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupedRows<'r> {
    /// Proof that the caller may read them.
    pub(crate) right: ReadRight<'r>,
    /// The name of their resource.
    pub(crate) name: &'r str,
    /// How they are listed.
    pub(crate) listed: &'r Representation,
    /// The fields that a filter may name.
    pub(crate) fields: &'r FieldIndex,
    /// The values of a service's parameters.
    pub(crate) arguments: &'r Arc<[Value]>,
}

/// The part of the groups that is read: which members, how many are skipped, how many at most.
#[derive(Clone, Copy)]
pub(crate) struct Slice<'q> {
    pub(crate) fields: Option<&'q str>,
    pub(crate) offset: u64,
    pub(crate) limit: u64,
}

/// The read of a list with `$group`; `None` where the filter has none.
///
/// # Errors
/// Whatever is wrong with the filter or `fields`, and where the caller may not read what is grouped.
pub(crate) fn read(
    rows: GroupedRows<'_>,
    filter: Option<FilterText<'_>>,
    slice: Slice<'_>,
    limits: &Limits,
    dialect: &dyn Dialect,
) -> Result<Option<GroupRead>> {
    let Slice { fields, offset, limit } = slice;
    let Some(FilterText::Json(text)) = filter else { return Ok(None) };
    let found = duet_filter::grouping(text, &rows.listed.shape, rows.fields, limits);
    let found = found.map_err(|error| match error.place {
        None => error.at(Place::Parameter("q".to_owned())),
        Some(_) => error,
    })?;
    let Some(grouping) = found else { return Ok(None) };
    let Some(groups) = Groups::of(&grouping.shape.root().table) else {
        return Err(Error::internal("groups without their rows"));
    };
    let aggregates = groups.aggregates.iter().filter_map(|aggregate| aggregate.of.as_ref());
    let values = groups.keys.iter().chain(aggregates).map(|of| &of.value);
    let named = values.chain([&groups.filter]).flat_map(Expr::nodes);
    rows.listed.check_related(rows.right, &named.collect::<Vec<NodeId>>())?;
    let of_rows = groups.filter.clone();
    let page = page(&grouping, offset, limit, rows.arguments);
    let name = format!("{}?$group", rows.name);
    let shape = match fields {
        Some(fields) => project(&grouping.shape, fields)?,
        None => grouping.shape,
    };
    let representation = Arc::new(Representation::new(shape, &name, dialect));
    Ok(Some(GroupRead { representation, page, rows: of_rows }))
}

/// The page: in the requested order, then by the keys, which no two groups have in common.
fn page(grouping: &Grouping, offset: u64, limit: u64, arguments: &Arc<[Value]>) -> Page {
    let mut order: Vec<OrderBy> = grouping.order.clone();
    for column in (0..grouping.keys).map(|column| ColumnRef { node: 0, column }) {
        if !order.iter().any(|term| term.value.whole_column() == Some(column)) {
            order.push(grouping.shape.order_by(column, Direction::Ascending));
        }
    }
    Page {
        filter: grouping.having.clone(),
        order,
        by_row_number: false,
        after: None,
        offset,
        limit,
        arguments: Arc::clone(arguments),
    }
}
