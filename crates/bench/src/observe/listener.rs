//! Finds the processes that listen at an address, where client and server share a machine.

use std::fs;
use std::path::Path;

use super::processes::{Group, SERVER};
use crate::targets::http::{Address, Url};

/// The state of a listening socket in `/proc/net/tcp` (kernel, `include/net/tcp_states.h`).
const LISTENS: &str = "0A";
/// The flag of a listening socket in `/proc/net/unix` (`__SO_ACCEPTCON`).
const ACCEPTS: u32 = 1 << 16;

impl Group {
    /// The processes that listen at a URL, as the group `server`; `None` if it is on another
    /// machine, or this process may not inspect the owner of the socket.
    pub fn serving(url: &Url) -> Option<Self> {
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let sockets = match &url.address {
            Address::Tcp(host, port) if is_here(host) => {
                let mut sockets = by_port(&text("/proc/net/tcp"), *port);
                sockets.extend(by_port(&text("/proc/net/tcp6"), *port));
                sockets
            }
            Address::Tcp(..) => return None,
            Address::Unix(path) => by_path(&text("/proc/net/unix"), path),
        };
        let ids = holders(&sockets);
        let group = Self { name: SERVER.into(), ids, ..Self::default() };
        (!group.ids.is_empty()).then_some(group)
    }
}

/// Whether the address of a URL belongs to this machine.
pub(super) fn is_on_this_machine(url: &Url) -> bool {
    match &url.address {
        Address::Tcp(host, _) => is_here(host),
        Address::Unix(_) => true,
    }
}

/// Whether a host is a loopback address: on other hosts the same port may be another program's.
fn is_here(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    let address = host.parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Sockets that listen at a port, by their numbers.
fn by_port(text: &str, port: u16) -> Vec<u64> {
    let socket = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (_, local) = words.get(1)?.rsplit_once(':')?;
        let is_it = u16::from_str_radix(local, 16) == Ok(port) && words.get(3) == Some(&LISTENS);
        is_it.then(|| words.get(9)?.parse().ok()).flatten()
    };
    text.lines().filter_map(socket).collect()
}

/// Sockets that listen at a path.
fn by_path(text: &str, path: &Path) -> Vec<u64> {
    let socket = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let flags = u32::from_str_radix(words.get(3)?, 16).ok()?;
        let is_it = flags & ACCEPTS != 0 && path == Path::new(words.get(7)?);
        is_it.then(|| words.get(6)?.parse().ok()).flatten()
    };
    text.lines().filter_map(socket).collect()
}

/// The processes that hold one of these sockets open.
fn holders(sockets: &[u64]) -> Vec<u32> {
    let names: Vec<String> = sockets.iter().map(|socket| format!("socket:[{socket}]")).collect();
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    if names.is_empty() {
        return Vec::new();
    }
    let has = |id: &u32| {
        let Ok(files) = fs::read_dir(format!("/proc/{id}/fd")) else { return false };
        let mut links = files.filter_map(|file| fs::read_link(file.ok()?.path()).ok());
        links.any(|link| names.iter().any(|name| link == Path::new(name)))
    };
    let ids = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter(has).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_of_tables() {
        let tcp = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt uid timeout inode\n\
            0: 00000000:07E8 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 1076 1\n\
            1: 0100007F:07E8 0100007F:EA72 06 00000000:00000000 03:000014F8 00000000 0 0 0 3\n";
        assert_eq!((by_port(tcp, 2024), by_port(tcp, 7)), (vec![1076], vec![]));
        let unix = "Num RefCount Protocol Flags Type St Inode Path\n\
            0: 00000003 00000000 00000000 0001 03 30 /run/a.sock\n\
            0: 00000002 00000000 00010000 0001 01 31 /run/a.sock\n0: 1 0 00010000 1 01 32\n";
        assert_eq!(by_path(unix, Path::new("/run/a.sock")), [31]);
        assert!(by_path(unix, Path::new("/run/b.sock")).is_empty());
    }

    #[test]
    fn this_machine_has_few_names() {
        let here = ["localhost", "127.0.0.1", "127.9.0.1", "::1", "[::1]"];
        assert!(here.into_iter().all(is_here));
        assert!(!is_here("example.org") && !is_here("10.0.0.1"));
    }

    #[test]
    fn finds_the_listening_process() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let _unix = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let urls = [
            format!("http://{}/", tcp.local_addr().unwrap()),
            format!("unix:{}:/", path.display()),
        ];
        for url in urls {
            let group = Group::serving(&url.parse().unwrap()).unwrap();
            assert!(group.ids.contains(&std::process::id()), "{url}: {group:?}");
        }
        assert_eq!(Group::serving(&"http://192.0.2.1:80/".parse().unwrap()), None);
    }
}
