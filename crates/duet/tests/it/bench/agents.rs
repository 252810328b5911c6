//! `duet bench agent` and `bench run --agents`: one run on several machines, here several processes of one.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use duet_testkit::command::{Running, Signal, clean, wait_until};
use serde_json::Value;

use crate::{duet, duet_says};

/// The certificates of a fleet on this machine.
fn fleet() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let said = duet_says(&["bench", "agent", "--init", folder.path().to_str().unwrap()]);
    assert!(said.contains("agent-localhost.pem\n") && said.contains("runs.pem\n"), "{said}");
    folder
}

fn agent(fleet: &Path, more: &[&str]) -> Running {
    let identity = fleet.join("agent-localhost.pem");
    let fixed = ["bench", "agent", "--listen", "127.0.0.1:0", "--identity"];
    Running::start(&[&fixed[..], &[identity.to_str().unwrap()], more].concat())
}

fn address(agent: &Running) -> String {
    agent.ready()["address"].as_str().unwrap().to_owned()
}

/// A service that is measured.
fn service() -> Running {
    Running::start(&["demo", "--open", "all"])
}

/// A run's command line, without the load.
struct Run {
    folder: tempfile::TempDir,
    line: Vec<String>,
}

impl Run {
    fn new(workload: &[&str], agents: &[&Running], fleet: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let agents: Vec<String> = agents.iter().map(|agent| address(agent)).collect();
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        let mut line: Vec<String> = ["bench", "run"].map(str::to_owned).into();
        line.extend(workload.iter().map(|word| (*word).to_owned()));
        line.extend(["--agents".into(), agents.join(","), "--identity".into()]);
        line.push(text(fleet.join("runs.pem")));
        line.extend(["--warmup", "0s", "--quiet", "--out"].map(str::to_owned));
        line.push(text(folder.path().join("run")));
        Self { folder, line }
    }

    fn words(&self, more: &[&str]) -> Vec<String> {
        self.line.iter().cloned().chain(more.iter().map(|word| (*word).to_owned())).collect()
    }

    /// Runs it to its end: exit code, and everything that it printed.
    fn end(&self, more: &[&str]) -> (i32, String) {
        let words = self.words(more);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (code, said, errors) = duet(&words);
        (code, format!("{said}{errors}"))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("run").join(name)
    }

    fn result(&self) -> Value {
        serde_json::from_slice(&fs::read(self.file("result.json")).unwrap()).unwrap()
    }
}

#[test]
fn the_processes_of_a_layout_run_on_agents() {
    let (fleet, service) = (fleet(), service());
    let url = format!("{}/ords/hr/team", service.url());
    let agents = [0, 1].map(|_| agent(fleet.path(), &["--allow", &url]));
    let run = Run::new(&[&url], &[&agents[0], &agents[1]], fleet.path());
    let (code, said) = run.end(&["--layout", "3x2", "--iterations", "20"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("Agents: 127.0.0.1:") && said.contains("(2 processes)"), "{said}");
    let result = run.result();
    assert_eq!(result["totals"]["completed"], 120, "{said}");
    let processes = result["agents"].as_array().unwrap().iter().map(|row| &row["processes"]);
    assert_eq!(processes.collect::<Vec<_>>(), [&serde_json::json!([0, 2]), &[1].into()]);
    for agent in result["agents"].as_array().unwrap() {
        let uncertain = agent["clock_uncertainty_us"].as_f64().unwrap();
        assert!(uncertain > 0.0 && agent["clock_drift_us"].is_number(), "{agent}");
        assert!(agent["host"]["cpus"].as_u64() > Some(0), "{agent}");
    }
    // A result of agents is as consistent as any other.
    duet_says(&["bench", "validate", run.file("result.json").to_str().unwrap()]);
    for agent in &agents {
        agent.wait_for_output("has ended.");
    }
}

/// 3 processes with 2 users on two agents, which run 120 transactions: the result, and the agents' addresses.
pub(crate) fn sent_by_agents(more: &[&str]) -> (Value, [String; 2]) {
    let (fleet, service) = (fleet(), service());
    let url = format!("{}/ords/hr/team", service.url());
    let agents = [0, 1].map(|_| agent(fleet.path(), &["--allow", &url]));
    let run = Run::new(&[&url], &[&agents[0], &agents[1]], fleet.path());
    let (code, said) = run.end(&[&["--layout", "3x2", "--iterations", "20"], more].concat());
    assert_eq!(code, 0, "{said}");
    (run.result(), agents.each_ref().map(address))
}

#[test]
fn layouts_are_a_sweep_over_agents() {
    let (fleet, service) = (fleet(), service());
    let url = format!("{}/ords/hr/team", service.url());
    let agents = [0, 1].map(|_| agent(fleet.path(), &["--allow", &url]));
    let run = Run::new(&[&url], &[&agents[0], &agents[1]], fleet.path());
    let line: Vec<String> =
        run.words(&["--layouts", "1x2,2x1", "--rounds", "1", "--duration", "300ms"]);
    let line: Vec<&str> =
        line.iter().map(String::as_str).filter(|word| *word != "--quiet").collect();
    let said = duet_says(&line);
    assert!(said.contains("1x2") && said.contains("2x1"), "{said}");
    let of = |name: &str| {
        let text = fs::read(run.file(name).join("result.json")).unwrap();
        let result: Value = serde_json::from_slice(&text).unwrap();
        result["agents"].as_array().unwrap().len()
    };
    let mut runs: Vec<String> = fs::read_dir(run.file(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("00"))
        .collect();
    runs.sort();
    let mut used: Vec<usize> = runs.iter().map(|name| of(name)).collect();
    used.sort_unstable();
    assert_eq!(used, [1, 2], "{runs:?}");
}

/// A feeder's file and a variable are those of the machine that conducts the run.
#[test]
fn a_workload_takes_its_files_along() {
    let (fleet, service) = (fleet(), service());
    let agent = agent(fleet.path(), &["--allow", &service.url()]);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("teams.csv"), "id\n301\n").unwrap();
    let text = format!(
        "[workload]\nname = \"own\"\ntarget = \"{}/ords/hr\"\n[feeders]\nteam = {{ csv = \"teams.csv\" }}\n\
         [[transaction]]\nname = \"Read\"\nstep = [{{ request = \"GET /team/${{team.id}}?fields=${{env.OWN_FIELDS}}\", check = {{ json.\"/team_id\" = 301 }} }}]\n",
        service.url()
    );
    let file = folder.path().join("own.toml");
    fs::write(&file, text).unwrap();
    let run = Run::new(&[file.to_str().unwrap()], &[&agent], fleet.path());
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.args(run.words(&["--users", "2", "--iterations", "3"])).env("OWN_FIELDS", "team_id");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let result = run.result();
    assert_eq!(
        (&result["totals"]["completed"], &result["totals"]["failed"]),
        (&6.into(), &0.into())
    );
    let check = &result["checks"][0];
    assert_eq!((&check["passed"], &check["failed"]), (&6.into(), &0.into()), "{said}");
}

#[test]
fn an_agent_reaches_what_its_operator_allows() {
    let (fleet, service) = (fleet(), service());
    let url = format!("{}/ords/hr/team", service.url());
    let agent = agent(fleet.path(), &["--allow", "elsewhere.example:80"]);
    let run = Run::new(&[&url], &[&agent], fleet.path());
    let (code, said) = run.end(&["--iterations", "1"]);
    let host = service.url().replace("http://", "");
    let expected = format!("does not allow {host} (--allow); allowed: elsewhere.example:80");
    let plain = said.replace('\n', " ").replace("  ", " ");
    assert!(code == 1 && plain.contains(&expected), "{code}: {said}");
    assert!(plain.contains(&format!("the agent {}", address(&agent))), "{said}");
    // A database of the agent's own machine is no target either.
    let file = fleet.path().join("own.db");
    let file = format!("sqlite:{}", file.display());
    let loaded = duet(&["bench", "load", "lookup", "--database", &file, "--scale", "10"]);
    assert_eq!(loaded.0, 0, "{loaded:?}");
    let run = Run::new(&["lookup", "--target", &file], &[&agent], fleet.path());
    let (code, said) = run.end(&["--iterations", "1"]);
    assert!(code == 1 && said.contains("agent's own machine"), "{code}: {said}");
}

#[test]
fn strangers_are_refused() {
    let (own, other, service) = (fleet(), fleet(), service());
    let url = format!("{}/ords/hr/team", service.url());
    let agent = agent(own.path(), &["--allow", &url]);
    let (code, said) = Run::new(&[&url], &[&agent], other.path()).end(&["--iterations", "1"]);
    assert!(code == 1 && said.contains("see `duet bench agent --init`"), "{code}: {said}");
    agent.wait_for_output("ended: ");
    // An agent's certificate serves, and conducts no run.
    let identity = own.path().join("agent-localhost.pem");
    let target = address(&agent);
    let identity = identity.to_str().unwrap();
    let line = ["bench", "run", &url, "--agents", &target, "--identity", identity];
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x");
    let line = [&line[..], &["--iterations", "1", "--out", out.to_str().unwrap()]].concat();
    let (code, _, errors) = duet(&line);
    assert!(code == 1 && errors.contains("the agent 127.0.0.1:"), "{code}: {errors}");
    // Whatever is no TLS is answered by nothing but an alert.
    let mut plain = TcpStream::connect(&target).unwrap();
    plain.write_all(b"{\"hello\":{}}\n{\"begin\":{}}\n").unwrap();
    let mut answer = Vec::new();
    drop(plain.read_to_end(&mut answer));
    assert!(answer.len() < 16 && !answer.contains(&b'{'), "{answer:?}");
    // The agent works on.
    let (code, said) = Run::new(&[&url], &[&agent], own.path()).end(&["--iterations", "1"]);
    assert_eq!(code, 0, "{said}");
}

/// A run that goes on: it has counted seconds.
fn going_on(run: &Run) -> Running {
    let mut command = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
    command.args(run.words(&["--users", "2", "--duration", "60s", "--grace", "0s"]));
    let running = Running::start_program(command);
    let seconds = run.file("seconds.ndjson");
    wait_until("a second of the run", || {
        fs::read_to_string(&seconds).unwrap_or_default().lines().count() > 1
    });
    running
}

#[test]
fn an_agent_that_dies_is_named_and_fails_the_run() {
    let (fleet, service) = (fleet(), service());
    let url = format!("{}/ords/hr/team", service.url());
    let mut agents = [0, 1].map(|_| agent(fleet.path(), &["--allow", &url]));
    let run = Run::new(&[&url], &[&agents[0], &agents[1]], fleet.path());
    let mut running = going_on(&run);
    let dead = address(&agents[1]);
    agents[1].signal(Signal::SIGKILL);
    agents[1].wait();
    // The other one goes on until the run is stopped.
    let lines =
        || fs::read_to_string(run.file("seconds.ndjson")).unwrap_or_default().lines().count();
    let before = lines();
    wait_until("seconds of the other agent", || lines() > before + 1);
    running.signal(Signal::SIGINT);
    running.wait();
    let result = run.result();
    let warnings = result["warnings"].to_string();
    let lost = format!("Process 1 was lost (the agent {dead}: it closed the connection");
    assert!(warnings.contains(&lost), "{warnings}");
    assert_eq!(result["processes"][1]["finished"], false);
    assert_eq!(result["processes"][0]["finished"], true);
}

#[test]
fn an_agent_works_for_one_run_at_a_time() {
    let (fleet, service) = (fleet(), service());
    let url = format!("{}/ords/hr/team", service.url());
    let agent = agent(fleet.path(), &["--allow", &url, "--processes", "2"]);
    let first = Run::new(&[&url], &[&agent], fleet.path());
    let mut running = going_on(&first);
    let (code, said) = Run::new(&[&url], &[&agent], fleet.path()).end(&["--iterations", "1"]);
    assert!(code == 1 && said.contains("it works for a run of"), "{code}: {said}");
    // A run that is gone without a word leaves no worker behind.
    running.signal(Signal::SIGKILL);
    running.wait();
    agent.wait_for_output("has ended.");
    let (code, said) = Run::new(&[&url], &[&agent], fleet.path()).end(&["--iterations", "1"]);
    assert_eq!(code, 0, "{said}");
    let many = Run::new(&[&url], &[&agent], fleet.path());
    let (code, said) = many.end(&["--layout", "3x1", "--iterations", "1"]);
    assert!(code == 1 && said.contains("at most 2 processes (--processes)"), "{code}: {said}");
}

#[test]
fn what_agents_cannot_do_is_refused() {
    let fleet = fleet();
    let identity = fleet.path().join("runs.pem");
    let identity = identity.to_str().unwrap();
    let line = ["bench", "run", "https://h/x", "--agents", "h", "--identity", identity];
    let (code, _, errors) =
        duet(&[&line[..], &["--jtl", "a.jtl", "--spinners", "--cacert", "c.pem"]].concat());
    assert!(
        code == 2 && errors.contains("Agents cannot do this: --jtl, --spinners, --cacert."),
        "{code}: {errors}"
    );
    let (code, _, errors) = duet(&["bench", "agent", "--identity", identity]);
    assert!(code == 2 && errors.contains("--allow"), "{errors}");
    let (code, _, errors) = duet(&["bench", "agent", "--identity", identity, "--allow", "ftp://x"]);
    assert!(code == 2 && errors.contains("no host, HOST:PORT, unix:PATH or URL"), "{errors}");
    let (code, _, errors) = duet(&["bench", "run", "http://h/x", "--agents", "h"]);
    assert!(code == 2 && errors.contains("--identity"), "{errors}");
}
