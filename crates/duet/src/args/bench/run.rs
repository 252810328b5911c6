//! The options of one run of the bench, and how their values are read.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use duet_bench::agents::AgentAddress;
use duet_bench::console::ConsoleColumn;
use duet_bench::targets::http::Url;
use duet_verdict::threshold::Rule;

use super::results::percent;
use super::workloads::{self, WorkloadFlags};
use crate::settings::Value as _;

/// The options of one run.
#[derive(Clone, Debug, Args)]
pub(crate) struct BenchRun {
    /// One of [`workloads::names`], or a file.
    #[arg(value_name = "WORKLOAD", help = workloads::workload())]
    pub(crate) workload: String,
    /// The target: a service or a database.
    #[arg(long, value_name = "URL", help = workloads::target())]
    pub(crate) target: Option<String>,
    /// Users at the same time; in open runs, the most transactions in flight
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) users: Option<u32>,
    /// Arrivals per second, independent of how earlier ones go
    #[arg(long, value_name = "R", value_parser = positive, group = "arrivals")]
    pub(crate) rate: Option<f64>,
    /// Space arrivals evenly instead of at random
    #[arg(long, requires = "arrivals")]
    pub(crate) even: bool,
    /// Rates in sequence, each with its seconds: 100:10,200:10
    #[arg(long, value_name = "RATE:SECONDS,…", value_delimiter = ',', value_parser = step, group = "arrivals")]
    pub(crate) steps: Vec<(f64, f64)>,
    /// The measured time [default: 10s, or as long as --transactions or --iterations take]
    #[arg(long, value_name = "DURATION", value_parser = positive_duration)]
    pub(crate) duration: Option<Duration>,
    /// End after this many transactions, all users together, without a warm-up by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) transactions: Option<u64>,
    /// End each user after this many transactions, without a warm-up
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) iterations: Option<u64>,
    /// Processes times users each, such as 4x4; each process has its own connections
    #[arg(long, value_name = "PxU", value_parser = layout, conflicts_with = "users")]
    pub(crate) layout: Option<(u32, u32)>,
    /// Run the processes of the layout on these agents, by turns: other machines where
    /// `duet bench agent` runs [default layout: a process for each]
    #[arg(long, value_name = "HOST:PORT,…", value_delimiter = ',', requires = "identity")]
    pub(crate) agents: Vec<AgentAddress>,
    /// The certificate of runs for the agents, with its key: runs.pem of `duet bench agent --init`
    #[arg(long, value_name = "FILE", requires = "agents")]
    pub(crate) identity: Option<PathBuf>,
    /// Start users one after the other over this time; in open runs, raise the rate over it
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "0s", conflicts_with = "steps")]
    pub(crate) ramp_up: Duration,
    /// Full load before the measured time, not counted [default: 2s; none with --transactions]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) warmup: Option<Duration>,
    /// Full load after the measured time, not counted
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "0s")]
    pub(crate) cooldown: Duration,
    /// Think time between a user's transactions: 50ms, or 20ms..100ms
    #[arg(long, value_name = "T..T", value_parser = range, default_value = "0ms")]
    pub(crate) think: [Duration; 2],
    /// Think time inside transactions, where their authors put it; excluded from all times
    #[arg(long, value_name = "T..T", value_parser = range, default_value = "0ms")]
    pub(crate) think_inside: [Duration; 2],
    /// Pacing: the time from start to start of a user's transactions
    #[arg(long, value_name = "DURATION", value_parser = duration, conflicts_with = "think")]
    pub(crate) pacing: Option<Duration>,
    /// Weights by short name: GET=80,PUT=20; other types are disabled
    #[arg(long, value_name = "TYPE=W,…", value_delimiter = ',', value_parser = weight)]
    pub(crate) mix: Vec<(String, f64)>,
    /// Types to disable, by short name
    #[arg(long, value_name = "TYPE,…", value_delimiter = ',')]
    pub(crate) disable: Vec<String>,
    /// A preset of weights, by name.
    #[arg(long, value_name = "NAME", conflicts_with = "mix", help = workloads::preset())]
    pub(crate) preset: Option<String>,
    /// Types to enable although the preset disables them, by short name
    #[arg(long, value_name = "TYPE,…", value_delimiter = ',')]
    pub(crate) enable: Vec<String>,
    /// The scale of the data, if there is no target; 1 is the data set's full size
    #[arg(long, value_name = "S", value_parser = positive, conflicts_with = "target")]
    pub(crate) scale: Option<f64>,
    /// The service for workloads that reach their database through a service; it serves the database's
    /// tables and functions below this URL [default: a server of the run's own]
    #[arg(long, value_name = "URL")]
    pub(crate) service: Option<String>,
    /// The seed of the random numbers: the same seed gives the same choices [default: 1; with
    /// --shared it is derived from this machine's name]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Keep every processor awake with a process of idle priority: with few users, processors fall
    /// asleep between requests, and waking them is part of each response time
    #[arg(long)]
    pub(crate) spinners: bool,
    /// Other load generators use the same server meanwhile, such as replicas of this run: skip the
    /// checks that need exclusive use, the ledger and the counts of rows
    #[arg(long)]
    pub(crate) shared: bool,
    /// A response that takes longer fails.
    #[arg(long, value_name = "DURATION", value_parser = positive_duration, help = workloads::timeout())]
    pub(crate) timeout: Option<Duration>,
    /// How long to follow transactions that were due in the measured time after its end, under load
    /// [default: the timeout]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) grace: Option<Duration>,
    /// The database behind a service, whose own figures are recorded and shown too: its sessions, transactions, blocks, waits
    #[arg(long, value_name = "DATABASE", env = "DUET_BENCH_OBSERVE", hide_env_values = true)]
    pub(crate) observe: Option<String>,
    /// A bearer token for the service
    #[arg(long, value_name = "TOKEN", env = "DUET_BENCH_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// A client of the service, ID:SECRET; preferably in the environment instead of the command
    /// line
    #[arg(long, value_name = "ID:SECRET", env = "DUET_BENCH_CLIENT", hide_env_values = true)]
    pub(crate) client: Option<String>,
    /// Where the client gets its token [default: oauth/token beside the resource]
    #[arg(long, value_name = "PATH", requires = "client")]
    pub(crate) token_path: Option<String>,
    /// The authority of an https service's certificate, a PEM file [default: the system's
    /// authorities]
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub(crate) cacert: Option<PathBuf>,
    /// Accept any certificate of an https service: its identity is not verified
    #[arg(long)]
    pub(crate) insecure: bool,
    /// The client's certificate with its chain for an https service, a PEM file
    #[arg(long, value_name = "FILE")]
    pub(crate) cert: Option<PathBuf>,
    /// Its key, a PEM file without a password [default: in the file of --cert]
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
    /// An HTTP proxy, http://HOST:PORT; its name and password come from DUET_BENCH_PROXY_LOGIN, as
    /// NAME:PASSWORD
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// Speak HTTP/2 with the service: chosen in the TLS handshake (ALPN), with http:// from the
    /// first byte on (prior knowledge)
    #[arg(long)]
    pub(crate) http2: bool,
    /// HTTP/2: how many users of a process share a connection [default: 1]
    #[arg(long, value_name = "N", requires = "http2", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) streams: Option<u32>,
    /// Read the counters of a service that is not Duet at this path, such as /metrics in Prometheus's
    /// format, for the ledger
    #[arg(long, value_name = "PATH")]
    pub(crate) metrics: Option<String>,
    /// Show the first request of each type as the run will send it, and send nothing; for workload
    /// files and plans of JMeter
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// A threshold that decides the exit code: p99<20ms, errors<1%, tps>=1000; may be given several
    /// times
    #[arg(long = "threshold", value_name = "LIMIT")]
    pub(crate) thresholds: Vec<Rule>,
    /// End the run once a threshold fails, judged each second from this much of the measured time on
    /// [default without a value: 10s]
    #[arg(long, value_name = "AFTER", value_parser = duration, num_args = 0..=1, require_equals = true, default_missing_value = "10s")]
    pub(crate) abort_on_fail: Option<Duration>,
    /// Give a value that all users share: a property of a plan of JMeter, or `${shared(NAME)}` of a
    /// workload file
    #[arg(short = 'J', value_name = "NAME=VALUE", value_parser = property)]
    pub(crate) properties: Vec<(String, String)>,
    /// Pass over an element of a plan of JMeter, by its name or its kind; may be given several times
    #[arg(long, value_name = "ELEMENT")]
    pub(crate) pass_over: Vec<String>,
    /// The largest percentage of failed transactions
    ///
    /// Above it, the exit code is 3. A --threshold on errors or failed replaces it.
    #[arg(long, value_name = "PERCENT", default_value = "1", value_parser = percent)]
    pub(crate) errors: f64,
    /// Columns of the lines: users,tpm,tps,errs,resp,vresp,trans,cpu,disk,dml,net,tottx,trem,pool
    ///
    /// Without it, a terminal shows a live view, and any other output gets lines with
    /// users,tpm,tps,errs,resp.
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    pub(crate) show: Vec<ConsoleColumn>,
    /// Show the report in a browser while the run goes on, and save it as report.html in the result's folder
    ///
    /// The page is at an address of this machine, which is printed at the start. It follows the run by
    /// server-sent events, and stays readable when the run has ended.
    #[arg(long)]
    pub(crate) live: bool,
    /// Send each second to a receiver of OpenTelemetry while the run goes on, such as
    /// http://127.0.0.1:4318
    ///
    /// OTLP over HTTP; the path is /v1/metrics unless the URL has one. Header fields come from
    /// OTEL_EXPORTER_OTLP_HEADERS.
    #[arg(long, value_name = "URL", value_parser = receiver)]
    pub(crate) otlp: Option<Url>,
    /// Send each second to a receiver of Prometheus' remote write while the run goes on, such as
    /// http://127.0.0.1:9090
    ///
    /// The path is /api/v1/write unless the URL has one. Header fields come from
    /// DUET_REMOTE_WRITE_HEADERS.
    #[arg(long, value_name = "URL", value_parser = receiver)]
    pub(crate) remote_write: Option<Url>,
    /// A name for the result in comparisons
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The folder of the result, which must not contain a run; {host} is replaced by this machine's
    /// name [default: duet-bench/WORKLOAD-TIME]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Write Swingbench's results.xml too; a number is added where the file exists
    #[arg(long, value_name = "FILE")]
    pub(crate) xml: Option<PathBuf>,
    /// Write every counted transaction as JMeter's JTL, which `jmeter -g` makes a report of
    #[arg(long, value_name = "FILE")]
    pub(crate) jtl: Option<PathBuf>,
    /// Write every counted transaction as Gatling's simulation.log
    #[arg(long, value_name = "FILE")]
    pub(crate) gatling: Option<PathBuf>,
    /// Print nothing but the summary
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Print the result as JSON instead of the summary
    #[arg(long)]
    pub(crate) json: bool,
    /// The workload's own options.
    #[command(flatten)]
    pub(crate) own: WorkloadFlags,
}

/// The end of the short help.
pub(in crate::args) fn run_examples() -> String {
    [RUN_EXAMPLES, RUN_ENDS].concat()
}

/// The end of the long help, which has an example for each workload.
pub(in crate::args) fn all_run_examples() -> String {
    format!("{RUN_EXAMPLES}{}{RUN_ENDS}", workloads::examples())
}

const RUN_EXAMPLES: &str = "\
Examples:
  duet bench run rest
  duet bench run rest --rate 500 --duration 30s --threshold 'response.p99<20ms'
  duet bench run rest --layout 4x4 --mix GET=80,PUT=20
  duet bench run https://api.example.com/orders --users 16 --duration 1m
  duet bench run http://127.0.0.1:8080/ords/hr/team http://127.0.0.1:8081/ords/hr/team
  duet bench run rest --users 1,2,4,8
  duet bench run --server 'old/duet demo --keep {data} --listen 127.0.0.1:0 --ready-file {ready}' \\
    --server 'new/duet demo --keep {data} --listen 127.0.0.1:0 --ready-file {ready}' --rounds 10
";

const RUN_ENDS: &str = "  duet bench run shop.toml --target sqlite:shop.db

Exit codes: 0 all is well; 1 it could not be measured; 2 wrong command line or file, or of several: one is \
slower; 3 a threshold failed, more than --errors percent failed, less than 99 % of the arrivals were begun in \
time, no answers, or a process was lost, and with --strict: a figure has no verdict; 4 counts or data do not \
agree; 130 stopped by Ctrl-C.";

pub(in crate::args) fn duration(text: &str) -> Result<Duration, String> {
    Duration::read(text)
}

/// A duration of something that has to last.
pub(in crate::args) fn positive_duration(text: &str) -> Result<Duration, String> {
    let read = Duration::read(text)?;
    if read.is_zero() { Err("use a duration above 0, such as 10s".into()) } else { Ok(read) }
}

fn receiver(text: &str) -> Result<Url, String> {
    text.parse()
}

fn range(text: &str) -> Result<[Duration; 2], String> {
    match text.split_once("..") {
        Some((from, to)) => {
            let (from, to) = (Duration::read(from)?, Duration::read(to)?);
            if from <= to {
                Ok([from, to])
            } else {
                Err("the first is longer than the second".into())
            }
        }
        None => Duration::read(text).map(|both| [both, both]),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    let fits = number.filter(|number| *number > 0.0 && *number <= 1e7);
    fits.ok_or_else(|| "use a number above 0 and up to 10000000".into())
}

fn step(text: &str) -> Result<(f64, f64), String> {
    let (rate, seconds) = text.split_once(':').ok_or("use RATE:SECONDS, such as 100:10")?;
    let number = |text| positive(text).map_err(|error| format!("RATE:SECONDS: {error}"));
    Ok((number(rate)?, number(seconds.trim_end_matches('s'))?))
}

pub(in crate::args) fn layout(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once(['x', 'X']);
    let numbers = parts.and_then(|(p, u)| Some((p.parse().ok()?, u.parse().ok()?)));
    match numbers {
        Some((processes, users))
            if (1..=256).contains(&processes) && (1..=100_000).contains(&users) =>
        {
            Ok((processes, users))
        }
        _ => Err("use processes times users, such as 4x4, up to 256x100000".into()),
    }
}

fn weight(text: &str) -> Result<(String, f64), String> {
    let wrong = "use TYPE=WEIGHT, such as GET=80; a weight is a number from 0 up to 1000000000";
    let (name, weight) = text.split_once('=').ok_or(wrong)?;
    let number: Option<f64> = weight.parse().ok();
    let number = number.filter(|number| (0.0..=1e9).contains(number));
    Ok((name.trim().to_owned(), number.ok_or(wrong)?))
}

/// A value by its name.
fn property(text: &str) -> Result<(String, String), String> {
    let given = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = given.ok_or("a value is NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}
