//! What cannot be followed: one table for the refusal, the manual and the tests. The reasons are in the refusal alone.

use duet_model::{Code, Error, RelationKind, Result, Shape};

use crate::queries::query::PageParameters;
use crate::resources::resource::{Resource, ResourceKind};

/// Something that cannot be followed.
#[derive(Debug)]
pub struct RefusalRow {
    /// What it is.
    pub what: &'static str,
    /// Why not, and what can be done instead.
    pub why: &'static str,
    applies: fn(&Wish<'_>) -> bool,
}

/// What a subscriber wishes to follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish<'w> {
    pub(crate) resource: &'w Resource,
    /// Of a page.
    pub(crate) parameters: Option<&'w PageParameters>,
    /// Whether `expand` is given.
    pub(crate) expands: bool,
    /// Whether the filter has `$group`.
    pub(crate) groups: bool,
    /// Whether filter or order name documents of other resources.
    pub(crate) is_related: bool,
    /// Whether `ids` is given.
    pub(crate) lists_keys: bool,
}

impl Wish<'_> {
    fn gives(&self, what: fn(&PageParameters) -> bool) -> bool {
        self.parameters.is_some_and(what)
    }
}

const fn row(what: &'static str, why: &'static str, applies: fn(&Wish<'_>) -> bool) -> RefusalRow {
    RefusalRow { what, why, applies }
}

/// All of it.
pub const REFUSALS: &[RefusalRow] = &[
    row("a service or function", "its statement does not say which rows it depends on", |wish| {
        wish.resource.kind == ResourceKind::Service
    }),
    row(
        "a view of the database",
        "its rows cannot be found from changed rows of tables: follow a table or a duality view",
        |wish| {
            let mut nodes = wish.resource.shape.nodes.iter();
            let is_view =
                |kind| matches!(kind, RelationKind::View | RelationKind::MaterializedView);
            wish.resource.kind != ResourceKind::Service
                && nodes.any(|node| is_view(node.table.kind))
        },
    ),
    row(
        "a resource without a key",
        "its rows cannot be told apart: declare `key` in app.toml",
        |wish| wish.resource.kind != ResourceKind::Service && wish.resource.shape.key.is_empty(),
    ),
    row(
        "members that aggregate rows of other tables",
        "a changed row may concern any document",
        |wish| wish.resource.shape.has_aggregates(),
    ),
    row("`limit`", "the filter alone says what is followed", |wish| {
        wish.gives(PageParameters::has_limit)
    }),
    row("`offset`", "the filter alone says what is followed", |wish| {
        wish.gives(PageParameters::has_offset)
    }),
    row("`after`", "the filter alone says what is followed", |wish| {
        wish.gives(PageParameters::has_after)
    }),
    row(
        "`count` and `totalRecords`",
        "the event `complete` has the count, and the events after it change it",
        |wish| wish.gives(PageParameters::has_count),
    ),
    row("`facets`", "counts change with documents that are not sent", |wish| {
        wish.gives(PageParameters::has_facets)
    }),
    row("`explain`", "it is for pages: send `Accept: application/json`", |wish| {
        wish.gives(PageParameters::has_explain)
    }),
    row("`ids`", "use a filter such as `{\"id\":{\"$in\":[1,2]}}`", |wish| wish.lists_keys),
    row("`expand`", "related rows have rights of their own: follow their resource too", |wish| {
        wish.expands
    }),
    row("`$group`", "groups are not documents", |wish| wish.groups),
    row(
        "conditions on documents of other resources",
        "their changes would have to be looked for in every document",
        |wish| wish.is_related,
    ),
];

/// Whether documents of a shape can be followed at all.
pub fn can_follow(shape: &Shape) -> bool {
    let is_table =
        |table: &duet_model::Relation| table.kind == RelationKind::Table && table.query.is_none();
    !shape.key.is_empty()
        && !shape.has_aggregates()
        && shape.nodes.iter().all(|node| is_table(&node.table))
}

/// Refuses what cannot be followed, all of it in one message.
///
/// # Errors
/// [`Code::LiveRefused`]
pub(crate) fn check(wish: &Wish<'_>) -> Result<()> {
    let found = REFUSALS.iter().filter(|row| (row.applies)(wish));
    let found: Vec<String> = found.map(|row| format!("{} ({})", row.what, row.why)).collect();
    if found.is_empty() {
        return Ok(());
    }
    let name = &wish.resource.name;
    let message = format!("Changes of {name} cannot be followed with: {}.", found.join("; "));
    Err(Error::new(Code::LiveRefused, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_lists_what_is_refused() {
        let page = include_str!("../../../../docs/live.md");
        let all: Vec<&str> = REFUSALS.iter().map(|row| row.what).collect();
        let list = format!(" are {}.", all.join("; "));
        assert!(page.contains(&list), "{list}");
        for event in super::super::event::EVENTS {
            assert!(page.contains(&format!("| `{}` | {} |", event.name, event.text)), "{event:?}");
        }
    }
}
