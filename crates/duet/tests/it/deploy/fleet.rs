//! `deploy/fleet/`: what the files of Compose and Kubernetes say agrees, and its servers run over a primary with standbys.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use duet_testkit::command::{Running, clean, wait_until};
use duet_testkit::postgres::Server;
use duet_testkit::{http, skipped};
use serde_json::Value;

use super::{missing, named, texts, yaml};
use crate::told;

const SERVERS: [&str; 3] = ["duet1", "duet2", "duet3"];

/// The metrics that the autoscaler's figure is computed from.
pub(super) const SCALED_BY: [&str; 2] =
    ["duet_queue_wait_seconds_count", "duet_queue_wait_seconds_sum"];

fn folder() -> PathBuf {
    super::folder().join("fleet")
}

fn text(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap()
}

fn stack() -> Value {
    yaml::documents(&text("stack.yml")).remove(0)
}

pub(super) fn objects() -> Vec<Value> {
    let list = yaml::documents(&text("kubernetes/kustomization.yaml")).remove(0);
    let names = texts(&list["resources"]);
    let files = fs::read_dir(folder().join("kubernetes")).unwrap().count();
    assert_eq!(files, names.len() + 1, "every file is listed");
    let read = |name: &&str| yaml::documents(&text(&format!("kubernetes/{name}")));
    names.iter().flat_map(read).collect()
}

/// Seconds of `500ms`, `2s`.
fn seconds(text: &str) -> f64 {
    match text.strip_suffix("ms") {
        Some(millis) => millis.parse::<f64>().unwrap() / 1000.0,
        None => text.trim_end_matches('s').parse().unwrap(),
    }
}

/// The value behind a word of a line of haproxy's file.
fn after(text: &str, word: &str) -> String {
    let mut words = text.split_whitespace().skip_while(|it| *it != word).skip(1);
    words.next().unwrap_or_else(|| panic!("no {word}")).to_owned()
}

#[test]
fn the_stack_is_of_one_piece() {
    let stack = stack();
    let services = stack["services"].as_object().unwrap();
    let mut names: Vec<&str> = services.keys().map(String::as_str).collect();
    names.sort_unstable();
    let others = ["haproxy", "pgbouncer", "standby1", "standby2"];
    assert_eq!(names, [&["db"][..], &SERVERS, &others].concat());
    assert!(SERVERS.iter().all(|name| services[*name] == services["duet1"]));
    let command = texts(&services["duet1"]["command"]);
    let pooler = text("pgbouncer.ini");
    let port = pooler.lines().find_map(|line| line.strip_prefix("listen_port = ")).unwrap();
    assert_eq!(command[1], format!("postgres://duet@pgbouncer:{port}/shop"));
    let standbys = command[2].split(['@', '/']).filter(|part| services.contains_key(*part));
    assert_eq!(standbys.collect::<Vec<_>>(), ["standby1", "standby2"]);
    assert!(command.contains(&format!("--servers={}", SERVERS.len()).as_str()));
    let balancer = text("haproxy.cfg");
    for server in SERVERS {
        assert!(balancer.contains(&format!("  server {server} {server}:8080\n")), "{server}");
    }
    let delay = services["duet1"]["environment"]["DUET_DRAIN_DELAY"].as_str().unwrap();
    assert!(seconds(delay) >= 2.0 * seconds(&after(&balancer, "inter")), "{delay}");
    // Every file that a service reads is here.
    for service in services.values() {
        let volumes = service.get("volumes").map(texts).unwrap_or_default();
        for file in volumes.iter().filter_map(|it| it.strip_prefix("./")) {
            assert!(folder().join(file.split(':').next().unwrap()).is_file(), "{file}");
        }
    }
}

#[test]
fn kubernetes_has_the_same() {
    let (stack, objects) = (stack(), objects());
    let files: BTreeMap<&str, [&str; 2]> = BTreeMap::from([
        ("primary.sh", ["database", "primary.sh"]),
        ("standby.sh", ["database", "standby.sh"]),
        ("pgbouncer.ini", ["pgbouncer", "pgbouncer.ini"]),
    ]);
    for (file, [map, key]) in files {
        assert_eq!(named(&objects, "ConfigMap", map)["data"][key], text(file), "{file}");
    }
    let duet = named(&objects, "Deployment", "duet");
    let pod = &duet["spec"]["template"]["spec"];
    let arguments = texts(&pod["containers"][0]["args"]);
    let same = |word: &str| {
        word.replace("standby-0.standby", "standby1").replace("standby-1.standby", "standby2")
    };
    let command = texts(&stack["services"]["duet1"]["command"]);
    let (own, others): (Vec<String>, Vec<&str>) =
        (arguments.iter().map(|word| same(word)).collect(), command);
    assert_eq!(own[..4], others[..4]);
    let entrypoint = |command: &Value| texts(command).join(" ");
    let pooler = named(&objects, "Deployment", "pgbouncer");
    assert_eq!(
        entrypoint(&pooler["spec"]["template"]["spec"]["containers"][0]["command"]),
        entrypoint(&stack["services"]["pgbouncer"]["entrypoint"]).replace("$$", "$")
    );
    let scaler = &named(&objects, "HorizontalPodAutoscaler", "duet")["spec"];
    assert_eq!(arguments[4], format!("--servers={}", scaler["maxReplicas"]));
    assert_eq!(scaler["minReplicas"], duet["spec"]["replicas"]);
    let balancer = named(&objects, "ConfigMap", "haproxy")["data"]["haproxy.cfg"].as_str().unwrap();
    assert!(
        balancer.contains(&format!("server-template duet {} duet:8080", scaler["maxReplicas"]))
    );
    let budget = &named(&objects, "PodDisruptionBudget", "duet")["spec"];
    assert!(budget["minAvailable"].as_u64() < duet["spec"]["replicas"].as_u64());
    let probe = &pod["containers"][0]["readinessProbe"];
    assert_eq!(probe["httpGet"]["path"], "/health/ready");
    let variables = pod["containers"][0]["env"].as_array().unwrap();
    let delay = variables.iter().find(|it| it["name"] == "DUET_DRAIN_DELAY").unwrap();
    let delay = seconds(delay["value"].as_str().unwrap());
    assert!(pod["terminationGracePeriodSeconds"].as_f64().unwrap() > delay + 30.0);
    assert!(delay >= 2.0 * probe["periodSeconds"].as_f64().unwrap());
    for object in objects
        .iter()
        .filter(|it| ["Deployment", "StatefulSet"].contains(&it["kind"].as_str().unwrap()))
    {
        let (spec, name) = (&object["spec"], object["metadata"]["name"].as_str().unwrap());
        let labels = &spec["selector"]["matchLabels"];
        assert_eq!(labels, &spec["template"]["metadata"]["labels"], "{name}");
        assert_eq!(labels, &named(&objects, "Service", name)["spec"]["selector"], "{name}");
        assert_eq!(spec["template"]["spec"]["securityContext"]["runAsNonRoot"], true, "{name}");
    }
}

/// What a pod or container of pgbouncer writes, read as pgbouncer does: two quotes are one.
#[test]
fn the_pooler_takes_any_password() {
    let folder = tempfile::tempdir().unwrap();
    let users = folder.path().join("users.txt");
    let stack = stack();
    let words = texts(&stack["services"]["pgbouncer"]["entrypoint"]);
    assert_eq!(words[..2], ["/bin/sh", "-c"]);
    let script = words[2].replace("$$", "$").replace("/tmp/users.txt", users.to_str().unwrap());
    let (script, program) = script.split_once("; exec ").unwrap();
    assert!(program.starts_with("pgbouncer "), "{program}");
    for password in ["plain", "a\"b", "\"\"", "it's $(id) \\ %s ä", "/&"] {
        let mut command = clean(Path::new(words[0]));
        let status = command.args(["-c", script]).env("DUET_PWD", password).status().unwrap();
        assert!(status.success());
        let text = fs::read_to_string(&users).unwrap();
        let quoted = text.strip_prefix("\"duet\" \"").and_then(|text| text.strip_suffix("\"\n"));
        let quoted = quoted.unwrap_or_else(|| panic!("{text}"));
        assert_eq!(quoted.replace("\"\"", "\""), password, "{text}");
        assert_eq!(quoted.matches('"').count(), 2 * password.matches('"').count());
    }
}

/// Servers believe haproxy about clients, and haproxy says what it sees alone.
#[test]
fn clients_keep_their_addresses() {
    let (stack, objects) = (stack(), objects());
    let balancers = [
        text("haproxy.cfg"),
        named(&objects, "ConfigMap", "haproxy")["data"]["haproxy.cfg"].as_str().unwrap().to_owned(),
    ];
    let rules = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim).filter(|line| line.starts_with("http-request "));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(rules(&balancers[0]), rules(&balancers[1]));
    let seen = "http-request set-header X-Forwarded-For %[src]";
    assert!(rules(&balancers[0]).iter().any(|line| line == seen));
    for name in ["Proto", "Host", "Port"] {
        let removed = format!("http-request del-header X-Forwarded-{name}");
        assert!(rules(&balancers[0]).contains(&removed), "{name}");
    }
    let address = stack["services"]["haproxy"]["networks"]["default"]["ipv4_address"].as_str();
    let trusted = format!("--trusted-proxies={}", address.unwrap());
    assert!(texts(&stack["services"]["duet1"]["command"]).contains(&trusted.as_str()));
    let subnet = stack["networks"]["default"]["ipam"]["config"][0]["subnet"].as_str().unwrap();
    let start = subnet.trim_end_matches("0/24");
    assert!(address.unwrap().starts_with(start) && subnet.ends_with(".0/24"), "{subnet}");
    let duet = named(&objects, "Deployment", "duet");
    let arguments = texts(&duet["spec"]["template"]["spec"]["containers"][0]["args"]);
    assert!(arguments.iter().any(|word| word.starts_with("--trusted-proxies=")), "{arguments:?}");
}

/// haproxy reads both of its files, where it is installed.
#[test]
fn haproxy_takes_its_files() {
    let (folder, objects) = (tempfile::tempdir().unwrap(), objects());
    let cluster = named(&objects, "ConfigMap", "haproxy")["data"]["haproxy.cfg"].as_str().unwrap();
    for (place, balancer) in [text("haproxy.cfg").as_str(), cluster].into_iter().enumerate() {
        // Names are known within the network of the stack alone.
        let balancer = SERVERS.iter().fold(balancer.to_owned(), |balancer, name| {
            balancer.replace(&format!("{name}:8080"), "127.0.0.1:8080")
        });
        let file = folder.path().join(format!("{place}.cfg"));
        fs::write(&file, balancer).unwrap();
        let checked = Command::new("haproxy").args(["-c", "-f"]).arg(&file).output();
        let Ok(checked) = checked else {
            skipped("deploy::haproxy_takes_its_files", "haproxy is not installed");
            return;
        };
        let (code, said, errors) = told(&checked);
        assert_eq!(code, 0, "{said}{errors}");
    }
}

/// The script of the primary, and a server with the arguments of the stack, the pooler left out.
#[test]
fn its_server_reads_from_both_standbys() {
    let primary = Server::start();
    primary.existing("postgres").exec("CREATE DATABASE shop");
    let script = text("primary.sh");
    let sql = script.split("<<'SQL'\n").nth(1).and_then(|it| it.split("SQL\n").next()).unwrap();
    let sql = sql.replace(":'duet'", "'a'").replace(":'copy'", "'b'");
    primary.existing("shop").exec(&sql);
    primary.existing("shop").exec("CREATE TABLE item (id integer PRIMARY KEY)");
    let standbys = [primary.standby(), primary.standby()];
    let at = |server: &Server| {
        format!(
            "postgres:///shop?host={}&port={}&user=duet",
            server.socket_folder().display(),
            server.port()
        )
    };
    let stack = stack();
    let mut arguments: Vec<String> = Vec::new();
    for word in texts(&stack["services"]["duet1"]["command"]) {
        arguments.push(match word {
            _ if word.starts_with("postgres://") => at(&primary),
            _ if word.starts_with("--read-database=") => {
                format!("--read-database={},{}", at(&standbys[0]), at(&standbys[1]))
            }
            word => word.to_owned(),
        });
    }
    let server = Running::start(&arguments);
    let ready = || http::get(&format!("{}/health/ready", server.url()), &[]);
    wait_until("reads go to both standbys", || {
        let standbys = ready().json()["standbys"].clone();
        standbys
            .as_array()
            .is_some_and(|all| all.len() == 2 && all.iter().all(|it| it["status"] == "up"))
    });
    assert_eq!(ready().status, 200);
    // What the autoscaler goes by.
    let metrics =
        http::get(&format!("{}/metrics", server.url()), &[("Authorization", &server.bearer())]);
    for name in SCALED_BY {
        assert!(metrics.text().contains(&format!("\n{name}")), "{name}");
        assert!(text("kubernetes/duet.yaml").contains(name), "{name}");
    }
    let missing = missing(metrics.text(), true);
    assert!(missing.is_empty(), "{missing:?} are not in:\n{}", metrics.text());
}
