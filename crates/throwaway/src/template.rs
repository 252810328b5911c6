//! A new cluster's data folder: made by `initdb`, or copied from one that is made once for many servers.
//!
//! The variable `THROWAWAY_TEMPLATE` names a folder that somebody makes for a run of many tests and removes behind it. The
//! first server that starts fills it; the others copy it, which takes a tenth of the time. Without the variable each server
//! runs `initdb`.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

use super::install::Install;

/// Makes `data` in the server's folder.
pub(super) fn fill(install: &Install, folder: &Path) -> io::Result<()> {
    match std::env::var_os("THROWAWAY_TEMPLATE") {
        Some(shared) => copy(install, &template(install, Path::new(&shared))?, folder),
        None => init(install, folder, "data"),
    }
}

/// The folder with the cluster that is copied, made now if it is not there. One process makes it; others wait.
fn template(install: &Install, shared: &Path) -> io::Result<std::path::PathBuf> {
    let folder = shared.join("postgres");
    let done = folder.join("data");
    let lock = File::create(shared.join("postgres.lock"))?;
    lock.lock()?;
    if !done.exists() {
        fs::create_dir_all(&folder)?;
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755))?;
        if let Some((user, group)) = install.owner {
            chown(&folder, Some(user), Some(group))?;
        }
        init(install, &folder, "part")?;
        // A run that was stopped in between leaves no half of a cluster under this name.
        fs::rename(folder.join("part"), &done)?;
    }
    Ok(done)
}

fn init(install: &Install, folder: &Path, data: &str) -> io::Result<()> {
    let mut initdb = install.command("initdb", folder);
    initdb.args(["-D", data, "-U", "postgres", "-A", "trust"]);
    initdb.args(["-E", "UTF8", "--locale=C", "--no-sync"]);
    done("initdb", initdb)
}

fn copy(install: &Install, template: &Path, folder: &Path) -> io::Result<()> {
    let mut copy = install.as_owner(Path::new("cp"), folder);
    copy.args(["-a", "--reflink=auto"]).arg(template).arg("data");
    done("cp", copy)
}

fn done(name: &str, mut command: Command) -> io::Result<()> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(io::Error::other(format!("{name} failed: {said}")))
}
