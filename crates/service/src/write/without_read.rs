//! Writes by a caller who may not read the document.
//!
//! Whether such a write succeeds must not depend on stored values, or repeated attempts, each undone
//! by `Prefer: tx=rollback`, would read them. An etag in a condition and a member that may be sent
//! but not changed are compared with stored values, so both are refused before anything is read.
//! What the outcome of every write reveals remains: whether the row exists, and whether a unique key
//! or a reference is taken.

use duet_model::catalog::GeneratedValue;
use duet_model::row_tree::pointer;
use duet_model::view_rule::{RuleStage, ViewRule};
use duet_model::{Code, ColumnMember, Error, Member, MemberKind, NodeId, Result, Shape};
use duet_text::error::Place;
use duet_text::json::{Json, JsonKind};
use duet_text::problem::quoted;

use crate::resources::resource::Resource;
use crate::write::conditions::{Conditions, Tags};
use crate::write::document::{DocumentOperation, WriteOutcome};

/// Refuses what would be compared with stored values.
///
/// # Errors
/// [`Code::Forbidden`], independent of stored values; and mistakes in the syntax of the body.
pub(crate) fn check(
    resource: &Resource,
    operation: &DocumentOperation,
    conditions: &Conditions,
) -> Result<()> {
    let by_tag = [&conditions.if_match, &conditions.if_none_match]
        .into_iter()
        .any(|tags| matches!(tags, Some(Tags::List(_))));
    if by_tag {
        return Err(needs_read(resource, "An etag in a condition"));
    }
    let (body, is_new) = match operation {
        DocumentOperation::Create { body } => (body, true),
        DocumentOperation::Replace { body, .. } | DocumentOperation::Patch { body, .. } => {
            (body, false)
        }
        DocumentOperation::Delete { .. } => return Ok(()),
    };
    let body = body.json();
    let JsonKind::Object(_) = &body.kind else { return Ok(()) };
    let etag = body.get("_metadata").and_then(|metadata| metadata.get("etag"));
    if resource.shape.metadata && !is_new && etag.is_some_and(|etag| !etag.is_null()) {
        let error = needs_read(resource, "`_metadata.etag`");
        return Err(error.at(Place::Pointer("/_metadata/etag".into())));
    }
    // What is stored decides, or what is read back.
    let is_merged = matches!(operation, DocumentOperation::Patch { .. });
    let reads =
        |rule: &ViewRule| is_merged || rule.stage == RuleStage::After || rule.condition.reads_old();
    if !is_new && resource.shape.rules.iter().any(|rule| rule.update && reads(rule)) {
        return Err(needs_read(resource, "A rule of the view"));
    }
    let row = Row { node: 0, is_new };
    Check { resource, shape: &resource.shape }.row(row, &body, "")
}

/// The outcome without the document that was written.
pub(crate) fn withheld(outcome: WriteOutcome) -> WriteOutcome {
    match outcome {
        WriteOutcome::Created(_) => WriteOutcome::Created(None),
        WriteOutcome::Changed(_) => WriteOutcome::Changed(None),
        other => other,
    }
}

fn needs_read(resource: &Resource, what: &str) -> Error {
    let message = format!(
        "{what} is compared with what is stored, and this client may not read {}.",
        resource.name
    );
    Error::new(Code::Forbidden, message)
        .hint("Leave it out, or use a client whose role allows `read`. `If-Match: *` is allowed.")
}

struct Check<'a> {
    resource: &'a Resource,
    shape: &'a Shape,
}

/// The row that an object of the body describes.
#[derive(Clone, Copy)]
struct Row {
    node: NodeId,
    /// Whether no such row is stored.
    is_new: bool,
}

impl Check<'_> {
    fn row(&self, row: Row, object: &Json<'_>, at: &str) -> Result<()> {
        self.members(row, &self.shape.nodes[row.node].members, object, at)
    }

    fn members(&self, row: Row, members: &[Member], object: &Json<'_>, at: &str) -> Result<()> {
        for member in members {
            let given = || object.get(&member.name);
            let place = || pointer(at, &member.name);
            match &member.kind {
                MemberKind::Column(column) if given().is_some() => {
                    self.column(row, *column, &place())?;
                }
                MemberKind::Group(inner) => {
                    if let Some(group) = given() {
                        self.members(row, inner, group, &place())?;
                    }
                }
                MemberKind::Object(child) => {
                    if let Some(object) = given() {
                        self.below(row, *child, &place(), vec![(object, place())])?;
                    }
                }
                MemberKind::Array(child) => {
                    if let Some(Json { kind: JsonKind::List(rows), .. }) = given() {
                        let places =
                            (0..).map(|index: usize| pointer(&place(), &index.to_string()));
                        self.below(row, *child, &place(), rows.iter().zip(places).collect())?;
                    }
                }
                MemberKind::Unnest(child) if self.names_any(*child, object) => {
                    self.below(row, *child, at, vec![(object, at.to_owned())])?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A column that must have the stored value, because it cannot be changed.
    fn column(&self, row: Row, member: ColumnMember, at: &str) -> Result<()> {
        let table = &self.shape.nodes[row.node].table;
        let identifies = match row.node {
            0 => self.shape.key.contains(&member.column),
            _ => table.identity().contains(&member.column),
        };
        let is_computed = table.columns[member.column].generated == GeneratedValue::Computed;
        if row.is_new || member.update || member.ignored || identifies || is_computed {
            return Ok(());
        }
        let name = at.rsplit('/').next().unwrap_or_default();
        let what = format!("{}, which cannot be changed here,", quoted(name));
        Err(needs_read(self.resource, &what).at(Place::Pointer(at.to_owned())))
    }

    /// Rows below a row: shared ones that it refers to, or its own.
    fn below(
        &self,
        parent: Row,
        node: NodeId,
        at: &str,
        rows: Vec<(&Json<'_>, String)>,
    ) -> Result<()> {
        let operations = self.shape.nodes[node].operations;
        let is_shared = self.shape.parent_refers(node);
        let compared = match is_shared {
            // Whether the reference changes decides about the refusal.
            true => !parent.is_new && !self.shape.nodes[parent.node].operations.update,
            // Whether rows are added, moved or removed does.
            false => {
                let all = operations.insert && operations.update && operations.delete;
                !parent.is_new && !all
            }
        };
        if compared {
            let what = format!("The rows at {}", quoted(at));
            return Err(needs_read(self.resource, &what).at(Place::Pointer(at.to_owned())));
        }
        // A stored row would have to be moved here, which is refused whatever it holds.
        let is_new = parent.is_new && !is_shared && !operations.update;
        for (row, place) in rows {
            self.row(Row { node, is_new }, row, &place)?;
        }
        Ok(())
    }

    /// Whether an object gives a member of a row that is merged into it.
    fn names_any(&self, node: NodeId, object: &Json<'_>) -> bool {
        fn any(shape: &Shape, members: &[Member], object: &Json<'_>) -> bool {
            members.iter().any(|member| match &member.kind {
                MemberKind::Unnest(child) => any(shape, &shape.nodes[*child].members, object),
                MemberKind::Flex(_) => false,
                _ => object.get(&member.name).is_some(),
            })
        }
        any(self.shape, &self.shape.nodes[node].members, object)
    }
}
