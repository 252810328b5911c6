//! The lists that are requested: their CQL, and what their documents must have.

/// A list: its request, and what its answer is checked against.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// Its name, as the published tables have it.
    pub name: &'static str,
    /// Its short name.
    pub short: &'static str,
    /// The path below the service's URL.
    pub path: &'static str,
    /// CQL. Placeholders in braces are members of the sought [order](Seek::Order) or [line](Seek::Line).
    pub cql: &'static str,
    /// What it looks for.
    pub seek: Seek,
    /// What each document of the page has.
    pub holds: &'static [Holds],
    /// The order of the page: members, compared one after the other.
    pub order: &'static [(&'static str, SortDirection)],
}

/// What a list looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seek {
    /// The same values in every request.
    Values,
    /// An order that is there, at random. Its members: `number`, `type`, `status`.
    Order,
    /// A line that is there, at random. Its members: `number`, `order`, `format`, `payment`, `word`.
    Line,
}

/// A member of each document, with its value; placeholders as in [`Query::cql`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The value is this one.
    Is(&'static str, &'static str),
    /// The text has this one in it, without regard to case.
    Has(&'static str, &'static str),
}

impl Holds {
    /// The member's name, and the expected value.
    pub fn parts(self) -> (&'static str, &'static str) {
        match self {
            Self::Is(member, value) | Self::Has(member, value) => (member, value),
        }
    }
}

/// The direction of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortDirection {
    /// Smaller values first.
    Ascending,
    /// Greater values first.
    Descending,
}

use SortDirection::{Ascending, Descending};
use Holds::{Has, Is};
use Seek::{Line, Order, Values};

/// The endpoints.
const PO: &str = "purchase-orders";
const ORDERS: &str = "orders";
const PL: &str = "po-lines";
const OL: &str = "order-lines";

const fn query(
    name: &'static str, short: &'static str, path: &'static str,
    seek: Seek,
    cql: &'static str,
    holds: &'static [Holds],
) -> Query {
    Query { name, short, path, cql, seek, holds, order: &[] }
}

impl Query {
    const fn ordered(self, order: &'static [(&'static str, SortDirection)]) -> Self {
        Self { order, ..self }
    }

    /// The member that holds the documents.
    pub fn list(&self) -> &'static str {
        if matches!(self.path.as_bytes(), b"purchase-orders" | b"orders") {
            "purchaseOrders"
        } else {
            "poLines"
        }
    }
}

const IS_OPEN: &[Holds] = &[Is("workflowStatus", "Open")];
const IS_PHYSICAL: &[Holds] = &[Is("orderFormat", "Physical Resource")];
const BY_DATE: &[(&str, SortDirection)] = &[("createdDate", Ascending)];

/// How many of [`QUERIES`] the published report has.
pub const PUBLISHED: usize = 10;

/// All lists: those of the report in its order, then those over several fields.
pub const QUERIES: [Query; 22] = [
    query(
        "search purchase-orders", "SEARCH-PO", PO,
        Order,
        "poNumber=={number}",
        &[Is("poNumber", "{number}")],
    ),
    query(
        "search orders", "SEARCH-O", ORDERS,
        Order,
        "poNumber=={number}",
        &[Is("poNumber", "{number}")],
    ),
    query(
        "search po-lines", "SEARCH-PL", PL,
        Line,
        "poLineNumber=={number}",
        &[Is("poLineNumber", "{number}")],
    ),
    query(
        "search order-lines", "SEARCH-OL", OL,
        Line,
        "poLineNumber=={number}",
        &[Is("poLineNumber", "{number}")],
    ),
    query("filter purchase-orders", "FILTER-PO", PO, Values, "workflowStatus==Open", IS_OPEN),
    query("filter orders", "FILTER-O", ORDERS, Values, "workflowStatus==Open", IS_OPEN),
    query(
        "filter po-lines", "FILTER-PL", PL,
        Values,
        "orderFormat==Physical Resource",
        IS_PHYSICAL,
    ),
    query(
        "filter order-lines", "FILTER-OL", OL,
        Values,
        "orderFormat==Physical Resource",
        IS_PHYSICAL,
    ),
    query(
        "sort orders", "SORT-O", ORDERS,
        Values,
        "workflowStatus==Open AND orderFormat=Physical Resource sortBy metadata.createdDate/sort.ascending",
        IS_OPEN,
    )
    .ordered(BY_DATE),
    query(
        "sort order-lines", "SORT-OL", OL,
        Values,
        "workflowStatus==Open AND orderFormat=Physical Resource sortBy metadata.createdDate/sort.ascending",
        IS_PHYSICAL,
    )
    .ordered(BY_DATE),
    query(
        "search purchase-orders, 3 fields", "MSEARCH-PO", PO,
        Order,
        "poNumber=={number} and orderType=={type} and workflowStatus=={status}",
        &[Is("poNumber", "{number}"), Is("orderType", "{type}"), Is("workflowStatus", "{status}")],
    ),
    query(
        "search orders, 3 fields", "MSEARCH-O", ORDERS,
        Line,
        "poNumber=={order} and poLineNumber=={number} and orderFormat==\"{format}\"",
        &[Is("poNumber", "{order}")],
    ),
    query(
        "search po-lines, 2 fields", "MSEARCH-PL", PL,
        Line,
        "title={word} and paymentStatus==\"{payment}\"",
        &[Has("title", "{word}"), Is("paymentStatus", "{payment}")],
    ),
    query(
        "search order-lines, 4 fields", "MSEARCH-OL", OL,
        Line,
        "poNumber=={order} and title={word} and orderFormat==\"{format}\" and paymentStatus==\"{payment}\"",
        &[Has("poLineNumber", "{order}-"), Has("title", "{word}"), Is("orderFormat", "{format}")],
    ),
    query(
        "filter purchase-orders, 3 fields", "MFILTER-PO", PO,
        Values,
        "workflowStatus==Open and orderType==One-Time and approved==true",
        &[Is("workflowStatus", "Open"), Is("orderType", "One-Time"), Is("approved", "true")],
    ),
    query(
        "filter orders, 3 fields", "MFILTER-O", ORDERS,
        Values,
        "workflowStatus==Open and orderFormat==\"Physical Resource\" and receiptStatus==\"Awaiting Receipt\"",
        IS_OPEN,
    ),
    query(
        "filter po-lines, 4 fields", "MFILTER-PL", PL,
        Values,
        "orderFormat==\"P/E Mix\" and receiptStatus==\"Awaiting Receipt\" and paymentStatus==\"Awaiting Payment\" and source==User",
        &[
            Is("orderFormat", "P/E Mix"),
            Is("receiptStatus", "Awaiting Receipt"),
            Is("paymentStatus", "Awaiting Payment"),
            Is("source", "User"),
        ],
    ),
    query(
        "filter order-lines, 2 fields", "MFILTER-OL", OL,
        Values,
        "workflowStatus==Closed and orderFormat==\"Electronic Resource\"",
        &[Is("orderFormat", "Electronic Resource")],
    ),
    query(
        "sort purchase-orders, 2 fields", "MSORT-PO", PO,
        Values,
        "workflowStatus==Closed sortBy orderType metadata.createdDate/sort.descending",
        &[Is("workflowStatus", "Closed")],
    )
    .ordered(&[("orderType", Ascending), ("createdDate", Descending)]),
    query(
        "sort orders, 2 fields", "MSORT-O", ORDERS,
        Values,
        "workflowStatus==Open and orderFormat==\"P/E Mix\" sortBy orderType/sort.descending poNumber",
        IS_OPEN,
    )
    .ordered(&[("orderType", Descending), ("poNumber", Ascending)]),
    query(
        "sort po-lines, 2 fields", "MSORT-PL", PL,
        Values,
        "orderFormat==\"Physical Resource\" sortBy paymentStatus metadata.createdDate/sort.descending",
        IS_PHYSICAL,
    )
    .ordered(&[("paymentStatus", Ascending), ("createdDate", Descending)]),
    query(
        "sort order-lines, 2 fields", "MSORT-OL", OL,
        Values,
        "workflowStatus==Open and orderFormat==\"P/E Mix\" sortBy receiptStatus poLineNumber/sort.descending",
        &[Is("orderFormat", "P/E Mix")],
    )
    .ordered(&[("receiptStatus", Ascending), ("poLineNumber", Descending)]),
];
