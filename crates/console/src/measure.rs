//! Pages of load tests: the form that starts one, the list of runs, and a run with its report inside.

use askama::Template;

use crate::page::{Frame, Problem, rendered};

/// The most that a load test of the console may be given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Users at the same time.
    pub users: u32,
    /// Measured seconds.
    pub seconds: u64,
}

/// What the form asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// What the run is called.
    pub name: String,
    /// The address of the resource.
    pub url: String,
    /// Users at the same time.
    pub users: u32,
    /// Measured seconds.
    pub seconds: u64,
    /// Arrivals per second; none for users that wait for their answers.
    pub rate: Option<u32>,
    /// What each user does.
    pub mix: Mix,
    /// Thresholds, such as `p99<20ms`.
    pub thresholds: Vec<String>,
    /// The token with which users sign in: that of the session.
    pub token: String,
}

/// What users do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mix {
    /// Read items by key.
    #[default]
    Items,
    /// Read pages.
    Pages,
    /// Read items, and change one in five.
    Changes,
}

impl Mix {
    /// All of them, each with its name in addresses and its words.
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Items, "items", "Read items by key"),
        (Self::Pages, "pages", "Read pages"),
        (Self::Changes, "changes", "Read items, and change one in five (writes to the database)"),
    ];

    /// The one of a name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(mix, ..)| *mix)
    }

    /// Whether it changes data.
    pub fn writes(self) -> bool {
        self == Self::Changes
    }

    /// The weights of `duet bench run rest --mix`.
    pub fn weights(self) -> &'static str {
        match self {
            Self::Items => "GET=1",
            Self::Pages => "PAGE=1",
            Self::Changes => "GET=4,PUT=1",
        }
    }
}

/// How a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Its users are being connected.
    Begins,
    /// It goes on.
    Runs,
    /// It has ended, and holds.
    #[default]
    Held,
    /// It has ended, and a threshold or a check failed.
    Missed,
    /// It was stopped before its end.
    Stopped,
    /// It ended without a result.
    Failed,
}

impl State {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Begins => "begins",
            Self::Runs => "runs",
            Self::Held => "held",
            Self::Missed => "did not hold",
            Self::Stopped => "stopped early",
            Self::Failed => "no result",
        }
    }

    /// Whether it has not ended.
    pub fn goes_on(self) -> bool {
        matches!(self, Self::Begins | Self::Runs)
    }
}

/// A run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The name of its folder, which is its address.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// When it began, RFC 3339.
    pub started: String,
    /// What was measured.
    pub target: String,
    /// The load in words.
    pub load: String,
    /// Transactions per second, a time and failures in words; empty before the end.
    pub figures: [String; 3],
    /// How it is.
    pub state: State,
    /// What it said where it has no result.
    pub message: String,
}

/// A page that a browser shows as it is: one file.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Its HTML.
    pub html: String,
    /// The value of its `Content-Security-Policy`.
    pub policy: String,
    /// Whether its run goes on.
    pub is_live: bool,
}

/// The page with the form.
#[derive(Clone, Debug, Template)]
#[template(path = "measure.html")]
pub struct Measure<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// The resource's name, and the page of its rows.
    pub resource: (&'a str, &'a str),
    /// The page itself.
    pub path: &'a str,
    /// Where the resource may be loaded: addresses of services.
    pub targets: &'a [String],
    /// The most that is taken.
    pub limits: Limits,
    /// What was asked for.
    pub order: &'a Order,
    /// Why it was not begun.
    pub problem: Option<&'a Problem>,
}

impl Measure<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }

    fn mixes(&self) -> [(Mix, &'static str, &'static str); 3] {
        Mix::ALL
    }

    fn is_mix(&self, name: &str) -> bool {
        Mix::of(name) == Some(self.order.mix)
    }

    fn thresholds(&self) -> String {
        self.order.thresholds.join("\n")
    }

    fn rate(&self) -> String {
        self.order.rate.map(|rate| rate.to_string()).unwrap_or_default()
    }

    fn is_target(&self, target: &str) -> bool {
        self.order.url.starts_with(target)
    }
}

/// The list of runs.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "runs.html")]
pub struct Runs<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// The runs, newest first.
    pub runs: &'a [Run],
    /// Why there are none.
    pub problem: Option<&'a Problem>,
}

impl Runs<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }
}

/// A run, or its comparison with another.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "run.html")]
pub struct RunPage<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// The run.
    pub run: &'a Run,
    /// The run that it is compared with.
    pub base: Option<&'a Run>,
    /// Runs that it can be compared with.
    pub others: &'a [Run],
    /// What went wrong.
    pub problem: Option<&'a Problem>,
}

impl RunPage<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }

    /// The report that is shown inside.
    fn report(&self) -> String {
        let own = format!("{}/runs/{}", self.frame.base, self.run.id);
        match self.base {
            Some(base) => format!("{own}/against/{}/report", base.id),
            None => format!("{own}/report"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_runs_are_no_markup() {
        let run = Run { id: "a-1".into(), title: "<img src=x>".into(), ..Run::default() };
        let frame = Frame::stranger("/console");
        let list = Runs { frame, runs: std::slice::from_ref(&run), problem: None }.html();
        assert!(!list.contains("<img") && list.contains("/console/runs/a-1"), "{list}");
        let page = RunPage { frame, run: &run, base: None, others: &[], problem: None }.html();
        assert!(!page.contains("<img") && page.contains("src=\"/console/runs/a-1/report\""));
    }
}
