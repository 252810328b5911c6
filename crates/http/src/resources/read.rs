//! `GET` of an item or a page.

use std::cell::OnceCell;

use duet_auth::ReadRight;
use duet_document::Links;
use duet_model::{Code, Error, Place};
use duet_service::declared_parameters;
use duet_service::query::{PageExplain, PageParameters, Parameters, UnknownParameters};
use duet_service::write::OwnedLinks;
use duet_service::{Expansion, ItemDocument, ItemQuery, PageEnd, PageQuery, Resource};
use hyper::header::{HeaderName, HeaderValue, LINK};

use super::explained;
use super::link::PageLinks;
use super::preference_applied::has_read_journal;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::media::ROWS;
use crate::message::prefer::reads_journal;
use crate::request::scope::Scope;

/// The sequence id of an item that is acknowledged and not in the database yet, as the path of its status has it.
const X_JOURNAL: HeaderName = HeaderName::from_static("x-journal");

/// Which item to read, and how.
pub(crate) struct ItemPlan<'r> {
    scope: &'r Scope<'r>,
    resource: &'r Resource,
    key: &'r str,
    fields: Option<String>,
    expansion: Option<Expansion>,
    links: OwnedLinks,
}

impl<'r> ItemPlan<'r> {
    /// Reads the parameters. The caller's right to read has been checked.
    ///
    /// # Errors
    /// Where the path is that of no item, and for wrong parameters.
    pub(crate) fn of(
        scope: &'r Scope<'r>,
        (resource, key): (&'r Resource, &'r str),
        links: OwnedLinks,
    ) -> Result<Self, Refusal> {
        if key.contains('/') {
            return Err(Error::new(Code::NotServed, "Items have nothing below them.").into());
        }
        let (fields, expand) = match scope.request.uri().query() {
            None => (None, None),
            query => {
                let others = UnknownParameters::of(resource.shape.style.profile);
                let parameters = Parameters::read(query, &declared_parameters::OF_ITEMS, others)?;
                (parameters.text("fields")?, parameters.text("expand")?)
            }
        };
        let expansion = scope.expansion(resource, expand.as_deref())?;
        Ok(Self { scope, resource, key, fields, expansion, links })
    }

    /// Reads the item.
    ///
    /// # Errors
    /// If there is none, and the errors of the key, `fields` or the database.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let query = ItemQuery {
            key: self.key,
            fields: self.fields.as_deref(),
            expansion: self.expansion.as_ref(),
            fresh: self.scope.wants_fresh(),
        };
        let links = self.links.borrowed();
        if reads_journal(self.scope.request.headers()) {
            return Box::pin(self.read_anywhere(query, &links)).await;
        }
        let item = self.scope.reader().item(self.resource, query, &links).await?;
        self.scope.conditional(self.reply(item))
    }

    /// Reads the item, also where it is only acknowledged from the journal.
    async fn read_anywhere(
        &self,
        query: ItemQuery<'_>,
        links: &Links<'_>,
    ) -> Result<Reply, Refusal> {
        let found = self.scope.reader().item_or_waiting(self.resource, query, links).await?;
        let mut reply = self.reply(found.item);
        if let Some(id) = found.waiting {
            let path = format!("{}/{}", self.scope.mount.path, self.resource.name);
            let id = self.scope.reader().sealed(&path, id).await?;
            reply = reply.with_text(X_JOURNAL, &id.to_string());
        }
        if found.looked {
            reply = has_read_journal(reply);
        }
        self.scope.conditional(reply)
    }

    fn reply(&self, item: ItemDocument) -> Reply {
        let mut reply = self.scope.document(item.document);
        reply.source = item.source;
        reply.age = item.age;
        reply
    }
}

/// Which page to read, and how.
pub(crate) struct PagePlan<'r> {
    scope: &'r Scope<'r>,
    resource: &'r Resource,
    right: ReadRight<'r>,
    parameters: PageParameters,
    expansion: Option<Expansion>,
    links: OwnedLinks,
    /// Whether it is an array of its items.
    bare: bool,
}

/// How many items there are in all, where a page has no place for it.
const X_TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

impl<'r> PagePlan<'r> {
    /// Reads the parameters.
    ///
    /// # Errors
    /// For wrong parameters, and where the caller may not read the collection.
    pub(crate) fn of(
        scope: &'r Scope<'r>,
        resource: &'r Resource,
        links: OwnedLinks,
    ) -> Result<Self, Refusal> {
        let query = scope.request.uri().query();
        let parameters = PageParameters::of_resource(resource, &Vec::new(), query)?;
        Self::with(scope, resource, links, parameters)
    }

    /// Takes the parameters.
    ///
    /// # Errors
    /// As [`PagePlan::of`].
    pub(crate) fn with(
        scope: &'r Scope<'r>,
        resource: &'r Resource,
        links: OwnedLinks,
        parameters: PageParameters,
    ) -> Result<Self, Refusal> {
        let expansion = scope.expansion(resource, parameters.expand.as_deref())?;
        let right = scope.read_right(resource)?;
        if let Some(reading) = scope.standby_reading() {
            match parameters.node {
                Some(node) => reading.continues_at(node),
                // Its links do not say where the page before was read.
                None if resource.service.is_some() && parameters.is_continued() => {
                    reading.only_primary();
                }
                None => {}
            }
        }
        Ok(Self { scope, resource, right, parameters, expansion, links, bare: false })
    }

    /// The same as an array of its items.
    ///
    /// # Errors
    /// For parameters that want something else than items.
    pub(crate) fn bare(self) -> Result<Self, Refusal> {
        reject_explain(&self.parameters)?;
        Ok(Self { bare: true, ..self })
    }

    /// Reads the page.
    ///
    /// # Errors
    /// Whatever the filter, the other parameters or the database say.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let query = self.parameters.query(self.right, self.expansion.as_ref());
        if let Some(what) = self.parameters.explain {
            let may_administrate = self.scope.may_administrate();
            if what != PageExplain::Plan && !may_administrate {
                return Err(Refusal::forbidden(
                    self.scope.who,
                    "see the database's plan",
                    &[duet_auth::ADMIN_ROLE.to_owned()],
                ));
            }
            let explained = self.scope.reader().explain_page(self.resource, &query, what).await?;
            return Ok(explained::reply(&query, explained, may_administrate));
        }
        let page_links = PageLinks {
            collection: &self.links.addresses.collection,
            described_by: &self.links.addresses.described_by,
            query: self.scope.request.uri().query(),
            limit_given: self.parameters.limit.is_some(),
            by_key: query.after.is_some(),
            writable: self.links.writable,
            // A service may have a parameter of that name.
            reading: self.scope.standby_reading().filter(|_| self.resource.service.is_none()),
        };
        let write_links = |end: &PageEnd<'_>| page_links.json(end);
        let links = self.links.borrowed();
        if self.bare {
            return Box::pin(self.rows(query, &page_links)).await;
        }
        let page = self.scope.reader().page(self.resource, &query, &links, &write_links).await?;
        self.scope.conditional(self.scope.page(page))
    }

    /// Reads the page as an array; its links and its total are headers.
    async fn rows(
        &self,
        query: PageQuery<'_>,
        page_links: &PageLinks<'_>,
    ) -> Result<Reply, Refusal> {
        let query = PageQuery { bare: true, ..query };
        let around = OnceCell::new();
        let note = |end: &PageEnd<'_>| {
            let _ = around.set((page_links.header(end), end.frame.total));
            String::new()
        };
        let links = self.links.borrowed();
        let page = self.scope.reader().page(self.resource, &query, &links, &note).await?;
        let mut reply = self.scope.page(page);
        reply.content_type = Some(ROWS);
        if let Some((links, total)) = around.into_inner() {
            reply = reply.with_text(LINK, &links);
            if let Some((total, _)) = total {
                reply = reply.with(X_TOTAL_COUNT, HeaderValue::from(total));
            }
        }
        self.scope.conditional(reply)
    }
}

/// Refuses `explain` where no page is asked for.
pub(crate) fn reject_explain(parameters: &PageParameters) -> Result<(), Error> {
    if parameters.explain.is_none() {
        return Ok(());
    }
    let error = Error::new(Code::BadParameter, "`explain` is for pages, not for rows and streams.");
    let error = error.at(Place::Parameter("explain".to_owned()));
    Err(error.hint("Send `Accept: application/json`."))
}
