//! Times from several options of charbench together.

use std::ffi::OsString;

use duet_bench::swingbench::seconds;

/// Times from several options together.
#[derive(Default)]
pub(super) struct Times {
    pub(super) inside: [Option<u64>; 2],
    pub(super) between: [Option<u64>; 2],
    /// Between the logons of two users.
    pub(super) logon: Option<u64>,
    /// Users that log on together; 0 is 1.
    pub(super) group: u64,
    pub(super) run: Option<u64>,
    pub(super) begin: Option<u64>,
    pub(super) end: Option<u64>,
}

impl Times {
    pub(super) fn take(&mut self, option: &str, value: &str) -> Result<(), String> {
        let place = match option {
            "-min" => &mut self.inside[0],
            "-max" => &mut self.inside[1],
            "-intermin" => &mut self.between[0],
            "-intermax" => &mut self.between[1],
            "-ld" => &mut self.logon,
            "-rt" => &mut self.run,
            "-bs" => &mut self.begin,
            _ => &mut self.end,
        };
        let read = match option {
            "-rt" | "-bs" | "-be" => seconds(value),
            _ => value.parse().ok(),
        };
        *place = Some(read.ok_or_else(|| {
            format!("{option} {value}: use milliseconds for think times and -ld, hh:mm.ss for the others")
        })?);
        Ok(())
    }

    pub(super) fn write(&self, users: Option<u32>, ours: &mut Vec<OsString>) {
        let mut push = |option: &str, value: String| {
            if !has(ours, option) {
                ours.push(option.into());
                ours.push(value.into());
            }
        };
        for (option, [from, to]) in [("--think-inside", self.inside), ("--think", self.between)] {
            if from.is_some() || to.is_some() {
                let from = from.unwrap_or(0);
                push(option, format!("{from}ms..{}ms", to.unwrap_or(from).max(from)));
            }
        }
        if let (Some(delay), Some(users)) = (self.logon.filter(|delay| *delay > 0), users) {
            // The last of the users starts after this time.
            let groups = u64::from(users).div_ceil(self.group.max(1));
            push("--ramp-up", format!("{}ms", delay.saturating_mul(groups.saturating_sub(1))));
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

/// Whether an option is among these words.
pub(super) fn has(words: &[OsString], option: &str) -> bool {
    let is_it = |word: &str| {
        word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    words.iter().filter_map(|word| word.to_str()).any(is_it)
}
