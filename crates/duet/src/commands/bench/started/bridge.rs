//! A transport to a local server like that of a container: from a separate network namespace, over
//! a pair of virtual devices, behind NAT. `ip` and `nft` or `iptables` create everything; it is
//! named after this process, and is removed again. Nothing leaves the machine.

use std::fs::File;
use std::os::fd::AsFd as _;
use std::process::{Command, Stdio};

use duet_model::Error;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::undo::UndoHandle;
use crate::command_error::CommandError;
use crate::report::Outcome;

/// The network between both, from the range for benchmarks (RFC 2544).
const HERE: &str = "198.18.213.1";
const THERE: &str = "198.18.213.2";

/// A namespace with its network; dropping it removes everything.
#[derive(Debug)]
pub(in crate::commands::bench) struct Bridge {
    /// The namespace's name.
    name: String,
    /// The target's address within the namespace.
    pub(in crate::commands::bench) target: String,
    /// The removal of each object, last first.
    undo: Vec<(Vec<String>, UndoHandle)>,
}

impl Bridge {
    /// Creates the namespace for a target that listens on the loopback address.
    ///
    /// # Errors
    /// Why it cannot be created, in words; nothing of it remains.
    pub(in crate::commands::bench) fn open(target: &str) -> Result<Self, String> {
        let port = loopback_port(target).ok_or("it is not on 127.0.0.1")?;
        let id = std::process::id();
        let mut bridge = Self {
            name: format!("duet-{id}"),
            target: through(target).ok_or("it is not on 127.0.0.1")?,
            undo: Vec::new(),
        };
        bridge.devices(&format!("dv{id}h"), &format!("dv{id}n"))?;
        bridge.nat(&format!("dv{id}h"), port)?;
        Ok(bridge)
    }

    fn devices(&mut self, here: &str, there: &str) -> Result<(), String> {
        let name = self.name.clone();
        self.make(&format!("ip netns add {name}"), &format!("ip netns del {name}"))?;
        // Removing one end of the pair removes the other one too.
        self.make(
            &format!("ip link add {here} type veth peer name {there} netns {name}"),
            &format!("ip link del {here}"),
        )?;
        for line in [
            format!("ip addr add {HERE}/30 dev {here}"),
            format!("ip link set {here} up"),
            format!("ip -n {name} addr add {THERE}/30 dev {there}"),
            format!("ip -n {name} link set {there} up"),
            format!("ip -n {name} link set lo up"),
        ] {
            run(&line)?;
        }
        // Packets from this device may go to 127.0.0.1, where the server listens.
        let setting = format!("/proc/sys/net/ipv4/conf/{here}/route_localnet");
        std::fs::write(&setting, "1").map_err(|error| format!("{setting}: {error}"))
    }

    fn nat(&mut self, device: &str, port: u16) -> Result<(), String> {
        let to = format!("127.0.0.1:{port}");
        if !is_there("nft") {
            if !is_there("iptables") {
                return Err("neither nft nor iptables is installed".into());
            }
            let rule = format!("PREROUTING -i {device} -p tcp --dport {port} -j DNAT --to {to}");
            let line = |verb: &str| format!("iptables -w -t nat {verb} {rule}");
            return self.make(&line("-A"), &line("-D"));
        }
        let table = self.name.clone();
        self.make(&format!("nft add table ip {table}"), &format!("nft delete table ip {table}"))?;
        run(&format!(
            "nft add chain ip {table} pre {{ type nat hook prerouting priority -100 ; }}"
        ))?;
        run(&format!("nft add rule ip {table} pre iifname {device} tcp dport {port} dnat to {to}"))
    }

    /// Creates an object, and registers its removal.
    fn make(&mut self, line: &str, undo: &str) -> Result<(), String> {
        let undo = words(undo);
        let again = undo.clone();
        let ((), made) = UndoHandle::making(|| run(line), move || drop(run_command(&again)))?;
        self.undo.push((undo, made));
        Ok(())
    }

    /// Runs a function within the namespace, on a separate thread: threads and processes start in
    /// the namespace of their parent.
    ///
    /// # Errors
    /// The function's error; `Setting` if entering is not permitted.
    pub(in crate::commands::bench) fn within<T: Send>(
        &self,
        what: impl FnOnce() -> Outcome<T> + Send,
    ) -> Outcome<T> {
        let inside = || {
            self.enter()?;
            what()
        };
        let ended = std::thread::scope(|scope| scope.spawn(inside).join());
        ended.unwrap_or_else(|_| Err(Error::internal("the thread panicked").into()))
    }

    /// Moves the calling thread.
    fn enter(&self) -> Outcome {
        let refused = |error: std::io::Error| {
            CommandError::machine(format!("The network namespace cannot be entered: {error}."))
        };
        let file = File::open(format!("/run/netns/{}", self.name)).map_err(refused)?;
        let moved = move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network));
        moved.map_err(|error| refused(error.into()))
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        for (words, _made) in self.undo.drain(..).rev() {
            // An object that is already gone cannot be removed.
            drop(run_command(&words));
        }
    }
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn run(line: &str) -> Result<(), String> {
    run_command(&words(line))
}

fn run_command(words: &[String]) -> Result<(), String> {
    let (program, arguments) = words.split_first().ok_or("no program")?;
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(format!("{}: {}", words.join(" "), message.lines().next().unwrap_or("refused")))
}

fn is_there(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}

/// The host and the port in a URL: their range, and the port.
fn place(target: &str) -> Option<(std::ops::Range<usize>, u16)> {
    let (scheme, rest) = target.split_once("://")?;
    let usual = match scheme {
        "http" => 80,
        "https" => 443,
        "postgres" | "postgresql" => 5432,
        _ => return None,
    };
    let from = target.len() - rest.len();
    let authority = &rest[..rest.find(['/', '?']).unwrap_or(rest.len())];
    let from = from + authority.rfind('@').map_or(0, |at| at + 1);
    let place = &authority[authority.rfind('@').map_or(0, |at| at + 1)..];
    let (host, port) = match place.split_once(':') {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (place, usual),
    };
    matches!(host, "127.0.0.1" | "localhost").then(|| (from..from + host.len(), port))
}

/// The port of a target on the loopback address, such as `http://127.0.0.1:8080/` or
/// `postgres://localhost/`; `None` for any other.
pub(in crate::commands::bench) fn loopback_port(target: &str) -> Option<u16> {
    place(target).map(|(_, port)| port)
}

/// The target with this machine's address within the namespace.
fn through(target: &str) -> Option<String> {
    let (host, _) = place(target)?;
    Some(format!("{}{HERE}{}", &target[..host.start], &target[host.end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_this_machine() {
        for (target, port, seen) in [
            ("http://127.0.0.1:8080/ords/", 8080, "http://198.18.213.1:8080/ords/"),
            ("http://localhost/a@b", 80, "http://198.18.213.1/a@b"),
            ("postgres://me:p@localhost/x", 5432, "postgres://me:p@198.18.213.1/x"),
            ("postgresql://127.0.0.1:5433?a=b", 5433, "postgresql://198.18.213.1:5433?a=b"),
        ] {
            assert_eq!(loopback_port(target), Some(port), "{target}");
            assert_eq!(through(target).as_deref(), Some(seen));
        }
        for other in ["unix:/a:/b", "http://db.example/", "postgres:///bench", "sqlite:a", "x"] {
            assert_eq!(loopback_port(other), None, "{other}");
            assert!(Bridge::open(other).is_err());
        }
    }
}
