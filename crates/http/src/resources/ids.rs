//! `GET` of items by their keys: `?ids=1,2,3`.

use duet_auth::Operation;
use duet_document::PageFrame;
use duet_model::{Code, Error, Place};
use duet_service::declared_parameters;
use duet_service::query::Parameters;
use duet_service::write::OwnedLinks;
use duet_service::{Expansion, IDS, ItemsQuery, PageEnd, Resource, keys_of};

use super::link::PageLinks;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::request::scope::Scope;

/// Which items to read, and how.
pub(crate) struct ItemsPlan<'r> {
    scope: &'r Scope<'r>,
    resource: &'r Resource,
    keys: Vec<String>,
    fields: Option<String>,
    expansion: Option<Expansion>,
    links: OwnedLinks,
    item_links: OwnedLinks,
}

/// Whether a query requests items by their keys.
pub(crate) fn asks_by_keys(query: Option<&str>) -> bool {
    let names = query.into_iter().flat_map(|query| query.split('&'));
    names.into_iter().any(|pair| pair.split('=').next() == Some(IDS))
}

impl<'r> ItemsPlan<'r> {
    /// Reads the keys. The caller's right to read the collection has been checked.
    ///
    /// # Errors
    /// For wrong parameters, and where the caller may not read one of the items.
    pub(crate) fn of(
        scope: &'r Scope<'r>,
        resource: &'r Resource,
        links: OwnedLinks,
    ) -> Result<Self, Refusal> {
        let known = &declared_parameters::OF_ITEMS_BY_KEYS;
        let parameters = Parameters::parse(scope.request.uri().query(), known)?;
        let of_items = &declared_parameters::OF_ITEMS;
        for name in known.iter().filter(|name| **name != IDS && !of_items.contains(name)) {
            if parameters.raw(name).is_some() {
                let message =
                    format!("`ids` names the items, so it cannot be given with `{name}`.");
                let error = Error::new(Code::BadParameter, message);
                return Err(error.at(Place::Parameter((*name).to_owned())).into());
            }
        }
        let most = scope.service().limits().max_page_size;
        let ids = parameters.text(IDS)?.unwrap_or_default();
        let keys = keys_of(resource, &ids, most)?;
        for key in &keys {
            scope.admit(&resource.access, Operation::Read, &resource.name, key)?;
        }
        let (fields, expand) = (parameters.text("fields")?, parameters.text("expand")?);
        let expansion = scope.expansion(resource, expand.as_deref())?;
        let may_edit = keys.iter().all(|key| scope.may_edit(resource, key, true));
        let item_links = scope.links(scope.mount, resource, may_edit);
        Ok(Self { scope, resource, keys, fields, expansion, links, item_links })
    }

    /// Reads the items.
    ///
    /// # Errors
    /// Whatever `fields` or the database say.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let query = ItemsQuery {
            keys: &self.keys,
            fields: self.fields.as_deref(),
            expansion: self.expansion.as_ref(),
            fresh: self.scope.wants_fresh(),
        };
        let page_links = PageLinks {
            collection: &self.links.addresses.collection,
            described_by: &self.links.addresses.described_by,
            query: self.scope.request.uri().query(),
            limit_given: false,
            by_key: false,
            writable: self.links.writable,
            reading: None,
        };
        let frame = PageFrame { limit: self.keys.len() as u64, offset: 0, total: None };
        let end = PageEnd { frame: &frame, has_more: false, marker: "", of_groups: false };
        let page_links = page_links.json(&end);
        let links = self.item_links.borrowed();
        let items = self.scope.reader().items(self.resource, query, &links, &page_links).await?;
        let mut reply = self.scope.document(items.document);
        reply.source = items.source;
        reply.age = items.age;
        self.scope.conditional(reply)
    }
}
