//! The output at the start: what is served and where, how to get a token, and a command line to
//! paste.

use std::fmt::Write as _;

use duet_auth::Open;
use duet_text::printable::printable;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{ConsoleEntry, RunClient};

/// Everything but the unreserved characters of RFC 3986 §2.3.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The most resources that are listed, and the most addresses whose other resources are counted.
const LISTED: usize = 20;

/// A mount with its resources.
#[derive(Clone, Debug)]
pub(crate) struct MountLines {
    /// Its path.
    pub(crate) path: String,
    /// The resources below it, in order.
    pub(crate) resources: Vec<ResourceLine>,
}

/// A resource, a routine or a service.
#[derive(Clone, Debug)]
pub(crate) struct ResourceLine {
    /// Its path below the mount, without the slash at its beginning.
    pub(crate) path: String,
    /// Its kind, in words.
    pub(crate) kind: String,
}

impl Access<'_> {
    /// The console's address, from the view of this machine, with the code that signs in once where it may be shown: it
    /// is in the fragment, which browsers keep to themselves. `None` without a console, or without an address.
    pub(crate) fn link(&self, urls: &[String], shows_secrets: bool) -> Option<String> {
        let console = self.console?;
        let is_address = urls.first().is_some_and(|url| !url.starts_with("unix:"));
        let path = match console.code().filter(|_| shows_secrets) {
            Some(code) => format!("enter#{}", code.expose()),
            None => String::new(),
        };
        is_address.then(|| format!("{}{}/{path}", base(urls), console.base()))
    }
}

/// The first URL, from the view of a client on this machine.
fn base(urls: &[String]) -> String {
    let first = urls.first().map_or("", String::as_str);
    match first.strip_prefix("unix:") {
        Some(_) => "http://localhost".into(),
        None => first.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:"),
    }
}

/// The facts for the output.
#[derive(Debug)]
pub(crate) struct Banner<'a> {
    /// The applications' names, each with its database, without secrets.
    pub(crate) applications: &'a [(String, String)],
    /// Its addresses: `http://…` or `unix:PATH`.
    pub(crate) urls: &'a [String],
    /// What is served.
    pub(crate) mounts: &'a [MountLines],
    /// How people and programs get in.
    pub(crate) access: Access<'a>,
    /// How much it says.
    pub(crate) detail: Detail,
    /// Whether people alone read the text, so that it may have the client's secret.
    pub(crate) is_for_terminal: bool,
}

/// How much a start says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The first steps.
    First,
    /// What is served, and how to get in.
    Usual,
    /// Also what clients may miss.
    All,
}

/// How people and programs get in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access<'a> {
    /// The client of the run.
    pub(crate) client: Option<&'a RunClient>,
    /// The rights of everybody.
    pub(crate) open: Open,
    /// The console.
    pub(crate) console: Option<&'a ConsoleEntry>,
}

impl Banner<'_> {
    /// The whole text.
    pub(crate) fn text(&self) -> String {
        if self.detail == Detail::First {
            return self.first_steps();
        }
        let mut text = self.head();
        // Writing to a String cannot fail.
        for url in self.urls {
            let _ = writeln!(text, "  {url}");
        }
        self.write_console(&mut text);
        self.write_resources(&mut text);
        self.write_access(&mut text);
        text
    }

    /// At most twelve lines at a terminal: the link for people, a request, a load test.
    fn first_steps(&self) -> String {
        let names: Vec<_> = self.applications.iter().map(|(name, _)| printable(name)).collect();
        let mut text = format!("Duet serves {} at {}\n", names.join(", "), self.base());
        // Writing to a String cannot fail.
        if let Some(what) = self.open_to_all() {
            let _ = writeln!(
                text,
                "!! OPEN: anyone who reaches this server may {what} everything, without a token. Leave out --open to lock it."
            );
        }
        if let Some(link) = self.access.link(self.urls, self.is_for_terminal) {
            let once = if link.contains('#') {
                "; this link signs in once, within ten minutes"
            } else {
                ""
            };
            let _ = writeln!(text, "\nSee and change the data{once}:\n  {link}");
        }
        let (path, Some(curl)) = (self.example(), self.curl()) else { return text };
        let made = self.access.client.map(|client| (client, self.made(client).1));
        let credentials = made.map(|(client, secret)| format!("{}:{secret}", client.client.id));
        let request = match credentials.as_ref().filter(|_| self.access.open == Open::No) {
            Some(credentials) => self.with_token(&curl, credentials),
            None => curl.clone(),
        };
        let _ = writeln!(text, "\nA request:\n  {request} '{path}'");
        if path.starts_with("http://") && !path.contains('\'') && curl == "curl -s" {
            let client =
                credentials.as_ref().map_or(String::new(), |it| format!("DUET_BENCH_CLIENT={it} "));
            let _ = writeln!(
                text,
                "\nA load test, from another terminal:\n  {client}duet bench run rest --target '{path}'"
            );
        }
        if made.is_some_and(|(client, _)| !client.is_given) && !self.is_for_terminal {
            text.push_str("The secret is shown on a terminal alone; --ready-file FILE writes it to a file that only you can read.\n");
        }
        text.push_str("--verbose lists all that is served, and how programs get in.\n");
        text
    }

    /// What everybody may do without a token.
    fn open_to_all(&self) -> Option<&'static str> {
        match self.access.open {
            Open::No => None,
            Open::Read => Some("read"),
            Open::All => Some("read and change"),
        }
    }

    /// The command line of a request with a token that is got for it.
    fn with_token(&self, curl: &str, credentials: &str) -> String {
        let token = format!(
            "{curl} -u {credentials} -d grant_type=client_credentials {}",
            self.token_url()
        );
        format!(
            "{curl} -H \"Authorization: Bearer $({token} | sed 's/.*\"access_token\":\"\\([^\"]*\\)\".*/\\1/')\""
        )
    }

    fn head(&self) -> String {
        if let [(name, database)] = self.applications {
            return format!("Duet serves {} from {}\n", printable(name), printable(database));
        }
        let width = self.applications.iter().map(|(name, _)| name.chars().count()).max();
        let width = width.unwrap_or(0);
        let mut text = format!("Duet serves {} applications\n", self.applications.len());
        for (name, database) in self.applications {
            // Writing to a String cannot fail.
            let (name, database) = (printable(name), printable(database));
            let _ = writeln!(text, "  {name:<width$}  from {database}");
        }
        text.push('\n');
        text
    }

    /// The address for people.
    fn write_console(&self, text: &mut String) {
        let Some(link) = self.access.link(self.urls, self.is_for_terminal) else { return };
        let once =
            if link.contains('#') { "; this link signs in once, within ten minutes" } else { "" };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\nFor people{once}:\n  {link}");
    }

    fn write_resources(&self, text: &mut String) {
        let total: usize = self.mounts.iter().map(|mount| mount.resources.len()).sum();
        if total == 0 {
            text.push_str("\nNothing is served: the database has no tables.\n");
            return;
        }
        let lines = self.lines(total);
        let width = lines.iter().map(|(path, _)| path.chars().count()).max().unwrap_or(0);
        text.push('\n');
        for (path, what) in lines {
            let _ = writeln!(text, "  {path:<width$}  {what}");
        }
    }

    /// The first resources, then for each mount how many others its own address lists.
    fn lines(&self, total: usize) -> Vec<(String, String)> {
        let shown = |path: String| printable(&path).into_owned();
        let (mut lines, mut more, mut counted) = (Vec::new(), Vec::new(), 0);
        for mount in self.mounts {
            let here = mount.resources.len().min(LISTED - lines.len());
            lines.extend(mount.resources[..here].iter().map(|resource| {
                (shown(format!("{}/{}", mount.path, resource.path)), resource.kind.clone())
            }));
            let left = mount.resources.len() - here;
            if left > 0 && more.len() < LISTED {
                more.push((shown(format!("{}/", mount.path)), format!("lists {left} more")));
                counted += left;
            }
        }
        let elsewhere = total - lines.len() - counted;
        lines.append(&mut more);
        if elsewhere > 0 {
            lines.push(("/".to_owned(), format!("lists {elsewhere} more")));
        }
        lines
    }

    fn write_access(&self, text: &mut String) {
        let Some(curl) = self.curl() else { return };
        let path = self.example();
        if let Some(what) = self.open_to_all() {
            let _ = writeln!(
                text,
                "\n!! OPEN: anyone who reaches this server may {what} everything, without a token.\n\
                 !! That is for trials; leave out --open to lock it.\n\n{curl} '{path}'"
            );
        }
        let token = |credentials: &str| {
            format!("{curl} -u {credentials} -d grant_type=client_credentials {}", self.token_url())
        };
        match self.access.client {
            Some(client) => {
                let (made, secret) = self.made(client);
                let credentials = format!("{}:{secret}", client.client.id);
                let _ = writeln!(
                    text,
                    "\n{made}\n  client_id      {}\n  client_secret  {secret}\n\nA token:\n{}\n\nA token and a request:\n{} '{path}'",
                    client.client.id,
                    token(&credentials),
                    self.with_token(&curl, &credentials),
                );
                // The bench supports neither TLS nor paths that need shell quotes.
                if path.starts_with("http://") && !path.contains('\'') && curl == "curl -s" {
                    let _ = writeln!(
                        text,
                        "\nA load test, from another terminal:\n\
                         DUET_BENCH_CLIENT={credentials} duet bench run rest --target '{path}'"
                    );
                }
            }
            None if self.access.open == Open::No => {
                let _ = writeln!(
                    text,
                    "\nA token, for a client that `duet client list` shows:\n{}",
                    token("CLIENT_ID:CLIENT_SECRET")
                );
            }
            None => {}
        }
    }

    /// How the client of the run came to be, and its secret where it may be shown.
    fn made<'s>(&self, client: &'s RunClient) -> (&'static str, &'s str) {
        match (client.is_given, self.is_for_terminal) {
            // The operator knows a secret of a file.
            (true, _) => ("The client of this run, with the secret that was given:", "SECRET"),
            (false, true) => (
                "No client is known, so one was created for this run; it is shown only here:",
                client.secret.expose(),
            ),
            (false, false) => (
                "No client is known, so one was created for this run. Its secret is shown on a terminal alone, and this is none:\n\
                 --ready-file FILE writes it to a file that only you can read, --run-client-secret-file FILE sets it.",
                "SECRET",
            ),
        }
    }

    /// `curl -s`, with the socket if there is no address.
    fn curl(&self) -> Option<String> {
        let socket = self.urls.first()?.strip_prefix("unix:");
        Some(match socket {
            Some(path) => format!("curl -s --unix-socket '{}'", path.replace('\'', "'\\''")),
            None => "curl -s".into(),
        })
    }

    /// The first URL, from the view of a client on this machine.
    fn base(&self) -> String {
        base(self.urls)
    }

    fn token_url(&self) -> String {
        format!("{}/oauth/token", self.base())
    }

    /// A page to open first.
    fn example(&self) -> String {
        let first = self.mounts.iter().find_map(|mount| {
            // Its rows are short. Views of the database may be slow, empty or not populated.
            let of = |kind| mount.resources.iter().find(move |resource| resource.kind == kind);
            let is_list = |resource: &&ResourceLine| {
                resource.path.ends_with('/') && !resource.kind.starts_with("service")
            };
            let any = || mount.resources.iter().find(is_list);
            let resource = of("table").or(of("duality view")).or_else(any)?;
            let name = resource.path.trim_end_matches('/');
            Some(format!("{}/{}/", mount.path, utf8_percent_encode(name, ESCAPED)))
        });
        let index =
            || self.mounts.first().map_or_else(|| "/".into(), |first| format!("{}/", first.path));
        format!("{}{}", self.base(), first.unwrap_or_else(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serving::FixedCredentials;

    fn mounts(count: usize) -> Vec<MountLines> {
        let resource =
            |number| ResourceLine { path: format!("t{number}/"), kind: "table".to_owned() };
        vec![MountLines {
            path: "/api/main".into(),
            resources: (1..=count).map(resource).collect(),
        }]
    }

    fn shops(count: usize) -> Vec<(String, String)> {
        let names = [("shop", "SQLite a.db"), ("records", "PostgreSQL b")];
        let shop = |(name, database): &(&str, &str)| ((*name).into(), (*database).into());
        names[..count].iter().map(shop).collect()
    }

    #[test]
    fn several_applications_are_listed() {
        let urls = ["http://127.0.0.1:8080".to_owned()];
        let (applications, mounts) = (shops(2), mounts(1));
        let text = Banner {
            applications: &applications,
            urls: &urls,
            mounts: &mounts,
            access: Access { client: None, open: Open::No, console: None },
            detail: Detail::Usual,
            is_for_terminal: true,
        }
        .text();
        let expected = "Duet serves 2 applications\n  shop     from SQLite a.db\n  records  from PostgreSQL b\n\n  http://127.0.0.1:8080\n\n  /api/main/t1/  table\n";
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn first_steps_are_twelve_lines() {
        let client = RunClient::new(1, &FixedCredentials::default()).unwrap();
        let urls = ["http://127.0.0.1:8080".to_owned()];
        let (applications, mounts) = (shops(2), mounts(30));
        let text = |client, open| {
            let access = Access { client, open, console: None };
            let detail = Detail::First;
            Banner {
                applications: &applications,
                urls: &urls,
                mounts: &mounts,
                access,
                detail,
                is_for_terminal: true,
            }
            .text()
        };
        let locked = text(Some(&client), Open::No);
        let console = 3;
        assert!(locked.lines().count() + console <= 12, "{locked}");
        assert!(
            locked.starts_with("Duet serves shop, records at http://127.0.0.1:8080\n"),
            "{locked}"
        );
        assert!(
            locked.contains(" duet bench run rest --target 'http://127.0.0.1:8080/api/main/t1/'\n"),
            "{locked}"
        );
        let open = text(None, Open::All);
        assert!(open.contains("\n  curl -s 'http://127.0.0.1:8080/api/main/t1/'\n"), "{open}");
        assert!(open.contains("\n  duet bench run rest "), "{open}");
        assert!(open.contains("\n!! OPEN: ") && open.lines().count() + console <= 12, "{open}");
    }

    #[test]
    fn the_first_request_is_for_a_table_and_encoded() {
        let urls = ["http://127.0.0.1:8080".to_owned()];
        let resource =
            |name: &str, kind: &str| ResourceLine { path: format!("{name}/"), kind: kind.into() };
        let mut mounts = mounts(0);
        mounts[0].resources =
            vec![resource("a list of products", "view"), resource("order 'details'", "table")];
        mounts[0].resources.insert(0, resource("order_dv", "duality view"));
        let text = banner(&urls, &mounts, None, Open::Read);
        let curl = "\ncurl -s 'http://127.0.0.1:8080/api/main/order%20%27details%27/'\n";
        assert!(text.ends_with(curl), "{text}");
        mounts[0].resources.pop();
        let text = banner(&urls, &mounts, None, Open::Read);
        assert!(text.ends_with("/api/main/order_dv/'\n"), "{text}");
        mounts[0].resources.remove(0);
        let text = banner(&urls, &mounts, None, Open::Read);
        assert!(text.ends_with("/api/main/a%20list%20of%20products/'\n"), "{text}");
    }

    fn banner(
        urls: &[String],
        mounts: &[MountLines],
        client: Option<&RunClient>,
        open: Open,
    ) -> String {
        let applications = &shops(1);
        let access = Access { client, open, console: None };
        let detail = Detail::Usual;
        let banner = Banner { applications, urls, mounts, access, detail, is_for_terminal: true };
        let text = banner.text();
        match client {
            Some(client) => text
                .replace(client.client.id.as_str(), "ID")
                .replace(client.secret.expose(), "SECRET"),
            None => text,
        }
    }

    #[test]
    fn locked_with_a_client_for_the_run() {
        let client = RunClient::new(1, &FixedCredentials::default()).unwrap();
        let urls = ["http://0.0.0.0:8080".to_owned()];
        let expected = r#"Duet serves shop from SQLite a.db
  http://0.0.0.0:8080

  /api/main/t1/  table
  /api/main/t2/  table

No client is known, so one was created for this run; it is shown only here:
  client_id      ID
  client_secret  SECRET

A token:
curl -s -u ID:SECRET -d grant_type=client_credentials http://127.0.0.1:8080/oauth/token

A token and a request:
curl -s -H "Authorization: Bearer $(curl -s -u ID:SECRET -d grant_type=client_credentials http://127.0.0.1:8080/oauth/token | sed 's/.*"access_token":"\([^"]*\)".*/\1/')" 'http://127.0.0.1:8080/api/main/t1/'

A load test, from another terminal:
DUET_BENCH_CLIENT=ID:SECRET duet bench run rest --target 'http://127.0.0.1:8080/api/main/t1/'
"#;
        assert_eq!(banner(&urls, &mounts(2), Some(&client), Open::No), expected);
    }

    #[test]
    fn a_secret_is_for_terminals_alone() {
        let client = RunClient::new(1, &FixedCredentials::default()).unwrap();
        let urls = ["http://127.0.0.1:8080".to_owned()];
        let text = |is_for_terminal| {
            let (applications, mounts) = (&shops(1), &mounts(1));
            let client = Some(&client);
            let open = Open::No;
            let access = Access { client, open, console: None };
            let detail = Detail::Usual;
            Banner { applications, urls: &urls, mounts, access, detail, is_for_terminal }.text()
        };
        assert!(text(true).contains(client.secret.expose()));
        let redirected = text(false);
        assert!(!redirected.contains(client.secret.expose()), "{redirected}");
        assert!(redirected.contains(client.client.id.as_str()));
        assert!(redirected.contains("--ready-file FILE"), "{redirected}");
    }

    #[test]
    fn routines_and_services_are_no_page_to_open_first() {
        let urls = ["http://127.0.0.1:8080".to_owned()];
        let line = |path: &str, kind: &str| ResourceLine { path: path.into(), kind: kind.into() };
        let mut mounts = mounts(0);
        mounts[0].resources = vec![
            line("add_driver", "routine"),
            line("orders/{id}", "service, GET"),
            line("orders/", "service, POST"),
        ];
        let text = banner(&urls, &mounts, None, Open::Read);
        assert!(text.contains("  /api/main/orders/{id}  service, GET\n"), "{text}");
        assert!(text.contains("  /api/main/add_driver   routine\n"), "{text}");
        assert!(text.ends_with("\ncurl -s 'http://127.0.0.1:8080/api/main/'\n"), "{text}");
    }

    #[test]
    fn open_on_a_socket() {
        let urls = ["unix:/run/d.sock".to_owned()];
        let expected = "\
Duet serves shop from SQLite a.db
  unix:/run/d.sock

  /api/main/t1/  table

!! OPEN: anyone who reaches this server may read everything, without a token.
!! That is for trials; leave out --open to lock it.

curl -s --unix-socket '/run/d.sock' 'http://localhost/api/main/t1/'
";
        assert_eq!(banner(&urls, &mounts(1), None, Open::Read), expected);
    }

    #[test]
    fn long_lists_are_cut_and_empty_ones_reported() {
        let urls = ["http://127.0.0.1:8080".to_owned()];
        let mut many = mounts(23);
        many.push(MountLines { path: "/ords/hr".into(), ..mounts(4).remove(0) });
        let long = banner(&urls, &many, None, Open::No);
        let rest = "t20/  table\n  /api/main/      lists 3 more\n  /ords/hr/       lists 4 more\n";
        assert!(long.contains(rest), "{long}");
        assert!(!long.contains("t21"));
        assert!(long.contains("-u CLIENT_ID:CLIENT_SECRET"));
        let many: Vec<_> = (0..50)
            .map(|number| MountLines { path: format!("/api/s{number}"), ..mounts(1).remove(0) })
            .collect();
        let long = banner(&urls, &many, None, Open::No);
        assert!(
            long.contains("  /api/s39/     lists 1 more\n  /             lists 10 more\n"),
            "{long}"
        );
        assert!(banner(&urls, &mounts(0), None, Open::No).contains("Nothing is served"));
    }
}
