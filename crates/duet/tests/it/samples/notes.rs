//! The sample of people who sign in: its page in a browser, an issuer that the test serves, and rows that differ by person.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use duet_testkit::browser::Browser;
use duet_testkit::command::Running;
use duet_testkit::postgres::Server;
use duet_testkit::served_issuer::ServedIssuer;
use serde_json::{Value, json};

use crate::bench::pages::browser;

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/samples/notes")
}

/// Serves the page with this configuration, on a free port, until the test's process ends.
fn page(config: impl Fn() -> Value + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // Browsers open connections on which they ask nothing.
            let config = config.clone();
            std::thread::spawn(move || drop(answer(stream, &config)));
        }
    });
    url
}

fn answer(mut stream: TcpStream, config: &impl Fn() -> Value) -> std::io::Result<()> {
    let lines = BufReader::new(stream.try_clone()?).lines().map_while(Result::ok);
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let (media, body) = match head.first().is_some_and(|line| line.contains("/config.json")) {
        true => ("application/json", config().to_string()),
        false => ("text/html", std::fs::read_to_string(sample().join("index.html"))?),
    };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// A person at the page.
struct Reader<'b>(&'b mut Browser);

impl Reader<'_> {
    fn enter(&mut self, url: &str) {
        self.0.open(url, 900, 700);
        self.0.wait_for("document.querySelector('#enter').onclick");
        self.0.value("document.querySelector('#enter').click()");
        self.0.wait_for("document.querySelector('main')?.hidden === false");
    }

    fn value(&mut self, expression: &str) -> Value {
        self.0.value(expression)
    }

    /// The texts of the notes, as the person sees them.
    fn notes(&mut self) -> Value {
        self.value("[...document.querySelectorAll('#notes input')].map((it) => it.value).join('|')")
    }

    /// Waits until the page says this.
    fn hears(&mut self, text: &str) {
        self.0.wait_for(&format!(
            "document.querySelector('#message').textContent === {}",
            json!(text)
        ));
    }

    /// Waits until the page says something of this.
    fn hears_of(&mut self, word: &str) {
        let text = "document.querySelector('#message').textContent";
        self.0.wait_for(&format!("{text}.includes({})", json!(word)));
    }

    fn click(&mut self, label: &str, row: usize) {
        self.value(&format!(
            "[...document.querySelectorAll('#notes li')][{row}].querySelectorAll('button')[{}].click()",
            u8::from(label == "Delete")
        ));
    }
}

fn serve(database: &str, issuer: &ServedIssuer, page: &str) -> Running {
    let url = &issuer.url;
    let flags = [
        format!("--database={database}"),
        format!("--jwt-issuer={url}"),
        format!("--jwt-keys-url={url}/keys"),
        "--jwt-audience=notes".to_owned(),
        "--jwt-algorithms=EdDSA".to_owned(),
        "--jwt-roles=/roles".to_owned(),
        "--jwt-db-role=/db_role".to_owned(),
        "--jwt-db-roles=notes_person".to_owned(),
        format!("--cors-origins={page}"),
    ];
    let app = sample().join("app.toml").display().to_string();
    let all: Vec<&str> = flags.iter().map(String::as_str).collect();
    let server = Running::start(&[&["serve", &app], &all[..]].concat());
    server.wait_for_output("the keys of the token issuer are in force");
    server
}

fn signs(issuer: &ServedIssuer, subject: &str) {
    let claims =
        json!({ "aud": "notes", "sub": subject, "roles": ["notes"], "db_role": "notes_person" });
    issuer.state(|state| state.access = claims);
}

#[test]
fn people_edit_their_own_notes() {
    let database = Server::shared().database("notes_of_people");
    let schema = std::fs::read_to_string(sample().join("schema.sql")).expect("the schema");
    database.exec(&schema);
    database.exec("INSERT INTO note (text, owner) VALUES ('of another', 'ben')");
    let issuer = ServedIssuer::start();
    let (api, own) =
        (std::sync::Arc::new(std::sync::OnceLock::<String>::new()), issuer.url.clone());
    let known = std::sync::Arc::clone(&api);
    let page = page(move || json!({ "issuer": own, "client": "notes-page", "api": known.get() }));
    let server =
        serve(&database.url().replacen("user=postgres", "user=notes_server", 1), &issuer, &page);
    assert!(api.set(format!("{}/notes/notes/", server.url())).is_ok());
    let Some(mut browser) = browser("people_edit_their_own_notes") else { return };
    let mut person = Reader(&mut browser);
    signs(&issuer, "ann");
    person.enter(&page);
    assert_eq!(person.notes(), "", "another's note is not there");
    let add = "document.querySelector('#new').text.value = 'milk', document.querySelector('#new button').click()";
    person.value(add);
    person.hears("Added.");
    assert_eq!(person.notes(), "milk");
    person.value("document.querySelector('#notes input').value = 'oat milk'");
    person.click("Save", 0);
    person.hears("Saved.");
    let owned = "SELECT owner || ': ' || text FROM note ORDER BY owner";
    assert_eq!(database.query(owned), "ann: oat milk\nben: of another");

    // Another tab has changed it meanwhile: nothing of that is lost.
    database.exec("UPDATE note SET text = 'soy milk' WHERE owner = 'ann'");
    person.value("document.querySelector('#notes input').value = 'cow milk'");
    person.click("Save", 0);
    person.hears("Somebody has changed this note meanwhile: it is shown anew.");
    assert_eq!(person.notes(), "soy milk");
    person.value("document.querySelector('#notes input').value = ''");
    person.click("Save", 0);
    person.hears_of("text");

    signs(&issuer, "ben");
    person.enter(&page);
    assert_eq!(person.notes(), "of another");
    person.click("Delete", 0);
    person.hears("Deleted.");
    assert_eq!(database.query("SELECT text FROM note"), "soy milk");

    // The page says what a token without a role may not do.
    issuer.state(|state| state.access["roles"] = json!([]));
    person.enter(&page);
    person.value(add);
    person.hears_of("may not");
    assert_eq!(database.query("SELECT count(*) FROM note"), "1");
}
