//! `duet bench run plan.jmx`: runs a plan of JMeter.

use std::path::Path;

use duet_bench::jmeter::{self, Failure as RunFailure, Figures, LabelFigures, Options, Problem};
use duet_bench::sample_files::{Samples, SimulationLog, TestLog};
use duet_model::{Code, Error};
use serde_json::{Value, json};

use crate::args::BenchJmeter;
use crate::commands::bench::results::sample_files::{new_file, now_ms};
use crate::report::{Failure, Outcome, print};
use crate::runtime::runtime;

/// The exit code of a plan that cannot be taken.
const NOT_TAKEN: u8 = 2;

pub(in crate::commands::bench) fn run(arguments: &BenchJmeter) -> Outcome {
    let path = &arguments.plan;
    let text = std::fs::read_to_string(path).map_err(|error| {
        Error::new(Code::Setting, format!("{} cannot be read: {error}.", path.display()))
    })?;
    let not_taken = |problem: &Problem| {
        let Problem { line, message } = problem;
        Failure::Code(NOT_TAKEN, format!("error: {message}\n --> {}:{line}\n", path.display()))
    };
    let plan = jmeter::read(&text).map_err(|problem| not_taken(&problem))?;
    let outputs = outputs(arguments, &plan.name)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let options = Options {
        folder: folder.unwrap_or(Path::new(".")).to_owned(),
        properties: arguments.properties.iter().cloned().collect(),
        timeout: arguments.timeout,
    };
    let ran = runtime()?.block_on(jmeter::run(plan, options, outputs));
    let ran = ran.map_err(|failure| match failure {
        RunFailure::Plan(problem) => not_taken(&problem),
        RunFailure::Output(error) => {
            Error::new(Code::Setting, format!("The samples cannot be written: {error}.")).into()
        }
    })?;
    let failed = ran.figures.total().error_percent;
    print(&if arguments.json { as_json(&ran.figures) } else { table(&ran.figures) })?;
    if failed > 0.0 {
        return Err(Failure::Code(1, format!("{failed:.2} % of the samples failed.\n")));
    }
    Ok(())
}

/// The files of samples. They must be new, as results must.
fn outputs(arguments: &BenchJmeter, name: &str) -> Outcome<Vec<Box<dyn Samples>>> {
    let mut outputs: Vec<Box<dyn Samples>> = Vec::new();
    if let Some(path) = &arguments.jtl {
        outputs.push(Box::new(TestLog::begin(new_file(path)?)?));
    }
    if let Some(path) = &arguments.gatling {
        outputs.push(Box::new(SimulationLog::begin(new_file(path)?, name, now_ms())?));
    }
    Ok(outputs)
}

/// The columns of JMeter's aggregate report.
const COLUMNS: [&str; 12] = [
    "# Samples",
    "Average",
    "Median",
    "90% Line",
    "95% Line",
    "99% Line",
    "Min",
    "Maximum",
    "Error %",
    "Throughput",
    "Received KB/sec",
    "Sent KB/sec",
];

fn table(figures: &Figures) -> String {
    let rows: Vec<LabelFigures> = figures.labels().into_iter().chain([figures.total()]).collect();
    let width = rows.iter().map(|row| row.label.chars().count()).max().unwrap_or_default().max(5);
    let mut text = format!("{:width$}", "Label");
    for column in COLUMNS {
        text += &format!("  {column:>9}");
    }
    text.push('\n');
    for row in &rows {
        text += &format!("{:width$}", row.label);
        for (column, value) in COLUMNS.iter().zip(cells(row)) {
            let width = column.len().max(9);
            text += &format!("  {value:>width$}");
        }
        text.push('\n');
    }
    text
}

/// The figures of a row, in the order of the columns: times in milliseconds.
fn cells(row: &LabelFigures) -> [String; 12] {
    let [median, p90, p95, p99] = row.percentiles;
    let ms = |time: f64| format!("{time:.1}");
    [
        row.count.to_string(),
        ms(row.average),
        ms(median),
        ms(p90),
        ms(p95),
        ms(p99),
        ms(row.least),
        ms(row.most),
        format!("{:.2}", row.error_percent),
        format!("{:.1}/s", row.throughput),
        format!("{:.2}", row.received_kb),
        format!("{:.2}", row.sent_kb),
    ]
}

fn as_json(figures: &Figures) -> String {
    let row = |row: LabelFigures| {
        let [median, p90, p95, p99] = row.percentiles;
        json!({
            "label": row.label, "samples": row.count, "average_ms": row.average, "median_ms": median,
            "p90_ms": p90, "p95_ms": p95, "p99_ms": p99, "min_ms": row.least, "max_ms": row.most,
            "error_percent": row.error_percent, "throughput_per_s": row.throughput,
            "received_kb_per_s": row.received_kb, "sent_kb_per_s": row.sent_kb,
        })
    };
    let labels: Vec<Value> = figures.labels().into_iter().map(row).collect();
    let whole = json!({ "labels": labels, "total": row(figures.total()) });
    format!("{}\n", serde_json::to_string_pretty(&whole).unwrap_or_default())
}
