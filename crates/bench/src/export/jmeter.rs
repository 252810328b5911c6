//! JMeter's two files. A result keeps no samples, so the JTL has one line for each second and type
//! of the measured window: the mean time as `elapsed`, and how many it stands for in `SampleCount`,
//! which is JMeter's own column for such lines. Counts, rates and means come out right in its
//! listeners; percentiles of such a file are those of means. The true ones stand in statistics.json.

use hdrhistogram::Histogram;
use serde_json::{Map, Value, json};

use super::csv::line;
use crate::result::{RunResult, Second};

const HEAD: &str = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect,SampleCount,ErrorCount\n";

/// The label of failures whose type was not kept.
const UNKNOWN: &str = "failed";

/// The JTL: a line per second and type, and one more where some of them failed.
pub fn jtl(result: &RunResult) -> String {
    let mut text = HEAD.to_owned();
    for second in result.measured() {
        let at = result.started_ms() + second.at_s as i64 * 1000;
        for (place, kind) in result.types.iter().enumerate() {
            let mean = second.mean_us_by_type.get(place).copied().unwrap_or_default();
            let completed = second.by_type.get(place).copied().unwrap_or_default();
            let row = Line { at, mean_us: mean, label: &kind.name, result, second };
            row.print(&mut text, completed, true);
            let failed = second.failed_by_type.get(place).copied().unwrap_or_default();
            row.print(&mut text, failed, false);
        }
        if second.failed_by_type.is_empty() {
            let mean_us = second.service.mean_us;
            let row = Line { at, mean_us, label: UNKNOWN, result, second };
            row.print(&mut text, second.failed, false);
        }
    }
    text
}

struct Line<'a> {
    at: i64,
    mean_us: f64,
    label: &'a str,
    result: &'a RunResult,
    second: &'a Second,
}

impl Line<'_> {
    /// How long failed ones took is not kept; they get the mean of those that did not fail.
    fn print(&self, text: &mut String, count: u64, success: bool) {
        if count == 0 {
            return;
        }
        let totals = &self.result.totals;
        let done = (totals.completed + totals.failed).max(1) as f64;
        let share = |bytes: u64| ((bytes as f64 / done) * count as f64).round().to_string();
        let ms = (self.mean_us / 1e3).round().to_string();
        text.push_str(&line(&[
            self.at.to_string(),
            ms.clone(),
            self.label.to_owned(),
            if success { "200" } else { "500" }.into(),
            if success { "OK" } else { "failed" }.into(),
            format!("{} 1-1", self.result.workload),
            "text".into(),
            success.to_string(),
            String::new(),
            share(self.result.totals.received_bytes),
            share(self.result.totals.sent_bytes),
            self.second.users.to_string(),
            self.second.users.to_string(),
            self.result.target.address.clone(),
            ms,
            "0".into(),
            "0".into(),
            count.to_string(),
            if success { 0 } else { count }.to_string(),
        ]));
    }
}

/// statistics.json of JMeter's dashboard: a row per type and `Total`, times in milliseconds of those
/// that did not fail.
pub fn statistics(result: &RunResult) -> String {
    let mut rows = Map::new();
    let types = result.types.iter().map(|kind| {
        let times = kind.histogram(false).unwrap_or_else(|_| crate::record::histogram());
        (&*kind.name, times, kind.completed, kind.failed)
    });
    let mut all = crate::record::histogram();
    for (name, times, completed, failed) in types {
        let _ = all.add(&times);
        rows.insert(name.to_owned(), row(result, name, &times, [completed, failed]));
    }
    let totals = [result.totals.completed, result.totals.failed];
    rows.insert("Total".into(), row(result, "Total", &all, totals));
    let mut text = serde_json::to_string_pretty(&rows).unwrap_or_default();
    text.push('\n');
    text
}

fn row(
    result: &RunResult,
    name: &str,
    times: &Histogram<u64>,
    [completed, failed]: [u64; 2],
) -> Value {
    let ms = |micros: f64| micros / 1e3;
    let at = |quantile: f64| ms(times.value_at_quantile(quantile) as f64);
    let seconds = result.window.measured_s.max(f64::MIN_POSITIVE);
    let samples = completed + failed;
    let share = samples as f64 / (result.totals.completed + result.totals.failed).max(1) as f64;
    let kilobytes = |bytes: u64| bytes as f64 * share / 1024.0 / seconds;
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
        "throughput": samples as f64 / seconds,
        "receivedKBytesPerSec": kilobytes(result.totals.received_bytes),
        "sentKBytesPerSec": kilobytes(result.totals.sent_bytes),
    })
}

#[cfg(test)]
mod tests {
    use crate::example::Example;

    use super::*;

    #[test]
    fn lines_stand_for_what_they_say() {
        let result = Example::default().build();
        let text = jtl(&result);
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|it| it.split(',').collect()).collect();
        assert!(rows.iter().all(|row| row.len() == HEAD.split(',').count()));
        let sum = |column: usize, success: &str| -> u64 {
            let rows = rows.iter().filter(|row| row[7] == success);
            rows.map(|row| row[column].parse::<u64>().unwrap()).sum()
        };
        assert_eq!(sum(17, "true"), result.totals.completed);
        assert_eq!((sum(17, "false"), sum(18, "false"), sum(18, "true")), (3, 3, 0));
        assert_eq!(rows[0][0], "1767225608000");
        let mut older = result;
        older.seconds.iter_mut().for_each(|second| second.failed_by_type.clear());
        assert_eq!(jtl(&older).lines().filter(|line| line.contains(",failed,500,")).count(), 3);
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
