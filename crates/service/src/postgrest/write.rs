//! Writes rows of a table as PostgREST does: several at once, those that a filter selects, and those that exist or not.
//!
//! Each row is written by the same steps as a document (`write/document.rs`), all in one transaction, and the rows that
//! are answered are read in it.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use duet_auth::ReadRight;
use duet_document::{Codec, PageFrame, PageTail, value_of};
use duet_filter::postgrest::Request;
use duet_model::key::parse_key;
use duet_model::profiles::{PostgrestCode, PostgrestGap};
use duet_model::{
    Code, ColumnRef, Compare, Error, Expr, OrderBy, Page, Place, ReadPlan, Result, Shape, Type,
    Value,
};
use duet_sql::pages_by_row_number;
use duet_store::{CountOf, Ending, PageRead, Session, SharedStore, Write};
use duet_text::json::JsonKind;
use duet_text::json::body::Body;

use super::keyless::{KeylessJob, ReturnedRows};
use super::read::{NO_LINKS, TableForm, csv};
use super::selected_rows::{RowsChange, SelectedJob, assigned, change, check_limit};
use super::summary::{WriteSummary, named_key, not_singular, too_many, unless_kept};
use super::tree::{Ground, Tree};
use crate::build::mount::Mount;
use crate::definition::WriteLimits;
use crate::hosting::context::RequestContext;
use crate::queries::page;
use crate::queries::selection::Selection;
use crate::read::large_page;
use crate::read::large_page::PageSurround;
use crate::read::pages::no_items;
use crate::resources::representation::Representation;
use crate::resources::resource::Resource;
use crate::resources::routine::RoutineResource;
use crate::write::mode::{WriteMode, ending, writable};
use crate::write::notices::NoticeList;
use crate::write::selection::{keys_of, keys_plan};
use crate::write::{DocumentOperation, DocumentTarget, OwnedLinks, WriteOutcome, client_error};

/// What is written.
#[derive(Clone, Debug)]
pub enum TableChange {
    /// New rows.
    Insert {
        /// The rows.
        rows: Vec<Body>,
        /// What becomes of those that exist.
        upsert: Option<Upsert>,
    },
    /// Columns of the selected rows.
    Update {
        /// Their values.
        patch: Body,
        /// The names of those that get their defaults.
        defaults: Vec<String>,
    },
    /// The selected rows go.
    Delete,
}

/// What becomes of new rows that exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upsert {
    /// The positions of the columns by which a row is known.
    columns: Vec<usize>,
    /// Whether the row is changed; otherwise it stays.
    merges: bool,
}

impl Upsert {
    /// Whether a row that exists is changed.
    pub fn merges(&self) -> bool {
        self.merges
    }

    /// By the named columns of a resource, or by its key; `None` where it has none.
    ///
    /// # Errors
    /// Where no unique key has these columns.
    pub fn of(resource: &Resource, named: Option<&[String]>, merges: bool) -> Result<Option<Self>> {
        let table = &resource.shape.root().table;
        let Some(named) = named else {
            let columns = table.primary_key.clone();
            return Ok((!columns.is_empty()).then_some(Self { columns, merges }));
        };
        let place = || Place::Parameter("on_conflict".to_owned());
        let column = |name: &String| {
            super::columns::member(resource, name).map(|member| member.column).ok_or_else(|| {
                let message = format!("column \"{name}\" does not exist");
                PostgrestCode::NoColumn.error(message).at(place())
            })
        };
        let columns: Vec<usize> = named.iter().map(column).collect::<Result<_>>()?;
        if table.is_key(&columns) {
            return Ok(Some(Self { columns, merges }));
        }
        let message =
            "there is no unique or exclusion constraint matching the ON CONFLICT specification";
        Err(PostgrestCode::NoConstraint.error(message).at(place()))
    }
}

/// A write of rows of a table.
#[derive(Clone)]
pub struct TableWrite<'q> {
    /// Proof that the caller may read the table.
    pub right: ReadRight<'q>,
    /// The mount, whose resources may be embedded in the answer.
    pub mount: &'q Mount,
    /// Whether the caller may read all of another resource.
    pub readable: &'q dyn Fn(&Resource) -> bool,
    /// Whether the caller may run a function, which computes fields and related rows.
    pub runnable: &'q dyn Fn(&RoutineResource) -> bool,
    /// What the query string says.
    pub request: &'q Request,
    /// Whether values may be computed of many rows, so that their refusal is another one.
    pub aggregates: bool,
    /// The table.
    pub resource: &'q Arc<Resource>,
    /// What is written.
    pub change: TableChange,
    /// The form of the rows that are answered, where they are.
    pub returned: Option<TableForm>,
    /// Whether the key of the only new row is answered, where rows are not.
    pub names_key: bool,
    /// Whether there must be exactly one.
    pub singular: bool,
    /// How many there may be at most.
    pub most: Option<u64>,
    /// Whether everything is undone in the end.
    pub dry_run: bool,
}

impl RequestContext<'_> {
    /// Writes rows of a table.
    ///
    /// # Errors
    /// Those of PostgREST for what the request names, and what the rows or the database say; nothing is changed then.
    pub async fn write_table(&self, write: TableWrite<'_>) -> Result<WriteSummary> {
        let service = self.service();
        let (limits, resource) = (service.limits(), write.resource);
        let ground = Ground {
            mount: write.mount,
            request: write.request,
            readable: write.readable,
            runnable: write.runnable,
            limits: &limits.filter,
            most: limits.expand_relations,
            aggregates: write.aggregates,
            zoned: false,
        };
        let tree = ground.tree(resource)?;
        if tree.is_grouped || tree.shape.has_aggregates() {
            let place = Place::Parameter("select".to_owned());
            return Err(PostgrestGap::AggregateOfWrite.refusal(&resource.name).at(place));
        }
        let store = service.store().clone();
        if !resource.has_items() {
            return self.write_unkeyed(write, tree, store).await;
        }
        // Without a right to read all columns a row is not found by its key, but one statement may still write it.
        let is_sorted = write.returned.is_some() && !tree.order.is_empty();
        let is_upsert = matches!(write.change, TableChange::Insert { upsert: Some(_), .. });
        let has_role = self.identity().is_some();
        let again = (has_role && !is_sorted && !is_upsert).then(|| (write.clone(), tree.clone()));
        let written = self.write_by_keys(write, tree, store.clone()).await;
        match (written, again) {
            (Err(denied), Some((write, tree))) if is_denied(&denied) => {
                let written = Box::pin(self.write_unkeyed(write, tree, store)).await;
                written.map_err(|error| if is_denied(&error) { denied } else { error })
            }
            (written, _) => written,
        }
    }

    /// Writes rows that are found by their keys.
    async fn write_by_keys(
        &self,
        write: TableWrite<'_>,
        tree: Tree,
        store: SharedStore,
    ) -> Result<WriteSummary> {
        let (service, resource) = (self.service(), write.resource);
        let Tree { shape, filter, order, .. } = tree;
        let dialect = store.dialect();
        let selection = Selection::of_expr(write.right, resource, filter)?;
        let most = service.write_limits().documents as u64;
        let keys = PageRead::new(keys_plan(&shape, selection, most), dialect, CountOf::Nothing);
        let order = page::total_order(&shape, &resource.shape, order);
        let name = format!("{}?select", resource.name);
        let returned = write.returned.map(|form| {
            let representation = Arc::new(Representation::new(shape, &name, dialect));
            AnswerRows { representation, order, form }
        });
        let job = TableJob {
            resource: Arc::clone(resource),
            limits: service.write_limits(),
            keys,
            returned,
            change: write.change,
            singular: write.singular,
            most: write.most,
            mode: WriteMode { dry_run: write.dry_run, explain: false },
            store: store.clone(),
        };
        // A row that another client has inserted meanwhile is found by the next attempt.
        let upserts = matches!(job.change, TableChange::Insert { upsert: Some(_), .. });
        let finds = |error: &Error| upserts && error.code == Code::UniqueViolation;
        self.write_framed(job, &finds).await
    }
}

/// Whether the database withholds a right.
fn is_denied(error: &Error) -> bool {
    matches!(error.code, Code::RoleDenied | Code::DatabaseDenied)
}

impl RequestContext<'_> {
    /// Writes rows without a key by one statement each for what is new, and for all that is changed or removed.
    async fn write_unkeyed(
        &self,
        write: TableWrite<'_>,
        tree: Tree,
        store: SharedStore,
    ) -> Result<WriteSummary> {
        match write.change {
            TableChange::Insert { .. } => self.insert_unkeyed(write, tree, store).await,
            _ => self.change_unkeyed(write, tree, store).await,
        }
    }

    /// Changes or removes rows of a table without a key.
    async fn change_unkeyed(
        &self,
        write: TableWrite<'_>,
        tree: Tree,
        store: SharedStore,
    ) -> Result<WriteSummary> {
        let resource = write.resource;
        let change = match &write.change {
            TableChange::Update { patch, defaults } => assigned(resource, patch, defaults)?,
            TableChange::Delete => RowsChange::Delete,
            TableChange::Insert { .. } => return Err(no_items(resource)),
        };
        if write.returned.is_some() && !tree.order.is_empty() {
            return Err(PostgrestGap::ReturnedWithoutKey.refusal(&resource.name));
        }
        let limit = self.service().write_limits().documents;
        let selection = Selection::of_expr(write.right, resource, tree.filter.clone())?;
        let job = SelectedJob {
            store,
            resource: Arc::clone(resource),
            plan: keys_plan(&resource.shape, selection, limit as u64),
            change,
            returned: write
                .returned
                .map(|form| ReturnedRows::of(resource, tree, form))
                .transpose()?,
            singular: write.singular,
            most: write.most,
            limit,
            mode: WriteMode { dry_run: write.dry_run, explain: false },
        };
        self.write_framed(job, &|_| false).await
    }

    /// Inserts rows of a table without a key.
    async fn insert_unkeyed(
        &self,
        write: TableWrite<'_>,
        tree: Tree,
        store: SharedStore,
    ) -> Result<WriteSummary> {
        let TableChange::Insert { rows, .. } = write.change else {
            return Err(no_items(write.resource));
        };
        let returned = write.returned.map(|form| ReturnedRows::of(write.resource, tree, form));
        let job = KeylessJob {
            store,
            resource: Arc::clone(write.resource),
            rows,
            returned: returned.transpose()?,
            names_key: write.names_key,
            singular: write.singular,
            mode: WriteMode { dry_run: write.dry_run, explain: false },
        };
        self.write_framed(job, &|_| false).await
    }
}

/// The rows that are answered.
struct AnswerRows {
    representation: Arc<Representation>,
    order: Vec<OrderBy>,
    form: TableForm,
}

struct TableJob {
    store: SharedStore,
    resource: Arc<Resource>,
    limits: WriteLimits,
    /// The keys of the selected rows.
    keys: PageRead,
    returned: Option<AnswerRows>,
    change: TableChange,
    singular: bool,
    most: Option<u64>,
    mode: WriteMode,
}

/// The keys of rows.
type Keys = Vec<Vec<Value>>;

#[async_trait(?Send)]
impl Write for TableJob {
    type Output = WriteSummary;

    /// A filter may select any number of rows.
    fn is_large(&self) -> bool {
        true
    }

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<WriteSummary>> {
        let (links, notices) = (OwnedLinks::default(), NoticeList::default());
        let target = DocumentTarget {
            resource: &self.resource,
            writable: writable(&self.resource)?,
            dialect: self.store.dialect(),
            links: &links,
            author: None,
            explain: false,
            tried: true,
            last: false,
            blind: false,
            notices: &notices,
        };
        let written = self.written(session, &target).await;
        if written.is_ok() {
            notices.record(session, self.store.dialect()).await?;
        }
        written
            .map(|written| ending(self.mode, written))
            .map_err(|error| client_error(error, &self.resource, true))
    }
}

impl TableJob {
    async fn written(
        &self,
        session: &mut dyn Session,
        target: &DocumentTarget<'_>,
    ) -> Result<WriteSummary> {
        let (keys, inserted, body) = match &self.change {
            TableChange::Insert { rows, upsert } => {
                let (keys, inserted) = self.insert(session, target, rows, upsert.as_ref()).await?;
                let body = self.body(session, &keys).await?;
                (keys, inserted, body)
            }
            TableChange::Update { patch, defaults } => {
                let keys = self.update(session, target, patch, defaults).await?;
                self.check_number(keys.len())?;
                let body = self.body(session, &keys).await?;
                (keys, 0, body)
            }
            TableChange::Delete => {
                let keys = self.selected(session).await?;
                self.check_number(keys.len())?;
                target.locked(session, &keys).await?;
                let body = self.body(session, &keys).await?;
                // What is shown is read before it goes, and a trigger may keep some of it.
                if body.is_some() {
                    session.savepoint().await?;
                }
                let gone = self.delete(session, target, &keys).await?;
                if gone.len() < keys.len() && body.is_some() {
                    session.rollback_to_savepoint().await?;
                    let body = self.body(session, &gone).await?;
                    let gone = self.delete(session, target, &gone).await?;
                    (gone, 0, body)
                } else {
                    if body.is_some() {
                        session.release_savepoint().await?;
                    }
                    (gone, 0, body)
                }
            }
        };
        self.check_number(keys.len())?;
        let key = match &keys[..] {
            [only] => named_key(&self.resource.shape, only),
            _ => Vec::new(),
        };
        Ok(WriteSummary { rows: keys.len() as u64, inserted, body, key })
    }

    /// Removes rows. Gives the keys of those that a trigger has not kept.
    async fn delete(
        &self,
        session: &mut dyn Session,
        target: &DocumentTarget<'_>,
        keys: &Keys,
    ) -> Result<Keys> {
        let mut gone = Keys::with_capacity(keys.len());
        for key in keys {
            let Some(now) = target.current(session, key).await? else { continue };
            let operation = DocumentOperation::Delete { key: key.clone() };
            let outcome = target.write_locked(session, &operation, Some(&now), None).await;
            gone.extend(unless_kept(outcome)?.map(|_| key.clone()));
        }
        Ok(gone)
    }

    /// Inserts rows, or changes those that exist. Gives the keys of all that were written, and how many are new.
    async fn insert(
        &self,
        session: &mut dyn Session,
        target: &DocumentTarget<'_>,
        rows: &[Body],
        upsert: Option<&Upsert>,
    ) -> Result<(Keys, u64)> {
        let (mut keys, mut inserted) = (Keys::new(), 0);
        let merges = upsert.is_some_and(Upsert::merges);
        // The texts of the keys that this upsert has written.
        let mut written = HashSet::new();
        for row in rows {
            let known = match upsert {
                Some(upsert) => self.known(session, row, upsert).await?,
                None => None,
            };
            let is_second = |key: &Vec<Value>| !written.insert(format!("{key:?}"));
            if merges && known.as_ref().is_some_and(is_second) {
                return Err(key_twice());
            }
            if let Some(key) = known.as_ref().filter(|_| merges && self.sets_whole_values(row)) {
                let of_key = of_keys(&self.resource.shape, std::slice::from_ref(key));
                let page = self.keys_where(of_key).plan;
                keys.extend(self.set_at_once(session, &page, row, &[]).await?);
                continue;
            }
            let operation = match (known, upsert) {
                (Some(_), Some(Upsert { merges: false, .. })) => continue,
                (Some(key), _) => DocumentOperation::Patch { key, body: row.clone() },
                (None, _) => DocumentOperation::Create { body: row.clone() },
            };
            let stored = match operation.key() {
                None => None,
                Some(key) => {
                    target.locked(session, std::slice::from_ref(key)).await?.pop().flatten()
                }
            };
            let is_new = operation.key().is_none();
            let outcome = target.write_locked(session, &operation, stored.as_ref(), None).await;
            let Some(outcome) = unless_kept(outcome)? else { continue };
            inserted += u64::from(is_new);
            let key = self.key_of(outcome)?;
            written.extend(key.iter().filter(|_| is_new).map(|key| format!("{key:?}")));
            keys.extend(key);
        }
        Ok((keys, inserted))
    }

    /// Changes the selected rows.
    async fn update(
        &self,
        session: &mut dyn Session,
        target: &DocumentTarget<'_>,
        patch: &Body,
        defaults: &[String],
    ) -> Result<Keys> {
        if patch.names().next().is_none() && defaults.is_empty() {
            return Ok(Keys::new());
        }
        let table = &self.resource.shape.root().table;
        let is_given = |column: &usize| {
            let name = table.columns[*column].served_name();
            patch.names().any(|given| given == name)
        };
        let sets_key = self.resource.shape.key.iter().any(is_given);
        if !defaults.is_empty() || sets_key || self.sets_whole_values(patch) {
            return self.update_at_once(session, patch, defaults).await;
        }
        let keys = self.selected(session).await?;
        target.locked(session, &keys).await?;
        // What has changed while the locks were waited for may not be selected any more.
        let mut written = Keys::new();
        for key in self.selected(session).await?.into_iter().filter(|key| keys.contains(key)) {
            let Some(now) = target.current(session, &key).await? else { continue };
            let operation = DocumentOperation::Patch { key, body: patch.clone() };
            let outcome = target.write_locked(session, &operation, Some(&now), None).await;
            let outcome = unless_kept(outcome)?;
            written.extend(outcome.map(|outcome| self.key_of(outcome)).transpose()?.flatten());
        }
        Ok(written)
    }

    /// Whether a body has a value that a merge patch of the shown row would not set as it is given: JSON and composites
    /// would be merged, and of a domain with a form of its own, what is shown does not say whether the value is another one.
    fn sets_whole_values(&self, body: &Body) -> bool {
        let columns = &self.resource.shape.root().table.columns;
        let is_whole = |ty: &Type| {
            matches!(ty, Type::Json | Type::Composite(_)) || ty.domain_casts().is_some()
        };
        let mut whole = columns.iter().filter(|column| is_whole(&column.ty));
        whole.any(|column| body.member(&column.served_name()).is_some())
    }

    /// Changes the selected rows by one statement, their keys too. Gives the keys that they have then.
    async fn update_at_once(
        &self,
        session: &mut dyn Session,
        patch: &Body,
        defaults: &[String],
    ) -> Result<Keys> {
        self.set_at_once(session, &self.keys.plan, patch, defaults).await
    }

    /// The same for the rows of a page.
    async fn set_at_once(
        &self,
        session: &mut dyn Session,
        page: &ReadPlan,
        patch: &Body,
        defaults: &[String],
    ) -> Result<Keys> {
        let shape = &self.resource.shape;
        let set = assigned(&self.resource, patch, defaults)?;
        let dialect = self.store.dialect();
        let done = change(session, &self.resource, dialect, page, &set, &shape.key).await?;
        check_limit(done.affected, self.limits.documents)?;
        let columns = &shape.root().table.columns;
        let codecs: Vec<Codec> =
            shape.key.iter().map(|&column| Codec::of(&columns[column].ty)).collect();
        let key = |row| {
            codecs
                .iter()
                .enumerate()
                .map(|(at, codec)| codec.value(done.rows.get(row, at)))
                .collect()
        };
        Ok((0..done.rows.len()).map(key).collect())
    }

    /// The key of the row that has the values of a new row in the columns of an upsert.
    async fn known(
        &self,
        session: &mut dyn Session,
        row: &Body,
        upsert: &Upsert,
    ) -> Result<Option<Vec<Value>>> {
        let shape = &self.resource.shape;
        let table = &shape.root().table;
        let mut filter = Vec::new();
        for &column in &upsert.columns {
            let about = &table.columns[column];
            let given = row.member(&about.served_name());
            let Some(given) = given.filter(|given| given.json().kind != JsonKind::Null) else {
                return Ok(None);
            };
            let value = value_of(about, &given.json()).map_err(|_| {
                let message = format!("invalid input for column {:?}", about.served_name());
                PostgrestCode::Operand.error(message)
            })?;
            let operand = Expr::operand(value, &about.ty);
            filter.push(Expr::compare(Compare::Eq, ColumnRef { node: 0, column }, operand));
        }
        let read = self.keys_where(Expr::And(filter));
        let answer = session.page(&read).await?;
        Ok(keys_of(&read.plan, &answer).into_iter().next())
    }

    /// A read of the keys of rows.
    fn keys_where(&self, filter: Expr) -> PageRead {
        let plan = self.keys.plan.of_another_page(Page {
            filter,
            order: self.keys_order(),
            by_row_number: false,
            after: None,
            offset: 0,
            limit: 1,
            arguments: Arc::default(),
        });
        PageRead::new(plan, self.store.dialect(), CountOf::Nothing)
    }

    fn keys_order(&self) -> Vec<OrderBy> {
        match &self.keys.plan.root {
            duet_model::Root::Page(page) => page.order.clone(),
            duet_model::Root::Keys => Vec::new(),
        }
    }

    /// The keys of the selected rows, in their order.
    async fn selected(&self, session: &mut dyn Session) -> Result<Keys> {
        let answer = session.page(&self.keys).await?;
        let keys = keys_of(&self.keys.plan, &answer);
        check_limit(keys.len() as u64, self.limits.documents)?;
        Ok(keys)
    }

    /// The key of a row that was written.
    fn key_of(&self, outcome: WriteOutcome) -> Result<Option<Vec<Value>>> {
        let (WriteOutcome::Created(Some(written)) | WriteOutcome::Changed(Some(written))) = outcome
        else {
            return Ok(None);
        };
        written.key.map(|key| parse_key(&self.resource.shape, &key)).transpose()
    }

    fn check_number(&self, rows: usize) -> Result<()> {
        let rows = rows as u64;
        if self.most.is_some_and(|most| rows > most) {
            return Err(too_many(rows));
        }
        match self.singular && rows != 1 {
            true => Err(not_singular(rows)),
            false => Ok(()),
        }
    }

    /// The rows of these keys as they are answered.
    async fn body(&self, session: &mut dyn Session, keys: &Keys) -> Result<Option<Vec<u8>>> {
        let Some(AnswerRows { representation, order, form }) = &self.returned else {
            return Ok(None);
        };
        let dialect = self.store.dialect();
        let shape = &representation.shape;
        let page = Page {
            filter: of_keys(shape, keys),
            order: order.clone(),
            by_row_number: pages_by_row_number(dialect, shape),
            after: None,
            offset: 0,
            limit: keys.len() as u64,
            arguments: Arc::default(),
        };
        let read = representation.read_page(page, dialect, CountOf::Nothing);
        let answer = session.page(&read).await?;
        let limit = keys.len() as u64;
        if *form == TableForm::Csv {
            return csv(representation, &answer.fetched, limit).map(|body| Some(body.text));
        }
        let frame = PageFrame { limit, offset: 0, total: None };
        let tail = PageTail { links: &|_| String::new() };
        let surround = PageSurround { frame: &frame, bare: true, links: &NO_LINKS, tail: &tail };
        let (body, _) = large_page::write(representation, &answer.fetched, &surround)?;
        Ok(Some(body.text))
    }
}

/// PostgreSQL changes a row once in a statement.
fn key_twice() -> Error {
    let message = "ON CONFLICT DO UPDATE command cannot affect row a second time";
    PostgrestCode::KeyTwice.error(message).hint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")
}

/// The rows of these keys.
fn of_keys(shape: &Shape, keys: &[Vec<Value>]) -> Expr {
    let columns = &shape.root().table.columns;
    let operand = |value: &Value, column: usize| Expr::operand(value.clone(), &columns[column].ty);
    if let [column] = shape.key[..] {
        let values = keys.iter().filter_map(|key| key.first());
        let values = values.map(|value| operand(value, column)).collect();
        return Expr::In(Box::new(ColumnRef { node: 0, column }.into()), values);
    }
    let one = |key: &Vec<Value>| {
        let parts = shape.key.iter().zip(key);
        Expr::And(
            parts
                .map(|(&column, value)| {
                    let at = ColumnRef { node: 0, column };
                    Expr::compare(Compare::Eq, at, operand(value, column))
                })
                .collect(),
        )
    };
    Expr::Or(keys.iter().map(one).collect())
}
