//! Translates the options of charbench, for existing scripts: they have one dash and several
//! letters, so they are replaced before the command line is parsed.

use std::ffi::OsString;

/// The replacement: `None` if the option has no value and no meaning here.
const OPTIONS: [(&str, Option<&str>); 16] = [
    ("-uc", Some("--users")),
    ("-mt", Some("--transactions")),
    ("-di", Some("--disable")),
    ("-v", Some("--show")),
    ("-r", Some("--out")),
    ("-com", Some("--name")),
    ("-cs", Some("--target")),
    ("-min", Some("")),
    ("-max", Some("")),
    ("-intermin", Some("")),
    ("-intermax", Some("")),
    ("-rt", Some("")),
    ("-bs", Some("")),
    ("-be", Some("")),
    ("-a", None),
    ("-mr", None),
];

/// The command line in Duet's options; other arguments stay as they are.
///
/// # Errors
/// If one of its times cannot be parsed.
pub(crate) fn translate(arguments: Vec<OsString>) -> Result<Vec<OsString>, String> {
    let is_run =
        arguments.iter().skip(1).map(|a| a.to_str()).take(2).eq([Some("bench"), Some("run")]);
    if !is_run {
        return Ok(arguments);
    }
    let mut ours = Vec::new();
    let mut times = Times::default();
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_str().unwrap_or_default();
        match OPTIONS.iter().find(|(theirs, _)| *theirs == text) {
            None => ours.push(argument),
            Some((_, None)) => {}
            Some((theirs, Some(option))) => {
                let value = rest.next().ok_or_else(|| format!("{theirs} needs a value"))?;
                if option.is_empty() {
                    times.take(theirs, &value.to_string_lossy())?;
                } else {
                    ours.push((*option).into());
                    ours.push(value);
                }
            }
        }
    }
    times.write(&mut ours);
    Ok(ours)
}

/// Times from several options together.
#[derive(Default)]
struct Times {
    inside: [Option<u64>; 2],
    between: [Option<u64>; 2],
    run: Option<u64>,
    begin: Option<u64>,
    end: Option<u64>,
}

impl Times {
    fn take(&mut self, option: &str, value: &str) -> Result<(), String> {
        let place = match option {
            "-min" => &mut self.inside[0],
            "-max" => &mut self.inside[1],
            "-intermin" => &mut self.between[0],
            "-intermax" => &mut self.between[1],
            "-rt" => &mut self.run,
            "-bs" => &mut self.begin,
            _ => &mut self.end,
        };
        let read = match option {
            "-rt" | "-bs" | "-be" => clock(value),
            _ => value.parse().ok(),
        };
        *place = Some(read.ok_or_else(|| {
            format!("{option} {value}: use milliseconds for think times, hh:mm.ss for the others")
        })?);
        Ok(())
    }

    fn write(&self, ours: &mut Vec<OsString>) {
        let mut push = |option: &str, value: String| {
            ours.push(option.into());
            ours.push(value.into());
        };
        for (option, [from, to]) in [("--think-inside", self.inside), ("--think", self.between)] {
            if from.is_some() || to.is_some() {
                let from = from.unwrap_or(0);
                push(option, format!("{from}ms..{}ms", to.unwrap_or(from).max(from)));
            }
        }
        let begin = self.begin.unwrap_or(0);
        if self.begin.is_some() || self.run.is_some() {
            push("--warmup", format!("{begin}s"));
        }
        if let Some(run) = self.run {
            let end = self.end.filter(|end| *end > 0).unwrap_or(run).min(run);
            push("--duration", format!("{}s", end.saturating_sub(begin)));
            push("--cooldown", format!("{}s", run - end));
        }
    }
}

/// `hh:mm` or `hh:mm.ss`, in seconds.
fn clock(text: &str) -> Option<u64> {
    let (hours, rest) = text.split_once(':')?;
    let (minutes, seconds) = rest.split_once('.').unwrap_or((rest, "0"));
    let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number < 10_000);
    Some(number(hours)? * 3600 + number(minutes)? * 60 + number(seconds)?)
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
        let expected = "duet bench run soe-client --users 16 --show users,tpm,tps --transactions 100000 --think-inside 0ms..10ms";
        assert_eq!(translated(line).as_deref(), Ok(expected));
        let line = "duet bench run rest -rt 0:0.30 -bs 0:0.5 -be 0:0.25";
        let expected = "duet bench run rest --warmup 5s --duration 20s --cooldown 5s";
        assert_eq!(translated(line).as_deref(), Ok(expected));
        assert_eq!(translated("duet serve -v").as_deref(), Ok("duet serve -v"));
        assert!(translated("duet bench run rest -rt soon").is_err());
        assert!(translated("duet bench run rest -uc").is_err());
    }
}
