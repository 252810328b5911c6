//! Provides folders and servers to a workload that is being prepared.

use std::any::Any;
use std::path::PathBuf;

use duet_bench::run::Prepared;
use duet_bench::targets::http::Url;
use duet_bench::targets::sql::Database;
use duet_bench::workload::refused;
use duet_bench::workload::rest::Access;
use duet_model::{Error, Result};
use duet_workloads::built_in::{BuiltIn, Host, Request};

use super::own_server::OwnServer;
use super::served::Served;
use super::undo::Folder;
use crate::args::Store;

/// Prepares a workload; the objects created for it live as long as its runs.
///
/// # Errors
/// As [`BuiltIn::prepare`].
pub(super) fn prepare(workload: &dyn BuiltIn, request: &Request) -> Result<Prepared> {
    let mut made = Made::default();
    let mut prepared = workload.prepare(request, &mut made)?;
    for value in made.0 {
        prepared.keep(value);
    }
    Ok(prepared)
}

/// The created objects, in order.
#[derive(Default)]
struct Made(Vec<Box<dyn Any>>);

impl Host for Made {
    fn folder(&mut self) -> Result<PathBuf> {
        let folder = Folder::new()?;
        let path = folder.path().to_owned();
        self.0.push(Box::new(folder));
        Ok(path)
    }

    fn serve(
        &mut self,
        database: &Database,
        application: &str,
        more: &[&str],
    ) -> Result<(Url, Access)> {
        let served = match database {
            Database::Postgres(url) => Served::start(url, application, more)?,
            Database::Sqlite { path, synchronous } => {
                // Settings as economical with the disk as SQL on the same file.
                let flags = [&["--sqlite-synchronous", synchronous], more].concat();
                Served::start(&format!("sqlite:{}", path.display()), application, &flags)?
            }
        };
        // A local socket, as for the database.
        let url = served.mount("unix").parse().map_err(|said: String| refused(&said))?;
        let access = served.access();
        self.0.push(Box::new(served));
        Ok((url, access))
    }

    fn sample(&mut self) -> Result<(Url, Access, &'static str)> {
        let server = OwnServer::start(Store::Sqlite)?;
        let url = server.resource(&sample_table()?);
        let url = url.parse().map_err(|said: String| refused(&said))?;
        let access = Access { client: Some(server.client.clone()), ..Access::default() };
        let describe = server.describe;
        self.0.push(Box::new(server));
        Ok((url, access, describe))
    }
}

/// A table of the sample: the one that published reports measured.
pub(super) fn sample_table() -> Result<String> {
    let (_, resources) = duet_report::replay::sample().map_err(Error::internal)?;
    Ok(resources.into_iter().last().unwrap_or_default())
}
