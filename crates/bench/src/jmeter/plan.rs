//! A plan as data.

use super::assertion::Assertion;
use super::csv::DataSet;
use super::extractor::Extractor;
use super::request::Follows;
use super::script::Script;
use super::template::Template;

/// A plan that can be run.
#[derive(Debug)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// Whether its main groups run one after the other.
    pub(super) serial: bool,
    pub(super) variables: Vec<(String, Template)>,
    pub(super) groups: Vec<Group>,
    /// The data sets, which items name by their position.
    pub(super) data: Vec<DataSet>,
    /// The number of controllers that count executions or run once.
    pub(super) controllers: usize,
}

impl Plan {
    /// The names of its thread groups.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().map(|group| group.name.as_str())
    }
}

/// When a group runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    SetUp,
    Main,
    TearDown,
}

/// What a thread does after a sample that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnError {
    Continue,
    NextLoop,
    StopThread,
    StopTest,
}

/// A thread group.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) time: Time,
    pub(super) threads: Template,
    pub(super) ramp: Template,
    /// `None`: without an end.
    pub(super) loops: Option<Template>,
    /// The seconds until it ends; `None`: with its loops.
    pub(super) duration: Option<Template>,
    pub(super) delay: Template,
    pub(super) on_error: OnError,
    pub(super) variables: Vec<(String, Template)>,
    /// The data sets of which each iteration takes a row.
    pub(super) data: Vec<usize>,
    pub(super) counters: Vec<Counter>,
    pub(super) items: Vec<Item>,
    pub(super) line: usize,
}

/// A variable that counts.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    pub(super) name: String,
    pub(super) start: Template,
    pub(super) step: Template,
    pub(super) end: Template,
    /// Whether each thread counts for itself.
    pub(super) by_thread: bool,
    /// Its place among the controllers.
    pub(super) number: usize,
}

/// What a thread does.
#[derive(Debug)]
pub(super) enum Item {
    Sampler(Box<Sampler>),
    Simple(Vec<Item>),
    Loop {
        times: Option<Template>,
        items: Vec<Item>,
    },
    /// In the first iteration of a thread only.
    Once {
        number: usize,
        items: Vec<Item>,
    },
    /// A share of the iterations, or a number of them.
    Throughput {
        number: usize,
        share: Share,
        by_thread: bool,
        items: Vec<Item>,
    },
    /// A sample of its own with the time of those inside.
    Transaction {
        name: Template,
        items: Vec<Item>,
    },
}

#[derive(Debug)]
pub(super) enum Share {
    Percent(Template),
    Number(Template),
}

/// An HTTP request.
#[derive(Debug)]
pub(super) struct Sampler {
    pub(super) name: Template,
    pub(super) method: Template,
    pub(super) protocol: Template,
    pub(super) domain: Template,
    pub(super) port: Template,
    pub(super) path: Template,
    pub(super) body: Body,
    pub(super) headers: Vec<(Template, Template)>,
    pub(super) follows: Follows,
    pub(super) pause: Vec<Pause>,
    pub(super) assertions: Vec<Assertion>,
    /// In their order in the plan.
    pub(super) after: Vec<After>,
}

/// The content of a request.
#[derive(Debug)]
pub(super) enum Body {
    /// As it is: the values of its arguments, one after the other.
    Raw(Vec<Template>),
    /// Parameters: of the query, or of a form for POST, PUT and PATCH.
    Parameters(Vec<Parameter>),
}

#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: Template,
    pub(super) value: Template,
    pub(super) encode: bool,
}

/// A pause before a sample, in milliseconds.
#[derive(Clone, Debug)]
pub(super) struct Pause {
    pub(super) least: Template,
    /// What is added at random, at most.
    pub(super) range: Template,
}

/// What is done with a response.
#[derive(Clone, Debug)]
pub(super) enum After {
    Extract(Extractor),
    Run(Script),
}
