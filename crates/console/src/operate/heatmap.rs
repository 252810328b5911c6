//! How long the requests of each route took in the last hour: a strip of minutes for each route, and the same as a table.

use serde_json::Value;

/// Steps of height and colour.
const LEVELS: usize = 6;
/// Minutes of a column of the table.
const MINUTES_OF_COLUMN: usize = 5;

/// What the strips show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heat {
    /// The time that 99 of 100 requests did not exceed.
    #[default]
    P99,
    /// The time that half of them did not exceed.
    P50,
    /// How many there were.
    Requests,
}

/// What strips can show: in an address, in words, and the member of a minute.
const HEATS: [(Heat, &str, &str, &str); 3] = [
    (Heat::P99, "p99", "p99, ms", "p99Millis"),
    (Heat::P50, "p50", "p50, ms", "p50Millis"),
    (Heat::Requests, "requests", "Requests", "requests"),
];

impl Heat {
    /// What an address asks for.
    pub fn of(text: &str) -> Self {
        HEATS.iter().find(|(_, name, ..)| *name == text).map(|(heat, ..)| *heat).unwrap_or_default()
    }
}

/// The latencies of all routes.
#[derive(Clone, Debug, Default)]
pub struct Heatmap {
    heat: Heat,
    minutes: usize,
    pub(super) routes: Vec<RouteRow>,
    /// The least and the greatest value of a minute.
    range: (f64, f64),
}

/// A route.
#[derive(Clone, Debug, Default)]
pub(super) struct RouteRow {
    pub(super) application: String,
    pub(super) route: String,
    /// Requests, and their p50 and p99 in milliseconds.
    pub(super) figures: [String; 3],
    /// The minutes in which it was called: number, value, and the words of it.
    minutes: Vec<(usize, f64, String)>,
}

/// A bar of a strip.
pub(super) struct Bar<'r> {
    pub(super) x: usize,
    pub(super) height: usize,
    pub(super) level: usize,
    pub(super) words: &'r str,
}

impl Heatmap {
    /// Reads `GET /admin/latencies`.
    pub fn of(json: &Value, heat: Heat) -> Self {
        let minutes = json["minutes"].as_u64().and_then(|it| usize::try_from(it).ok());
        let minutes = minutes.unwrap_or_default();
        let routes: Vec<RouteRow> = json["routes"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|route| RouteRow::of(route, heat, minutes))
            .collect();
        let values = || routes.iter().flat_map(|row| &row.minutes).map(|(_, value, _)| *value);
        let range = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
        Self { heat, minutes, routes, range }
    }

    /// What can be shown instead: address, words, and whether it is shown.
    pub(super) fn choices(&self) -> [(&'static str, &'static str, bool); 3] {
        HEATS.map(|(heat, name, words, _)| (name, words, heat == self.heat))
    }

    pub(super) fn words(&self) -> &'static str {
        HEATS.iter().find(|(heat, ..)| *heat == self.heat).map_or("", |(_, _, words, _)| words)
    }

    /// How high and dark a value is: the range of all is divided by equal factors, so that one slow minute leaves the others
    /// apart.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a small share of a range"
    )]
    fn level(&self, value: f64) -> usize {
        let (least, most) = self.range;
        if most <= least || least <= 0.0 {
            return 0;
        }
        let share = (value / least).ln() / (most / least).ln();
        ((share * LEVELS as f64) as usize).min(LEVELS - 1)
    }

    /// The upper end of each level, for the legend.
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    pub(super) fn legend(&self) -> Vec<(usize, String)> {
        let (least, most) = self.range;
        if most <= least || least <= 0.0 {
            return if most > 0.0 { vec![(0, shown(most))] } else { Vec::new() };
        }
        let end = |level: usize| {
            let share = (level + 1) as f64 / LEVELS as f64;
            (level, shown(least * (most / least).powf(share)))
        };
        (0..LEVELS).map(end).collect()
    }

    pub(super) fn bars<'r>(&self, row: &'r RouteRow) -> Vec<Bar<'r>> {
        let bar = |(number, value, words): &'r (usize, f64, String)| {
            let level = self.level(*value);
            Bar { x: number * 4, height: 4 + 4 * level, level, words }
        };
        row.minutes.iter().map(bar).collect()
    }

    pub(super) fn width(&self) -> usize {
        self.minutes * 4
    }

    /// The columns of the table: how long ago each began.
    pub(super) fn columns(&self) -> Vec<usize> {
        (0..self.minutes / MINUTES_OF_COLUMN)
            .map(|column| self.minutes - column * MINUTES_OF_COLUMN)
            .collect()
    }

    /// The greatest value of the minutes of each column.
    pub(super) fn cells(&self, row: &RouteRow) -> Vec<String> {
        let greatest = |column: usize| {
            let own = row.minutes.iter().filter(|(at, ..)| at / MINUTES_OF_COLUMN == column);
            own.map(|(_, value, _)| *value).reduce(f64::max)
        };
        let columns = 0..self.minutes / MINUTES_OF_COLUMN;
        columns.map(|column| greatest(column).map_or_else(String::new, shown)).collect()
    }
}

impl RouteRow {
    fn of(route: &Value, heat: Heat, most: usize) -> Self {
        let text = |name: &str| route[name].as_str().unwrap_or_default().to_owned();
        let number = |of: &Value, name: &str| of[name].as_f64().unwrap_or_default();
        let member = HEATS.iter().find(|(known, ..)| *known == heat).map_or("", |it| it.3);
        let minute = |it: &Value| {
            let at = usize::try_from(it["minute"].as_u64()?).ok().filter(|at| *at < most)?;
            let words = format!(
                "{} min ago: {} requests, p50 {} ms, p99 {} ms",
                most - 1 - at,
                number(it, "requests"),
                shown(number(it, "p50Millis")),
                shown(number(it, "p99Millis")),
            );
            Some((at, number(it, member), words))
        };
        let minutes = route["each"].as_array().into_iter().flatten().filter_map(minute);
        Self {
            application: text("application"),
            route: text("route"),
            figures: [
                format!("{}", number(route, "requests")),
                shown(number(route, "p50Millis")),
                shown(number(route, "p99Millis")),
            ],
            minutes: minutes.collect(),
        }
    }

    /// What people hear who do not see the strip.
    pub(super) fn said(&self, words: &str) -> String {
        let values = || self.minutes.iter().map(|(_, value, _)| *value);
        let (least, most) =
            (values().fold(f64::INFINITY, f64::min), values().fold(0.0_f64, f64::max));
        format!("{words}: from {} to {} by minute", shown(least), shown(most))
    }
}

/// A figure with as many digits as people read.
fn shown(value: f64) -> String {
    match value {
        v if v >= 100.0 || (v - v.round()).abs() < 1e-9 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn latencies() -> Value {
        let minute = |at: u64, p99: f64| json!({ "minute": at, "requests": 5, "p50Millis": 0.5, "p99Millis": p99 });
        json!({ "minutes": 60, "routes": [
            { "application": "hr", "route": "GET /hr/team/{key}", "requests": 10, "p50Millis": 0.5, "p99Millis": 64.0,
              "each": [minute(54, 1.0), minute(59, 64.0), minute(99, 1.0)] },
            { "application": "", "route": "other", "requests": 5, "p50Millis": 0.5, "p99Millis": 8.0, "each": [minute(59, 7.9)] },
        ] })
    }

    #[test]
    fn bars_are_apart_by_factors() {
        let heatmap = Heatmap::of(&latencies(), Heat::P99);
        let levels = |row: &RouteRow| -> Vec<(usize, usize)> {
            heatmap.bars(row).iter().map(|bar| (bar.x, bar.level)).collect()
        };
        assert_eq!(levels(&heatmap.routes[0]), [(216, 0), (236, LEVELS - 1)]);
        assert_eq!(levels(&heatmap.routes[1]), [(236, 2)]);
        let ends: Vec<String> = heatmap.legend().into_iter().map(|(_, end)| end).collect();
        assert_eq!(ends, ["2", "4", "8", "16", "32", "64"]);
        let cells = heatmap.cells(&heatmap.routes[0]);
        assert_eq!((cells.len(), &*cells[10], &*cells[11]), (12, "1", "64"));
        assert_eq!(heatmap.columns()[11], 5);
        assert_eq!(heatmap.routes[0].minutes[1].2, "0 min ago: 5 requests, p50 0.50 ms, p99 64 ms");
    }

    #[test]
    fn one_value_and_none_are_shown() {
        let heatmap = Heatmap::of(&latencies(), Heat::Requests);
        assert_eq!((heatmap.words(), heatmap.legend()), ("Requests", vec![(0, "5".to_owned())]));
        let none = Heatmap::of(&json!({}), Heat::of("other"));
        assert_eq!((none.words(), none.legend().len(), none.width()), ("p99, ms", 0, 0));
    }
}
