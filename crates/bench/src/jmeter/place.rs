//! What applies at one place of a plan, and what reads it: refusals, and the values that are known before a run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::Problem;
use super::table::{self, ElementRow, Part, PropertyRule};
use super::text::text;
use crate::workload::file::NumberKind;
use crate::workload::file::definition::{
    After, Cache, Capture, Feeder, KeepCookies, Login, Scalar, Step, TextCheck, Wait,
};
use crate::xml::Element;

/// What applies at a place. All texts are those of workload files.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) headers: Vec<[String; 2]>,
    /// The defaults of requests.
    pub(super) defaults: Element,
    pub(super) logins: Vec<Login>,
    pub(super) cache: Option<Cache>,
    /// Cookies that users begin with, as `Set-Cookie` has them.
    pub(super) jar: Vec<String>,
    /// Whether each user of the group that is another one in each iteration has new cookies, and forgets responses.
    pub(super) by_group: [bool; 2],
    /// What each iteration sets before anything else.
    pub(super) first: Vec<Step>,
    pub(super) cookies: Option<KeepCookies>,
    /// Feeders that each iteration draws from.
    pub(super) draw: Vec<String>,
    pub(super) waits: Vec<Wait>,
    pub(super) before: Vec<Step>,
    pub(super) after: Vec<After>,
    pub(super) texts: Vec<TextCheck>,
    pub(super) any_status: bool,
    /// Longest times, each of which counts.
    pub(super) within_ms: Vec<Scalar>,
    /// How deep the place is in the plan.
    pub(super) level: usize,
    /// The assertions that apply.
    pub(super) assertions: Vec<AssertionPlace>,
    /// What is said of elements that read samples with their parts, where a sampler has parts.
    pub(super) of_parts: Vec<Problem>,
}

/// Where an assertion stands: JMeter makes the inner ones first.
#[derive(Clone, Debug)]
pub(super) struct AssertionPlace {
    pub(super) level: usize,
    /// Whether it takes the sample for passed, whatever was before.
    pub(super) assumes: bool,
    pub(super) line: usize,
    pub(super) name: String,
}

impl Clone for Scope {
    fn clone(&self) -> Self {
        Self {
            headers: self.headers.clone(),
            defaults: self.defaults.copy(),
            logins: self.logins.clone(),
            cache: self.cache,
            jar: self.jar.clone(),
            by_group: self.by_group,
            first: self.first.clone(),
            cookies: self.cookies,
            draw: self.draw.clone(),
            waits: self.waits.clone(),
            before: self.before.clone(),
            after: self.after.clone(),
            texts: self.texts.clone(),
            any_status: self.any_status,
            within_ms: self.within_ms.clone(),
            level: self.level,
            assertions: self.assertions.clone(),
            of_parts: self.of_parts.clone(),
        }
    }
}

/// What is known before a run: the folder, properties, and the plan's variables.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) folder: PathBuf,
    pub(super) properties: BTreeMap<String, String>,
    pub(super) variables: BTreeMap<String, Scalar>,
}

impl Known {
    /// A text with what is known filled in; the rest stays.
    pub(super) fn evaluate(&self, text: &str) -> String {
        let evaluated =
            crate::workload::file::evaluate(text, &self.variables, &self.properties, &self.folder);
        evaluated.unwrap_or_else(|_| text.to_owned())
    }
}

/// Reads a plan: what it refuses, and the values that are known before the run.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    pub(super) problems: Vec<Problem>,
    pub(super) known: &'a Known,
    pub(super) feeders: BTreeMap<String, Feeder>,
    /// The feeders of data below groups, which each iteration of the group draws from.
    pub(super) nested: Vec<String>,
    /// What data below groups sets in each iteration.
    pub(super) nested_first: Vec<Step>,
    /// How many switches there are.
    pub(super) switches: usize,
    /// Whether conditions and texts read the numbers of passes.
    pub(super) reads_passes: bool,
}

impl Reader<'_> {
    pub(super) fn refuse(&mut self, element: &Element, why: &str) {
        let message = format!("{} ({:?}) {why}.", element.tag, element.name());
        self.problems.push(Problem::new(element.line, message));
    }

    /// A text of the plan; what it holds that is not taken is refused.
    pub(super) fn text(&mut self, given: &str, line: usize) -> String {
        self.taken(text(given, line)).unwrap_or_default()
    }

    pub(super) fn taken<T>(&mut self, given: Result<T, Problem>) -> Option<T> {
        given.map_err(|problem| self.problems.push(problem)).ok()
    }

    /// The text of a property.
    pub(super) fn property(&mut self, element: &Element, name: &str) -> String {
        self.text(element.text_of(name), element.line)
    }

    /// A number of an element, as steps have it: 0 where it is empty. What is known before the run is checked.
    pub(super) fn number(
        &mut self,
        element: &Element,
        [name, given]: [&str; 2],
        kind: NumberKind,
    ) -> String {
        let text = self.text(given, element.line);
        let found = self.known.evaluate(&text);
        match found.trim() {
            "" => "0".to_owned(),
            found if found.contains("${") => text,
            found => {
                if kind.read(found).is_none() {
                    let message = format!("has {name} {found:?}, which is not {}", kind.words());
                    self.refuse(element, &message);
                }
                text
            }
        }
    }

    /// The number of a property.
    pub(super) fn scalar(&mut self, element: &Element, name: &str, kind: NumberKind) -> Scalar {
        let given = element.number_of(name);
        Scalar::Text(self.number(element, [name, given], kind))
    }

    /// A value that is known before the run; `None` where it is not.
    pub(super) fn constant(&mut self, element: &Element, name: &str) -> String {
        let given = self.property(element, name);
        let found = self.known.evaluate(&given);
        if found.contains("${") {
            let message =
                format!("has a value of {name} that is not known before the run: {found}");
            self.refuse(element, &message);
        }
        found
    }

    /// Refuses properties that mean something that is not taken.
    pub(super) fn check(&mut self, element: &Element) {
        let Some(row) = table::of(&element.tag) else {
            self.refuse(element, "is not taken");
            return;
        };
        if row.part != Part::Listener {
            self.check_properties(element, row, element);
        }
    }

    /// Refuses what the row of its kind does not have, of an element that is perhaps within another one.
    pub(super) fn check_properties(
        &mut self,
        element: &Element,
        row: &ElementRow,
        outer: &Element,
    ) {
        for child in &element.children {
            let name = property_name(child);
            let is_empty = child.text.trim().is_empty() && values(child) == 0;
            if name == "TestPlan.comments" || name.is_empty() || is_empty {
                continue;
            }
            let rule =
                row.properties.iter().find(|(known, _)| *known == name).map(|(_, rule)| *rule);
            let is_right = match rule {
                Some(PropertyRule::Taken | PropertyRule::Idle) => true,
                Some(PropertyRule::Only(values)) => values.contains(&child.text.trim()),
                None => child.text.trim() == "false",
            };
            if !is_right {
                let value: String = child.text.trim().chars().take(60).collect();
                let value = if value.is_empty() { String::new() } else { format!(" {value:?}") };
                let message = format!("has {name}{value}, which is not taken");
                self.refuse(outer, &message);
            }
        }
    }
}

/// The name of a property, which is a child for the classes of numbers.
fn property_name(child: &Element) -> &str {
    match child.attribute("name") {
        "" => {
            let named = child.children.iter().find(|part| part.tag == "name");
            named.map_or("", |name| name.text.as_str())
        }
        name => name,
    }
}

/// How many values a property of properties has.
fn values(child: &Element) -> usize {
    let has_value = |one: &Element| !one.text.trim().is_empty() || values(one) > 0;
    child.children.iter().filter(|one| has_value(one)).count()
}

/// The enabled elements of a tree, each with the tree below it.
pub(super) fn pairs_of(tree: Option<&Element>) -> Vec<(&Element, Option<&Element>)> {
    let mut pairs: Vec<(&Element, Option<&Element>)> = Vec::new();
    for child in tree.map_or(&[][..], |tree| &tree.children) {
        match (child.tag.as_str(), pairs.last_mut()) {
            ("hashTree", Some((_, below))) => *below = Some(child),
            _ => pairs.push((child, None)),
        }
    }
    pairs.retain(|(element, _)| element.is_enabled() && element.attribute("passed") != "over");
    pairs
}

/// A capture of one match of several.
pub(super) fn capture(nth: i64, default: Option<String>) -> Capture {
    Capture { nth: Some(nth), keep: default.is_none(), default, ..Capture::default() }
}
