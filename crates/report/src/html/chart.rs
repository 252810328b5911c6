//! Charts as data: the page's script (`data/report.js`) draws them at the width that it finds, with a
//! crosshair and switches for each series.

use serde::Serialize;

/// Colours of the style that differ from each other.
const COLOURS: usize = 12;

/// A chart: lanes one below the other over a common axis.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Chart {
    /// Its name within the page; the choices of a reader belong to it.
    pub(super) id: String,
    pub(super) title: String,
    /// A sentence below the title; may be empty.
    #[serde(skip)]
    pub(super) note: String,
    pub(super) x: Axis,
    /// Ranges of the axis that are not measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) spans: Vec<Span>,
    pub(super) lanes: Vec<Lane>,
}

/// The common axis.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Axis {
    /// Columns of `step` seconds each.
    Time { from: u64, step: u64, count: usize },
    /// Numbers with a unit, ascending.
    Number { values: Vec<f64>, unit: &'static str },
    /// Points with names; their values are their numbers from 0.
    Named { values: Vec<f64>, names: Vec<String> },
    /// Percentiles by their number of nines: 2 is the 99th.
    Nines { values: Vec<f64> },
}

impl Default for Axis {
    fn default() -> Self {
        Self::Number { values: Vec::new(), unit: "" }
    }
}

/// A range of seconds with its name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Span {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) name: String,
    /// Whether the service did not answer in it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) silent: bool,
}

/// A part of a chart with an axis of its own.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Lane {
    /// What the axis shows; empty where the title says it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) name: String,
    /// The unit of the values; `us` are durations in microseconds.
    pub(super) unit: &'static str,
    /// The height in pixels.
    pub(super) size: u32,
    /// Whether the axis is logarithmic.
    pub(super) log: bool,
    /// Whether the series are stacked.
    pub(super) stack: bool,
    /// The maximum of the axis, if the values have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) top: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) heat: Option<Heat>,
    /// Limits that the user set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) marks: Vec<Mark>,
    pub(super) series: Vec<Series>,
}

/// Counts by column and by range of values.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Heat {
    /// The ends of the ranges, one more than ranges.
    pub(super) edges: Vec<f64>,
    /// By column: the first range with a count, and the counts from there.
    pub(super) cells: Vec<Vec<u64>>,
}

/// A line across a lane.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Mark {
    pub(super) y: f64,
    pub(super) name: String,
}

/// The form of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Draw {
    #[default]
    Line,
    Area,
    Step,
    Dashed,
    Dotted,
    Dots,
    Bars,
}

/// Values by column, with gaps.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Series {
    pub(super) name: String,
    pub(super) draw: Draw,
    /// A class of the style.
    pub(super) colour: String,
    pub(super) y: Vec<Option<f64>>,
    /// Words beside a value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<Option<String>>,
    /// Whether it is hidden until a reader shows it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) off: bool,
    /// Whether the line continues across gaps.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) join: bool,
}

impl Series {
    /// A series of one of the twelve colours. Further ones are dashed, then dotted.
    pub(super) fn numbered(at: usize, name: &str, y: Vec<Option<f64>>) -> Self {
        let draw = [Draw::Line, Draw::Dashed, Draw::Dotted][(at / COLOURS).min(2)];
        Self::new(name, draw, &format!("c{}", at % COLOURS), y)
    }

    /// A series with a colour of the style.
    pub(super) fn new(name: &str, draw: Draw, colour: &str, y: Vec<Option<f64>>) -> Self {
        let y = y.into_iter().map(|y| y.filter(|y| y.is_finite()).map(rounded)).collect();
        Self { name: name.into(), draw, colour: colour.into(), y, ..Self::default() }
    }

    /// The sum of the known values.
    pub(super) fn sum(&self) -> f64 {
        self.y.iter().flatten().sum()
    }

    /// Whether a value is known.
    pub(super) fn is_known(&self) -> bool {
        self.y.iter().any(Option::is_some)
    }
}

/// Four digits, which is more than can be seen: pages stay small.
fn rounded(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    let factor = 10_f64.powi(digits.clamp(-12, 12));
    (value * factor).round() / factor
}

impl Chart {
    /// A chart of one lane.
    pub(super) fn of(id: &str, title: &str, x: Axis, lane: Lane) -> Self {
        Self { id: id.into(), title: title.into(), x, lanes: vec![lane], ..Self::default() }
    }

    /// Whether there is anything to draw.
    pub(super) fn is_known(&self) -> bool {
        let has_heat = |lane: &Lane| lane.heat.as_ref().is_some_and(|heat| !heat.cells.is_empty());
        self.lanes.iter().any(|lane| has_heat(lane) || lane.series.iter().any(Series::is_known))
    }
}

/// Charts as JSON for an element `script`: no text can end the element.
pub(super) fn json(charts: &[&Chart]) -> String {
    // Strings, finite numbers and lists always have a form.
    let text = serde_json::to_string(charts).unwrap_or_default();
    text.replace('<', "\\u003c")
}

/// The most series of a stack.
const STACKED: usize = COLOURS;

/// Series one upon the other; the smallest of too many become one.
pub(super) fn stacked(mut series: Vec<Series>) -> Vec<Series> {
    if series.len() > STACKED {
        series.sort_by(|a, b| b.sum().total_cmp(&a.sum()));
        let rest = series.split_off(STACKED - 1);
        let columns = rest.iter().map(|one| one.y.len()).max().unwrap_or(0);
        let sum = |at: usize| rest.iter().filter_map(|one| *one.y.get(at)?).reduce(|a, b| a + b);
        let name = format!("{} others", rest.len());
        series.push(Series::numbered(STACKED - 1, &name, (0..columns).map(sum).collect()));
    }
    series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_do_not_repeat() {
        let series: Vec<Series> =
            (0..30).map(|at| Series::numbered(at, "a", vec![Some(1.0)])).collect();
        let mut looks: Vec<String> =
            series.iter().map(|one| format!("{} {:?}", one.colour, one.draw)).collect();
        looks.sort();
        looks.dedup();
        assert_eq!(looks.len(), 30);
        let few = stacked(series);
        assert_eq!((few.len(), &*few[11].name, few[11].y[0]), (12, "19 others", Some(19.0)));
    }

    #[test]
    fn texts_cannot_end_the_data() {
        let lane = Lane {
            series: vec![Series::numbered(0, "</script><b>", vec![Some(1.0 / 3.0), None])],
            ..Lane::default()
        };
        let chart = Chart::of("a", "t", Axis::Time { from: 0, step: 1, count: 2 }, lane);
        let text = json(&[&chart]);
        assert!(!text.contains('<') && text.contains("[0.3333,null]"), "{text}");
        let back: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back[0]["lanes"][0]["series"][0]["name"], "</script><b>");
        assert_eq!(back[0]["x"]["kind"], "time");
    }

    #[test]
    fn numbers_have_four_digits() {
        let numbers = [0.0, 1234.56, 0.000_123_456, 7.0, 98_765.4, f64::NAN];
        let y = Series::numbered(0, "a", numbers.map(Some).to_vec()).y;
        let expected =
            [Some(0.0), Some(1235.0), Some(0.000_123_5), Some(7.0), Some(98_770.0), None];
        assert_eq!(y, expected);
    }
}
