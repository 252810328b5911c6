//! Swingbench's results.xml, with the element names that its readers expect, including misspelt
//! ones. Times are milliseconds. It has no elements for high percentiles and response times. Its
//! readers show `MaximumTransactionRate` per minute. charbench writes the largest count within 60 s
//! there, which in a shorter run is not a rate: such a run has its mean rate, extrapolated to a
//! minute.

use duet_verdict::result::{RunResult, TypeResult};
use hdrhistogram::Histogram;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use crate::summary::MINUTE_S;

const NAMESPACE: &str = "http://www.dominicgiles.com/swingbench/results";

/// The deciles, with their spelling there.
const DECILES: [&str; 9] = [
    "TenthPrecentile",
    "TwentiethPercentile",
    "ThirtiethPercentile",
    "FortiethPrecentile",
    "FiftythPercentile",
    "SixtiethPercentile",
    "SeventiethPercentile",
    "EightiethPercentile",
    "NinetiethPercentile",
];

/// The result as results.xml.
pub fn results_xml(result: &RunResult) -> String {
    let mut xml = Xml::new();
    xml.inside("Results", Some(("xmlns", NAMESPACE)), |xml| {
        overview(xml, result);
        configuration(xml, result);
        let dml = &result.totals.dml;
        xml.inside("DMLResults", None, |xml| {
            xml.element("SelectStatements", &dml.selects);
            xml.element("InsertStatements", &dml.inserts);
            xml.element("UpdateStatements", &dml.updates);
            xml.element("DeleteStatements", &dml.deletes);
            xml.element("CommitStatements", &dml.commits);
            xml.element("RollbackStatements", &dml.rollbacks);
        });
        xml.inside("TransactionResults", None, |xml| {
            for kind in &result.types {
                xml.inside("Result", Some(("id", &kind.name)), |xml| one(xml, kind));
            }
        });
        let origin = result.started_ms();
        let reading = |second: &duet_verdict::result::Second| {
            format!("{}, {}", origin + second.at_s as i64 * 1000, second.completed)
        };
        let readings: Vec<String> = result.measured().map(reading).collect();
        xml.inside("BenchmarkMetrics", None, |xml| {
            xml.element("TPSReadings", &readings.join(", "));
        });
    });
    xml.end()
}

fn overview(xml: &mut Xml, result: &RunResult) {
    let totals = &result.totals;
    xml.inside("Overview", None, |xml| {
        xml.element("BenchmarkName", &result.workload);
        xml.element("Comment", &result.name);
        xml.element("TimeOfRun", &result.started);
        xml.element("TotalRunTime", &clock(result.window.measured_s));
        xml.element("TotalLogonTime", &clock(result.window.logon_s));
        xml.element("TotalCompletedTransactions", &totals.completed);
        xml.element("TotalFailedTransactions", &totals.failed);
        xml.element("AverageTransactionsPerSecond", &format!("{:.2}", totals.tps));
        xml.element("MaximumTransactionRate", &maximum_rate(result));
    });
}

/// The most transactions in a minute; for a run under a minute, its mean rate per minute.
fn maximum_rate(result: &RunResult) -> u64 {
    match result.window.measured_s >= MINUTE_S {
        true => result.totals.max_tpm,
        false => (result.totals.tps * MINUTE_S).round() as u64,
    }
}

fn configuration(xml: &mut Xml, result: &RunResult) {
    let load = &result.load;
    xml.inside("Configuration", None, |xml| {
        xml.element("NumberOfUsers", &load.users);
        xml.element("MinimumInterThinkTime", &load.think_ms[0]);
        xml.element("MaximumInterThinkTime", &load.think_ms[1]);
        xml.element("MinimumIntraThinkTime", &load.think_inside_ms[0]);
        xml.element("MaximumIntraThinkTime", &load.think_inside_ms[1]);
        xml.element("ConnectString", &result.target.address);
        xml.element("TimingsIn", &"Milliseconds");
        xml.element("WaitTillAllLogon", &(load.ramp_up_s == 0.0));
        xml.element("Driver", &result.target.kind);
    });
}

fn one(xml: &mut Xml, kind: &TypeResult) {
    let ms = |micros: f64| format!("{:.3}", micros / 1e3);
    let count = |name: &str| kind.outcomes.get(name).copied().unwrap_or_default();
    let times = kind.histogram(false).unwrap_or_else(|_| duet_verdict::times::histogram());
    xml.element("AverageResponse", &ms(kind.service.mean_us));
    xml.element("MinimumResponse", &ms(kind.service.min_us as f64));
    xml.element("MaximumResponse", &ms(kind.service.max_us as f64));
    xml.element("TransactionCount", &kind.completed);
    xml.element("FailedTransactionCount", &kind.failed);
    xml.element("RollbackCount", &(count("deadlock") + count("serialization")));
    xml.element("GeometricMean", &ms(geometric_mean(&times)));
    for (name, tenth) in DECILES.into_iter().zip(1..) {
        let micros = times.value_at_quantile(f64::from(tenth) / 10.0);
        xml.element(name, &ms(micros as f64));
    }
}

fn geometric_mean(times: &Histogram<u64>) -> f64 {
    if times.is_empty() {
        return 0.0;
    }
    let log = |value: u64| (value.max(1) as f64).ln();
    let rows = times.iter_recorded();
    let sum: f64 = rows.map(|row| log(row.value_iterated_to()) * row.count_at_value() as f64).sum();
    (sum / times.len() as f64).exp()
}

/// `h:mm:ss`.
fn clock(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    format!("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
}

/// A document, written by quick-xml into memory, which cannot fail.
struct Xml(Writer<Vec<u8>>);

impl Xml {
    fn new() -> Self {
        let mut xml = Self(Writer::new_with_indent(Vec::new(), b' ', 3));
        xml.event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
        xml
    }

    fn event(&mut self, event: Event<'_>) {
        let _ = self.0.write_event(event);
    }

    fn inside(
        &mut self,
        tag: &str,
        attribute: Option<(&str, &str)>,
        content: impl FnOnce(&mut Self),
    ) {
        let mut start = BytesStart::new(tag);
        if let Some((name, value)) = attribute {
            start.push_attribute((name, &*held(value)));
        }
        self.event(Event::Start(start));
        content(self);
        self.event(Event::End(BytesEnd::new(tag)));
    }

    fn element(&mut self, name: &str, value: &dyn ToString) {
        let _ = self
            .0
            .create_element(name)
            .write_text_content(BytesText::new(&held(&value.to_string())));
    }

    fn end(self) -> String {
        let mut text = self.0.into_inner();
        text.push(b'\n');
        String::from_utf8(text).unwrap_or_default()
    }
}

/// A text without the characters that XML cannot hold, escaped or not: they become U+FFFD.
fn held(text: &str) -> String {
    let is_held = |char: char| match char {
        '\t' | '\n' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        char => !char.is_control(),
    };
    text.chars().map(|char| if is_held(char) { char } else { '\u{fffd}' }).collect()
}

#[cfg(test)]
mod tests {
    use crate::example::Example;

    use super::*;

    #[test]
    fn the_elements_that_readers_look_for() {
        let mut result = Example::default().build();
        result.name = "a < b & \"c\"".into();
        let xml = results_xml(&result);
        for part in [
            "<Results xmlns=\"http://www.dominicgiles.com/swingbench/results\">",
            "<Comment>a &lt; b &amp; &quot;c&quot;</Comment>",
            "<TotalRunTime>0:01:00</TotalRunTime>",
            "<AverageTransactionsPerSecond>200.32</AverageTransactionsPerSecond>",
            "<Result id=\"New order\">",
            "<TenthPrecentile>",
            "<FiftythPercentile>",
            "<TPSReadings>1767225608000, ",
        ] {
            assert!(xml.contains(part), "{part} is not in {xml}");
        }
        assert!(xml.ends_with("</Results>\n"));
        assert_eq!(xml.matches("<Result id=").count(), 3);
    }

    #[test]
    fn reads_files_of_swingbench() {
        let mut result = Example::default().build();
        let evil = "<script>\"x\"</script> & ']]>\n\u{7}";
        (result.types[0].name, result.name) = (evil.into(), evil.into());
        let xml = results_xml(&result);
        assert!(!xml.contains("<script"), "{xml}");
        let expected = evil.replace('\u{7}', "\u{fffd}");
        let mut reader = quick_xml::Reader::from_str(&xml);
        let (mut text, mut ids) = (String::new(), Vec::new());
        loop {
            match reader.read_event().unwrap() {
                Event::Start(tag) if tag.name().as_ref() == "Comment" => {
                    text = reader.read_text(tag.name()).unwrap().to_string();
                }
                Event::Start(tag) if tag.name().as_ref() == "Result" => {
                    let id = tag.attributes().next().unwrap().unwrap();
                    ids.push(quick_xml::escape::unescape(&id.value).unwrap().into_owned());
                }
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(quick_xml::escape::unescape(&text).unwrap(), expected);
        assert_eq!((ids.len(), &ids[0]), (3, &expected));
    }

    /// 20 transactions a second are 1,200 a minute, however long they were counted.
    #[test]
    fn the_rate_of_a_short_run_is_per_minute() {
        for (measured_s, rate) in [(10.0, 1_200), (59.9, 1_200), (60.0, 1_300)] {
            let mut result = RunResult::default();
            result.window.measured_s = measured_s;
            result.totals.tps = 20.0;
            result.totals.max_tpm = if measured_s < 60.0 { 200 } else { 1_300 };
            let expected = format!("<MaximumTransactionRate>{rate}</MaximumTransactionRate>");
            assert!(results_xml(&result).contains(&expected), "{measured_s}");
        }
    }

    #[test]
    fn means_and_clocks() {
        let mut times = duet_verdict::times::histogram();
        [10, 1_000].iter().for_each(|value| times.record(*value).unwrap());
        assert!((geometric_mean(&times) - 100.0).abs() < 0.1);
        assert_eq!((clock(48.2), clock(3_725.0)), ("0:00:48".into(), "1:02:05".into()));
    }
}
