//! JMeter's two files. A result keeps no samples, so a line of the JTL represents many, as in
//! JMeter's statistical mode: `SampleCount` is their number, and `elapsed` the sum of their times,
//! by which its listeners divide (`Calculator` and `StatCalculator` of JMeter 5.6). Counts, rates,
//! means and bytes are exact there; percentiles are those of means, also in its dashboard (`jmeter
//! -g`), which takes every line for one sample. The true ones are in statistics.json.

use std::io::{self, Write};

use duet_verdict::result::{RunResult, Second};
use hdrhistogram::Histogram;
use serde_json::{Map, Value, json};

use super::csv::line;

/// JMeter requires this order of columns: with any other, it takes the header for data
/// (`CSVSaveService.splitHeader`).
const HEAD: &str = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,SampleCount,ErrorCount,IdleTime,Connect\n";

/// The label of failures without a known type.
const UNKNOWN: &str = "failed";

/// The largest sum of a line, in ms, unless its one transaction took longer: JMeter's rates run
/// from the first line's start to the last one's end.
const LONGEST_MS: f64 = 1e3;

/// Writes the JTL: lines for each second and type, and more if some of them failed. A long run has
/// many lines, so each is written at once.
///
/// # Errors
/// If it cannot be written.
pub fn jtl(result: &RunResult, out: &mut impl Write) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    for second in result.measured() {
        let at = result.started_ms() + second.at_s as i64 * 1000;
        for (place, kind) in result.types.iter().enumerate() {
            let mean = second.mean_us_by_type.get(place).copied().unwrap_or_default();
            let completed = second.by_type.get(place).copied().unwrap_or_default();
            let row = Row { at, mean_us: mean, label: &kind.name, result, second };
            row.print(out, completed, true)?;
            let failed = second.failed_by_type.get(place).copied().unwrap_or_default();
            row.print(out, failed, false)?;
        }
        if second.failed_by_type.is_empty() {
            let mean_us = second.service.mean_us;
            let row = Row { at, mean_us, label: UNKNOWN, result, second };
            row.print(out, second.failed, false)?;
        }
    }
    Ok(())
}

/// The counts of one type in one second.
struct Row<'a> {
    at: i64,
    mean_us: f64,
    label: &'a str,
    result: &'a RunResult,
    second: &'a Second,
}

impl Row<'_> {
    /// Enough lines that none is longer than a second, unless its transactions are. The times of
    /// failed ones are unknown; they get the mean of the successful ones.
    fn print(&self, out: &mut impl Write, count: u64, success: bool) -> io::Result<()> {
        let sum_ms = self.mean_us * count as f64 / 1e3;
        let lines = ((sum_ms / LONGEST_MS).ceil() as u64).clamp(1, count.max(1));
        let totals = &self.result.totals;
        let done = (totals.completed + totals.failed).max(1) as f64;
        let (received, sent) =
            (totals.received_bytes as f64 / done, totals.sent_bytes as f64 / done);
        // Each line ends where the next one begins, so that rounding loses nothing.
        let until = |line: u64| count * line / lines;
        for line in 0..lines {
            let (from, to) = (until(line) as f64, until(line + 1) as f64);
            let part = |each: f64| ((each * to).round() - (each * from).round()) as u64;
            let whole = Line {
                count: until(line + 1) - until(line),
                elapsed_ms: part(self.mean_us / 1e3),
                received: part(received),
                sent: part(sent),
                success,
            };
            if whole.count > 0 {
                self.line(out, &whole)?;
            }
        }
        Ok(())
    }

    fn line(&self, out: &mut impl Write, it: &Line) -> io::Result<()> {
        let elapsed = it.elapsed_ms.to_string();
        // It began in its second, or before it if it took longer.
        let before = it.elapsed_ms.saturating_sub(LONGEST_MS as u64);
        let began = self.at - i64::try_from(before).unwrap_or_default();
        let word = if it.success { "OK" } else { "failed" };
        let text = line(&[
            began.to_string(),
            elapsed.clone(),
            self.label.to_owned(),
            if it.success { "200" } else { "500" }.into(),
            format!("{word}; elapsed is the sum of SampleCount transactions"),
            format!("{} 1-1", self.result.workload),
            "text".into(),
            it.success.to_string(),
            String::new(),
            it.received.to_string(),
            it.sent.to_string(),
            self.second.users.to_string(),
            self.second.users.to_string(),
            self.result.target.address.clone(),
            elapsed,
            it.count.to_string(),
            if it.success { 0 } else { it.count }.to_string(),
            "0".into(),
            "0".into(),
        ]);
        out.write_all(text.as_bytes())
    }
}

/// The varying columns of a line.
struct Line {
    count: u64,
    elapsed_ms: u64,
    received: u64,
    sent: u64,
    success: bool,
}

/// statistics.json of JMeter's dashboard: a row per type and `Total`, with the times of successful
/// transactions in milliseconds.
pub fn statistics(result: &RunResult) -> String {
    let mut rows = Map::new();
    let mut all = duet_verdict::times::histogram();
    for kind in &result.types {
        let times = kind.histogram(false).unwrap_or_else(|_| duet_verdict::times::histogram());
        let _ = all.add(&times);
        let ended = kind.completed_in_window + kind.failed_in_window;
        let counts = [kind.completed, kind.failed, ended];
        rows.insert(kind.name.clone(), row(result, &kind.name, &times, counts));
    }
    let totals = &result.totals;
    let ended = totals.completed_in_window + totals.failed_in_window;
    let counts = [totals.completed, totals.failed, ended];
    rows.insert("Total".into(), row(result, "Total", &all, counts));
    let mut text = serde_json::to_string_pretty(&rows).unwrap_or_default();
    text.push('\n');
    text
}

fn row(
    result: &RunResult,
    name: &str,
    times: &Histogram<u64>,
    [completed, failed, ended]: [u64; 3],
) -> Value {
    let ms = |micros: f64| micros / 1e3;
    let at = |quantile: f64| ms(times.value_at_quantile(quantile) as f64);
    let seconds = result.window.measured_s.max(f64::MIN_POSITIVE);
    let samples = completed + failed;
    // Bytes cover transactions due in the window, rates those that ended in it.
    let due = (result.totals.completed + result.totals.failed).max(1) as f64;
    let is_counted = result.lost_figures().is_none();
    let kilobytes =
        |bytes: u64| is_counted.then(|| bytes as f64 / due * ended as f64 / 1024.0 / seconds);
    let lowest = if times.is_empty() { 0 } else { times.min() };
    json!({
        "transaction": name,
        "sampleCount": samples,
        "errorCount": failed,
        "errorPct": failed as f64 * 100.0 / samples.max(1) as f64,
        "meanResTime": if times.is_empty() { 0.0 } else { ms(times.mean()) },
        "medianResTime": at(0.5),
        "minResTime": ms(lowest as f64),
        "maxResTime": ms(times.max() as f64),
        "pct1ResTime": at(0.9),
        "pct2ResTime": at(0.95),
        "pct3ResTime": at(0.99),
        "throughput": ended as f64 / seconds,
        "receivedKBytesPerSec": kilobytes(result.totals.received_bytes),
        "sentKBytesPerSec": kilobytes(result.totals.sent_bytes),
    })
}

#[cfg(test)]
mod tests {
    use crate::example::Example;

    use super::*;

    fn text_of(result: &RunResult) -> String {
        let mut text = Vec::new();
        jtl(result, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_full_disk_is_reported() {
        let mut little = [0; 300];
        let written = jtl(&Example::default().build(), &mut little.as_mut_slice());
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::WriteZero);
    }

    #[test]
    fn lines_represent_their_sample_counts() {
        let result = Example::default().build();
        let text = text_of(&result);
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|it| it.split(',').collect()).collect();
        assert!(rows.iter().all(|row| row.len() == HEAD.split(',').count()));
        let sum = |column: usize, success: &str| -> u64 {
            let rows = rows.iter().filter(|row| row[7] == success);
            rows.map(|row| row[column].parse::<u64>().unwrap()).sum()
        };
        assert_eq!(sum(15, "true"), result.totals.completed_in_window);
        assert_eq!((sum(15, "false"), sum(16, "false"), sum(16, "true")), (3, 3, 0));
        assert_eq!(rows[0][0], "1767225608000");
        assert_eq!(HEAD.split(',').nth(15), Some("SampleCount"));
        // The sum of all lines is the total time, and no line is longer than its second.
        let seconds = result.measured().map(|second| {
            let by_type = second.by_type.iter().zip(&second.mean_us_by_type);
            by_type.map(|(count, mean)| *count as f64 * mean / 1e3).sum::<f64>()
        });
        let took: f64 = seconds.sum();
        let lines = rows.len() as f64;
        assert!((sum(1, "true") as f64 - took).abs() <= lines, "{took}");
        assert!(rows.iter().all(|row| row[1].parse::<u64>().unwrap() <= 1000));
        let mut older = result;
        older.seconds.iter_mut().for_each(|second| second.failed_by_type.clear());
        assert_eq!(text_of(&older).lines().filter(|line| line.contains(",failed,500,")).count(), 3);
    }

    #[test]
    fn a_second_of_many_users_is_several_lines() {
        let result = Example::default().build();
        let second = Second { users: 8, ..Second::default() };
        let row =
            Row { at: 5_000, mean_us: 2_500.5, label: "Pay", result: &result, second: &second };
        let printed = |row: &Row<'_>, count| {
            let mut text = Vec::new();
            row.print(&mut text, count, true).unwrap();
            let text = String::from_utf8(text).unwrap();
            let of = |line: &str, column: usize| line.split(',').nth(column).unwrap().to_owned();
            text.lines()
                .map(|line| [0, 1, 15].map(|column| of(line, column).parse::<i64>().unwrap()))
                .collect::<Vec<_>>()
        };
        assert_eq!(printed(&row, 999), [[5_000, 833, 333], [5_000, 832, 333], [5_000, 833, 333]]);
        assert!(printed(&row, 0).is_empty());
        // Slower than a second: a line each, with an earlier start.
        let slow = Row { mean_us: 2.5e6, ..row };
        assert_eq!(printed(&slow, 2), [[3_500, 2_500, 1], [3_500, 2_500, 1]]);
    }

    #[test]
    fn a_row_for_each_type_and_the_total() {
        let result = Example::default().build();
        let rows: Value = serde_json::from_str(&statistics(&result)).unwrap();
        let total = &rows["Total"];
        assert_eq!(total["sampleCount"], result.totals.completed + 3);
        assert_eq!((&total["errorCount"], rows.as_object().unwrap().len()), (&json!(3), 4));
        let p95 = total["pct2ResTime"].as_f64().unwrap();
        assert!((p95 - result.totals.service.p95_us as f64 / 1e3).abs() < 1e-6);
        assert_eq!(rows["Payment"]["transaction"], "Payment");
    }
}
