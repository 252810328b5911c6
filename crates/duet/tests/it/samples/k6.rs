//! The three published scripts for k6, `ords_auth.js`, `team.js` and `team_dv.js`: their requests and checks against the
//! demo with a client of fixed credentials, and by k6 itself where it is installed.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use duet_testkit::command::Running;
use duet_testkit::http::{self, Response};
use duet_testkit::sqlite::Folder;
use serde_json::Value;

use crate::duet;

/// As the published scripts have them: 22 characters and two dots.
const CLIENT: &str = "Q0wBmn4yRcHk2sVtZ7xE9g..";
const SECRET: &str = "f3TjP8aYd6LuN1oWqKzXvA..";

fn scripts() -> PathBuf {
    duet_testkit::golden::workspace().join("bench/k6")
}

/// The demo as ORDS, for the client of the scripts.
fn demo(folder: &Folder) -> Running {
    let secret = folder.path().join("secret");
    fs::write(&secret, format!("{SECRET}\n")).unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    let secret = secret.display().to_string();
    let fixed = ["--run-client-id", CLIENT, "--run-client-secret-file", &secret];
    let serve = ["demo", "--compat", "ords", "--listen", "127.0.0.1:0"];
    Running::start(&[&serve[..], &fixed].concat())
}

/// The token request of `ords_auth.js`.
fn token(url: &str, credentials: &str) -> Response {
    use base64::Engine as _;
    let basic = base64::engine::general_purpose::STANDARD.encode(credentials);
    let authorization = format!("Basic {basic}");
    let headers = [
        ("Authorization", authorization.as_str()),
        ("Content-Type", "application/x-www-form-urlencoded"),
    ];
    let url = format!("{url}/ords/hr/oauth/token");
    http::request("POST", &url, &headers, b"grant_type=client_credentials")
}

/// The names of a script's checks, in their order.
fn checks(script: &str) -> Vec<String> {
    let text = fs::read_to_string(scripts().join(script)).unwrap();
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix("'is "));
    lines.map(|line| format!("is {}", line.split_once('\'').unwrap().0)).collect()
}

#[test]
fn the_published_requests_pass_their_checks() {
    let folder = Folder::new();
    let server = demo(&folder);
    let url = server.url();
    let answer = token(&url, &format!("{CLIENT}:{SECRET}"));
    let parsed = answer.json();
    assert_eq!((answer.status, &parsed["token_type"]), (200, &Value::from("bearer")), "{answer:?}");
    // One token is for all requests of a run.
    assert!(parsed["expires_in"].as_u64().unwrap() >= 3_600, "{parsed}");
    let bearer = format!("Bearer {}", parsed["access_token"].as_str().unwrap());
    for (resource, member) in [("team", "team_id"), ("team_dv", "_id")] {
        let script = format!("{resource}.js");
        let expected = ["is status 200", "is application/json", "is requested team resource"];
        assert_eq!(checks(&script), expected, "{script}");
        for id in [2, 301, 302] {
            let path = format!("{url}/ords/hr/{resource}/{id}");
            let got = http::get(&path, &[("Authorization", &bearer)]);
            assert_eq!(got.status, 200, "{path}");
            assert_eq!(got.header("content-type"), Some("application/json"), "{path}");
            assert_eq!(got.json()[member], Value::from(id), "{path}");
        }
        let locked = http::get(&format!("{url}/ords/hr/{resource}/2"), &[]);
        assert_eq!(locked.status, 401, "{resource} needs the token");
    }
    // The secret is the given one, which is not shown.
    assert_eq!(token(&url, &format!("{CLIENT}:another-secret-of-24-chars")).status, 401);
    let shown = server.output() + &server.errors();
    assert!(shown.contains(CLIENT) && !shown.contains(SECRET), "{shown}");
}

#[test]
fn a_secret_must_be_one() {
    let folder = Folder::new();
    let secret = folder.path().join("secret");
    fs::write(&secret, "hunter2").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    let file = secret.display().to_string();
    let (code, _, errors) = duet(&["demo", "--run-client-secret-file", &file]);
    assert!(code == 1 && errors.contains("too short"), "{errors}");
    assert!(!errors.contains("hunter2"), "{errors}");
}

/// The scripts by k6 itself; 10 users with 10 requests each, since more show nothing else here.
#[test]
fn the_scripts_run_unchanged() {
    if Command::new("k6").arg("version").output().is_err() {
        return duet_testkit::skipped("k6::the_scripts_run_unchanged", "k6 is not installed");
    }
    let folder = Folder::new();
    let server = demo(&folder);
    let url = server.url();
    for script in ["team_dv.js", "team.js"] {
        let output = Command::new("k6")
            .args(["run", "--quiet", "--vus", "10", "--iterations", "100"])
            .arg(scripts().join(script))
            .env("ORDS_SERVER", url.trim_start_matches("http://"))
            .env("ORDS_CLIENT_ID", CLIENT)
            .env("ORDS_CLIENT_SECRET", SECRET)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}:\n{said}");
    }
}
