//! Rows that one statement changes or removes, without reading them first: those of tables without a key, and those whose
//! key is changed.

use std::sync::Arc;

use async_trait::async_trait;
use duet_document::{Codec, FetchedRows, value_of};
use duet_model::catalog::GeneratedValue;
use duet_model::profiles::PostgrestGap;
use duet_model::row_tree::pointer;
use duet_model::{Code, Column, Error, Place, ReadPlan, Result, RowAction, Value};
use duet_sql::{AssignedValue, Dialect, delete_selected_statement, update_selected_statement};
use duet_store::{Action, Call, Done, Ending, Session, SharedStore, Write, Writes};
use duet_text::json::body::Body;
use duet_text::problem::quoted;

use super::columns::member;
use super::keyless::ReturnedRows;
use super::summary::{WriteSummary, not_singular, too_many};
use crate::resources::resource::Resource;
use crate::resources::violation::{About, named};
use crate::write::client_error;
use crate::write::mode::{WriteMode, ending};

/// What is done to the selected rows.
pub(super) enum RowsChange {
    /// Columns get values, at least one.
    Set(Vec<(usize, AssignedValue)>),
    /// They go.
    Delete,
    /// Nothing: no column gets a value.
    Nothing,
}

/// The change of rows that no key finds.
pub(super) struct SelectedJob {
    pub(super) store: SharedStore,
    pub(super) resource: Arc<Resource>,
    /// The page of the rows.
    pub(super) plan: ReadPlan,
    pub(super) change: RowsChange,
    pub(super) returned: Option<ReturnedRows>,
    pub(super) singular: bool,
    /// How many rows the request says that there are at most.
    pub(super) most: Option<u64>,
    /// How many rows a request may change.
    pub(super) limit: usize,
    pub(super) mode: WriteMode,
}

#[async_trait(?Send)]
impl Write for SelectedJob {
    type Output = WriteSummary;

    /// A filter may select any number of rows.
    fn is_large(&self) -> bool {
        true
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<WriteSummary>> {
        let written = self.written(session).await;
        written
            .map(|written| ending(self.mode, written))
            .map_err(|error| client_error(error, &self.resource, true))
    }
}

impl SelectedJob {
    async fn written(&self, session: &mut dyn Session) -> Result<WriteSummary> {
        let columns = self.returned.as_ref().map_or(&[][..], |returned| &returned.columns);
        let (dialect, resource) = (self.store.dialect(), &self.resource);
        let done = change(session, resource, dialect, &self.plan, &self.change, columns).await?;
        let rows = done.affected;
        check_limit(rows, self.limit)?;
        if self.most.is_some_and(|most| rows > most) {
            return Err(too_many(rows));
        }
        if self.singular && rows != 1 {
            return Err(not_singular(rows));
        }
        let body = self.returned.as_ref();
        let body = body.map(|returned| returned.whole(&FetchedRows::of_root(done.rows, 0), rows));
        Ok(WriteSummary { rows, inserted: 0, body: body.transpose()?, key: Vec::new() })
    }
}

/// Refuses more rows than a request may change.
pub(super) fn check_limit(rows: u64, limit: usize) -> Result<()> {
    if rows <= limit as u64 {
        return Ok(());
    }
    let message = format!(
        "The filter selects more than {limit} rows, which is the limit of one request (`--max-changed`). Nothing was changed."
    );
    Err(Error::new(Code::TooManyDocuments, message))
}

/// Changes the rows of a page, and gives back columns of them.
///
/// # Errors
/// [`PostgrestGap::FilterOfChange`] where the filter is about rows of other tables, and what the database says.
pub(super) async fn change(
    session: &mut dyn Session,
    resource: &Resource,
    dialect: &dyn Dialect,
    plan: &ReadPlan,
    change: &RowsChange,
    returned: &[usize],
) -> Result<Done> {
    let table = &resource.shape.root().table;
    let (statement, action, row_action) = match change {
        RowsChange::Nothing => {
            let rows = duet_document::RowSet::new(returned.len());
            return Ok(Done { affected: 0, rows });
        }
        RowsChange::Set(set) => (
            update_selected_statement(dialect, plan, set, returned),
            Action::Update { follows: true },
            RowAction::Update,
        ),
        RowsChange::Delete => {
            let statement = delete_selected_statement(dialect, plan, returned);
            (statement, Action::Delete, RowAction::Delete)
        }
    };
    let refusal = || PostgrestGap::FilterOfChange.refusal(&resource.name);
    let statement = statement.ok_or_else(refusal)?;
    let codecs = returned.iter().map(|&column| Codec::of(&table.columns[column].ty)).collect();
    let writes = Writes::AnyRow(Arc::clone(table), action);
    let done = session.run(&[Call { statement, codecs, writes }]).await;
    let done = done.map_err(|error| {
        let set = match change {
            RowsChange::Set(set) => set.iter().map(|(column, to)| (*column, known(to))).collect(),
            _ => Vec::new(),
        };
        let about = About { node: 0, pointer: "", action: row_action, set };
        named(error, &resource.shape, Some(&about))
    })?;
    done.into_iter().next().ok_or_else(|| Error::internal("a change without an end"))
}

fn known(assigned: &AssignedValue) -> Option<&Value> {
    match assigned {
        AssignedValue::Value(value) => Some(value),
        AssignedValue::Default => None,
    }
}

/// The values that an object gives to columns, and the columns that get their defaults.
///
/// # Errors
/// Members that are no columns or cannot be written, and values that do not fit, all of them.
pub(super) fn assigned(
    resource: &Resource,
    patch: &Body,
    defaults: &[String],
) -> Result<RowsChange> {
    let (mut set, mut mistakes) = (Vec::new(), Vec::new());
    for name in patch.names() {
        let Some(given) = patch.member(name) else { continue };
        match value(resource, name, &given) {
            Ok(assigned) => set.push(assigned),
            Err(mistake) => mistakes.push(mistake.at(Place::Pointer(pointer("", name)))),
        }
    }
    for name in defaults {
        match writable(resource, name) {
            Ok((column, _)) => set.push((column, AssignedValue::Default)),
            Err(mistake) => mistakes.push(mistake.at(Place::Parameter("columns".to_owned()))),
        }
    }
    if let Some(error) = Error::all_of(mistakes) {
        return Err(error);
    }
    Ok(if set.is_empty() { RowsChange::Nothing } else { RowsChange::Set(set) })
}

fn value(resource: &Resource, name: &str, given: &Body) -> Result<(usize, AssignedValue)> {
    let (at, column) = writable(resource, name)?;
    let value = value_of(column, &given.json()).map_err(|expected| {
        let message = format!("{} must be {expected}. Nothing was changed.", quoted(name));
        Error::new(Code::MemberValue, message)
    })?;
    Ok((at, AssignedValue::Value(value)))
}

/// The column of a name, if it can be written.
fn writable<'r>(resource: &'r Resource, name: &str) -> Result<(usize, &'r Column)> {
    let Some(found) = member(resource, name) else {
        let message = format!("{} has no member {}.", resource.name, quoted(name));
        return Err(Error::new(Code::UnknownMember, message));
    };
    let column = &resource.shape.root().table.columns[found.column];
    if column.generated == GeneratedValue::Computed || column.computed_by.is_some() {
        let message = format!("{} is computed, and cannot be written.", quoted(name));
        return Err(Error::new(Code::MemberGenerated, message));
    }
    Ok((found.column, column))
}
