//! The application of each path, and the paths that may not lie below another's.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use duet_model::{Code, Error, Result, steps};

use crate::build::mount::Mount;
use crate::build::naming::RESERVED;
use crate::build::snapshot::Snapshot;
use crate::path::{below, shown_path};
use crate::services::PathTemplate;

/// First parts of paths where the process itself answers.
pub const RESERVED_PATHS: [&str; 4] = ["health", "metrics", "admin", "oauth"];

/// The mounts of all applications of a process.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    /// Longer paths first, so that the first match is the longest.
    table: ArcSwap<Vec<Route>>,
    /// What each application serves, by its number; held while the table is renewed.
    claims: Mutex<Vec<Claim>>,
    /// Where the process itself answers by a setting.
    kept: Mutex<Vec<KeptPath>>,
}

/// A path at and below which the process itself answers, because a setting says so.
#[derive(Clone, Debug)]
pub struct KeptPath {
    /// The path, without a slash at its end.
    pub path: String,
    /// The setting.
    pub setting: &'static str,
}

/// A mount's path and its application's number.
#[derive(Debug)]
struct Route {
    path: String,
    application: usize,
}

/// What one application serves.
#[derive(Debug, Default)]
struct Claim {
    name: String,
    mounts: Vec<ClaimedMount>,
}

/// A mount, with the resources below it.
#[derive(Debug)]
struct ClaimedMount {
    path: String,
    /// The names that everything below belongs to.
    names: Vec<String>,
    /// The paths of services, which match only requests of their template.
    services: Vec<PathTemplate>,
}

impl Routes {
    /// The application with the longest mount that a path lies below.
    pub(crate) fn find(&self, path: &str) -> Option<usize> {
        let table = self.table.load();
        table.iter().find(|route| below(&route.path, path).is_some()).map(|found| found.application)
    }

    /// A number for one more application.
    pub(crate) fn register(&self) -> usize {
        let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        claims.push(Claim::default());
        claims.len() - 1
    }

    /// Keeps a path for the process itself.
    ///
    /// # Errors
    /// Where an application serves something there.
    pub(crate) fn keep(&self, path: KeptPath) -> Result<()> {
        let claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        claims.iter().try_for_each(|claim| claim.check_kept(&path))?;
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(path);
        Ok(())
    }

    /// Takes the mounts of an application's snapshot in place of those that it had. `put` brings the
    /// snapshot into force in the same moment. Where only the schema has changed and not the
    /// application (`strict` is false), something hidden becomes a note of the snapshot.
    ///
    /// # Errors
    /// Where a mount is another application's, or hides something that another one serves or is
    /// hidden by one; nothing changes then.
    pub(crate) fn claim(
        &self,
        number: usize,
        mut snapshot: Snapshot,
        strict: bool,
        put: impl FnOnce(&Arc<Snapshot>),
    ) -> Result<Arc<Snapshot>> {
        let wanted = Claim::of(&snapshot);
        match wanted.check_own() {
            Err(error) if !strict => snapshot.notes.push(error.message),
            checked => checked?,
        }
        let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        for path in self.kept.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            match wanted.check_kept(path) {
                Err(error) if !strict => snapshot.notes.push(error.message),
                checked => checked?,
            }
        }
        for (_, other) in claims.iter().enumerate().filter(|(index, _)| *index != number) {
            wanted.check_mounts(other)?;
            match wanted.check_hidden(other) {
                Err(error) if !strict => snapshot.notes.push(error.message),
                checked => checked?,
            }
        }
        let snapshot = Arc::new(snapshot);
        put(&snapshot);
        if let Some(claim) = claims.get_mut(number) {
            *claim = wanted;
        }
        self.table.store(Arc::new(table(&claims)));
        Ok(snapshot)
    }
}

/// The table of all claims.
fn table(claims: &[Claim]) -> Vec<Route> {
    let of = |(application, claim): (usize, &Claim)| {
        let route = |mount: &ClaimedMount| Route { path: mount.path.clone(), application };
        claim.mounts.iter().map(route).collect::<Vec<_>>()
    };
    let mut table: Vec<Route> = claims.iter().enumerate().flat_map(of).collect();
    table.sort_by(|a, b| b.path.len().cmp(&a.path.len()).then_with(|| a.path.cmp(&b.path)));
    table
}

impl Claim {
    fn of(snapshot: &Snapshot) -> Self {
        let mount = |mount: &Mount| ClaimedMount {
            path: mount.path.clone(),
            names: mount.names().map(str::to_owned).collect(),
            services: mount.services.iter().map(|service| service.file.path.clone()).collect(),
        };
        Self {
            name: snapshot.application.name.clone(),
            mounts: snapshot.mounts.iter().map(mount).collect(),
        }
    }

    /// Checks that nothing lies below a longer mount of the same application, or where the process answers.
    fn check_own(&self) -> Result<()> {
        let by_path = self.by_path();
        for mount in &self.mounts {
            if let Some(hidden) = mount.hidden_by_process() {
                return Err(hidden_by_process(&self.name, hidden));
            }
        }
        for longer in &self.mounts {
            for mount in above(&by_path, &longer.path) {
                if let Some(hidden) = mount.hidden_by(&longer.path) {
                    return Err(hides(&self.name, longer, &self.name, mount, hidden));
                }
            }
        }
        Ok(())
    }

    /// Checks that the process itself answers for none of it.
    fn check_kept(&self, kept: &KeptPath) -> Result<()> {
        let hidden = self.mounts.iter().find_map(|mount| match below(&kept.path, &mount.path) {
            Some(_) => Some(mount.path.clone()),
            None => mount.hidden_by(&kept.path).map(|name| format!("{}/{name}", mount.path)),
        });
        hidden.map_or(Ok(()), |hidden| Err(hidden_by_setting(&self.name, kept, &hidden)))
    }

    fn by_path(&self) -> HashMap<&str, &ClaimedMount> {
        self.mounts.iter().map(|mount| (mount.path.as_str(), mount)).collect()
    }

    /// Checks that no mount is another application's too.
    fn check_mounts(&self, other: &Self) -> Result<()> {
        let own = self.by_path();
        let mine = |foreign: &&ClaimedMount| own.contains_key(foreign.path.as_str());
        match other.mounts.iter().find(mine) {
            Some(both) => Err(same_mount(&both.path, [&other.name, &self.name])),
            None => Ok(()),
        }
    }

    /// Checks that nothing lies below a longer mount of the other application.
    fn check_hidden(&self, other: &Self) -> Result<()> {
        let (mine, theirs) = (self.by_path(), other.by_path());
        for own in &self.mounts {
            for foreign in above(&theirs, &own.path) {
                if let Some(hidden) = foreign.hidden_by(&own.path) {
                    return Err(hides(&self.name, own, &other.name, foreign, hidden));
                }
            }
        }
        for foreign in &other.mounts {
            for own in above(&mine, &foreign.path) {
                if let Some(hidden) = own.hidden_by(&foreign.path) {
                    return Err(hides(&other.name, foreign, &self.name, own, hidden));
                }
            }
        }
        Ok(())
    }
}

/// The mounts that a path lies below.
fn above<'m>(
    mounts: &HashMap<&str, &'m ClaimedMount>,
    path: &str,
) -> impl Iterator<Item = &'m ClaimedMount> {
    let ends = path.match_indices('/').map(|(at, _)| &path[..at]);
    ends.inspect(|_| steps::step()).filter_map(|above| mounts.get(above).copied())
}

impl ClaimedMount {
    /// What of a mount at `/` cannot be reached because the process itself answers there.
    fn hidden_by_process(&self) -> Option<&str> {
        let services = self.services.iter().map(PathTemplate::first);
        let names = self.names.iter().map(String::as_str).chain(services);
        let mut names = names.filter(|_| self.path.is_empty());
        names.find(|name| RESERVED_PATHS.contains(name) || *name == "favicon.ico")
    }

    /// What of this mount cannot be reached because another path lies below its own.
    fn hidden_by<'m>(&self, other: &'m str) -> Option<&'m str> {
        let rest = below(&self.path, other).filter(|rest| !rest.is_empty())?;
        let first = rest.split('/').next().unwrap_or(rest);
        let is_served = RESERVED.contains(&first)
            || self.names.iter().any(|name| name == first)
            || self.services.iter().any(|path| path.reaches(rest));
        is_served.then_some(first)
    }
}

fn same_mount(path: &str, [first, second]: [&str; 2]) -> Error {
    let message = format!(
        "The applications {first:?} and {second:?} have the same mount, {}.",
        shown_path(path)
    );
    Error::new(Code::Setting, message).hint("Give one of them another `mount` in its app.toml.")
}

fn hidden_by_process(application: &str, name: &str) -> Error {
    let message = format!(
        "The application {application:?} cannot serve {name:?} below `/`: Duet itself answers at `/{name}`."
    );
    let hint = "Give it another name by `table` in [resources.NAME], exclude it, or give the application another `mount`.";
    Error::new(Code::Setting, message).hint(hint)
}

fn hidden_by_setting(application: &str, kept: &KeptPath, hidden: &str) -> Error {
    let KeptPath { path, setting } = kept;
    let message = format!(
        "The application {application:?} cannot serve {}: Duet itself answers at {path} (`{setting}`).",
        shown_path(hidden)
    );
    let hint = format!("Set `{setting}` otherwise, or give the application another `mount`.");
    Error::new(Code::Setting, message).hint(hint)
}

fn hides(name: &str, mount: &ClaimedMount, of: &str, other: &ClaimedMount, hidden: &str) -> Error {
    let message = format!(
        "The mount {} of application {name:?} hides {}/{hidden} of application {of:?}.",
        shown_path(&mount.path),
        other.path,
    );
    Error::new(Code::Setting, message).hint("Give one of them another `mount` in its app.toml.")
}
