//! Which documents of a resource a request selects, and in which order.
//!
//! A selection is the only way from a filter to a plan, and it is made only with the right to read
//! the resource: filters, orders and markers reveal values that the caller must not see.

use std::sync::Arc;

use duet_auth::ReadRight;
use duet_filter::{FieldIndex, FilterText, Limits};
use duet_model::{Error, Expr, NodeId, OrderBy, Page, ReadPlan, Result, Shape, Value};

use crate::resources::representation::Representation;
use crate::resources::resource::Resource;

/// The documents that a filter selects, in an order.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    filter: Expr,
    order: Vec<OrderBy>,
}

/// Which part of the selected documents is read.
#[derive(Clone, Debug)]
pub(crate) struct PageSlice {
    /// Whether rows whose key holds NULL are distinguished by their number.
    pub(crate) by_row_number: bool,
    /// Only rows after these values of the order.
    pub(crate) after: Option<Vec<Value>>,
    /// How many documents are skipped.
    pub(crate) offset: u64,
    /// How many are read at most.
    pub(crate) limit: u64,
    /// The values of a service's parameters.
    pub(crate) arguments: Arc<[Value]>,
}

impl Selection {
    /// Reads a filter; without one everything is selected. `fields` are those that it may name.
    ///
    /// # Errors
    /// Whatever is wrong with the filter.
    pub(crate) fn new(
        right: ReadRight<'_>,
        resource: &Resource,
        fields: &FieldIndex,
        text: Option<FilterText<'_>>,
        limits: &Limits,
    ) -> Result<Self> {
        if !right.is_for(&resource.access) {
            return Err(Error::internal("the right to read another resource"));
        }
        let Some(text) = text else { return Ok(Self { filter: Expr::all(), order: Vec::new() }) };
        let filter = duet_filter::parse_text(text, fields, limits)?;
        Ok(Self { filter: filter.expr, order: filter.order })
    }

    /// The documents for which an expression holds, in no order.
    ///
    /// # Errors
    /// Where the right is to another resource.
    pub(crate) fn of_expr(right: ReadRight<'_>, resource: &Resource, filter: Expr) -> Result<Self> {
        match right.is_for(&resource.access) {
            true => Ok(Self { filter, order: Vec::new() }),
            false => Err(Error::internal("the right to read another resource")),
        }
    }

    /// Gives conditions on joined documents their meaning, and sees that the caller may read the related ones
    /// that the request names: a search reveals their content.
    ///
    /// # Errors
    /// [`duet_model::Code::Forbidden`] where they may not be read.
    pub(crate) fn over_related(
        &mut self,
        right: ReadRight<'_>,
        representation: &Representation,
    ) -> Result<()> {
        let of_order = self.order.iter().flat_map(|term| term.value.nodes());
        let named: Vec<NodeId> = self.filter.nodes().into_iter().chain(of_order).collect();
        representation.check_related(right, &named)?;
        let filter = std::mem::replace(&mut self.filter, Expr::all());
        self.filter = representation.shape.over_joined_rows(filter);
        Ok(())
    }

    /// The requested order.
    pub(crate) fn order(&self) -> &[OrderBy] {
        &self.order
    }

    /// The same documents in another order.
    pub(crate) fn ordered(self, order: Vec<OrderBy>) -> Self {
        Self { order, ..self }
    }

    /// The plan that reads a part of the documents. `shape` is the part of each that is read.
    pub(crate) fn plan(self, shape: Arc<Shape>, part: PageSlice) -> ReadPlan {
        ReadPlan::page(shape, self.page(part))
    }

    /// A part of the documents.
    pub(crate) fn page(self, part: PageSlice) -> Page {
        let PageSlice { by_row_number, after, offset, limit, arguments } = part;
        let Self { filter, order } = self;
        Page { filter, order, by_row_number, after, offset, limit, arguments }
    }
}
