//! The command line of `duet bench torture`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;
use duet_bench::torture::TRIALS;

use super::run::positive_duration;

/// Try a service for lost updates, stale reads, idempotency, blocked bystanders and writes lost by a kill
///
/// Any HTTP service: a small TOML file describes one of its resources. Each trial says what was done and
/// what was seen, and whether it passed, failed or was not applicable. The trials create items, and delete
/// them if the file says how: use a service for tests.
#[derive(Debug, Args)]
#[command(after_help = ENDS)]
pub(crate) struct BenchTorture {
    /// The base URL of the service: http://…, https://… or unix:SOCKET:/path
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// The description of its resource
    #[arg(value_name = "SERVICE.toml")]
    pub(crate) description: PathBuf,
    /// A trial to run; may be repeated [default: all]
    #[arg(long = "trial", value_name = "NAME", value_parser = PossibleValuesParser::new(TRIALS))]
    pub(crate) trials: Vec<String>,
    /// Users at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=256))]
    pub(crate) users: u32,
    /// How often each user repeats its work
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) rounds: u32,
    /// How often the service is killed
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) kills: u32,
    /// A response that takes longer fails
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = positive_duration)]
    pub(crate) timeout: Duration,
    /// A bearer token for the service
    #[arg(long, value_name = "TOKEN", env = "DUET_BENCH_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// A client of the service, ID:SECRET; preferably in the environment instead of the command line
    #[arg(long, value_name = "ID:SECRET", env = "DUET_BENCH_CLIENT", hide_env_values = true)]
    pub(crate) client: Option<String>,
    /// Where the client gets its token [default: oauth/token below the URL]
    #[arg(long, value_name = "PATH")]
    pub(crate) token_path: Option<String>,
    /// The authority of an https service's certificate, a PEM file [default: the system's authorities]
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub(crate) cacert: Option<PathBuf>,
    /// Accept any certificate of an https service: its identity is not verified
    #[arg(long)]
    pub(crate) insecure: bool,
    /// Print the trials as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const ENDS: &str = "\
Example:
  duet bench torture http://127.0.0.1:8080/ords/hr team.toml

Exit codes: 0 no trial failed; 1 one did, or the service cannot be used as the file describes it; 2 wrong \
command line, a mistake in the file, or no trial that it describes enough for.";
