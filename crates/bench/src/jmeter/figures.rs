//! The figures of JMeter's aggregate report: by label, and in total.

use std::time::Duration;

use hdrhistogram::Histogram;

use crate::sample_files::Sample;

/// The figures of all labels, in the order of their first samples.
#[derive(Debug, Default)]
pub struct Figures {
    labels: Vec<(String, Times)>,
}

/// What is counted of a label.
#[derive(Debug, Default)]
struct Times {
    /// In microseconds; made with the first sample.
    histogram: Option<Histogram<u64>>,
    sum: Duration,
    failed: u64,
    /// The first start and the last end, in milliseconds since 1970.
    span: Option<(u64, u64)>,
    received: u64,
    sent: u64,
}

/// The figures of a label, times in milliseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelFigures {
    /// The label; `TOTAL` for all.
    pub label: String,
    /// Samples.
    pub count: u64,
    /// The mean time.
    pub average: f64,
    /// The times of the 50th, 90th, 95th and 99th percentile.
    pub percentiles: [f64; 4],
    /// The shortest time.
    pub least: f64,
    /// The longest time.
    pub most: f64,
    /// Failed samples, in percent.
    pub error_percent: f64,
    /// Samples per second, from the first start to the last end.
    pub throughput: f64,
    /// Kilobytes received per second.
    pub received_kb: f64,
    /// Kilobytes sent per second.
    pub sent_kb: f64,
}

impl Figures {
    /// Counts a sample.
    pub fn add(&mut self, sample: &Sample) {
        let at = self.labels.iter().position(|(label, _)| *label == sample.label);
        let at = at.unwrap_or_else(|| {
            self.labels.push((sample.label.clone(), Times::default()));
            self.labels.len() - 1
        });
        self.labels[at].1.add(sample);
    }

    /// The figures of each label.
    pub fn labels(&self) -> Vec<LabelFigures> {
        self.labels.iter().map(|(label, times)| times.figures(label)).collect()
    }

    /// The figures of all samples together.
    pub fn total(&self) -> LabelFigures {
        let mut all = Times::default();
        for (_, times) in &self.labels {
            if let Some(histogram) = &times.histogram {
                // Both have the same bounds.
                let _ = all.histogram().add(histogram);
            }
            all.sum += times.sum;
            all.failed += times.failed;
            all.received += times.received;
            all.sent += times.sent;
            if let Some((start, end)) = times.span {
                all.spans(start, end);
            }
        }
        all.figures("TOTAL")
    }
}

impl Times {
    fn histogram(&mut self) -> &mut Histogram<u64> {
        self.histogram.get_or_insert_with(duet_verdict::times::histogram)
    }

    fn spans(&mut self, start: u64, end: u64) {
        let (first, last) = self.span.unwrap_or((start, end));
        self.span = Some((first.min(start), last.max(end)));
    }

    fn add(&mut self, sample: &Sample) {
        let micros = u64::try_from(sample.elapsed.as_micros()).unwrap_or(u64::MAX);
        // The histogram grows with its values.
        let _ = self.histogram().record(micros);
        self.sum += sample.elapsed;
        self.failed += u64::from(sample.failure.is_some());
        self.received += sample.received;
        self.sent += sample.sent;
        self.spans(sample.at_ms, sample.at_ms + micros.div_ceil(1_000));
    }

    fn figures(&self, label: &str) -> LabelFigures {
        let Some(histogram) = &self.histogram else {
            return LabelFigures { label: label.to_owned(), ..LabelFigures::default() };
        };
        let count = histogram.len();
        let (start, end) = self.span.unwrap_or_default();
        let seconds = end.saturating_sub(start).max(1) as f64 / 1e3;
        let ms = |micros: u64| micros as f64 / 1e3;
        let percentile = |percent| ms(histogram.value_at_percentile(percent).min(histogram.max()));
        LabelFigures {
            label: label.to_owned(),
            count,
            average: self.sum.as_secs_f64() * 1e3 / count.max(1) as f64,
            percentiles: [50.0, 90.0, 95.0, 99.0].map(percentile),
            least: ms(histogram.min()),
            most: ms(histogram.max()),
            error_percent: self.failed as f64 * 100.0 / count.max(1) as f64,
            throughput: count as f64 / seconds,
            received_kb: self.received as f64 / 1024.0 / seconds,
            sent_kb: self.sent as f64 / 1024.0 / seconds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_their_own_figures() {
        let mut figures = Figures::default();
        for (label, at_ms, ms, failed) in
            [("a", 0, 10, false), ("a", 1_000, 30, true), ("b", 500, 500, false)]
        {
            figures.add(&Sample {
                at_ms,
                elapsed: Duration::from_millis(ms),
                label: label.into(),
                failure: failed.then(String::new),
                ..Sample::default()
            });
        }
        let [a, b] = &figures.labels()[..] else { panic!("two labels") };
        assert_eq!((a.count, a.average, a.error_percent), (2, 20.0, 50.0));
        assert!((a.throughput - 2.0 / 1.03).abs() < 1e-9, "{a:?}");
        assert_eq!((b.count, b.error_percent), (1, 0.0));
        assert!((b.most - 500.0).abs() < 1.0 && (a.least - 10.0).abs() < 0.1, "{a:?} {b:?}");
        assert_eq!(figures.total().count, 3);
    }
}
