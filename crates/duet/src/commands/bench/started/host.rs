//! Provides folders and servers to a workload that is being prepared.

use std::any::Any;
use std::path::PathBuf;

use duet_bench::run::Prepared;
use duet_bench::targets::http::Url;
use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::refused;
use duet_bench::workload::rest::Access;
use duet_model::{Error, Result};
use duet_workloads::built_in::{BuiltIn, Host, Request};

use super::own_server::{OwnServer, load};
use super::served::Served;
use super::undo::Folder;
use crate::args::Store;

/// Prepares a workload; the objects created for it live as long as its runs.
///
/// # Errors
/// As [`BuiltIn::prepare`].
pub(in crate::commands::bench) fn prepare(
    workload: &dyn BuiltIn,
    request: &Request,
) -> Result<Prepared> {
    let mut made = CreatedObjects::default();
    let mut prepared = workload.prepare(request, &mut made)?;
    for value in made.0 {
        prepared.keep(value);
    }
    Ok(prepared)
}

/// The created objects, in order.
#[derive(Default)]
struct CreatedObjects(Vec<Box<dyn Any>>);

impl Host for CreatedObjects {
    fn folder(&mut self) -> Result<PathBuf> {
        let folder = Folder::new()?;
        let path = folder.path().to_owned();
        self.0.push(Box::new(folder));
        Ok(path)
    }

    fn serve(
        &mut self,
        database: &DatabaseAddress,
        application: &str,
        more: &[&str],
    ) -> Result<(Url, Access)> {
        let (database, flags) = arguments(database);
        self.served(Served::start(&database, application, &[&as_texts(&flags), more].concat())?)
    }

    fn serve_built_in(
        &mut self,
        name: &str,
        database: Option<&DatabaseAddress>,
        scale: Option<u32>,
    ) -> Result<(Url, Access)> {
        let database = match database {
            Some(database) => database.clone(),
            None => {
                let folder = self.folder()?;
                let path = folder.join("bench.sqlite");
                load(name, &format!("sqlite:{}", path.display()), scale, &folder)?;
                DatabaseAddress::sqlite(path)
            }
        };
        let (database, flags) = arguments(&database);
        self.served(Served::start_built_in(&database, name, &as_texts(&flags))?)
    }

    fn sample(&mut self) -> Result<(Url, Access, &'static str)> {
        let server = OwnServer::start(Store::Sqlite)?;
        let url = server.resource(&sample_table()?);
        let url = url.parse().map_err(|message: String| refused(&message))?;
        let access = Access { client: Some(server.client.clone()), ..Access::default() };
        let describe = server.describe;
        self.0.push(Box::new(server));
        Ok((url, access, describe))
    }
}

impl CreatedObjects {
    /// Keeps a server; returns its URL through a local socket, as for the database.
    fn served(&mut self, served: Served) -> Result<(Url, Access)> {
        let url = served.mount("unix").parse().map_err(|message: String| refused(&message))?;
        let access = served.access();
        self.0.push(Box::new(served));
        Ok((url, access))
    }
}

/// A database as an argument of a server, and settings as economical with the disk as SQL on the same file.
fn arguments(database: &DatabaseAddress) -> (String, Vec<String>) {
    match database {
        DatabaseAddress::Postgres(url) => (url.clone(), Vec::new()),
        DatabaseAddress::Sqlite { path, synchronous } => {
            let flags = vec!["--sqlite-synchronous".to_owned(), synchronous.clone()];
            (format!("sqlite:{}", path.display()), flags)
        }
    }
}

fn as_texts(flags: &[String]) -> Vec<&str> {
    flags.iter().map(String::as_str).collect()
}

/// A table of the sample: the one that published reports measured.
pub(in crate::commands::bench) fn sample_table() -> Result<String> {
    let (_, resources) = duet_report::replay::sample().map_err(Error::internal)?;
    Ok(resources.into_iter().last().unwrap_or_default())
}
