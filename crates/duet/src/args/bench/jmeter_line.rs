//! JMeter's own command line: `-n -t plan.jmx -l run.jtl`.

use std::ffi::OsString;

/// The words of `duet bench run` for those that JMeter has; others stay as they are. `-n`, without a window, says
/// nothing here.
pub(crate) fn of_jmeter(words: Vec<OsString>) -> Vec<OsString> {
    let is_run =
        words.iter().skip(1).map(|word| word.to_str()).take(2).eq([Some("bench"), Some("run")]);
    let is_plan = |two: &[OsString]| {
        two[0] == "-t" && two[1].to_string_lossy().to_ascii_lowercase().ends_with(".jmx")
    };
    if !is_run || !words.windows(2).any(is_plan) {
        return words;
    }
    let mut out = Vec::new();
    for word in words {
        match word.to_str() {
            Some("-n" | "-t") => {}
            Some("-l") => out.push("--jtl".into()),
            _ => out.push(word),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_jmeter_is_one_of_a_run() {
        let of = |line: &str| {
            let words = of_jmeter(line.split(' ').map(OsString::from).collect());
            words
                .iter()
                .map(|word| word.to_string_lossy().into_owned())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            of("duet bench run -n -t a/p.jmx -l r.jtl -Jhost=h"),
            "duet bench run a/p.jmx --jtl r.jtl -Jhost=h"
        );
        for line in ["duet bench run bank -t x", "duet bench run a.jmx -q", "duet serve -t p.jmx"] {
            assert_eq!(of(line), line);
        }
    }
}
