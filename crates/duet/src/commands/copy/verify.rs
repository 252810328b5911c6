//! The end of a copy: both databases are read whole, as they are served, and compared.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use duet_auth::{Open, Principal, State};
use duet_document::{Etag, Format};
use duet_model::{Error, Result};
use duet_service::definition::{self, Mounts};
use duet_service::query::PageParameters;
use duet_service::{Auth, Mount, Resource, Service, WorkerHandle};
use duet_store::setup::copy::{CopiedTable, Original};
use percent_encoding::NON_ALPHANUMERIC;

use super::Copying;
use crate::args::Verification;
use crate::command_error::CommandError;
use crate::commands::sources::database;
use crate::database_url::DatabaseUrl;
use crate::report::Outcome;
use crate::runtime::now;

/// How many differences are listed.
const LISTED: usize = 20;
/// How long a table may be read.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);

/// What there is of a resource: the number of its documents, and the sum of the hashes of their JSON. The order in
/// which they come does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Digest {
    rows: u64,
    sum: u128,
}

impl Digest {
    fn add(&mut self, line: &[u8], with_json: bool) {
        self.rows += 1;
        if with_json {
            let hash = Etag::of("", line).bytes();
            self.sum = self.sum.wrapping_add(u128::from_le_bytes(hash));
        }
    }
}

/// Compares all tables, and what the application serves besides; what was compared, in words.
///
/// # Errors
/// `Setting` with what differs.
pub(super) async fn compare(
    copying: &Copying<'_>,
    original: &Original,
    schema: &str,
) -> Outcome<String> {
    let with_json = copying.arguments.verify == Verification::Json;
    let from = Side { copying, at: &copying.resolved.database, schema: None, with_json };
    let to = Side { at: &copying.target, schema: Some(schema), ..from };
    let (from, to) = (from.digests(original).await?, to.digests(original).await?);
    let mut differences = Vec::new();
    for (name, digest) in &from {
        match to.get(name) {
            Some(other) if other == digest => {}
            Some(other) if other.rows != digest.rows => {
                differences.push(format!(
                    "{name}: {} rows, and {} of them were copied",
                    digest.rows, other.rows
                ));
            }
            Some(_) => differences.push(format!("{name}: the JSON of its rows differs")),
            None => differences.push(format!("{name}: it is not served from the copy")),
        }
    }
    if differences.is_empty() {
        let rows: u64 = from.values().map(|digest| digest.rows).sum();
        let how = if with_json { "the JSON of all is equal" } else { "their numbers are equal" };
        return Ok(format!("{} resources with {rows} documents, {how}", from.len()));
    }
    let more = differences.len().saturating_sub(LISTED);
    differences.truncate(LISTED);
    if more > 0 {
        differences.push(format!("and {more} others"));
    }
    let message = format!("The copy is not like the original:\n  {}", differences.join("\n  "));
    Err(CommandError::refusal(message)
        .hint("The file was perhaps written between two parts of an interrupted copy, or has values that do not have the form of their type; columns of the type `jsonb` also change the form of numbers such as `1e3` and `-0`. Empty the target, and copy again, to `json` for those."))
}

/// One of the two databases.
#[derive(Clone, Copy)]
struct Side<'a> {
    copying: &'a Copying<'a>,
    at: &'a DatabaseUrl,
    /// The schema of the tables, where there are several.
    schema: Option<&'a str>,
    with_json: bool,
}

impl Side<'_> {
    /// The digests of the tables by name, and of what the application serves.
    async fn digests(&self, original: &Original) -> Outcome<BTreeMap<String, Digest>> {
        let mut found = BTreeMap::new();
        let worker = self.serve(Mounts::AdHoc).await?;
        let snapshot = worker.snapshot();
        for table in &original.tables {
            let resource = self.resource(&snapshot.mounts, table)?;
            let fields = fields(table, resource);
            let digest = self.digest(&worker, resource, Some(&fields)).await?;
            found.insert(format!("table {}", table.name), digest);
        }
        let mounts = &self.copying.resolved.definition.mounts;
        if let Mounts::Declared(_) = mounts {
            let worker = self.serve(mounts.clone()).await?;
            let snapshot = worker.snapshot();
            for mount in &snapshot.mounts {
                for resource in mount.resources().iter().filter(|one| one.service.is_none()) {
                    let digest = self.digest(&worker, resource, None).await?;
                    found.insert(format!("{}/{}", mount.path, resource.name), digest);
                }
            }
        }
        Ok(found)
    }

    /// The resource of a table.
    fn resource<'m>(&self, mounts: &'m [Mount], table: &CopiedTable) -> Outcome<&'m Arc<Resource>> {
        let is_it = |resource: &&Arc<Resource>| {
            let relation = &resource.shape.root().table;
            let is_there = self.schema.is_none_or(|schema| relation.schema == *schema);
            is_there && relation.name == table.name
        };
        let found = mounts.iter().flat_map(Mount::resources).find(is_it);
        found.ok_or_else(|| {
            let place = self.at.describe().unwrap_or_default();
            let message = format!("`{}` of {place} cannot be read as it is served.", table.name);
            CommandError::refusal(message)
        })
    }

    /// A service over the database, without limits of time and rows.
    async fn serve(&self, mounts: Mounts) -> Result<WorkerHandle> {
        let mut settings = self.copying.resolved.settings.clone();
        settings.stream_timeout.value = LONGEST;
        let store = database::open(self.at, &settings).await?;
        let mut definition =
            definition::Application { mounts, ..self.copying.resolved.definition.clone() };
        definition.limits.stream_rows = u64::MAX;
        let auth = Auth::in_memory(&State::new(now())?, Open::Read);
        Arc::new(Service::open(store, definition, auth).await?).attach()
    }

    async fn digest(
        &self,
        worker: &WorkerHandle,
        resource: &Arc<Resource>,
        fields: Option<&str>,
    ) -> Result<Digest> {
        let query = fields.map(|fields| {
            format!("fields={}", percent_encoding::utf8_percent_encode(fields, NON_ALPHANUMERIC))
        });
        let parameters = PageParameters::of_resource(resource, &Vec::new(), query.as_deref())?;
        let anybody = Principal::anonymous(Open::Read, None);
        let denied = |_| Error::internal("the operator may not read");
        let right = resource.access.read_right(&anybody).map_err(denied)?;
        let page = parameters.query(right, None);
        let context = worker.acting(None);
        let mut stream = context.stream(resource, &page, Format::Ndjson).await?;
        let mut digest = Digest::default();
        while let Some(chunk) = stream.next().await? {
            let lines = chunk.text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            lines.for_each(|line| digest.add(line, self.with_json));
        }
        Ok(digest)
    }
}

/// The columns that were copied, as a query names them.
fn fields(table: &CopiedTable, resource: &Resource) -> String {
    let relation = &resource.shape.root().table;
    let served = table.columns.iter().filter_map(|column| {
        let at = relation.columns.iter().position(|known| known.name == column.name)?;
        Some(relation.columns[at].served_name())
    });
    served.collect::<Vec<_>>().join(",")
}
