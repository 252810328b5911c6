//! Adds what applies to the samplers beside and below an element: settings, pauses, checks.

use super::Problem;
use super::place::{AssertionPlace, Reader, Scope, pairs_of};
use super::table::{self, Part};
use super::{assertion, extractor, script};
use crate::workload::file::definition::{
    After, AfterLast, Cache, Counter, CsvLayout, Feeder, KeepCookies, Login, Pace,
    PauseDistribution, Pick, Scalar, Step, Wait,
};
use crate::workload::file::functions::decimal;
use crate::workload::file::{NumberKind, is_field_name};
use crate::xml::Element;

impl Reader<'_> {
    /// The scope of the elements in a tree; `depth` is 0 for the plan, 1 for a group.
    pub(super) fn scope(&mut self, outer: &Scope, tree: Option<&Element>, depth: usize) -> Scope {
        let mut scope = outer.clone();
        scope.level += 1;
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
        let of_users = ["CookieManager", "CacheManager"].contains(&element.tag.as_str());
        if depth > 1 && of_users {
            self.refuse(element, "is taken only in the plan and in thread groups");
            return;
        }
        match element.tag.as_str() {
            "HeaderManager" => self.headers(scope, element),
            "CookieManager" => self.cookies(scope, element),
            "AuthManager" => self.logins(scope, element),
            "CacheManager" => {
                scope.by_group[1] = element.is_true("CacheManager.controlledByThread");
                scope.cache = Some(Cache {
                    fresh: element.is_true("useExpires"),
                    each_iteration: element.is_true("clearEachIteration"),
                });
            }
            "UserParameters" => self.user_parameters(scope, element, depth),
            "RandomVariableConfig" => self.random_variable(scope, element, depth),
            "ConfigTestElement" => super::sampler::defaults(self, scope, element),
            "CSVDataSet" => self.data_set(scope, element, depth),
            "CounterConfig" => self.counter(scope, element, depth),
            "ConstantTimer"
            | "UniformRandomTimer"
            | "GaussianRandomTimer"
            | "PoissonRandomTimer" => {
                self.timer(scope, element);
            }
            "ConstantThroughputTimer" => self.pace(scope, element),
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
            _ => self.add_reading(scope, element),
        }
    }

    /// Adds what reads responses: checks and captures.
    fn add_reading(&mut self, scope: &mut Scope, element: &Element) {
        if ["Sample.scope", "Assertion.scope"].iter().any(|name| element.text_of(name) == "all") {
            let message = format!(
                "{} ({:?}) reads the main sample and its sub-samples, which is not taken where redirects are followed.",
                element.tag,
                element.name()
            );
            scope.of_parts.push(Problem::new(element.line, message));
        }
        if table::of(&element.tag).is_some_and(|row| row.part == Part::Assertion) {
            scope.assertions.push(AssertionPlace {
                level: scope.level,
                assumes: element.is_true("Assertion.assume_success"),
                line: element.line,
                name: element.name().to_owned(),
            });
        }
        match element.tag.as_str() {
            "ResponseAssertion" => {
                let check = assertion::response(element, self);
                scope.any_status |= element.is_true("Assertion.assume_success");
                scope.texts.extend(check);
            }
            "JSONPathAssertion" => {
                let check = assertion::json(element, self);
                scope.texts.extend(check);
            }
            "JMESPathAssertion" => {
                let check = assertion::jmes(element, self);
                scope.texts.extend(check);
            }
            "SizeAssertion" => {
                let check = assertion::size(element, self);
                scope.texts.extend(check);
            }
            "DurationAssertion" => {
                let duration =
                    self.scalar(element, "DurationAssertion.duration", NumberKind::Count);
                // 0 is no limit.
                let is_none = matches!(&duration, Scalar::Text(text) if self.known.evaluate(text).trim() == "0");
                if !is_none {
                    scope.within_ms.push(duration);
                }
            }
            "JSONPostProcessor" => {
                let capture = extractor::json(element, self);
                scope.after.push(After { capture, ..After::default() });
            }
            "JMESPathExtractor" => {
                let capture = extractor::jmes(element, self);
                scope.after.push(After { capture, ..After::default() });
            }
            "RegexExtractor" => {
                let capture = extractor::regex(element, self);
                scope.after.push(After { capture, ..After::default() });
            }
            "HtmlExtractor" => {
                let capture = extractor::css(element, self);
                scope.after.push(After { capture, ..After::default() });
            }
            "BoundaryExtractor" => {
                let capture = extractor::boundary(element, self);
                scope.after.push(After { capture, ..After::default() });
            }
            _ => {}
        }
    }

    /// The nearer manager's headers replace those of the same names; its own may have one name.
    fn headers(&mut self, scope: &mut Scope, element: &Element) {
        let mut own: Vec<[String; 2]> = Vec::new();
        for header in element.collection("HeaderManager.headers") {
            let name = self.text(header.text_of("Header.name"), header.line);
            let value = self.text(header.text_of("Header.value"), header.line);
            let known = self.known.evaluate(&name);
            // An empty row of the editor is none.
            let is_right = known.contains("${")
                || is_field_name(known.trim())
                || known.is_empty() && value.is_empty();
            if !is_right {
                let message = format!("has the header {known:?}, which is no name of a field");
                self.refuse(element, &message);
            }
            if known.trim().eq_ignore_ascii_case("transfer-encoding") {
                self.refuse(element, "has the header Transfer-Encoding, which is not taken");
            }
            // JMeter writes the length itself.
            if !known.is_empty() && !known.trim().eq_ignore_ascii_case("content-length") {
                own.push([name, value]);
            }
        }
        let is_own = |name: &str| own.iter().any(|[known, _]| known.eq_ignore_ascii_case(name));
        scope.headers.retain(|[name, _]| !is_own(name));
        scope.headers.extend(own);
    }

    fn timer(&mut self, scope: &mut Scope, element: &Element) {
        let has_range = element.tag != "ConstantTimer";
        let shape = match element.tag.as_str() {
            "GaussianRandomTimer" => PauseDistribution::Gaussian,
            "PoissonRandomTimer" => PauseDistribution::Poisson,
            _ => PauseDistribution::Uniform,
        };
        let ms = self.scalar(element, "ConstantTimer.delay", NumberKind::Count);
        let random =
            has_range.then(|| self.scalar(element, "RandomTimer.range", NumberKind::Amount));
        scope.waits.push(Wait { ms, random, shape, pace: None });
    }

    /// Samples a minute, kept by each thread, by those that run, or by all one after the other.
    fn pace(&mut self, scope: &mut Scope, element: &Element) {
        let pace = match element.number_of("calcMode").trim() {
            "" | "0" => Pace::EachUser,
            "1" => Pace::ShareOfAll,
            "2" => Pace::ShareOfGroup,
            "3" => Pace::All,
            "4" => Pace::Group,
            other => {
                self.refuse(element, &format!("has the mode {other:?}, which is not known"));
                return;
            }
        };
        let ms = self.scalar(element, "throughput", NumberKind::Amount);
        scope.waits.push(Wait {
            ms,
            random: None,
            shape: PauseDistribution::Uniform,
            pace: Some(pace),
        });
    }

    fn cookies(&mut self, scope: &mut Scope, element: &Element) {
        scope.cookies = Some(match element.is_true("CookieManager.clearEachIteration") {
            true => KeepCookies::EachIteration,
            false => KeepCookies::Keep,
        });
        scope.by_group[0] = element.is_true("CookieManager.controlledByThreadGroup");
        scope.jar.clear();
        for cookie in element.collection("CookieManager.cookies") {
            let [value, domain, path] = ["Cookie.value", "Cookie.domain", "Cookie.path"]
                .map(|name| self.constant(cookie, name));
            let name = self.text(cookie.attribute("name"), cookie.line);
            if domain.is_empty() {
                self.refuse(element, &format!("has the cookie {name:?} without a domain"));
            }
            let path = if path.is_empty() { "/" } else { &path };
            let secure = if cookie.is_true("Cookie.secure") { "; Secure" } else { "" };
            scope.jar.push(format!("{name}={value}; Domain={domain}; Path={path}{secure}"));
        }
    }

    fn logins(&mut self, scope: &mut Scope, element: &Element) {
        if !scope.logins.is_empty() {
            self.refuse(element, "is not taken beside another one that applies here");
            return;
        }
        for login in element.collection("AuthManager.auth_list") {
            let mechanism = login.text_of("Authorization.mechanism");
            if !["", "BASIC"].contains(&mechanism) {
                self.refuse(element, &format!("has the mechanism {mechanism}, which is not taken"));
                continue;
            }
            let [url, user, password] =
                ["Authorization.url", "Authorization.username", "Authorization.password"]
                    .map(|name| self.property(login, name));
            scope.logins.push(Login { url, user, password });
        }
    }

    /// The values of each user: those of the list with its number, the first again behind the last.
    fn user_parameters(&mut self, scope: &mut Scope, element: &Element, depth: usize) {
        let names = element.collection("UserParameters.names");
        let users = element.collection("UserParameters.thread_values");
        let mut step = Step::default();
        for (at, name) in names.iter().enumerate() {
            let values: Vec<&Element> =
                users.iter().filter_map(|user| user.children.get(at)).collect();
            // A name without values is not set.
            if values.is_empty() {
                continue;
            }
            if values.len() < users.len() {
                let message = format!("has no value of {:?} for some users", name.text.trim());
                self.refuse(element, &message);
            }
            let mut given = String::from("${pick(${user_number()}");
            for value in values {
                given +=
                    &format!(",{}", super::text::argument(&self.text(&value.text, element.line)));
            }
            step.set.insert(name.text.trim().to_owned(), Scalar::Text(given + ")}"));
        }
        let each_iteration = element.is_true("UserParameters.per_iteration");
        match (step.set.is_empty(), each_iteration && depth <= 1) {
            (true, _) => {}
            (false, true) => scope.first.push(step),
            (false, false) if each_iteration => {
                self.refuse(
                    element,
                    "counts iterations, which is taken only in the plan and in thread groups",
                );
            }
            (false, false) => scope.before.push(step),
        }
    }

    fn random_variable(&mut self, scope: &mut Scope, element: &Element, depth: usize) {
        let name = self.constant(element, "variableName").trim().to_owned();
        let [least, most] = ["minimumValue", "maximumValue"].map(|name| {
            let text = element.number_of(name).to_owned();
            super::text::argument(&self.text(&text, element.line))
        });
        let mut value = format!("${{random({least},{most})}}");
        let format = self.constant(element, "outputFormat");
        if !format.is_empty() {
            if !decimal::is_pattern(&format) {
                self.refuse(element, &format!("has the format {format:?}, which is not taken"));
                return;
            }
            value = format!("${{decimal({value},{})}}", super::text::argument(&format));
        }
        let step = Step { set: [(name, Scalar::Text(value))].into(), ..Step::default() };
        match depth {
            0 | 1 => scope.first.push(step),
            _ => self.nested_first.push(step),
        }
    }

    fn counter(&mut self, scope: &mut Scope, element: &Element, depth: usize) {
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
        let format = self.constant(element, "CounterConfig.format");
        if !format.is_empty() && !decimal::is_pattern(&format) {
            self.refuse(element, &format!("has the format {format:?}, which is not taken"));
        }
        let (step, end) = jmeter_count(start, step, end);
        let counter = Counter {
            start,
            step,
            end,
            each_user: element.is_true("CounterConfig.per_user"),
            value: Some(element.text_of("CounterConfig.name").trim().to_owned()),
            format: Some(format).filter(|format| !format.is_empty()),
        };
        self.feeder(scope, depth, Feeder { counter: Some(counter), ..Feeder::default() });
    }

    /// Data is drawn by each iteration of a group, however deep in the group it stands.
    fn feeder(&mut self, scope: &mut Scope, depth: usize, feeder: Feeder) {
        let name = format!("data{}", self.feeders.len() + 1);
        self.feeders.insert(name.clone(), feeder);
        match depth {
            0 | 1 => scope.draw.push(name),
            _ => self.nested.push(name),
        }
    }

    fn data_set(&mut self, scope: &mut Scope, element: &Element, depth: usize) {
        let quotes = element.is_true("quotedData");
        let names = self.constant(element, "variableNames");
        let separator = match (element.text_of("delimiter"), quotes) {
            ("\\t", _) => "\t".to_owned(),
            ("", _) => ",".to_owned(),
            // The first character divides fields that may be in quotes, the whole text others.
            (text, true) => text.chars().take(1).collect(),
            (text, false) => text.to_owned(),
        };
        if separator.chars().count() > 1 && names.trim().is_empty() {
            let message = "has a delimiter of several characters without names of variables, which the first line divides by its first character";
            self.refuse(element, message);
        }
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
        let names = names.split(',').map(|name| name.trim().to_owned());
        let layout = CsvLayout {
            columns: names.filter(|name| !name.is_empty()).collect(),
            separator,
            quotes,
            skip_first: element.is_true("ignoreFirstLine"),
            jmeter: true,
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
        self.feeder(scope, depth, Feeder { csv, layout, pick, end, ..Feeder::default() });
    }
}

/// The step and the last number of a counter that does as JMeter's: behind a number above `end` comes the first, so that
/// one that counts down goes on below `end`.
fn jmeter_count(start: i64, step: i64, end: i64) -> (i64, Option<i64>) {
    match start.checked_add(step) {
        Some(second) if second > end => (0, None),
        _ if step <= 0 || end == i64::MAX => (step, None),
        _ => (step, Some(end)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_compare_with_their_end_as_jmeter_does() {
        for (given, expected) in [
            ([5, -1, 3], (0, None)),
            ([5, -1, 7], (-1, None)),
            ([5, 1, 3], (0, None)),
            ([5, 2, 9], (2, Some(9))),
            ([5, 1, i64::MAX], (1, None)),
        ] {
            let [start, step, end] = given;
            assert_eq!(jmeter_count(start, step, end), expected, "{given:?}");
        }
    }
}
