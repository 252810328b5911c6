//! What the files of `deploy/` name exists in the program: settings, options of commands, probed paths, ports, metrics.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use duet_testkit::command::Running;
use duet_testkit::{http, sqlite};
use serde_json::Value;

use super::fleet::SCALED_BY;
use super::{folder, texts, yaml};

/// Each file of `deploy/`, and of its folders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// All objects and stacks, each with its file.
fn documents() -> Vec<(String, Value)> {
    let files = files(&folder());
    let is_yaml =
        |path: &&PathBuf| path.extension().is_some_and(|end| end == "yml" || end == "yaml");
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let name = path.display().to_string();
        yaml::documents(&text).into_iter().map(move |one| (name.clone(), one)).collect::<Vec<_>>()
    };
    let all: Vec<_> = files.iter().filter(is_yaml).flat_map(read).collect();
    assert!(all.len() > 30, "{}", all.len());
    all
}

/// A container, or a service of a stack, with its settings.
struct Container {
    file: String,
    value: Value,
    arguments: Vec<String>,
    variables: Vec<(String, String)>,
}

impl Container {
    fn is_duet(&self) -> bool {
        self.value["image"]
            .as_str()
            .is_some_and(|image| image.ends_with("duet") || image.ends_with("duet}"))
    }

    fn variable(&self, name: &str) -> Option<&str> {
        self.variables.iter().find(|it| it.0 == name).map(|it| it.1.as_str())
    }
}

fn containers() -> Vec<Container> {
    let mut all = Vec::new();
    for (file, document) in documents() {
        let pod = document["spec"]["template"]["spec"]["containers"].as_array();
        for value in pod.into_iter().flatten() {
            let text = |value: &Value| value["value"].as_str().unwrap_or_default().to_owned();
            let each = value["env"].as_array().into_iter().flatten();
            let variables =
                each.map(|it| (it["name"].as_str().unwrap().to_owned(), text(it))).collect();
            all.push(container(&file, value, &value["args"], variables));
        }
        for value in document["services"].as_object().into_iter().flat_map(|all| all.values()) {
            let each = value["environment"].as_object().into_iter().flatten();
            let variables =
                each.map(|it| (it.0.clone(), it.1.as_str().unwrap().to_owned())).collect();
            all.push(container(&file, value, &value["command"], variables));
        }
    }
    all
}

fn container(
    file: &str,
    value: &Value,
    arguments: &Value,
    variables: Vec<(String, String)>,
) -> Container {
    let arguments = if arguments.is_array() { texts(arguments) } else { Vec::new() };
    let arguments = arguments.into_iter().map(str::to_owned).collect();
    Container { file: file.to_owned(), value: value.clone(), arguments, variables }
}

/// Variables that commands read beside the settings.
const OTHERS: [&str; 1] = ["DUET_ADMIN_PASSWORD"];

/// Whether a variable is a setting: the page is written from the table of settings, and a test holds it to it.
fn is_setting(page: &str, name: &str) -> bool {
    let flag = name.trim_start_matches("DUET_").to_lowercase().replace('_', "-");
    page.contains(&format!("\n| `--{flag}` |"))
}

#[test]
fn variables_are_settings() {
    let page = fs::read_to_string(folder().join("../docs/settings.md")).unwrap();
    let mut names: BTreeSet<String> = containers()
        .iter()
        .filter(|it| it.is_duet())
        .flat_map(|it| it.variables.iter().map(|it| it.0.clone()).collect::<Vec<_>>())
        .collect();
    for file in ["systemd/duet.service", "debian/duet@.service"] {
        let unit = fs::read_to_string(folder().join(file)).unwrap();
        let lines = unit.lines().filter_map(|line| line.strip_prefix("Environment="));
        let each = lines.flat_map(|line| line.split(' '));
        names.extend(each.filter_map(|it| Some(it.split_once('=')?.0.to_owned())));
    }
    names.retain(|name| name.starts_with("DUET_") && !OTHERS.contains(&name.as_str()));
    assert!(names.len() >= 4 && names.contains("DUET_DRAIN_DELAY"), "{names:?}");
    let unknown: Vec<_> = names.iter().filter(|name| !is_setting(&page, name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    assert!(!is_setting(&page, "DUET_NOTHING"));
}

#[test]
fn options_are_those_of_their_commands() {
    let mut count = 0;
    for container in containers().iter().filter(|it| it.is_duet()) {
        let is_command =
            |word: &&String| word.chars().all(|it| it.is_ascii_lowercase() || it == '-');
        let words = container
            .arguments
            .iter()
            .take_while(|word| is_command(word) && !word.starts_with('-'));
        let words: Vec<&str> = words.map(String::as_str).chain(["--help-all"]).collect();
        let help = super::super::duet_says(&words);
        for option in container.arguments.iter().filter(|word| word.starts_with("--")) {
            let name = option.split('=').next().unwrap();
            let is_there = help
                .split([' ', ',', '\n', '['])
                .any(|word| word.split(['=', '<']).next() == Some(name));
            assert!(
                is_there,
                "{}: `duet {}` has no {name}:\n{help}",
                container.file,
                words.join(" ")
            );
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
}

/// The paths that probes and balancers ask for.
fn probed() -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for container in containers() {
        for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
            let get = &container.value[probe]["httpGet"];
            paths.extend(get["path"].as_str().map(str::to_owned));
        }
    }
    for file in files(&folder()) {
        let text = fs::read_to_string(&file).unwrap();
        let checks =
            text.lines().filter_map(|line| line.trim().strip_prefix("option httpchk GET "));
        paths.extend(checks.map(str::to_owned));
    }
    paths
}

#[test]
fn probed_paths_are_served() {
    let folder = sqlite::Folder::new();
    let database = folder.load("a.db", &["CREATE TABLE item (id INTEGER PRIMARY KEY)"]);
    let server =
        Running::start(&["serve", &database.display().to_string(), "--listen", "127.0.0.1:0"]);
    let paths = probed();
    assert_eq!(
        paths.iter().map(String::as_str).collect::<Vec<_>>(),
        ["/health/live", "/health/ready"]
    );
    for path in paths {
        assert_eq!(http::get(&format!("{}{path}", server.url()), &[]).status, 200, "{path}");
    }
}

/// Servers listen where their containers, services, probes and balancers look for them.
#[test]
fn ports_are_those_that_servers_listen_on() {
    let mut count = 0;
    for container in containers().iter().filter(|it| it.is_duet()) {
        let Some(listen) = container.variable("DUET_LISTEN") else { continue };
        let listen = listen.trim_end_matches('}');
        let port = listen.rsplit(':').next().unwrap();
        let number: u64 = port.parse().unwrap();
        let of = |value: &Value| value.as_u64() == Some(number);
        let (value, file) = (&container.value, &container.file);
        if let Some(ports) = value["ports"].as_array() {
            let inside = |it: &Value| match it.as_str() {
                Some(text) => text.rsplit(':').next() == Some(port),
                None => of(&it["containerPort"]),
            };
            assert!(ports.iter().all(inside), "{file}: {ports:?}");
        }
        for probe in ["livenessProbe", "readinessProbe"] {
            let get = &value[probe]["httpGet"];
            assert!(get.is_null() || of(&get["port"]), "{file}: {get}");
        }
        count += 1;
        for (other, service) in documents() {
            let is_of = service["kind"] == "Service" && service["metadata"]["name"] == "duet";
            if is_of && other == *file {
                assert!(of(&service["spec"]["ports"][0]["port"]), "{other}");
            }
        }
    }
    assert!(count >= 4, "{count}");
    let balancers = [
        fs::read_to_string(folder().join("fleet/haproxy.cfg")).unwrap(),
        fs::read_to_string(folder().join("fleet/kubernetes/haproxy.yaml")).unwrap(),
    ];
    for text in balancers {
        let servers = text.lines().map(str::trim).filter(|line| line.starts_with("server"));
        let addresses: Vec<&str> =
            servers.filter_map(|line| line.split(' ').find(|word| word.contains(':'))).collect();
        assert!(!addresses.is_empty());
        assert!(addresses.iter().all(|it| it.ends_with(":8080")), "{addresses:?}");
    }
}

/// Names of metrics in files beside the dashboards are those that tests compare with what is served, or computed from them.
#[test]
fn metrics_are_served_or_derived() {
    let mut served = BTreeSet::new();
    for file in files(&folder()).iter().filter(|it| !it.starts_with(folder().join("grafana"))) {
        let text = fs::read_to_string(file).unwrap();
        let words = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
        let is_derived = |name: &&str| text.contains(&format!("name: {{ as: {name} }}"));
        let names = words.filter(|word| word.starts_with("duet_") && !is_derived(word));
        served.extend(names.map(str::to_owned));
    }
    assert_eq!(served, SCALED_BY.map(str::to_owned).into());
}
