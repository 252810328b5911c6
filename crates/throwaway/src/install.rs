//! Where PostgreSQL's programs are, and as which user they run.

use std::env;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::unistd::{User, geteuid};

/// An installed PostgreSQL.
#[derive(Clone, Debug)]
pub(super) struct Install {
    folder: PathBuf,
    /// The user and group to run as, where it is not the current one.
    pub(super) owner: Option<(u32, u32)>,
}

impl Install {
    /// The newest version under `/usr/lib/postgresql`, else what `PATH` has.
    pub(super) fn find() -> io::Result<Self> {
        let folder = packaged().or_else(on_path).ok_or_else(|| {
            io::Error::other("initdb is not installed: install the package `postgresql`")
        })?;
        Ok(Self { folder, owner: owner()? })
    }

    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// One of PostgreSQL's programs, to be run in `folder` by the right user and with nothing of
    /// the caller's environment.
    pub(super) fn command(&self, program: &str, folder: &Path) -> Command {
        self.as_owner(&self.program(program), folder)
    }

    pub(super) fn as_owner(&self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(folder).env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C");
        if let Some((uid, gid)) = self.owner {
            // The standard library also drops root's supplementary groups here.
            command.uid(uid).gid(gid);
        }
        command
    }
}

fn packaged() -> Option<PathBuf> {
    let version = |path: &PathBuf| {
        path.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok()).unwrap_or(0)
    };
    fs::read_dir("/usr/lib/postgresql")
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("bin/initdb").exists())
        .max_by_key(version)
        .map(|path| path.join("bin"))
}

fn on_path() -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).find(|folder| folder.join("initdb").exists())
}

/// PostgreSQL refuses to run as root.
fn owner() -> io::Result<Option<(u32, u32)>> {
    if !geteuid().is_root() {
        return Ok(None);
    }
    match User::from_name("postgres")? {
        Some(user) => Ok(Some((user.uid.as_raw(), user.gid.as_raw()))),
        None => Err(io::Error::other(
            "PostgreSQL does not run as root and there is no user `postgres`: \
             install the package `postgresql` or run the tests as another user",
        )),
    }
}
