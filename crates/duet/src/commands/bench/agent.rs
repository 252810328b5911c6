//! `duet bench agent`: makes certificates, or lets runs of other machines generate load from this one. And the other
//! side: the fleet of a run.

use std::path::Path;
use std::process::Command;

use duet_bench::agents::{Agent, AgentOptions, Fleet, Identity, certificates};
use duet_client::confinement::{self, Confinement, Destination};
use duet_model::Error;

use crate::args::{BenchAgent, BenchRun};
use crate::command_error::CommandError;
use crate::report::{Outcome, note, print};
use crate::serving::ReadyFile;

/// What this program was built of, and how: machines of one run measure alike.
const BUILD: &str =
    concat!("sources ", env!("DUET_BUILD_SOURCES"), ", profile ", env!("DUET_BUILD_PROFILE"));

/// The host of a fleet on one machine.
const LOCALHOST: &str = "localhost";

/// # Errors
/// If the certificates cannot be made or used, or the address not listened at.
pub(super) fn run(arguments: &BenchAgent) -> Outcome {
    if let Some(folder) = &arguments.init {
        let own = [LOCALHOST.to_owned()];
        let hosts = if arguments.hosts.is_empty() { &own[..] } else { &arguments.hosts };
        let made = certificates::init(folder, hosts).map_err(|why| wrong(&why))?;
        let lines: String = made.iter().map(|path| format!("{}\n", path.display())).collect();
        let last =
            "Give each host its agent-HOST.pem, and keep authority.pem: it makes further ones.\n";
        return print(&(lines + last));
    }
    // The parser asks for it.
    let identity = arguments.identity.as_deref().unwrap_or(Path::new(""));
    let program = std::env::current_exe().map_err(Error::internal)?;
    let allowed: Vec<String> = arguments.allowed.iter().map(Destination::to_string).collect();
    let given = allowed.clone();
    let worker = move |folder: &Path| {
        let mut command = Command::new(&program);
        command.args(["bench", "worker", "--folder"]).arg(folder);
        for place in &given {
            command.args(["--allow", place]);
        }
        command
    };
    let options = AgentOptions {
        build: BUILD.to_owned(),
        processes: arguments.processes as usize,
        worker: Box::new(worker),
        notice: Box::new(note),
    };
    let identity = Identity::read(identity).map_err(|why| wrong(&why))?;
    let agent = Agent::listen(&arguments.listen, identity, options).map_err(|why| wrong(&why))?;
    let address = agent.address()?;
    let ready = arguments.ready_file.as_deref().map(ReadyFile::new).transpose()?;
    print(&format!("Listening at {address}. Runs may load {}.\n", allowed.join(", ")))?;
    if let Some(file) = &ready {
        file.write(&format!("{{\"address\":\"{address}\"}}\n"))?;
    }
    Ok(agent.serve()?)
}

/// Confines a worker of an agent.
///
/// # Errors
/// If it is confined already.
pub(super) fn confine(allowed: &[Destination], folder: &Path) -> Outcome {
    let confinement = Confinement { places: allowed.to_vec(), folder: folder.to_owned() };
    confinement::confine(confinement).map_err(|why| wrong(&why))
}

/// The agents of a run; `None` where this machine generates the load.
///
/// # Errors
/// If the certificate cannot be used, or an option has no meaning with agents.
pub(super) fn fleet(arguments: &BenchRun) -> Outcome<Option<Fleet>> {
    let Some(identity) = &arguments.identity else { return Ok(None) };
    let here = [
        ("--jtl", arguments.jtl.is_some()),
        ("--gatling", arguments.gatling.is_some()),
        ("--spinners", arguments.spinners),
        ("--cert", arguments.cert.is_some()),
        ("--cacert", arguments.cacert.is_some()),
    ];
    let given = here.into_iter().filter(|(_, is_given)| *is_given);
    let refused: Vec<&str> = given.map(|(option, _)| option).collect();
    if !refused.is_empty() {
        let message = format!("Agents cannot do this: {}.", refused.join(", "));
        let hint = "It is about files or processors of the machine that generates the load.";
        return Err(CommandError::usage(message).hint(hint));
    }
    let identity = Identity::read(identity).map_err(|why| wrong(&why))?;
    let fleet = Fleet::new(arguments.agents.clone(), identity, BUILD.to_owned());
    fleet.map(Some).map_err(|why| wrong(&why))
}

fn wrong(why: &str) -> CommandError {
    let mut chars = why.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    CommandError::refusal(format!("{first}{}.", chars.as_str()))
}
