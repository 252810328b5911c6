//! Flags of other programs, and their names here.

use std::ffi::OsString;

use clap::FromArgMatches as _;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use super::wrong_values::with_all;
use super::{Cli, command, credentials};

/// Parses the command line; prints the error of an invalid one and ends the program.
pub(crate) fn parse(typed: &[OsString]) -> Cli {
    try_parse(typed).unwrap_or_else(|error| {
        let all = with_all(error, typed, |words| try_parse(words).err());
        hinted(all, typed).exit()
    })
}

fn try_parse(typed: &[OsString]) -> Result<Cli, Error> {
    let matches = command().try_get_matches_from(typed)?;
    let settled = credentials::settled(command(), matches, typed);
    let matches = settled.map_err(|error| error.format(&mut command()))?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command()))
}

/// The error of an unknown flag with the intended flag, if its name here is quite different: the
/// parser only suggests similar names.
fn hinted(mut error: Error, typed: &[OsString]) -> Error {
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let flag = flag.split('=').next().unwrap_or_default();
    let is_bench = typed.iter().any(|word| word == "bench");
    let Some(meant) = meant(flag, &value_of(flag, typed), is_bench) else { return error };
    error.remove(ContextKind::SuggestedArg);
    // The suggested flag was given.
    error.remove(ContextKind::Usage);
    let tip = format!("use '{meant}'").into();
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    error
}

/// The argument after a flag.
fn value_of(flag: &str, typed: &[OsString]) -> String {
    let words: Vec<_> = typed.iter().map(|word| word.to_string_lossy()).collect();
    let joined = words.iter().find_map(|word| word.strip_prefix(flag)?.strip_prefix('='));
    let next = || {
        let at = words.iter().position(|word| word == flag)?;
        words.get(at + 1).map(|word| &**word).filter(|word| !word.starts_with('-'))
    };
    joined.or_else(next).unwrap_or_default().to_owned()
}

fn meant(flag: &str, value: &str, is_bench: bool) -> Option<String> {
    let or = |usual: &str| if value.is_empty() { usual.to_owned() } else { value.to_owned() };
    Some(match (flag, is_bench) {
        ("--port", false) => format!("--listen 127.0.0.1:{}", or("8080")),
        ("--host" | "--bind" | "--address", false) => match value.contains(':') {
            true => format!("--listen {value}"),
            false => format!("--listen {}:8080", or("127.0.0.1")),
        },
        ("--vus" | "--virtual-users" | "--clients" | "--concurrency" | "--connections", true) => {
            format!("--users {}", or("N"))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_other_programs() {
        for (line, tip) in [
            ("duet serve a.db --port 9000", "use '--listen 127.0.0.1:9000'"),
            ("duet demo --port=9000", "use '--listen 127.0.0.1:9000'"),
            ("duet demo --port", "use '--listen 127.0.0.1:8080'"),
            ("duet demo --host 0.0.0.0", "use '--listen 0.0.0.0:8080'"),
            ("duet bench run rest --vus 5", "use '--users 5'"),
            ("duet bench run rest --vus --even", "use '--users N'"),
        ] {
            let typed: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let message = hinted(try_parse(&typed).unwrap_err(), &typed).to_string();
            assert!(message.contains(tip), "{line}: {message}");
            for wrong in ["--projections", "-- --"] {
                assert!(!message.contains(wrong), "{line}: {message}");
            }
        }
        let similar = ["duet", "serve", "--listn", "x"].map(OsString::from);
        let message = hinted(try_parse(&similar).unwrap_err(), &similar).to_string();
        assert!(message.contains("--listen"), "{message}");
    }
}
