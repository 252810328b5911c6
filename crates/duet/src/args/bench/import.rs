//! The command line of `duet bench import`.

use std::path::PathBuf;

use clap::Args;

/// Make a workload file of OpenAPI, HAR, Postman or pgbench; check a plan of JMeter
///
/// An OpenAPI document in JSON or YAML: its operations with example values, keys from the pages that
/// list them. A recording of a browser (HAR) and a collection of Postman: their requests in order.
/// Scripts of pgbench: each is a type of transactions. The first request of each type is shown as the
/// run will send it; nothing is sent. What cannot be taken ends the command with exit code 2 and names
/// each construct with its line. Plans of JMeter run as they are, by `duet bench run plan.jmx`: here
/// they are checked alone.
#[derive(Debug, Args)]
#[command(after_help = ENDS)]
pub(crate) struct BenchImport {
    /// A document, a plan, or a script of pgbench, with its weight after an @
    #[arg(value_name = "FILE", required_unless_present = "scripts")]
    pub(crate) files: Vec<String>,
    /// A script of pgbench with its weight, as pgbench has it; may be repeated
    #[arg(short = 'f', long = "file", value_name = "FILE[@WEIGHT]", conflicts_with = "files")]
    pub(crate) scripts: Vec<String>,
    /// Scripts of pgbench: the value of :scale
    #[arg(short = 's', long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    pub(crate) scale: Option<i64>,
    /// Scripts of pgbench: the value of a variable, a whole number
    #[arg(short = 'D', long = "define", value_name = "NAME=VALUE", value_parser = constant)]
    pub(crate) constants: Vec<(String, i64)>,
    /// Leave out what cannot be taken, by name: an operation (its id, or as in "PUT /a"), a request, a
    /// folder or kind of script of Postman, an element of JMeter; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) pass_over: Vec<String>,
    /// The file to write, which must not exist; by default standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

fn constant(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("a variable is NAME=VALUE")?;
    if name.is_empty() {
        return Err("the variable has no name".to_owned());
    }
    let value = value.parse().map_err(|_| "the value is not a whole number".to_owned())?;
    Ok((name.to_owned(), value))
}

const ENDS: &str = "\
Examples:
  duet bench import openapi.json --out api.toml
  duet bench import -f transfer.sql@3 -f report.sql@1 -s 10 --out bank.toml

Exit codes: 0 the file was made; 1 it cannot be read or written; 2 wrong command line, or something cannot \
be taken.";
