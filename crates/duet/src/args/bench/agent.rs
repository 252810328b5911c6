//! The command line of `duet bench agent`.

use std::path::PathBuf;

use clap::Args;
use duet_client::confinement::Destination;

/// Let runs of other machines generate load from this one
///
/// `duet bench run --agents` hands the processes of its layout to agents. Runs and agents know each
/// other by certificates, which --init makes once: each host gets its agent-HOST.pem, the machine that
/// runs the tests runs.pem, and authority.pem stays where it is. An agent works for one run at a time,
/// connects to the allowed targets alone, and reads no file of its machine.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BenchAgent {
    /// Make the certificates of a fleet in this folder; again, for further hosts
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["listen", "identity", "allowed"])]
    pub(crate) init: Option<PathBuf>,
    /// With --init: a host that runs an agent, as --agents names it [default: localhost]
    #[arg(long = "host", value_name = "HOST", requires = "init")]
    pub(crate) hosts: Vec<String>,
    /// The address to listen at
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7070")]
    pub(crate) listen: String,
    /// The certificate of this agent, with its key: agent-HOST.pem
    #[arg(long, value_name = "FILE", required_unless_present = "init")]
    pub(crate) identity: Option<PathBuf>,
    /// A target that runs may load: HOST, HOST:PORT, unix:PATH, or its URL; may be given several times
    #[arg(long = "allow", value_name = "TARGET", required_unless_present = "init")]
    pub(crate) allowed: Vec<Destination>,
    /// The most worker processes at the same time
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub(crate) processes: u32,
    /// Write {"address":"ADDRESS:PORT"} to this file once it listens
    #[arg(long, value_name = "FILE")]
    pub(crate) ready_file: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  duet bench agent --init fleet --host gen1.example --host gen2.example
  duet bench agent --listen 0.0.0.0:7070 --identity agent-gen1.example.pem --allow https://api.example.com
  duet bench run https://api.example.com/orders --agents gen1.example,gen2.example --identity fleet/runs.pem
";
