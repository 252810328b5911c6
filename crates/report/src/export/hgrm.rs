//! HdrHistogram's percentile output (`.hgrm`), in milliseconds, for its plotters.

use duet_verdict::result::RunResult;
use hdrhistogram::Histogram;

/// Ticks per halved distance to 100 %, like other tools.
const TICKS: u32 = 5;

/// All types together: response times of an open run, service times of a closed one.
pub fn hgrm(result: &RunResult) -> String {
    let mut text = percentile_output(&result.histogram());
    let unfinished = result.unfinished(result.is_open()).len();
    if unfinished > 0 {
        // Unfinished ones count with their known minimum.
        text.push_str(&format!("#[Unfinished = {unfinished:12}]\n"));
    }
    text
}

/// The percentile output of a histogram of microseconds.
pub fn percentile_output(histogram: &Histogram<u64>) -> String {
    let ms = |micros: f64| micros / 1e3;
    let mut text = format!(
        "{:>12} {:>14} {:>10} {:>14}\n\n",
        "Value", "Percentile", "TotalCount", "1/(1-Percentile)"
    );
    let mut below = 0;
    for row in histogram.iter_quantiles(TICKS) {
        below += row.count_since_last_iteration();
        let (value, quantile) = (ms(row.value_iterated_to() as f64), row.quantile_iterated_to());
        text.push_str(&format!("{value:12.3} {quantile:2.12} {below:10}"));
        if quantile < 1.0 {
            text.push_str(&format!(" {:14.2}", 1.0 / (1.0 - quantile)));
        }
        text.push('\n');
    }
    // The three rows at the end are part of the format; plotters skip lines that begin with `#`.
    let (mean, deviation) =
        if histogram.is_empty() { (0.0, 0.0) } else { (histogram.mean(), histogram.stdev()) };
    text.push_str(&format!(
        "#[Mean    = {:12.3}, StdDeviation   = {:12.3}]\n",
        ms(mean),
        ms(deviation)
    ));
    let max = ms(histogram.max() as f64);
    text.push_str(&format!("#[Max     = {max:12.3}, Total count    = {:12}]\n", histogram.len()));
    let sub_buckets = 2_u32 * 10_u32.pow(u32::from(histogram.sigfig()));
    text.push_str(&format!(
        "#[Buckets = {:12}, SubBuckets     = {:12}]\n",
        histogram.buckets(),
        sub_buckets.next_power_of_two()
    ));
    text
}

#[cfg(test)]
mod tests {
    use crate::example::Example;

    use super::*;

    #[test]
    fn rises_to_the_last_sample() {
        let result = Example::default().build();
        let text = hgrm(&result);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "       Value     Percentile TotalCount 1/(1-Percentile)");
        assert_eq!(lines[1], "");
        let rows: Vec<Vec<f64>> = lines[2..]
            .iter()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split_whitespace().map(|cell| cell.parse().unwrap()).collect())
            .collect();
        assert!(rows.windows(2).all(|two| two[0][0] <= two[1][0] && two[0][2] <= two[1][2]));
        let last = rows.last().unwrap();
        assert_eq!((last.len(), last[1], last[2]), (3, 1.0, result.totals.completed as f64));
        assert!((last[0] - result.totals.service.max_us as f64 / 1e3).abs() < 1.0);
        assert_eq!(rows[0].len(), 4);
        assert!(lines[lines.len() - 3].starts_with("#[Mean    = "));
        assert!(text.ends_with("SubBuckets     =         2048]\n"), "{text}");
    }
}
