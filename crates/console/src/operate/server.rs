//! What changes slowly of a server: latencies by route, its processes, and when what it serves was replaced.

use serde_json::Value;

use super::heatmap::Heatmap;

/// What changes slowly of a server.
#[derive(Clone, Debug, Default)]
pub struct ServerState {
    /// How long requests took in the last hour.
    pub heatmap: Heatmap,
    /// The processes.
    pub instances: Vec<InstanceRow>,
    /// When what is served was replaced, the newest first.
    pub changes: Vec<SchemaRow>,
}

/// A process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceRow {
    /// Its number.
    pub number: u64,
    /// `ready`, `starting`, `draining` or `hung`.
    pub state: String,
    /// How long it has run, in words.
    pub uptime: String,
    /// How often it was started again.
    pub restarts: u64,
    /// Its memory, in words.
    pub memory: String,
    /// Connections, and requests that wait and that run; none of a process that does not answer.
    pub figures: [Option<u64>; 3],
}

impl InstanceRow {
    /// Reads a process of `GET /admin/instances`.
    ///
    /// ```
    /// use duet_console::operate::InstanceRow;
    /// use serde_json::json;
    ///
    /// let process = json!({ "instance": 2, "state": "ready", "uptimeSeconds": 3725, "restarts": 1 });
    /// let row = InstanceRow::of(&process);
    /// assert_eq!((row.number, &*row.uptime, row.restarts), (2, "1 h 2 min", 1));
    /// ```
    pub fn of(process: &Value) -> Self {
        let number = |name: &str| process[name].as_u64();
        #[expect(clippy::cast_precision_loss, reason = "a figure for reading")]
        let mib = |bytes: u64| format!("{:.0} MiB", bytes as f64 / f64::from(1 << 20));
        Self {
            number: number("instance").unwrap_or_default(),
            state: process["state"].as_str().unwrap_or_default().to_owned(),
            uptime: number("uptimeSeconds").map(in_words).unwrap_or_default(),
            restarts: number("restarts").unwrap_or_default(),
            memory: number("memoryBytes").map(mib).unwrap_or_default(),
            figures: ["connections", "waiting", "running"].map(number),
        }
    }

    pub(super) fn is_ready(&self) -> bool {
        self.state == "ready"
    }

    /// A figure; a dash where it is not known.
    pub(super) fn figure(&self, at: &usize) -> String {
        self.figures[*at].map_or_else(|| "–".to_owned(), |it| it.to_string())
    }
}

/// Seconds in the two largest units.
fn in_words(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, _, _) => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

/// A time when what an application serves was replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaRow {
    /// When.
    pub at: String,
    /// The application, with the tenant where it is one's.
    pub application: String,
    /// The process.
    pub instance: u64,
    /// The generation in force since.
    pub generation: u64,
    /// What was added, removed and changed: words, and the paths.
    pub lists: Vec<(&'static str, Vec<String>, usize)>,
}

impl SchemaRow {
    /// Reads a change of `GET /admin/schema-changes`.
    pub fn of(change: &Value) -> Self {
        let text = |name: &str| change[name].as_str().unwrap_or_default().to_owned();
        let number = |name: &str| change[name].as_u64().unwrap_or_default();
        let application = match change["tenant"].as_str() {
            Some(tenant) => format!("{}, {tenant}", text("application")),
            None => text("application"),
        };
        let list = |name: &'static str| {
            let names = change[name]["names"].as_array().into_iter().flatten();
            let names: Vec<String> = names.filter_map(|it| Some(it.as_str()?.to_owned())).collect();
            let count = change[name]["count"].as_u64().and_then(|it| usize::try_from(it).ok());
            let more = count.unwrap_or_default().saturating_sub(names.len());
            (name, names, more)
        };
        let lists = ["added", "removed", "changed"].map(list);
        Self {
            at: text("at"),
            application,
            instance: number("instance"),
            generation: number("generation"),
            lists: lists.into_iter().filter(|(_, names, _)| !names.is_empty()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_have_two_units() {
        for (seconds, words) in
            [(7, "7 s"), (61, "1 min 1 s"), (7_260, "2 h 1 min"), (90_000, "1 d 1 h")]
        {
            assert_eq!(in_words(seconds), words);
        }
    }

    #[test]
    fn what_is_not_listed_is_counted() {
        let row = SchemaRow::of(&json!({
            "application": "a", "tenant": "north", "at": "t", "instance": 1, "generation": 3,
            "added": { "count": 3, "names": ["/m/x"] }, "removed": { "count": 0, "names": [] },
        }));
        assert_eq!(row.application, "a, north");
        assert_eq!(row.lists, [("added", vec!["/m/x".to_owned()], 2)]);
    }
}
