//! Reads the command lines of charbench: its options have one dash and several letters, so they are
//! replaced before the command line is parsed. A program called `charbench`, such as a link to this
//! one, takes them alone; `duet bench run` takes them beside its own.

mod configuration;
mod given;
mod options;
mod target;
mod times;
mod wallet;

use std::ffi::OsString;
use std::path::Path;

use given::{Given, Known};
use options::{Meaning, OPTIONS};

/// The name of the program whose command lines are read.
const CHARBENCH: &str = "charbench";
/// The file of results that charbench writes if none is named.
const RESULTS: &str = "results.xml";

/// The help of charbench, where a program of that name is asked for it.
pub(crate) fn help(arguments: &[OsString]) -> Option<String> {
    let name = arguments.first().map(Path::new).and_then(Path::file_stem);
    let is_asked = arguments.iter().skip(1).any(|word| word == "-h" || word == "--help");
    let is_program = name.is_some_and(|name| name == CHARBENCH);
    let has_options =
        arguments.get(1).is_some_and(|first| first.as_encoded_bytes().starts_with(b"-"));
    (is_program && has_options && is_asked).then(options::help)
}

/// The command line in Duet's options; other arguments stay as they are.
///
/// # Errors
/// If an option has no meaning here, or its value cannot be parsed.
pub(crate) fn translate(arguments: Vec<OsString>) -> Result<Vec<OsString>, String> {
    let name = arguments.first().map(Path::new).and_then(Path::file_stem);
    // Processes that a run starts have commands: a copy of the program may have that name too.
    let has_options =
        arguments.get(1).is_none_or(|first| first.as_encoded_bytes().starts_with(b"-"));
    let is_charbench = has_options && name.is_some_and(|name| name == CHARBENCH);
    let is_run =
        arguments.iter().skip(1).map(|a| a.to_str()).take(2).eq([Some("bench"), Some("run")]);
    let skipped = match (is_charbench, is_run) {
        (true, _) => 1,
        (false, true) => 3,
        (false, false) => return Ok(arguments),
    };
    let mut given = Given::default();
    let mut rest = arguments.into_iter().skip(skipped);
    while let Some(argument) = rest.next() {
        let text = argument.to_str().unwrap_or_default();
        match OPTIONS.iter().find(|(theirs, _)| *theirs == text) {
            // The short help is of this program.
            Some(("-h", _)) if !is_charbench => given.ours.push(argument),
            Some((option, meaning)) => given.take(option, *meaning, &mut rest)?,
            None if is_charbench && text.starts_with('-') && !text.starts_with("--") => {
                return Err(format!("{text} is no option of charbench that is known here"));
            }
            None => given.ours.push(argument),
        }
    }
    given.command_line(is_charbench)
}

impl Given {
    fn take(
        &mut self,
        option: &'static str,
        meaning: Meaning,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<(), String> {
        let mut value = || {
            let value = rest.next().ok_or_else(|| format!("{option} needs a value"))?;
            value.into_string().map_err(|_| format!("{option}: the value is not UTF-8"))
        };
        match meaning {
            Meaning::Always => {}
            Meaning::Switch("--version") => self.is_version = true,
            Meaning::Switch(ours) => self.ours.push(ours.into()),
            Meaning::Value(ours) => {
                let value = value()?;
                self.ours.extend([ours.into(), value.into()]);
            }
            Meaning::RefusedSwitch(instead) | Meaning::RefusedValue(instead) => {
                return Err(format!("{option} has no meaning here: {instead}"));
            }
            Meaning::Joint if option == "-nr" => self.no_results = true,
            Meaning::Joint => self.join(option, value()?)?,
        }
        Ok(())
    }

    fn join(&mut self, option: &str, value: String) -> Result<(), String> {
        match option {
            "-c" => self.known = Some(Known::find(&value)?),
            "-cs" => self.target.connect = Some(value),
            "-cf" => self.target.certificates = Some(value),
            "-u" => self.target.user = Some(value),
            "-p" => self.target.password = Some(value),
            "-r" => self.results = Some(value),
            // The database's own protocol is used, without a client library.
            "-dt" if value == "thin" => {}
            "-dt" => {
                return Err(format!("-dt {value} has no meaning here: leave it out, or give thin"));
            }
            "-uc" => {
                let users = value.parse().map_err(|_| format!("-uc {value}: use a number"))?;
                self.users = Some(users);
            }
            // Whole distributions are in every result.
            "-stats" if ["simple", "full"].contains(&&*value) => {}
            "-ot" if value == "std" => {}
            "-ot" if value == "json" => self.ours.push("--json".into()),
            "-stats" => return Err(format!("-stats {value}: use simple or full")),
            "-ot" => return Err(format!("-ot {value}: use std or json")),
            _ => self.times.take(option, &value)?,
        }
        Ok(())
    }

    fn command_line(mut self, is_charbench: bool) -> Result<Vec<OsString>, String> {
        if self.is_version {
            return Ok(vec!["duet".into(), "--version".into()]);
        }
        let is_help = self.ours.iter().any(|word| word == "--help");
        if is_charbench && self.known.is_none() && !is_help {
            return Err("-c names the configuration, such as -c configs/SOE_Client_Side.xml".into());
        }
        if is_charbench && !self.no_results && !is_help {
            self.results.get_or_insert_with(|| RESULTS.to_owned());
        }
        if let Some(known) = self.known.take() {
            self.workload = Some(known.workload);
            known.complete(&mut self)?;
        }
        let mut line: Vec<OsString> = ["duet", "bench", "run"].map(OsString::from).into();
        line.extend(self.workload.map(OsString::from));
        let target = self.target.text()?;
        let options = [
            ("--target", target),
            ("--users", self.users.map(|users| users.to_string())),
            ("--xml", self.results),
        ];
        line.append(&mut self.ours);
        for (option, value) in options {
            line.extend(value.into_iter().flat_map(|value| [option.into(), value.into()]));
        }
        self.times.write(self.users, &mut line);
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(line: &str) -> Result<String, String> {
        let ours = translate(line.split(' ').map(OsString::from).collect())?;
        Ok(ours.iter().map(|a| a.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn options_of_charbench() {
        let line =
            "duet bench run soe-client -uc 16 -a -v users,tpm,tps -mt 100000 -mr -min 0 -max 10";
        let expected = "duet bench run soe-client --show users,tpm,tps --transactions 100000 --users 16 --think-inside 0ms..10ms";
        assert_eq!(translated(line).as_deref(), Ok(expected));
        let line = "duet bench run rest -rt 0:0.30 -bs 0:0.5 -be 0:0.25 -uc 4 -ld 100";
        let expected = "duet bench run rest --users 4 --ramp-up 300ms --warmup 5s --duration 20s --cooldown 5s";
        assert_eq!(translated(line).as_deref(), Ok(expected));
        for line in ["duet serve -v", "duet bench run rest -J a=b -q --out x"] {
            assert_eq!(translated(line).as_deref(), Ok(line));
        }
        assert!(translated("duet bench run rest -rt soon").is_err());
        assert!(translated("duet bench run rest -uc").is_err());
    }

    /// The command lines of the published report.
    #[test]
    fn published_command_lines() {
        let line = "charbench -cs //db:1521/pdb1 -c configs/SOE_Client_Side.xml -u soe -p pw -uc 16 -a -v users,tpm,tps,cpu,disk -mt 100000 -mr";
        let expected = "duet bench run soe-client --show users,tpm,tps,cpu,disk --transactions 100000 --target host=db port=1521 dbname=pdb1 user=soe password=pw --users 16 --xml results.xml";
        assert_eq!(translated(line).as_deref(), Ok(expected));
        let line = "/opt/bin/charbench -c configs/TPCDS_Like_Workload.xml -cs //db/d -r x.xml -nr";
        let expected = "duet bench run retail --target host=db dbname=d --xml x.xml";
        assert_eq!(translated(line).as_deref(), Ok(expected));
        assert_eq!(translated("charbench -ver").as_deref(), Ok("duet --version"));
        assert_eq!(translated("charbench -h").as_deref(), Ok("duet bench run --help"));
    }

    #[test]
    fn options_without_a_meaning_are_refused_by_name() {
        for (option, meaning) in OPTIONS {
            let (Meaning::RefusedSwitch(instead) | Meaning::RefusedValue(instead)) = meaning else {
                continue;
            };
            let line = format!("charbench -c SOE_Client_Side.xml {option} x");
            let expected = format!("{option} has no meaning here: {instead}");
            assert_eq!(translated(&line), Err(expected));
        }
        for (line, said) in [
            ("charbench -cs //h/d", "-c names the configuration"),
            ("charbench -c SOE_Client_Side.xml -zz", "-zz is no option of charbench"),
            ("charbench -c SOE_Client_Side.xml -stats most", "use simple or full"),
            ("charbench -c SOE_Client_Side.xml -uc many", "-uc many: use a number"),
        ] {
            let error = translated(line).unwrap_err();
            assert!(error.contains(said), "{line}: {error}");
        }
    }
}
