//! One document written: read under lock, compared, planned, carried out, read again.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use duet_document::{Codec, Datum, Links, Purpose, TextBuffer, patched, row_tree};
use duet_duality::write::{Change, FoundRows, Lookup, keep_stored_keys, lookups, plan};
use duet_duality::{RuledWrite, check_rules, has_rules};
use duet_model::collection::KEY;
use duet_model::key::untyped_number;
use duet_model::view_rule::RuleStage;
use duet_model::{
    Code, ColumnMember, Error, GivenField, Member as ShapeMember, MemberKind, Result, RowAction,
    RowOperation, RowTree, Type, Value, WritePlan,
};
use duet_sql::Dialect;
use duet_store::{Answer, Session};
use duet_text::error::Place;
use duet_text::json::body::Body;
use duet_text::json::{Json, JsonKind, JsonMember, STORED, read};

use crate::documents::Document;
use crate::read::pages::{malformed_key, no_such_item};
use crate::resources::resource::Resource;
use crate::resources::writable::{RowLookup, STORED_DEPTH, StoredDocument, Writable, stored_tree};
use crate::write::collection::{changed_document, new_document};
use crate::write::conditions::Conditions;
use crate::write::execute::{Execution, Then};
use crate::write::notices::NoticeList;
use crate::write::spread::SpreadDocuments;

/// What is done to one document.
#[derive(Clone, Debug)]
pub enum DocumentOperation {
    /// A new document.
    Create {
        /// The document.
        body: Body,
    },
    /// A whole document that replaces the stored one, or is inserted.
    Replace {
        /// Its key.
        key: Vec<Value>,
        /// The document.
        body: Body,
        /// Whether an absent document may be created.
        may_create: bool,
    },
    /// A merge patch (RFC 7396).
    Patch {
        /// Its key.
        key: Vec<Value>,
        /// The patch.
        body: Body,
    },
    /// The document goes.
    Delete {
        /// Its key.
        key: Vec<Value>,
    },
}

impl DocumentOperation {
    /// The key of the document; `None` for a new one.
    pub(crate) fn key(&self) -> Option<&Vec<Value>> {
        match self {
            Self::Create { .. } => None,
            Self::Replace { key, .. } | Self::Patch { key, .. } | Self::Delete { key } => Some(key),
        }
    }
}

/// What was done.
#[derive(Debug)]
pub enum WriteOutcome {
    /// A document was made.
    Created(Option<WrittenDocument>),
    /// A row was added that the database does not show to its author.
    Added,
    /// A document was changed, or was already as wanted.
    Changed(Option<WrittenDocument>),
    /// A document went.
    Deleted,
    /// Nothing: this is what would be done.
    Planned(WritePlan),
}

/// A document as it is after the write.
#[derive(Debug)]
pub struct WrittenDocument {
    /// The document, with the links of an item.
    pub document: Document,
    /// Its key as a path segment; `None` where it has none.
    pub key: Option<String>,
}

/// The addresses of a resource as a client sees them.
#[derive(Debug, Default)]
pub struct Addresses {
    /// The collection, with a slash at its end.
    pub collection: String,
    /// The catalog entry of the collection, with a slash at its end.
    pub described_by: String,
}

/// What the links of a document are made of. Shared, because a write may run on another thread.
#[derive(Clone, Debug, Default)]
pub struct OwnedLinks {
    /// The addresses of the resource.
    pub addresses: Arc<Addresses>,
    /// Whether the caller may edit the item, so that it carries an `edit` link.
    pub writable: bool,
    /// Whether items are as they are stored, without links.
    pub plain: bool,
}

impl OwnedLinks {
    /// The form that documents are written with.
    pub fn borrowed(&self) -> Links<'_> {
        let Addresses { collection, described_by } = &*self.addresses;
        Links { collection, described_by, writable: self.writable, plain: self.plain }
    }
}

/// The context of a document's write.
pub(crate) struct DocumentTarget<'a> {
    pub(crate) resource: &'a Resource,
    pub(crate) writable: &'a Writable,
    pub(crate) dialect: &'a dyn Dialect,
    pub(crate) links: &'a OwnedLinks,
    /// Who writes, where the document names its author.
    pub(crate) author: Option<&'a Arc<str>>,
    /// Whether the plan is the answer.
    pub(crate) explain: bool,
    /// Whether an explained plan is executed anyway, because later operations depend on it; at
    /// the end everything is rolled back.
    pub(crate) tried: bool,
    /// Whether the write has this document alone and is committed: no operation follows.
    pub(crate) last: bool,
    /// Whether a new row is not read back.
    pub(crate) blind: bool,
    /// What of its transaction becomes events.
    pub(crate) notices: &'a NoticeList<'a>,
}

impl DocumentTarget<'_> {
    /// Reads the document under lock, holds the conditions against it, and writes.
    pub(crate) async fn write(
        &self,
        session: &mut dyn Session,
        operation: &DocumentOperation,
        conditions: &Conditions,
    ) -> Result<WriteOutcome> {
        let stored = match operation.key() {
            None => None,
            Some(key) => {
                let locked = self.locked(session, std::slice::from_ref(key)).await;
                locked.map_err(|error| malformed_key(&self.writable.shape, error))?.pop().flatten()
            }
        };
        self.write_locked(session, operation, stored.as_ref(), Some(conditions)).await
    }

    /// Documents read under lock.
    pub(crate) async fn locked(
        &self,
        session: &mut dyn Session,
        keys: &[Vec<Value>],
    ) -> Result<Vec<Option<StoredDocument>>> {
        let answers = session.read(&self.writable.locked, keys).await?;
        answers.iter().map(|answer| self.writable.stored(answer)).collect()
    }

    /// Documents that are locked already, as they are now.
    pub(crate) async fn current(
        &self,
        session: &mut dyn Session,
        key: &Vec<Value>,
    ) -> Result<Option<StoredDocument>> {
        let answers = session.reread(&self.writable.locked, std::slice::from_ref(key)).await?;
        Ok(answers.first().map(|answer| self.writable.stored(answer)).transpose()?.flatten())
    }

    /// Writes a document whose stored state is known and locked.
    pub(crate) async fn write_locked(
        &self,
        session: &mut dyn Session,
        operation: &DocumentOperation,
        stored: Option<&StoredDocument>,
        conditions: Option<&Conditions>,
    ) -> Result<WriteOutcome> {
        let body = match operation {
            DocumentOperation::Create { body }
            | DocumentOperation::Replace { body, .. }
            | DocumentOperation::Patch { body, .. } => Some(body.json()),
            DocumentOperation::Delete { .. } => None,
        };
        if let Some(conditions) = conditions.filter(|_| operation.key().is_some()) {
            let said = body.as_ref().filter(|_| self.writable.has_metadata());
            conditions.check(stored.map(|stored| stored.etag), said)?;
        }
        match (operation, stored, body) {
            (DocumentOperation::Create { .. }, _, Some(body)) => {
                self.create(session, body, None).await
            }
            (DocumentOperation::Replace { .. }, None, _) if self.resource.collection.is_some() => {
                Err(no_such_item(self.resource))
            }
            (DocumentOperation::Replace { key, may_create, .. }, None, Some(body)) => {
                if !self.writable.shape.root().operations.insert {
                    return Err(no_such_item(self.resource));
                }
                if !may_create {
                    let message = "There is no such document, and the client may not make one.";
                    return Err(Error::new(Code::Forbidden, message));
                }
                self.create(session, body, Some(key)).await
            }
            (DocumentOperation::Replace { key, .. }, Some(stored), Some(body)) => {
                self.replace(session, key, stored, body, false).await
            }
            (DocumentOperation::Patch { key, .. }, Some(stored), Some(patch)) => {
                if !matches!(patch.kind, JsonKind::Object(_)) {
                    let message = format!("A patch must be an object, not {}.", patch.kind.noun());
                    return Err(
                        Error::new(Code::MemberValue, message).at(Place::Pointer(String::new()))
                    );
                }
                if let Some(pointer) = self.removed_key(&patch) {
                    return Err(not_of_path(pointer));
                }
                let before = read(&stored.text, &STORED, STORED_DEPTH)?;
                // What a filter selects is the filter's to say.
                let says_which = conditions.is_none_or(Conditions::names_version);
                if let Some(own) = self.resource.collection.as_ref().filter(|_| !says_which) {
                    own.check_patch(&patch, &before)?;
                }
                let body = patched(&self.writable.shape, before, patch);
                self.replace(session, key, stored, body, true).await
            }
            (DocumentOperation::Delete { .. }, Some(stored), _) => {
                self.delete(session, stored).await
            }
            _ => Err(no_such_item(self.resource)),
        }
    }

    async fn create(
        &self,
        session: &mut dyn Session,
        body: Json<'_>,
        key: Option<&Vec<Value>>,
    ) -> Result<WriteOutcome> {
        let shape = &self.writable.shape;
        let body = self.with_assigned(session, body).await?;
        let completed = self.completed_new(&body, key.map(Vec::as_slice))?;
        let body = as_body(&completed, body)?;
        check_rules(shape, RuleStage::Before, RuledWrite { old: None, new: &body })?;
        // A `PUT` that is sent again must be answered as the first one was.
        let purpose = if key.is_some() { Purpose::CreateAt } else { Purpose::Create };
        let mut wanted = row_tree(shape, body, purpose)?;
        let columns = shape.key.iter().map(|&at| &shape.root().table.columns[at].ty);
        let values = columns.zip(key.into_iter().flatten());
        let numbers: Vec<String> = values.map(|(ty, value)| written_key(ty, value)).collect();
        if let Some(key) = key {
            self.check_key(&mut wanted, key)?;
            self.give_key(&mut wanted, key, &numbers);
        }
        let found = self.look_up(session, &lookups(shape, None, &wanted)?).await?;
        let mut known = self.known(&found)?;
        keep_stored_keys(shape, &mut wanted, &mut known)?;
        let change = if key.is_some() { Change::Put(&wanted) } else { Change::Create(&wanted) };
        let plan = plan(shape, change, &known)?;
        if self.explain {
            return self.explained(session, plan, Then::Read(key), None).await;
        }
        if self.blind {
            self.carry_out(session, &plan, Then::Unseen).await?;
            return Ok(WriteOutcome::Added);
        }
        let answer = self.carry_out(session, &plan, Then::Read(key)).await?;
        self.check_after(None, answer.as_ref())?;
        let written = self.maybe_answer(answer.as_ref())?;
        self.noted(None, answer.as_ref())?;
        Ok(WriteOutcome::Created(written))
    }

    /// Gives a new document the members that services assign, where it has none.
    async fn with_assigned<'t>(
        &self,
        session: &mut dyn Session,
        mut body: Json<'t>,
    ) -> Result<Json<'t>> {
        let JsonKind::Object(members) = &mut body.kind else { return Ok(body) };
        for assigned in self.resource.assigned.iter().filter(|_| !self.explain || self.tried) {
            let is_it = |member: &JsonMember<'_>| member.name == *assigned.member;
            if members.iter().any(|member| is_it(member) && !member.value.is_null()) {
                continue;
            }
            members.retain(|member| !is_it(member));
            let value = assigned.draw(session, self.dialect).await?;
            let value = Json::new(JsonKind::Text(Cow::Owned(value)));
            members.push(JsonMember { at: 0, name: Cow::Owned(assigned.member.clone()), value });
        }
        Ok(body)
    }

    async fn replace(
        &self,
        session: &mut dyn Session,
        key: &Vec<Value>,
        stored: &StoredDocument,
        body: Json<'_>,
        patched: bool,
    ) -> Result<WriteOutcome> {
        let shape = &self.writable.shape;
        let before = stored_tree(shape, stored)?;
        let completed = match (self.spread(), &self.resource.collection) {
            (Some(spread), _) => {
                Some(spread.completed(body.clone(), Some(&stored.text), Some(key))?)
            }
            (None, Some(own)) => {
                Some(changed_document(own, body.clone(), &stored.text, key, self.author)?)
            }
            (None, None) => None,
        };
        let body = as_body(&completed, body)?;
        if has_rules(shape, RuleStage::Before, false) {
            let old = read(&stored.text, &STORED, STORED_DEPTH)?;
            check_rules(shape, RuleStage::Before, RuledWrite { old: Some(&old), new: &body })?;
        }
        let mut wanted = row_tree(shape, body, Purpose::Replace)?;
        self.keep_key(session, &mut wanted, key, &before).await?;
        let found = self.look_up(session, &lookups(shape, Some(&before), &wanted)?).await?;
        let mut known = self.known(&found)?;
        keep_stored_keys(shape, &mut wanted, &mut known)?;
        let change = Change::Replace { stored: &before, wanted: &wanted, patched };
        let plan = plan(shape, change, &known)?;
        if self.explain {
            return self.explained(session, plan, Then::Read(Some(key)), Some(stored)).await;
        }
        let is_read = has_rules(shape, RuleStage::After, false);
        if found.is_empty()
            && !is_read
            && plan.refusal().is_none()
            && let Some(answer) = self.finish(session, &plan, &stored.answer).await?
        {
            return Ok(WriteOutcome::Changed(self.answer(&answer)?));
        }
        let answer = self.carry_out(session, &plan, Then::Read(Some(key))).await?;
        self.check_after(Some(stored), answer.as_ref())?;
        let written = self.maybe_answer(answer.as_ref())?;
        self.noted(Some(&stored.answer), answer.as_ref())?;
        Ok(WriteOutcome::Changed(written))
    }

    /// Holds a document as it was read back against the rules that are for it.
    fn check_after(&self, stored: Option<&StoredDocument>, answer: Option<&Answer>) -> Result<()> {
        let shape = &self.writable.shape;
        if !has_rules(shape, RuleStage::After, stored.is_none()) {
            return Ok(());
        }
        let Some((answer, row)) = answer.and_then(|answer| Some((answer, answer.row?))) else {
            let message =
                "The document cannot be read back, so the rules of its view cannot be checked.";
            return Err(Error::new(Code::RuleViolation, message));
        };
        let mut text = Vec::new();
        self.writable.program.write_plain(&answer.fetched, row, &mut text)?;
        let text = String::from_utf8_lossy(&text);
        let new = read(&text, &STORED, STORED_DEPTH)?;
        let old = stored.map(|stored| read(&stored.text, &STORED, STORED_DEPTH)).transpose()?;
        check_rules(shape, RuleStage::After, RuledWrite { old: old.as_ref(), new: &new })
    }

    async fn delete(
        &self,
        session: &mut dyn Session,
        stored: &StoredDocument,
    ) -> Result<WriteOutcome> {
        let shape = &self.writable.shape;
        let before = stored_tree(shape, stored)?;
        let plan = plan(shape, Change::Delete(&before), &FoundRows::default())?;
        if self.explain {
            return self.explained(session, plan, Then::Nothing, Some(stored)).await;
        }
        self.carry_out(session, &plan, Then::Nothing).await?;
        self.noted(Some(&stored.answer), None)?;
        Ok(WriteOutcome::Deleted)
    }

    /// Notes what the view showed before the write and shows now.
    fn noted(&self, before: Option<&Answer>, after: Option<&Answer>) -> Result<()> {
        self.notices.wrote(self.resource, self.writable, before, after)
    }

    /// The documents of collections among its members, if it has such.
    fn spread(&self) -> Option<SpreadDocuments<'_>> {
        let Resource { documents: collections, .. } = self.resource;
        let (shape, author) = (&*self.writable.shape, self.author);
        (!collections.is_empty()).then_some(SpreadDocuments { shape, collections, author })
    }

    /// The text of a new document of a collection; `None` for other resources.
    pub(crate) fn completed_new(
        &self,
        body: &Json<'_>,
        key: Option<&[Value]>,
    ) -> Result<Option<String>> {
        if let Some(spread) = self.spread() {
            return spread.completed(body.clone(), None, key).map(Some);
        }
        let collection = self.resource.collection.as_ref();
        collection.map(|own| new_document(own, body.clone(), key, self.author)).transpose()
    }

    /// A plan as the answer. Rows that the definition keeps inside the view, and its rules on what is read back, are
    /// known only once the plan is carried out, which is undone.
    async fn explained(
        &self,
        session: &mut dyn Session,
        mut plan: WritePlan,
        then: Then<'_>,
        stored: Option<&StoredDocument>,
    ) -> Result<WriteOutcome> {
        let shape = &self.writable.shape;
        let is_read = matches!(then, Then::Read(_));
        let is_ruled = is_read && has_rules(shape, RuleStage::After, stored.is_none());
        let has_checks = plan.operations.iter().any(|one| shape.nodes[one.node].check_option);
        if plan.refusal().is_some() || !(self.tried || is_ruled || has_checks) {
            return Ok(WriteOutcome::Planned(plan));
        }
        let then = if is_ruled { then } else { Then::Nothing };
        match self.carry_out(session, &plan, then).await {
            Ok(answer) if is_ruled => self.check_after(stored, answer.as_ref())?,
            Ok(_) => {}
            Err(error) if error.code == Code::OutsideView => refuse(&mut plan, error),
            // A plan alone says nothing of the database's own rules.
            Err(error) if !self.tried && error.code.is_row_error() => {}
            Err(error) => return Err(error),
        }
        Ok(WriteOutcome::Planned(plan))
    }

    /// Runs a plan that may be carried out.
    async fn carry_out(
        &self,
        session: &mut dyn Session,
        plan: &WritePlan,
        then: Then<'_>,
    ) -> Result<Option<Answer>> {
        if let Some(refusal) = plan.refusal() {
            return Err(refusal.clone());
        }
        Execution::new(self.writable, self.dialect, plan).run(session, then).await
    }

    /// The document of an answer; `None` where it has left the view.
    pub(crate) fn answer(&self, answer: &Answer) -> Result<Option<WrittenDocument>> {
        let Some(row) = answer.row else { return Ok(None) };
        let links = self.links.borrowed();
        let program = &self.writable.program;
        let (fetched, rows) = (&answer.fetched, row..row + 1);
        let mut body = TextBuffer::kept(program, fetched, rows, Some(&links));
        let mut key = Vec::new();
        let written = program.write_item(&answer.fetched, row, &links, &mut body.text)?;
        program.write_key(answer.fetched.roots(), row, &mut key);
        let document = Document { body, etag: written.header(), fetched_at: Some(Instant::now()) };
        Ok(Some(WrittenDocument { document, key: String::from_utf8(key).ok() }))
    }

    fn maybe_answer(&self, answer: Option<&Answer>) -> Result<Option<WrittenDocument>> {
        answer.map_or(Ok(None), |answer| self.answer(answer))
    }

    /// The key in a body, if present, must be that of the path, except where that of the path takes its place.
    fn check_key(&self, wanted: &mut RowTree<'_>, key: &[Value]) -> Result<()> {
        if self.leave_key_to_path(wanted) {
            return Ok(());
        }
        let other = self.other_key(wanted, key);
        other.map_or(Ok(()), |other| Err(not_of_path(other.pointer.clone())))
    }

    /// The same for a stored document, whose key stays in its form: only the database knows which other forms are equal.
    async fn keep_key<'t>(
        &self,
        session: &mut dyn Session,
        wanted: &mut RowTree<'t>,
        key: &[Value],
        before: &RowTree<'t>,
    ) -> Result<()> {
        if self.leave_key_to_path(wanted) {
            return Ok(());
        }
        let (shape, stored) = (&*self.writable.shape, self.stored_key(before, key));
        if let Some(other) = self.other_key(wanted, key)
            && self.other_key(wanted, &stored).is_some()
        {
            let wrong = not_of_path(other.pointer.clone());
            let given = self.stored_key(wanted, key);
            // A value that is none of its column is another key; a lost database and a conflict stay what they are.
            let is_misfit = |error: &Error| [400, 422].contains(&error.code.status());
            let read = self.current(session, &given).await;
            let found =
                read.map_err(|error| if is_misfit(&error) { wrong.clone() } else { error })?;
            let found = found.as_ref().map(|found| stored_tree(shape, found)).transpose()?;
            if found.is_none_or(|found| self.stored_key(&found, &given) != stored) {
                return Err(wrong);
            }
        }
        for field in wanted.fields.iter_mut().filter(|field| !field.value.is_null()) {
            let column = field.member.column;
            if let Some(stored) = before.field(column).filter(|_| shape.key.contains(&column)) {
                field.value = stored.value.clone();
            }
        }
        Ok(())
    }

    /// The first member of the key that a patch would remove.
    fn removed_key(&self, patch: &Json<'_>) -> Option<String> {
        let shape = &self.writable.shape;
        if let Some(own) = &self.resource.collection {
            let is_removed = patch.get(KEY).is_some_and(Json::is_null) && !own.path_decides_id();
            return is_removed.then(|| format!("/{KEY}"));
        }
        if shape.style.profile.path_decides_key() {
            return None;
        }
        removed(&shape.root().members, &shape.key, patch, "")
    }

    /// Takes the key out of a body where the path decides alone; whether it does.
    fn leave_key_to_path(&self, wanted: &mut RowTree<'_>) -> bool {
        let shape = &self.writable.shape;
        let decides = shape.style.profile.path_decides_key();
        if decides {
            wanted.fields.retain(|field| !shape.key.contains(&field.member.column));
        }
        decides
    }

    /// The key of a document, with the values of `key` where it has none.
    fn stored_key(&self, row: &RowTree<'_>, key: &[Value]) -> Vec<Value> {
        let shape = &self.writable.shape;
        let value = |(&column, value): (&usize, &Value)| {
            let about = &shape.root().table.columns[column];
            let field = row.field(column).filter(|field| !field.value.is_null());
            let own = field.and_then(|it| duet_document::value_of(about, &it.value).ok());
            own.unwrap_or_else(|| value.clone())
        };
        shape.key.iter().zip(key).map(value).collect()
    }

    /// The first member of a body's key that is not, as text, the value of a key.
    fn other_key<'w, 't>(
        &self,
        wanted: &'w RowTree<'t>,
        key: &[Value],
    ) -> Option<&'w GivenField<'t>> {
        let shape = &self.writable.shape;
        shape.key.iter().zip(key).find_map(|(&column, value)| {
            let field = wanted.field(column).filter(|field| !field.value.is_null())?;
            let about = &shape.root().table.columns[column];
            let given = duet_document::value_of(about, &field.value);
            let same = given.as_ref().is_ok_and(|given| given == value)
                || given.is_ok_and(|given| given.to_string() == value.to_string())
                || about.ty == Type::Dynamic && is_number_of(&field.value, value);
            (!same).then_some(field)
        })
    }

    /// Puts the key of the path into a new document that does not repeat it.
    fn give_key<'t>(&self, wanted: &mut RowTree<'t>, key: &[Value], texts: &'t [String]) {
        let shape = &self.writable.shape;
        for ((&column, value), text) in shape.key.iter().zip(key).zip(texts) {
            if wanted.value(column).is_some() {
                continue;
            }
            wanted.fields.retain(|field| field.member.column != column);
            let is_untyped = shape.root().table.columns[column].ty == Type::Dynamic;
            let kind = match value {
                // Without the member, a key that is a number is one.
                Value::Text(spelled) if is_untyped && untyped_number(spelled).is_some() => {
                    JsonKind::Number(text)
                }
                Value::Int(_) | Value::Float(_) => JsonKind::Number(text),
                Value::Bool(value) => JsonKind::Bool(*value),
                Value::Null => JsonKind::Null,
                Value::Text(_)
                    if matches!(shape.root().table.columns[column].ty, Type::Array(_)) =>
                {
                    match read(text, &STORED, STORED_DEPTH) {
                        Ok(array) => array.kind,
                        Err(_) => JsonKind::Text(text.into()),
                    }
                }
                Value::Text(_) | Value::RawText(_) => JsonKind::Text(text.into()),
                Value::Bytes(bytes) => JsonKind::Text(base64(bytes).into()),
            };
            let pointer = format!("/{}", self.member_name(column));
            let member = ColumnMember::read_only(column);
            wanted.fields.push(GivenField { member, pointer, value: Json::new(kind) });
        }
    }

    fn member_name(&self, column: usize) -> &str {
        let members = &self.writable.shape.root().members;
        let found = members
            .iter()
            .find(|member| matches!(&member.kind, MemberKind::Column(own) if own.column == column));
        found.map_or("", |member| &member.name)
    }

    /// Looks for rows, those of one kind at a time.
    async fn look_up(
        &self,
        session: &mut dyn Session,
        wanted: &[Lookup],
    ) -> Result<Vec<(Lookup, Arc<RowLookup>, StoredDocument)>> {
        let mut found = Vec::new();
        let mut at = 0;
        let mut sorted: Vec<&Lookup> = wanted.iter().collect();
        sorted.sort_by(|a, b| (a.node, &a.columns).cmp(&(b.node, &b.columns)));
        while at < sorted.len() {
            let kind = |lookup: &Lookup| (lookup.node, lookup.columns.clone());
            let same: Vec<&Lookup> = sorted[at..]
                .iter()
                .copied()
                .take_while(|lookup| kind(lookup) == kind(sorted[at]))
                .collect();
            let read = self.writable.lookup(same[0], self.dialect);
            let keys: Vec<Vec<Value>> = same.iter().map(|lookup| lookup.key.clone()).collect();
            let answers = session.read(&read.locked, &keys).await?;
            for (lookup, answer) in same.iter().zip(&answers) {
                if let Some(stored) = read.stored(answer)? {
                    found.push((Lookup::clone(lookup), Arc::clone(&read), stored));
                }
            }
            at += same.len();
        }
        Ok(found)
    }

    fn known<'t>(
        &self,
        found: &'t [(Lookup, Arc<RowLookup>, StoredDocument)],
    ) -> Result<FoundRows<'t>> {
        let mut known = FoundRows::default();
        for (lookup, read, stored) in found {
            known.insert(lookup, read.tree(stored)?);
        }
        Ok(known)
    }
}

/// The pointer to the first of these columns whose member a patch removes.
fn removed(
    members: &[ShapeMember],
    key: &[usize],
    patch: &Json<'_>,
    place: &str,
) -> Option<String> {
    members.iter().find_map(|member| {
        let given = patch.get(&member.name)?;
        let pointer = duet_model::row_tree::pointer(place, &member.name);
        match &member.kind {
            MemberKind::Column(column) => {
                (given.is_null() && key.contains(&column.column)).then_some(pointer)
            }
            MemberKind::Group(inner) if given.is_null() => {
                let is_of_key = |one: &ShapeMember| match &one.kind {
                    MemberKind::Column(column) => key.contains(&column.column),
                    _ => false,
                };
                inner.iter().any(is_of_key).then_some(pointer)
            }
            MemberKind::Group(inner) => removed(inner, key, given, &pointer),
            _ => None,
        }
    })
}

/// Notes in a plan what the definition forbids.
fn refuse(plan: &mut WritePlan, error: Error) {
    let pointer = match &error.place {
        Some(Place::Pointer(pointer)) => pointer.clone(),
        _ => String::new(),
    };
    let written = |one: &&mut RowOperation| {
        one.pointer == pointer && matches!(one.action, RowAction::Insert | RowAction::Update)
    };
    if let Some(operation) = plan.operations.iter_mut().find(written) {
        operation.refused = Some(error);
    }
}

/// The refusal of a key in a body that is of another document than the path.
fn not_of_path(pointer: String) -> Error {
    let message = format!(
        "The key in the body is not that of the path. Leave {} out, or give it the value of the path.",
        duet_text::problem::quoted(pointer.trim_start_matches('/'))
    );
    Error::new(Code::KeyMismatch, message).at(Place::Pointer(pointer))
}

/// The document that is written: the completed one, where there is one.
pub(crate) fn as_body<'t>(completed: &'t Option<String>, body: Json<'t>) -> Result<Json<'t>> {
    match completed {
        Some(text) => read(text, &STORED, STORED_DEPTH),
        None => Ok(body),
    }
}

/// Whether a number of a body is the one that a key without a type spells, perhaps with other digits.
fn is_number_of(given: &Json<'_>, key: &Value) -> bool {
    let (JsonKind::Number(given), Value::Text(key)) = (&given.kind, key) else { return false };
    // 1 and 1.0 are one key.
    let shown = |text: &str| untyped_number(text).map(|number| number.to_string());
    shown(key).is_some() && shown(given) == shown(key)
}

/// A value of the key as a body has it, before its quotes: an array in JSON.
fn written_key(ty: &Type, value: &Value) -> String {
    match (ty, value) {
        (Type::Array(_), Value::Text(literal)) => {
            let mut json = Vec::new();
            Codec::of(ty).write(Datum::Text(literal.as_bytes()), &mut json);
            String::from_utf8_lossy(&json).into_owned()
        }
        (_, value) => value.to_string(),
    }
}

fn base64(bytes: &[u8]) -> String {
    let mut out = Vec::new();
    Codec::Binary.write(Datum::Blob(bytes), &mut out);
    String::from_utf8(out).unwrap_or_default().trim_matches('"').to_owned()
}
