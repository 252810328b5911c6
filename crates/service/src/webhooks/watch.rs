//! What the database needs so that changes of the declared resources, and of views with `NOTIFY`, become events, and
//! whether it has that.

use std::collections::{BTreeMap, BTreeSet};

use duet_document::Codec;
use duet_model::catalog::RelationKind;
use duet_model::{Code, Error, Result, Type, Value};
use duet_sql::{
    WatchedTable, WatchingEndpoint, find_view_outbox, find_webhook_tables, read_endpoints,
    read_webhook_triggers, register_endpoint, register_view, webhook_prefix,
};

use super::events::EndpointState;
use crate::build::snapshot::Snapshot;
use crate::definition::Mounts;
use crate::hosting::context::RequestContext;
use crate::hosting::own_statements::{own, run};
use crate::hosting::service::Service;
use crate::outbox::declaration::Webhook;
use crate::resources::resource::{Resource, ResourceKind};

/// What the database has of what webhooks need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchState {
    /// Whether its tables are there.
    pub has_tables: bool,
    /// What it lacks, each in words for the operator.
    pub lacking: Vec<String>,
    /// Triggers of this application that fit nothing that it declares now.
    pub outdated: Vec<String>,
}

/// A view with `NOTIFY`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordedView<'s> {
    /// Its name.
    pub(crate) name: &'s str,
    /// Whose its events are in the outbox.
    pub(crate) endpoint: &'s str,
}

/// What makes a database fit the declared webhooks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreparedWatches {
    /// The statements; none where nothing is to be done.
    pub script: String,
    /// What they do, each in words for the operator.
    pub steps: Vec<String>,
}

impl Snapshot {
    /// The webhooks that the application declares.
    pub fn webhooks(&self) -> &[Webhook] {
        match &self.application.mounts {
            Mounts::Declared(mount) => &mount.webhooks,
            Mounts::AdHoc | Mounts::AdHocBelow(_) => &[],
        }
    }

    /// Whether a view has `NOTIFY`.
    pub fn records_views(&self) -> bool {
        self.resources().any(|resource| resource.view_endpoint.is_some())
    }

    /// The views with `NOTIFY`.
    ///
    /// # Errors
    /// Each whose events cannot be recorded, in words for the operator.
    pub(crate) fn recorded_views(&self) -> std::result::Result<Vec<RecordedView<'_>>, Vec<String>> {
        let (mut views, mut mistakes) = (Vec::new(), Vec::new());
        for resource in self.resources() {
            let Some(endpoint) = &resource.view_endpoint else { continue };
            match resource.shape.is_distributed() {
                true => mistakes.push(format!(
                    "The view {} cannot have NOTIFY: its tables are distributed over machines, whose transactions have no common order.",
                    resource.name
                )),
                false => views.push(RecordedView { name: &resource.name, endpoint }),
            }
        }
        if mistakes.is_empty() { Ok(views) } else { Err(mistakes) }
    }

    /// The resource that a webhook names.
    pub(super) fn watched_resource(&self, name: &str) -> Option<&Resource> {
        self.resources().find(|resource| resource.name == name).map(|resource| &**resource)
    }

    /// The tables that webhooks watch.
    ///
    /// # Errors
    /// Every resource that cannot be watched, each in words for the operator.
    pub fn watched_tables(&self) -> std::result::Result<Vec<WatchedTable>, Vec<String>> {
        let mut tables: BTreeMap<&str, WatchedTable> = BTreeMap::new();
        let mut mistakes = Vec::new();
        for webhook in self.webhooks() {
            for name in &webhook.resources {
                let endpoint =
                    WatchingEndpoint { name: webhook.name.clone(), events: webhook.events.clone() };
                let found = self.watched_resource(name).ok_or_else(|| {
                    "there is no such resource: name one as it is served, such as a table or a collection".to_owned()
                });
                match found.and_then(|found| self.watched(found)) {
                    Ok(table) => {
                        tables.entry(name.as_str()).or_insert(table).endpoints.push(endpoint);
                    }
                    Err(why) => mistakes.push(format!(
                        "The webhook {:?} cannot watch {name:?}: {why}.",
                        webhook.name
                    )),
                }
            }
        }
        if mistakes.is_empty() { Ok(tables.into_values().collect()) } else { Err(mistakes) }
    }

    /// A resource as a table that is watched; without an endpoint.
    fn watched(&self, resource: &Resource) -> std::result::Result<WatchedTable, String> {
        let shape = &resource.shape;
        let table = &shape.root().table;
        match resource.kind {
            ResourceKind::Table | ResourceKind::Collection => {}
            ResourceKind::DualityView => {
                return Err("it is a view of several tables, whose rows are the events: name those tables, as they are served".into());
            }
            ResourceKind::View | ResourceKind::Service => {
                return Err("it has no rows of its own: name the tables below it".into());
            }
        }
        if table.kind != RelationKind::Table {
            return Err("it is no table".into());
        }
        if shape.is_distributed() {
            return Err("its table is distributed over machines, where triggers do not fire".into());
        }
        if shape.key.is_empty() {
            return Err("its rows have no key".into());
        }
        let columns: Vec<_> = shape.key.iter().map(|at| &table.columns[*at]).collect();
        let fits = |ty: &Type| matches!(ty, Type::Integer { .. } | Type::Text | Type::Uuid);
        // Keys of stored documents are UUIDs, whatever type their column has.
        let wrong = columns.iter().find(|column| !fits(&column.ty) && shape.document().is_none());
        if let Some(column) = wrong {
            return Err(format!(
                "its key has the column {:?} of the type {}: events name rows by whole numbers, texts and UUIDs",
                column.name, column.declared
            ));
        }
        Ok(WatchedTable {
            application: self.application.name.clone(),
            schema: table.schema.clone(),
            table: table.name.clone(),
            key: columns.into_iter().map(|column| column.name.clone()).collect(),
            subject: resource.name.clone(),
            endpoints: Vec::new(),
        })
    }
}

impl Service {
    /// Everything that webhooks need in a database that has nothing of it, as a script.
    ///
    /// # Errors
    /// Where a resource cannot be watched.
    pub fn webhook_script(&self) -> Result<String> {
        let snapshot = self.snapshot();
        let dialect = self.store().dialect();
        let mut script = format!("{};\n", dialect.webhook_tables().create);
        for table in snapshot.watched_tables().map_err(|mistakes| unwatchable(&mistakes))? {
            script.push_str(&dialect.watch_script(&table).create);
        }
        for webhook in snapshot.webhooks() {
            let application = &snapshot.application.name;
            script.push_str(&register_endpoint(dialect, application, &webhook.name));
        }
        let views = snapshot.recorded_views().map_err(|mistakes| unwatchable(&mistakes))?;
        if !views.is_empty() {
            script.push_str(dialect.webhook_tables().create_views);
        }
        for view in views {
            script.push_str(&register_view(dialect, view.endpoint, &snapshot.application.name));
        }
        Ok(script)
    }
}

/// The error for resources that cannot be watched.
fn unwatchable(mistakes: &[String]) -> Error {
    Error::new(Code::Setting, mistakes.join(" "))
        .hint("Correct `resources` of each `[[webhook]]` in app.toml, and NOTIFY of the views.")
}

impl RequestContext<'_> {
    /// Whether the database has what the declared webhooks need.
    ///
    /// # Errors
    /// Where a resource cannot be watched, or the database cannot be asked.
    pub async fn webhook_state(&self) -> Result<WatchState> {
        let snapshot = self.service().snapshot();
        let watched = snapshot.watched_tables().map_err(|mistakes| unwatchable(&mistakes))?;
        let views = snapshot.recorded_views().map_err(|mistakes| unwatchable(&mistakes))?;
        if snapshot.webhooks().is_empty() && views.is_empty() {
            return Ok(WatchState::default());
        }
        let dialect = self.dialect();
        if !self.has_webhook_tables().await? {
            let lacking = vec!["the tables of webhooks, or the right to use them".to_owned()];
            return Ok(WatchState { lacking, ..WatchState::default() });
        }
        let triggers = self.webhook_triggers().await?;
        let mut wanted = BTreeSet::new();
        let mut state = WatchState { has_tables: true, ..WatchState::default() };
        for table in &watched {
            let script = dialect.watch_script(table);
            if !script.triggers.iter().all(|trigger| triggers.contains(trigger)) {
                state.lacking.push(format!("triggers on the table of {}", table.subject));
            }
            wanted.extend(script.triggers);
        }
        let own = webhook_prefix(&snapshot.application.name);
        let outdated = triggers.iter().filter(|it| it.starts_with(&own) && !wanted.contains(*it));
        state.outdated = outdated.cloned().collect();
        let endpoints = self.endpoint_states().await?;
        for webhook in snapshot.webhooks() {
            match endpoints.iter().find(|known| known.name == webhook.name) {
                None => state.lacking.push(format!("the endpoint {}", webhook.name)),
                Some(known) if known.application != snapshot.application.name => {
                    state.lacking.push(format!(
                        "an endpoint {} of its own: the application {} has one of this name",
                        webhook.name, known.application
                    ));
                }
                Some(_) => {}
            }
        }
        if !views.is_empty() && !self.has_view_outbox().await? {
            state.lacking.push("room for events of views, or the right to add them".to_owned());
        }
        for view in views.iter().filter(|view| !endpoints.iter().any(|it| it.name == view.endpoint))
        {
            state.lacking.push(format!("the events of the view {}", view.name));
        }
        Ok(state)
    }

    /// What makes the database fit the declared webhooks; their tables are there.
    ///
    /// # Errors
    /// Where a resource cannot be watched, the name of an endpoint is another application's, or the database cannot be
    /// asked.
    pub async fn prepared_webhooks(&self) -> Result<PreparedWatches> {
        let snapshot = self.service().snapshot();
        let watched = snapshot.watched_tables().map_err(|mistakes| unwatchable(&mistakes))?;
        let (dialect, application) = (self.dialect(), &snapshot.application.name);
        let (triggers, endpoints) = (self.webhook_triggers().await?, self.endpoint_states().await?);
        let mut prepared = PreparedWatches::default();
        let mut wanted = BTreeSet::new();
        let mut create = String::new();
        for table in &watched {
            let script = dialect.watch_script(table);
            if !script.triggers.iter().all(|trigger| triggers.contains(trigger)) {
                // What is left of them is made anew.
                for trigger in &script.triggers {
                    prepared.script.push_str(&dialect.drop_watch(trigger));
                }
                create.push_str(&script.create);
                prepared.steps.push(format!("triggers on the table of {}", table.subject));
            }
            wanted.extend(script.triggers);
        }
        let own = webhook_prefix(application);
        let outdated: Vec<&String> =
            triggers.iter().filter(|it| it.starts_with(&own) && !wanted.contains(*it)).collect();
        for trigger in &outdated {
            prepared.script.push_str(&dialect.drop_watch(trigger));
        }
        if !outdated.is_empty() {
            prepared.steps.push(format!("{} outdated triggers less", outdated.len()));
        }
        prepared.script.push_str(&create);
        for webhook in snapshot.webhooks() {
            match endpoints.iter().find(|known| known.name == webhook.name) {
                None => {
                    let register = register_endpoint(dialect, application, &webhook.name);
                    prepared.script.push_str(&register);
                    prepared.steps.push(format!("the endpoint {}", webhook.name));
                }
                Some(known) if known.application != *application => {
                    let message = format!(
                        "The application {} has a webhook {:?} in this database already.",
                        known.application, webhook.name
                    );
                    return Err(Error::new(Code::Setting, message)
                        .hint("Give the `[[webhook]]` another `name`."));
                }
                Some(_) => {}
            }
        }
        let views = snapshot.recorded_views().map_err(|mistakes| unwatchable(&mistakes))?;
        if !views.is_empty() && !self.has_view_outbox().await? {
            prepared.script.push_str(dialect.webhook_tables().create_views);
            prepared.steps.push("room for events of views".to_owned());
        }
        for view in views.iter().filter(|view| !endpoints.iter().any(|it| it.name == view.endpoint))
        {
            prepared.script.push_str(&register_view(dialect, view.endpoint, application));
            prepared.steps.push(format!("the events of the view {}", view.name));
        }
        Ok(prepared)
    }

    async fn has_webhook_tables(&self) -> Result<bool> {
        let (_, rows) =
            run(self, own(find_webhook_tables(self.dialect()), vec![Codec::Text])).await?;
        Ok(rows.first().and_then(|row| row.first()).is_some_and(|name| *name != Value::Null))
    }

    /// Whether the outbox, which exists, may have events of views.
    async fn has_view_outbox(&self) -> Result<bool> {
        let find = own(find_view_outbox(self.dialect()), vec![Codec::Text]);
        Ok(!run(self, find).await?.1.is_empty())
    }

    async fn webhook_triggers(&self) -> Result<BTreeSet<String>> {
        let read = own(read_webhook_triggers(self.dialect()), vec![Codec::Text]);
        let (_, rows) = run(self, read).await?;
        Ok(rows.into_iter().flatten().map(|name| name.to_string()).collect())
    }

    /// The endpoints of all applications of the database.
    ///
    /// # Errors
    /// Where the database cannot be asked.
    pub async fn endpoint_states(&self) -> Result<Vec<EndpointState>> {
        let read = own(read_endpoints(self.dialect()), EndpointState::CODECS.to_vec());
        let (_, rows) = run(self, read).await?;
        Ok(rows.iter().filter_map(|row| EndpointState::of(row)).collect())
    }
}
