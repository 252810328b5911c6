//! Adds what applies to the samplers beside and below an element: settings, pauses, checks.

use super::place::{Reader, Scope, pairs_of};
use super::table::{self, Part};
use super::{assertion, extractor, script};
use crate::workload::file::definition::{
    After, AfterLast, Counter, CsvLayout, Feeder, KeepCookies, Pick, Shape, Step, Wait,
};
use crate::xml::Element;

impl Reader<'_> {
    /// The scope of the elements in a tree; `depth` is 0 for the plan, 1 for a group.
    pub(super) fn scope(&mut self, outer: &Scope, tree: Option<&Element>, depth: usize) -> Scope {
        let mut scope = outer.clone();
        for (element, _) in pairs_of(tree) {
            let part = table::of(&element.tag).map(|row| row.part);
            match part {
                // Groups, samplers and controllers are checked where they are compiled.
                Some(Part::Group | Part::Sampler | Part::Controller | Part::Plan) => {
                    let is_group = part == Some(Part::Group);
                    if is_group != (depth == 0) || part == Some(Part::Plan) {
                        self.refuse(element, "is not taken at this place");
                    }
                }
                _ => {
                    self.check(element);
                    self.add(&mut scope, element, depth);
                }
            }
        }
        scope
    }

    fn add(&mut self, scope: &mut Scope, element: &Element, depth: usize) {
        let is_nested =
            depth > 1 && ["CSVDataSet", "CounterConfig"].contains(&element.tag.as_str());
        if is_nested {
            self.refuse(element, "is taken only in the plan and in thread groups");
            return;
        }
        match element.tag.as_str() {
            "HeaderManager" => self.headers(scope, element),
            "CookieManager" => {
                scope.cookies = Some(match element.is_true("CookieManager.clearEachIteration") {
                    true => KeepCookies::EachIteration,
                    false => KeepCookies::Keep,
                });
            }
            "ConfigTestElement" => super::sampler::defaults(self, scope, element),
            "CSVDataSet" => self.data_set(scope, element, depth),
            "CounterConfig" => self.counter(scope, element),
            "ConstantTimer"
            | "UniformRandomTimer"
            | "GaussianRandomTimer"
            | "PoissonRandomTimer" => {
                self.timer(scope, element);
            }
            "ResponseAssertion" => {
                let check = assertion::response(element, self);
                scope.any_status |= element.is_true("Assertion.assume_success");
                scope.texts.extend(check);
            }
            "JSONPathAssertion" => {
                let check = assertion::json(element, self);
                scope.texts.extend(check);
            }
            "DurationAssertion" => {
                scope.within_ms = Some(self.scalar(element, "DurationAssertion.duration"));
            }
            "JSONPostProcessor" => {
                let capture = extractor::json(element, self);
                scope.after.push(After { capture, ..After::default() });
            }
            "RegexExtractor" => {
                let capture = extractor::regex(element, self);
                scope.after.push(After { capture, ..After::default() });
            }
            "JSR223PostProcessor" | "BeanShellPostProcessor" => {
                let sets = script::read(element, self);
                scope.after.extend(sets.into_iter().map(|(set, share)| After {
                    set,
                    share,
                    ..After::default()
                }));
            }
            "JSR223PreProcessor" | "BeanShellPreProcessor" => {
                let sets = script::read(element, self);
                let step = |(set, share)| Step { set, share, ..Step::default() };
                scope.before.extend(sets.into_iter().map(step));
            }
            _ => {}
        }
    }

    /// The nearer manager's header replaces one of the same name.
    fn headers(&mut self, scope: &mut Scope, element: &Element) {
        for header in element.collection("HeaderManager.headers") {
            let name = self.text(header.text_of("Header.name"), header.line);
            let value = self.text(header.text_of("Header.value"), header.line);
            scope.headers.retain(|[known, _]| !known.eq_ignore_ascii_case(&name));
            scope.headers.push([name, value]);
        }
    }

    fn timer(&mut self, scope: &mut Scope, element: &Element) {
        let has_range = element.tag != "ConstantTimer";
        let shape = match element.tag.as_str() {
            "GaussianRandomTimer" => Shape::Gaussian,
            "PoissonRandomTimer" => Shape::Poisson,
            _ => Shape::Uniform,
        };
        let ms = self.scalar(element, "ConstantTimer.delay");
        let random = has_range.then(|| self.scalar(element, "RandomTimer.range"));
        scope.waits.push(Wait { ms, random, shape });
    }

    fn counter(&mut self, scope: &mut Scope, element: &Element) {
        let mut number = |name: &str, default: i64| {
            let text = self.constant(element, name);
            match text.trim() {
                "" => default,
                text => text.parse().unwrap_or_else(|_| {
                    self.refuse(element, &format!("has {name} {text:?}, which is no whole number"));
                    default
                }),
            }
        };
        let start = number("CounterConfig.start", 0);
        let step = number("CounterConfig.incr", 1);
        let end = number("CounterConfig.end", i64::MAX);
        let counter = Counter {
            start,
            step,
            end: (end != i64::MAX).then_some(end),
            each_user: element.is_true("CounterConfig.per_user"),
            value: Some(element.text_of("CounterConfig.name").trim().to_owned()),
        };
        self.feeder(scope, Feeder { counter: Some(counter), ..Feeder::default() });
    }

    fn feeder(&mut self, scope: &mut Scope, feeder: Feeder) {
        let name = format!("data{}", self.feeders.len() + 1);
        self.feeders.insert(name.clone(), feeder);
        scope.draw.push(name);
    }

    fn data_set(&mut self, scope: &mut Scope, element: &Element, depth: usize) {
        let separator = match element.text_of("delimiter") {
            "\\t" => '\t',
            text => text.chars().next().unwrap_or(','),
        };
        let share = element.text_of("shareMode");
        let pick = match share {
            "" | "shareMode.all" => Pick::InOrder,
            "shareMode.group" if depth > 0 => Pick::InOrder,
            "shareMode.thread" => Pick::EachInOrder,
            _ => {
                self.refuse(
                    element,
                    &format!("is shared in a way that is not taken here: {share:?}"),
                );
                return;
            }
        };
        let names = self.constant(element, "variableNames");
        let names = names.split(',').map(|name| name.trim().to_owned());
        let layout = CsvLayout {
            columns: names.filter(|name| !name.is_empty()).collect(),
            separator,
            quotes: element.is_true("quotedData"),
            skip_first: element.is_true("ignoreFirstLine"),
        };
        let end = match (element.text_of("recycle") != "false", element.is_true("stopThread")) {
            (true, _) => AfterLast::Again,
            (false, true) => AfterLast::EndUser,
            (false, false) => AfterLast::Mark,
        };
        let file = self.constant(element, "filename");
        let path = self.known.folder.join(&file);
        if let Err(error) = std::fs::metadata(&path) {
            self.refuse(element, &format!("has the file {file:?}, which cannot be read: {error}"));
            return;
        }
        let (csv, layout, pick, end) = (Some(file), Some(layout), Some(pick), Some(end));
        self.feeder(scope, Feeder { csv, layout, pick, end, ..Feeder::default() });
    }
}
