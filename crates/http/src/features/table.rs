//! The table of features.

use super::definition::Feature;
#[cfg(test)]
use super::target::Route;
use super::target::Target;
use super::{mounts, resources, sites};
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;

/// A row of the table.
#[cfg(test)]
pub(crate) struct FeatureRow {
    /// [`Feature::NAME`]
    pub(crate) name: &'static str,
    /// [`Feature::OPERATIONS`]
    pub(crate) operations: &'static [&'static str],
    /// [`Feature::takes`]
    pub(crate) takes: fn(&Route<'_>) -> bool,
}

macro_rules! features {
    ($($name:ident: $feature:ty,)*) => {
        /// The features in the order in which they are asked.
        #[cfg(test)]
        pub(crate) const FEATURES: &[FeatureRow] = &[$(FeatureRow {
            name: <$feature>::NAME,
            operations: <$feature>::OPERATIONS,
            takes: <$feature>::takes,
        },)*];

        /// What a request will do, by one of the features.
        pub(crate) enum Plan<'r> {
            $($name(<$feature as Feature>::Plan<'r>),)*
        }

        impl<'r> Plan<'r> {
            /// Plans a request by the first feature whose route it is on.
            ///
            /// # Errors
            /// Where it is on no route, and those of the feature.
            pub(crate) async fn of(target: Target<'r>) -> Result<Self, Refusal> {
                let route = target.route();
                $(if <$feature>::takes(&route) {
                    target.trace().takes(<$feature>::NAME);
                    return <$feature>::plan(target).await.map(Self::$name);
                })*
                Err(target.nothing_here())
            }

            /// Does it.
            ///
            /// # Errors
            /// Whatever the store says.
            pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
                match self {
                    $(Self::$name(plan) => <$feature>::answer(plan).await,)*
                }
            }
        }
    };
}

features! {
    // Requests for resources. Several may be on the route of one: `POST …/search` is a write where there is no search,
    // a batch is a write, and everything is an item at last.
    AcceptedRows: resources::accepted_rows::AcceptedRows,
    ViewEvents: resources::view_events::ViewEvents,
    Options: resources::options::Options,
    Load: resources::load::Load,
    Batch: resources::batch::Batch,
    Write: resources::write::Write,
    Search: resources::search::Search,
    Stream: resources::stream::Stream,
    Live: resources::live::Live,
    ItemsByKeys: resources::items_by_keys::ItemsByKeys,
    Page: resources::page::Page,
    Item: resources::item::Item,
    // Everything else below a mount.
    Routine: mounts::routine::Routine,
    Table: mounts::table::Table,
    Service: mounts::service::Service,
    ServiceBatch: mounts::service_batch::ServiceBatch,
    Transaction: mounts::transaction::Transaction,
    ListWrite: mounts::list_write::ListWrite,
    Catalog: mounts::catalog::Catalog,
    Index: mounts::index::Index,
    Constant: mounts::constant::Constant,
    Unknown: mounts::unknown::UnknownName,
    // Parts of the server that belong to no resource.
    Preflight: sites::preflight::Preflight,
    Health: sites::health::Health,
    Problems: sites::problems::Problems,
    Console: sites::console::Console,
    Agents: sites::agents::Agents,
    Root: sites::root::Root,
    Token: sites::token::Token,
    Login: sites::login::Login,
    Metrics: sites::metrics::Metrics,
    Admin: sites::admin::Admin,
    Tenants: sites::tenants::Tenants,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use hyper::Method;

    use super::super::target::ResourceRoute;
    use super::*;
    use crate::message::media::ResponseFormat;

    /// The features whose routes a request for a resource is on, in the order of the table.
    fn taken(
        method: &str,
        tail: &str,
        (query, form): (&str, Option<ResponseFormat>),
    ) -> Vec<&'static str> {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let route = ResourceRoute::of(&method, tail, Some(query), true, || form);
        let route = Route::Resource(&route);
        FEATURES.iter().filter(|row| (row.takes)(&route)).map(|row| row.name).collect()
    }

    #[test]
    fn the_first_of_several_features_takes_a_request() {
        let json = ("", Some(ResponseFormat::Json));
        for (method, tail, query, expected) in [
            ("GET", "1", json, &["item"][..]),
            ("GET", "", json, &["page", "item"]),
            ("GET", "", ("ids=1,2", Some(ResponseFormat::Json)), &["items", "page", "item"]),
            ("GET", "", ("ids=1,2", Some(ResponseFormat::Rows)), &["page", "item"]),
            ("GET", "", ("", Some(ResponseFormat::Live)), &["live", "page", "item"]),
            ("POST", "search", ("", Some(ResponseFormat::Live)), &["search", "item"]),
            ("GET", "", ("", None), &["page", "item"]),
            ("POST", "", json, &["write", "page", "item"]),
            ("POST", "search", json, &["search", "item"]),
            ("QUERY", "", json, &["search", "page", "item"]),
            ("POST", "batchload", json, &["load", "write", "item"]),
            ("POST", "_/batch", json, &["batch", "write", "item"]),
            ("PUT", "1", json, &["write", "item"]),
            ("GET", "_/journal/7", json, &["rows", "item"]),
            ("GET", "_/events", json, &["view_events", "item"]),
            ("OPTIONS", "", json, &["options", "page", "item"]),
        ] {
            assert_eq!(taken(method, tail, query), expected, "{method} {tail} {query:?}");
        }
        // What a resource does not offer is refused by the feature that would be next.
        let method = Method::POST;
        let route = ResourceRoute::of(&method, "batchload", None, false, || None);
        let first = FEATURES.iter().find(|row| (row.takes)(&Route::Resource(&route)));
        assert_eq!(first.map(|row| row.name), Some("write"));
    }

    /// Latencies are counted by route: those of resources are listed first, and the answer to OPTIONS has none.
    #[test]
    fn features_of_resources_have_routes() {
        let known: BTreeSet<&str> = crate::observe::routes::features().collect();
        let all: BTreeSet<&str> = FEATURES.iter().map(|row| row.name).collect();
        assert!(known.is_subset(&all), "{known:?}");
        let own = FEATURES.iter().map(|row| row.name).take_while(|name| *name != "routine");
        let missing: Vec<&str> = own.filter(|name| !known.contains(name)).collect();
        assert_eq!(missing, ["options"]);
    }

    #[test]
    fn names_are_used_once() {
        let names: BTreeSet<_> = FEATURES.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), FEATURES.len());
        assert!(
            names
                .iter()
                .all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'))
        );
        let mut operations = BTreeSet::new();
        for operation in FEATURES.iter().flat_map(|row| row.operations) {
            assert!(operations.insert(*operation), "{operation} describes two features");
        }
    }

    #[test]
    fn each_described_operation_is_one_of_a_feature() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/openapi");
        let (mut described, mut unknown) = (BTreeSet::new(), Vec::new());
        for folder in std::fs::read_dir(golden).unwrap() {
            let Ok(text) = std::fs::read_to_string(folder.unwrap().path().join("document.json"))
            else {
                continue;
            };
            for id in text.split("\"operationId\":").skip(1) {
                let id = id.trim_start().trim_start_matches('"').split('"').next().unwrap();
                let all = FEATURES.iter().flat_map(|row| row.operations);
                match all.filter(|operation| id.starts_with(**operation)).max_by_key(|it| it.len())
                {
                    Some(operation) => drop(described.insert(*operation)),
                    None => unknown.push(id.to_owned()),
                }
            }
        }
        assert_eq!(unknown, Vec::<String>::new());
        let listed: BTreeSet<_> = FEATURES.iter().flat_map(|row| row.operations).copied().collect();
        assert_eq!(described, listed);
    }
}
