//! `duet token`: from the ready file, from what `client add` prints, and for a client of its own.

use std::fs;

use duet_testkit::command::Running;
use duet_testkit::http;
use duet_testkit::sqlite::Folder;

use crate::{duet, duet_says};

#[test]
fn tokens_are_valid() {
    let folder = Folder::new();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let file = folder.load("a.db", &["CREATE TABLE item (id INTEGER PRIMARY KEY)"]);
    let server = Running::start(&["serve", &file.display().to_string()]);
    let ready = path("ready.json");
    fs::write(&ready, server.ready().to_string()).expect("the folder is writable");
    let status = |token: &str| {
        let header = format!("Bearer {}", token.trim_end());
        let url = format!("{}/api/main/item/", server.url());
        http::request("GET", &url, &[("Authorization", &header)], b"").status
    };
    assert_eq!(status(&duet_says(&["token", "--from", &ready])), 200);

    let text = |name: &str| server.ready()[name].as_str().expect("a text").to_owned();
    let client = format!("{}:{}", text("client_id"), text("client_secret"));
    let url = server.url();
    assert_eq!(status(&duet_says(&["token", "--client", &client, "--url", &url])), 200);

    for (arguments, message) in [
        (&["token", "--client", "a:b", "--url", &url][..], "gives this client no token"),
        (&["token", "--client", "ab", "--url", &url], "must be ID:SECRET"),
        (&["token", "--url", &url], "Which client?"),
        (&["token", "--from", "/nonexistent"], "cannot be read"),
    ] {
        let (code, out, errors) = duet(arguments);
        assert_eq!((code, out.as_str()), (1, ""), "{errors}");
        assert!(errors.contains(message), "{errors}");
    }
}

/// A flag counts before a variable, an empty variable not at all, and two of a kind are refused.
#[test]
fn one_of_token_and_client_counts() {
    let folder = Folder::new();
    let file = folder.load("a.db", &["CREATE TABLE item (id INTEGER PRIMARY KEY)"]);
    let server = Running::start(&["serve", &file.display().to_string()]);
    let text = |name: &str| server.ready()[name].as_str().expect("a text").to_owned();
    let client = format!("{}:{}", text("client_id"), text("client_secret"));
    let token = duet_says(&["token", "--client", &client, "--url", &server.url()]);
    let (client, token, url) = (client.as_str(), token.trim_end(), server.url());
    let says = |variables: &[(&str, &str)], flags: &[&str]| {
        let output = duet_testkit::command::clean(std::path::Path::new(env!("CARGO_BIN_EXE_duet")))
            .args(["status", "--url", &url])
            .args(flags)
            .envs(variables.iter().copied())
            .output()
            .expect("the program starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for (variables, flags) in [
        (&[("DUET_TOKEN", "bad")][..], &["--client", client][..]),
        (&[("DUET_CLIENT", "bad:bad")], &["--token", token]),
        (&[("DUET_TOKEN", "")], &["--client", client]),
        (&[("DUET_TOKEN", ""), ("DUET_CLIENT", client)], &[]),
        (&[("DUET_TOKEN", token), ("DUET_CLIENT", "")], &[]),
    ] {
        assert_eq!(says(variables, flags), (Some(0), String::new()), "{variables:?} {flags:?}");
    }
    for (variables, flags, expected) in [
        (&[][..], &["--client", client, "--token", token][..], "--token and --client were given"),
        (&[("DUET_TOKEN", token), ("DUET_CLIENT", client)], &[], "has a token and a client"),
    ] {
        let (code, said) = says(variables, flags);
        assert!(code == Some(2) && said.contains(expected), "{said}");
    }
}

#[test]
fn a_service_with_a_certificate_of_its_own() {
    let folder = Folder::new();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (certificate, key) = duet_testkit::tls::self_signed();
    for (name, text) in [("own.pem", &certificate), ("key.pem", &key)] {
        fs::write(path(name), text).expect("the folder is writable");
    }
    let (own, key, state) = (path("own.pem"), path("key.pem"), path("state.json"));
    let file = folder.load("a.db", &["CREATE TABLE item (id INTEGER PRIMARY KEY)"]);
    let file = file.display().to_string();
    let serve = ["serve", &file, "--tls-cert", &own, "--tls-key", &key, "--state", &state];
    let server = Running::start(&serve);
    let ready = path("ready.json");
    fs::write(&ready, server.ready().to_string()).expect("the folder is writable");
    let token = ["token", "--from", &ready];
    for trust in [&["--cacert", &own][..], &["--insecure"]] {
        let token = duet_says(&[&token[..], trust].concat());
        assert_eq!(token.trim_end().len(), 60, "{token}");
    }
    for (trust, message) in
        [(&[][..], "--insecure"), (&["--cacert", "/nonexistent"], "cannot be read")]
    {
        let (code, _, errors) = duet(&[&token[..], trust].concat());
        assert!(code == 1 && errors.contains(message), "{errors}");
    }
    // The certificate of another server is not this one's.
    fs::write(path("other.pem"), duet_testkit::tls::self_signed().0)
        .expect("the folder is writable");
    let (code, _, errors) = duet(&[&token[..], &["--cacert", &path("other.pem")]].concat());
    assert!(code == 1 && errors.contains("certificate of"), "{errors}");
}

#[test]
fn what_client_add_prints_is_enough() {
    let folder = Folder::new();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let file = folder.load("a.db", &["CREATE TABLE item (id INTEGER PRIMARY KEY)"]);
    let (state, client) = (path("state.json"), path("client.json"));
    let printed =
        duet_says(&["client", "add", "me", "--role", "duet.read", "--state", &state, "--json"]);
    fs::write(&client, printed).expect("the folder is writable");
    let server = Running::start(&["serve", &file.display().to_string(), "--state", &state]);
    let token = duet_says(&["token", "--from", &client, "--url", &server.url()]);
    assert_eq!(token.trim_end().len(), 60, "{token}");

    // No part of a file that is no JSON is shown: it may hold a secret.
    fs::write(&client, "{\n\"client_secret\": hunter2hunter2}").expect("the folder is writable");
    let (code, _, errors) = duet(&["token", "--from", &client]);
    assert!(code == 1 && errors.contains("client.json:2: this is no client"), "{errors}");
    assert!(!errors.contains("hunter2"), "{errors}");
}
