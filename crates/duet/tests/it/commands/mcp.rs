//! `duet mcp`: an agent that speaks lines of JSON, with a server of its own and with a running one.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use duet_testkit::command::{Running, clean};
use duet_testkit::sqlite;
use serde_json::{Value, json};

use crate::{duet, duet_says};

/// An agent's end of a conversation.
struct Agent {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Agent {
    /// Starts the command in a folder, where results of its load tests go.
    fn start(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
        command.current_dir(folder);
        command.arg("mcp").args(arguments).envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("duet mcp");
        let input = child.stdin.take().expect("its input");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Self { child, input, output }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("it reads");
        self.input.flush().expect("it reads");
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params }));
        let mut line = String::new();
        self.output.read_line(&mut line).expect("an answer");
        let answer: Value = serde_json::from_str(&line).expect("JSON in one line");
        assert_eq!(answer["id"], method, "{answer}");
        answer
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        answer["result"]["structuredContent"].clone()
    }

    /// The input ends, and with it the command.
    fn end(mut self) {
        drop(self.input);
        assert!(self.child.wait().expect("its end").success());
    }
}

fn hello() -> Value {
    json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } })
}

#[test]
fn a_server_of_its_own_ends_with_the_conversation() {
    let folder = sqlite::Folder::new();
    let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, 'a')";
    let database = folder.load("a.db", &[table]).display().to_string();
    let mut agent = Agent::start(folder.path(), &[&database], &[]);
    let greeting = agent.ask("initialize", &hello());
    assert_eq!(greeting["result"]["protocolVersion"], "2025-06-18");
    agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let rows = agent.call("query", &json!({ "resource": "/api/main/t" }));
    assert_eq!(rows["data"], json!([{ "id": 1, "name": "a" }]));
    let tools = agent.ask("tools/list", &json!({}));
    let names = |tools: &Value| tools["result"]["tools"].as_array().expect("tools").len();
    assert_eq!(names(&tools), 6, "without `write`");
    let load = |users: u32| json!({ "resource": "/api/main/t", "users": users, "seconds": 1 });
    let measured = agent.call("measure", &load(1));
    // A machine with other work may stall for a moment, and then it did not hold.
    let states = ["held", "did not hold"];
    assert!(states.contains(&measured["state"].as_str().unwrap_or_default()), "{measured}");
    assert_eq!(measured["failures"], "0", "{measured}");
    assert!(measured["throughput"].as_str().is_some_and(|it| it > "0"), "{measured}");
    let refused = agent.call("measure", &load(1_000_000));
    assert_eq!(refused["error"]["message"], "`users` must be a number from 1 to 64.");
    // The newest version, whose headers the command adds.
    let meta = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } });
    let discovered = agent.ask("server/discover", &meta);
    assert_eq!(discovered["result"]["resultType"], "complete", "{discovered}");
    assert_eq!(agent.ask("resources/list", &json!({}))["error"]["code"], -32601);
    agent.end();

    let mut agent = Agent::start(folder.path(), &[&database, "--write"], &[]);
    let change = json!({ "resource": "/api/main/t", "operation": "insert", "document": { "id": 2, "name": "b" } });
    let tried = agent.call("write", &change);
    assert_eq!(tried["committed"], false, "{tried}");
    let mut commit = change;
    commit["token"] = tried["token"].clone();
    assert_eq!(agent.call("write", &commit)["committed"], true);
    agent.end();
    let file = sqlite::open(&folder.path().join("a.db"));
    let count = file.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0));
    assert_eq!(count.expect("a count"), 2);
}

/// Two servers of one database: the second takes a token that the first has committed, and gives the first answer.
#[test]
fn a_token_commits_once_whichever_server_takes_it() {
    let folder = sqlite::Folder::new();
    let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)";
    let database = folder.load("a.db", &[table]).display().to_string();
    duet_says(&["service", "prepare", "--database", &database]);
    let state = folder.path().join("s").display().to_string();
    let add = ["client", "add", "helper", "--key", "--role", "duet.read", "--role", "duet.write"];
    let added = duet_says(&[&add[..], &["--state", &state, "--json"]].concat());
    let added: Value = serde_json::from_str(&added).expect("JSON");
    let key = added["api_key"].as_str().expect("a key");
    let serve =
        ["serve", &database, "--state", &state, "--listen", "127.0.0.1:0", "--mcp", "write"];
    let servers = [Running::start(&serve), Running::start(&serve)];
    let mut agents = servers.each_ref().map(|server| {
        Agent::start(folder.path(), &["--url", &server.url()], &[("DUET_TOKEN", key)])
    });
    let insert =
        json!({ "resource": "/api/main/t", "operation": "insert", "document": { "name": "once" } });
    let tried = agents[0].call("write", &insert);
    let mut commit = insert;
    commit["token"] = tried["token"].clone();
    let done = agents.each_mut().map(|agent| agent.call("write", &commit));
    assert_eq!(done[0]["committed"], true, "{done:?}");
    assert_eq!(done[0], done[1], "the second server has the answer of the first");
    assert_eq!(agents[0].call("write", &commit), done[0], "and so has the first");
    agents.into_iter().for_each(Agent::end);
    let file = sqlite::open(&folder.path().join("a.db"));
    let count = file.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0));
    assert_eq!(count.expect("a count"), 1);
}

#[test]
fn a_running_server_knows_the_agent_by_its_key_and_tells_the_operator() {
    let folder = sqlite::Folder::new();
    let database = folder.load("a.db", &["CREATE TABLE t (id INTEGER PRIMARY KEY)"]);
    let (database, file) =
        (database.display().to_string(), folder.path().join("s").display().to_string());
    let add =
        ["client", "add", "helper", "--key", "--role", "duet.read", "--state", &file, "--json"];
    let added: Value = serde_json::from_str(&duet_says(&add)).expect("JSON");
    let key = added["api_key"].as_str().expect("a key");
    let serve = ["serve", &database, "--state", &file, "--listen", "127.0.0.1:0", "--mcp", "read"];
    let server = Running::start(&serve);
    let url = server.url();
    let mut agent = Agent::start(folder.path(), &["--url", &url], &[("DUET_TOKEN", key)]);
    assert_eq!(agent.call("list", &json!({}))["resources"], json!(["/api/main/t (table: read)"]));
    server.wait_for_output("an agent called a tool");
    agent.end();
    let mut stranger = Agent::start(folder.path(), &["--url", &url], &[]);
    let refused = stranger.ask("tools/list", &json!({}));
    assert!(
        refused["error"]["message"].as_str().expect("why").contains("access token"),
        "{refused}"
    );
    stranger.end();
    let other = Running::start(&["serve", &database, "--state", &file, "--listen", "127.0.0.1:0"]);
    let mut agent = Agent::start(folder.path(), &["--url", &other.url()], &[("DUET_TOKEN", key)]);
    let refused = agent.ask("tools/list", &json!({}));
    assert!(refused["error"].is_object(), "{refused}");
    agent.end();
    let (code, _, errors) = duet(&["mcp"]);
    assert!(code == 2 && errors.contains("SOURCE"), "{errors}");
}
