//! `deploy/`: the services of the stack are run as plain processes against a throwaway PostgreSQL; the files
//! of Kubernetes say the same.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

mod fleet;
mod grafana;
mod names;
mod package;
mod schema;
pub(crate) mod yaml;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use duet_testkit::command::{Running, clean};
use duet_testkit::postgres::{Options, Server};
use duet_testkit::{http, skipped};
use serde_json::Value;

use super::told;
pub(crate) use grafana::{asked_for, missing};

const PASSWORDS: [(&str, &str); 3] =
    [("ADMIN_PWD", "it's the admin's"), ("SOE_PWD", "soe $1 \"quoted\""), ("TPC_PWD", "tpc/ä")];
/// Small and short, on ports of the machine.
const SIZES: [(&str, &str); 7] = [
    ("SOE_SCALE", "0.0002"),
    ("TPC_SCALE", "0.0002"),
    ("USERS", "2"),
    ("DURATION", "1s"),
    ("RUN", "2x2"),
    ("DB_BUFFERS", "16MB"),
    ("DUET_LISTEN", "127.0.0.1:0"),
];
const SETUPS: [&str; 2] = ["oesetup", "tpcdsetup"];
const LOADS: [&str; 3] = ["soecs", "soess", "tpcds"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")
}

fn stack() -> Value {
    yaml::documents(&fs::read_to_string(folder().join("stack.yml")).unwrap()).remove(0)
}

/// Compose's interpolation: `${NAME}`, `${NAME:-usual}`, `${NAME:?what it is}`.
fn interpolated(text: &str, given: &[(&str, &str)]) -> String {
    let mut parts = text.split("${");
    let mut whole = parts.next().unwrap().to_owned();
    for part in parts {
        let (inside, after) = part.split_once('}').unwrap();
        let (name, otherwise) = match inside.split_once(':') {
            Some((name, otherwise)) => (name, otherwise.strip_prefix('-')),
            None => (inside, None),
        };
        let value = given.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        whole += value.or(otherwise).unwrap_or_else(|| panic!("{name} is not given: {text}"));
        whole += after;
    }
    whole
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

/// The stack's services on this machine.
struct Services {
    stack: Value,
    server: Server,
    results: tempfile::TempDir,
}

impl Services {
    /// Starts the database as the stack does, with its settings and the superuser's password.
    fn start() -> Self {
        let stack = stack();
        let db = &stack["services"]["db"];
        assert_eq!(
            db["environment"]["POSTGRES_PASSWORD"],
            "${ADMIN_PWD:?is the superuser's password}"
        );
        let mut options = Options::new().password(PASSWORDS[0].1);
        for setting in texts(&db["command"]).iter().filter_map(|word| word.split_once('=')) {
            options = options.setting(setting.0, &interpolated(setting.1, &SIZES));
        }
        let results = tempfile::tempdir().unwrap();
        Self { stack, server: Server::start_with(options), results }
    }

    /// What a service runs, as replica of that name.
    fn command(&self, service: &str, replica: Option<&str>) -> Command {
        let service = &self.stack["services"][service];
        assert_eq!(service["image"], "${DUET_IMAGE:-duet}");
        // Replicas begin at the same time more or less, and are merged by the seconds that they have in common.
        let longer = |size: (&'static str, &'static str)| match size {
            ("DURATION", _) if replica.is_some() => ("DURATION", "12s"),
            size => size,
        };
        let given: Vec<_> = PASSWORDS.into_iter().chain(SIZES).map(longer).collect();
        let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
        let database = format!("@localhost:{}/", self.server.port());
        let results = format!("={}/", self.results.path().display());
        for word in texts(&service["command"]) {
            let word = interpolated(word, &given).replace("@db/", &database);
            let word = word.replace("=/results/", &results);
            command.arg(replica.map_or(word.clone(), |name| word.replace("{host}", name)));
        }
        for (name, value) in service["environment"].as_object().unwrap() {
            command.env(name, interpolated(value.as_str().unwrap(), &given));
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a service to its end, which must be a good one; what it printed.
    fn run(&self, service: &str) -> String {
        let (code, said, errors) = told(&self.command(service, None).output().unwrap());
        assert_eq!(code, 0, "{service}: {said}{errors}");
        for (_, password) in PASSWORDS {
            assert!(!said.contains(password) && !errors.contains(password), "{said}{errors}");
        }
        said
    }

    /// The results of a service's replicas: from a folder's name to the result.
    fn results(&self, service: &str) -> BTreeMap<String, Value> {
        let entries = fs::read_dir(self.results.path().join("2x2")).unwrap();
        let folders = entries.map(|entry| entry.unwrap().path()).filter_map(|path| {
            let name = path.file_name()?.to_str()?.to_owned();
            let text = fs::read(path.join("result.json")).ok()?;
            name.starts_with(service).then(|| (name, serde_json::from_slice(&text).unwrap()))
        });
        folders.collect()
    }
}

#[test]
fn every_service_runs() {
    let services = Services::start();
    let names: Vec<&String> = services.stack["services"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["db", "duet", "oesetup", "tpcdsetup", "soecs", "soess", "tpcds"]);
    for (service, role) in SETUPS.into_iter().zip(["soe", "tpcds"]) {
        let said = services.run(service);
        let made = format!("Made role {role} and database {role}.\nLoaded ");
        assert!(said.starts_with(&made), "{said}");
        let said = services.run(service);
        assert!(said.contains(" is already loaded, at scale 0.0002 "), "{said}");
    }
    let kept = services.server.existing("postgres").query(
        "SELECT rolname, rolsuper, left(rolpassword, 19) FROM pg_authid WHERE rolcanlogin ORDER BY 1",
    );
    assert_eq!(
        kept,
        "postgres|t|SCRAM-SHA-256$4096:\nsoe|f|SCRAM-SHA-256$4096:\ntpcds|f|SCRAM-SHA-256$4096:"
    );

    let serving = Running::start_command(services.command("duet", None));
    assert_eq!(http::get(&format!("{}/health/ready", serving.url()), &[]).status, 200);
    let page = format!("{}/api/soe/customers/?limit=1", serving.url());
    let page = http::get(&page, &[("Authorization", &serving.bearer())]);
    assert_eq!(page.status, 200, "{page:?}");
    assert!(serving.stop().success());

    replicas_are_merged(&services);
    for service in &LOADS[1..] {
        services.run(service);
        let results = services.results(service);
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        let result = &results[&format!("{service}-{}", host.trim())];
        assert_eq!(result["totals"]["failed"], 0, "{result}");
        assert!(result["ledger"].is_null() && result["load"]["users"] == 2, "{result}");
    }
}

/// Two at the same time, as after `docker service scale sb_soecs=2`.
fn replicas_are_merged(services: &Services) {
    let replicas = ["a", "b"].map(|name| services.command("soecs", Some(name)).spawn().unwrap());
    for replica in replicas {
        let (code, said, errors) = told(&replica.wait_with_output().unwrap());
        assert_eq!(code, 0, "{said}{errors}");
        assert!(said.contains("Others loaded the same server meanwhile"), "{said}");
    }
    let results = services.results("soecs");
    assert_eq!(results.keys().collect::<Vec<_>>(), ["soecs-a", "soecs-b"]);
    let completed = |result: &Value| result["totals"]["completed"].as_u64().unwrap();
    let all = services.results.path().join("all.json");
    let run = services.results.path().join("2x2");
    let (run, path) = (run.to_str().unwrap(), all.to_str().unwrap());
    let (code, said, errors) = super::duet(&["bench", "merge", run, "--out", path]);
    assert_eq!(code, 0, "{errors}");
    assert!(said.starts_with("2 results, 4 users, "), "{said}");
    let merged: Value = serde_json::from_slice(&fs::read(&all).unwrap()).unwrap();
    assert_eq!(completed(&merged), results.values().map(completed).sum::<u64>());
    let (code, _, errors) = super::duet(&["bench", "merge", "/proc/self/fd", "--out", path]);
    assert_eq!(code, 1);
    assert!(errors.starts_with("error: There is no result in /proc/self/fd."), "{errors}");
}

#[test]
fn existing_objects_are_kept() {
    let server = Server::start_with(Options::new().password("admin"));
    let load = |database: &str, passwords: [&str; 2], more: &[&str]| {
        let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
        let url = format!("postgres://me@localhost:{}/{database}", server.port());
        command.args(["bench", "load", "lookup", "--scale", "10", "--database", &url]);
        command.args(["--create", &server.tcp_url("postgres")]).args(more);
        command.env("DUET_ADMIN_PASSWORD", passwords[0]).env("PGPASSWORD", passwords[1]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let run = |mut command: Command| told(&command.output().unwrap());
    let (code, said, errors) = run(load("one \"d\"b", ["admin", "mine"], &[]));
    assert_eq!(code, 0, "{errors}");
    assert!(said.starts_with("Made role me and database one \"d\"b.\n"), "{said}");
    let (code, said, _) = run(load("two", ["admin", "mine"], &[]));
    assert!(code == 0 && said.starts_with("Made database two; role me already exists.\n"));
    // The role keeps its password, and the administrator's is not taken for it.
    for wrong in [["admin", "other"], ["mine", "mine"]] {
        let (code, said, errors) = run(load("two", wrong, &["--wait", "60s"]));
        assert_eq!((code, said.as_str()), (1, ""), "{errors}");
        assert!(!errors.contains("PASSWORD '"), "{errors}");
    }
    // A load that was interrupted is seen, and made again where that is asked for.
    let halved = "DELETE FROM lookup.lookup_metadata WHERE metadata_key LIKE '%COMPLETE%';
        DELETE FROM lookup.t1 WHERE true";
    server.existing("two").exec(halved);
    let (code, _, errors) = run(load("two", ["admin", "mine"], &[]));
    assert!(code == 1 && errors.contains("did not finish"), "{errors}");
    let (code, said, errors) = run(load("two", ["admin", "mine"], &["--repair"]));
    assert!(code == 0 && said.starts_with("Loaded lookup, scale 10,"), "{said}{errors}");
    assert_eq!(server.existing("two").query("SELECT count(*) FROM lookup.t1"), "10");

    server.stop();
    let (code, _, errors) = run(load("two", ["admin", "mine"], &[]));
    assert_eq!(code, 1, "{errors}");
    let waiting = load("two", ["admin", "mine"], &["--wait", "60s"]).spawn().unwrap();
    server.restart();
    let (code, said, errors) = told(&waiting.wait_with_output().unwrap());
    assert_eq!(code, 0, "{errors}");
    assert!(said.contains("lookup is already loaded"), "{said}");
}

#[test]
fn files_have_neither_role_nor_password() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db").display().to_string();
    for more in [["--wait", "1s"], ["--create", "postgres:///postgres"]] {
        let arguments = [&["bench", "load", "soe", "--database", &path][..], &more].concat();
        let (code, _, errors) = super::duet(&arguments);
        assert!(code == 1 && errors.contains("are for PostgreSQL"), "{errors}");
    }
}

/// Loads begin at none, done is done, and results are kept.
#[test]
fn replicas_and_volumes() {
    let stack = stack();
    for service in SETUPS.iter().chain(&LOADS) {
        assert_eq!(stack["services"][service]["deploy"]["replicas"], 0, "{service}");
        let condition = &stack["services"][service]["deploy"]["restart_policy"]["condition"];
        let expected = if SETUPS.contains(service) { "on-failure" } else { "none" };
        assert_eq!(condition, expected, "{service}");
    }
    for service in LOADS {
        assert_eq!(texts(&stack["services"][service]["volumes"]), ["results:/results"]);
    }
    assert!(stack["volumes"].as_object().unwrap().contains_key("results"));
}

/// Compose and the swarm's client read the file, where they are installed; neither needs a daemon.
#[test]
fn accepted_by_compose_and_swarm() {
    let file = folder().join("stack.yml");
    let file = file.to_str().unwrap();
    for words in [
        &["docker-compose", "-f", file, "config"][..],
        &["docker", "compose", "-f", file, "config"],
        &["docker", "stack", "config", "-c", file],
    ] {
        let is_there =
            Command::new(words[0]).args(words[1..].iter().take(1)).arg("--help").output();
        let command = words.iter().take_while(|word| !word.starts_with('-'));
        let shown = command.copied().collect::<Vec<_>>().join(" ");
        let known = words[0] != "docker"
            || is_there.as_ref().is_ok_and(|help| {
                let text = String::from_utf8_lossy(&help.stdout);
                text.contains(&format!("docker {}", words[1]))
            });
        if is_there.is_err() || !known {
            skipped("deploy::accepted_by_compose_and_swarm", &format!("{shown} is not installed"));
            continue;
        }
        let run = |given: &[(&str, &str)]| {
            let mut command = clean(Path::new(words[0]));
            for (name, _) in PASSWORDS {
                command.env_remove(name);
            }
            command.args(&words[1..]).envs(given.iter().copied()).output().unwrap()
        };
        let (code, said, errors) = told(&run(&PASSWORDS));
        assert_eq!(code, 0, "{shown}: {errors}");
        assert!(said.contains("/results") && said.contains("-{host}"), "{said}");
        assert_ne!(told(&run(&PASSWORDS[..2])).0, 0, "{shown} without TPC_PWD");
    }
}

#[test]
fn accepted_by_kustomize() {
    let run = Command::new("kubectl").arg("kustomize").arg(folder().join("kubernetes")).output();
    let Ok(output) = run else {
        skipped("deploy::accepted_by_kustomize", "kubectl is not installed");
        return;
    };
    let (code, said, errors) = told(&output);
    assert_eq!(code, 0, "{errors}");
    let kept: Vec<Value> = yaml::documents(&said);
    assert_eq!(kept.len(), objects().len(), "{said}");
}

/// All objects of Kubernetes, in the order in which they are applied.
fn objects() -> Vec<Value> {
    let read = |name: &str| {
        yaml::documents(&fs::read_to_string(folder().join("kubernetes").join(name)).unwrap())
    };
    let list = read("kustomization.yaml").remove(0);
    let names = texts(&list["resources"]).into_iter();
    let all: Vec<Value> = names.flat_map(read).collect();
    let files = fs::read_dir(folder().join("kubernetes")).unwrap().count();
    assert_eq!(files, list["resources"].as_array().unwrap().len() + 1, "every file is listed");
    all
}

fn named<'a>(objects: &'a [Value], kind: &str, name: &str) -> &'a Value {
    let found = objects.iter().find(|it| it["kind"] == kind && it["metadata"]["name"] == name);
    found.unwrap_or_else(|| panic!("no {kind} {name}"))
}

/// `${USERS:-16}` and `$(USERS)` become what is usual.
fn usual(text: &str, settings: &Value) -> String {
    let text = text.replace("$(", "${").replace(')', "}");
    let settings = settings.as_object().unwrap().iter();
    let given: Vec<(&str, &str)> =
        settings.map(|(name, value)| (name.as_str(), value.as_str().unwrap())).collect();
    interpolated(&text, &given)
}

#[test]
fn kubernetes_says_the_same() {
    let (stack, objects) = (stack(), objects());
    let settings = &named(&objects, "ConfigMap", "duet")["data"];
    for (name, _) in SIZES.iter().take(5) {
        let text = fs::read_to_string(folder().join("stack.yml")).unwrap();
        let usual = format!("${{{name}:-{}}}", settings[name].as_str().unwrap());
        assert!(text.contains(&usual), "{usual}");
    }
    for (name, service) in stack["services"].as_object().unwrap() {
        let kind = match name.as_str() {
            "db" => "StatefulSet",
            "duet" => "Deployment",
            _ => "Job",
        };
        let object = named(&objects, kind, name);
        let version = if kind == "Job" { "batch/v1" } else { "apps/v1" };
        assert_eq!(object["apiVersion"], version);
        let pod = &object["spec"]["template"];
        if kind != "Job" {
            let labels = &object["spec"]["selector"]["matchLabels"];
            assert_eq!(labels, &pod["metadata"]["labels"]);
            assert_eq!(labels, &named(&objects, "Service", name)["spec"]["selector"]);
        }
        let container = &pod["spec"]["containers"][0];
        let words = |list: &Value| -> Vec<String> {
            texts(list).iter().map(|word| usual(word, settings)).collect()
        };
        assert_eq!(words(&container["args"]), words(&service["command"]), "{name}");
        secrets(name, container, &service["environment"]);
        if name != "db" {
            assert_eq!(pod["spec"]["securityContext"]["runAsNonRoot"], true, "{name}");
        }
    }
    for name in LOADS {
        indexed(named(&objects, "Job", name), &objects);
    }
}

/// Every variable of the stack is one of the container, every password one of the secret.
fn secrets(name: &str, container: &Value, environment: &Value) {
    let variables = container["env"].as_array().unwrap();
    for (variable, text) in environment.as_object().unwrap() {
        let found = variables.iter().find(|it| it["name"] == variable.as_str());
        let found = found.unwrap_or_else(|| panic!("{name}: no {variable}"));
        if variable.contains("PASSWORD") {
            let secret = &found["valueFrom"]["secretKeyRef"];
            let key = format!("${{{}:?", secret["key"].as_str().unwrap());
            assert!(secret["name"] == "duet" && text.as_str().unwrap().starts_with(&key), "{name}");
        }
    }
}

/// Pods with names of their own that wait until they are wanted, and a place for their results.
fn indexed(job: &Value, objects: &[Value]) {
    let spec = &job["spec"];
    assert_eq!((&spec["suspend"], &spec["completionMode"]), (&true.into(), &"Indexed".into()));
    assert_eq!(spec["completions"], spec["parallelism"]);
    let pod = &spec["template"]["spec"];
    assert_eq!(pod["restartPolicy"], "Never");
    assert_eq!(pod["containers"][0]["volumeMounts"][0]["mountPath"], "/results");
    let claim = pod["volumes"][0]["persistentVolumeClaim"]["claimName"].as_str().unwrap();
    named(objects, "PersistentVolumeClaim", claim);
}

/// The page's tables and commands are those of the files.
#[test]
fn the_page_says_what_the_files_have() {
    let (stack, objects) = (stack(), objects());
    let page = fs::read_to_string(folder().join("../docs/containers.md")).unwrap();
    let rows = |head: &str| -> Vec<Vec<String>> {
        let below = page.lines().skip_while(|line| !line.starts_with(head)).skip(2);
        let cells =
            |row: &str| row.trim_matches('|').split('|').map(|it| it.trim().to_owned()).collect();
        below.take_while(|line| line.starts_with('|')).map(cells).collect()
    };
    let names = |cell: &str| -> Vec<String> {
        cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };

    let mut told = Vec::new();
    for row in rows("| service | what") {
        for name in names(&row[0]) {
            let replicas = &stack["services"][&name]["deploy"]["replicas"];
            assert_eq!(replicas.to_string(), row[2], "{name}");
            told.push(name);
        }
    }
    assert_eq!(told.len(), stack["services"].as_object().unwrap().len());

    let text = fs::read_to_string(folder().join("stack.yml")).unwrap();
    let mut told: Vec<String> = PASSWORDS.map(|(name, _)| name.to_owned()).into();
    for row in rows("| variable | default") {
        let usual = names(&row[1]);
        for (place, name) in names(&row[0]).into_iter().enumerate() {
            let usual = usual.get(place).or(usual.last()).unwrap();
            assert!(text.contains(&format!("${{{name}:-{usual}}}")), "{name} {usual}");
            told.push(name);
        }
    }
    for variable in text.split("${").skip(1) {
        let name = variable.split([':', '}']).next().unwrap();
        assert!(told.iter().any(|it| it == name), "{name} is not on the page");
    }

    // Of services or of volumes.
    let names = page
        .split("sb_")
        .skip(1)
        .map(|it| it.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap());
    for name in names {
        let is_in = |part: &str| stack[part].get(name).is_some();
        assert!(is_in("services") || is_in("volumes"), "sb_{name}");
    }
    let jobs = page
        .split("job/")
        .skip(1)
        .chain(page.split("patch job ").skip(1))
        .chain(page.split("job-name=").skip(1));
    for job in jobs {
        named(&objects, "Job", job.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap());
    }
    let line = page.lines().find(|line| line.starts_with("duet bench load soe ")).unwrap();
    let line = line
        .replace("--database ", "--database=")
        .replace("--create ", "--create=")
        .replace("--wait ", "--wait=");
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    let command = &stack["services"]["oesetup"]["command"];
    let command: Vec<String> = texts(command).iter().map(|word| interpolated(word, &[])).collect();
    assert!(words.iter().all(|word| command.iter().any(|it| it == word)), "{words:?} {command:?}");
    let merge = texts(
        &named(&objects, "Job", "merge")["spec"]["template"]["spec"]["containers"][0]["args"],
    )
    .join(" ");
    assert_eq!(merge, "bench merge /results/$(RUN) --out=/results/$(RUN).json");
}

/// A stop takes connections until the cluster has noticed, and is not cut short.
#[test]
fn a_stop_has_its_time() {
    let objects = objects();
    let pod = &named(&objects, "Deployment", "duet")["spec"]["template"]["spec"];
    let variables = pod["containers"][0]["env"].as_array().unwrap();
    let delay = variables.iter().find(|it| it["name"] == "DUET_DRAIN_DELAY").unwrap();
    let delay = delay["value"].as_str().unwrap().strip_suffix('s').unwrap().parse::<u64>().unwrap();
    let drain_timeout = 30;
    let grace = pod["terminationGracePeriodSeconds"].to_string().parse::<u64>().unwrap();
    assert!(delay >= 5 && grace > delay + drain_timeout, "{delay} {grace}");
    assert_eq!(stack()["services"]["duet"]["stop_grace_period"], "1m");
}

/// Everybody's rights are those that a cautious cluster grants.
#[test]
fn pods_have_no_rights() {
    let pods = objects().into_iter().filter(|it| it["spec"]["template"].is_object());
    for object in pods {
        let pod = &object["spec"]["template"]["spec"];
        let (rights, container) =
            (&pod["securityContext"], &pod["containers"][0]["securityContext"]);
        assert_eq!(rights["runAsNonRoot"], true, "{object}");
        assert_eq!(rights["seccompProfile"]["type"], "RuntimeDefault", "{object}");
        assert_eq!(container["allowPrivilegeEscalation"], false, "{object}");
        assert_eq!(container["capabilities"]["drop"][0], "ALL", "{object}");
    }
}

/// One static binary, with no user's rights.
#[test]
fn the_image_is_as_the_page_says() {
    let text = fs::read_to_string(folder().join("../Dockerfile")).unwrap();
    let (build, image) = text.split_once("\nFROM scratch\n").unwrap();
    let manifest = fs::read_to_string(folder().join("../Cargo.toml")).unwrap();
    let version = manifest.split_once("rust-version = \"").unwrap().1.split('"').next().unwrap();
    assert!(build.contains(&format!("FROM rust:{version}-bookworm AS build")), "{build}");
    for line in ["USER 65532:65532", "ENTRYPOINT [\"/duet\"]"] {
        assert!(image.lines().any(|it| it == line), "{line}");
    }
    assert!(!image.contains("RUN "), "there is no shell");
}
