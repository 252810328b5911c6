//! Compares a log of histograms with its result: merges read percentiles from the log, so it must hold what the result
//! counts.

use std::collections::BTreeMap;

use super::log::Kinds;
use super::{LogReader, RunResult, Second, log_tag};
use crate::times::{Damaged, count};

/// Checks that a log has the times of all transactions of each second of its result, and no others.
///
/// # Errors
/// The first second and type that differ, or why the log cannot be read.
pub fn compare_log(result: &RunResult, mut log: LogReader<'_>) -> Result<(), Damaged> {
    let tags: Vec<String> = result.types.iter().map(|kind| log_tag(&kind.short)).collect();
    for second in &result.seconds {
        let at = second.at_s;
        let kinds = match log.next_second()? {
            Some(next) if next < at => return Err(unknown(next)),
            Some(next) if next == at => log.take(at)?,
            _ => Kinds::new(),
        };
        compare(second, &tags, &kinds)?;
    }
    log.next_second()?.map_or(Ok(()), |next| Err(unknown(next)))
}

fn unknown(second: u64) -> Damaged {
    Damaged::new(&format!("it has the second {second}, which the result has not"))
}

fn compare(second: &Second, tags: &[String], kinds: &Kinds) -> Result<(), Damaged> {
    let mut counted: BTreeMap<&str, u64> = BTreeMap::new();
    for (tag, completed) in tags.iter().zip(&second.by_type) {
        *counted.entry(tag).or_default() += completed;
    }
    for tag in kinds.keys() {
        counted.entry(tag).or_default();
    }
    for (tag, completed) in counted {
        for (place, clock) in ["service", "response"].into_iter().enumerate() {
            let texts = kinds.get(tag).map_or(&[][..], |texts| &texts[place]);
            let logged: u64 = texts.iter().map(|text| count(text)).sum::<Result<_, _>>()?;
            if logged != completed {
                let at = second.at_s;
                let message = format!(
                    "second {at} has {logged} {clock} times of {tag}, and the result {completed}"
                );
                return Err(Damaged::new(&message));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{log_head, log_lines};
    use super::*;
    use crate::example::Example;
    use crate::times::histogram;

    /// A result and the lines of its log, in which every transaction takes as long as another.
    fn logged() -> (RunResult, Vec<String>) {
        let result = Example { measured_s: 5, ..Example::default() }.build();
        let mut lines: Vec<String> = log_head(0.0).lines().map(str::to_owned).collect();
        for second in &result.seconds {
            for (kind, completed) in result.types.iter().zip(&second.by_type) {
                let mut times = histogram();
                times.record_n(1_000, *completed).unwrap();
                let both = log_lines(second.at_s, &kind.short, &times, &times);
                lines.extend(both.lines().map(str::to_owned));
            }
        }
        (result, lines)
    }

    fn compared(result: &RunResult, lines: &[String]) -> Result<(), String> {
        let log = LogReader::new("log".into(), lines.iter().map(|line| Ok(line.clone())));
        compare_log(result, log).map_err(|error| error.to_string())
    }

    #[test]
    fn a_log_has_the_times_of_its_result() {
        let (result, lines) = logged();
        assert_eq!(compared(&result, &lines), Ok(()));
        // Each of them is a log that can be read.
        for line in 4..lines.len() {
            let mut without = lines.clone();
            without.remove(line);
            let why = compared(&result, &without).unwrap_err();
            assert!(why.contains("times of") && why.contains(" 0 "), "{why}");
        }
        let why = compared(&result, &lines[..4]).unwrap_err();
        assert!(why.starts_with("second 0 has 0 service times of NO, and the result "), "{why}");
        assert_eq!(compared(&result, &[]), Err(why));
        let mut shorter = result.clone();
        shorter.seconds.pop();
        let why = compared(&shorter, &lines).unwrap_err();
        assert_eq!(why, "it has the second 12, which the result has not");
        let mut more = lines;
        more.push(more[4].replace(",0.000,", ",99.000,"));
        let why = compared(&result, &more).unwrap_err();
        assert_eq!(why, "it has the second 99, which the result has not");
    }

    #[test]
    fn types_of_one_tag_are_compared_together() {
        let (mut result, lines) = logged();
        result.types[0].short = "A b".into();
        result.types[1].short = "A_b".into();
        let renamed =
            |line: &String| line.replace("Tag=NO", "Tag=A_b").replace("Tag=PA", "Tag=A_b");
        let lines: Vec<String> = lines.iter().map(renamed).collect();
        assert_eq!(compared(&result, &lines), Ok(()));
    }
}
