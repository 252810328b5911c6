//! The console's page of links, without a browser: a person with `duet.admin` makes one, whose address is shown once, and
//! revokes it; on both stores, with the rights that the API asks for.

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use serde_json::Value;

use crate::duet;
use crate::serving::console::{TABLES, cookie};

/// A session of a client in the console.
struct Session {
    url: String,
    cookie: String,
}

impl Session {
    fn of(url: &str, client: &str, secret: &str) -> Self {
        Self { url: url.to_owned(), cookie: cookie(url, client, secret) }
    }

    /// A page of links with this query.
    fn page(&self, query: &str) -> http::Response {
        let url = format!("{}/console/operate/links{query}", self.url);
        http::get(&url, &[("Cookie", &self.cookie)])
    }

    /// Sends a form with its secret of the session.
    fn send(&self, fields: &[(&str, &str)]) -> http::Response {
        let page = self.page("");
        let csrf = between(page.text(), "name=\"csrf\" value=\"", "\"");
        self.send_with(&[&[("csrf", &*csrf)], fields].concat())
    }

    fn send_with(&self, fields: &[(&str, &str)]) -> http::Response {
        let form: String = form_urlencoded(fields);
        let headers = [
            ("Cookie", &*self.cookie),
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Sec-Fetch-Site", "same-origin"),
        ];
        let url = format!("{}/console/operate/links", self.url);
        http::request("POST", &url, &headers, form.as_bytes())
    }

    /// Sends the form of a question as its button does.
    fn confirm(&self, question: &http::Response) -> http::Response {
        let form = between(question.text(), "<form class=\"danger\"", "</form>");
        let mut fields = Vec::new();
        for input in form.split("<input type=\"hidden\" name=\"").skip(1) {
            fields.push((
                between(&format!("\"{input}"), "\"", "\""),
                between(input, "value=\"", "\""),
            ));
        }
        fields.push(("action".to_owned(), between(&form, "name=\"action\" value=\"", "\"")));
        let plain =
            |text: &String| text.replace("&#60;", "<").replace("&#62;", ">").replace("&#38;", "&");
        let fields: Vec<(String, String)> =
            fields.iter().map(|(name, text)| (name.clone(), plain(text))).collect();
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, text)| (&**name, &**text)).collect();
        self.send_with(&fields)
    }
}

fn form_urlencoded(fields: &[(&str, &str)]) -> String {
    let encoded = |text: &str| -> String {
        let one = |byte: u8| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        };
        text.bytes().map(one).collect()
    };
    let pairs = fields.iter().map(|(name, text)| format!("{}={}", encoded(name), encoded(text)));
    pairs.collect::<Vec<_>>().join("&")
}

fn between(text: &str, before: &str, behind: &str) -> String {
    let rest = text.split_once(before).map_or("", |(_, rest)| rest);
    rest.split_once(behind).map_or("", |(found, _)| found).to_owned()
}

fn links_are_managed(database: &str, place: &[&str], serve: &[&str]) {
    let made = |name: &str, roles: &[&str]| {
        let own = ["client", "add", name, "--id", name, "--json"];
        let roles = roles.iter().flat_map(|role| ["--role", role]);
        let add: Vec<&str> = own.into_iter().chain(roles).chain(place.iter().copied()).collect();
        let client: Value = serde_json::from_str(&duet(&add).1).unwrap_or_default();
        client["client_secret"].as_str().unwrap_or_default().to_owned()
    };
    let secret = made("boss", &["duet.admin", "duet.read"]);
    let clerk = made("clerk", &["duet.read"]);
    made("robot", &["duet.write"]);
    let server = Running::start(&[&["serve", database], serve].concat());
    let (url, ready) = (server.url(), server.ready());
    let mount = ready["mounts"].as_object().and_then(|it| it.values().next()).cloned();
    let path = format!("{}/team/1", mount.as_ref().and_then(Value::as_str).unwrap_or_default());
    let boss = Session::of(&url, "boss", &secret);
    let empty = boss.page("");
    assert_eq!(empty.status, 200, "{}", empty.text());
    for words in
        ["There is no link.", "value=\"boss\"", "value=\"robot\"", "value=\"read\" checked"]
    {
        assert!(empty.text().contains(words), "{words}: {}", empty.text());
    }
    let addresses = link_is_made_used_and_revoked(&boss, &path);
    refusals(&boss, &path);
    // Who is no administrator sees nothing of it.
    let other = Session::of(&url, "clerk", &clerk);
    assert_eq!(other.page("").status, 403);
    let token = http::bearer(&url, "boss", &secret);
    let log = http::get(&format!("{url}/admin/log?words=link"), &[("Authorization", &token)]);
    assert!(log.text().contains("was added"), "{}", log.text());
    for address in addresses {
        let token = between(&address, "/_/link/", "/");
        assert!(token.len() > 40 && !log.text().contains(&token), "{}", log.text());
    }
}

/// The question about a new link, for two hours and two requests.
fn asked(boss: &Session, of: &str, operations: &[&str], path: &str) -> http::Response {
    let mut fields = vec![
        ("action", "ask"),
        ("name", "<i>report"),
        ("of", of),
        ("duration", "2"),
        ("unit", "hours"),
        ("uses", "2"),
        ("path", path),
    ];
    fields.extend(operations.iter().map(|operation| ("operation", *operation)));
    boss.send(&fields)
}

/// The addresses that it had.
fn link_is_made_used_and_revoked(boss: &Session, path: &str) -> [String; 2] {
    // First it says what it will do, and does nothing.
    let question = asked(boss, "clerk", &["read", "update"], path);
    let expected = format!(
        "This makes 1 link, &#60;i&#62;report, to {path} for clerk: read, update, for 2 hours and 2 requests."
    );
    assert!(question.text().contains(&expected), "{}", question.text());
    assert!(boss.page("").text().contains("There is no link."), "nothing is done yet");
    let shown = boss.confirm(&question);
    assert_eq!(shown.status, 200, "{}", shown.text());
    let address = between(shown.text(), "<dt>Address</dt><dd><code>", "</code>");
    assert!(address.starts_with("/_/link/dul_") && address.ends_with(path), "{address}");
    let listed = boss.page("");
    assert!(!listed.text().contains("/_/link/"), "a page that is opened anew shows no address");
    for words in [path, "<td>clerk</td>", "<td>read, update</td>", "<td>0 of 2</td>", " UTC</td>"] {
        assert!(listed.text().contains(words), "{words}: {}", listed.text());
    }
    // It is good for what it says, and counts.
    let used = || http::get(&format!("{}{address}", boss.url), &[]).status;
    assert_eq!(used(), 200);
    assert!(boss.page("").text().contains("<td>1 of 2</td>"), "{}", boss.page("").text());
    let id = between(listed.text(), "?remove=", "\"");
    // A new address ends the one before.
    let renewed = boss.confirm(&boss.page(&format!("?rotate={id}")));
    let address_now = between(renewed.text(), "<dt>Address</dt><dd><code>", "</code>");
    assert_eq!(used(), 401, "{}", renewed.text());
    assert_ne!(address_now, address);
    let question = boss.page(&format!("?remove={id}"));
    assert!(
        question.text().contains("This revokes 1 link, &#60;i&#62;report."),
        "{}",
        question.text()
    );
    let revoked = boss.confirm(&question);
    assert!(
        revoked.text().contains("was revoked.") && revoked.text().contains("There is no link.")
    );
    assert_eq!(http::get(&format!("{}{address_now}", boss.url), &[]).status, 401);
    [address, address_now]
}

/// What the API refuses is said with the form as it was, and changes nothing.
fn refusals(boss: &Session, path: &str) {
    for (of, operations, path, words) in [
        ("robot", &["read"][..], path, "duet.write"),
        ("clerk", &[], path, "operations"),
        ("clerk", &["read"], "/nowhere/x", "path"),
        ("absent", &["read"], path, "absent"),
    ] {
        let refused = boss.confirm(&asked(boss, of, operations, path));
        assert_eq!(refused.status, 400, "{of} {path}: {}", refused.text());
        assert!(refused.text().contains(words), "{words}: {}", refused.text());
        let kept = format!("name=\"path\" value=\"{path}\"");
        assert!(refused.text().contains(&kept), "{kept}: {}", refused.text());
    }
    let foreign = boss.send_with(&[("csrf", "x"), ("action", "remove"), ("link", "boss")]);
    assert_eq!(foreign.status, 403, "a form of another session");
    let client = boss.send(&[("action", "remove"), ("link", "robot")]);
    assert_eq!(client.status, 404, "a client is no link: {}", client.text());
    assert!(boss.page("").text().contains("There is no link."));
}

#[test]
fn links_are_managed_on_sqlite() {
    let folder = Folder::new();
    let file = folder.load("racing.db", &["PRAGMA journal_mode = wal", TABLES]);
    let state = folder.path().join("state").display().to_string();
    let place = ["--state", &*state];
    links_are_managed(&file.display().to_string(), &place, &place);
}

#[test]
fn links_are_managed_on_postgres() {
    let database = Server::shared().database("console_links");
    database.exec(TABLES);
    let url = database.url();
    links_are_managed(&url, &["--in-database", &url], &[]);
}
